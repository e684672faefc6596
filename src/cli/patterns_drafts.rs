//! `ken patterns propose-canon`: pack entries drafted from errors that recur, for a person to finish.

use super::Outcome;
use super::output::{Failure, Output};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::outcomes::DraftedPack;
use crate::engine::face::system::write_aside;
use crate::engine::{Engine, EngineError, WantedDrafts};
use crate::render::{json_object, json_pretty, line, shown, with_path};
use crate::types::Access;
use clap::Args;
use std::path::{Path, PathBuf};

/// Draft pack entries for errors that recur
///
/// A draft has a pattern made of the runs with that error, examples from them, other errors that it must not match, and
/// what made the error go away, if that is known. Errors that your packs tell of already are left out. Lookups use no
/// draft: read it, write its cause, and put it into a pack (`ken canon add --json-entry`).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken patterns propose-canon
  ken patterns propose-canon --least 5 --out drafts.json
  ken patterns propose-canon 3f9c

Exit code: 0 if anything was drafted, 1 if nothing was.")]
pub(super) struct DraftsArgs {
    /// Only the errors of these patterns, by their ids or the beginnings of them
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only errors that were met at least so often
    #[arg(long, value_name = "N", default_value = "3", conflicts_with = "ids",
        value_parser = clap::value_parser!(u32).range(1..))]
    least: u32,
    /// Name the pack so [default: as the file of --out, else drafts]
    #[arg(long, value_name = "NAME")]
    pack: Option<String>,
    /// Write the pack into this new file instead of printing it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Most drafts
    #[arg(short = 'n', long, value_name = "COUNT", default_value = "20",
        value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
}

pub(super) fn run(engine: &Engine, args: &DraftsArgs, access: &Access, output: &Output) -> Outcome {
    if let Some(path) = &args.out {
        may_be_written(engine, path)?;
    }
    let wanted = WantedDrafts {
        pack: args.pack.clone().unwrap_or_else(|| pack_of(args.out.as_deref())),
        patterns: args.ids.clone(),
        least: args.least as usize,
        most: args.limit as usize,
    };
    let found = engine.draft_entries(&wanted, access, &output.session())?;
    output.tell_notes();
    let is_empty = found.drafts.is_empty();
    if let Some(path) = args.out.as_deref().filter(|_| !is_empty) {
        let text = pack_text(&found)?;
        write_aside(path, text.as_bytes()).map_err(|error| Failure::io(&shown(path), &error))?;
    }
    if output.json {
        let told = serde_json::to_value(&found).unwrap_or_default();
        output.print(&json_object(&match &args.out {
            Some(path) if !is_empty => with_path(told, "path", path),
            _ => told,
        }))?;
        return Ok(u8::from(is_empty));
    }
    match &args.out {
        _ if is_empty => output.say("Nothing was drafted."),
        Some(path) => output.print(&format!("{} written to {}.\n", many(found.drafts.len()), shown(path)))?,
        None => output.print(&pack_text(&found)?)?,
    }
    for one in &found.refused {
        let times = if one.count == 1 { "time" } else { "times" };
        let (tool, error, reason) = (line(&one.tool), line(&one.error), line(&one.reason));
        output.say(&format!("Not drafted, met {} {times}: {tool}: {error}\n  {reason}", one.count));
    }
    if !is_empty {
        output.say(&format!(
            "{}. No lookup uses them until somebody has read them and put them into a pack.",
            many(found.drafts.len())
        ));
    }
    Ok(u8::from(is_empty))
}

/// A pack has the name of its file.
fn pack_of(out: Option<&Path>) -> String {
    let stem = out.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| "drafts".to_owned())
}

/// Refuses a file that is there, and one that lookups would read.
fn may_be_written(engine: &Engine, path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() {
        let hint = "name a new file";
        return Err(Failure::new(ErrorKind::Usage, format!("{} is there already", shown(path)), hint));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if engine.reads_packs_in(folder) {
        let hint = "write them elsewhere, read them, then put them into a pack: `ken canon add --json-entry`";
        return Err(Failure::new(ErrorKind::Usage, format!("lookups would use drafts in {}", shown(folder)), hint));
    }
    // No folder is made for it: a name that is mistyped is an error.
    std::fs::metadata(folder).map(drop).map_err(|error| Failure::io(&shown(folder), &error))
}

fn pack_text(found: &DraftedPack) -> Result<String, EngineError> {
    let text = json_pretty(&found.pack).map_err(|error| EngineError::Output(error.into()))?;
    Ok(format!("{text}\n"))
}

fn many(drafts: usize) -> String {
    format!("{drafts} {}", if drafts == 1 { "draft" } else { "drafts" })
}
