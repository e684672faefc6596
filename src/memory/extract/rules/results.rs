//! How a person says that what was tried worked or did not. `Rule::trigger` is the same for all; which way it went
//! is told by the table.

use super::{ROW, Rule};
use crate::memory::extract::found::{Confidence, Kind, Trigger};

const BASE: Rule =
    Rule { kind: Some(Kind::Tactic), trigger: Trigger::ValidatedFix, confidence: Confidence::High, ..ROW };

/// The names of rows that say that it worked and that the sentence itself says what did.
pub(in crate::memory::extract) const SAYS_WHAT: [&str; 2] = ["doing it fixed it", "doing it did not help"];

/// Rows of failures; their order comes first: "that did not fix it" names a fix too.
pub(in crate::memory::extract) const FAILURES: usize = 3;

pub(in crate::memory::extract) const RULES: &[Rule] = &[
    Rule {
        name: "doing it did not help",
        confidence: Confidence::Medium,
        pattern: concat!(
            r"^(?:(?:ok|so|and|but|hm+|sadly|unfortunately|no)[,.! ]+)*(?P<what>(?:(?:\w+ing|",
            r"(?:the )?(?:re-?\w+|upgrade|downgrade|restart|patch|change|workaround|clean (?:build|",
            r"install))) (?:\S+ ){1,12}?(?:did(?:n't| not)|does(?:n't| not)|never) (?:help|work|fix|solve|",
            r"change|make (?:a|any) difference)\b.*|i(?:'ve| have)? (?:also )?tried (?:\S+ ){1,14}?(?:but|and|",
            r",) .*\b(?:did(?:n't| not)|does(?:n't| not)|still|no luck|same|without (?:success|luck)|",
            r"to no avail)\b.*))",
        ),
        unless: r"^(?:nothing|anything|everything|something|thing|morning|evening)\b",
        yes: &[
            "Restarting the daemon didn't help",
            "clearing the cache did not fix it",
            "I tried reinstalling node but it still fails",
            "Upgrading pip to 24 doesn't change anything",
        ],
        no: &["That didn't help", "Nothing in there does not work", "Restarting the daemon helped", "I tried it"],
        ..BASE
    },
    Rule {
        name: "it did not help",
        confidence: Confidence::Medium,
        pattern: concat!(
            r"^(?:(?:ok|so|and|but|hm+|sadly|unfortunately|no|nope|sorry|well|thanks|yes|i (?:tried|",
            r"did) (?:it|that|this)|just tried(?: it)?)[,.! -]+(?:but )?)*(?:(?:that|this|it|those|",
            r"your (?:fix|change|changes|suggestion|solution))(?: (?:fix|change|",
            r"one))? ?(?:still )?(?:did(?:n't| not)|does(?:n't| not)|has(?:n't| not)|is(?:n't|",
            r" not)) (?:help(?:ed)?|work(?:ed|ing)?|fix(?:ed)?|solve[d]?|change[d]? (?:anything|it)|make (?:a|",
            r"any) difference)|no (?:luck|change|difference|dice|success|effect)\b|(?:it|that|this|",
            r"the \w+(?: \w+)?)(?:'s| is)? still (?:fail(?:s|ing)?|broken|crash(?:es|ing)?|not (?:work|fix|",
            r"build|pass)\w*|doesn't (?:work|build|compile|pass|start)|throw(?:s|ing)?|happen(?:s|ing)?|",
            r"hang(?:s|ing)?|the same|red|there\b)|still (?:fail(?:s|ing)?|broken|crash(?:es|ing)|not (?:work|",
            r"fix)\w*|doesn't work|(?:get(?:ting)?|see(?:ing)?|have|having) (?:the )?(?:same|this|that|",
            r"an?) (?:\w+ )?(?:error|issue|problem|failure|message|result|exception)|the same|no luck|",
            r"happening|red|nothing)|(?:same|exact same) (?:error|issue|problem|result|failure|thing|",
            r"exception)\b|i(?:'m| am)? still (?:get(?:ting)?|see(?:ing)?|have|having) (?:the )?(?:same|this|",
            r"that|an?) (?:\w+ )?(?:error|issue|problem|failure|message|exception))",
        ),
        unless: r"^(?:if|when|what|why)\b",
        yes: &[
            "That didn't help.",
            "Still fails",
            "no luck",
            "I'm still getting the same error",
            "Same error again",
            "it's still broken",
            "Hmm, this doesn't work either",
        ],
        no: &["It helped", "Still, I like it", "the same file", "If it still fails, tell me", "It does not need work"],
        ..BASE
    },
    Rule {
        name: "it got worse",
        confidence: Confidence::Medium,
        pattern: concat!(
            r"^(?:(?:ok|so|and|but|hm+|sadly|unfortunately|no|nope|well|now)[,.! ]+)*(?:(?:that|this|it|",
            r"your (?:fix|change|changes)) (?:just )?(?:made (?:it|things) worse|broke (?:\w+ ?){1,6}|",
            r"fails? with (?:a (?:different|new)|another) \w+)|now it(?:'s| is)? (?:even )?(?:worse|",
            r"fails? (?:with|at|in)|crash(?:es)?|throws?)|(?:now )?(?:i(?:'m| am)? )?(?:get(?:ting)?|",
            r"see(?:ing)?) (?:a (?:different|new)|another) (?:error|exception|failure))",
        ),
        yes: &["That made it worse", "your change broke the login", "Now it crashes", "now I get a different error"],
        no: &["It broke", "get a new laptop", "it is worse than tea"],
        ..BASE
    },
    Rule {
        name: "doing it fixed it",
        pattern: concat!(
            r"^(?:(?:ok|so|and|yes|yeah|yep|yay|great|perfect|nice|awesome|ah|oh|finally|confirmed|thanks|",
            r"turns out|looks like|found it)[,.!: ]+(?:that )?)*(?P<what>(?:\w+ing|the \w+|(?:a|",
            r"an) (?:\w+ ){0,3}\w+|`[^`]+`)(?: \S+){0,16}? (?:(?:has |finally |actually |really |also |",
            r"did )*(?:fixed|solved|resolved|cured|fix|solve|resolve) (?:it|this|that|the \w+|them|everything|",
            r"my \w+|our \w+)|did (?:it|the trick|help)|made it work|worked|helped|got (?:it|",
            r"the \w+(?: \w+)?) (?:working|running|passing|to (?:work|build|pass|start)))\b.*|after (?:\w+ing|",
            r"i \w+|we \w+) .{3,80}?,? (?:it|everything|all|the \w+(?: \w+)?) (?:now )?(?:works?|worked|",
            r"passe[sd]|builds?|built|runs?|ran|starts?|started|is (?:fine|fixed|ok|green))\b.*)",
        ),
        unless: concat!(
            r"n't\b|\b(?:did(?:n't| not)|has(?:n't| not)|never|not|will|would|should|might|could|may|if|",
            r"hopefully|maybe|whether|until|before|unless|partially|partly|half|almost)\b|^(?:the (?:bugs?|",
            r"issues?|fix\w*|things?|problems?|tests?|way|team|script|code|app|build)\b|nothing|anything|",
            r"something|everything|your (?:fix|change|solution|suggestion)\b)",
        ),
        yes: &[
            "Restarting Docker fixed it.",
            "ok, setting NODE_OPTIONS did the trick",
            "Pinning numpy to 1.26 solved the issue",
            "`cargo clean` fixed the build",
            "After I deleted the lock file, everything works",
        ],
        no: &[
            "Restarting did not fix it",
            "the bug is fixed",
            "Setting it might have fixed it",
            "Your fix worked",
            "I hope that fixes it",
            "the team worked on it",
        ],
        ..BASE
    },
    Rule {
        name: "it worked",
        pattern: concat!(
            r"^(?:(?:ok|okay|so|and|yes|yeah|yep|yay|great|perfect|nice|awesome|excellent|amazing|cool|wow|ah|",
            r"oh|finally|confirmed|thanks|thank you|good|brilliant|fantastic|super|sweet|hooray|woohoo|",
            r"that's it)[,.!: –—-]+)*(?:(?:and |now )?(?:that|this|it|your (?:fix|change|solution|suggestion)|",
            r"the (?:fix|change|solution|workaround|last (?:change|fix|one)))(?: \w+)? ?(?:has |finally |",
            r"actually |totally |really |all |just |now |did |seems to have |must have )*(?:fixed|solved|",
            r"resolved|did (?:it|the trick)|do the trick|worked|helped|works (?:now|perfectly|great|well|fine|",
            r"again|like a charm|as expected|!|\.|,|$)|works$|work now|fix(?:es)? (?:it|the|that))|(?:that|it|",
            r"everything|all|the \w+(?: \w+)?|tests?|all (?:the )?tests?|(?:the )?build|ci)(?:'s| is|",
            r" are)? (?:finally |all |now )*(?:works?|working|pass(?:es|ing)?|builds?|runs?|runs|compiles?|",
            r"starts?|fixed|green|resolved|solved|succeeds?|is green|are green|back up|",
            r"up and running)(?: \w+){0,3} (?:now|again|finally)\b|now (?:it|everything|all|the \w+(?: \w+)?|",
            r"tests?|they)(?:'s| is| are)? (?:finally |all )*(?:works?|working|pass(?:es|ing)?|builds?|runs?|",
            r"compiles?|starts?|fixed|green|fine|ok|good)\b|(?:it(?:'s| is)|that's|all|everything(?:'s| is)?|",
            r"problem|issue|bug|error)(?: is| are)? (?:finally |all |now )*(?:fixed|solved|resolved|working|",
            r"gone|green)(?: now| again)?\b|(?:it|this|that|everything|all)(?:'s| is) (?:finally |",
            r"all )?working[,.! ]*(?:$|thank|now|again)|(?:it|this|that|everything|all)(?:'s| is) (?:finally |",
            r"all )?working[,.!]|works? (?:now|perfectly|like a charm|great|again)|(?:all )?(?:tests?|checks?|",
            r"everything) (?:are |is )?(?:now )?(?:pass(?:es|ing)?|green)(?: now)?[.!, ]*$|(?:it|that|",
            r"this) (?:now )?works?\b[.!, ]*$|(?:it|that|this|everything) works?[,.!]|(?:the |that )?(?:error|",
            r"issue|problem|warning|failure|bug)s?(?: is| are|'s)? (?:now )?(?:gone|fixed|solved|resolved)|",
            r"fixed(?: it)?[.!, ]*$|solved[.!, ]*$)",
        ),
        unless: concat!(
            r"n't\b|\b(?:did(?:n't| not)|does(?:n't| not)|has(?:n't| not)|is(?:n't| not)|not|will|would|",
            r"should|might|could|may|if|hopefully|maybe|whether|when|until|before|unless|make sure|ensure|",
            r"partially|partly|half|almost|except|but)\b|\b(?:works?|working|worked) (?:on|with|in|by|for|",
            r"as (?:a|an)|like (?:this|that|it))\b",
        ),
        yes: &[
            "That fixed it!",
            "It works now.",
            "works now, thanks",
            "tests pass now",
            "Great, that did the trick",
            "ok that worked",
            "All tests are green now",
            "the error is gone",
            "perfect, it's working again",
            "Your fix worked",
            "Now everything builds",
            "That's it, it is working, thank you!",
        ],
        no: &[
            "That didn't work",
            "it works but it is slow",
            "Does it work now?",
            "I hope it is fixed now, if not tell me",
            "make sure it works now",
            "we worked on it",
            "should be fixed now",
            "It works on Linux",
            "Fix it now",
        ],
        ..BASE
    },
];
