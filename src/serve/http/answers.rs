//! The use cases that the command line has too: a request is decoded, run in a thread, and answered with the same JSON.

use super::body::Held;
use super::problem::Problem;
use super::work::{Attention, Undone};
use super::{App, Call};
use crate::engine::face::asking::{Call as Phrase, call};
use crate::render::{json_object, served_json};
use crate::serve::requests::{LookupRequest, PackRequest, SearchRequest};
use crate::serve::{Answered, Caller, Service};
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

/// An answer as it is sent.
pub(super) struct Told {
    json: String,
    /// Whether a question found anything; none for what is no question.
    found: Option<bool>,
    call: Option<&'static str>,
}

impl Told {
    /// What is no question's answer.
    pub fn plain(json: String) -> Self {
        Self { json, found: None, call: None }
    }

    /// The same of a value, with what should be known beside it.
    pub fn noted<T: Serialize>(value: &T, notes: &[String]) -> Self {
        Self::plain(json_object(&Noted { value, notes }))
    }
}

/// Where the request stands.
pub(super) enum Input {
    /// In the body, of at most so many bytes.
    Body(usize),
    /// In the address.
    Value(Value),
}

pub(super) async fn lookup(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BULK_BYTES), |service, read, caller| looked_up(service, read.decode()?, caller))
        .await
}

pub(super) async fn search(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BODY_BYTES), |service, read, caller| searched(service, read.decode()?, caller))
        .await
}

pub(super) async fn pack(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BODY_BYTES), |service, read, caller| packed(service, read.decode()?, caller)).await
}

pub(super) async fn ask(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BODY_BYTES), |service, read, caller| asked(service, read.decode()?, caller)).await
}

pub(super) async fn status(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Value(Value::Null), |service, _, caller| state(service, caller)).await
}

fn looked_up(service: &Service, request: LookupRequest, caller: Caller<'_>) -> Result<Told, Problem> {
    let begun = Instant::now();
    Ok(answer(&service.lookup(request, caller)?, begun))
}

fn searched(service: &Service, request: SearchRequest, caller: Caller<'_>) -> Result<Told, Problem> {
    let begun = Instant::now();
    Ok(answer(&service.search(request, caller)?, begun))
}

fn packed(service: &Service, request: PackRequest, caller: Caller<'_>) -> Result<Told, Problem> {
    let Answered { value, notes } = service.pack(request, caller)?;
    Ok(frame(&value, &notes))
}

fn state(service: &Service, caller: Caller<'_>) -> Result<Told, Problem> {
    let Answered { value, notes } = service.status(caller)?;
    let mut fields = serde_json::to_value(&value).unwrap_or_default();
    if let Value::Object(fields) = &mut fields {
        fields.insert("complaints".to_owned(), json!(value.complaints()));
    }
    Ok(Told::noted(&fields, &notes))
}

/// As `ken ask` does: the phrase becomes another call, which is named in a header.
fn asked(service: &Service, request: AskRequest, caller: Caller<'_>) -> Result<Told, Problem> {
    let (told, name) = match call(&request.phrase) {
        Phrase::Pack { task } => (packed(service, PackRequest { task, ..PackRequest::default() }, caller)?, "pack"),
        Phrase::Search { question } => {
            let request = SearchRequest { query: Some(question), ..SearchRequest::default() };
            (searched(service, request, caller)?, "search")
        }
        Phrase::Lookup { error } => {
            let request = LookupRequest { text: error, ..LookupRequest::default() };
            (looked_up(service, request, caller)?, "lookup")
        }
        Phrase::Status => (state(service, caller)?, "status"),
        Phrase::Learn { .. } => {
            return Err(Problem::usage(
                "a phrase is only asked, and nothing is learnt from it",
                "send what is to be remembered: POST /v1/memories",
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
    let found = Some(answered.value.found());
    Told { json: served_json(&answered.value, took_ms, &answered.notes), found, call: None }
}

fn frame(frame: &Frame, notes: &[String]) -> Told {
    let found = Some(frame.pieces().next().is_some());
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

/// Runs a use case in a thread, and answers with what it gives.
pub(super) async fn run(
    app: Arc<App>,
    call: Call,
    input: Input,
    run: impl FnOnce(&Service, Read, Caller<'_>) -> Result<Told, Problem> + Send + 'static,
) -> Result<Response<Body>, Problem> {
    let route = call.route;
    let read = Read::from(&app, call.body, input).await?;
    let (service, metrics) = (Arc::clone(&app.service), Arc::clone(&app.metrics));
    let work = move |attention: &Attention| {
        let begun = Instant::now();
        let stopped = || attention.is_stopped();
        let (access, patience) = (&call.caller.access, Some(attention.patience()));
        let caller = Caller { access, patience, ..Caller::owner(&stopped) };
        let told = run(&service, read, caller);
        metrics.worked(begun.elapsed());
        told.map_err(|problem| attention.late().map_or(problem, undone))
    };
    let told = app.work.question(QUESTION_TIME, work).await.map_err(undone)??;
    if let Some(found) = told.found {
        app.metrics.asked(route, found);
    }
    let mut response = json_response(told.json);
    if let Some(name) = told.call {
        response.headers_mut().insert(CALL, HeaderValue::from_static(name));
    }
    Ok(response)
}

/// A request before it is decoded, which is work for a thread.
pub(super) enum Read {
    Body(Held),
    Value(Value),
}

impl Read {
    /// Takes the body in, where the request stands there.
    pub async fn from(app: &App, body: Body, input: Input) -> Result<Self, Problem> {
        Ok(match input {
            Input::Body(most) => Self::Body(app.room.read(body, most).await?),
            Input::Value(value) => Self::Value(value),
        })
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Body(held) => held.bytes.len(),
            Self::Value(_) => 0,
        }
    }

    /// What it says. What that was read from is not held any longer.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T, Problem> {
        let read = match self {
            Self::Body(held) => serde_json::from_slice(&held.bytes),
            Self::Value(value) => serde_json::from_value(value),
        };
        let hint = "/openapi.json describes every request";
        read.map_err(|error| Problem::usage(format!("the request cannot be read: {error}"), hint))
    }
}

/// What is said of work that was not done.
pub(super) fn undone(undone: Undone) -> Problem {
    match undone {
        Undone::Full => Problem::too_many(),
        Undone::Late(time) => Problem::too_late(time),
        Undone::Failed => Problem::internal(),
    }
}

/// JSON, as a response.
pub(super) fn json_response(json: String) -> Response<Body> {
    let mut response = Response::new(Body::from(json));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
