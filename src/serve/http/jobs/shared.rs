//! Jobs in a shared store: any service on it answers questions about a job, and one that has the files runs it. If that
//! service ends in the middle, another one begins the job again.

use super::{Held, IndexRequest, Job, Jobs, State, admitted_in, failed, perform};
use crate::engine::EngineError;
use crate::engine::face::stores::{SharedJobs, StoredJob};
use crate::render::json_object;
use crate::serve::http::App;
use crate::types::limits::HTTP_JOBS;
use serde::{Deserialize, Serialize};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The time between two looks for jobs whose service has ended, and between two reports of progress.
const STEP: Duration = Duration::from_secs(1);
/// How often a job is begun at most, so that a job that crashes its service does not run for ever.
const ATTEMPTS: usize = 3;
/// How often the end of a job is reported at most while the store cannot be reached.
const TELLS: usize = 60;

/// What is asked for, as it is stored.
#[derive(Serialize, Deserialize)]
struct Asked {
    paths: Vec<String>,
    thorough: bool,
}

/// What this service knows of the jobs of its store.
pub(super) struct Board {
    /// Begins jobs and says how far they are. Opened when it is first asked.
    worker: Mutex<Option<SharedJobs>>,
    /// A second connection for requests, so that they never wait for the worker's.
    looker: Mutex<Option<SharedJobs>>,
    open: Box<dyn Fn() -> Result<Option<SharedJobs>, EngineError> + Send + Sync>,
}

impl Board {
    /// A board that opens the store with `open`.
    pub fn new(open: impl Fn() -> Result<Option<SharedJobs>, EngineError> + Send + Sync + 'static) -> Self {
        let (worker, looker) = (Mutex::default(), Mutex::default());
        Self { worker, looker, open: Box::new(open) }
    }

    /// Asks the store; `None` if it is a file.
    fn ask<T>(
        &self,
        connection: &Mutex<Option<SharedJobs>>,
        ask: impl FnOnce(&SharedJobs) -> Result<T, EngineError>,
    ) -> Result<Option<T>, EngineError> {
        let mut jobs = connection.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.is_none() {
            *jobs = (self.open)()?;
        }
        jobs.as_ref().map(ask).transpose()
    }

    /// Adds a job; gives its number, none if there are too many.
    pub fn add(&self, request: &IndexRequest, job: &Job) -> Result<Option<u64>, EngineError> {
        let asked = Asked { paths: request.paths.clone(), thorough: request.thorough };
        let (request, state) = (json_object(&asked), json_object(job));
        let id = self.ask(&self.looker, |jobs| Ok(jobs.add(&request, &state, HTTP_JOBS)?))?;
        Ok(id.flatten().map(i64::unsigned_abs))
    }

    /// A job of any service.
    pub fn job(&self, id: u64) -> Result<Option<Job>, EngineError> {
        let Ok(id) = i64::try_from(id) else { return Ok(None) };
        let found = self.ask(&self.looker, |jobs| Ok(jobs.job(id)?))?.flatten();
        Ok(found.and_then(|found| as_job(&found)))
    }

    /// Stops a job of any service.
    pub fn cancel(&self, job: &Job) -> Result<(), EngineError> {
        let Ok(id) = job.id.parse() else { return Ok(()) };
        let cancelled = json_object(&Job { state: State::Cancelled, ..job.clone() });
        self.ask(&self.looker, |jobs| Ok(jobs.cancel(id, &cancelled)?)).map(drop)
    }

    fn begin(&self, jobs: &Jobs) -> Result<Option<StoredJob>, EngineError> {
        // Any service may end a cancelled job: it needs no files for that.
        let admits =
            |job: &StoredJob| job.is_cancelled || asked(job).is_some_and(|asked| paths(jobs, &asked).is_some());
        Ok(self.ask(&self.worker, |worker| Ok(worker.begin(admits)?))?.flatten())
    }

    /// Waits until somebody adds a job, or until [`STEP`] has passed.
    fn wait(&self) -> Result<(), EngineError> {
        self.ask(&self.worker, |worker| Ok(worker.wait(STEP)?)).map(drop)
    }

