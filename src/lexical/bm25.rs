//! BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): how much it says that a text holds
//! terms of a question, and the most that could be said.

use super::hash::{ByHash, term_hash};
use crate::text::for_each_token;
use serde::Serialize;

/// Term frequency saturation.
const K1: f32 = 0.9;
/// Length normalisation: texts differ in how much they list, not only in how much they are about.
const B: f32 = 0.5;
/// What a term of a question that no text has counts in the most that can be reached, as a share of the rarest term's
/// weight. Names and numbers of the asker's own say nothing; foreign vocabulary does.
const UNKNOWN: f32 = 0.5;
/// Terms that any text could hold.
const LEAST_HELD: f32 = 4.0;
/// Rare terms that a question must hold to be specific. A question that says less ("error", "it failed") is measured as
/// if it had said more: all of what it says stands in many texts, and that is no evidence for any.
const SPECIFIC_TERMS: f32 = 4.0;

/// What BM25 needs to know of a set of documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How many documents there are.
    pub documents: usize,
    /// Their mean length in tokens.
    pub mean_length: f32,
}

impl Bm25 {
    /// Of so many documents with so many tokens together.
    pub fn of(documents: usize, tokens: u64) -> Self {
        Self { documents, mean_length: tokens as f32 / documents.max(1) as f32 }
    }

    /// How much a term tells that stands in so many documents.
    pub fn idf(&self, document_frequency: usize) -> f32 {
        let (all, holders) = (self.documents as f32, (document_frequency as f32).min(self.documents as f32));
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// What a term counts in what can be reached.
    fn worth(&self, document_frequency: usize) -> f32 {
        if document_frequency == 0 { UNKNOWN * self.idf(0) } else { self.idf(document_frequency) }
    }

    /// Length normaliser of a text of so many tokens.
    pub fn norm(&self, length: f32) -> f32 {
        K1 * (1.0 - B + B * length / self.mean_length.max(1.0))
    }

    /// The most that a question can reach whose terms have such weights and document frequencies.
    pub fn reach(&self, terms: impl IntoIterator<Item = (f32, usize)>) -> Reach {
        let (mut known, mut unknown) = (0.0f32, 0.0f32);
        let mut worths = Vec::new();
        for (weight, frequency) in terms {
            let worth = weight * self.worth(frequency);
            *(if frequency == 0 { &mut unknown } else { &mut known }) += worth;
            worths.push(worth);
        }
        let all = (known + unknown) * (K1 + 1.0);
        let length = self.mean_length.ceil().max(LEAST_HELD) as usize;
        let held = if worths.len() > length {
            worths.select_nth_unstable_by(length, |a, b| b.total_cmp(a));
            worths[..length].iter().sum::<f32>() * (K1 + 1.0)
        } else {
            all
        };
        let unknown = if unknown > 0.0 { unknown / (known + unknown) } else { 0.0 };
        Reach { all, held, specific: all.max(SPECIFIC_TERMS * self.idf(1) * (K1 + 1.0)), unknown }
    }
}

/// What a term with this idf adds to the score of a text that holds it `count` times; `norm` is the text's.
pub(super) fn gain(idf: f32, count: f32, norm: f32) -> f32 {
    idf * count * (K1 + 1.0) / (count + norm)
}

/// The most that the texts could reach for a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Reach {
    /// A text of middle length that says everything the question says, over and over.
    pub all: f32,
    /// The same, but no more terms than a text of middle length has tokens: the weightiest.
    pub held: f32,
    /// The first, but at least what a question that says enough to be specific would reach.
    pub specific: f32,
    /// Share of what the question says that no text says, by weight, in \[0, 1\].
    pub unknown: f32,
}

/// How a text stands to the name that is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Naming {
    /// It does not hold it, or no name is asked for.
    #[default]
    Absent,
    /// It holds the whole name.
    Held,
    /// It declares what is called so, or the name stands in its heading.
    Declared,
}

/// The terms that a text shares with a question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TermOverlap {
    /// BM25.
    pub bm25: f32,
    /// How much of what the question says the text says too, by weight, in \[0, 1\].
    pub coverage: f32,
    /// Whether it holds the name that is asked for.
    pub naming: Naming,
}

/// A term of a question as a set of documents weighs it.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeightedTerm {
    /// In the question.
    pub weight: f32,
    /// Documents that hold it.
    pub document_frequency: usize,
    pub idf: f32,
    /// What it counts in what can be reached.
    pub worth: f32,
}

/// The terms of a question as a set of documents weighs them.
#[derive(Debug, Clone)]
pub struct WeightedTerms {
    /// Place of each term among `terms`.
    places: ByHash<u32>,
    /// In the order of the question's terms: sums of floats depend on it.
    terms: Vec<WeightedTerm>,
    bm25: Bm25,
    /// What they are worth together.
    all: f32,
    /// The name that is asked for.
    name: Option<NamePlaces>,
}

