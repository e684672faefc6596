//! `ken hook`.

use super::output::Output;
use super::{Global, Outcome, hook_install};
use clap::Subcommand;

/// Take part in what agents do
#[derive(Debug, Subcommand)]
pub(super) enum HookVerb {
    Install(hook_install::InstallArgs),
}

pub(super) fn run(global: &Global, verb: &HookVerb, output: &Output) -> Outcome {
    match verb {
        HookVerb::Install(args) => hook_install::run(global, args, output),
    }
}
