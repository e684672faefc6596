//! `ken bench from-index`.

use super::output::{Failure, Output};
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::eval::retrieval::{Draft, draft};
use crate::render::{json_object, shown, with_path};
use clap::Args;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Make a set to label from your index, in the BEIR layout
///
/// The documents are the indexed texts. The questions are your labels from `ken search --good`, and proposed ones made
/// of headings and first sentences; rewrite these as people would ask. README.md in the folder explains the next steps.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench from-index sets/mine
  ken bench from-index sets/more --questions 200 && ken bench run sets/more")]
pub(super) struct FromIndexArgs {
    /// The folder of the set; it must be empty or not exist
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// How many questions to propose
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    questions: u32,
}

pub(super) fn run(global: &Global, args: &FromIndexArgs, output: &Output) -> Outcome {
    let out = &args.out;
    let failed = |path: &Path| {
        let name = shown(path).into_owned();
        move |error: std::io::Error| Failure::io(&name, &error)
    };
    if out.exists() && fs::read_dir(out).map_err(failed(out))?.next().is_some() {
        let text = format!("{} is not empty", shown(out));
        return Err(Failure::new(ErrorKind::Usage, text, "name a folder that does not exist yet"));
    }
    let engine = Surroundings::open(global, output)?.engine();
    let mut items = Vec::new();
    engine.each_item(&output.session(), &mut |item| items.push(item))?;
    let labels = engine.labels()?.into_iter().map(|label| (label.question, label.id));
    let draft = draft(&items, &labels.collect::<Vec<_>>(), args.questions as usize);
    for (name, text) in &draft.files {
        let path = out.join(name);
        let folder = path.parent().unwrap_or(out);
        fs::create_dir_all(folder).map_err(failed(folder))?;
        fs::write(&path, text).map_err(failed(&path))?;
    }
    let Draft { documents, labelled, questions, unanswerable, .. } = draft;
    output.print(&if output.json {
        let counts =
            json!({"documents": documents, "labelled": labelled, "questions": questions, "unanswerable": unanswerable});
        json_object(&with_path(counts, "path", out))
    } else {
        let folder = shown(out);
        format!(
            "Documents: {documents}; questions: {labelled} labelled, {questions} proposed, {unanswerable} without an \
             answer. Written to {folder}.\n{} says how to make a set of them.\n",
            shown(&out.join("README.md"))
        )
    })?;
    Ok(0)
}
