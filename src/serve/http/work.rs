//! The engine's work, in threads beside the one of the connections. A few questions run for each processor, some wait,
//! and whoever comes then is told to come again: nobody waits without an end, and nothing grows without a bound.
//!
//! Work in bulk (vectors of many texts, indexing) has a lane of its own, which is one wide, so that it never takes the
//! last thread from a question, and lets questions go first between its batches.

use crate::types::limits::{HTTP_BULK_TOKENS, HTTP_WAITING};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout, timeout_at};

/// Bytes of a token, about: how many there are is known only when the tokenizer has run, which is part of the work.
const BYTES_PER_TOKEN: usize = 4;

/// Longest that a batch lets questions go first, so that it comes to its end under any load.
const MOST_PATIENCE: Duration = Duration::from_millis(20);
const STEP: Duration = Duration::from_millis(1);

/// Time that is left to tell what a request has waited for in vain.
const TO_TELL: Duration = Duration::from_secs(1);
/// Longest that work waits for its turn to write. Work in bulk behind it waits too.
const MOST_WAITING_TO_WRITE: Duration = Duration::from_secs(120);

/// Questions that run at the same time for each processor. Those that wait for a comparison of vectors share one pass
/// over them (`ann`). The model takes one question after another (`embed`).
pub(super) const TOGETHER: usize = 8;

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undone {
    /// Too much waits.
    Full,
    /// There was no answer within this time.
    Late(Duration),
    /// It panicked.
    Failed,
}

/// Work of one sort.
#[derive(Debug)]
struct Lane {
    threads: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
}

impl Lane {
    /// Waits so long for a thread, unless too many do.
    async fn thread(&self, time: Duration) -> Result<OwnedSemaphorePermit, Undone> {
        let _waiting = Counted::new(&self.waiting);
        if self.waiting.load(Ordering::Relaxed) > self.most_waiting {
            return Err(Undone::Full);
        }
        let thread = timeout(time, Arc::clone(&self.threads).acquire_owned()).await;
        thread.map_err(|_| Undone::Late(time))?.map_err(|_| Undone::Failed)
    }
}

/// All threads.
#[derive(Debug)]
pub(super) struct Work {
    questions: Lane,
    bulk: Lane,
    /// Tokens that bulk work may still bring.
    tokens: Arc<Semaphore>,
    /// Questions that run or wait.
    asked: Arc<AtomicUsize>,
}

/// One more in a count while it is there.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How much time work has, and when it is over.
#[derive(Debug, Clone, Copy)]
struct Limit {
    until: Instant,
    time: Duration,
}

impl Limit {
    fn new(time: Duration) -> Self {
        Self { until: Instant::now() + time, time }
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// See [`Attention::patience`].
    fn patience(&self) -> Duration {
        self.left().saturating_sub(TO_TELL).min(MOST_WAITING_TO_WRITE)
    }
}

/// A place among the threads for questions, taken until this is dropped. Whoever takes it starts the thread himself.
pub(super) struct Turn {
    limit: Limit,
    _asked: Counted,
    _thread: OwnedSemaphorePermit,
}

impl Turn {
    /// How much time the question has from its beginning.
    pub fn time(&self) -> Duration {
        self.limit.time
    }

    /// How much of that time is left.
    pub fn left(&self) -> Duration {
        self.limit.left()
    }

    /// See [`Attention::patience`].
    pub fn patience(&self) -> Duration {
        self.limit.patience()
    }

    /// When the connection is cut off. That is a second after the question's time is over, so that the client can still
    /// be told that the answer is late.
    pub fn ends(&self) -> Instant {
        self.limit.until + TO_TELL
    }

    /// Waits for an answer, but not longer than until [`Turn::ends`].
    pub async fn bound<T>(&self, answer: impl Future<Output = T>) -> Result<T, Undone> {
        timeout_at(self.ends(), answer).await.map_err(|_| Undone::Late(self.limit.time))
    }
}

/// Tells the thread when whoever waits for it goes away.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What work hears of the world.
pub(super) struct Attention {
    gone: Arc<AtomicBool>,
    limit: Limit,
    asked: Arc<AtomicUsize>,
}

impl Attention {
    /// Whether nobody waits for it any more, or its time is over.
    pub fn is_stopped(&self) -> bool {
        self.gone.load(Ordering::Relaxed) || self.is_late()
    }

    fn is_late(&self) -> bool {
        self.limit.left().is_zero()
    }

    /// How long it waits for its turn to write: not to the end of its time, so that who holds it up can be told.
    pub fn patience(&self) -> Duration {
        self.limit.patience()
    }

    /// What was not done because its time is over, in place of whatever else is said of that.
    pub fn late(&self) -> Option<Undone> {
        self.is_late().then_some(Undone::Late(self.limit.time))
    }

    /// Lets questions go first, for a while.
    pub fn let_questions_go_first(&self) {
        let mut waited = Duration::ZERO;
        while self.asked.load(Ordering::Relaxed) > 0 && waited < MOST_PATIENCE && !self.is_stopped() {
            thread::sleep(STEP);
            waited += STEP;
        }
    }
}

impl Work {
    /// Room for so many questions at a time.
    pub fn new(threads: usize) -> Self {
        let lane = |threads, most_waiting| Lane {
            threads: Arc::new(Semaphore::new(threads)),
            waiting: Arc::default(),
            most_waiting,
        };
        Self {
            questions: lane(threads, HTTP_WAITING),
            bulk: lane(1, HTTP_WAITING),
            tokens: Arc::new(Semaphore::new(HTTP_BULK_TOKENS)),
            asked: Arc::default(),
        }
    }

