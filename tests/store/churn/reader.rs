//! A process that does nothing but search, and holds what it finds against what the writer had confirmed.

use super::ledger::{Chance, Following, text, which};
use super::{MODEL, RECALL_TARGET};
use crate::support::home;
use crate::support::request::session_at;
use kenning::embed::EncoderSettings;
use kenning::engine::{Engine, EngineSettings, Session};
use kenning::query::{Legs, SearchOptions};
use kenning::store::SharedStore;
use kenning::types::{Answer, Content, Hit};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Searches at once in a process.
pub const THREADS: u64 = 2;
/// Between two searches, so that the writer gets on too.
const PAUSE: Duration = Duration::from_millis(20);

/// Where everything lies.
pub struct Places(pub PathBuf);

impl Places {
    pub fn ledger(&self) -> PathBuf {
        self.0.join("ledger")
    }

    /// Exists when readers are to stop.
    pub fn stop(&self) -> PathBuf {
        self.0.join("stop")
    }

    /// What was wrong, a line each.
    pub fn violations(&self) -> PathBuf {
        self.0.join("violations")
    }

    pub fn outcome(&self, reader: &str) -> PathBuf {
        self.0.join(format!("outcome-{reader}.json"))
    }

    pub fn home(&self) -> PathBuf {
        self.0.join("ken")
    }
}

/// What a reader did.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub searches: usize,
    /// For a text that had to be there.
    pub of_present: usize,
    /// For one that had gone.
    pub of_gone: usize,
    /// Milliseconds of each.
    pub took_ms: Vec<f32>,
}

/// An engine of this process on a data directory, or on the database of this address.
pub fn engine(data: &Path, store: Option<&str>) -> Engine {
    let mut models = home::settings();
    models.encoder = EncoderSettings { threads: Some(1), ..EncoderSettings::default() };
    Engine::new(EngineSettings {
        data: Some(data.to_owned()),
        shared: store.map(SharedStore::at),
        config: None,
        cache: None,
        user_packs: None,
        repository_packs: None,
        vectors: Some(home::dir().join("vectors")),
        model: MODEL.to_owned(),
        calibration: None,
        reranker: String::new(),
        recall_target: RECALL_TARGET,
        max_noise: 0.03,
        remembers: false,
        models: Some(models),
        later: None,
    })
}

/// A search by meaning, or by words too, for everything that is found at all.
pub fn options(keyword: bool) -> SearchOptions {
    SearchOptions {
        limit: 10,
        min_relevance: Some(0.0),
        whole: true,
        legs: Legs { semantic: true, keyword },
        ..SearchOptions::default()
    }
}

/// A request now.
pub fn session() -> Session<'static> {
    session_at(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64))
}

/// A note of what should never be.
pub fn complaint(session: &Session<'_>) -> Option<String> {
    session.take_notes().into_iter().find(|note| note.contains("damaged") || note.contains("cannot"))
}

/// A question with these [`options`].
pub fn ask(engine: &Engine, question: &str, keyword: bool) -> Result<Answer, String> {
    let session = session();
    let answer = engine.search(question.as_bytes(), &options(keyword), &session).map_err(|error| error.to_string())?;
    complaint(&session).map_or(Ok(answer), Err)
}

/// Row and version of each indexed text that was found, best first.
pub fn found(answer: &Answer) -> Vec<(usize, u32)> {
    let read = |hit: &Hit| match &hit.content {
        Content::Passage(passage) => {
            let (row, version) = which(&passage.snippet)?;
            // The item that the text stands under must be its own.
            let own = passage.path.as_ref().is_some_and(|path| path.ends_with(&format!("/{row}.txt")));
            assert!(own, "{} under {:?}", passage.snippet, passage.path);
            Some((row, version))
        }
        _ => None,
    };
    answer.results.iter().flat_map(|finding| &finding.hits).filter_map(read).collect()
}

/// Run as a process of its own: searches until it is told to stop.
pub fn read(places: &Places, store: Option<&str>, reader: &str, seed: u64) {
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..THREADS).map(|at| scope.spawn(move || search(places, store, seed * THREADS + at))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut all = Outcome::default();
    for one in outcomes {
        all.searches += one.searches;
        all.of_present += one.of_present;
        all.of_gone += one.of_gone;
        all.took_ms.extend(one.took_ms);
    }
    fs::write(places.outcome(reader), serde_json::to_vec(&all).unwrap()).unwrap();
}

fn search(places: &Places, store: Option<&str>, seed: u64) -> Outcome {
    let engine = engine(&places.home(), store);
    let mut ledger = Following::new(&places.ledger());
    let mut chance = Chance(seed);
    let mut out = Outcome::default();
    let parent = std::os::unix::process::parent_id();
    // Nobody is left to tell it to stop when the parent is gone.
    while !places.stop().exists() && std::os::unix::process::parent_id() == parent {
        std::thread::sleep(PAUSE);
        let before = ledger.fresh();
        ledger.take(&before);
        let Some((row, version)) = ledger.choose(&mut chance) else { continue };
        let by_words = chance.below(4) == 0;
        let start = Instant::now();
        let answer = ask(&engine, &text(row, version), by_words);
        out.took_ms.push(start.elapsed().as_secs_f32() * 1e3);
        out.searches += 1;
        let meanwhile = ledger.fresh();
        let found = answer.as_ref().map(found);
        let wrong = match &found {
            Err(error) => Some(error.to_string()),
            Ok(found) => {
                let gone = found.iter().find(|(row, version)| !ledger.may_be(*row, *version, &meanwhile));
                let must = ledger.must_be(row, version, &meanwhile);
                out.of_present += usize::from(must);
                out.of_gone += usize::from(!ledger.may_be(row, version, &meanwhile));
                let lost = must && found.first() != Some(&(row, version));
                gone.map(|(row, version)| format!("found what is gone, row {row} version {version}"))
                    .or_else(|| lost.then(|| "it is there and not the first".to_owned()))
            }
        };
        if let Some(wrong) = wrong {
            let line = format!("asked for row {row} version {version}, words {by_words}: {wrong}; {found:?}\n");
            let mut file = fs::File::options().create(true).append(true).open(places.violations()).unwrap();
            file.write_all(line.as_bytes()).unwrap();
        }
        ledger.take(&meanwhile);
    }
    out
}
