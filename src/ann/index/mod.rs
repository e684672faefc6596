//! Search among the vectors of an image, and of what has been laid over it.
//!
//! An image with a graph is walked where that is quicker, as wide as its certificate asks; what the walk finds is
//! compared again in f32. Otherwise every admitted row is compared (`exact`); so it is where a walk would have to go
//! too far, and where it finds the question to be further off than the certificate speaks for. What has changed since
//! the image was made is compared on its own, and what is gone admitted nowhere.

mod exact;
mod known;
mod owners;
#[cfg(test)]
mod tests;
mod together;

use super::certificate::Certificate;
use super::graph::{CodeRows, Probe, SearchOptions, Searcher, Spent};
use super::image::{Link, RowReader, RowRoom};
use super::overlay::Overlay;
use super::{Image, Neighbour, RowSet};
use crate::text::TextHash;
use crate::vector::simd::Isa;
use exact::{BLOCK, SCATTERED};
use known::Known;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
pub use together::Asking;
use together::Together;

/// The neighbour whose distance says how lonely a question is.
const TENTH: usize = 10;
/// Comparing a row that a walk meets takes as long as comparing so many in order: it waits for memory, and at the end
/// some are compared again in f32. Measured at 100,000 to 1,000,000 rows (docs/benchmarks.md).
const LEAP: f32 = 10.0;
/// Searches after which an index is taken for one of many more.
const WARM: usize = 64;

/// Vectors that can be searched.
#[derive(Debug)]
pub struct Index {
    image: Image,
    overlay: Option<Box<Over>>,
    isa: Isa,
    /// Searches that run now, and that have run.
    searching: AtomicUsize,
    searched: AtomicUsize,
    together: Together,
    damaged: AtomicBool,
    /// None where answers are not to be remembered.
    known: Option<Known>,
    /// Room for walks, one for each that runs.
    rooms: Mutex<Vec<Searcher>>,
}

/// What lies over an image, and the search among what is fresh of it.
#[derive(Debug)]
struct Over {
    overlay: Overlay,
    fresh: Index,
}

/// How far a walk goes, and over what.
#[derive(Debug, Clone, Copy)]
struct Walk {
    /// Nearest rows that it keeps.
    ef: usize,
    /// A row that it does without, as if it were not there.
    without: Option<u32>,
}

/// What a walk came to.
struct Walked {
    /// Compared again in f32, in any order.
    found: Vec<Neighbour>,
    spent: Spent,
}

/// Which rows of the image may be found.
#[derive(Debug, Clone, Copy)]
enum Admits<'a> {
    All,
    Only(&'a RowSet),
    AllBut(&'a RowSet),
}

impl Admits<'_> {
    fn contains(&self, row: u32) -> bool {
        match self {
            Self::All => true,
            Self::Only(set) => set.contains(row),
            Self::AllBut(set) => !set.contains(row),
        }
    }
}

impl Index {
    /// Over an image.
    pub fn new(image: Image) -> Self {
        Self {
            image,
            overlay: None,
            isa: Isa::detect(),
            searching: AtomicUsize::new(0),
            searched: AtomicUsize::new(0),
            together: Together::new(),
            damaged: AtomicBool::new(false),
            known: None,
            rooms: Mutex::default(),
        }
    }

    /// Over an image of which these owners have changed since, and now have these texts; `vectors` are those of texts
    /// that the image may not have.
    pub fn with_changes<'v>(
        image: Image,
        changed: Vec<u64>,
        links: impl IntoIterator<Item = (u64, u32, TextHash)>,
        vectors: impl IntoIterator<Item = (TextHash, &'v [f32])>,
    ) -> Self {
        let (overlay, fresh) = Overlay::new(&image, changed, links, vectors);
        Self { overlay: Some(Box::new(Over { overlay, fresh: Self::new(fresh) })), ..Self::new(image) }
    }

    /// The same, which remembers what it is asked about owners, for a process that is asked much: whoever asks again is
    /// answered without a search.
    #[must_use]
    pub fn remembering(self) -> Self {
        Self { known: Some(Known::new()), ..self }
    }

