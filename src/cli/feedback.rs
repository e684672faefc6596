//! `ken lookup --worked` and `ken lookup --wrong`.

use super::output::{self, Failure, Output};
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::system::session_number;
use crate::render::{json_object, line};
use clap::Args;
use serde_json::json;

/// Stands for the last answer of this terminal. No entry has it as its id: ids have a slash.
const LAST: &str = "last";

/// What somebody says of an answer.
#[derive(Debug, Default, Args)]
pub(super) struct FeedbackArgs {
    /// Store that the last answer of this terminal worked, or the answer with this id
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = LAST,
        conflicts_with_all = ["text", "wrong"], add = super::complete::entries())]
    worked: Option<String>,
    /// Store that the last answer of this terminal was wrong, or the answer with this id
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = LAST,
        conflicts_with = "text", add = super::complete::entries())]
    wrong: Option<String>,
}

impl FeedbackArgs {
    /// The entry, and whether it worked; none if nothing is said.
    pub fn said(&self) -> Option<(Option<&str>, bool)> {
        let (id, worked) = match (&self.worked, &self.wrong) {
            (Some(id), _) => (id, true),
            (None, Some(id)) => (id, false),
            (None, None) => return None,
        };
        Some((Some(id.as_str()).filter(|id| *id != LAST), worked))
    }
}

/// Stores what was said.
pub(super) fn run(global: &Global, entry: Option<&str>, worked: bool, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let said = engine.keep_feedback(entry, worked, terminal().as_deref(), &output.session()).map_err(Failure::from)?;
    let id = line(&said.entry);
    output.print(&match (output.json, worked, said.fingerprint.is_some()) {
        (true, ..) => json_object(&json!({"entry": said.entry, "fingerprint": said.fingerprint, "worked": worked})),
        (_, true, true) => format!("{id} worked. From now on it is the answer to this error.\n"),
        (_, false, true) => format!("{id} was wrong. From now on it is no answer to this error.\n"),
        (_, true, false) => format!("{id} worked. This is shown with the entry.\n"),
        (_, false, false) => format!("{id} was wrong. This is shown with the entry.\n"),
    })?;
    Ok(0)
}

/// The session that `KEN_SESSION` names.
pub(super) fn named() -> Option<String> {
    let named = std::env::var_os("KEN_SESSION").filter(|name| !name.is_empty());
    named.map(|name| name.to_string_lossy().into_owned())
}

/// What tells this terminal from others: `KEN_SESSION`, else its device and the session of processes; none without a
/// terminal.
pub(super) fn terminal() -> Option<String> {
    if let Some(named) = named() {
        return Some(named);
    }
    let device = output::terminal_device()?;
    let session = session_number()?;
    Some(format!("{device} {session}"))
}
