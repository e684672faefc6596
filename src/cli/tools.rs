//! `ken tools`: which tools there are, which fit a task, and in which order they run.

use super::feedback::named;
use super::output::{Failure, Output};
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome, help_text};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, Links};
use crate::engine::face::text::single_line;
use crate::engine::face::tools::{Because, Edge, Missing, Plan, dot, mermaid, read_help, read_tools};
use crate::engine::{
    Engine, FoundCapability, FoundTool, KnownCapability, KnownThreshold, KnownTool, ToolApproved, ToolsFound,
    TracedDecision, TracedOutcome,
};
use crate::render::{json_object, line, shown, wrap};
use crate::serve::gateway::{Reach, ServerConfig, ServerTools, tools_of};
use crate::serve::{Asker, FindToolsRequest, Here, PlanToolsRequest, tools_seen_from};
use crate::types::limits::TOOL_LIST;
use crate::types::{Access, Scope, Tool};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Indent of what stands below a name.
const INDENT: &str = "    ";
/// Longest name and description in a line, in characters.
const NAME: usize = 120;
const DESCRIPTION: usize = 200;
/// How long a server may take to start and list its tools; some are installed first.
const STARTS: Duration = Duration::from_secs(60);

/// Find the few tools that a task needs, and the order in which they run
///
/// What tools say of themselves is compared with the task, and with what sessions used together (`ken outcomes`). A
/// tool whose description has changed is not offered until you approve it.
#[derive(Debug, Subcommand)]
pub(super) enum ToolsVerb {
    /// Add tools from a list, an OpenAPI document, an MCP server or a program's help
    ///
    /// FILE is a JSON list, an answer to tools/list or an OpenAPI 3 document. With --mcp a server is asked for its
    /// tools: one behind a URL, or one that is started by its command and ended. With --from-help FILE (or standard
    /// input) is the help text of a program, whose subcommands become tools; CMD is run only if you give it. Tools that
    /// are there already are replaced. In a repository they count there alone.
    #[command(after_help = "\
A list is [{\"name\": \"a\", \"description\": \"Does a\"}]; inputSchema (or
parameters), outputSchema (or results), server and tags may be given too.

With --header 'Authorization: Bearer ${TOKEN}' the secret stays in a variable.

Examples:
  ken tools add tools.json --server github
  ken tools add openapi.json --global
  ken tools add --mcp --server git -- uvx mcp-server-git
  ken tools add --mcp https://mcp.example.org/mcp --server example
  git --help | ken tools add --from-help git
  ken tools add --from-help \"git clone\" -- git clone -h")]
    Add(AddArgs),
    /// List the tools that are known
    #[command(after_help = "\
Examples:
  ken tools list
  ken tools list --json

Exit code: 0 if there are any, 1 if not.")]
    List,
    /// Find tools for a task, each with the reasons
    #[command(after_help = "\
Examples:
  ken tools find \"open an issue about the failed build\"
  ken tools find \"ship it\" --used git_clone --used cargo_build --top 3
  ken tools find \"ship it\" --session 5f0c2a

Exit code: 0 if a tool fits, 1 if none does.")]
    ///
    /// With --session the task is kept, without secrets, and what is suggested for it. Whether the session then calls
    /// it says how sure later suggestions must be; `ken forget --session` forgets the tasks too.
    Find(FindArgs),
    /// Plan a task: its tools in order, what can run at once, and what is missing
    #[command(after_help = "\
Examples:
  ken tools plan \"find the movie and list its cast\"
  ken tools plan \"find the movie and list its cast\" --mermaid

Exit code: 0 if a tool fits, 1 if none does.")]
    Plan(PlanArgs),
    /// List sets of tools that tasks used together, and how sure a suggestion must be
    #[command(after_help = "\
Examples:
  ken tools capabilities
  ken tools capabilities --json

Exit code: 0 if there are any, 1 if not.")]
    Capabilities,
    /// Show what the last decisions about tools rested on, the newest first
    ///
    /// They are kept if you set tools.trace, without secrets, and the last 1,000 alone.
    #[command(after_help = "\
Examples:
  ken config set tools.trace true
  ken tools trace --top 3 --json

