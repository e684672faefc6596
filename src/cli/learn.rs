//! `ken learn`.

use super::input::open_file;
use super::output::{Failure, Output};
use super::remember::By;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::engine::{KeepLearnt, Proposed, SessionText};
use crate::render::{json_object, line, wrap};
use crate::serve::Here;
use crate::types::Access;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Read a session and propose what is worth remembering: fixes, facts, preferences
///
/// FILE is plain text, Markdown, or a transcript: JSON or JSON lines of an agent, the history of aider, an export of
/// SpecStory, ChatGPT or VS Code. What it proposes waits until you approve it, with `ken memory review`. What was read
/// before is not proposed again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken learn session.md
  ken learn --dry-run session.md
  ken learn --auto session.md    keep at once what is sure

Exit code: 0 if anything was proposed, 1 if nothing was.")]
pub(super) struct LearnArgs {
    /// The text; `-` reads standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// Keep at once what is sure: a fix that was confirmed, what was asked to be remembered
    #[arg(long, conflicts_with = "dry_run")]
    auto: bool,
    /// Only show what would be proposed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    by: By,
}

/// The indent of what is said of a proposal.
const INDENT: &str = "       ";

pub(super) fn run(global: &Global, args: &LearnArgs, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let mut input = open_file(&args.file, output)?;
    let mut bytes = Vec::new();
    input.reader.read_to_end(&mut bytes).map_err(|error| Failure::io("the session", &error))?;
    let engine = surroundings.engine();
    let here = Here::new(working_directory()?);
    let access = Access::all().from_home(here.scope(&engine));
    let (author, from) = (args.by.author(), args.by.session());
    let keep = match (args.dry_run, args.auto) {
        (true, _) => KeepLearnt::Nothing,
        (_, true) => KeepLearnt::Sure,
        _ => KeepLearnt::Proposed,
    };
    let name = args.file.to_string_lossy();
    let file = (args.file != Path::new("-")).then_some(name.as_ref());
    let read = SessionText { bytes: &bytes, file, here: here.scope(&engine) };
    let all = engine.learn(read, keep, (&author, &from), &access, &output.session())?;
    output.tell_notes();
    if output.json {
        output.print(&json_object(&json!({ "proposals": all })))?;
    } else {
        output.print(&all.iter().map(|one| text(one, output)).collect::<String>())?;
        let waiting = all.iter().filter(|one| one.waits()).count();
        match (all.len(), waiting) {
            (0, _) => output.say("Nothing in it is worth proposing."),
            (_, 0) => {}
            (_, 1) => output.say("1 waits to be approved: `ken memory review`"),
            (_, many) => output.say(&format!("{many} wait to be approved: `ken memory review`")),
        }
    }
    engine.close();
    Ok(u8::from(all.is_empty()))
}

fn text(one: &Proposed, output: &Output) -> String {
    let mut out = wrap(&line(&one.text), "", "", output.width);
    let lines = match one.lines {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first}-{last}"),
    };
    let worked = match one.worked {
        Some(true) => ", worked",
        Some(false) => ", did not help",
        None => "",
    };
    let mut about = format!("{}{worked}, {} confidence, {lines}", one.kind.name(), one.confidence);
    if let Some(stored) = &one.stored {
        about.push_str(&format!(", {}", stored.memory.memory.id));
    }
    out.push_str(&output.style.faint(&wrap(&about, INDENT, INDENT, output.width)));
    out
}
