//! What a run costs: how long it takes and how much memory it holds at most, with an end to one that hangs.

use super::ken::Ran;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A run and what it cost.
#[derive(Debug)]
pub struct Cost {
    pub ran: Ran,
    pub took: Duration,
    /// Most memory that it held, as the system saw it a moment before the end, in KiB.
    pub peak_kib: u64,
    /// Whether it had to be stopped.
    pub hung: bool,
}

/// Runs a command with an input; one that takes longer than `most`, or holds more than `most_kib`, is stopped.
pub fn measured(mut command: Command, input: &[u8], most: Duration, most_kib: u64) -> Cost {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut out, mut err) =
        (child.stdin.take().unwrap(), child.stdout.take().unwrap(), child.stderr.take().unwrap());
    std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        let out = scope.spawn(move || text(&mut out));
        let err = scope.spawn(move || text(&mut err));
        let (mut peak_kib, mut hung) = (0, false);
        let code = loop {
            peak_kib = held(&child).max(peak_kib);
            if let Some(status) = child.try_wait().unwrap() {
                break status.code().unwrap_or(-1);
            }
            if !hung && (started.elapsed() > most || peak_kib > most_kib) {
                hung = true;
                drop(child.kill());
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let took = started.elapsed();
        Cost { ran: Ran { code, out: out.join().unwrap(), err: err.join().unwrap() }, took, peak_kib, hung }
    })
}

/// What a stream gives, up to what nobody would print.
fn text(from: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    from.take(64 << 20).read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The most that a child has held so far, in KiB; 0 while it is not yet the program that was started.
///
/// A child shares its parent's memory until the system has put the new program in its place, which may be a moment
/// after `spawn` has returned: this program's own peak is not the child's.
fn held(child: &Child) -> u64 {
    let program = |id: &str| std::fs::read_link(format!("/proc/{id}/exe")).ok();
    let id = child.id().to_string();
    if program(&id).is_none_or(|child| Some(child) == program("self")) {
        return 0;
    }
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
