//! SHA-256 of bytes and files, as lower-case hex.

use super::EmbedError;
use crate::map::open::{self, Links};
use crate::types::limits::{TOKENIZER, WEIGHTS};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

/// A digest in the making.
#[derive(Clone, Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn hex(self) -> String {
        let mut hex = String::with_capacity(64);
        for byte in self.0.finalize() {
            let _ = write!(hex, "{byte:02x}"); // Writing to a String cannot fail.
        }
        hex
    }
}

pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    let mut hasher = Hasher::default();
    hasher.update(bytes);
    hasher.hex()
}

pub(crate) fn of_file(path: &Path) -> Result<String, EmbedError> {
    // Nobody waits for gigabytes of what could not be used: all but weights is JSON.
    let limit = if path.extension().is_some_and(|e| e == "json") { TOKENIZER } else { WEIGHTS };
    let (mut file, _) = open::open_limited(path, Links::Follow, limit).map_err(EmbedError::io(path))?;
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer).map_err(EmbedError::io(path))? {
            0 => return Ok(hasher.hex()),
            n => hasher.update(&buffer[..n]),
        }
    }
}

/// Whether `text` can be a SHA-256: 64 lower-case hex digits.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_like_the_standard() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of_bytes(b""), empty);
        assert_eq!(of_bytes(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(is_sha256(empty) && !is_sha256(&empty.to_uppercase()) && !is_sha256("00"));
    }
}
