//! Tools of agents: which there are, which a task needs, and in which order.

use super::answers::{Input, Told, run};
use super::problem::Problem;
use super::{App, Call};
use crate::config::Right;
use crate::serve::Answered;
use crate::serve::requests::{FindToolsRequest, PlanToolsRequest};
use crate::types::limits::HTTP_BODY_BYTES;
use axum::body::Body;
use axum::http::Response;
use serde_json::{Value, json};
use std::sync::Arc;

/// All tools that may be seen.
pub(super) async fn list(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Value(Value::Null), |service, _, caller| {
        let Answered { value, notes } = service.list_tools(caller)?;
        Ok(Told::noted(&json!({ "tools": value }), &notes))
    })
    .await
}

/// The tools that a task needs.
pub(super) async fn find(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let may_write = call.caller.right >= Right::Write;
    run(app, call, Input::Body(HTTP_BODY_BYTES), move |service, read, caller| {
        let request: FindToolsRequest = read.decode()?;
        if request.session.is_some() && !may_write {
            let hint = "leave the session away, or use a token with the right write";
            return Err(Problem::forbidden("the task of a session is kept, and this token may only ask", hint));
        }
        let Answered { value, notes } = service.find_tools(&request, caller)?;
        Ok(Told::noted(&value, &notes))
    })
    .await
}

/// A plan of the tools that a task needs.
pub(super) async fn plan(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BODY_BYTES), |service, read, caller| {
        let request: PlanToolsRequest = read.decode()?;
        let Answered { value, notes } = service.plan_tools(&request, caller)?;
        Ok(Told::noted(&value, &notes))
    })
    .await
}
