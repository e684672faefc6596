//! What must hold for every graph, against plain loops and with damaged links.

use super::repair::repair;
use super::*;
use crate::ann::{Neighbour, RowSet};
use crate::vector::simd::Isa;
use crate::vector::{code_stride, encode_row};
use proptest::prelude::*;
use std::ops::ControlFlow;

/// Rows of bytes that own their memory.
struct Owned {
    bytes: Vec<u8>,
    scales: Vec<f32>,
    dims: usize,
}

impl Owned {
    fn of(rows: &[Vec<f32>], dims: usize) -> Self {
        let stride = code_stride(dims);
        let mut bytes = vec![0; rows.len() * stride];
        let encode = |(row, out): (&Vec<f32>, &mut [u8])| encode_row(row, out, &mut vec![0; row.len()]).0;
        let scales = rows.iter().zip(bytes.chunks_mut(stride)).map(encode).collect();
        Self { bytes, scales, dims }
    }

    fn codes(&self) -> CodeRows<'_> {
        CodeRows::new(&self.bytes, &self.scales, self.dims).unwrap()
    }
}

/// Unit vectors by a fixed rule, around a few centres.
fn vectors(rows: usize, dims: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let centres: Vec<Vec<f32>> = (0..5).map(|_| (0..dims).map(|_| next()).collect()).collect();
    let one = |row: usize| {
        let raw: Vec<f32> = centres[row % 5].iter().map(|centre| centre + next()).collect();
        let norm = raw.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-9);
        raw.iter().map(|x| x / norm).collect()
    };
    (0..rows).map(one).collect()
}

fn options(seed: u64) -> BuildOptions {
    BuildOptions { m: 6, ef_construction: 40, seed }
}

fn built(codes: &CodeRows<'_>, seed: u64) -> Graph {
    build(codes, options(seed), |_| ControlFlow::Continue(())).unwrap()
}

fn search(graph: &GraphView<'_>, codes: &CodeRows<'_>, query: &[f32], options: SearchOptions<'_>) -> Vec<Neighbour> {
    Searcher::new().search(graph, codes, &Probe::of_query(query), options.ef, options).0.to_vec()
}

/// The referee: all rows that are admitted, compared by their bytes, in plain Rust.
fn naive(codes: &CodeRows<'_>, query: &[f32], admits: impl Fn(u32) -> bool) -> Vec<Neighbour> {
    let (codes, probe) = (codes.with_isa(Isa::named("scalar").unwrap()), Probe::of_query(query));
    let near = |row| Neighbour { row, similarity: codes.similarity(&probe, row) };
    let mut all: Vec<Neighbour> = (0..codes.len() as u32).filter(|row| admits(*row)).map(near).collect();
    all.sort_by(Neighbour::order);
    all
}

/// How many rows a walk along the lowest layer can reach from the entry.
fn reached(graph: &GraphView<'_>) -> usize {
    let mut met = RowSet::new(graph.rows());
    let mut open = vec![graph.entry()];
    while let Some(row) = open.pop() {
        if (row as usize) < graph.rows() && !met.contains(row) {
            met.insert(row);
            open.extend(graph.lowest().links(row));
        }
    }
    met.len()
}

