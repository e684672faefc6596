//! exp and the two GELUs over sixteen lanes.
//!
//! GELU is `max(x, 0) - u(|x|)`, where `u(t) = t Q(t)` and Q is the tail of the normal distribution, or its tanh
//! form. u is a polynomial of degree four in each of sixteen segments from 0 to 5.5, looked up in a register; beyond,
//! it is nothing (1e-7). That costs a third of the usual exp and division, and errs by 3e-7 at most.

use super::lanes::{LANES, Lanes};

/// `exp(x)` for `x <= 88`, below -87 as good as zero; a NaN stays one. Relative error under 2e-7: Cephes' reduction and
/// polynomial.
#[inline(always)]
pub(super) fn exp<S: Lanes>(s: S, x: S::F) -> S::F {
    let c = |x: f32| s.splat(x);
    let magic = c(12_582_912.0); // 1.5 * 2^23: adding it rounds to an integer kept in the low bits.
    let x = s.min(c(88.0), s.max(c(-87.0), x));
    let shifted = s.fma(x, c(std::f32::consts::LOG2_E), magic);
    let n = s.sub(shifted, magic);
    let r = s.fma(n, c(-0.693_359_4), x);
    let r = s.fma(n, c(2.121_944_4e-4), r);
    let p = s.fma(c(1.987_569_1e-4), r, c(1.398_199_9e-3));
    let p = s.fma(p, r, c(8.333_452e-3));
    let p = s.fma(p, r, c(4.166_579_6e-2));
    let p = s.fma(p, r, c(1.666_666_5e-1));
    let p = s.fma(p, r, c(0.5));
    let e = s.add(s.fma(s.mul(p, r), r, r), c(1.0));
    s.mul(e, s.power_of_two(shifted))
}

/// Segments a unit of the argument, of which sixteen are tabulated.
const PER_UNIT: f32 = 16.0 / 5.5;

// Least squares at 64 Chebyshev nodes a segment; rows are coefficients of the 0th to 4th power of the place in it.
const ERF: [[f32; LANES]; 5] = [
    [
        0.0,
        0.12564631,
        0.16904496,
        0.15593709,
        0.1162779,
        0.07361406,
        0.040383983,
        0.019391077,
        0.008194353,
        0.0030572983,
        0.001009089,
        0.00029501392,
        7.646191e-5,
        1.757883e-5,
        3.5863661e-6,
        6.494813e-7,
    ],
    [
        0.1718791,
        0.08122076,
        0.010095296,
        -0.031113828,
        -0.044199638,
        -0.03909475,
        -0.02698784,
        -0.015479011,
        -0.0075722267,
        -0.0032020498,
        -0.001179557,
        -0.0003803723,
        -0.00010772334,
        -2.6854115e-5,
        -5.902442e-6,
        -1.1452814e-6,
    ],
    [
        -0.047171447,
        -0.04189322,
        -0.028502174,
        -0.013005349,
        -0.0009900017,
        0.0051672696,
        0.0063610673,
        0.004953875,
        0.0029908672,
        0.0014872794,
        0.0006256421,
        0.00022584168,
        7.0561946e-5,
        1.918998e-5,
        4.5605348e-6,
        9.4979094e-7,
    ],
    [
        7.692458e-5,
        0.0036241654,
        0.005396764,
        0.0049102325,
        0.0030157727,
        0.0010172883,
        -0.000249999,
        -0.0006843004,
        -0.0006107313,
        -0.0003816159,
        -0.00018862162,
        -7.713306e-5,
        -2.6678079e-5,
        -7.904083e-6,
        -2.0223072e-6,
        -4.4930792e-7,
    ],
    [
        0.0008621309,
        0.00044734037,
        -9.748206e-5,
        -0.00045020346,
        -0.0004900954,
        -0.00032004237,
        -0.000116235475,
        1.2678262e-5,
        5.5038447e-5,
        4.8191752e-5,
        2.8473267e-5,
        1.3118184e-5,
        4.9591613e-6,
        1.5767178e-6,
        4.2761087e-7,
        9.9815644e-8,
    ],
];
const TANH: [[f32; LANES]; 5] = [
    [
        0.0,
        0.12565054,
        0.1690971,
        0.15610072,
        0.11651148,
        0.073735416,
        0.04023183,
        0.018990679,
        0.0077231512,
        0.0026817217,
        0.00078541,
        0.0001912872,
        3.8152968e-5,
        6.133235e-6,
        7.817578e-7,
        7.770963e-8,
    ],
    [
        0.17187919,
        0.08123712,
        0.01018075,
        -0.030995896,
        -0.04420568,
        -0.039309546,
        -0.02728435,
        -0.015651103,
        -0.0075453315,
        -0.0030586103,
        -0.0010345584,
        -0.00028851893,
        -6.540572e-5,
        -1.186919e-5,
        -1.69697e-6,
        -1.8806537e-7,
    ],
    [
        -0.047172125,
        -0.041872207,
        -0.028463164,
        -0.013021847,
        -0.0010890256,
        0.0050764736,
        0.006374591,
        0.0050513544,
        0.0030795217,
        0.0015142076,
        0.0006062338,
        0.00019670976,
        5.1178657e-5,
        1.0534191e-5,
        1.6903795e-6,
        2.0824407e-7,
    ],
    [
        7.862772e-5,
        0.0036390917,
        0.005390227,
        0.0048754453,
        0.0029980675,
        0.0010456969,
        -0.00020859054,
        -0.00067314407,
        -0.0006295893,
        -0.00040314192,
        -0.00019684299,
        -7.509375e-5,
        -2.2405447e-5,
        -5.1896573e-6,
        -9.2293544e-7,
        -1.2442108e-7,
    ],
    [
        0.0008652509,
        0.00044296408,
        -0.00010393221,
        -0.0004469089,
        -0.00047954527,
        -0.00031635625,
        -0.00012290163,
        5.326693e-6,
        5.3969536e-5,
        5.124748e-5,
        3.105809e-5,
        1.3775996e-5,
        4.615633e-6,
        1.174001e-6,
        2.2565337e-7,
        3.2484692e-8,
    ],
];