Exit code: 0 if there are any, 1 if not.")]
    Trace(TraceArgs),
    /// Approve what a tool says now
    #[command(after_help = "Example:\n  ken tools approve github/create_issue")]
    Approve(NameArgs),
    /// Remove a tool, or with a name that ends with a slash all of a server
    #[command(after_help = "Examples:\n  ken tools remove github/create_issue\n  ken tools remove github/")]
    Remove(NameArgs),
}

#[derive(Debug, Args)]
pub(super) struct AddArgs {
    /// The document
    #[arg(value_name = "FILE", required_unless_present_any = ["mcp", "from_help"])]
    file: Option<PathBuf>,
    /// Ask the MCP server behind this URL, or the one that CMD starts
    #[arg(long, value_name = "URL", num_args = 0..=1, conflicts_with = "file", requires = "server")]
    mcp: Option<Option<String>>,
    /// Send this along to the URL, such as 'Name: ${VARIABLE}'; repeatable
    #[arg(long, value_name = "HEADER", requires = "mcp")]
    header: Vec<String>,
    /// Read the help text that PROGRAM prints
    #[arg(long, value_name = "PROGRAM", conflicts_with = "mcp")]
    from_help: Option<String>,
    /// The command of the server, or one that prints the help
    #[arg(value_name = "CMD", last = true, conflicts_with = "file")]
    command: Vec<String>,
    /// The server of tools that name none
    #[arg(long, value_name = "NAME", default_value = "")]
    server: String,
    /// For all repositories
    #[arg(long)]
    global: bool,
}

#[derive(Debug, Args)]
pub(super) struct FindArgs {
    /// What is to be done
    #[arg(value_name = "TASK", required = true)]
    task: Vec<String>,
    /// A tool that was called already; repeatable, in the order of the calls
    #[arg(long, value_name = "NAME")]
    used: Vec<String>,
    /// Most tools
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=100))]
    top: u32,
    /// Session whose calls say what came of it [default: KEN_SESSION, else none]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    /// Most decisions
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: u32,
}

#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// What is to be done
    #[arg(value_name = "TASK", required = true)]
    task: Vec<String>,
    /// Print a flow chart for Mermaid
    #[arg(long, conflicts_with = "dot")]
    mermaid: bool,
    /// Print a graph for Graphviz
    #[arg(long)]
    dot: bool,
}

#[derive(Debug, Args)]
pub(super) struct NameArgs {
    /// Its name, or server/name
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) fn run(global: &Global, verb: ToolsVerb, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let here = Here::new(working_directory()?);
    let everything = Access::all();
    let asker = Asker {
        engine: &engine,
        settings: surroundings.config.settings(),
        here: &here,
        access: &everything,
        notes: None,
    };
    let access = tools_seen_from(&engine, &everything, &here);
    let outcome = match verb {
        ToolsVerb::Add(args) => add(&engine, &args, &surroundings, here.scope(&engine), output),
        ToolsVerb::List => list(&engine, &access, output),
        ToolsVerb::Find(args) => find(asker, args, output),
        ToolsVerb::Plan(args) => plan(asker, &args, output),
        ToolsVerb::Capabilities => capabilities(&engine, &access, output),
        ToolsVerb::Trace(args) => trace(&engine, args.top as usize, &access, output),
        ToolsVerb::Approve(NameArgs { name }) => engine
            .approve_tools(&name, &access, &output.session())
            .map_err(Failure::from)
            .and_then(|done| said("Approved", "approved", &done, output)),
        ToolsVerb::Remove(NameArgs { name }) => engine
            .remove_tools(&name, &access, &output.session())
            .map_err(Failure::from)
            .and_then(|done| said("Removed", "removed", &done, output)),
    };
    engine.close();
    outcome
}

/// What a document says of tools, and what the document is called.
fn of_file(file: &Path, server: &str) -> Result<(String, Vec<Tool>), Failure> {
    let name = shown(file).into_owned();
    let text = system::read_text(file, Links::Follow, TOOL_LIST).map_err(|e| Failure::io(&name, &e))?;
    let tools = read_tools(&text, server).map_err(|error| {
        let hint = "`ken tools add --help` shows what a list looks like";
        Failure::new(ErrorKind::Usage, format!("{name}: {}", line(&error.to_string())), hint)
    })?;
    Ok((name, tools))
}

