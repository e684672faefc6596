//! Rows of bytes with their scales, and what is compared with them.
//!
//! A row is what [`crate::vector::encode_row`] makes: bytes around 128, and a scale. A walk compares it with one byte a
//! component, half of what an exact scan reads of the query; the callers compare what is found once more, with the
//! vectors.

use super::MOST_ROWS;
use crate::vector::code_stride;
use crate::vector::simd::Isa;

/// The byte of zero in a row.
const ZERO: u8 = 128;

/// Rows of bytes, each with its scale.
#[derive(Debug, Clone, Copy)]
pub struct CodeRows<'a> {
    bytes: &'a [u8],
    scales: &'a [f32],
    stride: usize,
    isa: Isa,
}

impl<'a> CodeRows<'a> {
    /// Rows of `dims` components as [`crate::vector::encode_row`] wrote them, `code_stride(dims)` bytes each; `None`
    /// when the lengths do not fit, or there are 2^31 rows or more.
    pub fn new(bytes: &'a [u8], scales: &'a [f32], dims: usize) -> Option<Self> {
        let stride = code_stride(dims);
        let fits = dims > 0 && dims <= 1 << 16 && scales.len() <= MOST_ROWS;
        (fits && bytes.len() == scales.len().checked_mul(stride)?).then_some(Self {
            bytes,
            scales,
            stride,
            isa: Isa::detect(),
        })
    }

    /// The same rows, compared with these instructions.
    #[cfg(test)]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    #[inline]
    fn row(&self, row: u32) -> &'a [u8] {
        self.bytes.get(row as usize * self.stride..).and_then(|from| from.get(..self.stride)).unwrap_or_default()
    }

    /// Asks for a row's bytes and scale, which are about to be compared.
    #[inline]
    pub(super) fn prefetch(&self, row: u32) {
        self.isa.prefetch(self.row(row));
        self.isa.prefetch(self.scales.get(row as usize..=row as usize).unwrap_or_default());
    }

    #[inline]
    pub(super) fn prefetch_links(&self, links: &[u32]) {
        self.isa.prefetch(links);
    }

    /// How near each of these rows, all of which exist, is to the probe: `similarities` become as many as the rows.
    pub(super) fn compare(&self, probe: &Probe, rows: &[u32], room: &mut Compared) {
        if room.sums.len() < rows.len() {
            room.sums.resize(rows.len(), 0);
        }
        room.similarities.clear();
        if probe.codes.len() != self.stride {
            return room.similarities.resize(rows.len(), f32::NEG_INFINITY);
        }
        let sums = &mut room.sums[..rows.len()];
        self.isa.dot_gather(self.bytes, rows, &probe.codes, sums);
        for (at, row) in rows.iter().enumerate() {
            let near = (sums[at] - probe.zeros) as f32 * (self.scales[*row as usize] * probe.step);
            room.similarities.push(near);
        }
    }

    /// How near one row is; one that does not exist is further than all.
    pub(super) fn similarity(&self, probe: &Probe, row: u32) -> f32 {
        let mut room = Compared::default();
        if (row as usize) < self.len() {
            self.compare(probe, &[row], &mut room);
        }
        room.similarities.first().copied().unwrap_or(f32::NEG_INFINITY)
    }
}

/// Room for comparisons.
#[derive(Debug, Default)]
pub(super) struct Compared {
    sums: Vec<i32>,
    pub similarities: Vec<f32>,
}

/// What rows are compared with, in one byte a component: a query, or a row.
#[derive(Debug, Clone, Default)]
pub struct Probe {
    codes: Vec<i8>,
    step: f32,
    /// What the zeros of a row add to its sum.
    zeros: i32,
}

impl Probe {
    /// Rounds a query to 127 levels on both sides of zero.
    pub fn of_query(query: &[f32]) -> Self {
        let most = query.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let step = if most > 0.0 && most.is_finite() { most / 127.0 } else { 1.0 };
        // Half is added and the rest cut off: a call of `round` for each component would take a twentieth of a search.
        let level = |x: &f32| ((x / step + 128.5) as i32 - i32::from(ZERO)) as i8;
        let mut codes: Vec<i8> = query.iter().map(level).collect();
        codes.resize(code_stride(query.len()), 0);
        let mut made = Self { codes, step, zeros: 0 };
        made.count_zeros();
        made
    }

    /// A row as a query. One that does not exist is like nothing.
    pub fn of_row(rows: &CodeRows<'_>, row: u32) -> Self {
        let mut made = Self::default();
        made.set_row(rows, row);
        made
    }

    /// Becomes a row.
    pub(super) fn set_row(&mut self, rows: &CodeRows<'_>, row: u32) {
        self.codes.clear();
        self.codes.extend(rows.row(row).iter().map(|byte| (byte ^ ZERO) as i8));
        self.step = rows.scales.get(row as usize).copied().unwrap_or(0.0);
        self.count_zeros();
    }

    fn count_zeros(&mut self) {
        self.zeros = i32::from(ZERO) * self.codes.iter().map(|x| i32::from(*x)).sum::<i32>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::encode_row;
    use proptest::prelude::*;

    proptest! {
        /// The referee multiplies in double precision; rounding to bytes takes at most half a step of each side.
        #[test]
        fn comparisons_are_near_the_dot_product(
            dims in 1usize..140, values in prop::collection::vec(-1.0f32..1.0, 420),
        ) {
            let (query, one, two) = (&values[..dims], &values[140..140 + dims], &values[280..280 + dims]);
            let stride = code_stride(dims);
            let mut bytes = vec![0; 2 * stride];
            let mut rests = vec![0; one.len()];
            let scales = [
                encode_row(one, &mut bytes[..stride], &mut rests).0,
                encode_row(two, &mut bytes[stride..], &mut rests).0,
            ];
            let rows = CodeRows::new(&bytes, &scales, dims).unwrap();
            let real = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
            let bound = dims as f64 / 127.0 * 1.01 + 1e-4;
            let mut room = Compared::default();
            rows.compare(&Probe::of_query(query), &[1, 0, 1], &mut room);
            for (found, row) in room.similarities.iter().zip([two, one, two]) {
                prop_assert!((f64::from(*found) - real(query, row)).abs() < bound);
            }
            rows.compare(&Probe::of_row(&rows, 0), &[1], &mut room);
            let there = room.similarities[0];
            rows.compare(&Probe::of_row(&rows, 1), &[0], &mut room);
            prop_assert_eq!(there.to_bits(), room.similarities[0].to_bits());
        }
    }

    #[test]
    fn lengths_that_do_not_fit() {
        assert!(CodeRows::new(&[0; 64], &[1.0, 1.0], 3).is_none());
        assert!(CodeRows::new(&[0; 64], &[1.0], 0).is_none());
        assert!(CodeRows::new(&[], &[], 3).unwrap().len() == 0);
        let rows = CodeRows::new(&[0; 64], &[1.0], 3).unwrap();
        let mut room = Compared::default();
        rows.compare(&Probe::of_query(&[1.0; 65]), &[0], &mut room);
        assert_eq!(room.similarities, [f32::NEG_INFINITY], "a vector of another model is like nothing");
        assert_eq!(rows.with_isa(Isa::detect()).len(), 1);
    }
}
