//! The one way to open a file that somebody else may have written.
//!
//! A name in a stranger's folder may be a device, a FIFO, a socket, a link out of the folder or a file without end.
//! [`open`] takes regular files only, never waits for one to be opened, and follows links as far as [`Links`] says;
//! [`read`] and [`read_text`] stop at the limit of the kind of file. `tests/layers.rs` keeps other ways of opening out
//! of the program.

use crate::platform;
use crate::types::limits::Limit;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Which links are followed on the way to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links<'a> {
    /// All: the user named the file, or it lies where only the user writes.
    Follow,
    /// None that leads out of this folder, neither the file itself nor a folder on the way. The folder itself may be
    /// reached by a link.
    Within(&'a Path),
    /// None at all: the path is as it was resolved once, and what a link on it leads to now is something else.
    Never,
}

/// Opens a regular file for reading, without waiting.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for a folder, device, FIFO or socket, [`ErrorKind::PermissionDenied`] for a link that
/// leads out of the folder, and whatever the system says.
pub fn open(path: &Path, links: Links<'_>) -> io::Result<File> {
    let file = match links {
        Links::Follow => options().open(path)?,
        Links::Within(folder) => open_within(path, folder)?,
        Links::Never => open_resolved(path)?,
    };
    // Asked of what was opened, not of the name, which may be another file by now.
    let meta = file.metadata()?;
    if !meta.is_file() {
        let what = if meta.is_dir() { "it is a folder" } else { "it is no regular file" };
        return Err(io::Error::new(ErrorKind::InvalidInput, what));
    }
    Ok(file)
}

/// Opens a regular file of at most the limit's bytes; gives its length too.
///
/// # Errors
/// Those of [`open`], and [`ErrorKind::FileTooLarge`].
pub fn open_limited(path: &Path, links: Links<'_>, limit: Limit) -> io::Result<(File, u64)> {
    let file = open(path, links)?;
    let bytes = file.metadata()?.len();
    if bytes > limit.bytes { Err(too_large(limit)) } else { Ok((file, bytes)) }
}

/// Reads a regular file of at most the limit's bytes.
///
/// # Errors
/// Those of [`open`], and [`ErrorKind::FileTooLarge`] also for a file that grows beyond the limit meanwhile.
pub fn read(path: &Path, links: Links<'_>, limit: Limit) -> io::Result<Vec<u8>> {
    let (file, bytes) = open_limited(path, links, limit)?;
    let mut out = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
    read_limited(file, limit, &mut out)?;
    Ok(out)
}

/// Reads a regular file of at most the limit's bytes as UTF-8.
///
/// # Errors
/// Those of [`read`], and [`ErrorKind::InvalidData`] for what is no UTF-8.
pub fn read_text(path: &Path, links: Links<'_>, limit: Limit) -> io::Result<String> {
    utf8(read(path, links, limit)?)
}

/// Reads a stream of at most the limit's bytes as UTF-8.
///
/// # Errors
/// Those of [`read_limited`], and [`ErrorKind::InvalidData`] for what is no UTF-8.
pub fn stream_text(from: impl Read, limit: Limit) -> io::Result<String> {
    let mut bytes = Vec::new();
    read_limited(from, limit, &mut bytes)?;
    utf8(bytes)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Reads a stream of at most the limit's bytes to its end.
///
/// # Errors
/// [`ErrorKind::FileTooLarge`], and whatever the stream says.
pub fn read_limited(from: impl Read, limit: Limit, out: &mut Vec<u8>) -> io::Result<()> {
    let before = out.len() as u64;
    from.take(limit.bytes.saturating_add(1)).read_to_end(out)?;
    if out.len() as u64 - before > limit.bytes { Err(too_large(limit)) } else { Ok(()) }
}

fn too_large(limit: Limit) -> io::Error {
    let (number, unit) = limit.size();
    io::Error::new(ErrorKind::FileTooLarge, format!("{} may have {number} {unit} at most", limit.what))
}

/// Opens a file of ours to be appended to, and makes it, for its owner alone, if there is none.
///
/// # Errors
/// Whatever the system says.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    platform::create_for_owner(&mut options);
    options.open(path)
}

/// Opens what is there to be written to, such as a device or a FIFO that somebody reads from; nobody is waited for.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for a FIFO or socket that nobody reads from, and whatever the system says.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    let _reader_is_there = platform::reader_of(path, &options)?;
    options.open(path)
}