/// What a program says of itself, and where that was read.
fn of_help(args: &AddArgs, program: &str, file: Option<&Path>) -> Result<(String, Vec<Tool>), Failure> {
    let (text, name) = match args.command.as_slice() {
        [] => help_text::of_file(file)?,
        command => help_text::of_command(command)?,
    };
    let tools = read_help(&text, program, &args.server).map_err(|error| {
        let hint = "give what the program prints for --help, and its name as it is called";
        Failure::new(ErrorKind::Usage, format!("{name}: {}", line(&error.to_string())), hint)
    })?;
    Ok((format!("help of {}", single_line(program, NAME)), tools))
}

/// What a server says of its tools, and where that comes from.
fn of_server(
    args: &AddArgs,
    url: Option<&str>,
    surroundings: &Surroundings,
    output: &Output,
) -> Result<(String, Vec<Tool>), Failure> {
    let own = system::own_path(std::env::args_os().next()).map_err(|error| Failure::io("this program", &error))?;
    let (server, hint) = match (url, args.command.as_slice()) {
        (Some(url), []) => (
            ServerConfig::behind(&args.server, url, &args.header, &|name| surroundings.variable(name)),
            "look whether the server runs, and whether it is one of the Model Context Protocol",
        ),
        (None, [_, ..]) if args.header.is_empty() => (
            ServerConfig::of(&args.server, &args.command),
            "try the command by itself: it is to wait for messages on its standard input",
        ),
        _ => {
            let text = "a server is behind a URL, to which headers may go, or is started by a command";
            return Err(Failure::new(ErrorKind::Usage, text, "`ken tools add --help` has examples of both"));
        }
    };
    let server = server.map_err(|error| {
        let hint = "`ken tools add --help` has an example; a server's name is one such as `--server git`";
        Failure::new(ErrorKind::Usage, line(&error.to_string()), hint)
    })?;
    let reach = Reach { own, proxy: surroundings.proxy(false) };
    let ServerTools { tools, left_out } = tools_of(reach, &args.server, server, STARTS)
        .map_err(|why| Failure::new(ErrorKind::Usage, line(&why).into_owned(), hint))?;
    if !left_out.is_empty() {
        output.note(&format!("server {}: {left_out}.", args.server));
    }
    // As the gateway calls it: so both know one set of tools.
    Ok((format!("server {}", args.server), tools))
}

fn add(engine: &Engine, args: &AddArgs, surroundings: &Surroundings, here: &Scope, output: &Output) -> Outcome {
    let (name, tools) = match (&args.mcp, &args.from_help, &args.file) {
        (Some(url), _, _) => of_server(args, url.as_deref(), surroundings, output)?,
        (None, Some(program), file) => of_help(args, program, file.as_deref())?,
        (None, None, Some(file)) => of_file(file, &args.server)?,
        (None, None, None) => return Err(Failure::new(ErrorKind::Usage, "there is no document", "name a file")),
    };
    let scope = if args.global { Scope::global() } else { here.clone() };
    let done = engine.add_tools(&tools, &scope, &name, &output.session())?;
    output.tell_notes();
    if output.json {
        output.print(&json_object(&done))?;
        return Ok(0);
    }
    let mut text =
        format!("{} new, {} changed, {} as they were.\n", done.added.len(), done.changed.len(), done.unchanged);
    for key in &done.changed {
        text.push_str(&format!(
            "{INDENT}{} says something else now; read it, then `ken tools approve` it.\n",
            single_line(key, NAME)
        ));
    }
    output.print(&text)?;
    Ok(0)
}

fn list(engine: &Engine, access: &Access, output: &Output) -> Outcome {
    let tools = engine.list_tools(access, &output.session())?;
    output.tell_notes();
    if output.json {
        output.print(&json_object(&json!({"tools": tools})))?;
    } else if tools.is_empty() {
        output.say("No tools are known here; `ken tools add` adds some.");
    } else {
        output.print(&tools.iter().map(|tool| listed(tool, output.width)).collect::<String>())?;
    }
    Ok(u8::from(tools.is_empty()))
}

fn listed(one: &KnownTool, width: usize) -> String {
    let state = if one.approved { "" } else { "  not offered: it has changed, and nobody has approved it" };
    let calls = if one.calls > 0 { format!("  {}", calls(one.calls, one.ok)) } else { String::new() };
    let mut text = format!("{}{calls}{state}\n", single_line(&one.key, NAME));
    described(&mut text, &one.tool.description, width);
    text
}

