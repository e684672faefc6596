//! Linux, macOS and other Unix systems; what each function is for stands in `mod.rs`.
//!
//! Modes are given when a file is made, not changed afterwards: in between somebody else could have opened it.

#[cfg(not(any(target_os = "linux", target_os = "android")))]
use super::bsd as kernel;
#[cfg(any(target_os = "linux", target_os = "android"))]
use super::linux as kernel;

use listenfd::ListenFd;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::net::SocketAddrUnix;
use rustix::process::{Pid, Resource, Signal};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGABRT, SIGCHLD, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::NamedTempFile;

pub use std::os::unix::net::{UnixListener, UnixStream};

pub(super) use kernel::{open_beneath, open_unlinked};

pub(super) const PROGRAMS: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
pub(super) const TEMPORARY: &str = "/tmp";
pub(super) const GIT_SETTINGS: &str = "/etc/gitconfig";
pub(super) const HAS_SOCKETS: bool = true;
/// How many connections may wait at a socket. The system lowers it to its own limit.
const WAITING: i32 = 4096;
pub(super) const HAS_GROUPS: bool = true;

pub(super) fn open_without_waiting(options: &mut OpenOptions) {
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC).bits().cast_signed());
}

pub(super) fn create_for_owner(options: &mut OpenOptions) {
    options.mode(0o600);
}

pub(super) fn create_folders_for_owner(builder: &mut DirBuilder) {
    builder.mode(0o700);
}

pub(super) fn owner_permissions() -> Option<Permissions> {
    Some(Permissions::from_mode(0o700))
}

pub(super) fn is_open_to_others(meta: &Metadata) -> bool {
    meta.permissions().mode() & 0o077 != 0
}

pub(super) fn close_to_others(path: &Path) -> io::Result<()> {
    let mode = if path.is_dir() { 0o700 } else { 0o600 };
    fs::set_permissions(path, Permissions::from_mode(mode))
}

pub(super) fn take_over_permissions(file: &File, path: &Path) -> io::Result<()> {
    let mode = match fs::metadata(path) {
        Ok(meta) => meta.permissions().mode() & 0o7777,
        // What runs a file is not handed on.
        Err(_) => fs::metadata(path.parent().unwrap_or(path))?.permissions().mode() & 0o666,
    };
    file.set_permissions(Permissions::from_mode(mode))
}

pub(super) fn may_run(meta: &Metadata) -> bool {
    meta.permissions().mode() & 0o111 != 0
}

pub(super) fn reader_of(path: &Path, options: &OpenOptions) -> io::Result<Option<File>> {
    let mut asking = options.clone();
    open_without_waiting(&mut asking);
    asking.open(path).map(Some).map_err(|error| match error.raw_os_error() {
        Some(number) if number == Errno::NXIO.raw_os_error() => {
            io::Error::new(io::ErrorKind::InvalidInput, "nobody reads from it")
        }
        _ => error,
    })
}

pub(super) fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map(drop).map_err(|error| error.error)
}

pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

pub(super) fn read_exact_at(file: &File, out: &mut [u8], start: u64) -> io::Result<()> {
    file.read_exact_at(out, start)
}

pub(super) fn write_all_at(file: &File, bytes: &[u8], start: u64) -> io::Result<()> {
    file.write_all_at(bytes, start)
}

pub(super) fn file_number(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

pub(super) fn changed_ns(meta: &Metadata) -> Option<i64> {
    Some(meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec()))
}

