//! What a call does: it finds, describes, or goes to the server behind, if it may.

use super::confirm::reason;
use super::downstream::{Live, NoResult};
use super::texts::{BETWEEN, CALL, DESCRIBE, FIND, failure, found_text, shown_name, success};
use super::validate::faults;
use super::{Exposure, Gateway, apart, locked};
use crate::engine::ToolsFound;
use crate::engine::face::text::single_line;
use crate::render::json_object;
use crate::serve::Caller;
use crate::serve::requests::{FindToolsRequest, OutcomeReport};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequest, ElicitRequestParams, ElicitationSchema,
    InputRequest, InputRequiredResult, ProtocolVersion, ServerRequest, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most names of one description.
const DESCRIBED: usize = 20;
/// How long a person may think about a confirmation.
const THINKS: Duration = Duration::from_secs(300);
/// How long `find` waits for servers that start. What comes later is found the next time.
const FIND_WAITS: Duration = Duration::from_secs(10);
/// Most tools that a request may ask for.
const MOST_ASKED: u32 = 100;
/// How much of the arguments a question shows, in characters.
const SHOWN_ARGUMENTS: usize = 600;
/// The one question of a confirmation.
const QUESTION: &str = "confirm";

/// A call as it goes to a server.
struct Call {
    server: String,
    tool: String,
    arguments: Map<String, Value>,
    /// A token that the client was given.
    token: Option<String>,
}

pub(super) async fn call(
    gateway: &Arc<Gateway>,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = request.arguments.clone().unwrap_or_default();
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let is_own = gateway.config.exposure != Exposure::Transparent;
    match &*request.name {
        FIND if is_own => {
            let Some(task) = text("task").filter(|task| !task.trim().is_empty()) else {
                return Ok(failure("say the task").into());
            };
            Ok(find(gateway, task, &context).await.into())
        }
        DESCRIBE if is_own => {
            let names = arguments.get("names").and_then(Value::as_array).into_iter().flatten();
            let names: Vec<String> = names.filter_map(Value::as_str).take(DESCRIBED).map(str::to_owned).collect();
            Ok(describe(gateway, &names).await.into())
        }
        CALL if is_own => {
            let inside = match arguments.get("arguments") {
                None | Some(Value::Null) => Map::new(),
                Some(Value::Object(inside)) => inside.clone(),
                Some(_) => return Ok(failure("arguments must be an object").into()),
            };
            let Some(name) = text("name") else { return Ok(failure("say the name of the tool").into()) };
            through(gateway, &name, inside, text("confirmation"), request, context).await
        }
        _ => {
            let name = request.name.to_string();
            through(gateway, &name, arguments, None, request, context).await
        }
    }
}

/// The tools of a task. Servers that were never asked are started; what others have is known.
async fn find(gateway: &Arc<Gateway>, task: String, context: &RequestContext<RoleServer>) -> CallToolResult {
    let asked = Arc::clone(gateway);
    let known = match apart(move || asked.service().known_tools(Caller::owner(&|| false))).await {
        Ok(Ok(known)) => known.value.servers,
        Ok(Err(error)) => return failure(error.to_string()),
        Err(why) => return failure(why),
    };
    let unknown = gateway.servers.keys().filter(|name| !known.contains(*name)).cloned().collect();
    let (ready, mut told) = gateway.ready_all(unknown, FIND_WAITS).await;
    let left_out = ready.iter().map(|(name, live)| (name, live.left_out())).filter(|(_, some)| !some.is_empty());
    told.extend(left_out.map(|(name, some)| format!("server {name}: {some}")));
    let (asked, stopped) = (Arc::clone(gateway), context.ct.clone());
    // Tools of servers that are not behind this gateway are known too.
    let most = gateway.config.most_tools;
    let top = u32::try_from(most * 4).unwrap_or(u32::MAX).min(MOST_ASKED);
    let work = move || {
        let caller = Caller { stopped: &|| stopped.is_cancelled(), ..Caller::owner(&|| false) };
        let session = Some(asked.session.clone());
        let request = FindToolsRequest { task, used: Vec::new(), top: Some(top), session };
        asked.service().find_tools(&request, caller).map(|found| found.value)
    };
    let mut found: ToolsFound = match apart(work).await {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => return failure(error.to_string()),
        Err(why) => return failure(why),
    };
    found.tools.retain(|one| gateway.servers.contains_key(&one.tool.server));
    found.closest.retain(|one| gateway.servers.contains_key(&one.tool.server));
    found.tools.truncate(most);
    if gateway.config.exposure == Exposure::Hybrid && show_by_name(gateway, &found).await {
        // A client of the newest revision asks for this by a stream of its own; it asks for the list when it needs it.
        drop(context.peer.notify_tool_list_changed().await);
    }
    success(found_text(&found, &told))
}

