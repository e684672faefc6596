//! What a server makes of a store, beside what every store must do (`store::conformance`).

mod copies;
mod databases;
mod globs;
mod jobs;
mod limits;
mod nearest;
mod replica;
mod rights;
mod statements;
mod waits;
mod words;

use super::SharedDatabase;
use crate::error::{Diagnose, ErrorKind};
use crate::store::PostgresAccess as Access;
use crate::store::sql::RunSql;
use crate::store::{
    CountUsage, Database, ItemFilter, LogChanges, Place, Pool, ReadChanges, ReadEvents, ReadItems, ReadSources,
    ReadUsage, ReadWords, SharedStore, StoreError, StorePlace, Turn, WriteBatch, WriteEvents, WriteForgotten,
    WriteItems, WriteSources, WriteStore, WriterLock, copy_store,
};
use crate::types::{Authority, Item, Kind, Scope, State};
pub(in crate::store) use databases::address_of;
use databases::{database_of, server};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

fn item(uid: &str) -> Item {
    Item {
        uid: uid.to_owned(),
        kind: Kind::Chunk,
        scope: Scope::global(),
        authority: Authority::Personal,
        state: State::Active,
        title: "A title".to_owned(),
        body: format!("The text of {uid}, \0 and \u{1} too"),
        attributes: serde_json::json!({"tags": ["A", "b\0"], "provider": "Acme"}),
        path: None,
        span: None,
        created_at: 1,
        updated_at: 2,
    }
}

/// A folder, its lock, and the store of its database.
fn made() -> (tempfile::TempDir, WriterLock, SharedDatabase) {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let store = open(dir.path());
    (dir, lock, store)
}

fn lock(folder: &Path) -> WriterLock {
    WriterLock::take(folder, "test", Duration::from_secs(9)).unwrap()
}

fn open(folder: &Path) -> SharedDatabase {
    SharedDatabase::open(&address_of(folder), &Access::default()).unwrap().unwrap()
}

/// Ends every connection to the database of a folder.
fn cut(folder: &Path) {
    let name = database_of(folder);
    let ended = server().psql(
        "postgres",
        &format!(
            "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 60000))
             FROM pg_stat_activity WHERE datname = '{name}'"
        ),
    );
    assert_ne!(ended.trim(), "0");
}

#[test]
fn a_batch_that_is_dropped_or_fails_leaves_nothing() {
    let (dir, lock, mut store) = made();
    {
        let batch = store.begin(&lock).unwrap();
        batch.put_item(&item("chunk/1"), None).unwrap();
    }
    assert_eq!(store.admitted(&ItemFilter::default(), None).unwrap(), [0; 0]);
    {
        let batch = store.begin(&lock).unwrap();
        batch.put_item(&item("chunk/1"), None).unwrap();
        let refused = batch.execute("INSERT INTO event (at, name, data) VALUES (1, 'x', 'no JSON')", &[]);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Damaged);
        // Whoever goes on regardless hears of it at the latest here.
        assert!(batch.commit().is_err());
    }
    assert_eq!(store.admitted(&ItemFilter::default(), None).unwrap(), [0; 0]);
    assert_eq!((store.corpus().unwrap().items, open(dir.path()).corpus().unwrap().items), (0, 0));
}

/// The server frees what a connection holds only when it notices that the client is gone.
#[test]
fn the_right_to_write_is_free_as_soon_as_a_writer_is_dropped() {
    let (dir, _lock, store) = made();
    for turn in [Turn::Work, Turn::Change, Turn::AtOnce].into_iter().cycle().take(30) {
        let writer = open(dir.path());
        writer.take_turn(turn, "test", None).unwrap();
        assert!(store.current_writer().unwrap().is_some());
        drop(writer);
        assert_eq!(store.current_writer().unwrap(), None, "after {turn:?}");
        open(dir.path()).take_turn(Turn::AtOnce, "test", None).unwrap();
    }
    let writer = open(dir.path());
    writer.take_turn(Turn::Work, "test", None).unwrap();
    cut(dir.path());
    drop(writer);
}

