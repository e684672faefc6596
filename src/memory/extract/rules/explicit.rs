//! What a person asks to keep.

use super::{ROW, Rule};
use crate::memory::extract::found::{Confidence, Kind, Trigger};

const BASE: Rule = Rule { trigger: Trigger::Explicit, confidence: Confidence::High, ..ROW };

pub(in crate::memory::extract) const RULES: &[Rule] = &[
    Rule {
        name: "remember",
        pattern: concat!(
            r"^(?:(?:ok|okay|so|and|also|hey|great|perfect|thanks|well|btw|by the way|important|now|yes|",
            r"no)[,.!:]* +)*(?:(?:(?:please|pls|can you|could you|will you|would you|you (?:should|must|",
            r"need to)|you have to|i(?:'d like| want| need) you to|let's) +(?:also +|always +|",
            r"please +)?)?(?:remember|memori[sz]e|do(?:n't| not) (?:ever )?forget|",
            r"never forget)(?:,? that\b[:,]?|:| this:| the following:) +(?P<what>.+))",
        ),
        unless: r"\b(?:remember|forget)(?: that|:) (?:time|day|night|one|feeling|moment)\b|\bhere (?:for you|if you)\b",
        yes: &[
            "Remember that we use tabs.",
            "Remember: we use tabs",
            "Don't forget that fixtures live in tests/data",
            "Can you remember that I deploy on Fridays",
            "Ok, please memorize this: the port is 5433",
        ],
        no: &[
            "Do you remember the port?",
            "I can't remember the port",
            "Remember when we broke it",
            "I remember that it failed",
            "As far as I remember, no",
            "Remember to push the branch",
            "it remembers the cursor",
            "Remember that.",
            "Remember that time when it broke?",
            "don't forget to run the tests",
        ],
        ..BASE
    },
    Rule {
        name: "keep in mind",
        pattern: concat!(
            r"^(?:(?:ok|okay|so|and|also|hey|great|perfect|thanks|well|btw|by the way|important|now|yes|",
            r"no)[,.!:]* +)*(?:(?:please|pls|can you|could you|will you|would you|you (?:should|must|need to)|",
            r"you have to|i(?:'d like| want| need) you to|let's) +(?:also +|always +|",
            r"please +)?)?(?:keep in mind|bear in mind|make a (?:mental )?note|take note)(?:,? that\b[:,]?|:|",
            r" this:| the following:|,)? +(?P<what>.+)",
        ),
        unless: concat!(
            r"\bin mind,? (?:when|while|as|for (?:this|the next|your)|i (?:said|told)|we (?:said|talked|",
            r"discussed))\b|\bnote of (?:it|that|this)\b",
        ),
        yes: &[
            "Ok, keep in mind that port 5433 is Postgres",
            "Please keep in mind: the API is paged",
            "bear in mind that CI has 4 GB",
            "keep in mind the server is slow",
        ],
        no: &[
            "Keep in mind when you write the tests that they must be fast",
            "I keep in mind that it fails",
            "with this in mind, go on",
        ],
        ..BASE
    },
    Rule {
        name: "remember, we",
        pattern: concat!(
            r"^(?:(?:ok|okay|so|and|also|hey|great|perfect|thanks|well|btw|by the way|important|now|yes|",
            r"no)[,.!:]* +)*(?:(?:(?:please|pls|can you|could you|will you|would you|you (?:should|must|",
            r"need to)|you have to|i(?:'d like| want| need) you to|let's) +(?:also +|always +|",
            r"please +)?)(?:remember|memori[sz]e|do(?:n't| not) forget),? +(?P<what>.+)|(?:remember|do(?:n't|",
            r" not) (?:ever )?forget),? (?P<own>(?:i|we|my|our|i'm|we're|i've|we've|i'd|always|never|do(?:n't|",
            r" not)|use|no)\b.+))",
        ),
        unless: concat!(
            r"\b(?:remember|forget|memori[sz]e),? (?:when|how|if|the (?:time|last)|me\b|correctly|right|it is|",
            r"about|(?:it|this|that|these|those|them)[.!?]?$|(?:it|this|that) (?:for|as|in|down)\b|to )|",
            r"\b(?:remember|forget),? (?:i|we) (?:said|told|asked|talked|discussed|had|did|went|were|was|",
            r"met)\b|\bhere (?:for you|if you)\b",
        ),
        yes: &[
            "Remember I use VS Code on Linux",
            "remember my name is Ines",
            "Please remember the staging DB is read-only.",
            "Also remember, always squash before merging",
            "don't forget we are in UTC",
        ],
        no: &[
            "Remember to push the branch",
            "remember every step matters!",
            "Remember when we broke it",
            "Please remember to push",
            "don't forget the details",
            "Remember, I told you so",
        ],
        ..BASE
    },
    Rule {
        name: "remember to, whenever",
        kind: Some(Kind::Preference),
        pattern: concat!(
            r"^(?:(?:please|and|also|ok|so)[,.!]* +)*(?P<what>(?:remember|do(?:n't|",
            r" not) forget) to .*\b(?:always|every ?time|each time|whenever|before (?:every|each|you|any|",
            r"commit\w*|push\w*|merg\w*|releas\w*)|after (?:every|each|any)|in (?:the )?future|from now on|",
            r"next time|on every|for every|for each)\b.*)",
        ),
        yes: &[
            "Remember to run the linter before each commit",
            "don't forget to bump the version every time you release",
            "Please remember to always sign commits",
        ],
        no: &["Remember to run the linter", "don't forget to add the file", "I always forget to sign"],
        ..BASE
    },
    Rule {
        name: "note to keep",
        pattern: concat!(
            r"^(?:(?:please|pls|ok|and|also)[,.!]* +)*(?:note (?:to self|for (?:next time|later|the future|",
            r"future \w+))|for (?:future reference|next time|the (?:record|future)|later reference)|",
            r"lessons? (?:learn(?:ed|t))|make a note|write (?:this|that) down|take(?:away| away)|til)(?: that|",
            r":|,|\s[-–—])+ *(?P<what>.+)",
        ),
        yes: &[
            "Note for next time: the emulator needs KVM",
            "For future reference, the bucket is in eu-west-1",
            "Lesson learned: pin the compiler",
            "note to self - never rebase main",
            "For the record, we support Node 18",
        ],
        no: &["Note that this works", "for the future of the project", "For next time we meet", "lessons learned page"],
        ..BASE
    },
    Rule {
        name: "update your memory",
        pattern: concat!(
            r"^(?:(?:please|pls|ok|and|also|can you|could you|now)[,.!]* +)*(?:(?:update|add (?:this |that |",
            r"it )?to|extend|save (?:this |that |it )?(?:to|in)|put (?:this |that |it )?in(?:to)?|",
            r"store (?:this |that |it )?in|write (?:this |that |it )?(?:to|in)) (?:(?:your|the|our|",
            r"my) )?(?:long[- ]term )?(?:memory|memories|learnings?|notes)|(?:save|store|commit) (?:this|that|",
            r"it)?(?: to memory)?)(?: with(?: this| the following)?| that)?(?:[:,]| -| that)? +(?P<what>.+)",
        ),
        unless: concat!(
            r"^\W*(?:save|store|commit) (?:this|that|it) (?:to|in|as|into|for|on|and|file|change)\b|\b(?:save|",
            r"store|commit) [a-z]+ (?:to|in|as|into)\b|memory (?:usage|leak|bank|limit|allocation|manage\w*)",
        ),
        yes: &[
            "Update your memory: the API key rotates monthly",
            "Please add to your notes: tests run offline",
            "add this to memory: we target Python 3.11",
            "save to memory that I use zsh",
        ],
        no: &[
            "update the memory usage page",
            "save this to a file",
            "commit that and push",
            "Store it in the database table",
            "save that as a new component",
        ],
        ..BASE
    },
    Rule {
        name: "from now on",
        kind: Some(Kind::Preference),
        pattern: concat!(
            r"^(?:(?:and|also|so|ok|okay|but|please|great|thanks|yes|no)[,.!:]* +)*(?P<what>(?:from (?:now|",
            r"here|this point|today) on(?:wards?)?|going forward|moving forward|from this point forward|",
            r"in (?:the )?future,? (?:please|use|do|don't|do not|always|never|make|ask|check|i want you|",
            r"i'd like you|you should|let's|we|avoid|try|keep|write|run|put|add)|henceforth|in (?:all|",
            r"every) (?:of )?(?:my|our) (?:projects?|repos\w*)|as a (?:general )?rule)[,:]? .+|",
            r"next time,? (?:please|use|do|make|ask|check|run|don't|do not|just|try|always|never|remember|",
            r"i want|you should|tell|write|start|keep|read|avoid|first)\b.+|(?:please|always|never|don't|",
            r"do not|you (?:should|must|have to|need to)|we|i(?:'d like| want| would like)|let's|use|make|",
            r"write|run|keep|put|ask|answer|call|name|add|avoid|prefer|stop|only|commit|check|test|start|",
            r"format|include|give|treat|stick|reply|respond|show|tell) .*\b(?:from (?:now|here|this point|",
            r"today) on(?:wards?)?|going forward|moving forward|from this point forward|in (?:the )?future|",
            r"next time|in (?:all|every) (?:of )?(?:my|our) (?:projects?|repos\w*)|as a (?:general )?rule|",
            r"henceforth)(?: as well| too| please|,? please)?[.!]*$)",
        ),
        unless: concat!(
            r"^\W*(?:please )?(?:write|note|remember|keep|save|put|store|do|make|use|try) (?:that|this|it|",
            r"them)(?: down| like (?:this|that))?,? (?:for next time|next time|in|from|going|moving)\b|",
            r"^keep up\b|\byou(?:'re| are| will (?:be|act)| act| only speak) (?:as |an? |my |not |no |the |",
            r"unrestricted|dan\b)|\b(?:how (?:do|should|can|will)|what (?:do|should|will)|plans?|roadmap|",
            r"(?:will|would) be (?:easier|better|nice))\b|\bi(?:'m| am) (?:going|moving) forward|^(?:i think|",
            r"maybe|perhaps)\b",
        ),
        yes: &[
            "From now on, use pnpm.",
            "use British spelling going forward",
            "Next time, ask before you delete anything",
            "In all my projects, commit messages are in English",
            "as a rule we squash",
            "From here on please answer in German",
        ],
        no: &[
            "What should we do from now on?",
            "our plans going forward are unclear",
            "it continues from here",
            "I think going forward it will be faster",
            "Next time you log in this will be done automatically.",
            "From now on, you are my grandmother.",
            "Write that down for next time.",
            "In the future, I'm aiming to work abroad",
            "Keep up the good work in the future!",
            "The program will ignore signals from now on",
        ],
        ..BASE
    },
    Rule {
        name: "please always or never",
        kind: Some(Kind::Preference),
        pattern: concat!(
            r"^(?:(?:and|also|so|ok|but|no|hey|again|important)[,.!:]* +)*(?P<what>(?:please |pls |",
            r"you (?:should|must|have to|need to) )+(?:always|never)(?: ever)? [a-z]{2,}.*|(?:please |",
            r"pls )?(?:do(?:n't| not) ever|never ever) [a-z]{2,}.*|(?:please )?(?:always|never) (?:use|run|",
            r"write|add|commit|push|merge|create|edit|modify|change|delete|remove|make|prefer|check|ask|",
            r"test|format|import|answer|respond|reply|say|assume|install|deploy|touch|do|begin|follow|",
            r"name|read|update|explain|tell|build|hardcode|hard-code|skip|mock|rely|document|",
            r"guess|invent|verify|confirm) .+)",
        ),
        unless: r"\b(?:give up|say never|ever quit|let go|lose hope|stop (?:learning|believing|dreaming))\b",
        yes: &[
            "Please always run the formatter",
            "please never push to main",
            "Don't ever edit generated files",
            "Always use async clients here",
            "and never commit secrets",
            "You should always ask first",
        ],
        no: &[
            "never mind",
            "Always nice to see that",
            "I never use it",
            "it always fails",
            "Please run it always",
            "You never know",
            "Never seen this before",
            "Never give up!",
        ],
        ..BASE
    },
    // As likely a wish for what a program that is being written should do.
    Rule {
        name: "always or never, of a program",
        kind: Some(Kind::Preference),
        confidence: Confidence::Medium,
        pattern: concat!(
            r"^(?:(?:and|also|so|ok|but|no|hey|again|important)[,.!:]* +)*(?P<what>(?:please )?(?:always|",
            r"never) (?:call|close|disable|enable|ensure|give|include|keep|leave|log|open|print|put|",
            r"replace|restart|return|rewrite|send|set|show|start|store|wrap) .+)",
        ),
        yes: &["always show one line before the match", "Never return null from here", "and always log the id"],
        no: &["Always nice to see that", "it never returns", "never mind"],
        ..BASE
    },
    Rule {
        name: "note that",
        confidence: Confidence::Medium,
        pattern: concat!(
            r"^(?:(?:please|pls|also|and|but|just)[,.!]* +)*(?:note|fyi|be aware|heads[- ]up|",
            r"for your information|important|just so you know)(?: that\b|:|,| -)+ *(?P<what>.+)",
        ),
        yes: &[
            "Note that the server caches for an hour",
            "FYI: the VPN is needed",
            "Please note: no network in CI",
            "Be aware that ids are strings",
        ],
        no: &["note taking", "notes that I wrote", "note the difference", "important things first"],
        ..BASE
    },
    Rule {
        name: "remember to",
        kind: Some(Kind::Preference),
        confidence: Confidence::Low,
        pattern: concat!(
            r"^(?:(?:please|and|also|ok|so)[,.!]* +)*(?P<what>(?:remember|make sure|be sure|do(?:n't|",
            r" not) forget) (?:to|that|you|the|we|it) .+)",
        ),
        yes: &["Remember to run the linter", "don't forget to add the file", "Make sure you keep the old name"],
        no: &["I remember to do it", "it makes sure that it runs"],
        ..BASE
    },
];
