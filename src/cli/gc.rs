//! `ken gc`.

use super::output::Output;
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::system::lower_priority;
use crate::engine::{Erased, Renewed};
use crate::render::{Size, json_object};
use clap::Args;
use serde_json::json;
use std::time::Duration;

/// How long `ken gc --auto` waits for whoever reads, before it leaves traces of what was forgotten to the next writer.
const WAIT_FOR_READERS: Duration = Duration::from_secs(600);

/// Clean up: remove unused data and rebuild the index of vectors
///
/// Commands start `ken gc --auto` in the background when it is due (setting: index.background). It embeds packs and
/// tools, rebuilds the index of vectors if much has changed, and erases the last traces of forgotten text. On a shared
/// store it also fits the gate to the texts. It removes nothing else but runs of tools that are older than
/// outcomes.keep_days. Other processes can write meanwhile.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken gc\n  ken gc --auto")]
pub(super) struct GcArgs {
    /// Do only overdue background work
    #[arg(long)]
    auto: bool,
}

pub(super) fn run(global: &Global, args: &GcArgs, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let (engine, keep_days) = (surroundings.engine(), surroundings.config.settings().outcomes.keep_days);
    let mut meter = Meter::new(output);
    if args.auto {
        lower_priority();
        // Without waiting for readers. The second call below waits for them.
        engine.erase_later(Duration::ZERO, &meter.session())?;
        // Before packs and tools: while this lock is held, no other command starts such a process.
        let renewed = engine.renew_vectors(&meter.session());
        let packs = engine.complete_packs(&meter.session());
        let tools = engine.complete_tools(&meter.session());
        // Rows that are old are the only thing that it removes; whoever writes now does it later.
        drop(engine.drop_old_outcomes(keep_days, &meter.session()));
        meter.finish();
        let erased = engine.erase_later(WAIT_FOR_READERS, &meter.session())?;
        output.tell_notes();
        packs?;
        tools?;
        return renew(renewed?, erased, output);
    }
    let dropped = engine.drop_old_outcomes(keep_days, &meter.session());
    let cleaned = engine.clean(&meter.session());
    meter.finish();
    output.tell_notes();
    let (cleaned, outcomes) = (cleaned?, dropped?);
    if output.json {
        let mut value = serde_json::to_value(cleaned).unwrap_or_default();
        value["outcomes"] = outcomes.into();
        output.print(&json_object(&value))?;
    } else {
        let freed = cleaned.bytes_before.saturating_sub(cleaned.bytes_after);
        output.print(&format!(
            "{} freed: {} vectors, {} models, {} counters, {} backups.\n",
            Size(freed),
            cleaned.vectors,
            cleaned.models,
            cleaned.counters,
            cleaned.backups
        ))?;
        if outcomes > 0 {
            output.print(&format!("{outcomes} runs of tools were older than {keep_days} days and are removed.\n"))?;
        }
    }
    Ok(0)
}

fn renew(renewed: Renewed, erased: Erased, output: &Output) -> Outcome {
    let (name, text) = match renewed {
        Renewed::Done => ("done", "The index of vectors has been rebuilt."),
        Renewed::NotDue => ("not_due", "The index of vectors need not be rebuilt yet."),
        Renewed::Busy => ("busy", "Another process is already doing this work."),
        Renewed::Overtaken => {
            ("overtaken", "Stopped: another process rebuilt the index or forgot something meanwhile.")
        }
    };
    let left = matches!(erased, Erased::Left | Erased::Busy);
    if output.json {
        output.print(&json_object(&json!({"vectors": name, "traces_left": left})))?;
    } else {
        output.print(&format!("{text}\n"))?;
    }
    Ok(0)
}
