//! What is known of a block that tells whether it is the reason of a failure.
//!
//! Each feature is a number, mostly 0 or 1, that is true of a tool or of runs in general. Counts are logarithms, so
//! that the tenth line says less than the second. What each is worth is fitted (`weights`).

use super::cut::{Stretch, form};
use super::line::{Kind, Lines};
use super::step::Steps;
use crate::text::{Mark, pattern, pattern_set};
use regex::{Regex, RegexSet};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Lines of a block that are looked at.
const MAX_LINES: usize = 40;
/// Lines after a block among which what went well is counted.
const AFTER_LINES: usize = 40;
/// Lines after a block among which something may tell of it.
const TELLING_LINES: usize = 5;
/// Lines before the end of the failed step that count as near it.
const NEAR_LINES: usize = 12;
/// Lines at the head of a block in which what kind of failure it is must stand.
const HEAD_LINES: usize = 4;

macro_rules! features {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// What is known of a block. Booleans are 0 or 1.
        #[derive(Debug, Clone, Default, PartialEq)]
        pub(super) struct Features { $($(#[doc = $doc])+ pub $name: f64,)+ }

        /// The names of what is known of a block, in the order of its row of weights.
        pub const FEATURES: &[&str] = &[$(stringify!($name)),+];

        impl Features {
            /// The values in the order of [`FEATURES`].
            pub fn array(&self) -> [f64; FEATURES.len()] {
                [$(self.$name),+]
            }
        }
    };
}

features! {
    /// No block at all: the one candidate that stands for a reason that no block holds.
    none_of_them,
    /// It begins in the failed step: what failed before was forgiven.
    inside,
    /// It begins after the line that says that the step failed: uploads, caches and clean-up fail there.
    after,
    /// Logarithm of the lines between it and the end of the step: a run stops soon after its reason.
    distance,
    /// The same where it lies in the failed step, in which late means more.
    distance_inside,
    /// It ends within a few lines before the end of the step.
    near,
    /// Its first line surely reports a failure.
    opens_failure,
    /// Its first line holds a word that failures are told with, which may be anything.
    opens_suspect,
    /// Its first line is a place in a file, as compilers and linters write.
    opens_place,
    /// Its first line is the title of a failed test or of a diff.
    opens_title,
    /// Its first line is a warning of a linter, which fails a run only where warnings do.
    opens_warning,
    /// Its first line only tells of a failure elsewhere.
    opens_wrapper,
    /// Its first line is nothing of that: it is among the last lines of the step.
    opens_other,
    /// Some line surely reports a failure.
    any_failure,
    /// Logarithm of the lines that do: more is more certain.
    failures,
    /// Share of its lines that do: a wall of them is a list of what was tried.
    failure_share,
    /// Frames of a stack trace, up to five, as a share of five: an exception that nobody caught.
    frames,
    /// Logarithm of its lines: a reason is told at some length.
    length,
    /// It is a single line.
    single_line,
    /// A test framework's mark of a failed test.
    test_failed,
    /// Words of assertions: `expected`, `actual`, `should`.
    assertion,
    /// Words of the network and its codes: what cannot be downloaded fails a run before its tests.
    network,
    /// The command that printed it sets up the run rather than doing its work.
    setup,
    /// The same where that is the failed step.
    setup_failed,
    /// It is the first of the blocks that begin alike: what comes later follows from it.
    first_of_form,
    /// Logarithm of the blocks that begin alike: what is said often is seldom the reason.
    alike,
    /// It is the last block of the failed step.
    last_inside,
    /// It is the only block of the failed step.
    only_inside,
    /// It is the only one, and nothing in it reads like a failure: all that a tool said before it failed.
    only_words,
    /// It is the first block of the failed step.
    first_inside,
    /// Logarithm of the blocks after it in the failed step.
    blocks_later,
    /// Logarithm of the blocks before it in the failed step.
    blocks_before,
    /// Logarithm of the lines after it that went well: a run that goes on was not stopped by it.
    went_on,
    /// A place in a file stands in its first lines.
    place,
    /// `error:` or `fatal:` stands in its first line, as tools begin their reasons.
    says_error,
    /// The name of an exception stands in its first lines.
    exception,
    /// `ERROR`, `FATAL` or `FAILED` stands in its first line in capitals.
    capitals,
    /// Its first line speaks of a warning.
    warning,
    /// Something within the next lines tells of a failure.
    told_below,
    /// It is the line that says that the step failed: the reason where a build system stopped the run.
    is_end,
    /// No line says that a step failed, so the whole log is the step.
    no_end,
    /// It stands right below the command of the failed step.
    below_command,
    /// It says that it was forgiven: tried again, ignored, `|| true`.
    forgiven,
    /// The build system marked one of its lines as an error.
    marked,
    /// A diff: a check of formatting prints it as its reason, others as a report.
    diff,
    /// It is the line that says that the run was stopped for its silence or its length.
    stopped,
}

/// Words by what they tell, looked for in one pass over each line of a block.
static WORDS: LazyLock<RegexSet> = LazyLock::new(|| {
    pattern_set([
        r"(?x) <<<\ (?:FAIL|ERR) | \*\*\*\ FAILED\ \*\*\* | panicked\ at | ^Traceback | ---\ FAIL | ^\s*not\ ok
          | ^\s*\d+\)[\ ] | \bFAILED\b | ^_{3,}[\ ]",
        r"(?i)assert|expected|should|actual",
        r"(?i)\b(?:40[134]|50[0234]|curl|gpg|apt|timed out|connection|network|could not resolve|download)\b",
        r"\|\| ?(?:true|:)|(?i:\bignored\b|\bignoring\b|\bretry)",
        r"\b[A-Z]\w*(?:Error|Exception)\b",
        r"(?i)\b(?:error|fatal)\b.{0,12}:",
        r"\b(?:ERROR|FATAL|FAILED|FAILURE)\b",
        r"(?i)warn|deprecat",
        r"^\s*(?:\[\w+\]\s*)?[\w/\\.+@-]+\.\w{1,6}(?:[:(]\d+|: line \d+|: \d+:)",
        r"^diff --git ",
    ])
});
const TEST_FAILED: usize = 0;
const ASSERTION: usize = 1;
const NETWORK: usize = 2;
const FORGIVEN: usize = 3;
const EXCEPTION: usize = 4;
const SAYS_ERROR: usize = 5;
const CAPITALS: usize = 6;
const WARNING: usize = 7;
const PLACE: usize = 8;
const DIFF: usize = 9;

/// Commands that set up a run.
static SETUP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi)\b(?: rvm | nvm | pyenv | jdk | gpg | apt-get | install | before_install | setup
          | git\ (?:clone|fetch|checkout) | export | bundle\ install | npm\ (?:ci|install) | cache )\b",
    )
});

