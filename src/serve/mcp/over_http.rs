//! Agents that reach the service over HTTP: a message in, its answer out. No session is kept, in either revision.
//!
//! Who may ask was decided before: names, origins, tokens and the size of a message are those of the whole service.

use super::{Handler, Server};
use crate::serve::Service;
use crate::types::Access;
use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{Request, Response};
use http_body_util::Full;
use rmcp::model::Extensions;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use std::time::Duration;

/// A thread that a message holds until nothing works on it any more, and the time that it has.
pub(in crate::serve) trait Turn: Send + Sync {
    /// How much time the call has from its beginning.
    fn time(&self) -> Duration;
    /// How much of that time is left.
    fn left(&self) -> Duration;
    /// How long the call may wait for its turn to write, so that there is still time to say who writes.
    fn patience(&self) -> Duration;
}

/// Who sent a message.
#[derive(Clone)]
pub(in crate::serve) struct Visitor {
    /// What they may see.
    pub access: Access,
    /// Whether they may change anything.
    pub may_write: bool,
    /// What their token is called.
    pub name: Option<String>,
    /// The session that they name.
    pub session: Option<String>,
    /// Kept by every thread that works for them.
    pub turn: Option<Arc<dyn Turn>>,
}

/// Answers messages.
#[derive(Clone)]
pub(in crate::serve) struct OverHttp(Arc<StreamableHttpService<Handler, NeverSessionManager>>);

/// The tools of this service.
pub(in crate::serve) fn over_http(service: Arc<Service>) -> OverHttp {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let handler = Handler(Arc::new(Server::new(Box::new(move || Arc::clone(&service)), None)));
    let sessions = Arc::new(NeverSessionManager::default());
    OverHttp(Arc::new(StreamableHttpService::new(move || Ok(handler.clone()), sessions, config)))
}

impl OverHttp {
    /// The answer to a message.
    pub async fn answer(&self, mut request: Request<Vec<u8>>, visitor: Visitor) -> Response<Body> {
        request.extensions_mut().insert(visitor);
        let request = request.map(|bytes| Full::new(Bytes::from(bytes)));
        self.0.handle(request).await.map(Body::new)
    }
}

/// Who sent a message; none where it came over standard input.
pub(super) fn visitor_of(extensions: &Extensions) -> Option<Visitor> {
    let parts = extensions.get::<Parts>()?;
    // Without it nobody knows who asked.
    let access = || Access::only(Vec::new());
    let nobody = || Visitor { access: access(), may_write: false, name: None, session: None, turn: None };
    Some(parts.extensions.get::<Visitor>().cloned().unwrap_or_else(nobody))
}
