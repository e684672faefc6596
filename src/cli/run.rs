//! `ken run`: a command's output and exit code pass through; when it fails, what it printed is looked up.

use super::clock::now_ms;
use super::lookup::{FilterArgs, ShowArgs, options, took_ms};
use super::machine::platform_of_command;
use super::output::{Failure, Output};
use super::progress::Meter;
use super::remember::By;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome, run_learn};
use crate::engine::face::failure::{Diagnose, ErrorKind};
use crate::engine::face::system;
use crate::engine::face::text::shell_quote;
use crate::engine::{CommandRun, Engine, Loss};
use crate::render::{Length, answer_json, line, lookup_text, shown};
use crate::serve::{Here, seen_from};
use crate::types::limits::RUN_KEPT_BYTES;
use crate::types::{Access, Execution};
use clap::Args;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Instant;

/// How much of the beginning and of the end of the output is kept, in bytes each: the first error and the last words.
const KEPT_BYTES: usize = RUN_KEPT_BYTES;

/// Run a command; if it fails, look up what it printed
///
/// Output and exit code are those of the command. The answer goes to standard error. If nothing is known, nothing is
/// added. If the setting run.keep_passing is on, ken keeps hashes of the lines of a command that passes. If it fails
/// later in the same folder, these lines are less likely to be the reason. If the setting run.keep_outcomes is on, ken
/// keeps what was run and how it ended, without secrets (see ken outcomes). With --learn it is kept too, and when the
/// command failed before in this session and works now, ken asks what helped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken run -- terraform apply
  ken run -- sh -c 'make && make install'
  ken run --learn -- make test    keep what made it work
  ken config set run.keep_passing true

Exit code: that of the command; 127 if it cannot be found, 126 if it cannot be
run, 128 + N if signal N ended it.")]
pub(super) struct RunArgs {
    /// Also show general answers, which hold for any error of the kind
    #[arg(long)]
    general: bool,
    /// When the command failed before in this session and works now, ask what helped
    #[arg(long)]
    learn: bool,
    /// The command and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

pub(super) fn run(global: &Global, args: &RunArgs, output: &Output) -> Outcome {
    let begun = Instant::now();
    let (status, seen, cut) = pass_through(&args.command)?;
    let code = exit_code(status);
    let kept = keep_outcome(args, code, &seen, begun, output);
    if code == 0 {
        keep(&args.command, &seen, output);
        if let (true, Some(number)) = (args.learn, kept) {
            // The command went well: what fails here must not hide it.
            if let Err(failure) = run_learn::offer(global, number, output) {
                output.say(&format!("ken: what helped could not be kept: {}", line(&failure.message)));
            }
        }
    } else if !seen.iter().all(u8::is_ascii_whitespace) {
        // The command's failure is what matters: ours must not hide it.
        if let Err(failure) = explain(global, args, &seen, cut, output) {
            output.say(&format!("ken: the failure could not be looked up: {}", line(&failure.message)));
        }
    }
    Ok(code)
}

/// Keeps what the command did as an outcome, if that is wanted; gives its number in the session. The command is what
/// matters: of what fails here one line is said.
fn keep_outcome(args: &RunArgs, code: u8, seen: &[u8], begun: Instant, output: &Output) -> Option<u32> {
    // Of settings that cannot be read every other command tells.
    let surroundings = Surroundings::of_user(output).ok()?;
    if !args.learn && !surroundings.config.settings().run.keep_outcomes {
        return None;
    }
    let quoted = |word: &OsString| {
        let word = word.to_string_lossy();
        shell_quote(&word).map_or_else(|| word.clone().into_owned(), std::borrow::Cow::into_owned)
    };
    let run = Execution {
        // The session that what is remembered belongs to.
        session: By::default().session(),
        tool: "shell".to_owned(),
        input: args.command.iter().map(quoted).collect::<Vec<_>>().join(" "),
        is_ok: code == 0,
        exit_code: Some(code.into()),
        error: if code == 0 { String::new() } else { String::from_utf8_lossy(seen).into_owned() },
        duration_ms: u64::try_from(begun.elapsed().as_millis()).ok(),
        folder: None,
        call: String::new(),
    };
    let place = surroundings.settings().place()?;
    let kept = working_directory().and_then(|here| {
        Engine::keep_outcome(&place, &run, &here, now_ms()).map_err(|error| {
            Engine::count_lost(&place.folder, Loss::of(&error));
            Failure::from(error)
        })
    });
    match kept {
        Ok(number) => Some(number),
        Err(failure) => {
            output.say(&format!("ken: the outcome could not be kept: {}", line(&failure.message)));
            None
        }
    }
}

/// Keeps what a command printed that passed, if that is wanted. It passed: nothing is said of what fails here but one
/// line.
fn keep(command: &[OsString], seen: &[u8], output: &Output) {
    // Of settings that cannot be read every other command tells.
    let Ok(surroundings) = Surroundings::of_user(output) else { return };
    if !surroundings.config.settings().run.keep_passing {
        return;
    }
    // What is empty or no text is nothing to compare with.
    let Ok(passing) = Engine::passing(&mut &*seen) else { return };
    let kept = || {
        let folder = working_directory()?;
        let run = CommandRun { words: command, folder: &folder };
        Engine::new(surroundings.settings()).keep_passing(run, &passing).map_err(Failure::from)
    };
    if let Err(failure) = kept() {
        output.say(&format!("ken: the lines of the passing run could not be kept: {}", line(&failure.message)));
    }
}

fn explain(global: &Global, args: &RunArgs, seen: &[u8], cut: bool, output: &Output) -> Result<(), Failure> {
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let settings = surroundings.config.settings();
    let mut defaults = options(&settings.lookup, FilterArgs::default(), ShowArgs::default());
    if settings.run.keep_passing {
        let run = CommandRun { words: &args.command, folder: &working_directory()? };
        defaults.passing = engine.kept_passing(run, &output.session()).map(Arc::new);
    }
    defaults.platform = platform_of_command(&args.command);
    defaults.feedback = engine.usable_feedback(&output.session());
    defaults.access = seen_from(&engine, &Access::all(), &Here::new(working_directory()?));
    let mut meter = Meter::new(output);
    let started = Instant::now();
    let answer = match engine.lookup(seen, &defaults, &meter.session()) {
        // A command may print what it likes.
        Err(error) if error.kind() == ErrorKind::Usage => return Ok(()),
        other => other?,
    };
    let took_ms = took_ms(started);
    meter.finish();
    output.tell_notes();
    let text = match output.json {
        true => answer_json(&answer, took_ms),
        false => lookup_text(&answer, Length::Full, output.message_style, output.width),
    };
    if answer.found_specific() || args.general && answer.found() {
        if cut {
            let most = RUN_KEPT_BYTES >> 20;
            output.note(&format!("only the first and the last {most} MiB of the output were looked at"));
        }
        let rule =
            if output.json { String::new() } else { format!("\n{}\n", output.message_style.faint(&"─".repeat(40))) };
        output.tell(&format!("{rule}{text}"));
        if let Some(terminal) = super::feedback::terminal() {
            engine.keep_last_answer(&answer, &terminal, &output.session());
        }
    }
    Ok(())
}

/// Runs the command with our standard input; copies its output on as it comes and keeps its beginning and end, and says
/// whether anything lay between them.
fn pass_through(command: &[OsString]) -> Result<(ExitStatus, Vec<u8>, bool), Failure> {
    let (program, arguments) = command.split_first().unwrap_or((&EMPTY, &[]));
    let kept = Mutex::new(Kept::default());
    let status = std::thread::scope(|scope| {
        // Before the command: where no thread can be started it is not begun.
        let ((give_out, out), (give_err, err)) = (mpsc::channel(), mpsc::channel());
        let no_thread = |e: io::Error| cannot_run(program, &e);
        let start = std::thread::Builder::new;
        let both = &kept;
        start().spawn_scoped(scope, move || copy(out.recv().ok(), io::stdout(), both)).map_err(no_thread)?;
        start().spawn_scoped(scope, move || copy(err.recv().ok(), io::stderr(), both)).map_err(no_thread)?;
        let spawned = system::as_typed(program).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|e| cannot_run(program, &e))?;
        // They wait for nothing else.
        drop(child.stdout.take().map(|out| give_out.send(out)));
        drop(child.stderr.take().map(|err| give_err.send(err)));
        child.wait().map_err(|e| Failure::io("the command", &e))
    })?;
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let cut = kept.dropped;
    Ok((status, kept.bytes(), cut))
}

