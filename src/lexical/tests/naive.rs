//! An index against definitions: term by term over the tokens of texts, and against an index that is built anew.

use super::super::*;
use crate::map::{Aside, Room};
use crate::text::tokens;
use crate::types::Generation;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A few words, so that documents and questions share some.
pub(super) fn text() -> impl Strategy<Value = String> {
    "(lock|state|Lock_file|E0382|the|disk|0\\.14|held| |,|\n){0,24}"
}

fn documents() -> impl Strategy<Value = BTreeMap<u64, String>> {
    proptest::collection::btree_map(0u64..40, text(), 0..30)
}

fn index_of(documents: &BTreeMap<u64, String>) -> TermIndex {
    TermIndex::of_texts(documents.iter().map(|(id, text)| (*id, text))).unwrap()
}

/// Everything that an index says of some questions.
fn answers(index: &TermIndex) -> Vec<String> {
    let mut out = vec![format!("{} {} {:?} {:?}", index.len(), index.tokens(), index.ids(), index.bm25())];
    for question in ["the lock of the state", "disk disk 0.14", "E0382 held lock_file nobody", ""] {
        let terms = QueryTerms::of(question);
        let query = index.prepare(&terms);
        let frequencies: Vec<usize> = query.document_frequencies().collect();
        let all: Vec<u64> = (0..50).collect();
        let odd = |id: u64| id % 2 == 1;
        out.push(format!("{frequencies:?} {:?} {:?}", query.reach(), index.score(&query, &all)));
        out.push(format!("{:?} {:?}", index.candidates(&query, 5, None), index.candidates(&query, 99, Some(&odd))));
        out.push(format!("{:?}", index.score_all(&terms)));
    }
    out
}

