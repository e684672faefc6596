//! One pack of objects and its index.
//!
//! The index says where an object lies: versions 1 and 2, ids sorted, found by halving. The pack is mapped when
//! something of it is read. An object in it is whole or a delta on another one of the same pack, named by its place or
//! its id; the chain is followed down to what is whole and the deltas are applied on the way back.

use super::GitError;
use super::delta;
use super::graph::{number, search};
use super::id::Id;
use super::inflate::{Inflater, UNBOUNDED};
use crate::map::Map;
use crate::map::open::{self, Links};
use crate::types::limits::GIT_PACK;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Bytes of a commit that has to be unpacked whole: one that others are deltas on, or that is a delta.
pub(super) const OBJECT_BYTES: usize = 4 << 20;
/// Deltas on deltas: more than git makes.
const DELTA_DEPTH: usize = 4096;
/// Bytes of objects that are kept because deltas build on them.
const BASES_BYTES: usize = 8 << 20;
const BROKEN: GitError = GitError::Damaged("a pack");
const BROKEN_INDEX: GitError = GitError::Damaged("the index of a pack");

/// What an object is.
const COMMIT: u8 = 1;

/// A pack.
#[derive(Debug)]
pub(super) struct Pack {
    index: Map,
    shape: Shape,
    folder: PathBuf,
    path: PathBuf,
    /// Mapped at the first use.
    data: Option<Map>,
    /// Objects by their place.
    bases: HashMap<u64, Vec<u8>>,
    bases_bytes: usize,
}

/// Where things stand in an index.
#[derive(Debug, Clone, Copy)]
struct Shape {
    hash: usize,
    count: u32,
    fanout: usize,
    /// The first id, and how far it is to the next.
    ids: usize,
    stride: usize,
    /// The first place; version 1 has it before each id.
    places: usize,
    /// Places beyond 2 GiB.
    large: usize,
}

/// An object's header in a pack.
#[derive(Debug)]
struct Entry {
    kind: u8,
    base: Base,
    /// Where its zlib stream starts.
    stream: usize,
    size: u64,
}

#[derive(Debug)]
enum Base {
    None,
    At(u64),
    Named(Id),
}

impl Pack {
    /// The pack whose index is `path`, in a folder of objects.
    pub fn open(path: &Path, folder: &Path, hash: usize) -> Result<Self, GitError> {
        let (file, bytes) = open::open_limited(path, Links::Within(folder), GIT_PACK)?;
        if bytes < 1024 {
            return Err(BROKEN_INDEX);
        }
        let index = Map::of(file)?;
        let shape = Shape::of(&index, hash).ok_or(BROKEN_INDEX)?;
        let (folder, path) = (folder.to_owned(), path.with_extension("pack"));
        Ok(Self { index, shape, folder, path, data: None, bases: HashMap::new(), bases_bytes: 0 })
    }

    /// Where an object lies.
    pub fn find(&self, id: &Id) -> Option<u64> {
        let shape = &self.shape;
        if id.len() != shape.hash {
            return None;
        }
        let at = |row: u32| self.index.get(shape.ids + row as usize * shape.stride..)?.get(..shape.hash);
        let row = search(self.index.get(shape.fanout..)?, shape.count, id.as_bytes(), at)? as usize;
        let place = number(&self.index, shape.places + row * if shape.large == 0 { shape.stride } else { 4 })?;
        if shape.large == 0 || place & 0x8000_0000 == 0 {
            return Some(u64::from(place));
        }
        let at = shape.large + (place & 0x7fff_ffff) as usize * 8;
        Some(u64::from_be_bytes(*self.index.get(at..)?.first_chunk()?))
    }

    /// Whether the object at a place is a commit.
    pub fn is_commit(&mut self, place: u64) -> Result<bool, GitError> {
        let mut entry = self.entry(place)?;
        for _ in 0..DELTA_DEPTH {
            let Some(base) = self.base(&entry)? else { return Ok(entry.kind == COMMIT) };
            entry = self.entry(base)?;
        }
        Err(GitError::Bound("a chain of deltas"))
    }

