//! What the system allows this process, and what becomes of it at the border: an error with a code, not a signal.
//!
//! A file that may not grow further (`ulimit -f`) is a failed write. Memory that is refused ends the process, for Rust
//! cannot go on without: with the code of failed input or output and no core. So that this is rare, a process that may
//! not even have what every command takes is told before it begins, and a model that would not fit is refused before it
//! is opened.

use super::output::Failure;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{address_space, soften_limits};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Address space in MiB that every command takes, as measured with the largest of them.
const LEAST_MIB: u64 = 128;

/// Says what limits mean from now on.
///
/// # Errors
/// When no command could run within them.
pub(super) fn begin() -> Result<(), Failure> {
    // What ends so has said why: memory that was refused, or a fault of ours within a fault.
    let panicked = Arc::new(AtomicBool::new(false));
    soften_limits(&panicked, ErrorKind::Internal.exit_code(), ErrorKind::Io.exit_code());
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        panicked.store(true, Ordering::SeqCst);
        told(about);
    }));
    match address_space() {
        Some(limit) if limit >> 20 < LEAST_MIB => Err(Failure::new(
            ErrorKind::Io,
            format!("this process may have {} MiB of address space, and ken needs {LEAST_MIB}", limit >> 20),
            "raise the limit: ulimit -v",
        )),
        _ => Ok(()),
    }
}
