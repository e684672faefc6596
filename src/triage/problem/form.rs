//! The ways in which tools write a place and a message on one line.

use super::file::{has_ending, is_file, is_short_path};
use super::severity::{self, ProblemSeverity};
use crate::text::pattern;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What a line with a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A place with its message.
    Plain,
    /// A place whose message stands above.
    Arrow,
    /// A frame of a trace.
    Frame,
    /// How a tool came to a place: no problem by itself.
    Context,
}

/// What a line tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub shape: Shape,
    pub file: &'a str,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub severity: Option<ProblemSeverity>,
    pub message: &'a str,
}

/// What may stand before a place: a time, a level, a sign, a word that tells how bad it is. Each once.
const TIME: &str = r"^\s*(?:\d{4}-\d\d-\d\dT[\d:.]+Z\s+)?(?:\#\#\[\w+\]\s*)?";
const LEVEL: &str = r"(?:\[(?P<level>(?i:error|warning|warn|info|debug))\]\s*:?\s*)?";
const SIGN: &str = r"(?:(?P<sign>[-*•✖✘✗×⚠●>])\s+)?";
const WORD: &str = r"(?P<said>(?i:fatal error|error|err|warning|warn|info|note|e|w|fatal))";
const AFTER_WORD: &str = r"(?:\s*:\s*|\s+in\s+|\s+at\s+|\s+-\s+)";

const DRIVE: &str = r"(?:[A-Za-z]:[\\/]|file://)?";
/// A file without white space. A drive's colon belongs to it.
const FILE: &str = r"(?P<file>(?:[A-Za-z]:[\\/]|file://)?[^\s:'`<>|*?,;=]+)";
/// The same with white space, up to its ending: a whole path.
const SPACED: &str = r"(?P<file>(?:[A-Za-z]:[\\/]|/|\./|\.\./)[^:()\[\]'`<>|*?]{1,300}?\.[A-Za-z]\w{0,11})";
/// The same where a bracket follows: it may hold brackets, and a whole path white space.
const BEFORE_BRACKET: &str = r"(?P<file>(?:[A-Za-z]:[\\/]|/|\./)[^:'`<>|*?,;=\[\]]+?|[^\s:'`<>|*?,;=\[\]]+?)";
const LINE: &str = r"(?P<line>\d{1,9})";
const COLUMN: &str = r"(?P<column>\d{1,9})";
/// A place behind a file: `:3`, `:3:4`, `:3:4-5`, `:3.4-5.6`, `:3,4`, `:3-5`.
const COLONS: &str = r":(?P<line>\d{1,9})(?:[:.,](?P<column>\d{1,9}))?(?:-\d{1,9}(?:[:.]\d{1,9})?)?";
/// The rest of a line.
const REST: &str = r"\s*(?P<message>.*)$";

