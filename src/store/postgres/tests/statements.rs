//! Statements that are kept prepared.

use super::*;
use crate::store::ReadVectors;
use crate::store::sql::{ReadSql, SqlRow, values};
use std::ops::ControlFlow;

fn prepared(store: &SharedDatabase) -> i64 {
    store.one("SELECT count(*) FROM pg_prepared_statements", &[], |row| row.integer(0)).unwrap()
}

#[test]
fn any_number_of_rows_takes_few_statements() {
    let (_dir, lock, mut store) = made();
    let before = prepared(&store);
    let batch = store.begin(&lock).unwrap();
    let row = batch.put_item(&item("chunk/1"), None).unwrap();
    let mut wanted = Vec::new();
    for count in (1..=60).chain([250]) {
        let of = |at: i64| (format!("{count}\0{at}"), at, (at % 2 == 0).then_some(0.5));
        let rows: Vec<_> = (0..count).map(of).collect();
        wanted.extend(rows.iter().cloned());
        let rows = rows.into_iter().map(|(key, part, number)| values![row, key, part, "number", number]);
        batch.insert_all("attribute (item_id, key, part, kind, number)", rows, "ON CONFLICT DO NOTHING").unwrap();
    }
    batch.commit().unwrap();
    assert!(prepared(&store) - before < 12, "{}", prepared(&store));
    let sql = "SELECT key, part, number FROM attribute WHERE item_id = ?1 AND kind = 'number'";
    let mut found = store
        .rows(sql, &values![row], |row| Ok((row.text(0)?, row.integer(1)?, SqlRow::get::<Option<f64>>(row, 2)?)))
        .unwrap();
    found.sort_by(|one, other| one.partial_cmp(other).unwrap());
    wanted.sort_by(|one, other| one.partial_cmp(other).unwrap());
    assert_eq!(found, wanted);
    let before = prepared(&store);
    for _ in 0..20 {
        store.visit("SELECT uid FROM item", |_| Ok(ControlFlow::Continue(()))).unwrap();
    }
    assert!(prepared(&store) <= before, "what reads from a cursor is not kept");
    assert_eq!(store.embedded_texts().unwrap(), 1);
}

/// A table that is locked for longer than a statement may take makes them wait, and not fail.
#[test]
fn checks_exports_and_copies_take_as_long_as_they_take() {
    let (dir, lock, mut store) = made();
    let batch = store.begin(&lock).unwrap();
    batch.put_item(&item("chunk/1"), None).unwrap();
    batch.commit().unwrap();
    let limit = Duration::from_secs(3);
    let access = Access { statement_timeout: limit, ..Access::default() };
    let place =
        Place::shared(dir.path(), SharedStore { access: access.clone(), ..SharedStore::at(address_of(dir.path())) });
    let (to_check, to_export) =
        (Database::open_at(&place).unwrap().unwrap(), Database::open_at(&place).unwrap().unwrap());
    let copy_to = tempfile::tempdir().unwrap();
    let (watching, holding) = (open(dir.path()), store.begin_aside().unwrap());
    holding.execute("LOCK TABLE link", &[]).unwrap();
    std::thread::scope(|threads| {
        let check = threads.spawn(move || to_check.check().map(|faults| faults.len()));
        let export = threads.spawn(move || to_export.export::<StoreError>(1, |_| Ok(())));
        let copy = threads.spawn(|| {
            let (from, to) = (address_of(dir.path()), copy_to.path().to_owned());
            let copied = copy_store(&StorePlace::Address(from), &StorePlace::Folder(to), &access, &mut |_, _| {});
            copied.map(|copied| copied.same)
        });
        let waits = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()";
        while watching.counted(waits, &[]).unwrap() < 3 {
            assert!(!check.is_finished() && !export.is_finished() && !copy.is_finished());
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(limit * 3 / 2);
        drop(holding);
        assert_eq!(check.join().unwrap().unwrap(), 0);
        assert!(export.join().unwrap().unwrap() > 0);
        assert!(copy.join().unwrap().unwrap());
    });
}
