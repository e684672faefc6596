//! The Model Context Protocol: `ken` as the tools of an agent, over standard input and output, or over HTTP.
//!
//! Speaks the revision of 2026-07-28 and those before it, as rmcp does. Standard output carries the protocol alone.
//! Nothing is read from the disk before the first call. A call runs in a thread of its own, so that others, and their
//! cancellation, are heard meanwhile. The process ends when its standard input does.

mod answers;
mod over_http;
mod progress;
mod resources;
mod tools;

pub(super) use over_http::{OverHttp, Turn, Visitor, over_http};

use super::{Caller, RequestError, Service, Speaker};
use crate::engine::Progress;
use crate::engine::face::text::single_line;
use crate::types::{Access, Author};
use progress::Doing;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListResourceTemplatesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{QuitReason, RequestContext, RoleServer, ServerInitializeError, serve_server};
use rmcp::{ErrorData, transport};
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::timeout;

/// Calls that run at a time; others wait.
const AT_A_TIME: usize = 4;

/// How long a call over standard input waits for its turn to write: longer than one batch of an indexing takes. Calls
/// over HTTP wait as long as [`Turn::patience`] says.
const PATIENCE: Duration = Duration::from_secs(30);

/// What an agent is told when it connects.
const INSTRUCTIONS: &str = "ken knows causes and fixes of common errors, and the documents that were indexed on this \
    machine. On an error message or a failed log call lookup first. Before work on a task call pack with the task, or \
    search with a question. An empty answer means that nothing is known: go on without it. When a fix worked or did \
    not help, or somebody corrects you, call remember.";

/// Who speaks where a client does not say what it is called.
const NAMELESS: &str = "agent";
/// Longest name of a client, in characters.
const NAME: usize = 64;

/// Makes the service at the first call.
type Open = Box<dyn Fn() -> Arc<Service> + Send + Sync>;

/// The tools of `ken`.
struct Server {
    open: Open,
    service: OnceLock<Arc<Service>>,
    /// The session of the one client that there is; none where many come.
    session: Option<String>,
}

impl Server {
    fn new(open: Open, session: Option<String>) -> Self {
        Self { open, service: OnceLock::new(), session }
    }

    fn service(&self) -> &Service {
        self.service.get_or_init(|| (self.open)())
    }
}

/// Who makes a call.
struct Client {
    access: Access,
    may_write: bool,
    author: Author,
    session: Option<String>,
    /// The time that the call has; `None` over standard input, where calls may take any time.
    turn: Option<Arc<dyn Turn>>,
}

/// Why a call has no answer.
enum NoAnswer {
    /// It takes longer than this.
    Late(Duration),
    /// It panicked.
    Failed,
}

impl Client {
    fn of(context: &RequestContext<RoleServer>, server: &Server) -> Self {
        let author = |name: Option<String>| {
            let name = name.map(|name| single_line(&name, NAME)).filter(|name| !name.is_empty());
            Author::Program(name.unwrap_or_else(|| NAMELESS.to_owned()))
        };
        match over_http::visitor_of(&context.extensions) {
            None => {
                let name = context.client_info().map(|client| client.name);
                let session = server.session.clone();
                Self { access: Access::all(), may_write: true, author: author(name), session, turn: None }
            }
            // Nothing is kept of an earlier handshake: a name stands in the message, or is that of the token.
            Some(over_http::Visitor { access, may_write, name, session, turn }) => {
                let name = context.meta.client_info().map(|client| client.name).or(name);
                Self { access, may_write, author: author(name), session, turn }
            }
        }
    }

