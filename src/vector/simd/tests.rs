//! Every form of every kernel against the scalar one, bit by bit, and that against plain loops: all tails, unaligned
//! starts, random values.

use super::lanes::LANES;
use super::*;
use proptest::prelude::*;

/// Every form that this processor has, and the one of AVX-VNNI with its instruction emulated.
fn forms() -> Vec<Isa> {
    ["avxvnni, emulated"].iter().chain(&Isa::NAMES).filter_map(|name| Isa::named(name)).collect()
}

/// Random values in (-1, 1) by a fixed rule.
fn noise(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Runs on every form and demands the same bits; gives the scalar result.
fn same<T: PartialEq + std::fmt::Debug>(run: impl Fn(Isa) -> T) -> T {
    let want = run(Isa::named("scalar").unwrap());
    for form in forms() {
        assert_eq!(run(form), want, "{}", form.name());
    }
    want
}

#[test]
fn names() {
    assert!(Isa::named("mmx").is_none());
    assert!(forms().iter().any(|f| f.name() == Isa::detect().name()));
    assert_eq!(forms().last().unwrap().name(), Isa::detect().name());
}

#[test]
fn similarities_of_codes_at_every_length_and_start() {
    for width in (64..=1024).step_by(64) {
        for start in 0..3 {
            let all = noise(width as u64, 3 * width + start);
            let bytes: Vec<u8> = all[start..].iter().map(|x| (x * 127.5 + 127.5) as u8).collect();
            let signed = |x: &f32| (x * 128.5) as i8;
            let (high, low): (Vec<i8>, Vec<i8>) = (
                all[start..start + width].iter().map(signed).collect(),
                all[start + width..start + 2 * width].iter().map(signed).collect(),
            );
            let zeros = [&high, &low].map(|part| 128 * part.iter().map(|x| i32::from(*x)).sum::<i32>());
            let query = SplitQuery { high: &high, low: &low, zeros, step: 0.01 };
            let scales = [0.5, 2.0, 0.25];
            for count in 0..20 {
                let rows: Vec<u32> = (0..count).map(|at| at * 7 % 3).collect();
                let found = same(|isa| {
                    let mut out = vec![0.0; rows.len()];
                    isa.similarities_of(&bytes, &scales, query, &rows, &mut out);
                    bits(&out)
                });
                for (row, found) in rows.iter().map(|row| *row as usize).zip(found) {
                    let parts = high.iter().zip(&low).map(|(high, low)| 256.0 * f64::from(*high) + f64::from(*low));
                    let row_bytes = bytes[row * width..].iter().map(|byte| f64::from(*byte) - 128.0);
                    let sum = parts.zip(row_bytes).map(|(a, b)| a * b).sum::<f64>() * 0.01 * f64::from(scales[row]);
                    let off = (sum - f64::from(f32::from_bits(found))).abs();
                    assert!(off <= sum.abs().max(width as f64) * 1e-5, "{off} of {sum}");
                }
            }
            let in_order = same(|isa| {
                let mut out = [0.0; 3];
                isa.similarities(&bytes, &scales, query, &mut out);
                bits(&out)
            });
            let mut some = [0.0; 3];
            Isa::detect().similarities_of(&bytes, &scales, query, &[0, 1, 2], &mut some);
            assert_eq!(in_order, bits(&some));
        }
    }
}

#[test]
fn gathered_sums_at_every_length_and_count() {
    for width in (64..=1024).step_by(64) {
        let all = noise(width as u64 + 1, 9 * width + 1);
        let codes: Vec<u8> = all[1..].iter().map(|x| (x * 127.5 + 127.5) as u8).collect();
        let query: Vec<i8> = all[..width].iter().map(|x| (x * 128.5) as i8).collect();
        for count in 0..9 {
            let rows: Vec<u32> = (0..count).map(|i| (i * 5 + width as u32) % 9).collect();
            let found = same(|isa| {
                let mut out = vec![0; rows.len()];
                isa.prefetch(&codes);
                isa.dot_gather(&codes, &rows, &query, &mut out);
                out
            });
            for (row, found) in rows.iter().zip(found) {
                let row = &codes[*row as usize * width..][..width];
                let sum: i64 = row.iter().zip(&query).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
                assert_eq!(i64::from(found), sum);
            }
        }
    }
}

#[test]
fn rows_in_full_precision_at_every_length() {
    for width in 0..=200 {
        let all = noise(width as u64 + 3, 3 * width + 1);
        let codes: Vec<u8> = all[1..=width].iter().map(|x| (x * 127.5 + 127.5) as u8).collect();
        let rests: Vec<u16> = all[width..2 * width].iter().map(|x| (x * 32_767.0 + 32_767.0) as u16).collect();
        let query = &all[2 * width + 1..];
        let found = f32::from_bits(same(|isa| isa.dot_row(query, &codes, &rests, 1e-7).to_bits()));
        let whole = |i: usize| f64::from((i32::from(codes[i]) - 128) * 65_536 + i32::from(rests[i]) - 32_768);
        let sum: f64 = (0..width).map(|i| whole(i) * 1e-7 * f64::from(query[i])).sum();
        assert!((f64::from(found) - sum).abs() < 1e-5, "{width}: {found} {sum}");
    }
}

/// Bytes back to values.
fn values(bytes: &[u8], scale: RowScale) -> Vec<f32> {
    bytes.iter().map(|&b| (i32::from(b) - scale.zero) as f32 * scale.scale).collect()
}

#[test]
fn quantise_at_every_length_and_start() {
    for width in 1..=130 {
        for start in 0..3 {
            let all = noise(width as u64 + 7, start + 3 * width);
            let rows = &all[start..];
            let (bytes, scales) = same(|isa| {
                let (mut out, mut scales) = (vec![0; 3 * width], vec![RowScale::default(); 3]);
                isa.quantise(rows, width, &mut out, &mut scales);
                (out, scales.iter().map(|s| (s.scale.to_bits(), s.zero)).collect::<Vec<_>>())
            });
            for (r, (scale, zero)) in scales.into_iter().enumerate() {
                let scale = RowScale { scale: f32::from_bits(scale), zero };
                let back = values(&bytes[r * width..][..width], scale);
                for (got, want) in back.iter().zip(&rows[r * width..]) {
                    assert!((got - want).abs() <= scale.scale * 1.01, "{got} {want}");
                }
            }
        }
    }
}

#[test]
fn a_row_with_something_not_finite_says_so_and_zeros_stay_zeros() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for at in [0, 17, 39] {
            let mut rows = noise(3, 80);
            rows[at] = bad;
            for isa in forms() {
                let (mut out, mut scales) = (vec![0; 80], vec![RowScale::default(); 2]);
                isa.quantise(&rows, 40, &mut out, &mut scales);
                assert!(scales[0].scale.is_nan() && scales[1].scale.is_finite());
            }
        }
    }
    let (mut out, mut scales) = (vec![9; 20], [RowScale::default()]);
    Isa::detect().quantise(&[0.0; 20], 20, &mut out, &mut scales);
    assert!(values(&out, scales[0]).iter().all(|v| *v == 0.0));
}

