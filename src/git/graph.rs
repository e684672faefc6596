//! The graph that git keeps of commits: who is whose parent, without an object being unpacked.
//!
//! One file, or a chain of files whose later ones build on the earlier ones. A commit is known by its position over the
//! whole chain. The graph holds the parents of whatever it holds, so a walk that has reached it stays in it.

use super::GitError;
use super::id::Id;
use crate::map::Map;
use crate::map::open::{self, Links};
use crate::types::limits::{GIT_LINK, GIT_PACK};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Files of a chain.
const CHAIN: usize = 64;
/// Commits of a chain: positions from here on mean something else.
const POSITIONS: u32 = 0x7000_0000;
const BROKEN: GitError = GitError::Damaged("the commit graph");

/// A chain of files.
#[derive(Debug)]
pub(super) struct Graph {
    /// The lowest first.
    layers: Vec<ChainLink>,
}

/// One file of the chain: commits that those of the files below do not hold.
#[derive(Debug)]
struct ChainLink {
    map: Map,
    hash: usize,
    /// Commits in the layers below.
    below: u32,
    count: u32,
    fanout: Range<usize>,
    ids: Range<usize>,
    commits: Range<usize>,
    edges: Range<usize>,
}

impl Graph {
    /// The graph of the first folder of objects that has one, for ids of this length. Without a usable one the
    /// objects themselves are read.
    pub fn open(folders: &[PathBuf], hash: usize) -> Option<Self> {
        folders.iter().find_map(|folder| {
            let info = folder.join("info");
            let single = || ChainLink::open(&info.join("commit-graph"), folder, hash, 0).map(|layer| vec![layer]);
            let layers = single().or_else(|_| chain(&info.join("commit-graphs"), folders, folder, hash)).ok()?;
            (!layers.is_empty()).then_some(Self { layers })
        })
    }

    /// How many commits it holds.
    pub fn count(&self) -> u32 {
        self.layers.last().map_or(0, |last| last.below + last.count)
    }

    /// The position of a commit.
    pub fn find(&self, id: &Id) -> Option<u32> {
        self.layers.iter().rev().find_map(|layer| layer.find(id.as_bytes()))
    }

    /// The commit at a position.
    pub fn id(&self, position: u32) -> Result<Id, GitError> {
        let (layer, row) = self.row(position)?;
        Id::from_bytes(layer.id(row).ok_or(BROKEN)?).ok_or(BROKEN)
    }

    /// Calls `on` with the positions of the parents.
    pub fn parents(&self, position: u32, mut on: impl FnMut(u32)) -> Result<(), GitError> {
        let (layer, row) = self.row(position)?;
        let at = layer.commits.start + row as usize * (layer.hash + 16) + layer.hash;
        let first = number(&layer.map, at).ok_or(BROKEN)?;
        let second = number(&layer.map, at + 4).ok_or(BROKEN)?;
        let mut known = |parent: u32| {
            // A layer builds on those below it, never on those above.
            (parent < layer.below + layer.count).then(|| on(parent)).ok_or(BROKEN)
        };
        if first != POSITIONS {
            known(first)?;
        }
        if second & 0x8000_0000 == 0 {
            return if second == POSITIONS { Ok(()) } else { known(second) };
        }
        let mut at = layer.edges.start + (second & 0x7fff_ffff) as usize * 4;
        loop {
            let edge = number(&layer.map[..layer.edges.end], at).ok_or(BROKEN)?;
            known(edge & 0x7fff_ffff)?;
            if edge & 0x8000_0000 != 0 {
                return Ok(());
            }
            at += 4;
        }
    }

    fn row(&self, position: u32) -> Result<(&ChainLink, u32), GitError> {
        let layer = self.layers.iter().rev().find(|layer| position >= layer.below).ok_or(BROKEN)?;
        let row = position - layer.below;
        if row < layer.count { Ok((layer, row)) } else { Err(BROKEN) }
    }
}

fn chain(folder: &Path, everywhere: &[PathBuf], own: &Path, hash: usize) -> Result<Vec<ChainLink>, GitError> {
    let list = open::read(&folder.join("commit-graph-chain"), Links::Within(own), GIT_LINK)?;
    let mut layers: Vec<ChainLink> = Vec::new();
    for line in list.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let id = Id::from_hex(line).ok_or(BROKEN)?;
        if layers.len() == CHAIN {
            return Err(GitError::Bound("the commit graph"));
        }
        let below = layers.last().map_or(0, |last| last.below + last.count);
        let name = format!("info/commit-graphs/graph-{id}.graph");
        // A part may lie with an alternate.
        let layer =
            everywhere.iter().find_map(|objects| ChainLink::open(&objects.join(&name), objects, hash, below).ok());
        layers.push(layer.ok_or(BROKEN)?);
    }
    Ok(layers)
}

impl ChainLink {
    fn open(path: &Path, objects: &Path, hash: usize, below: u32) -> Result<Self, GitError> {
        let (file, bytes) = open::open_limited(path, Links::Within(objects), GIT_PACK)?;
        if bytes < 8 {
            return Err(BROKEN);
        }
        Self::read(Map::of(file)?, hash, below).ok_or(BROKEN)
    }

    fn read(map: Map, hash: usize, below: u32) -> Option<Self> {
        let kind = if hash == 20 { 1 } else { 2 };
        if map.get(..4)? != b"CGPH" || map.get(4..6)? != [1, kind] {
            return None;
        }
        let chunks = usize::from(*map.get(6)?);
        let mut found: [Range<usize>; 4] = [0..0, 0..0, 0..0, 0..0];
        for chunk in 0..chunks {
            let at = 8 + chunk * 12;
            let place = |at: usize| usize::try_from(u64::from_be_bytes(*map.get(at..)?.first_chunk()?)).ok();
            let (start, end) = (place(at + 4)?, place(at + 16)?);
            map.get(start..end)?;
            let name = map.get(at..at + 4)?;
            if let Some(slot) = [b"OIDF", b"OIDL", b"CDAT", b"EDGE"].iter().position(|known| name == *known) {
                found[slot] = start..end;
            }
        }
        let [fanout, ids, commits, edges] = found;
        let count = number(&map, fanout.start + 255 * 4)?;
        let fits = fanout.len() == 1024
            && count.checked_add(below)? < POSITIONS
            && ids.len() == count as usize * hash
            && commits.len() == count as usize * (hash + 16);
        fits.then_some(Self { map, hash, below, count, fanout, ids, commits, edges })
    }

    fn id(&self, row: u32) -> Option<&[u8]> {
        let at = self.ids.start + row as usize * self.hash;
        self.map.get(at..at + self.hash)
    }

    fn find(&self, id: &[u8]) -> Option<u32> {
        if id.len() != self.hash {
            return None;
        }
        let row = search(&self.map[self.fanout.clone()], self.count, id, |row| self.id(row))?;
        self.below.checked_add(row)
    }
}

/// The row of an id among sorted ones that a table of 256 numbers divides by their first byte.
pub(super) fn search<'a>(fanout: &[u8], count: u32, id: &[u8], at: impl Fn(u32) -> Option<&'a [u8]>) -> Option<u32> {
    let first = usize::from(*id.first()?);
    let mut low = if first == 0 { 0 } else { number(fanout, (first - 1) * 4)? };
    let mut high = number(fanout, first * 4)?.min(count);
    while low < high {
        let middle = low + (high - low) / 2;
        match at(middle)?.cmp(id) {
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}

/// Four bytes, the highest first.
pub(super) fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
