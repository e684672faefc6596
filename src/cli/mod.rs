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
mod bench_outcomes;
mod bench_pack;
mod bench_problems;
mod bench_run;
mod bench_table;
mod bench_tools;
mod canon;
mod check;
mod clock;
mod complete;
mod completions;
mod config;
mod doctor;
mod export;
mod feedback;
mod forget;
mod gateway;
mod gc;
mod help;
mod help_text;
mod hook;
mod hook_install;
mod import;
mod index;
mod init;
mod input;
mod items;
mod keys;
mod learn;
mod limits;
mod lookup;
mod machine;
mod man;
mod mcp;
mod memory;
mod memory_files;
mod memory_review;
mod memory_words;
mod model;
mod outcomes;
mod output;
mod pack;
mod patterns;
mod patterns_drafts;
mod progress;
mod purge;
mod remember;
mod run;
mod run_learn;
mod search;
mod serve;
mod shared;
mod shown_text;
mod socket;
mod status;
mod stop;
mod store;
mod surroundings;
mod tools;
mod trust;
mod verbs;

use clap::{ArgAction, Args, Parser, ValueEnum};
use help::{ENCODERS, GLOBAL, PRECISIONS};
use output::{Failure, Output};
use std::process::ExitCode;
use verbs::Verb;

/// Find what is already known: the cause and fix of an error, and passages of your own documents
///
/// If nothing is known, nothing is answered. Everything runs on this machine.
#[derive(Debug, Parser)]
#[command(
    name = "ken",
    version,
    max_term_width = 100,
    disable_help_flag = true,
    after_help = "\
Examples:
  ken lookup \"fatal: refusing to merge unrelated histories\"
  make 2>&1 | ken lookup -                 look up what went wrong in a log
  ken run -- cargo build                   run a command, look up its failure
  ken index ~/notes ./docs                 index documents and source code
  ken search \"how do we rotate the keys\"  search them by meaning and by words
  ken pack --task \"retry with back-off\"   make a frame for a language model
  ken model pull                           get the embedding model

Exit codes:
    0  something is known, or the command did its work
    1  nothing is known
    2  wrong usage, setting or input
    3  nothing is indexed
    4  no model
    5  damaged data
    6  index and model, or data and program, do not match
    7  busy: another process writes
    8  a check failed
    9  input or output failed
   10  the network failed
   70  a fault of ken itself
  130  interrupted"
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
    /// Print JSON instead of text
    #[arg(long, global = true, help_heading = GLOBAL)]
    json: bool,
    /// Print only errors on standard error
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    quiet: bool,
    /// When to use colours
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "WHEN", default_value = "auto")]
    color: Colour,
    /// Use this model: a name or a directory [setting: model.name]
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "NAME", add = complete::models())]
    model: Option<String>,
    /// Run the model with this encoder [setting: model.encoder]
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "NAME", value_parser = ENCODERS)]
    encoder: Option<String>,
    /// Run the model at this precision [setting: model.precision]
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "NAME", value_parser = PRECISIONS)]
    precision: Option<String>,
    /// Print this help
    #[arg(short, long, global = true, help_heading = GLOBAL, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

/// What a verb ends with: 0, or 1 when nothing was found, or the exit code of a command that was run.
type Outcome = Result<u8, Failure>;

/// Runs `ken` with the arguments of the process. Whoever calls it knows whether standard output was closed when it
/// began.
pub fn main(stdout_was_closed: bool) -> ExitCode {
    output::begin(stdout_was_closed);
    // Before anything else: whoever calls it waits for it, and must never see it fail.
    if hook::is_called() {
        return hook::post_tool(hook::is_verbose());
    }
    match complete::answered() {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => return output::usage(&error, false),
    }
    let wants_json = std::env::args_os().any(|arg| arg == "--json");
    let cli = match verbs::read(std::env::args_os()) {
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
        Verb::Serve(args) => serve::run(global, &args, output),
        Verb::Mcp(args) => mcp::run(global, &args, output),
        Verb::Gateway(args) => gateway::run(global, &args, output),
        Verb::Init(args) => init::run(global, &args, output),
        Verb::Hook(verb) => hook::run(global, &verb, output),
        Verb::Status(args) => status::run(global, &args, output),
        Verb::Forget(args) => forget::run(global, &args, output),
        Verb::Export(args) => export::run(global, &args, output),
        Verb::Store(verb) => store::run(&verb, output),
        Verb::Import(args) => import::run(global, &args, output),
        Verb::Items(verb) => items::run(global, verb, output),
        Verb::Remember(args) => remember::run(global, args, output),
        Verb::Dispute(args) => remember::dispute(global, &args, output),
        Verb::Learn(args) => learn::run(global, &args, output),
        Verb::Memory(verb) => memory::run(global, verb, output),
        Verb::Outcomes(args) => outcomes::run(global, args, output),
        Verb::Patterns(verb) => patterns::run(global, verb, output),
        Verb::Tools(verb) => tools::run(global, verb, output),
        Verb::Doctor(args) => doctor::run(global, &args, output),
        Verb::Gc(args) => gc::run(global, &args, output),
        Verb::Canon(verb) => canon::run(global, verb, output),
        Verb::Model(verb) => model::run(global, verb, output),
        Verb::Bench(verb) => bench::run(global, verb, output),
        Verb::Config(verb) => config::run(global, &verb, output),
        Verb::Trust(args) => trust::run(&args, output),
        Verb::Completions(args) => completions::run(&args, output),
        Verb::Man(args) => man::run(&args, output),
        Verb::Purge(args) => purge::run(global, &args, output),
    }
}
