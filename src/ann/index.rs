//! Search among the vectors of an image.
//!
//! Exact, in two passes: bytes are compared for every admitted row, which reads a quarter of what the vectors take, and what
//! can be among the nearest by the bound of that comparison (`vector::QueryCodes`) is compared again in f32. The result is that
//! of comparing every vector. Rows are shared out among threads when nobody else searches; the answer is the same to the bit
//! either way, because a row's similarity does not depend on its neighbours and ties go to the lower row.

use super::{Image, Neighbour, RowSet};
use crate::vector::simd::Isa;
use crate::vector::{QueryCodes, code_stride, dot_rows};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Rows of a block: 96 KB of bytes at 384 components.
const BLOCK: usize = 256;

/// Rows at which a second thread pays.
const PARALLEL_ROWS: usize = 16_384;

/// Admitted rows below which their vectors are compared at once.
const DIRECT: usize = 128;

/// Vectors that can be searched.
#[derive(Debug)]
pub struct Index {
    image: Image,
    isa: Isa,
    /// Searches that run now.
    searching: AtomicUsize,
    damaged: AtomicBool,
}

impl Index {
    /// Over an image.
    pub fn new(image: Image) -> Self {
        Self { image, isa: Isa::detect(), searching: AtomicUsize::new(0), damaged: AtomicBool::new(false) }
    }

    /// The vectors and whose they are.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.image.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.image.is_empty()
    }

    /// Whether the answers are those of comparing every row.
    pub fn is_exact(&self) -> bool {
        true
    }

    /// Whether a row was met that is not what was written. It was left out; the image should be made again.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// How near a row is; `None` if there is no such row, or it is damaged.
    pub fn similarity(&self, query: &[f32], row: u32) -> Option<f32> {
        self.similarity_with(query, row, &mut Vec::new())
    }

    fn similarity_with(&self, query: &[f32], row: u32, vector: &mut Vec<f32>) -> Option<f32> {
        if !self.image.read_checked(row, vector) {
            if (row as usize) < self.len() {
                self.damaged.store(true, Ordering::Relaxed);
            }
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
        for link in self.image.links() {
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

    /// How near the nearest text of an owner is, and which part of it that is; `None` if it has none.
    pub fn owner_similarity(&self, query: &[f32], owner: u64) -> Option<(f32, u32)> {
        let rows = self.image.rows_of(owner);
        let near = rows.filter_map(|(part, row)| Some((self.similarity(query, row)?, part)));
        near.reduce(|best, next| if next.0 > best.0 { next } else { best })
    }

    /// The `k` nearest of the admitted rows (`None`: of all), nearest first; fewer only when fewer are admitted.
    pub fn search(&self, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<Neighbour> {
        let choice = admitted.map_or(self.len(), RowSet::len).min(self.len());
        if k == 0 || choice == 0 || query.len() != self.image.dims() {
            return Vec::new();
        }
        let alone = self.searching.fetch_add(1, Ordering::Relaxed) == 0;
        let found = if choice <= DIRECT.max(k) {
            let rows = 0..self.len() as u32;
            self.compare(query, rows.filter(|row| admitted.is_none_or(|set| set.contains(*row))).collect(), false)
        } else {
            self.scan(query, k, admitted, alone && self.len() >= PARALLEL_ROWS)
        };
        self.searching.fetch_sub(1, Ordering::Relaxed);
        cut(found, k)
    }

    /// Both passes.
    fn scan(&self, query: &[f32], k: usize, admitted: Option<&RowSet>, parallel: bool) -> Vec<Neighbour> {
        let codes = QueryCodes::new(query);
        let stride = BLOCK * code_stride(query.len());
        let mut about = vec![f32::NEG_INFINITY; self.len()];
        let block = |(at, out): (usize, &mut [f32])| {
            let rows = (at * BLOCK) as u32..(at * BLOCK + out.len()) as u32;
            if admitted.is_some_and(|set| !rows.clone().any(|row| set.contains(row))) {
                return;
            }
            let bytes = &self.image.codes()[at * stride..(at * stride + out.len() * stride / BLOCK)];
            codes.compare(self.isa, bytes, &self.image.scales()[at * BLOCK..at * BLOCK + out.len()], out);
            if let Some(set) = admitted {
                let other = rows.zip(out).filter(|(row, _)| !set.contains(*row));
                other.for_each(|(_, about)| *about = f32::NEG_INFINITY);
            }
        };
        if parallel {
            about.par_chunks_mut(BLOCK).enumerate().with_min_len(16).for_each(block);
        } else {
            about.chunks_mut(BLOCK).enumerate().for_each(block);
        }
        let (slack, longest) = self.image.bounds();
        let error = codes.error(slack, longest);
        // What is damaged is left out, and its place goes to the next: then more have to be compared.
        let mut wanted = k;
        loop {
            let mut order = about.clone();
            let at = wanted.min(order.len()) - 1;
            let kth = *order.select_nth_unstable_by(at, |a, b| b.total_cmp(a)).1;
            let rows = |floor: f32| -> Vec<u32> {
                let all = about.iter().zip(0u32..);
                all.filter(|(about, _)| **about >= floor && **about > f32::NEG_INFINITY).map(|(_, row)| row).collect()
            };
            let likely = rows(kth - 2.0 * error);
            let count = likely.len();
            let found = self.compare(query, likely, parallel);
            let lost = count - found.len();
            if lost == 0 || wanted >= self.len() || found.len() >= k + lost {
                return found;
            }
            wanted = (wanted + lost).max(k + lost).min(self.len());
            if rows(f32::NEG_INFINITY).len() <= count {
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
        let origin = Origin { model: "m".into(), state: "s".into() };
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
        // The vectors end the file; each of the ten nearest is changed in one bit.
        let first = bytes.len() - 600 * 32;
        for neighbour in &expected[..10] {
            bytes[first + neighbour.row as usize * 32 + 5] ^= 4;
        }
        std::fs::write(&path, bytes).unwrap();
        let origin = Origin { model: "m".into(), state: "s".into() };
        let damaged = Index::new(Image::open(&path, &origin).unwrap());
        assert_eq!(damaged.search(&query, 20, None), expected[10..30]);
        assert!(damaged.is_damaged() && !whole.is_damaged());
        assert_eq!(damaged.image().damaged_rows(), 10);
    }
}
