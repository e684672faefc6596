//! Threads, where a system may refuse to start one: a limit on processes (`ulimit -u`, a cgroup) or on memory.
//!
//! rayon's operations panic when the pool they run in cannot be started, and a pool that could not be started once can
//! never be. So threads are started first and become a pool afterwards: as many as there are. Without any, work is done
//! by the caller. Whoever uses rayon's common pool calls [`ready`] before; `tests/layers.rs` holds them to that.

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Threads that have been started and wait for what they are to do.
fn started(count: usize, name: &str) -> Vec<Sender<ThreadBuilder>> {
    let start = |number: usize| {
        let (give, take) = channel::<ThreadBuilder>();
        let work = move || {
            // Nobody has anything to do for it: it ends.
            if let Ok(worker) = take.recv() {
                worker.run();
            }
        };
        std::thread::Builder::new().name(format!("{name}-{number}")).spawn(work).ok().map(|_| give)
    };
    (0..count).map_while(start).collect()
}

/// Gives a worker to a thread that waits.
fn hand_over(waiting: &mut Vec<Sender<ThreadBuilder>>, worker: ThreadBuilder) -> io::Result<()> {
    let none = || io::Error::from(io::ErrorKind::WouldBlock);
    waiting.pop().ok_or_else(none)?.send(worker).map_err(|_| none())
}

/// A pool of at most so many threads; none if fewer than two could be started, or are wanted.
pub fn pool(threads: usize, name: &str) -> Option<ThreadPool> {
    if threads < 2 {
        return None;
    }
    let mut waiting = started(threads, name);
    let count = waiting.len();
    if count < 2 {
        return None;
    }
    ThreadPoolBuilder::new().num_threads(count).spawn_handler(|worker| hand_over(&mut waiting, worker)).build().ok()
}

/// Sees to it that rayon's operations work on this thread from now on, with as many threads as can be had.
pub fn ready() {
    static READY: Mutex<bool> = Mutex::new(false);
    // A thread of a pool has that pool.
    if rayon::current_thread_index().is_some() {
        return;
    }
    let mut is_ready = READY.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::replace(&mut *is_ready, true) {
        return;
    }
    let wanted = std::thread::available_parallelism().map_or(1, usize::from);
    let mut waiting = started(wanted, "work");
    let made = match waiting.len() {
        // Work that this thread gives to the pool it does itself.
        0 => ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global(),
        count => {
            let builder = ThreadPoolBuilder::new().num_threads(count);
            builder.spawn_handler(|worker| hand_over(&mut waiting, worker)).build_global()
        }
    };
    // It fails where there is one already, which somebody else has made.
    drop(made);
}

/// Whether so many threads can be started now. For libraries that start some of their own and cannot do without.
///
/// # Errors
/// What the system says.
pub fn can_start(count: usize) -> io::Result<()> {
    // They wait for each other's start, so that all are there at once.
    let keep = Mutex::new(());
    std::thread::scope(|scope| {
        let _held = keep.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..count {
            let wait = || drop(keep.lock().unwrap_or_else(PoisonError::into_inner));
            std::thread::Builder::new().spawn_scoped(scope, wait)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn pools_have_the_threads_that_were_started() {
        assert!(pool(1, "one").is_none());
        let three = pool(3, "three").unwrap();
        assert_eq!(three.current_num_threads(), 3);
        assert_eq!(three.install(|| (0..1000).into_par_iter().sum::<i32>()), 499_500);
        ready();
        ready();
        assert_eq!((0..1000).into_par_iter().sum::<i32>(), 499_500);
        can_start(3).unwrap();
    }
}
