//! How fast texts become vectors: tokens a second over a file of passages, and single short queries.
//!
//! Run: `cargo bench --bench embed -- TEXTS.txt [--stock] [--repeat N]` with one passage a line. The model is
//! bge-small-en-v1.5-int8 from the tests' home (`KEN_TEST_HOME`, else `target/ken-test-home`), which the tests fill.
//! Prints one JSON object; `--stock` adds candle-transformers' own BertModel on the same weights, padded batches of at
//! most 32 texts and 4,096 tokens, sorted by length. Measure other software on the same file in
//! turns with this: the machine is never quite idle. Figures are medians.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use kenning::embed::{ModelStore, StoreSettings};
use kenning::types::Role;
use std::path::{Path, PathBuf};
use std::time::Instant;

const MODEL: &str = "bge-small-en-v1.5-int8";
/// 22 tokens with the special ones and without a prefix.
const QUERY: &str = "Error creating S3 bucket: BucketAlreadyExists: the requested bucket name is not available";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let Some(file) = args.iter().find(|a| Path::new(a).is_file()) else {
        println!("usage: embed TEXTS.txt [--stock] [--repeat N]");
        return;
    };
    let repeat: usize = value("--repeat").map_or(3, |n| n.parse().unwrap());
    let text = std::fs::read_to_string(file).unwrap();
    let texts: Vec<&str> = text.lines().filter(|l| !l.is_empty()).collect();

    let home = std::env::var_os("KEN_TEST_HOME")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/ken-test-home"), PathBuf::from);
    let store = ModelStore::new(StoreSettings::new(home.join("models"), home.join("hub")));
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
