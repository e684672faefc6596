//! Ctrl-C, where a command can stop in good order.
//!
//! Everywhere else a signal ends the process at once, which loses nothing: what is written is written in steps. While a
//! large file is being built it is worth a moment to take away what is half there.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

struct Signals {
    /// Whether a signal ends the process as if nobody had asked for it.
    ends: Arc<AtomicBool>,
    heard: Arc<AtomicBool>,
}

static SIGNALS: LazyLock<Signals> = LazyLock::new(|| {
    let (ends, heard) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
    for signal in [SIGINT, SIGTERM] {
        // Where a signal cannot be had, it does what it always does. In this order: the second does nothing if the
        // first ends it.
        drop(flag::register_conditional_default(signal, Arc::clone(&ends)));
        drop(flag::register(signal, Arc::clone(&heard)));
    }
    Signals { ends, heard }
});

/// From now on a signal is only remembered, or it ends the process again.
pub(super) fn remember(only: bool) {
    SIGNALS.ends.store(!only, Ordering::SeqCst);
}

/// Whether a signal was remembered.
pub(super) fn is_asked_for() -> bool {
    SIGNALS.heard.load(Ordering::SeqCst)
}
