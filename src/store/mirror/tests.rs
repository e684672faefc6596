//! Copies between databases of SQLite, against a twin that compares whole tables.

use super::*;
use crate::store::sqlite::{Database, ReadRows, WriteRows};
use crate::store::{CountUsage, DATABASE, WriteEvents, WriteItems, WriteSources, WriteVectors, WriterLock};
use crate::text::text_hash;
use crate::types::{Authority, Fingerprint, Item, Kind as ItemKind, Scope, Span, State};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value as SqlValue;
use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

fn lock(folder: &Path) -> WriterLock {
    WriterLock::take(folder, "test", Duration::from_secs(9)).unwrap()
}

fn item(uid: &str, body: &str) -> Item {
    Item {
        uid: uid.to_owned(),
        kind: ItemKind::Chunk,
        scope: Scope::global(),
        authority: Authority::Personal,
        state: State::Active,
        title: "A title".to_owned(),
        body: body.to_owned(),
        attributes: serde_json::json!({"tags": ["a", "b"]}),
        path: None,
        span: Some(Span { byte_start: 0, byte_end: 1, line_start: 1, line_end: 1 }),
        created_at: 1,
        updated_at: 2,
    }
}

/// What somebody does to a store.
#[derive(Debug, Clone)]
enum Deed {
    Put(u8, String),
    Remove(u8),
    Vector(u8),
    Event,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (any::<u8>(), "[a-zä\0\u{1} ]{0,20}").prop_map(|(uid, body)| Deed::Put(uid % 40, body)),
        2 => any::<u8>().prop_map(|uid| Deed::Remove(uid % 40)),
        2 => any::<u8>().prop_map(|uid| Deed::Vector(uid % 40)),
        1 => Just(Deed::Event),
    ]
}

fn carry_out(folder: &Path, deeds: &[Deed]) {
    let lock = lock(folder);
    let mut database = Database::open_to_write(&lock).unwrap();
    for deed in deeds {
        let batch = database.begin(&lock).unwrap();
        match deed {
            Deed::Put(uid, body) => {
                let known = crate::store::Source {
                    path: format!("/docs/{uid}"),
                    root: "/docs".to_owned(),
                    kind: crate::store::SourceKind::Text,
                    scope: Scope::global(),
                    sha256: [*uid; 32],
                    stat: crate::store::Stat { size: 1, mtime_ns: 2 },
                    indexed_at: 3,
                };
                // A file that is there already keeps its items, and gets one more.
                let file = batch.put_source(&known).unwrap();
                batch.put_item(&item(&format!("chunk/{uid}"), body), Some(file)).unwrap();
            }
            Deed::Remove(uid) => {
                let id = crate::store::ReadItems::item_id(
                    &Database::open(folder).unwrap().unwrap(),
                    &format!("chunk/{uid}"),
                );
                if let Some(id) = id.unwrap() {
                    batch.remove_item(id).unwrap();
                }
            }
            Deed::Vector(uid) => {
                let model = batch.put_model(&Fingerprint::stored("m@01".to_owned()), 2).unwrap();
                batch.put_vectors(&model, [(text_hash(&uid.to_string()), &[0.6, 0.8][..])]).unwrap();
            }
            Deed::Event => batch.log(7, "happened", &serde_json::json!({"n": 1})).unwrap(),
        }
        batch.commit().unwrap();
    }
    database.count_served(&["chunk/1"], 5).unwrap();
}

/// All rows of all tables, read without our code.
fn dump(folder: &Path) -> Vec<(&'static str, Vec<Vec<SqlValue>>)> {
    let connection = Connection::open(folder.join(DATABASE)).unwrap();
    let rows = |table: &Table| {
        let only = table.only.map(|only| format!(" WHERE {only}")).unwrap_or_default();
        let sql = format!("SELECT {} FROM \"{}\"{only} ORDER BY {}", table.column_list(), table.name, table.key_list());
        let mut statement = connection.prepare(&sql).unwrap();
        let read = |row: &rusqlite::Row<'_>| (0..table.columns.len()).map(|at| row.get(at)).collect();
        statement.query_map([], read).unwrap().map(Result::unwrap).collect()
    };
    TABLES.iter().map(|table| (table.name, rows(table))).collect()
}

fn copy_between(from: &Path, to: &Path) -> Result<Mirrored, StoreError> {
    let lock = lock(to);
    let mut from = ReadRows::new(Database::open(from).unwrap().unwrap());
    copy(&mut from, &mut WriteRows::new(&lock)?, &mut |_, _| {})
}

/// A target that fails after some changes, as one does that is killed.
struct Failing<'w, 'l> {
    real: &'w mut WriteRows<'l>,
    left: Cell<usize>,
}

impl Place for Failing<'_, '_> {
    fn name(&self) -> &str {
        self.real.name()
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        self.real.begin()
    }

    fn count(&mut self, table: &Table) -> Result<u64, StoreError> {
        self.real.count(table)
    }

