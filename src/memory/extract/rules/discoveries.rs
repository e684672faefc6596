//! What turned out: causes, surprises, what a service lacks.

use super::{By, ROW, Rule};
use crate::memory::extract::found::{Kind, Trigger};

const BASE: Rule = Rule { kind: Some(Kind::Fact), trigger: Trigger::Discovery, by: By::Anyone, ..ROW };

pub(in crate::memory::extract) const RULES: &[Rule] = &[
    Rule {
        name: "turns out",
        pattern: concat!(
            r"^(?:(?:ok|so|and|but|ah|oh|well|hm+|also|yes|no)[,.! ]+)*(?P<what>(?:it |this |that )?turn(?:s|",
            r"ed) out(?: that|,| to)?\b.+|(?:we|i)(?:'ve| have)? (?:just )?(?:found out|discovered|",
            r"figured out|learned|learnt|realized|realised|noticed)(?: that| the| why|:| our| our)? .+)",
        ),
        unless: r"\b(?:how|what) (?:it|this|that|things?) turn|turn(?:s|ed) out (?:great|good|well|fine|ok|nice)",
        yes: &[
            "Turns out the proxy strips the header",
            "it turned out that ids are reused",
            "We found out that mmap fails on NFS",
            "I just figured out why: the clock was wrong",
        ],
        no: &["It turned out great", "let's see how it turns out", "we found a house", "turn it out"],
        ..BASE
    },
    Rule {
        name: "the cause",
        pattern: concat!(
            r"^(?:(?:ok|so|and|but|ah|oh|well|found it|got it|great|perfect|now i (?:see|understand)|",
            r"i see)[,.!: ]+)*(?P<what>(?:the )?(?:(?:root|actual|real|underlying|main|",
            r"true) )*(?:root )?(?:cause|reason|culprit|problem|issue|bug|trouble|catch)(?: (?:here|of (?:the|",
            r"this|that) [\w -]{2,40}|for (?:the|this) [\w -]{2,40}|with (?:the|this) [\w -]{2,40}|",
            r"why [\w ,'-]{2,60}))? (?:was|is|were|turned out to be|seems to (?:be|have been)|came from|",
            r"lies in|:)(?: that| because)? .{8,}|(?:it|this|that) (?:was|is|happens|happened|fails|failed|",
            r"broke|breaks) because .{8,}|(?:it|this|that)(?:'s| is| was) caused by .{6,}|root cause: .+)",
        ),
        unless: concat!(
            r"\b(?:is|was) (?:that i (?:don't|can't|need|want)|now (?:fixed|gone|solved|resolved)|fixed|",
            r"resolved|solved|gone|still (?:there|here|present)|not (?:fixed|solved)|how|what|unclear|unknown|",
            r"the same)\b|\bmight be|could be|may be|\bif\b",
        ),
        yes: &[
            "The root cause was a stale lock file",
            "the problem is that the runner has no IPv6",
            "Root cause: two clocks",
            "The reason for the failure was a missing index",
            "It failed because the token had expired",
            "this was caused by the old driver",
        ],
        no: &[
            "The problem is fixed now",
            "the issue is still there",
            "the cause is unclear to me",
            "because I said so",
            "The problem might be the cache here",
        ],
        ..BASE
    },
    Rule {
        name: "not available",
        trigger: Trigger::Quirk,
        pattern: concat!(
            r"^(?:(?:ok|so|and|but|ah|oh|well|also|apparently|it seems|seems|unfortunately|",
            r"sadly)[,. ]+(?:that |like )?)*(?P<what>.{2,120}\b(?:is|are|was|were|'s) (?:not|n't|only|",
            r"currently not|no longer|never)(?: yet| currently| officially| even)? (?:available|supported|",
            r"enabled|offered|allowed|reachable|accessible|installed|possible|provided|deployed) (?:in|on|for|",
            r"with|under|from|by|at|when|outside|within|until|anymore|there|over) ?.{2,}|.{2,120}\b(?:(?:does|",
            r"do|did)(?:n't| not) (?:support|allow|accept|exist in|offer|provide|handle|work (?:with|on|in|",
            r"under|behind|over|without))|only (?:works?|runs?|supports?|accepts?|allows?|exists?) (?:with|on|",
            r"in|under|for|if|when|from|after|behind|up to|over)|requires? (?:at least|version|python|node|",
            r"java|rust|go|root|admin|the \w+ (?:flag|header|feature|option|variable|env)))\b.{2,})",
        ),
        unless: concat!(
            r"^(?:i|we|you|it|they|that|this|he|she|there)(?:'s|'re|'m)? (?:\w+ )?(?:is|are|am|was|were|do|",
            r"does|did|only|not|require)|^(?:if|when|make sure|what|how|why|can|does|is|are|should|let)\b|",
            r"\bi (?:want|need|think)\b",
        ),
        yes: &[
            "H100 machines are not available in eu-west-3",
            "The staging cluster doesn't support IPv6 at all",
            "It seems that the exporter only works with Python 3.11",
            "Batch mode is only supported on Linux",
            "Gradle requires Java 17 now for this plugin",
        ],
        no: &[
            "It does not support me",
            "I only work on Mondays",
            "is it not available in Europe?",
            "you only run it on demand",
            "If GPUs are not available on the host, stop",
        ],
        ..BASE
    },
    Rule {
        name: "apparently",
        by: By::Person,
        pattern: concat!(
            r"^(?:(?:ok|so|and|but|ah|oh|well|hm+)[,.! ]+)*(?P<what>(?:apparently|it (?:seems|looks|appears)|",
            r"seems|looks|interesting(?:ly)?[:,])(?: to me)?(?: that| like| as if)?,? .*\b(?:only|always|",
            r"never|every|whenever|when|if|unless|because|needs?|requires?|depends?|expects?|must|",
            r"without)\b.+)",
        ),
        unless: concat!(
            r"\bi (?:always|never|only|need)\b|\byou (?:always|never|forgot|need)\b|\blooks (?:good|great|",
            r"fine|better|nice)\b|\bwe need to\b",
        ),
        yes: &[
            "Apparently the API needs a trailing slash",
            "It seems that the cache is only filled on Mondays",
            "looks like the worker restarts whenever memory is above 2 GB",
        ],
        no: &[
            "It seems you forgot the file when you moved it",
            "looks good when I run it",
            "apparently not",
            "it seems fine",
        ],
        ..BASE
    },
    Rule {
        name: "the fix is",
        kind: Some(Kind::Tactic),
        trigger: Trigger::ValidatedFix,
        pattern: concat!(
            r"^(?:(?:ok|so|and|but|ah|oh|well|great|yes)[,.! ]+)*(?P<what>(?:the )?(?:fix|solution|workaround|",
            r"trick|remedy|work-around)(?: for (?:this|that|the) [\w -]{2,40}?)?(?: was| is| were|:)(?: to|",
            r" that)? .{6,}|(?:we|i) (?:fixed|solved|resolved|worked around) (?:it|this|that|",
            r"the [\w -]{2,40}?|these [\w -]{2,40}?) by \w+ing .+|to (?:fix|work around|solve|get around|",
            r"avoid) (?:this|that|the [\w -]{2,40}?),? (?:we|i|you) (?:had to|have to|needed to|need to|must|",
            r"should) .+)",
        ),
        unless: concat!(
            r"\b(?:fix|solution|workaround) (?:is|was) (?:not|still|in (?:place|progress)|ready|done|working|",
            r"complete|deployed|correct|wrong|good|fine|to (?:be|make sure)|needed)",
        ),
        yes: &[
            "The fix was to pin setuptools below 70",
            "I solved it by raising the file limit",
            "Workaround: run it twice with -j1",
            "to fix this we had to clear the cache",
        ],
        no: &["the fix is in place now", "the solution is not good enough", "please fix it by Friday", "fix the tests"],
        ..BASE
    },
];