    /// The vectors and whose they are, without what lies over them.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Number of rows, dead ones included.
    pub fn len(&self) -> usize {
        self.image.len() + self.overlay.as_ref().map_or(0, |over| over.fresh.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Owners that have changed since the image was made, and rows of it that nobody owns any more.
    pub fn changes(&self) -> (usize, usize) {
        self.overlay.as_ref().map_or((0, 0), |over| (over.overlay.len(), over.overlay.dead.len()))
    }

    /// Whether every answer is that of comparing every row.
    pub fn is_exact(&self) -> bool {
        self.image.certificate().is_none()
    }

    /// Whether a row was met that is not what was written. It was left out; the image should be made again.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// The row of a text.
    pub fn row_of(&self, hash: &TextHash) -> Option<u32> {
        let fresh = || Some(self.image.len() as u32 + self.overlay.as_ref()?.fresh.image.row_of(hash)?);
        self.image.row_of(hash).or_else(fresh)
    }

    /// The vector of a row; `None` if there is no such row, or it is damaged.
    pub fn vector(&self, row: u32) -> Option<Vec<f32>> {
        let mut out = Vec::new();
        self.read(row, &mut out).then_some(out)
    }

    fn read(&self, row: u32, out: &mut Vec<f32>) -> bool {
        let there = match self.overlay.as_ref().zip(row.checked_sub(self.image.len() as u32)) {
            Some((over, fresh)) => over.fresh.image.read_checked(fresh, out),
            None => self.image.read_checked(row, out),
        };
        if !there && (row as usize) < self.len() {
            self.damaged.store(true, Ordering::Relaxed);
        }
        there
    }

    /// Owner and part of each text that a row stands for.
    pub fn owners_of(&self, row: u32) -> Box<dyn Iterator<Item = (u64, u32)> + '_> {
        match &self.overlay {
            Some(over) => Box::new(over.overlay.owners(&self.image, row)),
            None => Box::new(self.image.owners_of(row)),
        }
    }

    /// Part and row of each text of an owner.
    pub fn rows_of(&self, owner: u64) -> Box<dyn Iterator<Item = (u32, u32)> + '_> {
        match self.overlay.as_ref().and_then(|over| over.overlay.rows_of(owner)) {
            Some(rows) => Box::new(rows),
            None => Box::new(self.image.rows_of(owner)),
        }
    }

