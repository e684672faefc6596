//! `ken man`.

use super::output::{Failure, Output};
use super::{Outcome, help};
use crate::render::{json_object, shown, with_path};
use clap::{Args, Command};
use clap_mangen::Man;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Write the manual pages into a folder
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  ken man ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// The folder; it is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(args: &ManArgs, output: &Output) -> Outcome {
    let failure = |error: std::io::Error| Failure::io(&shown(&args.folder), &error);
    std::fs::create_dir_all(&args.folder).map_err(failure)?;
    let mut command = help::command();
    command.build();
    let pages = write_pages(&command, &args.folder).map_err(failure)?;
    output.print(&if output.json {
        json_object(&with_path(json!({"pages": pages}), "path", &args.folder))
    } else {
        format!("{pages} pages are in {}\n", shown(&args.folder))
    })?;
    Ok(0)
}

/// A page for the command and one for each of its verbs, named as git names them: `ken-bench-run.1`.
fn write_pages(command: &Command, folder: &Path) -> std::io::Result<usize> {
    let page = Man::new(command.clone());
    page.generate_to(folder)?;
    let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help");
    verbs.map(|verb| write_pages(verb, folder)).try_fold(1, |pages, more| Ok(pages + more?))
}
