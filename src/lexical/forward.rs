//! The forward list: each document's terms with their counts, as a record of 32-bit words.
//!
//! Numbers are given to terms in the order in which they are first met, so that common terms have low ones. Those below
//! 65,536 take two bytes, the others four: short enough, and read without decoding. A record holds how many there are
//! of both kinds, the long ones, the short ones, and a byte for the count of each, short ones first; the last two are
//! filled up to whole words. Within each kind terms are in the order of their numbers.

use super::layout::LARGE_COUNT;

/// A term of a document, by number, and how often the document holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TermCount {
    pub term: u32,
    pub count: u32,
}

/// Numbers of two bytes.
pub(super) const SHORT: u32 = 1 << 16;

/// Appends a document's record; its terms are in the order of their numbers. Counts that do not fit are cut to
/// [`LARGE_COUNT`].
pub(super) fn encode(terms: &[TermCount], out: &mut Vec<u32>) {
    let (short, long) = terms.split_at(terms.partition_point(|found| found.term < SHORT));
    out.extend([short.len() as u32, long.len() as u32]);
    out.extend(long.iter().map(|found| found.term));
    let mut packed = |bytes: &mut dyn Iterator<Item = u8>| {
        while let Some(first) = bytes.next() {
            let word = [first, bytes.next().unwrap_or(0), bytes.next().unwrap_or(0), bytes.next().unwrap_or(0)];
            out.push(u32::from_ne_bytes(word));
        }
    };
    packed(&mut short.iter().flat_map(|found| (found.term as u16).to_ne_bytes()));
    packed(&mut terms.iter().map(|found| found.count.min(LARGE_COUNT) as u8));
}

/// A document's terms, where they lie.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Record<'a> {
    /// Numbers below [`SHORT`].
    pub short: &'a [u16],
    /// The others.
    pub long: &'a [u32],
    /// Counts, those of short numbers first.
    pub counts: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record of these words; an empty one if they are none.
    pub fn of(words: &'a [u32]) -> Self {
        Self::read(words).unwrap_or_default()
    }

    fn read(words: &'a [u32]) -> Option<Self> {
        let (&[short, long], rest) = words.split_first_chunk()?;
        let (long, rest) = rest.split_at_checked(long as usize)?;
        let rest: &[u16] = bytemuck::try_cast_slice(rest).ok()?;
        let (short, rest) = rest.split_at_checked(short as usize)?;
        // Two bytes fill the short numbers up to whole words where they are odd.
        let rest = rest.get(short.len() % 2..)?;
        let counts: &[u8] = bytemuck::try_cast_slice(rest).ok()?;
        Some(Self { short, long, counts: counts.get(..short.len() + long.len())? })
    }

    /// The terms in the order of their numbers, with the counts that are in the record.
    pub fn terms(self) -> impl Iterator<Item = TermCount> {
        let numbers = self.short.iter().map(|term| u32::from(*term)).chain(self.long.iter().copied());
        numbers.zip(self.counts).map(|(term, count)| TermCount { term, count: u32::from(*count) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_encoded_is_read(
            terms in proptest::collection::btree_map(prop_oneof![0u32..99, any::<u32>()], 1u32..300, 0..40),
        ) {
            let terms: Vec<TermCount> = terms.into_iter().map(|(term, count)| TermCount { term, count }).collect();
            let mut words = Vec::new();
            encode(&terms, &mut words);
            let cut: Vec<TermCount> = terms.iter().map(|t| TermCount { count: t.count.min(255), ..*t }).collect();
            prop_assert_eq!(Record::of(&words).terms().collect::<Vec<_>>(), cut);
            for end in 0..words.len() {
                prop_assert_eq!(Record::of(&words[..end]).terms().count(), 0);
            }
        }

        #[test]
        fn any_words_are_read_within_bounds(
            words in proptest::collection::vec(prop_oneof![0u32..9, any::<u32>()], 0..30),
        ) {
            prop_assert!(Record::of(&words).terms().count() <= 4 * words.len());
        }
    }
}
