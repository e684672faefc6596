//! What commands printed when they last went well, so that a later failure can be compared with it.
//!
//! Kept only where `run.keep_passing` asks for it, in files that their owner alone can read. A file holds hashes of the
//! shapes of lines (`triage::Passing`) and no text; its name is a hash of the command and the folder it ran in.
//! `index/FORMAT.md` has the layout.

use super::{Engine, EngineError, Session};
use crate::map::open::{Links, read};
use crate::map::write_aside;
use crate::store::make_private;
use crate::text::sha256_hex;
use crate::triage::Passing;
use crate::types::limits::{PASSING_RUN, PASSING_RUNS};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder in the data directory.
pub(super) const PASSING: &str = "passing";
/// How names of the files end.
pub(super) const ENDING: &str = ".passing";

/// First bytes of a file: name and format.
const MAGIC: &[u8; 8] = b"kenpass1";
/// Bytes of the hash that follows: of all that comes after it.
const CHECK_BYTES: usize = 32;

/// A command as it was run: the same again is the same words in the same folder.
#[derive(Debug, Clone, Copy)]
pub struct CommandRun<'a> {
    /// Program and arguments.
    pub words: &'a [std::ffi::OsString],
    /// The working directory.
    pub folder: &'a Path,
}

impl CommandRun<'_> {
    fn file(&self, data: &Path) -> PathBuf {
        let parts = std::iter::once(self.folder.as_os_str()).chain(self.words.iter().map(|word| &**word));
        // Lengths keep the words apart.
        let framed = |part: &OsStr| [&part.len().to_le_bytes()[..], part.as_encoded_bytes()].concat();
        let name = sha256_hex(&parts.map(framed).collect::<Vec<_>>().concat());
        data.join(PASSING).join(format!("{}{ENDING}", &name[..32]))
    }
}

impl Engine {
    /// What the command printed when it last went well, if that is kept. A file that cannot be used is a note.
    pub fn kept_passing(&self, run: CommandRun<'_>, session: &Session<'_>) -> Option<Passing> {
        let path = run.file(self.settings.data.as_ref()?);
        let bytes = match read(&path, Links::Follow, PASSING_RUN) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                session.note(format!("the lines of the passing run are not compared: {error}"));
                return None;
            }
        };
        let decoded = decode(&bytes);
        if decoded.is_none() {
            session.note("the lines of the passing run are not compared: their file is damaged".to_owned());
        }
        decoded
    }

    /// Keeps what a command printed that went well, in place of what is kept of it. Of too many commands the one that
    /// went well longest ago is forgotten.
    ///
    /// # Errors
    /// [`EngineError`] when there is no data directory or the disk refuses.
    pub fn keep_passing(&self, run: CommandRun<'_>, passing: &Passing) -> Result<(), EngineError> {
        let path = run.file(self.data()?);
        let folder = path.parent().unwrap_or(&path);
        make_private(folder)?;
        write_aside(&path, &encode(passing)).map_err(|source| EngineError::Io { path: path.clone(), source })?;
        forget_oldest(folder);
        Ok(())
    }
}

fn encode(passing: &Passing) -> Vec<u8> {
    let body: Vec<u8> = passing.shapes().into_iter().flat_map(u64::to_le_bytes).collect();
    [&MAGIC[..], &crate::text::sha256(&body)[..], &body].concat()
}

fn decode(bytes: &[u8]) -> Option<Passing> {
    let (check, body) = bytes.strip_prefix(MAGIC)?.split_at_checked(CHECK_BYTES)?;
    let (shapes, rest) = body.as_chunks::<8>();
    let is_whole = rest.is_empty() && crate::text::sha256(body)[..] == *check;
    is_whole.then(|| Passing::from_shapes(shapes.iter().map(|bytes| u64::from_le_bytes(*bytes))))
}

/// Removes the oldest files of a folder until there are no more than may be. What cannot be removed stays.
fn forget_oldest(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ENDING))
        .filter_map(|path| Some((fs::symlink_metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    files.sort();
    let over = files.len().saturating_sub(PASSING_RUNS);
    for (_, path) in &files[..over] {
        drop(fs::remove_file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clean;
    use std::ffi::OsString;

    #[test]
    fn a_file_that_is_not_whole_is_none() {
        let mut passing = Passing::default();
        passing.add(&clean("checking\nall is well\n"));
        let bytes = encode(&passing);
        assert_eq!(decode(&bytes), Some(passing));
        for at in 0..bytes.len() {
            assert_eq!(decode(&bytes[..at]), None, "{at}");
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_eq!(decode(&other), None, "{at}");
        }
    }

    #[test]
    fn the_same_command_is_the_same_words_in_the_same_folder() {
        let file = |words: &[&str], folder: &str| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            CommandRun { words: &words, folder: Path::new(folder) }.file(Path::new("/data"))
        };
        assert_eq!(file(&["make", "all"], "/a"), file(&["make", "all"], "/a"));
        let others = [file(&["make all"], "/a"), file(&["make", "all"], "/b"), file(&["makea", "ll"], "/a")];
        assert!(others.iter().all(|other| *other != file(&["make", "all"], "/a")));
    }

    #[test]
    fn the_oldest_go_first() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..PASSING_RUNS + 3 {
            let path = dir.path().join(format!("{number}{ENDING}"));
            fs::write(&path, "").unwrap();
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number as u64);
            fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        }
        fs::write(dir.path().join("another's"), "").unwrap();
        forget_oldest(dir.path());
        let left = |name: String| dir.path().join(name).exists();
        assert!(!left(format!("2{ENDING}")) && left(format!("3{ENDING}")) && left("another's".to_owned()));
    }
}
