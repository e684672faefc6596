//! The command line: parse, build the engine from configuration, call one use case, render, exit.
//!
//! One file per verb. stdout carries results alone; messages and progress go to stderr, progress only to a terminal.
//! Only this module knows the environment, the clock and the terminal.

mod archive;
mod ask;
mod background;
mod bench;
mod bench_ann;
mod bench_calibrate;
mod bench_compare;
mod bench_embed;
mod bench_fingerprint;
mod bench_from_index;
mod bench_logs;
mod bench_noise;
mod bench_pack;
mod bench_run;
mod bench_table;
mod canon;
mod check;
mod clock;
mod completions;
mod config;
mod doctor;
mod export;
mod forget;
mod gc;
mod import;
mod index;
mod input;
mod limits;
mod lookup;
mod machine;
mod model;
mod output;
mod pack;
mod progress;
mod purge;
mod run;
mod search;
mod shown_text;
mod status;
mod stop;
mod surroundings;
mod trust;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use output::{Failure, Output};
use std::process::ExitCode;

/// Find what is already known: errors with their cause and fix, paragraphs of your notes, or nothing.
#[derive(Debug, Parser)]
#[command(
    name = "ken",
    version,
    about,
    max_term_width = 100,
    after_help = "\
Examples:
  ken lookup \"Error acquiring the state lock\"      look up a message, or a description of the trouble
  make 2>&1 | ken lookup -                         look up what went wrong in a log
  ken run -- cargo build                           run a command, look up its failure
  ken index ~/notes ./docs                         index Markdown, text and source files
  ken search \"how do we rotate the keys\"         search them, and the canon
  ken pack --task \"retry with back-off\"           a frame for a language model, within a budget of tokens
  ken check plan.json                              known failures that a Terraform plan makes likely
  ken model pull                                   get the model that finds paraphrases

Exit codes: 0 found or done, 1 nothing known, 2 usage, 3 nothing indexed, 4 no model, 5 damaged data, 6 index and
model (or data and program) do not match, 7 busy, 8 check failed, 9 input or output, 10 network."
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

/// Options of every verb.
#[derive(Debug, Args)]
struct Global {
    /// Print JSON in place of text
    #[arg(long, global = true)]
    json: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Colour,
    /// Use this model: a name or a directory
    #[arg(long, global = true, value_name = "NAME")]
    model: Option<String>,
    /// Run the model with this encoder: auto, candle or fused
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    encoder: Option<String>,
    /// Run the model at this precision: auto, int8 or f32
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    precision: Option<String>,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Verb {
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
    Trust(trust::TrustArgs),
    Completions(completions::CompletionsArgs),
    Purge(purge::PurgeArgs),
}

/// What a verb ends with: 0, or 1 when nothing was found, or the exit code of a command that was run.
type Outcome = Result<u8, Failure>;

/// Runs `ken` with the arguments of the process. Whoever calls it knows whether standard output was closed when it
/// began.
pub fn main(stdout_was_closed: bool) -> ExitCode {
    output::begin(stdout_was_closed);
    let wants_json = std::env::args_os().any(|arg| arg == "--json");
    let cli = match Cli::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error, wants_json),
    };
    let output = Output::new(cli.global.json, cli.global.color, cli.global.quiet);
    let outcome = limits::begin().and_then(|()| dispatch(&cli.global, cli.verb, &output));
    output.tell_notes();
    ExitCode::from(match outcome {
        Ok(code) => code,
        Err(failure) => output.fail(&failure),
    })
}

fn dispatch(global: &Global, verb: Verb, output: &Output) -> Outcome {
    match verb {
        Verb::Lookup(args) => lookup::run(global, args, output),
        Verb::Run(args) => run::run(global, &args, output),
        Verb::Search(args) => search::run(global, args, output),
        Verb::Ask(args) => ask::run(global, &args, output),
        Verb::Pack(args) => pack::run(global, args, output),
        Verb::Check(args) => check::run(global, &args, output),
        Verb::Index(args) => index::run(global, &args, output),
        Verb::Status(args) => status::run(global, &args, output),
        Verb::Forget(args) => forget::run(global, &args, output),
        Verb::Export(args) => export::run(global, &args, output),
        Verb::Import(args) => import::run(global, &args, output),
        Verb::Doctor(args) => doctor::run(global, &args, output),
        Verb::Gc(args) => gc::run(global, &args, output),
        Verb::Canon(verb) => canon::run(global, verb, output),
        Verb::Model(verb) => model::run(global, verb, output),
        Verb::Bench(verb) => bench::run(global, verb, output),
        Verb::Config(verb) => config::run(global, &verb, output),
        Verb::Trust(args) => trust::run(&args, output),
        Verb::Completions(args) => completions::run(&args, output),
        Verb::Purge(args) => purge::run(global, &args, output),
    }
}
