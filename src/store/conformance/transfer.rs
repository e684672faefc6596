//! Exports: out of one store, into another.

use super::filled::filled;
use super::harness::{Made, Maker, item, made};
use crate::store::{Database, Imported, ReadItems, ReadMemory, Record, StoreError, WriteForgotten, WriteItems};

fn exported(store: &Database) -> Vec<Record> {
    let mut out = Vec::new();
    let records = store.export(9, |record| {
        out.push(record.clone());
        Ok::<_, StoreError>(())
    });
    assert_eq!(records.unwrap() + 2, out.len());
    out
}

fn imported(made: &mut Made<Database>, records: &[Record]) -> Imported {
    made.write(|batch| batch.import(records.to_vec(), &|_, _| true))
}

/// What one store exports is what the other one does that has taken it in.
pub(super) fn an_export_passes_between<A, B>(from: &A, to: &B)
where
    A: Maker<Store = Database>,
    B: Maker<Store = Database>,
{
    let from = filled(from);
    let mut records = exported(&from.store);
    for record in &mut records {
        // Of a file only the file itself is read again, and never the folder that somebody names.
        if let Record::Source { path, root, .. } = record {
            root.clone_from(path);
        }
    }
    let names: Vec<&str> = records
        .iter()
        .map(|record| match record {
            Record::Kenning { .. } => "kenning",
            Record::Source { .. } => "source",
            Record::Item { item } => &item.uid,
            Record::Usage { uid, .. } => uid,
            Record::Link { relation, .. } => relation,
            Record::Event { name, .. } => name,
            Record::Memory { event } if event.words.is_none() => "without words",
            Record::Memory { event } => &event.memory,
            Record::End { .. } => "end",
        })
        .map(|name| if name.starts_with("item/") { "of a program" } else { name })
        .collect();
    let expected = [
        "kenning",
        "source",
        "of a program",
        "fact/1",
        "chunk/0",
        "chunk/1",
        "chunk/0",
        "memory/a",
        "see",
        "indexed",
        "indexed",
        "memory/a",
        "without words",
        "memory/a",
        "end",
    ];
    assert_eq!(names, expected);

    let mut to = made(to);
    let first = imported(&mut to, &records);
    let all = Imported { files: 1, items: 4, memory_events: 3, ..Imported::default() };
    assert_eq!(first, all);
    assert_eq!(exported(&to.store), records);
    assert_eq!(to.store.events_of_memory("memory/b").unwrap()[0].words, None);
    assert_eq!(to.store.check().unwrap(), []);
    // Taken in once more, counters give way to themselves, and all else is known.
    let again = imported(&mut to, &records);
    assert_eq!((again.files, again.items, again.memory_events, again.known), (0, 0, 0, 11));
    assert_eq!(exported(&to.store), records);
}

pub(super) fn exports_come_back_the_same<M: Maker<Store = Database>>(maker: &M) {
    an_export_passes_between(maker, maker);
}

pub(super) fn an_import_keeps_out_what_was_forgotten_and_counts_no_less<M: Maker<Store = Database>>(maker: &M) {
    let records = exported(&filled(maker).store);
    let mut to = made(maker);
    let row = to.write(|batch| batch.put_item(&item("chunk/9", "the borrow checker refuses"), None));
    to.write(|batch| batch.forget_item(row, 1));
    let usage = |days, last_day, served, last_served, confirmed| {
        let uid = "chunk/1".to_owned();
        Record::Usage { uid, days, last_day, served, last_served, confirmed }
    };
    imported(&mut to, &[usage(9, 1, 9, 1, 9)]);
    imported(&mut to, &[usage(1, 9, 1, 9, 1)]);
    assert_eq!(exported(&to.store)[1], usage(9, 9, 9, 9, 9));
    assert_eq!(imported(&mut to, &records).stay_forgotten, ["chunk/9"], "by its words, whatever its id");
    assert!(to.store.item_id("chunk/0").unwrap().is_none() && to.store.item_id("chunk/1").unwrap().is_some());
}

pub(super) fn an_export_that_cannot_be_written_leaves_nothing_open<M: Maker<Store = Database>>(maker: &M) {
    let made = filled(maker);
    let all = exported(&made.store);
    for most in 0..all.len() {
        let mut written = 0;
        let stopped = made.store.export(9, |_| {
            written += 1;
            if written == most + 1 { Err(StoreError::Import { line: 3, what: "enough".to_owned() }) } else { Ok(()) }
        });
        assert!(matches!(stopped, Err(StoreError::Import { line: 3, .. })), "{stopped:?}");
        assert_eq!(written, most + 1, "nothing is written behind it");
        assert!(made.store.is_idle());
    }
    assert_eq!(exported(&made.store), all);
}
