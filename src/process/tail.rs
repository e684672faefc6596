//! The end of what a program prints: it may print without end.

use std::io::Read;

/// Bytes that are kept.
const KEPT: usize = 64 << 10;

/// Reads to the end and keeps the last bytes.
pub(super) fn read(mut from: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0; 8 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        if kept.len() > 2 * KEPT {
            kept.drain(..kept.len() - KEPT);
        }
    }
    kept.drain(..kept.len().saturating_sub(KEPT));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept() {
        assert_eq!(read(&b"short"[..]), b"short");
        let mut long = vec![b'a'; 5 * KEPT];
        long.extend(b"end");
        let kept = read(&long[..]);
        assert!(kept.len() == KEPT && kept.ends_with(b"aend"));
    }
}
