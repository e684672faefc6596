//! Whether a statement tells what to do: it has a word of obligation, or begins with a verb in the imperative.
//!
//! Tuned so that what is a rule is nearly always one; a description that is taken for a rule would be served as a
//! convention. English only: statements in other languages are descriptions here.

use super::sentence::sentences;
use std::collections::HashSet;
use std::sync::LazyLock;

type Words = LazyLock<HashSet<&'static str>>;

fn words(all: &'static str) -> HashSet<&'static str> {
    all.split(' ').collect()
}

/// Words of obligation wherever they stand.
const OBLIGATIONS: &[&str] = &[
    "must",
    "mustn't",
    "shall",
    "shouldn't",
    "forbidden",
    "prohibited",
    "mandatory",
    "not allowed",
    "ought to",
    "at most",
    "no more than",
];
/// Words of obligation unless one of [`TELLING`] stands before them: "to avoid this", "it should work".
const WISHES: &[&str] = &["should", "avoid", "prefer", "ensure", "make sure"];
const TELLING: &[&str] =
    &["to", "it", "they", "we", "i", "which", "that", "who", "can", "will", "would", "helps", "could", "may", "might"];
/// Words of obligation before a verb in the imperative.
const ADVERBS: &[&str] = &["never", "always", "only"];
/// Words of obligation at the beginning of a clause.
const PROHIBITIONS: &[&str] = &["don't", "dont", "do not", "never", "always"];
/// What a clause begins behind.
const JOINTS: &[&str] = &[",", ":", "and", "but", "so", "or", "please", "then", "also", "you"];
/// A statement that begins so asks for something to be left out.
const BEGINNINGS: &[&str] = &["no ", "only "];
/// A verb in the imperative stands behind the comma of a clause that begins so.
static CLAUSES: Words = LazyLock::new(|| {
    words(
        "if when whenever before after for in on to while once unless until with where during instead by at from as \
    then please also first finally next otherwise however generally typically because since whether",
    )
});
/// Verbs that begin a rule and are no nouns.
static VERBS: Words = LazyLock::new(|| {
    words(
        "accept acknowledge activate adapt add adhere adjust adopt allow analyze annotate append apply ask assert \
    assume attach avoid await be become begin bring catch choose cite clarify combine communicate compare \
    configure confirm consider consolidate consult convert copy create declare deduplicate defer define delete \
    deliver demonstrate deprecate derive describe determine disable discuss distinguish do don't double-check edit \
    eliminate embed emit employ enable encapsulate encode ensure establish evaluate examine execute expand explain \
    explore expose extend extract fail favor favour fetch fill find finish fix follow formulate gather generate \
    get give go guarantee handle hide identify ignore implement improve include indicate inform inherit inject \
    inline insert inspect install introduce investigate invoke isolate join keep know leave let leverage look \
    maintain make mention merge migrate mind minimize modify move never normalize note notify obtain omit organize \
    parse pay perform pick prefer prepare preserve prevent prioritize propagate propose protect provide publish \
    put raise read rebase recreate reduce refactor refer regenerate reject rely remember remove rename render \
    replace reproduce resolve respect respond restart reuse revert rewrite run sanitize save see select send \
    separate serialize show simplify skip solve specify split squash stay stick stop strive suggest summarize take \
    tell think track treat trim try understand update upgrade use utilize validate verify wait warn wrap write",
    )
});
/// Verbs that are nouns as well: a rule begins so if one of [`OBJECTS`] follows, or many things and a preposition.
static NOUNS: Words = LazyLock::new(|| {
    words(
        "address answer benchmark branch build cache call cause change check clean close comment commit cover debug \
    deploy design document drop end escape export file focus format group guard import launch limit link lint list \
    load lock log mark match mirror mock model monitor name open order pass pin place plan post prefix process \
    profile pull push query quote record reference release report request return review scope search set share \
    sign sort start state store structure style support switch sync tag test trust turn type vendor watch work",
    )
});
/// What follows a verb and no noun.
static OBJECTS: Words = LazyLock::new(|| {
    words(
        "` a all an any at before both each every everything existing it new on one only relevant that the them these \
    this through whether with your",
    )
});
static PREPOSITIONS: Words = LazyLock::new(|| words("after as at before by for from in on to using when with"));
static DESCRIBING: Words = LazyLock::new(|| words("is are was were has have live lives can will"));

/// Whether a statement tells what to do. A sentence that ends in a colon only leads to what does.
pub(super) fn is_rule(text: &str, context: &str) -> bool {
    let told = match sentences(text).as_slice() {
        [.., last] if last.ends_with([':', '?']) => text.get(..text.len().saturating_sub(last.len())),
        _ => Some(text),
    };
    let Some(text) = told.map(str::trim_end).filter(|text| !text.is_empty()) else { return false };
    let plain = plain(text);
    is_strong(&plain)
        || is_imperative(&plain)
        || after_label(text).is_some_and(|rest| is_imperative(&self::plain(rest)))
        || !context.is_empty() && is_strong(&self::plain(context))
}

/// In small letters, with one space between words and around them. A comma stands for any punctuation but colons and
/// hyphens, and a back tick for code, which is no other word.
fn plain(text: &str) -> String {
    let mut out = String::from(" ");
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            out.push_str("` ");
            continue;
        }
        for word in part.split_whitespace() {
            let word = word.replace('’', "'").to_lowercase();
            let is_word = |c: char| c.is_alphanumeric();
            let (front, back) = (word.find(is_word), word.rfind(is_word));
            let (before, after) = match front.zip(back) {
                Some((front, back)) => {
                    let end = back + word[back..].chars().next().map_or(0, char::len_utf8);
                    (&word[..front], &word[end..])
                }
                None => (word.as_str(), ""),
            };
            let bare = &word[before.len()..word.len() - after.len()];
            let ends = [',', '.', ';', '!', '?', '—', '–', '(', ')'];
            let breaks = |marks: &str| marks.contains(ends) || marks == "-";
            if breaks(before) {
                out.push_str(", ");
            }
            if !bare.is_empty() {
                out.push_str(bare);
                out.push(' ');
            }
            if after.contains(':') || before == ":" {
                out.push_str(": ");
            } else if breaks(after) {
                out.push_str(", ");
            }
        }
    }
    out
}