    /// All links, by owner.
    pub fn links(&self) -> Box<dyn Iterator<Item = Link> + '_> {
        match &self.overlay {
            Some(over) => Box::new(over.overlay.links(&self.image)),
            None => Box::new(self.image.links()),
        }
    }

    /// How many links there are.
    pub fn link_count(&self) -> usize {
        self.overlay.as_ref().map_or_else(|| self.image.link_count(), |over| over.overlay.link_count(&self.image))
    }

    /// How near a row is; `None` if there is no such row, or it is damaged, or the query is of another length.
    pub fn similarity(&self, query: &[f32], row: u32) -> Option<f32> {
        self.rows().similarity(query, row, &mut RowRoom::default())
    }

    /// To compare rows of the image and of what lies over it.
    fn rows(&self) -> Rows<'_> {
        let fresh = self.overlay.as_ref().map(|over| RowReader::new(&over.fresh.image, self.isa));
        Rows { index: self, image: RowReader::new(&self.image, self.isa), fresh }
    }

    /// The rows of the owners that `admits` wants.
    pub fn rows_where(&self, admits: impl Fn(u64) -> bool) -> RowSet {
        let mut out = RowSet::new(self.len());
        // Links come owner by owner: each is asked about once.
        let mut last = None;
        for link in self.links() {
            let admitted = match last {
                Some((owner, admitted)) if owner == link.owner => admitted,
                _ => admits(link.owner),
            };
            last = Some((link.owner, admitted));
            if admitted {
                out.insert(link.row);
            }
        }
        out
    }

    /// The rows of these owners.
    pub fn rows_of_owners(&self, owners: impl IntoIterator<Item = u64>) -> RowSet {
        let mut out = RowSet::new(self.len());
        for owner in owners {
            self.rows_of(owner).for_each(|(_, row)| out.insert(row));
        }
        out
    }

    /// The `k` nearest of the admitted rows (`None`: of all), nearest first; fewer only when fewer are admitted. With a
    /// graph, and unless few are admitted, each is there with the probability that the certificate names; what is there
    /// is right in any case.
    pub fn search(&self, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<Neighbour> {
        self.search_by(query, k, admitted, true)
    }

    /// The same, comparing every admitted row.
    pub fn search_exactly(&self, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<Neighbour> {
        self.search_by(query, k, admitted, false)
    }

    fn search_by(&self, query: &[f32], k: usize, admitted: Option<&RowSet>, walk: bool) -> Vec<Neighbour> {
        if k == 0 || query.len() != self.image.dims() {
            return Vec::new();
        }
        let alone = self.begin();
        let dead = self.overlay.as_ref().map(|over| &over.overlay.dead).filter(|dead| !dead.is_empty());
        let admits = match (admitted, dead) {
            (Some(set), _) => Admits::Only(set),
            (None, Some(dead)) => Admits::AllBut(dead),
            (None, None) => Admits::All,
        };
        let walked = if walk { self.walk(query, k, admits) } else { None };
        let mut found = walked.unwrap_or_else(|| self.compare_all(query, k, admits, alone));
        if let Some(over) = &self.overlay {
            found.extend(over.search(self.image.len() as u32, query, k, admitted));
        }
        self.searching.fetch_sub(1, Ordering::Relaxed);
        cut(found, k)
    }

    /// Counts a search; whether no other runs now.
    fn begin(&self) -> bool {
        if self.searched.fetch_add(1, Ordering::Relaxed) == WARM {
            self.image.warm_up();
        }
        self.searching.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Of all rows of the image, on this thread alone, comparing every one: what a walk is measured by.
    pub fn search_alone(&self, query: &[f32], k: usize) -> Vec<Neighbour> {
        cut(self.compare_all(query, k, Admits::All, false), k)
    }

    /// Of all rows of the image, by a walk of this width, whether it pays or not; nothing without a graph.
    pub fn search_as_wide(&self, query: &[f32], k: usize, ef: usize) -> Vec<Neighbour> {
        self.walked(query, k, Walk { ef, without: None })
    }

    /// The neighbours of a row, by a walk of this width that does as if the row were not there.
    pub(super) fn neighbours_by_walk(&self, row: u32, vector: &[f32], k: usize, ef: usize) -> Vec<Neighbour> {
        self.walked(vector, k, Walk { ef, without: Some(row) })
    }

    fn walked(&self, query: &[f32], k: usize, walk: Walk) -> Vec<Neighbour> {
        cut(self.walk_of(query, k, Admits::All, walk).map_or_else(Vec::new, |walked| walked.found), k)
    }

    /// How many rows such a walk for the neighbours of a row compares; 0 without a graph.
    pub(super) fn comparisons(&self, row: u32, vector: &[f32], ef: usize) -> usize {
        let walked = self.walk_of(vector, 1, Admits::All, Walk { ef, without: Some(row) });
        walked.map_or(0, |walked| walked.spent.comparisons)
    }

    /// The neighbours of a row, by comparing every other.
    pub(super) fn neighbours(&self, row: u32, vector: &[f32], k: usize) -> Vec<Neighbour> {
        let mut found = self.search_alone(vector, k + 1);
        found.retain(|near| near.row != row);
        found.truncate(k);
        found
    }

    /// The bytes that a walk compares.
    pub(super) fn codes(&self) -> Option<CodeRows<'_>> {
        CodeRows::new(self.image.codes(), self.image.scales(), self.image.dims())
    }

    pub(super) fn into_image(self) -> Image {
        self.image
    }

    /// How many rows of the image are admitted, at most.
    fn choice(&self, admits: Admits<'_>) -> usize {
        match admits {
            Admits::All => self.image.len(),
            Admits::Only(set) => set.len().min(self.image.len()),
            Admits::AllBut(set) => self.image.len() - set.len(),
        }
    }

    /// The width of a walk to `k` of `choice` admitted rows; `None` where there is no graph, or comparing is quicker.
    fn walk_width(&self, k: usize, choice: usize) -> Option<usize> {
        let certificate = self.image.certificate()?;
        let ef = certificate.width(k);
        walk_pays(certificate, self.image.len(), choice, ef).then_some(ef)
    }

    /// By the graph; `None` where there is none, or comparing is quicker.
    fn walk(&self, query: &[f32], k: usize, admits: Admits<'_>) -> Option<Vec<Neighbour>> {
        let certificate = self.image.certificate()?;
        let choice = self.choice(admits);
        let ef = self.walk_width(k, choice)?;
        let Walked { mut found, spent } = self.walk_of(query, k, admits, Walk { ef, without: None })?;
        // Fewer than there are: the walk has missed some, or they were damaged.
        if !spent.complete || found.len() < k.min(choice) {
            return None;
        }
        // A walk finds nothing that is nearer than the nearest: a question that seems to be within reach is.
        let is_within = found.len() < TENTH
            || found.select_nth_unstable_by(TENTH - 1, Neighbour::order).1.similarity >= certificate.reach;
        is_within.then_some(found)
    }

    /// What a walk finds, and what it took; `None` without a graph.
    fn walk_of(&self, query: &[f32], k: usize, admits: Admits<'_>, walk: Walk) -> Option<Walked> {
        let Walk { ef, without } = walk;
        let (graph, codes) = self.image.graph().zip(self.codes())?;
        let mut room = self.rooms.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let contains = |row: u32| admits.contains(row);
        let everything = matches!(admits, Admits::All);
        let budget = self.choice(admits).max(self.image.len() / 8);
        let options = SearchOptions { ef, admits: (!everything).then_some(&contains), budget, without };
        let (near, spent) = room.search(&graph, &codes, &Probe::of_query(query), again(k, ef), options);
        let rows: Vec<u32> = near.iter().map(|near| near.row).collect();
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);
        Some(Walked { found: self.compare(query, rows, false), spent })
    }

    /// Exact similarities of these rows, in any order; damaged ones are left out.
    fn compare(&self, query: &[f32], rows: Vec<u32>, parallel: bool) -> Vec<Neighbour> {
        let reader = self.rows();
        let one = |room: &mut RowRoom, row: u32| {
            let similarity = reader.similarity(query, row, room)?;
            Some(Neighbour { row, similarity })
        };
        if parallel && rows.len() > BLOCK {
            crate::threads::ready();
            return rows.into_par_iter().with_min_len(64).map_init(RowRoom::default, one).flatten().collect();
        }
        let mut room = RowRoom::default();
        rows.into_iter().filter_map(|row| one(&mut room, row)).collect()
    }
}

