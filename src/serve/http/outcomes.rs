//! What tools did: reported by programs, and what failed how often.

use super::answers::{Input, Told, run};
use super::items::{limit, unknown};
use super::problem::Problem;
use super::{App, Call};
use crate::serve::Answered;
use crate::serve::requests::{FailuresRequest, KeepOutcomesRequest};
use crate::types::limits::HTTP_BULK_BYTES;
use axum::body::Body;
use axum::http::Response;
use serde_json::{Value, json};
use std::sync::Arc;

/// Keeps runs.
pub(super) async fn keep(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BULK_BYTES), |service, read, caller| {
        let request: KeepOutcomesRequest = read.decode()?;
        let Answered { value, notes } = service.keep_outcomes(&request, caller)?;
        Ok(Told::noted(&json!({"kept": value.len()}), &notes))
    })
    .await
}

/// Failures, the most frequent first.
pub(super) async fn failures(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let request = asked_for(&call.query)?;
    run(app, call, Input::Value(request), |service, read, caller| {
        let request: FailuresRequest = read.decode()?;
        let Answered { value, notes } = service.failures(&request, caller)?;
        Ok(Told::noted(&value, &notes))
    })
    .await
}

/// The request, from what stands behind `?`.
fn asked_for(query: &str) -> Result<Value, Problem> {
    let mut request = json!({});
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*key {
            "limit" => request["limit"] = limit(&value)?,
            "since" | "tool" => request[&*key] = value.into(),
            other => return Err(unknown(other, "since, tool and limit")),
        }
    }
    Ok(request)
}
