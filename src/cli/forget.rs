//! `ken forget`.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::session::Session;
use super::{Global, Outcome};
use crate::render::json_line;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Forget items or files: their text leaves the index, the log and the backups
///
/// A paragraph that is forgotten by id does not come back when its file is indexed again. A file that is forgotten by
/// path does.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken forget chunk/1f3a9c0b22d4aa10
  ken forget --path ~/notes/private")]
pub(super) struct ForgetArgs {
    /// Ids, as ken search --json shows them
    #[arg(value_name = "ID", required_unless_present = "paths", conflicts_with = "paths")]
    ids: Vec<String>,
    /// Everything from this file or folder; may be given again
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<PathBuf>,
}

pub(super) fn run(global: &Global, args: &ForgetArgs, output: &Output) -> Outcome {
    let engine = Session::open(global, output)?.engine();
    let mut meter = Meter::new(output);
    let forgotten = if args.paths.is_empty() {
        engine.forget(&args.ids, &mut |p| meter.show(p))
    } else {
        let here = std::env::current_dir().map_err(|e| Failure::io("the working directory", &e))?;
        engine.forget_paths(&args.paths.iter().map(|path| absolute(&here.join(path))).collect::<Vec<_>>(), &mut |p| {
            meter.show(p)
        })
    };
    meter.finish();
    let forgotten = forgotten?;
    output.print(&if output.json {
        json_line(&json!({"schema_version": 1, "files": forgotten.files, "items": forgotten.items}))
    } else if args.paths.is_empty() {
        format!("{} forgotten.\n", forgotten.items)
    } else {
        format!("{} files with {} chunks forgotten.\n", forgotten.files, forgotten.items)
    })?;
    Ok(0)
}

/// The path as files are known by, as far as it still exists.
fn absolute(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match there {
        Some((above, canonical)) => match path.strip_prefix(above) {
            Ok(rest) if !rest.as_os_str().is_empty() => canonical.join(rest),
            _ => canonical,
        },
        None => path.to_owned(),
    }
}
