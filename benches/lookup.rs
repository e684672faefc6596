//! A semantic lookup split by phase, as a cold process goes through them: milliseconds, the median of 15 rounds.
//!
//! Data: the built-in canon and one paraphrase. Needs an installed bge-small-en-v1.5-int8 (`ken model pull`) and its
//! canon vectors in `$KEN_HOME`. Run: `KEN_HOME=... cargo bench --bench lookup`. With `KEN_LOG=build.log` in
//! front, it also measures what is done with a log before the model is asked, in a process that has done it before.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use kenning::ann::{Image, Index};
use kenning::canon::Canon;
use kenning::embed::{ModelStore, StoreSettings};
use kenning::lexical::{QueryTerms, TermImage, TermIndex, TermOrigin};
use kenning::text::clean;
use kenning::triage::blocks;
use kenning::types::Role;
use std::path::PathBuf;
use std::time::Instant;

const QUESTION: &str = "terraform says somebody else is holding the lock on the state";
const ROUNDS: usize = 15;

fn time<T>(name: &str, mut run: impl FnMut() -> T) -> T {
    let mut laps = Vec::new();
    let mut last = None;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        last = Some(run());
        laps.push(start.elapsed().as_secs_f64() * 1e3);
    }
    laps.sort_by(f64::total_cmp);
    println!("{name:32} {:8.2} ms", laps[ROUNDS / 2]);
    last.unwrap()
}

/// What is done with a log, in a process that has done it before.
fn of_log(path: &std::path::Path) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let canon = Canon::load(&[]).0;
    let cleaned = time("clean a log", || clean(&text));
    time("match its patterns", || canon.find(&cleaned.text));
    let found = time("weigh its blocks", || blocks(&cleaned));
    println!("{} lines, {} blocks", cleaned.lines.len(), found.len());
}

fn main() {
    if let Some(path) = std::env::var_os("KEN_LOG") {
        of_log(path.as_ref());
    }
    let home = PathBuf::from(std::env::var_os("KEN_HOME").expect("set KEN_HOME to a home with the model"));
    let store = ModelStore::new(StoreSettings::new(home.join("models"), home.join("hub")));
    time("load the canon's tables", || Canon::load(&[]));
    time("match patterns", || Canon::load(&[]).0.find(QUESTION));
    let entries = time("parse all entries", || {
        let canon = Canon::load(&[]).0;
        assert!(canon.entries().iter().all(|stored| !stored.entry().title.is_empty()));
        canon
    });
    let texts = || entries.entries().iter().map(|stored| stored.entry().keyword_text());
    time("index terms, once", || TermIndex::of_texts((0..).zip(texts())).unwrap());
    let origin = TermOrigin { state: format!("canon {}", entries.digest()), ..TermOrigin::default() };
    let file = home.join("vectors/canon.terms");
    let open = || TermIndex::new(TermImage::open_or_make(&file, &origin, (0..).zip(texts())).unwrap());
    let terms = time("open the index of terms", open);
    time("compare with all terms", || terms.score_all(&QueryTerms::of(QUESTION)));
    let found = store.find("bge-small-en-v1.5-int8").unwrap().expect("the model is installed");
    let encoder = time("load model and tokenizer", || store.load(&found).unwrap());
    let file = home.join(format!("vectors/canon-{}.ann", encoder.fingerprint()));
    let open = || Image::open_stale(&file, encoder.fingerprint().as_str()).expect("a lookup has made it");
    let index = time("open canon's vectors", || Index::new(open()));
    let vector =
        time("embed the question", || encoder.encode(&[QUESTION], Role::Query, &mut |_| {}).unwrap().remove(0).vector);
    time("compare with all vectors", || index.nearest_owners(&vector, 64, None));
    println!("{} entries, {} vectors", entries.entries().len(), index.len());
}
