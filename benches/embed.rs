//! How fast texts become vectors: tokens a second over a file of passages, and single short queries.
//!
//! Run: `cargo bench --bench embed -- TEXTS.txt [--stock] [--repeat N]` with one passage a line. The model is
//! bge-small-en-v1.5-int8 from the tests' home (`KEN_TEST_HOME`, else `target/ken-test-home`), which the tests fill.
//! `cargo bench --bench embed -- --callers [--seconds N]` asks questions of 16 words and of 200 tokens from 1, 2, 4 and
//! 16 threads at once, as one side (passage) and as both, with one and with two threads a question, and again while a
//! thread encodes in bulk: questions a second, times of one, and how much memory the callers add.
//! Prints one JSON object; `--stock` adds candle-transformers' own BertModel on the same weights, padded batches of at
//! most 32 texts and 4,096 tokens, sorted by length. Measure other software on the same file in
//! turns with this: the machine is never quite idle. Figures are medians.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use kenning::embed::{Encoder, EncoderSettings, ModelStore, StoreSettings};
use kenning::types::Role;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

const MODEL: &str = "bge-small-en-v1.5-int8";
/// 22 tokens with the special ones and without a prefix.
const QUERY: &str = "Error creating S3 bucket: BucketAlreadyExists: the requested bucket name is not available";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|a| a == "--callers") {
        let seconds = args.iter().position(|a| a == "--seconds").and_then(|i| args.get(i + 1));
        return callers(seconds.map_or(2.0, |n| n.parse().unwrap()));
    }
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let Some(file) = args.iter().find(|a| Path::new(a).is_file()) else {
        println!("usage: embed TEXTS.txt [--stock] [--repeat N]");
        return;
    };
    let repeat: usize = value("--repeat").map_or(3, |n| n.parse().unwrap());
    let text = std::fs::read_to_string(file).unwrap();
    let texts: Vec<&str> = text.lines().filter(|l| !l.is_empty()).collect();

    let store = store(EncoderSettings::default());
    let installed = store.find(MODEL).unwrap().expect("run the tests first: they pull the model");
    let start = Instant::now();
    let encoder = store.load(&installed).unwrap();
    let load_ms = start.elapsed().as_secs_f64() * 1e3;

    let mut tokens = 0;
    let passages = laps(repeat, || {
        let out = encoder.encode(&texts, Role::Passage, &mut |_| {}).unwrap();
        tokens = out.iter().map(|e| e.tokens).sum();
    });
    let queries = laps(60, || drop(encoder.encode(&[QUERY], Role::Passage, &mut |_| {}).unwrap()));
    let running = encoder.running();
    report(running.encoder, running.precision.name(), tokens, &passages, &queries, load_ms);

    if args.iter().any(|a| a == "--stock") {
        let stock = Stock::load(&installed.root);
        let passages = laps(repeat, || stock.encode(&texts));
        let queries = laps(60, || stock.encode(&[QUERY]));
        report("candle, stock BertModel", "f32", tokens, &passages, &queries, 0.0);
    }
}

/// The models of the tests' home.
fn store(encoder: EncoderSettings) -> ModelStore {
    let home = std::env::var_os("KEN_TEST_HOME")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/ken-test-home"), PathBuf::from);
    ModelStore::new(StoreSettings { encoder, ..StoreSettings::new(home.join("models"), home.join("hub")) })
}

/// Sixteen words, 21 tokens, 30 as a query.
const WORDS: &str = "how do i read a file line by line without loading all of it into memory";
/// A diagnostic of about 200 tokens.
const DIAGNOSTIC: &str = "error[E0502]: cannot borrow `self.items` as mutable because it is also borrowed as immutable\n\
    --> src/store/cache.rs:118:13\n116 | let first = self.items.iter().find(|item| item.key == key);\n\
    immutable borrow occurs here\n118 | self.items.push(Item::new(key, value));\nmutable borrow occurs here\n\
    119 | if let Some(first) = first {\nimmutable borrow later used here\n\
    error: could not compile `cache` (lib) due to 1 previous error; 3 warnings emitted\n\
    note: consider cloning the value before the mutable borrow";

/// Threads that ask at once, against each other's number.
fn callers(seconds: f64) {
    for question_threads in [1, 2] {
        let store = store(EncoderSettings { question_threads: Some(question_threads), ..EncoderSettings::default() });
        let installed = store.find(MODEL).unwrap().expect("run the tests first: they pull the model");
        let encoder = store.load(&installed).unwrap();
        for (name, text) in [("16 words", WORDS), ("diagnostic", DIAGNOSTIC)] {
            let tokens = encoder.encode(&[text], Role::Passage, &mut |_| {}).unwrap()[0].tokens;
            for roles in [&[Role::Passage][..], &[Role::Passage, Role::Query]] {
                for bulk in [false, true] {
                    for callers in [1, 2, 4, 16] {
                        let asked = ask(&*encoder, text, roles, Load { callers, bulk, seconds });
                        println!(
                            "{{\"bench\":\"callers\",\"question\":\"{name}\",\"tokens\":{tokens},\"sides\":{},\
                             \"question_threads\":{question_threads},\"bulk\":{bulk},\"callers\":{callers},{asked}}}",
                            roles.len(),
                        );
                    }
                }
            }
        }
    }
}

