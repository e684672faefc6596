//! Writers of one engine take turns: a short write gets in between the batches of a long one.
//!
//! An indexing holds the right to write from its beginning to its end, for it relies on what it has read of the files.
//! Writes of items, memories and tools touch nothing of that. Whoever makes one waits here, and the indexing lends its
//! right to each that waits whenever it has committed. Other processes stay out all the while.

use super::{EngineError, Session};
use crate::store::{Lent, StoreError, WRITER_WAIT, WriterLock};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often to check whether another process has given back the right to write.
const STEP: Duration = Duration::from_millis(50);

/// Who waits, and what is offered to them.
#[derive(Default)]
pub(super) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    offered: Option<WriterLock>,
}

impl Turns {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the right to write, or for a turn with it, as long as the request is patient.
    pub fn wait(&self, folder: &Path, purpose: &str, session: &Session<'_>) -> Result<WriterLock, EngineError> {
        let (begun, patience) = (session.now(), session.patience().unwrap_or(WRITER_WAIT));
        // Counted too, because the clock may be set back meanwhile.
        let mut steps = Duration::ZERO;
        let mut state = self.state();
        state.waiting += 1;
        loop {
            let taken = match state.offered.take() {
                Some(lent) => Ok(lent),
                None => WriterLock::take(folder, purpose, Duration::ZERO),
            };
            let by_clock = u64::try_from(session.now() - begun).map_or(Duration::ZERO, Duration::from_millis);
            match (taken, session.check()) {
                (Err(StoreError::Busy { .. }), Ok(())) if steps.max(by_clock) < patience => {
                    let woken = self.changed.wait_timeout(state, STEP).unwrap_or_else(PoisonError::into_inner);
                    if woken.1.timed_out() {
                        steps += STEP;
                    }
                    state = woken.0;
                }
                (taken, wanted) => {
                    state.waiting -= 1;
                    self.changed.notify_all();
                    // A client that was told that its call is late expects nothing to be written.
                    return match (taken, wanted) {
                        (Ok(_) | Err(StoreError::Busy { .. }), Err(why)) => Err(why),
                        (taken, _) => Ok(taken?),
                    };
                }
            }
        }
    }

    /// Lends the right to write to each that waits now, one after another.
    pub fn lend_to_waiting(&self, lock: &WriterLock) {
        let waiting = self.state().waiting;
        for _ in 0..waiting {
            let Some(lent) = self.offer(lock) else { return };
            lent.wait();
        }
    }

    /// Offers the right to write until somebody takes it; none if nobody waits any more.
    fn offer(&self, lock: &WriterLock) -> Option<Lent> {
        let (offered, lent) = lock.lend();
        let mut state = self.state();
        state.offered = Some(offered);
        self.changed.notify_all();
        while state.waiting > 0 && state.offered.is_some() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.offered.take().is_none().then_some(lent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Notes;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    fn session() -> Session<'static> {
        Session::new(|| 0, Notes::default())
    }

    #[test]
    fn whoever_waits_gets_in_between_and_nobody_else_does() {
        let dir = tempfile::tempdir().unwrap();
        let turns = Arc::new(Turns::default());
        let lock = WriterLock::take(dir.path(), "ken index", Duration::ZERO).unwrap();
        // Nobody waits.
        turns.lend_to_waiting(&lock);
        let written = Arc::new(AtomicUsize::new(0));
        let writers: Vec<_> = (0..3)
            .map(|_| {
                let (turns, written, folder) = (Arc::clone(&turns), Arc::clone(&written), dir.path().to_owned());
                thread::spawn(move || {
                    let session = session().patient(Duration::from_secs(60));
                    let lock = turns.wait(&folder, "ken items put", &session).unwrap();
                    assert!(lock.is_lent());
                    thread::sleep(Duration::from_millis(5));
                    written.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        while turns.state().waiting < 3 {
            thread::sleep(Duration::from_millis(1));
        }
        turns.lend_to_waiting(&lock);
        assert_eq!(written.load(Ordering::SeqCst), 3, "all that waited are done when it goes on");
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        assert!(WriterLock::take(dir.path(), "ken gc", Duration::ZERO).is_err());
        drop(lock);
        assert!(!turns.wait(dir.path(), "ken items put", &session()).unwrap().is_lent());
    }

    #[test]
    fn nobody_waits_longer_than_they_want() {
        let dir = tempfile::tempdir().unwrap();
        let turns = Turns::default();
        let lock = WriterLock::take(dir.path(), "ken index", Duration::ZERO).unwrap();
        let wait = |session: &Session<'_>| turns.wait(dir.path(), "ken items put", session).unwrap_err();
        let busy = wait(&session().patient(Duration::from_millis(60)));
        assert!(matches!(busy, EngineError::Store(StoreError::Busy { .. })), "{busy}");
        let gone = wait(&session().patient(Duration::from_secs(60)).stopped_by(&|| true));
        assert!(matches!(gone, EngineError::Cancelled), "{gone}");
        // Those who gave up are not waited for.
        turns.lend_to_waiting(&lock);
    }
}
