//! `ken hook install`.

use super::init::{How, job, needs_repository, report};
use super::mcp::clients;
use super::output::{Failure, Output};
use super::surroundings::agent_folders;
use super::{Global, Outcome};
use crate::engine::face::agents::{Client, Part, Scope, hook_text};
use crate::engine::face::failure::ErrorKind;
use crate::render::json_object;
use clap::Args;
use serde_json::json;

/// Make an agent report to ken what its tools did
///
/// Existing files keep their contents. --remove takes out what was put in.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken hook install claude-code --print
  ken hook install cursor --dry-run
  ken hook install codex --user
  ken hook install cursor --remove

Exit code: 0 if the hook is installed, 8 if the file was left as it was, 2 if
the agent has no hooks.")]
pub(super) struct InstallArgs {
    /// The agent
    #[arg(value_name = "CLIENT", value_parser = clients())]
    client: Client,
    /// In your home, for all folders
    #[arg(long, conflicts_with = "here")]
    user: bool,
    /// In this repository (default)
    #[arg(long)]
    here: bool,
    /// Print the entry and write nothing
    #[arg(long, conflicts_with_all = ["dry_run", "remove", "force"])]
    print: bool,
    #[command(flatten)]
    how: How,
}

pub(super) fn run(_: &Global, args: &InstallArgs, output: &Output) -> Outcome {
    let (client, scope) = (args.client, if args.user { Scope::User } else { Scope::Repository });
    let Some(text) = hook_text(client, scope) else {
        let with: Vec<&str> =
            Client::ALL.into_iter().filter(|one| hook_text(*one, scope).is_some()).map(Client::name).collect();
        let (text, hint) = (format!("{} has no hooks", client.title()), format!("these have: {}", with.join(", ")));
        return Err(Failure::new(ErrorKind::Usage, text, hint));
    };
    if args.print {
        output.print(&if output.json {
            json_object(&json!({"client": client.name(), "entry": text}))
        } else {
            text
        })?;
        return Ok(0);
    }
    let folders = agent_folders()?;
    needs_repository(&folders, scope)?;
    report(job(vec![client], scope, vec![Part::Hook], folders, &args.how), output)
}
