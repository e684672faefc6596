//! The forward list: each document's terms with their counts, as bytes.
//!
//! Terms are in the order of their numbers. Each is the distance from the one before (the first: from 0), shifted left by
//! one with a bit that says whether a count follows; without one the count is 1. Both are written seven bits a byte, low
//! ones first, the high bit set on all but the last. Numbers are given in the order in which terms are first met, so that
//! common terms have low ones and most entries take two bytes.

/// A term of a document, by number, and how often the document holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TermCount {
    pub term: u32,
    pub count: u32,
}

/// Appends a document's terms, which are in the order of their numbers.
pub(super) fn encode(terms: &[TermCount], out: &mut Vec<u8>) {
    let mut last = 0;
    for &TermCount { term, count } in terms {
        write(u64::from(term.wrapping_sub(last)) << 1 | u64::from(count > 1), out);
        if count > 1 {
            write(u64::from(count), out);
        }
        last = term;
    }
}

fn write(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The terms of a document. Whatever the bytes are, it ends with them: every entry takes one byte at least.
#[derive(Debug, Clone)]
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
    last: u32,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, last: 0 }
    }

    #[inline]
    fn read(&mut self) -> Option<u64> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        let mut number = u64::from(first & 0x7f);
        let mut shift = 7;
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            // No number that was written takes more than five bytes.
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }
}

impl Iterator for Decoder<'_> {
    type Item = TermCount;

    #[inline]
    fn next(&mut self) -> Option<TermCount> {
        let entry = self.read()?;
        self.last = self.last.wrapping_add((entry >> 1) as u32);
        let count = if entry & 1 == 1 { self.read()? as u32 } else { 1 };
        Some(TermCount { term: self.last, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(terms in proptest::collection::btree_map(any::<u32>(), 1u32.., 0..40)) {
            let terms: Vec<TermCount> = terms.into_iter().map(|(term, count)| TermCount { term, count }).collect();
            let mut bytes = Vec::new();
            encode(&terms, &mut bytes);
            prop_assert_eq!(Decoder::new(&bytes).collect::<Vec<_>>(), terms);
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            prop_assert!(Decoder::new(&bytes).count() <= bytes.len());
        }
    }
}
