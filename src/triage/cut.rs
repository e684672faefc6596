//! Which stretches of a log may be the reason of its failure.
//!
//! A line that reads like a failure, a place in a file or the title of a failed test opens a block, which runs on over
//! what belongs to it: frames, excerpts, what is set in deeper, the next failure of the same kind. It ends before what
//! only tells of it (`npm ERR!`, `make: ***`, counts) and before what went well. Failures of the same form that are
//! listed one below the other are one block. Blocks lie in order and do not overlap; each line is looked at a bounded
//! number of times.

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

/// Lines above an end that say nothing, among which the last words are looked for.
const SILENT_LINES: usize = 40;

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
    pattern(
        r"^\s*(?:\d+\)|not ok\b|--- FAIL|Failure:|Error:$)|<<< (?:FAIL|ERR)|\*\*\* FAILED \*\*\*|^_{3,} .*\S _{3,}$",
    )
});

/// What a caller writes when the tool it called failed: make, ninja, npm, yarn, rake.
static CALLER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:(?:g?make|ninja)(?:\[\d+\])?: \*\*\*|npm (?:ERR!|error) code|error Command failed|rake aborted!)")
});

/// The last line of a failed test of pytest: the place and the exception.
static PYTEST_LAST: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\S+:\d+: \w+$"));

/// What lines of a unified diff begin with.
static DIFF_LINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:[ +@\\-]|diff --git |index [0-9a-f]|(?:new|deleted|old) |rename |similarity |Binary |$)")
});

/// What compilers call an error, among lines that begin with a place.
static CALLED_ERROR: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i):\s*(?:fatal |internal compiler )?error\b"));

/// Hints that compilers write below an error.
static HINT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\s*(?:note|help|hint)\b"));

/// A line at which a failure begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opening {
    /// Which line of the piece.
    pub line: usize,
    /// It is only a warning of a compiler or linter.
    pub is_warning: bool,
}

/// What a walk over a log found, and how much it looked at.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// The stretches, in order.
    pub stretches: Vec<Stretch>,
    /// Where failures begin, those too that are listed below another one in its stretch; in order.
    pub openings: Vec<Opening>,
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
        let is_list = lines.kinds[at] == Kind::LintWarning;
        // PowerShell writes the message before the place.
        let floor = found.stretches.last().map_or(0, |before| before.last + 1);
        let above = lines.text(at).starts_with("At ") && at > floor && says(lines.kinds[at - 1]);
        let stretch = Stretch { first: if above { at - 1 } else { at }, last };
        found.stretches.push(stretch);
        let is_warning = is_list && !CALLED_ERROR.is_match(lines.text(at));
        found.openings.push(Opening { line: stretch.first, is_warning });
        if is_list {
            found.openings.extend((at + 1..=last).filter_map(|line| diagnostic(lines, line)));
        }
        at = last + 1;
    }
    found.stretches = joined(lines, &found.stretches);
    add_ends(lines, steps, &mut found.stretches);
    found
}

