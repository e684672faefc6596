//! Waits for other writers, and for a server that does not answer.

use super::*;
use crate::store::sql::SqlRow;
use std::net::TcpListener;
use std::thread::{scope, sleep};

const SECOND: Duration = Duration::from_secs(1);

/// A store whose statements may take three seconds.
fn hurried(folder: &Path) -> SharedDatabase {
    let access = Access { statement_timeout: 3 * SECOND, ..Access::default() };
    SharedDatabase::open(&address_of(folder), &access).unwrap().unwrap()
}

fn is_busy(taken: &Result<(), StoreError>) -> bool {
    matches!(taken, Err(StoreError::SharedBusy { holder, .. }) if holder.starts_with("test, process "))
}

#[test]
fn a_lock_is_waited_for_longer_than_a_statement_may_take() {
    let (dir, lock, store) = made();
    store.take_turn(Turn::Work, "test", None).unwrap();
    for turn in [Turn::Change, Turn::Work] {
        let taken = hurried(dir.path()).take_turn(turn, "other", Some(4 * SECOND));
        assert!(is_busy(&taken), "{turn:?}: {taken:?}");
    }
    scope(|scope| {
        let later = scope.spawn(|| {
            let mut other = hurried(dir.path());
            drop(other.begin(&lock).unwrap());
            other.take_turn(Turn::Work, "other", None).unwrap();
            other.with_lock_released(&mut || {}).unwrap();
            // Then statements have their limit again.
            other.exists("SELECT FROM pg_sleep(20)", &[]).unwrap_err()
        });
        sleep(4 * SECOND);
        drop(store);
        let late = later.join().unwrap();
        assert_eq!(late.kind(), ErrorKind::Network, "{late}");
        assert!(late.hint().is_some_and(|hint| hint.contains("store.statement_timeout_s")), "{late}");
    });
}

/// Waits until so many connections wait for a lock of ours.
fn wait_for_lock_waiters(folder: &Path, many: usize) {
    for _ in 0..6000 {
        if lock_waiters(folder) >= many {
            return;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("nobody waits");
}

/// Whoever gets the first lock late has less time for the second.
#[test]
fn both_locks_of_long_work_are_waited_for_in_one_time() {
    let (dir, _lock, worker) = made();
    worker.take_turn(Turn::Work, "test", None).unwrap();
    let (other, writer) = (hurried(dir.path()), open(dir.path()));
    scope(|scope| {
        let short = scope.spawn(move || {
            writer.take_turn(Turn::Change, "test", None).unwrap();
            sleep(4 * SECOND);
        });
        wait_for_lock_waiters(dir.path(), 1);
        let waits = scope.spawn(move || other.take_turn(Turn::Work, "other", Some(6 * SECOND)));
        wait_for_lock_waiters(dir.path(), 2);
        sleep(4 * SECOND);
        // Now one has `WORK`, and the other has `WRITER` until four seconds later.
        drop(worker);
        let taken = waits.join().unwrap();
        assert!(is_busy(&taken), "{taken:?}");
        short.join().unwrap();
    });
}

/// What is said of a server that takes what it is sent and says nothing.
fn assert_silent(error: &StoreError) {
    assert!(matches!(error, StoreError::Silent { .. }), "{error:?}");
    assert!(error.kind() == ErrorKind::Network && error.hint().is_some(), "{error}");
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("postgres://ken@{}/kenning", listener.local_addr().unwrap());
    let access = Access { connect_timeout: SECOND, ..Access::default() };
    // Without TLS, and with it.
    for address in [address.clone(), format!("{address}?sslmode=require")] {
        assert_silent(&SharedDatabase::open(&address, &access).unwrap_err());
    }
}

/// After one wait the next uses fail at once. Then the server is asked again.
#[test]
fn a_silent_server_is_not_waited_for_each_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("postgres://ken@{}/kenning", listener.local_addr().unwrap());
    let access = Access { connect_timeout: SECOND, ..Access::default() };
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::at(Place::shared(folder.path(), SharedStore { access, ..SharedStore::at(url) }));
    for asked in [1, 0, 0, 0, 1, 0] {
        assert_silent(&pool.reader().unwrap_err());
        let mut connections = 0;
        while listener.accept().is_ok() {
            connections += 1;
        }
        assert_eq!(connections, asked);
    }
}

/// Stops a process of the server, and lets it continue when this is dropped. A stopped process would keep its database
/// from being removed. The kernel still acknowledges what is sent to it.
struct Stopped(i64);

impl Stopped {
    fn new(process: i64) -> Self {
        assert_eq!(signal(process, "STOP"), "COPY 0\n");
        Self(process)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(self.0, "CONT");
    }
}

fn signal(process: i64, signal: &str) -> String {
    server().psql("postgres", &format!("COPY (SELECT 1 WHERE FALSE) TO PROGRAM 'kill -{signal} {process}'"))
}

fn process(store: &SharedDatabase) -> i64 {
    store.one("SELECT CAST(pg_backend_pid() AS bigint)", &[], |row| row.integer(0)).unwrap()
}

#[test]
fn a_statement_that_is_not_answered_is_given_up() {
    let (dir, lock, _store) = made();
    let mut store = hurried(dir.path());
    let first = process(&store);
    let stopped = Stopped::new(first);
    assert_silent(&store.changes().unwrap_err());
    // The next use has another connection.
    let second = process(&store);
    assert_ne!(first, second);
    drop(stopped);
    {
        let batch = store.begin(&lock).unwrap();
        let _stopped = Stopped::new(second);
        assert_silent(&batch.put_item(&item("chunk/1"), None).unwrap_err());
        let lost = batch.commit().unwrap_err();
        assert!(matches!(lost, StoreError::Lost { .. }), "{lost:?}");
    }
    assert_eq!(store.changes().unwrap(), 0);
}

#[test]
fn what_may_take_its_time_is_not_given_up() {
    let (dir, _lock, _store) = made();
    let store = hurried(dir.path());
    let batch = store.begin_aside().unwrap();
    assert!(batch.exists("SELECT FROM pg_sleep(9)", &[]).unwrap());
    batch.commit().unwrap();
    assert!(store.exists("SELECT FROM pg_sleep(20)", &[]).is_err(), "then statements have their limit again");
}

/// When the server goes away, one idle connection and one new one say so, however many are idle.
#[test]
fn idle_connections_are_not_tried_one_after_another() {
    let (dir, _lock, store) = made();
    drop(store);
    let pool = Pool::at(Place::shared(dir.path(), SharedStore::at(address_of(dir.path()))));
    let many: Vec<_> = (0..4).map(|_| pool.reader().unwrap().unwrap()).collect();
    drop(many);
    assert_eq!(pool.idle(), 4);
    let name = database_of(dir.path());
    server().psql("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"));
    cut(dir.path());
    let refused = pool.reader().unwrap_err();
    assert_eq!((refused.kind(), pool.idle()), (ErrorKind::Network, 0), "{refused}");
    let log = server().log();
    let refusal = |line: &&str| line.contains(&name) && line.contains("not currently accepting connections");
    assert_eq!(log.lines().filter(refusal).count(), 2, "{log}");
    server().psql("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"));
    assert!(pool.reader().unwrap().is_some());
}
