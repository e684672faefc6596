//! Messages of agents (MCP): their sender is admitted, and they wait for a thread, as every question does. An answer
//! may be sent in parts.
//!
//! A message holds its thread, and the room for its bytes, until nothing works on it any more. That can be later than
//! the end of the answer, because some steps of a call cannot be stopped and go on after the client has left.

use super::answers::{QUESTION_TIME, undone};
use super::metrics::Answering;
use super::problem::{Problem, Shape};
use super::streamed::streamed;
use super::work::Turn;
use super::{App, body, guarded};
use crate::config::Right;
use crate::serve::{Service, mcp};
use crate::types::limits::HTTP_BODY_BYTES;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderName, Method, Request, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// Names the session of an agent.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Answers the messages of agents.
#[derive(Clone)]
pub(super) struct Agents {
    tools: mcp::OverHttp,
    /// How much time a call has.
    time: Duration,
}

/// What a message holds while something works on it.
struct Held {
    turn: Turn,
    _room: Option<OwnedSemaphorePermit>,
}

impl mcp::Turn for Held {
    fn time(&self) -> Duration {
        self.turn.time()
    }

    fn left(&self) -> Duration {
        self.turn.left()
    }

    fn patience(&self) -> Duration {
        self.turn.patience()
    }
}

impl Agents {
    pub fn new(service: Arc<Service>) -> Self {
        Self { tools: mcp::over_http(service), time: QUESTION_TIME }
    }

    /// The answer to a message, whatever comes of it.
    pub async fn answer(self, app: Arc<App>, request: Request<Body>) -> Response<Body> {
        let method = if request.method() == Method::POST { "POST" } else { "other" };
        let mut answering = Answering::begin(&app.metrics, "/mcp", method);
        let (parts, body) = request.into_parts();
        let (response, held) = match self.call(&app, parts, body).await {
            Ok((response, held)) => (response, Some(held)),
            Err(problem) => (problem.response(Shape::Problem), None),
        };
        answering.has_status(response.status());
        let ends = held.as_ref().map(|held| held.turn.ends());
        guarded(response.map(|body| streamed(body, ends, (held, answering))))
    }