#[test]
fn norm_at_every_length() {
    for width in 1..=130 {
        let (rows, gamma, beta) = (noise(1, 2 * width), noise(2, width), noise(3, width));
        let norm = Norm { gamma: &gamma, beta: &beta, eps: 1e-6 };
        let got = same(|isa| {
            let mut rows = rows.clone();
            isa.norm(&mut rows, norm);
            let (mut again, mut out) = (self::noise(1, 2 * width), vec![0; 2 * width]);
            isa.norm_quantise(&mut again, norm, &mut out, &mut [RowScale::default(); 2]);
            assert_eq!(bits(&again), bits(&rows));
            bits(&rows)
        });
        for r in 0..2 {
            let row: Vec<f64> = rows[r * width..][..width].iter().map(|x| f64::from(*x)).collect();
            let mean = row.iter().sum::<f64>() / width as f64;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / width as f64;
            for (c, x) in row.iter().enumerate() {
                let want = (x - mean) / (variance + 1e-6).sqrt() * f64::from(gamma[c]) + f64::from(beta[c]);
                let got = f64::from(f32::from_bits(got[r * width + c]));
                assert!((got - want).abs() < 2e-3, "{width} {got} {want}");
            }
        }
    }
}

const FINISHES: [Finish; 5] = [Finish::Plain, Finish::Gelu, Finish::GeluTanh, Finish::Relu, Finish::Add];

