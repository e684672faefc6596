//! The signs by which a user's turn is told to correct something, to state something new, or to do neither.
//!
//! A row says what the turn must hold and what must have been said before it, and what that weighs for either act;
//! neither weighs nothing. The weights are fitted by `benches/memory/fit_acts.py` (its header says how), which reads
//! the rows of this file, so that both count the same signs. The patterns are general English; no row names a
//! subject. On dialogues that the weights were not fitted on, corrections are found with F1 .71 among all turns.

/// A sign: it holds if both patterns are found. An empty pattern is found everywhere.
pub(super) struct Sign {
    /// What the sign means.
    #[cfg_attr(not(test), expect(dead_code, reason = "it tells readers what the patterns are for"))]
    pub(super) name: &'static str,
    /// Looked for in the turn.
    pub(super) said: &'static str,
    /// Looked for in what was said before it.
    pub(super) before: &'static str,
    /// What it adds to the score of a correction and to that of something new.
    pub(super) weights: [f64; 2],
}

const fn sign(name: &'static str, said: &'static str, before: &'static str, weights: [f64; 2]) -> Sign {
    Sign { name, said, before, weights }
}

/// Patterns that rows name in braces.
pub(super) const NAMED: &[(&str, &str)] = &[
    (
        "month",
        concat!(
            r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|august|sept(?:ember)?|oct(?:ober)?|",
            r"nov(?:ember)?|dec(?:ember)?)",
        ),
    ),
    (
        "day",
        concat!(
            r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tonight|tomorrow|yesterday|weekend|",
            r"{month} (?:the )?\d{1,2}|\d{1,2}(?:st|nd|rd|th)|\d{4}-\d\d-\d\d|(?:this|next|last) (?:week|",
            r"month|year))\b",
        ),
    ),
    (
        "time",
        concat!(
            r"\b(?:\d{1,2}:\d\d|\d{1,2} ?(?:am|pm|a\.m|p\.m|o'clock)|noon|midnight|half past|quarter (?:to|",
            r"past)|(?:morning|evening|afternoon) (?:at )?\d|in the (?:morning|evening|afternoon))\b",
        ),
    ),
    ("few", r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|[1-9])\b(?:[^:0-9]|$)"),
    ("name", r"(?-i:[a-z,'] ?[A-Z][a-z]\w*|[\x60\x22][^\x60\x22]+[\x60\x22]|[a-z]+[_/.][a-z]|\b[A-Z]{2,}\b)"),
    ("value", r"(?:{day}|{time}|{few}|{name}|\d)"),
    ("no", r"^(?:(?:oh|um+|uh|hmm+|sorry|well|ok|okay|but|actually)[,.!…]* )*(?:no|nope|nah|not)\b"),
    (
        "yes",
        concat!(
            r"^(?:(?:oh|um+|ah|ok|okay|well|hey|wow)[,.! ]*)*(?:yes|yeah|yep|yup|sure|ok|okay|alright|right|",
            r"correct|fine|great|perfect|awesome|excellent|cool|good|nice|wonderful|terrific|(?:that|it|",
            r"this)(?:'s| is| will be| would be| sounds| looks| works) (?:\w+ )?(?:great|good|fine|perfect|",
            r"nice|right|correct|ok|okay|cool|awesome|well|works?)|sounds|works)\b",
        ),
    ),
    ("thanks", r"\b(?:thanks|thank you|thx|cheers|appreciate|bye)\b"),
    (
        "confirm",
        concat!(
            r"\b(?:confirm\w*|verify|correct|just to (?:make sure|be (?:sure|clear))|make sure|",
            r"double[- ]check|(?:is|are) (?:that|this|these|it|everything) (?:right|ok|okay|fine|correct|",
            r"good)|is it ok\w*|do i have (?:this|that|it)|right\?|to (?:recap|summari[sz]e)|did you (?:mean|",
            r"want)|you(?:'d| would)? (?:want|like)[^?]*$|so you)\b|\bright\?",
        ),
    ),
    (
        "failure",
        concat!(
            r"\b(?:could ?n't|could not|can ?not|can't|unable|was not able|wasn't able|fail\w*|unsuccessful|",
            r"not (?:successful|available|possible)|no (?:other|such|more)|there (?:are|is) no|unavailable|",
            r"(?:didn't|did not) (?:work|go|succeed|find)|error|sold out|unfortunately|regret)\b",
        ),
    ),
    (
        "offer",
        concat!(
            r"\b(?:i (?:found|see|have|can find|could find|was able)|(?:we|i)'ve (?:found|got)|there(?:'s| is|",
            r" are|'re)|here(?:'s| is| are)|how about|what about|what do you (?:say|think)|would you (?:like|",
            r"prefer)|do you (?:like|want)|(?:is|are) (?:a|an|one of|available)|options?|alternatives?|",
            r"suggest\w*|recommend\w*)\b",
        ),
    ),
    (
        "asks",
        concat!(
            r"\b(?:what|which|when|where|who|how (?:many|much|long|often)|any (?:particular|specific|",
            r"preference\w*)|do you have (?:a|any)|please (?:tell|provide|specify|give)|tell me|let me know|",
            r"may i (?:know|have)|can i (?:know|get|have)|in (?:what|which))\b[^.!?]*(?:\?|$)",
        ),
    ),
    (
        "done",
        concat!(
            r"\b(?:successful\w*|confirmed|booked|reserved|scheduled|(?:has|have) been|(?:is|are) (?:set|done|",
            r"made|complete\w*)|i(?:'ve| have) (?:made|set|added|changed|updated|booked|created|done|fixed)|",
            r"all set|done|completed|finished|was (?:a success|made))\b",
        ),
    ),
    (
        "more",
        concat!(
            r"\b(?:anything|something|what) (?:else|other)|\b(?:else|further|more) (?:can|could|may|i|that|",
            r"help|you|with)\b|\b(?:help|assist|do) (?:\w+ ){0,3}(?:else|further|more)\b",
        ),
    ),
    (
        "want",
        concat!(
            r"\b(?:i(?:'d| would|'ll| will|'m| am)?|we(?:'d| would|'ll| will|'re| are)?) (?:\w+ )?(?:like|",
            r"want|need|prefer|rather|love|hope|hoping|looking|plan\w*|going|leav\w*|thinking|wish|take|go|",
            r"try|interested|use)\b",
        ),
    ),
];

