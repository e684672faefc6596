//! Problems out of what a tool printed: file, line, column, message.
//!
//! `report` reads documents in JSON, `markup` those in XML; all else is read line by line. `form` knows the ways in
//! which tools write a place and a message on one line, `file` what can be a file. This file knows what goes over
//! several lines: a heading with a file and its problems below, an arrow below its message, a trace of frames, of which
//! one counts. No rule knows one tool alone. Linear in the text, bounded in what it keeps; any text is read.

mod file;
mod form;
mod markup;
mod report;
mod severity;
#[cfg(test)]
mod tests;

pub use severity::ProblemSeverity;

use form::{Found, Shape};
use std::borrow::Cow;

/// Most problems of one text.
pub const MOST_PROBLEMS: usize = 10_000;
/// Bytes of a line that are read.
const LINE_BYTES: usize = 2_000;
/// Longest message in bytes.
const MESSAGE_BYTES: usize = 500;

/// A problem that a tool tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, as the tool names it.
    pub file: String,
    /// The line in it, from 1; none where the tool names the file alone.
    pub line: Option<u32>,
    /// The column, as the tool counts it.
    pub column: Option<u32>,
    /// How bad it is, where the tool says so.
    pub severity: Option<ProblemSeverity>,
    /// What is wrong, on one line; may be empty.
    pub message: String,
    /// The line of the text that tells of it, from 0.
    pub at: usize,
}

/// The problems of a text, in its order; at most [`MOST_PROBLEMS`].
pub fn problems(text: &str) -> Vec<Problem> {
    let begin = text.trim_start();
    let found = match begin.as_bytes().first() {
        Some(b'{' | b'[') => report::problems(text),
        Some(b'<') => markup::problems(text),
        _ => return Reader::default().read(text),
    };
    if found.is_whole && !found.problems.is_empty() {
        return found.problems;
    }
    // A report with other lines behind it, or lines of which only the first is one.
    let read = Reader::default().read(text);
    if read.len() < found.problems.len() { found.problems } else { read }
}

/// What was read of a document.
#[derive(Debug, Default)]
struct Document {
    problems: Vec<Problem>,
    /// Whether nothing but the document stands there.
    is_whole: bool,
}

/// Reads lines one after another.
#[derive(Debug, Default)]
struct Reader {
    out: Vec<Problem>,
    /// The file that a heading names, for the lines below it.
    heading: Option<String>,
    /// The last line that may be the message of a place below it, with how far it is set in.
    said: Option<(usize, String)>,
    /// The problem that is set in least since the last line that is no part of one: what is set in further below it
    /// tells more about it.
    base: Option<usize>,
    /// The problem whose message follows on the next line, and how far its line is set in.
    open: Option<(usize, usize)>,
    trace: Option<Trace>,
}

/// Frames one below the other.
#[derive(Debug)]
struct Trace {
    /// Of Python: the last frame counts, and the message follows.
    last_counts: bool,
    /// The frame that counts so far.
    frame: Option<Problem>,
    /// Whether that lies in what the project only uses.
    is_foreign: bool,
    /// The message above.
    message: String,
}

impl Reader {
    fn read(mut self, text: &str) -> Vec<Problem> {
        for (at, raw) in text.split('\n').enumerate() {
            if self.out.len() >= MOST_PROBLEMS {
                break;
            }
            let line = plain(raw);
            self.line(at, &line, raw);
        }
        self.end_trace(None);
        self.out.truncate(MOST_PROBLEMS);
        self.out
    }

    fn line(&mut self, at: usize, line: &str, raw: &str) {
        let said = line.trim();
        if said.is_empty() {
            // A heading holds over empty lines; everything else ends.
            self.end_trace(None);
            (self.base, self.open) = (None, None);
            return;
        }
        let indent = line.len() - line.trim_start().len();
        if said.starts_with('{') && raw.trim_end().ends_with('}') {
            // One report on each line.
            let found = report::problems(raw).problems;
            if !found.is_empty() {
                self.out.extend(found.into_iter().map(|one| Problem { at, ..one }));
                return;
            }
        }
        if form::opens_trace(said) {
            self.end_trace(None);
            self.trace = Some(Trace { last_counts: true, frame: None, is_foreign: true, message: String::new() });
            return;
        }
        match form::read(line) {
            Some(found) if found.shape == Shape::Frame => self.frame(at, line, &found),
            Some(found) => {
                self.end_trace(None);
                self.place(at, indent, found);
            }
            None => self.other(at, indent, line),
        }
    }