    /// Unpacks the commit at a place into `out`: until it holds `enough`, or whole; true if whole.
    pub fn commit(
        &mut self,
        place: u64,
        inflater: &mut Inflater,
        out: &mut Vec<u8>,
        enough: impl FnMut(&[u8]) -> bool,
    ) -> Result<bool, GitError> {
        let mut deltas = Vec::new();
        let mut at = place;
        loop {
            if !deltas.is_empty() && self.bases.contains_key(&at) {
                break;
            }
            let entry = self.entry(at)?;
            if let Some(base) = self.base(&entry)? {
                deltas.push((at, entry));
                if deltas.len() > DELTA_DEPTH {
                    return Err(GitError::Bound("a chain of deltas"));
                }
                at = base;
                continue;
            }
            if entry.kind != COMMIT {
                return Err(GitError::Damaged("a commit"));
            }
            if deltas.is_empty() {
                // Whole, and wanted itself: its head is enough.
                return inflater.unpack(self.stream(&entry)?, UNBOUNDED, out, enough);
            }
            inflater.unpack(self.stream(&entry)?, OBJECT_BYTES, out, |_| false)?;
            if out.len() as u64 != entry.size {
                return Err(BROKEN);
            }
            self.keep(at, std::mem::take(out));
            break;
        }
        while let Some((place, entry)) = deltas.pop() {
            inflater.unpack(self.stream(&entry)?, OBJECT_BYTES, out, |_| false)?;
            let base = self.bases.get(&at).ok_or(BROKEN)?;
            let object = delta::apply(base, out, OBJECT_BYTES)?;
            inflater.spend(object.len())?;
            self.keep(place, object);
            at = place;
        }
        out.clear();
        out.extend_from_slice(self.bases.get(&at).ok_or(BROKEN)?);
        Ok(true)
    }

    fn keep(&mut self, place: u64, object: Vec<u8>) {
        if self.bases_bytes + object.len() > BASES_BYTES {
            self.bases.clear();
            self.bases_bytes = 0;
        }
        self.bases_bytes += object.len();
        self.bases.insert(place, object);
    }

    /// The place of what an object is a delta on.
    fn base(&self, entry: &Entry) -> Result<Option<u64>, GitError> {
        match &entry.base {
            Base::None => Ok(None),
            Base::At(place) => Ok(Some(*place)),
            Base::Named(id) => self.find(id).map(Some).ok_or(GitError::Missing),
        }
    }

    fn data(&mut self) -> Result<&[u8], GitError> {
        if self.data.is_none() {
            let (file, bytes) = open::open_limited(&self.path, Links::Within(&self.folder), GIT_PACK)?;
            let map = if bytes < 12 { return Err(BROKEN) } else { Map::of(file)? };
            if &map[..4] != b"PACK" || !matches!(number(&map, 4), Some(2 | 3)) {
                return Err(BROKEN);
            }
            self.data = Some(map);
        }
        self.data.as_deref().ok_or(BROKEN)
    }

    fn stream(&mut self, entry: &Entry) -> Result<&[u8], GitError> {
        self.data()?.get(entry.stream..).ok_or(BROKEN)
    }

    fn entry(&mut self, place: u64) -> Result<Entry, GitError> {
        let hash = self.shape.hash;
        entry(self.data()?, place, hash).ok_or(BROKEN)
    }
}

fn entry(data: &[u8], place: u64, hash: usize) -> Option<Entry> {
    let mut at = usize::try_from(place).ok().filter(|at| *at >= 12)?;
    let mut next = || {
        let byte = *data.get(at)?;
        at += 1;
        Some(byte)
    };
    let first = next()?;
    let kind = first >> 4 & 7;
    let (mut size, mut shift, mut byte) = (u64::from(first & 15), 4, first);
    while byte & 0x80 != 0 {
        byte = next()?;
        size |= u64::from(byte & 0x7f).checked_shl(shift).filter(|_| shift < 57)?;
        shift += 7;
    }
    let base = match kind {
        1..=4 => Base::None,
        6 => {
            byte = next()?;
            let mut back = u64::from(byte & 0x7f);
            while byte & 0x80 != 0 {
                byte = next()?;
                back = (back + 1).checked_mul(128)? | u64::from(byte & 0x7f);
            }
            // Before it, never itself.
            Base::At(place.checked_sub(back).filter(|_| back > 0)?)
        }
        7 => {
            let id = Id::from_bytes(data.get(at..at + hash)?)?;
            at += hash;
            Base::Named(id)
        }
        _ => return None,
    };
    Some(Entry { kind, base, stream: at, size })
}

impl Shape {
    fn of(index: &[u8], hash: usize) -> Option<Self> {
        let newer = index.starts_with(&[0xff, b't', b'O', b'c']);
        if newer && number(index, 4)? != 2 {
            return None;
        }
        let fanout = if newer { 8 } else { 0 };
        let count = number(index, fanout + 255 * 4)?;
        let rows = count as usize;
        let ids = fanout + 1024;
        let shape = if newer {
            // Ids, then a check sum of four bytes each, then places.
            let places = ids + rows * (hash + 4);
            Self { hash, count, fanout, ids, stride: hash, places, large: places + rows * 4 }
        } else {
            Self { hash, count, fanout, ids: ids + 4, stride: hash + 4, places: ids, large: 0 }
        };
        let end = if newer { shape.large } else { ids + rows * (hash + 4) };
        (end + 2 * hash <= index.len()).then_some(shape)
    }
}