pub(super) fn canonical(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

pub(super) fn path_from_bytes(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

pub(super) fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

pub(super) fn is_variable(name: &OsStr, wanted: &str) -> bool {
    name == wanted
}

pub(super) fn shows_colours() -> bool {
    true
}

pub(super) fn in_own_group(command: &mut Command) {
    command.process_group(0);
}

pub(super) fn in_background(command: &mut Command) {
    in_own_group(command);
}

pub(super) fn lower_priority() {
    // Where that is not possible it is a matter of manners alone.
    let _ = rustix::process::nice(10);
}

pub(super) fn address_space() -> Option<u64> {
    rustix::process::getrlimit(Resource::As).current
}

pub(super) fn soften_limits(panicked: &Arc<AtomicBool>, after_panic: u8, otherwise: u8) {
    // Heard and not acted upon: the write that was one too many fails, and whoever wrote says so.
    drop(flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
    // In this order: the second does nothing if the first ends it.
    drop(flag::register_conditional_shutdown(SIGABRT, after_panic.into(), Arc::clone(panicked)));
    drop(flag::register_conditional_shutdown(SIGABRT, otherwise.into(), Arc::new(AtomicBool::new(true))));
}

pub(super) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

pub(super) fn session_number() -> Option<i32> {
    Some(rustix::process::getsid(None).ok()?.as_raw_nonzero().get())
}

pub(super) fn hear_stop(ends: &Arc<AtomicBool>, heard: &Arc<AtomicBool>) {
    for signal in [SIGINT, SIGTERM] {
        // Where a signal cannot be had, it does what it always does. In this order: the second does nothing if the
        // first ends it.
        drop(flag::register_conditional_default(signal, Arc::clone(ends)));
        drop(flag::register(signal, Arc::clone(heard)));
    }
}

/// Signals that end a process, one after another.
#[derive(Debug)]
pub struct StopSignals(Signals);

impl StopSignals {
    /// Those that come from now on.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn new() -> io::Result<Self> {
        Signals::new([SIGINT, SIGTERM]).map(Self)
    }

    /// Waits for them for ever; ends the process after one that `ends` says yes to, as if nobody had asked for it.
    pub fn wait(mut self, ends: impl Fn() -> bool) {
        for signal in self.0.forever() {
            if ends() {
                drop(low_level::emulate_default_handler(signal));
            }
        }
    }
}

/// All processes that one has started, by the number that it and they share. It is not given again while one lives.
#[derive(Debug)]
pub struct Group(Pid);

impl Group {
    /// The group of a process that was started [`in_own_group`](super::in_own_group).
    pub fn of(id: u32) -> Option<Self> {
        Pid::from_raw(i32::try_from(id).ok()?).map(Self)
    }

    /// Ends all of it. Once: after that the number may be somebody else's.
    pub fn kill(self) {
        let _ = rustix::process::kill_process_group(self.0, Signal::KILL);
    }
}

/// What ends a process that is started here, with all that it has started, when the parent of this one goes, even if
/// that is killed.
#[derive(Debug)]
pub struct Keeper(Signals);

impl Keeper {
    /// Begins to watch the parent, which has this number; none if it has gone already.
    ///
    /// # Errors
    /// When the system gives no signals.
    pub fn begin(parent: u32) -> io::Result<Option<Self>> {
        let signals = Signals::new([SIGTERM, SIGCHLD])?;
        kernel::follow_parent(is_alone, parent, end_group)?;
        // It may have gone before the kernel was told.
        Ok((!is_alone(parent)).then_some(Self(signals)))
    }

    /// Waits for the process to end, or for the parent.
    ///
    /// # Errors
    /// When the process cannot be waited for.
    pub fn wait(mut self, mut process: Child) -> io::Result<()> {
        for signal in self.0.forever() {
            if signal == SIGTERM {
                end_group();
            } else if process.try_wait()?.is_some() {
                break;
            }
        }
        Ok(())
    }
}

fn is_alone(parent: u32) -> bool {
    rustix::process::getppid().map(|now| now.as_raw_nonzero().get().cast_unsigned()) != Some(parent)
}

/// Ends all of our group, and so this process, if the group is ours.
fn end_group() {
    if rustix::process::getpgrp() == rustix::process::getpid() {
        let _ = rustix::process::kill_current_process_group(Signal::KILL);
    }
}

/// A terminal that gives each key as it is pressed. It is as before once this is dropped.
#[derive(Debug)]
pub struct RawTerminal(Termios);

impl RawTerminal {
    /// That of standard input; none if that is no terminal, or one that cannot do this.
    pub fn of_input() -> Option<Self> {
        let before = tcgetattr(rustix::stdio::stdin()).ok()?;
        let mut keys = before.clone();
        // Ctrl-C comes as a key too: the terminal must not stay as it is now when the program ends.
        keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &keys).ok()?;
        Some(Self(before))
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        // A terminal that is gone needs no mode.
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &self.0);
    }
}

pub(super) fn is_answered_at(path: &Path) -> bool {
    UnixStream::connect(path).is_ok()
}

pub(super) fn listen_at(path: &Path) -> io::Result<UnixListener> {
    if fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket()) {
        fs::remove_file(path)?;
    }
    let socket = kernel::stream_socket()?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    // Nobody can connect before it listens, so this is early enough. A umask would hold for all threads of the process.
    let closed = fs::set_permissions(path, Permissions::from_mode(0o600));
    let listens = closed.and_then(|()| Ok(rustix::net::listen(&socket, WAITING)?));
    if listens.is_err() {
        drop(fs::remove_file(path));
    }
    listens.map(|()| socket.into())
}

pub(super) fn connect_to(path: &Path, time: Duration) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(time))?;
    Ok(stream)
}

pub(super) fn path_of(listener: &UnixListener) -> io::Result<Option<PathBuf>> {
    Ok(listener.local_addr()?.as_pathname().map(Path::to_owned))
}

pub(super) fn given_listener(given: &mut ListenFd) -> Option<UnixListener> {
    given.take_unix_listener(0).ok().flatten()
}
