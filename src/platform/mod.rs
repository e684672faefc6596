//! What differs between operating systems, and nothing else does: how files are opened, locked to their owner, put in
//! place and told apart, how processes are grouped, lowered and ended, terminals, sockets, and where things lie.
//!
//! Each function below decides one such matter and says what it is for. `unix.rs` and `windows.rs` carry them out;
//! whichever is compiled must have every function that is called here, with the same types. What only the kernel of
//! Linux can do is in `linux.rs`, and what other Unix systems do in its place in `bsd.rs`. No other file asks for the
//! system (`tests/rules.rs` names the few that may). The checks that keep strangers out are those of Unix; where
//! Windows is weaker, the comment of the function says so.

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod bsd;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as here;
#[cfg(windows)]
use windows as here;

pub use here::{Group, Keeper, RawTerminal, StopSignals, UnixListener, UnixStream};

use listenfd::ListenFd;
use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::NamedTempFile;

/// By whose rules the folders of a user's data, settings and caches are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    /// The XDG base directory specification.
    Xdg,
    /// `Library` of the home on macOS.
    Mac,
    /// `AppData` of the profile on Windows.
    Windows,
}

/// The rules of this system.
pub const FOLDERS: Folders = if cfg!(windows) {
    Folders::Windows
} else if cfg!(target_os = "macos") {
    Folders::Mac
} else {
    Folders::Xdg
};

/// The program that opens a page in the user's browser.
pub const BROWSER: &str = match FOLDERS {
    Folders::Xdg => "xdg-open",
    Folders::Mac => "open",
    Folders::Windows => "explorer",
};

/// Folders with the programs of the system.
pub const PROGRAMS: &[&str] = here::PROGRAMS;

/// Where temporary files lie if no variable says so.
pub const TEMPORARY: &str = here::TEMPORARY;

/// The settings of git that hold for all users.
pub const GIT_SETTINGS: &str = here::GIT_SETTINGS;

/// Whether there are sockets of the file system. Windows has some, which the standard library does not know.
pub const HAS_SOCKETS: bool = here::HAS_SOCKETS;

/// Whether all that a process started can be ended with it: see [`Group`].
pub const HAS_GROUPS: bool = here::HAS_GROUPS;

/// What Ctrl-C and Ctrl-D send to whoever reads keys by [`RawTerminal`].
pub const END_KEYS: [u8; 2] = [3, 4];

/// Makes opening wait for nobody: not for the other end of a FIFO, and without making a terminal ours.
///
/// On Windows nothing is waited for. There, the server of a named pipe learns who opens it but cannot act for them.
pub fn open_without_waiting(options: &mut OpenOptions) {
    here::open_without_waiting(options);
}

/// Makes a file that is created readable by its owner alone.
///
/// On Windows a file has the access list of its folder; a user's profile is closed to other users.
pub fn create_for_owner(options: &mut OpenOptions) {
    here::create_for_owner(options);
}

/// Makes folders that are created accessible to their owner alone; on Windows as [`create_for_owner`].
pub fn create_folders_for_owner(builder: &mut DirBuilder) {
    here::create_folders_for_owner(builder);
}

/// The permissions of a folder that its owner alone may use; none where permissions do not say that, as on Windows.
pub fn owner_permissions() -> Option<Permissions> {
    here::owner_permissions()
}

/// Whether others than the owner may read or write it. On Windows this is not known, and the answer is no.
pub fn is_open_to_others(meta: &Metadata) -> bool {
    here::is_open_to_others(meta)
}

/// Takes away what others may do with a file or folder; on Windows nothing.
///
/// # Errors
/// When the system refuses.
pub fn close_to_others(path: &Path) -> io::Result<()> {
    here::close_to_others(path)
}

/// Gives a file that is to become `path` the permissions of the one that stands there, or those of its folder.
///
/// On Windows it has the access list of its folder in both cases.
///
/// # Errors
/// When the system refuses.
pub fn take_over_permissions(file: &File, path: &Path) -> io::Result<()> {
    here::take_over_permissions(file, path)
}

/// Whether a file may be run. On Windows that hangs on its name, and any may.
pub fn may_run(meta: &Metadata) -> bool {
    here::may_run(meta)
}

/// Opens a file of a folder to be read, the kernel holding the path to the folder; none where no kernel does, which is
/// so everywhere but on Linux from 5.6 on: there the caller compares resolved names. `refused` makes the error for a
/// link that leads out.
///
/// # Errors
/// That of `refused`, and whatever the system says.
pub fn open_beneath(path: &Path, folder: &Path, refused: fn() -> io::Error) -> io::Result<Option<File>> {
    here::open_beneath(path, folder, refused)
}

/// Opens a file to be read, the kernel looking for links on the way to it; none where it does not, as
/// [`open_beneath`].
///
/// # Errors
/// That of `refused` for a link, and whatever the system says.
pub fn open_unlinked(path: &Path, refused: fn() -> io::Error) -> io::Result<Option<File>> {
    here::open_unlinked(path, refused)
}

/// Opens what is to be written to once without waiting, so that a FIFO which nobody reads from is an error. Kept open,
/// it holds the reader; none where opening waits for nobody anyway.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if nobody reads from it, and whatever the system says.
pub fn reader_of(path: &Path, options: &OpenOptions) -> io::Result<Option<File>> {
    here::reader_of(path, options)
}

