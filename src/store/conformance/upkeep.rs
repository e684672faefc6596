//! Checks, mending and cleaning up.

use super::filled::{filled, run};
use super::harness::{Made, Maker, hashes, item};
use crate::store::sql::damage::{
    DRIFTS, DRIFTS_BEHIND, LASTING_VALUES, NO_MODEL, ODD_EVENT, ODD_MEMORIES, ODD_VALUES, OTHER_HASH, OTHER_TEXT,
    put_vector_bytes, weigh_links,
};
use crate::store::{
    Cleaned, CountUsage, Database, Fault, ReadItems, ReadSources, ReadUsage, ReadVectors, Record, StoreError,
    WriteItems, WriteVectors,
};
use crate::text::text_hash;
use crate::types::{Fingerprint, State};

/// The one fault that a check finds.
#[track_caller]
fn fault(made: &Made<Database>, why: &str) -> Fault {
    let mut faults = made.store.check().unwrap();
    assert_eq!(faults.len(), 1, "{why}: {faults:?}");
    faults.remove(0)
}

fn rebuilt(made: &mut Made<Database>, why: &str) {
    made.store.rebuild(&made.lock).unwrap();
    assert_eq!(made.store.check().unwrap(), [], "{why}");
}

fn records(store: &Database) -> Vec<Record> {
    let mut out = Vec::new();
    let written = store.export(9, |record| {
        out.push(record.clone());
        Ok::<_, StoreError>(())
    });
    written.unwrap();
    out
}

/// Tables that have drifted apart are found, and are the same again after a rebuild.
pub(super) fn tables_that_drifted_apart_are_found_and_made_again<M: Maker<Store = Database>>(maker: &M) {
    let mut made = filled(maker);
    let before = records(&made.store);
    assert_eq!(made.store.check().unwrap(), []);
    for (change, name) in DRIFTS {
        run(&mut made, change);
        let found = fault(&made, change);
        assert_eq!((found.name, found.damage), (*name, false), "{change}");
        rebuilt(&mut made, change);
        assert_eq!(records(&made.store), before, "{change}");
    }
    assert_eq!(made.store.index_model().unwrap(), None, "no model is better than one that is not known");
}

/// Values that nobody wrote are found and named; the rows stay, without them.
pub(super) fn values_that_nobody_wrote_are_found_and_taken_away<M: Maker<Store = Database>>(maker: &M) {
    let mut made = filled(maker);
    let items = records(&made.store).len();
    for (change, told) in ODD_VALUES {
        run(&mut made, change);
        let found = fault(&made, change);
        assert_eq!((found.name, found.damage), ("values", true), "{change}");
        assert!(found.what.contains(told), "{change}: {found:?}");
        rebuilt(&mut made, change);
        assert_eq!(records(&made.store).len(), items, "{change}: nothing is lost");
    }
    assert_eq!(made.store.sources().unwrap()[0].1.stat.size, -1, "it is read again");
    made.write(|batch| weigh_links(batch, f64::INFINITY));
    let found = fault(&made, "a relation");
    assert!(found.what.contains("relation from chunk/0 to chunk/1: weight is no number"), "{found:?}");
    rebuilt(&mut made, "a relation");
}

/// The same of what a rebuild cannot know.
pub(super) fn values_that_cannot_be_mended_are_found<M: Maker<Store = Database>>(maker: &M) {
    let mut made = filled(maker);
    for (change, back, told) in LASTING_VALUES {
        run(&mut made, change);
        let found = fault(&made, change);
        assert_eq!((found.name, found.damage), ("values", true), "{change}");
        assert!(found.what.contains(told), "{change}: {found:?}");
        run(&mut made, back);
        assert_eq!(made.store.check().unwrap(), [], "{back}");
    }
    run(&mut made, ODD_MEMORIES);
    assert!(fault(&made, "a memory").what.contains("memory memory/a: data cannot be read"));
    run(&mut made, ODD_EVENT);
    let found = fault(&made, "an event");
    assert!(found.what.starts_with("2 rows") && found.what.contains("event 4 of the memories: author"), "{found:?}");
    // A rebuild leaves them to whoever replays the log.
    made.store.rebuild(&made.lock).unwrap();
    assert_eq!(fault(&made, "after a rebuild"), found);
}

