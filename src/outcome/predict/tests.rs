//! What predictions and fixes must hold to.

use super::forest::{Example, Forest};
use super::{Fixes, Predictor};
use crate::outcome::recovery::End;
use crate::outcome::sessions;
use crate::outcome::testing::{failed, ok, session};
use crate::types::ToolOutcome;
use proptest::prelude::*;

fn corpus() -> Vec<ToolOutcome> {
    let missing = "bash: gcc: command not found";
    let mut rows = Vec::new();
    for n in 0..8 {
        let build = format!("make target{n}");
        rows.extend(session(
            &format!("a{n}"),
            vec![failed("make", &build, missing), ok("apt-get", "apt-get install gcc"), ok("make", &build)],
        ));
        rows.extend(session(
            &format!("b{n}"),
            vec![failed("make", &build, "make: unknown option -q"), ok("make", &format!("{build} -s"))],
        ));
    }
    rows
}

#[test]
fn like_failures_are_foretold_alike() {
    let rows = corpus();
    let predictor = Predictor::fit(&sessions(&rows));
    let first = |error: &str| {
        let rows = session("new", vec![failed("make", "make other", error)]);
        let rows: Vec<&ToolOutcome> = rows.iter().collect();
        predictor.predict(&rows, 0).remove(0)
    };
    let enabled = first("bash: gcc: command not found");
    assert_eq!(enabled.target, (End::Enabled, Some(("bash".to_owned(), "apt-get".to_owned()))));
    assert!(enabled.probability > 0.7);
    assert_eq!(first("make: unknown option -q").target, (End::Edited, None));
}

/// What a session did last and well is an answer, also where no other session ever did it.
#[test]
fn what_a_session_does_is_an_answer_of_its_own() {
    let mut rows = Vec::new();
    for (n, tool) in ["curl", "wget", "rsync", "scp", "ftp", "nc"].iter().enumerate() {
        let done = || ok(tool, &format!("{tool} x"));
        rows.extend(session(
            &format!("s{n}"),
            vec![done(), failed("The", "The end", "The: command not found"), done()],
        ));
    }
    let predictor = Predictor::fit(&sessions(&rows));
    let new = session("new", vec![ok("sftp", "sftp x"), failed("The", "The end", "The: command not found")]);
    let new: Vec<&ToolOutcome> = new.iter().collect();
    let first = predictor.predict(&new, 1).remove(0);
    assert_eq!(first.target, (End::Replaced, Some(("bash".to_owned(), "sftp".to_owned()))));
}

#[test]
fn without_sessions_nothing_is_foretold_and_found() {
    let rows = session("new", vec![failed("make", "make", "no rule")]);
    let rows: Vec<&ToolOutcome> = rows.iter().collect();
    assert!(Predictor::fit(&[]).predict(&rows, 0).is_empty());
    assert!(Predictor::default().predict(&rows, 7).is_empty());
    assert!(Fixes::of(&[]).unwrap().find(&rows, 0, 5).is_empty());
}

#[test]
fn the_fix_of_another_session_is_found() {
    let rows = [
        session("a", vec![failed("tar", "tar -c logs", "cowardly refusing"), ok("tar", "tar -cf logs.tar logs")]),
        session("b", vec![ok("git", "git status"), ok("ls", "ls")]),
    ]
    .concat();
    let new = session("new", vec![failed("tar", "tar -c logs out", "cowardly refusing to create an empty archive")]);
    let new: Vec<&ToolOutcome> = new.iter().collect();
    let found = Fixes::of(&sessions(&rows)).unwrap().find(&new, 0, 5);
    assert_eq!((found[0].session.as_str(), found[0].sequence), ("a", 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A prediction does not know what follows.
    #[test]
    fn the_future_makes_no_difference(after in prop::collection::vec((0..3_usize, any::<bool>()), 0..6)) {
        let corpus = corpus();
        let predictor = Predictor::fit(&sessions(&corpus));
        let mut rows = vec![ok("ls", "ls"), failed("make", "make", "bash: gcc: command not found")];
        let before: Vec<&ToolOutcome> = rows.iter().collect();
        let expected = predictor.predict(&before, 1);
        let heads = ["make", "apt-get", "ls"];
        rows.extend(after.iter().map(|(head, works)| {
            if *works { ok(heads[*head], "x") } else { failed(heads[*head], "x", "no") }
        }));
        let rows: Vec<&ToolOutcome> = rows.iter().collect();
        prop_assert_eq!(predictor.predict(&rows, 1), expected);
    }

    /// Shares are shares, whatever was learnt.
    #[test]
    fn shares_sum_to_one(
        cases in prop::collection::vec((0..3_usize, prop::collection::btree_set(0..9_u32, 0..5)), 1..30),
    ) {
        let examples: Vec<Example> = cases
            .iter()
            .map(|(class, features)| Example { class: *class, features: features.iter().copied().collect() })
            .collect();
        let forest = Forest::fit(&examples, 3, 9);
        for example in &examples {
            prop_assert!((forest.shares(&example.features).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
