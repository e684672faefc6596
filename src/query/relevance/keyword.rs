//! BM25 of the entries of packs. Canon has its own statistics, so that nothing else that is indexed changes a verdict.

use super::words::{Bm25, Reach, Words};
use crate::map::{Bytes, HEADER, Label, write_aside};
use crate::text::{for_each_token, sha256_hex};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::path::Path;

/// What the words of a question come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    /// The most that they could reach.
    pub reach: Reach,
    /// What every text reaches that holds one of them, by its number.
    pub by_text: BTreeMap<usize, f32>,
}

impl Said {
    /// The texts that reach most, at most `most`.
    pub fn best(&self, most: usize) -> Vec<usize> {
        let mut order: Vec<(usize, f32)> = self.by_text.iter().map(|(text, sum)| (*text, *sum)).collect();
        let greater = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if order.len() > most && most > 0 {
            order.select_nth_unstable_by(most - 1, greater);
            order.truncate(most);
        }
        order.sort_unstable_by(greater);
        order.into_iter().map(|(text, _)| text).collect()
    }
}

/// BM25 over a fixed set of texts. Words are held by 64-bit hash: among the thousands of words of a canon two that
/// collide are not to be expected, and no text has to be kept. The whole is one derived file, ready when it is mapped.
#[derive(Debug)]
pub struct KeywordIndex {
    bytes: Bytes,
    words: Range<usize>,
    /// Where each word's texts begin.
    starts: Range<usize>,
    /// Number of a text and how often it holds the word, in one.
    postings: Range<usize>,
    /// Length normaliser by text.
    norms: Range<usize>,
    bm25: Bm25,
}

/// Version of the layout, of the hash and of the parameters above.
const FORMAT: u32 = 2;
/// Numbers before the tables: words, postings, texts, mean length.
const NUMBERS: usize = 64;
/// Bits of a posting that count; a text that holds a word more often counts as if it held it so often.
const COUNT_BITS: u32 = 8;

