//! Down a folder, level by level, in the order of the names.
//!
//! No recursion and no open folders: a level is a list of names, so that neither depth nor width costs more than memory
//! for them, and both have bounds. A part that is not looked at is `unseen`: what was indexed from it before stays.

use super::rules::{Mark, Present, Rules};
use super::{NOT_REGULAR, Skipped, Walked, consider, kind_of, not_utf8, unseen};
use crate::chunk::Format;
use crate::map::open::{self, Links};
use crate::types::limits;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How much is looked at.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    pub depth: usize,
    pub folder_entries: usize,
    pub entries: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { depth: limits::WALK_DEPTH, folder_entries: limits::FOLDER_ENTRIES, entries: limits::WALK_ENTRIES }
    }
}

/// What a name in a folder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    Folder,
    File,
    Link,
    /// A device, a FIFO, a socket.
    Other,
}

/// A folder that the walk is in: what is left of its names.
struct Level {
    folder: PathBuf,
    names: std::vec::IntoIter<(OsString, EntryKind)>,
    mark: Mark,
}

/// What matters of a folder.
#[derive(Default)]
struct Listing {
    /// Folders, and what is called like a document; sorted.
    names: Vec<(OsString, EntryKind)>,
    present: Present,
    /// Names in all.
    entries: usize,
    /// Why some names are not known.
    failed: Option<io::Error>,
}

fn list(folder: &Path, most: usize) -> io::Result<Listing> {
    let mut out = Listing::default();
    for entry in fs::read_dir(folder)? {
        out.entries += 1;
        if out.entries > most {
            break;
        }
        let named = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)));
        let (name, kind) = match named {
            Ok((name, kind)) if kind.is_dir() => (name, EntryKind::Folder),
            Ok((name, kind)) if kind.is_file() => (name, EntryKind::File),
            Ok((name, kind)) if kind.is_symlink() => (name, EntryKind::Link),
            Ok((name, _)) => (name, EntryKind::Other),
            Err(error) => {
                out.failed = Some(error);
                continue;
            }
        };
        out.present.note(&name);
        if kind == EntryKind::Folder || Format::of_path(Path::new(&name)).is_some() {
            out.names.push((name, kind));
        }
    }
    out.names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(out)
}

/// Walks a canonical folder. True if it came to the end. In every folder and after every file it calls `heard` with the
/// number of files found so far, and stops if that gives false.
pub(super) fn walk(
    folder: &Path,
    root: &str,
    excludes: Option<&Path>,
    bounds: &Bounds,
    out: &mut Walked,
    heard: &mut dyn FnMut(usize) -> bool,
) -> bool {
    let mut rules = Rules::above(folder, excludes);
    let mut left = bounds.entries;
    let mut levels: Vec<Level> = Vec::new();
    let mut next = Some(folder.to_owned());
    loop {
        if let Some(folder) = next.take() {
            if !heard(out.files.len()) {
                return false;
            }
            levels.extend(enter(folder, levels.len(), &mut left, bounds, &mut rules, out));
        }
        let Some(level) = levels.last_mut() else { break };
        let Some((name, kind)) = level.names.next() else {
            rules.leave(level.mark);
            levels.pop();
            continue;
        };
        let path = level.folder.join(name);
        if rules.leave_out(&path, kind == EntryKind::Folder) {
            continue;
        }
        match kind {
            EntryKind::Folder => next = Some(path),
            EntryKind::File => {
                let Some(kind) = Format::of_path(&path).map(kind_of) else { continue };
                match fs::symlink_metadata(&path) {
                    Ok(meta) if meta.is_file() => consider(&path, root, kind, &meta, out),
                    Ok(_) => out.skipped.push(Skipped::new(path, NOT_REGULAR)),
                    Err(error) => unseen(path, &error.to_string(), out),
                }
                if out.files.len().is_multiple_of(64) && !heard(out.files.len()) {
                    return false;
                }
            }
            EntryKind::Link => out.skipped.extend(misled(&path, folder)),
            EntryKind::Other => out.skipped.push(Skipped::new(path, NOT_REGULAR)),
        }
    }
    out.rules.append(&mut rules.told);
    true
}

/// Lists a folder and takes its rules.
fn enter(
    folder: PathBuf,
    depth: usize,
    left: &mut usize,
    bounds: &Bounds,
    rules: &mut Rules,
    out: &mut Walked,
) -> Option<Level> {
    if depth > bounds.depth {
        unseen(folder, &format!("more than {} folders lie within each other", bounds.depth), out);
        return None;
    }
    let most = bounds.folder_entries.min(*left);
    let listing = match list(&folder, most) {
        Ok(listing) => listing,
        Err(error) => {
            unseen(folder, &error.to_string(), out);
            return None;
        }
    };
    if listing.entries > most {
        let of = if most == *left { "in all" } else { "in a folder" };
        let most = if most == *left { bounds.entries } else { most };
        unseen(folder, &format!("more than {most} files and folders {of}"), out);
        return None;
    }
    *left -= listing.entries;
    if let Some(error) = &listing.failed {
        unseen(folder.clone(), &error.to_string(), out);
    }
    let mark = rules.enter(&folder, listing.present);
    Some(Level { folder, names: listing.names.into_iter(), mark })
}

/// What is to be said of a link that is called like a document. One that leads to a file of the same folder is that
/// file, which is met where it lies.
fn misled(path: &Path, folder: &Path) -> Option<Skipped> {
    if path.to_str().is_none() {
        return Some(not_utf8(path));
    }
    let error = open::open(path, Links::Within(folder)).err()?;
    // A link to a folder is called what it is called.
    let is_folder = error.kind() == io::ErrorKind::InvalidInput && fs::metadata(path).is_ok_and(|meta| meta.is_dir());
    (!is_folder).then(|| Skipped::new(path, error.to_string()))
}