    async fn call(&self, app: &App, parts: Parts, body: Body) -> Result<(Response<Body>, Arc<Held>), Problem> {
        let caller = match app.trust.admit(&parts, Some(Right::Read)) {
            Ok(caller) => caller,
            Err(problem) => {
                body::drain(body).await;
                return Err(problem);
            }
        };
        let (bytes, room) = app.room.read(body, HTTP_BODY_BYTES).await?.into_parts();
        let turn = app.work.turn(self.time).await.map_err(undone)?;
        let held = Arc::new(Held { turn, _room: room });
        let visitor = mcp::Visitor {
            access: caller.access,
            may_write: caller.right >= Right::Write,
            name: caller.name,
            session: parts.headers.get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned),
            turn: Some(Arc::clone(&held) as Arc<dyn mcp::Turn>),
        };
        let answer = self.tools.answer(Request::from_parts(parts, bytes), visitor);
        let response = held.turn.bound(answer).await.map_err(undone)?;
        Ok((response, held))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ROUTES, body::Room, jobs::Jobs, metrics::Metrics, trust::Trust, work::Work};
    use super::*;
    use crate::config::Settings;
    use crate::engine::{Engine, EngineSettings};
    use crate::serve::http::Admission;
    use http_body_util::BodyExt;
    use serde_json::{Value, json};
    use std::fs::File;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::thread;
    use std::time::SystemTime;
    use tokio::sync::watch;
    use tokio::time::sleep;

    /// A service that answers one question at a time.
    fn app(data: &Path, clock: fn() -> i64) -> Arc<App> {
        let engine = Engine::new(EngineSettings::without_model(data));
        Arc::new(App {
            routes: ROUTES,
            service: Arc::new(Service::new(engine, Settings::default(), PathBuf::from("/"), clock)),
            work: Work::new(1),
            room: Room::default(),
            trust: Trust::new(None, None, &[], Admission::Open),
            jobs: Arc::new(Jobs::new(&[])),
            metrics: Arc::new(Metrics::new()),
            ending: watch::channel(false).1,
        })
    }

    /// Calls `remember` with so much time.
    async fn remember(app: &Arc<App>, time: Duration, meta: Value) -> Response<Body> {
        let arguments = json!({"text": "Bread is baked at four", "kind": "fact"});
        let params = json!({"name": "remember", "arguments": arguments, "_meta": meta});
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
        let request = Request::post("/mcp")
            .header("host", "x")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .body(Body::from(message.to_string()))
            .unwrap();
        let agents = Agents { time, ..Agents::new(Arc::clone(&app.service)) };
        agents.answer(Arc::clone(app), request).await
    }

    async fn messages(response: Response<Body>) -> Vec<Value> {
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let text = std::str::from_utf8(&bytes).unwrap();
        let one = |line: &str| serde_json::from_str(line.strip_prefix("data:").unwrap_or(line).trim()).ok();
        text.lines().filter_map(one).collect()
    }

    fn has(app: &App, line: &str) -> bool {
        app.metrics.text(0).lines().any(|found| found == line)
    }

    fn run<T>(test: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
    }

    const IN_FLIGHT: &str = "ken_http_requests_in_flight 1";
    const QUICK: &str = "ken_http_request_duration_seconds_bucket{le=\"1.0\",route=\"/mcp\"} 0";

    /// Clients that want to hear of progress get events, others get one message. Both are told in time who writes.
    #[test]
    fn what_holds_a_call_up_is_told_before_its_time_is_over() {
        let folder = tempfile::tempdir().unwrap();
        run(async {
            let app = app(folder.path(), running);
            let done = messages(remember(&app, Duration::from_secs(60), json!({})).await).await;
            assert!(done[0]["result"]["isError"] != true, "{done:?}");
            // A writer locks this file and puts its name into it.
            let path = folder.path().join("writer.lock");
            let lock = File::options().write(true).truncate(true).open(path).unwrap();
            lock.lock().unwrap();
            (&lock).write_all(b"a test").unwrap();
            for (meta, events) in [(json!({"progressToken": 1}), 1), (json!({}), 0)] {
                let told = messages(remember(&app, Duration::from_millis(3_500), meta).await).await;
                let (last, before) = told.split_last().unwrap();
                assert!(before.len() >= events && last["id"] == 7, "{told:?}");
                let text = last["result"]["content"][0]["text"].as_str().unwrap();
                assert!(last["result"]["isError"] == true && text.contains("a test"), "{told:?}");
            }
            drop(lock);
        });
    }

    /// A clock that runs.
    fn running() -> i64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        since.as_millis().try_into().unwrap()
    }

    /// A step that cannot be stopped.
    fn slow() -> i64 {
        thread::sleep(Duration::from_secs(8));
        1_700_000_000_000
    }

    /// The answer says that it is late, and the thread is free when the step has ended.
    #[test]
    fn a_call_that_is_late_has_an_answer_and_is_counted_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        run(async {
            let app = app(folder.path(), slow);
            let response = remember(&app, Duration::from_millis(2_500), json!({"progressToken": 1})).await;
            // The answer has begun.
            assert!(has(&app, IN_FLIGHT));
            let told = messages(response).await;
            assert!(has(&app, "ken_http_requests_in_flight 0") && has(&app, QUICK));
            let (last, before) = told.split_last().unwrap();
            assert_eq!((&last["id"], &before[0]["method"]), (&json!(7), &json!("notifications/progress")), "{told:?}");
            let text = last["result"]["content"][0]["text"].as_str().unwrap();
            assert!(last["result"]["isError"] == true && text.contains("no answer within 2 s"), "{told:?}");
            let short = Duration::from_millis(20);
            assert!(app.work.question(short, |_| ()).await.is_err(), "its thread still works");
            assert_eq!(app.work.question(Duration::from_secs(60), |_| 7).await, Ok(7));
            assert!(!folder.path().join("kenning.db").exists(), "nothing is written after a call was said to be late");
        });
    }

    /// The thread is not free before the step has ended that cannot be stopped.
    #[test]
    fn a_client_that_leaves_frees_the_thread_when_the_work_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        run(async {
            let app = app(folder.path(), slow);
            let response = remember(&app, Duration::from_secs(60), json!({"progressToken": 1})).await;
            drop(response);
            assert!(has(&app, "ken_http_requests_in_flight 0") && has(&app, QUICK));
            sleep(Duration::from_millis(20)).await;
            assert!(app.work.question(Duration::from_millis(20), |_| ()).await.is_err(), "its thread still works");
            assert_eq!(app.work.question(Duration::from_secs(60), |_| 7).await, Ok(7));
        });
    }
}
