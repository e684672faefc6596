//! Choices between ways.

use super::{ROW, Rule};
use crate::memory::extract::found::{Kind, Trigger};

const BASE: Rule = Rule { kind: Some(Kind::Preference), trigger: Trigger::Decision, ..ROW };

pub(in crate::memory::extract) const RULES: &[Rule] = &[
    Rule {
        name: "we decided",
        pattern: concat!(
            r"^(?:(?:ok|okay|so|and|but|also|yes|yeah|great|well|right|fine|",
            r"after [\w ]{3,40})[,.! ]+)*(?P<what>(?:(?:we|i|the team)(?:'ve| have| had)? (?:also |now |",
            r"finally |just )?(?:decided|agreed|settled|chose|chosen|opted|standardi[sz]ed|committed|",
            r"picked)(?: (?:to|on|for|that|against|not))? .+|(?:the )?decision(?: (?:is|was|made))?(?:: | to |",
            r" is | was ).+|it (?:was|is|has been) (?:decided|agreed) .+))",
        ),
        unless: concat!(
            r"\b(?:haven't|have not|not yet|yet to|never|can't|cannot) (?:decided|decide|agreed)|",
            r"decided (?:yet|on (?:it|that) yet|what|how|if|whether)",
        ),
        yes: &[
            "We decided to keep Postgres",
            "ok, we agreed on weekly releases",
            "I've settled on Vue",
            "Decision: no ORM",
            "It was decided that v1 stays frozen",
        ],
        no: &["We have not decided yet", "we decided what to do later", "decide for me", "I agree"],
        ..BASE
    },
    Rule {
        name: "let's go with",
        pattern: concat!(
            r"^(?:(?:ok|okay|so|and|but|yes|yeah|great|well|right|fine|perfect|cool|good|alright|sounds good|",
            r"actually|i think|in that case|then)[,.! ]+)*(?P<what>(?:let's|let us|we(?:'ll| will| should)|",
            r"we(?:'re| are) going to|i say we) (?:just |all |now |then |probably |definitely )*(?:go with|",
            r"use|stick (?:with|to)|stay with|keep(?: using)?|adopt|standardi[sz]e on|switch to|move to|",
            r"settle (?:on|for)|prefer|drop|target|default to|support only|only support) .{2,}|(?:we|i)(?:'re|",
            r" are|'m| am) (?:going with|sticking (?:with|to)|using|staying with|moving to|switching to|",
            r"dropping) .{2,})",
        ),
        unless: concat!(
            r"\b(?:go with|use|keep) (?:that|it|this|them|those)[.! ]*$|\bsee (?:if|how|what)\b|we(?:'ll|",
            r" will) (?:use|keep) (?:it|this|that|them) (?:later|for now|next)|keep (?:going|working|",
            r"in (?:touch|mind)|moving|trying|talking|it (?:up|that way))|using (?:it|this|that|these)\b",
        ),
        yes: &[
            "Let's go with Redis for the queue",
            "ok, we'll use semantic versions",
            "We're going with the second design",
            "let's stick to the standard library",
            "we are using Poetry",
        ],
        no: &["let's go with that", "let's see if we use it", "Let's keep going", "we use it", "we'll use this later"],
        ..BASE
    },
];
