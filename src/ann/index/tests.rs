//! Searches against a naive twin, with changes laid over and with damage.

use super::exact::{PARALLEL_ROWS, kth_greatest};
use super::*;
use crate::ann::{Origin, OwnerNeighbour};
use proptest::prelude::*;
use rayon::prelude::*;

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
        let queries: Vec<Vec<f32>> = (0..3).map(|by| query.iter().map(|x| x + by as f32 * 0.1).collect()).collect();
        let each: Vec<Vec<Neighbour>> = queries.iter().map(|query| naive(&index, query, k, None)).collect();
        prop_assert_eq!(index.search_each(&queries, k), each);
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

/// The referee: every link, sorted.
fn naive_owners(index: &Index, query: &[f32], admitted: Option<&RowSet>) -> Vec<OwnerNeighbour> {
    let links = index.links().filter(|link| admitted.is_none_or(|set| set.contains(link.row)));
    let near = |link: Link| {
        let similarity = index.similarity(query, link.row)?;
        Some(OwnerNeighbour { owner: link.owner, part: link.part, row: link.row, similarity })
    };
    let mut all: Vec<OwnerNeighbour> = links.filter_map(near).collect();
    all.sort_by(|a, b| a.order(b).then((a.row, a.part).cmp(&(b.row, b.part))));
    let mut known = std::collections::HashSet::new();
    all.retain(|near| known.insert(near.owner));
    all
}

/// Of each of some owners, what the referee says.
fn naive_of(all: &[OwnerNeighbour], owners: &[u64]) -> Vec<Option<OwnerNeighbour>> {
    owners.iter().map(|owner| all.iter().find(|near| near.owner == *owner).copied()).collect()
}

/// Owners with several texts each, some of which they share; the vectors of some texts are equal.
fn owned(owners: usize, texts: usize, dims: usize, seed: u64, laid_over: usize) -> Index {
    let mut state = seed | 1;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % below
    };
    let values = if seed.is_multiple_of(2) { 3 } else { 10_007 };
    let distinct: Vec<Vec<f32>> = (0..texts).map(|_| (0..dims).map(|_| next(values) as f32 - 1.0).collect()).collect();
    let vectors: Vec<Vec<f32>> = (0..texts)
        .map(|text| distinct[if next(8) == 0 { next(texts) } else { text }].clone())
        .map(|vector| {
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
            vector.iter().map(|x| x / length).collect()
        })
        .collect();
    let hash = |text: usize| (text as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_0c3a_1d2b_4e5f).to_be_bytes();
    let all = || (0..texts).map(|text| (hash(text), vectors[text].as_slice()));
    let mut links = |owners: &mut dyn Iterator<Item = usize>| -> Vec<(u64, u32, TextHash)> {
        let of = |owner: usize| (0..next(9)).map(|part| (3 * owner as u64, part as u32, hash(next(texts)))).collect();
        owners.map(of).collect::<Vec<Vec<_>>>().concat()
    };
    let base = links(&mut (0..owners));
    let origin = Origin { model: "m".into(), state: "s".into(), ..Origin::default() };
    if laid_over == 0 {
        return Index::new(Image::new(&origin, dims, all(), base));
    }
    // Every so many owners are removed, replaced or new; a third of the vectors is not in the image.
    let changed: Vec<usize> = (0..owners + 9).step_by(laid_over).collect();
    let kept = all().filter(|(hash, _)| hash[15] % 3 != 0);
    let fresh = links(&mut changed.iter().copied().filter(|owner| owner % 4 != 1));
    Index::with_changes(
        Image::new(&origin, dims, kept, base),
        changed.iter().map(|o| 3 * *o as u64).collect(),
        fresh,
        all(),
    )
}