/// Rows far apart, and rows that differ in nothing a link could tell.
fn sample(rows: usize, dims: usize, seed: u64, equal: bool) -> Vec<Vec<f32>> {
    let mut made = vectors(rows, dims, seed);
    if equal {
        let first = made.first().cloned().unwrap_or_default();
        made.iter_mut().skip(rows / 3).for_each(|row| row.clone_from(&first));
    }
    made
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// As wide as there are rows, a search compares all of them: also with a filter, also when many are equal.
    #[test]
    fn a_search_as_wide_as_the_graph_equals_its_naive_twin(
        rows in 0usize..700, dims in 1usize..70, seed: u64, equal: bool, every in 1u64..9,
    ) {
        let owned = Owned::of(&sample(rows, dims, seed, equal), dims);
        let (codes, query) = (owned.codes(), &vectors(1, dims, seed ^ 5)[0]);
        let graph = built(&codes, seed);
        prop_assert_eq!(reached(&graph.view()), rows);
        let wide = SearchOptions::new(rows.max(1));
        prop_assert_eq!(search(&graph.view(), &codes, query, wide), naive(&codes, query, |_| true));
        let admits = |row: u32| (u64::from(row) ^ seed) % every == 0;
        let some = SearchOptions { admits: Some(&admits), ..wide };
        prop_assert_eq!(search(&graph.view(), &codes, query, some), naive(&codes, query, admits));
    }

    /// Any links at all: no panic, no end that does not come, no row that is not there or not admitted, none twice.
    #[test]
    fn damage_costs_recall_and_nothing_else(
        rows in 1usize..400,
        seed: u64,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>(), any::<bool>()), 0..300),
        ef in 1usize..80,
    ) {
        let owned = Owned::of(&vectors(rows, 20, seed), 20);
        let (codes, query) = (owned.codes(), &vectors(1, 20, seed ^ 5)[0]);
        let mut graph = built(&codes, seed);
        for (at, value, upper) in damage {
            // Half of them lead to rows that exist.
            let value = if value % 2 == 0 { value } else { value % rows as u32 };
            let part = if upper && !graph.upper.is_empty() { &mut graph.upper } else { &mut graph.base };
            let at = at.index(part.len());
            part[at] = value;
        }
        let view = graph.view();
        let admits = |row: u32| row % 3 != 1;
        for admits in [None, Some(&admits as &dyn Fn(u32) -> bool)] {
            let found = search(&view, &codes, query, SearchOptions { admits, ..SearchOptions::new(ef) });
            let mut rows_found: Vec<u32> = found.iter().map(|near| near.row).collect();
            let sound = |row: &u32| (*row as usize) < rows && admits.is_none_or(|admits| admits(*row));
            prop_assert!(rows_found.iter().all(sound));
            rows_found.sort_unstable();
            rows_found.dedup();
            prop_assert!(rows_found.len() == found.len() && found.len() <= ef);
            prop_assert!(found.is_sorted_by(|a, b| a.order(b).is_lt()));
        }
        // Links that lead nowhere are no reason to lose a row: the repair works on what there is.
        repair(&mut graph, &codes);
        let entry_is_sound = graph.upper.first().is_none_or(|row| (*row as usize) < rows);
        prop_assert!(!entry_is_sound || reached(&graph.view()) == rows);
    }

    /// Lists of equal rows, without links between them: each is linked, and nothing that was reached is lost.
    #[test]
    fn repair_reaches_every_row(rows in 1usize..300, seed: u64, keep in 0u32..4) {
        let owned = Owned::of(&sample(rows, 9, seed, keep % 2 == 0), 9);
        let mut graph = built(&owned.codes(), seed);
        for (at, link) in graph.base.iter_mut().enumerate() {
            let row = at as u32 / 12;
            *link = if at as u32 % 12 < keep * 4 { (row / 13 * 13 + at as u32 % 13) % rows as u32 } else { NONE };
        }
        let before = reached(&graph.view());
        let repaired = repair(&mut graph, &owned.codes());
        prop_assert_eq!(reached(&graph.view()), rows);
        prop_assert!(repaired <= rows - before);
        let whole = graph.clone();
        prop_assert_eq!((repair(&mut graph, &owned.codes()), graph), (0, whole));
    }
}

#[test]
fn the_same_graph_whatever_the_threads_and_instructions() {
    let owned = Owned::of(&vectors(1500, 48, 3), 48);
    let graph = built(&owned.codes(), 7);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| built(&owned.codes(), 7)) == graph, "{threads} threads");
    }
    for isa in Isa::NAMES.iter().filter_map(|name| Isa::named(name)) {
        assert!(built(&owned.codes().with_isa(isa), 7) == graph, "{}", isa.name());
    }
    assert!(built(&owned.codes(), 8) != graph);
}

#[test]
fn no_row_and_few_rows() {
    for rows in 0..4 {
        let data = vectors(rows, 5, 9);
        let owned = Owned::of(&data, 5);
        let graph = built(&owned.codes(), 1);
        let found = search(&graph.view(), &owned.codes(), &[1.0, 0.0, 0.0, 0.5, 0.0], SearchOptions::new(10));
        assert_eq!(found.len(), rows);
    }
}