fn described(text: &mut String, description: &str, width: usize) {
    if !description.trim().is_empty() {
        text.push_str(&wrap(&single_line(description, DESCRIPTION), INDENT, INDENT, width));
    }
}

fn calls(calls: u32, ok: u32) -> String {
    let share = 100.0 * f64::from(ok) / f64::from(calls.max(1));
    format!("{calls} {}, {share:.0} % ok", if calls == 1 { "call" } else { "calls" })
}

fn find(asker: Asker<'_>, args: FindArgs, output: &Output) -> Outcome {
    let request = FindToolsRequest {
        task: args.task.join(" "),
        used: args.used,
        top: Some(args.top),
        session: args.session.or_else(named),
    };
    let found = request.find(asker, &output.session())?;
    output.tell_notes();
    if output.json {
        output.print(&json_object(&found))?;
    } else if found.tools.is_empty() {
        output.say(&nothing(&found));
    } else {
        let text: String =
            found.tools.iter().enumerate().map(|(at, one)| found_text(at + 1, one, output.width)).collect();
        output.print(&(text + &together(&found.capabilities, output.width)))?;
    }
    Ok(u8::from(found.tools.is_empty()))
}

/// Sets of tools, each with its reasons.
fn together(capabilities: &[FoundCapability], width: usize) -> String {
    let mut text = String::new();
    for one in capabilities {
        text.push_str(&wrap(&names(&one.tools), "together: ", INDENT, width));
        text.push_str(&wrap(&format!("because: {}", line(&one.because.join("; "))), INDENT, INDENT, width));
    }
    text
}

fn names(keys: &[String]) -> String {
    keys.iter().map(|key| single_line(key, NAME)).collect::<Vec<_>>().join(", ")
}

fn capabilities(engine: &Engine, access: &Access, output: &Output) -> Outcome {
    let learnt = engine.tools_learnt(access, &output.session())?;
    output.tell_notes();
    let is_empty = learnt.capabilities.is_empty();
    if output.json {
        output.print(&json_object(&learnt))?;
    } else if is_empty {
        output.say("No task has used several known tools together and succeeded.");
    } else {
        let mut text = String::new();
        for KnownCapability { tools, uses, ok, proven, .. } in &learnt.capabilities {
            let share = 100.0 * f64::from(*ok) / f64::from((*uses).max(1));
            let state = if *proven { "" } else { "  not suggested yet" };
            let tasks = if *uses == 1 { "task" } else { "tasks" };
            text.push_str(&format!("{}  {uses} {tasks}, {share:.0} % ok{state}\n", names(tools)));
        }
        for KnownThreshold { kind, value, outcomes, accepted } in &learnt.thresholds {
            let share = accepted.map(|share| format!(", {:.0} % accepted lately", 100.0 * share)).unwrap_or_default();
            text.push_str(&format!("A {kind} is suggested from {value:.2} on ({outcomes} outcomes{share}).\n"));
        }
        output.print(&text)?;
    }
    Ok(u8::from(is_empty))
}

fn trace(engine: &Engine, most: usize, access: &Access, output: &Output) -> Outcome {
    let traces = engine.tool_traces(most, access, &output.session())?;
    output.tell_notes();
    if output.json {
        output.print(&json_object(&json!({"traces": traces})))?;
    } else if traces.is_empty() {
        output.say("No decision is kept; set tools.trace to keep them.");
    } else {
        output.print(&traces.iter().map(|one| traced_text(one, output.width)).collect::<String>())?;
    }
    Ok(u8::from(traces.is_empty()))
}

fn traced_text(one: &TracedDecision, width: usize) -> String {
    let decision = &one.decision;
    let mut text = wrap(&single_line(&one.task, DESCRIPTION), &format!("{}. ", one.number), INDENT, width);
    let (tools, capabilities) = decision.thresholds;
    text.push_str(&format!(
        "{INDENT}evidence {:.2}, gate {:.2}; thresholds {tools:.2}, {capabilities:.2}; {} past tasks\n",
        decision.best, decision.gate, decision.past_tasks
    ));
    for signals in &decision.tools {
        let is_its = |outcome: &&TracedOutcome| outcome.tools.len() == 1 && outcome.tools[0] == signals.tool;
        let accepted = match one.outcomes.iter().find(is_its).and_then(|outcome| outcome.accepted) {
            Some(true) => ", then called",
            Some(false) => ", not called",
            None => "",
        };
        let suggested = if signals.suggested { ", suggested" } else { "" };
        text.push_str(&format!(
            "{INDENT}{}: text {:.3}, near {:.3}, share {:.3}, chance {:.3}{suggested}{accepted}\n",
            single_line(&signals.tool, NAME),
            signals.text,
            signals.near,
            signals.share,
            signals.chance
        ));
    }
    text
}

