//! The service over HTTP: a request is admitted, its body is read, one use case runs in a thread, its answer is sent.
//!
//! `routes` is the table of all there is; `trust` says who is heard; `work` bounds what runs and waits; `accept` has
//! the connections. Nothing of what is asked is written anywhere.

mod accept;
mod agents;
mod answers;
mod body;
mod embeddings;
mod items;
mod jobs;
mod memories;
mod metrics;
mod openapi;
mod outcomes;
mod patient;
mod plain;
mod problem;
mod route;
mod routes;
mod streamed;
mod tools;
mod trust;
mod work;

pub use trust::Admission;

use super::platform::{SocketListener, asked_to_end};
use super::{Service, page};
use crate::engine::face::system::UnixListener;
use accept::Listener;
use agents::Agents;
use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use axum::routing::{MethodFilter, any, on};
use metrics::Answering;
use problem::{Problem, Shape};
use route::Route;
use routes::{ROUTES, methods_of};
use std::collections::BTreeMap;
use std::io;
use std::net;
use std::sync::Arc;
use streamed::streamed;
use tokio::sync::watch;
use trust::{Admitted, Trust};

/// Pages of other sites must not read what is answered, even as an image.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Where a service listens.
pub enum Place {
    /// An address and port.
    Tcp(net::TcpListener),
    /// A socket of the file system.
    Unix(UnixListener),
}

/// What a service is told.
pub struct HttpOptions {
    /// Where it listens.
    pub place: Place,
    /// Names that it is reached by, beside those of this machine.
    pub hosts: Vec<String>,
    /// Who may ask.
    pub admission: Admission,
    /// Folders under which callers may have files indexed.
    pub folders: Vec<String>,
    /// Questions that are answered at a time.
    pub threads: usize,
}

/// What all requests share.
struct App {
    routes: &'static [Route],
    service: Arc<Service>,
    work: work::Work,
    room: body::Room,
    trust: Trust,
    jobs: Arc<jobs::Jobs>,
    metrics: metrics::Shared,
    /// Whether the service is ending.
    ending: watch::Receiver<bool>,
}

/// A request that was admitted.
struct Call {
    route: &'static str,
    caller: Admitted,
    /// What stands behind `?`.
    query: String,
    /// What stands in the place of `{id}`.
    parameter: Option<String>,
    /// Whether events are wanted, and not one answer.
    wants_events: bool,
    body: Body,
}

/// Serves until the process is told to end, and gives open requests some time then.
///
/// # Errors
/// [`io::Error`] when the runtime or the place cannot be used.
pub fn serve(options: HttpOptions, service: Service) -> io::Result<()> {
    let HttpOptions { place, hosts, admission, folders, threads } = options;
    // Beside questions: work in bulk, a job, and what looks at paths.
    let questions = threads * work::TOGETHER;
    let pool = questions + 4;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(pool).build()?;
    let service = Arc::new(service);
    let kept = Arc::clone(&service);
    let jobs = Arc::new(jobs::Jobs::new(&folders).shared_by(&service));
    // Connections of a shared store wait for its server when they close, which must not happen within the runtime.
    let kept_jobs = Arc::clone(&jobs);
    let ended = runtime.block_on(async move {
        let address = match &place {
            Place::Tcp(listener) => Some(listener.local_addr()?),
            Place::Unix(_) => None,
        };
        let listener = match place {
            Place::Tcp(listener) => {
                listener.set_nonblocking(true)?;
                Listener::Tcp(tokio::net::TcpListener::from_std(listener)?)
            }
            Place::Unix(listener) => Listener::Unix(SocketListener::new(listener)?),
        };
        let (end, ending) = watch::channel(false);
        let metrics = Arc::new(metrics::Metrics::new());
        let trust =
            Trust::new(address.map(|address| address.port()), address.map(|address| address.ip()), &hosts, admission);
        let app = App {
            routes: ROUTES,
            service: Arc::clone(&service),
            work: work::Work::new(questions),
            room: body::Room::default(),
            trust,
            jobs: Arc::clone(&jobs),
            metrics: Arc::clone(&metrics),
            ending: ending.clone(),
        };
        let told = tokio::spawn(async move {
            let heard = asked_to_end().await;
            // First, so that a job that stops for this reason goes on elsewhere.
            end.send_replace(true);
            jobs.cancel_all();
            heard
        });
        let app = Arc::new(app);
        jobs::work(&app)?;
        accept::serve(listener, router(app), metrics, ending).await;
        told.await.map_err(io::Error::other)?
    });
    // What still runs has nobody who waits for it.
    runtime.shutdown_background();
    drop(kept_jobs);
    kept.close();
    ended
}

