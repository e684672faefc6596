//! Questions that are asked at once are compared with the rows in one pass, which reads the rows once.
//!
//! Reading rows takes several times as long as comparing them. So a question waits for others if enough questions run
//! already: as many as there are processors. It never waits if it is alone, or one of a few.
//!
//! A pass is begun by a question that comes when fewer run, or by the one that has waited longest, when a pass or a
//! question ends. It takes others along that wait. Some question always runs while others wait, so there is always one
//! that begins the next pass or ends. Questions that need no pass could come and go for ever. Therefore the one that
//! has waited longest begins a pass after a number of them ([`PATIENCE`]). No question's answer depends on the others.

use crate::vector::QueryCodes;
use std::collections::VecDeque;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// Most questions of a pass. More would wait longer for little: of eight each has an eighth of the reading.
const MOST: usize = 8;

/// A waiting question is overdue once so many others have ended. If the one that has waited longest is overdue, the
/// next question that ends wakes it.
const PATIENCE: u64 = 16;

/// All questions of this process.
static HERE: LazyLock<Meeting> = LazyLock::new(|| Meeting::new(threads_at_most()));

fn threads_at_most() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Where questions wait for each other.
#[derive(Debug)]
struct Meeting {
    processors: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Questions that are being answered.
    asked: usize,
    /// Of those, how many wait, or are compared by another's thread.
    blocked: usize,
    /// Questions that have come to their end.
    ended: u64,
    /// Those that no pass has taken yet, the longest first.
    waiting: VecDeque<Waiting>,
    /// Number of the last place.
    places: usize,
}

/// A question that waits.
#[derive(Debug)]
struct Waiting {
    place: usize,
    /// How many had come to their end when it began to wait.
    since: u64,
    codes: Arc<QueryCodes>,
    tell: SyncSender<Turn>,
}

/// How it goes on for a question that has waited.
#[derive(Debug)]
enum Turn {
    /// It was compared: about how near each row is.
    Compared(Vec<f32>),
    /// Its thread has the next pass, with these.
    Lead(Vec<Waiting>),
}

/// A question that is being answered, until this is dropped: others may wait for it.
#[derive(Debug)]
pub struct Asking<'a>(&'a Meeting);

/// Rows that questions are compared with.
#[derive(Debug)]
pub(super) struct Together {
    meeting: &'static Meeting,
    place: usize,
}

/// A pass for so many that wait for its end.
struct Pass<'a>(&'a Meeting, usize);

impl State {
    /// How many run: they are neither waiting nor being compared in another's pass.
    fn running(&self) -> usize {
        self.asked.saturating_sub(self.blocked)
    }

    /// Takes those along that have waited longest at a place: a share of them for each processor.
    fn company(&mut self, place: usize, processors: usize) -> Vec<Waiting> {
        let all = 1 + self.waiting.iter().filter(|one| one.place == place).count();
        let mut room = all.div_ceil(processors).clamp(2, MOST) - 1;
        let (mut taken, mut left) = (Vec::new(), VecDeque::new());
        for one in self.waiting.drain(..) {
            if one.place == place && room > 0 {
                room -= 1;
                taken.push(one);
            } else {
                left.push_back(one);
            }
        }
        self.waiting = left;
        taken
    }

    /// Whether the question that has waited longest has waited for too many others.
    fn is_overdue(&self) -> bool {
        self.waiting.front().is_some_and(|first| self.ended >= first.since + PATIENCE)
    }

    /// Lets the question that has waited longest begin a pass, if fewer questions run than there are processors, or if
    /// it is overdue.
    fn wake(&mut self, processors: usize) {
        if self.running() >= processors && !self.is_overdue() {
            return;
        }
        let Some(first) = self.waiting.pop_front() else { return };
        let others = self.company(first.place, processors);
        self.blocked -= 1;
        // Whoever waits has not gone away.
        drop(first.tell.try_send(Turn::Lead(others)));
    }
}

