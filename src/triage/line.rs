//! What kind of line each line of a log is, by what tools of its kind print.
//!
//! A line has one kind: that of the first row of [`KINDS`] that it matches. All rows are looked for in one pass. No row
//! knows a project; each is true of a tool, a test framework or the way people word failures.

use crate::text::{Cleaned, pattern_set};
use regex::RegexSet;
use std::sync::LazyLock;

/// Bytes of a line that its kind is decided by. What a failure says first stands in the first few hundred.
const TELLING_BYTES: usize = 400;

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Nothing but white space.
    Empty,
    /// The title of one failed test or of a diff, by the form that frameworks give it: what follows belongs to it.
    Opener,
    /// A linter's or compiler's warning with its place: a failure only where warnings are.
    LintWarning,
    /// The echo of a command, or the mark of a build system that a part of the run begins or ends.
    Command,
    /// Somebody tells that something below it failed: a package manager, make, a summary, a count.
    Wrapper,
    /// Something went well, or went on: a passed test, a progress line.
    Passed,
    /// A report that is no failure: an information, a warning, a note.
    Report,
    /// Surely the report of a failure.
    Failure,
    /// A frame of a stack trace.
    Frame,
    /// A message that begins with a place in a file.
    Place,
    /// It holds a word that failures are told with.
    Suspect,
    /// What belongs to a line above it: set in, a caret, an excerpt, `expected` and `actual`.
    Detail,
    /// Anything else.
    Plain,
}

/// The kinds by their patterns, in order of precedence.
const KINDS: &[(Kind, &str)] = &[
    // pytest's titles, minitest's and test-unit's, a harness of TAP, a diff.
    // PHPStan's table of one file.
    (
        Kind::Opener,
        r"^\s*(?:Failure|Error):\s*$|^_{3,} .*\S _{3,}$|Dubious, test returned|^diff --git |^  Line\s+\S+\.\w+\s*$",
    ),
    (Kind::LintWarning, r"(?i)^\s*[\w/\\.+@-]+\.\w{1,6}[:(]\d+.*\bwarning\b"),
    // One failed test of ScalaTest: before reports, because sbt writes it at the level of an information. The end of
    // PowerShell's error records.
    (Kind::Failure, r"\S.*\*\*\* FAILED \*\*\*|^\s*\+ FullyQualifiedErrorId\s*:"),
    (Kind::Detail, r"^\s*\+ CategoryInfo\s*:"),
    (Kind::Place, r"^At \S.*:\d+ char:\d+\s*$"),
    (
        Kind::Command,
        r"(?x)^\$\ \S | ^\++[a-z./]\S*(?:\ |$) | ^\++\ [a-z./]\S* | ^>\ \S+@\S+\ \S | ^\#\#\[(?:group|section|command)
        | ^travis_(?:fold|time) | ^section_(?:start|end): | ^\[Pipeline\]",
    ),
    (Kind::Wrapper, WRAPPER),
    (
        Kind::Passed,
        r"(?xi)^\s*(?: ok\b | ---\ pass | pass\b | [✓✔√] )
        | (?: \.\.\.?\ ?(?:ok|yes|no|done|passed|skipped)
          | \b(?:passed|skipped|ok|success|successfully|ignored) )[^0-9a-z_]*$
        | ^\s*(?: \[\s*\d+\ ?(?:/|of)\ ?\d+\] | \[\s*\d+%\] | \d{1,3}%\s | running\ `
          | [^0-9a-z_]*(?:compiling|downloading|downloaded|fetching|fresh|installing|linting|requesting|unpacking)
            \ [^:]*(?:https?://\S*)?$ )
        | \.\s?ok\s+\d+\ (?:ms|wallclock)",
    ),
    (
        Kind::Report,
        r"(?xi)^[^0-9a-z_]*(?:\S+\ )?\[?(?:info|debug|trace|notice|warn|warning)\b[\]:\ ]
        | ^\s*(?:note|help|hint|warning|warn)\b | \bwarning: | ^npm\ warn | deprecat | level=(?:info|debug|warn)",
    ),
    (Kind::Failure, FAILURE),
    (
        Kind::Frame,
        r#"(?x)^\s*(?:at\ |from\ |in\ |\#\d+\ |\d+:\ |\#\ |File\ "|\[\w+\]:\ in\ |\S+:\d+:in\ |@\ )
        | \([\w.$<>-]+\.\w+:\d+(?::\d+)?\) | :\d+:in\ [`'] | ^\s+\.{3}\ ?\d+\ more | ^\s*/\S+:\d+(?::\d+)?\s*$"#,
    ),
    (Kind::Place, PLACE),
    (Kind::Suspect, SUSPECT),
    (
        Kind::Detail,
        r"(?xi)^\s*(?: \| | [0-9]+\ ?\| | = | [\^~]+ | expected | actual | got | caused\ by | note: | help: | \+\s | -\s
        | @@ | operator: | stack: | diff | error\ most | where | with | when | did\ you | calls?: | hint | received
        | \.{3} | [-+]{3}\  ) | ^\s+\S",
    ),
];