/// A batch waits for the one before it, and sees what that has done; counters and readers wait for nobody.
#[test]
fn writers_follow_each_other() {
    let (dir, lock, mut store) = made();
    let (mut other, mut counter) = (open(dir.path()), open(dir.path()));
    let (commits, begun) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let batch = store.begin(&lock).unwrap();
        let first = batch.put_item(&item("chunk/1"), None).unwrap();
        let follow = || {
            let batch = other.begin(&lock).unwrap();
            let follows = commits.load(SeqCst);
            begun.store(true, SeqCst);
            let id = batch.put_item(&item("chunk/1"), None).unwrap();
            batch.commit().unwrap();
            (follows, id)
        };
        let second = scope.spawn(follow);
        counter.count_served(&["chunk/1"], 7).unwrap();
        assert_eq!((counter.item_id("chunk/1").unwrap(), counter.usage(&["chunk/1"]).unwrap().len()), (None, 1));
        while lock_waiters(dir.path()) == 0 && !begun.load(SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        commits.store(true, SeqCst);
        batch.commit().unwrap();
        let (follows, id) = second.join().unwrap();
        assert!(follows, "it did not wait");
        assert_eq!(
            (counter.item_id("chunk/1").unwrap(), counter.item_id("chunk/1-2").unwrap()),
            (Some(first), Some(id))
        );
    });
}

/// How many connections wait for a lock of ours in the database of a folder.
fn lock_waiters(folder: &Path) -> usize {
    let waiting = "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
                   WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted";
    server().psql(&database_of(folder), waiting).trim().parse().unwrap()
}

#[test]
fn a_connection_that_is_cut_is_told_and_made_anew() {
    let (dir, lock, mut store) = made();
    {
        let batch = store.begin(&lock).unwrap();
        batch.put_item(&item("chunk/1"), None).unwrap();
        cut(dir.path());
        let error = batch.put_item(&item("chunk/2"), None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Network);
        assert!(error.hint().is_some(), "{error}");
        let error = batch.put_item(&item("chunk/3"), None).unwrap_err();
        assert!(matches!(error, StoreError::Lost { .. }), "{error:?}");
        assert!(batch.commit().is_err());
    }
    assert_eq!(store.item_id("chunk/1").unwrap(), None, "the next use has a connection, and nothing was kept");
    {
        let _moment = store.snapshot().unwrap();
        assert_eq!(store.item_id("chunk/1").unwrap(), None);
        cut(dir.path());
        assert!(store.item_id("chunk/1").is_err(), "a moment cannot go on elsewhere");
    }
    cut_idle(dir.path(), &store);
    let batch = store.begin(&lock).unwrap();
    batch.log(1, "after", &serde_json::Value::Null).unwrap();
    cut(dir.path());
    assert!(batch.commit().is_err());
    assert_eq!(store.changes().unwrap(), 0);
}

/// The connection ends while the server commits, so nobody knows whether it has.
#[test]
fn a_commit_without_an_answer_is_uncertain() {
    let (dir, lock, mut store) = made();
    let ends = "CREATE FUNCTION public.ends() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER ends AFTER INSERT ON kenning.event DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION public.ends()";
    server().psql(&database_of(dir.path()), ends);
    let batch = store.begin(&lock).unwrap();
    batch.log(1, "made", &serde_json::Value::Null).unwrap();
    let error = batch.commit().unwrap_err();
    assert!(matches!(error, StoreError::Uncertain { .. }), "{error:?}");
    assert!(error.kind() == ErrorKind::Network && error.hint().is_some(), "{error}");
    assert_eq!(store.changes().unwrap(), 0);
}

/// One that nobody is using is made anew without a word.
fn cut_idle(folder: &Path, store: &SharedDatabase) {
    assert_eq!(store.changes().unwrap(), 0);
    cut(folder);
    assert_eq!(store.changes().unwrap(), 0);
}

#[test]
fn another_schema_is_refused_and_an_older_one_is_brought_up_to_date() {
    let (dir, lock, mut store) = made();
    let batch = store.begin(&lock).unwrap();
    batch.put_item(&item("chunk/1"), None).unwrap();
    batch.commit().unwrap();
    drop(store);
    let name = database_of(dir.path());
    server().psql(&name, "UPDATE kenning.schema_version SET number = 99");
    let opened = SharedDatabase::open(&address_of(dir.path()), &Access::default());
    assert!(matches!(opened, Err(StoreError::NewerCopy { found: 99, .. })), "{opened:?}");
    assert!(SharedDatabase::open_to_write(&address_of(dir.path()), &Access::default()).is_err());
    // Nothing of ours, then what the first version of ken left there.
    server().psql(&name, "DROP SCHEMA kenning CASCADE");
    assert!(SharedDatabase::open(&address_of(dir.path()), &Access::default()).unwrap().is_none());
    let first = include_str!("../../../../index/postgres/0001_first.sql");
    let made = format!(
        "CREATE SCHEMA kenning; SET search_path = kenning; CREATE TABLE schema_version (number bigint NOT NULL);
         INSERT INTO schema_version VALUES (1); {first}
         INSERT INTO source VALUES (41, '/a', '/', 'text', 'global', sha256(''), 1, 2, 3);
         INSERT INTO item VALUES (7, 'chunk/7', 'chunk', 'global', 'team', 'active', 't', 'b',
            substr(sha256(''), 1, 16), 2, '{{}}', 41, NULL, NULL, NULL, NULL, 1, 2);"
    );
    server().psql(&name, &made);
    std::thread::scope(|scope| {
        // Whoever comes first brings it up to date; the others wait.
        let look = || assert_eq!(open(dir.path()).corpus().unwrap().items, 1);
        (0..3).for_each(|_| drop(scope.spawn(look)));
    });
    let mut store = open(dir.path());
    assert_eq!((store.corpus().unwrap().words, store.item_id("chunk/7").unwrap()), (2, Some(7)));
    let batch = store.begin(&lock).unwrap();
    assert_eq!(batch.put_item(&item("chunk/8"), None).unwrap(), 8, "numbers go on behind those that are there");
    batch.remove_source(41).unwrap();
    batch.commit().unwrap();
    assert_eq!((store.corpus().unwrap().items, store.item_id("chunk/7").unwrap()), (1, None));
}

