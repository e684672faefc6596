//! Writing a bundle. The same model with the same vectors gives the same bytes: there is no time in it.

use super::contents::{CONTENTS, Contents, Entry};
use crate::embed::EmbedError;
use crate::embed::event::PullEvent;
use crate::embed::hash::Hasher;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Where the bytes of a file come from: what to name when they cannot be read, and the bytes.
pub(crate) type Source<'a> = (&'a Path, Box<dyn Read + 'a>);

/// Sizes from which a zip archive needs its longer form.
const LARGE: u64 = u32::MAX as u64;

/// Writes the contents and every file that they name. Between two pieces `stopped` is asked.
///
/// # Errors
/// [`EmbedError::Io`] when a file cannot be read or written, or when it was stopped; [`EmbedError::Damaged`] when a
/// file is not what the contents say.
pub(crate) fn write<'a>(
    (path, to): (&Path, &mut File),
    contents: &Contents,
    source: &mut dyn FnMut(&Entry) -> Result<Source<'a>, EmbedError>,
    stopped: &dyn Fn() -> bool,
    on: &mut dyn FnMut(PullEvent<'_>),
) -> Result<(), EmbedError> {
    let zip_failed = |error: zip::result::ZipError| EmbedError::io(path)(error.into());
    let mut zip = ZipWriter::new(to);
    let options = |size: u64| {
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        stored.unix_permissions(0o644).large_file(size >= LARGE)
    };
    let text = contents.text()?;
    zip.start_file(CONTENTS, options(0)).map_err(zip_failed)?;
    zip.write_all(text.as_bytes()).map_err(EmbedError::io(path))?;
    let mut buffer = vec![0; 1 << 18];
    for entry in contents.entries() {
        on(PullEvent::File { path: &entry.path, size: Some(entry.size), done: 0 });
        zip.start_file(&*entry.path, options(entry.size)).map_err(zip_failed)?;
        let (name, mut from) = source(entry)?;
        let (mut hasher, mut done) = (Hasher::default(), 0);
        loop {
            if stopped() {
                let stopped = io::Error::new(io::ErrorKind::Interrupted, "stopped, and nothing is left of it");
                return Err(EmbedError::io(path)(stopped));
            }
            let count = from.read(&mut buffer).map_err(EmbedError::io(name))?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
            zip.write_all(&buffer[..count]).map_err(EmbedError::io(path))?;
            done += count as u64;
            on(PullEvent::Bytes { done });
        }
        let got = hasher.hex();
        if got != entry.sha256 {
            let what = format!("its SHA-256 is {got} instead of {}", entry.sha256);
            return Err(EmbedError::Damaged { path: name.into(), what });
        }
    }
    zip.finish().map_err(zip_failed)?;
    Ok(())
}
