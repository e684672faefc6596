//! `ken export`.

use super::output::{Failure, Output};
use super::session::Session;
use super::{Global, Outcome};
use crate::engine::EngineError;
use crate::render::json_line;
use clap::Args;
use serde_json::json;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Write everything that is indexed or learnt as JSON lines
///
/// Vectors are not written: they are made again where it is imported.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken export knowledge.jsonl\n  ken export | gzip > knowledge.jsonl.gz")]
pub(super) struct ExportArgs {
    /// The file; standard output if none is named
    file: Option<PathBuf>,
}

pub(super) fn run(global: &Global, args: &ExportArgs, output: &Output) -> Outcome {
    let engine = Session::open(global, output)?.engine();
    let Some(path) = args.file.as_deref().filter(|path| *path != Path::new("-")) else {
        match engine.export(&mut BufWriter::new(io::stdout().lock())) {
            Err(EngineError::Output(error)) => return Err(Failure::io("standard output", &error)),
            other => other?,
        };
        return Ok(0);
    };
    let failed = |error: &io::Error| Failure::io(&path.display().to_string(), error);
    // Aside and renamed: what was there before stays until the new one is whole.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut aside = tempfile::NamedTempFile::new_in(folder).map_err(|e| failed(&e))?;
    let records = match engine.export(&mut BufWriter::new(&mut aside)) {
        Err(EngineError::Output(error)) => return Err(failed(&error)),
        other => other?,
    };
    aside.as_file().sync_all().map_err(|e| failed(&e))?;
    aside.persist(path).map_err(|e| failed(&e.error))?;
    output.print(&if output.json {
        json_line(&json!({"schema_version": 1, "records": records, "path": path}))
    } else {
        format!("{records} records written to {}.\n", path.display())
    })?;
    Ok(0)
}