    fn page(&mut self, table: &Table, behind: Option<&[Value]>, most: usize) -> Result<Vec<Row>, StoreError> {
        self.real.page(table, behind, most)
    }
}

impl Target for Failing<'_, '_> {
    fn change(&mut self, table: &Table, change: &Change) -> Result<(), StoreError> {
        if self.left.get() == 0 {
            return Err(StoreError::SharedBusy { name: "killed".to_owned(), holder: String::new() });
        }
        self.left.set(self.left.get() - 1);
        self.real.change(table, change)
    }

    fn end(&mut self) -> Result<(), StoreError> {
        self.real.end()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_copy_holds_the_same_whatever_was_done_before_and_wherever_one_was_stopped(
        first in prop::collection::vec(deed(), 0..30),
        second in prop::collection::vec(deed(), 0..30),
        changes in 0usize..12,
    ) {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        carry_out(one.path(), &first);
        prop_assert!(copy_between(one.path(), other.path()).unwrap().same);
        prop_assert_eq!(dump(one.path()), dump(other.path()));
        carry_out(one.path(), &second);
        {
            let lock = lock(other.path());
            let mut real = WriteRows::new(&lock).unwrap();
            let mut failing = Failing { real: &mut real, left: Cell::new(changes) };
            let mut from = ReadRows::new(Database::open(one.path()).unwrap().unwrap());
            drop(copy(&mut from, &mut failing, &mut |_, _| {}));
        }
        let copied = copy_between(one.path(), other.path()).unwrap();
        prop_assert!(copied.same);
        prop_assert_eq!(dump(one.path()), dump(other.path()));
        let again = copy_between(one.path(), other.path()).unwrap();
        let moved: u64 = again.tables.iter().map(|table| table.sent + table.removed).sum();
        prop_assert_eq!(moved, 0, "nothing has changed");
        let database = Connection::open(other.path().join(DATABASE)).unwrap();
        let (items, counted): (i64, i64) = database
            .query_row("SELECT (SELECT count(*) FROM item), items FROM corpus", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        prop_assert_eq!(items, counted, "what is derived follows");
        let logged: i64 = database.query_row("SELECT count(*) FROM vector_change", [], |row| row.get(0)).unwrap();
        prop_assert!(logged <= 1, "nobody can ask for {} changes", logged);
    }
}

#[test]
fn a_store_with_events_of_its_own_is_left_alone() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    carry_out(one.path(), &[Deed::Put(1, "mine".to_owned()), Deed::Event]);
    carry_out(other.path(), &[Deed::Put(2, "yours".to_owned()), Deed::Event, Deed::Event]);
    let before = dump(other.path());
    assert!(matches!(copy_between(one.path(), other.path()), Err(StoreError::OtherHistory { .. })));
    assert_eq!(dump(other.path()), before);
}

#[test]
fn the_list_has_every_table_and_column_of_the_database() {
    const DERIVED: [&str; 2] = ["corpus", "vector_change"];
    let dir = tempfile::tempdir().unwrap();
    drop(Database::open_to_write(&lock(dir.path())).unwrap());
    let connection = Connection::open(dir.path().join(DATABASE)).unwrap();
    let sql = "SELECT m.name, c.name, c.type, c.pk FROM sqlite_master m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.name";
    let mut statement = connection.prepare(sql).unwrap();
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)? > 0));
    let all: rusqlite::Result<Vec<(String, String, String, bool)>> = statement.query_map([], read).unwrap().collect();
    let there: Vec<_> = all.unwrap().into_iter().filter(|(table, ..)| !DERIVED.contains(&table.as_str())).collect();
    let kind = |kind: Kind| match kind {
        Kind::Integer => "INTEGER",
        Kind::Real => "REAL",
        Kind::Text => "TEXT",
        Kind::Bytes => "BLOB",
    };
    let columns = |table: &'static Table| {
        let named = table.columns.iter().enumerate();
        named.map(|(at, (name, of))| (table.name.to_owned(), (*name).to_owned(), kind(*of).to_owned(), at < table.keys))
    };
    let mut listed: Vec<_> = TABLES.iter().flat_map(columns).collect();
    listed.sort();
    assert_eq!(listed, there);
}

#[test]
fn the_list_has_every_rule_that_values_are_unique() {
    let dir = tempfile::tempdir().unwrap();
    drop(Database::open_to_write(&lock(dir.path())).unwrap());
    let connection = Connection::open(dir.path().join(DATABASE)).unwrap();
    let sql = "SELECT DISTINCT i.name FROM pragma_index_list(?1) l JOIN pragma_index_info(l.name) i
        WHERE l.\"unique\" = 1 AND l.origin <> 'pk' ORDER BY i.name";
    for table in TABLES {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([table.name], |row| row.get::<_, String>(0)).unwrap();
        let there: Vec<String> = rows.map(Result::unwrap).collect();
        let mut listed = table.unique.to_vec();
        listed.sort_unstable();
        assert_eq!(listed, there, "{}", table.name);
    }
}
