//! Words: what a question says, and what BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009)
//! makes of the texts that say it too.

use crate::text::for_each_token;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Term frequency saturation.
const K1: f32 = 0.9;
/// Length normalisation: texts differ in how much they list, not only in how much they are about.
const B: f32 = 0.5;
/// What a query word that no text has counts in the most that can be reached, as a share of the rarest word's weight.
/// Names and numbers of the asker's own say nothing; foreign vocabulary does.
const UNKNOWN: f32 = 0.5;
/// Rare words that a question must hold to be specific. A question that says less ("error", "it failed") is measured as
/// if it had said more: all of what it says stands in many texts, and that is no evidence for any.
const SPECIFIC_WORDS: f32 = 4.0;

/// The distinct words of a question, sorted, each with its weight: 1 for a word that is said once, more the oftener it is
/// said, but less than in proportion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Words(Vec<(String, f32)>);

impl Words {
    /// Of a text.
    pub fn of(text: &str) -> Self {
        Self::of_all(&[(text, 1.0)])
    }

    /// Of several texts, each of which counts so many times.
    pub fn of_all(texts: &[(&str, f32)]) -> Self {
        let mut counts: BTreeMap<String, f32> = BTreeMap::new();
        for (text, times) in texts {
            for_each_token(text, |token| match counts.get_mut(token) {
                Some(count) => *count += times,
                None => drop(counts.insert(token.to_owned(), *times)),
            });
        }
        Self(counts.into_iter().map(|(word, count)| (word, (1.0 + count).log2())).collect())
    }

    /// The words with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.0.iter().map(|(word, weight)| (word.as_str(), *weight))
    }
}

/// What BM25 needs to know of a set of texts.
#[derive(Debug, Clone, Copy)]
pub struct Bm25 {
    /// How many texts there are.
    pub texts: usize,
    /// Their mean length in tokens.
    pub mean_length: f32,
}

/// The words of a question as a set of texts weighs them.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// Weight of each in the question, and how many texts hold it.
    words: HashMap<String, (f32, usize)>,
    bm25: Bm25,
    /// What they are worth together.
    all: f32,
}

impl Weighed {
    /// `holders` are how many texts hold each word, in the order of the words.
    pub fn new(words: &Words, holders: &[usize], bm25: Bm25) -> Self {
        let known = words.iter().zip(holders).map(|((word, weight), holders)| (word.to_owned(), (weight, *holders)));
        let all = words.iter().zip(holders).map(|((_, weight), holders)| weight * bm25.worth(*holders)).sum();
        Self { words: known.collect(), bm25, all }
    }

    /// What they come to in a text, which need not be one of those.
    pub fn of(&self, text: &str) -> Shared {
        let mut counts: HashMap<&str, f32> = HashMap::new();
        let mut length = 0.0;
        for_each_token(text, |token| {
            length += 1.0;
            if let Some((word, _)) = self.words.get_key_value(token) {
                *counts.entry(word).or_default() += 1.0;
            }
        });
        let norm = self.bm25.norm(length);
        // In a fixed order: sums of floats depend on it.
        let mut counts: Vec<(&str, f32)> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|(word, _)| *word);
        let mut shared = Shared::default();
        for (word, count) in counts {
            let (weight, holders) = self.words[word];
            shared.bm25 += weight * self.bm25.part(holders, count, norm);
            shared.covered += weight * self.bm25.worth(holders);
        }
        shared.covered /= self.all.max(f32::EPSILON);
        shared
    }
}

/// What a text shares with a question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shared {
    /// BM25.
    pub bm25: f32,
    /// How much of what the question says the text says too, by weight, in \[0, 1\].
    pub covered: f32,
}

/// The most that the texts could reach for a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Reach {
    /// A text of middle length that says everything the question says, over and over.
    pub all: f32,
    /// The same, but at least what a question that says enough to be specific would reach.
    pub specific: f32,
}

impl Bm25 {
    /// How much a word tells that stands in so many texts.
    pub fn idf(&self, holders: usize) -> f32 {
        let (all, holders) = (self.texts as f32, (holders as f32).min(self.texts as f32));
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// What a word counts in what can be reached.
    fn worth(&self, holders: usize) -> f32 {
        if holders == 0 { UNKNOWN * self.idf(0) } else { self.idf(holders) }
    }

    /// Length normaliser of a text.
    pub fn norm(&self, length: f32) -> f32 {
        K1 * (1.0 - B + B * length / self.mean_length.max(1.0))
    }

    /// What a word adds to a text that holds it `count` times.
    pub fn part(&self, holders: usize, count: f32, norm: f32) -> f32 {
        self.idf(holders) * count * (K1 + 1.0) / (count + norm)
    }

    /// The most that a question can reach whose words have such weights and so many holders.
    pub fn reach(&self, words: impl IntoIterator<Item = (f32, usize)>) -> Reach {
        let all = words.into_iter().map(|(weight, holders)| weight * self.worth(holders)).sum::<f32>() * (K1 + 1.0);
        Reach { all, specific: all.max(SPECIFIC_WORDS * self.idf(1) * (K1 + 1.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_twice_weighs_more_but_not_twice() {
        let words = Words::of_all(&[("lock state lock", 1.0), ("state", 2.0)]);
        let weights: Vec<(&str, f32)> = words.iter().collect();
        assert_eq!(weights, [("lock", 3.0f32.log2()), ("state", 2.0)]);
    }

    #[test]
    fn a_question_that_says_little_is_not_specific() {
        let bm25 = Bm25 { texts: 1000, mean_length: 10.0 };
        let reach = bm25.reach([(1.0, 900)]);
        assert!(reach.specific > 20.0 * reach.all, "{reach:?}");
        let reach = bm25.reach([(1.0, 1); 6]);
        assert_eq!(reach.specific, reach.all);
        assert!(bm25.reach([(1.0, 0)]).all < bm25.reach([(1.0, 1)]).all);
    }
}
