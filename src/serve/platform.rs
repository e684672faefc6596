//! What differs between operating systems and needs tokio's types; all else of that is in `crate::platform`.

use crate::engine::face::system::UnixListener;
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

/// Waits for Ctrl-C or Ctrl-Break, for the console to be closed, or for the system to shut down.
#[cfg(windows)]
pub(super) async fn asked_to_end() -> io::Result<()> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};
    let (mut interrupt, mut terminate) = (ctrl_c()?, ctrl_break()?);
    let (mut closed, mut shut_down) = (ctrl_close()?, ctrl_shutdown()?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = closed.recv() => {}
        _ = shut_down.recv() => {}
    }
    Ok(())
}

/// Accepts connections at a socket of the file system.
#[cfg(unix)]
pub(super) struct SocketListener(tokio::net::UnixListener);

#[cfg(unix)]
impl SocketListener {
    /// Within a runtime.
    pub fn new(listener: UnixListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        tokio::net::UnixListener::from_std(listener).map(Self)
    }

    /// The next connection.
    pub async fn accept(&self) -> io::Result<tokio::net::UnixStream> {
        Ok(self.0.accept().await?.0)
    }
}

/// There is no socket of the file system to accept connections at.
#[cfg(windows)]
pub(super) struct SocketListener(UnixListener);

#[cfg(windows)]
impl SocketListener {
    pub fn new(listener: UnixListener) -> io::Result<Self> {
        match listener {}
    }

    pub async fn accept(&self) -> io::Result<tokio::net::TcpStream> {
        match self.0 {}
    }
}
