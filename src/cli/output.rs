//! Where results and messages go: the only place that writes to standard output and error, but for what `ken run` hands
//! through. Everything passes [`terminal`] here, so that nothing foreign moves a cursor or hides, whoever forgot to
//! clean it.

use super::clock::now_ms;
use super::{Colour, help};
use crate::engine::face::failure::{Diagnose, ErrorKind, io_kind};
use crate::engine::face::system::shows_colours;
use crate::engine::{Notes, Session};
use crate::render::{Style, clean, is_hidden, json_line, line, terminal};
use indicatif::ProgressDrawTarget;
use serde_json::json;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether there is no standard output.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Told before anything is written.
pub(super) fn begin(stdout_was_closed: bool) {
    CLOSED.store(stdout_was_closed, Ordering::Relaxed);
}

/// Writes a last message, from a thread that knows no [`Output`].
pub(super) fn say_at_end(text: &str) {
    drop(io::stderr().write_all(format!("\n{text}\n").as_bytes()));
}

/// The device of the terminal that messages go to; none if they go elsewhere, or the system does not say.
pub(super) fn terminal_device() -> Option<String> {
    let device = io::stderr().is_terminal().then(|| std::fs::read_link("/proc/self/fd/2"))?.ok()?;
    Some(device.to_string_lossy().into_owned())
}

/// Whether somebody sits at a terminal: what they type or read goes through one.
pub(super) fn has_terminal() -> bool {
    io::stdin().is_terminal() || io::stderr().is_terminal()
}

/// Whether somebody can be asked: they see the question, and can type.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Standard output, for results.
pub(super) fn results() -> Result<StdoutLock<'static>, Failure> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(Failure::new(
            ErrorKind::Io,
            "standard output is closed",
            "send it to /dev/null if it is not wanted",
        ));
    }
    Ok(io::stdout().lock())
}

/// What stands before a line that goes on: a message cannot begin a line that looks like one of ours.
const CONTINUED: &str = "\n      ";

/// A verb failed: what to tell and how to exit.
#[derive(Debug)]
pub(super) struct Failure {
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<String>,
    /// The reader of our output went away: nothing to tell, nothing wrong.
    pub broken_pipe: bool,
    /// In place of the kind's exit code.
    pub exit_code: Option<u8>,
}

impl Failure {
    pub fn new(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: Some(hint.into()), broken_pipe: false, exit_code: None }
    }

    pub fn io(what: &str, error: &io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Self { kind: io_kind(error), message: format!("{what}: {error}"), hint: None, broken_pipe, exit_code: None }
    }
}

impl<E: Diagnose> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { kind: error.kind(), message: error.to_string(), hint: error.hint(), broken_pipe: false, exit_code: None }
    }
}

/// stdout and stderr of the process.
#[derive(Debug)]
pub(super) struct Output {
    pub json: bool,
    pub quiet: bool,
    /// How results are styled.
    pub style: Style,
    /// How messages are styled.
    pub message_style: Style,
    /// Columns for results.
    pub width: usize,
    /// Whether stderr is a terminal, so that progress may be drawn.
    pub interactive: bool,
    /// What the engines of this process could not use.
    pub notes: Notes,
}