static EMPTY: std::sync::LazyLock<OsString> = std::sync::LazyLock::new(OsString::new);

fn cannot_run(program: &OsString, error: &io::Error) -> Failure {
    let mut failure = Failure::io(&shown(Path::new(program)), error);
    failure.exit_code = Some(if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 });
    failure
}

fn copy(from: Option<impl Read>, mut to: impl Write, kept: &Mutex<Kept>) {
    let Some(mut from) = from else { return };
    let mut buffer = vec![0; 64 << 10];
    let mut open = true;
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        // When our reader went away the command still runs to its end, as with tee.
        open = open && to.write_all(&buffer[..count]).and_then(|()| to.flush()).is_ok();
        kept.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
    }
}

/// The first and the last bytes of a stream.
#[derive(Debug, Default)]
struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: bool,
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        let room = (KEPT_BYTES - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend(&bytes[room..]);
        if self.tail.len() > KEPT_BYTES {
            self.dropped = true;
            self.tail.drain(..self.tail.len() - KEPT_BYTES);
        }
    }

    fn bytes(self) -> Vec<u8> {
        let mut out = self.head;
        if self.dropped {
            out.push(b'\n');
        }
        out.extend(self.tail);
        out
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    if let Some(signal) = system::signal_of(status) {
        return 128u8.saturating_add(u8::try_from(signal).unwrap_or(0));
    }
    u8::try_from(status.code().unwrap_or(1) & 0xff).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_and_end_are_kept() {
        let mut kept = Kept::default();
        kept.push(&vec![b'a'; KEPT_BYTES]);
        kept.push(&vec![b'b'; KEPT_BYTES]);
        kept.push(b"end");
        let bytes = kept.bytes();
        assert_eq!(bytes.len(), 2 * KEPT_BYTES + 1);
        assert!(bytes.starts_with(b"aaa") && bytes.ends_with(b"bend"));
    }
}
