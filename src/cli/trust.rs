//! `ken trust`.

use super::Outcome;
use super::output::{Failure, Output};
use crate::config::{Environment, Paths, Trust, TrustState};
use crate::engine::EngineError;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::make_private;
use crate::render::{json_object, shown, with_path};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Trust the packs and settings in the .ken folder of this repository
///
/// Read .ken/canon/*.json first: its fixes will be shown like those of other packs. Trust ends when the folder changes.
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
            "put packs into .ken/canon/",
        ));
    };
    let (Some(list), Some(data)) = (paths.trust(), &paths.data) else { return Err(EngineError::NoHome.into()) };
    let mut trust = Trust::read(&list)?;
    let (state, text) = if args.check {
        match trust.state(&folder)? {
            TrustState::Trusted => ("trusted", "is trusted"),
            TrustState::Changed => ("changed", "changed since it was trusted"),
            TrustState::Unknown => ("unknown", "is not trusted"),
        }
    } else if args.revoke {
        if trust.remove(&folder)? { ("revoked", "is no longer trusted") } else { ("unknown", "was not trusted") }
    } else {
        make_private(data)?;
        trust.add(&folder)?;
        ("trusted", "is trusted as it is now")
    };
    if output.json {
        output.print(&json_object(&with_path(json!({"state": state}), "folder", &folder)))?;
    } else {
        output.print(&format!("{} {text}.\n", shown(&folder)))?;
    }
    Ok(0)
}