/// For reading. It does not wait for the other end of a FIFO, and a terminal does not become that of this process.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    platform::open_without_waiting(&mut options);
    options
}

/// The kernel holds the path to the folder where it can; elsewhere the resolved names are compared.
fn open_within(path: &Path, folder: &Path) -> io::Result<File> {
    if let Some(file) = platform::open_beneath(path, folder, escapes)? {
        return Ok(file);
    }
    let (real, root) = (platform::canonical(path)?, platform::canonical(folder)?);
    if real.starts_with(root) { options().open(real) } else { Err(escapes()) }
}

/// The kernel looks for links where it can; elsewhere the resolved name is compared.
fn open_resolved(path: &Path) -> io::Result<File> {
    if let Some(file) = platform::open_unlinked(path, linked)? {
        return Ok(file);
    }
    if platform::canonical(path)? == path { options().open(path) } else { Err(linked()) }
}

fn linked() -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, "it is a link, or lies behind one")
}

fn escapes() -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, "it is a link out of its folder")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    const SMALL: Limit = Limit { what: "a note", bytes: 4 << 10 };

    #[test]
    fn a_file_is_read_up_to_its_limit_and_no_further() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, vec![b'x'; 4 << 10]).unwrap();
        assert_eq!(read(&path, Links::Follow, SMALL).unwrap().len(), 4 << 10);
        fs::write(&path, vec![b'x'; (4 << 10) + 1]).unwrap();
        let error = read(&path, Links::Follow, SMALL).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "a note may have 4 KiB at most");
        // A stream has no length to be asked for before.
        let error = read_limited(io::repeat(0), SMALL, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn every_kind_of_file_is_taken_at_its_limit_and_refused_above() {
        let dir = tempfile::tempdir().unwrap();
        for limit in crate::types::limits::FILES {
            // A file with a hole: it has the length and takes no room.
            let path = dir.path().join("sparse");
            let file = File::create(&path).unwrap();
            file.set_len(limit.bytes).unwrap();
            assert_eq!(open_limited(&path, Links::Follow, *limit).unwrap().1, limit.bytes, "{}", limit.what);
            file.set_len(limit.bytes + 1).unwrap();
            let error = open_limited(&path, Links::Within(dir.path()), *limit).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FileTooLarge, "{}", limit.what);
            assert!(error.to_string().starts_with(limit.what));
        }
    }

    #[test]
    fn devices_fifos_sockets_and_folders_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let link = dir.path().join("link");
        symlink("/dev/zero", &link).unwrap();
        let socket = dir.path().join("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [&fifo, &link, &socket, &dir.path().to_owned()] {
            for links in [Links::Follow, Links::Within(dir.path())] {
                assert!(read(path, links, SMALL).is_err(), "{path:?}");
            }
        }
        assert_eq!(read(&fifo, Links::Follow, SMALL).unwrap_err().kind(), ErrorKind::InvalidInput);
    }

    #[test]
    fn links_are_followed_inside_the_folder_only() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("repository");
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::write(dir.path().join("secret"), "s").unwrap();
        fs::write(folder.join("sub/a"), "a").unwrap();
        symlink("sub/a", folder.join("inside")).unwrap();
        symlink("../secret", folder.join("outside")).unwrap();
        symlink("..", folder.join("up")).unwrap();
        let read = |name: &str| read_text(&folder.join(name), Links::Within(&folder), SMALL);
        assert_eq!(read("inside").unwrap(), "a");
        for name in ["outside", "up/secret", "../secret"] {
            assert_eq!(read(name).unwrap_err().kind(), ErrorKind::PermissionDenied, "{name}");
        }
        // Where the path was resolved before, no link counts.
        let folder = folder.canonicalize().unwrap();
        let plain = |name: &str| read_text(&folder.join(name), Links::Never, SMALL);
        assert_eq!(plain("sub/a").unwrap(), "a");
        for name in ["inside", "outside", "up/secret"] {
            assert_eq!(plain(name).unwrap_err().kind(), ErrorKind::PermissionDenied, "{name}");
        }
        // The folder itself may be reached by a link.
        symlink(&folder, dir.path().join("by-link")).unwrap();
        let root = dir.path().join("by-link");
        assert_eq!(read_text(&root.join("sub/a"), Links::Within(&root), SMALL).unwrap(), "a");
    }
}
