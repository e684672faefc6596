//! Searches in a process that stays, through the engine that answers people: what each part takes, from one thread and
//! from many.
//!
//! Data: the documentation of crates in cargo's registry, cut by the program itself, and questions made of its headings
//! and of compilers' diagnostics in it; nothing is downloaded. Needs an installed bge-small-en-v1.5-int8 (`ken model
//! pull`) in `$KEN_HOME`; the index is made once in `$KEN_BENCH` and kept. Run: `KEN_HOME=... KEN_BENCH=... cargo bench
//! --bench search -- [CHUNKS]`.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use kenning::embed::{EncoderSettings, StoreSettings};
use kenning::engine::{Engine, EngineSettings, Notes, Progress, Session};
use kenning::ingest::IndexOptions;
use kenning::query::{LookupOptions, SearchOptions, Stage};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const MODEL: &str = "bge-small-en-v1.5-int8";
/// Questions of each kind.
const QUESTIONS: usize = 200;
/// How often all are asked, after one round that is not counted.
const ROUNDS: usize = 3;

fn engine(home: &Path, data: &Path, model: bool) -> Engine {
    let mut models = StoreSettings::new(home.join("models"), home.join("hub"));
    models.encoder = EncoderSettings::default();
    Engine::new(EngineSettings {
        data: Some(data.to_owned()),
        shared: None,
        config: None,
        cache: None,
        user_packs: None,
        repository_packs: None,
        vectors: Some(home.join("vectors")),
        model: MODEL.to_owned(),
        calibration: None,
        reranker: String::new(),
        recall_target: 0.99,
        max_noise: 0.03,
        remembers: false,
        models: model.then_some(models),
        later: None,
    })
}

fn session() -> Session<'static> {
    Session::new(|| 1_700_000_000_000, Notes::default())
}

