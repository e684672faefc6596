//! Reading a bundle: a stranger's file, of which nothing is believed before it was compared.

use super::contents::{CONTENTS, Contents, Entry};
use crate::embed::EmbedError;
use crate::embed::hash::Hasher;
use crate::map::open::{self, Links, read_limited};
use crate::types::limits::{BUNDLE, BUNDLE_CONTENTS};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use zip::CompressionMethod;
use zip::read::{ZipFile, read_zipfile_from_stream};
use zip::result::ZipError;

/// Takes the next bytes of a file, and how many there have been with them.
pub(crate) type Receive<'a> = dyn FnMut(&[u8], u64) -> Result<(), EmbedError> + 'a;

/// Bytes that are read at once.
const PIECE: usize = 1 << 18;
/// Most bytes of the list of files at the end of the archive.
const LIST: u64 = 4 << 10;
/// How a file begins in the archive, an entry of the list, and the end of the list; and the length of that end.
const FILE_MARK: &[u8] = b"PK\x03\x04";
const LIST_MARK: &[u8] = b"PK\x01\x02";
const END_MARK: &[u8] = b"PK\x05\x06";
const END: usize = 22;

/// A bundle that is being read.
pub(crate) struct Bundle {
    path: PathBuf,
    from: BufReader<File>,
    contents: Contents,
}

/// A file in the archive that is stored as it is and has this name.
fn next<'a>(
    from: &'a mut BufReader<File>,
    path: &Path,
    is_named: impl FnOnce(&str) -> Result<(), EmbedError>,
) -> Result<ZipFile<'a, BufReader<File>>, EmbedError> {
    let broken = |what: String| EmbedError::BrokenBundle { path: path.into(), what };
    let file = match read_zipfile_from_stream(from) {
        Ok(Some(file)) => file,
        Ok(None) => return Err(broken("a file is missing from it".into())),
        Err(ZipError::Io(error)) => return Err(failed(path, error)),
        Err(error) => return Err(broken(error.to_string())),
    };
    let name = String::from_utf8_lossy(file.name_raw());
    is_named(&name)?;
    if file.encrypted() || file.compression() != CompressionMethod::Stored || file.size() != file.compressed_size() {
        return Err(broken(format!("{name} is packed or encrypted, and a bundle stores files as they are")));
    }
    Ok(file)
}

/// The disk's failure is the disk's; everything else is the file's.
fn failed(path: &Path, error: io::Error) -> EmbedError {
    let what = match error.kind() {
        _ if error.raw_os_error().is_some() => return EmbedError::io(path)(error),
        io::ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
        _ => format!("it is damaged: {error}"),
    };
    EmbedError::BrokenBundle { path: path.into(), what }
}

impl Bundle {
    /// Opens a bundle and reads what it holds.
    ///
    /// # Errors
    /// [`EmbedError::NoBundle`], [`EmbedError::NewerBundle`], [`EmbedError::BrokenBundle`] or [`EmbedError::Io`].
    pub fn open(path: &Path) -> Result<Self, EmbedError> {
        let (file, bytes) = open::open_limited(path, Links::Follow, BUNDLE).map_err(EmbedError::io(path))?;
        let mut from = BufReader::with_capacity(PIECE, file);
        let no_bundle = |what: String| EmbedError::NoBundle { path: path.into(), what };
        if !from.fill_buf().map_err(EmbedError::io(path))?.starts_with(FILE_MARK) {
            return Err(no_bundle("it is no zip archive".into()));
        }
        let mut text = Vec::new();
        let is_named = |name: &str| match name == CONTENTS {
            true => Ok(()),
            false => Err(no_bundle(format!("it begins with {name:?}, a bundle with {CONTENTS}"))),
        };
        let file = next(&mut from, path, is_named)?;
        read_limited(file, BUNDLE_CONTENTS, &mut text).map_err(|error| failed(path, error))?;
        let contents = Contents::parse(&text, path)?;
        let least = contents.entries().map(|entry| entry.size).sum::<u64>();
        if least > bytes {
            let what = format!("it has {bytes} bytes, and the files in it have {least}");
            return Err(EmbedError::BrokenBundle { path: path.into(), what });
        }
        Ok(Self { path: path.into(), from, contents })
    }

    /// What it holds.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Hands on the bytes of the next file, which must be this one, with the number of bytes so far. They are those of
    /// the hash only if there is no error.
    ///
    /// # Errors
    /// [`EmbedError::BrokenBundle`] when it is another file, [`EmbedError::Io`], or the receiver's error.
    pub fn take(&mut self, entry: &Entry, receive: &mut Receive<'_>) -> Result<(), EmbedError> {
        let path = &self.path;
        let broken = |what: String| EmbedError::BrokenBundle { path: path.clone(), what };
        let is_named = |name: &str| match name == entry.path {
            true => Ok(()),
            false => Err(broken(format!("{name:?} stands where {} should", entry.path))),
        };
        let mut file = next(&mut self.from, path, is_named)?;
        if file.size() != entry.size {
            let (is, should) = (file.size(), entry.size);
            return Err(broken(format!("{} has {is} bytes; it should have {should}", entry.path)));
        }
        let (mut hasher, mut buffer, mut done) = (Hasher::default(), vec![0; PIECE], 0);
        loop {
            let count = file.read(&mut buffer).map_err(|error| failed(path, error))?;
            if count == 0 {
                break;
            }
            done += count as u64;
            hasher.update(&buffer[..count]);
            receive(&buffer[..count], done)?;
        }
        let got = hasher.hex();
        if done != entry.size || got != entry.sha256 {
            return Err(broken(format!("{} has SHA-256 {got}; it should have {}", entry.path, entry.sha256)));
        }
        Ok(())
    }

    /// Sees to it that nothing is missing and nothing follows, after the last file was taken.
    ///
    /// # Errors
    /// [`EmbedError::BrokenBundle`] or [`EmbedError::Io`].
    pub fn end(mut self) -> Result<(), EmbedError> {
        let mut list = Vec::new();
        self.from.by_ref().take(LIST + 1).read_to_end(&mut list).map_err(EmbedError::io(&self.path))?;
        let files = 1 + self.contents.entries().count() as u16;
        let end = list.len().checked_sub(END).map(|at| &list[at..]).unwrap_or_default();
        // The number of files, and the length of a comment, which there is none of.
        let fits = || end.starts_with(END_MARK) && end[10..12] == files.to_le_bytes() && end[20..] == [0, 0];
        if list.len() as u64 > LIST || !list.starts_with(LIST_MARK) || !fits() {
            let what = "its end is missing, or something follows it".to_owned();
            return Err(EmbedError::BrokenBundle { path: self.path, what });
        }
        Ok(())
    }
}
