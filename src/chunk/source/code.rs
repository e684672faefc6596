//! A source text beside its mask and its lines: what every reader of declarations looks at.
//!
//! Decides what a line is (code, comment, directive, empty) and where a bracket or a signature ends; which comment
//! belongs to what, `comments` says. Everything that looks ahead stops after `MAX_LINES` lines or `MAX_BYTES` bytes, so
//! that asking at every line stays linear.

use super::lexis::Lexis;
use super::mask::{self, COMMENT, DIRECTIVE, DOC, INNER, STRING, is_word, listed};

/// The most lines of a signature, or of a body that is kept whole.
pub(super) const MAX_LINES: usize = 40;
/// The most bytes that are looked at for one declaration.
const MAX_BYTES: usize = 16 * 1024;
/// A longer line is generated or minified and declares nothing that one could read.
const MAX_LINE_BYTES: usize = 1000;

/// What a line of source begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    Comment,
    Doc,
    Inner,
    Directive,
    Code,
    /// Begins inside a string, or is too long to be read.
    Inside,
}

/// What ends a signature besides `;` and `{`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stops {
    pub newline: bool,
    pub equals: bool,
    pub colon: bool,
    pub comma: bool,
}

/// Where a signature ends, and the brace that opens its body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub end: usize,
    pub body: Option<usize>,
}

pub(super) struct Code<'a> {
    pub text: &'a str,
    pub mask: Vec<u8>,
    pub lexis: &'static Lexis,
    starts: Vec<usize>,
    kinds: Vec<LineKind>,
}

impl<'a> Code<'a> {
    pub(super) fn new(text: &'a str, lexis: &'static Lexis) -> Self {
        let mask = mask::mask(text, lexis);
        let newlines = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(n, _)| n + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(newlines).collect();
        let mut code = Self { text, mask, lexis, starts, kinds: Vec::new() };
        code.kinds = (0..code.starts.len()).map(|line| code.classify(line)).collect();
        code
    }

    fn classify(&self, line: usize) -> LineKind {
        let range = self.line(line);
        let before = range.start.checked_sub(1).map_or(b'\n', |n| self.mask[n]);
        let mut kind = match before {
            COMMENT => LineKind::Comment,
            DOC => LineKind::Doc,
            INNER => LineKind::Inner,
            STRING => return LineKind::Inside,
            _ => LineKind::Blank,
        };
        let length = range.len();
        for byte in &self.mask[range] {
            kind = match (byte, kind) {
                (b' ' | b'\t' | b'\r' | 0x0c, _) => kind,
                (&COMMENT, LineKind::Blank) => LineKind::Comment,
                (&DOC, LineKind::Blank | LineKind::Comment) => LineKind::Doc,
                (&INNER, LineKind::Blank | LineKind::Comment) => LineKind::Inner,
                (&COMMENT | &DOC | &INNER, _) => kind,
                (&DIRECTIVE, _) => return LineKind::Directive,
                _ if length > MAX_LINE_BYTES => return LineKind::Inside,
                _ => return LineKind::Code,
            };
        }
        kind
    }

    pub(super) fn lines(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn kind(&self, line: usize) -> LineKind {
        self.kinds[line]
    }

    /// The bytes of a line without its ending.
    pub(super) fn line(&self, line: usize) -> std::ops::Range<usize> {
        let start = self.starts[line];
        let Some(next) = self.starts.get(line + 1) else { return start..self.text.len() };
        let crlf = usize::from(next - start >= 2 && self.text.as_bytes()[next - 2] == b'\r');
        start..next - 1 - crlf
    }

    pub(super) fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.mask.get(at).copied().unwrap_or(b'\n')
    }

    /// The first byte at or after `at` that is neither space nor comment.
    pub(super) fn skip(&self, at: usize) -> usize {
        let blank = |b: &u8| b.is_ascii_whitespace() || matches!(*b, COMMENT | DOC | INNER);
        let from = at.min(self.mask.len());
        let end = from + self.mask[from..].iter().take(MAX_BYTES).take_while(|b| blank(b)).count();
        // A long comment may end in the middle of a character here.
        self.text.floor_char_boundary(end).max(from)
    }

    /// The end of the word at `at`; `at` itself if there is none.
    pub(super) fn word_end(&self, at: usize) -> usize {
        let from = at.min(self.mask.len());
        from + self.mask[from..].iter().take_while(|b| is_word(**b)).count()
    }

    /// The word at `at`, or nothing.
    pub(super) fn word(&self, at: usize) -> &'a str {
        self.text.get(at..self.word_end(at)).unwrap_or_default()
    }

    pub(super) fn starts_with(&self, at: usize, what: &str) -> bool {
        self.mask.get(at..).is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    /// How far one may look from `at`: `MAX_LINES` lines or `MAX_BYTES` bytes.
    pub(super) fn reach(&self, at: usize) -> usize {
        let last = (self.line_of(at) + MAX_LINES - 1).min(self.lines() - 1);
        // What is looked at is cut out as text, so it must end with a character.
        self.text.floor_char_boundary(self.line(last).end.min(at + MAX_BYTES))
    }

    /// The position after the bracket that closes the one at `at`, if it is in reach. `<` counts as a bracket only if
    /// it is the one asked for.
    pub(super) fn closing(&self, at: usize) -> Option<usize> {
        let angle = self.byte(at) == b'<';
        let mut depth = 0_usize;
        for n in at..self.reach(at) {
            match self.mask[n] {
                b'(' | b'[' | b'{' => depth += 1,
                b'<' if angle => depth += 1,
                b'>' if angle && !matches!(self.mask[n - 1], b'-' | b'=') => depth -= 1,
                b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
                b';' if angle => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(n + 1);
            }
        }
        None
    }

    /// The end of the signature or statement that goes on at `from`.
    pub(super) fn extent(&self, from: usize, stops: Stops) -> Extent {
        let reach = self.reach(from);
        let (mut depth, mut last) = (0_usize, 0_u8);
        for n in from..reach {
            let (byte, next) = (self.mask[n], self.byte(n + 1));
            let done = Extent { end: n + 1, body: None };
            match byte {
                b'{' if depth == 0 => return Extent { end: n + 1, body: Some(n) },
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return Extent { end: n, body: None },
                b')' | b']' | b'}' => depth -= 1,
                b';' if depth == 0 => return done,
                b',' if depth == 0 && stops.comma => return done,
                b':' if depth == 0 && stops.colon => return done,
                b'=' if depth == 0 && stops.equals && !b"=<>!".contains(&last) && next != b'=' => return done,
                b'\n' if depth == 0 && stops.newline && !self.goes_on(last, n) => return done,
                _ => {}
            }
            if !byte.is_ascii_whitespace() && !matches!(byte, COMMENT | DOC | INNER) {
                last = byte;
            }
        }
        Extent { end: reach, body: None }
    }

    /// Whether a signature goes on after the newline at `at`, where `last` was its last byte.
    fn goes_on(&self, last: u8, at: usize) -> bool {
        let next = self.skip(at);
        b",(+|&.<\\".contains(&last)
            || matches!(self.byte(next), b'{' | b'=' | b'|' | b'&' | b'.')
            || ["->", ":", ")"].iter().any(|s| self.starts_with(next, s))
            || listed("where extends implements with throws", self.word(next))
    }

    /// The end of a body in braces with what follows up to the `;` on its last line, if it is short enough to be whole.
    pub(super) fn whole(&self, from: usize, body: usize) -> Option<usize> {
        let end = self.closing(body)?;
        let lines = self.line_of(end - 1) - self.line_of(from) + 1;
        (lines <= MAX_LINES).then_some(end)
    }
}
