//! What differs between operating systems: files, processes, terminals, sockets, and where things lie.
//!
//! The functions below are for everybody else; `unix.rs` and `windows.rs` do the work. Both have every function that is
//! called here, with the same types. `linux.rs` has what only Linux can do, `bsd.rs` what other Unix systems do
//! instead. Apart from the few files that `tests/rules.rs` names, no other asks which system it is on. Where Windows
//! protects files less well than Unix, the function's comment says so.

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

/// Whether a socket can lie in the file system. On Windows it can, but the standard library does not support it.
pub const HAS_SOCKETS: bool = here::HAS_SOCKETS;

/// Whether all that a process started can be ended with it: see [`Group`].
pub const HAS_GROUPS: bool = here::HAS_GROUPS;

/// The bytes that Ctrl-C and Ctrl-D send to a reader of [`RawTerminal`].
pub const END_KEYS: [u8; 2] = [3, 4];

/// Opens at once: it does not wait for the other end of a FIFO, and a terminal does not become that of this process.
///
/// On Windows opening never waits. There, the server of a named pipe learns who opens it, but cannot act in their name.
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

/// Whether anybody but the owner may read or write the file. Windows does not tell, so there the answer is always no.
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

/// Opens a file for reading if its path stays in the folder; the kernel checks that. Only Linux since 5.6 can.
/// Elsewhere the result is `None`, and the caller compares resolved names. `refused` makes the error for a link that
/// leads out.
///
/// # Errors
/// That of `refused`, and whatever the system says.
pub fn open_beneath(path: &Path, folder: &Path, refused: fn() -> io::Error) -> io::Result<Option<File>> {
    here::open_beneath(path, folder, refused)
}

/// Opens a file for reading, while the kernel refuses links on the way to it. The result is `None` where no kernel does
/// that, as for [`open_beneath`].
///
/// # Errors
/// That of `refused` for a link, and whatever the system says.
pub fn open_unlinked(path: &Path, refused: fn() -> io::Error) -> io::Result<Option<File>> {
    here::open_unlinked(path, refused)
}

/// Opens a FIFO that is about to be written to, without waiting, so that it is an error if nobody reads from it. As
/// long as the result is kept, the reader stays. `None` where opening does not wait anyway.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if nobody reads from it, and whatever the system says.
pub fn reader_of(path: &Path, options: &OpenOptions) -> io::Result<Option<File>> {
    here::reader_of(path, options)
}

/// Puts a file in its place, in one step: whoever opens the name finds the old file or the new one.
///
/// On Windows the old file may be open meanwhile, but it may be neither mapped nor write-protected. If it is, this is
/// an error, and the old file stays.
///
/// # Errors
/// When the system refuses; the file is removed then.
pub fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    here::put_in_place(file, path)
}

/// Syncs a folder: files that were created, renamed or removed in it stay so after a crash.
///
/// On Windows a folder cannot be synced, so a crash within seconds may bring the old file back. That file is whole.
///
/// # Errors
/// When the folder cannot be opened or the system cannot sync one.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    here::sync_folder(folder)
}

/// Reads bytes from `start` on. Several threads may do so at once. The file's position is undefined afterwards.
///
/// # Errors
/// When the file ends before, or cannot be read.
pub fn read_exact_at(file: &File, out: &mut [u8], start: u64) -> io::Result<()> {
    here::read_exact_at(file, out, start)
}

/// Writes bytes from `start` on and leaves the file's position alone. On Windows only one thread may do so at a time.
///
/// # Errors
/// When the disk refuses.
pub fn write_all_at(file: &File, bytes: &[u8], start: u64) -> io::Result<()> {
    here::write_all_at(file, bytes, start)
}

/// What no two files have in common: device and number.
///
/// On Windows the standard library gives neither, so this is the time at which the file was created. Two files that
/// were created at once look like one there, so callers also compare size and time of the last change where they can.
/// A file that SQLite has open can be neither renamed nor replaced on Windows.
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

/// A path as other tools write it into files. On Windows such files are UTF-8; bytes that are not are replaced.
pub fn path_from_bytes(bytes: &[u8]) -> OsString {
    here::path_from_bytes(bytes)
}

/// Makes a link to a file.
///
/// # Errors
/// When the system refuses. Windows always does: links need a privilege there.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    here::symlink(target, link)
}

/// Whether this is the name of that environment variable. On Windows case does not matter.
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

/// Makes a process that is to be started one that goes on after this one, in a group of its own. On Windows it gets no
/// console, and a lower priority.
pub fn in_background(command: &mut Command) {
    here::in_background(command);
}

/// Lowers the priority of this process. Does nothing on Windows, where [`in_background`] sets it at the start.
pub fn lower_priority() {
    here::lower_priority();
}

/// Bytes that this process may map, where there is a limit; none is known on Windows.
pub fn address_space() -> Option<u64> {
    here::address_space()
}

/// Turns signals of limits into errors. A file that may not grow any more makes a write fail. A process that aborts
/// ends with the code `after_panic` if `panicked` is set, else with `otherwise`.
///
/// On Windows there is nothing to do: writes fail anyway, and an abort has the system's own code.
pub fn soften_limits(panicked: &Arc<AtomicBool>, after_panic: u8, otherwise: u8) {
    here::soften_limits(panicked, after_panic, otherwise);
}

/// The signal that ended a process; none on Windows.
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    here::signal_of(status)
}

/// The number of the session that this process is in; a terminal has one session. None on Windows.
pub fn session_number() -> Option<i32> {
    here::session_number()
}

/// Listens for Ctrl-C and for the signal that ends processes. Each of them sets `heard`, and ends the process while
/// `ends` is set.
pub fn hear_stop(ends: &Arc<AtomicBool>, heard: &Arc<AtomicBool>) {
    here::hear_stop(ends, heard);
}

/// Whether a process listens at this socket.
pub fn is_answered_at(path: &Path) -> bool {
    here::is_answered_at(path)
}

/// Makes a socket in the file system and listens at it. From its first moment on only its owner may connect. A socket
/// that an ended process left is removed first; anything else at that path is an error and stays.
///
/// # Errors
/// Whatever the system says.
pub fn listen_at(path: &Path) -> io::Result<UnixListener> {
    here::listen_at(path)
}

/// Connects to a socket in the file system; `time` is how long answers are waited for.
///
/// # Errors
/// Whatever the system says.
pub fn connect_to(path: &Path, time: Duration) -> io::Result<UnixStream> {
    here::connect_to(path, time)
}

/// The path of a socket in the file system.
///
/// # Errors
/// Whatever the system says.
pub fn path_of(listener: &UnixListener) -> io::Result<Option<PathBuf>> {
    here::path_of(listener)
}

/// The first socket that the service manager opened for this process, if it lies in the file system.
pub fn given_listener(given: &mut ListenFd) -> Option<UnixListener> {
    here::given_listener(given)
}

#[cfg(test)]
mod tests;
