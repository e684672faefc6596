//! Whether a new statement replaces one that stands, or is an addition: told from the texts alone.
//!
//! Two logistic functions decide. The first weighs how alike a pair is (`features`). The second weighs the score of
//! the best pair and how far it is ahead of the next. Both are fitted by `benches/memory/fit_revision.py`, which prints
//! what they are worth on projects that they did not see. A statement that differs in nothing but writing
//! ([`same_statement`]) is a duplicate, whatever the weights say.
//!
//! Cosines of embeddings were tried as one more feature: hit@1 rose by .004 and the area under the curve not at all, so
//! they are left out. Invariant: the order of the standing statements decides between equals only.

mod features;
mod same;
mod statement;
mod weights;

pub use same::{same_statement, telling};

use features::{Rarity, features, overlap};
use statement::{Bag, Statement, Vocabulary, words};
use weights::{DECISION, LEAST_SCORE, MOST_MARGIN, PAIR};

/// How many statements are compared in full: those with most of their words in common.
const SHORTLIST: usize = 12;

/// From here on the closest statement is taken to be replaced. Both errors weigh the same here.
pub const UPDATE: f32 = 0.5;

/// From here on the closest statement is worth showing to a person. Below it, one replacement in twenty is lost.
pub const SIMILAR: f32 = 0.05;

/// What a new statement is to the closest that stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Alike {
    /// Another statement: the new one is an addition.
    Unrelated,
    /// Perhaps about the same: show it, and replace nothing unasked.
    Similar,
    /// The same rule in other words, or with another value: the new one replaces it.
    Update,
    /// The same statement: only case, punctuation, spacing, list marks or words that say nothing differ.
    Same,
}

/// The standing statement that a new one most likely replaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Its place among the standing statements, from 0.
    pub place: usize,
    /// How likely it is that the new one replaces it, 0 to 1. It is 1 if both are the same.
    pub probability: f32,
    /// What follows from that.
    pub relation: Alike,
}

/// Statements that stand, read once for many questions.
#[derive(Debug)]
pub struct StandingStatements<'a> {
    texts: Vec<&'a str>,
    bags: Vec<Bag>,
    same: Vec<Vec<String>>,
    vocabulary: Vocabulary<'static>,
    rarity: Rarity<'static>,
}

