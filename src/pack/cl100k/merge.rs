//! Byte pair encoding (Sennrich, Haddow and Birch, 2016): of two neighbouring parts those that make the token of the
//! lowest rank are merged, the first of equals first, until no two make a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Merges the bytes of a piece, and gives the number of tokens. Takes `n log n` steps for `n` bytes.
pub(super) fn merged(piece: &[u8], rank: impl Fn(&[u8]) -> Option<u32>) -> usize {
    // The part that begins at `i` ends at `end[i]`, which is 0 if none begins there any more. The part before it begins
    // at `before[i]`.
    let mut end: Vec<usize> = (1..=piece.len()).collect();
    let mut before: Vec<usize> = (0..piece.len()).map(|at| at.saturating_sub(1)).collect();
    let pair = |start: usize, end: usize| rank(&piece[start..end]).map(|rank| Reverse((rank, start, end)));
    let mut pairs: BinaryHeap<_> = (2..=piece.len()).filter_map(|at| pair(at - 2, at)).collect();
    let mut count = piece.len();
    while let Some(Reverse((_, start, stop))) = pairs.pop() {
        let middle = end[start];
        // One of the two has been merged with another since.
        if middle == 0 || middle == piece.len() || end[middle] != stop {
            continue;
        }
        (end[start], end[middle]) = (stop, 0);
        count -= 1;
        if stop < piece.len() {
            before[stop] = start;
            pairs.extend(pair(start, end[stop]));
        }
        if start > 0 {
            pairs.extend(pair(before[start], stop));
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One pass over all pairs for each merge.
    fn naive(piece: &[u8], rank: impl Fn(&[u8]) -> Option<u32>) -> usize {
        let mut parts: Vec<&[u8]> = piece.chunks(1).collect();
        let mut starts: Vec<usize> = (0..piece.len()).collect();
        loop {
            let both = |at: usize| &piece[starts[at]..starts[at + 1] + parts[at + 1].len()];
            let best = (0..parts.len().saturating_sub(1)).filter_map(|at| Some((rank(both(at))?, at))).min();
            let Some((_, at)) = best else { return parts.len() };
            parts[at] = both(at);
            parts.remove(at + 1);
            starts.remove(at + 1);
        }
    }

    proptest! {
        #[test]
        fn merges_are_those_of_the_definition(
            piece in prop::collection::vec(prop::sample::select(b"abc".as_slice()), 0..40),
            seed in any::<u32>(),
        ) {
            // Two thirds of all strings are tokens, of ranks that often are equal.
            let rank = |bytes: &[u8]| {
                let hash = bytes.iter().fold(seed, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
                (hash % 3 > 0).then_some(hash >> 4 & 15)
            };
            prop_assert_eq!(merged(&piece, rank), naive(&piece, rank));
        }
    }
}