    fn tell(&self, job: &StoredJob, state: &Job, is_over: bool) -> Result<bool, EngineError> {
        let state = json_object(state);
        Ok(self.ask(&self.worker, |worker| Ok(worker.tell(job, &state, is_over)?))?.unwrap_or(false))
    }
}

fn as_job(stored: &StoredJob) -> Option<Job> {
    let mut job: Job = serde_json::from_str(&stored.state).ok()?;
    job.id = stored.id.to_string();
    Some(job)
}

fn asked(stored: &StoredJob) -> Option<Asked> {
    serde_json::from_str(&stored.request).ok()
}

/// The paths as they are here, if all lie in a folder of this service.
fn paths(jobs: &Jobs, asked: &Asked) -> Option<Vec<PathBuf>> {
    asked.paths.iter().map(|path| admitted_in(&jobs.folders, path)).collect()
}

/// Does jobs of the store, one after another, in a thread of its own, until the service ends.
///
/// # Errors
/// [`io::Error`] when no thread can be started.
pub(in crate::serve::http) fn work(app: &Arc<App>) -> io::Result<()> {
    if app.jobs.board.is_none() || app.jobs.folders.is_empty() {
        return Ok(());
    }
    let app = Arc::clone(app);
    thread::Builder::new().name("jobs".to_owned()).spawn(move || run_jobs(&app)).map(drop)
}

fn run_jobs(app: &App) {
    let Some(board) = &app.jobs.board else { return };
    while !*app.ending.borrow() {
        match board.begin(&app.jobs) {
            Ok(Some(job)) => carry_out(app, board, &job),
            Ok(None) if board.wait().is_ok() => {}
            // A store that cannot be reached now is asked again later.
            Ok(None) | Err(_) => thread::sleep(STEP),
        }
    }
}

/// Does a job that was begun, and says how far it is meanwhile.
fn carry_out(app: &App, board: &Board, stored: &StoredJob) {
    let job = as_job(stored).unwrap_or_else(|| Job::waiting(stored.id.to_string()));
    let held = Held::new(Job { state: State::Waiting, ..job });
    let fails = |message: &str| held.state.send_modify(|job| failed(job, "internal", message, None));
    let asked = asked(stored).and_then(|asked| Some((paths(&app.jobs, &asked)?, asked.thorough)));
    if stored.is_cancelled {
        held.cancel();
    } else if stored.attempts > ATTEMPTS {
        fails("each service that began this job ended in the middle");
    } else if let Some((paths, thorough)) = asked {
        app.jobs.known().insert(stored.id.unsigned_abs(), held.clone());
        let work = || do_telling(app, board, stored, &held, (&paths, thorough));
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            fails("the work ended with a panic");
        }
    } else {
        fails("the paths of this job are gone");
    }
    let state = held.state.borrow().clone();
    // A service that ends does not end its job: another one goes on with it.
    if state.state != State::Cancelled || stored.is_cancelled || !*app.ending.borrow() {
        tell_the_end(app, board, stored, &state);
    }
    app.jobs.known().remove(&stored.id.unsigned_abs());
}

/// Does a job. Another thread tells the store how far it is, and hears whether it should stop.
fn do_telling(app: &App, board: &Board, stored: &StoredJob, held: &Held, (paths, thorough): (&[PathBuf], bool)) {
    let (done, is_done) = channel::<()>();
    thread::scope(|threads| {
        let tell = move || {
            while is_done.recv_timeout(STEP) == Err(RecvTimeoutError::Timeout) {
                let state = held.state.borrow().clone();
                // A store that cannot be reached says nothing of the job.
                if !state.state.is_over() && board.tell(stored, &state, false).is_ok_and(|goes_on| !goes_on) {
                    held.cancel();
                }
            }
        };
        // If this thread cannot start, only the end of the job is reported.
        let _telling = thread::Builder::new().spawn_scoped(threads, tell);
        // Dropped in any case, so that the other thread ends.
        let _done = done;
        perform(app, held, paths, thorough);
    });
}

fn tell_the_end(app: &App, board: &Board, stored: &StoredJob, state: &Job) {
    for _ in 0..TELLS {
        if board.tell(stored, state, true).is_ok() || *app.ending.borrow() {
            return;
        }
        thread::sleep(STEP);
    }
}
