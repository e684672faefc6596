//! From raw terminal output to plain lines: escape codes, overprinted progress, box gutters, timestamps and build-step
//! prefixes come off; what the tool meant to say stays, with the number of its line in the input.
//!
//! Nothing is guessed about wrapped lines here: canon patterns let a space match a line break instead.

use super::pattern::pattern;
use crate::screen;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// What a build system said about a line by the prefix that was taken off: `##[error]`, `::warning::`, `##[group]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// No such prefix.
    #[default]
    None,
    /// An error.
    Error,
    /// A warning or a notice.
    Warning,
    /// The title of a group or section of the log.
    Group,
}

impl Mark {
    fn of(prefix: &str) -> Self {
        match prefix.trim_start_matches(['#', ':', '[']) {
            _ if !prefix.starts_with("##[") && !prefix.starts_with("::") => Self::None,
            name if name.starts_with("error") => Self::Error,
            name if name.starts_with("group") || name.starts_with("section") => Self::Group,
            _ => Self::Warning,
        }
    }
}

/// One line of cleaned text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Byte range in [`Cleaned::text`], without the line feed.
    pub start: usize,
    /// End of the range.
    pub end: usize,
    /// Line number in the input, from 1.
    pub number: usize,
    /// Whether a box gutter (`│`) stood before it.
    pub boxed: bool,
    /// Whether a logger's time stamp stood before it: the line opens a log record.
    pub record: bool,
    /// What the build system said about it.
    pub mark: Mark,
}

/// Cleaned text with its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// All lines, each ended by a line feed.
    pub text: String,
    /// The lines in order.
    pub lines: Vec<Line>,
}

impl Cleaned {
    /// The text of line `index`.
    pub fn line(&self, index: usize) -> &str {
        let line = &self.lines[index];
        &self.text[line.start..line.end]
    }

    /// Index of the line that holds the byte at `offset`.
    pub fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start <= offset).saturating_sub(1)
    }
}

/// What a box is drawn with on its left.
const BOX: [char; 7] = ['│', '┃', '║', '╷', '╵', '╭', '╰'];

/// Where the text in a box begins, if the line is part of one.
fn box_end(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches([' ', '\t', '\n', '\r']).strip_prefix(BOX)?.trim_start_matches('─');
    Some(text.len() - rest.strip_prefix(' ').unwrap_or(rest).len())
}

/// What continuous integration, container tools and loggers put before a line. Each alternative is anchored.
static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)^(?:
          (?P<ci>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,7}Z(?:\ \d\d[OE][\ +])?\s)
        | (?P<log>\[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|\ ?[+-]\d\d:?\d\d|\ UTC)?\]?:?\s+
            | \[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s+
            | [IWEF]\d{4}\ \d\d:\d\d:\d\d\.\d+\s+\d+\ [\w.-]+:\d+\]\s*
            | [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d\ [\w.-]+\ (?:[\w./-]+(?:\[\d+\])?:\ )?)
        | \#\d+\ (?:\d+\.\d+\ )?
        | \d+\.\d{3}\ 
        | \#\#\[(?:error|group|section)\]
        | ::(?:error|warning|notice)(?:\ [^:]*)?::
        | [A-Za-z][\w.-]*[-_]\d+\s+\|\ 
        )",
    )
});

/// Whether [`PREFIX`] may match. A process that sees a few ordinary lines does without that pattern, which takes half
/// a millisecond to be made.
fn may_have_prefix(text: &str) -> bool {
    match text.as_bytes() {
        [b'0'..=b'9' | b'[' | b'#' | b':', ..] | [b'I' | b'W' | b'E' | b'F', b'0'..=b'9', ..] => true,
        [b'A'..=b'Z', b'a'..=b'z', b'a'..=b'z', b' ', b' ' | b'0'..=b'9', ..] => true,
        [b'A'..=b'Z' | b'a'..=b'z', ..] => text.contains("| "),
        _ => false,
    }
}

/// Cleans `raw`. Linear in its length.
pub fn clean(raw: &str) -> Cleaned {
    // A file of an old Mac or a progress log: carriage returns alone end its lines.
    let end = if raw.contains('\n') { '\n' } else { '\r' };
    clean_lines(raw.split(end), raw.len(), 1)
}

/// Cleans lines that line feeds end and no carriage returns, of which the first has this number in the input.
pub(super) fn clean_from(raw: &str, first: usize) -> Cleaned {
    clean_lines(raw.split('\n'), raw.len(), first)
}

fn clean_lines<'a>(raw: impl Iterator<Item = &'a str>, bytes: usize, first: usize) -> Cleaned {
    let mut out = Cleaned { text: String::with_capacity(bytes + 1), lines: Vec::new() };
    for (index, line) in raw.enumerate() {
        push_line(&mut out, line, first + index);
    }
    while out.lines.last().is_some_and(|line| line.start == line.end) {
        out.lines.pop();
        out.text.pop();
    }
    out
}

/// What ends a line or a page somewhere, but not here, keeps words apart all the same.
fn with_spaces(text: &str) -> Cow<'_, str> {
    const ENDS: [char; 5] = ['\x0b', '\x0c', '\u{85}', '\u{2028}', '\u{2029}'];
    if text.bytes().any(|b| matches!(b, 0x0b | 0x0c)) || !text.is_ascii() && text.contains(ENDS) {
        return Cow::Owned(text.replace(ENDS, " "));
    }
    Cow::Borrowed(text)
}

