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

/// How build systems tell that a step failed: Travis CI, GitHub Actions, GitLab, CircleCI, Jenkins, Azure Pipelines.
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)^(?:
          The\ command\ .*\ (?:exited\ with\ [1-9]|failed\ \d+\ times) | "?\ exited\ with\ [1-9]\d*\.$
        | Done\.\ Your\ build\ exited\ with\ [1-9]
        | Process\ completed\ with\ exit\ code\ [1-9]
        | ERROR:\ Job\ failed | ERROR:\ script\ returned\ exit\ code\ [1-9]
        | Exited\ with\ code\ (?:exit\ status\ )?[1-9]
        | Build\ step\ .*\ marked\ build\ as\ failure | Finished:\ (?:FAILURE|ABORTED)
        )"#,
    )
});

/// How they tell that they stopped a run for its silence or its length.
static STOPPED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)^(?:
          Your\ build\ has\ been\ stopped | The\ build\ has\ been\ terminated | The\ operation\ was\ canceled\.
        | No\ output\ has\ been\ received\ in\ the\ last | Too\ long\ with\ no\ output | Build\ timed\ out
        | The\ job\ .*exceeded\ the\ maximum )",
    )
});

/// How Azure Pipelines tells it, as an error of its own: other programs word it alike.
static FAILED_IF_MARKED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:exited with|failed with exit|failed with return) code:? '?[1-9]\d*'?"));

/// How they tell that a step went well.
static PASSED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:The command .* exited with 0|Finishing: |Process completed with exit code 0)"));

/// How they tell that a step begins.
static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\$ \S|\[command\]\S|##\[command\]|section_start:|travis_fold:start|Executing .* stage of the job script)",
    )
});

/// A command as a shell with `set -x` echoes it. A line that was added in a diff looks alike, so it opens a step only
/// where nothing else does.
static ECHO: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\++ [a-z./]\S*"));

/// Commands that set up a run.
static SETUP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi)\b(?: rvm | nvm | pyenv | jdk | gpg | apt-get | install | before_install | setup
          | git\ (?:clone|fetch|checkout) | export | bundle\ install | npm\ (?:ci|install) | cache )\b",
    )
});

/// Where the step that failed lies in a log. Lines are counted over all pieces, from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// First line of the step.
    pub first: usize,
    /// The line that says that it failed, or one past the last line.
    pub end: usize,
    /// Whether a build system says that it failed.
    pub failed: bool,
    /// Whether it was stopped for its silence or its length.
    pub stopped: bool,
}

/// What the pieces of a log before this one say of its steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Before {
    /// A step has failed: whatever comes is after it.
    pub failed: bool,
    /// Some line opened a step by more than the echo of a shell.
    opened: bool,
    /// The command that runs sets up a run.
    is_setup: bool,
}

/// The steps of a piece of a log, as far as they tell where to look. Lines are indices into the piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps {
    /// First line of the step that failed: its command, or the end of the step before it.
    pub first: usize,
    /// The same if it began in this piece.
    pub began: Option<usize>,
    /// The line that says that it failed, or one past the last line.
    pub end: usize,
    /// Whether the step ends here: somebody says that it failed, or the log is at its end.
    pub ends_here: bool,
    /// The last line of what says so, where a build system does.
    pub told: Option<usize>,
    /// Whether it was stopped for its silence or its length.
    pub stopped: bool,
    /// Whether make says in its last words that it failed.
    pub word: bool,
    /// Lines of this piece with which a build system marks steps.
    pub marked: usize,
    /// Lines that open steps, in order, and whether the command there sets up a run.
    opens: Vec<(usize, bool)>,
    before: Before,
    /// What is known after this piece.
    pub after: Before,
}

impl Steps {
    /// Finds the steps in one pass.
    pub fn of(lines: &Lines, before: Before, is_last: bool) -> Self {
        let said = |at: usize, how: &Regex| !matches!(lines.kinds[at], Kind::Empty) && how.is_match(lines.text(at));
        let failed = (0..lines.len()).find(|at| !before.failed && is_bad_end(lines, *at));
        let word = if is_last { last_word(lines) } else { None };
        let end = if before.failed { 0 } else { failed.or(word).unwrap_or(lines.len()) };
        let mut opens: Vec<usize> = (0..lines.len()).filter(|at| opens_step(lines, *at)).collect();
        let marked = opens.len();
        let opened = before.opened || marked > 0;
        if !opened {
            opens = (0..lines.len()).filter(|at| lines.kinds[*at] == Kind::Command && said(*at, &ECHO)).collect();
        }
        let passed = (0..end).rfind(|at| said(*at, &PASSED));
        let began = passed.max(opens.iter().copied().take_while(|at| *at < end).last());
        let told =
            failed.map(|at| (at..(at + END_LINES).min(lines.len())).take_while(|at| is_bad_end(lines, *at)).last());
        let stopped = failed.is_some_and(|at| STOPPED.is_match(lines.text(at)));
        let opens: Vec<(usize, bool)> = opens.into_iter().map(|at| (at, SETUP.is_match(lines.text(at)))).collect();
        let is_setup = opens.last().map_or(before.is_setup, |(_, is_setup)| *is_setup);
        Self {
            first: began.unwrap_or(0),
            began,
            end,
            ends_here: failed.is_some() || is_last && !before.failed,
            told: told.flatten(),
            stopped,
            word: word.is_some(),
            marked,
            opens,
            before,
            after: Before { failed: before.failed || failed.is_some(), opened, is_setup },
        }
    }

