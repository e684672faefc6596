//! Which repositories may speak. A cloned repository must not change what is recommended: its `.ken` folder counts only
//! after the user trusted it, and only as it was then. Any change to a file in it asks for trust again.

use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::map::open::{Links, read};
use crate::map::write_aside;
use crate::platform::canonical;
use crate::render::json_pretty;
use crate::screen::shown;
use crate::text::sha256_hex;
use crate::types::limits::{CANON_PACK, MEMORY_FILE, TRUST};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Why trust could not be read or recorded.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// A file could not be read or written.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The list is damaged.
    #[error("{} is damaged: {source}", shown(path))]
    Damaged {
        /// The list.
        path: PathBuf,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// There is no `.ken` folder to trust.
    #[error("{} has no .ken folder", shown(.0))]
    Nothing(PathBuf),
}

impl Diagnose for TrustError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { source, .. } => io_kind(source),
            Self::Damaged { .. } => ErrorKind::Damaged,
            Self::Nothing(_) => ErrorKind::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Io { .. } => None,
            Self::Damaged { .. } => Some("remove the file and run `ken trust` again where it is needed".to_owned()),
            Self::Nothing(_) => Some(
                "put packs into .ken/canon/, memories into .ken/memory/ or settings into .ken/config.toml".to_owned(),
            ),
        }
    }
}

/// How a repository stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustState {
    /// As it was when it was trusted.
    Trusted,
    /// Changed since it was trusted.
    Changed,
    /// Never trusted.
    Unknown,
}

/// The list of trusted `.ken` folders: canonical path to digest.
#[derive(Debug, Clone)]
pub struct Trust {
    path: PathBuf,
    folders: BTreeMap<String, String>,
}

impl Trust {
    /// Reads the list; a missing file is an empty list.
    ///
    /// # Errors
    /// [`TrustError`] when the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, TrustError> {
        let folders = match read(path, Links::Follow, TRUST) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|source| TrustError::Damaged { path: path.to_owned(), source })?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(source) => return Err(TrustError::Io { path: path.to_owned(), source }),
        };
        Ok(Self { path: path.to_owned(), folders })
    }

    /// How a `.ken` folder stands.
    ///
    /// # Errors
    /// [`TrustError`] when the folder cannot be read.
    pub fn state(&self, folder: &Path) -> Result<TrustState, TrustError> {
        Ok(match self.folders.get(&name(folder)?) {
            None => TrustState::Unknown,
            Some(known) if *known == digest(folder)? => TrustState::Trusted,
            Some(_) => TrustState::Changed,
        })
    }

    /// Trusts a `.ken` folder as it is now.
    ///
    /// # Errors
    /// [`TrustError`] when it cannot be read or the list cannot be written.
    pub fn add(&mut self, folder: &Path) -> Result<(), TrustError> {
        if !folder.is_dir() {
            return Err(TrustError::Nothing(folder.parent().unwrap_or(folder).to_owned()));
        }
        self.folders.insert(name(folder)?, digest(folder)?);
        self.write()
    }

    /// Withdraws trust; tells whether there was any.
    ///
    /// # Errors
    /// [`TrustError`] when the list cannot be written.
    pub fn remove(&mut self, folder: &Path) -> Result<bool, TrustError> {
        let removed = self.folders.remove(&name(folder)?).is_some();
        if removed {
            self.write()?;
        }
        Ok(removed)
    }

    fn write(&self) -> Result<(), TrustError> {
        let io = |source| TrustError::Io { path: self.path.clone(), source };
        let text = json_pretty(&self.folders).unwrap_or_default();
        write_aside(&self.path, text.as_bytes()).map_err(io)
    }
}

fn name(folder: &Path) -> Result<String, TrustError> {
    let canonical = canonical(folder).map_err(|source| TrustError::Io { path: folder.to_owned(), source })?;
    Ok(canonical.to_string_lossy().into_owned())
}

/// The files of a folder within `.ken` that have this ending.
fn files_of(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, TrustError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let listing = std::fs::read_dir(folder).map_err(|source| TrustError::Io { path: folder.to_owned(), source })?;
    let paths = listing.flatten().map(|entry| entry.path());
    Ok(paths.filter(|path| path.extension().is_some_and(|e| e == ending)).collect())
}

