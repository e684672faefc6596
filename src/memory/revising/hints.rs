//! Whether a pattern of `signs` may match a text, told without the pattern. To compile one takes a new process up to a
//! millisecond, and most sayings have no price, time or day.

/// A price without a sign has one of these words.
const CURRENCIES: [&str; 6] = ["dollars", "bucks", "euros", "pounds", "usd", "eur"];
/// A time of day has one of these, or a colon, or a word that ends in "am" or "pm".
const TIMES: [&str; 9] = ["noon", "midnight", "half past", "quarter ", "morning", "evening", "o'clock", "a.m", "p.m"];
/// A day without a number has one of these.
const DAYS: [&str; 6] = ["day", "tomorrow", "tonight", "week", "month", "year"];
/// Beginnings of the months.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Ends of ordinal numbers.
const ORDINALS: [&str; 4] = ["st", "nd", "rd", "th"];
/// Counts in letters.
const COUNTS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// Words that announce a change.
const CHANGES: [&str; 19] = [
    "actually",
    "instead",
    "rather",
    "change",
    "changed",
    "another",
    "different",
    "other",
    "else",
    "make",
    "no",
    "wait",
    "sorry",
    "switch",
    "better",
    "again",
    "mistake",
    "wrong",
    "meant",
];

/// A text, and the same in lower case.
pub(super) struct Hints<'a> {
    text: &'a str,
    lower: String,
    /// Whether a letter of it is an ASCII letter in another case, as the long s is. Then every pattern may match.
    is_odd: bool,
}

impl<'a> Hints<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, lower: text.to_ascii_lowercase(), is_odd: text.contains(['\u{17f}', '\u{212a}']) }
    }

    /// Whether the pattern of the kind at this place among `KINDS` may match.
    pub(super) fn may_have(&self, kind: usize) -> bool {
        self.is_odd
            || match kind {
                0 => self.text.contains(['$', '€', '£']) || self.has_digit() && self.has(&CURRENCIES),
                1 => self.text.contains(':') || self.has(&TIMES) || self.words().any(is_half_of_day),
                2 => {
                    self.has(&DAYS)
                        || self.has_digit()
                            && (self.has(&MONTHS) || self.words().any(is_ordinal) || self.text.contains('-'))
                }
                3 => self.has_digit() || self.words().any(|word| COUNTS.contains(&word)),
                _ => self.text.bytes().any(|byte| byte.is_ascii_uppercase()),
            }
    }

    /// Whether it may announce a change.
    pub(super) fn may_change(&self) -> bool {
        self.is_odd || self.words().any(|word| CHANGES.contains(&word))
    }

    fn has(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.lower.contains(part))
    }

    fn has_digit(&self) -> bool {
        self.text.bytes().any(|byte| byte.is_ascii_digit())
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.lower.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
    }
}

/// Whether a word may end a time of day, as "am" and "7pm" do.
fn is_half_of_day(word: &str) -> bool {
    word.ends_with("am") || word.ends_with("pm")
}

/// Whether a word is an ordinal number, such as "7th".
fn is_ordinal(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && ORDINALS.iter().any(|end| word.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::saying::{announces_change, finds};
    use super::super::signs::KINDS;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_sayings_need_no_pattern() {
        let hints = Hints::new("what number 3 came to be known, to the team");
        assert!(!hints.may_have(0) && !hints.may_have(2) && !hints.may_have(4) && !hints.may_change());
        assert!(!Hints::new("the tests run before the release").may_have(1));
        // What the pattern matches although nobody writes so.
        assert!(Hints::new("onea.m").may_have(1));
    }

    /// What the patterns are made of, and letters that case folding makes equal to ASCII letters.
    const PIECES: &[&str] = &[
        " ",
        " ",
        " ",
        "",
        "-",
        ":",
        ".",
        ",",
        "'",
        "_",
        "\0",
        "7",
        "12",
        "2024",
        "03",
        "$",
        "€",
        "dollars",
        "EUR",
        "usd",
        "am",
        "pm",
        "a.m",
        "p.m.",
        "o'clock",
        "noon",
        "midnight",
        "half past",
        "quarter to",
        "morning",
        "afternoon",
        "evening at",
        "one",
        "Seven",
        "twelve",
        "thirty",
        "may",
        "June",
        "sept",
        "the",
        "of",
        "this month",
        "th",
        "st",
        "2nd",
        "monday",
        "next week",
        "tomorrow",
        "Today",
        "last year",
        "weekend",
        "Boston",
        "and",
        "x",
        "actually",
        "make it",
        "make that",
        "no",
        "sorry",
        "wrong",
        "meant",
        "changed",
        "\u{17f}unday",
        "wee\u{212a}end",
        "é",
    ];

    proptest! {
        #[test]
        fn what_a_pattern_finds_was_hinted_at(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..8)) {
            let text = pieces.concat();
            let hints = Hints::new(&text);
            for kind in 0..KINDS.len() {
                prop_assert!(hints.may_have(kind) || !finds(kind, &text), "{kind}: {text:?}");
            }
            prop_assert!(hints.may_change() || !announces_change(&text), "{text:?}");
        }
    }
}
