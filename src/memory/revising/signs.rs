//! Tables of what is looked for in a saying: values of each kind, words that announce a change, words without meaning.
//!
//! `benches/memory/fit_revising.py` reads these tables too. They are general English; no row is about a subject.

/// A kind of values.
pub(super) struct Kind {
    /// What finds them.
    pub(super) pattern: &'static str,
    /// Whether two values of this kind belong to the same matter wherever they stand. Values of other kinds do if they
    /// stand after the same preposition or before the same word.
    pub(super) alone: bool,
}

const fn kind(pattern: &'static str, alone: bool) -> Kind {
    Kind { pattern, alone }
}

/// The kinds, in the order in which they are looked for. What one kind has found is not searched again. Names come
/// last.
pub(super) const KINDS: &[Kind] = &[
    // Money.
    kind(r"(?i)[$€£] ?\d[\d.,]*|\b\d[\d.,]* ?(?:dollars|bucks|euros|pounds|usd|eur)\b", true),
    // Times of day.
    kind(
        concat!(
            r"(?i)\b(?:\d{1,2}:\d\d(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?(?:[ap]\.?m\b\.?|o'clock)|noon|midnight|",
            r"(?:half past|quarter (?:to|past)) \w+|(?:morning|evening|afternoon)(?: at)? \d{1,2}(?::\d\d)?|",
            r"\w+ (?:in the |o'clock in the )?(?:morning|evening|afternoon)|",
            r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: thirty| fifteen)? ?",
            r"(?:[ap]\.?m\b|o'clock))",
        ),
        true,
    ),
    // Days.
    kind(
        concat!(
            r"(?i)\b(?:{month} (?:the )?\d{1,2}(?:st|nd|rd|th)?|",
            r"(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:{month}|this month|next month)|",
            r"(?:the )?\d{1,2}(?:st|nd|rd|th)|",
            r"(?:(?:this|next|coming) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: (?:this|next) week)?|",
            r"(?:day after )?tomorrow|today|tonight|yesterday|(?:this|next|last) (?:week|month|year|weekend)|",
            r"weekend|\d{4}-\d\d-\d\d)\b",
        ),
        true,
    ),
    // Counts.
    kind(r"(?i)\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+(?:[.,]\d+)?)\b", false),
    // Names, which are told from the first word of a sentence by what stands before them.
    kind(r"\b[A-Z][\w'&-]*(?:(?:,? | of the | of | the | and | & )[A-Z][\w'&-]*)*", false),
];

/// What stands for `{month}`.
pub(super) const MONTH: &str = concat!(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|",
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)",
);

/// Words that announce a change.
pub(super) const CHANGE: &str = concat!(
    r"(?i)\b(?:actually|instead|rather|change|changed|another|different|other|else|make (?:it|that)|no|wait|sorry|",
    r"switch|better|again|mistake|wrong|meant)\b",
);

/// Prepositions that stand before a value.
pub(super) const PREPOSITIONS: &[&str] = &[
    "about", "after", "around", "as", "at", "be", "before", "by", "called", "for", "from", "in", "into", "is", "named",
    "near", "of", "on", "over", "through", "till", "to", "towards", "under", "until", "via", "with",
];

/// Words after which a name only says who is addressed.
pub(super) const CALLS: &[&str] = &[
    "bye", "congrats", "dear", "hello", "hey", "hi", "no", "oh", "ok", "okay", "thank", "thanks", "wow", "yeah", "yes",
];

/// Capitalised words that are no names.
pub(super) const NO_NAMES: &[&str] = &["i", "i'd", "i'll", "i'm", "i've", "ok", "okay"];

/// Words that do not say what a saying is about; sorted.
pub(super) const EMPTY: &[&str] = &[
    "also", "can't", "do", "don't", "here", "i", "i'd", "i'm", "it's", "just", "let's", "like", "me", "my", "need",
    "no", "ok", "okay", "one", "please", "thank", "thanks", "that's", "there", "want", "well", "what's", "would",
    "yeah", "yes",
];
