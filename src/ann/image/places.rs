//! Where the parts of a file of vectors lie, by their numbers.

use crate::map::HEADER;
use crate::vector::code_stride;
use std::ops::Range;

/// Bytes of the sealed part: numbers, certificate, and the digest of the model's fingerprint.
pub(super) const SEALED: usize = 256;
/// Where they begin in it.
pub(super) const CERTIFICATE: usize = 96;
pub(super) const MODEL: usize = 192;
/// Numbers at its beginning.
pub(super) const NUMBERS: usize = 12;
/// Parts begin at multiples of this.
pub(super) const ALIGN: usize = 64;

/// How many there are of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub dims: usize,
    pub rows: usize,
    pub links: usize,
    /// Links of a node of the graph; 0 without one.
    pub m: usize,
    /// Layers of the graph above the lowest, and the numbers that these take.
    pub layers: usize,
    pub upper: usize,
}

/// Where the parts lie.
#[derive(Debug)]
pub(super) struct Places {
    pub count: Counts,
    pub hashes: Range<usize>,
    pub checks: Range<usize>,
    pub scales: Range<usize>,
    /// Row by row, where its links begin in `by_row`.
    pub starts: Range<usize>,
    pub by_row: Range<usize>,
    pub owners: Range<usize>,
    pub parts: Range<usize>,
    pub link_rows: Range<usize>,
    pub codes: Range<usize>,
    pub rests: Range<usize>,
    pub layers: Range<usize>,
    pub upper: Range<usize>,
    pub base: Range<usize>,
    pub bytes: usize,
}

impl Places {
    /// `None` when the numbers cannot be those of a file.
    pub fn of(count: Counts) -> Option<Self> {
        let Counts { dims, rows, links, m, layers, upper } = count;
        let mut end = HEADER + SEALED;
        let mut take = |count: usize, size: usize| -> Option<Range<usize>> {
            let start = end.checked_next_multiple_of(ALIGN)?;
            end = start.checked_add(count.checked_mul(size)?)?;
            Some(start..end)
        };
        if rows > u32::MAX as usize || links > u32::MAX as usize || dims > 1 << 16 || m > 1 << 10 {
            return None;
        }
        Some(Self {
            count,
            hashes: take(rows, 16)?,
            checks: take(rows, 8)?,
            scales: take(rows, 4)?,
            starts: take(rows + 1, 4)?,
            by_row: take(links, 4)?,
            owners: take(links, 8)?,
            parts: take(links, 4)?,
            link_rows: take(links, 4)?,
            codes: take(rows, code_stride(dims))?,
            rests: take(rows.checked_mul(dims)?, 2)?,
            layers: take(layers, 4)?,
            upper: take(upper, 4)?,
            base: take(rows.checked_mul(2 * m)?, 4)?,
            bytes: end.checked_next_multiple_of(ALIGN)?,
        })
    }
}
