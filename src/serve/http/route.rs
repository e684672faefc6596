//! One route: what is served, what it needs, and what /openapi.json says of it.

use super::problem::{Problem, Shape};
use super::{App, Call};
use crate::config::Right;
use axum::body::Body;
use axum::http::Response;
use schemars::{Schema, SchemaGenerator};
use std::pin::Pin;
use std::sync::Arc;

/// What answers a request.
pub(super) type Handled = Pin<Box<dyn Future<Output = Result<Response<Body>, Problem>> + Send>>;

/// The schema of a body.
pub(super) type BodySchema = fn(&mut SchemaGenerator) -> Schema;

/// One path with one method.
pub(super) struct Route {
    pub path: &'static str,
    pub method: &'static str,
    /// What a token must cover; none for what everybody may have.
    pub need: Option<Right>,
    pub shape: Shape,
    /// A sentence for people.
    pub summary: &'static str,
    pub body: Option<BodySchema>,
    /// What may stand behind `?`.
    pub query: &'static [&'static str],
    /// The status of its answer.
    pub status: u16,
    /// Media type of its answer, and the name of its schema.
    pub answer: (&'static str, &'static str),
    pub handle: fn(Arc<App>, Call) -> Handled,
}