/// What tells of a failure below.
const WRAPPER: &str = r"(?xi)
    ^\s*(?: npm\ (?:ERR!|error) | (?:g?make|ninja)(?:\[\d+\])?:\ (?:\*\*\*|\w+\ \[|leaving|entering|stopped|target)
      | error\ command\ failed | yarn\ run\  | info\ visit\ http | the\ command\ \x22 | done\.\ your\ build
      | your\ build
      | \#\#\[(?:end|debug) | process\ completed\ with
      | error:\ (?:job\ failed|build\ failed|test\ failed|aborting\ due|could\ not\ compile|process\ completed)
      | error:\ script\ returned | build\ step\ .*\ marked\ build | finished:\ fail
      | \[error\]\ (?:\(.*\)\ |failed:\ total|failed\ tests:|\w+\ errors?\ found|found\ \d+\ errors?
        |\[help\ \d) | status:\ \d+\ error
      | \S*\ ?build\ (?:failed|failure|was)\b
      | \[error\]\ (?:total\ time|failed\ to\ execute\ goal|->\ \[help|re-run|to\ see\ the\ full|for\ more\ information
        |after\ correcting|\s*mvn)
      | \[(?:error|info)\]\s*$ | elifecycle | lerna\ err! | \*\ (?:try|get\ more\ help|what\ went\ wrong)
      | failure:\ build\ failed | execution\ failed\ for\ task | (?:test|tests)\ (?:failed|failure)\b.{0,40}$
      | fail\s+\S+\s+(?:[0-9.]+s|\[\w+\ failed\])\s*$ | tests\ run:\ \d
      | some\ tests\ failed | the\ following\ (?:tests|targets)\ failed
      | (?:tests?|assertions?|specs?|examples?|total|ran|passed|failed|failures|errors)\b[^0-9a-z_]*\d+\b
      | [^0-9a-z_]*\d+\ (?:tests?|examples?|specs?|assertions?|passing|passed|failed|failing|pending|failures?|errors?
        |problems?|warnings?|offenses?|files?|runs?)\b
      | =+\ .*\b\d+\ (?:failed|passed|error) | result:\ fail | exit\ code | command\ failed | error\ code
      | finished\ with | there\ (?:was|were)\ \d+ | [^0-9a-z_]*(?:failed\ tests?|failures|errors)[^0-9a-z_]*$ )
    | ^\s*(?:failed|fail|failures?[!:]?|errors?[!:]?)\s*$ | subprocess.*returned | calledprocesserror
    | returned\ (?:a\ )?non-?zero | \bexited\ with\ (?:code|status|\d) | \bexit\ (?:code|status)\b[^0-9]{0,3}\d
    | script\ returned | \bno\ errors\b | \*\*\*\ \d+\ tests?\ failed
    | ^\*\*\ (?:\w+\ )+failed\ \*\* | \*\*\*\ failed\ test\ case
";

/// What reports a failure.
const FAILURE: &str = r"(?x)
    ^\s*(?: \[?(?i:error|err!?|fatal|failure|failed|panic)\]?
        (?:[^0-9a-zA-Z_s\x20:=]|[\x20:=]+(?:[^0\x20:=]|0[0-9a-zA-Z_])|$)
      | E\s{2,}\S | [❌✗✘×⨯✖] | not\ ok\b | ---\ FAIL | FAIL(?:ED|URE)?\b[:!]? | \d+\)\s+\S
      | (?i:rake|configure|make)\S*\ (?i:aborted|error) )
    | (?i:\b(?:error|fatal|failure|exception)\b\s*(?:\[[\w:]+\]|\w{0,8}\d+)?\s*:(?:\s*(?:[^0\s]|0[0-9a-z_])|\s*$))
    | \b[A-Z]\w*(?:Error|Exception|Failure)\b
    | \bFAILED\b | <<<\ (?:FAIL|ERR) | [❌✗✘] | ^Traceback\ \(most | panicked\ at
    | (?i:command\ not\ found|no\ such\ file|permission\ denied|segmentation\ fault|not\ found\s*$|core\ dumped
      |cannot\ find|undefined\ (?:reference|method|variable|index)
      |could\ not\ (?:find|resolve|compile|open|connect|load|parse)|unexpected\ token|syntax\ error|parse\ error)
";

/// What begins with a place in a file.
const PLACE: &str = r"(?x)^\s*(?:\[\w+\]\s*)?[\w/\\.+@-]+\.\w{1,6}(?:[:(]\d+|:\ line\ \d+|:\ \d+:)";

/// Words that failures are told with.
const SUSPECT: &str = r"(?xi)
    \b(?: fail(?:ed|ure|ures|s|ing)? | errors? | fatal | panic(?:ked)? | abort(?:ed|ing)? | exceptions? | cannot
      | can'?t | could\ ?n[o']t | unable | invalid | undefined | unexpected(?:ly)? | missing | unknown | denied
      | refused | not\ found | no\ such | does\ not | doesn't | did\ not | didn't | unresolved | violat\w+
      | timed?\ ?out | timeout | killed | crash\w* | broken | corrupt\w* | mismatch\w* | incorrect\w* | illegal
      | forbidden | unauthorized | undeclared | unrecognized
      | not\ (?:defined|declared|in\ scope|allowed|supported|provided|match\w*|equal)
      | forgot | too\ (?:long|many|few) | must\ (?:be|have|not) | should\ (?:be|have|not|start|end) )\b
    | [❌✗✘×⨯✖] | \b\w+(?:Error|Exception|Failure)\b
    # A checker of links: a status of failure before or behind an address.
    | \b[45]\d\d\b\]?\ +https?:// | https?://\S+\ .*\b[45]\d\d\b
";

static SET: LazyLock<RegexSet> = LazyLock::new(|| pattern_set(KINDS.iter().map(|(_, source)| *source)));

/// The kind of one line.
pub(super) fn kind(line: &str) -> Kind {
    if line.trim_start().is_empty() {
        return Kind::Empty;
    }
    SET.matches(telling(line)).iter().next().map_or(Kind::Plain, |row| KINDS[row].0)
}

/// As much of a line as is looked at.
pub(super) fn telling(line: &str) -> &str {
    &line[..line.floor_char_boundary(TELLING_BYTES)]
}

/// The lines of a log with their kinds.
pub(super) struct Lines<'a> {
    /// The text.
    pub cleaned: &'a Cleaned,
    /// The kind of each line.
    pub kinds: Vec<Kind>,
}

