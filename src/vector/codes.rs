//! Vectors as bytes with a scale, and how far off a comparison of bytes can be.
//!
//! A row `x` is quantised to bytes `c`, `x = scale * (c - 128) + e`. The residual `e` is kept in two more bytes a
//! component, `e = scale / 65536 * (r - 32768)`, so that three bytes are as fine as an f32 beside the row's largest
//! component. The residual's norm is called the row's slack. A query `q` is quantised to two bytes a component,
//! `q = step * (256 * high + low) + f`. By the Cauchy-Schwarz inequality the dot product of the bytes differs from the
//! real one by at most `slack * |q| + |f| * |x - e|`. So a search knows which rows cannot be among the nearest without
//! reading their residuals.

use super::dot;
use super::simd::{Isa, SplitQuery};

/// A row of bytes is as long as its vector, rounded up to a multiple of this.
const STRIDE: usize = 64;
/// The byte that stands for zero.
const ZERO: u8 = 128;

/// Bytes of a row of `dims` components.
pub fn code_stride(dims: usize) -> usize {
    dims.next_multiple_of(STRIDE)
}

/// Steps of a residual within one step of a byte.
const STEPS: i32 = 65_536;
/// The two bytes of a residual of zero.
const ZERO_RESIDUAL: i32 = 32_768;
/// The greatest number of steps of a query: what two bytes hold on both sides of zero.
const GREATEST: f32 = 32_512.0;

/// Quantises a row: `code_stride` bytes into `out`, `row.len()` residuals into `residuals`. Returns the row's scale and
/// slack.
pub fn encode_row(row: &[f32], out: &mut [u8], residuals: &mut [u16]) -> (f32, f32) {
    let most = row.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    out.fill(ZERO);
    residuals.fill(ZERO_RESIDUAL as u16);
    if most == 0.0 || !most.is_finite() {
        return (0.0, norm(row.iter().copied()));
    }
    let scale = scale_of(most);
    for ((x, code), residual) in row.iter().zip(out.iter_mut()).zip(residuals.iter_mut()) {
        let steps = (f64::from(*x) / f64::from(scale) * f64::from(STEPS)).round() as i32;
        let steps = steps.clamp(-127 * STEPS, 127 * STEPS) + ZERO_RESIDUAL;
        *code = (steps.div_euclid(STEPS) + i32::from(ZERO)) as u8;
        *residual = steps.rem_euclid(STEPS) as u16;
    }
    let left = residuals.iter().map(|residual| scale / STEPS as f32 * (i32::from(*residual) - ZERO_RESIDUAL) as f32);
    // Rounded up, because the bound must hold for the rounded values.
    (scale, norm(left) * 1.0001)
}

/// The scale of a row: the greatest number of which 127 are no more than the row's greatest component. A row that was
/// written and read has the same, so that writing it again changes nothing.
fn scale_of(most: f32) -> f32 {
    let mut scale = most / 127.0;
    while 127.0 * scale > most {
        scale = scale.next_down();
    }
    while 127.0 * scale.next_up() <= most {
        scale = scale.next_up();
    }
    scale
}

/// The row that [`encode_row`] wrote, to within `scale / 131072` a component.
pub fn decode_row(codes: &[u8], residuals: &[u16], scale: f32, out: &mut Vec<f32>) {
    let step = scale / STEPS as f32;
    let whole =
        |code: u8, residual: u16| (i32::from(code) - i32::from(ZERO)) * STEPS + i32::from(residual) - ZERO_RESIDUAL;
    out.clear();
    // At most 24 bits, which an f32 holds exactly.
    out.extend(codes.iter().zip(residuals).map(|(code, residual)| whole(*code, *residual) as f32 * step));
}

/// Dot product of a query and the row that [`encode_row`] wrote, without decoding it into memory.
///
/// # Panics
/// When the lengths differ.
pub fn dot_encoded(isa: Isa, query: &[f32], codes: &[u8], rests: &[u16], scale: f32) -> f32 {
    isa.dot_row(query, codes, rests, scale / STEPS as f32)
}

