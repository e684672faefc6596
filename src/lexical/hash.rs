//! Terms as 64-bit hashes: no index keeps the words of a text, and among millions of terms two with one hash are not to
//! be expected (at five million: once in a million indexes).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The hash of a term: FNV-1a, mixed once more so that its low bits are as good as its high ones. Stored in files:
/// another hash is another format.
pub(super) fn term_hash(term: &str) -> u64 {
    let raw = term
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (raw ^ (raw >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Tells a term of a heading from the same term of a text.
const HEADING: u64 = 0xA24B_AED4_963E_E407;

/// The hash of a term as one of a text's heading; stored like the other.
pub(super) fn heading_hash(term: &str) -> u64 {
    term_hash(term) ^ HEADING
}

/// A map from term hashes.
pub(super) type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Identity>>;

/// A hasher for keys that are hashes already.
#[derive(Debug, Default, Clone)]
pub(super) struct Identity(u64);

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
