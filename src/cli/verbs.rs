//! Reads the command line into a verb with its options.

use super::{Cli, Global, help};
use super::{ask, bench, canon, check, completions, config, doctor, export, forget, gateway, gc, hook, import, index};
use super::{init, items, learn, lookup, man, mcp, memory, model, outcomes, pack, patterns, purge, remember, run};
use super::{search, serve, status, store, tools, trust};
use clap::{Args, Command, FromArgMatches, Subcommand};
use std::ffi::OsString;

/// What `ken` is to do.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    Lookup(lookup::LookupArgs),
    Run(run::RunArgs),
    Search(search::SearchArgs),
    Pack(pack::PackArgs),
    Check(check::CheckArgs),
    Ask(ask::AskArgs),
    Index(index::IndexArgs),
    Status(status::StatusArgs),
    Forget(forget::ForgetArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
    #[command(subcommand)]
    Items(items::ItemsVerb),
    Remember(remember::RememberArgs),
    Dispute(remember::DisputeArgs),
    Learn(learn::LearnArgs),
    #[command(subcommand)]
    Memory(memory::MemoryVerb),
    Outcomes(outcomes::OutcomesArgs),
    #[command(subcommand)]
    Patterns(patterns::PatternsVerb),
    #[command(subcommand)]
    Tools(tools::ToolsVerb),
    #[command(subcommand)]
    Store(store::StoreVerb),
    Doctor(doctor::DoctorArgs),
    Gc(gc::GcArgs),
    #[command(subcommand)]
    Canon(canon::CanonVerb),
    #[command(subcommand)]
    Model(model::ModelVerb),
    #[command(subcommand)]
    Bench(bench::BenchVerb),
    #[command(subcommand)]
    Config(config::ConfigVerb),
    Serve(serve::ServeArgs),
    Mcp(mcp::McpArgs),
    Gateway(gateway::GatewayArgs),
    Init(init::InitArgs),
    #[command(subcommand)]
    Hook(hook::HookVerb),
    Trust(trust::TrustArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Purge(purge::PurgeArgs),
}

/// Adds the options of a verb to its command.
type Augment = fn(Command) -> Command;

/// The verbs, each with a function that adds its options. With it the options of one verb are made without the others.
const VERBS: [(&str, Augment); 35] = [
    ("lookup", lookup::LookupArgs::augment_args),
    ("run", run::RunArgs::augment_args),
    ("search", search::SearchArgs::augment_args),
    ("pack", pack::PackArgs::augment_args),
    ("check", check::CheckArgs::augment_args),
    ("ask", ask::AskArgs::augment_args),
    ("index", index::IndexArgs::augment_args),
    ("status", status::StatusArgs::augment_args),
    ("forget", forget::ForgetArgs::augment_args),
    ("export", export::ExportArgs::augment_args),
    ("import", import::ImportArgs::augment_args),
    ("items", items::ItemsVerb::augment_subcommands),
    ("remember", remember::RememberArgs::augment_args),
    ("dispute", remember::DisputeArgs::augment_args),
    ("learn", learn::LearnArgs::augment_args),
    ("memory", memory::MemoryVerb::augment_subcommands),
    ("outcomes", outcomes::OutcomesArgs::augment_args),
    ("patterns", patterns::PatternsVerb::augment_subcommands),
    ("tools", tools::ToolsVerb::augment_subcommands),
    ("store", store::StoreVerb::augment_subcommands),
    ("doctor", doctor::DoctorArgs::augment_args),
    ("gc", gc::GcArgs::augment_args),
    ("canon", canon::CanonVerb::augment_subcommands),
    ("model", model::ModelVerb::augment_subcommands),
    ("bench", bench::BenchVerb::augment_subcommands),
    ("config", config::ConfigVerb::augment_subcommands),
    ("serve", serve::ServeArgs::augment_args),
    ("mcp", mcp::McpArgs::augment_args),
    ("gateway", gateway::GatewayArgs::augment_args),
    ("init", init::InitArgs::augment_args),
    ("hook", hook::HookVerb::augment_subcommands),
    ("trust", trust::TrustArgs::augment_args),
    ("completions", completions::CompletionsArgs::augment_args),
    ("man", man::ManArgs::augment_args),
    ("purge", purge::PurgeArgs::augment_args),
];

/// Reads the arguments of the process, its name first.
///
/// # Errors
/// What is wrong with them, or the help that is asked for.
pub(super) fn read(arguments: impl Iterator<Item = OsString>) -> clap::error::Result<Cli> {
    let arguments: Vec<OsString> = arguments.collect();
    // Making the options of all verbs takes a millisecond, so only those of the verb that is called are made. If that
    // fails, the arguments are read again with all verbs, so that messages and help know every one.
    if let Some(cli) = narrow(&arguments).and_then(|command| parsed(command, &arguments).ok()) {
        return Ok(cli);
    }
    parsed(help::command(), &arguments)
}

fn parsed(command: Command, arguments: &[OsString]) -> clap::error::Result<Cli> {
    Cli::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

/// A command line that knows no verb but the one that is called.
fn narrow(arguments: &[OsString]) -> Option<Command> {
    let word = arguments.iter().skip(1).find_map(|one| one.to_str().filter(|text| !text.starts_with('-')))?;
    let (name, augment) = VERBS.iter().find(|(name, _)| *name == word)?;
    let ken = Global::augment_args(clap::Command::new("ken").disable_help_flag(true).subcommand_required(true));
    Some(ken.subcommand(augment(clap::Command::new(*name))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn every_verb_can_be_made_without_the_others() {
        let command = help::command();
        let all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let known: Vec<&str> = VERBS.iter().map(|(name, _)| *name).collect();
        assert_eq!(known, all);
        for whole in command.get_subcommands() {
            let mut alone = narrow(&arguments(&format!("ken {}", whole.get_name()))).unwrap();
            alone.build();
            let alone = alone.get_subcommands().find(|one| one.get_name() == whole.get_name()).unwrap();
            let ids = |command: &Command| -> Vec<String> {
                let own = command.get_arguments().filter(|one| !one.is_global_set() && one.get_id() != "help");
                own.map(|one| one.get_id().to_string()).collect()
            };
            assert_eq!(ids(alone), ids(whole));
            let verbs = |command: &Command| -> Vec<String> {
                let verbs = command.get_subcommands().map(|one| one.get_name().to_owned());
                verbs.filter(|name| name != "help").collect()
            };
            assert_eq!(verbs(alone), verbs(whole));
        }
    }

    #[test]
    fn arguments_mean_the_same_with_one_verb_and_with_all() {
        for line in [
            "ken lookup --json x",
            "ken --json lookup x",
            "ken search -n 3 a b --quiet",
            "ken memory list --held",
            "ken bench run sets/a",
            "ken --model lookup search x",
            "ken --color=never run -- make --json",
            "ken canon check a.json",
        ] {
            let line = arguments(line);
            let whole = parsed(help::command(), &line).unwrap();
            let read = read(line.clone().into_iter()).unwrap();
            assert_eq!(format!("{whole:?}"), format!("{read:?}"), "{line:?}");
        }
        for line in ["ken", "ken lookup -h", "ken lokup x", "ken lookup --no-such x", "ken memory", "ken memory help"] {
            let line = arguments(line);
            let whole = parsed(help::command(), &line).unwrap_err().to_string();
            assert_eq!(read(line.clone().into_iter()).unwrap_err().to_string(), whole, "{line:?}");
        }
    }
}