impl<'a> Lines<'a> {
    /// Decides the kind of every line.
    pub fn new(cleaned: &'a Cleaned) -> Self {
        Self { cleaned, kinds: (0..cleaned.lines.len()).map(|at| kind(cleaned.line(at))).collect() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// As much of the line as is looked at.
    pub fn text(&self, at: usize) -> &'a str {
        telling(self.cleaned.line(at))
    }

    /// Of a stretch the first line that surely reports a failure, else the first that may, else the first.
    pub fn headline(&self, first: usize, last: usize) -> usize {
        let first_of = |kind: Kind| (first..=last).find(|at| self.kinds[*at] == kind);
        first_of(Kind::Failure).or_else(|| first_of(Kind::Suspect)).unwrap_or(first)
    }

    /// White space before the line's first word, in bytes; the tag of a logger (`[info] `) counts as nothing.
    pub fn indent(&self, at: usize) -> usize {
        let said = untagged(self.text(at));
        said.len() - said.trim_start().len()
    }
}

/// A line without the level that a build tool wrote before it in brackets.
pub(super) fn untagged(line: &str) -> &str {
    let tag = |rest: &'_ str| rest.find("] ").filter(|end| rest[..*end].bytes().all(|b| b.is_ascii_alphabetic()));
    match line.strip_prefix('[').and_then(tag) {
        // The tag, its brackets and one space.
        Some(end) => &line[end + 3..],
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clean;

    #[test]
    fn every_kind_of_line_is_known() {
        let cases: &[(Kind, &[&str])] = &[
            (Kind::Empty, &["", "  \t"]),
            (
                Kind::Opener,
                &[
                    "______________ test_adds ______________",
                    "  Failure:",
                    "t/basic.t .. Dubious, test returned 1 (wstat 256, 0x100)",
                    "diff --git a/x.go b/x.go",
                    "  Line   src/Cart.php",
                ],
            ),
            (Kind::LintWarning, &["src/a.c:12:5: warning: unused variable 'x' [-Wunused-variable]"]),
            (
                Kind::Command,
                &["$ npm test", "+ make check", "++ date +%s", "> shop@1.0.0 test", "section_start:1700000000:build"],
            ),
            (
                Kind::Wrapper,
                &[
                    "npm ERR! code ELIFECYCLE",
                    "make[2]: *** [all] Error 2",
                    "error Command failed with exit code 1.",
                    "The command \"make\" exited with 2.",
                    "3 examples, 1 failure",
                    "errors: 0",
                    "FAIL\tshop/cart\t0.002s",
                    "** TEST FAILED **",
                    "Tests run: 9, Failures: 0, Errors: 9 <<< FAILURE!",
                    "[error] (core / compile) Compilation failed",
                    "error: could not compile `shop` due to 2 previous errors",
                    "Finished: FAILURE",
                ],
            ),
            (
                Kind::Passed,
                &[
                    "ok 4 - adds",
                    "--- PASS: TestAdd (0.00s)",
                    "test add ... ok",
                    "  ✓ adds",
                    "[3 of 19] Compiling Data.List",
                    "[ 42%] Building C object a.o",
                ],
            ),
            (
                Kind::Report,
                &["[INFO] Scanning for projects", "WARNING: old pip", "[warn] deprecated", "note: see below"],
            ),
            (
                Kind::Failure,
                &[
                    "error: expected `;`",
                    "[ERROR] cannot find symbol",
                    "E       assert 1 == 2",
                    "not ok 3 - adds",
                    "--- FAIL: TestAdd (0.00s)",
                    "  1) adds two numbers",
                    "[info] - adds *** FAILED ***",
                    "add(CartTest)  Time elapsed: 0.2 sec  <<< ERROR!",
                    "thread 'main' panicked at src/main.rs:2:5:",
                    "Traceback (most recent call last):",
                    "java.lang.IllegalStateException: closed",
                    "bash: foo: command not found",
                    "    + FullyQualifiedErrorId : Build failed",
                ],
            ),
            (
                Kind::Frame,
                &["    at Cart.add (cart.js:3:5)", "\tat shop.Cart.add(Cart.java:7)", "  File \"a.py\", line 3"],
            ),
            (
                Kind::Place,
                &["README.md:12 MD013 Line length", "src/a.js:3:7: Missing semi", "At C:\\b.psm1:20 char:17"],
            ),
            (
                Kind::Suspect,
                &["the server did not answer", "is not allowed here", "  1. [L0153] 404 http://example.com/a.png"],
            ),
            (Kind::Detail, &["      ^~~~", "  | let x = 1;", "expected: 1", "    set in deeper", "+ CategoryInfo : x"]),
            (Kind::Plain, &["Receiving objects", "all of it"]),
        ];
        for (wanted, lines) in cases {
            for line in *lines {
                assert_eq!(kind(line), *wanted, "{line:?}");
            }
        }
    }

    #[test]
    fn a_long_line_is_judged_by_its_beginning() {
        assert_eq!(kind(&format!("{} error: x", "é ".repeat(300))), Kind::Plain);
        assert_eq!(kind(&format!("error: {}", "x".repeat(1 << 20))), Kind::Failure);
    }

    #[test]
    fn a_tag_is_no_indent() {
        let cleaned = clean("[info] - adds\n[info]   1 did not equal 2\n[a b] c\n  d");
        let lines = Lines::new(&cleaned);
        assert_eq!((0..4).map(|at| lines.indent(at)).collect::<Vec<_>>(), [0, 2, 0, 2]);
    }
}
