//! The ranks of tokens: a hash table with open addressing, the same in memory and in its file (`index/FORMAT.md`).

use crate::map::{Bytes, HEADER, Label, write_aside};
use crate::text::sha256_hex;
use std::fmt;
use std::path::Path;
use tiktoken_rs::cl100k_base_singleton;

/// Version of the layout.
const FORMAT: u32 = 1;
/// Tokens of the encoding that stand for bytes. Their ranks are 0 to this.
const TOKENS: usize = 100_256;
/// Slots of the table, a power of two; two fifths are taken.
const SLOTS: usize = 1 << 18;
/// Where the slots end and the ends of the tokens begin, in bytes.
const ENDS: usize = HEADER + 4 * SLOTS;
/// Where the tokens' bytes begin, one token behind the other.
const TEXTS: usize = ENDS + 4 * TOKENS;

/// The table.
pub(super) struct Table(Bytes);

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").finish_non_exhaustive()
    }
}

impl Table {
    /// The table of the file, or one that is made, and written there.
    pub(super) fn open_or_make(kept: Option<&Path>) -> Self {
        let label = Label::new(b"KENRANKS", FORMAT, &sha256_hex(b"cl100k_base"));
        if let Some(bytes) = kept.and_then(|path| label.open(path)).filter(|bytes| bytes.get().len() >= TEXTS) {
            return Self(bytes);
        }
        let bytes = label.seal(made());
        if let Some(path) = kept {
            // Where it cannot be written it is made again, which takes longer and no more.
            drop(write_aside(path, bytes.get()));
        }
        Self(bytes)
    }

    /// The rank of a token; none if these bytes are none.
    pub(super) fn rank(&self, token: &[u8]) -> Option<u32> {
        let bytes = self.0.get();
        let mut at = hash(token);
        loop {
            let rank = number(bytes, HEADER + 4 * (at % SLOTS))?.checked_sub(1)?;
            let end = |rank: u32| number(bytes, ENDS + 4 * rank as usize);
            let start = rank.checked_sub(1).map_or(Some(0), end)? as usize;
            if bytes.get(TEXTS + start..TEXTS + end(rank)? as usize)? == token {
                return Some(rank);
            }
            at = at.wrapping_add(1);
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

/// FNV-1a, folded.
fn hash(token: &[u8]) -> usize {
    let mixed = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = token.iter().fold(0xcbf2_9ce4_8422_2325, mixed);
    (hash ^ hash >> 29) as usize
}

/// Header and body, the header empty.
fn made() -> Vec<u64> {
    let encoding = cl100k_base_singleton();
    let (mut slots, mut ends, mut texts) = (vec![0u32; SLOTS], Vec::with_capacity(TOKENS), Vec::new());
    for rank in 0..TOKENS as u32 {
        let token = encoding.decode_bytes(&[rank]).unwrap_or_default();
        let mut at = hash(&token) % SLOTS;
        while slots[at] != 0 {
            at = (at + 1) % SLOTS;
        }
        slots[at] = rank + 1;
        texts.extend(token);
        ends.push(texts.len() as u32);
    }
    let mut words = vec![0u64; (TEXTS + texts.len()).div_ceil(8)];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    let numbers = slots.into_iter().chain(ends);
    bytes[HEADER..TEXTS].as_chunks_mut::<4>().0.iter_mut().zip(numbers).for_each(|(to, from)| *to = from.to_le_bytes());
    bytes[TEXTS..TEXTS + texts.len()].copy_from_slice(&texts);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_serves_as_what_was_made_and_a_damaged_one_is_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cl100k.ranks");
        let first = Table::open_or_make(Some(&path));
        let kept = std::fs::read(&path).unwrap();
        assert_eq!(kept, first.0.get());
        let again = Table::open_or_make(Some(&path));
        for token in [&b"!"[..], b" the", b"zzzz", b"\xff", b" unrelated", b""] {
            assert_eq!(first.rank(token), again.rank(token), "{token:?}");
        }
        // The first token of the encoding's published list, and one of its last.
        assert_eq!((again.rank(b"!"), again.rank(b" Conveyor")), (Some(0), Some(100_255)));
        let mut damaged = kept.clone();
        damaged[HEADER + 77] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(Table::open_or_make(Some(&path)).rank(b"!"), Some(0));
        assert_eq!(std::fs::read(&path).unwrap(), kept);
    }
}
