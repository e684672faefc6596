//! The `ken` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    kenning::cli::main(stdout::was_closed())
}

/// Whether standard output was closed when the process began.
///
/// The standard library opens `/dev/null` in its place before `main`, so that what is written later vanishes without an
/// error; and from then on nothing tells it from a `/dev/null` that somebody meant. So it is looked at before.
mod stdout {
    #![cfg_attr(target_os = "linux", allow(unsafe_code))]

    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Whether it was; always false where that cannot be told.
    pub fn was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }

    // SAFETY: the loader calls what stands in this section, one after another on one thread, before `main` and before
    // the standard library has set itself up. `look` asks the kernel one question and stores a flag: it allocates
    // nothing, and uses nothing that would have to be set up.
    #[cfg(target_os = "linux")]
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    #[cfg(target_os = "linux")]
    extern "C" fn look() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()) == Err(rustix::io::Errno::BADF);
        CLOSED.store(closed, Ordering::Relaxed);
    }
}
