//! Commits by their id, from packs and from files of their own, in every folder of objects.

use super::GitError;
use super::id::Id;
use super::inflate::{Inflater, UNBOUNDED};
use super::layout::Layout;
use super::pack::Pack;
use crate::map::open::{self, Links};
use crate::types::limits::GIT_OBJECT;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What is unpacked for one answer, in bytes.
const WORK_BYTES: u64 = 4 << 30;
/// Packs, each of which keeps a file open.
const PACKS: usize = 400;
/// Names in a folder of packs.
const PACK_NAMES: usize = 20_000;

/// The objects of a repository.
#[derive(Debug)]
pub(super) struct Objects {
    folders: Vec<PathBuf>,
    packs: Vec<Pack>,
    /// The pack that had the last object: its neighbours lie beside it.
    last: usize,
    inflater: Inflater,
    buffer: Vec<u8>,
    hash: usize,
}

impl Objects {
    /// Those of a repository with ids of this length.
    pub fn open(layout: &Layout, hash: usize) -> Result<Self, GitError> {
        Self::of(layout.object_folders()?, hash)
    }

    /// Those in these folders.
    pub fn of(folders: Vec<PathBuf>, hash: usize) -> Result<Self, GitError> {
        let mut packs = Vec::new();
        for folder in &folders {
            for path in indexes(folder)? {
                // One that is damaged or has ids of another length is passed over, as in git.
                packs.extend(Pack::open(&path, folder, hash).ok());
                if packs.len() > PACKS {
                    return Err(GitError::Bound("packs"));
                }
            }
        }
        Ok(Self { folders, packs, last: 0, inflater: Inflater::new(WORK_BYTES), buffer: Vec::new(), hash })
    }

    /// Puts the parents of a commit into `out`.
    pub fn parents(&mut self, id: &Id, out: &mut Vec<Id>) -> Result<(), GitError> {
        let hash = self.hash;
        let buffer = &mut self.buffer;
        if let Some((pack, place)) = find(&self.packs, &mut self.last, id) {
            let enough = |some: &[u8]| head(some, hash).is_some();
            let whole = self.packs[pack].commit(place, &mut self.inflater, buffer, enough)?;
            return read_parents(buffer, whole, hash, out);
        }
        let packed = self.loose(id)?.ok_or(GitError::Missing)?;
        let enough = |some: &[u8]| body(some).is_some_and(|body| head(body, hash).is_some());
        let whole = self.inflater.unpack(&packed, UNBOUNDED, &mut self.buffer, enough)?;
        read_parents(body(&self.buffer).ok_or(GitError::Damaged("a commit"))?, whole, hash, out)
    }

    /// Whether there is a commit of this id.
    pub fn is_commit(&mut self, id: &Id) -> Result<bool, GitError> {
        if let Some((pack, place)) = find(&self.packs, &mut self.last, id) {
            return self.packs[pack].is_commit(place);
        }
        let Some(packed) = self.loose(id)? else { return Ok(false) };
        self.inflater.unpack(&packed, UNBOUNDED, &mut self.buffer, |some| some.len() >= 32)?;
        Ok(body(&self.buffer).is_some())
    }

    fn loose(&self, id: &Id) -> Result<Option<Vec<u8>>, GitError> {
        let hex = id.to_string();
        let name = Path::new(&hex[..2]).join(&hex[2..]);
        for folder in &self.folders {
            match open::read(&folder.join(&name), Links::Within(folder), GIT_OBJECT) {
                Ok(packed) => return Ok(Some(packed)),
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }
}

fn find(packs: &[Pack], last: &mut usize, id: &Id) -> Option<(usize, u64)> {
    let order = std::iter::once(*last).chain((0..packs.len()).filter(|pack| pack != last));
    let found = order.into_iter().find_map(|pack| Some((pack, packs.get(pack)?.find(id)?)))?;
    *last = found.0;
    Some(found)
}

/// The indexes of the packs of a folder of objects, sorted by name.
fn indexes(folder: &Path) -> Result<Vec<PathBuf>, GitError> {
    let packs = folder.join("pack");
    // A link would lead out of the folder, or to it by another name.
    if !packs.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    for (number, entry) in fs::read_dir(&packs)?.enumerate() {
        if number == PACK_NAMES {
            return Err(GitError::Bound("files beside packs"));
        }
        let name = entry?.file_name();
        let hex = name.to_str().and_then(|name| name.strip_prefix("pack-")?.strip_suffix(".idx"));
        if hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            paths.push(packs.join(name));
        }
    }
    paths.sort();
    Ok(paths)
}

/// What follows the header of a commit in a file of its own.
fn body(object: &[u8]) -> Option<&[u8]> {
    let end = object.iter().take(32).position(|byte| *byte == 0)?;
    let size = object[..end].strip_prefix(b"commit ")?;
    (!size.is_empty() && size.iter().all(u8::is_ascii_digit)).then(|| &object[end + 1..])
}

/// The lines of parents at the beginning of a commit, once something follows them.
fn head(commit: &[u8], hash: usize) -> Option<&[u8]> {
    let start = "tree ".len() + 2 * hash + 1;
    let line = "parent ".len() + 2 * hash + 1;
    let mut at = start;
    loop {
        let next = commit.get(at..at + "parent ".len())?;
        if next != b"parent " {
            return Some(&commit[start..at]);
        }
        at += line;
    }
}

fn read_parents(commit: &[u8], whole: bool, hash: usize, out: &mut Vec<Id>) -> Result<(), GitError> {
    const BROKEN: GitError = GitError::Damaged("a commit");
    out.clear();
    if !commit.starts_with(b"tree ") {
        return Err(BROKEN);
    }
    let start = "tree ".len() + 2 * hash + 1;
    // A whole commit may end where an author is missing.
    let lines = match head(commit, hash) {
        Some(lines) => lines,
        None if whole => commit.get(start..).ok_or(BROKEN)?,
        None => return Err(BROKEN),
    };
    for line in lines.chunks("parent ".len() + 2 * hash + 1) {
        let hex = line.strip_prefix(b"parent ").and_then(|rest| rest.strip_suffix(b"\n")).ok_or(BROKEN)?;
        out.push(Id::from_hex(hex).filter(|id| id.len() == hash).ok_or(BROKEN)?);
    }
    Ok(())
}
