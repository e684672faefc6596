//! `ken memory`: what was learnt, looked at and put in order.

use super::clock::now_ms;
use super::memory_files::{self, ExportMemoriesArgs, ImportMemoriesArgs, PromoteArgs};
use super::memory_review::review;
use super::memory_words::{change, seen, text};
use super::output::Output;
use super::remember::{By, decide};
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::engine::{Decision, Engine};
use crate::render::{history_text, json_object};
use crate::serve::ListMemoriesRequest;
use crate::types::MemoryState;
use clap::{Args, Subcommand};
use serde_json::json;

/// Look at what was learnt here: fixes, facts, preferences
#[derive(Debug, Subcommand)]
pub(super) enum MemoryVerb {
    /// List memories of this repository and the global ones, the last met first
    ///
    /// Exit code: 0 if there are any, 1 if not.
    #[command(after_help = "\
Examples:
  ken memory list
  ken memory list --kind tactic
  ken memory list --state proposed
  ken memory list --held")]
    List(ListArgs),
    /// Show a memory and all that happened to it
    #[command(after_help = "Example:\n  ken memory history 3f9c21ab04de")]
    History {
        /// The id of the memory, or how it begins
        id: String,
    },
    /// Say that memories are true: a fix that a person confirmed stands before what packs say
    #[command(after_help = "Example:\n  ken memory confirm 3f9c21ab04de")]
    Confirm(DecideArgs),
    /// Keep what was proposed
    #[command(after_help = "Example:\n  ken memory approve 3f9c21ab04de")]
    Approve(DecideArgs),
    /// Do not keep what was proposed
    #[command(after_help = "Example:\n  ken memory reject 3f9c21ab04de --because \"it was true of one branch\"")]
    Reject(DecideArgs),
    /// Change what a memory says; what waits to be approved is approved with it
    #[command(after_help = "Example:\n  ken memory edit 3f9c21ab04de \"Run the migrations before the tests\"")]
    Edit {
        /// The id of the memory, or how it begins
        id: String,
        /// What it says from now on
        #[arg(required = true)]
        text: Vec<String>,
        #[command(flatten)]
        by: By,
    },
    /// Go through what waits to be approved, one after another
    #[command(after_help = "Example:\n  ken memory review")]
    Review {
        #[command(flatten)]
        by: By,
    },
    /// Say that something spoke against memories: they are less sure now
    #[command(after_help = "Example:\n  ken memory contradict 3f9c21ab04de --because \"it failed on main\"")]
    Contradict(DecideArgs),
    /// Write memories of this repository and the global ones as Markdown
    ///
    /// Memories that are disputed, superseded or not yet approved are left out. So is the history of the others:
    /// elsewhere they begin at 50 % again. `ken export` writes everything with its history, and `ken import` restores
    /// it.
    #[command(after_help = "\
Examples:
  ken memory export                  to standard output
  ken memory export knowledge        into knowledge/memories.md")]
    Export(ExportMemoriesArgs),
    /// Take in files of memories, or rules for agents such as AGENTS.md
    ///
    /// Rules come in as preferences of their repository. Take a file in again when it has changed: rules that it no
    /// longer has are not served any more. What is taken in is personal, whatever a file says.
    #[command(after_help = "\
Examples:
  ken memory import AGENTS.md
  ken memory export | ken memory import -")]
    Import(ImportMemoriesArgs),
    /// Take in the memories of the team: .ken/memory/*.md of this repository
    ///
    /// `ken trust` and `ken index` do it too. Only a trusted folder is read.
    #[command(after_help = "Example:\n  ken memory refresh")]
    Refresh,
    /// Write a memory into .ken/memory, so that the team stands behind it
    ///
    /// What a team says stands before what packs say. The file is reviewed like code: it counts for whoever has it
    /// once they trust it.
    #[command(after_help = "\
Examples:
  ken memory promote 3f9c21ab04de
  ken memory promote --org 3f9c21ab04de")]
    Promote(PromoteArgs),
    /// Make memories again from the log of what happened to them
    ///
    /// Exit code: 8 if --check finds a difference.
    #[command(after_help = "\
Examples:
  ken memory replay --check
  ken memory replay")]
    Replay {
        /// Only compare the log with what is stored
        #[arg(long)]
        check: bool,
    },
}