/// How much is asked at once.
#[derive(Clone, Copy)]
struct Load {
    callers: usize,
    bulk: bool,
    seconds: f64,
}

/// Questions a second, times of one and memory, as fields of a JSON object.
fn ask(encoder: &dyn Encoder, text: &str, roles: &[Role], load: Load) -> String {
    let passages: Vec<String> = (0..64).map(|i| format!("{i} {DIAGNOSTIC}")).collect();
    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    let stop = AtomicBool::new(false);
    let before = resident_kib();
    let start = Instant::now();
    let (times, bulk_texts, elapsed) = std::thread::scope(|scope| {
        let bulk = scope.spawn(|| {
            let mut texts = 0;
            while load.bulk && !stop.load(Ordering::Relaxed) {
                encoder.encode(&passages, Role::Passage, &mut |_| {}).unwrap();
                texts += passages.len();
            }
            texts
        });
        let ask = || {
            let mut times = Vec::new();
            while start.elapsed().as_secs_f64() < load.seconds {
                let asked = Instant::now();
                std::hint::black_box(encoder.encode_roles(&[text], roles).unwrap());
                times.push(asked.elapsed().as_secs_f64());
            }
            times
        };
        let callers: Vec<_> = (0..load.callers).map(|_| scope.spawn(ask)).collect();
        let times: Vec<f64> = callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect();
        let elapsed = start.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        (times, bulk.join().unwrap(), elapsed)
    });
    let mut times = times;
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize] * 1e3;
    format!(
        "\"per_s\":{:.0},\"p50_ms\":{:.2},\"p95_ms\":{:.2},\"bulk_texts_per_s\":{:.0},\"added_kib\":{}",
        times.len() as f64 / elapsed,
        at(0.5),
        at(0.95),
        bulk_texts as f64 / elapsed,
        resident_kib().saturating_sub(before),
    )
}

/// Memory that this process holds now; 0 where the system does not say.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Seconds of each run after one that warms up.
fn laps(count: usize, mut run: impl FnMut()) -> Vec<f64> {
    run();
    let mut seconds: Vec<f64> = (0..count)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds
}

fn report(engine: &str, precision: &str, tokens: usize, passages: &[f64], queries: &[f64], load_ms: f64) {
    let at = |laps: &[f64], share: f64| laps[((laps.len() - 1) as f64 * share) as usize];
    println!(
        "{{\"bench\":\"embed\",\"engine\":\"{engine}\",\"model\":\"{MODEL}\",\"precision\":\"{precision}\",\"tokens\":{tokens},\
         \"tokens_per_s\":{:.0},\"query_p50_ms\":{:.2},\"query_p95_ms\":{:.2},\"load_ms\":{load_ms:.1}}}",
        tokens as f64 / at(passages, 0.5),
        at(queries, 0.5) * 1e3,
        at(queries, 0.95) * 1e3,
    );
}

/// candle-transformers' model as its examples use it.
struct Stock {
    model: BertModel,
    tokenizer: tokenizers::Tokenizer,
}

impl Stock {
    fn load(dir: &Path) -> Self {
        let config: Config = serde_json::from_slice(&std::fs::read(dir.join("config.json")).unwrap()).unwrap();
        let weights = std::fs::read(dir.join("model.safetensors")).unwrap();
        let vb = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu).unwrap();
        let mut tokenizer = tokenizers::Tokenizer::from_file(dir.join("tokenizer.json")).unwrap();
        let cut = tokenizers::TruncationParams { max_length: 512, ..Default::default() };
        tokenizer.with_truncation(Some(cut)).unwrap();
        Self { model: BertModel::load(vb, &config).unwrap(), tokenizer }
    }

    fn encode(&self, texts: &[&str]) {
        let mut rows: Vec<Vec<u32>> =
            texts.iter().map(|t| self.tokenizer.encode(*t, true).unwrap().get_ids().to_vec()).collect();
        rows.sort_by_key(Vec::len);
        let mut rest = rows.as_slice();
        while let Some(first) = rest.first() {
            let size = (4096 / first.len().max(1)).clamp(1, 32).min(rest.len());
            let (batch, others) = rest.split_at(size);
            rest = others;
            let width = batch.iter().map(Vec::len).max().unwrap();
            let pad = |values: &dyn Fn(&Vec<u32>, usize) -> u32| {
                let flat: Vec<u32> = batch.iter().flat_map(|r| (0..width).map(move |i| values(r, i))).collect();
                Tensor::from_vec(flat, (size, width), &Device::Cpu).unwrap()
            };
            let ids = pad(&|row, i| row.get(i).copied().unwrap_or(0));
            let mask = pad(&|row, i| u32::from(i < row.len()));
            let hidden = self.model.forward(&ids, &ids.zeros_like().unwrap(), Some(&mask)).unwrap();
            std::hint::black_box(hidden.narrow(1, 0, 1).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap());
        }
    }
}
