//! The encoder's own threads.
//!
//! A private pool of a given size, made at the first use: nothing global, nothing shared with a caller's pool. With
//! one thread everything runs on the caller's.

use super::EmbedError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc;

/// A fixed number of threads.
pub(super) struct Crew {
    threads: usize,
    pool: Option<ThreadPool>,
}

impl Crew {
    /// A crew of `threads`, or as many as the machine has when that is none.
    pub(super) fn new(threads: Option<usize>) -> Result<Self, EmbedError> {
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        let pool = (threads > 1)
            .then(|| ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("encode-{i}")).build())
            .transpose()
            .map_err(|e| EmbedError::Compute { what: e.to_string() })?;
        Ok(Self { threads, pool })
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` where rayon's operations use this crew.
    pub(super) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Both at once.
    pub(super) fn join<A: Send, B: Send>(&self, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        match &self.pool {
            Some(pool) => pool.install(|| rayon::join(a, b)),
            None => (a(), b()),
        }
    }

    /// Makes `count` things in any order; `take` gets each on the caller's thread as it is made.
    ///
    /// # Errors
    /// The first that `take` gives; what has not begun by then is not made.
    pub(super) fn spread<T: Send, E>(
        &self,
        count: usize,
        make: impl Fn(usize) -> T + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(pool) = &self.pool else {
            return (0..count).try_for_each(|at| take(at, make(at)));
        };
        let stopped = std::sync::atomic::AtomicBool::new(false);
        pool.in_place_scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for at in 0..count {
                let (sender, make, stopped) = (sender.clone(), &make, &stopped);
                scope.spawn(move |_| {
                    if !stopped.load(std::sync::atomic::Ordering::Relaxed) {
                        let _ = sender.send((at, make(at)));
                    }
                });
            }
            drop(sender);
            let result = receiver.iter().try_for_each(|(at, made)| take(at, made));
            stopped.store(true, std::sync::atomic::Ordering::Relaxed);
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_made_once_and_an_error_ends_it() {
        for threads in [1, 2, 3] {
            let crew = Crew::new(Some(threads)).unwrap();
            assert_eq!(crew.threads(), threads);
            let mut seen = [0; 50];
            let done: Result<(), ()> = crew.spread(
                50,
                |at| at * 2,
                |at, made| {
                    assert_eq!(made, at * 2);
                    seen[at] += 1;
                    Ok(())
                },
            );
            assert!(done.is_ok() && seen.iter().all(|n| *n == 1));
            let mut taken = 0;
            let stopped = crew.spread(
                50,
                |at| at,
                |_, _| {
                    taken += 1;
                    if taken == 3 { Err("enough") } else { Ok(()) }
                },
            );
            assert_eq!((stopped, taken), (Err("enough"), 3));
            assert_eq!(crew.join(|| 1, || 2), (1, 2));
        }
    }
}