/// Markdown files of the registry, in the order of their paths.
fn documents(registry: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![registry.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md" || ending == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Indexes files until there are so many chunks.
fn index(engine: &Engine, wanted: usize) -> usize {
    let home = std::env::var_os("CARGO_HOME")
        .map_or_else(|| PathBuf::from(std::env::var_os("HOME").expect("set HOME")).join(".cargo"), PathBuf::from);
    let count = || engine.status(&session()).unwrap().inventory.total();
    let files = documents(&home.join("registry/src"));
    let mut at = 0;
    let mut have = count();
    while have < wanted && at < files.len() {
        let next = (at + 200).min(files.len());
        engine.index(&files[at..next], &IndexOptions::default(), &session()).unwrap();
        (at, have) = (next, count());
    }
    have
}

/// The questions: up to 16 words of headings and sentences, and diagnostics of some 200 tokens.
fn questions() -> [(&'static str, Vec<String>); 2] {
    let short: Vec<&str> = include_str!("../docs/retrieval.md").lines().filter(|line| line.len() > 60).collect();
    let cut = |line: &&str, words: usize| line.split_whitespace().take(words).collect::<Vec<_>>().join(" ");
    let short = (0..QUESTIONS).map(|at| cut(&short[at % short.len()], 4 + at % 13)).collect();
    let long = |at: usize| {
        let (line, name) = (at * 7 % 900 + 1, ["buffer", "token", "encoder", "session", "index"][at % 5]);
        format!(
            "error[E0{:03}]: cannot borrow `{name}` as mutable because it is also borrowed as immutable\n  \
             --> src/{name}/mod.rs:{line}:17\n   |\n{line} |     let first = {name}.iter().next().unwrap();\n   \
             |                 ------ immutable borrow occurs here\n{} |     {name}.push(first.clone());\n   \
             |     ^^^^^^^^^^^^^^^^^^^^^^ mutable borrow occurs here\n{} |     drop(first);\n   \
             |          ----- immutable borrow later used here\n   |\n\
             note: required by a bound in `Vec::<T>::retain_mut` of the crate alloc\n\
             help: consider cloning the value before the borrow, or end the first borrow earlier by moving it into a \
             block of its own, as the chapter on ownership shows\n",
            at % 600,
            line + 1,
            line + 2,
        )
    };
    [("up to 16 words", short), ("diagnostics of 200 tokens", (0..QUESTIONS).map(long).collect())]
}

fn share(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

/// Milliseconds of each stage of one search, in the order of [`Stage::ALL`], and of what stands before the first.
fn timed(engine: &Engine, question: &str) -> Vec<f64> {
    let mut spent = vec![0.0; Stage::ALL.len()];
    let (mut stage, mut since) = (Stage::Rest, Instant::now());
    let place = |stage: Stage| Stage::ALL.iter().position(|known| *known == stage).unwrap();
    let quiet = session();
    let watched = quiet.heard_by(|progress| {
        if let Progress::Search(next) = progress {
            spent[place(stage)] += since.elapsed().as_secs_f64() * 1e3;
            (stage, since) = (next, Instant::now());
        }
    });
    engine.search(question.as_bytes(), &SearchOptions::default(), &watched).unwrap();
    drop(watched);
    spent[place(stage)] += since.elapsed().as_secs_f64() * 1e3;
    spent
}

fn stages(engine: &Engine, name: &str, questions: &[String]) {
    questions.iter().for_each(|question| drop(timed(engine, question)));
    let laps: Vec<Vec<f64>> = (0..ROUNDS)
        .flat_map(|round| questions.iter().map(move |q| (round, q)))
        .map(|(round, question)| {
            // No round asks what the cache of questions still has.
            timed(engine, &format!("{round}{} {question}", question.len()))
        })
        .collect();
    let embed = Stage::ALL.iter().position(|stage| *stage == Stage::Embed).unwrap();
    let mut rest: Vec<f64> = laps.iter().map(|lap| lap.iter().sum::<f64>() - lap[embed]).collect();
    rest.sort_by(f64::total_cmp);
    print!("{name:28} all but embedding p50 {:.2} p95 {:.2} ms;", share(&rest, 0.5), share(&rest, 0.95));
    for (at, stage) in Stage::ALL.iter().enumerate() {
        let mut own: Vec<f64> = laps.iter().map(|lap| lap[at]).collect();
        own.sort_by(f64::total_cmp);
        print!(" {} {:.2}", stage.name(), share(&own, 0.5));
    }
    println!();
}

/// Searches a second by so many threads, and the most memory that was held, in MiB.
fn throughput(engine: &Engine, questions: &[String], threads: usize) -> (f64, f64) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while start.elapsed().as_secs_f64() < 6.0 {
                    let at = NEXT.fetch_add(1, Ordering::Relaxed);
                    let question = format!("{} {at}", questions[at % questions.len()]);
                    engine.search(question.as_bytes(), &SearchOptions::default(), &session()).unwrap();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let rate = done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let held =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    (rate, held.unwrap_or(0.0) / 1024.0)
}

/// Milliseconds of a search at p50 and p95, asked by four threads, while files are indexed in this process or not.
fn beside_bulk(engine: &Engine, questions: &[String], bulk: Option<&Path>) -> [f64; 2] {
    let laps = Mutex::new(Vec::new());
    let stop = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (laps, stop) = (&laps, &stop);
            scope.spawn(move || {
                let mut at = thread;
                while stop.load(Ordering::Relaxed) == 0 {
                    let question = format!("{} {at} {thread}", questions[at % questions.len()]);
                    let start = Instant::now();
                    engine.search(question.as_bytes(), &SearchOptions::default(), &session()).unwrap();
                    laps.lock().unwrap().push(start.elapsed().as_secs_f64() * 1e3);
                    at += 4;
                }
            });
        }
        let start = Instant::now();
        match bulk {
            Some(folder) => drop(engine.index(&[folder.to_owned()], &IndexOptions::default(), &session()).unwrap()),
            None => std::thread::sleep(std::time::Duration::from_secs(8)),
        }
        println!("  {:.1} s", start.elapsed().as_secs_f64());
        stop.store(1, Ordering::Relaxed);
    });
    let mut laps = laps.into_inner().unwrap();
    laps.sort_by(f64::total_cmp);
    [share(&laps, 0.5), share(&laps, 0.95)]
}

fn lookups(engine: &Engine) {
    for (name, text) in [
        (
            "exact",
            "Error: Error acquiring the state lock\n\n\
             Error message: ConditionalCheckFailedException: The conditional request failed",
        ),
        ("close", "terraform says somebody else is holding the lock on the state"),
    ] {
        let mut laps: Vec<f64> = (0..60)
            .map(|at| {
                let text = if name == "exact" { text.to_owned() } else { format!("{text} {at}") };
                let start = Instant::now();
                engine.lookup(text.as_bytes(), &LookupOptions::default(), &session()).unwrap();
                start.elapsed().as_secs_f64() * 1e3
            })
            .skip(10)
            .collect();
        laps.sort_by(f64::total_cmp);
        println!("lookup, {name:20} p50 {:.2} p95 {:.2} ms", share(&laps, 0.5), share(&laps, 0.95));
    }
}

fn main() {
    let home = PathBuf::from(std::env::var_os("KEN_HOME").expect("set KEN_HOME to a home with the model"));
    let room = PathBuf::from(std::env::var_os("KEN_BENCH").expect("set KEN_BENCH to a folder for the index"));
    let wanted: usize = std::env::args().skip(1).find_map(|text| text.parse().ok()).unwrap_or(20_000);
    let data = room.join(format!("search-{wanted}"));
    std::fs::create_dir_all(&data).unwrap();
    let engine = engine(&home, &data, true);
    let chunks = index(&engine, wanted);
    println!("{chunks} chunks");
    let [short, long] = questions();
    for (name, questions) in [&short, &long] {
        stages(&engine, name, questions);
    }
    lookups(&engine);
    let one = throughput(&engine, &short.1, 1);
    for threads in [1, 2, 4, 16] {
        let (rate, held) = throughput(&engine, &short.1, threads);
        println!(
            "{threads:2} threads {rate:7.1} searches a second, {:.2} times those of one; {held:.0} MiB",
            rate / one.0
        );
    }
    if let Some(bulk) = std::env::args().skip(1).find(|text| Path::new(text).is_dir()) {
        let idle = beside_bulk(&engine, &short.1, None);
        let busy = beside_bulk(&engine, &short.1, Some(Path::new(&bulk)));
        println!(
            "4 searchers p50 {:.1} p95 {:.1} ms; while {bulk} is indexed {:.1} and {:.1}",
            idle[0], idle[1], busy[0], busy[1]
        );
    }
}
