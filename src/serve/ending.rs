//! When a service is asked to end.

use std::io;

/// Waits for Ctrl-C or the signal that ends services.
#[cfg(unix)]
pub(super) async fn asked_to_end() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(super) async fn asked_to_end() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