fn norm(values: impl Iterator<Item = f32>) -> f32 {
    values.map(|x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32
}

/// A query in two bytes a component, ready to be compared with rows of bytes.
#[derive(Debug)]
pub struct QueryCodes {
    high: Vec<i8>,
    low: Vec<i8>,
    step: f32,
    /// What the zeros of a row add to its sums with the upper and the lower bytes.
    zeros: [i32; 2],
    norm: f32,
    /// Norm of the query's residual.
    residual: f32,
}

impl QueryCodes {
    /// Splits a query.
    pub fn new(query: &[f32]) -> Self {
        let stride = code_stride(query.len());
        let (mut high, mut low) = (vec![0i8; stride], vec![0i8; stride]);
        let most = query.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let step = if most > 0.0 && most.is_finite() { most / GREATEST } else { 1.0 };
        let mut left = vec![0.0; query.len()];
        for (((x, left), high), low) in query.iter().zip(&mut left).zip(&mut high).zip(&mut low) {
            // Half is added and the rest cut off, which takes a tenth of what a call of `round` does.
            let whole = ((x / step).clamp(-GREATEST, GREATEST) + GREATEST + 0.5) as i32 - GREATEST as i32;
            let upper = (whole + 128) >> 8;
            (*high, *low) = (upper as i8, (whole - 256 * upper) as i8);
            *left = x - step * whole as f32;
        }
        let zeros = |part: &[i8]| i32::from(ZERO) * part.iter().map(|x| i32::from(*x)).sum::<i32>();
        let length = |values: &[f32]| dot(values, values).sqrt() * 1.0001;
        Self { zeros: [zeros(&high), zeros(&low)], norm: length(query), residual: length(&left), high, low, step }
    }

    /// Greatest error of a comparison with rows of at most this slack and norm, rounding of floats included.
    pub fn error(&self, slack: f32, longest: f32) -> f32 {
        slack * self.norm + self.residual * (longest + slack) + 1e-5 * self.norm.max(1.0) * longest.max(1.0)
    }

    fn split(&self) -> SplitQuery<'_> {
        SplitQuery { high: &self.high, low: &self.low, zeros: self.zeros, step: self.step }
    }

    /// Compares some rows of bytes, by their numbers, all of which exist; otherwise like [`QueryCodes::compare`].
    pub fn compare_some(&self, isa: Isa, codes: &[u8], scales: &[f32], rows: &[u32], out: &mut [f32]) {
        isa.similarities_of(codes, scales, self.split(), rows, out);
    }

    /// Compares as many rows of bytes, from the first on, as `out` has places: about the dot product of each with the
    /// query.
    pub fn compare(&self, isa: Isa, codes: &[u8], scales: &[f32], out: &mut [f32]) {
        isa.similarities(codes, scales, self.split(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The referee compares in double precision; the bound must hold for every row.
        #[test]
        fn a_comparison_is_never_further_off_than_its_bound(
            dims in 1usize..150,
            values in prop::collection::vec(-1.0f32..1.0, 150 * 3),
            scale in 0.001f32..50.0,
        ) {
            let query = &values[..dims];
            let codes = QueryCodes::new(query);
            let stride = code_stride(dims);
            let rows: Vec<Vec<f32>> =
                (1..3).map(|i| values[150 * i..150 * i + dims].iter().map(|x| x * scale).collect()).collect();
            let (mut bytes, mut scales, mut slack, mut longest) = (vec![0; 2 * stride], vec![], 0.0f32, 0.0f32);
            let (mut residuals, mut back) = (vec![0; dims], Vec::new());
            for (row, out) in rows.iter().zip(bytes.chunks_mut(stride)) {
                let (scale, one) = encode_row(row, out, &mut residuals);
                decode_row(out, &residuals, scale, &mut back);
                let most = row.iter().fold(0.0f32, |most, x| most.max(x.abs()));
                prop_assert!(back.len() == dims && row.iter().zip(&back).all(|(a, b)| (a - b).abs() <= most * 2e-7));
                let (mut again, mut residuals_again) = (vec![0; stride], vec![0; dims]);
                prop_assert_eq!(encode_row(&back, &mut again, &mut residuals_again).0.to_bits(), scale.to_bits());
                prop_assert!(again == *out && residuals_again == residuals);
                scales.push(scale);
                slack = slack.max(one);
                longest = longest.max(norm(row.iter().copied()));
            }
            let mut found = [0.0; 2];
            codes.compare(Isa::detect(), &bytes, &scales, &mut found);
            let mut some = [0.0; 3];
            codes.compare_some(Isa::detect(), &bytes, &scales, &[1, 0, 1], &mut some);
            prop_assert_eq!(some, [found[1], found[0], found[1]]);
            for (row, found) in rows.iter().zip(found) {
                let real: f64 = row.iter().zip(query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                let off = (f64::from(found) - real).abs();
                prop_assert!(off <= f64::from(codes.error(slack, longest)), "{off}");
                // And it is of use: not wider than a hundredth part of what the lengths allow.
                prop_assert!(codes.error(slack, longest) <= 0.03 * (codes.norm * longest).max(0.01));
            }
        }
    }

    #[test]
    fn nothing_and_what_is_no_number() {
        let mut out = [0; 64];
        let mut residuals = [0; 3];
        assert_eq!(encode_row(&[0.0; 3], &mut out, &mut residuals), (0.0, 0.0));
        let mut back = Vec::new();
        decode_row(&out, &residuals, 0.0, &mut back);
        assert_eq!(back, [0.0; 3]);
        assert!(encode_row(&[f32::NAN, 1.0], &mut out, &mut residuals[..2]).0.is_finite());
        let codes = QueryCodes::new(&[0.0, 0.0]);
        let mut found = [1.0];
        codes.compare(Isa::detect(), &[200; 64], &[1.0], &mut found);
        assert_eq!(found, [0.0]);
    }
}
