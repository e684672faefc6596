//! The use cases that the command line has too: a request is decoded, run in a thread, and answered with the same JSON.

use super::problem::Problem;
use super::work::{Attention, Undone};
use super::{App, Call};
use crate::engine::face::asking::{Call as Phrase, call};
use crate::render::{json_object, served_json};
use crate::serve::requests::{LookupRequest, PackRequest, SearchRequest};
use crate::serve::service::{Answered, Service};
use crate::types::limits::{HTTP_BODY_BYTES, HTTP_BULK_BYTES};
use crate::types::{Answer, Frame};
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, Response};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Longest that a question may take.
pub(super) const QUESTION_TIME: Duration = Duration::from_secs(30);

/// Names the call that a phrase asked for.
const CALL: HeaderName = HeaderName::from_static("ken-call");

/// A plain phrase, such as a person says to an assistant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskRequest {
    /// The phrase.
    #[schemars(description = "Such as: what do we know about retries?")]
    phrase: String,
}

/// Runs in a thread: what is answered, and whether anything was found.
type Run = fn(&Service, Value, &dyn Fn() -> bool) -> Result<Told, Problem>;

/// An answer as it is sent.
pub(super) struct Told {
    json: String,
    found: bool,
    call: Option<&'static str>,
}

pub(super) async fn lookup(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    question(app, call, HTTP_BULK_BYTES, |service, body, stopped| looked_up(service, decode(body)?, stopped)).await
}

pub(super) async fn search(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    question(app, call, HTTP_BODY_BYTES, |service, body, stopped| searched(service, decode(body)?, stopped)).await
}

pub(super) async fn pack(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    question(app, call, HTTP_BODY_BYTES, |service, body, stopped| packed(service, decode(body)?, stopped)).await
}

pub(super) async fn ask(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    question(app, call, HTTP_BODY_BYTES, |service, body, stopped| asked(service, decode(body)?, stopped)).await
}

pub(super) async fn status(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    question(app, call, 0, |service, _, stopped| state(service, stopped)).await
}

fn looked_up(service: &Service, request: LookupRequest, stopped: &dyn Fn() -> bool) -> Result<Told, Problem> {
    let begun = Instant::now();
    Ok(answer(&service.lookup(request, stopped)?, begun))
}

fn searched(service: &Service, request: SearchRequest, stopped: &dyn Fn() -> bool) -> Result<Told, Problem> {
    let begun = Instant::now();
    Ok(answer(&service.search(request, stopped)?, begun))
}

fn packed(service: &Service, request: PackRequest, stopped: &dyn Fn() -> bool) -> Result<Told, Problem> {
    let Answered { value, notes } = service.pack(request, stopped)?;
    Ok(frame(&value, &notes))
}

fn state(service: &Service, stopped: &dyn Fn() -> bool) -> Result<Told, Problem> {
    let Answered { value, notes } = service.status(stopped)?;
    let mut fields = serde_json::to_value(&value).unwrap_or_default();
    if let Value::Object(fields) = &mut fields {
        fields.insert("complaints".to_owned(), json!(value.complaints()));
    }
    Ok(Told { json: json_object(&Noted { value: &fields, notes: &notes }), found: true, call: None })
}

/// As `ken ask` does: the phrase becomes another call, which is named in a header.
fn asked(service: &Service, request: AskRequest, stopped: &dyn Fn() -> bool) -> Result<Told, Problem> {
    let (told, name) = match call(&request.phrase) {
        Phrase::Pack { task } => (packed(service, PackRequest { task, ..PackRequest::default() }, stopped)?, "pack"),
        Phrase::Search { question } => {
            let request = SearchRequest { query: question, ..SearchRequest::default() };
            (searched(service, request, stopped)?, "search")
        }
        Phrase::Lookup { error } => {
            let request = LookupRequest { text: error, ..LookupRequest::default() };
            (looked_up(service, request, stopped)?, "lookup")
        }
        Phrase::Status => (state(service, stopped)?, "status"),
        Phrase::Learn { .. } => {
            return Err(Problem::usage(
                "nothing can be learnt yet: there is no memory",
                "ask for something that is known",
            ));
        }
        Phrase::Unclear => {
            return Err(Problem::usage("the phrase asks for nothing", "say what to do, such as `ken: search retries`"));
        }
    };
    Ok(Told { call: Some(name), ..told })
}

fn answer(answered: &Answered<Answer>, begun: Instant) -> Told {
    let took_ms = begun.elapsed().as_secs_f64() * 1e3;
    let found = answered.value.found();
    Told { json: served_json(&answered.value, took_ms, &answered.notes), found, call: None }
}

fn frame(frame: &Frame, notes: &[String]) -> Told {
    let found = frame.pieces().next().is_some();
    Told { json: json_object(&Noted { value: frame, notes }), found, call: None }
}

/// An object with notes behind its fields, if there are any.
#[derive(Serialize)]
struct Noted<'a, T> {
    #[serde(flatten)]
    value: &'a T,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

/// Reads what a body says.
pub(super) fn decode<T: DeserializeOwned>(body: Value) -> Result<T, Problem> {
    serde_json::from_value(body).map_err(|error| unreadable(&error))
}

fn unreadable(error: &serde_json::Error) -> Problem {
    Problem::usage(format!("the body cannot be read: {error}"), "/openapi.json describes every request")
}

/// Runs a question, and answers with what it gives.
async fn question(app: Arc<App>, call: Call, most: usize, run: Run) -> Result<Response<Body>, Problem> {
    let route = call.route;
    let held = app.room.read(call.body, most).await?;
    let (service, metrics) = (Arc::clone(&app.service), Arc::clone(&app.metrics));
    let work = move |attention: &Attention| {
        let begun = Instant::now();
        let body = match held.bytes.is_empty() {
            true => Ok(Value::Null),
            false => serde_json::from_slice(&held.bytes).map_err(|error| unreadable(&error)),
        };
        // What it was read from is not held longer than needed.
        drop(held);
        let told = body.and_then(|body| run(&service, body, &|| attention.is_stopped()));
        metrics.worked(begun.elapsed());
        told
    };
    let told = app.work.question(QUESTION_TIME, work).await.map_err(undone)??;
    app.metrics.asked(route, told.found);
    let mut response = json_response(told.json);
    if let Some(name) = told.call {
        response.headers_mut().insert(CALL, HeaderValue::from_static(name));
    }
    Ok(response)
}

/// What is said of work that was not done.
pub(super) fn undone(undone: Undone) -> Problem {
    match undone {
        Undone::Full => Problem::too_many(),
        Undone::Late => Problem::too_late(QUESTION_TIME.as_secs()),
        Undone::Failed => Problem::internal(),
    }
}

/// JSON, as a response.
pub(super) fn json_response(json: String) -> Response<Body> {
    let mut response = Response::new(Body::from(json));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
