//! What the kernel of Linux does alone: it holds the way to a file, and tells a process that its parent has gone.

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use rustix::process::{Signal, set_parent_process_death_signal};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// For reading. It does not wait for the other end of a FIFO, and a terminal does not become that of this process.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

pub(super) fn open_beneath(path: &Path, folder: &Path, refused: fn() -> io::Error) -> io::Result<Option<File>> {
    let inside = path.strip_prefix(folder).map_err(|_| refused())?;
    let at = rustix::fs::open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(&at, inside, READ, Mode::empty(), resolve) {
        Ok(file) => Ok(Some(file.into())),
        Err(Errno::XDEV) => Err(refused()),
        // An older kernel, or one that is told to refuse the call.
        Err(Errno::NOSYS | Errno::PERM) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

pub(super) fn open_unlinked(path: &Path, refused: fn() -> io::Error) -> io::Result<Option<File>> {
    match rustix::fs::openat2(CWD, path, READ, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(Some(file.into())),
        Err(Errno::LOOP) => Err(refused()),
        Err(Errno::NOSYS | Errno::PERM) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

/// From now on SIGTERM comes when the parent goes. It may have gone before the kernel was told, which the caller asks.
pub(super) fn follow_parent(_: fn(u32) -> bool, _: u32, _: fn()) -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::TERM))?)
}

/// A Unix domain socket that child processes do not inherit.
pub(super) fn stream_socket() -> io::Result<OwnedFd> {
    Ok(socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?)
}
