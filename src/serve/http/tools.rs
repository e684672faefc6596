//! Tools: those that are known, those that fit a task, and a plan of them.

use super::answers::{Input, Told, run};
use super::items::unknown;
use super::problem::Problem;
use super::{App, Call};
use crate::serve::Answered;
use crate::serve::requests::{FindToolsRequest, PlanToolsRequest};
use crate::types::limits::HTTP_BODY_BYTES;
use axum::body::Body;
use axum::http::Response;
use serde_json::{Value, json};
use std::sync::Arc;

/// Tools that are known.
pub(super) async fn list(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    if let Some((key, _)) = form_urlencoded::parse(call.query.as_bytes()).next() {
        return Err(unknown(&key, "none"));
    }
    run(app, call, Input::Value(Value::Null), |service, _, caller| {
        let Answered { value, notes } = service.list_tools(caller)?;
        Ok(Told::noted(&json!({"tools": value}), &notes))
    })
    .await
}

/// Tools that fit a task.
pub(super) async fn find(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BODY_BYTES), |service, read, caller| {
        let request: FindToolsRequest = read.decode()?;
        let Answered { value, notes } = service.fitting_tools(&request, caller)?;
        Ok(Told::noted(&value, &notes))
    })
    .await
}

/// A plan of them.
pub(super) async fn plan(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BODY_BYTES), |service, read, caller| {
        let request: PlanToolsRequest = read.decode()?;
        let Answered { value, notes } = service.plan_tools(&request, caller)?;
        Ok(Told::noted(&value, &notes))
    })
    .await
}
