//! The ends of small sessions, and what must hold for all.

use super::{End, gaps, label};
use crate::outcome::testing::{failed, ok};
use crate::types::ToolOutcome;
use proptest::prelude::*;

fn ends(rows: &[ToolOutcome]) -> Vec<(End, Vec<String>, Option<usize>)> {
    let rows: Vec<&ToolOutcome> = rows.iter().collect();
    let heads = |via: Vec<(String, String)>| via.into_iter().map(|(_, head)| head).collect();
    label(&rows).into_iter().map(|one| (one.end, heads(one.via), one.fixed_by)).collect()
}

#[test]
fn each_end_has_its_name() {
    let make = || failed("make", "make all", "no rule");
    type Case<'a> = (Vec<ToolOutcome>, End, &'a [&'a str], Option<usize>);
    let cases: [Case<'_>; 6] = [
        (vec![make(), ok("make", "make all")], End::Repeated, &[], Some(1)),
        (vec![make(), ok("make", "make -k all")], End::Edited, &[], Some(1)),
        (vec![make(), ok("apt-get", "apt-get install x"), ok("make", "make all")], End::Enabled, &["apt-get"], Some(2)),
        (vec![make(), ok("ls", "ls"), ok("ls", "ls -l"), ok("make", "make all")], End::Enabled, &["ls"], Some(3)),
        (vec![make(), ok("ninja", "ninja")], End::Replaced, &["ninja"], Some(1)),
        (vec![make(), failed("ninja", "ninja", "no")], End::Unrecovered, &[], None),
    ];
    for (rows, end, via, fixed) in cases {
        assert_eq!(ends(&rows)[0], (end, via.iter().map(|head| (*head).to_owned()).collect(), fixed), "{end:?}");
    }
}

#[test]
fn what_only_looked_is_no_change() {
    let rows = [
        failed("make", "make", "no rule"),
        ok("ls", "ls src"),
        ok("mkdir", "mkdir out"),
        failed("cp", "cp a b", "no a"),
        failed("make", "make", "no rule"),
        ok("make", "make"),
    ];
    let rows: Vec<&ToolOutcome> = rows.iter().collect();
    let first = &label(&rows)[0];
    assert_eq!((first.changed.as_slice(), first.failed_between), (&[2][..], 2));
    let gaps = gaps(&rows);
    let retries: Vec<_> = gaps.iter().map(|gap| gap.retry.map(|retry| (retry.at, retry.worked))).collect();
    assert_eq!(retries, [Some((4, false)), None, Some((5, true))]);
    assert_eq!((gaps[0].changed.as_slice(), gaps[0].looked.as_slice()), (&[2][..], &[1][..]));
}

#[test]
fn another_verb_of_a_program_is_what_helps_it() {
    let git = |verb: &str| format!("cd web && git {verb}");
    let retries = |rows: &[ToolOutcome]| -> Vec<Option<(usize, bool)>> {
        let rows: Vec<&ToolOutcome> = rows.iter().collect();
        gaps(&rows).into_iter().map(|gap| gap.retry.map(|retry| (retry.at, retry.worked))).collect()
    };
    let push = || failed("git", &git("push"), "fetch first");
    assert_eq!(retries(&[push(), ok("git", &git("pull --rebase")), ok("git", &git("push"))]), [Some((2, true))]);
    assert_eq!(retries(&[push(), ok("git", &git("pull --rebase"))]), [None]);
    assert_eq!(retries(&[push(), ok("git", &git("push --force"))]), [Some((1, true))]);
    let python = |what: &str| format!("python -m {what}");
    let pytest = || failed("python", &python("pytest"), "No module named pytest");
    let install = || ok("python", &python("pip install pytest"));
    assert_eq!(retries(&[pytest(), install(), ok("python", &python("pytest"))]), [Some((2, true))]);
    let cat = |file: &str| format!("cat {file}");
    assert_eq!(retries(&[failed("cat", &cat("a.txt"), "no such file"), ok("cat", &cat("b.txt"))]), [Some((1, true))]);
}

/// The same by the letter of the definition, slowly.
fn naive(rows: &[&ToolOutcome], at: usize) -> (End, Option<usize>) {
    let same = |a: usize| rows[a].tool == rows[at].tool && rows[a].head == rows[at].head;
    let later: Vec<usize> = (at + 1..rows.len()).filter(|a| rows[*a].is_ok).collect();
    match later.iter().find(|a| same(**a)) {
        Some(fixed) if later.iter().any(|a| a < fixed && !same(*a)) => (End::Enabled, Some(*fixed)),
        Some(fixed) if rows[*fixed].input == rows[at].input => (End::Repeated, Some(*fixed)),
        Some(fixed) => (End::Edited, Some(*fixed)),
        None if later.is_empty() => (End::Unrecovered, None),
        None => (End::Replaced, later.first().copied()),
    }
}

proptest! {
    #[test]
    fn any_session_is_labelled_as_defined(
        steps in prop::collection::vec((0..3_usize, 0..2_usize, any::<bool>()), 0..14),
    ) {
        let heads = ["make", "ls", "cp"];
        let rows: Vec<ToolOutcome> = steps
            .iter()
            .map(|(head, input, works)| {
                let input = format!("{} {input}", heads[*head]);
                if *works { ok(heads[*head], &input) } else { failed(heads[*head], &input, "it broke") }
            })
            .collect();
        let rows: Vec<&ToolOutcome> = rows.iter().collect();
        let labels = label(&rows);
        prop_assert_eq!(labels.len(), rows.iter().filter(|row| !row.is_ok).count());
        for one in labels {
            prop_assert_eq!((one.end, one.fixed_by), naive(&rows, one.failed));
        }
    }
}
