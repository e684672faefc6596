//! Sockets of the file system, which their owner alone may connect to.

use super::output::Failure;
use crate::engine::face::failure::ErrorKind;
use crate::render::shown;
use rustix::fs::Mode;
use rustix::process::umask;
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

/// Listens there. A socket that a service has left behind is taken away; anything else stays, and is an error.
pub(super) fn listen(path: &Path) -> Result<UnixListener, Failure> {
    let name = shown(path);
    if UnixStream::connect(path).is_ok() {
        let hint = "ask it: `ken serve --check --unix PATH`, or choose another path";
        return Err(Failure::new(ErrorKind::Busy, format!("something listens at {name} already"), hint));
    }
    if fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket()) {
        fs::remove_file(path).map_err(|error| Failure::io(&name, &error))?;
    }
    // From its first moment on: changed afterwards, somebody else could have connected before.
    let before = umask(Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    umask(before);
    bound.map_err(|error| Failure::io(&name, &error))
}

/// Connects to one, to wait so long for an answer.
pub(super) fn connect(path: &Path, time: Duration) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(time))?;
    Ok(stream)
}
