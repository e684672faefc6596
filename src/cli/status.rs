//! `ken status`.

use super::outcomes::kept_text;
use super::output::Output;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::engine::Status;
use crate::engine::face::failure::ErrorKind;
use crate::render::{Size, cut, json_object, line, shown_text};
use crate::serve::{Here, outcomes_seen_from, seen_from, status_line};
use crate::types::Access;
use clap::Args;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Files that are named at most.
const SHOWN_FILES: usize = 10;
/// What is shown of the name of a scope, in characters.
const SCOPE_CHARS: usize = 60;

/// Show what is indexed, with which model, and whether it is up to date
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken status --brief             one line
  ken status --verbose           with the instructions that the encoder uses
  ken status --strict --quiet    for scripts: exit code 8 if anything is stale")]
pub(super) struct StatusArgs {
    /// Print one line
    #[arg(long)]
    brief: bool,
    /// Exit with 8 if anything is stale, missing or does not match
    #[arg(long)]
    strict: bool,
    /// Also say which instructions of the processor the encoder uses
    #[arg(long, short)]
    verbose: bool,
}

pub(super) fn run(global: &Global, args: &StatusArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let here = Here::new(working_directory()?);
    let access = seen_from(&engine, &Access::all(), &here);
    let kept = engine.outcomes_kept(&outcomes_seen_from(&engine, &Access::all(), &here))?;
    let status = engine.status(&output.session())?.remembering(engine.count_memories(&access)?).keeping(kept);
    output.tell_notes();
    let complaints = status.complaints();
    if output.json {
        let mut value = serde_json::to_value(&status).unwrap_or_default();
        if let Value::Object(fields) = &mut value {
            fields.insert("complaints".to_owned(), json!(complaints));
        }
        output.print(&json_object(&value))?;
    } else if args.brief {
        output.print(&status_line(&status))?;
    } else {
        output.print(&full(&status, args.verbose, output))?;
    }
    if args.strict && !complaints.is_empty() {
        for complaint in &complaints {
            output.say(&format!("{} {}", output.message_style.bad("stale:"), line(complaint)));
        }
        return Ok(ErrorKind::CheckFailed.exit_code());
    }
    Ok(0)
}

fn full(status: &Status, verbose: bool, output: &Output) -> String {
    let style = output.style;
    let inventory = &status.inventory;
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        out.push_str(&format!("{} {value}\n", style.faint(&format!("{name:9}"))));
    };
    let chunks = inventory.items.get("chunk").copied().unwrap_or(0);
    row(
        "files",
        match inventory.files {
            0 => "none yet (`ken index PATH`)".to_owned(),
            files => format!("{files}, {chunks} chunks"),
        },
    );
    for folder in inventory.folders.iter().take(SHOWN_FILES) {
        row("folder", format!("{}: {}", shown_text(&folder.path), files(folder.files)));
    }
    if inventory.folders.len() > SHOWN_FILES {
        row("", format!("and {} more folders", inventory.folders.len() - SHOWN_FILES));
    }
    if inventory.named_files > 0 {
        row("", format!("{} by name", files(inventory.named_files)));
    }
    for (kind, count) in inventory.items.iter().filter(|(kind, _)| *kind != "chunk") {
        row(kind, count.to_string());
    }
    if status.remembered() > 0 {
        row("memories", status.memories_text());
    }
    if let Some(kept) = &status.outcomes {
        row("outcomes", kept_text(kept));
    }
    row("packs", format!("{} known errors", status.canon));
    let model = status.model.as_deref().unwrap_or("none (`ken model pull`)");
    row("model", line(model).into_owned());
    if let Some(instructions) = status.instructions.filter(|_| verbose) {
        row("", format!("encoded with {instructions} instructions"));
    }
    match &status.index_model {
        Some(index) if !status.models_agree => {
            row("index", style.bad(&format!("made with {}, which is not the model in use", line(index))));
        }
        Some(index) => row("index", format!("{} vectors of {}", inventory.vectors, line(index))),
        None => {}
    }
    if let Some(file) = &status.vectors_file {
        let how = file.recall.map_or_else(
            || "every vector is compared".to_owned(),
            |[recall, ..]| format!("searches find {:.1} % of the ten nearest", 100.0 * recall),
        );
        row("search", format!("{how}; {} items changed since the file of vectors was made", file.overlay));
    }
    if let Some(store) = &status.store {
        let how = store.recall.map_or_else(
            || "every vector is compared".to_owned(),
            |recall| format!("searches find {:.1} % of the nearest", 100.0 * recall),
        );
        row("store", line(&store.address).into_owned());
        if let Some(replica) = &store.reads_from {
            row("", format!("searches read from {}", line(replica)));
        }
        row("search", format!("{} vectors in the store; {how}", store.vectors));
        for complaint in store.complaints() {
            row("", style.warning(&complaint));
        }
    }
    if let Some(gate) = &status.gate {
        let [share, low, high] = gate.noise.map(|share| 100.0 * share);
        let how = format!("{share:.1} % of questions about other things are answered ({low:.1} to {high:.1} %)");
        row("gate", format!("fitted to {} texts: {how}", gate.texts));
    }
    if inventory.without_vector > 0 {
        row("", style.warning(&format!("{} texts have no vector (`ken index`)", inventory.without_vector)));
    }
    if inventory.unused_vectors > 0 {
        row("", format!("{} vectors that nothing uses (`ken gc`)", inventory.unused_vectors));
    }
    row("size", Size(inventory.bytes).to_string());
    if let Some(last) = inventory.last_indexed {
        row("indexed", ago(last));
    }
    if status.forgotten > 0 {
        row("forgotten", format!("{} passages (`ken forget --list`)", status.forgotten));
    }
    if status.traces_left {
        row("", style.warning("traces of what was forgotten are left on the disk (`ken gc`)"));
    }
    if let Some(writer) = &status.writer {
        row("writing", line(writer).into_owned());
    }
    if inventory.scopes.len() > 1 {
        for scope in &inventory.scopes {
            let name = shown_text(&scope.scope);
            let name = cut(&name, SCOPE_CHARS);
            row("scope", format!("{name}: {} files, {} items", scope.files, scope.items));
        }
    }
    stale_files(status, output, &mut row);
    out
}

fn files(count: usize) -> String {
    format!("{count} file{}", if count == 1 { "" } else { "s" })
}

/// The files that have changed or are gone, the first of each by name.
fn stale_files(status: &Status, output: &Output, row: &mut impl FnMut(&str, String)) {
    for (name, files) in [("changed", &status.changed), ("gone", &status.gone)] {
        for path in files.iter().take(SHOWN_FILES) {
            row(name, output.style.warning(&shown_text(path)));
        }
        if files.len() > SHOWN_FILES {
            row("", format!("and {} more", files.len() - SHOWN_FILES));
        }
    }
}

fn ago(at_ms: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seconds = now.saturating_sub(u64::try_from(at_ms / 1000).unwrap_or(0));
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}
