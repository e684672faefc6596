//! SHA-256 and its hexadecimal form: the one hash of the project.

use sha2::{Digest, Sha256};

/// SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// SHA-256 of `bytes` as 64 lower-case hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

/// Lower-case hex digits of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// The first 16 bytes of the SHA-256 of a text: what vectors are kept by.
pub type TextHash = [u8; 16];

/// Hashes a text.
pub fn text_hash(text: &str) -> TextHash {
    let mut out = [0; 16];
    out.copy_from_slice(&sha256(text.as_bytes())[..16]);
    out
}
