//! `ken store`: the whole store in another place.

use super::Outcome;
use super::output::{Failure, Output};
use super::progress::Meter;
use super::shared;
use super::surroundings::{Surroundings, working_directory};
use crate::engine::Engine;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::stores::{Mirrored, MirroredTable, StorePlace, is_address};
use crate::render::{json_object, line};
use clap::{Args, Subcommand};
use std::path::Path;

/// Copy everything that ken keeps to another place, such as a database in PostgreSQL
///
/// A place is a data directory, or an address: postgres://USER@HOST/DATABASE. The password stands in a file: set
/// store.password_file to its path.
#[derive(Debug, Subcommand)]
pub(super) enum StoreVerb {
    /// Make one place hold what another one holds, and nothing else
    ///
    /// A copy that is repeated sends what has changed, and one that was stopped goes on where it was. At the end the
    /// rows of both places are counted and digested. A place that has events of its own is refused.
    #[command(after_help = "\
Examples:
  ken store copy --to postgres://team@db.example/kenning
  ken store copy --from postgres://team@db.example/kenning --to restored

Exit code: 0 if both hold the same afterwards")]
    Copy(Places),
    /// Say whether two places hold the same
    #[command(after_help = "\
Examples:
  ken store compare --to postgres://team@db.example/kenning

Exit code: 0 if both hold the same, 1 if not")]
    Compare(Places),
}

/// What is read, and the other place.
#[derive(Debug, Args)]
pub(super) struct Places {
    /// Where to read [default: store.url if it is set, else your data directory]
    #[arg(long, value_name = "PLACE")]
    from: Option<String>,
    /// The other place [default: your data directory if --from is an address]
    #[arg(long, value_name = "PLACE")]
    to: Option<String>,
}

pub(super) fn run(verb: &StoreVerb, output: &Output) -> Outcome {
    // A repository has no say in where its user's knowledge goes.
    let surroundings = Surroundings::of_user(output)?;
    let (is_copy, places) = match verb {
        StoreVerb::Copy(places) => (true, places),
        StoreVerb::Compare(places) => (false, places),
    };
    let settings = &surroundings.config.settings().store;
    let (from, to) = chosen(places, settings.url.as_deref(), surroundings.paths.data.as_deref())?;
    if from == to {
        return Err(Failure::new(
            ErrorKind::Usage,
            "both places are the same",
            "name another one: --from PLACE or --to PLACE",
        ));
    }
    let (engine, access) = (surroundings.engine(), shared::access(settings));
    let mut meter = Meter::new(output);
    let run = if is_copy { Engine::copy_store } else { Engine::compare_stores };
    let mirrored = run(&engine, &from, &to, &access, &meter.session());
    meter.finish();
    output.tell_notes();
    let mirrored = mirrored?;
    output.print(&if output.json { json_object(&mirrored) } else { text(&mirrored, is_copy) })?;
    match (mirrored.same, is_copy) {
        (true, _) => Ok(0),
        (false, false) => Ok(1),
        (false, true) => Err(Failure::new(
            ErrorKind::CheckFailed,
            "the copy does not hold the same: something else writes to it",
            "see to it that nothing does, and copy again",
        )),
    }
}

/// Where to read, and the other place. `url` is the address of the store in use, if that is a database.
fn chosen(places: &Places, url: Option<&str>, data: Option<&Path>) -> Result<(StorePlace, StorePlace), Failure> {
    let here = || {
        let hint = "set KEN_HOME to a directory";
        let missing = || Failure::new(ErrorKind::Usage, "there is no data directory", hint);
        data.map(|data| StorePlace::Folder(data.to_owned())).ok_or_else(missing)
    };
    let from = places.from.as_deref().or(url).map_or_else(here, place)?;
    let to = match (&places.to, &places.from) {
        (Some(to), _) => place(to)?,
        (None, Some(named)) if is_address(named) => here()?,
        (None, _) => {
            let hint = "name it: --to postgres://USER@HOST/DATABASE";
            return Err(Failure::new(ErrorKind::Usage, "there is no place to copy to", hint));
        }
    };
    Ok((from, to))
}

fn place(text: &str) -> Result<StorePlace, Failure> {
    if is_address(text) {
        return Ok(StorePlace::Address(text.to_owned()));
    }
    if let Some((scheme, _)) = text.split_once("://") {
        let what = format!("{} is no kind of place", line(scheme));
        return Err(Failure::new(ErrorKind::Usage, what, "name a folder, or postgres://USER@HOST/DATABASE"));
    }
    Ok(StorePlace::Folder(working_directory()?.join(text)))
}

/// What a person reads of it.
fn text(mirrored: &Mirrored, is_copy: bool) -> String {
    let sum = |count: fn(&MirroredTable) -> u64| -> u64 { mirrored.tables.iter().map(count).sum() };
    let rows = sum(|table| table.rows);
    if !mirrored.same {
        let others = mirrored.tables.iter().filter(|table| !table.same);
        let told = others.map(|table| format!("  {}: {} rows and {}\n", table.table, table.rows, table.other_rows));
        return format!("These tables differ:\n{}", told.collect::<String>());
    }
    if !is_copy {
        return format!("Both hold the same {rows} rows.\n");
    }
    let (sent, removed) = (sum(|table| table.sent), sum(|table| table.removed));
    let to = line(&mirrored.to);
    format!("{to} holds the same {rows} rows now: {sent} were sent, {removed} removed or replaced.\n")
}
