//! `ken gateway`.

use super::clock::now_ms;
use super::output::{Failure, Output};
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome, feedback};
use crate::engine::Engine;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, Keeper, Links};
use crate::render::{line, shown};
use crate::serve::Service;
use crate::serve::gateway::{GatewayConfig, Reach, serve};
use crate::types::limits::TOOL_LIST;
use clap::Args;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Stand in front of an agent's servers, and show it only the tools that its task needs
///
/// Speaks the Model Context Protocol over standard input and output. The file has the servers in the form of agents'
/// own settings. What cannot be taken back is confirmed first. What came of each call is kept without secrets (see ken
/// outcomes). docs/gateway.md has all settings.
#[derive(Debug, Args)]
#[command(after_help = "\
A file: {\"mcpServers\": {\"git\": {\"command\": \"uvx\",
\"args\": [\"mcp-server-git\"]}}, \"exposure\": \"meta\"}

exposure: meta (find, describe and call), transparent (all tools as they
are) or hybrid (the tools of the task by name)

Example:
  ken gateway --config servers.json

Exit code: 0 when the client has gone.")]
pub(super) struct GatewayArgs {
    /// The servers, and what is shown of them
    #[arg(long, value_name = "FILE", required_unless_present = "hold")]
    config: Option<PathBuf>,
    /// Run a command that ends, with all that it has started, when the process of this number does
    #[arg(long, value_name = "PID", hide = true, conflicts_with = "config", requires = "command")]
    hold: Option<u32>,
    /// The command
    #[arg(value_name = "CMD", hide = true, trailing_var_arg = true, allow_hyphen_values = true, requires = "hold")]
    command: Vec<OsString>,
}

pub(super) fn run(global: &Global, args: &GatewayArgs, output: &Output) -> Outcome {
    let Some(file) = &args.config else { return held(args) };
    let name = shown(file).into_owned();
    let text = system::read_text(file, Links::Follow, TOOL_LIST).map_err(|error| Failure::io(&name, &error))?;
    let own = system::own_path(std::env::args_os().next()).map_err(|error| Failure::io("this program", &error))?;
    let surroundings = Surroundings::open(global, output)?;
    let config = GatewayConfig::read(&text, &|name| surroundings.variable(name)).map_err(|error| {
        let hint = "`ken gateway --help` shows what such a file looks like";
        Failure::new(ErrorKind::Usage, format!("{name}: {}", line(&error.to_string())), hint)
    })?;
    let reach = Reach { own, proxy: surroundings.proxy(false) };
    let here = working_directory()?;
    let (engine, settings) = (surroundings.settings(), surroundings.config.settings().clone());
    let open = move || Service::new(Engine::new(engine.clone()), settings.clone(), here.clone(), now_ms);
    let session = feedback::named().unwrap_or_else(|| format!("gateway {} {}", now_ms(), std::process::id()));
    serve(open, config, reach, session).map_err(|error| Failure::io("the client", &error))?;
    Ok(0)
}

/// Runs the command of a server, and ends it with all of its group when the gateway goes, even if that is killed: a
/// server that does not read its input would not notice, nor would one that the command has started.
fn held(args: &GatewayArgs) -> Outcome {
    let (Some((program, arguments)), Some(gateway)) = (args.command.split_first(), args.hold) else { return Ok(0) };
    let of_ours = |error: io::Error| Failure::io("this process", &error);
    let Some(keeper) = Keeper::begin(gateway).map_err(of_ours)? else { return Ok(0) };
    let server = system::as_typed(program)
        .args(arguments)
        .spawn()
        .map_err(|error| Failure::io(&shown(Path::new(program)), &error))?;
    keeper.wait(server).map_err(of_ours)?;
    Ok(0)
}
