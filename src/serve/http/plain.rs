//! What is answered without the engine: counts, and whether the service is there.

use super::answers::json_response;
use super::problem::Problem;
use super::{App, Call};
use crate::render::json_line;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::json;
use std::sync::Arc;

pub(super) async fn metrics(app: Arc<App>, _: Call) -> Result<Response<Body>, Problem> {
    let mut response = Response::new(Body::from(app.metrics.text(app.work.waiting())));
    let media = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media);
    Ok(response)
}

pub(super) async fn healthy(_: Arc<App>, _: Call) -> Result<Response<Body>, Problem> {
    Ok(state("running"))
}

/// A service that is ending takes no more questions.
pub(super) async fn ready(app: Arc<App>, _: Call) -> Result<Response<Body>, Problem> {
    let mut response = state(if *app.ending.borrow() { "ending" } else { "ready" });
    if *app.ending.borrow() {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    Ok(response)
}

fn state(name: &str) -> Response<Body> {
    json_response(json_line(&json!({"state": name, "version": env!("CARGO_PKG_VERSION")})))
}
