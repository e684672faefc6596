//! What a shell offers when somebody presses tab behind an option: names that exist here and now.
//!
//! The completion scripts of `ken completions` call `ken` with `KEN_COMPLETE` set. It then prints candidates and does
//! nothing else. A home that cannot be read has no candidates; that is never an error.

use super::output::Output;
use super::surroundings::Surroundings;
use super::{Colour, Global, help};
use crate::config::KEYS;
use crate::engine::Engine;
use crate::engine::face::packs::Stored;
use crate::eval::retrieval::Configuration;
use clap_complete::env::Shells;
use clap_complete::{ArgValueCandidates, ArgValueCompleter, CompleteEnv, CompletionCandidate, Shell};
use std::collections::BTreeSet;
use std::ffi::OsStr;

/// The variable with the name of the shell that asks for candidates.
const ASKED_BY: &str = "KEN_COMPLETE";

/// Answers a shell; false if no shell asked.
pub(super) fn answered() -> clap::error::Result<bool> {
    let here = std::env::current_dir().ok();
    CompleteEnv::with_factory(help::command).var(ASKED_BY).try_complete(std::env::args_os(), here.as_deref())
}

/// The script that lets a shell ask.
pub(super) fn script(shell: Shell) -> std::io::Result<Vec<u8>> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string()).ok_or(std::io::ErrorKind::NotFound)?;
    completer.write_registration(ASKED_BY, "ken", "ken", "ken", &mut script)?;
    Ok(script)
}

/// Models: those that `ken` can pull, and those that are installed.
pub(super) fn models() -> ArgValueCandidates {
    offer(|engine| engine.models().unwrap_or_default().into_iter().map(|(model, ..)| model.name).collect())
}

/// Packs in use.
pub(super) fn packs() -> ArgValueCandidates {
    of_entries(|stored| vec![stored.pack.clone().into_owned()])
}

/// Providers of entries, such as aws.
pub(super) fn providers() -> ArgValueCandidates {
    of_entries(|stored| stored.entry().provider.clone().into_iter().collect())
}

/// Tags of entries.
pub(super) fn tags() -> ArgValueCandidates {
    of_entries(|stored| stored.entry().tags.clone())
}

/// Ids of entries. Before a pack is chosen, the packs are offered: thousands of ids help nobody.
pub(super) fn entries() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let Some(typed) = typed.to_str() else { return Vec::new() };
        let Some(engine) = engine() else { return Vec::new() };
        let packs = engine.packs(&quiet().session());
        let ids = packs.canon().entries().iter().map(|entry| entry.id()).filter(|id| id.starts_with(typed));
        let offered = |id: &str| match id.split_once('/') {
            Some((pack, _)) if !typed.contains('/') => format!("{pack}/"),
            _ => id.to_owned(),
        };
        let offered: BTreeSet<String> = ids.map(offered).collect();
        offered.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// Names of runs that `ken bench run` knows.
pub(super) fn runs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| Configuration::names().map(CompletionCandidate::new).collect())
}

/// Names of settings.
pub(super) fn settings() -> ArgValueCandidates {
    ArgValueCandidates::new(|| KEYS.iter().map(|key| CompletionCandidate::new(key.name)).collect())
}

/// What the entries of the packs in use have.
fn of_entries(names: fn(&Stored) -> Vec<String>) -> ArgValueCandidates {
    offer(move |engine| engine.packs(&quiet().session()).canon().entries().iter().flat_map(names).collect())
}

fn offer(names: impl Fn(&Engine) -> BTreeSet<String> + Send + Sync + 'static) -> ArgValueCandidates {
    ArgValueCandidates::new(move || {
        let names = engine().map(|engine| names(&engine)).unwrap_or_default();
        names.into_iter().map(CompletionCandidate::new).collect()
    })
}

fn engine() -> Option<Engine> {
    let global = Global {
        json: false,
        color: Colour::Never,
        model: None,
        encoder: None,
        precision: None,
        quiet: true,
        help: None,
    };
    Some(Surroundings::open(&global, &quiet()).ok()?.engine())
}

fn quiet() -> Output {
    Output::new(false, Colour::Never, true)
}
