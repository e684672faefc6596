//! Applies a delta to its base.

use super::GitError;

const BROKEN: GitError = GitError::Damaged("a delta");

/// The object that `delta` makes of `base`, of at most `limit` bytes.
pub(super) fn apply(base: &[u8], delta: &[u8], limit: usize) -> Result<Vec<u8>, GitError> {
    let mut rest = delta;
    if size(&mut rest)? != base.len() as u64 {
        return Err(BROKEN);
    }
    let want = size(&mut rest)?;
    if want > limit as u64 {
        return Err(GitError::Bound("an object"));
    }
    let want = want as usize;
    let mut out = Vec::with_capacity(want);
    while let Some((&op, after)) = rest.split_first() {
        rest = after;
        let piece = if op & 0x80 != 0 {
            let mut part = |bit: u8, shift: u32| -> Result<usize, GitError> {
                if op & bit == 0 {
                    return Ok(0);
                }
                let (&byte, after) = rest.split_first().ok_or(BROKEN)?;
                rest = after;
                Ok(usize::from(byte) << shift)
            };
            let at = part(1, 0)? | part(2, 8)? | part(4, 16)? | part(8, 24)?;
            let len = part(16, 0)? | part(32, 8)? | part(64, 16)?;
            let len = if len == 0 { 0x10000 } else { len };
            base.get(at..at + len).ok_or(BROKEN)?
        } else {
            let len = usize::from(op);
            let piece = rest.get(..len).filter(|piece| !piece.is_empty()).ok_or(BROKEN)?;
            rest = &rest[len..];
            piece
        };
        if piece.len() > want - out.len() {
            return Err(BROKEN);
        }
        out.extend_from_slice(piece);
    }
    if out.len() == want { Ok(out) } else { Err(BROKEN) }
}

/// Seven bits a byte, the lowest first.
fn size(rest: &mut &[u8]) -> Result<u64, GitError> {
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let (&byte, after) = rest.split_first().ok_or(BROKEN)?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(BROKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_inserts() {
        // Of 5 bytes make 8: copy 3 from 1, insert "xy", copy 3 from 0.
        let delta = [5, 8, 0x80 | 1 | 16, 1, 3, 2, b'x', b'y', 0x80 | 16, 3];
        assert_eq!(apply(b"abcde", &delta, 100).unwrap(), b"bcdxyabc");
        for cut in 0..delta.len() {
            assert!(apply(b"abcde", &delta[..cut], 100).is_err(), "{cut}");
        }
        assert!(apply(b"abcd", &delta, 100).is_err(), "another base");
        assert!(matches!(apply(b"abcde", &delta, 7), Err(GitError::Bound(_))));
        // A copy beyond the base, an empty insert, more than was announced, a size without end.
        assert!(apply(b"abcde", &[5, 3, 0x80 | 1 | 16, 4, 3], 100).is_err());
        assert!(apply(b"abcde", &[5, 1, 0, 1, b'x'], 100).is_err());
        assert!(apply(b"abcde", &[5, 1, 2, b'x', b'y'], 100).is_err());
        assert!(apply(b"abcde", &[0xff; 40], 100).is_err());
    }
}
