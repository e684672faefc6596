//! `ken export`.

use super::output::{Failure, Output};
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::EngineError;
use crate::engine::face::system::{Aside, open_to_write};
use crate::render::{json_object, shown, with_path};
use clap::Args;
use serde_json::json;
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Write everything that is indexed, as JSON lines or Markdown
///
/// Vectors are not written: `ken import` makes them again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken export knowledge.jsonl\n  ken export | gzip > knowledge.jsonl.gz\n  \
        ken export --markdown knowledge/")]
pub(super) struct ExportArgs {
    /// The file to write [default: standard output]
    file: Option<PathBuf>,
    /// Write Markdown files with front matter into this folder: one for each item and each entry of your packs
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    markdown: Option<PathBuf>,
}

pub(super) fn run(global: &Global, args: &ExportArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    if let Some(folder) = &args.markdown {
        let files = engine.export_markdown(folder, &output.session())?;
        output.print(&if output.json {
            json_object(&with_path(json!({"files": files}), "path", folder))
        } else {
            format!("{files} files written to {}.\n", shown(folder))
        })?;
        return Ok(0);
    }
    let Some(path) = args.file.as_deref().filter(|path| *path != Path::new("-")) else {
        let failed = |error: &io::Error| Failure::io("standard output", error);
        written(engine.export(&mut output.lines()?, &output.session()), &failed)?;
        return Ok(0);
    };
    let failed = |error: &io::Error| Failure::io(&shown(path), error);
    let records = match fs::metadata(path) {
        // A pipe or a device is written to, not replaced.
        Ok(meta) if !meta.is_file() => {
            let file = open_to_write(path).map_err(|e| failed(&e))?;
            written(engine.export(&mut BufWriter::new(file), &output.session()), &failed)?
        }
        _ => {
            // No folder is made for it: a name that is mistyped is an error.
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            fs::metadata(folder).map_err(|e| Failure::io(&shown(folder), &e))?;
            let mut aside = Aside::behind_link(path).map_err(|e| failed(&e))?;
            let records = written(engine.export(&mut aside.stream(), &output.session()), &failed)?;
            aside.persist().map_err(|e| failed(&e))?;
            records
        }
    };
    output.print(&if output.json {
        json_object(&with_path(json!({"records": records}), "path", path))
    } else {
        format!("{records} records written to {}.\n", shown(path))
    })?;
    Ok(0)
}

fn written(result: Result<usize, EngineError>, failed: &dyn Fn(&io::Error) -> Failure) -> Result<usize, Failure> {
    match result {
        Err(EngineError::Output(error)) => Err(failed(&error)),
        other => Ok(other?),
    }
}