fn finished(finish: Finish, x: f64, before: f64) -> f64 {
    match finish {
        Finish::Plain => x,
        Finish::Relu => x.max(0.0),
        Finish::Add => x + before,
        Finish::GeluTanh => 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh()),
        // Checked closely in `math`.
        Finish::Gelu => 0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh()),
    }
}

/// Bytes and f32, all forms, against sums in f64.
fn product(rows: usize, inputs: usize, outputs: usize, start: usize, finish: Finish) {
    let seed = (rows * 1000 + inputs * 10 + outputs) as u64;
    let all = noise(seed, start + rows * inputs);
    let x = &all[start..];
    let (w, bias, before) =
        (noise(seed + 1, outputs * inputs), noise(seed + 2, outputs), noise(seed + 3, rows * (outputs + 3)));
    let stride = outputs + 3;
    let first = if outputs > 64 { 64 } else { 0 };
    let want = |r: usize, c: usize, x: &[f32], w: &[f32]| {
        let dot: f64 = (0..inputs).map(|k| f64::from(x[r * inputs + k]) * f64::from(w[c * inputs + k])).sum::<f64>();
        finished(finish, dot + f64::from(bias[c]), f64::from(before[r * stride + c - first]))
    };
    let panels = pack_f32(&w, inputs);
    let packed = PackedF32 { outputs, inputs, panels: &panels };
    let got = same(|isa| {
        let mut out = before[..rows * stride].to_vec();
        isa.product_f32(x, packed, &bias, Target { values: &mut out, stride, outputs: first..outputs, finish });
        bits(&out)
    });
    let check = |got: &[u32], x: &[f32], w: &[f32]| {
        for r in 0..rows {
            for c in first..outputs {
                let (got, want) = (f64::from(f32::from_bits(got[r * stride + c - first])), want(r, c, x, w));
                assert!((got - want).abs() < 1e-3, "{rows} {inputs} {outputs} {finish:?}: {got} {want}");
            }
            // What lies between the rows is left alone.
            let rest = r * stride + outputs - first..(r + 1) * stride;
            assert_eq!(got[rest.clone()], bits(&before[rest])[..]);
        }
    };
    check(&got, x, &w);

    let (panels, sums, scales) = pack_i8(&w, inputs);
    let packed = PackedI8 { outputs, inputs, panels: &panels, sums: &sums, scales: &scales };
    let (mut bytes, mut row_scales) = (vec![0; start + rows * inputs], vec![RowScale::default(); rows]);
    Isa::detect().quantise(x, inputs, &mut bytes[start..], &mut row_scales);
    let got = same(|isa| {
        let mut out = before[..rows * stride].to_vec();
        isa.product_i8(
            (&bytes[start..], &row_scales),
            packed,
            &bias,
            &mut ProductScratch::default(),
            Target { values: &mut out, stride, outputs: first..outputs, finish },
        );
        bits(&out)
    });
    // The referee multiplies the same bytes, as values.
    let x: Vec<f32> = (0..rows).flat_map(|r| values(&bytes[start + r * inputs..][..inputs], row_scales[r])).collect();
    let w: Vec<f32> = (0..outputs * inputs)
        .map(|i| {
            let (c, k) = (i / inputs, i % inputs);
            f32::from(panels[c / 64 * 64 * inputs + k / 4 * 256 + c % 64 * 4 + k % 4]) * scales[c]
        })
        .collect();
    check(&got, &x, &w);
    let far = w.iter().zip(&noise(seed + 1, outputs * inputs)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far <= 0.5 / 127.0 + 1e-6, "{far}");
}