#[test]
fn a_thousand_equal_rows_hide_nothing() {
    let mut data = vectors(4000, 24, 11);
    let same = data[17].clone();
    data.iter_mut().step_by(4).for_each(|row| row.clone_from(&same));
    let owned = Owned::of(&data, 24);
    let codes = owned.codes();
    let graph = built(&codes, 2);
    assert_eq!(reached(&graph.view()), 4000);
    let rest: Vec<u32> = (0..4000).filter(|row| row % 4 != 0).collect();
    assert!(self_found(&graph.view(), &codes, &rest, 64).share > 0.99);
    let found = search(&graph.view(), &codes, &same, SearchOptions::new(64));
    let own = found[0].similarity;
    assert!(found.len() == 64 && found.iter().filter(|near| near.similarity == own).count() > 48);
}

/// With usual options, on rows that are not trivial.
#[test]
fn recall_of_ten_is_what_it_should_be() {
    let data = vectors(5000, 64, 21);
    let owned = Owned::of(&data, 64);
    let codes = owned.codes();
    let graph = build(&codes, BuildOptions::default(), |_| ControlFlow::Continue(())).unwrap();
    let queries = vectors(100, 64, 22);
    let first = |found: Vec<Neighbour>| found.into_iter().take(10).map(|near| near.row).collect::<Vec<_>>();
    let truth: Vec<Vec<u32>> = queries.iter().map(|query| first(naive(&codes, query, |_| true))).collect();
    let rungs = recall_ladder(&truth, &LADDER, 0.95, |at, ef| {
        first(search(&graph.view(), &codes, &queries[at], SearchOptions::new(ef)))
    });
    assert!(least_ef(&rungs, 0.95).is_some_and(|ef| ef <= 512), "{rungs:?}");
}

#[test]
fn a_build_can_be_stopped_and_a_walk_given_up() {
    let owned = Owned::of(&vectors(2000, 16, 5), 16);
    let codes = owned.codes();
    let mut heard = vec![];
    let stopped = build(&codes, options(1), |rows| {
        heard.push(rows);
        if rows > 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(stopped.is_none() && heard.is_sorted() && heard.last().is_some_and(|rows| *rows < 1400));
    let graph = build(&codes, options(1), |rows| {
        heard.push(rows);
        ControlFlow::Continue(())
    });
    assert_eq!(heard.last(), Some(&2000));
    let (graph, none) = (graph.unwrap(), |_| false);
    let tight = SearchOptions { admits: Some(&none), budget: 300, ..SearchOptions::new(10) };
    let mut searcher = Searcher::new();
    let (found, spent) = searcher.search(&graph.view(), &codes, &Probe::of_row(&codes, 3), 10, tight);
    assert!(found.is_empty() && !spent.complete && (300..320).contains(&spent.comparisons));
    let wide = SearchOptions { budget: 2000, ..tight };
    let (found, spent) = searcher.search(&graph.view(), &codes, &Probe::of_row(&codes, 3), 10, wide);
    assert!(found.is_empty() && spent.complete);
}

#[test]
fn parts_that_do_not_belong_together() {
    let owned = Owned::of(&vectors(500, 16, 5), 16);
    let graph = built(&owned.codes(), 1);
    let view = graph.view();
    let (counts, upper, base) = (view.counts(), view.upper(), view.base());
    assert!(counts.len() > 1 && GraphView::new(500, 6, counts, upper, base).is_some());
    assert!(GraphView::new(499, 6, counts, upper, base).is_none());
    assert!(GraphView::new(500, 7, counts, upper, base).is_none());
    assert!(GraphView::new(500, 6, &counts[1..], upper, base).is_none());
    assert!(GraphView::new(500, 6, counts, &upper[1..], base).is_none());
    assert!(GraphView::new(500, 6, &[u32::MAX, u32::MAX], upper, base).is_none());
    assert!(GraphView::new(usize::MAX, 6, &[], &[], &[]).is_none());
    // Rows and graph of different sizes: nothing is found that is not in both.
    let few = Owned::of(&vectors(100, 16, 5), 16);
    let found = search(&view, &few.codes(), &[0.5; 16], SearchOptions::new(500));
    assert!(found.iter().all(|near| near.row < 100));
}
