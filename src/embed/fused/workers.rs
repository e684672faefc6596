//! The encoder's threads: who runs where, and who goes first.
//!
//! A question runs on its caller's thread. At most as many questions run at once as there are threads, the others wait
//! in a queue, first come first served: more would only take each other's cache and need memory each. A question that
//! is alone may be split over a private pool, where the settings allow more than one thread a question. Bulk work goes
//! piece by piece through a second private pool, made at its first use, and yields to questions between two pieces and
//! between two layers of a piece. It is put off, not stopped: each piece yields for a bounded time only. With one
//! thread everything runs on the caller's.

use crate::embed::EmbedError;
use crate::threads;
use rayon::ThreadPool;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread::Thread;
use std::time::Duration;

/// Longest that a piece of bulk work waits for a moment without questions. After one wait as long it waits no more.
const MAX_YIELD: Duration = Duration::from_millis(20);

/// A fixed number of threads.
pub(super) struct Workers {
    threads: usize,
    question_threads: usize,
    question_pool: OnceLock<Option<ThreadPool>>,
    bulk_pool: OnceLock<Option<ThreadPool>>,
    questions: Mutex<Questions>,
    /// Told when the last question has ended.
    idle: Condvar,
}

/// Questions that run now, and those that wait until one of them ends.
#[derive(Default)]
struct Questions {
    running: usize,
    waiting: VecDeque<Arc<Waiter>>,
}

/// A thread that waits for its turn.
struct Waiter {
    thread: Thread,
    has_turn: AtomicBool,
}

