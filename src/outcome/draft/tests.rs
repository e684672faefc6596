//! Patterns of instances, and entries around them.

use super::{DraftError, Fix, Wanted, draft, generalise, propose};
use crate::canon::{PackLayer, PackSource, Severity, check};
use crate::outcome::error_kind;
use crate::types::{Scope, ToolOutcome};
use proptest::prelude::*;
use regex::RegexBuilder;

fn matches(pattern: &str, text: &str) -> bool {
    RegexBuilder::new(&pattern.replace(' ', r"[ \t\n]+")).multi_line(true).build().unwrap().is_match(text)
}

#[test]
fn what_varies_becomes_a_class() {
    let cases: [(&[&str], &str, &str); 4] = [
        (
            &["Table 'shop.orders' doesn't exist", "Table 'shop.items' doesn't exist"],
            "Table 'a.b' doesn't exist",
            "Table 'a.b' does exist",
        ),
        (
            &["ls: cannot access '/a/b': No such file or directory"],
            "ls: cannot access '/x': No such file or directory",
            "ls: cannot open '/x': Permission denied",
        ),
        (
            &["worker 3 lost after 20 retries", "worker 4 lost after 7 retries"],
            "worker 11 lost after 1 retries",
            "worker lost",
        ),
        (
            &["disk (sda+) is full [now]", "disk (sdb+) is full [now]"],
            "disk (sdc+) is full [now]",
            "disk sdc is full now",
        ),
    ];
    for (instances, held_out, other) in cases {
        let pattern = generalise(instances, &[other]).unwrap();
        assert!(matches(&pattern, held_out), "{pattern} and {held_out}");
        assert!(!matches(&pattern, other), "{pattern} and {other}");
    }
}

#[test]
fn a_pattern_is_made_narrower_where_another_error_is_near() {
    let instances = ["connection refused by alpha", "connection refused by beta"];
    let pattern = generalise(&instances, &["connection refused by alpha, trying again"]).unwrap();
    assert!(matches(&pattern, "connection refused by gamma"), "{pattern}");
    // Nothing tells these apart.
    assert_eq!(generalise(&instances, &["connection refused by gamma"]), None);
    let pattern = generalise(&["unit is masked"], &["unit is masked by another"]).unwrap();
    assert!(matches(&pattern, "unit is masked") && !matches(&pattern, "unit is masked by another"));
    let codes = generalise(&["exit status 137 of build"], &["exit status 1 of build"]).unwrap();
    assert!(matches(&codes, "exit status 137 of build") && !matches(&codes, "exit status 2 of build"));
}

#[test]
fn a_draft_passes_the_check() {
    let instances = [
        "ModuleNotFoundError: No module named 'numpy'",
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'yaml'",
    ];
    let others = ["ImportError: cannot import name 'x' from 'y'"];
    let fixes = [Fix { step: "Run `pip install {name}".to_owned(), worked: 9, tried: 11 }];
    let draft = draft("drafts", "python", &instances, &others, &fixes).unwrap();
    assert_eq!(draft.entry.id, "drafts/modulenotfounderror-no-module-named");
    assert!(matches(&draft.pattern, "ModuleNotFoundError: No module named 'requests'"), "{}", draft.pattern);
    assert_eq!(draft.entry.counterexamples, others);
    assert!(draft.entry.fix[0].text.starts_with("Run `pip install name`. Worked in 9 of 11 sessions."));
}

#[test]
fn what_says_nothing_is_not_drafted() {
    assert_eq!(draft("drafts", "x", &["", "\n"], &[], &[]), Err(DraftError::Silent));
    assert_eq!(draft("drafts", "x", &["17", "18"], &[], &[]), Err(DraftError::Vague));
    let refused = draft("drafts", "x", &["error: something failed"], &[], &[]);
    assert!(matches!(refused, Err(DraftError::Refused(_))), "{refused:?}");
}

