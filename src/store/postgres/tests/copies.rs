//! Copies to a store that was copied to before.

use super::*;
use crate::store::{Mirrored, Source, SourceKind, Stat};

/// A store here, and the database that it is copied to.
struct Pair {
    dir: tempfile::TempDir,
    lock: WriterLock,
    here: Database,
    target: tempfile::TempDir,
}

impl Pair {
    fn new() -> Self {
        let (dir, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let lock = lock(dir.path());
        let here = Database::open_to_write(&lock).unwrap();
        Self { dir, lock, here, target }
    }

    fn write<T>(&mut self, work: impl FnOnce(&crate::store::Batch<'_>) -> Result<T, StoreError>) -> T {
        let batch = self.here.begin(&self.lock).unwrap();
        let out = work(&batch).unwrap();
        batch.commit().unwrap();
        out
    }

    fn try_copy(&self) -> Result<Mirrored, StoreError> {
        let (from, to) = (self.dir.path().to_owned(), address_of(self.target.path()));
        copy_store(&StorePlace::Folder(from), &StorePlace::Address(to), &Access::default(), &mut |_, _| {})
    }

    /// Sent and removed rows of a table.
    fn copy(&self, table: &str) -> (u64, u64) {
        let copied = self.try_copy().unwrap();
        assert!(copied.same);
        let of = copied.tables.iter().find(|of| of.table == table).unwrap();
        (of.sent, of.removed)
    }

    fn psql(&self, sql: &str) -> String {
        server().psql(&database_of(self.target.path()), sql)
    }
}

fn source(path: &str, sha256: u8) -> Source {
    Source {
        path: path.to_owned(),
        root: "/".to_owned(),
        kind: SourceKind::Text,
        scope: Scope::global(),
        sha256: [sha256; 32],
        stat: Stat { size: 1, mtime_ns: 2 },
        indexed_at: 3,
    }
}

#[test]
fn a_row_that_has_changed_keeps_the_rows_that_refer_to_it() {
    let mut pair = Pair::new();
    let file = pair.write(|batch| {
        let file = batch.put_source(&source("/a", 1))?;
        (0..3).try_for_each(|at| batch.put_item(&item(&format!("chunk/{at}")), Some(file)).map(drop))?;
        Ok(file)
    });
    assert_eq!(pair.copy("source"), (1, 0));
    let watched = pair.psql(
        "CREATE TABLE gone (uid text);
         CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO public.gone VALUES (old.uid); RETURN NULL; END';
         CREATE TRIGGER noted AFTER DELETE ON kenning.item FOR EACH ROW EXECUTE FUNCTION note()",
    );
    assert!(!watched.contains("ERROR"), "{watched}");
    assert_eq!(pair.write(|batch| batch.put_source(&source("/a", 2))), file);
    assert_eq!(pair.copy("source"), (1, 1));
    assert_eq!(pair.psql("SELECT * FROM gone").trim(), "");
    // The numbers of files that are gone are given out again, and another file may have the path of one.
    pair.write(|batch| batch.put_source(&source("/b", 3)));
    pair.copy("source");
    pair.write(|batch| {
        batch.remove_source(file + 1)?;
        batch.remove_source(file)?;
        assert_eq!(batch.put_source(&source("/b", 3))?, file);
        assert_eq!(batch.put_source(&source("/c", 3))?, file + 1);
        Ok(())
    });
    assert_eq!(pair.copy("source"), (2, 2));
    assert_eq!(open(pair.target.path()).sources().unwrap().len(), 2);
}

#[test]
fn the_log_of_changes_of_a_copy_stays_short() {
    let mut pair = Pair::new();
    let change = |pair: &mut Pair, round: usize| {
        pair.write(|batch| {
            for at in 0..4 {
                let uid = format!("chunk/{at}");
                if let Some(row) = batch.first("SELECT id FROM item WHERE uid = ?1", &[uid.as_str().into()], |row| {
                    crate::store::sql::SqlRow::integer(row, 0)
                })? {
                    let mut described = item(&uid);
                    described.attributes = serde_json::json!({"context": format!("of round {round}")});
                    batch.describe_item(row, &described)?;
                } else {
                    batch.put_item(&item(&uid), None)?;
                }
            }
            Ok(())
        });
        pair.try_copy().unwrap();
    };
    change(&mut pair, 0);
    let mut there = open(pair.target.path());
    assert_eq!(there.logged_changes().unwrap(), 1, "nobody can ask for what was before");
    let last = there.generation().unwrap();
    pair.try_copy().unwrap();
    assert_eq!(there.generation().unwrap(), last, "nothing has changed");
    let begun = there.begin_generation().unwrap();
    for round in 1..4 {
        change(&mut pair, round);
        assert_eq!(there.logged_changes().unwrap(), 5, "the one that began, and each item once");
        assert_eq!(there.changed_since(begun, 9).unwrap().unwrap().len(), 4);
    }
    // New items each time, so that more has changed than there are items.
    for round in 0..3 {
        pair.write(|batch| {
            let rows = batch.rows("SELECT id FROM item", &[], |row| crate::store::sql::SqlRow::integer(row, 0))?;
            rows.into_iter().try_for_each(|row| batch.remove_item(row))?;
            (0..4).try_for_each(|at| batch.put_item(&item(&format!("chunk/{round}/{at}")), None).map(drop))
        });
        pair.psql("UPDATE kenning.meta SET value = value");
        pair.try_copy().unwrap();
    }
    assert!(there.logged_changes().unwrap() <= 5, "{}", there.logged_changes().unwrap());
}

#[test]
fn a_row_that_the_server_refuses_is_named() {
    let mut pair = Pair::new();
    pair.psql("ALTER TABLE kenning.item ADD CHECK (title <> 'A title')");
    pair.write(|batch| batch.put_item(&item("chunk/1"), None));
    let error = pair.try_copy().unwrap_err();
    assert!(matches!(error, StoreError::OddRow { table: "item", .. }), "{error:?}");
    assert!(error.kind() == ErrorKind::Damaged && error.hint().is_some());
}