    /// Questions that wait for a thread.
    pub fn waiting(&self) -> usize {
        self.questions.waiting.load(Ordering::Relaxed) + self.bulk.waiting.load(Ordering::Relaxed)
    }

    /// Runs a question.
    pub async fn question<T: Send + 'static>(
        &self,
        time: Duration,
        work: impl FnOnce(&Attention) -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let _asked = Counted::new(&self.asked);
        self.run(&self.questions, time, work).await
    }

    /// Waits for a place among the threads for questions, for work that starts its thread itself.
    pub async fn turn(&self, time: Duration) -> Result<Turn, Undone> {
        let (limit, asked) = (Limit::new(time), Counted::new(&self.asked));
        Ok(Turn { limit, _asked: asked, _thread: self.questions.thread(time).await? })
    }

    /// Runs work in bulk on texts of so many bytes.
    pub async fn bulk<T: Send + 'static>(
        &self,
        bytes: usize,
        time: Duration,
        work: impl FnOnce(&Attention) -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let tokens = (bytes / BYTES_PER_TOKEN).clamp(1, HTTP_BULK_TOKENS);
        let tokens = u32::try_from(tokens).map_err(|_| Undone::Full)?;
        let room = Arc::clone(&self.tokens).try_acquire_many_owned(tokens);
        let _room = room.map_err(|_: TryAcquireError| Undone::Full)?;
        self.run(&self.bulk, time, work).await
    }

    async fn run<T: Send + 'static>(
        &self,
        lane: &Lane,
        time: Duration,
        work: impl FnOnce(&Attention) -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let limit = Limit::new(time);
        let thread = lane.thread(time).await?;
        let gone = Arc::new(AtomicBool::new(false));
        let _wanted = Wanted(Arc::clone(&gone));
        let attention = Attention { gone, limit, asked: Arc::clone(&self.asked) };
        let job = spawn_blocking(move || {
            // Until the thread is free again, whoever waits.
            let _thread = thread;
            work(&attention)
        });
        job.await.map_err(|_| Undone::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn whoever_goes_stops_the_work_and_frees_its_thread() {
        runtime().block_on(async {
            let work = Work::new(1);
            let (said, heard) = mpsc::channel();
            let long = work.question(Duration::from_secs(60), move |attention| {
                while !attention.is_stopped() {
                    thread::sleep(STEP);
                }
                assert!(said.send(()).is_ok());
            });
            // Not awaited to its end: the caller goes away.
            assert!(tokio::time::timeout(Duration::from_millis(50), long).await.is_err());
            assert_eq!(work.question(Duration::from_secs(60), |_| 7).await, Ok(7));
            heard.recv().unwrap();
            assert_eq!((work.waiting(), work.asked.load(Ordering::Relaxed)), (0, 0));
        });
    }

    #[test]
    fn nobody_waits_beyond_his_time_or_the_queue_s_end() {
        runtime().block_on(async {
            let work = Arc::new(Work { questions: Lane { most_waiting: 1, ..Work::new(1).questions }, ..Work::new(1) });
            let (end, ended) = mpsc::channel::<()>();
            let holder = Arc::clone(&work);
            let held =
                tokio::spawn(
                    async move { holder.question(Duration::from_secs(60), move |_| ended.recv().is_ok()).await },
                );
            tokio::task::yield_now().await;
            let waits = work.question(Duration::from_millis(50), |_| ());
            let refused = async {
                tokio::task::yield_now().await;
                work.question(Duration::from_secs(60), |_| ()).await
            };
            assert_eq!(tokio::join!(waits, refused), (Err(Undone::Late(Duration::from_millis(50))), Err(Undone::Full)));
            end.send(()).unwrap();
            assert_eq!(held.await.unwrap(), Ok(true));
            assert_eq!(work.question(Duration::from_secs(60), |_| 1).await, Ok(1));
        });
    }

    #[test]
    fn a_turn_holds_its_thread_and_leaves_time_to_tell_what_came_of_it() {
        runtime().block_on(async {
            let (work, long) = (Work::new(1), Duration::from_secs(60));
            let turn = work.turn(long).await.unwrap();
            let left = turn.left();
            assert!(turn.patience() <= left - TO_TELL && left <= turn.time());
            let short = Duration::from_millis(20);
            assert_eq!(work.question(short, |_| ()).await, Err(Undone::Late(short)));
            assert_eq!(turn.bound(async { 7 }).await, Ok(7));
            drop(turn);
            let turn = work.turn(short).await.unwrap();
            // There is still time to say that the answer is late.
            let late = tokio::time::sleep(2 * short);
            assert_eq!(
                (turn.bound(late).await, turn.left(), turn.patience()),
                (Ok(()), Duration::ZERO, Duration::ZERO)
            );
            assert_eq!(turn.bound(std::future::pending::<()>()).await, Err(Undone::Late(short)));
        });
    }

    #[test]
    fn a_panic_is_told_and_the_next_work_is_done() {
        runtime().block_on(async {
            let work = Work::new(1);
            let failed = work.question(Duration::from_secs(60), |_| panic!("on purpose")).await;
            assert_eq!(failed, Err::<(), _>(Undone::Failed));
            assert_eq!(work.bulk(100, Duration::from_secs(60), |_| 1).await, Ok(1));
            let all = work.bulk(HTTP_BULK_TOKENS * BYTES_PER_TOKEN * 2, Duration::from_secs(60), |_| 1);
            assert_eq!(all.await, Ok(1), "a request that is larger than the queue runs alone");
        });
    }
}
