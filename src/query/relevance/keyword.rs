//! The keyword signal: BM25 (Robertson and Zaragoza, 2009) over identifier-aware tokens, as a share of the most that
//! the query could reach, or of what a specific query reaches if that is more. Canon has its own statistics, so that nothing
//! else that is indexed changes a verdict.

use crate::text::{for_each_token, tokens};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// Term frequency saturation.
const K1: f32 = 1.2;
/// Length normalisation: entries differ in how many wordings they list, not in how much they are about.
const B: f32 = 0.5;
/// What a query word that no entry has counts in the most that can be reached, as a share of the rarest word's weight.
/// Names and numbers of the asker's own say nothing; foreign vocabulary does.
const UNKNOWN: f32 = 0.5;

/// Rare words that a question must hold to be specific. A question that says less ("error", "it failed") is measured as
/// if it had said more: all of what it says stands in many entries, and that is no evidence for any.
const SPECIFIC_WORDS: f32 = 4.0;

/// What BM25 needs to know of a set of texts.
#[derive(Debug, Clone, Copy)]
pub struct Bm25 {
    /// How many texts there are.
    pub texts: usize,
    /// Their mean length in tokens.
    pub mean_length: f32,
}

impl Bm25 {
    /// How much a word tells that stands in so many texts.
    pub fn idf(&self, holders: usize) -> f32 {
        let (all, holders) = (self.texts as f32, (holders as f32).min(self.texts as f32));
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// Length normaliser of a text.
    pub fn norm(&self, length: f32) -> f32 {
        K1 * (1.0 - B + B * length / self.mean_length.max(1.0))
    }

    /// What a word adds to a text that holds it `count` times.
    pub fn part(&self, holders: usize, count: f32, norm: f32) -> f32 {
        self.idf(holders) * count * (K1 + 1.0) / (count + norm)
    }

    /// The most that a question of words with so many holders each can reach; a question that says little is measured
    /// as if it had said more.
    pub fn reachable(&self, holders: impl IntoIterator<Item = usize>) -> f32 {
        let weight = |holders| if holders == 0 { UNKNOWN * self.idf(0) } else { self.idf(holders) };
        let sum: f32 = holders.into_iter().map(weight).sum();
        sum.max(SPECIFIC_WORDS * self.idf(1)) * (K1 + 1.0)
    }
}

/// The distinct words of a question.
pub fn question_words(question: &str) -> Vec<String> {
    let mut words = tokens(question);
    words.sort_unstable();
    words.dedup();
    words
}

/// BM25 over a fixed set of texts. Words are held by 64-bit hash: among the thousands of words of a canon two that
/// collide are not to be expected, and no text has to be kept.
#[derive(Debug)]
pub struct KeywordIndex {
    postings: HashMap<u64, Vec<(u32, f32)>, BuildHasherDefault<Identity>>,
    /// Length normaliser by text.
    norms: Vec<f32>,
    bm25: Bm25,
}

impl KeywordIndex {
    /// Indexes texts; a text's number is its position.
    pub fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        let mut postings: HashMap<u64, Vec<(u32, f32)>, BuildHasherDefault<Identity>> = HashMap::default();
        let mut lengths: Vec<f32> = Vec::new();
        for (number, text) in texts.into_iter().enumerate() {
            let mut length = 0.0;
            for_each_token(text.as_ref(), |token| {
                length += 1.0;
                let holders = postings.entry(hash(token)).or_default();
                match holders.last_mut() {
                    Some((last, count)) if *last == number as u32 => *count += 1.0,
                    _ => holders.push((number as u32, 1.0)),
                }
            });
            lengths.push(length);
        }
        let mean_length = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let bm25 = Bm25 { texts: lengths.len(), mean_length };
        let norms = lengths.iter().map(|length| bm25.norm(*length)).collect();
        Self { postings, norms, bm25 }
    }

    /// The signal of every text that shares a word with the query, in (0, 1\], by text number.
    pub fn signals(&self, query: &str) -> BTreeMap<usize, f32> {
        let words = question_words(query);
        let holders: Vec<&[(u32, f32)]> =
            words.iter().map(|word| self.postings.get(&hash(word)).map_or(&[][..], Vec::as_slice)).collect();
        let mut sums: BTreeMap<usize, f32> = BTreeMap::new();
        for texts in &holders {
            for &(text, count) in *texts {
                *sums.entry(text as usize).or_default() +=
                    self.bm25.part(texts.len(), count, self.norms[text as usize]);
            }
        }
        let reachable = self.bm25.reachable(holders.iter().map(|texts| texts.len()));
        sums.values_mut().for_each(|sum| *sum = (*sum / reachable).clamp(0.0, 1.0));
        sums
    }
}

/// FNV-1a, 64 bits, mixed once more so that its low bits are as good as its high ones.
fn hash(word: &str) -> u64 {
    let raw = word
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (raw ^ (raw >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Keys are hashes already.
#[derive(Debug, Default, Clone)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash << 8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rare_words_and_known_words_count() {
        let index = KeywordIndex::new(["state lock held", "state file missing", "disk full", "state moved"]);
        let signals = index.signals("the state lock");
        assert!(signals[&0] > signals[&1] && signals[&0] < 1.0);
        assert!(!signals.contains_key(&2));
        let diluted = index.signals("the state lock flurb gnarl blorb snarf quux");
        assert!(diluted[&0] < signals[&0]);
    }

    proptest! {
        /// The referee computes BM25 from its definition, text by text.
        #[test]
        fn equals_the_definition(
            texts in prop::collection::vec("(alpha |beta |gamma |delta ){0,8}", 1..6),
            query in "(alpha |beta |gamma |omega ){1,4}",
        ) {
            let index = KeywordIndex::new(&texts);
            let signals = index.signals(&query);
            let split: Vec<Vec<String>> = texts.iter().map(|t| tokens(t)).collect();
            let mean = (split.iter().map(Vec::len).sum::<usize>() as f32 / split.len() as f32).max(1.0);
            let mut words = tokens(&query);
            words.sort();
            words.dedup();
            for (number, text) in split.iter().enumerate() {
                let (mut sum, mut most) = (0.0f64, 0.0f64);
                for word in &words {
                    let holders = split.iter().filter(|t| t.contains(word)).count() as f64;
                    let idf = (1.0 + (split.len() as f64 - holders + 0.5) / (holders + 0.5)).ln();
                    let share = if holders == 0.0 { f64::from(UNKNOWN) } else { 1.0 };
                    most += share * idf * f64::from(K1 + 1.0);
                    let tf = text.iter().filter(|w| *w == word).count() as f64;
                    let norm = f64::from(K1) * (1.0 - f64::from(B) + f64::from(B) * text.len() as f64 / f64::from(mean));
                    sum += if tf == 0.0 { 0.0 } else { idf * tf * f64::from(K1 + 1.0) / (tf + norm) };
                }
                let rarest = (1.0 + (split.len() as f64 - 0.5) / 1.5).ln();
                let most = most.max(f64::from(SPECIFIC_WORDS) * rarest * f64::from(K1 + 1.0));
                let expected = if most > 0.0 { sum / most } else { 0.0 };
                prop_assert!((f64::from(signals.get(&number).copied().unwrap_or(0.0)) - expected).abs() < 1e-4);
            }
        }
    }
}