impl Workers {
    /// So many threads, or as many as the machine has when that is none; a question alone uses up to
    /// `question_threads`.
    pub(super) fn new(threads: Option<usize>, question_threads: usize) -> Self {
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        Self {
            threads,
            question_threads: question_threads.clamp(1, threads),
            question_pool: OnceLock::new(),
            bulk_pool: OnceLock::new(),
            questions: Mutex::default(),
            idle: Condvar::new(),
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// The bulk pool, with as many of its threads as could be started; none where the caller's thread does it all.
    fn bulk_pool(&self) -> Option<&ThreadPool> {
        let pool = self.bulk_pool.get_or_init(|| threads::pool(self.threads, "encode")).as_ref();
        if pool.is_none() {
            // Then rayon's operations use the common one.
            threads::ready();
        }
        pool
    }

    /// The pool that a question alone is split over, if it may be.
    fn question_pool(&self) -> Option<&ThreadPool> {
        self.question_pool.get_or_init(|| threads::pool(self.question_threads, "question")).as_ref()
    }

    /// Runs a question's work ahead of all bulk; `work` is told into how many parts it may split itself. With more than
    /// one, rayon's operations use a pool of so many threads.
    pub(super) fn run_question<T: Send>(&self, most_parts: usize, work: impl FnOnce(usize) -> T + Send) -> T {
        let turn = Turn::wait(self);
        let parts = if turn.is_alone { most_parts.min(self.question_threads) } else { 1 };
        let pool = if parts > 1 { self.question_pool() } else { None };
        match pool {
            Some(pool) => pool.install(|| work(parts.min(pool.current_num_threads()))),
            None => work(1),
        }
    }

    /// Does two things at once where there are threads for it: those that later work will use, so that a process that
    /// asks one question starts no others.
    pub(super) fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let pool = if self.question_threads > 1 { self.question_pool() } else { self.bulk_pool() };
        match pool {
            Some(pool) => pool.install(|| rayon::join(first, second)),
            None => (first(), second()),
        }
    }

    /// Runs work where rayon's operations use the bulk pool.
    pub(super) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.bulk_pool() {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        // A panic elsewhere leaves the numbers right: they change in one step.
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes `count` things in any order; `take` gets each on the caller's thread as it is made. `make` is given
    /// something to call wherever it can yield to questions.
    ///
    /// # Errors
    /// The first that `take` gives; what has not begun by then is not made.
    pub(super) fn run_bulk<T: Send, E: From<EmbedError>>(
        &self,
        count: usize,
        make: impl Fn(usize, &YieldToQuestions<'_>) -> T + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        let make = |at| {
            let pause = YieldToQuestions::new(self);
            pause.pause();
            make(at, &pause)
        };
        let Some(pool) = self.bulk_pool() else {
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

/// Lets a piece of bulk work wait while questions run.
pub(super) struct YieldToQuestions<'a> {
    workers: &'a Workers,
    /// Whether it has waited in vain once, and must go on.
    has_waited: AtomicBool,
}

impl<'a> YieldToQuestions<'a> {
    fn new(workers: &'a Workers) -> Self {
        Self { workers, has_waited: AtomicBool::new(false) }
    }

    /// Waits until no question runs, if one does, or for [`MAX_YIELD`].
    pub(super) fn pause(&self) {
        if self.has_waited.load(Ordering::Relaxed) {
            return;
        }
        let running = |questions: &mut Questions| questions.running > 0;
        let waited = self.workers.idle.wait_timeout_while(self.workers.questions(), MAX_YIELD, running);
        if waited.is_ok_and(|(_, ended)| ended.timed_out()) {
            self.has_waited.store(true, Ordering::Relaxed);
        }
    }
}

/// A question's turn: while one of these lives, bulk work waits.
struct Turn<'a> {
    workers: &'a Workers,
    /// Whether no other question ran when this one began.
    is_alone: bool,
}

impl<'a> Turn<'a> {
    fn wait(workers: &'a Workers) -> Self {
        let mut questions = workers.questions();
        if questions.running < workers.threads {
            questions.running += 1;
            return Self { workers, is_alone: questions.running == 1 };
        }
        let waiter = Arc::new(Waiter { thread: std::thread::current(), has_turn: AtomicBool::new(false) });
        questions.waiting.push_back(Arc::clone(&waiter));
        drop(questions);
        // `park` may return for no reason.
        while !waiter.has_turn.load(Ordering::Acquire) {
            std::thread::park();
        }
        Self { workers, is_alone: false }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut questions = self.workers.questions();
        // Handed over and not given back: whoever comes now goes behind those who wait.
        if let Some(next) = questions.waiting.pop_front() {
            drop(questions);
            next.has_turn.store(true, Ordering::Release);
            next.thread.unpark();
            return;
        }
        questions.running -= 1;
        if questions.running == 0 {
            self.workers.idle.notify_all();
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
            let workers = Workers::new(Some(threads), threads);
            assert_eq!(workers.threads(), threads);
            let mut seen = [0; 50];
            let done: Result<(), EmbedError> = workers.run_bulk(
                50,
                |at, _| at * 2,
                |at, made| {
                    assert_eq!(made, at * 2);
                    seen[at] += 1;
                    Ok(())
                },
            );
            assert!(done.is_ok() && seen.iter().all(|n| *n == 1));
            let mut taken = 0;
            let enough = || EmbedError::Compute { what: "enough".into() };
            let stopped = workers.run_bulk(
                50,
                |at, _| at,
                |_, _| {
                    taken += 1;
                    if taken == 3 { Err(enough()) } else { Ok(()) }
                },
            );
            assert!(stopped.is_err() && taken == 3);
            assert_eq!(workers.install(|| rayon::join(|| 1, || 2)), (1, 2));
            assert_eq!(workers.join(|| 1, || 2), (1, 2));
        }
    }

    /// While a question runs, only the pieces that were under way go on; then all of them do.
    #[test]
    fn bulk_yields_to_a_question_and_still_ends() {
        let workers = Workers::new(Some(2), 1);
        let begun = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let asked = Turn::wait(&workers);
            let bulk = scope.spawn(|| {
                let make = |_, _: &YieldToQuestions<'_>| begun.fetch_add(1, Ordering::SeqCst);
                workers.run_bulk(2_000, make, |_, _| Ok::<_, EmbedError>(()))
            });
            // Pieces wait as long as they may, two at a time: far from all have begun after a few times that.
            std::thread::sleep(3 * MAX_YIELD);
            assert!(begun.load(Ordering::SeqCst) < 1_000);
            drop(asked);
            assert!(bulk.join().unwrap().is_ok());
        });
        assert_eq!(begun.load(Ordering::SeqCst), 2_000);
    }

    #[test]
    fn a_question_alone_is_split_and_one_of_several_is_not() {
        let workers = Workers::new(Some(2), 2);
        assert_eq!(workers.run_question(8, |parts| parts), 2);
        assert_eq!(workers.run_question(1, |parts| parts), 1);
        let other = Turn::wait(&workers);
        let caller = std::thread::current().id();
        let beside = workers.run_question(8, |parts| (parts, std::thread::current().id()));
        assert_eq!(beside, (1, caller));
        drop(other);
        let unsplit = Workers::new(Some(2), 1);
        let alone = unsplit.run_question(8, |parts| (parts, std::thread::current().id()));
        assert_eq!(alone, (1, caller));
    }

    /// Never more at once than there are threads, and in the order in which they came.
    #[test]
    fn questions_beyond_the_threads_wait_their_turn() {
        let workers = Workers::new(Some(2), 1);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (first, second) = (Turn::wait(&workers), Turn::wait(&workers));
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for at in 0..12 {
                let (workers, now, most, order) = (&workers, &now, &most, &order);
                scope.spawn(move || {
                    workers.run_question(1, |_| {
                        order.lock().unwrap().push(at);
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(1));
                        now.fetch_sub(1, Ordering::SeqCst);
                    });
                });
                // The next one comes only when this one waits.
                while workers.questions().waiting.len() <= at {
                    std::thread::yield_now();
                }
            }
            // One turn is handed on until nobody waits, so that the order is certain.
            drop(first);
        });
        drop(second);
        assert_eq!(*order.lock().unwrap(), (0..12).collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), 1);
        assert_eq!(workers.questions().running, 0);
        workers.run_question(1, |_| ());
    }
}
