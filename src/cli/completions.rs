//! `ken completions`.

use super::output::{Failure, Output};
use super::{Outcome, complete};
use clap::Args;
use clap_complete::Shell;

/// Print the completion script of a shell
///
/// The script asks `ken` for candidates, so it completes the names of models, packs, entries, runs and settings too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken completions bash > ~/.local/share/bash-completion/completions/ken
  ken completions fish > ~/.config/fish/completions/ken.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, output: &Output) -> Outcome {
    let script = complete::script(args.shell).map_err(|error| Failure::io("the completion script", &error))?;
    output.print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}