/// Shows the tools of the task by name; gives whether the list has changed.
async fn show_by_name(gateway: &Arc<Gateway>, found: &ToolsFound) -> bool {
    let wanted = || found.tools.iter().chain(&found.closest);
    let mut servers: Vec<String> = wanted().map(|one| one.tool.server.clone()).collect();
    servers.sort();
    servers.dedup();
    let (ready, _) = gateway.ready_all(servers, FIND_WAITS).await;
    let shown = wanted().filter_map(|one| {
        let (server, live) = ready.iter().find(|(server, _)| *server == one.tool.server)?;
        let tool = live.tool(&one.tool.name).filter(|tool| !gateway.is_held_back(server, &tool.name))?;
        Some(Gateway::shown(server, tool))
    });
    let shown: Vec<Tool> = shown.collect();
    let mut by_name = locked(&gateway.by_name);
    let is_new = *by_name != shown;
    *by_name = shown;
    is_new
}

async fn describe(gateway: &Arc<Gateway>, names: &[String]) -> CallToolResult {
    if names.is_empty() {
        return failure("say the names of the tools");
    }
    let mut said = Vec::new();
    for name in names {
        said.push(match known(gateway, name).await {
            Ok((server, live, tool)) => json!(Gateway::shown(&server, live.tool(&tool).unwrap_or(&Tool::default()))),
            Err(why) => json!({"name": name, "error": why}),
        });
    }
    success(json_object(&json!({ "tools": said })))
}

/// The running server of a tool, and the tool's own name. An error says why it cannot be called.
async fn known(gateway: &Arc<Gateway>, name: &str) -> Result<(String, Arc<Live>, String), String> {
    let Some((server, tool)) = name.split_once(BETWEEN) else {
        return Err(format!("there is no tool {}; a name is server{BETWEEN}tool", single_line(name, 100)));
    };
    let (_, live) = gateway.ready(server).await?;
    if live.tool(tool).is_none() {
        let left_out = match live.left_out() {
            none if none.is_empty() => none,
            some => format!("; {some}"),
        };
        return Err(format!("server {server} has no tool {}{left_out}", single_line(tool, 100)));
    }
    if gateway.is_held_back(server, tool) {
        // It may have been approved meanwhile.
        let asked = Arc::clone(gateway);
        let waiting = apart(move || asked.service().known_tools(Caller::owner(&|| false))).await?;
        let waiting = waiting.map_err(|error| error.to_string())?.value.held_back;
        let key = format!("{server}/{tool}");
        if waiting.contains(&key) {
            return Err(format!(
                "{name} says something else of itself than what was approved. A person has to read it and run: ken \
                 tools approve {key}"
            ));
        }
        locked(&gateway.held_back).remove(&key);
    }
    Ok((server.to_owned(), live, tool.to_owned()))
}

/// Makes a call, if it may be made, and hands on what comes of it.
async fn through(
    gateway: &Arc<Gateway>,
    name: &str,
    arguments: Map<String, Value>,
    token: Option<String>,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let (server, live, tool) = match known(gateway, name).await {
        Ok(known) => known,
        Err(why) => return Ok(failure(why).into()),
    };
    let call = Call { server, tool, arguments, token };
    let Some(described) = live.tool(&call.tool) else { return Ok(failure("the tool is gone").into()) };
    match faults(&described.input_schema, &call.arguments) {
        Err(why) => return Ok(failure(format!("{name} cannot be called: {why}")).into()),
        Ok(faults) if !faults.is_empty() => {
            return Ok(failure(format!("{name} was not called: {}", faults.join("; "))).into());
        }
        Ok(_) => {}
    }
    let is_allowed =
        gateway.config.allow.iter().any(|one| *one == shown_name(&format!("{}/{}", call.server, call.tool)));
    if let Some(why) = reason(described, &gateway.config.confirm).filter(|_| !is_allowed)
        && let Err(answer) = confirmed(gateway, &call, &why, &request, &context).await
    {
        return Ok(answer);
    }
    let Some(server) = gateway.servers.get(&call.server) else { return Ok(failure("the server is gone").into()) };
    let mut params = CallToolRequestParams::new(call.tool.clone());
    // Absent and empty are told apart by some servers.
    if request.name == CALL || request.arguments.is_some() {
        params = params.with_arguments(call.arguments.clone());
    }
    let begun = Instant::now();
    let answer = tokio::select! {
        answer = server.call(&live, params) => answer,
        () = context.ct.cancelled() => Err(NoResult::Failed("the client has cancelled the call".to_owned())),
    };
    record(gateway, call, &answer, begun);
    match answer {
        Ok(result) => Ok(result.into()),
        Err(NoResult::Refused(error)) => Err(error),
        Err(NoResult::Failed(why)) => Ok(failure(why).into()),
    }
}