proptest! {
    /// A pattern matches what it was made from and nothing that it was told not to, or there is none.
    #[test]
    fn instances_match_and_others_do_not(
        instances in prop::collection::vec("[a-c (){}.*+?\\[\\]|^$'\"0-9/]{0,40}", 1..5),
        others in prop::collection::vec("[a-c (){}.*+?'0-9/]{0,40}", 0..4),
    ) {
        let instances: Vec<&str> = instances.iter().map(String::as_str).collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        if let Some(pattern) = generalise(&instances, &others) {
            prop_assert!(instances.iter().filter(|line| !line.is_empty()).all(|line| matches(&pattern, line)));
            prop_assert!(!others.iter().any(|line| matches(&pattern, line)));
        }
    }

    /// Any text is read without a fault.
    #[test]
    fn any_text_is_drafted_or_refused(instances in prop::collection::vec("\\PC{0,60}", 0..4)) {
        let instances: Vec<&str> = instances.iter().map(String::as_str).collect();
        let _ = draft("drafts", "x", &instances, &[], &[]);
    }
}

/// Rows that hold these errors, three runs to a session.
fn failures(errors: &[String]) -> Vec<ToolOutcome> {
    (0_u32..).zip(errors).map(|(number, error)| row(&format!("s{}", number / 3), number % 3 + 1, error)).collect()
}

fn row(session: &str, sequence: u32, error: &str) -> ToolOutcome {
    ToolOutcome {
        call: None,
        session: session.to_owned(),
        sequence,
        at: 0,
        tool: "bash".to_owned(),
        head: String::new(),
        input: String::new(),
        input_fingerprint: String::new(),
        is_ok: false,
        exit_code: Some(1),
        error: error.to_owned(),
        error_fingerprint: None,
        duration_ms: None,
        scope: Scope::global(),
    }
}

fn all(least: usize) -> Wanted<'static> {
    Wanted { pack: "drafts", patterns: &[], least, most: 100 }
}

#[test]
fn entries_of_equal_names_have_ids_of_their_own() {
    let error = |what: &str| format!("the lamp is {what} in room 4");
    let errors: Vec<String> = ["dark7 now", "dark7 now", "dark8 too", "dark8 too"].map(error).to_vec();
    let drafted = propose(&all(2), &failures(&errors), &[], &|_| None);
    let ids: Vec<&str> = drafted.pack.entries.iter().map(|entry| entry.id.as_str()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    // What a pack knows is left out, and told.
    let drafted = propose(&all(2), &failures(&errors), &[], &|_| Some("house/dark".to_owned()));
    assert!(drafted.pack.entries.is_empty() && drafted.refused[0].reason.starts_with("house/dark"));
}

/// An error of any kind: words, what patterns mean something by, numbers, a control character.
const ERROR: &str = "(error|lamp|door): [a-c (){}.*+?\\[\\]|^$'\"0-9/\u{1b}`]{0,30}( is gone)?";

proptest! {
    // Each case checks a pack several times.
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever failed: the pack passes the check, each error is drafted or refused.
    #[test]
    fn a_pack_of_drafts_passes_the_check(
        errors in prop::collection::vec(ERROR, 0..14),
    ) {
        let drafted = propose(&all(1), &failures(&errors), &[], &|_| None);
        let source = PackSource {
            layer: PackLayer::User,
            origin: "drafts.json".to_owned(),
            text: serde_json::to_string(&drafted.pack).unwrap().into(),
        };
        let faults: Vec<String> = check(&[source])
            .into_iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.message)
            .collect();
        // A pack without entries is a fault, and nothing is printed of it.
        prop_assert!(faults.is_empty() || drafted.pack.entries.is_empty(), "{faults:?}");
        prop_assert_eq!(drafted.drafts.len(), drafted.pack.entries.len());
        let refused = drafted.refused.iter().map(|one| one.count);
        let told: usize = drafted.drafts.iter().map(|one| one.count).chain(refused).sum();
        prop_assert_eq!(told, failures(&errors).iter().filter(|row| !error_kind(&row.error).is_empty()).count());
    }
}
