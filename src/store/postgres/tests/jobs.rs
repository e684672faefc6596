//! Jobs that workers share.

use super::*;
use crate::store::{SharedJobs, StoredJob};
use std::collections::BTreeSet;

fn workers(folder: &Path, count: usize) -> Vec<SharedJobs> {
    let address = address_of(folder);
    (0..count).map(|_| SharedJobs::open(&address, &Access::default()).unwrap()).collect()
}

fn begin(worker: &SharedJobs) -> Option<StoredJob> {
    worker.begin(|_| true).unwrap()
}

#[test]
fn each_job_is_begun_by_one_worker() {
    let dir = tempfile::tempdir().unwrap();
    let workers = workers(dir.path(), 4);
    let added: BTreeSet<i64> =
        (0..40).map(|at| workers[0].add(&format!("{at}"), "{}", 100).unwrap().unwrap()).collect();
    let at_once = Barrier::new(workers.len());
    let begun: Vec<Vec<i64>> = std::thread::scope(|threads| {
        let running: Vec<_> = workers
            .into_iter()
            .map(|worker| {
                let at_once = &at_once;
                threads.spawn(move || {
                    at_once.wait();
                    let ids = std::iter::from_fn(|| {
                        let job = begin(&worker)?;
                        assert!(worker.tell(&job, "done", true).unwrap());
                        Some(job.id)
                    });
                    let ids = ids.collect();
                    // As long as one of them looks for more, all live.
                    at_once.wait();
                    ids
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let all: Vec<i64> = begun.concat();
    assert_eq!((all.len(), all.into_iter().collect::<BTreeSet<_>>()), (40, added), "{begun:?}");
}

#[test]
fn what_a_worker_leaves_another_one_begins_and_the_first_says_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let mut workers = workers(dir.path(), 2);
    let (second, first) = (workers.pop().unwrap(), workers.pop().unwrap());
    let id = first.add("a", "none", 9).unwrap().unwrap();
    assert_eq!(first.begin(|_| false).unwrap(), None, "one that has not got the files does not begin");
    let begun = begin(&first).unwrap();
    assert!(first.tell(&begun, "half", false).unwrap());
    assert_eq!(begin(&second), None, "its worker lives");
    assert_eq!(second.job(id).unwrap().unwrap().state, "half");

    // The first is cut off, and does not know it.
    cut(dir.path());
    let again = begin(&second).unwrap();
    assert_eq!((again.id, again.attempts), (id, 2));
    assert!(!first.tell(&begun, "done", true).unwrap());
    assert_eq!(second.job(id).unwrap().unwrap().state, "half");
    assert!(second.tell(&again, "done", true).unwrap());
    let ended = first.job(id).unwrap().unwrap();
    assert_eq!((ended.state.as_str(), ended.is_over), ("done", true));
    assert_eq!((begin(&first), begin(&second)), (None, None), "done once");
    assert!(!second.tell(&again, "more", false).unwrap(), "what is over does not change");
}

#[test]
fn a_job_is_cancelled_wherever_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let worker = workers(dir.path(), 1).pop().unwrap();
    let (first, second) = (worker.add("a", "", 9).unwrap().unwrap(), worker.add("b", "", 9).unwrap().unwrap());
    let begun = begin(&worker).unwrap();
    assert_eq!(begun.id, first);
    worker.cancel(first, "cancelled").unwrap();
    worker.cancel(second, "cancelled").unwrap();
    assert!(!worker.tell(&begun, "half", false).unwrap(), "it is told to stop");
    let waited = worker.job(second).unwrap().unwrap();
    assert_eq!((waited.state.as_str(), waited.is_over), ("cancelled", true));
    // A worker that begins another job does this one no more, so it can end it.
    let again = begin(&worker).unwrap();
    assert!(again.id == first && again.is_cancelled && again.attempts == 2, "{again:?}");
    worker.tell(&again, "cancelled", true).unwrap();
    assert_eq!(begin(&worker), None);
}

#[test]
fn a_job_that_is_cancelled_and_has_lost_its_worker_ends() {
    let dir = tempfile::tempdir().unwrap();
    let worker = workers(dir.path(), 1).pop().unwrap();
    let id = worker.add("a", "", 9).unwrap().unwrap();
    begin(&worker).unwrap();
    drop(worker);
    let other = workers(dir.path(), 1).pop().unwrap();
    other.cancel(id, "cancelled").unwrap();
    let ended = other.job(id).unwrap().filter(|job| job.is_over);
    assert_eq!(ended.unwrap().state, "cancelled");
}

#[test]
fn ended_jobs_make_room_and_others_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let worker = workers(dir.path(), 1).pop().unwrap();
    let add = || worker.add("", "", 3).unwrap();
    let first = add().unwrap();
    assert!(add().is_some() && add().is_some() && add().is_none());
    for _ in 0..9 {
        let job = begin(&worker).unwrap();
        worker.tell(&job, "", true).unwrap();
        assert!(add().is_some());
    }
    assert_eq!(worker.job(first).unwrap(), None, "it was the first to go");
}

#[test]
fn a_job_that_is_added_ends_the_wait_of_all_workers() {
    let dir = tempfile::tempdir().unwrap();
    let mut workers = workers(dir.path(), 3);
    let adder = workers.pop().unwrap();
    let (heard, ends) = std::sync::mpsc::channel();
    let (looked, looks) = std::sync::mpsc::channel();
    for worker in workers {
        let (heard, looked) = (heard.clone(), looked.clone());
        let listen = move || {
            assert_eq!(begin(&worker), None);
            looked.send(()).unwrap();
            // A job that was added before the wait begins ends it too.
            worker.wait(Duration::from_secs(3600)).unwrap();
            heard.send(worker).unwrap();
        };
        std::thread::Builder::new().spawn(listen).unwrap();
    }
    (0..2).for_each(|_| looks.recv().unwrap());
    adder.add("a", "none", 9).unwrap().unwrap();
    let waited: Vec<SharedJobs> = (0..2).map(|_| ends.recv_timeout(Duration::from_secs(60)).unwrap()).collect();
    let begun: Vec<_> = waited.iter().filter_map(begin).collect();
    assert_eq!(begun.len(), 1);
}
