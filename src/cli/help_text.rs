//! The help text of a program: from a file, from standard input, or from a command that the user gives for it.

use super::output::Failure;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, Links, can_start};
use crate::engine::face::text::decode;
use crate::render::shown;
use crate::types::limits::HELP_TEXT;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a command may take to print its help.
const PRINTS: Duration = Duration::from_secs(10);

/// A text, and what it is called.
pub(super) fn of_file(file: Option<&Path>) -> Result<(String, String), Failure> {
    match file.filter(|file| *file != Path::new("-")) {
        Some(file) => {
            let name = shown(file).into_owned();
            let text = system::read_text(file, Links::Follow, HELP_TEXT).map_err(|error| Failure::io(&name, &error))?;
            Ok((text, name))
        }
        None if io::stdin().is_terminal() => {
            let hint = "pipe it in (`git --help | ken tools add --from-help git`), or name a file";
            Err(Failure::new(ErrorKind::Usage, "there is no help text", hint))
        }
        None => {
            let name = "standard input".to_owned();
            let mut bytes = Vec::new();
            let mut from = io::stdin().lock().take(HELP_TEXT.bytes + 1);
            from.read_to_end(&mut bytes).map_err(|error| Failure::io(&name, &error))?;
            Ok((text_of(bytes, &name)?, name))
        }
    }
}

fn text_of(bytes: Vec<u8>, name: &str) -> Result<String, Failure> {
    let wrong = |why: String| Failure::new(ErrorKind::Usage, format!("{name}: {why}"), "give the help text alone");
    if bytes.len() as u64 > HELP_TEXT.bytes {
        let (number, unit) = HELP_TEXT.size();
        return Err(wrong(format!("{} may have {number} {unit} at most", HELP_TEXT.what)));
    }
    decode(&bytes).map(|text| text.into_owned()).map_err(|error| wrong(error.to_string()))
}

/// Runs a command that prints its help, on either of its outputs, and gives what it printed. How it ends says nothing:
/// many programs end their help with a failure.
pub(super) fn of_command(command: &[String]) -> Result<(String, String), Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::new(ErrorKind::Usage, "there is no command", "name one behind `--`"));
    };
    let name = shown(Path::new(program)).into_owned();
    can_start(2).map_err(|error| Failure::io("this process", &error))?;
    let mut child = system::as_typed(program.as_ref())
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::io(&name, &error))?;
    let (tell, told) = mpsc::channel();
    let out = child.stdout.take().map(|out| Box::new(out) as Box<dyn Read + Send>);
    let err = child.stderr.take().map(|err| Box::new(err) as Box<dyn Read + Send>);
    for (place, from) in [out, err].into_iter().enumerate() {
        let (Some(from), tell) = (from, tell.clone()) else { continue };
        let read = move || {
            let mut bytes = Vec::new();
            // What came before a fault is what there is.
            drop(from.take(HELP_TEXT.bytes + 1).read_to_end(&mut bytes));
            drop(tell.send((place, bytes)));
        };
        std::thread::Builder::new().spawn(read).map_err(|error| Failure::io("this process", &error))?;
    }
    drop(tell);
    let ends = Instant::now() + PRINTS;
    let mut printed = [Vec::new(), Vec::new()];
    let mut is_late = false;
    loop {
        match told.recv_timeout(ends.saturating_duration_since(Instant::now())) {
            // One that prints without end is ended.
            Ok((place, bytes)) => {
                let is_over = bytes.len() as u64 > HELP_TEXT.bytes;
                printed[place] = bytes;
                if is_over {
                    break;
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                is_late = true;
                break;
            }
        }
    }
    // It may have ended already.
    drop(child.kill());
    drop(child.wait());
    if is_late {
        let text = format!("{name} did not print its help within {} s", PRINTS.as_secs());
        return Err(Failure::new(ErrorKind::Usage, text, "give the option that prints it, such as `--help`"));
    }
    let [out, err] = printed;
    Ok((text_of(if out.trim_ascii().is_empty() { err } else { out }, &name)?, name))
}
