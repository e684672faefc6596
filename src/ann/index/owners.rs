//! Search for owners: an owner is as near as the nearest of its texts.
//!
//! The codes are compared once, which gives each row an approximate similarity with a known error bound. An owner whose
//! best approximation lies more than that bound below the k-th best exact similarity cannot be among the nearest; of an
//! owner that can, only the rows within the bound of its best are compared in full precision. So the result is that
//! of comparing every row. With a graph, where a walk is quicker, it is the owners of the rows that the walk finds.

use super::exact::{PARALLEL_ROWS, SCATTERED, kth_greatest, places_from};
use super::{Admits, Index, Rows};
use crate::ann::image::{LinkColumns, RowRoom};
use crate::ann::{OwnerNeighbour, RowSet};
use crate::vector::QueryCodes;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Admitted rows up to which all are compared in full precision at once.
const DIRECT: usize = 128;

/// Rows from which on questions that are asked at once are compared in one pass: fewer stay in the cache by themselves.
const TOGETHER: usize = 4_096;

/// So many candidates ahead, rows are asked for.
const AHEAD: usize = 4;

/// Where the links of an owner are written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    Image,
    Overlay,
}

/// An owner that may be among the nearest.
struct Candidate {
    source: Source,
    links: Range<usize>,
    /// The link whose row has the greatest approximate similarity, and that similarity.
    likeliest: usize,
    approximation: f32,
}

/// A query, and what comparing it in full precision needs.
struct Comparison<'a> {
    query: &'a [f32],
    /// How far an approximate similarity can be off.
    error: f32,
    rows: Rows<'a>,
    image: LinkColumns<'a>,
    overlay: LinkColumns<'a>,
    room: RowRoom,
}

impl Comparison<'_> {
    fn columns(&self, source: Source) -> LinkColumns<'_> {
        match source {
            Source::Image => self.image,
            Source::Overlay => self.overlay,
        }
    }

    /// Asks for the likeliest row of a candidate, which is about to be compared.
    fn prefetch(&self, candidate: &Candidate) {
        self.rows.image.prefetch(self.columns(candidate.source).rows[candidate.likeliest]);
    }

    /// The nearest row of a candidate, of those whose approximate similarity, as `near` tells it by the link, is not
    /// below `floor`. `None` if none of them is whole.
    fn nearest(&mut self, candidate: &Candidate, floor: f32, near: impl Fn(usize) -> f32) -> Option<OwnerNeighbour> {
        let Candidate { source, likeliest, .. } = *candidate;
        let mut best = self.follow(source, likeliest);
        for link in candidate.links.clone() {
            let least = best.map_or(floor, |best| floor.max(best.similarity - self.error));
            if near(link) < least || link == likeliest {
                continue;
            }
            let Some(next) = self.follow(source, link) else { continue };
            let order = |near: &OwnerNeighbour| (near.row, near.part);
            let is_nearer = |best: &OwnerNeighbour| {
                next.similarity > best.similarity || next.similarity == best.similarity && order(&next) < order(best)
            };
            if best.as_ref().is_none_or(is_nearer) {
                best = Some(next);
            }
        }
        best
    }

    /// How near the row of a link is; `None` if it is damaged, or does not know of the link.
    fn follow(&mut self, source: Source, link: usize) -> Option<OwnerNeighbour> {
        let columns = self.columns(source);
        let (owner, part, row) = (columns.owners[link], columns.parts[link], columns.rows[link]);
        if source == Source::Image && !self.rows.image.knows(row, link) {
            self.rows.index.damaged.store(true, Ordering::Relaxed);
            return None;
        }
        let similarity = self.rows.similarity(self.query, row, &mut self.room)?;
        Some(OwnerNeighbour { owner, part, row, similarity })
    }
}

/// The approximate similarity of a row.
fn near_of(near: &[f32], row: u32) -> f32 {
    near.get(row as usize).copied().unwrap_or(f32::NEG_INFINITY)
}

/// The owner of these links, whose rows are `rows`; `None` if none of them is admitted.
fn candidate(source: Source, links: Range<usize>, rows: &[u32], near: &[f32]) -> Option<Candidate> {
    let of = |link: usize| near_of(near, rows[link]);
    let likeliest = links.clone().reduce(|best, next| if of(next) > of(best) { next } else { best })?;
    let approximation = of(likeliest);
    (approximation > f32::NEG_INFINITY).then_some(Candidate { source, links, likeliest, approximation })
}