fn is_strong(plain: &str) -> bool {
    OBLIGATIONS.iter().any(|word| !places(plain, word).is_empty())
        || WISHES.iter().any(|word| places(plain, word).iter().any(|(before, _)| !TELLING.contains(before)))
        || ADVERBS.iter().any(|word| places(plain, word).iter().any(|(_, after)| is_verb(after)))
        || PROHIBITIONS.iter().any(|word| {
            let begins = |(before, after): &(&str, &str)| {
                before.is_empty() || JOINTS.contains(before) && is_verb(after) && *before != "you"
            };
            places(plain, word).iter().any(begins)
        })
}

/// What stands before and after each place of a word.
fn places<'a>(plain: &'a str, word: &str) -> Vec<(&'a str, &'a str)> {
    let mut out = Vec::new();
    for (at, _) in plain.match_indices(word) {
        let (before, after) = (&plain[..at], &plain[at + word.len()..]);
        if before.ends_with(' ') && after.starts_with(' ') {
            let last = before.trim_end().rsplit(' ').next().unwrap_or_default();
            out.push((last, after.trim_start().split(' ').next().unwrap_or_default()));
        }
    }
    out
}

fn is_verb(word: &str) -> bool {
    VERBS.contains(word) || NOUNS.contains(word)
}

fn is_imperative(plain: &str) -> bool {
    let rest = plain.trim_start();
    if BEGINNINGS.iter().any(|beginning| rest.starts_with(beginning)) {
        return true;
    }
    if begins_with_verb(rest) {
        return true;
    }
    let first = rest.split(' ').next().unwrap_or_default();
    let is_joined = matches!(first, "then" | "please" | "also" | "first" | "finally" | "next");
    // "If it fails, run it again", "Then run it".
    CLAUSES.contains(first)
        && (rest.split(" , ").skip(1).any(begins_with_verb)
            || is_joined && rest.split_once(' ').is_some_and(|(_, rest)| begins_with_verb(rest)))
}

fn begins_with_verb(rest: &str) -> bool {
    let mut words = rest.split(' ').filter(|word| *word != ",");
    let first = words.next().unwrap_or_default();
    let next = words.next().unwrap_or_default();
    // "Test: `just test`" names a command.
    let is_followed = !next.is_empty() && next != ":";
    // "Name tests after what they hold", but not "Test files in here are generated".
    let mut is_of_many = || {
        next.ends_with('s')
            && words.next().is_some_and(|word| PREPOSITIONS.contains(word))
            && !words.any(|word| DESCRIBING.contains(word))
    };
    is_followed && (VERBS.contains(first) || NOUNS.contains(first) && (OBJECTS.contains(next) || is_of_many()))
}

/// What follows a label: "Tests: run them".
fn after_label(text: &str) -> Option<&str> {
    let (label, rest) = [": ", " - ", " – ", " — "]
        .iter()
        .filter_map(|mark| text.split_once(mark))
        .min_by_key(|(label, _)| label.len())?;
    // What stands behind code says what that does.
    (label.split_whitespace().count() <= 6 && !label.contains('`')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_verb_is_a_noun_too() {
        assert!(VERBS.iter().all(|verb| !NOUNS.contains(verb)));
    }

    #[test]
    fn what_tells_what_to_do_is_a_rule() {
        for text in [
            "Use tabs.",
            "`main` must stay green",
            "**Never** push to `main`",
            "Don’t log secrets",
            "No trailing white space",
            "If a test fails, fix it first",
            "Before committing, run `just test`",
            "Tests: run them before each commit",
            "Then run the linter",
            "If a library is new (and small), name it in the review",
            "Because it is slow, run it at night",
            "Test every branch of the parser",
            "Commit messages should be short",
            "PREFER composition over inheritance",
            "Lines have at most 120 characters",
            "Tests run in parallel, so never write to a shared file",
            "Build it with `just`",
            "Secrets — do not log them",
            "Do not edit the file. Make it again with:",
        ] {
            assert!(is_rule(text, ""), "{text}");
        }
        assert!(is_rule("push to main", "Never do this:"));
    }

    #[test]
    fn a_description_is_none() {
        for text in [
            "This project is a Python library",
            "Tests live in `tests/`",
            "Test files are in `tests/`",
            "Build artifacts contain debug symbols",
            "Test: `just test`",
            "`src/cli` - the command line",
            "Before you commit:",
            "Use the following tools:",
            "The service runs on Kubernetes",
            "Format",
            "`must` is a keyword",
            "`show()` - Show the active project",
            "It runs from the base branch, never from the head",
            "It should work",
            "State machine of the parser",
            "Is the test small?",
            "Test files in `tests/` are generated",
            "Pull requests are reviewed by two people",
            "Lock files are generated",
            "They do not write to disk to avoid wear",
            "",
        ] {
            assert!(!is_rule(text, ""), "{text}");
        }
    }
}
