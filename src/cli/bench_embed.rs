//! `ken bench embed`.

use super::machine::peak_mib;
use super::output::{Failure, Output};
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::models::Encoder;
use crate::engine::face::system::{self, Links};
use crate::render::{json_line, line, shown};
use crate::types::Role;
use crate::types::limits::TEST_SET;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Measure the encoder: throughput, single queries, loading, memory
#[derive(Debug, Args)]
#[command(after_help = "\
Example:\n  ken bench embed --model all-MiniLM-L6-v2")]
pub(super) struct EmbedArgs {
    /// A file of passages, one on each line [default: the texts of the packs]
    #[arg(long, value_name = "FILE")]
    texts: Option<PathBuf>,
    /// Runs over all passages; the median is reported
    #[arg(long, default_value_t = 3, value_name = "N")]
    repeat: usize,
    /// Number of single queries
    #[arg(long, default_value_t = 60, value_name = "N")]
    queries: usize,
    /// Write the vectors of all passages into this file: little-endian f32, one row for each passage
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
}

/// 22 tokens with the special ones.
const QUERY: &str = "Error creating S3 bucket: BucketAlreadyExists: the requested bucket name is not available";

pub(super) fn run(global: &Global, args: &EmbedArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let read =
        |path: &PathBuf| system::read_text(path, Links::Follow, TEST_SET).map_err(|e| Failure::io(&shown(path), &e));
    let texts: Vec<String> = match &args.texts {
        Some(path) => read(path)?.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect(),
        None => {
            let packs = engine.packs(&output.session());
            let entries = packs.canon().entries();
            entries.iter().flat_map(|stored| stored.entry().texts()).map(|text| text.embedded()).take(2000).collect()
        }
    };
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let start = Instant::now();
    let encoder = engine.load_encoder()?;
    let load_ms = milliseconds(start);
    let start = Instant::now();
    encoder.encode(&[QUERY], Role::Passage, &mut |_| {}).map_err(crate::engine::EngineError::from)?;
    let first_ms = milliseconds(start);

    let encode = |texts: &[&str]| {
        let start = Instant::now();
        let out = encoder.encode(texts, Role::Passage, &mut |_| {}).map_err(crate::engine::EngineError::from)?;
        Ok::<_, Failure>((milliseconds(start), out))
    };
    let mut queries = Vec::new();
    for _ in 0..args.queries {
        queries.push(encode(&[QUERY])?.0);
    }
    let (mut passages, mut tokens) = (Vec::new(), 0);
    for lap in 0..args.repeat {
        let (ms, out) = encode(&texts)?;
        passages.push(ms);
        tokens = out.iter().map(|e| e.tokens).sum();
        if let (0, Some(path)) = (lap, &args.vectors) {
            let bytes: Vec<u8> = out.iter().flat_map(|e| &e.vector).flat_map(|v| v.to_le_bytes()).collect();
            std::fs::write(path, bytes).map_err(|e| Failure::io(&shown(path), &e))?;
        }
    }
    let mut busy = busy_queries(encoder.as_ref(), &texts, args.queries)?;
    let running = encoder.running();
    let speed = quantile(&mut passages, 0.5).map(|ms| (tokens as f64 / ms * 1e3).round());
    let round = |x: f64| (x * 100.0).round() / 100.0;
    let (p50, p95) = (quantile(&mut queries, 0.5).map(round), quantile(&mut queries, 0.95).map(round));
    let result = json!({
        "bench": "embed", "model": encoder.fingerprint().as_str(), "encoder": running.encoder,
        "precision": running.precision.name(), "kernel": running.kernel, "threads": running.threads,
        "texts": texts.len(), "tokens": tokens, "tokens_per_s": speed, "query_p50_ms": p50, "query_p95_ms": p95,
        "query_busy_p50_ms": quantile(&mut busy, 0.5).map(round),
        "query_busy_p95_ms": quantile(&mut busy, 0.95).map(round),
        "load_ms": round(load_ms), "first_query_ms": round(first_ms), "peak_mib": peak_mib(),
    });
    if output.json {
        output.print(&json_line(&result))?;
    } else if let Some(fields) = result.as_object() {
        let lines: String =
            fields.iter().map(|(name, value)| format!("{name:16} {}\n", line(&value.to_string()))).collect();
        output.print(&lines)?;
    }
    Ok(0)
}

/// Times of up to `most` single queries, one every few milliseconds, while the passages are encoded by the same
/// encoder.
fn busy_queries(encoder: &dyn Encoder, texts: &[&str], most: usize) -> Result<Vec<f64>, Failure> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let fail = |error| Failure::from(crate::engine::EngineError::from(error));
    std::thread::scope(|scope| {
        let encode = || encoder.encode(texts, Role::Passage, &mut |_| {}).map(drop);
        let started = std::thread::Builder::new().spawn_scoped(scope, encode);
        let bulk = started.map_err(|error| Failure::io("a thread", &error))?;
        let mut times = Vec::new();
        while times.len() < most && !bulk.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
            let start = Instant::now();
            encoder.encode(&[QUERY], Role::Passage, &mut |_| {}).map_err(fail)?;
            times.push(milliseconds(start));
        }
        // A panic in there has been reported already; there is nothing more to say.
        match bulk.join() {
            Ok(Err(error)) => Err(fail(error)),
            _ => Ok(times),
        }
    })
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get((values.len().saturating_sub(1) as f64 * share) as usize).copied()
}
