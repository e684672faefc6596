//! What a person says against what was said or done.

use super::{By, ROW, Rule};
use crate::memory::extract::found::{Kind, Trigger};

const BASE: Rule = Rule { kind: Some(Kind::Preference), trigger: Trigger::Correction, by: By::Speaker, ..ROW };

pub(in crate::memory::extract) const RULES: &[Rule] = &[
    Rule {
        name: "no, but this",
        pattern: concat!(
            r"^(?:(?:oh|um|uh|hmm|sorry|wait|well|ok|but)[,.! ]+)*(?:no|nope|nah)[,.!;: –—-]+(?:(?:please|",
            r"actually|just|sorry|wait|no|instead)[, ]+)*(?P<what>(?:(?:please|actually|just) )*(?:use|make|",
            r"put|it(?:'s| is| should| needs| must| has)|this (?:is|should)|that(?:'s| is| should) (?:the|a|",
            r"an|for|in|on|only|always)|we (?:use|want|need|don't|do not|have|always|never|only|call|write|",
            r"keep|prefer)|i (?:want|need|meant|mean|said|prefer|use|don't want|like)|i'd (?:like|prefer|",
            r"rather)|do(?:n't| not)|keep|change|set|leave|write|run|the \w+ (?:\w+ )?(?:is|are|should|must|",
            r"has|have|goes|belongs)|they (?:are|should|have)|you (?:should|need|have|must)|only|never|always|",
            r"not) .+)",
        ),
        yes: &[
            "No, use pnpm here",
            "no. we use tabs",
            "Nope, it should be 8080",
            "no, the config is in etc/app.toml",
            "Sorry, no, I meant the second table",
            "No - don't touch the schema",
            "no, please actually use the test client",
        ],
        no: &[
            "No, thanks.",
            "no, that's all",
            "No problem, go on",
            "no tests fail",
            "No worries, I use it anyway",
            "no, it works",
        ],
        unless: concat!(
            r"^(?:\w+[,.! ]+)?no[,. ]+(?:problem|worries|thanks|thank you|need|that's (?:all|it|fine|ok)|",
            r"it(?:'s| is) (?:ok|okay|fine|good|not needed)|i don't (?:think|know|need)|i'm (?:good|fine))",
        ),
        ..BASE
    },
    Rule {
        name: "that is wrong",
        pattern: concat!(
            r"^(?:(?:oh|no|wait|hmm|sorry|but|well|actually)[,.! ]+)*(?:that|this|it|your \w+|",
            r"the \w+ you \w+)(?:'s| is| was| are|s)?(?: just| simply| actually| still| also)?(?:n't|",
            r" not)? (?:wrong|incorrect|not (?:right|correct|true|what i (?:meant|want\w*|asked|said)|",
            r"how (?:we|it|i))|right|correct|what i (?:meant|want\w*|asked|said))\b.*\b(?P<what>(?:it|we|the|",
            r"use|i|they|this|our|should|must)\b.+)",
        ),
        unless: r"\b(?:is|'s|was) (?:right|correct|exactly)\b|what i (?:meant|want\w*|asked for|said)[.!]?$",
        yes: &[
            "That's wrong, the port is 8443",
            "this is incorrect: we use UTC everywhere",
            "No, that's not right, it should be a list",
            "That isn't what I meant, I want the short form",
        ],
        no: &[
            "That's right, the port is 8443",
            "this is what I wanted",
            "something is wrong",
            "That's not wrong at all",
        ],
        ..BASE
    },
    Rule {
        name: "I meant",
        pattern: concat!(
            r"^(?:(?:oh|no|sorry|wait|actually|hmm|well|my bad|oops)[,.! ]+)*(?P<what>i (?:meant|",
            r"actually (?:meant|wanted|want|need|prefer)|was (?:talking about|thinking of)|mean) .+)",
        ),
        unless: r"\bi mean(?:t)? (?:it|that|well|sure|yes|no)\b|^i mean,",
        yes: &[
            "I meant the staging server",
            "Sorry, I actually wanted JSON",
            "no, i mean the other branch",
            "oops, I meant main",
        ],
        no: &["what I meant was nothing", "I mean it", "I mean, it works", "did I mean that?"],
        ..BASE
    },
    Rule {
        name: "not this but that",
        pattern: concat!(
            r"^(?:(?:no|actually|sorry|wait|and|ok|so|please)[,.! ]+)*(?P<what>.*(?:\bnot (?:\S+ ){1,6}?but (?",
            r":rather )?\S+|\b(?:use|should (?:be|use)|make it|call it|it'?s|it is|want|need|prefer|put it in|",
            r"want it in) (?:\S+ ){1,6}?(?:instead of|rather than|and not|, ?not|not) (?:the |a |an )?\S+).*)",
        ),
        unless: concat!(
            r"\bnot (?:only|just|sure|bad|yet|necessarily|that|too|the case)\b|\bnot (?:\S+ )*(?:but (?:i|it|",
            r"we|you|they|that|there|when|if|then|still|now|the)\b)",
        ),
        yes: &[
            "use httpx instead of requests",
            "It should be a warning, not an error",
            "Not the main branch but release/2",
            "I want tabs, not spaces",
            "please use the client and not the raw socket",
        ],
        no: &[
            "not only fast but safe",
            "it is not ready but I like it",
            "I'm not sure but try it",
            "use it",
            "it failed instead of passing",
        ],
        ..BASE
    },
    Rule {
        name: "make it that",
        takes_questions: true,
        pattern: concat!(
            r"^(?:(?:oh|no|sorry|wait|hmm|well|ok|okay|yes|yeah|actually|please|thanks|great|but|and|can you|",
            r"could you|let's|also)[,.! ]+)*(?P<what>(?:actually )?(?:(?:make|change|switch|set) (?:that|it|",
            r"this|the [\w ]{2,30}?) (?:to|into|a|an|the|for|at|\d|as|use)\b|(?:switch|change) (?:to|from)\b|",
            r"replace .+ (?:with|by)\b|scratch that|on second thought|actually[, ]+(?:i|we|let's|it|use|the|",
            r"make|can|could|don't|no|please)\b).+)",
        ),
        unless: concat!(
            r"\bmake (?:it|that|this) (?:a (?:lot|bit)|work|so|happen|easier|better|clear|look)\b|",
            r"^actually,? (?:it (?:works|worked|is (?:fine|ok|good|working))|i (?:think|don't (?:know|think|",
            r"see)|see|like (?:it|that|this)|have (?:a|another|some))|the (?:idea|problem|issue))",
        ),
        yes: &[
            "make that 8 workers",
            "Change it to the EU region",
            "wait, switch to the old parser",
            "Actually, let's use SQLite",
            "Can you replace the print calls with the logger?",
            "On second thought keep both",
            "Please change the port to 9000",
        ],
        no: &[
            "Make it work",
            "actually it works",
            "Actually, I think so",
            "make it so",
            "I changed it",
            "change is good",
        ],
        ..BASE
    },
    Rule {
        name: "do not",
        pattern: concat!(
            r"^(?:(?:and|also|but|no|please|pls|ok|so|wait|stop|",
            r"again)[,.! ]+)*(?P<what>(?:please )?(?:do(?:n't| not)|stop|avoid|quit|no more) (?:ever |just |",
            r"also |add|use|us|mak|writ|creat|chang|put|modif|edit|remov|touch|commit|push|delet|run|includ|",
            r"call|import|assum|mock|guess|hard|skip|repeat|giv|say|show|ask|install|rewrit|refactor|generat|",
            r"wrap|return|expos|rename|mov|over|mix|try|do\b)\w*.*)",
        ),
        unless: concat!(
            r"\bdo(?:n't| not) (?:know|think|see|have|want|need|care|worry|understand|get|mind|use it)\b|",
            r"(?:yet|for now|right now|this time|at the moment)[.!]?$",
        ),
        yes: &[
            "Don't use unwrap in library code",
            "please do not add comments",
            "Stop adding emojis",
            "avoid creating new files",
            "And don't commit the lock file",
        ],
        no: &["I don't know", "Don't worry", "don't push yet", "it doesn't use it", "why don't we use it"],
        ..BASE
    },
];
