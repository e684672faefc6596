//! Which step of a run failed: where it begins, and the line that says that it did.
//!
//! Build systems echo the commands they run and tell how they ended. What failed stands between the last command before
//! the first bad end and that end. A local run has no such marks: there the last `make: ***` ends the step, or the log.

use super::line::{Kind, Lines};
use crate::text::{Mark, pattern};
use regex::Regex;
use std::sync::LazyLock;

/// Lines at the end of a log among which the last word of a local run is looked for.
const LAST_WORDS: usize = 30;
/// Lines in a row that tell the same bad end.
const END_LINES: usize = 3;

/// How build systems tell that a step failed: Travis CI, GitHub Actions, GitLab, CircleCI, Jenkins, Azure Pipelines;
/// and how they tell that they stopped it.
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)^(?:
          The\ command\ .*\ (?:failed\ and\ )?exited\ with\ [1-9]
        | Process\ completed\ with\ exit\ code\ [1-9]
        | ERROR:\ Job\ failed | ERROR:\ script\ returned\ exit\ code\ [1-9]
        | Exited\ with\ code\ (?:exit\ status\ )?[1-9]
        | Build\ step\ .*\ marked\ build\ as\ failure | Finished:\ (?:FAILURE|ABORTED)
        | Your\ build\ has\ been\ stopped | The\ build\ has\ been\ terminated
        | No\ output\ has\ been\ received\ in\ the\ last | Too\ long\ with\ no\ output | Build\ timed\ out
        | The\ job\ .*exceeded\ the\ maximum | The\ operation\ was\ canceled\.
        )",
    )
});

/// How Azure Pipelines tells it, as an error of its own: other programs word it alike.
static FAILED_IF_MARKED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:exited with|failed with exit|failed with return) code:? '?[1-9]\d*'?"));

/// How they tell that a step went well.
static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:The command .* exited with 0|Finishing: |section_end:|Process completed with exit code 0)")
});

/// How they tell that a step begins.
static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:\$ \S|\[command\]\S|##\[command\]|section_start:|travis_fold:start|Executing .* stage of the job script)")
});

/// A command as a shell with `set -x` echoes it. A line that was added in a diff looks alike, so it opens a step only
/// where nothing else does.
static ECHO: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\++ [a-z./]\S*"));

/// The steps of a log, as far as they tell where to look. Lines are indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps {
    /// First line of the step that failed: its command, or the end of the step before it.
    pub first: usize,
    /// The line that says that it failed, or one past the last line.
    pub end: usize,
    /// The last line of what says so, where a build system does.
    pub told: Option<usize>,
    /// Lines that open steps, in order.
    opens: Vec<usize>,
}

impl Steps {
    /// Finds the steps in one pass.
    pub fn of(lines: &Lines) -> Self {
        let said = |at: usize, how: &Regex| !matches!(lines.kinds[at], Kind::Empty) && how.is_match(lines.text(at));
        let failed = (0..lines.len()).find(|at| is_bad_end(lines, *at));
        let end = failed.or_else(|| last_word(lines)).unwrap_or(lines.len());
        let mut opens: Vec<usize> = (0..lines.len()).filter(|at| opens_step(lines, *at)).collect();
        if opens.is_empty() {
            opens = (0..lines.len()).filter(|at| lines.kinds[*at] == Kind::Command && said(*at, &ECHO)).collect();
        }
        let passed = (0..end).rfind(|at| said(*at, &PASSED)).unwrap_or(0);
        let opened = opens.iter().copied().take_while(|at| *at < end).last().unwrap_or(0);
        let told = failed.map(|at| (at..(at + END_LINES).min(lines.len())).take_while(|at| is_bad_end(lines, *at)).last());
        Self { first: passed.max(opened), end, told: told.flatten(), opens }
    }

    /// The line with the command that a line was printed by.
    pub fn command_of(&self, line: usize) -> Option<usize> {
        let before = self.opens.partition_point(|at| *at <= line);
        before.checked_sub(1).map(|at| self.opens[at])
    }
}

fn is_bad_end(lines: &Lines, at: usize) -> bool {
    // Most lines hold none of what such a line begins with.
    let may = matches!(lines.kinds[at], Kind::Wrapper | Kind::Failure | Kind::Suspect | Kind::Plain);
    let marked = lines.cleaned.lines[at].mark == Mark::Error;
    may && (FAILED.is_match(lines.text(at)) || marked && FAILED_IF_MARKED.is_match(lines.text(at)))
}

fn opens_step(lines: &Lines, at: usize) -> bool {
    let text = lines.text(at);
    match lines.cleaned.lines[at].mark {
        Mark::Group => text.starts_with("Run ") || text.starts_with("Starting: "),
        _ => OPENS.is_match(text),
    }
}

/// Where make, at the end of a local run, begins to tell that it failed.
fn last_word(lines: &Lines) -> Option<usize> {
    let from = lines.len().saturating_sub(LAST_WORDS);
    let is_word = |at: &usize| lines.kinds[*at] == Kind::Wrapper && lines.text(*at).contains(": *** ");
    (from..lines.len()).find(is_word)
}