fn nothing(found: &ToolsFound) -> String {
    let mut text = none_fits(found);
    if !found.closest.is_empty() {
        let names: Vec<String> = found.closest.iter().map(|one| single_line(&one.key, NAME)).collect();
        text.push_str(&format!(" Closest: {}.", names.join(", ")));
    }
    text
}

fn none_fits(found: &ToolsFound) -> String {
    match (found.known, found.unapproved) {
        (0, 0) => "No tools are known here; `ken tools add` adds some.".to_owned(),
        (known, 0) => format!("None of {known} tools fits."),
        (known, waiting) => {
            format!("None of {known} tools fits; {waiting} more wait to be approved (`ken tools list`).")
        }
    }
}

fn found_text(number: usize, one: &FoundTool, width: usize) -> String {
    let mut text = format!("{number}. {}\n", single_line(&one.key, NAME));
    described(&mut text, &one.tool.description, width);
    let mut reasons: Vec<String> = one.because.iter().map(|reason| single_line(reason, DESCRIPTION)).collect();
    if one.suggested {
        reasons.insert(0, "suggested".to_owned());
    }
    if one.calls > 0 {
        reasons.push(calls(one.calls, one.ok));
    }
    if !reasons.is_empty() {
        text.push_str(&wrap(&format!("because: {}", reasons.join("; ")), INDENT, INDENT, width));
    }
    text
}

fn plan(asker: Asker<'_>, args: &PlanArgs, output: &Output) -> Outcome {
    let made = PlanToolsRequest { task: args.task.join(" ") }.plan(asker, &output.session())?;
    output.tell_notes();
    let is_empty = made.plan.levels.is_empty();
    if output.json {
        output.print(&json_object(&made))?;
    } else if is_empty {
        output.say(&format!("None of {} tools fits.", made.known));
    } else if args.mermaid {
        output.print(&mermaid(&made.plan))?;
    } else if args.dot {
        output.print(&dot(&made.plan))?;
    } else {
        output.print(&(plan_text(&made.plan, output.width) + &together(&made.capabilities, output.width)))?;
    }
    Ok(u8::from(is_empty))
}

fn plan_text(plan: &Plan, width: usize) -> String {
    let name = |key: &str| single_line(key, NAME);
    let mut text = String::new();
    for (number, level) in (1..).zip(&plan.levels) {
        let at_once = if level.len() > 1 { " (at once)" } else { "" };
        let names: Vec<String> = level.iter().map(|key| name(key)).collect();
        text.push_str(&wrap(&format!("{}{at_once}", names.join(", ")), &format!("{number}. "), "   ", width));
    }
    for Edge { from, to, because, .. } in &plan.edges {
        let why = match because {
            Because::Field { name } => format!("it gives {name}"),
            Because::Reference { name } => format!("it finds or makes what {name} refers to"),
            Because::Order { times, of } => format!("it was first in {times} of {of} sessions"),
            Because::Verbs => "their names say so".to_owned(),
        };
        text.push_str(&wrap(&line(&format!("{} before {}: {why}", name(from), name(to))), INDENT, INDENT, width));
    }
    for Missing { tool, parameter, .. } in &plan.missing {
        text.push_str(&wrap(
            &line(&format!("{} needs {parameter}, which no tool gives", name(tool))),
            INDENT,
            INDENT,
            width,
        ));
    }
    text
}

fn said(text: &str, name: &str, done: &[ToolApproved], output: &Output) -> Outcome {
    output.tell_notes();
    output.print(&match output.json {
        true => json_object(&json!({ name: done })),
        false => done.iter().map(|one| format!("{text}: {}.\n", single_line(&one.tool, NAME))).collect(),
    })?;
    Ok(0)
}