impl Output {
    pub fn new(json: bool, colour: Colour, quiet: bool) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let can_show = shows_colours();
        let allowed = |terminal: bool| match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                terminal && can_show && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        };
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let width = console_width(out).unwrap_or(100);
        Self {
            json,
            quiet,
            style: Style { colour: allowed(out), ..Style::default() },
            message_style: Style { colour: allowed(err), ..Style::default() },
            width,
            interactive: err && !quiet && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            notes: Notes::default(),
        }
    }

    /// A request of this process whose progress nobody sees.
    pub fn session(&self) -> Session<'static> {
        Session::new(now_ms, self.notes.clone())
    }

    /// Writes a result.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = results()?;
        let text = terminal(text, self.style.colour && !self.json);
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|e| Failure::io("standard output", &e))
    }

    /// Writes a result that is too long to be held, line by line.
    pub fn lines(&self) -> Result<Lines, Failure> {
        Ok(Lines { out: BufWriter::new(results()?), line: Vec::new() })
    }

    /// Writes a message, unless asked to be quiet. A message that cannot be written is lost.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            self.tell(&format!("{text}\n"));
        }
    }

    /// The same for text that ends its lines itself.
    pub fn tell_text(&self, text: &str) {
        if !self.quiet {
            self.tell(text);
        }
    }

    /// Writes a note: something that could not be used, or that one should know.
    pub fn note(&self, text: &str) {
        self.say(&format!("{} {}", self.message_style.warning("note:"), block(text)));
    }

    /// Asks something; the answer is typed on the same line.
    pub fn ask(&self, question: &str) {
        self.tell(&format!("{question} "));
    }

    /// Writes to standard error, asked to be quiet or not.
    pub fn tell(&self, text: &str) {
        drop(io::stderr().write_all(terminal(text, self.message_style.colour).as_bytes()));
    }

    /// Where progress is drawn.
    pub fn progress(&self) -> ProgressDrawTarget {
        if self.interactive { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
    }

    /// Tells what the engines could not use and nobody has heard yet. A verb calls it where the notes are to stand
    /// before its results; whatever is left is told when the verb has ended.
    pub fn tell_notes(&self) {
        self.notes.take().iter().for_each(|note| self.note(note));
    }

    /// Tells of a failure; gives the exit code.
    pub fn fail(&self, failure: &Failure) -> u8 {
        if failure.broken_pipe {
            return 0;
        }
        if self.json {
            let error = json!({"kind": failure.kind.name(), "message": failure.message, "hint": failure.hint});
            let line = json_line(&json!({ "error": error }));
            if self.print(&line).is_err() {
                // It may be standard output that failed.
                self.tell(&line);
            }
        } else {
            self.tell(&format!("{} {}\n", self.message_style.bad("error:"), block(&failure.message)));
            if let Some(hint) = &failure.hint {
                self.tell(&format!("{} {}\n", self.message_style.faint("hint:"), block(hint)));
            }
        }
        failure.exit_code.unwrap_or(failure.kind.exit_code())
    }
}

/// A message behind its label: clean, and set in from its second line on.
fn block(text: &str) -> String {
    clean(text.trim_end()).replace('\n', CONTINUED)
}

/// Standard output, written line by line.
pub(super) struct Lines {
    out: BufWriter<StdoutLock<'static>>,
    /// What has come of a line that has not ended yet.
    line: Vec<u8>,
}

impl Lines {
    fn end_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.out.write_all(terminal(&String::from_utf8_lossy(&line), false).as_bytes())
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.end_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.end_line()?;
        self.out.flush()
    }
}

/// Columns of the terminal, if stdout is one.
fn console_width(terminal: bool) -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let size = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    if terminal { columns().or_else(size) } else { columns() }
}

/// What the argument parser has to say: help and version are results, the rest are errors.
pub(super) fn usage(error: &clap::Error, json: bool) -> ExitCode {
    // It repeats arguments. What stands on several lines or hides in them is folded, and then they are read again.
    let folded = || std::env::args_os().map(|arg| line(&arg.to_string_lossy()).into_owned());
    let strange = std::env::args_os().any(|arg| arg.to_string_lossy().chars().any(is_hidden));
    let again = if strange { help::command().try_get_matches_from(folded()).err() } else { None };
    let error = again.as_ref().unwrap_or(error);
    let rendered = error.render();
    if json && error.use_stderr() {
        let rendered = rendered.to_string();
        let mut lines = rendered.lines().filter(|line| !line.trim().is_empty());
        let message = lines.next().unwrap_or("wrong usage").trim_start_matches("error: ");
        let failure = Failure::new(ErrorKind::Usage, message, "ken --help");
        return ExitCode::from(Output::new(true, Colour::Never, false).fail(&failure));
    }
    let output = Output::new(false, Colour::Auto, false);
    let text = |colour: bool| if colour { rendered.ansi().to_string() } else { rendered.to_string() };
    if error.use_stderr() {
        // Arguments that could not be read again may hold what looks like our own colours.
        output.tell(&text(output.message_style.colour && strange == again.is_some()));
        return ExitCode::from(ErrorKind::Usage.exit_code());
    }
    match output.print(&text(output.style.colour)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(Output { json, ..output }.fail(&failure)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_begins_one_line() {
        assert_eq!(
            block("a.md:5\n99 % sure\x1b[31m: no\r\nsuch file\n"),
            "a.md:5\n      99 % sure[31m: no\n      such file"
        );
    }
}
