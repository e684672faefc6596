//! Patterns of small sessions, and what must hold for all.

use super::{Pattern, PatternKind, StepRole, confidence, patterns};
use crate::outcome::testing::{failed, ok, session};
use crate::types::{Scope, ToolOutcome};
use proptest::prelude::*;

const MISSING: &str = "error: linker 'cc' not found";

fn of(sessions: &[Vec<ToolOutcome>], kind: PatternKind) -> Vec<Pattern> {
    let rows: Vec<ToolOutcome> = sessions.concat();
    patterns(&Scope::global(), &rows).into_iter().filter(|one| one.kind == kind).collect()
}

fn cargo(between: &[(&str, &str)], works: bool) -> Vec<ToolOutcome> {
    let mut rows = vec![failed("cargo", "cargo build", MISSING)];
    rows.extend(between.iter().map(|(head, input)| ok(head, input)));
    rows.push(if works { ok("cargo", "cargo build") } else { failed("cargo", "cargo build", MISSING) });
    rows
}

#[test]
fn the_step_that_recurs_is_proposed_without_bystanders() {
    let install = ("apt-get", "apt-get install gcc");
    let sessions = [
        session("a", cargo(&[install, ("ls", "ls")], true)),
        session("b", cargo(&[("touch", "touch x"), install], true)),
        session("c", cargo(&[("touch", "touch x")], false)),
        session("d", cargo(&[install], false)),
        session("e", cargo(&[install], true)),
    ];
    let found = of(&sessions, PatternKind::Recovery);
    assert_eq!(found.len(), 1, "{found:#?}");
    let one = &found[0];
    assert_eq!((one.tool.as_str(), one.head.as_str(), one.error.as_str()), ("bash", "cargo", MISSING));
    assert_eq!(one.steps.len(), 1);
    assert_eq!((one.steps[0].role, one.steps[0].example.as_str()), (StepRole::Change, "apt-get install gcc"));
    assert_eq!((one.sessions, one.worked, one.failed), (3, 3, 1));
    assert!((one.confidence - 4.0 / 6.0).abs() < 1e-12);
    assert_eq!(one.evidence.iter().map(|place| place.session.as_str()).collect::<Vec<_>>(), ["a", "b", "e"]);
    assert_eq!(one.counterexamples.len(), 1);
}

/// One session is no evidence, however often it repeats itself.
#[test]
fn a_session_counts_once() {
    let once = cargo(&[("apt-get", "apt-get install gcc")], true);
    assert!(of(&[session("a", [once.clone(), once].concat())], PatternKind::Recovery).is_empty());
}

#[test]
fn what_works_as_often_without_it_is_no_tactic() {
    let touch = ("touch", "touch x");
    let sessions: Vec<_> =
        (0..6).map(|n| session(&format!("s{n}"), cargo(&[touch][..usize::from(n < 2)], true))).collect();
    assert!(of(&sessions, PatternKind::Recovery).is_empty());
    assert_eq!(of(&sessions, PatternKind::Flaky)[0].worked, 4);
}

#[test]
fn tactics_that_never_help_are_told() {
    let sessions: Vec<_> = (0..3).map(|n| session(&format!("s{n}"), cargo(&[("touch", "touch x")], false))).collect();
    let found = of(&sessions, PatternKind::FailedTactic);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].steps[0].head.as_str(), found[0].worked, found[0].failed), ("touch", 0, 3));
    assert!((found[0].confidence - 0.8).abs() < 1e-12);
}

#[test]
fn a_name_is_proposed_only_where_the_message_has_it() {
    let import = |name: &str| {
        let error = format!("ModuleNotFoundError: No module named '{name}'");
        let input = format!("pip install {name}");
        vec![failed("python", "python a.py", &error), ok("pip", &input), ok("python", "python a.py")]
    };
    let names =
        ["numpy", "requests", "flask", "pandas", "scipy", "torch", "jinja", "click", "tqdm", "rich", "attrs", "six"];
    let sessions: Vec<_> = names.iter().map(|name| session(name, import(name))).collect();
    let found = of(&sessions, PatternKind::Recovery);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].steps[0].input, "pip install <name>");
    assert_eq!(found[0].sessions, names.len());
}

#[test]
fn an_edit_is_what_goes_and_what_comes() {
    let tar =
        || vec![failed("tar", "tar -xzf a.tgz -c out", "tar: one option too many"), ok("tar", "tar -xzf a.tgz -C out")];
    let found = of(&[session("a", tar()), session("b", tar())], PatternKind::Recovery);
    assert!(
        found.iter().all(|one| one.steps[0].role == StepRole::Edit && one.steps[0].input == "-c -> -C"),
        "{found:#?}"
    );
    assert!(!found.is_empty());
}

#[test]
fn slow_tools_and_sequences_are_found() {
    let timed = |n: u64| ToolOutcome { duration_ms: Some(n * 1_000), ..ok("make", "make") };
    let rows = session("a", (1..=20).map(timed).collect());
    let slow = of(std::slice::from_ref(&rows), PatternKind::Slow);
    let durations = slow[0].durations.unwrap();
    assert_eq!((durations.count, durations.p50_ms, durations.p95_ms, durations.max_ms), (20, 10_000, 19_000, 20_000));
    let pair = || vec![ok("git", "git add ."), ok("gh", "gh pr create")];
    let found = of(&[session("a", pair()), session("b", pair())], PatternKind::Sequence);
    assert_eq!((found.len(), found[0].head.as_str(), found[0].steps[0].head.as_str()), (1, "git", "gh"));
}

#[test]
fn the_rule_of_succession() {
    for (worked, failed, expected) in [(0, 0, 0.5), (2, 0, 0.75), (9, 2, 10.0 / 13.0), (0, 3, 0.2)] {
        assert!((confidence(worked, failed) - expected).abs() < 1e-12);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Sessions come in any order, and give the same patterns with the same ids.
    #[test]
    fn the_order_of_sessions_makes_no_difference(
        sessions in prop::collection::vec(prop::collection::vec((0..4_usize, 0..3_usize, any::<bool>()), 1..9), 1..9),
        shift in 0..9_usize,
    ) {
        let heads = ["make", "touch", "ls", "cp"];
        let row = |(head, input, works): &(usize, usize, bool)| {
            let input = format!("{} file{input}", heads[*head]);
            let error = format!("fatal: no rule for 'a{head}'");
            if *works { ok(heads[*head], &input) } else { failed(heads[*head], &input, &error) }
        };
        let mut all: Vec<Vec<ToolOutcome>> = sessions
            .iter()
            .enumerate()
            .map(|(n, steps)| session(&format!("s{n}"), steps.iter().map(row).collect()))
            .collect();
        let before = patterns(&Scope::global(), &all.concat());
        let turn = shift % all.len();
        all.rotate_left(turn);
        let mut rows = all.concat();
        rows.reverse();
        prop_assert_eq!(&patterns(&Scope::global(), &rows), &before);
        let mut ids: Vec<&str> = before.iter().map(|one| one.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), before.len());
        for one in &before {
            prop_assert!(one.confidence > 0.0 && one.confidence < 1.0 && one.evidence.len() <= super::MOST_EVIDENCE);
        }
    }
}
