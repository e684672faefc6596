//! The encoder's own threads, and who goes first.
//!
//! Two private pools of one size, each made at its first use: nothing global, nothing shared with a caller's pool. Bulk
//! work goes piece by piece through one of them; a question has the other to itself, and while one runs no new piece of bulk
//! begins, so a question waits for no more than the pieces that are under way. Bulk is put off, not stopped: each piece
//! waits for a moment only. With one thread everything runs on the caller's.

use super::EmbedError;
use crate::threads;
use rayon::ThreadPool;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Duration;

/// Longest that a piece of bulk work waits for questions.
const PATIENCE: Duration = Duration::from_millis(20);

/// A fixed number of threads.
pub(super) struct Crew {
    threads: usize,
    questions: OnceLock<Option<ThreadPool>>,
    bulk: OnceLock<Option<ThreadPool>>,
    /// Questions that run now.
    running: Mutex<usize>,
    calm: Condvar,
}

impl Crew {
    /// A crew of `threads`, or as many as the machine has when that is none.
    pub(super) fn new(threads: Option<usize>) -> Self {
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        let (questions, bulk) = (OnceLock::new(), OnceLock::new());
        Self { threads, questions, bulk, running: Mutex::default(), calm: Condvar::new() }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// The pool, with as many of its threads as could be started; none where the caller's thread does it all.
    fn pool<'a>(&self, pool: &'a OnceLock<Option<ThreadPool>>) -> Option<&'a ThreadPool> {
        let pool = pool.get_or_init(|| threads::pool(self.threads, "encode")).as_ref();
        if pool.is_none() {
            // Then rayon's operations use the common one.
            threads::ready();
        }
        pool
    }

    /// Runs a question's work, where rayon's operations use this crew, ahead of all bulk.
    pub(super) fn answer<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, EmbedError> {
        let pool = self.pool(&self.questions);
        let _first = First::new(self);
        Ok(match pool {
            Some(pool) => pool.install(work),
            None => work(),
        })
    }

    /// Runs a part of bulk work, where rayon's operations use this crew.
    pub(super) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, EmbedError> {
        Ok(match self.pool(&self.bulk) {
            Some(pool) => pool.install(work),
            None => work(),
        })
    }

    fn questions(&self) -> MutexGuard<'_, usize> {
        // A panic elsewhere leaves the number right: it changes in one step.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no question runs, or for a moment.
    fn give_way(&self) {
        let waited = self.calm.wait_timeout_while(self.questions(), PATIENCE, |running| *running > 0);
        drop(waited);
    }

    /// Makes `count` things in any order; `take` gets each on the caller's thread as it is made.
    ///
    /// # Errors
    /// The first that `take` gives; what has not begun by then is not made.
    pub(super) fn spread<T: Send, E: From<EmbedError>>(
        &self,
        count: usize,
        make: impl Fn(usize) -> T + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        let make = |at| {
            self.give_way();
            make(at)
        };
        let Some(pool) = self.pool(&self.bulk) else {
            return (0..count).try_for_each(|at| take(at, make(at)));
        };
        let stopped = AtomicBool::new(false);
        pool.in_place_scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for at in 0..count {
                let (sender, make, stopped) = (sender.clone(), &make, &stopped);
                scope.spawn(move |_| {
                    if !stopped.load(Ordering::Relaxed) {
                        let _ = sender.send((at, make(at)));
                    }
                });
            }
            drop(sender);
            let result = receiver.iter().try_for_each(|(at, made)| take(at, made));
            stopped.store(true, Ordering::Relaxed);
            result
        })
    }
}

/// A question that runs: while one of these lives, bulk work waits.
struct First<'a>(&'a Crew);

impl<'a> First<'a> {
    fn new(crew: &'a Crew) -> Self {
        *crew.questions() += 1;
        Self(crew)
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        let mut running = self.0.questions();
        *running -= 1;
        if *running == 0 {
            self.0.calm.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn everything_is_made_once_and_an_error_ends_it() {
        for threads in [1, 2, 3] {
            let crew = Crew::new(Some(threads));
            assert_eq!(crew.threads(), threads);
            let mut seen = [0; 50];
            let done: Result<(), EmbedError> = crew.spread(
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
            let enough = || EmbedError::Compute { what: "enough".into() };
            let stopped = crew.spread(
                50,
                |at| at,
                |_, _| {
                    taken += 1;
                    if taken == 3 { Err(enough()) } else { Ok(()) }
                },
            );
            assert!(stopped.is_err() && taken == 3);
            assert_eq!(crew.answer(|| rayon::join(|| 1, || 2)).unwrap(), (1, 2));
            assert_eq!(crew.install(|| 3).unwrap(), 3);
        }
    }

    /// While a question runs, only the pieces that were under way go on; then all of them do.
    #[test]
    fn bulk_gives_way_to_a_question_and_still_ends() {
        let crew = Crew::new(Some(2));
        let begun = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let asked = First::new(&crew);
            let bulk = scope.spawn(|| {
                let make = |_| begun.fetch_add(1, Ordering::SeqCst);
                crew.spread(200, make, |_, _| Ok::<_, EmbedError>(()))
            });
            // Pieces wait out their patience, two at a time: far from all have begun after a few times that.
            std::thread::sleep(3 * PATIENCE);
            assert!(begun.load(Ordering::SeqCst) < 100);
            drop(asked);
            assert!(bulk.join().unwrap().is_ok());
        });
        assert_eq!(begun.load(Ordering::SeqCst), 200);
    }
}
