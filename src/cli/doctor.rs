//! `ken doctor`.

use super::output::Output;
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::indexing::Fault;
use crate::render::{json_object, line, shown, with_path};
use clap::Args;
use serde_json::{Value, json};

/// Check everything that is stored, and repair it
///
/// Reads every page of the database and compares items, words and vectors. With --repair, derived files are made again.
/// From a damaged database everything that can be read is copied to a new one; the damaged file is kept. If store.url
/// is set, the rows of that database are checked, and its server is left to check its own pages.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken doctor
  ken doctor --repair

Exit code: 0 if all is well, 5 if data is damaged, 8 for lesser problems.")]
pub(super) struct DoctorArgs {
    /// Repair what is wrong
    #[arg(long)]
    repair: bool,
}

pub(super) fn run(global: &Global, args: &DoctorArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let mut meter = Meter::new(output);
    let found = engine.check_up(args.repair, &meter.session());
    meter.finish();
    output.tell_notes();
    let found = found?;
    let left = if found.repaired { &found.left } else { &found.faults };
    if output.json {
        let mut value = serde_json::to_value(&found).unwrap_or_default();
        if let Value::Object(fields) = &mut value {
            fields.insert("sound".to_owned(), json!(left.is_empty()));
            if let Some(salvaged) = &found.salvaged {
                let fields = fields.entry("salvaged").or_insert_with(|| json!({}));
                *fields = with_path(fields.take(), "kept", &salvaged.kept);
            }
        }
        output.print(&json_object(&value))?;
    } else {
        let mut text = String::new();
        for fault in &found.faults {
            let label = if fault.damage { "damaged" } else { "wrong" };
            text.push_str(&format!("{} {}: {}\n", output.style.bad(label), fault.name, line(&fault.what)));
        }
        if let Some(salvaged) = &found.salvaged {
            let items = salvaged.rows.get("item").copied().unwrap_or(0);
            let files = salvaged.rows.get("source").copied().unwrap_or(0);
            let kept = shown(&salvaged.kept);
            text.push_str(&match items + files {
                0 => format!(
                    "Nothing could be read of the damaged database, which is kept as {kept}. Run `ken index PATH` \
                     with each folder that was indexed, and `ken import FILE` with an export if there is one.\n"
                ),
                _ => format!(
                    "{items} items of {files} files were carried over; the damaged database is kept as {kept}. Run \
                     `ken index` to read the files again.\n"
                ),
            });
        }
        text.push_str(&match (found.faults.is_empty(), found.repaired, left.is_empty()) {
            (true, _, _) => format!("{}\n", output.style.good("All is well.")),
            (false, true, true) => format!("{}\n", output.style.good("All of it is mended.")),
            (false, true, false) => format!("{} could not be mended.\n", left.len()),
            (false, false, _) if !found.faults.iter().any(Fault::is_mendable) => String::new(),
            (false, false, _) if !found.faults.iter().all(Fault::is_mendable) => {
                "`ken doctor --repair` repairs the rest.\n".to_owned()
            }
            (false, false, _) => "`ken doctor --repair` repairs it.\n".to_owned(),
        });
        output.print(&text)?;
    }
    Ok(code(left))
}

fn code(faults: &[Fault]) -> u8 {
    match faults {
        [] => 0,
        _ if faults.iter().any(|fault| fault.damage) => ErrorKind::Damaged.exit_code(),
        _ => ErrorKind::CheckFailed.exit_code(),
    }
}
