//! Which stretches of a log may be the reason of its failure.
//!
//! A line that reads like a failure, a place in a file or the title of a failed test opens a block, which runs on over
//! what belongs to it: frames, excerpts, what is set in deeper, the next failure of the same kind. It ends before what
//! only tells of it (`npm ERR!`, `make: ***`, counts) and before what went well. Failures that are listed one below the
//! other in the same form are one block. Blocks lie in order and do not overlap; each line is looked at a bounded number
//! of times.

use super::line::{Kind, Lines, untagged};
use super::step::Steps;
use crate::text::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Longest block of an ordinary failure, in lines.
const MAX_LINES: usize = 80;
/// Longest block of one failed test of pytest, whose source stands in it, and of a diff.
const MAX_WHOLE_LINES: usize = 300;
/// Lines that nothing says to belong to a block, in a row, after which it has ended.
const STRAY_LINES: usize = 3;
/// Empty lines between two blocks that are listed one below the other.
const BETWEEN_LISTED: usize = 3;
/// Lines before the end of a failed step that may be the reason where nothing in it reads like a failure.
const LAST_LINES: usize = 8;

/// A stretch of lines; both ends are indices and belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    /// First line.
    pub first: usize,
    /// Last line.
    pub last: usize,
}

/// The title of one failure among others: it ends the block of the one before.
static TITLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^\s*(?:\d+\)|not ok\b|--- FAIL|Failure:|Error:$)|<<< (?:FAIL|ERR)|\*\*\* FAILED \*\*\*|^_{3,} .*\S _{3,}$")
});

/// The last line of a failed test of pytest: the place and the exception.
static PYTEST_LAST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\S+:\d+: \w+$"));

/// What lines of a unified diff begin with.
static DIFF_LINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:[ +@\\-]|diff --git |index [0-9a-f]|(?:new|deleted|old) |rename |similarity |Binary |$)")
});

/// Hints that compilers write below an error.
static HINT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\s*(?:note|help|hint)\b"));

/// What a walk over a log found, and how much it looked at.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// The stretches, in order.
    pub stretches: Vec<Stretch>,
    /// Lines that were looked at, each as often as it was.
    pub visited: usize,
}

/// Cuts a log.
pub(super) fn cut(lines: &Lines, steps: &Steps) -> Cut {
    let mut found = Cut::default();
    let mut at = 0;
    while at < lines.len() {
        found.visited += 1;
        if !opens(lines.kinds[at]) {
            at += 1;
            continue;
        }
        let last = end_of(lines, at, &mut found.visited);
        // PowerShell writes the message before the place.
        let floor = found.stretches.last().map_or(0, |before| before.last + 1);
        let above = lines.text(at).starts_with("At ") && at > floor && says(lines.kinds[at - 1]);
        found.stretches.push(Stretch { first: if above { at - 1 } else { at }, last });
        at = last + 1;
    }
    found.stretches = joined(lines, &found.stretches);
    add_end(lines, steps, &mut found.stretches);
    found
}

fn opens(kind: Kind) -> bool {
    matches!(kind, Kind::Failure | Kind::Suspect | Kind::Place | Kind::Opener | Kind::LintWarning)
}

fn says(kind: Kind) -> bool {
    !matches!(kind, Kind::Empty | Kind::Command | Kind::Passed)
}

fn end_of(lines: &Lines, first: usize, visited: &mut usize) -> usize {
    let text = lines.text(first);
    if text.starts_with("___") {
        return end_of_pytest(lines, first, visited);
    }
    if text.starts_with("diff --git ") {
        return end_of_diff(lines, first, visited);
    }
    let mut walk = Walk { lines, first, base: lines.indent(first), opener: lines.kinds[first], last: first };
    let limit = (first + MAX_LINES).min(lines.len());
    let mut at = first + 1;
    while at < limit {
        *visited += 1;
        match walk.step(at) {
            Next::Belongs => walk.last = at,
            Next::Maybe => {}
            Next::Ends => break,
        }
        at += 1;
    }
    walk.last
}

/// One failed test of pytest, with the source that is printed in it.
fn end_of_pytest(lines: &Lines, first: usize, visited: &mut usize) -> usize {
    let mut last = first;
    for at in first + 1..(first + MAX_WHOLE_LINES).min(lines.len()) {
        *visited += 1;
        let text = lines.text(at);
        if lines.kinds[at] == Kind::Opener || text.starts_with("====") || text.starts_with("$ ") {
            break;
        }
        if lines.kinds[at] != Kind::Empty {
            last = at;
        }
        if PYTEST_LAST.is_match(text) {
            break;
        }
    }
    last
}

fn end_of_diff(lines: &Lines, first: usize, visited: &mut usize) -> usize {
    let mut last = first;
    for at in first + 1..(first + MAX_WHOLE_LINES).min(lines.len()) {
        *visited += 1;
        if !DIFF_LINE.is_match(lines.text(at)) {
            // Whoever printed the diff may say below it what is wrong with it.
            let verdict = matches!(lines.kinds[at], Kind::Failure | Kind::Suspect) && at - last <= 2;
            return if verdict { at } else { last };
        }
        if lines.kinds[at] != Kind::Empty {
            last = at;
        }
    }
    last
}

