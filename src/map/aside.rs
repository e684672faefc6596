//! Files that are written beside the one they are to become, and take its place in one step.

use super::Map;
use crate::platform::{self, sync_folder};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is being written, piece by piece and in any order, to become another. Dropped before that it leaves
/// nothing; what a process that was killed meanwhile leaves is named by [`Aside::prefix`].
#[derive(Debug)]
pub struct Aside {
    file: NamedTempFile,
    path: PathBuf,
}

impl Aside {
    /// An empty file that is to become `path`; folders on the way are made.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn new(path: &Path) -> io::Result<Self> {
        let folder = folder(path);
        fs::create_dir_all(folder)?;
        let file = tempfile::Builder::new().prefix(&Self::prefix(path)).rand_bytes(RANDOM).tempfile_in(folder)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// As [`Aside::new`] for a file that the user keeps, which may be a link into another folder: the file that the
    /// link names is replaced, and the link stays a link.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn behind_link(path: &Path) -> io::Result<Self> {
        Self::new(&platform::canonical(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// How the names of files begin that are to become `path`: a dot, its name and a dash.
    pub fn prefix(path: &Path) -> OsString {
        let mut prefix = OsString::from(".");
        prefix.push(path.file_name().unwrap_or_default());
        prefix.push("-");
        prefix
    }

    /// Removes whatever is or was to become `path`. A process that is still writing one finds its
    /// [path](Self::path) gone. A folder, a link, and a file that holds anything else than what is written here stay.
    ///
    /// # Errors
    /// When one that is there cannot be removed.
    pub fn remove_all(path: &Path) -> io::Result<()> {
        let prefix = Self::prefix(path);
        let prefix = prefix.as_encoded_bytes();
        for entry in fs::read_dir(folder(path))? {
            let entry = entry?;
            let name = entry.file_name();
            let random = name.as_encoded_bytes().strip_prefix(prefix).unwrap_or_default();
            let named = random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric);
            if named && entry.file_type()?.is_file() && is_half(&entry.path()) {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Its name until then. Others may remove it, and then it takes nobody's place.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Makes it so long; what is new is zero.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn resize(&mut self, bytes: usize) -> io::Result<()> {
        self.file.as_file().set_len(bytes as u64)
    }

    /// Writes bytes from `start` on.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn put(&mut self, start: usize, bytes: &[u8]) -> io::Result<()> {
        platform::write_all_at(self.file.as_file(), bytes, start as u64)
    }

    /// Writes it from the beginning, piece after piece.
    pub fn stream(&mut self) -> impl io::Write + '_ {
        io::BufWriter::new(self.file.as_file_mut())
    }

    /// The file itself, to be written as its writer likes.
    pub fn file(&mut self) -> &mut fs::File {
        self.file.as_file_mut()
    }

    /// To be read where it lies. Nothing is written as long as it is mapped: that takes the file itself.
    pub(super) fn map(&self) -> io::Result<Map> {
        Map::of(self.file.as_file().try_clone()?)
    }

    /// Puts it in its place, whole and synced: a reader sees the old file or this one.
    ///
    /// # Errors
    /// When the disk refuses, or somebody has removed it; what was there is untouched then.
    pub fn persist(self) -> io::Result<()> {
        let Self { file, path } = self;
        file.as_file().sync_all()?;
        platform::put_in_place(file, &path)?;
        sync_folder(folder(&path))
    }
}

/// Characters that a name ends with which nobody else has.
const RANDOM: usize = 6;

/// Whether a file begins as what is written aside does: with nothing yet, or with the name of ours that all files have
/// which are removed so.
fn is_half(path: &Path) -> bool {
    use std::io::Read;
    let mut first = Vec::new();
    let read =
        super::open::open(path, super::open::Links::Follow).and_then(|file| file.take(8).read_to_end(&mut first));
    read.is_ok()
        && (first.iter().all(|byte| *byte == 0) || first.get(..3).is_some_and(|b| b.eq_ignore_ascii_case(b"ken")))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file so that after a crash it is the old one or the new one.
///
/// # Errors
/// When the disk refuses; what was there is untouched then.
pub fn write_aside(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut aside = Aside::new(path)?;
    aside.put(0, bytes)?;
    aside.persist()
}

/// Writes a file of the user's so that after a crash it is the old one or the new one, and a link stays a link.
///
/// # Errors
/// When the disk refuses; what was there is untouched then.
pub fn write_behind_link(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut aside = Aside::behind_link(path)?;
    aside.put(0, bytes)?;
    aside.persist()
}

/// Files that take their places together or not at all. They are written and synced when they are added, so that
/// nothing but renaming is left to fail; what stood there is kept in a copy until [`Placed::keep`].
///
/// A process that is killed between two renames leaves the first file new and the second old, each of them whole.
#[derive(Debug, Default)]
pub struct AsideGroup {
    files: Vec<Exchange>,
}

/// A file that waits for its place, and a copy of the one that stands there now.
#[derive(Debug)]
struct Exchange {
    new: Aside,
    old: Option<Aside>,
}

impl AsideGroup {
    /// Adds the file that is to become `path`, where `before` stands now, or nothing.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add(&mut self, path: &Path, before: Option<&[u8]>, bytes: &[u8]) -> io::Result<()> {
        let written = |bytes: &[u8]| {
            let mut aside = Aside::behind_link(path)?;
            aside.put(0, bytes)?;
            aside.file.as_file().sync_all()?;
            Ok::<_, io::Error>(aside)
        };
        self.files.push(Exchange { new: written(bytes)?, old: before.map(written).transpose()? });
        Ok(())
    }

    /// Puts all files in their places; all are taken back when the answer is dropped without [`Placed::keep`].
    ///
    /// # Errors
    /// When one cannot take its place, which is named; all that was there is there again then.
    pub fn place(self) -> Result<Placed, (PathBuf, io::Error)> {
        let mut placed = Placed { before: Vec::new() };
        for Exchange { new, old } in self.files {
            let Aside { file, path } = new;
            if let Err(error) = platform::put_in_place(file, &path) {
                return Err((path, error));
            }
            placed.before.push((path.clone(), old));
            sync_folder(folder(&path)).map_err(|error| (path, error))?;
        }
        Ok(placed)
    }
}

/// Files that stand in their places and can still be taken back, which dropping this does.
#[derive(Debug)]
#[must_use = "dropped, it takes the files back"]
pub struct Placed {
    before: Vec<(PathBuf, Option<Aside>)>,
}

impl Placed {
    /// They stay; the copies of what was there are removed.
    pub fn keep(mut self) {
        self.before.clear();
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        for (path, old) in self.before.drain(..).rev() {
            // The failure that led here is the one to tell; both files are whole whatever happens.
            let _ = match old {
                Some(old) => old.persist(),
                None => fs::remove_file(&path),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_group_take_their_places_together_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let read = |name: &str| fs::read_to_string(at(name)).ok();
        let group = |names: &[&str]| {
            let mut group = AsideGroup::default();
            for name in names {
                let before = fs::read(at(name)).ok();
                group.add(&at(name), before.as_deref(), b"new").unwrap();
            }
            group
        };
        fs::write(at("one"), "old").unwrap();
        drop(group(&["one", "two"]));
        drop(group(&["one", "two"]).place().unwrap());
        assert_eq!((read("one").as_deref(), read("two")), (Some("old"), None));
        // A folder that came in the way of the last one.
        let late = group(&["one", "two", "three"]);
        fs::create_dir(at("three")).unwrap();
        assert_eq!(late.place().unwrap_err().0, at("three"));
        assert_eq!((read("one").as_deref(), read("two")), (Some("old"), None));
        group(&["one", "two"]).place().unwrap().keep();
        assert_eq!((read("one").as_deref(), read("two").as_deref()), (Some("new"), Some("new")));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3, "no copy is left");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_of_the_users_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("kept/file"), dir.path().join("link"));
        write_aside(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_behind_link(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

    #[test]
    fn what_was_removed_takes_no_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "old").unwrap();
        fs::write(dir.path().join(".files"), "another's").unwrap();
        fs::write(dir.path().join(".file-abc123"), "another's").unwrap();
        fs::create_dir(dir.path().join(".file-photos")).unwrap();
        fs::write(dir.path().join(".file-abcdefg"), "").unwrap();
        let aside = Aside::new(&path).unwrap();
        Aside::remove_all(&path).unwrap();
        assert!(!aside.path().exists());
        aside.persist().unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(Aside::new(&path).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 5);
    }
}
