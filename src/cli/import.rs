//! `ken import`.

use super::index::stay_forgotten;
use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::system::{self, Links};
use crate::render::{json_object, shown};
use clap::Args;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Import what `ken export` wrote
///
/// All of it is imported, or nothing. Items that exist already stay as they are.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken import knowledge.jsonl\n  zcat knowledge.jsonl.gz | ken import -")]
pub(super) struct ImportArgs {
    /// The file, or the folder that `ken export --markdown` wrote; `-` reads standard input
    file: PathBuf,
}

pub(super) fn run(global: &Global, args: &ImportArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    if args.file.is_dir() {
        let mut meter = Meter::new(output);
        let imported = engine.import_markdown(&args.file, &meter.session());
        meter.finish();
        output.tell_notes();
        let (imported, entries) = imported?;
        output.print(&if output.json {
            let (files, items, known) = (imported.files, imported.items, imported.known);
            json_object(&json!({
                "files": files, "items": items, "known": known, "entries": entries,
                "stay_forgotten": imported.stay_forgotten,
            }))
        } else {
            format!("{} files, {} items and {entries} entries taken in.\n", imported.files, imported.items)
        })?;
        stay_forgotten(&imported.stay_forgotten, output);
        return Ok(0);
    }
    let input: Box<dyn BufRead> = if args.file == Path::new("-") {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let file = system::open(&args.file, Links::Follow).map_err(|e| {
            let mut failure = Failure::io(&shown(&args.file), &e);
            failure.hint =
                Some("give a file that `ken export` wrote, or a folder of `ken export --markdown`".to_owned());
            failure
        })?;
        Box::new(BufReader::new(file))
    };
    let mut meter = Meter::new(output);
    let imported = engine.import_records(input, &meter.session());
    meter.finish();
    output.tell_notes();
    let imported = imported?;
    output.print(&if output.json {
        json_object(&json!({
            "files": imported.files, "items": imported.items, "known": imported.known,
            "memory_events": imported.memory_events, "stay_forgotten": imported.stay_forgotten,
        }))
    } else {
        let memories = match imported.memory_events {
            0 => String::new(),
            1 => ", and 1 event of a memory".to_owned(),
            events => format!(", and {events} events of memories"),
        };
        format!(
            "{} items of {} files are new here{memories}; {} records were known.\n",
            imported.items, imported.files, imported.known
        )
    })?;
    stay_forgotten(&imported.stay_forgotten, output);
    Ok(0)
}