/// The files that count: `config.toml`, `canon/*.json` and `memory/*.md`.
fn counting(folder: &Path) -> Result<Vec<PathBuf>, TrustError> {
    let mut files = vec![folder.join("config.toml")];
    files.extend(files_of(&folder.join("canon"), "json")?);
    files.extend(files_of(&folder.join("memory"), "md")?);
    files.sort();
    // A link that leads nowhere is there too, and may lead somewhere later.
    files.retain(|path| path.symlink_metadata().is_ok());
    Ok(files)
}

/// Whether a `.ken` folder holds anything that would count if it were trusted. One that holds only specs of agents has
/// nothing to say.
///
/// # Errors
/// [`TrustError`] when the folder cannot be read.
pub fn has_a_say(folder: &Path) -> Result<bool, TrustError> {
    Ok(!counting(folder)?.is_empty())
}

/// Digest over the files that count, by name and content.
fn digest(folder: &Path) -> Result<String, TrustError> {
    let memories = folder.join("memory");
    let mut all = String::new();
    for path in counting(folder)? {
        let io = |source| TrustError::Io { path: path.clone(), source };
        let is_memory = path.parent() == Some(&memories);
        let limit = if is_memory { MEMORY_FILE } else { CANON_PACK };
        let bytes = read(&path, Links::Within(folder), limit).map_err(io)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let kind = if is_memory { "memory/" } else { "" };
        all.push_str(&format!("{kind}{file}\0{}\n", sha256_hex(&bytes)));
    }
    Ok(sha256_hex(all.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_of_agents_neither_ask_for_trust_nor_end_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(".ken");
        let specs = |word: &str| {
            for name in ["agents/analyst.md", "workflows/gate.md", "agents/config.toml", "workflows/pack.json"] {
                std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
                std::fs::write(folder.join(name), word).unwrap();
            }
        };
        specs("one");
        assert!(!has_a_say(&folder).unwrap());
        std::fs::write(folder.join("config.toml"), "").unwrap();
        assert!(has_a_say(&folder).unwrap());
        let list = dir.path().join("trust.json");
        let mut trust = Trust::read(&list).unwrap();
        trust.add(&folder).unwrap();
        specs("two");
        assert_eq!(trust.state(&folder).unwrap(), TrustState::Trusted);
        std::fs::remove_dir_all(folder.join("agents")).unwrap();
        assert_eq!(trust.state(&folder).unwrap(), TrustState::Trusted);
    }

    #[test]
    fn trust_ends_with_the_first_change() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(".ken");
        std::fs::create_dir_all(folder.join("canon")).unwrap();
        std::fs::write(folder.join("canon/p.json"), "{}").unwrap();
        let list = dir.path().join("trust.json");
        let mut trust = Trust::read(&list).unwrap();
        assert_eq!(trust.state(&folder).unwrap(), TrustState::Unknown);
        trust.add(&folder).unwrap();
        assert_eq!(Trust::read(&list).unwrap().state(&folder).unwrap(), TrustState::Trusted);
        std::fs::write(folder.join("canon/q.json"), "{}").unwrap();
        assert_eq!(trust.state(&folder).unwrap(), TrustState::Changed);
        // A file of memories counts, and is no pack of the same name.
        trust.add(&folder).unwrap();
        std::fs::create_dir_all(folder.join("memory")).unwrap();
        assert_eq!(trust.state(&folder).unwrap(), TrustState::Trusted);
        std::fs::write(folder.join("memory/a.md"), "one").unwrap();
        assert_eq!(trust.state(&folder).unwrap(), TrustState::Changed);
        trust.add(&folder).unwrap();
        std::fs::write(folder.join("memory/a.md"), "two").unwrap();
        assert_eq!(trust.state(&folder).unwrap(), TrustState::Changed);
        trust.add(&folder).unwrap();
        std::fs::remove_file(folder.join("memory/a.md")).unwrap();
        assert_eq!(trust.state(&folder).unwrap(), TrustState::Changed);
        assert!(trust.remove(&folder).unwrap());
        assert_eq!(Trust::read(&list).unwrap().state(&folder).unwrap(), TrustState::Unknown);
    }
}
