//! Every built-in pattern against a log of 10,000 lines, warm: milliseconds, the median of 21 rounds after one that
//! compiles what is tried.
//!
//! Data: a healthy log by a fixed rule, and any file that is named. Run: `cargo bench --bench canon [-- FILE]`.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use kenning::canon::Canon;
use kenning::text::clean;
use std::time::Instant;

const ROUNDS: usize = 21;

fn median(mut run: impl FnMut()) -> f64 {
    run();
    let mut laps: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    laps.sort_by(f64::total_cmp);
    laps[ROUNDS / 2]
}

fn healthy(lines: usize) -> String {
    let says = [
        "INFO  server listening on 0.0.0.0:8080",
        "DEBUG cache hit ratio 0.97, 0 errors, 3 retries",
        "WARN  slow request GET /api/v1/items took 812ms, connection kept",
        "INFO  retry policy: 5 attempts, timeout 30s, on failure alert ops",
    ];
    (0..lines).map(|n| format!("2024-05-01 10:{:02}:{:02} {}\n", n / 60 % 60, n % 60, says[n * 31 % 4])).collect()
}

fn main() {
    let (canon, _) = Canon::load(&[]);
    let mut logs = vec![("healthy, 10,000 lines".to_owned(), healthy(10_000))];
    for path in std::env::args().skip(1).filter(|argument| std::path::Path::new(argument).is_file()) {
        logs.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
    }
    for (name, log) in logs {
        let cleaned = clean(&log);
        let mut hits = 0;
        let ms = median(|| hits = canon.find(&cleaned.text).len());
        println!("{name}: {} KB, {ms:.1} ms, {hits} hits", log.len() / 1000);
    }
}