#[inline(always)]
fn by_table<S: Lanes>(s: S, x: S::F, table: &[[f32; LANES]; 5]) -> S::F {
    let t = s.mul(s.abs(x), s.splat(PER_UNIT));
    let (segment, place) = s.split(s.min(s.splat(15.999_999), t));
    let mut u = s.lookup(&table[4], segment);
    for row in table[..4].iter().rev() {
        u = s.fma(u, place, s.lookup(row, segment));
    }
    s.sub(s.max(s.splat(0.0), x), u)
}

/// `x/2 (1 + erf(x/sqrt 2))`.
#[inline(always)]
pub(super) fn gelu<S: Lanes>(s: S, x: S::F) -> S::F {
    by_table(s, x, &ERF)
}

/// `x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`.
#[inline(always)]
pub(super) fn gelu_tanh<S: Lanes>(s: S, x: S::F) -> S::F {
    by_table(s, x, &TANH)
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Scalar;
    use super::*;

    /// Series for small arguments, 1 beyond: 4e-8 off there.
    fn erf(x: f64) -> f64 {
        if x.abs() > 3.9 {
            return x.signum();
        }
        let (mut term, mut total, mut n) = (x, x, 0.0);
        while term.abs() > 1e-18 {
            n += 1.0;
            term *= -x * x / n;
            total += term / (2.0 * n + 1.0);
        }
        total * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn exp_is_close_to_the_library() {
        for i in -86_999..=40_000 {
            let x = i as f32 * 0.001;
            let (got, want) = (exp(Scalar, [x; LANES])[3], x.exp());
            assert!((got - want).abs() <= 3e-7 * want, "exp({x}) = {got}, {want}");
        }
        let of = |x| exp(Scalar, [x; LANES])[0];
        assert!(of(-1000.0) < 1e-37 && of(f32::NEG_INFINITY) < 1e-37 && of(0.0) == 1.0 && of(f32::NAN).is_nan());
    }

    #[test]
    fn gelu_is_close_to_its_definition() {
        for i in -80_000..=80_000 {
            let x = f64::from(i) * 1e-4;
            let lanes = [x as f32; LANES];
            let want = 0.5 * x * (1.0 + erf(x / 2f64.sqrt()));
            assert!((f64::from(gelu(Scalar, lanes)[0]) - want).abs() < 6e-7, "gelu({x})");
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            let want = 0.5 * x * (1.0 + inner.tanh());
            assert!((f64::from(gelu_tanh(Scalar, lanes)[0]) - want).abs() < 6e-7, "gelu_tanh({x})");
        }
        let far = gelu(Scalar, [1e30; LANES])[0];
        assert!((far / 1e30 - 1.0).abs() < 1e-6 && gelu(Scalar, [-1e30; LANES])[0].abs() < 1e-6);
        assert!(gelu(Scalar, [f32::NAN; LANES])[0].is_nan() && gelu_tanh(Scalar, [f32::NAN; LANES])[0].is_nan());
    }
}
