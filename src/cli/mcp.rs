//! `ken mcp`.

use super::clock::now_ms;
use super::output::{Failure, Output};
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome, feedback};
use crate::engine::Engine;
use crate::engine::face::agents::{Client, entry};
use crate::render::json_object;
use crate::serve::Service;
use crate::serve::mcp::serve;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;

/// Serve an agent: its tools are lookup, search, pack, status, remember and dispute
///
/// Speaks the Model Context Protocol over standard input and output. Agents start it; it ends with them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken mcp --print-config claude-code > .mcp.json
  ken mcp --print-config codex

Exit code: 0 when the client has gone.")]
pub(super) struct McpArgs {
    /// Print the entry for the settings of this client, and exit
    #[arg(long, value_name = "CLIENT", value_parser = clients())]
    print_config: Option<Client>,
}

/// Reads an agent, and lists the agents in help.
pub(super) fn clients() -> impl TypedValueParser<Value = Client> {
    let names = PossibleValuesParser::new(Client::ALL.map(Client::name));
    names.try_map(|name| Client::named(&name).ok_or("there is no such agent"))
}

pub(super) fn run(global: &Global, args: &McpArgs, output: &Output) -> Outcome {
    if let Some(client) = args.print_config {
        return print_entry(client, output);
    }
    let surroundings = Surroundings::open(global, output)?;
    let here = working_directory()?;
    let (engine, settings) = (surroundings.settings(), surroundings.config.settings().clone());
    let open = move || Service::new(Engine::new(engine.clone()), settings.clone(), here.clone(), now_ms);
    // One conversation, unless somebody has named the session that it is part of.
    let session = feedback::named().unwrap_or_else(|| format!("mcp {} {}", now_ms(), std::process::id()));
    serve(open, session).map_err(|error| Failure::io("the client", &error))?;
    Ok(0)
}

fn print_entry(client: Client, output: &Output) -> Outcome {
    let (text, file) = entry(client, "ken");
    if output.json {
        output.print(&json_object(&json!({"client": client.name(), "file": file, "entry": text})))?;
    } else {
        output.print(&text)?;
        output.say(&format!("This stands in {file}."));
    }
    Ok(0)
}
