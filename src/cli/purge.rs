//! `ken purge`.

use super::output::{Failure, Output};
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::render::{Size, json_object, shown};
use clap::Args;
use serde_json::json;
use std::io::IsTerminal;

/// Remove everything that ken stores
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken purge --dry-run    list what would be removed\n  \
        ken purge --yes        remove it without asking")]
pub(super) struct PurgeArgs {
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Only list what would be removed
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(global: &Global, args: &PurgeArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let holdings = engine.holdings();
    let list = |removed: bool| {
        if output.json {
            return json_object(&json!({"removed": removed, "holdings": holdings}));
        }
        if holdings.is_empty() {
            return "Nothing is kept.\n".to_owned();
        }
        let line = |h: &crate::engine::Holding| format!("{:>7}  {}  ({})\n", Size(h.bytes), shown(&h.path), h.what);
        holdings.iter().map(line).collect()
    };
    if args.dry_run || holdings.is_empty() {
        output.print(&list(false))?;
        if !holdings.is_empty() {
            output.say("`ken purge` asks and removes this; `ken purge --yes` does not ask.");
        }
        return Ok(0);
    }
    if !args.yes {
        output.say(list(false).trim_end());
        if !std::io::stdin().is_terminal() || output.json {
            return Err(Failure::new(
                ErrorKind::Usage,
                "nothing was removed: there is no terminal to ask on",
                "ken purge --yes",
            ));
        }
        output.ask("Remove all of it? [y/N]");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map_err(|e| Failure::io("standard input", &e))?;
        if !matches!(line.trim(), "y" | "Y" | "yes") {
            output.say("Nothing was removed.");
            return Ok(1);
        }
    }
    engine.purge()?;
    output.print(&list(true))?;
    output.say("Removed.");
    Ok(0)
}
