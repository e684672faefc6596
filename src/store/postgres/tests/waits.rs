//! Waits for other writers, and for a server that does not answer.

use super::*;
use std::thread::{scope, sleep};

const SECOND: Duration = Duration::from_secs(1);

/// A store whose statements may take a second.
fn hurried(folder: &Path) -> SharedDatabase {
    let access = Access { statement_timeout: SECOND, ..Access::default() };
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
        let taken = hurried(dir.path()).take_turn(turn, "other", Some(2 * SECOND));
        assert!(is_busy(&taken), "{turn:?}: {taken:?}");
    }
    scope(|scope| {
        let later = scope.spawn(|| {
            let mut other = hurried(dir.path());
            drop(other.begin(&lock).unwrap());
            other.take_turn(Turn::Work, "other", None).unwrap();
            other.with_lock_released(&mut || {}).unwrap();
            // Then statements have their limit again.
            other.exists("SELECT FROM pg_sleep(9)", &[]).unwrap_err()
        });
        sleep(3 * SECOND / 2);
        drop(store);
        let late = later.join().unwrap();
        assert_eq!(late.kind(), ErrorKind::Network, "{late}");
        assert!(late.hint().is_some_and(|hint| hint.contains("store.statement_timeout_s")), "{late}");
    });
}

/// Whoever gets the first lock late has less time for the second.
#[test]
fn both_locks_of_long_work_are_waited_for_in_one_time() {
    let (dir, _lock, worker) = made();
    worker.take_turn(Turn::Work, "test", None).unwrap();
    scope(|scope| {
        let waits = scope.spawn(|| hurried(dir.path()).take_turn(Turn::Work, "other", Some(3 * SECOND)));
        let short = scope.spawn(|| {
            let writer = open(dir.path());
            writer.take_turn(Turn::Change, "test", None).unwrap();
            sleep(2 * SECOND);
        });
        sleep(2 * SECOND);
        // Now one has `WORK`, and the other has `WRITER` until two seconds later.
        drop(worker);
        let taken = waits.join().unwrap();
        assert!(is_busy(&taken), "{taken:?}");
        short.join().unwrap();
    });
}