/// Which memories are listed.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only memories of this kind; repeatable
    #[arg(long = "kind", value_name = "KIND", value_parser = ["preference", "fact", "tactic", "problem"])]
    kinds: Vec<String>,
    /// Only memories in this state; repeatable
    #[arg(long = "state", value_name = "STATE", value_parser = MemoryState::ALL.map(MemoryState::name))]
    states: Vec<String>,
    /// Only what is held back because it was concluded from something disputed
    #[arg(long)]
    held: bool,
    /// Begin behind this page: the `next` of the one before
    #[arg(long, value_name = "NEXT")]
    after: Option<String>,
    /// Most memories
    #[arg(short = 'n', long, value_name = "COUNT", default_value = "100",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

/// Memories that are decided about.
#[derive(Debug, Args)]
pub(super) struct DecideArgs {
    /// Ids of memories, or how they begin
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    #[command(flatten)]
    by: By,
}

pub(super) fn run(global: &Global, verb: MemoryVerb, output: &Output) -> Outcome {
    let decided = |args: DecideArgs, decision| decide(global, &args.ids, decision, args.because, &args.by, output);
    match verb {
        MemoryVerb::Confirm(args) => return decided(args, Decision::Confirm),
        MemoryVerb::Approve(args) => return decided(args, Decision::Approve),
        MemoryVerb::Reject(args) => return decided(args, Decision::Reject),
        MemoryVerb::Contradict(args) => return decided(args, Decision::Contradict),
        MemoryVerb::Export(args) => return memory_files::export(global, &args, output),
        MemoryVerb::Import(args) => return memory_files::import(global, &args, output),
        MemoryVerb::Refresh => return memory_files::refresh(global, output),
        MemoryVerb::Promote(args) => return memory_files::promote(global, &args, output),
        _ => {}
    }
    let engine = Surroundings::open(global, output)?.engine();
    match verb {
        MemoryVerb::List(args) => list(&engine, args, output),
        MemoryVerb::History { id } => history(&engine, &id, output),
        MemoryVerb::Replay { check } => replay(&engine, check, output),
        MemoryVerb::Edit { id, text, by } => edit(&engine, &id, text.join(" "), &by, output),
        MemoryVerb::Review { by } => review(&engine, &by, output),
        _ => Ok(0),
    }
}

fn list(engine: &Engine, args: ListArgs, output: &Output) -> Outcome {
    let ListArgs { kinds, states, held, after, limit } = args;
    let request = ListMemoriesRequest { kinds, states, held, after, limit: Some(limit) };
    let after = request.after.as_deref();
    let page = engine.list_memories(&request.filter()?, after, request.most(), &seen(engine)?, &output.session())?;
    if output.json {
        output.print(&json_object(&page))?;
    } else if page.memories.is_empty() {
        output.say(match request.held {
            true => "Nothing is held back.",
            false => "Nothing of the kind was remembered here; `ken remember --help` shows how.",
        });
    } else {
        output.print(&page.memories.iter().map(|told| text(told, output)).collect::<String>())?;
        if let Some(next) = &page.next {
            output.say(&format!("There are more; they follow with --after {next}."));
        }
    }
    Ok(u8::from(page.memories.is_empty()))
}

fn history(engine: &Engine, id: &str, output: &Output) -> Outcome {
    let (told, events) = engine.history(id, &seen(engine)?, &output.session())?;
    output.print(&match output.json {
        true => json_object(&json!({ "memory": told, "events": events })),
        false => {
            let events = history_text(&events, now_ms(), output.style, output.width);
            format!("{}\n{events}", text(&told, output))
        }
    })?;
    Ok(0)
}

fn replay(engine: &Engine, check: bool, output: &Output) -> Outcome {
    let session = output.session();
    let replayed = if check { engine.check_replay(&session)? } else { engine.replay(&session)? };
    output.tell_notes();
    output.print(&match output.json {
        true => json_object(&replayed),
        false => {
            let different = replayed.different.len();
            let found = match (different, check) {
                (0, _) => "what is stored agrees with them".to_owned(),
                (many, true) => format!("{many} differ from what is stored; `ken memory replay` makes them again"),
                (many, false) => format!("{many} differed from what was stored, and were made again"),
            };
            format!("{} memories follow from {} events; {found}.\n", replayed.memories, replayed.events)
        }
    })?;
    let failed = check && !replayed.different.is_empty();
    Ok(if failed { ErrorKind::CheckFailed.exit_code() } else { 0 })
}

fn edit(engine: &Engine, id: &str, said: String, by: &By, output: &Output) -> Outcome {
    let (access, session) = (seen(engine)?, output.session());
    let (author, from) = (by.author(), by.session());
    let (before, _) = engine.history(id, &access, &session)?;
    let now = change(engine, before, said, (&author, &from), &access, output)?;
    output.tell_notes();
    output.print(&match output.json {
        true => json_object(&now),
        false => text(&now, output),
    })?;
    engine.close();
    Ok(0)
}
