//! A statement as it is compared: its words in order, how often each occurs, its trigrams, its subject.

use std::collections::HashMap;

/// What is read of a statement: words, and characters for its trigrams.
const MAX_WORDS: usize = 512;
const MAX_CHARS: usize = 2048;
/// A subject ends within the first characters.
const SUBJECT_CHARS: usize = 80;
/// What stands between a subject and what is said of it.
const SEPARATORS: &[&str] = &[":**", "**:", ": ", " - ", " – ", " — ", " -- ", "→", "->", "=>"];
/// Marks of lists, headings and quotations, which stand before a subject.
const MARKS: &[char] = &[' ', '\t', '\n', '*', '-', '+', '#', '>'];

/// Numbers of words.
#[derive(Debug, Default)]
pub(super) struct Vocabulary<'a> {
    base: Option<&'a HashMap<String, u32>>,
    own: HashMap<String, u32>,
}

impl Vocabulary<'_> {
    /// This one, to be added to without changing it.
    pub(super) fn beyond(&self) -> Vocabulary<'_> {
        Vocabulary { base: Some(&self.own), own: HashMap::new() }
    }

    /// The number of a word; a new one if it has none.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.base.and_then(|base| base.get(word)).or_else(|| self.own.get(word)) {
            return *number;
        }
        let number = u32::try_from(self.len()).unwrap_or(u32::MAX);
        self.own.insert(word.to_owned(), number);
        number
    }

    /// How many words have a number.
    pub(super) fn len(&self) -> usize {
        self.base.map_or(0, HashMap::len) + self.own.len()
    }

    /// The words of this one without those of the one it began with, in no order.
    pub(super) fn own(&self) -> impl Iterator<Item = (&str, u32)> {
        self.own.iter().map(|(word, number)| (word.as_str(), *number))
    }
}

/// Words by their number with how often they occur, ascending.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Bag(pub(super) Vec<(u32, u32)>);

impl Bag {
    pub(super) fn of(words: &[String], vocabulary: &mut Vocabulary<'_>) -> Self {
        Self(counted(words.iter().map(|word| vocabulary.number(word)).collect()))
    }
}

/// A statement that is compared in full.
#[derive(Debug)]
pub(super) struct Statement {
    /// Its words in order.
    pub(super) words: Vec<String>,
    /// Their numbers in order, `None` for figures: a change of a number is a change of nothing else.
    pub(super) masked: Vec<Option<u32>>,
    /// Its words with how often they occur.
    pub(super) bag: Bag,
    /// Three characters each, with how often they occur, ascending.
    pub(super) trigrams: Vec<(u64, u32)>,
    /// The words before the first separator; empty if there is none near the beginning.
    pub(super) subject: Vec<String>,
}

impl Statement {
    pub(super) fn new(text: &str, vocabulary: &mut Vocabulary<'_>) -> Self {
        let words = words(text);
        let is_figure = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let masked = words.iter().map(|word| (!is_figure(word)).then(|| vocabulary.number(word))).collect();
        let bag = Bag::of(&words, vocabulary);
        Self { masked, bag, trigrams: trigrams(text), subject: self::words(subject(text)), words }
    }
}

/// Runs of letters and digits in small letters; of scripts without spaces each character.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let alone = is_spaceless(c);
        if c.is_alphanumeric() && !alone {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            out.push(c.to_string());
        }
        if out.len() >= MAX_WORDS {
            break;
        }
    }
    if !word.is_empty() {
        out.push(word);
    }
    out.truncate(MAX_WORDS);
    out
}

/// Whether a character belongs to a script that is written without spaces between words.
fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x2E80..=0x9FFF | 0xF900..=0xFAFF
        | 0x20000..=0x3FFFF)
}

/// Trigrams of a text in small letters, with one space between words, without marks of Markdown.
fn trigrams(text: &str) -> Vec<(u64, u32)> {
    let mut plain = vec![' '];
    for c in text.chars().filter(|c| !matches!(c, '*' | '`' | '#' | '>')) {
        if !c.is_whitespace() {
            plain.extend(c.to_lowercase());
        } else if plain.last() != Some(&' ') {
            plain.push(' ');
        }
        if plain.len() > MAX_CHARS {
            plain.truncate(MAX_CHARS + 1);
            break;
        }
    }
    if plain.len() > 1 && plain.last() != Some(&' ') {
        plain.push(' ');
    }
    let packed = |three: &[char]| three.iter().fold(0, |all, c| all << 21 | u64::from(u32::from(*c)));
    counted(plain.windows(3).map(packed).collect())
}

/// What stands before the first separator.
fn subject(text: &str) -> &str {
    let text = text.trim_start_matches(MARKS);
    let window = text.char_indices().nth(SUBJECT_CHARS).map_or(text, |(end, _)| &text[..end]);
    let end = SEPARATORS.iter().filter_map(|mark| window.find(mark)).filter(|at| *at > 0).min();
    &window[..end.unwrap_or(0)]
}

/// Each value once with how often it occurs, ascending.
fn counted<T: Ord + Copy>(mut all: Vec<T>) -> Vec<(T, u32)> {
    all.sort_unstable();
    let mut out: Vec<(T, u32)> = Vec::new();
    for one in all {
        match out.last_mut() {
            Some((last, count)) if *last == one => *count += 1,
            _ => out.push((one, 1)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(words("Don't use `fooBar_2`, Größe: 1.5"), ["don", "t", "use", "foobar", "2", "größe", "1", "5"]);
        assert_eq!(words("运行tests 2"), ["运", "行", "tests", "2"]);
        assert!(words("").is_empty() && words("- * _").is_empty());
        assert_eq!(words(&"x ".repeat(MAX_WORDS * 2)).len(), MAX_WORDS);
    }

    #[test]
    fn a_subject_ends_at_the_first_separator() {
        for (text, expected) in [
            ("- **Tests**: run `pytest`", "Tests"),
            ("**Tests:** run it", "Tests"),
            ("`/cli` - the command line: verbs", "`/cli`"),
            ("Run the tests", ""),
            (": x", ""),
            ("pre-commit is used", ""),
        ] {
            assert_eq!(subject(text), expected, "{text}");
        }
        assert_eq!(subject(&format!("{}: b", "ä".repeat(SUBJECT_CHARS))), "");
    }

    #[test]
    fn trigrams_do_not_depend_on_marks_spaces_and_case() {
        assert_eq!(trigrams("**Use**\n `tabs`"), trigrams("use tabs"));
        assert_eq!(trigrams("aaaa").iter().map(|(_, count)| count).sum::<u32>(), 4);
        assert!(trigrams("").is_empty() && trigrams(" \n").is_empty());
    }

    #[test]
    fn a_vocabulary_is_added_to_without_changing_it() {
        let mut base = Vocabulary::default();
        assert_eq!((base.number("a"), base.number("b"), base.number("a")), (0, 1, 0));
        let mut more = base.beyond();
        assert_eq!((more.number("b"), more.number("c"), more.number("d"), more.len()), (1, 2, 3, 4));
        assert_eq!(base.len(), 2);
    }
}