/// Where the name that is asked for stands among the terms of a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamePlaces {
    /// Among those of texts.
    pub text: usize,
    /// Among those of headings.
    pub heading: usize,
}

impl WeightedTerms {
    /// Of terms by hash, each with its weight and how many documents hold it. The first `of_texts` of them are those of
    /// texts; what a text holds of the others, those of headings, counts in BM25 alone.
    pub(super) fn new(terms: impl IntoIterator<Item = (u64, f32, usize)>, of_texts: usize, bm25: Bm25) -> Self {
        let mut places = ByHash::default();
        let mut all = 0.0;
        let mut weighted = Vec::new();
        for (place, (hash, weight, document_frequency)) in (0u32..).zip(terms) {
            places.insert(hash, place);
            let worth = if weighted.len() < of_texts { bm25.worth(document_frequency) } else { 0.0 };
            all += weight * worth;
            weighted.push(WeightedTerm { weight, document_frequency, idf: bm25.idf(document_frequency), worth });
        }
        Self { places, terms: weighted, bm25, all, name: None }
    }

    /// The same, where the terms at these places are a name that is asked for.
    #[must_use]
    pub(super) fn with_name(self, name: Option<NamePlaces>) -> Self {
        Self { name, ..self }
    }

    /// What a text shares with the question. The text need not be one of the documents.
    pub fn overlap(&self, text: &str) -> TermOverlap {
        let mut counts = vec![0u32; self.terms.len()];
        let mut length = 0u32;
        for_each_token(text, |token| {
            length += 1;
            if let Some(place) = self.places.get(&term_hash(token)) {
                counts[*place as usize] += 1;
            }
        });
        self.overlap_of(&counts, length)
    }

    /// The same for a text of `length` tokens that holds each term so many times.
    pub(super) fn overlap_of(&self, counts: &[u32], length: u32) -> TermOverlap {
        let norm = self.bm25.norm(length as f32);
        let mut shared = TermOverlap::default();
        for (term, count) in self.terms.iter().zip(counts).filter(|(_, count)| **count > 0) {
            shared.bm25 += term.weight * gain(term.idf, *count as f32, norm);
            shared.coverage += term.weight * term.worth;
        }
        shared.coverage /= self.all.max(f32::EPSILON);
        let holds = |place: usize| counts.get(place).is_some_and(|count| *count > 0);
        shared.naming = match self.name {
            Some(name) if holds(name.heading) => Naming::Declared,
            Some(name) if holds(name.text) => Naming::Held,
            _ => Naming::Absent,
        };
        shared
    }

    /// How much each term of the question tells: its weight there times its idf; in the question's order.
    pub fn weights(&self) -> impl Iterator<Item = f32> + '_ {
        self.terms.iter().map(|term| term.weight * term.idf)
    }

    /// What the documents are like.
    pub fn bm25(&self) -> Bm25 {
        self.bm25
    }

    pub(super) fn terms(&self) -> &[WeightedTerm] {
        &self.terms
    }
}

#[cfg(test)]
mod tests {
    use super::super::QueryTerms;
    use super::*;

    #[test]
    fn a_question_that_says_little_is_not_specific() {
        let bm25 = Bm25 { documents: 1000, mean_length: 10.0 };
        let reach = bm25.reach([(1.0, 900)]);
        assert!(reach.specific > 20.0 * reach.all, "{reach:?}");
        let reach = bm25.reach([(1.0, 1); 6]);
        assert_eq!(reach.specific, reach.all);
        assert!(bm25.reach([(1.0, 0)]).all < bm25.reach([(1.0, 1)]).all);
        let short = Bm25 { mean_length: 5.0, ..bm25 };
        let (five, ten) = (short.reach([(1.0, 1); 5]), short.reach([(1.0, 1); 10]));
        assert_eq!((five.held, ten.held), (five.all, five.all), "ten terms do not fit five tokens");
        let unknown = |terms: &[(f32, usize)]| bm25.reach(terms.iter().copied()).unknown;
        assert_eq!((unknown(&[]), unknown(&[(1.0, 1)]), unknown(&[(1.0, 0)])), (0.0, 0.0, 1.0));
        assert!(unknown(&[(1.0, 0), (1.0, 900)]) > unknown(&[(1.0, 0), (1.0, 1)]));
    }

    #[test]
    fn a_text_that_says_everything_covers_the_question() {
        let terms = QueryTerms::of("state lock held");
        let frequencies = terms.iter().zip([3, 0, 7]).map(|((term, weight), df)| (term_hash(term), weight, df));
        let weighted = WeightedTerms::new(frequencies, 3, Bm25 { documents: 10, mean_length: 4.0 });
        assert!((weighted.overlap("held: the lock of the state").coverage - 1.0).abs() < 1e-6);
        assert_eq!(weighted.overlap("nothing of it"), TermOverlap::default());
        assert!(weighted.overlap("lock lock").bm25 > weighted.overlap("lock").bm25);
    }
}