impl Meeting {
    fn new(processors: usize) -> Self {
        Self { processors, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that is done with the lock panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// See [`Together::ask`].
    fn ask(
        &self,
        place: usize,
        codes: &Arc<QueryCodes>,
        compare: impl Fn(&[&QueryCodes]) -> Vec<Vec<f32>>,
    ) -> Vec<f32> {
        let turn = {
            let mut state = self.state();
            // One of those who run is this one.
            if state.running() <= self.processors {
                Ok(Turn::Lead(state.company(place, self.processors)))
            } else {
                let (tell, told) = sync_channel(1);
                state.blocked += 1;
                let since = state.ended;
                state.waiting.push_back(Waiting { place, since, codes: Arc::clone(codes), tell });
                drop(state);
                told.recv()
            }
        };
        let others = match turn {
            Ok(Turn::Lead(others)) => others,
            Ok(Turn::Compared(near)) => return near,
            // The thread of the pass panicked.
            Err(_) => return compare(&[codes]).pop().unwrap_or_default(),
        };
        let pass = Pass(self, others.len());
        let all: Vec<&QueryCodes> =
            [codes].into_iter().chain(others.iter().map(|one| &one.codes)).map(Arc::as_ref).collect();
        let mut answers = compare(&all).into_iter();
        let mine = answers.next().unwrap_or_default();
        // They run as soon as they are told.
        drop(pass);
        for (one, near) in others.iter().zip(answers) {
            drop(one.tell.try_send(Turn::Compared(near)));
        }
        mine
    }
}

impl<'a> Asking<'a> {
    /// Begins to answer a question.
    pub fn begin() -> Asking<'static> {
        Asking::at(&HERE)
    }

    fn at(meeting: &'a Meeting) -> Self {
        meeting.state().asked += 1;
        Self(meeting)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.asked -= 1;
        state.ended += 1;
        state.wake(self.0.processors);
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.blocked -= self.1;
        state.wake(self.0.processors);
    }
}

impl Together {
    pub fn new() -> Self {
        let mut state = HERE.state();
        state.places += 1;
        Self { meeting: &HERE, place: state.places }
    }

