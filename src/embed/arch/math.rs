//! exp, erf and the row operations built on them, written so that the compiler can vectorise them.
//!
//! Stock candle calls libm once an element for exp and erf. Everything here is plain arithmetic on slices without
//! branches; `ops` runs it under the widest instructions of the processor. No fused multiply-add is asked for, so every
//! processor rounds alike.

/// `exp(x)` for `x <= 88`, below -87 as good as zero. Relative error under 2e-7: Cephes' reduction and polynomial.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    const MAGIC: f32 = 12_582_912.0; // 1.5 * 2^23: adding it rounds to an integer kept in the low bits.
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + MAGIC;
    let n = shifted - MAGIC;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let p = 1.987_569_1e-4;
    let p = p * r + 1.398_199_9e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 1.666_666_5e-1;
    let p = p * r + 0.5;
    let e = p * r * r + r + 1.0;
    // The low bits of `shifted` hold n; moved to the exponent they multiply by 2^n.
    let power = shifted.to_bits().wrapping_shl(23).wrapping_add(0x3f80_0000);
    e * f32::from_bits(power)
}

/// The error function, absolute error under 2e-7: Abramowitz and Stegun, 7.1.26.
#[inline(always)]
pub(super) fn erf(x: f32) -> f32 {
    let a = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * a);
    let p = 1.061_405_4;
    let p = p * t - 1.453_152_1;
    let p = p * t + 1.421_413_8;
    let p = p * t - 0.284_496_74;
    let p = p * t + 0.254_829_6;
    let y = 1.0 - p * t * exp(-a * a);
    y.copysign(x)
}

/// `x/2 (1 + erf(x/sqrt 2))`.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// `x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`, with tanh(z) = 1 - 2 / (exp(2z) + 1).
#[inline(always)]
pub(super) fn gelu_tanh(x: f32) -> f32 {
    let z = 0.797_884_6 * (x + 0.044_715 * x * x * x);
    let tanh = 1.0 - 2.0 / (exp(2.0 * z.clamp(-20.0, 20.0)) + 1.0);
    0.5 * x * (1.0 + tanh)
}

const LANES: usize = 16;

/// A sum in 16 partial sums, so that it vectorises; the order is fixed.
#[inline(always)]
fn sum(row: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [0.0f32; LANES];
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane += f(x);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|&x| f(x)).sum::<f32>()
}

/// Softmax in place.
#[inline(always)]
pub(super) fn softmax(row: &mut [f32]) {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = if x > *lane { x } else { *lane };
        }
    }
    let highest = lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
    for x in row.iter_mut() {
        *x = exp(*x - highest);
    }
    let scale = 1.0 / sum(row, |x| x);
    for x in row.iter_mut() {
        *x *= scale;
    }
}

/// Layer norm in place: mean 0 and variance 1, then `gamma x + beta`.
#[inline(always)]
pub(super) fn layer_norm(row: &mut [f32], gamma: &[f32], beta: &[f32], eps: f32) {
    let share = 1.0 / row.len() as f32;
    let mean = sum(row, |x| x) * share;
    let variance = sum(row, |x| (x - mean) * (x - mean)) * share;
    let scale = 1.0 / (variance + eps).sqrt();
    for ((x, g), b) in row.iter_mut().zip(gamma).zip(beta) {
        *x = (*x - mean) * scale * g + b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> impl Iterator<Item = f32> {
        (-40_000..=40_000).map(|i| i as f32 * 0.001)
    }

    /// Series for small arguments, 1 beyond: an erf that shares nothing with the one above.
    fn erf_f64(x: f64) -> f64 {
        if x.abs() > 5.9 {
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
        for x in grid() {
            let (got, want) = (exp(x), x.exp());
            assert!((got - want).abs() <= 3e-7 * want, "exp({x}) = {got}, {want}");
        }
        assert!(exp(-1000.0) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37 && exp(0.0) == 1.0);
    }

    #[test]
    fn gelu_is_close_to_its_definition() {
        for x in grid().filter(|x| x.abs() < 5.0) {
            let want = 0.5 * f64::from(x) * (1.0 + erf_f64(f64::from(x) / 2f64.sqrt()));
            assert!((f64::from(gelu(x)) - want).abs() < 1e-6, "gelu({x}) = {}, {want}", gelu(x));
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (f64::from(x) + 0.044715 * f64::from(x).powi(3));
            let want = 0.5 * f64::from(x) * (1.0 + inner.tanh());
            assert!((f64::from(gelu_tanh(x)) - want).abs() < 2e-6, "gelu_tanh({x})");
        }
    }

    #[test]
    fn gelu_passes_nan_on() {
        assert!(gelu(f32::NAN).is_nan() && gelu_tanh(f32::NAN).is_nan());
    }

    #[test]
    fn softmax_sums_to_one_at_every_length() {
        for n in 1..70 {
            let mut row: Vec<f32> = (0..n).map(|i| ((i * 37) % 11) as f32 - 90.0).collect();
            let naive: Vec<f64> = row.iter().map(|&x| f64::from(x + 90.0).exp()).collect();
            let total: f64 = naive.iter().sum();
            softmax(&mut row);
            for (got, want) in row.iter().zip(naive) {
                assert!((f64::from(*got) - want / total).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn layer_norm_matches_its_definition() {
        for n in [1usize, 5, 16, 33, 384] {
            let row: Vec<f32> = (0..n).map(|i| (i as f32 * 0.7).sin() * 3.0 + 1.0).collect();
            let gamma: Vec<f32> = (0..n).map(|i| 1.0 + i as f32 * 0.01).collect();
            let beta: Vec<f32> = (0..n).map(|i| i as f32 * 0.1).collect();
            let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64;
            let var = row.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n as f64;
            let mut got = row.clone();
            layer_norm(&mut got, &gamma, &beta, 1e-12);
            for i in 0..n {
                let want = (f64::from(row[i]) - mean) / (var + 1e-12).sqrt() * f64::from(gamma[i]) + f64::from(beta[i]);
                assert!((f64::from(got[i]) - want).abs() < 1e-4, "{n}: {} {want}", got[i]);
            }
        }
    }
}
