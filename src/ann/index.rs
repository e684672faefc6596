//! Search among the vectors of an image, and of what has been laid over it.
//!
//! Exact, in two passes: bytes are compared for every admitted row, which reads a third of what the vectors take, and what
//! can be among the nearest by the bound of that comparison (`vector::QueryCodes`) is compared again in f32. The result is that
//! of comparing every vector. Rows are shared out among threads when nobody else searches; the answer is the same to the bit
//! either way, because a row's similarity does not depend on its neighbours and ties go to the lower row.
//!
//! An image with a graph is walked where that is quicker, as wide as its certificate asks; what the walk finds is compared again in
//! f32 as well. Few admitted rows are compared one by one, and where a walk would have to go too far, all of them are.

use super::certificate::Certificate;
use super::graph::{CodeRows, Probe, SearchOptions, Searcher};
use super::image::Link;
use super::overlay::Overlay;
use super::{Image, Neighbour, RowSet};
use crate::text::TextHash;
use crate::vector::simd::Isa;
use crate::vector::{QueryCodes, code_stride, dot_rows};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Rows of a block: 96 KB of bytes at 384 components.
const BLOCK: usize = 256;

/// Rows at which a second thread pays.
const PARALLEL_ROWS: usize = 16_384;

/// Admitted rows below which their vectors are compared at once.
const DIRECT: usize = 128;
/// Comparing a row here and there takes as long as comparing so many in order.
const SCATTERED: usize = 4;
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
    damaged: AtomicBool,
    /// Room for walks, one for each that runs.
    rooms: Mutex<Vec<Searcher>>,
}

/// What lies over an image, and the search among what is fresh of it.
#[derive(Debug)]
struct Over {
    overlay: Overlay,
    fresh: Index,
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

/// About how near some rows are.
struct About {
    /// The rows; none: all, in order.
    rows: Option<Vec<u32>>,
    near: Vec<f32>,
}

impl About {
    fn row(&self, at: usize) -> u32 {
        self.rows.as_ref().map_or(at as u32, |rows| rows[at])
    }

    /// The rows that are at least as near as the one and less than the other.
    fn within(&self, from: f32, to: f32) -> Vec<u32> {
        let near = self.near.iter().enumerate();
        let wanted = |near: f32| near >= from && near < to && near > f32::NEG_INFINITY;
        near.filter(|(_, near)| wanted(**near)).map(|(at, _)| self.row(at)).collect()
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
            damaged: AtomicBool::new(false),
            rooms: Mutex::default(),
        }
    }