#[test]
fn products_of_every_number_of_rows_and_outputs() {
    for rows in 1..=14 {
        product(rows, 12, 20, rows % 3, FINISHES[rows % 5]);
    }
    for outputs in 1..=130 {
        product(3, 8, outputs, outputs % 2, FINISHES[outputs % 5]);
    }
    for quads in 1..=33 {
        product(7, 4 * quads, 17, quads % 5, FINISHES[quads % 5]);
    }
    product(25, 384, 192, 1, Finish::Gelu);
}

/// Bytes at their limits: where sums of 16 bits would saturate.
#[test]
fn extreme_bytes_are_exact() {
    let (inputs, outputs, rows) = (256, 64, 6);
    let w: Vec<f32> = (0..inputs * outputs).map(|i| if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
    let (panels, sums, scales) = pack_i8(&w, inputs);
    let packed = PackedI8 { outputs, inputs, panels: &panels, sums: &sums, scales: &scales };
    for zero in [0, 128, 255] {
        for byte in [0u8, 255] {
            let out = same(|isa| {
                let mut out = vec![0.0; rows * outputs];
                let target = Target { values: &mut out, stride: outputs, outputs: 0..outputs, finish: Finish::Plain };
                let scales = vec![RowScale { scale: 127.0, zero }; rows];
                let (bytes, bias) = (vec![byte; rows * inputs], vec![0.0; outputs]);
                isa.product_i8((&bytes, &scales), packed, &bias, &mut ProductScratch::default(), target);
                bits(&out)
            });
            for (c, got) in out.iter().enumerate().take(outputs) {
                let sum: f32 = w[c * inputs..][..inputs].iter().sum();
                let want = sum * (f32::from(byte) - zero as f32) * 127.0;
                let got = f32::from_bits(*got);
                assert!((got - want).abs() <= want.abs() * 1e-6, "{got} {want}");
            }
        }
    }
}

/// Against a naive attention in f64.
fn attention(asked: usize, tokens: usize, width: usize, far: f32) {
    let (stride, question_stride, out_stride) = (3 * width + 5, width + 1, width + 2);
    let seed = (asked * 1000 + tokens * 10 + width) as u64;
    let questions: Vec<f32> = noise(seed, asked * question_stride).iter().map(|x| x * far).collect();
    let both = noise(seed + 1, tokens * stride);
    let head = Head {
        questions: &questions,
        question_stride,
        asked,
        keys: &both[1..],
        values: &both[width + 1..],
        stride,
        tokens,
        width,
    };
    let got = same(|isa| {
        let mut out = vec![7.0; asked * out_stride];
        isa.attend(head, &mut AttentionScratch::default(), &mut out, out_stride);
        bits(&out)
    });
    for q in 0..asked {
        let score = |t: usize| -> f64 {
            (0..width)
                .map(|i| f64::from(questions[q * question_stride + i]) * f64::from(head.keys[t * stride + i]))
                .sum()
        };
        let scores: Vec<f64> = (0..tokens).map(score).collect();
        let most = scores.iter().fold(f64::MIN, |a, b| a.max(*b));
        let shares: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
        let sum: f64 = shares.iter().sum();
        for i in 0..width {
            let want: f64 = (0..tokens).map(|t| shares[t] / sum * f64::from(head.values[t * stride + i])).sum();
            let got = f64::from(f32::from_bits(got[q * out_stride + i]));
            assert!((got - want).abs() < 1e-5, "{asked} {tokens} {width}: {got} {want}");
        }
        assert_eq!(f32::from_bits(got[q * out_stride + width]), 7.0);
    }
}

#[test]
fn attention_of_every_length() {
    for tokens in 1..=70 {
        attention(tokens, tokens, if tokens % 2 == 0 { 32 } else { 64 }, 3.0);
    }
    attention(1, 512, 32, 1.0);
    attention(7, 40, 16, 30.0);
    attention(9, 33, 48, 1.0);
}

/// A question's answer does not depend on its neighbours: the same bits from another tile.
#[test]
fn attention_row_by_row() {
    let (tokens, width) = (37, 32);
    let (questions, both) = (noise(5, tokens * width), noise(6, tokens * 2 * width));
    let head = |from: usize, asked: usize| Head {
        questions: &questions[from * width..],
        question_stride: width,
        asked,
        keys: &both,
        values: &both[width..],
        stride: 2 * width,
        tokens,
        width,
    };
    for isa in forms() {
        let mut all = vec![0.0; tokens * width];
        isa.attend(head(0, tokens), &mut AttentionScratch::default(), &mut all, width);
        for row in 0..tokens {
            let mut one = vec![0.0; width];
            isa.attend(head(row, 1), &mut AttentionScratch::default(), &mut one, width);
            assert_eq!(bits(&one), bits(&all[row * width..][..width]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Dot products of rows of f32: the same bits by every form, and near the sum in double precision.
    #[test]
    fn dots_agree(dims in 1usize..200, rows in 1usize..5, seed in 0u64..1000) {
        let (query, all) = (noise(seed, dims), noise(seed + 1, rows * dims));
        let run = |isa: Isa| {
            let mut out = vec![0.0; rows];
            isa.dot_rows(&query, &all, &mut out);
            out
        };
        let want = run(Isa::named("scalar").unwrap());
        for (row, got) in all.chunks_exact(dims).zip(&want) {
            let naive: f64 = row.iter().zip(&query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!((f64::from(*got) - naive).abs() < 1e-4);
        }
        for isa in forms() {
            prop_assert_eq!(bits(&run(isa)), bits(&want));
        }
    }

    /// A row's products do not depend on how many rows stand beside it, whatever the shape.
    #[test]
    fn rows_are_independent(rows in 1usize..20, quads in 1usize..40, outputs in 1usize..140, seed in 0u64..1000) {
        let inputs = 4 * quads;
        let (x, w, bias) = (noise(seed, rows * inputs), noise(seed + 1, outputs * inputs), noise(seed + 2, outputs));
        let (panels, sums, scales) = pack_i8(&w, inputs);
        let packed = PackedI8 { outputs, inputs, panels: &panels, sums: &sums, scales: &scales };
        for isa in forms() {
            let run = |x: &[f32]| {
                let rows = x.len() / inputs;
                let (mut bytes, mut row_scales) = (vec![0; x.len()], vec![RowScale::default(); rows]);
                isa.quantise(x, inputs, &mut bytes, &mut row_scales);
                let mut out = vec![0.0; rows * outputs];
                let target = Target { values: &mut out, stride: outputs, outputs: 0..outputs, finish: Finish::Gelu };
                isa.product_i8((&bytes, &row_scales), packed, &bias, &mut ProductScratch::default(), target);
                bits(&out)
            };
            let all = run(&x);
            for r in 0..rows {
                prop_assert_eq!(&run(&x[r * inputs..][..inputs])[..], &all[r * outputs..][..outputs]);
            }
        }
    }

    /// The vocabulary itself, lane by lane.
    #[test]
    fn lanes_agree(a in prop::array::uniform16(-90.0f32..90.0), b in prop::array::uniform16(-3.0f32..3.0)) {
        struct All([f32; LANES], [f32; LANES]);
        impl Op for All {
            type Out = (Vec<u32>, [u8; LANES]);
            fn run<S: Lanes>(self, s: S) -> Self::Out {
                let (a, b) = (s.load(&self.0), s.load(&self.1));
                let (whole, left) = s.split(a);
                let made = [s.add(a, b), s.sub(a, b), s.mul(a, b), s.fma(a, b, a), s.max(a, b), s.min(a, b), s.abs(a),
                    left, s.lookup(&self.1, whole), math::exp(s, a), math::gelu(s, b), math::gelu_tanh(s, b)];
                let mut out = vec![s.sum(a).to_bits(), s.greatest(a).to_bits()];
                let columns = s.transpose([a, b, a, a, b, b, a, b, a, b, b, b, a, a, a, b]);
                for x in made.into_iter().chain(columns) {
                    let mut lanes = [0.0; LANES];
                    s.store(x, &mut lanes);
                    out.extend(bits(&lanes));
                }
                let mut bytes = [0; LANES];
                s.store_bytes(s.abs(a), &mut bytes);
                (out, bytes)
            }
        }
        let want = Scalar.run(All(a, b));
        for isa in forms() {
            prop_assert_eq!(&isa.run(All(a, b)), &want, "{}", isa.name());
        }
    }
}
