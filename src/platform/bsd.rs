//! What macOS and other Unix systems do in the place of `linux.rs`.

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{AddressFamily, SocketType, socket};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

/// How often it is looked whether the parent is there, where the kernel does not tell.
const WATCHES: Duration = Duration::from_secs(1);

pub(super) fn open_beneath(_: &Path, _: &Path, _: fn() -> io::Error) -> io::Result<Option<File>> {
    Ok(None)
}

pub(super) fn open_unlinked(_: &Path, _: fn() -> io::Error) -> io::Result<Option<File>> {
    Ok(None)
}

/// From now on a thread ends the group within a second of the end of the parent.
pub(super) fn follow_parent(is_alone: fn(u32) -> bool, parent: u32, end: fn()) -> io::Result<()> {
    let watch = move || {
        while !is_alone(parent) {
            std::thread::sleep(WATCHES);
        }
        end();
    };
    std::thread::Builder::new().spawn(watch).map(drop)
}

/// A Unix domain socket that child processes do not inherit.
pub(super) fn stream_socket() -> io::Result<OwnedFd> {
    let made = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&made, FdFlags::CLOEXEC)?;
    Ok(made)
}
