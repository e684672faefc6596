//! Ctrl-C, where a command can stop in good order.
//!
//! Everywhere else a signal ends the process at once, which loses nothing: what is written is written in steps. While a
//! large file is being built it is worth a moment to take away what is half there.

use super::output;
use crate::engine::face::system::{StopSignals, hear_stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

struct Signals {
    /// Whether a signal ends the process as if nobody had asked for it.
    ends: Arc<AtomicBool>,
    heard: Arc<AtomicBool>,
}

/// Whether a signal is only remembered.
static REMEMBERED: AtomicBool = AtomicBool::new(false);

/// Whether a thread says something before a signal ends the process.
static SAYS: AtomicBool = AtomicBool::new(false);

static SIGNALS: LazyLock<Signals> = LazyLock::new(|| {
    let (ends, heard) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
    hear_stop(&ends, &heard);
    Signals { ends, heard }
});

/// From now on a signal is only remembered, or it ends the process again.
pub(super) fn remember(only: bool) {
    REMEMBERED.store(only, Ordering::SeqCst);
    SIGNALS.ends.store(!only && !SAYS.load(Ordering::SeqCst), Ordering::SeqCst);
}

/// From now on a signal that ends the process says this first.
pub(super) fn say_on_end(text: &'static str) {
    // Without a thread the signal ends the process as always, and says nothing.
    let Ok(signals) = StopSignals::new() else { return };
    SAYS.store(true, Ordering::SeqCst);
    remember(REMEMBERED.load(Ordering::SeqCst));
    let wait = move || {
        signals.wait(|| {
            let ends = !REMEMBERED.load(Ordering::SeqCst);
            if ends {
                output::say_at_end(text);
            }
            ends
        });
    };
    if std::thread::Builder::new().spawn(wait).is_err() {
        SAYS.store(false, Ordering::SeqCst);
        remember(REMEMBERED.load(Ordering::SeqCst));
    }
}

/// Whether a signal was remembered. One that ends the process is not: whoever ends it says so first.
pub(super) fn is_asked_for() -> bool {
    REMEMBERED.load(Ordering::SeqCst) && SIGNALS.heard.load(Ordering::SeqCst)
}