/// A text that is not what was stored goes, and its file is read again.
pub(super) fn damaged_texts_and_vectors_go<M: Maker<Store = Database>>(maker: &M) {
    let mut made = filled(maker);
    let model = made.store.index_model().unwrap().unwrap();
    let hash = hashes(&made.store)[0];
    let one = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    for damaged in [one(&[1.0]), one(&[0.6, 0.7]), one(&[f32::NAN, 0.8]), one(&[f32::INFINITY, 0.0]), vec![0; 7]] {
        assert_eq!(made.write(|batch| put_vector_bytes(batch, &hash, &damaged)), 1);
        let found = fault(&made, "a vector");
        assert_eq!((found.name, found.what.as_str(), found.damage), ("vectors", "1 vectors are damaged", true));
        rebuilt(&mut made, "a vector");
        assert!(!made.store.has_vector(&model, &hash).unwrap(), "{damaged:?}");
        assert_eq!(made.store.vector_texts(&model).unwrap().len(), 1, "the other stays");
        made.write(|batch| batch.put_vectors(&model, [(hash, &[0.6, 0.8][..])]));
    }
    run(&mut made, OTHER_TEXT);
    let found = fault(&made, "a text");
    assert_eq!((found.name, found.damage), ("texts", true));
    assert_eq!(found.what, "1 items hold other text than was stored, chunk/0 among them");
    let stamp = made.store.sources().unwrap()[0].1.stat;
    assert!(stamp.size >= 0);
    rebuilt(&mut made, "a text");
    assert_eq!(made.store.item_id("chunk/0").unwrap(), None);
    let source = made.store.sources().unwrap().remove(0).1;
    assert_eq!((source.stat.size, source.sha256), (-1, [0; 32]));
    run(&mut made, OTHER_HASH);
    assert_eq!(fault(&made, "a hash").name, "texts");
}

/// More items than are looked at together.
pub(super) fn a_rebuild_leaves_what_is_whole<M: Maker<Store = Database>>(maker: &M) {
    let mut made = filled(maker);
    made.write(|batch| {
        (0..1_100).try_for_each(|at| batch.put_item(&item(&format!("fact/b{at}"), "b"), None).map(drop))
    });
    let of = |store: &Database| {
        let mut embeddings = store.embeddings().unwrap();
        embeddings.sort_unstable();
        let texts = store.vector_texts(&store.index_model().unwrap().unwrap()).unwrap();
        (records(store), embeddings, texts, store.items(&[1, 2, 3, 4, 5]).unwrap())
    };
    let before = of(&made.store);
    assert_eq!(before.1.len(), 2 + 1 + 1 + 1_100);
    assert!(before.3.iter().any(|(_, item)| item.state == State::Disputed));
    rebuilt(&mut made, "nothing was wrong");
    assert_eq!(of(&made.store), before);
    // Found and mended behind the first page too.
    DRIFTS_BEHIND.iter().for_each(|change| run(&mut made, change));
    let faults: Vec<&str> = made.store.check().unwrap().iter().map(|fault| fault.name).collect();
    assert!(faults.contains(&"embedding-missing"), "{faults:?}");
    rebuilt(&mut made, "the last page");
    assert_eq!(of(&made.store), before);
}

pub(super) fn a_clean_up_takes_what_nothing_uses<M: Maker<Store = Database>>(maker: &M) {
    let mut made = filled(maker);
    let before = records(&made.store);
    let model = made.store.index_model().unwrap().unwrap();
    let kept = hashes(&made.store);
    let gone = text_hash("a text that no item has");
    made.write(|batch| {
        let other = batch.put_model(&Fingerprint::stored("old@01".to_owned()), 2)?;
        batch.put_vectors(&other, [(kept[0], &[0.6, 0.8][..]), (gone, &[0.6, 0.8][..])])?;
        batch.put_vectors(&model, [(gone, &[0.6, 0.8][..])])
    });
    made.store.count_served(&["chunk/gone", "fact/gone"], 1).unwrap();
    let cleaned = made.store.clean(&made.lock).unwrap();
    let Cleaned { bytes_before, bytes_after, .. } = cleaned;
    let expected = Cleaned { vectors: 3, models: 1, counters: 1, backups: 0, bytes_before, bytes_after };
    assert_eq!(cleaned, expected);
    assert!(bytes_before > 0 && bytes_after > 0);
    assert_eq!(made.store.vector_texts(&model).unwrap().len(), 2);
    assert_eq!(made.store.model(&Fingerprint::stored("old@01".to_owned())).unwrap(), None);
    let counted = made.store.usage(&["chunk/gone", "fact/gone", "chunk/0"]).unwrap();
    assert!(!counted.contains_key("chunk/gone") && counted.len() == 2, "{counted:?}");
    assert_eq!(records(&made.store).len(), before.len() + 1);
    assert_eq!(made.store.check().unwrap(), []);
    let Cleaned { vectors, models, counters, .. } = made.store.clean(&made.lock).unwrap();
    assert_eq!((vectors, models, counters), (0, 0, 0));
    // Where no model is the index's, none goes.
    run(&mut made, NO_MODEL);
    assert_eq!(made.store.clean(&made.lock).unwrap().models, 0);
    assert_eq!(made.store.vector_texts(&model).unwrap().len(), 2);
}