fn record(gateway: &Arc<Gateway>, call: Call, answer: &Result<CallToolResult, NoResult>, begun: Instant) {
    let error = match answer {
        Ok(result) if result.is_error == Some(true) => {
            let texts: Vec<&str> =
                result.content.iter().filter_map(|one| one.as_text()).map(|one| one.text.as_str()).collect();
            Some(texts.join("\n"))
        }
        Ok(_) => None,
        Err(NoResult::Refused(error)) => Some(error.message.to_string()),
        Err(NoResult::Failed(why)) => Some(why.clone()),
    };
    gateway.recorder().keep(OutcomeReport {
        session: Some(gateway.session.clone()),
        tool: format!("{}/{}", call.server, call.tool),
        input: Value::Object(call.arguments),
        ok: Some(error.is_none()),
        error,
        duration_ms: u64::try_from(begun.elapsed().as_millis()).ok(),
        ..OutcomeReport::default()
    });
}

/// Lets a call through once somebody has confirmed it; else gives what is answered in its place.
async fn confirmed(
    gateway: &Arc<Gateway>,
    call: &Call,
    why: &str,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<(), CallToolResponse> {
    let name = shown_name(&format!("{}/{}", call.server, call.tool));
    // All of it, so that a confirmation is for this call alone.
    let made = json!([name, call.arguments]).to_string();
    let refused = |why: &str| CallToolResponse::from(failure(format!("{name} was not called: {why}")));
    if let Some(token) = &call.token {
        let is_good =
            gateway.config.confirm_by_token && locked(&gateway.confirmations).take(token, &made, Instant::now());
        let wrong = "the confirmation is not for this call, or too old; call without one to be given another";
        return if is_good { Ok(()) } else { Err(refused(wrong)) };
    }
    let forms = context.client_capabilities().and_then(|all| all.elicitation);
    let shows_forms = forms.is_some_and(|forms| forms.form.is_some() || forms.url.is_none());
    let shown = single_line(&Value::Object(call.arguments.clone()).to_string(), SHOWN_ARGUMENTS);
    let question = || {
        ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: format!("Call {name}? This is asked because {why}. Arguments: {shown}"),
            requested_schema: ElicitationSchema::new(BTreeMap::new()),
        })
    };
    let is_new = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    let not_confirmed = "it was not confirmed";
    if shows_forms && is_new {
        if let Some(state) = &request.request_state {
            let is_good = locked(&gateway.confirmations).take(state, &made, Instant::now());
            let answer = request.input_responses.as_ref().and_then(|all| all.get(QUESTION));
            let is_yes = answer.and_then(|answer| answer.get("action")).is_some_and(|action| action == "accept");
            return if is_good && is_yes { Ok(()) } else { Err(refused(not_confirmed)) };
        }
        let Some(state) = locked(&gateway.confirmations).ask(&made, Instant::now()) else {
            return Err(refused("there is no source of random numbers"));
        };
        let questions = BTreeMap::from([(QUESTION.to_owned(), InputRequest::Elicitation(question()))]);
        return Err(InputRequiredResult::new(Some(questions), Some(state)).into());
    }
    if shows_forms {
        let asked = context.peer.send_request(ServerRequest::ElicitRequest(question()));
        let answer = tokio::select! {
            answer = tokio::time::timeout(THINKS, asked) => answer,
            () = context.ct.cancelled() => return Err(refused("the client has cancelled the call")),
        };
        let action = answer.ok().and_then(Result::ok).and_then(|answer| serde_json::to_value(answer).ok());
        let is_yes = action.as_ref().and_then(|answer| answer.get("action")).is_some_and(|action| action == "accept");
        return if is_yes { Ok(()) } else { Err(refused(not_confirmed)) };
    }
    if gateway.config.confirm_by_token && gateway.config.exposure != Exposure::Transparent {
        let token = locked(&gateway.confirmations).ask(&made, Instant::now());
        return Err(match token {
            Some(token) => refused(&format!(
                "{why}, so it must be confirmed. Ask the person you work for. If they agree, call it by {CALL} with \
                 the same arguments and \"confirmation\": \"{token}\""
            )),
            None => refused("there is no source of random numbers"),
        });
    }
    Err(refused(&format!(
        "{why}, so it must be confirmed, and this client cannot show a question. A person can allow it for good: add \
         {name:?} to \"allow\" in the gateway's configuration"
    )))
}