fn number(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn logarithm(count: usize) -> f64 {
    (1.0 + count as f64).log2()
}

/// The features of all blocks, in their order.
pub(super) fn features(lines: &Lines, steps: &Steps, stretches: &[Stretch]) -> Vec<Features> {
    let mut forms: HashMap<(String, Kind), (usize, usize)> = HashMap::new();
    let key = |stretch: &Stretch| (form(lines.text(stretch.first)), lines.kinds[stretch.first]);
    for (at, stretch) in stretches.iter().enumerate() {
        forms.entry(key(stretch)).or_insert((at, 0)).1 += 1;
    }
    let is_inside = |stretch: &Stretch| (steps.first..steps.end).contains(&stretch.first);
    let first_inside = stretches.iter().position(is_inside).unwrap_or(0);
    let inside = stretches.iter().filter(|stretch| is_inside(stretch)).count();
    let one = |(at, stretch): (usize, &Stretch)| {
        let mut out = Features::default();
        place_in_run(&mut out, lines, steps, stretch);
        what_it_says(&mut out, lines, stretch);
        let (first, alike) = forms.get(&key(stretch)).copied().unwrap_or((at, 1));
        (out.first_of_form, out.alike) = (number(first == at), logarithm(alike));
        if is_inside(stretch) {
            let (before, later) = (at - first_inside, inside - 1 - (at - first_inside));
            (out.blocks_before, out.blocks_later) = (logarithm(before), logarithm(later));
            (out.first_inside, out.last_inside) = (number(before == 0), number(later == 0));
            out.only_inside = number(inside == 1);
            out.only_words = out.only_inside * out.opens_other;
        }
        out
    };
    stretches.iter().enumerate().map(one).collect()
}

/// Where a block stands in the run.
fn place_in_run(out: &mut Features, lines: &Lines, steps: &Steps, stretch: &Stretch) {
    let Stretch { first, last } = *stretch;
    let inside = (steps.first..steps.end).contains(&first);
    let after = first >= steps.end;
    let distance = steps.end.saturating_sub(last);
    out.inside = number(inside);
    out.after = number(after);
    out.near = number(distance <= NEAR_LINES && !after);
    if !after {
        out.distance = logarithm(distance) / 10.0;
    }
    out.distance_inside = out.inside * out.distance;
    let setup = steps.command_of(first).is_some_and(|at| SETUP.is_match(lines.text(at)));
    (out.setup, out.setup_failed) = (number(setup), number(setup && inside));
    if inside {
        let until = (last + AFTER_LINES).min(steps.end);
        let well = (last + 1..until).filter(|at| lines.kinds[*at] == Kind::Passed).count();
        out.went_on = logarithm(well);
    }
    let below = last + 1..(last + 1 + TELLING_LINES).min(lines.len());
    out.told_below = number(lines.kinds[below].contains(&Kind::Wrapper));
    out.is_end = number(first == steps.end);
    out.stopped = number(first == steps.end && steps.stopped);
    out.no_end = number(steps.told.is_none());
    out.below_command = number(inside && first - steps.first <= 2);
}

/// The line that opened a block: below the message where PowerShell tells the place after it.
fn opener(lines: &Lines, stretch: &Stretch) -> usize {
    let below = stretch.first + 1;
    if below <= stretch.last && lines.kinds[below] == Kind::Place && lines.text(below).starts_with("At ") {
        return below;
    }
    stretch.first
}

/// What a block says.
fn what_it_says(out: &mut Features, lines: &Lines, stretch: &Stretch) {
    let Stretch { first, last } = *stretch;
    let length = last - first + 1;
    let seen = first..first + length.min(MAX_LINES);
    let count = |kind: Kind| lines.kinds[seen.clone()].iter().filter(|one| **one == kind).count();
    match lines.kinds[opener(lines, stretch)] {
        Kind::Failure => out.opens_failure = 1.0,
        Kind::Suspect => out.opens_suspect = 1.0,
        Kind::Place => out.opens_place = 1.0,
        Kind::Opener => out.opens_title = 1.0,
        Kind::LintWarning => out.opens_warning = 1.0,
        Kind::Wrapper => out.opens_wrapper = 1.0,
        _ => out.opens_other = 1.0,
    }
    let failures = count(Kind::Failure);
    out.any_failure = number(failures > 0);
    out.failures = logarithm(failures);
    out.failure_share = failures as f64 / seen.len() as f64;
    out.frames = count(Kind::Frame).min(5) as f64 / 5.0;
    out.length = logarithm(length) / 5.0;
    out.single_line = number(length == 1);
    for (below, at) in seen.enumerate() {
        let told = WORDS.matches(lines.text(at));
        let set = |feature: &mut f64, word: usize, until: usize| {
            if below < until && told.matched(word) {
                *feature = 1.0;
            }
        };
        set(&mut out.test_failed, TEST_FAILED, MAX_LINES);
        set(&mut out.assertion, ASSERTION, MAX_LINES);
        set(&mut out.forgiven, FORGIVEN, MAX_LINES);
        set(&mut out.network, NETWORK, HEAD_LINES - 1);
        set(&mut out.exception, EXCEPTION, HEAD_LINES - 1);
        set(&mut out.place, PLACE, HEAD_LINES);
        set(&mut out.says_error, SAYS_ERROR, 1);
        set(&mut out.capitals, CAPITALS, 1);
        set(&mut out.warning, WARNING, 1);
        set(&mut out.diff, DIFF, 1);
        if lines.cleaned.lines[at].mark == Mark::Error {
            out.marked = 1.0;
        }
    }
}
