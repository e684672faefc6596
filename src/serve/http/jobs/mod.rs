//! Jobs: indexing of files on the service's machine, which goes on after its request. One job runs at a time, because
//! there is one writer. Only folders that the configuration names are read. With a file as its store, a service keeps
//! its jobs in memory; with a shared store, they are kept there (`shared`).

mod shared;

pub(super) use shared::work;

use super::answers::{Input, Read, json_response};
use super::problem::Problem;
use super::{App, Call};
use crate::engine::Progress;
use crate::engine::face::failure::{Diagnose, ErrorKind};
use crate::engine::face::indexing;
use crate::engine::face::system::canonical;
use crate::render::{json_object, shown_text};
use crate::serve::requests::RequestError;
use crate::serve::service::Service;
use crate::types::limits::{HTTP_BODY_BYTES, HTTP_JOBS};
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, Response, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

/// A follower of a job that another service runs reads it this often.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// While somebody else has the right to write, a job asks for it again after this time.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// Threads that look up jobs at the same time.
const LOOKING: usize = 2;

/// Files or folders that are to be indexed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IndexRequest {
    #[schemars(description = "Files and folders under the folders that the setting serve.folders names")]
    paths: Vec<String>,
    #[serde(default)]
    #[schemars(description = "Compare the contents of all files, not only their sizes and times")]
    thorough: bool,
}

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Waiting,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl State {
    fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// A job as its callers see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Job {
    id: String,
    state: State,
    /// How far it is.
    files: usize,
    files_total: usize,
    bytes: u64,
    bytes_total: u64,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

impl Job {
    /// One that waits.
    fn waiting(id: String) -> Self {
        Self {
            id,
            state: State::Waiting,
            files: 0,
            files_total: 0,
            bytes: 0,
            bytes_total: 0,
            report: None,
            notes: Vec::new(),
            error: None,
        }
    }
}

#[derive(Clone)]
struct Held {
    state: watch::Sender<Job>,
    cancelled: Arc<AtomicBool>,
}

impl Held {
    fn new(job: Job) -> Self {
        Self { state: watch::Sender::new(job), cancelled: Arc::default() }
    }

    /// Changes the state of the job if it is `from`. Gives whether it was.
    fn change_state(&self, from: State, to: State) -> bool {
        self.state.send_if_modified(|job| {
            let is_there = job.state == from;
            if is_there {
                job.state = to;
            }
            is_there
        })
    }

    /// Stops it. A waiting job ends at once, and a running one at its next check.
    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.change_state(State::Waiting, State::Cancelled);
    }
}

/// All jobs of this process, of which the last are remembered.
pub(super) struct Jobs {
    next: AtomicU64,
    known: Mutex<BTreeMap<u64, Held>>,
    turn: Arc<Semaphore>,
    folders: Vec<PathBuf>,
    /// Those of a shared store, if that is used.
    board: Option<shared::Board>,
    /// Limits how many look up a job at the same time, because each may wait for the store.
    looking: Arc<Semaphore>,
}

/// A job that is asked for by its number.
enum Found {
    /// This process has it.
    Here(Held),
    /// It lies in the shared store, and this is how it stood there.
    There(Box<Job>),
}

impl Jobs {
    /// Under these folders files may be indexed.
    pub fn new(folders: &[String]) -> Self {
        let there = |folder: &String| canonical(folder).ok();
        Self {
            next: AtomicU64::new(1),
            known: Mutex::default(),
            turn: Arc::new(Semaphore::new(1)),
            folders: folders.iter().filter_map(there).collect(),
            board: None,
            looking: Arc::new(Semaphore::new(LOOKING)),
        }
    }

    /// The same, whose jobs lie in the shared store of this service, if it has one.
    pub fn shared_by(self, service: &Arc<Service>) -> Self {
        let opening = Arc::clone(service);
        let board = service.is_shared().then(|| shared::Board::new(move || opening.shared_jobs()));
        Self { board, ..self }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<u64, Held>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// May ask the store, which takes a while.
    fn find(&self, id: Option<&str>) -> Result<Found, Problem> {
        let none = || Problem::not_found("there is no such job", format!("the last {HTTP_JOBS} are remembered"));
        let id: u64 = id.and_then(|id| id.parse().ok()).ok_or_else(none)?;
        if let Some(held) = self.known().get(&id) {
            return Ok(Found::Here(held.clone()));
        }
        let there = match &self.board {
            Some(board) => board.job(id).map_err(RequestError::from)?,
            None => None,
        };
        there.map(|job| Found::There(Box::new(job))).ok_or_else(none)
    }

    /// Stops all that run or wait.
    pub fn cancel_all(&self) {
        self.known().values().for_each(Held::cancel);
    }

    /// The path as it really is, if it lies in one of the folders.
    fn admitted(&self, path: &str) -> Result<PathBuf, Problem> {
        let refused = || {
            let hint =
                "the operator can allow the folder: `ken config set serve.folders FOLDER`, then restart the service";
            Problem::forbidden(format!("{} lies in no folder of the service", shown_text(path)), hint)
        };
        if !Path::new(path).is_absolute() {
            return Err(Problem::usage(format!("{} is no absolute path", shown_text(path)), "begin it with /"));
        }
        // What is not there is told like what is not allowed: nobody learns what lies elsewhere.
        admitted_in(&self.folders, path).ok_or_else(refused)
    }

    fn add(&self) -> Result<(u64, Held), Problem> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let held = Held::new(Job::waiting(id.to_string()));
        let mut known = self.known();
        while known.len() >= HTTP_JOBS {
            let over = known.iter().find(|(_, held)| held.state.borrow().state.is_over()).map(|(id, _)| *id);
            known.remove(&over.ok_or_else(Problem::too_many)?);
        }
        known.insert(id, held.clone());
        Ok((id, held))
    }
}

