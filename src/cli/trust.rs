//! `ken trust`.

use super::output::{Failure, Output};
use super::remember::By;
use super::surroundings::Surroundings;
use super::{Outcome, memory_files};
use crate::config::{Environment, Paths, Trust, TrustState};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::make_private;
use crate::engine::{Engine, EngineError};
use crate::render::{json_object, shown, with_path};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Trust the packs, memories and settings in the .ken folder of this repository
///
/// Read .ken/canon/*.json and .ken/memory/*.md first: fixes of packs will be shown like those of other packs, and what
/// the team remembers before them. Trust ends when the folder changes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken trust             trust the repository of this directory\n  \
        ken trust --revoke    withdraw trust")]
pub(super) struct TrustArgs {
    /// The repository [default: the one of this directory]
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Withdraw trust
    #[arg(long, conflicts_with = "check")]
    revoke: bool,
    /// Only say whether the repository is trusted
    #[arg(long)]
    check: bool,
}

pub(super) fn run(args: &TrustArgs, output: &Output) -> Outcome {
    let here = std::env::current_dir().map_err(|e| Failure::io("the working directory", &e))?;
    let place = args.directory.as_ref().map_or_else(|| here.clone(), |directory| here.join(directory));
    let paths = Paths::find(&Environment::new(std::env::vars_os()), &place)?;
    let Some(folder) = paths.repository.clone() else {
        return Err(Failure::new(
            ErrorKind::Usage,
            "there is no .ken folder in a repository here",
            "put packs into .ken/canon/, memories of the team into .ken/memory/",
        ));
    };
    let (Some(list), Some(data)) = (paths.trust(), &paths.data) else { return Err(EngineError::NoHome.into()) };
    let mut trust = Trust::read(&list)?;
    let mut taken = None;
    let (state, text) = if args.check {
        match trust.state(&folder)? {
            TrustState::Trusted => ("trusted", "is trusted"),
            TrustState::Changed => ("changed", "changed since it was trusted"),
            TrustState::Unknown => ("unknown", "is not trusted"),
        }
    } else if args.revoke {
        let is_changed = trust.remove(&folder)?;
        let engine = Engine::new(Surroundings::of_user(output)?.settings());
        if engine.has_memories() {
            let (root, session) = (folder.parent().unwrap_or(&folder), output.session());
            let from = By::default().session();
            taken = Some((0, engine.distrust_team((root, &engine.scope_of(root)), &from, &session)?));
            engine.close();
        }
        if is_changed { ("revoked", "is no longer trusted") } else { ("unknown", "was not trusted") }
    } else {
        make_private(data)?;
        let engine = Engine::new(Surroundings::of_user(output)?.settings());
        let has_memories = folder.join("memory").is_dir() || engine.has_memories();
        if has_memories {
            // What cannot be taken in is not trusted either.
            engine.team_files(&folder, &engine.scope_of(&folder), &output.session())?;
        }
        trust.add(&folder)?;
        if has_memories {
            taken = Some(memory_files::refresh_team(&engine, &paths, &folder, output)?);
            engine.close();
        }
        ("trusted", "is trusted as it is now")
    };
    let memories = taken.as_ref().and_then(|(files, taken)| memory_files::of_trust(*files, taken));
    if output.json {
        let mut told = json!({"state": state});
        if let (Some((files, taken)), Some(_)) = (&taken, &memories) {
            told["memory"] = json!(taken);
            told["memory"]["files"] = (*files).into();
        }
        output.print(&json_object(&with_path(told, "folder", &folder)))?;
    } else {
        let memories = memories.map(|text| format!("{text}\n")).unwrap_or_default();
        output.print(&format!("{} {text}.\n{memories}", shown(&folder)))?;
    }
    Ok(0)
}