/// The forms in the order in which they are tried.
static FORMS: LazyLock<Vec<(Shape, Regex)>> = LazyLock::new(|| {
    let lead = format!("{TIME}{LEVEL}{SIGN}(?:{WORD}{AFTER_WORD})?");
    // `: `, `] `, ` - `, `, `, a blank.
    let behind = format!(r"(?:\s*:|\]\s*:?|\s+-|\s*-\s|,|\s|$){REST}");
    // `line 3`, `line: 3, column 4`.
    let column = format!(r"(?:\s?[,:]? ?(?:col(?:umn)?|char(?:acter)?|position):? ?{COLUMN})?");
    let in_words = format!(r"\(?(?:on |at )?[lL]ine:? {LINE}{column}\)?");
    let frame = format!(r"(?P<file>{DRIVE}[^\s:()]+):(?:line\s)?{LINE}(?::{COLUMN})?");
    let at_end = r"(?: (?:in|at|@|•|-) | \()(?:file )?";
    let parameters = r"(?:,\w*[lL]ine=\d+)?(?:,col(?:umn)?=(?P<column>\d{1,9}))?[^:]*";
    let named = format!(r"message=(?P<message>.*?)(?:\s+line={LINE})?(?:\s+col(?:umn)?={COLUMN})?");
    let bare = r"(?P<file>[^,:\s]+)";
    let gap = r"(?:\t|\s{2,})";
    use Shape::{Arrow, Context, Frame, Plain};
    let forms: [(Shape, String); 23] = [
        // In file included from a.h:3:
        (Context, format!(r"^\s*(?:In file included from|from)\s+{FILE}{COLONS}[,:]\s*$")),
        // File "a.py", line 3, in f
        (Frame, format!(r#"^\s*File "(?P<file>[^"]+)", line {LINE}(?:, in .*)?$"#)),
        // at f (a.js:3:4), at a.b.C.f(C.java:3), at f() in a.cs:line 3
        (Frame, format!(r"^\s*at\s+(?:.*?[\s(])?(?:in\s+)?{frame}\)?\s*$")),
        // a.go:3 +0x1d
        (Frame, format!(r"^\s+{FILE}:{LINE} \+0x[0-9a-f]+$")),
        // from a.rb:3:in 'f'
        (Frame, format!(r"^\s+(?:\d+:\s+)?from {FILE}:{LINE}:in .*$")),
        // --> a.rs:3:4 and the boxes that stand for it
        (Arrow, format!(r"^\s*(?:-->|==>|╭─+\[|┌─+\[?|╭▸|,-\[|::>)\s*{FILE}{COLONS}\]?(?P<message>)\s*$")),
        // on main.tf line 3, in resource "a" "b":
        (Arrow, format!(r"^\s*on (?P<file>\S+) line {LINE}(?P<message>)(?:,? in .*|[:,].*)?$")),
        // ::error file=a.c,line=3,col=4::message
        (
            Plain,
            format!(r"^\s*::(?P<said>error|warning|notice)\s.*?\bfile={bare}(?:,line={LINE})?{parameters}::{REST}"),
        ),
        // error file=a.c message=... line=3 column=4
        (Plain, format!(r"{TIME}(?:\[?{WORD}\]?:?\s+)?.*?\bfile=(?P<file>\S+)\s+{named}\s*$")),
        // CMake Error at CMakeLists.txt:3 (message):
        (
            Plain,
            format!(r"^CMake (?P<said>Error|Warning)(?: \(\w+\))? (?:at|in) {FILE}:{LINE}(?: \(\S+\))?:(?P<message>)$"),
        ),
        // thread 'main' panicked at src/main.rs:3:4:
        (Plain, format!(r"^.*\bpanicked at (?:'(?P<message>.*)', )?{FILE}{COLONS}:?\s*$")),
        // [a.proto:3:4] message
        (Plain, format!(r"^\s*\[{FILE}{COLONS}\]:?\s+{REST}")),
        // a.java:[3,4] message; a.kt: (3, 4): message
        (Plain, format!(r"{lead}{FILE}:\s?[\[(]{LINE},\s?{COLUMN}[\])]:?{REST}")),
        // a.c:3:4: message
        (Plain, format!(r"{lead}{FILE}{COLONS}{behind}")),
        // a.cs(3,4): message
        (Plain, format!(r"{lead}{BEFORE_BRACKET}\({LINE}(?:[,:.-]\s?{COLUMN})?(?:[,:.-]\d{{1,9}})*\)\s*:?{REST}")),
        // a.ts[3, 4]: message
        (Plain, format!(r"{lead}(?P<file>[^\s:'`<>|*?,;=\[\]]+)\[{LINE}(?:,\s?{COLUMN})?\]\s*:?{REST}")),
        // /a b/c.c:3:4: message
        (Plain, format!(r"{lead}{SPACED}:{LINE}:(?:{COLUMN}:)?{REST}")),
        // a.js: line 3, col 4, message; "a.c", line 3: message; a.sh: line 3: message
        (Plain, format!(r#"{lead}"?(?P<file>[^\s:"'`<>|*?,;=]+)"?[:,]?\s*{in_words}\s*[:,.-]?{REST}"#)),
        // a.pp - ERROR: message on line 3
        (Plain, format!(r"{lead}{FILE}(?:\s+-|:)\s+(?P<message>.*?),? on line {LINE}\.?$")),
        // message in /a/b.php on line 3; message at a.pl line 3.
        (Plain, format!(r"^\s*(?P<message>\S.*?) (?:in|at|from) {FILE} (?:on )?line {LINE}(?:[.,]? .*|\.)?$")),
        // message (a.js:3:4), message at a.js:3:4, message in a.php:3
        (Plain, format!(r"^\s*(?P<message>\S.*?){at_end}{FILE}{COLONS}(?:\)|\s+•.*|\.)?\s*$")),
        // Columns: file, line, message
        (Plain, format!(r"^(?P<file>\S+){gap}{LINE}(?:{gap}{COLUMN})?{gap}(?P<message>\S.*)$")),
        // ./a.sh: 3: message, as dash says it
        (Plain, format!(r"^{FILE}: {LINE}: {REST}")),
    ];
    forms.into_iter().map(|(shape, source)| (shape, pattern(&source))).collect()
});

/// A file without a line: the level stands before it, or what is to be done with it.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)^\s*(?:
          (?:\[(?P<level>(?i:error|warning|warn))\]|(?P<said>(?:ERROR|WARNING|Error|Warning|error|warning)):)
          \s+(?P<file>\S+?):?\s+(?P<message>[A-Z]\S*\s.*)
        | (?P<todo>would\ reformat|would\ be\ reformatted|needs\ formatting|Would\ reformat|Unformatted)
          :?\s+(?P<other>\S+)
        )$",
    )
});

/// The first line of a trace whose last frame counts.
pub(super) fn opens_trace(line: &str) -> bool {
    line.ends_with("(most recent call last):")
}

