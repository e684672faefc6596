//! One engine that stays while others change what it answers from: each request has what was true when it came.

use crate::support::home;
use crate::support::ken::{User, section};
use crate::support::request::session;
use kenning::engine::{Engine, EngineError, EngineSettings, Notes, Session};
use kenning::query::SearchOptions;
use kenning::types::{Answer, Kind, Semantic};

/// An engine without models, in this user's home.
pub fn settings(user: &User) -> EngineSettings {
    EngineSettings {
        data: Some(user.home()),
        shared: None,
        cache: None,
        config: None,
        user_packs: Some(user.home().join("canon")),
        repository_packs: None,
        calibration: None,
        reranker: String::new(),
        vectors: None,
        model: "none".into(),
        recall_target: 0.99,
        max_noise: 0.03,
        remembers: false,
        models: None,
        later: None,
    }
}

fn ask(engine: &Engine, question: &str) -> Answer {
    let mut options = SearchOptions { min_relevance: Some(0.0), ..SearchOptions::default() };
    options.filter.kinds = vec![Kind::Chunk];
    engine.search(question.as_bytes(), &options, &session()).unwrap()
}

fn ids(answer: &Answer) -> Vec<String> {
    answer.results[0].hits.iter().map(|hit| hit.id.clone()).collect()
}

#[test]
fn what_another_process_indexes_or_forgets_is_there_or_gone_at_the_next_request() {
    let user = User::new();
    user.document("a.md", section(1, "The harvest of the early apples begins in autumn."));
    user.ken(&["index", "."]);
    let engine = Engine::new(settings(&user));
    let first = ids(&ask(&engine, "harvest of early apples"));
    assert_eq!(first.len(), 1);
    assert!(ids(&ask(&engine, "copper kettles in the attic")).is_empty());
    user.document("b.md", section(2, "Copper kettles stand in the attic since the move."));
    user.ken(&["index", "."]);
    assert_eq!(ids(&ask(&engine, "copper kettles in the attic")).len(), 1);
    assert_eq!(ids(&ask(&engine, "harvest of early apples")), first);
    assert_eq!(user.ken(&["forget", &first[0]]).code, 0);
    assert!(ids(&ask(&engine, "harvest of early apples")).is_empty());
}

#[test]
fn a_pack_that_is_added_counts_at_the_next_request() {
    let user = User::new();
    let engine = Engine::new(settings(&user));
    let before = engine.packs(&session()).canon().entries().len();
    let entry = ["--title", "The kettle is dry", "--cause", "Nobody has filled it.", "--fix", "Fill it."];
    let added = user.ken(&[&["canon", "add", "--pack", "mine", "--symptom", "the kettle is dry"][..], &entry].concat());
    assert_eq!(added.code, 0, "{added:?}");
    assert_eq!(engine.packs(&session()).canon().entries().len(), before + 1);
}

#[cfg(unix)]
#[test]
fn a_model_that_comes_later_is_used_by_the_next_request() {
    const MODEL: &str = "bge-small-en-v1.5-int8";
    home::installed(MODEL);
    let user = User::new();
    let models = user.home().join("models");
    let mut store = home::settings();
    store.dir = models.clone();
    let vectors = Some(home::dir().join("vectors"));
    let engine = Engine::new(EngineSettings { model: MODEL.into(), models: Some(store), vectors, ..settings(&user) });
    let semantic = || ask(&engine, "who holds the lock").results[0].semantic;
    assert_eq!(semantic(), Semantic::Off);
    std::fs::create_dir_all(user.home()).unwrap();
    std::os::unix::fs::symlink(home::dir().join("models"), &models).unwrap();
    assert_eq!(semantic(), Semantic::On, "what was not there is looked for again");
    std::fs::remove_file(&models).unwrap();
    assert_eq!(semantic(), Semantic::Off, "what is gone is not used");
}

#[test]
fn a_request_that_has_no_time_left_is_refused() {
    let user = User::new();
    let engine = Engine::new(settings(&user));
    let late = Session::new(|| 1_000, Notes::default()).until(1_000);
    let refused = engine.search(b"anything", &SearchOptions::default(), &late);
    assert!(matches!(refused, Err(EngineError::DeadlinePassed)), "{refused:?}");
    let unwanted = Session::new(|| 1_000, Notes::default()).stopped_by(&|| true);
    let refused = engine.search(b"anything", &SearchOptions::default(), &unwanted);
    assert!(matches!(refused, Err(EngineError::Cancelled)), "{refused:?}");
}
