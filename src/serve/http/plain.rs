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
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

pub(super) async fn metrics(app: Arc<App>, _: Call) -> Result<Response<Body>, Problem> {
    let mut response = Response::new(Body::from(app.metrics.text(app.work.waiting())));
    let media = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media);
    Ok(response)
}

pub(super) async fn healthy(_: Arc<App>, _: Call) -> Result<Response<Body>, Problem> {
    Ok(state("running"))
}

/// At most so many checks of readiness ask the store at the same time. Further checks queue.
static STORE_CHECKS: Semaphore = Semaphore::const_new(2);

/// A store that takes longer to answer counts as away.
const STORE_CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// A service that is ending takes no more questions, and one whose store is away answers few.
pub(super) async fn ready(app: Arc<App>, _: Call) -> Result<Response<Body>, Problem> {
    let name = if *app.ending.borrow() {
        "ending"
    } else if reaches_store(Arc::clone(&app)).await? {
        "ready"
    } else {
        "store_unreachable"
    };
    let mut response = state(name);
    if name != "ready" {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    Ok(response)
}

async fn reaches_store(app: Arc<App>) -> Result<bool, Problem> {
    if !app.service.is_shared() {
        return Ok(true);
    }
    let look = async {
        let turn = STORE_CHECKS.acquire().await.map_err(|_| Problem::internal())?;
        let ask = move || {
            // The thread holds this to its end, even if the caller has gone.
            let _turn = turn;
            app.service.reaches_store()
        };
        spawn_blocking(ask).await.map_err(|_| Problem::internal())
    };
    timeout(STORE_CHECK_TIMEOUT, look).await.unwrap_or(Ok(false))
}

fn state(name: &str) -> Response<Body> {
    json_response(json_line(&json!({"state": name, "version": env!("CARGO_PKG_VERSION")})))
}