/// FTS5's `bm25()` over the tokens of all documents, best first.
fn ranked(documents: &BTreeMap<u64, String>, question: &str) -> Vec<u64> {
    let split: Vec<(u64, Vec<String>)> = documents.iter().map(|(id, text)| (*id, tokens(text))).collect();
    let mean = split.iter().map(|(_, tokens)| tokens.len() as f64).sum::<f64>() / split.len() as f64;
    let holders = |term: &str| split.iter().filter(|(_, tokens)| tokens.iter().any(|t| t == term)).count() as f64;
    let mut terms = tokens(question);
    terms.sort();
    terms.dedup();
    terms.sort_by_key(|term| holders(term) as usize);
    let mut found = Vec::new();
    for (id, tokens) in &split {
        let mut rank = 0.0;
        for term in &terms {
            let (all, holders) = (split.len() as f64, holders(term));
            let idf = ((all - holders + 0.5) / (holders + 0.5)).ln();
            let idf = if idf <= 0.0 { 1e-6 } else { idf };
            let count = tokens.iter().filter(|token| *token == term).count() as f64;
            rank += idf * ((count * 2.2) / (count + 1.2 * (0.25 + 0.75 * tokens.len() as f64 / mean)));
        }
        if rank > 0.0 {
            found.push((rank, *id));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().map(|(_, id)| id).collect()
}

proptest! {
    /// The definition of BM25, text by text.
    #[test]
    fn scores_are_those_of_the_definition(documents in documents(), question in text()) {
        let index = index_of(&documents);
        let terms = QueryTerms::of(&question);
        let query = index.prepare(&terms);
        let all = index.score_all(&terms);
        let split: Vec<Vec<String>> = documents.values().map(|text| tokens(text)).collect();
        let mean = (split.iter().map(Vec::len).sum::<usize>() as f64 / split.len().max(1) as f64).max(1.0);
        let asked = tokens(&question);
        let mut most = 0.0f64;
        let mut sums = vec![0.0f64; split.len()];
        for (term, _) in terms.iter() {
            let holders = split.iter().filter(|text| text.iter().any(|token| token == term)).count() as f64;
            let idf = (1.0 + (split.len() as f64 - holders + 0.5) / (holders + 0.5)).ln();
            let weight = (1.0 + asked.iter().filter(|token| *token == term).count() as f64).log2();
            most += weight * if holders == 0.0 { 0.5 } else { 1.0 } * idf * 1.9;
            for (sum, text) in sums.iter_mut().zip(&split) {
                let count = text.iter().filter(|token| *token == term).count() as f64;
                let norm = 0.9 * (0.5 + 0.5 * text.len() as f64 / mean);
                *sum += if count == 0.0 { 0.0 } else { weight * idf * count * 1.9 / (count + norm) };
            }
        }
        prop_assert!((f64::from(query.reach().all) - most).abs() < 1e-4);
        prop_assert_eq!(query.reach(), all.reach);
        let ids: Vec<u64> = documents.keys().copied().collect();
        for ((id, found), sum) in ids.iter().zip(index.score(&query, &ids)).zip(&sums) {
            let found = found.unwrap();
            prop_assert!((f64::from(found.bm25) - sum).abs() < 1e-4);
            prop_assert!((f64::from(all.of(*id).unwrap_or(0.0)) - sum).abs() < 1e-4);
            // To the last bit.
            prop_assert_eq!(found, query.weighted().overlap(&documents[id]));
        }
    }

    #[test]
    fn candidates_are_those_of_the_definition(documents in documents(), question in text(), most in 0usize..12) {
        let index = index_of(&documents);
        let query = index.prepare(&QueryTerms::of(&question));
        let ranked = ranked(&documents, &question);
        let expected: Vec<u64> = ranked.iter().copied().take(most).collect();
        prop_assert_eq!(index.candidates(&query, most, None), expected);
        let admitted = |id: u64| id.is_multiple_of(3);
        let expected: Vec<u64> = ranked.iter().copied().filter(|id| admitted(*id)).take(most).collect();
        prop_assert_eq!(index.candidates(&query, most, Some(&admitted)), expected);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// An index that was changed, one that was merged, and one that was built of the same documents say the same.
    #[test]
    fn changes_and_merges_are_as_if_built_anew(
        mut documents in documents(),
        changes in proptest::collection::vec(
            (proptest::collection::vec(0u64..50, 0..5), proptest::collection::btree_map(0u64..50, text(), 0..5)), 0..4),
    ) {
        let mut index = index_of(&documents);
        for (removed, texts) in changes {
            documents.retain(|id, _| !removed.contains(id));
            documents.extend(texts.clone());
            // What was removed and comes back is there.
            index = index.with_changes(removed, texts.into_iter().rev()).unwrap();
        }
        let anew = index_of(&documents);
        prop_assert_eq!(answers(&index), answers(&anew));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terms");
        let origin = TermOrigin { state: "a".into(), generation: Generation { number: 7, mark: 9 } };
        let memory = index.to_image(Room::memory(), &origin).unwrap();
        index.to_image(Room::Aside(Aside::new(&path).unwrap()), &origin).unwrap().persist().unwrap();
        let of_state = |state: &str| TermOrigin { state: state.into(), ..TermOrigin::default() };
        prop_assert!(TermImage::open(&path, &of_state("b")).is_none());
        let opened = TermImage::open(&path, &of_state("a")).unwrap();
        prop_assert_eq!(opened.generation(), origin.generation);
        prop_assert!(opened.is_sound());
        // No term stays that nobody holds.
        prop_assert_eq!(opened.terms(), anew.image().terms());
        prop_assert_eq!(answers(&TermIndex::new(opened)), answers(&anew));
        prop_assert_eq!(answers(&TermIndex::new(memory)), answers(&anew));
    }
}

#[test]
fn counts_are_exact_however_often_a_term_is_said() {
    let terms = QueryTerms::of("lock disk");
    for times in [1, 2, 254, 255, 256, 1_000, 70_000] {
        // "disk" is met first, and said often later: large counts come in another order than terms.
        let (lock, disk) = ("lock ".repeat(times), "disk ".repeat(times + 1));
        let texts = [(1, "disk full"), (2, lock.as_str()), (3, "lock"), (4, "the disk"), (5, disk.as_str())];
        let index = TermIndex::of_texts(texts).unwrap();
        let merged = TermIndex::new(index.to_image(Room::memory(), &TermOrigin::default()).unwrap());
        let documents = texts.map(|(id, text)| (id, text.to_owned())).into();
        for index in [index, merged] {
            let query = index.prepare(&terms);
            for (id, text) in [(2, &lock), (5, &disk)] {
                let expected = query.weighted().overlap(text);
                assert_eq!(index.score(&query, &[id])[0], Some(expected), "{times}");
                assert_eq!(index.score_all(&terms).of(id), Some(expected.bm25), "{times}");
            }
            assert_eq!(index.candidates(&query, 9, None), ranked(&documents, "lock disk"));
        }
    }
}

#[test]
fn common_terms_are_left_out_beyond_the_rarest_four() {
    // 60,000 documents hold each of five terms: the fifth is one too many.
    let text = |id: u64| if id < 60_000 { "one two three four five" } else { "five" };
    let index = TermIndex::of_texts((0..60_001).map(|id| (id, text(id)))).unwrap();
    let query = index.prepare(&QueryTerms::of("one two three four five"));
    assert_eq!(index.candidates(&query, 100_000, None).len(), 60_000);
    let query = index.prepare(&QueryTerms::of("five"));
    assert_eq!(index.candidates(&query, 100_000, None).len(), 60_001);
}

#[test]
fn twenty_four_terms_are_searched() {
    let name = |number: u64| format!("term{number}x");
    let texts: Vec<(u64, String)> = (0..30).map(|id| (id, name(id))).collect();
    let index = TermIndex::of_texts(texts).unwrap();
    let question: Vec<String> = (0..30).map(name).collect();
    let query = index.prepare(&QueryTerms::of(&question.join(" ")));
    // All are equally rare: the first in the alphabet.
    let mut ids: Vec<u64> = (0..30).collect();
    ids.sort_by_key(|id| name(*id));
    let mut expected: Vec<u64> = ids.into_iter().take(24).collect();
    expected.sort_unstable();
    let mut found = index.candidates(&query, 99, None);
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn ids_must_ascend() {
    for ids in [[1, 1], [2, 1]] {
        let error = TermIndex::of_texts(ids.map(|id| (id, "lock"))).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }
    let index = TermIndex::of_texts([(1, "lock")]).unwrap();
    assert!(index.with_changes([], [(5, "a"), (5, "b")]).is_err());
}

#[test]
fn an_index_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<TermIndex>();
    shared::<PreparedQuery>();
}

/// A writer that sorts few postings at once makes the very same file.
#[test]
fn postings_are_sorted_in_bands() {
    let texts: Vec<(u64, String)> = (0..300u64).map(|id| (id, format!("lock a{} b{} held", id % 7, id % 31))).collect();
    let made = |band: usize| {
        let writer = super::super::writer::ImageWriter::new(Room::memory()).unwrap().with_band(band);
        let mut builder = TermImageBuilder::over(writer);
        texts.iter().for_each(|(id, text)| builder.add(*id, text).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terms");
        builder.finish(&TermOrigin::default()).unwrap().write(&path).unwrap();
        std::fs::read(path).unwrap()
    };
    let whole = made(1 << 20);
    for band in [1, 10, 299, 300, 301, 700] {
        assert!(made(band) == whole, "{band}");
    }
}