pub(super) const BIAS: [f64; 2] = [-1.17, -0.51];

pub(super) const SIGNS: &[Sign] = &[
    sign("starts with no", r"{no}", "", [-0.11, -1.85]),
    sign("no, and a value", r"{no}.*{value}", "", [0.50, 0.59]),
    sign("no, and a wish", r"{no}.*{want}", "", [-0.20, 0.59]),
    sign(
        "no, and an order",
        concat!(
            r"{no}[,.!;: –-]+(?:\w+,? ){0,2}?(?:use|put|make|take|keep|leave|call|run|write|set|add|go|",
            r"it(?:'s| is| should| has)|the|only|in|on|at|with|to|for|by|we|they|that one|this one)\b",
        ),
        "",
        [2.02, 0.68],
    ),
    sign(
        "do not",
        r"\b(?:don't|do not|never|stop|shouldn't|should not|should have|shouldn't have|forgot|supposed)\b",
        "",
        [0.47, -1.45],
    ),
    sign("this, not that", r"\w, (?:and )?not \w|\bnot \w+[,;] (?:but|it)|\bisn't \w+, it's\b", "", [1.06, -0.69]),
    sign(
        "says what was meant",
        r"\bi (?:\w+ )?(?:meant|mean|was talking|was thinking|wanted)\b|\bi said\b",
        "",
        [1.78, 0.08],
    ),
    sign("no after a summary", r"{no}", r"{confirm}", [0.65, 0.94]),
    sign(
        "no thanks",
        concat!(
            r"{no}[^?]*{thanks}|^no[.,]? ?(?:i'm|that's|that is|that will|that'll|it's|nothing|not (?:now|yet|",
            r"right|at)|i don't|i am)\b",
        ),
        "",
        [-2.17, 0.05],
    ),
    sign("starts with yes", r"{yes}", "", [-1.22, 0.24]),
    sign("yes, and a value", r"{yes}.*{value}", "", [-0.89, 0.23]),
    sign("yes, but", r"{yes}.*\b(?:but|except|though|although|however|only)\b", "", [0.35, 0.09]),
    sign("thanks", r"{thanks}", "", [-2.10, -1.51]),
    sign("actually", r"\b(?:actually|on second thought|in fact|come to think)\b", "", [0.70, 0.02]),
    sign("actually, with a value", r"\b(?:actually|on second thought).*{value}", "", [1.32, -0.96]),
    sign("instead", r"\b(?:instead|rather than|in place of|replace\w*|swap\w*)\b", "", [1.63, -1.32]),
    sign("would rather", r"\b(?:rather|prefer)\b", "", [0.23, 1.84]),
    sign(
        "change",
        concat!(
            r"\b(?:chang(?:e|ed|ing)|switch\w*|modif\w*|adjust\w*|update it|correct(?:ion)? (?:that|this|it|",
            r"to)|fix that)\b",
        ),
        "",
        [2.26, -1.06],
    ),
    sign(
        "changed my mind",
        concat!(
            r"\b(?:chang\w+ my mind|second thought|scratch that|never ?mind|forget (?:it|that)|my (?:mistake|",
            r"bad)|i (?:misspoke|was wrong)|typo)\b",
        ),
        "",
        [0.21, -0.15],
    ),
    sign(
        "that is wrong",
        concat!(
            r"\b(?:(?:that|this|it)(?:'s| is|s)? (?:not|n't|wrong|incorrect)|isn't (?:right|what)|wrong|",
            r"incorrect|not (?:right|correct|what i)|mistake)\b",
        ),
        "",
        [1.09, -0.28],
    ),
    sign(
        "wait or sorry",
        r"^(?:\w+[,.!]* )?(?:wait|hold on|hang on|oops|whoops|sorry|i'm sorry|i am sorry|apologies|pardon|hmm+|well)\b",
        "",
        [2.18, -0.67],
    ),
    sign(
        "make it, with a value",
        r"\b(?:make|set|turn|move|put|push|book|do|have) (?:it|that|this|them|those|the \w+|mine) .*{value}",
        "",
        [1.06, 0.35],
    ),
    sign(
        "it should be",
        r"\b(?:should|has to|needs? to|must|ought to) (?:be|read|say|have|use|go)\b|\bit'?s supposed\b",
        "",
        [1.56, 0.32],
    ),
    sign(
        "not this but that",
        r"\bnot (?:\w+ ){1,4}?(?:but|rather)\b|, not \w+|\bbut (?:i|we|for|on|in|at|with|it|the|make|can|could)\b",
        "",
        [0.78, -0.30],
    ),
    sign("another", r"\b(?:an)?other\b|\b(?:different|alternativ\w*|else|additional|more)\b", "", [-1.13, -1.20]),
    sign(
        "another, with a value",
        r"\b(?:(?:an)?other|different|alternativ\w*|else|additional|more)\b.*{value}",
        "",
        [1.04, -0.62],
    ),
    sign(
        "another, a value and a word of place or time",
        r"\b(?:(?:an)?other|different|else|more)\b.*\b(?:in|on|for|at|from|by|with|near|closer)\b.*{value}",
        "",
        [0.80, 0.56],
    ),
    sign("how about", r"\b(?:how about|what about|what if|how's about)\b", "", [1.56, -0.02]),
    sign("how about, with a value", r"\b(?:how about|what about|what if)\b.*{value}", "", [0.57, -0.17]),
    sign("again", r"\b(?:try|again|retry|redo|search|look|check|see if)\b", "", [1.18, 0.10]),
    sign("only or just", r"\b(?:only|just|at least|at most|up to|no more)\b", "", [0.46, 0.68]),
    sign("a question", r"\?\s*$", "", [-0.93, -0.97]),
    sign("a question with a value", r"{value}.*\?\s*$", "", [0.46, 0.46]),
    sign(
        "asks what there is",
        concat!(
            r"\b(?:is|are|do|does|did|can|could|will|would) (?:there|they|it|this|that|he|she|those|these)\b|",
            r"^(?:what|how|where|when|who|which|why)\b",
        ),
        "",
        [-0.69, -1.95],
    ),
    sign(
        "asks to do",
        concat!(
            r"\b(?:can|could|would|will) (?:you|we)|\bplease\b|^(?:find|show|get|give|tell|search|book|check|",
            r"look|play|send|add|use|make|run|fix)\b",
        ),
        "",
        [-0.02, 0.45],
    ),
    sign("a wish with a value", r"{want}.*{value}", "", [0.82, 0.88]),
    sign("a day", r"{day}", "", [1.07, 0.88]),
    sign("a time", r"{time}", "", [0.78, 0.55]),
    sign("a name", r"{name}", "", [1.59, 1.49]),
    sign("a digit", r"\d", "", [1.56, 1.37]),
    sign("days on both sides", r"{day}", r"{day}", [0.78, -1.06]),
    sign("times on both sides", r"{time}", r"{time}", [0.14, 0.02]),
    sign("counts on both sides", r"{few}", r"{few}", [0.47, -0.72]),
    sign("names on both sides", r"{name}", r"{name}", [0.64, -0.81]),
    sign("a value against a summary", r"{value}", r"{confirm}", [0.91, -1.15]),
    sign("a value after an offer", r"{value}", r"{offer}", [0.44, -0.30]),
    sign("a value after a question", r"{value}", r"{asks}", [0.60, 1.37]),
    sign("a value after a failure", r"{value}", r"{failure}", [0.58, -0.08]),
    sign("a value after 'anything else'", r"{value}", r"{more}", [0.33, 0.59]),
    sign("a wish against a summary", r"{want}", r"{confirm}", [-0.20, 0.86]),
    sign("yes to a summary", r"{yes}", r"{confirm}", [-0.65, -0.49]),
    sign("yes to an offer", r"{yes}", r"{offer}", [0.63, -0.07]),
    sign("no to an offer", r"{no}", r"{offer}", [-0.96, -0.18]),
    sign("an answer to a question", r"", r"{asks}", [0.58, 0.86]),
    sign("after a summary", r"", r"{confirm}", [-1.18, -0.67]),
    sign("after a failure", r"", r"{failure}", [1.71, -1.38]),
    sign("after an offer", r"", r"{offer}", [-0.96, 0.11]),
    sign("after something done", r"", r"{done}", [-0.56, -0.33]),
    sign("after 'anything else'", r"", r"{more}", [-1.34, -0.96]),
    sign("after nothing", r"", r"^$", [-3.55, -0.75]),
    sign("after a question", r"", r"\?\s*$", [-0.85, -0.34]),
    sign("after a value", r"", r"{value}", [0.50, 0.51]),
    sign("a few words", r"^\W*(?:[\w'.:-]+\W*){1,4}$", "", [-0.33, -0.33]),
    sign(
        "takes what was offered",
        concat!(
            r"\b(?:i(?:'ll| will| would|'d)? (?:\w+ )?(?:take|go with|love|like|want|choose)|sounds|works|",
            r"let's|go (?:ahead|with)|is (?:good|fine|great|perfect)) (?:that|it|this|the|with|good|great|",
            r"for)\b",
        ),
        r"{offer}",
        [0.45, 1.25],
    ),
    sign("same", r"\b(?:same|that (?:day|date|time|one)|there|then)\b", "", [0.76, 2.37]),
    sign("repeats a value", "=repeats", "", [-1.40, 0.97]),
    sign("brings a value", "=brings", "", [0.79, 1.29]),
    sign("brings and repeats", "=both", "", [0.42, -0.92]),
];
