//! Windows, with what the standard library has; what each function is for, and where it is weaker than on Unix, stands
//! in `mod.rs`.

use listenfd::ListenFd;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::os::windows::process::CommandExt;
use std::path::{Component, Path, PathBuf, Prefix};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::NamedTempFile;

pub(super) const PROGRAMS: &[&str] = &["C:\\Windows\\System32", "C:\\Program Files"];
pub(super) const TEMPORARY: &str = "C:\\Windows\\Temp";
pub(super) const GIT_SETTINGS: &str = "C:\\Program Files\\Git\\etc\\gitconfig";
pub(super) const HAS_SOCKETS: bool = false;
pub(super) const HAS_GROUPS: bool = false;

/// `SECURITY_IDENTIFICATION`: a server may learn who we are, and not act as us.
const IDENTIFICATION: u32 = 0x0001_0000;
/// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C is not heard.
const OWN_GROUP: u32 = 0x0000_0200;
/// `BELOW_NORMAL_PRIORITY_CLASS`.
const LOWER: u32 = 0x0000_4000;
/// `CREATE_NO_WINDOW`: no console opens, and the one of this process may be closed.
const NO_WINDOW: u32 = 0x0800_0000;
/// `STATUS_CONTROL_C_EXIT`: how a process ends that does not hear Ctrl-C.
const STOPPED: i32 = 0xC000_013A_u32.cast_signed();
/// How often it is looked whether Ctrl-C came: nothing can be waited for.
const LOOKS: Duration = Duration::from_millis(50);
/// Longest path that all programs take, in UTF-16 units with a zero at the end.
const LONGEST: usize = 260;

pub(super) fn open_without_waiting(options: &mut OpenOptions) {
    options.security_qos_flags(IDENTIFICATION);
}

pub(super) fn create_for_owner(_: &mut OpenOptions) {}

pub(super) fn create_folders_for_owner(_: &mut DirBuilder) {}

pub(super) fn owner_permissions() -> Option<Permissions> {
    None
}

pub(super) fn is_open_to_others(_: &Metadata) -> bool {
    false
}

pub(super) fn close_to_others(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn take_over_permissions(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn may_run(_: &Metadata) -> bool {
    true
}

pub(super) fn open_beneath(_: &Path, _: &Path, _: fn() -> io::Error) -> io::Result<Option<File>> {
    Ok(None)
}

pub(super) fn open_unlinked(_: &Path, _: fn() -> io::Error) -> io::Result<Option<File>> {
    Ok(None)
}

pub(super) fn reader_of(_: &Path, _: &OpenOptions) -> io::Result<Option<File>> {
    Ok(None)
}

pub(super) fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    // It is no temporary file any more, and the standard library's way to rename replaces files that are open.
    let aside = file.into_temp_path().keep().map_err(|error| error.error)?;
    fs::rename(&aside, path).inspect_err(|_| drop(fs::remove_file(&aside)))
}

pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn read_exact_at(file: &File, mut out: &mut [u8], mut start: u64) -> io::Result<()> {
    while !out.is_empty() {
        match file.seek_read(out, start) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                out = &mut out[count..];
                start += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(super) fn write_all_at(mut file: &File, mut bytes: &[u8], mut start: u64) -> io::Result<()> {
    let stood = file.stream_position()?;
    while !bytes.is_empty() {
        match file.seek_write(bytes, start) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = &bytes[count..];
                start += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    file.seek(SeekFrom::Start(stood)).map(drop)
}

pub(super) fn file_number(meta: &Metadata) -> (u64, u64) {
    (0, meta.creation_time())
}

pub(super) fn changed_ns(_: &Metadata) -> Option<i64> {
    None
}

pub(super) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let real = fs::canonicalize(path)?;
    Ok(plain(&real).unwrap_or(real))
}

/// A path without `\\?\`, where it means the same without: on a drive, not too long, and no name of it one that would
/// be read otherwise.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut components = path.components();
    let Some(Component::Prefix(prefix)) = components.next() else { return None };
    let Prefix::VerbatimDisk(drive) = prefix.kind() else { return None };
    let mut out = PathBuf::from(format!("{}:\\", char::from(drive)));
    for component in components {
        match component {
            Component::RootDir => {}
            Component::Normal(name) if !is_read_otherwise(name.to_str()?) => out.push(name),
            _ => return None,
        }
    }
    (out.to_str()?.encode_utf16().count() < LONGEST).then_some(out)
}

/// Whether a name means something else where it stands in a path as users write it: the name of a device, one with a
/// slash, or one that ends in a dot or a blank.
fn is_read_otherwise(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let numbered = |device: &str| {
        let rest = stem.strip_prefix(device).unwrap_or_default();
        rest.chars().count() == 1 && rest.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c))
    };
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str())
        || numbered("COM")
        || numbered("LPT")
        || name.ends_with(['.', ' '])
        || name.contains('/')
}

