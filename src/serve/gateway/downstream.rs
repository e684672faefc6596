//! A server behind the gateway: started when it is needed, asked with a time limit, and started again after it died,
//! the later the more often that was in a row.

use super::Reach;
use super::child::ServerProcess;
use super::config::ServerConfig;
use super::messages::why_unusable;
use super::metered::Meter;
use super::web::{Web, WebError};
use crate::engine::face::text::single_line;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientConfig, ClientRequest, ErrorData, Implementation,
    PaginatedRequestParams, PingRequest, Tool,
};
use rmcp::service::{ClientInitializeError, Peer, RoleClient, RunningService, ServiceError, serve_client};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Most tools of a server, and most pages that they come in.
const MOST_TOOLS: usize = 2_000;
const MOST_PAGES: usize = 100;
/// How deep a schema may nest.
const DEEPEST: usize = 32;
/// Longest name of a tool, in characters, as the protocol has it.
const TOOL_NAME: usize = 128;
/// How much of the names of tools that are left out is shown, in characters.
const NAMES: usize = 300;
/// The pause after the second death in a row; it doubles with each, up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LAST_PAUSE: Duration = Duration::from_secs(30);
/// How long a server that gave no answer has to show that it is there.
const PING: Duration = Duration::from_secs(2);

/// A server that runs.
pub(super) struct Live {
    peer: Peer<RoleClient>,
    running: RunningService<RoleClient, ClientConfig>,
    /// None for a server behind a URL.
    process: Option<ServerProcess>,
    meter: Meter,
    /// Its tools, by name.
    pub(super) tools: Vec<Tool>,
    /// Names of tools that were left out because of the name or a schema.
    left_out: Vec<String>,
}

impl Live {
    /// Its tool of this name.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// How many tools are left out and which, in words; empty if none is.
    pub(super) fn left_out(&self) -> String {
        let (count, names) = (self.left_out.len(), self.left_out.join(", "));
        match count {
            0 => String::new(),
            count => format!(
                "{count} of its tools {} left out, as a name cannot be printed as it is, or no client can read a \
                 schema: {}",
                if count == 1 { "is" } else { "are" },
                single_line(&names, NAMES)
            ),
        }
    }
}

/// How a server stands.
#[derive(Default)]
struct State {
    live: Option<Arc<Live>>,
    /// How often in a row it could not be started, or died.
    deaths: u32,
    not_before: Option<Instant>,
}

/// What became of a call that gave no result.
pub(super) enum NoResult {
    /// The server refused it, by the protocol's own means.
    Refused(ErrorData),
    /// What happened and what to do.
    Failed(String),
}

/// A server by its name.
pub(super) struct Downstream {
    pub(super) name: String,
    server: ServerConfig,
    reach: Arc<Reach>,
    start: Duration,
    call: Duration,
    state: Mutex<State>,
}

impl Downstream {
    /// A server that is not started yet.
    pub(super) fn new(name: String, server: ServerConfig, reach: Arc<Reach>, start: Duration, call: Duration) -> Self {
        Self { name, server, reach, start, call, state: Mutex::default() }
    }

    /// The server, started if need be, and whether that was done now. An error says why not, and what to do.
    pub(super) async fn ready(&self) -> Result<(Arc<Live>, bool), String> {
        let mut state = self.state.lock().await;
        if let Some(live) = &state.live {
            if !live.peer.is_transport_closed() {
                return Ok((Arc::clone(live), false));
            }
            let dead = state.live.take();
            died(&mut state);
            drop(dead);
        }
        let now = Instant::now();
        if let Some(wait) = state.not_before.and_then(|moment| moment.checked_duration_since(now)) {
            return Err(format!(
                "server {} has died {} times in a row; it is started again in {:.1} s",
                self.name,
                state.deaths,
                wait.as_secs_f64()
            ));
        }
        match tokio::time::timeout(self.start, self.begin()).await {
            Ok(Ok(live)) => {
                let live = Arc::new(live);
                state.live = Some(Arc::clone(&live));
                Ok((live, true))
            }
            Ok(Err(why)) => {
                died(&mut state);
                let what = if self.server.web.is_some() { "used" } else { "started" };
                Err(format!("server {} could not be {what}: {why}", self.name))
            }
            Err(_) => {
                died(&mut state);
                let limit = self.start.as_secs_f64();
                Err(format!("server {} did not start and list its tools within {limit:.0} s", self.name))
            }
        }
    }

    async fn begin(&self) -> Result<Live, String> {
        let meter = Meter::default();
        let client = ClientConfig::new(
            rmcp::model::ClientCapabilities::default(),
            Implementation::new("ken-gateway", env!("CARGO_PKG_VERSION")),
        );
        let Some((url, headers)) = &self.server.web else { return self.begin_process(meter, client).await };
        let limit = self.start.max(self.call);
        let web = Web::new(url, headers, self.reach.proxy.as_ref(), limit, &meter).map_err(|why| why.to_string())?;
        let running = serve_client(client, web).await.map_err(|error| match error {
            ClientInitializeError::TransportError { error, .. } => error.error.to_string(),
            other => single_line(&other.to_string(), 300),
        })?;
        let peer = running.peer().clone();
        let (tools, left_out) = listed(&peer).await?;
        Ok(Live { peer, running, process: None, meter, tools, left_out })
    }