/// A newer `ken` may have changed the schema since the store was opened, or while a process waited for the right to
/// write.
#[test]
fn a_schema_that_was_changed_since_is_refused() {
    let (dir, lock, mut store) = made();
    let name = database_of(dir.path());
    let set = |number: i64| {
        let changed = server().psql(&name, &format!("UPDATE kenning.schema_version SET number = {number}"));
        assert_eq!(changed, "UPDATE 1\n");
    };
    let present: i64 = server().psql(&name, "SELECT number FROM kenning.schema_version").trim().parse().unwrap();
    let is_refused = |error: StoreError| matches!(error, StoreError::NewerCopy { found: 99, .. });
    set(99);
    assert!(is_refused(store.check_schema().unwrap_err()) && is_refused(store.begin(&lock).unwrap_err()));
    assert!(store.is_idle(), "nothing was left open");
    assert!(is_refused(open_turn(dir.path(), present, &set).unwrap_err()));
    set(present);
    store.take_turn(Turn::Work, "test", None).unwrap();
    assert!(is_refused(store.with_lock_released(&mut || set(99)).unwrap_err()));
    set(present);
    store.with_lock_released(&mut || {}).unwrap();
    set(present - 1);
    assert!(matches!(store.check_schema(), Err(StoreError::OlderCopy { .. })), "what a backup brought back is older");
}

/// Takes the right to write to a store that was opened before another `ken` changed its schema.
fn open_turn(folder: &Path, present: i64, set: &dyn Fn(i64)) -> Result<(), StoreError> {
    set(present);
    let store = open(folder);
    set(99);
    store.take_turn(Turn::Change, "test", None)
}

/// What comes from SQLite reads the same there, goes on there with numbers of its own, and comes back.
#[test]
fn a_copy_is_used_where_it_lies_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let mut here = Database::open_to_write(&lock).unwrap();
    let batch = WriteStore::begin(&mut here, &lock).unwrap();
    for at in 0..5 {
        batch.put_item(&item(&format!("chunk/{at}")), None).unwrap();
    }
    batch.log(1, "made", &serde_json::Value::Null).unwrap();
    WriteBatch::commit(batch).unwrap();
    drop(lock);
    let (folder, there) = (StorePlace::Folder(dir.path().to_owned()), StorePlace::Address(address_of(dir.path())));
    let access = Access::default();
    let mut before = open(dir.path());
    let (start, stamp) = (before.begin_generation().unwrap(), before.stamp().unwrap());
    assert!(copy_store(&folder, &there, &access, &mut |_, _| {}).unwrap().same);
    let rows = here.admitted(&ItemFilter::default(), None).unwrap();
    assert_eq!(before.admitted(&ItemFilter::default(), None).unwrap(), rows);
    assert_eq!(before.items(&rows).unwrap(), here.items(&rows).unwrap());
    assert_eq!((before.corpus().unwrap(), before.changes().unwrap()), (here.corpus().unwrap(), 1));
    assert_eq!(before.changed_since(start, 9).unwrap().as_ref(), Some(&rows), "files that are derived notice");
    assert_ne!(before.stamp().unwrap(), stamp);
    for (kept, tags) in [(5, vec!["a"]), (5, vec!["b\0"]), (0, vec!["b"])] {
        let tags = tags.into_iter().map(str::to_owned).collect();
        let filter = ItemFilter { tags, provider: Some("acme".to_owned()), ..ItemFilter::default() };
        assert_eq!(before.admitted(&filter, None).unwrap().len(), kept);
    }
    let lock = self::lock(dir.path());
    let batch = before.begin(&lock).unwrap();
    let row = batch.put_item(&item("chunk/9"), None).unwrap();
    batch.log(2, "went on", &serde_json::Value::Null).unwrap();
    batch.remove_item(rows[0]).unwrap();
    batch.commit().unwrap();
    assert!(row > rows[4], "{row}");
    drop((lock, here));
    assert!(copy_store(&there, &folder, &access, &mut |_, _| {}).unwrap().same);
    let here = Database::open(dir.path()).unwrap().unwrap();
    assert_eq!(here.item_id("chunk/9").unwrap(), Some(row));
    assert_eq!((here.changes().unwrap(), here.sources().unwrap().len(), here.corpus().unwrap().items), (2, 0, 5));
}

