//! A database that somebody else has written, or that was damaged.

use crate::fuzz::{Reader, Target, emptied, outcome, sort_of};
use crate::support::request::session;
use kenning::embed::DEFAULT_RERANKER;
use kenning::engine::{Engine, EngineSettings};
use kenning::query::SearchOptions;
use std::path::Path;

/// An engine without models, at a moment that never passes.
pub fn settings(data: Option<&Path>) -> EngineSettings {
    let below = |name: &str| data.map(|data| data.join(name));
    EngineSettings {
        data: data.map(Path::to_owned),
        shared: None,
        config: below("config.toml"),
        cache: below("cache"),
        user_packs: below("canon"),
        repository_packs: None,
        // Beside the data, so that word statistics of the packs are made once and not for each input.
        vectors: data.and_then(Path::parent).map(|room| room.join("vectors")),
        model: "none".to_owned(),
        calibration: None,
        reranker: DEFAULT_RERANKER.to_owned(),
        recall_target: 1.0,
        max_noise: 0.03,
        remembers: false,
        models: None,
        later: None,
    }
}

pub const DATABASE: Target = Target {
    name: "database",
    seeds: || vec![made()],
    words: &[
        "SQLite format 3\0",
        "CREATE TABLE ",
        "CREATE TRIGGER ",
        "CREATE VIEW ",
        "vector_change",
        "SELECT ",
        "sqlite_schema",
        "BLOB",
    ],
    longest: 1 << 20,
    reader: database,
};

/// A small database with an indexed file and items of every kind.
fn made() -> Vec<u8> {
    let room = tempfile::tempdir().unwrap();
    let export = include_bytes!("../corpus/records/all.jsonl");
    let engine = Engine::new(settings(Some(room.path())));
    engine.import_records(&export[..], &session()).unwrap();
    engine.clean(&session()).unwrap();
    drop(engine);
    std::fs::read(room.path().join(kenning::store::DATABASE)).unwrap()
}

fn database(room: &Path) -> Reader {
    let data = room.join("data");
    Box::new(move |input| {
        emptied(&data);
        std::fs::write(data.join(kenning::store::DATABASE), input).unwrap();
        let engine = Engine::new(settings(Some(&data)));
        let options = SearchOptions { min_relevance: Some(0.0), ..SearchOptions::default() };
        let found = engine.search(b"water in the cellar of the house", &options, &session());
        let found = found
            .map_or_else(|error| sort_of(&error), |answer| answer.results.first().map_or(0, |f| f.hits.len() as u64));
        let status = engine.status(&session()).map_or_else(|error| sort_of(&error), |_| 0);
        let mut out = Vec::new();
        let exported =
            engine.export(&mut out, &session()).map_or_else(|error| sort_of(&error), |records| records.min(30) as u64);
        assert!(exported > 30 || std::str::from_utf8(&out).is_ok());
        let repair = input.len() % 4 == 0;
        let healthy =
            engine.check_up(repair, &session()).map_or_else(|error| sort_of(&error), |up| sort_of(&format!("{up:?}")));
        outcome((found, status, exported, healthy))
    })
}