impl<'a> StandingStatements<'a> {
    /// Reads the statements. Takes time and memory in proportion to their length.
    pub fn new(texts: &[&'a str]) -> Self {
        let mut vocabulary = Vocabulary::default();
        let bags: Vec<Bag> = texts.iter().map(|text| Bag::of(&words(text), &mut vocabulary)).collect();
        let rarity = Rarity::new(&bags, &vocabulary);
        let same = texts.iter().map(|text| same::telling(text)).collect();
        Self { texts: texts.to_vec(), bags, same, vocabulary, rarity }
    }

    /// The statement that `new` most likely replaces, `None` if none has a word in common with it. Of several that are
    /// equally likely it is the first.
    pub fn closest(&self, new: &str) -> Option<Closest> {
        let telling = same::telling(new);
        let is_same = |other: &Vec<String>| !telling.is_empty() && *other == telling;
        if let Some(place) = self.same.iter().position(is_same) {
            return Some(Closest { place, probability: 1.0, relation: Alike::Same });
        }
        // Words that stand nowhere get numbers of their own, for this question only.
        let mut vocabulary = self.vocabulary.beyond();
        let new = Statement::new(new, &mut vocabulary);
        let rarity = self.rarity.beyond(&vocabulary);
        let mut near: Vec<(f32, usize)> = (self.bags.iter().enumerate())
            .map(|(place, other)| (overlap(&new.bag, other, &rarity), place))
            .filter(|(overlap, _)| *overlap > 0.0)
            .collect();
        near.sort_by(|(a, at), (b, other)| b.total_cmp(a).then(at.cmp(other)));
        near.truncate(SHORTLIST);
        let scored: Vec<(f32, usize, Statement)> = near
            .into_iter()
            .map(|(overlap, place)| {
                let other = Statement::new(self.texts[place], &mut vocabulary);
                (weighed(&PAIR, &features(&new, &other, overlap, &rarity)), place, other)
            })
            .collect();
        let (score, place, best) =
            scored.iter().max_by(|(a, at, _), (b, other, _)| a.total_cmp(b).then(other.cmp(at)))?;
        // A statement that stands twice is no rival of itself.
        let rivals = scored.iter().filter(|(_, _, other)| other.words != best.words).map(|(score, _, _)| *score);
        let second = rivals.fold(LEAST_SCORE, f32::max);
        let margin = (score - second).clamp(0.0, MOST_MARGIN);
        let probability = sigmoid(weighed(&DECISION, &[*score, margin]));
        let relation = match probability {
            p if p >= UPDATE => Alike::Update,
            p if p >= SIMILAR => Alike::Similar,
            _ => Alike::Unrelated,
        };
        Some(Closest { place: *place, probability, relation })
    }
}

/// The statement of `standing` that `new` most likely replaces, `None` if none has a word in common with it.
pub fn closest(new: &str, standing: &[&str]) -> Option<Closest> {
    StandingStatements::new(standing).closest(new)
}

/// Bias and weighted sum; `weights` begins with the bias.
fn weighed(weights: &[f32], features: &[f32]) -> f32 {
    let (bias, weights) = weights.split_first().map_or((0.0, weights), |(bias, rest)| (*bias, rest));
    bias + weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum::<f32>()
}

fn sigmoid(z: f32) -> f32 {
    1.0 / (1.0 + (-z).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rules as people write them, none of which says what another does.
    const RULES: &[&str] = &[
        "Use `ruff` to format Python code",
        "Maximum line length is 88 characters",
        "Run `just test` before every commit",
        "**Commit messages**: imperative mood, at most 72 characters in the first line",
        "Never push to `main` directly; open a pull request",
        "Prefer composition over inheritance",
        "Error messages name the file and the line",
        "The staging database lives in eu-west-1",
        "Tests live beside the code they test, in `tests/`",
        "Do not log personal data",
    ];

    #[test]
    fn a_new_value_or_wording_replaces_the_rule() {
        for (new, place) in [
            ("Use `black` to format Python code", 0),
            ("Maximum line length is 100 characters", 1),
            ("Maximum line length: 120", 1),
            ("Run `just check` before every commit", 2),
            ("**Commit messages**: imperative mood, at most 50 characters in the first line", 3),
            ("Never push to `main` directly; open a merge request and ask for a review", 4),
            ("Prefer composition to inheritance, except for test fixtures", 5),
            ("Error messages name the file, the line and the column", 6),
            ("The staging database lives in eu-central-1", 7),
        ] {
            let found = closest(new, RULES).unwrap();
            assert_eq!((found.place, found.relation), (place, Alike::Update), "{new}: {found:?}");
        }
    }

    #[test]
    fn another_rule_is_an_addition() {
        for new in [
            "Pin the versions of GitHub actions by hash",
            "Use type hints in public functions",
            "The production database has read replicas in two regions",
            "Tests must not sleep",
            "Never commit secrets",
            "Document every public function",
        ] {
            let found = closest(new, RULES);
            assert!(found.is_none_or(|found| found.relation < Alike::Update), "{new}: {found:?}");
        }
        assert_eq!(closest("Qwertz", RULES), None);
        assert_eq!(closest("Use tabs", &[]), None);
        assert_eq!(closest("", &["", "a"]), None);
    }

    #[test]
    fn a_duplicate_is_the_same() {
        for new in
            ["never push to main directly, open pull request.", "- Never push to `main` directly; open a pull request!"]
        {
            let found = closest(new, RULES).unwrap();
            assert_eq!(found, Closest { place: 4, probability: 1.0, relation: Alike::Same }, "{new}");
        }
    }

    #[test]
    fn a_rule_that_stands_in_two_files_can_be_replaced() {
        let twice: Vec<&str> = RULES.iter().chain(RULES).copied().collect();
        let (once, again) = (
            "The staging database lives in eu-central-1",
            closest("The staging database lives in eu-central-1", &twice),
        );
        let (once, again) = (closest(once, RULES).unwrap(), again.unwrap());
        assert_eq!((once.place, once.relation), (again.place, again.relation));
    }

    #[test]
    fn the_closest_of_many_is_found() {
        let many: Vec<String> = (0..5_000)
            .map(|n| format!("Service number {n} listens on port {} of host h{}", n * 7 % 9_999, n % 31))
            .collect();
        let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
        many.insert(2_500, RULES[3]);
        let standing = StandingStatements::new(&many);
        let found =
            standing.closest("**Commit messages**: imperative mood, one line of at most 72 characters").unwrap();
        assert_eq!((found.place, found.relation), (2_500, Alike::Update), "{found:?}");
    }

    proptest! {
        #[test]
        fn any_text_gets_a_probability(
            new in "\\PC{0,40}",
            standing in prop::collection::vec("(\\PC|[a-c ]){0,40}", 0..8),
        ) {
            let standing: Vec<&str> = standing.iter().map(String::as_str).collect();
            if let Some(found) = closest(&new, &standing) {
                prop_assert!(found.place < standing.len());
                prop_assert!((0.0..=1.0).contains(&found.probability));
            }
        }

        #[test]
        fn order_changes_no_probability(
            new in "[a-f ]{0,20}",
            standing in prop::collection::vec("[a-f ]{0,20}", 0..20),
        ) {
            let standing: Vec<&str> = standing.iter().map(String::as_str).collect();
            let turned: Vec<&str> = standing.iter().rev().copied().collect();
            // With more than the shortlist, which of equally good ones are on it depends on the order.
            if standing.len() <= SHORTLIST {
                let (one, other) = (closest(&new, &standing), closest(&new, &turned));
                prop_assert_eq!(one.is_some(), other.is_some());
                if let (Some(one), Some(other)) = (one, other) {
                    prop_assert!((one.probability - other.probability).abs() < 1e-3, "{:?} {:?}", one, other);
                }
            }
        }

        #[test]
        fn a_statement_is_the_same_as_itself(text in "\\PC{0,60}") {
            let is_word = text.chars().any(char::is_alphanumeric);
            let found = closest(&text, &["other", &text]);
            if is_word && !same::telling(&text).is_empty() {
                prop_assert_eq!(found.map(|found| found.relation), Some(Alike::Same));
            }
        }
    }
}