#[test]
fn a_copy_is_refused_while_somebody_writes() {
    let (dir, lock, mut store) = made();
    let other = tempfile::tempdir().unwrap();
    drop(Database::open_to_write(&self::lock(other.path())).unwrap());
    let batch = store.begin(&lock).unwrap();
    let from = StorePlace::Folder(other.path().to_owned());
    let to = StorePlace::Address(address_of(dir.path()));
    let copied = copy_store(&from, &to, &Access::default(), &mut |_, _| {});
    assert!(matches!(copied, Err(StoreError::SharedBusy { .. })), "{copied:?}");
    drop(batch);
    assert_eq!(store.current_writer().unwrap(), None);
    let writer = open(dir.path());
    writer.take_turn(Turn::Work, "test", None).unwrap();
    let copied = copy_store(&from, &to, &Access::default(), &mut |_, _| {}).unwrap_err().to_string();
    // The server knows an address of a connection over TCP alone.
    let name = format!("test, process {}", std::process::id());
    assert!(copied.ends_with(&format!(": {name}")), "{copied}");
    assert_eq!(store.current_writer().unwrap(), Some(name));
    drop(writer);
    for _ in 0..20 {
        assert!(copy_store(&from, &to, &Access::default(), &mut |_, _| {}).unwrap().same);
        assert_eq!(store.current_writer().unwrap(), None, "a copy gives its right back");
    }
}

#[test]
fn what_nobody_wrote_is_damage_and_never_a_panic() {
    let (dir, lock, mut store) = made();
    let batch = store.begin(&lock).unwrap();
    let row = batch.put_item(&item("chunk/1"), None).unwrap();
    batch.commit().unwrap();
    server().psql(&database_of(dir.path()), "UPDATE kenning.item SET body = 'another'");
    let error = store.items(&[row]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    server().psql(&database_of(dir.path()), "UPDATE kenning.item SET byte_start = -1");
    let error = store.items(&[row]).unwrap_err();
    assert!(error.to_string().contains("item chunk/1: byte_start is -1"), "{error}");
    let twice = "INSERT INTO meta (key, value) VALUES ('twice', ''), ('twice', '')";
    let error = store.execute(twice, &[]).unwrap_err();
    assert!(error.kind() == ErrorKind::Damaged && error.hint().is_some(), "a rule is broken: {error}");
    for change in ["ALTER COLUMN title TYPE bytea USING ''", "DROP COLUMN title"] {
        server().psql(&database_of(dir.path()), &format!("ALTER TABLE kenning.item {change}"));
        let error = open(dir.path()).items(&[row]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{change}: {error}");
    }
}

/// As the engine uses it: by its place and through the pool.
#[test]
fn a_store_is_used_by_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let place = Place::shared(dir.path(), SharedStore::at(address_of(dir.path())));
    let mut store = Database::open_to_write_at(&place, &lock).unwrap();
    assert!(Database::open(dir.path()).unwrap().is_none(), "there is no file");
    let pool = Pool::at(place);
    let batch = store.begin(&lock).unwrap();
    let row = batch.put_item(&item("chunk/1"), None).unwrap();
    batch.commit().unwrap();
    assert_eq!(pool.reader().unwrap().unwrap().item_id("chunk/1").unwrap(), Some(row));
    assert_eq!(pool.idle(), 1);

    let batch = store.begin(&lock).unwrap();
    batch.forget_item(row, 7).unwrap();
    batch.trace_paths(&[dir.path().to_owned()]).unwrap();
    batch.commit().unwrap();
    assert!(store.has_traces().unwrap() && store.is_traced(dir.path()).unwrap());
    assert!(store.erase_traces(&lock, Duration::ZERO).unwrap());
    assert!(!store.has_traces().unwrap() && !store.is_traced(dir.path()).unwrap());
}
