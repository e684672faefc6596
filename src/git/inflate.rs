//! Unpacks zlib streams, only as far as somebody wants to read and never beyond a bound.

use super::GitError;
use flate2::{Decompress, FlushDecompress, Status};

/// Bytes that are unpacked at first: the head of a commit with two parents is in them.
const FIRST: usize = 256;
/// What a stream costs beside its bytes.
const STREAM: usize = 1 << 10;
/// For who stops at the head of an object, whatever its length: the work is bounded all the same.
pub(super) const UNBOUNDED: usize = usize::MAX >> 2;

/// One decompressor for many streams.
#[derive(Debug)]
pub(super) struct Inflater {
    zlib: Decompress,
    /// What may still be unpacked, in bytes, over all streams.
    left: u64,
}

impl Inflater {
    /// `work` is how many bytes it unpacks in its life.
    pub fn new(work: u64) -> Self {
        Self { zlib: Decompress::new(true), left: work }
    }

    /// Takes from what may still be done.
    pub fn spend(&mut self, bytes: usize) -> Result<(), GitError> {
        self.left = self.left.checked_sub(bytes as u64).ok_or(GitError::Bound("the work"))?;
        Ok(())
    }

    /// Unpacks into `out` until it holds `enough`, the stream ends, or there is more than `limit`; true at the end.
    pub fn unpack(
        &mut self,
        packed: &[u8],
        limit: usize,
        out: &mut Vec<u8>,
        mut enough: impl FnMut(&[u8]) -> bool,
    ) -> Result<bool, GitError> {
        self.spend(STREAM)?;
        self.zlib.reset(true);
        out.clear();
        let (mut taken, mut filled) = (0, 0);
        loop {
            if filled == out.len() {
                if filled > limit {
                    return Err(GitError::Bound("an object"));
                }
                // One byte more than allowed shows what is too long.
                out.resize((filled * 2).clamp(FIRST, limit.max(FIRST) + 1), 0);
            }
            let (before_in, before_out) = (self.zlib.total_in(), self.zlib.total_out());
            let status = self.zlib.decompress(&packed[taken..], &mut out[filled..], FlushDecompress::None);
            let status = status.map_err(|_| GitError::Damaged("a packed object"))?;
            let read = (self.zlib.total_in() - before_in) as usize;
            let wrote = (self.zlib.total_out() - before_out) as usize;
            taken += read;
            filled += wrote;
            self.spend(wrote)?;
            let ended = status == Status::StreamEnd;
            if ended || enough(&out[..filled]) {
                out.truncate(filled);
                return if filled > limit { Err(GitError::Bound("an object")) } else { Ok(ended) };
            }
            if read == 0 && wrote == 0 {
                return Err(GitError::Damaged("a packed object"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn no_more_than_was_asked_for() {
        let bytes: Vec<u8> = (0..10_000u32).map(|i| (i % 251) as u8).collect();
        let stream = packed(&bytes);
        let mut out = Vec::new();
        let mut inflater = Inflater::new(1 << 20);
        assert!(inflater.unpack(&stream, 10_000, &mut out, |_| false).unwrap());
        assert_eq!(out, bytes);
        assert!(!inflater.unpack(&stream, 10_000, &mut out, |some| some.len() >= 300).unwrap());
        assert!(out.len() >= 300 && out.len() < 2000 && bytes.starts_with(&out));
        assert!(matches!(inflater.unpack(&stream, 9_999, &mut out, |_| false), Err(GitError::Bound(_))));
        let cut = inflater.unpack(&stream[..stream.len() / 2], 10_000, &mut out, |_| false);
        assert!(matches!(cut, Err(GitError::Damaged(_))), "{cut:?}");
        assert!(inflater.unpack(b"no zlib at all", 10_000, &mut out, |_| false).is_err());
        assert!(inflater.unpack(&[], 10_000, &mut out, |_| false).is_err());
    }

    #[test]
    fn a_bomb_stops_at_the_bound_of_an_object_or_of_all_work() {
        let bomb = packed(&vec![0; 50 << 20]);
        let mut out = Vec::new();
        let mut inflater = Inflater::new(3 << 20);
        let found = inflater.unpack(&bomb, 1 << 20, &mut out, |_| false);
        assert!(matches!(found, Err(GitError::Bound("an object"))), "{found:?}");
        assert!(out.len() <= (1 << 20) + 1);
        let found = inflater.unpack(&bomb, 40 << 20, &mut out, |_| false);
        assert!(matches!(found, Err(GitError::Bound("the work"))), "{found:?}");
    }
}