/// Puts a file in its place, in one step: whoever opens the name finds what was there before, or this.
///
/// On Windows the file there can be open, but not mapped, by this process or another. Then this is an error and what
/// was there stays; so does a file that is write-protected.
///
/// # Errors
/// When the system refuses; the file is removed then.
pub fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    here::put_in_place(file, path)
}

/// Makes what was made, renamed or removed in a folder last.
///
/// On Windows a folder cannot be synced. NTFS writes down in its log what is renamed, but a crash within the next
/// seconds may bring the old file back; either is whole.
///
/// # Errors
/// When the folder cannot be opened or the system cannot sync one.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    here::sync_folder(folder)
}

/// Reads bytes from `start` on. Many may do so at once; nobody may count on where the file stands afterwards.
///
/// # Errors
/// When the file ends before, or cannot be read.
pub fn read_exact_at(file: &File, out: &mut [u8], start: u64) -> io::Result<()> {
    here::read_exact_at(file, out, start)
}

/// Writes bytes from `start` on; where the file stands stays as it was. On Windows only one may do so at a time.
///
/// # Errors
/// When the disk refuses.
pub fn write_all_at(file: &File, bytes: &[u8], start: u64) -> io::Result<()> {
    here::write_all_at(file, bytes, start)
}

/// What tells a file from all others that are there: its device and number.
///
/// On Windows the standard library does not tell those, and it is the time at which the file was made. Two files of
/// the same moment are then taken for one, so whoever can compares size and time of the last change as well. A file
/// that is open there as SQLite opens it can be neither renamed nor replaced.
pub fn file_number(meta: &Metadata) -> (u64, u64) {
    here::file_number(meta)
}

/// When a file was last changed in any way, its name and owner included, in nanoseconds; this time cannot be set by
/// hand. None on Windows, where the standard library does not tell.
pub fn changed_ns(meta: &Metadata) -> Option<i64> {
    here::changed_ns(meta)
}

/// The absolute path of what is there, without links.
///
/// On Windows it is written as users do, `C:\notes`, wherever that means the same as the system's `\\?\C:\notes`.
///
/// # Errors
/// When there is nothing, or the way to it cannot be looked at.
pub fn canonical(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    here::canonical(path.as_ref())
}

/// A path as other tools write it into files. On Windows such files are UTF-8, and what is not is replaced.
pub fn path_from_bytes(bytes: &[u8]) -> OsString {
    here::path_from_bytes(bytes)
}

/// Makes a link to a file.
///
/// # Errors
/// When the system refuses; always on Windows, where links need a privilege and no slashes.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    here::symlink(target, link)
}

/// Whether this is the name of a variable of the environment; on Windows letters of both cases are the same.
pub fn is_variable(name: &OsStr, wanted: &str) -> bool {
    here::is_variable(name, wanted)
}

/// Whether a terminal shows colours; a console of Windows has to be asked to.
pub fn shows_colours() -> bool {
    here::shows_colours()
}

/// Makes a process that is to be started the first of a group of its own, so that it does not hear the terminal's
/// Ctrl-C.
pub fn in_own_group(command: &mut Command) {
    here::in_own_group(command);
}

/// As [`in_own_group`] for a process that goes on after this one. On Windows it has no console and a lower priority.
pub fn in_background(command: &mut Command) {
    here::in_background(command);
}

/// Lets others go first. On Windows a process is given its priority when it is started: see [`in_background`].
pub fn lower_priority() {
    here::lower_priority();
}

/// Bytes that this process may map, where there is a limit; none is known on Windows.
pub fn address_space() -> Option<u64> {
    here::address_space()
}

/// Says what limits mean from now on: a file that may not grow is a failed write, and a process that is aborted ends
/// with a code: `after_panic` once `panicked` is set, else `otherwise`.
///
/// On Windows a disk that is full fails a write anyway, and an abort has the system's own code.
pub fn soften_limits(panicked: &Arc<AtomicBool>, after_panic: u8, otherwise: u8) {
    here::soften_limits(panicked, after_panic, otherwise);
}

/// The signal that ended a process; none on Windows.
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    here::signal_of(status)
}

/// The session of processes that this one is in, which is that of a terminal; none on Windows.
pub fn session_number() -> Option<i32> {
    here::session_number()
}

/// Hears Ctrl-C, and the signal that ends processes, from now on: sets `heard`, and ends the process while `ends` is
/// set.
pub fn hear_stop(ends: &Arc<AtomicBool>, heard: &Arc<AtomicBool>) {
    here::hear_stop(ends, heard);
}

/// Whether somebody listens at a socket of the file system.
pub fn is_answered_at(path: &Path) -> bool {
    here::is_answered_at(path)
}

/// Listens at a socket of the file system that its owner alone may connect to, from its first moment on. A socket that
/// was left behind is taken away; anything else stays, and is an error.
///
/// # Errors
/// Whatever the system says.
pub fn listen_at(path: &Path) -> io::Result<UnixListener> {
    here::listen_at(path)
}

/// Connects to a socket of the file system, to wait so long for an answer.
///
/// # Errors
/// Whatever the system says.
pub fn connect_to(path: &Path, time: Duration) -> io::Result<UnixStream> {
    here::connect_to(path, time)
}

/// Where a socket of the file system lies.
///
/// # Errors
/// Whatever the system says.
pub fn path_of(listener: &UnixListener) -> io::Result<Option<PathBuf>> {
    here::path_of(listener)
}

/// The first socket that the system's manager has opened for this process, if it is one of the file system.
pub fn given_listener(given: &mut ListenFd) -> Option<UnixListener> {
    here::given_listener(given)
}

#[cfg(test)]
mod tests;
