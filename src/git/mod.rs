//! Reads of a git repository what its identity needs, without git.
//!
//! git obeys the configuration of the repository that it reads: a command named there may run, a missing commit may be
//! fetched. A stranger's folder must be able to do neither, so the files are read here: `HEAD` and
//! references (`refs`), commits loose or in packs (`objects`, `pack`, `delta`, `inflate`), and the graph that
//! git keeps of them (`graph`). No configuration is looked at, nothing is started or fetched, nothing is written.
//!
//! Files are opened within the folder they belong to, so a link in it leads nowhere else. `.git` as a file or link,
//! `commondir`, a linked `objects` and `alternates` do lead to other folders: that is what they are for. There too only
//! files with git's names are opened, and what they hold is used as a commit's id or not at all.
//!
//! Everything is bounded: bytes of a file and of an object, length of a chain of deltas, packs, alternates, commits,
//! and the whole work in bytes, so that the bound is the same on every machine. What is beyond a bound, damaged or
//! unknown (references in tables, a shallow clone) is an error, and whoever asks names the repository by its path.
//! Replaced objects and grafts are ignored: they are one clone's own. Formats: `Documentation/gitformat-*` of git.

mod delta;
mod error;
mod graph;
mod id;
mod inflate;
mod layout;
mod objects;
mod pack;
mod refs;
mod walk;

pub use error::GitError;

use id::Id;
use layout::Layout;
use objects::Objects;
use std::path::Path;

/// A commit without parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstCommit {
    /// Its id in hex.
    pub id: String,
    /// How many commits were unpacked to find it; those in a commit graph need not be.
    pub unpacked: usize,
}

/// Finds the first commit of the repository that a folder is in. If several commits behind `HEAD` have no parents, it
/// is the one with the least id.
///
/// # Errors
/// Where there is none, or it cannot be found within bounds.
pub fn first_commit(folder: &Path) -> Result<FirstCommit, GitError> {
    let layout = Layout::discover(folder)?;
    if layout.is_shallow() {
        return Err(GitError::Shallow);
    }
    let head = refs::head(&layout)?;
    let (id, unpacked) = walk::least_root(&layout, head)?;
    Ok(FirstCommit { id: id.to_string(), unpacked })
}

/// Whether the repository of a folder holds a commit.
pub fn holds(folder: &Path, commit: &str) -> bool {
    let holds = || {
        let id = Id::from_hex(commit.as_bytes()).ok_or(GitError::Damaged("an id"))?;
        Objects::open(&Layout::discover(folder)?, id.len())?.is_commit(&id)
    };
    holds().unwrap_or(false)
}

#[cfg(test)]
mod tests;
