//! Copies of the database that lie beside it, and how they are told from what is not ours.
//!
//! Backups, what a repair put aside, what an interrupted one left: each may hold text that is to be forgotten, and each
//! lies in a folder where others may keep things of their own. So whatever is made beside the database is written down
//! before it is made, in a list that survives the database, and only what is listed is removed. What versions without
//! the list have made is told by its content: a file of SQLite with our application id, under a name of theirs. Nothing
//! is removed through a link, and no folder that holds anything else.

use super::StoreError;
use super::header;
use crate::map::open::{self, Links};
use crate::map::{Aside, write_aside};
use crate::store::folder::{DATABASE, TERMS, VECTORS, WRITER_LOCK, beside};
use crate::types::limits;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What the list has at the end of its name.
const LIST: &str = ".copies";

/// First line of the list.
const FIRST: &str = "ken copies 1";

/// How the names of folders and files begin that a repair and a backup work in.
pub(super) const SALVAGE: &str = ".salvage-";
pub(super) const BACKUP: &str = ".backup-";

/// What SQLite keeps beside a database.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The list beside a database.
fn list_of(database: &Path) -> PathBuf {
    beside(database, LIST)
}

/// Names that are listed. One that leads elsewhere, or names what is no copy, was not written by us.
fn listed(database: &Path) -> Result<BTreeSet<String>, StoreError> {
    let path = list_of(database);
    let text = match open::read_text(&path, Links::Follow, limits::CONFIG) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
        // Not readable as a list: then nothing is listed, and it is written anew.
        Err(error) if is_no_list(error.kind()) => {
            return Ok(BTreeSet::new());
        }
        Err(source) => return Err(StoreError::Io { path, source }),
    };
    let mut lines = text.lines();
    if lines.next() != Some(FIRST) {
        return Ok(BTreeSet::new());
    }
    Ok(lines.filter(|name| may_be_copy(database, name)).map(str::to_owned).collect())
}

fn is_no_list(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::FileTooLarge)
}

fn write_list(database: &Path, names: &BTreeSet<String>) -> Result<(), StoreError> {
    let path = list_of(database);
    let failed = |source| StoreError::Io { path: path.clone(), source };
    if names.is_empty() {
        return gone(fs::remove_file(&path)).map_err(failed);
    }
    let lines = std::iter::once(FIRST).chain(names.iter().map(String::as_str));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    write_aside(&path, text.as_bytes()).map_err(failed)
}

/// Writes down that these are about to be made, directly beside the database. On the disk when this returns.
///
/// # Errors
/// [`StoreError::Io`] when the list cannot be written; then nothing may be made.
pub(super) fn announce(database: &Path, made: &[PathBuf]) -> Result<(), StoreError> {
    let mut names = listed(database)?;
    names.extend(made.iter().map(|path| name_of(path)));
    write_list(database, &names)
}

/// These are not there any more.
///
/// # Errors
/// [`StoreError::Io`] when the list cannot be written.
pub(super) fn strike(database: &Path, gone: &[PathBuf]) -> Result<(), StoreError> {
    let mut names = listed(database)?;
    let before = names.len();
    names.retain(|name| !gone.iter().any(|path| name_of(path) == *name));
    if names.len() == before { Ok(()) } else { write_list(database, &names) }
}

/// A name beside the database that begins so and that nothing has.
pub(super) fn free_name(database: &Path, prefix: &str) -> PathBuf {
    let name = |number: u64| database.with_file_name(format!("{prefix}{number}"));
    (1..).map(name).find(|path| fs::symlink_metadata(path).is_err()).unwrap_or_else(|| name(0))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The database's own name with what follows it taken off: `schema2.backup`, `damaged-1-wal`.
fn suffix<'a>(database: &Path, name: &'a str) -> Option<&'a str> {
    name.strip_prefix(&name_of(database))?.strip_prefix('.')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a name is one that is given to copies, of this version or an earlier one.
fn may_be_copy(database: &Path, name: &str) -> bool {
    let plain = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let own = suffix(database, name).is_some_and(|rest| {
        let backup = rest.strip_prefix("schema").and_then(|rest| rest.strip_suffix(".backup"));
        let bare = COMPANIONS.iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
        backup.is_some_and(is_number) || bare.strip_prefix("damaged-").is_some_and(is_number)
    });
    own || [SALVAGE, BACKUP].iter().any(|prefix| name.strip_prefix(prefix).is_some_and(plain))
}

/// Whether a file that no list names is a copy of a database of ours.
fn is_copy(database: &Path, path: &Path, name: &str) -> bool {
    let Some(end) = COMPANIONS.iter().find(|end| name.ends_with(**end)) else { return header::is_ours(path) };
    // What lies beside a copy goes with it.
    let copy = database.with_file_name(&name[..name.len() - end.len()]);
    is_plain_file(&copy) && header::is_ours(&copy)
}

fn is_plain_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}

/// What a repair has in its folder, and nothing else.
fn is_part_of_salvage(entry: &Path) -> bool {
    let name = name_of(entry);
    let bare = COMPANIONS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    let named = [DATABASE, DAMAGED, WRITER_LOCK, &name_of(&list_of(Path::new(DATABASE)))].contains(&bare);
    named && is_plain_file(entry)
}