fn push_line(out: &mut Cleaned, raw: &str, number: usize) {
    let visible = raw.trim_end_matches('\r');
    // What a carriage return overprints is gone from the screen.
    let visible = visible.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or("");
    // Millions of empty lines need no pattern.
    if visible.is_empty() {
        let at = out.text.len();
        out.text.push('\n');
        return out.lines.push(Line { start: at, end: at, number, boxed: false, record: false, mark: Mark::None });
    }
    let stripped: String;
    let mut text = visible;
    if text.bytes().any(|b| b == 0x1b) {
        stripped = anstream::adapter::strip_str(text).to_string();
        text = &stripped;
    }
    let parted = with_spaces(text);
    let safe = screen::clean(&parted);
    let mut text: &str = &safe;
    let (mut boxed, mut record, mut mark) = (false, false, Mark::None);
    for _ in 0..4 {
        if let Some(found) = may_have_prefix(text).then(|| PREFIX.captures(text)).flatten() {
            record |= found.name("log").is_some();
            mark = if mark == Mark::None { Mark::of(&found[0]) } else { mark };
            text = &text[found[0].len()..];
        } else if let Some(end) = box_end(text) {
            text = text[end..].trim_end_matches(['│', '┃', '║', ' ']);
            boxed = true;
        } else {
            break;
        }
    }
    let start = out.text.len();
    out.text.push_str(text.trim_end());
    out.lines.push(Line { start, end: out.text.len(), number, boxed, record, mark });
    out.text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(raw: &str) -> Vec<String> {
        let cleaned = clean(raw);
        (0..cleaned.lines.len()).map(|i| cleaned.line(i).to_owned()).collect()
    }

    proptest! {
        #[test]
        fn what_has_a_prefix_may_have_one(
            parts in prop::collection::vec(prop::sample::select(vec![
                "2024-05-01", "T", " ", "12:34:56", ".123456", "7Z", "\t", "[", "]", "UTC", "E0102", "I", "9", "Jan",
                " 1", "host", "sshd[1]:", "#12", "0.345", "##[error]", "::", "error", "warning f", "web", "_", "-", "1",
                "  | ", "|", "│", "─", "x", "ä", "a.c:1",
            ]), 0..9),
        ) {
            let line = parts.concat();
            prop_assert!(may_have_prefix(&line) || !PREFIX.is_match(&line), "{line:?}");
            let naive = pattern(r"^\s*[│┃║╷╵╭╰]─* ?").find(&line).map(|found| found.end());
            prop_assert_eq!(box_end(&line), naive);
        }
    }

    #[test]
    fn takes_off_what_tools_add() {
        assert_eq!(lines("\x1b[31m│\x1b[0m \x1b[1mError: no bucket\x1b[0m\r\n│ \n╵"), ["Error: no bucket"]);
        assert_eq!(lines("2024-05-01T12:34:56.1234567Z ##[error]Process failed"), ["Process failed"]);
        assert_eq!(lines("#12 0.345 E: Unable to locate package foo"), ["E: Unable to locate package foo"]);
        assert_eq!(lines("0.345 E: Unable to locate"), ["E: Unable to locate"]);
        assert_eq!(lines("web_1  | panic: oops"), ["panic: oops"]);
        assert_eq!(lines("10%\r50%\r100%\nerror: x"), ["100%", "error: x"]);
        assert_eq!(lines("E0102 03:04:05.678901   12345 reflector.go:158] failed to list"), ["failed to list"]);
    }

    #[test]
    fn what_a_build_system_marked_is_kept() {
        let raw = "2024-05-01T12:34:56.1234567Z ##[error]Process failed\n##[group]Run make\n\
            ::warning file=a.c,line=1::unused\n\
            #12 0.345 plain\n##[section]Starting: Build\nplain";
        let marks: Vec<Mark> = clean(raw).lines.iter().map(|line| line.mark).collect();
        assert_eq!(marks, [Mark::Error, Mark::Group, Mark::Warning, Mark::None, Mark::Group, Mark::None]);
    }

    #[test]
    fn no_line_end_joins_words() {
        assert_eq!(lines("a\rb\r\rc"), ["a", "b", "", "c"]);
        for end in ["\x0b", "\x0c", "\u{85}", "\u{2028}", "\u{2029}"] {
            assert_eq!(lines(&format!("one{end}two\nthree")), ["one two", "three"]);
        }
    }

    #[test]
    fn keeps_what_belongs_to_the_message() {
        let frame = "error[E0382]: use of moved value: `s`\n --> src/main.rs:4:20\n  |\n3 |     let t = s;";
        assert_eq!(lines(frame), frame.split('\n').collect::<Vec<_>>());
        assert_eq!(lines("3.5 is out of range"), ["3.5 is out of range"]);
    }

    #[test]
    fn lines_keep_their_numbers() {
        let cleaned = clean("a\n\nb\n\n");
        assert_eq!(cleaned.lines.iter().map(|l| l.number).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(cleaned.line_at(cleaned.text.find('b').unwrap()), 2);
    }

    proptest! {
        /// Lines tile the text, hold no controls, and cleaning clean text changes nothing.
        #[test]
        fn lines_tile_the_text(raw in "(?s).{0,200}") {
            let cleaned = clean(&raw);
            let mut at = 0;
            for line in &cleaned.lines {
                prop_assert_eq!(line.start, at);
                at = line.end + 1;
            }
            prop_assert_eq!(at, cleaned.text.len());
            prop_assert!(!cleaned.text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        }
    }
}
