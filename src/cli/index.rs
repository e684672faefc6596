//! `ken index`.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome, memory_files, stop};
use crate::engine::face::indexing::{IndexOptions, IndexReport};
use crate::engine::face::text::single_line;
use crate::engine::{Engine, EngineError};
use crate::render::{json_object, shown};
use clap::Args;
use std::path::PathBuf;

/// Files that are named when some were not indexed.
const SHOWN_SKIPPED: usize = 3;

/// Index documents and source code, so that search and pack find them
///
/// Reads Markdown, reStructuredText, AsciiDoc, HTML, plain text and source files of twenty languages. Files that
/// .gitignore or .kenignore exclude are left out; links are not followed. A second run reads only changed files and
/// removes deleted ones. Without PATH everything that is indexed is updated. An interrupted run loses nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken index .                    this folder
  ken index ~/notes ./CHANGES    a folder and a file
  ken index                      update everything that is indexed
  ken index --watch .            update whenever a file changes")]
pub(super) struct IndexArgs {
    /// Files and folders
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Update files that are indexed already; do not look for new ones
    #[arg(long, conflicts_with_all = ["paths", "watch"])]
    refresh: bool,
    /// Compare the contents of all files, not only their sizes and times
    #[arg(long)]
    thorough: bool,
    /// Keep running and update whenever a file changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

pub(super) fn run(global: &Global, args: &IndexArgs, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let options = IndexOptions { thorough: args.thorough, excludes: surroundings.git_excludes() };
    if !output.quiet {
        stop::say_on_end("Stopped. What is indexed so far stays; go on with the same command");
    }
    let is_first = !engine.has_index();
    let mut meter = Meter::new(output);
    let report = if args.refresh {
        engine.refresh(&options, &meter.session())
    } else {
        engine.index(&args.paths, &options, &meter.session())
    };
    meter.finish();
    output.tell_notes();
    show(&report?, args.refresh, output)?;
    memory_files::refresh_beside(&engine, &surroundings, output);
    if is_first && output.interactive && !output.json {
        output.say("Try: `ken search \"a question about it\"`, or `ken status` to see what is indexed.");
    }
    if args.watch { watch(&engine, &args.paths, &options, output) } else { Ok(0) }
}

/// Indexes again whenever something changes. What fails once (somebody else is writing, a file is half there) is told
/// and tried again at the next change.
fn watch(engine: &Engine, paths: &[PathBuf], options: &IndexOptions, output: &Output) -> Outcome {
    let roots = if paths.is_empty() { engine.roots(&output.session())? } else { paths.to_vec() };
    let watch = engine.watch(&roots)?;
    output.say(&output.message_style.faint("Watching; Ctrl-C ends it."));
    while watch.wait() {
        let mut meter = Meter::new(output);
        let report = engine.index(&roots, options, &meter.session());
        meter.finish();
        output.tell_notes();
        match report {
            Ok(report) if report.is_unchanged() => {}
            Ok(report) => show(&report, false, output)?,
            // Ctrl-C, heard while vectors were made ready.
            Err(error @ EngineError::Stopped) => return Err(error.into()),
            Err(error) => output.note(&error.to_string()),
        }
    }
    Ok(0)
}

fn show(report: &IndexReport, is_refresh: bool, output: &Output) -> Result<(), Failure> {
    if output.json {
        return output.print(&json_object(report));
    }
    output.print(&text(report, is_refresh))?;
    for skipped in report.skipped.iter().take(SHOWN_SKIPPED) {
        let left = if skipped.rules { ":" } else { " is left out:" };
        output.note(&format!("{}{left} {}", shown(&skipped.path), single_line(&skipped.why, 200)));
    }
    if report.skipped.len() > SHOWN_SKIPPED {
        output.say(&format!("      and {} more; --json lists them", report.skipped.len() - SHOWN_SKIPPED));
    }
    stay_forgotten(&report.stay_forgotten, output);
    if report.files_unreadable > 0 {
        output.say(&format!(
            "{} unreadable files stay indexed; remove them with: `ken forget --path PATH`",
            output.message_style.faint("hint:")
        ));
    }
    if report.without_vector > 0 {
        output.note("there is no model, so what is indexed is found by its words only; get one with: `ken model pull`");
    }
    Ok(())
}

/// Tells that what was forgotten was met and kept out.
pub(super) fn stay_forgotten(ids: &[String], output: &Output) {
    let what = match ids {
        [] => return,
        [_] => "1 passage stays forgotten".to_owned(),
        more => format!("{} passages stay forgotten", more.len()),
    };
    output.say(&format!("{} {what} (`ken forget --list`)", output.message_style.warning("note:")));
}

fn text(report: &IndexReport, is_refresh: bool) -> String {
    let mut files: Vec<String> = Vec::new();
    for (count, what) in [
        (report.files_added, "new"),
        (report.files_changed, "changed"),
        (report.files_moved, "moved"),
        (report.files_removed, "gone"),
        (report.files_unchanged, "unchanged"),
        (report.files_left_out, "left out"),
        (report.files_unreadable, "unreadable"),
    ] {
        if count > 0 {
            files.push(format!("{count} {what}"));
        }
    }
    let nothing = if is_refresh { "nothing changed" } else { "no files" };
    let files = if files.is_empty() { nothing.to_owned() } else { format!("files: {}", files.join(", ")) };
    let mut chunks = String::new();
    if report.chunks_added + report.chunks_removed > 0 {
        chunks = format!("; chunks: {} added, {} removed", report.chunks_added, report.chunks_removed);
    }
    let seconds = report.took_ms / 1e3;
    let speed = if report.tokens > 0 && seconds > 0.0 {
        format!(", {} texts embedded at {:.0} tokens/s", report.embedded, report.tokens as f64 / seconds)
    } else {
        String::new()
    };
    format!("{files}{chunks}{speed} ({seconds:.1} s)\n")
}
