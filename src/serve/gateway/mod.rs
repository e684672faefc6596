//! A gateway: one server of the Model Context Protocol in front of others, which shows no more of them than a task
//! needs.
//!
//! A server behind it is started when it is needed. Arguments are held against the tool's schema, what cannot be taken
//! back is confirmed first, results are handed on as they are, and what came of each call is kept as an outcome. A
//! server that dies, hangs or floods is told of in the result of its own call and slows no other down. Standard output
//! carries the protocol alone.

mod address;
mod calls;
mod child;
mod config;
mod confirm;
mod downstream;
mod events;
mod messages;
mod metered;
mod pipes;
mod record;
mod texts;
mod validate;
mod web;

pub use config::{Exposure, GatewayConfig, GatewayConfigError, ServerConfig, Variables};

use super::platform::asked_to_end;
use super::{Caller, Service};
use crate::engine::face::models::ProxySettings;
use crate::engine::face::tools::read_tools;
use crate::render::json_object;
use crate::types;
use confirm::Confirmations;
use downstream::{Downstream, Live};
use record::Recorder;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig as Info, Tool,
};
use rmcp::service::{QuitReason, RequestContext, RoleServer, ServerInitializeError, serve_server};
use rmcp::{ErrorData, transport};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;

/// Threads for work on the database, and two for streams that are no pipes.
const THREADS: usize = 6;

/// Makes the service at the first call.
type Open = Box<dyn Fn() -> Service + Send + Sync>;

/// How servers are reached.
pub struct Reach {
    /// This program, which starts those that have a command.
    pub own: PathBuf,
    /// What stands between this machine and those behind a URL.
    pub proxy: Option<ProxySettings>,
}

/// What a server says of its tools, in the form in which it is kept.
fn told_by(name: &str, live: &Live) -> Result<Vec<types::Tool>, String> {
    read_tools(&json_object(&json!({ "tools": live.tools })), name)
        .map_err(|error| format!("the tools of server {name} cannot be read: {error}"))
}

/// What a server says of its tools.
pub struct ServerTools {
    /// Those that can be used.
    pub tools: Vec<types::Tool>,
    /// How many are left out and which, in words; empty if none is.
    pub left_out: String,
}

/// Reaches a server, asks it for its tools and ends it, or the session with it. `limit` is for all of it.
///
/// # Errors
/// A sentence that says what the server did not do.
pub fn tools_of(reach: Reach, name: &str, server: ServerConfig, limit: Duration) -> Result<ServerTools, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let tools = runtime.block_on(async {
        let server = Downstream::new(name.to_owned(), server, Arc::new(reach), limit, limit);
        let (live, _) = server.ready().await?;
        let left_out = live.left_out();
        let tools = match live.tools.is_empty() && !left_out.is_empty() {
            true => Err(format!("server {name} has no tool that can be used: {left_out}")),
            false => told_by(name, &live),
        };
        drop(live);
        server.close().await;
        tools.map(|tools| ServerTools { tools, left_out })
    });
    runtime.shutdown_background();
    tools
}

/// All that a gateway has.
struct Gateway {
    config: GatewayConfig,
    servers: BTreeMap<String, Arc<Downstream>>,
    open: Open,
    service: OnceLock<Arc<Service>>,
    recorder: OnceLock<Recorder>,
    session: String,
    /// Keys of tools that say something else than what was approved.
    held_back: Mutex<BTreeSet<String>>,
    /// Tools that are shown by name, as they are shown.
    by_name: Mutex<Vec<Tool>>,
    confirmations: Mutex<Confirmations>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work on the database in a thread of its own.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|_| "the work failed inside ken".to_owned())
}

impl Gateway {
    fn service(&self) -> &Arc<Service> {
        self.service.get_or_init(|| Arc::new((self.open)()))
    }

    fn recorder(&self) -> &Recorder {
        self.recorder.get_or_init(|| Recorder::start(self.service()))
    }

    /// A server that runs, with its tools kept. An error says why there is none, and what to do.
    async fn ready(self: &Arc<Self>, name: &str) -> Result<(Arc<Downstream>, Arc<Live>), String> {
        let Some(server) = self.servers.get(name) else {
            let known: Vec<&str> = self.servers.keys().map(String::as_str).collect();
            return Err(format!("there is no server {name}; there are {}", known.join(", ")));
        };
        let (live, is_new) = server.ready().await?;
        if is_new {
            self.keep(name, &live).await?;
        }
        Ok((Arc::clone(server), live))
    }

    /// Keeps what a server says of its tools, and holds back those that say something new.
    async fn keep(self: &Arc<Self>, name: &str, live: &Arc<Live>) -> Result<(), String> {
        if live.tools.is_empty() {
            return Ok(());
        }
        let tools = told_by(name, live)?;
        let (gateway, source) = (Arc::clone(self), format!("server {name}"));
        let kept =
            move || gateway.service().keep_tools(&tools, &source, Caller::owner(&|| false)).map(|kept| kept.value);
        let held = apart(kept)
            .await?
            .map_err(|error| format!("the tools of server {name} could not be kept, so none is offered: {error}"))?;
        let mut held_back = locked(&self.held_back);
        held_back.retain(|key| !key.starts_with(&format!("{name}/")));
        held_back.extend(held);
        Ok(())
    }