    /// Whether the command that a line was printed by sets up a run.
    pub fn is_setup(&self, line: usize) -> bool {
        let before = self.opens.partition_point(|(at, _)| *at <= line);
        before.checked_sub(1).map_or(self.before.is_setup, |at| self.opens[at].1)
    }
}

fn is_bad_end(lines: &Lines, at: usize) -> bool {
    // Most lines hold none of what such a line begins with.
    let may = matches!(lines.kinds[at], Kind::Wrapper | Kind::Failure | Kind::Suspect | Kind::Plain);
    let marked = lines.cleaned.lines[at].mark == Mark::Error;
    let text = lines.text(at);
    may && (FAILED.is_match(text) || STOPPED.is_match(text) || marked && FAILED_IF_MARKED.is_match(text))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clean;

    /// The first line of the failed step, the line that tells of it and the last of those, all from 1.
    fn steps(log: &str) -> (usize, usize, Option<usize>) {
        let cleaned = clean(log);
        let steps = Steps::of(&Lines::new(&cleaned), Before::default(), true);
        (steps.first + 1, steps.end + 1, steps.told.map(|at| at + 1))
    }

    #[test]
    fn travis() {
        let log = "$ npm install\nadded 3\nThe command \"npm install\" exited with 0.\n$ npm test\nnot so\n\
            The command \"npm test\" exited with 1.\n$ ./upload\nsent\nDone. Your build exited with 1.\n";
        assert_eq!(steps(log), (4, 6, Some(6)));
        let several = "$ true\nThe command \"if x\n  y\n\" exited with 2.\n\nDone. Your build exited with 1.";
        assert_eq!(steps(several), (1, 4, Some(4)));
        let folded = "travis_fold:start:git.checkout\r\x1b[0Ktravis_time:start:1\r\x1b[0K$ git clone x\n\
            fatal: no\nThe command \"git clone x\" failed 3 times.";
        assert_eq!(steps(folded), (1, 3, Some(3)));
    }

    #[test]
    fn github_actions() {
        let log = "2024-05-01T12:34:56.1234567Z ##[group]Run actions/checkout@v4\n\
            2024-05-01T12:34:56.1234567Z ##[endgroup]\n\
            2024-05-01T12:34:57.1234567Z ##[group]Run make\n\
            2024-05-01T12:34:57.1234567Z ##[endgroup]\n\
            2024-05-01T12:34:58.1234567Z a.c:1:1: error: x\n\
            2024-05-01T12:34:58.1234567Z ##[error]Process completed with exit code 2.\n\
            2024-05-01T12:34:59.1234567Z Post job cleanup.\n";
        assert_eq!(steps(log), (3, 6, Some(6)));
        assert_eq!(steps("##[group]Run sleep\nzzz\n##[error]The operation was canceled.\n"), (1, 3, Some(3)));
    }

    #[test]
    fn gitlab() {
        let log = "section_start:1700000000:step_script\nExecuting \"step_script\" stage of the job script\n\
            $ make\nok\n$ make check\nbad\nsection_end:1700000009:step_script\nERROR: Job failed: exit code 2\n";
        // The section ends before the verdict, and holds what failed.
        assert_eq!(steps(log), (5, 8, Some(8)));
        let hidden = "Executing \"prepare\" stage of the job script\nfine\n\
            Executing \"step_script\" stage of the job script\nbad\nERROR: Job failed: exit code 1\n";
        assert_eq!(steps(hidden), (3, 5, Some(5)));
    }

    #[test]
    fn circleci_jenkins_and_azure() {
        assert_eq!(steps("$ make\nbad\n\nExited with code exit status 2\n"), (1, 4, Some(4)));
        assert_eq!(steps("$ make\nquiet\nToo long with no output (exceeded 10m0s): context deadline exceeded\n").1, 3);
        let jenkins = "[shop] $ /bin/sh -xe /tmp/j.sh\n+ make deps\nfine\n+ make\nbad\n\
            Build step 'Execute shell' marked build as failure\nFinished: FAILURE\n";
        assert_eq!(steps(jenkins), (4, 6, Some(7)));
        let azure = "##[section]Starting: Build\nmake\nbad\n##[error]Bash exited with code '2'.\n\
            ##[section]Finishing: Build\n";
        assert_eq!(steps(azure), (1, 4, Some(4)));
        // The same words of a program are no verdict.
        assert_eq!(steps("$ x\nworker exited with code 2\nmore\n").2, None);
    }

    #[test]
    fn a_local_run_and_a_run_that_was_stopped() {
        assert_eq!(steps("cc a.c\na.c:1: error: x\nmake: *** [Makefile:2: a.o] Error 1\n"), (1, 3, None));
        assert_eq!(steps("one\ntwo\n"), (1, 3, None));
        let stopped = "$ make check\nzzz\n\nNo output has been received in the last 10m0s, this indicates a stall.\n\
            The build has been terminated\n";
        assert_eq!(steps(stopped), (1, 4, Some(5)));
        assert_eq!(steps("$ x\nThe job exceeded the maximum time limit for jobs, and has been terminated.\n").1, 2);
    }

    #[test]
    fn an_added_line_of_a_diff_is_no_command() {
        let cleaned = clean("$ git diff\n+ let x\n+ use install\nbad\n");
        let steps = Steps::of(&Lines::new(&cleaned), Before::default(), true);
        assert_eq!((steps.first, steps.is_setup(3)), (0, false));
        let piece = clean("+ use install\nbad\n");
        let steps = Steps::of(&Lines::new(&piece), steps.after, true);
        assert_eq!((steps.began, steps.is_setup(1)), (None, false));
    }
}