    /// Over an image of which these owners have changed since, and now have these texts; `vectors` are those of texts that the
    /// image may not have.
    pub fn with_changes<'v>(
        image: Image,
        changed: Vec<u64>,
        links: impl IntoIterator<Item = (u64, u32, TextHash)>,
        vectors: impl IntoIterator<Item = (TextHash, &'v [f32])>,
    ) -> Self {
        let (overlay, fresh) = Overlay::new(&image, changed, links, vectors);
        Self { overlay: Some(Box::new(Over { overlay, fresh: Self::new(fresh) })), ..Self::new(image) }
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

    /// How near a row is; `None` if there is no such row, or it is damaged.
    pub fn similarity(&self, query: &[f32], row: u32) -> Option<f32> {
        self.similarity_with(query, row, &mut Vec::new())
    }

    fn similarity_with(&self, query: &[f32], row: u32, vector: &mut Vec<f32>) -> Option<f32> {
        if !self.read(row, vector) {
            return None;
        }
        let mut out = [0.0];
        if vector.len() == query.len() {
            dot_rows(query, vector, &mut out);
        }
        Some(out[0])
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

    /// How near the nearest text of an owner is, and which part of it that is; `None` if it has none.
    pub fn owner_similarity(&self, query: &[f32], owner: u64) -> Option<(f32, u32)> {
        let rows = self.rows_of(owner);
        let near = rows.filter_map(|(part, row)| Some((self.similarity(query, row)?, part)));
        near.reduce(|best, next| if next.0 > best.0 { next } else { best })
    }

    /// The `k` nearest of the admitted rows (`None`: of all), nearest first; fewer only when fewer are admitted. With a
    /// graph, and unless few are admitted, each is there with the probability that the certificate names; what is there is
    /// right in any case.
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
        if self.searched.fetch_add(1, Ordering::Relaxed) == WARM {
            self.image.warm_up();
        }
        let alone = self.searching.fetch_add(1, Ordering::Relaxed) == 0;
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

    /// Of all rows of the image, on this thread alone, comparing every one: what a walk is measured by.
    pub fn search_alone(&self, query: &[f32], k: usize) -> Vec<Neighbour> {
        cut(self.compare_all(query, k, Admits::All, false), k)
    }

    /// Of all rows of the image, by a walk of this width, whether it pays or not; nothing without a graph.
    pub fn search_as_wide(&self, query: &[f32], k: usize, ef: usize) -> Vec<Neighbour> {
        cut(self.walk_of(query, k, Admits::All, (ef, None)).map_or_else(Vec::new, |(found, _)| found), k)
    }

    /// The neighbours of a row, by a walk of this width that does as if the row were not there.
    pub(super) fn neighbours_by_walk(&self, row: u32, vector: &[f32], k: usize, ef: usize) -> Vec<Neighbour> {
        cut(self.walk_of(vector, k, Admits::All, (ef, Some(row))).map_or_else(Vec::new, |(found, _)| found), k)
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

    /// By the graph; `None` where there is none, or comparing is quicker.
    fn walk(&self, query: &[f32], k: usize, admits: Admits<'_>) -> Option<Vec<Neighbour>> {
        let certificate = self.image.certificate()?;
        let (ef, choice) = (certificate.width(k), self.choice(admits));
        if !walk_pays(certificate, self.image.len(), choice, ef) {
            return None;
        }
        let (found, complete) = self.walk_of(query, k, admits, (ef, None))?;
        // Fewer than there are: the walk has missed some, or they were damaged.
        (complete && found.len() >= k.min(choice)).then_some(found)
    }

    /// What a walk of this width finds, compared again, and whether it came to its end.
    fn walk_of(
        &self,
        query: &[f32],
        k: usize,
        admits: Admits<'_>,
        (ef, without): (usize, Option<u32>),
    ) -> Option<(Vec<Neighbour>, bool)> {
        let (graph, codes) = self.image.graph().zip(self.codes())?;
        let mut room = self.rooms.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let contains = |row: u32| admits.contains(row);
        let everything = matches!(admits, Admits::All);
        let budget = self.choice(admits).max(self.image.len() / 8);
        let options = SearchOptions { ef, admits: (!everything).then_some(&contains), budget, without };
        let (near, spent) = room.search(&graph, &codes, &Probe::of_query(query), again(k, ef), options);
        let rows: Vec<u32> = near.iter().map(|near| near.row).collect();
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);
        Some((self.compare(query, rows, false), spent.complete))
    }

    /// By comparing every admitted row.
    fn compare_all(&self, query: &[f32], k: usize, admits: Admits<'_>, alone: bool) -> Vec<Neighbour> {
        let (rows, choice) = (self.image.len(), self.choice(admits));
        if choice == 0 {
            return Vec::new();
        }
        let some = || -> Vec<u32> {
            match admits {
                Admits::Only(set) => set.iter().take_while(|row| (*row as usize) < rows).collect(),
                other => (0..rows as u32).filter(|row| other.contains(*row)).collect(),
            }
        };
        if choice <= DIRECT.max(k) {
            return self.compare(query, some(), false);
        }
        let parallel = alone && choice >= PARALLEL_ROWS;
        let codes = QueryCodes::new(query);
        let about = if choice * SCATTERED < rows {
            let rows = some();
            let mut near = vec![0.0; rows.len()];
            codes.compare_some(self.isa, self.image.codes(), self.image.scales(), &rows, &mut near);
            About { rows: Some(rows), near }
        } else {
            About { rows: None, near: self.scan(&codes, admits, parallel) }
        };
        self.best(query, k, &about, &codes, parallel)
    }

    /// About how near every row of the image is; what is not admitted is further than all.
    fn scan(&self, codes: &QueryCodes, admits: Admits<'_>, parallel: bool) -> Vec<f32> {
        let stride = BLOCK * code_stride(self.image.dims());
        let mut about = vec![f32::NEG_INFINITY; self.image.len()];
        let block = |(at, out): (usize, &mut [f32])| {
            let rows = (at * BLOCK) as u32..(at * BLOCK + out.len()) as u32;
            let everything = matches!(admits, Admits::All);
            if !everything && !rows.clone().any(|row| admits.contains(row)) {
                return;
            }
            codes.compare(
                self.isa,
                &self.image.codes()[at * stride..],
                &self.image.scales()[at * BLOCK..at * BLOCK + out.len()],
                out,
            );
            if !everything {
                let other = rows.zip(out).filter(|(row, _)| !admits.contains(*row));
                other.for_each(|(_, about)| *about = f32::NEG_INFINITY);
            }
        };
        if parallel {
            about.par_chunks_mut(BLOCK).enumerate().with_min_len(16).for_each(block);
        } else {
            about.chunks_mut(BLOCK).enumerate().for_each(block);
        }
        about
    }

    /// The nearest by their vectors, of all that can be among them.
    fn best(&self, query: &[f32], k: usize, about: &About, codes: &QueryCodes, parallel: bool) -> Vec<Neighbour> {
        let (slack, longest) = self.image.bounds();
        let error = codes.error(slack, longest);
        let all = about.near.len();
        // What is damaged is left out, and its place goes to the next: then more have to be compared.
        let mut wanted = k;
        loop {
            let kth = kth_greatest(&about.near, wanted.min(all));
            // What is nearer than the nearest by their bytes turn out to be cannot be further off than one error by its own.
            let nearest = about.within(kth, f32::INFINITY);
            let mut found = self.compare(query, nearest.clone(), parallel);
            let near: Vec<f32> = found.iter().map(|found| found.similarity).collect();
            let floor = if near.len() < wanted { kth - 2.0 * error } else { kth_greatest(&near, wanted) - error };
            let likely = about.within(floor.min(kth), kth);
            let count = nearest.len() + likely.len();
            found.extend(self.compare(query, likely, parallel));
            let lost = count - found.len();
            if lost == 0 || wanted >= all || found.len() >= k + lost {
                return found;
            }
            wanted = (wanted + lost).max(k + lost).min(all);
            if about.within(f32::NEG_INFINITY, f32::INFINITY).len() <= count {
                return found;
            }
        }
    }

    /// Exact similarities of these rows, in any order; damaged ones are left out.
    fn compare(&self, query: &[f32], rows: Vec<u32>, parallel: bool) -> Vec<Neighbour> {
        let one = |vector: &mut Vec<f32>, row: u32| {
            let similarity = self.similarity_with(query, row, vector)?;
            Some(Neighbour { row, similarity })
        };
        if parallel && rows.len() > BLOCK {
            return rows.into_par_iter().with_min_len(64).map_init(Vec::new, one).flatten().collect();
        }
        let mut vector = Vec::new();
        rows.into_iter().filter_map(|row| one(&mut vector, row)).collect()
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

/// The `k`-th greatest of some numbers, `k` at least 1; what is no number or minus infinity does not count, and minus infinity
/// is given where too few do.
fn kth_greatest(values: &[f32], k: usize) -> f32 {
    let falling = |a: &f32, b: &f32| b.total_cmp(a);
    // Never cut before there are `k`.
    let room = 4 * k.max(64);
    let (mut kept, mut floor) = (Vec::with_capacity(room), f32::NEG_INFINITY);
    for values in values.chunks(64) {
        // Nearly every stretch holds nothing that is great enough, which wide registers see at once.
        if values.iter().fold(f32::NEG_INFINITY, |most, value| if *value > most { *value } else { most }) <= floor {
            continue;
        }
        kept.extend(values.iter().filter(|value| **value > floor));
        if kept.len() + 64 > room {
            kept.select_nth_unstable_by(k - 1, falling);
            kept.truncate(k);
            floor = kept[k - 1];
        }
    }
    if kept.len() < k { f32::NEG_INFINITY } else { *kept.select_nth_unstable_by(k - 1, falling).1 }
}

/// How many of what a walk of this width finds are compared again: bytes of one query byte a component order the last of the
/// nearest wrongly now and then.
fn again(k: usize, ef: usize) -> usize {
    (2 * k + 10).min(ef.max(k))
}

/// Whether a walk of this width is quicker than comparing the admitted rows. Where one in `n` is admitted, a walk has to go about
/// `n` times as far.
fn walk_pays(certificate: &Certificate, rows: usize, choice: usize, ef: usize) -> bool {
    let share = choice as f32 / rows.max(1) as f32;
    let compared = certificate.exact_us * (share * SCATTERED as f32).min(1.0);
    certificate.microseconds(ef) / share.max(1e-9) < compared
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

#[cfg(test)]
mod tests {
    use super::super::Origin;
    use super::*;
    use proptest::prelude::*;

    /// The referee: all similarities, sorted.
    fn naive(index: &Index, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<Neighbour> {
        let rows = (0..index.len() as u32).filter(|&row| admitted.is_none_or(|set| set.contains(row)));
        let mut all: Vec<Neighbour> =
            rows.filter_map(|row| Some(Neighbour { row, similarity: index.similarity(query, row)? })).collect();
        all.sort_by(Neighbour::order);
        all.truncate(k);
        all
    }

    /// Few distinct values, so that ties are common, or many, so that the bound is needed.
    fn index(rows: usize, dims: usize, seed: u64, values: u64) -> Index {
        let mut state = seed | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % values) as f32 / (values - 1) as f32 - 0.5
        };
        let data: Vec<Vec<f32>> = (0..rows).map(|_| (0..dims).map(|_| next()).collect()).collect();
        let hash = |row: usize| (row as u128).to_be_bytes();
        let origin = Origin { model: "m".into(), state: "s".into(), ..Origin::default() };
        let vectors = data.iter().enumerate().map(|(row, vector)| (hash(row), vector.as_slice()));
        Index::new(Image::new(&origin, dims, vectors, (0..rows).map(|row| (row as u64, 0, hash(row)))))
    }

    proptest! {
        #[test]
        fn equals_its_naive_twin(
            rows in 0usize..900, dims in 1usize..70, k in 0usize..300, seed: u64, every in 1u64..9, many: bool,
        ) {
            let index = index(rows, dims, seed, if many { 10_007 } else { 3 });
            let query: Vec<f32> = (0..dims).map(|i| (i as f32 * 0.7 + seed as f32).sin()).collect();
            let mut some = RowSet::new(rows);
            (0..rows as u32).filter(|row| (u64::from(*row) ^ seed) % every == 0).for_each(|row| some.insert(row));
            prop_assert_eq!(index.search(&query, k, None), naive(&index, &query, k, None));
            prop_assert_eq!(index.search(&query, k, Some(&some)), naive(&index, &query, k, Some(&some)));
        }
    }

    /// Owners and similarities, in order: what two indexes of the same texts must have in common.
    fn told(index: &Index, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<(u32, Vec<(u64, u32)>)> {
        let told = |near: Neighbour| {
            let mut owners: Vec<_> = index.owners_of(near.row).collect();
            owners.sort_unstable();
            (near.similarity.to_bits(), owners)
        };
        let mut told: Vec<_> = index.search(query, k, admitted).into_iter().map(told).collect();
        told.sort();
        told
    }

    proptest! {
        /// What changed and is laid over an image says the same as an image that was made afterwards.
        #[test]
        fn an_overlay_equals_an_image_made_anew(
            before in prop::collection::vec(prop::collection::vec(0u8..40, 0..3), 1..30),
            after in prop::collection::btree_map(0usize..40, prop::collection::vec(0u8..60, 0..3), 0..20),
            k in 1usize..100,
            wanted in 0u64..40,
        ) {
            let vector = |text: u8| [f32::from(text).sin(), f32::from(text).cos(), f32::from(text % 7) / 7.0, 0.1];
            let hash = |text: u8| [text; 16];
            let vectors: Vec<([u8; 16], [f32; 4])> = (0..60).map(|text| (hash(text), vector(text))).collect();
            let all = || vectors.iter().map(|(hash, vector)| (*hash, vector.as_slice()));
            let links = |owners: &[(usize, Vec<u8>)]| -> Vec<(u64, u32, [u8; 16])> {
                let parts = owners.iter().flat_map(|(owner, texts)| {
                    texts.iter().zip(0u32..).map(|(text, part)| (*owner as u64, part, hash(*text)))
                });
                parts.collect()
            };
            let old: Vec<(usize, Vec<u8>)> = before.into_iter().enumerate().collect();
            let mut new: std::collections::BTreeMap<usize, Vec<u8>> = old.iter().cloned().collect();
            new.extend(after.clone());
            let new: Vec<(usize, Vec<u8>)> = new.into_iter().collect();
            let image = |links| Image::new(&Origin::default(), 4, all(), links);
            let fresh = Index::new(image(links(&new)));
            let changed: Vec<(usize, Vec<u8>)> = after.into_iter().collect();
            let owners = changed.iter().map(|(owner, _)| *owner as u64).collect();
            let laid = Index::with_changes(image(links(&old)), owners, links(&changed), all());
            let query = [0.3, 0.5, 0.2, -0.1];
            prop_assert_eq!(told(&laid, &query, k, None), told(&fresh, &query, k, None));
            let set = |index: &Index| index.rows_where(|owner| owner % 3 != wanted % 3);
            prop_assert_eq!(told(&laid, &query, k, Some(&set(&laid))), told(&fresh, &query, k, Some(&set(&fresh))));
            let (a, b) = (laid.rows_of_owners([wanted]), fresh.rows_of_owners([wanted]));
            prop_assert_eq!(told(&laid, &query, k, Some(&a)), told(&fresh, &query, k, Some(&b)));
            prop_assert_eq!(laid.link_count(), fresh.link_count());
            prop_assert_eq!(laid.owner_similarity(&query, wanted).map(|near| near.0), fresh.owner_similarity(&query, wanted).map(|near| near.0));
            for text in 0..60 {
                let row = fresh.row_of(&hash(text));
                let theirs = row.map(|row| fresh.vector(row));
                let ours = laid.row_of(&hash(text)).filter(|row| laid.owners_of(*row).next().is_some());
                prop_assert_eq!(ours.map(|row| laid.vector(row)), theirs);
            }
        }
    }

    proptest! {
        #[test]
        fn the_kth_greatest_is_found_without_sorting(
            values in prop::collection::vec(prop_oneof![9 => -1.0f32..1.0, 1 => Just(f32::NEG_INFINITY), 1 => Just(0.5)], 1..900),
            k in prop_oneof![1usize..20, 1usize..300],
        ) {
            let mut sorted: Vec<f32> = values.iter().copied().filter(|value| *value > f32::NEG_INFINITY).collect();
            sorted.sort_by(|a, b| b.total_cmp(a));
            prop_assert_eq!(kth_greatest(&values, k), sorted.get(k - 1).copied().unwrap_or(f32::NEG_INFINITY));
        }
    }

    #[test]
    fn threads_change_nothing() {
        let index = index(PARALLEL_ROWS + 77, 24, 9, 5);
        let query: Vec<f32> = (0..24).map(|i| (i as f32).sin()).collect();
        let expected = naive(&index, &query, 50, None);
        assert_eq!(index.search(&query, 50, None), expected);
        let together: Vec<_> = (0..8).into_par_iter().map(|_| index.search(&query, 50, None)).collect();
        assert!(together.iter().all(|found| *found == expected));
    }

    #[test]
    fn a_filter_never_starves() {
        let index = index(PARALLEL_ROWS + 1, 4, 3, 5);
        let mut one = RowSet::new(index.len());
        one.insert(PARALLEL_ROWS as u32);
        one.insert(u32::MAX);
        assert_eq!(one.len(), 1);
        assert_eq!(index.search(&[1.0, 0.0, 0.0, 0.0], 10, Some(&one))[0].row, PARALLEL_ROWS as u32);
        assert!(index.search(&[1.0, 0.0], 10, None).is_empty(), "a vector of another model finds nothing");
    }

    /// The places of damaged rows go to the next nearest.
    #[test]
    fn damaged_rows_are_left_out_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let whole = index(600, 8, 5, 10_007);
        let query = [0.3, 0.1, -0.4, 0.2, 0.9, -0.2, 0.0, 0.5];
        let expected = naive(&whole, &query, 300, None);
        whole.image().write(&path).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        // What is left over of the vectors ends the file; of each of the ten nearest a bit is changed.
        let first = bytes.len() - 600 * 16;
        for neighbour in &expected[..10] {
            bytes[first + neighbour.row as usize * 16 + 5] ^= 4;
        }
        std::fs::write(&path, bytes).unwrap();
        let origin = Origin { model: "m".into(), state: "s".into(), ..Origin::default() };
        let damaged = Index::new(Image::open(&path, &origin).unwrap());
        assert_eq!(damaged.search(&query, 20, None), expected[10..30]);
        assert!(damaged.is_damaged() && !whole.is_damaged());
        assert_eq!(damaged.image().damaged_rows(), 10);
    }
}
