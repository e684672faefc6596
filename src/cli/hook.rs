//! `ken hook`: what agents call when a tool has run.
//!
//! Whoever calls it waits for it, and takes its failure for one of theirs. So it ends with 0 whatever happens, prints
//! nothing, and opens nothing but the settings and the store: no packs, no model. Once in a while it leaves a process
//! behind that looks for patterns. It does not even read its options as other verbs do. What it could not keep it
//! counts (`ken outcomes` shows that).

use super::clock::now_ms;
use super::output::Output;
use super::surroundings::working_directory;
use super::{Global, Outcome, background, hook_install, limits, output, shared};
use crate::config::{Config, Environment, Paths};
use crate::engine::face::outcomes::read;
use crate::engine::face::stores::{Place, SharedStore};
use crate::engine::{Engine, Loss, NEW_ROWS};
use crate::types::Execution;
use crate::types::limits::TOOL_PAYLOAD;
use clap::{Args, Subcommand};
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How long a report may take to arrive. Agents write it at once. An agent must not wait for a report that never ends.
const REPORT: Duration = Duration::from_secs(2);

/// How long a store on another machine may take to be reached, and to keep the run.
const STORE: Duration = Duration::from_secs(2);

/// Keep what tools did: called by agents, and installed in them
#[derive(Debug, Subcommand)]
pub(super) enum HookVerb {
    /// Keep one run of a tool, told as a JSON object on standard input
    ///
    /// Reports of Claude Code, Cursor, Gemini CLI, Codex, OpenCode and Copilot are understood, and a plain one: tool,
    /// and as far as they are known session, input, ok, exit_code, error, output, duration_ms, cwd. Secrets are taken
    /// out before anything is kept. It prints nothing and always ends with 0. What could not be kept is counted.
    #[command(after_help = "\
Example:
  echo '{\"tool\":\"bash\",\"input\":\"make\",\"exit_code\":2}' | ken hook post-tool

Exit code: 0.")]
    PostTool(PostToolArgs),
    Install(hook_install::InstallArgs),
}

#[derive(Debug, Args)]
pub(super) struct PostToolArgs {
    /// Say on standard error why a run could not be kept (KEN_HOOK_VERBOSE)
    #[arg(long)]
    verbose: bool,
}

/// Whether this process was started as the hook, and not for its help.
pub(super) fn is_called() -> bool {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).take(8).collect();
    let asks_help = || arguments.iter().any(|one| one == "--help" || one == "-h");
    matches!(arguments.as_slice(), [first, second, ..] if first == "hook" && second == "post-tool") && !asks_help()
}

/// Whether it is to say why it could not keep a run.
pub(super) fn is_verbose() -> bool {
    std::env::var_os("KEN_HOOK_VERBOSE").is_some_and(|value| !value.is_empty() && value != "0")
        || std::env::args_os().any(|one| one == "--verbose")
}

pub(super) fn run(global: &Global, verb: &HookVerb, output: &Output) -> Outcome {
    match verb {
        HookVerb::PostTool(args) => {
            post_tool(args.verbose || is_verbose());
            Ok(0)
        }
        HookVerb::Install(args) => hook_install::run(global, args, output),
    }
}

/// Keeps the run that standard input tells of.
pub(super) fn post_tool(verbose: bool) -> ExitCode {
    let limited = limits::begin();
    if !verbose {
        // A fault of ours is no reason to speak either.
        std::panic::set_hook(Box::new(|_| {}));
    }
    let kept = std::panic::catch_unwind(keep).unwrap_or_else(|_| Err("a fault of ken itself".to_owned()));
    let said = limited.map_err(|failure| failure.message).and(kept);
    if let (Err(why), true) = (said, verbose) {
        output::say_at_end(&format!("ken hook: the run is not kept: {}", crate::render::line(&why)));
    }
    ExitCode::SUCCESS
}