proptest! {
    /// Owners are those that comparing every row finds, with ties, shared texts, filters, and changes laid over.
    #[test]
    fn owners_equal_their_naive_twin(
        owners in 0usize..200, texts in 1usize..700, dims in 1usize..70, k in 0usize..80,
        seed: u64, laid_over in 0usize..5, every in 1u64..40,
    ) {
        let index = owned(owners, texts, dims, seed, laid_over);
        let query: Vec<f32> = (0..dims).map(|i| (i as f32 * 0.7 + seed as f32).sin() / (dims as f32).sqrt()).collect();
        let mut some = RowSet::new(index.len());
        (0..index.len() as u32).filter(|row| (u64::from(*row) ^ seed) % every == 0).for_each(|row| some.insert(row));
        let all = naive_owners(&index, &query, None);
        prop_assert_eq!(&index.nearest_owners(&query, k, None)[..], &all[..k.min(all.len())]);
        let admitted = naive_owners(&index, &query, Some(&some));
        prop_assert_eq!(&index.nearest_owners(&query, k, Some(&some))[..], &admitted[..k.min(admitted.len())]);
        let asked: Vec<u64> = (0..owners as u64 * 4).map(|i| i.wrapping_mul(seed | 1) % (owners as u64 * 4)).collect();
        prop_assert_eq!(index.owners_similarity(&query, &asked), naive_of(&all, &asked));
        for near in &all {
            let vector = index.vector(near.row).unwrap();
            let real: f64 = vector.iter().zip(&query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!((real - f64::from(near.similarity)).abs() < 1e-6);
        }
        prop_assert!(!index.is_damaged());
    }

    /// An index that remembers answers as one that does not, whatever it was asked before.
    #[test]
    fn what_is_remembered_is_what_would_be_found(
        asked in prop::collection::vec((0usize..3, 0usize..3, 0usize..3), 1..40), seed: u64, laid_over in 0usize..3,
    ) {
        let plain = owned(60, 200, 16, seed, laid_over);
        let remembering = owned(60, 200, 16, seed, laid_over).remembering();
        let query = |number: usize| -> Vec<f32> { (0..16).map(|i| ((i * (number + 3)) as f32).sin() / 4.0).collect() };
        let rows = |step: usize| {
            let mut some = RowSet::new(plain.len());
            (0..plain.len() as u32).step_by(step).for_each(|row| some.insert(row));
            some
        };
        // No filter, one that admits every row, and one that admits few of them.
        let filters = [None, Some(rows(1)), Some(rows(5))];
        for (number, k, filter) in asked {
            let (query, k, admitted) = (query(number), [1, 7, 30][k], filters[filter].as_ref());
            prop_assert_eq!(remembering.nearest_owners(&query, k, admitted), plain.nearest_owners(&query, k, admitted));
            let owners: Vec<u64> = (0..k as u64).map(|i| i * (filter as u64 + 1)).collect();
            prop_assert_eq!(remembering.owners_similarity(&query, &owners), plain.owners_similarity(&query, &owners));
        }
    }

    /// An owner whose nearest rows are damaged is as near as the next of them, or not there.
    #[test]
    fn owners_do_without_damaged_rows(
        texts in 1usize..300, k in 1usize..40, seed: u64, places in prop::collection::vec(0usize..1 << 20, 1..60),
        dims in 16usize..40,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let whole = owned(40, texts, dims, seed, 0);
        prop_assume!(!whole.is_empty());
        whole.image().write(&path).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        // What is left over of the vectors ends the file but for zeros.
        let end = bytes.len();
        let rests = whole.len() * dims * 2;
        let first = (end - rests) / 64 * 64;
        for place in places {
            bytes[first + place % rests] ^= 16;
        }
        std::fs::write(&path, bytes).unwrap();
        let origin = Origin { model: "m".into(), state: "s".into(), ..Origin::default() };
        let damaged = Index::new(Image::open(&path, &origin).unwrap());
        let query: Vec<f32> = (0..dims).map(|i| (i as f32 + seed as f32).sin() / (dims as f32).sqrt()).collect();
        let found = damaged.nearest_owners(&query, k, None);
        let asked: Vec<u64> = (0..120).collect();
        let told = damaged.owners_similarity(&query, &asked);
        // What is too far to matter is not read.
        if told != whole.owners_similarity(&query, &asked) {
            prop_assert!(damaged.is_damaged());
        }
        let all = naive_owners(&damaged, &query, None);
        prop_assert_eq!(&found[..], &all[..k.min(all.len())]);
        prop_assert_eq!(told, naive_of(&all, &asked));
    }
}

/// A question that is asked again is not searched again, unless a damaged row was left out of its answer.
#[test]
fn what_is_asked_twice_is_found_once_but_where_rows_are_damaged() {
    let near = OwnerNeighbour { owner: 3, part: 0, row: 1, similarity: 0.5 };
    for (is_damaged, finds) in [(false, 1), (true, 2)] {
        let index = owned(20, 40, 8, 7, 0).remembering();
        let [mut nearest, mut similarities] = [0, 0];
        for _ in 0..2 {
            let found = index.nearest_known(&[0.5; 8], 3, None, || {
                nearest += 1;
                index.damaged.store(is_damaged, Ordering::Relaxed);
                vec![near]
            });
            assert_eq!(found, [near]);
            let found = index.similarities_known(&[0.5; 8], &[3, 6], || {
                similarities += 1;
                vec![Some(near), None]
            });
            assert_eq!(found, [Some(near), None]);
        }
        assert_eq!((nearest, similarities), (finds, finds), "damaged: {is_damaged}");
    }
}

/// Questions that are asked at once are compared in one pass, and each is told what it is told alone.
#[test]
fn questions_at_once_are_told_what_each_is_told_alone() {
    let index = owned(4_000, 16_000, 20, 7, 3);
    assert!(index.image().len() >= 4_096, "fewer rows are compared by each question for itself");
    let mut some = RowSet::new(index.len());
    (0..index.len() as u32).filter(|row| !row.is_multiple_of(3)).for_each(|row| some.insert(row));
    let query = |number: usize| -> Vec<f32> { (0..20).map(|i| ((i * (number + 3)) as f32).sin() / 4.0).collect() };
    let admitted = |number: usize| number.is_multiple_of(3).then_some(&some);
    let expected: Vec<_> = (0..24).map(|number| naive_owners(&index, &query(number), admitted(number))).collect();
    let begin = std::sync::Barrier::new(24);
    std::thread::scope(|scope| {
        for (number, expected) in expected.iter().enumerate() {
            let (index, begin, query, admitted) = (&index, &begin, &query, &admitted);
            scope.spawn(move || {
                let _asking = Asking::begin();
                begin.wait();
                for _ in 0..20 {
                    assert_eq!(index.nearest_owners(&query(number), 60, admitted(number))[..], expected[..60]);
                }
            });
        }
    });
}
