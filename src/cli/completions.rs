//! `ken completions`.

use super::output::Output;
use super::{Cli, Outcome};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ken completions bash > ~/.local/share/bash-completion/completions/ken")]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, output: &Output) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ken", &mut script);
    output.print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}
