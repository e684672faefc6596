//! Where results and messages go.

use super::Colour;
use crate::engine::Engine;
use crate::error::{Diagnose, ErrorKind};
use crate::render::{Style, json_line};
use serde_json::json;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

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
        Self {
            kind: crate::error::io_kind(error),
            message: format!("{what}: {error}"),
            hint: None,
            broken_pipe,
            exit_code: None,
        }
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
}

impl Output {
    pub fn new(json: bool, colour: Colour, quiet: bool) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let allowed = |terminal: bool| match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => terminal && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        };
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let width = console_width(out).unwrap_or(100);
        Self {
            json,
            quiet,
            style: Style { colour: allowed(out) },
            message_style: Style { colour: allowed(err) },
            width,
            interactive: err && !quiet && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// Writes a result.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|e| Failure::io("standard output", &e))
    }

    /// Writes a message, unless asked to be quiet. A message that cannot be written is lost.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            drop(writeln!(io::stderr(), "{text}"));
        }
    }

    /// Tells what the engine could not use.
    pub fn notes(&self, engine: &Engine) {
        for note in engine.take_notes() {
            let note = crate::text::strip_controls(&note).into_owned();
            self.say(&format!("{} {note}", self.message_style.warning("note:")));
        }
    }

    /// Tells of a failure; gives the exit code.
    pub fn fail(&self, failure: &Failure) -> u8 {
        if failure.broken_pipe {
            return 0;
        }
        let message = crate::text::strip_controls(&failure.message).into_owned();
        if self.json {
            let error = json!({"kind": failure.kind.name(), "message": message, "hint": failure.hint});
            drop(self.print(&json_line(&json!({ "error": error }))));
        } else {
            let label = self.message_style.bad("error:");
            drop(writeln!(io::stderr(), "{label} {message}"));
            if let Some(hint) = &failure.hint {
                drop(writeln!(io::stderr(), "{} {hint}", self.message_style.faint("hint:")));
            }
        }
        failure.exit_code.unwrap_or(failure.kind.exit_code())
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
    if json && error.use_stderr() {
        let rendered = error.render().to_string();
        let mut lines = rendered.lines().filter(|line| !line.trim().is_empty());
        let message = lines.next().unwrap_or("wrong usage").trim_start_matches("error: ");
        let failure = Failure::new(ErrorKind::Usage, message, "ken --help");
        return ExitCode::from(Output::new(true, Colour::Never, false).fail(&failure));
    }
    drop(error.print());
    ExitCode::from(if error.use_stderr() { ErrorKind::Usage.exit_code() } else { 0 })
}