fn router(app: Arc<App>) -> Router {
    let mut by_path: BTreeMap<&str, axum::routing::MethodRouter> = BTreeMap::new();
    for route in ROUTES {
        let Ok(filter) = MethodFilter::try_from(method(route)) else { continue };
        let shared = Arc::clone(&app);
        let answer = move |id: Option<Path<String>>, request: Request<Body>| {
            answered(Arc::clone(&shared), route, id.map(|Path(id)| id), request)
        };
        let methods = by_path.remove(route.path).unwrap_or_default();
        by_path.insert(route.path, methods.on(filter, answer));
    }
    let mut router = Router::new();
    for (path, methods) in by_path {
        let allow = methods_of(path);
        let shared = Arc::clone(&app);
        let wrong = move |request: Request<Body>| refused(Arc::clone(&shared), request, Some(allow.clone()));
        let methods = methods.fallback(wrong);
        router = match path.strip_prefix("/v1/memories/") {
            // The id of a memory holds one slash, which may stand there as it is.
            Some(rest) => router.route(&format!("/v1/memories/memory/{rest}"), methods.clone()).route(path, methods),
            // Other ids may hold any.
            None => router.route(&path.replace("{id}", "{*id}"), methods),
        };
    }
    let (for_page, for_mcp) = (Arc::clone(&app), Arc::clone(&app));
    let agents = Agents::new(Arc::clone(&app.service));
    router
        .route("/", on(MethodFilter::GET, move |request: Request<Body>| shown_page(Arc::clone(&for_page), request)))
        .route("/mcp", any(move |request: Request<Body>| agents.clone().answer(Arc::clone(&for_mcp), request)))
        .fallback(move |request: Request<Body>| refused(Arc::clone(&app), request, None))
}

/// A route's answer, whatever comes of it.
async fn answered(app: Arc<App>, route: &'static Route, id: Option<String>, request: Request<Body>) -> Response<Body> {
    let mut answering = Answering::begin(&app.metrics, route.path, route.method);
    let (parts, body) = request.into_parts();
    let response = match app.trust.admit(&parts, route.need) {
        Ok(caller) => {
            let body = if route.body.is_some() { body } else { emptied(body).await };
            let wants_events = accepts_events(&parts.headers);
            let query = parts.uri.query().unwrap_or_default().to_owned();
            let call = Call { route: route.path, caller, query, parameter: id, wants_events, body };
            (route.handle)(Arc::clone(&app), call).await
        }
        Err(problem) => {
            body::drain(body).await;
            Err(problem)
        }
    };
    let response = response.unwrap_or_else(|problem| problem.response(route.shape));
    answering.has_status(response.status());
    guarded(response.map(|body| streamed(body, None, answering)))
}

/// What is said where there is no route, or no such method of one.
async fn refused(app: Arc<App>, request: Request<Body>, allow: Option<String>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    body::drain(body).await;
    let problem = match (app.trust.names_are_ours(&parts), allow) {
        (Err(problem), _) => problem,
        (Ok(()), Some(allow)) => Problem::wrong_method(allow),
        (Ok(()), None) => Problem::not_found("there is no such path", "/openapi.json lists all"),
    };
    guarded(problem.response(Shape::Problem))
}

/// The page: it holds nothing of anybody's, so it needs no token.
async fn shown_page(app: Arc<App>, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    body::drain(body).await;
    if let Err(problem) = app.trust.admit(&parts, None) {
        return guarded(problem.response(Shape::Problem));
    }
    let mut response = Response::new(Body::from(page::document()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(page::policy()));
    guarded(response)
}

/// A body that a route has no use for, once it is read.
async fn emptied(body: Body) -> Body {
    body::drain(body).await;
    Body::empty()
}

fn accepts_events(headers: &HeaderMap) -> bool {
    headers.get_all(ACCEPT).iter().any(|media| media.to_str().is_ok_and(|media| media.contains("text/event-stream")))
}

fn method(route: &Route) -> Method {
    Method::from_bytes(route.method.as_bytes()).unwrap_or_default()
}

/// What every answer says to browsers and to what lies between.
fn guarded(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    response
}
