//! Search by comparing every admitted row.
//!
//! In two passes: bytes are compared, which reads a third of what the vectors take, and what can be among the nearest
//! by the bound of that comparison (`vector::QueryCodes`) is compared again in f32. The result is that of comparing
//! every vector. Rows are shared out among threads when nobody else searches; the answer is the same to the bit either
//! way, because a row's similarity does not depend on its neighbours and ties go to the lower row.

use super::{Admits, Index, cut};
use crate::ann::Neighbour;
use crate::vector::{QueryCodes, code_stride};
use rayon::prelude::*;

/// Rows of a block: 96 KB of bytes at 384 components.
pub(super) const BLOCK: usize = 256;

/// Rows at which a second thread pays for a lone search. Below, sharing the rows out saves a tenth of a millisecond at
/// best, and takes more than that from whoever else computes.
pub(super) const PARALLEL_ROWS: usize = 65_536;

/// Admitted rows below which their vectors are compared at once.
const DIRECT: usize = 128;
/// Comparing a row here and there takes as long as comparing so many in order.
pub(super) const SCATTERED: usize = 4;

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

    /// The rows whose similarity is at least `from`, and less than `to` if that is given.
    fn within(&self, from: f32, to: Option<f32>) -> Vec<u32> {
        places_within(&self.near, from, to).into_iter().map(|at| self.row(at as usize)).collect()
    }
}

impl Index {
    /// By comparing every admitted row.
    pub(super) fn compare_all(&self, query: &[f32], k: usize, admits: Admits<'_>, alone: bool) -> Vec<Neighbour> {
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
    pub(super) fn scan(&self, codes: &QueryCodes, admits: Admits<'_>, parallel: bool) -> Vec<f32> {
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
            crate::threads::ready();
            about.par_chunks_mut(BLOCK).enumerate().with_min_len(16).for_each(block);
        } else {
            about.chunks_mut(BLOCK).enumerate().for_each(block);
        }
        about
    }

    /// About how near every row of the image is to each of some questions. A block of rows is compared with all of them
    /// while it is in the cache.
    pub(super) fn scan_together(&self, questions: &[&QueryCodes]) -> Vec<Vec<f32>> {
        let (rows, stride) = (self.image.len(), code_stride(self.image.dims()));
        let (codes, scales) = (self.image.codes(), self.image.scales());
        let mut about = vec![vec![0.0; rows]; questions.len()];
        // One question alone reads on without a seam.
        let block = if questions.len() > 1 { BLOCK } else { rows.max(1) };
        for first in (0..rows).step_by(block) {
            let own = first..(first + block).min(rows);
            for (question, about) in questions.iter().zip(&mut about) {
                question.compare(self.isa, &codes[first * stride..], &scales[own.clone()], &mut about[own.clone()]);
            }
        }
        about
    }

    /// Finds the `k` nearest rows of each query, as [`Index::search`] does. An index without a graph reads its rows
    /// once for all queries.
    pub fn search_each(&self, queries: &[Vec<f32>], k: usize) -> Vec<Vec<Neighbour>> {
        let is_plain = self.is_exact() && self.changes() == (0, 0) && self.image.len() > DIRECT.max(k);
        if !is_plain || k == 0 || queries.iter().any(|query| query.len() != self.image.dims()) {
            return queries.iter().map(|query| self.search(query, k, None)).collect();
        }
        let codes: Vec<QueryCodes> = queries.iter().map(|query| QueryCodes::new(query)).collect();
        let all = self.scan_together(&codes.iter().collect::<Vec<_>>());
        let asked = queries.iter().zip(&codes).zip(all);
        asked
            .map(|((query, codes), near)| cut(self.best(query, k, &About { rows: None, near }, codes, false), k))
            .collect()
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
            // What is nearer than the nearest by their bytes turn out to be cannot be further off than one error by its
            // own.
            let nearest = about.within(kth, None);
            let mut found = self.compare(query, nearest.clone(), parallel);
            let near: Vec<f32> = found.iter().map(|found| found.similarity).collect();
            let floor = if near.len() < wanted { kth - 2.0 * error } else { kth_greatest(&near, wanted) - error };
            let likely = about.within(floor.min(kth), Some(kth));
            let count = nearest.len() + likely.len();
            found.extend(self.compare(query, likely, parallel));
            let lost = count - found.len();
            if lost == 0 || wanted >= all || found.len() >= k + lost {
                return found;
            }
            wanted = (wanted + lost).max(k + lost).min(all);
            if about.within(f32::NEG_INFINITY, None).len() <= count {
                return found;
            }
        }
    }
}

/// The places of all values that are at least `from`. Minus infinity is left out, whatever `from` is.
pub(super) fn places_from(values: &[f32], from: f32) -> Vec<u32> {
    places_within(values, from, None)
}

/// The places of all values that are at least `from`, and less than `to` if that is given. Minus infinity is left out.
fn places_within(values: &[f32], from: f32, to: Option<f32>) -> Vec<u32> {
    let from = from.max(f32::MIN);
    let mut out = Vec::new();
    for (block, values) in (0u32..).zip(values.chunks(64)) {
        // Nearly every stretch holds nothing that is wanted, which wide registers see at once.
        let mut any = false;
        for value in values {
            any |= *value >= from;
        }
        if any {
            for (at, value) in (0u32..).zip(values) {
                if *value >= from && to.is_none_or(|to| *value < to) {
                    out.push(64 * block + at);
                }
            }
        }
    }
    out
}

/// The `k`-th greatest of some numbers, `k` at least 1; what is no number or minus infinity does not count, and minus
/// infinity is given where too few do.
pub(super) fn kth_greatest(values: &[f32], k: usize) -> f32 {
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
