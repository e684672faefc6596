//! A pattern in words: what to do about a failure, as a person would say it.

use super::pattern::{Pattern, PatternKind, Step, StepRole};

/// Longest input that is shown, in characters.
const SHOWN: usize = 160;

/// What to do, in a sentence without its full stop; for what fails or takes long by itself, what it does.
pub fn advice(pattern: &Pattern) -> String {
    let action = if pattern.head.is_empty() { &pattern.tool } else { &pattern.head };
    match pattern.kind {
        PatternKind::Recovery => recovery(&pattern.steps, action),
        PatternKind::FailedTactic => format!("{} does not help", capital(&listed(&pattern.steps, action))),
        PatternKind::Flaky => format!("`{action}` fails and then works, with nothing changed between"),
        PatternKind::Slow => match &pattern.durations {
            Some(times) => format!(
                "`{action}` takes {}, and one time in twenty {} or more",
                seconds(times.p50_ms),
                seconds(times.p95_ms)
            ),
            None => format!("`{action}` takes long"),
        },
        PatternKind::Sequence => {
            let next = pattern.steps.last().map(|step| if step.head.is_empty() { &step.tool } else { &step.head });
            format!("`{action}` is followed by `{}`", next.unwrap_or(action))
        }
    }
}

/// The steps one after another, as something that is done.
fn listed(steps: &[Step], action: &str) -> String {
    let all: Vec<String> = steps.iter().map(|step| done(step, action)).collect();
    all.join(", then ")
}

fn recovery(steps: &[Step], action: &str) -> String {
    let said = capital(&listed(steps, action));
    let comes_before = steps.iter().any(|step| matches!(step.role, StepRole::Change | StepRole::Look));
    if comes_before { format!("{said}, then `{action}` again") } else { said }
}

fn done(step: &Step, action: &str) -> String {
    let example = one_line(&step.example);
    match step.role {
        StepRole::Change | StepRole::Look => match step.input.contains('<') && step.input != example {
            true => format!("run `{}`, such as `{example}`", one_line(&step.input)),
            false => format!("run `{example}`"),
        },
        StepRole::Instead => format!("run `{example}` in place of `{action}`"),
        StepRole::Again => format!("running `{action}` again as it was"),
        StepRole::Edit => match step.input.split_once(" -> ").map(|(gone, come)| (gone.trim(), come.trim())) {
            Some(("", come)) => format!("run `{action}` with `{come}` added, such as `{example}`"),
            Some((gone, "")) => format!("run `{action}` without `{gone}`, such as `{example}`"),
            Some((gone, come)) => format!("run `{action}` with `{come}` in place of `{gone}`, such as `{example}`"),
            None => format!("run `{example}`"),
        },
    }
}

/// White space as single blanks, cut where it is long. Backquotes would end the quotation.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn seconds(ms: u64) -> String {
    if ms < 1_000 { format!("{ms} ms") } else { format!("{:.1} s", ms as f64 / 1_000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Scope;

    fn pattern(kind: PatternKind, steps: &[(StepRole, &str, &str)]) -> Pattern {
        let step = |(role, input, example): &(StepRole, &str, &str)| Step {
            role: *role,
            tool: "Bash".to_owned(),
            head: "apt-get".to_owned(),
            input: (*input).to_owned(),
            example: (*example).to_owned(),
        };
        Pattern {
            id: "0".to_owned(),
            kind,
            scope: Scope::global(),
            tool: "Bash".to_owned(),
            head: "make".to_owned(),
            error: "jq: not found".to_owned(),
            error_fingerprint: None,
            steps: steps.iter().map(step).collect(),
            sessions: 2,
            times: 2,
            worked: 2,
            failed: 0,
            confidence: 0.75,
            last_at: 0,
            evidence: Vec::new(),
            counterexamples: Vec::new(),
            durations: None,
        }
    }

    #[test]
    fn each_role_is_said_as_what_to_do() {
        for (kind, steps, said) in [
            (
                PatternKind::Recovery,
                &[(StepRole::Change, "apt-get install <name>", "apt-get install jq")][..],
                "Run `apt-get install <name>`, such as `apt-get install jq`, then `make` again",
            ),
            (
                PatternKind::Recovery,
                &[(StepRole::Change, "make clean", "make clean"), (StepRole::Change, "./configure", "./configure")],
                "Run `make clean`, then run `./configure`, then `make` again",
            ),
            (
                PatternKind::Recovery,
                &[(StepRole::Edit, " -> -j1", "make  -j1\nall")],
                "Run `make` with `-j1` added, such as `make -j1 all`",
            ),
            (PatternKind::Recovery, &[(StepRole::Edit, "-j8 -> ", "make")], "Run `make` without `-j8`, such as `make`"),
            (
                PatternKind::Recovery,
                &[(StepRole::Edit, "-j8 -> -j1", "make -j1")],
                "Run `make` with `-j1` in place of `-j8`, such as `make -j1`",
            ),
            (
                PatternKind::Recovery,
                &[(StepRole::Instead, "ninja `all`", "ninja `all`")],
                "Run `ninja 'all'` in place of `make`",
            ),
            (
                PatternKind::FailedTactic,
                &[(StepRole::Again, "", "make")],
                "Running `make` again as it was does not help",
            ),
            (PatternKind::Flaky, &[], "`make` fails and then works, with nothing changed between"),
            (PatternKind::Sequence, &[(StepRole::Change, "", "")], "`make` is followed by `apt-get`"),
        ] {
            assert_eq!(advice(&pattern(kind, steps)), said);
        }
    }

    #[test]
    fn what_is_long_is_cut_between_characters() {
        let long = "ä".repeat(500);
        let said = advice(&pattern(PatternKind::Recovery, &[(StepRole::Change, &long, &long)]));
        assert!(said.chars().count() < 220 && said.contains('…'), "{said}");
    }
}
