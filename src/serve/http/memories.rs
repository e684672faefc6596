//! Memories: remembered, listed, told with their story, decided about, forgotten.
//!
//! What comes in is a program's word, whoever's token it shows. Only to confirm, approve and reject counts as a
//! person's, and needs a token that may do everything.

use super::answers::{Input, Told, run};
use super::body::drain;
use super::items::{limit, unknown};
use super::problem::Problem;
use super::{App, Call};
use crate::engine::Decision;
use crate::serve::requests::{DecideRequest, DisputeRequest, ListMemoriesRequest};
use crate::serve::{Answered, RequestError, Speaker};
use crate::types::Author;
use crate::types::limits::{HTTP_BODY_BYTES, HTTP_BULK_BYTES};
use axum::body::Body;
use axum::http::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What somebody says against a memory.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Dispute {
    /// Why.
    #[serde(default)]
    #[schemars(description = "Why it is wrong; needed unless the dispute is taken back")]
    because: Option<String>,
    /// Whether the dispute is taken back.
    #[serde(default)]
    #[schemars(description = "Take an earlier dispute back")]
    withdraw: bool,
    /// The session that it belongs to.
    #[serde(default)]
    session: Option<String>,
}

/// What is said with a decision.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reason {
    /// Why.
    #[serde(default)]
    because: Option<String>,
    /// The session that it belongs to.
    #[serde(default)]
    session: Option<String>,
}

/// Remembers something. The error that a fix was tried against may be a whole log.
pub(super) async fn remember(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let author = call.caller.author();
    run(app, call, Input::Body(HTTP_BULK_BYTES), move |service, read, caller| {
        let Answered { value, notes } = service.remember(read.decode()?, speaker(&author), caller)?;
        Ok(Told::noted(&value, &notes))
    })
    .await
}

/// A page of those that pass.
pub(super) async fn list(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let request = asked_for(&call.query)?;
    run(app, call, Input::Value(request), |service, read, caller| {
        let request: ListMemoriesRequest = read.decode()?;
        let Answered { value, notes } = service.memories(request, caller)?;
        Ok(Told::noted(&value, &notes))
    })
    .await
}

/// One of them, with all that happened to it.
pub(super) async fn get(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let id = id_of(&call);
    run(app, call, Input::Value(Value::Null), move |service, _, caller| {
        let Answered { value: (memory, events), notes } = service.memory(&id, caller).map_err(by_id)?;
        Ok(Told::noted(&json!({"memory": memory, "events": events}), &notes))
    })
    .await
}

/// Disputes one, or takes a dispute back.
pub(super) async fn dispute(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let (id, author) = (id_of(&call), call.caller.author());
    run(app, call, Input::Body(HTTP_BODY_BYTES), move |service, read, caller| {
        let Dispute { because, withdraw, session } = read.decode()?;
        let request = DisputeRequest { id, because, withdraw, session };
        let Answered { value, notes } = service.dispute(request, speaker(&author), caller).map_err(by_id)?;
        Ok(Told::noted(&json!({"memories": [value]}), &notes))
    })
    .await
}

/// Says that something spoke against it.
pub(super) async fn contradict(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let author = call.caller.author();
    decide(app, call, Decision::Contradict, author).await
}

/// A person says that it is true.
pub(super) async fn confirm(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    person_decides(app, call, Decision::Confirm).await
}

/// A person keeps what was proposed.
pub(super) async fn approve(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    person_decides(app, call, Decision::Approve).await
}

/// A person does not want what was proposed.
pub(super) async fn reject(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    person_decides(app, call, Decision::Reject).await
}

/// Forgets one.
pub(super) async fn forget(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let id = id_of(&call);
    run(app, call, Input::Value(Value::Null), move |service, _, caller| {
        let Answered { value, notes } = service.forget_memory(&id, caller).map_err(by_id)?;
        Ok(Told::noted(&value, &notes))
    })
    .await
}

async fn person_decides(app: Arc<App>, call: Call, decision: Decision) -> Result<Response<Body>, Problem> {
    match call.caller.person() {
        Ok(person) => decide(app, call, decision, person).await,
        Err(problem) => {
            drain(call.body).await;
            Err(problem)
        }
    }
}

async fn decide(app: Arc<App>, call: Call, decision: Decision, author: Author) -> Result<Response<Body>, Problem> {
    let id = id_of(&call);
    run(app, call, Input::Body(HTTP_BODY_BYTES), move |service, read, caller| {
        let Reason { because, session } = read.decode()?;
        let request = DecideRequest { id, because, session };
        let Answered { value, notes } = service.decide(request, decision, speaker(&author), caller).map_err(by_id)?;
        Ok(Told::noted(&json!({"memories": [value]}), &notes))
    })
    .await
}

fn speaker(author: &Author) -> Speaker<'_> {
    Speaker { author, session: None }
}

fn id_of(call: &Call) -> String {
    call.parameter.clone().unwrap_or_default()
}

/// The same words for what is not there and for what whoever asks may not see.
fn by_id(error: RequestError) -> Problem {
    match error.is_missing() {
        true => Problem::not_found("there is no such memory", "/v1/memories lists all that you may see"),
        false => error.into(),
    }
}

/// The request for a list, from what stands behind `?`.
fn asked_for(query: &str) -> Result<Value, Problem> {
    let mut request = json!({"kinds": [], "states": []});
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*key {
            "after" => request["after"] = value.into(),
            "limit" => request["limit"] = limit(&value)?,
            "held" => {
                let wrong = |_| Problem::usage(format!("held cannot be {value:?}"), "give true or false");
                request["held"] = value.parse::<bool>().map_err(wrong)?.into();
            }
            "kind" | "state" => {
                if let Value::Array(list) = &mut request[format!("{key}s")] {
                    list.push(value.into());
                }
            }
            other => return Err(unknown(other, "kind, state, held, after and limit")),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_asked_for_in_the_address() {
        let read = asked_for("kind=fact&kind=tactic&state=disputed&held=true&limit=7&after=5%3Amemory%2Fx").unwrap();
        let request: ListMemoriesRequest = serde_json::from_value(read).unwrap();
        let expected = ListMemoriesRequest {
            kinds: vec!["fact".to_owned(), "tactic".to_owned()],
            states: vec!["disputed".to_owned()],
            held: true,
            after: Some("5:memory/x".to_owned()),
            limit: Some(7),
        };
        assert_eq!(request, expected);
        assert!(asked_for("limit=-1").is_err() && asked_for("held=perhaps").is_err() && asked_for("scope=x").is_err());
    }
}