/// A compiler's warnings and errors come in one list: whether another one begins at this line of it.
fn diagnostic(lines: &Lines, line: usize) -> Option<Opening> {
    let is_error = CALLED_ERROR.is_match(lines.text(line));
    let is_warning = !is_error && lines.kinds[line] == Kind::LintWarning;
    (lines.indent(line) == 0 && (is_warning || is_error)).then_some(Opening { line, is_warning })
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

/// Adds the line that tells of the failed step, which is the reason where a build system stopped the run, and what was
/// printed last before it or before a caller told that its tool failed: the reason where nothing reads like a failure.
fn add_ends(lines: &Lines, steps: &Steps, stretches: &mut Vec<Stretch>) {
    let calls = |at: &usize| lines.kinds[*at] == Kind::Wrapper && CALLER.is_match(lines.text(*at));
    let callers: Vec<usize> = (steps.first..steps.end).filter(calls).collect();
    // What a run that was stopped said last is no reason.
    let end = (steps.ends_here && !steps.stopped).then_some(steps.end);
    for end in callers.into_iter().chain(end) {
        if let Some(stretch) = last_words(lines, steps, end) {
            insert(stretches, stretch);
        }
    }
    if let Some(told) = steps.told {
        insert(stretches, Stretch { first: steps.end, last: told });
    }
}

/// The lines that stand together before a line of the failed step.
fn last_words(lines: &Lines, steps: &Steps, end: usize) -> Option<Stretch> {
    let silent = |kind: Kind| matches!(kind, Kind::Empty | Kind::Wrapper | Kind::Command);
    let from = steps.first.max(end.saturating_sub(SILENT_LINES));
    let last = (from..end).rfind(|at| !silent(lines.kinds[*at]))?;
    let from = steps.first.max((last + 1).saturating_sub(LAST_LINES));
    let first = (from..=last).rev().take_while(|at| !silent(lines.kinds[*at])).last();
    Some(Stretch { first: first.unwrap_or(last), last })
}

/// Puts a stretch in its place unless it overlaps another.
fn insert(stretches: &mut Vec<Stretch>, new: Stretch) {
    let at = stretches.partition_point(|one| one.last < new.first);
    if stretches.get(at).is_none_or(|next| next.first > new.last) {
        stretches.insert(at, new);
    }
}

#[cfg(test)]
mod tests {
    use super::super::step::Before;
    use super::*;
    use crate::text::clean;

    /// First and last lines of the blocks, from 1.
    fn blocks(log: &str) -> Vec<(usize, usize)> {
        let cleaned = clean(log);
        let lines = Lines::new(&cleaned);
        let found = cut(&lines, &Steps::of(&lines, Before::default(), true));
        found.stretches.iter().map(|one| (one.first + 1, one.last + 1)).collect()
    }

    /// Asserts that the first block of the log is this one.
    fn first(log: &str, wanted: (usize, usize)) {
        let found = blocks(log);
        assert_eq!(found.first(), Some(&wanted), "{found:?} in\n{log}");
    }

    #[test]
    fn an_error_that_speaks_of_a_warning_is_none() {
        let log = "a.cpp(3): warning C4996: 'x': was declared deprecated\n\
                   a.cpp(3): error C2220: the following warning is treated as an error\na.cpp(9): error C2065: 'y'\n";
        let cleaned = clean(log);
        let lines = Lines::new(&cleaned);
        let found = cut(&lines, &Steps::of(&lines, Before::default(), true));
        let told: Vec<(usize, bool)> = found.openings.iter().map(|one| (one.line, one.is_warning)).collect();
        assert_eq!(told, [(0, true), (1, false), (2, false)]);
    }

    #[test]
    fn tests_of_scripting_languages() {
        let pytest = "==== FAILURES ====\n____ test_adds ____\n\n    def test_adds():\n>       assert add(1) == 2\n\
            E       assert 1 == 2\n\ntest_cart.py:5: AssertionError\n==== 1 failed in 0.1s ====\n";
        first(pytest, (2, 8));
        let rspec = "Failures:\n\n  1) Cart adds\n     Failure/Error: expect(1).to eq(2)\n\n       expected: 2\n\
            \x20           got: 1\n     # ./spec/cart_spec.rb:4:in `block'\n\nFinished in 0.1 seconds\n";
        first(rspec, (3, 8));
        let minitest = "  1) Failure:\nCartTest#test_adds [test/cart_test.rb:9]:\nExpected: 2\n  Actual: 1\n\n\
            3 runs, 3 assertions, 1 failures\n";
        first(minitest, (1, 4));
        let phpunit = "There was 1 failure:\n\n1) CartTest::testAdds\nFailed asserting that 1 matches expected 2.\n\n\
            /app/tests/CartTest.php:12\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n";
        first(phpunit, (3, 6));
        let mocha = "  2 passing\n  1 failing\n\n  1) Cart\n       adds:\n     AssertionError: expected 1 to equal 2\n\
            \x20     at Context.<anonymous> (test/cart.js:4:9)\n\nnpm ERR! Test failed.\n";
        first(mocha, (4, 7));
        let tap = "ok 1 - loads\nnot ok 2 - adds\n  ---\n    operator: equal\n    expected: 2\n    actual:   1\n  ...\n\
            ok 3 - clears\n";
        first(tap, (2, 7));
        let prove = "t/a.t .. ok\nt/b.t .. Dubious, test returned 1 (wstat 256, 0x100)\nFailed 1/3 subtests\n\n\
            Test Summary Report\n";
        first(prove, (2, 3));
    }

    #[test]
    fn tests_of_compiled_languages() {
        let go = "=== RUN   TestAdd\n--- FAIL: TestAdd (0.00s)\n    cart_test.go:8: got 1, want 2\nFAIL\n\
            exit status 1\nFAIL\tshop/cart\t0.002s\n";
        first(go, (2, 3));
        let surefire = "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE!\n\
            adds(shop.CartTest)  Time elapsed: 0.01 sec  <<< FAILURE!\n\
            java.lang.AssertionError: expected:<2> but was:<1>\n\
            \tat org.junit.Assert.fail(Assert.java:88)\n\tat shop.CartTest.adds(CartTest.java:9)\n\nResults :\n";
        first(surefire, (2, 5));
        let scalatest = "[info] CartTest:\n[info] - loads\n[info] - adds *** FAILED ***\n\
            [info]   1 did not equal 2 (CartTest.scala:9)\n[info] - clears\n[error] (test) sbt.TestsFailedException\n";
        first(scalatest, (3, 4));
        let cargo = "failures:\n\n---- cart::adds stdout ----\nthread 'cart::adds' panicked at src/cart.rs:9:5:\n\
            assertion failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\n\n\nfailures:\n    cart::adds\n";
        first(cargo, (4, 8));
    }

    #[test]
    fn compilers() {
        let rustc = "   Compiling shop v0.1.0\nerror[E0308]: mismatched types\n --> src/a.rs:2:5\n  |\n2 |     1\n\
            \x20 |     ^ expected `()`\n\nerror: could not compile `shop`\n";
        first(rustc, (2, 6));
        let gcc = "cc -c a.c\na.c: In function 'main':\na.c:3:5: error: 'x' undeclared (first use)\n     x = 1;\n\
            \x20    ^\nmake: *** [a.o] Error 1\n";
        first(gcc, (3, 5));
        let ghc = "[1 of 2] Compiling A\n\nsrc/A.hs:3:5: error:\n    Variable not in scope: x\n  |\n3 | y = x\n\
            \x20 |     ^\n[2 of 2] Compiling B\n";
        first(ghc, (3, 7));
        let powershell = "Restored\nExecution of { dotnet } failed with exit code 1\nAt /b/build.psm1:20 char:17\n\
            +     throw $m\n+     ~~~~~~~~\n+ CategoryInfo          : OperationStopped\n\
            + FullyQualifiedErrorId : x\n\n$ exit\n";
        first(powershell, (2, 7));
    }

    #[test]
    fn linters_links_and_diffs() {
        let markdown = "$ mdl .\nREADME.md:3: MD013 Line length\nREADME.md:9: MD009 Trailing spaces\n\nThe end\n";
        first(markdown, (2, 3));
        let eslint = "\n/app/src/a.js\n  3:7  error  'x' is not defined  no-undef\n\
            \x20 9:1  error  Missing semicolon  semi\n\n2 problems\n";
        first(eslint, (3, 4));
        let sass =
            "$ sass a.scss\nError: Undefined variable: \"$x\".\n        on line 3 of a.scss\n>> color: $x;\n\n$ true\n";
        first(sass, (2, 4));
        let links =
            "> Links\n  1. [L0153] 404 http://example.com/a.png\n  2. [L0200] 500 http://example.com/b\n> Dupes\n";
        first(links, (2, 4));
        let diff = "$ gofmt -d .\ndiff --git a/x.go b/x.go\nindex 1..2\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n\
            done\n";
        first(diff, (2, 8));
    }

    #[test]
    fn what_a_tool_said_last_is_the_reason_where_nothing_else_is() {
        let quiet = "$ yarn lint\n$ prettier --list-different\nsrc/a.js\nerror Command failed with exit code 1.\n\
            The command \"yarn lint\" exited with 1.\n";
        assert_eq!(blocks(quiet), [(3, 3), (5, 5)]);
        assert_eq!(blocks(""), []);
    }

    #[test]
    fn failures_of_one_form_below_each_other_are_one_block() {
        let log = "  1) first\n     Expected 1\n\n  2) second\n     Expected 2\n\nother text\n\nerror: apart\n";
        assert_eq!(blocks(log), [(1, 5), (9, 9)]);
    }

    /// Whatever the lines, each is looked at a bounded number of times.
    #[test]
    fn the_work_is_linear() {
        let shapes =
            ["error: x\n\n", "note: x\n", "error: x\nplain\nplain\nplain\n", "____ t ____\n\n", "diff --git a b\n\n\n"];
        for shape in shapes {
            let visited = |times: usize| {
                let cleaned = clean(&shape.repeat(times));
                let lines = Lines::new(&cleaned);
                (cut(&lines, &Steps::of(&lines, Before::default(), true)).visited, lines.len())
            };
            let ((few, _), (many, lines)) = (visited(1_000), visited(10_000));
            assert!(many <= 10 * few + MAX_WHOLE_LINES && many <= 4 * lines, "{shape:?}: {many} of {lines} lines");
        }
    }
}