    fn is_late(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.left().is_zero())
    }

    /// Runs the work of a call in a thread, which keeps the turn until the work has ended. When the time is over, the
    /// client is told so at once, even if the work cannot be stopped at that moment.
    async fn run<T: Send + 'static, E: Send + 'static>(
        self,
        gone: impl Fn() -> bool + Send + 'static,
        work: impl FnOnce(&Self, Caller<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<Result<T, E>, NoAnswer> {
        let limit = self.turn.as_ref().map(|turn| (turn.left(), turn.time()));
        let job = tokio::task::spawn_blocking(move || {
            let stopped = || gone() || self.is_late();
            let patience = Some(self.turn.as_ref().map_or(PATIENCE, |turn| turn.patience()));
            let caller = Caller { access: &self.access, patience, ..Caller::owner(&stopped) };
            let done = work(&self, caller);
            let is_late = done.is_err() && self.is_late();
            (done, is_late)
        });
        let (done, is_late) = match limit {
            Some((left, time)) => timeout(left, job).await.map_err(|_| NoAnswer::Late(time))?,
            None => job.await,
        }
        .map_err(|_| NoAnswer::Failed)?;
        // Work that was stopped says that it was cancelled. The client needs to know that it was late.
        match limit.filter(|_| is_late) {
            Some((_, time)) => Err(NoAnswer::Late(time)),
            None => Ok(done),
        }
    }
}

/// The protocol's handler; clones share one server.
#[derive(Clone)]
struct Handler(Arc<Server>);

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("ken", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (server, stopped) = (Arc::clone(&self.0), context.ct.clone());
        let work = move |_: &Client, caller: Caller<'_>| resources::read(server.service(), &request.uri, caller);
        match Client::of(&context, &self.0).run(move || stopped.is_cancelled(), work).await {
            Ok(read) => read.map(Into::into),
            Err(NoAnswer::Late(time)) => Err(ErrorData::internal_error(tools::told(RequestError::late(time)), None)),
            Err(NoAnswer::Failed) => Err(failed()),
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        let Some(call) = tools::call_of(&name) else {
            let known = tools::NAMES.join(", ");
            return Err(ErrorData::invalid_params(format!("there is no tool {name}; there are {known}"), None));
        };
        let (server, stopped) = (Arc::clone(&self.0), context.ct.clone());
        let client = Client::of(&context, &server);
        if tools::writes(&name) && !client.may_write {
            let why = format!("this token may only ask, and {name} needs one that may write");
            return Ok(CallToolResult::error(vec![ContentBlock::text(why)]).into());
        }
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let doing = Arc::new(Doing::default());
        let hears = Arc::clone(&doing);
        let work = move |client: &Client, caller: Caller<'_>| {
            let heard = |progress: &Progress<'_>| hears.hear(progress);
            let speaker = Speaker { author: &client.author, session: client.session.as_deref() };
            call(server.service(), arguments, Caller { heard: &heard, ..caller }, speaker)
        };
        let asked = context.meta.get_progress_token();
        let call = client.run(move || stopped.is_cancelled(), work);
        let result = match progress::telling(call, &doing, asked, &context.peer).await {
            Ok(Ok(text)) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Ok(Err(why)) => CallToolResult::error(vec![ContentBlock::text(why)]),
            Err(NoAnswer::Late(time)) => {
                let late = if tools::writes(&name) { RequestError::late_to_write } else { RequestError::late };
                CallToolResult::error(vec![ContentBlock::text(tools::told(late(time)))])
            }
            Err(NoAnswer::Failed) => return Err(failed()),
        };
        Ok(result.into())
    }
}

fn failed() -> ErrorData {
    ErrorData::internal_error("the call failed inside ken", None)
}

/// Serves one client over standard input and output until it goes. `open` makes the service, at the first call;
/// `session` is the id of what is said in this conversation.
///
/// # Errors
/// [`io::Error`] when the runtime cannot be started or the client breaks the protocol before it has begun.
pub fn serve(open: impl Fn() -> Service + Send + Sync + 'static, session: String) -> io::Result<()> {
    // Two more threads: where the streams are no pipes, each reads or writes in one.
    let threads = AT_A_TIME + 2;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(threads).build()?;
    let server = Arc::new(Server::new(Box::new(move || Arc::new(open())), Some(session)));
    let handler = Handler(Arc::clone(&server));
    let ended = runtime.block_on(async {
        let running = match serve_server(handler, transport::stdio_pipes()).await {
            // The client has gone before it said anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(QuitReason::Closed),
            running => running.map_err(io::Error::other)?,
        };
        running.waiting().await.map_err(io::Error::other)
    });
    // Whatever still runs has nobody who waits for it.
    runtime.shutdown_background();
    if let Some(service) = server.service.get() {
        service.close();
    }
    ended.map(drop)
}