impl KeywordIndex {
    /// Indexes texts; a text's number is its position.
    pub fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        Self::made(&Self::label(""), texts)
    }

    /// The index at `path` if it was made from texts of this digest; else made, and kept there if that can be.
    pub fn kept<S: AsRef<str>>(path: &Path, digest: &str, texts: impl IntoIterator<Item = S>) -> Self {
        let label = Self::label(digest);
        if let Some(kept) = label.open(path).and_then(Self::read) {
            return kept;
        }
        let made = Self::made(&label, texts);
        let _ = write_aside(path, made.bytes.get()); // What cannot be kept costs only the making again.
        made
    }

    fn label(digest: &str) -> Label {
        Label::new(b"KENTERMS", FORMAT, &sha256_hex(digest.as_bytes()))
    }

    fn made<S: AsRef<str>>(label: &Label, texts: impl IntoIterator<Item = S>) -> Self {
        let mut postings: HashMap<u64, Vec<u32>, BuildHasherDefault<Identity>> = HashMap::default();
        let mut lengths: Vec<f32> = Vec::new();
        for (number, text) in (0u32..1 << (32 - COUNT_BITS)).zip(texts) {
            let mut length = 0.0;
            for_each_token(text.as_ref(), |token| {
                length += 1.0;
                let holders = postings.entry(hash(token)).or_default();
                match holders.last_mut() {
                    Some(last) if *last >> COUNT_BITS == number => *last += u32::from(*last & 0xff < 0xff),
                    _ => holders.push(number << COUNT_BITS | 1),
                }
            });
            lengths.push(length);
        }
        let mean_length = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let bm25 = Bm25 { texts: lengths.len(), mean_length };
        let mut sorted: Vec<(u64, Vec<u32>)> = postings.into_iter().collect();
        sorted.sort_unstable_by_key(|(word, _)| *word);
        let count: usize = sorted.iter().map(|(_, holders)| holders.len()).sum();
        let numbers = [sorted.len() as u64, count as u64, lengths.len() as u64, u64::from(mean_length.to_bits())];
        let mut bytes = vec![0u8; HEADER];
        bytes.extend_from_slice(bytemuck::cast_slice(&numbers));
        bytes.resize(HEADER + NUMBERS, 0);
        sorted.iter().for_each(|(word, _)| bytes.extend_from_slice(&word.to_ne_bytes()));
        let mut start = 0u32;
        for (_, holders) in &sorted {
            bytes.extend_from_slice(&start.to_ne_bytes());
            start += holders.len() as u32;
        }
        bytes.extend_from_slice(&start.to_ne_bytes());
        sorted.iter().for_each(|(_, holders)| bytes.extend_from_slice(bytemuck::cast_slice(holders)));
        lengths.iter().for_each(|length| bytes.extend_from_slice(&bm25.norm(*length).to_ne_bytes()));
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
        #[expect(clippy::expect_used, reason = "it has just been laid out so")]
        Self::read(label.seal(words)).expect("what was written can be read")
    }

    /// Reads a sealed file: its checksum has been compared, so the numbers are as they were written.
    fn read(bytes: Bytes) -> Option<Self> {
        let all = bytes.get();
        let numbers: &[u64] = bytemuck::try_cast_slice(all.get(HEADER..HEADER + 32)?).ok()?;
        let number = |at: usize| usize::try_from(numbers[at]).ok();
        let (words, count, texts) = (number(0)?, number(1)?, number(2)?);
        let mean_length = f32::from_bits(numbers[3] as u32);
        let mut end = HEADER + NUMBERS;
        let mut take = |bytes: usize| {
            let start = end;
            end += bytes;
            start..end
        };
        let (words, starts) = (take(8 * words), take(4 * (words + 1)));
        let (postings, norms) = (take(4 * count), take(4 * texts));
        let bm25 = Bm25 { texts, mean_length };
        (end <= all.len()).then_some(Self { bytes, words, starts, postings, norms, bm25 })
    }

    fn part<T: bytemuck::AnyBitPattern>(&self, place: &Range<usize>) -> &[T] {
        bytemuck::cast_slice(&self.bytes.get()[place.clone()])
    }

    /// The texts that hold a word.
    fn holders(&self, word: &str) -> &[u32] {
        let starts: &[u32] = self.part(&self.starts);
        match self.part::<u64>(&self.words).binary_search(&hash(word)) {
            Ok(at) => &self.part(&self.postings)[starts[at] as usize..starts[at + 1] as usize],
            Err(_) => &[],
        }
    }

    /// What a question's words come to.
    pub fn said(&self, question: &Words) -> Said {
        let holders: Vec<(f32, &[u32])> = question.iter().map(|(word, weight)| (weight, self.holders(word))).collect();
        let norms: &[f32] = self.part(&self.norms);
        let mut sums = vec![0.0f32; norms.len()];
        for (weight, texts) in &holders {
            for posting in *texts {
                let (text, count) = ((posting >> COUNT_BITS) as usize, (posting & 0xff) as f32);
                sums[text] += weight * self.bm25.part(texts.len(), count, norms[text]);
            }
        }
        let reach = self.bm25.reach(holders.iter().map(|(weight, texts)| (*weight, texts.len())));
        Said { reach, by_text: sums.into_iter().enumerate().filter(|(_, sum)| *sum > 0.0).collect() }
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
    use crate::text::tokens;
    use proptest::prelude::*;

    #[test]
    fn rare_words_and_known_words_count() {
        let index = KeywordIndex::new(["state lock held", "state file missing", "disk full", "state moved"]);
        let said = index.said(&Words::of("the state lock"));
        assert!(said.by_text[&0] > said.by_text[&1] && said.by_text[&0] < 1.2 * said.reach.all);
        assert!(!said.by_text.contains_key(&2));
        let diluted = index.said(&Words::of("the state lock flurb gnarl blorb snarf quux"));
        assert!(diluted.reach.all > said.reach.all && diluted.by_text[&0] == said.by_text[&0]);
        assert_eq!(said.best(2), [0, 3], "of equal words the shorter text");
        assert_eq!(said.best(9).len(), 3);
    }

    #[test]
    fn a_file_is_used_for_its_texts_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.terms");
        let texts = ["state lock held", "disk full"];
        let made = KeywordIndex::kept(&path, "one", texts);
        let kept = KeywordIndex::kept(&path, "one", [] as [&str; 0]);
        let asked = Words::of("state lock");
        assert_eq!(kept.said(&asked), made.said(&asked));
        assert!(kept.said(&asked).by_text.contains_key(&0));
        assert!(KeywordIndex::kept(&path, "two", ["nothing"]).said(&asked).by_text.is_empty());
    }

    proptest! {
        /// The referee computes BM25 from its definition, text by text.
        #[test]
        fn equals_the_definition(
            texts in prop::collection::vec("(alpha |beta |gamma |delta ){0,8}", 1..6),
            query in "(alpha |beta |gamma |omega ){1,4}",
        ) {
            let said = KeywordIndex::new(&texts).said(&Words::of(&query));
            let split: Vec<Vec<String>> = texts.iter().map(|t| tokens(t)).collect();
            let mean = (split.iter().map(Vec::len).sum::<usize>() as f64 / split.len() as f64).max(1.0);
            let asked = tokens(&query);
            let mut words = asked.clone();
            words.sort();
            words.dedup();
            let mut most = 0.0f64;
            let mut sums = vec![0.0f64; split.len()];
            for word in &words {
                let holders = split.iter().filter(|t| t.contains(word)).count() as f64;
                let idf = (1.0 + (split.len() as f64 - holders + 0.5) / (holders + 0.5)).ln();
                let said = asked.iter().filter(|w| *w == word).count() as f64;
                let weight = (1.0 + said).log2();
                most += weight * if holders == 0.0 { 0.5 } else { 1.0 } * idf * 1.9;
                for (sum, text) in sums.iter_mut().zip(&split) {
                    let tf = text.iter().filter(|w| *w == word).count() as f64;
                    let norm = 0.9 * (0.5 + 0.5 * text.len() as f64 / mean);
                    *sum += if tf == 0.0 { 0.0 } else { weight * idf * tf * 1.9 / (tf + norm) };
                }
            }
            prop_assert!((f64::from(said.reach.all) - most).abs() < 1e-4);
            for (number, sum) in sums.iter().enumerate() {
                prop_assert!((f64::from(said.by_text.get(&number).copied().unwrap_or(0.0)) - sum).abs() < 1e-4);
            }
        }
    }
}
