//! When something that is learnt was known already: it is then updated, and no second one is written.
//!
//! The rules are those of the requirements: the same error for tactics, the same category and pattern for preferences,
//! the same service, region and subject for facts. What says nothing of these is the same if it has the same words.

use super::revision::telling;
use crate::text::{hex, sha256};
use crate::types::{Kind, Scope, Wording};

/// Stands between the parts of a key. No text holds this character.
const SEPARATOR: char = '\u{1f}';

/// The key of a memory. Two memories have the same key if one updates the other. A key is a hash, so no word can be
/// read from it.
pub fn match_key(kind: Kind, scope: &Scope, words: &Wording) -> String {
    let parts: Vec<String> = match (kind, words) {
        (Kind::Problem, Wording { fingerprint: Some(error), .. }) => vec![error.clone()],
        (Kind::Tactic, Wording { fingerprint: Some(error), .. }) => vec![error.clone(), same_words(&words.text)],
        (Kind::Preference, Wording { category: Some(category), pattern: Some(pattern), .. }) => {
            vec!["pattern".to_owned(), folded(category), folded(pattern)]
        }
        (Kind::Fact, Wording { service: Some(service), .. }) => {
            let optional = |part: &Option<String>| part.as_deref().map(folded).unwrap_or_default();
            // Two quirks of one service are two facts unless they say what they are about.
            let subject = words.subject.as_deref().map_or_else(|| same_words(&words.text), folded);
            vec!["service".to_owned(), folded(service), optional(&words.region), subject]
        }
        _ => vec!["words".to_owned(), same_words(&words.text)],
    };
    let mut all = format!("{}{SEPARATOR}{scope}", kind.name());
    for part in parts {
        all.push(SEPARATOR);
        all.push_str(&part);
    }
    hex(&sha256(all.as_bytes())[..16])
}

/// A name in lower case with single spaces.
fn folded(name: &str) -> String {
    name.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The words of a text as far as they tell it from another: signs count, as `-v` is not `-V` and C is not C++.
fn same_words(text: &str) -> String {
    let words = telling(text);
    if words.is_empty() { text.trim().to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(parts: [&str; 7]) -> Wording {
        let [text, category, pattern, service, region, subject, error] = parts;
        let some = |part: &str| (!part.is_empty()).then(|| part.to_owned());
        Wording {
            text: text.to_owned(),
            category: some(category),
            pattern: some(pattern),
            service: some(service),
            region: some(region),
            subject: some(subject),
            fingerprint: some(error),
            ..Wording::default()
        }
    }

    /// Two wordings, and whether one updates the other.
    #[test]
    fn the_table_of_updates_and_additions() {
        let here = Scope::repository("here");
        for (kind, a, b, same) in [
            (
                Kind::Tactic,
                ["run npm ci", "", "", "", "", "", "v2:1"],
                ["Run `npm ci`.", "", "", "", "", "", "v2:1"],
                true,
            ),
            (
                Kind::Tactic,
                ["run npm ci", "", "", "", "", "", "v2:1"],
                ["run npm ci", "", "", "", "", "", "v2:2"],
                false,
            ),
            (
                Kind::Tactic,
                ["run npm ci", "", "", "", "", "", "v2:1"],
                ["update node", "", "", "", "", "", "v2:1"],
                false,
            ),
            (Kind::Tactic, ["run npm ci", "", "", "", "", "", ""], ["Run npm ci", "", "", "", "", "", ""], true),
            (Kind::Problem, ["x", "", "", "", "", "", "v2:1"], ["y", "", "", "", "", "", "v2:1"], true),
            (
                Kind::Preference,
                ["use tabs", "indent", "tabs", "", "", "", ""],
                ["always tabs", "Indent", " tabs", "", "", "", ""],
                true,
            ),
            (
                Kind::Preference,
                ["use tabs", "indent", "tabs", "", "", "", ""],
                ["use tabs", "indent", "spaces", "", "", "", ""],
                false,
            ),
            (Kind::Preference, ["Use tabs.", "", "", "", "", "", ""], ["use tabs", "", "", "", "", "", ""], true),
            (Kind::Preference, ["use tabs", "a", "", "", "", "", ""], ["use spaces", "a", "", "", "", "", ""], false),
            (
                Kind::Fact,
                ["no p4 here", "", "", "ec2", "eu-west-3", "p4", ""],
                ["p4 came", "", "", "EC2", "eu-west-3", "P4", ""],
                true,
            ),
            (
                Kind::Fact,
                ["no p4 here", "", "", "ec2", "eu-west-3", "p4", ""],
                ["no p4 here", "", "", "ec2", "eu-west-1", "p4", ""],
                false,
            ),
            (Kind::Fact, ["slow", "", "", "ec2", "", "", ""], ["down at night", "", "", "ec2", "", "", ""], false),
            (Kind::Fact, ["slow", "", "", "ec2", "", "", ""], ["Slow!", "", "", "ec2", "", "", ""], true),
            (Kind::Fact, ["it is slow", "", "", "", "", "", ""], ["it is fast", "", "", "", "", "", ""], false),
            (Kind::Fact, ["it is in C", "", "", "", "", "", ""], ["it is in C++", "", "", "", "", "", ""], false),
            (Kind::Fact, ["pass -v", "", "", "", "", "", ""], ["pass -V", "", "", "", "", "", ""], false),
        ] {
            let key = |parts| match_key(kind, &here, &words(parts));
            assert_eq!(key(a) == key(b), same, "{kind:?} {a:?} {b:?}");
            assert_ne!(key(a), match_key(kind, &Scope::global(), &words(a)), "scopes are apart");
        }
        let same = ["use tabs", "", "", "", "", "", ""].map(|_| "use tabs");
        assert_ne!(match_key(Kind::Fact, &here, &words(same)), match_key(Kind::Preference, &here, &words(same)));
    }
}