    /// A line with a place.
    fn place(&mut self, at: usize, indent: usize, found: Found<'_>) {
        let Found { shape, file, line, column, severity, message } = found;
        let is_detail = matches!(shape, Shape::Plain) && self.base.is_some_and(|base| indent > base);
        if matches!(shape, Shape::Context) || is_detail {
            return;
        }
        let mut message = one_line(message);
        let mut severity = severity;
        if matches!(shape, Shape::Arrow) {
            let above = self.said.take().map(|(_, said)| said).unwrap_or_default();
            let (told, rest) = severity::split(&above);
            severity = severity.or(told);
            if message.is_empty() || !rest.is_empty() {
                message = one_line(rest);
            }
        }
        if message.is_empty() || message.ends_with(':') && !matches!(shape, Shape::Arrow) {
            self.open = Some((self.out.len(), indent));
        } else {
            self.open = None;
        }
        if matches!(shape, Shape::Plain) {
            self.base = Some(self.base.map_or(indent, |base| base.min(indent)));
            self.heading = None;
        }
        self.said = None;
        self.out.push(Problem { file: file.to_owned(), line, column, severity, message, at });
    }

    /// A line without a file.
    fn other(&mut self, at: usize, indent: usize, line: &str) {
        let said = line.trim();
        if let Some(heading) = &self.heading
            && let Some((line, column, rest)) = form::below_heading(line)
        {
            let (severity, message) = severity::split(rest);
            let file = heading.clone();
            self.open = None;
            self.out.push(Problem { file, line: Some(line), column, severity, message: one_line(message), at });
            return;
        }
        if let Some((problem, base)) = self.open.take()
            && (indent > base || self.out.get(problem).is_some_and(|one| one.message.is_empty()))
            && let Some(one) = self.out.get_mut(problem)
        {
            one.message = one_line(said);
            return;
        }
        if self.trace.as_ref().is_some_and(|trace| trace.frame.is_some()) {
            // The line of the source that a frame shows is set in; what is not is the exception.
            if self.trace.as_ref().is_some_and(|trace| trace.last_counts) && indent == 0 {
                self.end_trace(Some(said));
                return;
            }
        } else if let Some(file) = form::heading(line) {
            self.heading = Some(file.to_owned());
            self.base = None;
            return;
        }
        if indent == 0 {
            (self.base, self.heading) = (None, None);
        }
        if indent == 0 || severity::split(said).0.is_some() || self.said.is_none() {
            self.said = Some((indent, said.to_owned()));
        }
    }

    /// A frame of a trace.
    fn frame(&mut self, at: usize, text: &str, found: &Found<'_>) {
        let Found { file, line, column, .. } = *found;
        let is_foreign = file::is_foreign(file, text);
        let said = &self.said;
        let trace = self.trace.get_or_insert_with(|| Trace {
            last_counts: false,
            frame: None,
            is_foreign: true,
            message: said.as_ref().map(|(_, said)| said.clone()).unwrap_or_default(),
        });
        let is_better = trace.last_counts || trace.is_foreign;
        if trace.frame.is_none() || is_better && !is_foreign {
            trace.is_foreign = is_foreign;
            let message = one_line(&trace.message);
            trace.frame = Some(Problem { file: file.to_owned(), line, column, severity: None, message, at });
        }
    }

    /// The trace is over; what it ends with is its message, if that stands below.
    fn end_trace(&mut self, message: Option<&str>) {
        let Some(Trace { frame: Some(mut frame), message: above, .. }) = self.trace.take() else { return };
        let (severity, rest) = severity::split(message.unwrap_or(&above));
        frame.severity = severity;
        frame.message = one_line(if severity.is_some() { rest } else { message.unwrap_or(&above) });
        self.out.push(frame);
        self.said = None;
    }
}

/// A line without codes of a terminal, cut where it is long.
fn plain(raw: &str) -> Cow<'_, str> {
    let raw = raw.trim_end_matches('\r');
    let mut end = raw.len().min(LINE_BYTES);
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    match raw[..end].contains('\u{1b}') {
        true => Cow::Owned(anstream::adapter::strip_str(&raw[..end]).to_string()),
        false => Cow::Borrowed(&raw[..end]),
    }
}

/// White space as single blanks, cut where it is long.
fn one_line(text: &str) -> String {
    let mut out = String::new();
    for word in text.trim_start_matches(['•', ' ']).split_whitespace() {
        if out.len() + word.len() >= MESSAGE_BYTES {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
