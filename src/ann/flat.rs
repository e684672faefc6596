//! Exact search: every admitted row is compared.
//!
//! The rows are shared out among threads in blocks when nobody else searches at the same time; the answer is the same to
//! the bit either way, because a row's similarity does not depend on its block and ties go to the lower row.

use super::{Neighbour, RowSet, VectorIndex};
use crate::vector::dot_rows;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows of a block: 192 KB at 384 components, which stays in the cache of one core.
const BLOCK: usize = 128;

/// Rows at which a second thread pays.
const PARALLEL_ROWS: usize = 4096;

/// All vectors, compared one by one.
#[derive(Debug, Default)]
pub struct FlatIndex {
    dims: usize,
    data: Vec<f32>,
    /// Searches that run now.
    searching: AtomicUsize,
}

impl FlatIndex {
    /// An index over rows of `dims` components each; what is left over at the end is dropped.
    pub fn new(dims: usize, mut data: Vec<f32>) -> Self {
        data.truncate(data.len().checked_div(dims).unwrap_or(0) * dims);
        Self { dims, data, searching: AtomicUsize::new(0) }
    }

    /// The nearest of the blocks from `first` on, `count` of them.
    fn scan(&self, query: &[f32], k: usize, admitted: Option<&RowSet>, blocks: std::ops::Range<usize>) -> Nearest {
        let mut nearest = Nearest::new(k);
        let mut similarities = [0.0f32; BLOCK];
        for block in blocks {
            let first = block * BLOCK;
            let rows = (self.len() - first).min(BLOCK);
            let all = first as u32..(first + rows) as u32;
            if admitted.is_some_and(|set| !all.clone().any(|row| set.contains(row))) {
                continue;
            }
            let data = &self.data[first * self.dims..(first + rows) * self.dims];
            dot_rows(query, data, &mut similarities[..rows]);
            for (row, &similarity) in all.zip(&similarities) {
                if admitted.is_none_or(|set| set.contains(row)) {
                    nearest.offer(Neighbour { row, similarity });
                }
            }
        }
        nearest
    }
}

impl VectorIndex for FlatIndex {
    fn len(&self) -> usize {
        self.data.len().checked_div(self.dims).unwrap_or(0)
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn search(&self, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<Neighbour> {
        if k == 0 || query.len() != self.dims {
            return Vec::new();
        }
        let blocks = self.len().div_ceil(BLOCK);
        let alone = self.searching.fetch_add(1, Ordering::Relaxed) == 0;
        let threads = if alone && self.len() >= PARALLEL_ROWS { rayon::current_num_threads().max(1) } else { 1 };
        let found = if threads == 1 {
            self.scan(query, k, admitted, 0..blocks)
        } else {
            let share = blocks.div_ceil(threads * 4).max(1);
            let parts: Vec<Nearest> = (0..blocks.div_ceil(share))
                .into_par_iter()
                .map(|part| self.scan(query, k, admitted, part * share..((part + 1) * share).min(blocks)))
                .collect();
            let mut all = Nearest::new(k);
            parts.into_iter().flat_map(|part| part.found).for_each(|neighbour| all.offer(neighbour));
            all
        };
        self.searching.fetch_sub(1, Ordering::Relaxed);
        found.sorted()
    }

    fn similarity(&self, query: &[f32], row: u32) -> f32 {
        let start = row as usize * self.dims;
        let mut out = [0.0];
        if let Some(data) = self.data.get(start..start + self.dims) {
            dot_rows(query, data, &mut out);
        }
        out[0]
    }
}

/// The `k` nearest so far.
struct Nearest {
    k: usize,
    found: Vec<Neighbour>,
    /// What a further one must beat, once twice `k` have been seen.
    worst: Option<Neighbour>,
}

impl Nearest {
    fn new(k: usize) -> Self {
        Self { k, found: Vec::with_capacity(2 * k.min(4096)), worst: None }
    }

    fn offer(&mut self, neighbour: Neighbour) {
        if self.worst.is_some_and(|worst| worst.order(&neighbour).is_le()) {
            return;
        }
        self.found.push(neighbour);
        // Cut back now and then: cheaper than a heap that is kept in order at every step.
        if self.found.len() >= 2 * self.k {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.found.len() > self.k {
            self.found.select_nth_unstable_by(self.k - 1, Neighbour::order);
            self.found.truncate(self.k);
        }
        if self.found.len() == self.k {
            self.worst = self.found.iter().copied().max_by(Neighbour::order);
        }
    }

    fn sorted(mut self) -> Vec<Neighbour> {
        self.found.sort_unstable_by(Neighbour::order);
        self.found.truncate(self.k);
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The referee: all similarities, sorted.
    fn naive(index: &FlatIndex, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<Neighbour> {
        let rows = (0..index.len() as u32).filter(|&row| admitted.is_none_or(|set| set.contains(row)));
        let mut all: Vec<Neighbour> =
            rows.map(|row| Neighbour { row, similarity: index.similarity(query, row) }).collect();
        all.sort_by(Neighbour::order);
        all.truncate(k);
        all
    }

    /// Few distinct values, so that ties are common.
    fn index(rows: usize, dims: usize, seed: u64) -> FlatIndex {
        let mut state = seed | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % 5) as f32 / 4.0 - 0.5
        };
        FlatIndex::new(dims, (0..rows * dims).map(|_| next()).collect())
    }

    proptest! {
        #[test]
        fn equals_its_naive_twin(rows in 0usize..700, dims in 1usize..9, k in 0usize..40, seed: u64, every in 1usize..9) {
            let index = index(rows, dims, seed);
            let query: Vec<f32> = (0..dims).map(|i| (i as f32 - 2.0) / 4.0).collect();
            let mut some = RowSet::new(rows);
            (0..rows as u32).filter(|row| (u64::from(*row) ^ seed) % every as u64 == 0).for_each(|row| some.insert(row));
            prop_assert_eq!(index.search(&query, k, None), naive(&index, &query, k, None));
            prop_assert_eq!(index.search(&query, k, Some(&some)), naive(&index, &query, k, Some(&some)));
        }
    }

    #[test]
    fn threads_change_nothing() {
        let index = index(PARALLEL_ROWS * 2 + 77, 24, 9);
        let query: Vec<f32> = (0..24).map(|i| (i as f32).sin()).collect();
        let expected = naive(&index, &query, 50, None);
        assert_eq!(index.search(&query, 50, None), expected);
        let together: Vec<_> = (0..8).into_par_iter().map(|_| index.search(&query, 50, None)).collect();
        assert!(together.iter().all(|found| *found == expected));
    }

    #[test]
    fn a_filter_never_starves() {
        let index = index(PARALLEL_ROWS + 1, 4, 3);
        let mut one = RowSet::new(index.len());
        one.insert(PARALLEL_ROWS as u32);
        one.insert(u32::MAX);
        assert_eq!(one.len(), 1);
        assert_eq!(index.search(&[1.0, 0.0, 0.0, 0.0], 10, Some(&one))[0].row, PARALLEL_ROWS as u32);
        assert!(index.search(&[1.0, 0.0], 10, None).is_empty(), "a vector of another model finds nothing");
    }
}