    async fn begin_process(&self, meter: Meter, client: ClientConfig) -> Result<Live, String> {
        let (process, pipes) =
            ServerProcess::start(&self.reach.own, &self.server, &meter).map_err(|error| error.to_string())?;
        let said = async |what: String| match process.last_words().await {
            words if words.is_empty() => what,
            words => format!("{what}; it said: {words}"),
        };
        let running = match serve_client(client, pipes).await {
            Ok(running) => running,
            Err(error) => return Err(said(error.to_string()).await),
        };
        let peer = running.peer().clone();
        let (tools, left_out) = match listed(&peer).await {
            Ok(listed) => listed,
            Err(why) => return Err(said(why).await),
        };
        Ok(Live { peer, running, process: Some(process), meter, tools, left_out })
    }

    /// Calls a tool. A call is made once: whether one that gave no answer was carried out, nobody here knows.
    pub(super) async fn call(
        &self,
        live: &Arc<Live>,
        params: CallToolRequestParams,
    ) -> Result<CallToolResult, NoResult> {
        live.meter.begin();
        let answer = tokio::time::timeout(self.call, live.peer.call_tool_once(params)).await;
        let failed = match answer {
            Ok(Ok(CallToolResponse::Complete(result))) => {
                let mut state = self.state.lock().await;
                state.deaths = 0;
                state.not_before = None;
                return Ok(result);
            }
            Ok(Ok(_)) => format!("server {} gave an answer that its protocol does not have", self.name),
            Ok(Err(ServiceError::McpError(error))) => match why_unusable(&error) {
                Some(why) => format!(
                    "server {} {why}. Whether the call was carried out is not known: look before you repeat it.",
                    self.name
                ),
                None => return Err(NoResult::Refused(error)),
            },
            Ok(Err(error)) => match &live.process {
                Some(process) => self.ended(&error, live, process).await,
                None => {
                    self.end(live).await;
                    self.unanswered(&error)
                }
            },
            Err(_) => {
                let ping = ClientRequest::PingRequest(PingRequest::default());
                let is_there =
                    tokio::time::timeout(PING, live.peer.send_request(ping)).await.is_ok_and(|it| it.is_ok());
                if !is_there {
                    self.end(live).await;
                }
                format!(
                    "server {} gave no answer within {:.0} s{}. Whether the call was carried out is not known: look \
                     before you repeat it.",
                    self.name,
                    self.call.as_secs_f64(),
                    if is_there { "" } else { " and is started again at the next call" }
                )
            }
        };
        Err(NoResult::Failed(failed))
    }

    /// What is said of a call whose server ended.
    async fn ended(&self, error: &ServiceError, live: &Live, process: &ServerProcess) -> String {
        let why = match live.meter.is_over() {
            true => "printed too much, and was ended".to_owned(),
            false => match process.last_words().await {
                words if words.is_empty() => format!("ended before it answered ({error})"),
                words => format!("ended before it answered ({error}); it said: {words}"),
            },
        };
        format!(
            "server {} {why}. Whether the call was carried out is not known: look before you repeat it. The next call \
             starts the server again.",
            self.name
        )
    }

    /// What is said of a call to a server behind a URL that has no answer.
    fn unanswered(&self, error: &ServiceError) -> String {
        let known = match error {
            ServiceError::TransportSend(error) => error.error.downcast_ref::<WebError>().cloned(),
            _ => None,
        };
        let name = &self.name;
        match known {
            Some(WebError::Unreached(why)) => {
                format!("server {name} could not be reached: {why}. The call was not carried out.")
            }
            Some(WebError::TurnedAway(why)) => {
                format!("server {name} turned the call away: {why}. It was not carried out.")
            }
            why => {
                let why = why.map_or_else(|| error.to_string(), |why| why.to_string());
                format!(
                    "server {name} gave no usable answer: {why}. Whether the call was carried out is not known: look \
                     before you repeat it."
                )
            }
        }
    }

    /// Ends a server that hangs, unless another has taken its place.
    async fn end(&self, live: &Arc<Live>) {
        let mut state = self.state.lock().await;
        if state.live.as_ref().is_some_and(|current| Arc::ptr_eq(current, live)) {
            state.live = None;
            died(&mut state);
        }
    }

    /// Ends the server in good order: its input is closed, and after a moment its group is killed.
    pub(super) async fn close(&self) {
        let live = self.state.lock().await.live.take();
        let Some(live) = live.and_then(Arc::into_inner) else { return };
        let Live { mut running, process, .. } = live;
        drop(running.close_with_timeout(Duration::from_millis(200)).await);
        if let Some(mut process) = process {
            process.goes().await;
        }
    }
}