/// Reads rows by the numbers of the whole index.
struct Rows<'a> {
    index: &'a Index,
    image: RowReader<'a>,
    fresh: Option<RowReader<'a>>,
}

impl Rows<'_> {
    /// How near a row is; `None` if there is no such row, or it is damaged, or the query is of another length.
    fn similarity(&self, query: &[f32], row: u32, room: &mut RowRoom) -> Option<f32> {
        if query.len() != self.index.image.dims() {
            return None;
        }
        let similarity = match self.fresh.as_ref().zip(row.checked_sub(self.index.image.len() as u32)) {
            Some((rows, fresh)) => rows.similarity(query, fresh, room),
            None => self.image.similarity(query, row, room),
        };
        if similarity.is_none() && (row as usize) < self.index.len() {
            self.index.damaged.store(true, Ordering::Relaxed);
        }
        similarity
    }
}

impl Over {
    /// The nearest of what is fresh, by the numbers of the whole index.
    fn search(&self, first: u32, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<Neighbour> {
        let own = admitted.map(|set| {
            let mut own = RowSet::new(self.fresh.len());
            set.iter().filter_map(|row| row.checked_sub(first)).for_each(|row| own.insert(row));
            own
        });
        let found = self.fresh.search(query, k, own.as_ref());
        found.into_iter().map(|near| Neighbour { row: near.row + first, ..near }).collect()
    }
}

/// How many of what a walk of this width finds are compared again: bytes of one query byte a component order the last
/// of the nearest wrongly now and then.
fn again(k: usize, ef: usize) -> usize {
    (2 * k + 10).min(ef.max(k))
}

/// Whether a walk of this width costs less than comparing the admitted rows. Where one in `n` is admitted, a walk has
/// to go about `n` times as far. Both are counted in rows that are compared in order, so that the same file gives the
/// same answer on every machine.
pub(super) fn walk_pays(certificate: &Certificate, rows: usize, choice: usize, ef: usize) -> bool {
    let share = choice as f32 / rows.max(1) as f32;
    let compared = rows as f32 * (share * SCATTERED as f32).min(1.0);
    LEAP * certificate.comparisons(ef) / share.max(1e-9) < compared
}

/// The `k` first.
fn cut(mut found: Vec<Neighbour>, k: usize) -> Vec<Neighbour> {
    if found.len() > k {
        found.select_nth_unstable_by(k - 1, Neighbour::order);
        found.truncate(k);
    }
    found.sort_unstable_by(Neighbour::order);
    found
}