/// The path as it really is, if it lies in one of these folders.
fn admitted_in(folders: &[PathBuf], path: impl AsRef<Path>) -> Option<PathBuf> {
    let real = canonical(path).ok()?;
    folders.iter().any(|folder| real.starts_with(folder)).then_some(real)
}

fn show(job: &Job) -> String {
    json_object(job)
}

/// Begins a job.
pub(super) async fn index(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let read = Read::from(&app, call.body, Input::Body(HTTP_BODY_BYTES)).await?;
    let request: IndexRequest = read.decode()?;
    if request.paths.is_empty() {
        return Err(Problem::usage("there are no paths", "name files or folders"));
    }
    let jobs = Arc::clone(&app.jobs);
    let given = request.paths;
    let checked = spawn_blocking(move || given.iter().map(|path| jobs.admitted(path)).collect::<Result<Vec<_>, _>>());
    let paths = checked.await.map_err(|_| Problem::internal())??;
    if app.jobs.board.is_some() {
        let request = IndexRequest { paths: named(&paths)?, thorough: request.thorough };
        return share(app, request).await;
    }
    let (id, job) = app.jobs.add()?;
    let response = accepted(id, &job.state.borrow());
    let turn = Arc::clone(&app.jobs.turn);
    tokio::spawn(async move {
        let Ok(turn) = turn.acquire_owned().await else { return };
        drop(spawn_blocking(move || {
            let _turn = turn;
            perform(&app, &job, &paths, request.thorough);
        }));
    });
    Ok(response)
}

fn accepted(id: u64, job: &Job) -> Response<Body> {
    let mut response = json_response(show(job));
    *response.status_mut() = StatusCode::ACCEPTED;
    if let Ok(place) = HeaderValue::from_str(&format!("/v1/jobs/{id}")) {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}

/// The paths as they are written for other services.
fn named(paths: &[PathBuf]) -> Result<Vec<String>, Problem> {
    let name = |path: &PathBuf| path.to_str().map(str::to_owned);
    let refused = || Problem::usage("a path is no UTF-8", "use paths in UTF-8: other services have to read them");
    paths.iter().map(name).collect::<Option<_>>().ok_or_else(refused)
}

/// Puts a job into the shared store, where this service or another one begins it.
async fn share(app: Arc<App>, request: IndexRequest) -> Result<Response<Body>, Problem> {
    let added = spawn_blocking(move || {
        let job = Job::waiting(String::new());
        let id = app.jobs.board.as_ref().map_or(Ok(None), |board| board.add(&request, &job));
        id.map(|id| (id, job))
    });
    let (id, job) = added.await.map_err(|_| Problem::internal())?.map_err(RequestError::from)?;
    let id = id.ok_or_else(Problem::too_many)?;
    Ok(accepted(id, &Job { id: id.to_string(), ..job }))
}

/// Does a job, if nobody has stopped it yet. The job waits while somebody else has the right to write.
fn perform(app: &App, held: &Held, paths: &[PathBuf], thorough: bool) {
    let stopped = || held.cancelled.load(Ordering::Relaxed);
    let mut heard = |progress: Progress<'_>| {
        if let Progress::Index(indexing::Progress::Indexing { files, files_total, bytes, bytes_total, .. }) = progress {
            held.state.send_modify(|job| {
                (job.files, job.files_total, job.bytes, job.bytes_total) = (files, files_total, bytes, bytes_total);
            });
        }
    };
    let ended = loop {
        if !held.change_state(State::Waiting, State::Running) {
            return;
        }
        match app.service.index(paths, thorough, &mut heard, &stopped) {
            Err(error)
                if error.kind() == ErrorKind::Busy
                    && !stopped()
                    && held.change_state(State::Running, State::Waiting) =>
            {
                thread::sleep(RETRY_INTERVAL);
            }
            ended => break ended,
        }
    };
    held.state.send_modify(|job| match ended {
        Ok(answered) => {
            job.state = State::Done;
            job.report = serde_json::to_value(&answered.value).ok();
            job.notes = answered.notes;
        }
        Err(_) if stopped() => job.state = State::Cancelled,
        Err(error) => {
            use crate::engine::face::failure::Face;
            failed(job, error.kind().name(), &error.to_string(), error.hint_for(Face::Http).as_deref());
        }
    });
}

fn failed(job: &mut Job, kind: &str, message: &str, hint: Option<&str>) {
    job.state = State::Failed;
    job.error = Some(json!({"kind": kind, "message": message, "hint": hint}));
}