pub(super) fn path_from_bytes(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

pub(super) fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

pub(super) fn is_variable(name: &OsStr, wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted)
}

pub(super) fn shows_colours() -> bool {
    // None: what is written to is no console.
    anstyle_query::windows::enable_ansi_colors() != Some(false)
}

pub(super) fn in_own_group(command: &mut Command) {
    command.creation_flags(OWN_GROUP);
}

pub(super) fn in_background(command: &mut Command) {
    command.creation_flags(OWN_GROUP | LOWER | NO_WINDOW);
}

pub(super) fn lower_priority() {}

pub(super) fn address_space() -> Option<u64> {
    None
}

pub(super) fn soften_limits(_: &Arc<AtomicBool>, _: u8, _: u8) {}

pub(super) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

pub(super) fn session_number() -> Option<i32> {
    None
}

pub(super) fn hear_stop(ends: &Arc<AtomicBool>, heard: &Arc<AtomicBool>) {
    for signal in [SIGINT, SIGTERM] {
        // In this order: the second does nothing if the first ends it.
        drop(flag::register_conditional_shutdown(signal, STOPPED, Arc::clone(ends)));
        drop(flag::register(signal, Arc::clone(heard)));
    }
}

/// Ctrl-C, once after another.
#[derive(Debug)]
pub struct StopSignals(Arc<AtomicBool>);

impl StopSignals {
    /// Those that come from now on.
    ///
    /// # Errors
    /// When the system gives none.
    pub fn new() -> io::Result<Self> {
        let came = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, Arc::clone(&came))?;
        }
        Ok(Self(came))
    }

    /// Waits for them for ever; ends the process after one that `ends` says yes to, as if nobody had asked for it.
    pub fn wait(self, ends: impl Fn() -> bool) {
        loop {
            std::thread::sleep(LOOKS);
            if self.0.swap(false, Ordering::SeqCst) && ends() {
                low_level::exit(STOPPED);
            }
        }
    }
}

/// All processes that one has started. Windows has such in its jobs, which the standard library does not know.
#[derive(Debug)]
pub struct Group(());

impl Group {
    /// None.
    pub fn of(_: u32) -> Option<Self> {
        None
    }

    /// Ends nothing.
    pub fn kill(self) {}
}

/// Waits for a process that is started here. Whether the parent of this one has gone is not noticed.
#[derive(Debug)]
pub struct Keeper(());

impl Keeper {
    /// Begins.
    ///
    /// # Errors
    /// None.
    pub fn begin(_: u32) -> io::Result<Option<Self>> {
        Ok(Some(Self(())))
    }

    /// Waits for the process to end.
    ///
    /// # Errors
    /// When the process cannot be waited for.
    pub fn wait(self, mut process: Child) -> io::Result<()> {
        process.wait().map(drop)
    }
}

/// A terminal that gives each key as it is pressed. The standard library cannot ask a console for that.
#[derive(Debug)]
pub struct RawTerminal(());

impl RawTerminal {
    /// None: a line is read.
    pub fn of_input() -> Option<Self> {
        None
    }
}

/// There is none.
#[derive(Debug)]
pub enum UnixListener {}

/// There is none.
#[derive(Debug)]
pub enum UnixStream {}

impl Read for UnixStream {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl Write for UnixStream {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}

pub(super) fn is_answered_at(_: &Path) -> bool {
    false
}

pub(super) fn listen_at(_: &Path) -> io::Result<UnixListener> {
    Err(ErrorKind::Unsupported.into())
}

pub(super) fn connect_to(_: &Path, _: Duration) -> io::Result<UnixStream> {
    Err(ErrorKind::Unsupported.into())
}

pub(super) fn path_of(listener: &UnixListener) -> io::Result<Option<PathBuf>> {
    match *listener {}
}

pub(super) fn given_listener(_: &mut ListenFd) -> Option<UnixListener> {
    None
}