/// Counts a death: the first start after one is at once, the next ones wait.
fn died(state: &mut State) {
    state.deaths = state.deaths.saturating_add(1);
    let pause = state.deaths.checked_sub(2).map(|more| FIRST_PAUSE.saturating_mul(1 << more.min(10)).min(LAST_PAUSE));
    state.not_before = pause.map(|pause| Instant::now() + pause);
}

/// Whether a name stands for itself. What is kept of a tool is kept by its cleaned name: one that is another when it is
/// cleaned could pass for an approved tool.
fn is_name(name: &str) -> bool {
    !name.is_empty() && single_line(name, TOOL_NAME) == name
}

/// The name of a tool that is left out, as far as it can be printed.
fn shown_name(name: &str) -> String {
    match single_line(name, TOOL_NAME) {
        name if name.is_empty() => "(without a name)".to_owned(),
        name => name,
    }
}

/// Whether every client can read the schemas of a tool. Some clients refuse the whole list because of one bad schema,
/// and then lose the tools of all servers.
fn is_schema(tool: &Tool) -> bool {
    let of_object = |schema: &Map<String, Value>| {
        schema.get("type").and_then(Value::as_str) == Some("object") && schema.values().all(|part| is_typed(part, 0))
    };
    of_object(&tool.input_schema) && tool.output_schema.as_ref().is_none_or(|schema| of_object(schema))
}

/// Whether each `type` in this part of a schema is a type of JSON Schema.
fn is_typed(part: &Value, depth: usize) -> bool {
    const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
    /// Keywords that hold values, not schemas.
    const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];
    let is_type = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    match part {
        _ if depth > DEEPEST => false,
        Value::Object(fields) => fields.iter().all(|(key, value)| match (key.as_str(), value) {
            ("type", Value::String(_)) => is_type(value),
            ("type", Value::Array(all)) => all.iter().all(is_type),
            (key, _) => VALUES.contains(&key) || is_typed(value, depth + 1),
        }),
        Value::Array(all) => all.iter().all(|one| is_typed(one, depth + 1)),
        _ => true,
    }
}

/// All tools of a server, each name once, and the names of those that are left out because of it or of a schema.
async fn listed(peer: &Peer<RoleClient>) -> Result<(Vec<Tool>, Vec<String>), String> {
    let mut tools: Vec<Tool> = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let asked = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let page = peer.list_tools(asked).await.map_err(|error| match &error {
            ServiceError::TransportSend(error) => error.error.to_string(),
            ServiceError::McpError(refused) => {
                why_unusable(refused).map_or_else(|| error.to_string(), |why| format!("it {why}"))
            }
            other => other.to_string(),
        })?;
        tools.extend(page.tools);
        if tools.len() > MOST_TOOLS {
            return Err(format!("it lists more than {MOST_TOOLS} tools"));
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            let mut left_out = Vec::new();
            tools.retain(|tool| {
                let is_good = is_name(&tool.name) && is_schema(tool);
                if !is_good {
                    left_out.push(shown_name(&tool.name));
                }
                is_good
            });
            tools.sort_by(|a, b| a.name.cmp(&b.name));
            tools.dedup_by(|a, b| a.name == b.name);
            return Ok((tools, left_out));
        }
    }
    Err(format!("its list of tools has more than {MOST_PAGES} pages"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_is_what_it_looks_like() {
        for name in ["read_file", "files/read", "Read a file", "\u{e9}t\u{e9}"] {
            assert!(is_name(name), "{name:?}");
        }
        let long = "x".repeat(TOOL_NAME + 1);
        for name in ["", " ", "read_file\0", "read\u{1b}[2K", "read\nfile", "read\u{202e}file", " read", &long] {
            assert!(!is_name(name), "{name:?}");
        }
    }

    #[test]
    fn a_schema_is_what_every_client_can_read() {
        let tool = |schema: Value| Tool::new("t", "d", Arc::new(schema.as_object().unwrap().clone()));
        for schema in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"type": {"type": ["string", "null"]}, "a": {"enum": ["strnig"]}}}),
            json!({"type": "object", "properties": {"a": {"default": {"type": "x"}, "anyOf": [{"type": "integer"}]}}}),
        ] {
            assert!(is_schema(&tool(schema.clone())), "{schema}");
        }
        let deep = (0..100).fold(json!({"type": "string"}), |inner, _| json!({"items": inner}));
        for schema in [
            json!({}),
            json!({"type": "strnig"}),
            json!({"type": ["object"]}),
            json!({"type": "object", "properties": {"a": {"type": "strnig"}}}),
            json!({"type": "object", "properties": {"a": deep}}),
        ] {
            assert!(!is_schema(&tool(schema.clone())), "{schema}");
        }
    }

    #[test]
    fn the_first_start_after_a_death_is_at_once_and_the_next_ones_wait() {
        let mut state = State::default();
        let mut pauses = Vec::new();
        for _ in 0..12 {
            died(&mut state);
            let pause = state.not_before.map_or(Duration::ZERO, |moment| moment.duration_since(Instant::now()));
            pauses.push((pause.as_secs_f64() * 4.0).round() / 4.0);
        }
        assert_eq!(pauses, [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0, 30.0]);
    }
}
