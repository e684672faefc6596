//! Sockets of the file system, which their owner alone may connect to.

use super::output::Failure;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{HAS_SOCKETS, UnixListener, is_answered_at, listen_at};
use crate::render::shown;
use std::path::Path;

/// Listens there. A socket that a service has left behind is taken away; anything else stays, and is an error.
pub(super) fn listen(path: &Path) -> Result<UnixListener, Failure> {
    let name = shown(path);
    if !HAS_SOCKETS {
        let hint = "listen at an address with a port: `ken serve --listen 127.0.0.1:7717`";
        return Err(Failure::new(
            ErrorKind::Usage,
            format!("{name}: this system has no sockets in the file system"),
            hint,
        ));
    }
    if is_answered_at(path) {
        let hint = "ask it: `ken serve --check --unix PATH`, or choose another path";
        return Err(Failure::new(ErrorKind::Busy, format!("something listens at {name} already"), hint));
    }
    listen_at(path).map_err(|error| Failure::io(&name, &error))
}