/// Whether a line belongs to the block above it.
enum Next {
    Belongs,
    /// It does if one after it does.
    Maybe,
    Ends,
}

/// The state of a walk down from the first line of a block.
struct Walk<'a> {
    lines: &'a Lines<'a>,
    first: usize,
    base: usize,
    opener: Kind,
    last: usize,
}

impl Walk<'_> {
    fn step(&self, at: usize) -> Next {
        let (kind, text) = (self.lines.kinds[at], self.lines.text(at));
        let deeper = || self.lines.indent(at) > self.base;
        match kind {
            Kind::Command if !text.starts_with('+') => Next::Ends,
            // A harness counts below the title what failed in it.
            Kind::Wrapper if self.opener == Kind::Opener && at == self.first + 1 => Next::Belongs,
            Kind::Wrapper | Kind::Passed => Next::Ends,
            Kind::LintWarning if self.opener != Kind::LintWarning => Next::Ends,
            // What sbt tells of a failed test it tells at the level of an information.
            Kind::Report if HINT.is_match(text) || self.is_tagged_detail(at) => Next::Belongs,
            Kind::Report => Next::Ends,
            Kind::Empty => self.over_empty(at),
            Kind::Frame | Kind::Detail | Kind::Command => Next::Belongs,
            Kind::Plain if deeper() => Next::Belongs,
            Kind::Plain if at - self.last >= STRAY_LINES => Next::Ends,
            Kind::Plain if matches!(self.opener, Kind::Place | Kind::LintWarning) => Next::Ends,
            Kind::Plain => Next::Belongs,
            Kind::Opener => Next::Ends,
            _ if deeper() => Next::Belongs,
            _ if TITLE.is_match(text) => Next::Ends,
            _ => Next::Belongs,
        }
    }

    fn is_tagged_detail(&self, at: usize) -> bool {
        let (text, title) = (self.lines.text(at), self.lines.text(self.first));
        text.starts_with('[') && text.get(..5) == title.get(..5) && self.lines.indent(at) > self.base
    }

    /// Detail may follow at most two empty lines: frames, or what is set in deeper.
    fn over_empty(&self, at: usize) -> Next {
        let next = (at..(at + 3).min(self.lines.len())).find(|next| self.lines.kinds[*next] != Kind::Empty);
        let Some(next) = next else { return Next::Ends };
        let goes_on = match self.lines.kinds[next] {
            Kind::Frame | Kind::Detail => true,
            Kind::Command => self.lines.text(next).starts_with('+'),
            Kind::Failure | Kind::Suspect | Kind::Place | Kind::Plain => self.lines.indent(next) > self.base,
            _ => false,
        };
        if goes_on { Next::Maybe } else { Next::Ends }
    }
}

/// What failures of one form begin with, so that a list of them is known.
pub(super) fn form(text: &str) -> String {
    if let Some(at) = text.find("<<< ").or_else(|| text.find("*** FAILED")) {
        return text[at..].chars().take(5).collect();
    }
    let said = untagged(text).trim();
    let mut out = String::new();
    for c in said.chars() {
        let c = if c.is_ascii_digit() { '0' } else { c };
        // A number is one digit, however long.
        if c != '0' || !out.ends_with('0') {
            out.push(c);
        }
        if out.chars().count() == 3 {
            break;
        }
    }
    out
}

/// Joins failures that are listed one below the other in the same form.
fn joined(lines: &Lines, stretches: &[Stretch]) -> Vec<Stretch> {
    let mut out: Vec<(Stretch, String)> = Vec::new();
    for stretch in stretches {
        let own = form(lines.text(stretch.first));
        if let Some((before, form)) = out.last_mut() {
            let between = before.last + 1..stretch.first;
            let near = between.len() <= BETWEEN_LISTED && between.clone().all(|at| lines.kinds[at] == Kind::Empty);
            if near && *form == own {
                before.last = stretch.last;
                continue;
            }
        }
        out.push((*stretch, own));
    }
    out.into_iter().map(|(stretch, _)| stretch).collect()
}

/// Adds the line that tells of the failed step, which is the reason where a build system stopped the run, and the last
/// lines before it, which are where nothing in them reads like a failure.
fn add_end(lines: &Lines, steps: &Steps, stretches: &mut Vec<Stretch>) {
    let silent = |kind: Kind| matches!(kind, Kind::Empty | Kind::Wrapper | Kind::Command);
    if let Some(last) = (steps.first..steps.end).rfind(|at| !silent(lines.kinds[*at])) {
        let broken = |at: &usize| !matches!(lines.kinds[*at], Kind::Empty | Kind::Command);
        let floor = (steps.first + 1).max((last + 1).saturating_sub(LAST_LINES)).min(last);
        let first = (floor..=last).rev().take_while(broken).last().unwrap_or(last);
        insert(stretches, Stretch { first, last });
    }
    if let Some(told) = steps.told {
        insert(stretches, Stretch { first: steps.end, last: told });
    }
}

/// Puts a stretch in its place unless it overlaps another.
fn insert(stretches: &mut Vec<Stretch>, new: Stretch) {
    let at = stretches.partition_point(|one| one.last < new.first);
    if stretches.get(at).is_none_or(|next| next.first > new.last) {
        stretches.insert(at, new);
    }
}