/// Keeps it, or counts that it is lost and says why.
fn keep() -> Result<(), String> {
    let environment = Environment::new(std::env::vars_os());
    let here = working_directory().unwrap_or_else(|_| PathBuf::from("/"));
    let paths = Paths::find(&environment, &here).map_err(|error| error.to_string())?;
    let data = paths.data.ok_or("there is no home directory to keep data in")?;
    let lost = |loss: Loss, why: String| {
        Engine::count_lost(&data, loss);
        why
    };
    let report = reported().map_err(|why| lost(Loss::Unreadable, format!("standard input: {why}")))?;
    let run = read(&report).map_err(|error| lost(Loss::Unreadable, error.to_string()))?;
    // What tells of no run is nothing to keep.
    let Some(run) = run else { return Ok(()) };
    // Only the store's settings must be right: they say where the run is kept. Bad values elsewhere do not matter.
    let config = Config::resolve_table("store", paths.config.as_deref(), &environment);
    let config = config.map_err(|error| lost(Loss::Other, error.to_string()))?;
    let mut place = Place { folder: data.clone(), shared: shared::store(&config.settings().store) };
    if let Some(shared) = &mut place.shared {
        let SharedStore { access, .. } = shared;
        access.connect_timeout = access.connect_timeout.min(STORE);
        access.statement_timeout = access.statement_timeout.min(STORE);
    }
    match kept_in_time(place, run, here) {
        // Whoever called does not wait for it.
        Ok(number) if number % NEW_ROWS == 0 && !background::analyse_later() => {
            Err("the run is kept, but no process could be started to look for patterns".to_owned())
        }
        Ok(_) => Ok(()),
        Err((loss, why)) => Err(lost(loss, why)),
    }
}

/// Keeps a run, or says why it is lost. A store on another machine is given up after [`STORE`] in all; the thread that
/// waits for it ends with the process.
fn kept_in_time(place: Place, run: Execution, here: PathBuf) -> Result<u32, (Loss, String)> {
    let is_far = place.shared.is_some();
    let keep = move || {
        let kept = Engine::keep_outcome(&place, &run, &here, now_ms());
        kept.map_err(|error| (Loss::of(&error), error.to_string()))
    };
    if !is_far {
        return keep();
    }
    let (tell, told) = sync_channel(1);
    let begun = std::thread::Builder::new().spawn(move || drop(tell.send(keep())));
    let late = || (Loss::Busy, "the store did not answer in time".to_owned());
    begun.map_err(|error| (Loss::Other, error.to_string()))?;
    told.recv_timeout(STORE).unwrap_or_else(|_| Err(late()))
}

/// Reads a report from standard input. Waits for the end of the input, but no longer than [`REPORT`]. A report that is
/// complete by then is used, even if the input is still open. The thread that reads ends with the process.
fn reported() -> Result<Vec<u8>, String> {
    let (tell, told) = sync_channel(1);
    let come = move || {
        let mut input = std::io::stdin().lock().take(TOOL_PAYLOAD.bytes + 1);
        loop {
            let mut piece = vec![0; 1 << 16];
            let came = match input.read(&mut piece) {
                Ok(0) => return,
                Ok(count) => {
                    piece.truncate(count);
                    Ok(piece)
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_over = came.is_err();
            if tell.send(came).is_err() || is_over {
                return;
            }
        }
    };
    std::thread::Builder::new().spawn(come).map_err(|error| error.to_string())?;
    let (mut report, until) = (Vec::new(), Instant::now() + REPORT);
    loop {
        match told.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Ok(piece)) => report.extend_from_slice(&piece),
            Ok(Err(error)) => return Err(error.to_string()),
            Err(RecvTimeoutError::Disconnected) => return Ok(report),
            Err(RecvTimeoutError::Timeout) if read(&report).is_ok() => return Ok(report),
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("no end of the report came within {} s", REPORT.as_secs()));
            }
        }
    }
}