    /// About how near each row is to a question. `compare` compares some questions in one pass and gives as many
    /// answers, in their order.
    pub fn ask(&self, codes: &Arc<QueryCodes>, compare: impl Fn(&[&QueryCodes]) -> Vec<Vec<f32>>) -> Vec<f32> {
        self.meeting.ask(self.place, codes, compare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;
    use std::time::Duration;

    fn of(value: u8) -> Arc<QueryCodes> {
        Arc::new(QueryCodes::new(&[f32::from(value)]))
    }

    /// What a pass says of a question here: its greatest error, which tells questions apart.
    fn said(codes: &QueryCodes) -> Vec<f32> {
        vec![codes.error(1.0, 0.0)]
    }

    fn wait_for(meeting: &Meeting, is_so: impl Fn(&State) -> bool) {
        while !is_so(&meeting.state()) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_empty(meeting: &Meeting) -> bool {
        let state = meeting.state();
        (state.asked, state.blocked, state.waiting.len()) == (0, 0, 0)
    }

    #[test]
    fn those_who_wait_are_compared_in_one_pass_and_each_is_told_its_own() {
        let meeting = Meeting::new(1);
        let sizes = Mutex::new(Vec::new());
        let compare = |all: &[&QueryCodes]| {
            sizes.lock().unwrap().push(all.len());
            all.iter().map(|codes| said(codes)).collect()
        };
        thread::scope(|scope| {
            // It has something else to do until all others wait.
            let busy = Asking::at(&meeting);
            for number in 1..=12u8 {
                let (meeting, compare) = (&meeting, &compare);
                scope.spawn(move || {
                    let _asking = Asking::at(meeting);
                    let codes = of(number);
                    assert_eq!(meeting.ask(usize::from(number % 2), &codes, compare), said(&codes), "{number}");
                });
            }
            wait_for(&meeting, |state| state.waiting.len() == 12);
            drop(busy);
        });
        let mut sizes = sizes.into_inner().unwrap();
        sizes.sort_unstable();
        assert_eq!(sizes, [6, 6], "those of one place have a pass together");
        assert!(is_empty(&meeting));
    }

    #[test]
    fn no_pass_is_for_more_than_eight_and_all_are_answered() {
        for processors in 1..4 {
            let meeting = Meeting::new(processors);
            let sizes = Mutex::new(Vec::new());
            thread::scope(|scope| {
                for number in 0..20u8 {
                    let (meeting, sizes) = (&meeting, &sizes);
                    scope.spawn(move || {
                        for turn in 0..50u8 {
                            // Some are not known to be asking.
                            let _asking = (number > 2).then(|| Asking::at(meeting));
                            let codes = of(number + turn);
                            let near = meeting.ask(usize::from(turn % 3), &codes, |all| {
                                sizes.lock().unwrap().push(all.len());
                                all.iter().map(|codes| said(codes)).collect()
                            });
                            assert_eq!(near, said(&codes));
                        }
                    });
                }
            });
            let sizes = sizes.into_inner().unwrap();
            assert_eq!((sizes.iter().sum::<usize>(), sizes.iter().all(|size| *size <= MOST)), (20 * 50, true));
            assert!(is_empty(&meeting));
        }
    }

    #[test]
    fn nobody_waits_for_more_than_a_few_that_need_no_pass() {
        let meeting = Meeting::new(1);
        thread::scope(|scope| {
            // It is dropped if a check below fails. Otherwise the thread above would wait for ever.
            let _busy = Asking::at(&meeting);
            let waits = scope.spawn(|| {
                let _asking = Asking::at(&meeting);
                meeting.ask(1, &of(7), |all| all.iter().map(|codes| said(codes)).collect())
            });
            wait_for(&meeting, |state| state.waiting.len() == 1);
            // Two at a time, so that there is always one who may begin a pass, and never does.
            let mut last = Asking::at(&meeting);
            for passed in 1..=PATIENCE {
                last = Asking::at(&meeting);
                assert_eq!(meeting.state().waiting.is_empty(), passed >= PATIENCE, "{passed}");
            }
            assert_eq!(waits.join().unwrap(), said(&of(7)));
            drop(last);
        });
    }

    #[test]
    fn few_questions_never_wait() {
        let meeting = Meeting::new(2);
        let _asking = [Asking::at(&meeting), Asking::at(&meeting)];
        for number in 1..9 {
            assert_eq!(meeting.ask(1, &of(number), |all| vec![said(all[0]); all.len()]), said(&of(number)));
        }
        assert_eq!(meeting.state().blocked, 0);
    }

    #[test]
    fn whoever_waits_for_a_pass_that_panics_is_compared_alone() {
        let meeting = Meeting::new(1);
        thread::scope(|scope| {
            let busy = Asking::at(&meeting);
            let meeting = &meeting;
            let asked = |number: u8| {
                let fails = |all: &[&QueryCodes]| {
                    assert!(all.len() == 1, "on purpose");
                    all.iter().map(|codes| said(codes)).collect()
                };
                let _asking = Asking::at(meeting);
                catch_unwind(AssertUnwindSafe(|| meeting.ask(1, &of(number), fails))).ok()
            };
            let others: Vec<_> = (2..5).map(|number| scope.spawn(move || asked(number))).collect();
            wait_for(meeting, |state| state.waiting.len() == 3);
            drop(busy);
            let told: Vec<_> = others.into_iter().map(|other| other.join().unwrap()).collect();
            let answered = (2..5u8).zip(&told).filter(|(number, told)| **told == Some(said(&of(*number))));
            assert_eq!((answered.count(), told.iter().filter(|told| told.is_none()).count()), (2, 1));
        });
        assert!(is_empty(&meeting));
    }
}
