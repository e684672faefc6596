//! `ken forget`.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::indexing::{Forgotten, ForgottenPassage};
use crate::engine::face::system::canonical;
use crate::engine::face::text::{single_line, timestamp};
use crate::engine::{Engine, SessionTaken};
use crate::render::json_object;
use crate::serve::{Here, seen_from};
use crate::types::Access;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Remove items or files from the index, with every trace on the disk
///
/// An item that is forgotten by id is not indexed again while most of its words are the same: hashes of its words are
/// kept, its text is not. A file that is forgotten by path comes back when it is indexed again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken forget chunk/1f3a9c0b22d4aa10
  ken forget --path ~/notes/private
  ken forget --session 5f0c2a
  ken forget --list
  ken forget --undo chunk/1f3a9c0b22d4aa10

Exit code: 7 if another process still reads the text. No search finds it any
more, and its last traces leave the disk when that process ends.")]
pub(super) struct ForgetArgs {
    /// Ids, as `ken search --json` shows them
    #[arg(value_name = "ID", required_unless_present_any = ["paths", "list", "undo", "session"])]
    ids: Vec<String>,
    /// Everything from this file or folder; repeatable
    #[arg(long = "path", value_name = "PATH", conflicts_with = "ids")]
    paths: Vec<PathBuf>,
    /// What tools did in this session
    #[arg(long, value_name = "ID", conflicts_with_all = ["ids", "paths", "list", "undo"])]
    session: Option<String>,
    /// List what was forgotten by id
    #[arg(long, conflicts_with_all = ["ids", "paths", "undo"])]
    list: bool,
    /// Let the next `ken index` index this item again; repeatable
    #[arg(long, value_name = "ID", conflicts_with_all = ["ids", "paths"])]
    undo: Vec<String>,
}

pub(super) fn run(global: &Global, args: &ForgetArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    if args.list {
        return list(&engine, output);
    }
    if !args.undo.is_empty() {
        return undo(&engine, &args.undo, output);
    }
    if let Some(id) = &args.session {
        return session(&engine, id, output);
    }
    let mut meter = Meter::new(output);
    let forgotten = if args.paths.is_empty() {
        let access = seen_from(&engine, &Access::all(), &Here::new(working_directory()?));
        engine.forget(&args.ids, &access, &meter.session())
    } else {
        let here = std::env::current_dir().map_err(|e| Failure::io("the working directory", &e))?;
        let paths: Vec<PathBuf> = args.paths.iter().map(|path| absolute(&here.join(path))).collect();
        engine.forget_paths(&paths, &meter.session())
    };
    meter.finish();
    output.tell_notes();
    let forgotten = forgotten?;
    output.print(&if output.json {
        json_object(&json!({
            "files": forgotten.files, "items": forgotten.items,
            "already_forgotten": forgotten.already, "traces_left": forgotten.traces_left,
        }))
    } else {
        text(&forgotten, !args.paths.is_empty())
    })?;
    Ok(if forgotten.traces_left { ErrorKind::Busy.exit_code() } else { 0 })
}

fn session(engine: &Engine, id: &str, output: &Output) -> Outcome {
    let SessionTaken { gone, traces_left } = engine.forget_session(id, &output.session())?;
    output.tell_notes();
    output.print(&if output.json {
        json_object(&json!({ "runs": gone.rows, "errors": gone.errors, "patterns": gone.patterns, "tasks": gone.tasks,
            "traces_left": traces_left }))
    } else if gone == Default::default() {
        "Nothing is kept of this session.\n".to_owned()
    } else {
        let (runs, errors) = (many(gone.rows, "run"), many(gone.errors, "kind"));
        let tasks = if gone.tasks > 0 { format!(", {}", many(gone.tasks, "task")) } else { String::new() };
        format!("{runs} of tools forgotten{tasks}, with {errors} of failures and {}.\n", many(gone.patterns, "pattern"))
    })?;
    engine.close();
    Ok(if traces_left { ErrorKind::Busy.exit_code() } else { 0 })
}

fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn text(forgotten: &Forgotten, by_path: bool) -> String {
    let Forgotten { files, items, already, .. } = forgotten;
    let done = match by_path {
        true => format!("{} with {} forgotten", many(*files, "file"), many(*items, "chunk")),
        false => format!("{items} forgotten"),
    };
    match already {
        0 => format!("{done}.\n"),
        _ if files + items == 0 => format!("Already forgotten: {already}.\n"),
        _ => format!("{done}; already forgotten: {already}.\n"),
    }
}

fn list(engine: &Engine, output: &Output) -> Outcome {
    let passages = engine.forgotten()?;
    if output.json {
        output.print(&json_object(&json!({"forgotten": passages})))?;
        return Ok(0);
    }
    let line = |passage: &ForgottenPassage| {
        let mut out = format!("{}  ", passage.id);
        out.push_str(&passage.forgotten_at.map_or_else(|| "some time ago".to_owned(), timestamp));
        if let Some(path) = &passage.path {
            out.push_str(&format!("  {}", single_line(path, 400)));
        }
        match passage.lines {
            Some(1) => out.push_str("  1 line"),
            Some(lines) => out.push_str(&format!("  {lines} lines")),
            None => {}
        }
        if !passage.by_words {
            out.push_str("  only while nothing of it changes");
        }
        out + "\n"
    };
    output.print(&match passages.is_empty() {
        true => "Nothing was forgotten by id.\n".to_owned(),
        false => passages.iter().map(line).collect(),
    })?;
    Ok(0)
}

fn undo(engine: &Engine, ids: &[String], output: &Output) -> Outcome {
    let files = engine.undo_forget(ids, &output.session())?;
    output.print(&if output.json {
        json_object(&json!({"undone": ids.len(), "files": files}))
    } else {
        let count = ids.len();
        format!("{count} no longer forgotten. What is still in its file comes back with the next `ken index`.\n")
    })?;
    Ok(0)
}

/// The path as files are known by, as far as it still exists.
fn absolute(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, canonical(above).ok()?)));
    match there {
        Some((above, canonical)) => match path.strip_prefix(above) {
            Ok(rest) if !rest.as_os_str().is_empty() => canonical.join(rest),
            _ => canonical,
        },
        None => path.to_owned(),
    }
}