/// The damaged database in the folder of a repair.
pub(super) const DAMAGED: &str = "damaged.db";

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Whether a folder that no list names is what an interrupted repair left: a database of ours, and nothing else.
fn is_salvage(folder: &Path) -> bool {
    let all = entries(folder);
    all.iter().all(|entry| is_part_of_salvage(entry)) && header::is_ours(&folder.join(DATABASE))
}

/// Everything beside a database that holds a copy of it, or may.
pub fn copies(database: &Path) -> Vec<PathBuf> {
    let folder = database.parent().unwrap_or(Path::new("."));
    let listed = listed(database).unwrap_or_default();
    let is_ours = |path: &PathBuf| {
        let name = name_of(path);
        let Ok(meta) = fs::symlink_metadata(path) else { return false };
        // No link is ours, and nothing under another name.
        if meta.is_symlink() || !may_be_copy(database, &name) {
            return false;
        }
        match meta.is_dir() {
            true => name.starts_with(SALVAGE) && (listed.contains(&name) || is_salvage(path)),
            false => meta.is_file() && (listed.contains(&name) || is_copy(database, path, &name)),
        }
    };
    let mut found: Vec<PathBuf> = entries(folder).into_iter().filter(is_ours).collect();
    found.sort();
    found
}

/// Removes all [`copies`], and files of vectors that were never completed; gives how many copies there were.
///
/// # Errors
/// [`StoreError::Io`] at the first that cannot be removed.
pub fn remove_copies(database: &Path) -> Result<usize, StoreError> {
    let found = copies(database);
    // Companions last: they are told by the copy that they lie beside, so that a run that is stopped is made good by
    // the next.
    let (first, last): (Vec<&PathBuf>, Vec<&PathBuf>) =
        found.iter().partition(|path| COMPANIONS.iter().any(|end| name_of(path).ends_with(end)));
    for path in first.into_iter().chain(last) {
        let failed = |source| StoreError::Io { path: path.clone(), source };
        if fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir()) {
            remove_salvage(path).map_err(failed)?;
        } else {
            gone(fs::remove_file(path)).map_err(failed)?;
        }
    }
    for path in [list_of(database), beside(database, VECTORS), beside(database, TERMS)] {
        Aside::remove_all(&path).map_err(|source| StoreError::Io { path, source })?;
    }
    // What was listed and never made, or lies there under a link, is no longer ours to remove.
    if fs::symlink_metadata(list_of(database)).is_ok() {
        write_list(database, &BTreeSet::new())?;
    }
    Ok(found.len())
}

/// Removes what a repair put into its folder, and the folder if nothing else is in it.
pub(super) fn remove_salvage(folder: &Path) -> io::Result<()> {
    let (ours, others): (Vec<PathBuf>, Vec<PathBuf>) = entries(folder).into_iter().partition(|e| is_part_of_salvage(e));
    for path in ours {
        gone(fs::remove_file(&path))?;
    }
    if others.is_empty() { gone(fs::remove_dir(folder)) } else { Ok(()) }
}

/// Something that is not there need not be removed.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_copies_have_are_read_from_the_list() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join(DATABASE);
        let names = [
            "kenning.db.schema2.backup",
            "kenning.db.damaged-1",
            "kenning.db.damaged-12-wal",
            ".salvage-3",
            ".backup-a1",
        ];
        let others = [
            "kenning.db",
            "kenning.db.schema-notes.txt",
            "kenning.db.damaged-x",
            "../kenning.db.damaged-1",
            ".backup-",
            ".salvage-/etc",
            "photos",
            "",
            ".backup-a/../b",
            "kenning.db.schema2.backup.txt",
        ];
        let all = names.iter().chain(&others).map(|name| format!("{name}\n"));
        fs::write(list_of(&database), format!("{FIRST}\n{}", all.collect::<String>())).unwrap();
        assert_eq!(listed(&database).unwrap(), names.iter().map(|name| (*name).to_owned()).collect());
        fs::write(list_of(&database), "something else\n.salvage-1\n").unwrap();
        assert!(listed(&database).unwrap().is_empty());
    }

    #[test]
    fn what_is_listed_goes_and_what_is_not_stays() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let database = at(DATABASE);
        fs::write(at("kenning.db.damaged-1"), "no header any more").unwrap();
        fs::write(at("kenning.db.damaged-2"), "nor here").unwrap();
        fs::create_dir(at(".salvage-1")).unwrap();
        fs::write(at(".salvage-1/kenning.db"), "half").unwrap();
        fs::write(at(".salvage-1/mine.txt"), "mine").unwrap();
        announce(&database, &[at("kenning.db.damaged-1"), at(".salvage-1"), at(".backup-1")]).unwrap();
        assert_eq!(remove_copies(&database).unwrap(), 2);
        assert!(!at("kenning.db.damaged-1").exists() && at("kenning.db.damaged-2").exists());
        assert!(!at(".salvage-1/kenning.db").exists() && at(".salvage-1/mine.txt").exists());
        assert!(!list_of(&database).exists());
        assert_eq!(remove_copies(&database).unwrap(), 0);
    }
}
