//! Whether files are still the ones that were read: by device, number, size and time of the last change, which is what
//! a request can afford to look at.

use crate::platform;
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

/// What tells a file from the one that stood there before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileIdentity {
    /// As `platform` has it.
    number: (u64, u64),
    len: u64,
    modified: Option<SystemTime>,
}

/// Files and folders as they were at one moment, whether they were there or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::engine) struct Watched(Vec<(PathBuf, Option<FileIdentity>)>);

impl Watched {
    /// These, as they are now. Called before they are read: what changes meanwhile is noticed at the next request.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(paths.into_iter().map(|path| (identity(&path), path)).map(|(found, path)| (path, found)).collect())
    }

    /// Whether all of them are what they were.
    pub fn is_unchanged(&self) -> bool {
        self.0.iter().all(|(path, known)| identity(path) == *known)
    }
}

fn identity(path: &PathBuf) -> Option<FileIdentity> {
    let meta = fs::metadata(path).ok()?;
    Some(FileIdentity { number: platform::file_number(&meta), len: meta.len(), modified: meta.modified().ok() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_comes_changes_or_goes_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let absent = Watched::new([path.clone()]);
        assert!(absent.is_unchanged());
        fs::write(&path, "one").unwrap();
        assert!(!absent.is_unchanged());
        let there = Watched::new([path.clone()]);
        assert!(there.is_unchanged());
        fs::write(&path, "longer").unwrap();
        assert!(!there.is_unchanged());
        let before = Watched::new([path.clone()]);
        fs::write(dir.path().join("b"), "longer").unwrap();
        fs::rename(dir.path().join("b"), &path).unwrap();
        assert!(!before.is_unchanged(), "another file of the same size is another file");
        let before = Watched::new([path.clone()]);
        fs::remove_file(&path).unwrap();
        assert!(!before.is_unchanged());
    }
}
