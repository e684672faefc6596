//! Where the parts of an image lie. Layout in `index/FORMAT.md`.

use crate::map::HEADER;
use std::ops::Range;

/// Bits of a posting that count; a document that holds the term this often or more has its count in the list of large
/// ones.
pub(super) const COUNT_BITS: u32 = 8;
pub(super) const LARGE_COUNT: u32 = (1 << COUNT_BITS) - 1;
/// Documents of an image: what the rest of a posting can number.
pub(super) const MAX_DOCUMENTS: usize = 1 << (32 - COUNT_BITS);

/// Bytes after the header that its checksum covers: the numbers below, filled up.
pub(super) const SEALED: usize = 128;
/// Numbers of 8 bytes in the sealed part.
pub(super) const NUMBERS: usize = 10;
/// Where the first part begins.
pub(super) const FIRST: usize = HEADER + SEALED;

/// How much of everything there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub documents: usize,
    pub terms: usize,
    pub postings: usize,
    /// Words of the forward list.
    pub forward: usize,
    /// Postings whose count does not fit into a posting.
    pub large: usize,
    /// The directory of terms has two to this many buckets.
    pub bits: usize,
}

/// Byte ranges of the parts within the file, in their order; each begins at a multiple of 64.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Places {
    pub forward: Range<usize>,
    pub ids: Range<usize>,
    pub lengths: Range<usize>,
    pub forward_starts: Range<usize>,
    pub hashes: Range<usize>,
    pub numbers: Range<usize>,
    pub directory: Range<usize>,
    pub posting_starts: Range<usize>,
    pub postings: Range<usize>,
    pub large: Range<usize>,
    /// Length of the file.
    pub bytes: usize,
}

impl Places {
    /// `None` where a damaged count gives a file that cannot be.
    pub fn of(counts: Counts) -> Option<Self> {
        let mut end = FIRST;
        let mut take = |count: usize, bytes: usize| -> Option<Range<usize>> {
            let start = end;
            let used = start.checked_add(count.checked_mul(bytes)?)?;
            end = used.checked_next_multiple_of(64)?;
            Some(start..used)
        };
        let buckets = u32::try_from(counts.bits).ok().and_then(|bits| 1usize.checked_shl(bits))?;
        Some(Self {
            forward: take(counts.forward, 4)?,
            ids: take(counts.documents, 8)?,
            lengths: take(counts.documents, 4)?,
            forward_starts: take(counts.documents.checked_add(1)?, 4)?,
            hashes: take(counts.terms, 8)?,
            numbers: take(counts.terms, 4)?,
            directory: take(buckets.checked_add(1)?, 4)?,
            posting_starts: take(counts.terms.checked_add(1)?, 4)?,
            postings: take(counts.postings, 4)?,
            large: take(counts.large, 12)?,
            bytes: end,
        })
    }
}

/// Bits of the directory of so many terms: some four terms a bucket.
pub(super) fn directory_bits(terms: usize) -> usize {
    (terms / 4).max(1).ilog2() as usize
}

/// The bucket of a term: its first bits.
pub(super) fn bucket(hash: u64, bits: usize) -> usize {
    hash.checked_shr(64 - bits as u32).unwrap_or(0) as usize
}
