//! The built-in cases, looked up as people do, against a floor.
//!
//! The floor is below what is reached by about the noise of the set, so that a real loss fails and a reworded entry
//! does not. `docs/benchmarks.md` has the figures.

use crate::support::home;
use crate::support::request::session;
use kenning::engine::{Engine, EngineSettings};
use kenning::eval::{CaseKind, builtin_cases, run};

fn engine(with_model: bool) -> Engine {
    if with_model {
        home::installed("bge-small-en-v1.5-int8");
    }
    Engine::new(EngineSettings {
        later: None,
        data: Some(home::dir()),
        shared: None,
        cache: None,
        config: None,
        user_packs: None,
        repository_packs: None,
        calibration: None,
        reranker: String::new(),
        vectors: with_model.then(|| home::dir().join("vectors")),
        model: "bge-small-en-v1.5-int8".into(),
        recall_target: 0.99,
        max_noise: 0.03,
        remembers: false,
        models: with_model.then(home::settings),
    })
}

fn share(report: &kenning::eval::Report, kinds: &[CaseKind]) -> f64 {
    let counts = || kinds.iter().filter_map(|kind| report.kinds.get(kind));
    counts().map(|c| c.right).sum::<usize>() as f64 / counts().map(|c| c.cases).sum::<usize>() as f64
}

#[test]
fn the_set_is_large_enough_and_says_what_is_right() {
    let cases = builtin_cases().unwrap();
    let unanswerable = cases.iter().filter(|c| c.kind == CaseKind::Unanswerable).count();
    assert!(
        cases.len() >= 300 && unanswerable * 3 >= cases.len(),
        "{} cases, {unanswerable} unanswerable",
        cases.len()
    );
    let engine = engine(false);
    let packs = engine.packs(&session());
    for case in &cases {
        assert!(case.kind != CaseKind::Unanswerable || case.expect.is_empty(), "{}", case.id);
        for id in &case.expect {
            assert!(packs.canon().index_of(id).is_some(), "{} expects {id}, which is no entry", case.id);
        }
    }
}

/// With a model, a third of the cases: without AVX-512 each takes a third of a second. `ken bench builtin --floor` in
/// CI takes all.
#[test]
fn with_the_model() {
    let engine = engine(true);
    let session = session();
    let cases: Vec<_> = builtin_cases().unwrap().into_iter().step_by(3).collect();
    let (report, _) = run(&engine, &cases, &session).unwrap();
    assert_eq!(session.take_notes(), Vec::<String>::new());
    let reached = [
        share(&report, &[CaseKind::Message, CaseKind::Log]),
        share(&report, &[CaseKind::Paraphrase]),
        share(&report, &[CaseKind::Unanswerable]),
    ];
    assert!(
        reached[0] >= 0.93 && reached[1] >= 0.71 && reached[2] >= 0.96,
        "{reached:.3?}, missed: {:?}",
        report.misses
    );
}

/// Without a model messages are still found, and silence holds.
#[test]
fn without_a_model() {
    let engine = engine(false);
    let (report, _) = run(&engine, &builtin_cases().unwrap(), &session()).unwrap();
    let reached = [share(&report, &[CaseKind::Message, CaseKind::Log]), share(&report, &[CaseKind::Unanswerable])];
    assert!(reached[0] >= 0.90 && reached[1] >= 0.95, "{reached:.3?}, missed: {:?}", report.misses);
}