/// What a line tells, if it tells of a place.
pub(super) fn read(line: &str) -> Option<Found<'_>> {
    if line.bytes().any(|byte| byte.is_ascii_digit()) {
        for (shape, form) in FORMS.iter() {
            let Some(found) = form.captures(line) else { continue };
            if let Some(found) = place(*shape, &found) {
                return Some(found);
            }
        }
    }
    alone(line)
}

fn place<'a>(shape: Shape, found: &Captures<'a>) -> Option<Found<'a>> {
    let text = |name: &str| found.name(name).map(|one| one.as_str());
    let file = text("file")?.trim_start_matches(['(', '[', '"']).trim_end_matches('"');
    let number = |name: &str| text(name).and_then(|digits| digits.parse().ok());
    let (line, column) = (number("line"), number("column"));
    let is_named = is_file(file) || column.is_some() && is_short_path(file) || is_frame_of_no_file(shape, file);
    if !is_named || line == Some(0) || text("line").is_some() && line.is_none() {
        return None;
    }
    let before = ["level", "said", "sign"].into_iter().filter_map(text).find_map(ProblemSeverity::of);
    let (behind, message) = severity::split(text("message").unwrap_or_default());
    Some(Found { shape, file, line, column, severity: behind.or(before), message })
}

/// A frame of what was typed or made: `<stdin>`, `<string>`.
fn is_frame_of_no_file(shape: Shape, file: &str) -> bool {
    shape == Shape::Frame && file.starts_with('<')
}

fn alone(line: &str) -> Option<Found<'_>> {
    let found = ALONE.captures(line)?;
    let text = |name: &str| found.name(name).map(|one| one.as_str());
    let (file, message) = match text("todo") {
        Some(todo) => (text("other")?, todo),
        None => (text("file")?, text("message").unwrap_or_default()),
    };
    let severity = ["level", "said"].into_iter().filter_map(text).find_map(ProblemSeverity::of);
    // A word with a dot may be anything; a path is one.
    let is_path = file.contains(['/', '\\']) && is_file(file);
    is_path.then_some(Found { shape: Shape::Plain, file, line: None, column: None, severity, message })
}

/// A heading: a file, and perhaps how many problems it has.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)^\s*(?:Line\s{2,}|FILE:\s*|File:\s*|\*{3,}\ Module\ |---\ |==\ |\#\#\ )?
          (?P<file>(?:[A-Za-z]:[\\/]|/|\./)?[^:*?<>|]{1,400}?)
          (?::|\s+--?\s+\d+\ \w+:?|\s+\(\d+\ [\w\ ]+\):?|:\s+\d+\ \w+|\s*=+)?\s*$",
    )
});

/// The file that a line names as a heading.
pub(super) fn heading(line: &str) -> Option<&str> {
    let file = HEADING.captures(line)?.name("file")?.as_str();
    // A command has blanks too, and a folder no ending.
    let is_whole = file.starts_with(['/', '.', '\\']) || file.get(1..2) == Some(":");
    let has_blanks = file.contains("  ") || file.contains(' ') && !is_whole;
    (!has_blanks && has_ending(file) && is_file(file)).then_some(file)
}

/// A place below a heading: `3:4  message`, `line 3: message`, `3  message`, `L3: message`.
static BELOW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)^\s*(?:[✖✘✗×⚠•*-]\s+)?(?:
          \(?(?P<line>\d{1,9})(?:[:,]\s?(?P<column>\d{1,9}))?\)?(?:-\d{1,9}(?:[:,]\d{1,9})?)?
          (?::\s*|\s{2,}|\t|\s+\|?\s*(?:error|warning|warn|info|✖|⚠|ERROR|WARNING|\[))
        | (?:[lL]ine\ |L)(?P<line2>\d{1,9})(?:[:,]\s?(?:col(?:umn)?\ |C)?(?P<column2>\d{1,9}))?\)?\s*[:,-]?\s+
        | (?P<line3>\d{1,9})\s\|\s(?:ERROR|WARNING)
        )",
    )
});

/// The place that a line below a heading begins with, and the rest of the line.
pub(super) fn below_heading(line: &str) -> Option<(u32, Option<u32>, &str)> {
    let found = BELOW.captures(line)?;
    let number = |names: [&str; 3]| {
        names.into_iter().find_map(|name| found.name(name)).and_then(|digits| digits.as_str().parse().ok())
    };
    let number_of_line = number(["line", "line2", "line3"]).filter(|line| *line > 0)?;
    let column = number(["column", "column2", "column"]);
    // A severity belongs to the message.
    let place_end =
        ["column", "column2", "line", "line2", "line3"].into_iter().find_map(|name| found.name(name))?.end();
    let rest = line[place_end..].trim_start_matches([':', ',', ')', '|', ' ', '\t', '-']);
    rest.contains(|c: char| c.is_alphabetic()).then_some((number_of_line, column, rest))
}