impl Index {
    /// The `k` nearest owners of the admitted rows (`None`: of all), each by the nearest of those, nearest first; fewer
    /// only when there are fewer. A row that several owners share stands for all of them, admitted or not. With a
    /// graph each is there with the probability that the certificate names.
    pub fn nearest_owners(&self, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<OwnerNeighbour> {
        if k == 0 || self.is_empty() || query.len() != self.image.dims() {
            return Vec::new();
        }
        self.nearest_known(query, k, admitted, || self.find_owners(query, k, admitted))
    }

    fn find_owners(&self, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<OwnerNeighbour> {
        if let Some(found) = self.walk_to_owners(query, k, admitted) {
            return found;
        }
        let alone = self.begin();
        let found = self.compare_owners(query, k, admitted, alone);
        self.searching.fetch_sub(1, Ordering::Relaxed);
        found
    }

    /// How near each of these owners is, in the order given; `None` for one without a row that is whole.
    pub fn owners_similarity(&self, query: &[f32], owners: &[u64]) -> Vec<Option<OwnerNeighbour>> {
        if query.len() != self.image.dims() {
            return vec![None; owners.len()];
        }
        self.similarities_known(query, owners, || self.find_similarities(query, owners))
    }

    fn find_similarities(&self, query: &[f32], owners: &[u64]) -> Vec<Option<OwnerNeighbour>> {
        let codes = QueryCodes::new(query);
        let mut comparison = self.comparison(query, &codes);
        let links: Vec<(Source, Range<usize>)> = owners.iter().map(|owner| self.links_of(*owner)).collect();
        let (starts, near) = self.approximations_of(&codes, &links);
        let near_of = |at: usize, first: usize| {
            let own = &near[starts[at]..starts[at + 1]];
            move |link: usize| own.get(link - first).copied().unwrap_or(f32::INFINITY)
        };
        let likeliest = |(at, (source, links)): (usize, (Source, Range<usize>))| {
            let near = near_of(at, links.start);
            let likeliest = links.clone().reduce(|best, next| if near(next) > near(best) { next } else { best })?;
            Some(Candidate { source, approximation: near(likeliest), likeliest, links })
        };
        let candidates: Vec<Option<Candidate>> = links.into_iter().enumerate().map(likeliest).collect();
        let similarity = |(at, candidate): (usize, &Option<Candidate>)| {
            candidates.get(at + AHEAD).into_iter().flatten().for_each(|next| comparison.prefetch(next));
            let candidate = candidate.as_ref()?;
            comparison.nearest(candidate, f32::NEG_INFINITY, near_of(at, candidate.links.start))
        };
        candidates.iter().enumerate().map(similarity).collect()
    }

    /// The approximate similarities of the rows of some owners, and where those of each begin. There are none for an
    /// owner with one row and for what has changed: comparing them in full precision at once is as quick.
    fn approximations_of(&self, codes: &QueryCodes, owners: &[(Source, Range<usize>)]) -> (Vec<usize>, Vec<f32>) {
        let (all, most) = (self.image.link_columns().rows, self.image.len());
        let (mut rows, mut starts) = (Vec::with_capacity(16 * owners.len()), vec![0]);
        for (source, links) in owners {
            let own = if *source == Source::Image && links.len() > 1 { &all[links.clone()] } else { &[] };
            if own.iter().all(|row| (*row as usize) < most) {
                rows.extend(own);
            }
            starts.push(rows.len());
        }
        let mut near = vec![0.0; rows.len()];
        codes.compare_some(self.isa, self.image.codes(), self.image.scales(), &rows, &mut near);
        (starts, near)
    }

    /// How near the nearest text of an owner is, and which part of it that is; `None` if it has none.
    pub fn owner_similarity(&self, query: &[f32], owner: u64) -> Option<(f32, u32)> {
        let found = self.owners_similarity(query, &[owner]);
        found.first().copied().flatten().map(|near| (near.similarity, near.part))
    }

    /// The owners of what a walk finds; `None` where comparing is quicker.
    fn walk_to_owners(&self, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Option<Vec<OwnerNeighbour>> {
        let choice = admitted.map_or(self.image.len(), |set| set.len().min(self.image.len()));
        let mut rows = k;
        loop {
            self.walk_width(rows, choice)?;
            let found = self.search(query, rows, admitted);
            let mut known = HashSet::new();
            let mut owners = Vec::with_capacity(found.len());
            for near in &found {
                let new = self.owners_of(near.row).filter(|(owner, _)| known.insert(*owner));
                let neighbour =
                    |(owner, part)| OwnerNeighbour { owner, part, row: near.row, similarity: near.similarity };
                owners.extend(new.map(neighbour));
            }
            if owners.len() >= k || found.len() < rows {
                owners.sort_by(OwnerNeighbour::order);
                owners.truncate(k);
                return Some(owners);
            }
            rows *= 2;
        }
    }

    fn compare_owners(&self, query: &[f32], k: usize, admitted: Option<&RowSet>, alone: bool) -> Vec<OwnerNeighbour> {
        let codes = Arc::new(QueryCodes::new(query));
        let near = self.approximations(&codes, admitted, alone);
        let mut comparison = self.comparison(query, &codes);
        let (likely, mut best) = self.likely(&near, k, &comparison);
        let mut found: Vec<OwnerNeighbour> = Vec::with_capacity(2 * k);
        let mut floor = f32::NEG_INFINITY;
        for (from, to) in [(likely, f32::INFINITY), (f32::NEG_INFINITY, likely)] {
            if to <= floor {
                break;
            }
            let others = || self.owners_from(&near, from.max(floor), &comparison);
            let mut candidates = best.take().unwrap_or_else(others);
            candidates.retain(|own| own.approximation >= from && (own.approximation < to || to == f32::INFINITY));
            candidates.sort_unstable_by(|a, b| b.approximation.total_cmp(&a.approximation));
            for (at, candidate) in candidates.iter().enumerate() {
                if candidate.approximation < floor {
                    break;
                }
                candidates.get(at + AHEAD).into_iter().for_each(|next| comparison.prefetch(next));
                let rows = self.columns(candidate.source).rows;
                found.extend(comparison.nearest(candidate, floor, |link| near_of(&near, rows[link])));
                if found.len() == k {
                    let kth = found.iter().map(|near| near.similarity).fold(f32::INFINITY, f32::min);
                    floor = kth - comparison.error;
                }
            }
        }
        found.sort_unstable_by(OwnerNeighbour::order);
        // Of a damaged column of owners one can come twice.
        let mut known = HashSet::new();
        found.retain(|near| known.insert(near.owner));
        found.truncate(k);
        found
    }

    /// An approximate similarity from which on the `k` nearest owners are, and the owners from there on, and more, if
    /// they were met. The `k`-th best exact similarity is at most one error below the `k`-th best approximation, unless
    /// rows are damaged: then the other owners come into it too. Owners are looked for by the best rows: those of all
    /// rows are a hundred times as many.
    fn likely(&self, near: &[f32], k: usize, comparison: &Comparison<'_>) -> (f32, Option<Vec<Candidate>>) {
        let mut rows = 3 * k.max(32);
        loop {
            let least = kth_greatest(near, rows);
            let met = self.owners_from(near, least, comparison);
            let best: Vec<f32> = met.iter().map(|candidate| candidate.approximation).collect();
            if best.len() >= k {
                let likely = kth_greatest(&best, k) - 2.0 * comparison.error;
                return (likely, (likely >= least).then_some(met));
            }
            if least == f32::NEG_INFINITY {
                return (least, Some(met));
            }
            rows = rows.saturating_mul(4);
        }
    }

    /// The owners whose approximate similarity is at least `from`, in any order. Rows of minus infinity are left out.
    fn owners_from(&self, near: &[f32], from: f32, comparison: &Comparison<'_>) -> Vec<Candidate> {
        let (image, overlay) = (comparison.image, comparison.overlay);
        let mut links: Vec<u32> = Vec::new();
        for row in places_from(near.get(..self.image.len()).unwrap_or_default(), from) {
            let before = links.len();
            let own = comparison.rows.image.link_numbers(row);
            links.extend(own.iter().filter(|link| image.rows.get(**link as usize) == Some(&row)));
            // Every row of an image has a link.
            if links.len() - before < own.len().max(1) {
                self.damaged.store(true, Ordering::Relaxed);
            }
        }
        // In their order, so that those of an owner that was met already are passed over.
        links.sort_unstable();
        let mut out: Vec<Candidate> = Vec::with_capacity(links.len());
        let mut end = 0;
        for link in links.into_iter().map(|link| link as usize).filter(|link| *link < image.owners.len()) {
            if link < end {
                continue;
            }
            let owner = image.owners[link];
            let before = image.owners[..link].iter().rev().take_while(|other| **other == owner).count();
            let from_here = image.owners[link..].iter().take_while(|other| **other == owner).count();
            end = link + from_here;
            if !self.is_hidden(Source::Image, owner) {
                out.extend(candidate(Source::Image, link - before..end, image.rows, near));
            }
        }
        let mut first = 0;
        while let Some(owner) = overlay.owners.get(first) {
            let links = first..first + overlay.owners[first..].iter().take_while(|other| *other == owner).count();
            first = links.end;
            out.extend(candidate(Source::Overlay, links, overlay.rows, near).filter(|own| own.approximation >= from));
        }
        out
    }

    fn comparison<'a>(&'a self, query: &'a [f32], codes: &QueryCodes) -> Comparison<'a> {
        let (slack, longest) = self.image.bounds();
        let (fresh_slack, fresh_longest) = self.overlay.as_ref().map_or((0.0, 0.0), |over| over.fresh.image.bounds());
        Comparison {
            query,
            error: codes.error(slack.max(fresh_slack), longest.max(fresh_longest)),
            rows: self.rows(),
            image: self.columns(Source::Image),
            overlay: self.columns(Source::Overlay),
            room: RowRoom::default(),
        }
    }

    /// The approximate similarity of every row; minus infinity for those that are not admitted, infinity for those that
    /// are so few that comparing them in full precision is quicker.
    fn approximations(&self, codes: &Arc<QueryCodes>, admitted: Option<&RowSet>, alone: bool) -> Vec<f32> {
        let Some(set) = admitted.filter(|set| set.len() * SCATTERED < self.image.len()) else {
            let parallel = alone && self.image.len() >= PARALLEL_ROWS;
            let mut near = if parallel || self.image.len() < TOGETHER {
                self.scan(codes, Admits::All, parallel)
            } else {
                self.together.ask(codes, |all| self.scan_together(all))
            };
            let others = (0u32..).zip(&mut near).filter(|(row, _)| admitted.is_some_and(|set| !set.contains(*row)));
            others.for_each(|(_, near)| *near = f32::NEG_INFINITY);
            if let Some(over) = &self.overlay {
                near.extend(over.fresh.scan(codes, Admits::All, false));
                if let Some(set) = admitted {
                    let fresh = (0u32..).zip(&mut near).skip(self.image.len());
                    fresh.filter(|(row, _)| !set.contains(*row)).for_each(|(_, near)| *near = f32::NEG_INFINITY);
                }
            }
            return near;
        };
        let mut near = vec![f32::NEG_INFINITY; self.len()];
        let rows: Vec<u32> = set.iter().take_while(|row| (*row as usize) < self.image.len()).collect();
        let mut some = vec![f32::INFINITY; rows.len()];
        if rows.len() > DIRECT {
            codes.compare_some(self.isa, self.image.codes(), self.image.scales(), &rows, &mut some);
        }
        rows.iter().zip(some).for_each(|(row, some)| near[*row as usize] = some);
        let fresh = set.iter().skip_while(|row| (*row as usize) < self.image.len());
        fresh.take_while(|row| (*row as usize) < self.len()).for_each(|row| near[row as usize] = f32::INFINITY);
        near
    }

    fn columns(&self, source: Source) -> LinkColumns<'_> {
        match (source, &self.overlay) {
            (Source::Image, _) => self.image.link_columns(),
            (Source::Overlay, Some(over)) => over.overlay.columns(),
            (Source::Overlay, None) => LinkColumns { owners: &[], parts: &[], rows: &[] },
        }
    }

    /// Whether an owner's links in the image do not count any more.
    fn is_hidden(&self, source: Source, owner: u64) -> bool {
        source == Source::Image && self.overlay.as_ref().is_some_and(|over| over.overlay.is_changed(owner))
    }

    /// Where the links of an owner are.
    fn links_of(&self, owner: u64) -> (Source, Range<usize>) {
        let source = if self.is_hidden(Source::Image, owner) { Source::Overlay } else { Source::Image };
        (source, self.columns(source).of_owner(owner))
    }
}
