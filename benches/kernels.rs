//! How near the kernels of `vector::simd` come to the processor: multiply-adds a second on one core, in the shapes of
//! bge-small, for every set of instructions that the processor has.
//!
//! Run: `cargo bench --bench kernels -- [INSTRUCTIONS] [product|attention]`. One JSON object a line; medians of 15 laps
//! on random data of a fixed seed. `-- count INSTRUCTIONS KERNEL TIMES` times nothing: it runs one kernel so often, for
//! a program that counts instructions (`benches/instructions.sh`).
#![allow(clippy::print_stdout, missing_docs)]

use kenning::vector::simd::{
    AttentionScratch, Finish, Head, Isa, Norm, PackedF32, PackedI8, ProductScratch, RowScale, Target, pack_f32, pack_i8,
};
use std::time::Instant;

fn noise(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed | 1;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

/// Median seconds of a lap, each long enough to time.
fn lap(mut run: impl FnMut()) -> f64 {
    run();
    let start = Instant::now();
    run();
    let times = (2e-3 / start.elapsed().as_secs_f64()).ceil().max(1.0) as usize;
    let mut laps: Vec<f64> = (0..15)
        .map(|_| {
            let start = Instant::now();
            (0..times).for_each(|_| run());
            start.elapsed().as_secs_f64() / times as f64
        })
        .collect();
    laps.sort_by(f64::total_cmp);
    laps[laps.len() / 2]
}

fn report(kernel: &str, isa: Isa, shape: &str, macs: f64, seconds: f64) {
    println!(
        "{{\"bench\":\"kernel\",\"kernel\":\"{kernel}\",\"isa\":\"{}\",\"shape\":\"{shape}\",\"us\":{:.2},\
         \"gmac_per_s\":{:.1}}}",
        isa.name(),
        seconds * 1e6,
        macs / seconds / 1e9
    );
}

fn products(isa: Isa) {
    let mut scratch = ProductScratch::default();
    let shapes =
        [(384, 1152, Finish::Plain), (384, 384, Finish::Add), (384, 1536, Finish::Gelu), (1536, 384, Finish::Add)];
    for rows in [1, 11, 22, 48, 192] {
        for (inputs, outputs, finish) in shapes {
            let (x, w, bias) = (noise(1, rows * inputs), noise(2, outputs * inputs), vec![0.1; outputs]);
            let (mut bytes, mut scales) = (vec![0; rows * inputs], vec![RowScale::default(); rows]);
            isa.quantise(&x, inputs, &mut bytes, &mut scales);
            let (panels, sums, columns) = pack_i8(&w, inputs);
            let packed = PackedI8 { outputs, inputs, panels: &panels, sums: &sums, scales: &columns };
            let mut out = vec![0.0; rows * outputs];
            let shape = format!("{rows}x{inputs}x{outputs} {finish:?}");
            let macs = (rows * inputs * outputs) as f64;
            let seconds = lap(|| {
                let target = Target { values: &mut out, stride: outputs, outputs: 0..outputs, finish };
                isa.product_i8((&bytes, &scales), packed, &bias, &mut scratch, target);
            });
            report("product_i8", isa, &shape, macs, seconds);
            let panels = pack_f32(&w, inputs);
            let packed = PackedF32 { outputs, inputs, panels: &panels };
            let seconds = lap(|| {
                let target = Target { values: &mut out, stride: outputs, outputs: 0..outputs, finish };
                isa.product_f32(&x, packed, &bias, target);
            });
            report("product_f32", isa, &shape, macs, seconds);
        }
    }
}

fn attention(isa: Isa) {
    for tokens in [22, 64, 128, 300] {
        let qkv = noise(3, tokens * 1152);
        let mut out = vec![0.0; tokens * 384];
        let mut scratch = AttentionScratch::default();
        let seconds = lap(|| {
            for head in 0..12 {
                let head = Head {
                    questions: &qkv[head * 32..],
                    question_stride: 1152,
                    asked: tokens,
                    keys: &qkv[384 + head * 32..],
                    values: &qkv[768 + head * 32..],
                    stride: 1152,
                    tokens,
                    width: 32,
                };
                isa.attend(head, &mut scratch, &mut out, 384);
            }
        });
        report(
            "attention",
            isa,
            &format!("12 heads of 32, {tokens} tokens"),
            (2 * tokens * tokens * 384) as f64,
            seconds,
        );
    }
}

/// Rows and outputs of the products that are counted: whole tiles, one panel.
const COUNTED: [usize; 2] = [48, 64];

/// One kernel, so many times.
fn count(isa: Isa, kernel: &str, times: usize) {
    let ([rows, outputs], inputs) = (COUNTED, 384);
    let (mut x, w, bias) = (noise(1, rows * inputs), noise(2, outputs * inputs), vec![0.1; outputs]);
    let (mut bytes, mut scales) = (vec![0; rows * inputs], vec![RowScale::default(); rows]);
    isa.quantise(&x, inputs, &mut bytes, &mut scales);
    let ((panels, sums, columns), floats) = (pack_i8(&w, inputs), pack_f32(&w, inputs));
    let int8 = PackedI8 { outputs, inputs, panels: &panels, sums: &sums, scales: &columns };
    let f32s = PackedF32 { outputs, inputs, panels: &floats };
    let (mut scratch, mut attention) = (ProductScratch::default(), AttentionScratch::default());
    let (mut out, qkv) = (vec![0.0; rows * outputs], noise(3, 64 * 96));
    let (gamma, beta) = (vec![1.0; inputs], vec![0.0; inputs]);
    let codes: Vec<u8> = (0..64 * inputs).map(|i| (i * 7 % 251) as u8).collect();
    let query: Vec<i8> = (0..inputs).map(|i| (i * 5 % 251) as u8 as i8).collect();
    let (places, mut dots) = ((0..64).collect::<Vec<u32>>(), vec![0; 64]);
    for _ in 0..times {
        let target = |values, finish| Target { values, stride: outputs, outputs: 0..outputs, finish };
        match kernel {
            "int8" => {
                isa.product_i8((&bytes, &scales), int8, &bias, &mut scratch, target(&mut out, Finish::Plain));
            }
            "int8-gelu" => {
                isa.product_i8((&bytes, &scales), int8, &bias, &mut scratch, target(&mut out, Finish::Gelu));
            }
            "f32" => isa.product_f32(&x, f32s, &bias, target(&mut out, Finish::Plain)),
            "quantise" => isa.quantise(&x, inputs, &mut bytes, &mut scales),
            "norm" => isa.norm(&mut x, Norm { gamma: &gamma, beta: &beta, eps: 1e-12 }),
            "attention" => {
                let (keys, values) = (&qkv[32..], &qkv[64..]);
                let (stride, tokens, width) = (96, 64, 32);
                let questions = &qkv[..];
                let head =
                    Head { questions, question_stride: stride, asked: tokens, keys, values, stride, tokens, width };
                isa.attend(head, &mut attention, &mut out, width);
            }
            "codes" => isa.dot_gather(&codes, &places, &query, &mut dots),
            other => panic!("there is no kernel {other}"),
        }
        std::hint::black_box((&out, &dots));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    if let [first, isa, kernel, times] = &args[..]
        && first == "count"
    {
        let isa = Isa::named(isa).expect("instructions that this processor has");
        return count(isa, kernel, times.parse().expect("a number of times"));
    }
    let wanted = |name: &str, all: &[&str]| args.iter().all(|a| a == name || !all.contains(&a.as_str()));
    const KERNELS: [&str; 2] = ["product", "attention"];
    for isa in Isa::NAMES.iter().rev().filter_map(|name| Isa::named(name)) {
        if wanted(isa.name(), &Isa::NAMES) {
            if wanted("product", &KERNELS) {
                products(isa);
            }
            if wanted("attention", &KERNELS) {
                attention(isa);
            }
        }
    }
}
