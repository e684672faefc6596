//! What is known of a block that tells whether it is the reason of a failure.
//!
//! Each feature is a number, mostly 0 or 1, that is true of a tool or of runs in general. Counts are logarithms, so
//! that the tenth line says less than the second. What each is worth is fitted (`weights`).

use super::cut::{Stretch, form};
use super::line::{Kind, Lines};
use super::passing::Passing;
use super::step::{Run, Steps};
use crate::text::{Mark, pattern_set};
use regex::RegexSet;
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
    /// The log was compared with one of a run that passed: of "none of them" alone.
    none_compared,
    /// Share of its lines that a run that passed printed too; 0 if the log was compared with none.
    seen,
    /// A run that passed printed all of its lines.
    seen_whole,
    /// A run that passed printed its headline.
    seen_headline,
    /// Share of its lines with words of failure that a run that passed printed; of all its lines if it has none.
    seen_failures,
}

/// Features that are 0 if a log was compared with none of a run that passed.
pub const OF_PASSING: &[&str] = &["none_compared", "seen", "seen_whole", "seen_headline", "seen_failures"];

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

fn number(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn logarithm(count: usize) -> f64 {
    (1.0 + count as f64).log2()
}

/// What blocks that begin alike have in common: the first letters, and the kind of the first line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Form(String, Kind);

impl Form {
    /// That of a block.
    pub fn of(lines: &Lines, stretch: &Stretch) -> Self {
        Self(form(lines.text(stretch.first)), lines.kinds[stretch.first])
    }
}

/// A block of a log, and what is known of it. Lines are counted over all pieces, from 0.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// First line.
    pub first: usize,
    /// Last line; it belongs to the block.
    pub last: usize,
    /// What is known of it.
    pub features: Features,
    /// How it begins.
    pub form: Form,
}

/// What is known of the blocks of a piece without the rest of the log, in their order.
pub(super) fn features_of_piece(
    lines: &Lines,
    steps: &Steps,
    stretches: &[Stretch],
    passing: Option<&Passing>,
) -> Vec<Features> {
    let one = |stretch: &Stretch| {
        let mut out = Features::default();
        what_stands_near(&mut out, lines, steps, stretch);
        what_it_says(&mut out, lines, stretch);
        if let Some(passing) = passing {
            what_was_seen(&mut out, lines, stretch, passing);
        }
        out
    };
    stretches.iter().map(one).collect()
}

/// The command that printed a block, and the lines after it.
fn what_stands_near(out: &mut Features, lines: &Lines, steps: &Steps, stretch: &Stretch) {
    let Stretch { first, last } = *stretch;
    out.setup = number(steps.is_setup(first));
    let until = (last + AFTER_LINES).min(steps.end).max(last + 1);
    let well = (last + 1..until).filter(|at| lines.kinds[*at] == Kind::Passed).count();
    out.went_on = logarithm(well);
    let below = (last + 1).min(lines.len())..(last + 1 + TELLING_LINES).min(lines.len());
    out.told_below = number(lines.kinds[below].contains(&Kind::Wrapper));
}

/// Adds what is known of the blocks of a log at its end: where they stand in the run and among the others.
pub(super) fn join(places: &mut [Place], run: Run) {
    let mut forms: HashMap<Form, (usize, usize)> = HashMap::new();
    for (at, place) in places.iter().enumerate() {
        forms.entry(place.form.clone()).or_insert((at, 0)).1 += 1;
    }
    let is_inside = |place: &Place| (run.first..run.end).contains(&place.first);
    let first_inside = places.iter().position(is_inside).unwrap_or(0);
    let inside = places.iter().filter(|place| is_inside(place)).count();
    for (at, place) in places.iter_mut().enumerate() {
        let out = &mut place.features;
        place_in_run(out, run, (place.first, place.last));
        let (first, alike) = forms.get(&place.form).copied().unwrap_or((at, 1));
        (out.first_of_form, out.alike) = (number(first == at), logarithm(alike));
        if out.inside > 0.0 {
            let (before, later) = (at - first_inside, inside - 1 - (at - first_inside));
            (out.blocks_before, out.blocks_later) = (logarithm(before), logarithm(later));
            (out.first_inside, out.last_inside) = (number(before == 0), number(later == 0));
            out.only_inside = number(inside == 1);
            out.only_words = out.only_inside * out.opens_other;
        }
    }
}

/// Where a block stands in the run.
fn place_in_run(out: &mut Features, run: Run, (first, last): (usize, usize)) {
    let inside = (run.first..run.end).contains(&first);
    let after = first >= run.end;
    let distance = run.end.saturating_sub(last);
    out.inside = number(inside);
    out.after = number(after);
    out.near = number(distance <= NEAR_LINES && !after);
    if !after {
        out.distance = logarithm(distance) / 10.0;
    }
    out.distance_inside = out.inside * out.distance;
    out.setup_failed = out.inside * out.setup;
    out.went_on *= out.inside;
    out.is_end = number(first == run.end);
    out.stopped = number(first == run.end && run.stopped);
    out.no_end = number(!run.failed);
    out.below_command = number(inside && first - run.first <= 2);
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

/// What of a block a run that passed printed too. Lines that say nothing do not count.
fn what_was_seen(out: &mut Features, lines: &Lines, stretch: &Stretch, passing: &Passing) {
    let Stretch { first, last } = *stretch;
    let (mut all, mut failures) = (Share::default(), Share::default());
    for at in first..first + (last - first + 1).min(MAX_LINES) {
        let Some(seen) = passing.has(lines.text(at)) else { continue };
        all.count(seen);
        if matches!(lines.kinds[at], Kind::Failure | Kind::Suspect | Kind::Place | Kind::Opener) {
            failures.count(seen);
        }
    }
    out.seen = all.share().unwrap_or(0.0);
    out.seen_whole = number(out.seen == 1.0);
    out.seen_failures = failures.share().unwrap_or(out.seen);
    out.seen_headline = number(passing.has(lines.text(lines.headline(first, last))) == Some(true));
}

/// How many of some lines were seen.
#[derive(Debug, Default)]
struct Share {
    all: usize,
    seen: usize,
}

impl Share {
    fn count(&mut self, seen: bool) {
        self.all += 1;
        self.seen += usize::from(seen);
    }

    fn share(&self) -> Option<f64> {
        (self.all > 0).then(|| self.seen as f64 / self.all as f64)
    }
}