    /// Starts servers side by side; gives those that run after a while, by name, and why the others do not. Whoever
    /// waits no longer leaves them starting.
    async fn ready_all(
        self: &Arc<Self>,
        names: Vec<String>,
        wait: Duration,
    ) -> (Vec<(String, Arc<Live>)>, Vec<String>) {
        let mut starting: BTreeSet<String> = names.into_iter().collect();
        let (tell, mut told) = unbounded_channel();
        for name in starting.iter().cloned() {
            let (gateway, tell) = (Arc::clone(self), tell.clone());
            tokio::spawn(async move {
                let start = gateway.ready(&name).await;
                drop(tell.send((name, start.map(|(_, live)| live))));
            });
        }
        drop(tell);
        let (mut ready, mut failed) = (Vec::new(), Vec::new());
        let mut enough = pin!(tokio::time::sleep(wait));
        while let Some((name, start)) = tokio::select! {
            one = told.recv() => one,
            () = &mut enough => None,
        } {
            starting.remove(&name);
            match start {
                Ok(live) => ready.push((name, live)),
                Err(why) => failed.push(why),
            }
        }
        failed.extend(starting.iter().map(|name| format!("server {name} is still starting; ask again for its tools")));
        ready.sort_by(|a, b| a.0.cmp(&b.0));
        failed.sort();
        (ready, failed)
    }

    fn is_held_back(&self, server: &str, tool: &str) -> bool {
        locked(&self.held_back).contains(&format!("{server}/{tool}"))
    }

    /// A tool as it is shown: its name begins with that of its server.
    fn shown(server: &str, tool: &Tool) -> Tool {
        let mut tool = tool.clone();
        tool.name = format!("{server}{}{}", texts::BETWEEN, tool.name).into();
        tool
    }

    async fn all_shown(self: &Arc<Self>) -> Vec<Tool> {
        // One may be starting for another call, and have to be started again after that.
        let wait = self.config.start().saturating_mul(2);
        let (ready, _) = self.ready_all(self.servers.keys().cloned().collect(), wait).await;
        let mut tools = Vec::new();
        for (server, live) in ready {
            let offered = live.tools.iter().filter(|tool| !self.is_held_back(&server, &tool.name));
            tools.extend(offered.map(|tool| Self::shown(&server, tool)));
        }
        tools
    }

    async fn close(&self) {
        let mut ends = JoinSet::new();
        for server in self.servers.values() {
            let server = Arc::clone(server);
            ends.spawn(async move { server.close().await });
        }
        ends.join_all().await;
    }
}

/// The protocol's handler; clones share one gateway.
#[derive(Clone)]
struct Handler(Arc<Gateway>);

impl ServerHandler for Handler {
    fn get_info(&self) -> Info {
        let capabilities = ServerCapabilities::builder().enable_tools();
        let (capabilities, instructions) = match self.0.config.exposure {
            Exposure::Hybrid => (capabilities.enable_tool_list_changed().build(), texts::INSTRUCTIONS),
            Exposure::Meta => (capabilities.build(), texts::INSTRUCTIONS),
            Exposure::Transparent => (capabilities.build(), texts::INSTRUCTIONS_TRANSPARENT),
        };
        Info::new(capabilities)
            .with_server_info(Implementation::new("ken-gateway", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = match self.0.config.exposure {
            Exposure::Meta => texts::own_tools(),
            Exposure::Transparent => self.0.all_shown().await,
            Exposure::Hybrid => {
                let mut tools = texts::own_tools();
                tools.extend(locked(&self.0.by_name).iter().cloned());
                tools
            }
        };
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        calls::call(&self.0, request, context).await
    }
}

/// Serves one client over standard input and output until it goes or the process is asked to end. `open` makes the
/// service, at the first need; `session` is the id of what is said in
/// this conversation.
///
/// # Errors
/// [`io::Error`] when the runtime cannot be started or the client breaks the protocol before it has begun.
pub fn serve(
    open: impl Fn() -> Service + Send + Sync + 'static,
    config: GatewayConfig,
    reach: Reach,
    session: String,
) -> io::Result<()> {
    // One thread, which lives as long as the process: the kernel ends servers with the thread that started them.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()?;
    let reach = Arc::new(reach);
    let servers = config.servers.iter().map(|(name, server)| {
        let server = Downstream::new(name.clone(), server.clone(), Arc::clone(&reach), config.start(), config.call());
        (name.clone(), Arc::new(server))
    });
    let gateway = Arc::new(Gateway {
        servers: servers.collect(),
        config: config.clone(),
        open: Box::new(open),
        service: OnceLock::new(),
        recorder: OnceLock::new(),
        session,
        held_back: Mutex::default(),
        by_name: Mutex::default(),
        confirmations: Mutex::default(),
    });
    let handler = Handler(Arc::clone(&gateway));
    let ended = runtime.block_on(async {
        let served = async {
            let running = match serve_server(handler, transport::stdio_pipes()).await {
                // The client has gone before it said anything.
                Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(QuitReason::Closed),
                running => running.map_err(io::Error::other)?,
            };
            running.waiting().await.map_err(io::Error::other)
        };
        let ended = tokio::select! {
            ended = served => ended.map(drop),
            asked = asked_to_end() => asked,
        };
        gateway.close().await;
        ended
    });
    // Whatever still runs has nobody who waits for it.
    runtime.shutdown_background();
    if let Some(service) = gateway.service.get() {
        let service = Arc::clone(service);
        drop(gateway);
        service.close();
    }
    ended
}