async fn find(app: &Arc<App>, id: Option<String>) -> Result<Found, Problem> {
    // The thread holds this to its end, even if the caller has gone.
    let looking = Arc::clone(&app.jobs.looking).acquire_owned().await.map_err(|_| Problem::internal())?;
    let jobs = Arc::clone(&app.jobs);
    let look = move || {
        let _looking = looking;
        jobs.find(id.as_deref())
    };
    spawn_blocking(look).await.map_err(|_| Problem::internal())?
}

/// A job that somebody follows.
enum Followed {
    Here(watch::Receiver<Job>),
    There(Box<Job>),
}

impl From<Found> for Followed {
    fn from(found: Found) -> Self {
        match found {
            Found::Here(held) => Self::Here(held.state.subscribe()),
            Found::There(job) => Self::There(job),
        }
    }
}

impl Followed {
    /// How it stands now.
    fn seen(&mut self) -> Job {
        match self {
            Self::Here(changes) => changes.borrow_and_update().clone(),
            Self::There(job) => (**job).clone(),
        }
    }

    /// Waits until it stands otherwise; false if nobody knows it any more.
    async fn changes(&mut self, app: &Arc<App>) -> bool {
        let before = match self {
            Self::Here(changes) => return changes.changed().await.is_ok(),
            Self::There(job) => job.clone(),
        };
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            match find(app, Some(before.id.clone())).await {
                Ok(Found::There(job)) if job == before => {}
                Ok(found) => {
                    *self = found.into();
                    return true;
                }
                Err(problem) if problem.is_not_found() => return false,
                // The store may be back soon.
                Err(_) => {}
            }
        }
    }
}

/// How a job stands: now, or from now on as server-sent events until it ends.
pub(super) async fn job(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let mut followed = Followed::from(find(&app, call.parameter).await?);
    if !call.wants_events {
        return Ok(json_response(show(&followed.seen())));
    }
    let (mut to, body) = http_body_util::channel::Channel::<Bytes, std::convert::Infallible>::new(1);
    let mut ending = app.ending.clone();
    tokio::spawn(async move {
        loop {
            let job = followed.seen();
            let text = format!("event: {}\ndata: {}\n\n", "progress", show(&job).trim_end());
            // Whoever does not listen any more is not told.
            if to.send_data(Bytes::from(text)).await.is_err() || job.state.is_over() {
                return;
            }
            tokio::select! {
                is_known = followed.changes(&app) => if !is_known { return },
                _ = ending.wait_for(|ending| *ending) => return,
            }
        }
    });
    let mut response = Response::new(Body::new(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

/// Marks a job in the shared store as cancelled, if there is such a store.
async fn cancel_stored(app: &Arc<App>, job: Job) -> Result<(), Problem> {
    let jobs = Arc::clone(&app.jobs);
    let cancelled = spawn_blocking(move || jobs.board.as_ref().map_or(Ok(()), |board| board.cancel(&job)));
    Ok(cancelled.await.map_err(|_| Problem::internal())?.map_err(RequestError::from)?)
}

/// Stops a job; what it has committed stays.
pub(super) async fn cancel(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let job = match find(&app, call.parameter.clone()).await? {
        Found::Here(held) => {
            held.cancel();
            let job = held.state.borrow().clone();
            // If this service ends now, no other service may begin the job again.
            cancel_stored(&app, job.clone()).await?;
            job
        }
        Found::There(job) => {
            cancel_stored(&app, *job).await?;
            Followed::from(find(&app, call.parameter).await?).seen()
        }
    };
    let mut response = json_response(show(&job));
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_a_folder_of_the_service_is_admitted() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("docs"), folder.path().join("secret"));
        std::fs::create_dir_all(inside.join("a")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        let jobs = Jobs::new(&[inside.to_string_lossy().into_owned(), "/there/is/none".to_owned()]);
        let is_admitted = |path: &Path| jobs.admitted(&path.to_string_lossy()).is_ok();
        assert!(is_admitted(&inside) && is_admitted(&inside.join("a")) && is_admitted(&inside.join("a/../a")));
        assert!(!is_admitted(&outside) && !is_admitted(&inside.join("../secret")) && !is_admitted(Path::new("a")));
        assert!(!is_admitted(&folder.path().join("docs-more")) && !is_admitted(&inside.join("none")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
            assert!(!is_admitted(&inside.join("link")));
        }
        assert!(Jobs::new(&[]).admitted(&inside.to_string_lossy()).is_err());
    }

    #[test]
    fn ended_jobs_make_room_and_running_ones_do_not() {
        let jobs = Jobs::new(&[]);
        let held: Vec<_> = (0..HTTP_JOBS).map(|_| jobs.add().unwrap()).collect();
        assert!(jobs.add().is_err());
        held[3].1.state.send_modify(|job| job.state = State::Done);
        let (id, _) = jobs.add().unwrap();
        assert!(jobs.find(Some(&id.to_string())).is_ok() && jobs.find(Some("4")).is_err());
        assert!(jobs.find(Some("x")).is_err() && jobs.find(None).is_err());
    }
}
