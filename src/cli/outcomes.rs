//! `ken outcomes`: what tools did, and what failed how often.

use super::clock::now_ms;
use super::output::Output;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::engine::OutcomesKept;
use crate::render::{failures_text, json_object, outcomes_text};
use crate::serve::{FailuresRequest, Here, outcomes_seen_from};
use crate::types::Access;
use clap::Args;

/// Show what tools did here: failures by how often they were met
///
/// Agents report each run of a tool to `ken hook post-tool`, and so does `ken run` if the setting run.keep_outcomes is
/// on. Shown are those of this repository, and those from outside of any. Runs are kept for 90 days (setting:
/// outcomes.keep_days); failures stay counted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken outcomes
  ken outcomes --since 7d --tool cargo
  ken outcomes --all -n 20

Exit code: 0 if there are any, 1 if not.")]
pub(super) struct OutcomesArgs {
    /// Only runs since then: 7d, 12h, 2w, or a day such as 2026-12-31
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only this tool, program or statement, such as Bash, cargo or SELECT
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// List the last runs, also those that went well
    #[arg(long)]
    all: bool,
    /// Begin behind this page of runs: the `next` of the one before
    #[arg(long, value_name = "NEXT", requires = "all")]
    after: Option<String>,
    /// Most failures or runs
    #[arg(short = 'n', long, value_name = "COUNT", default_value = "20",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

pub(super) fn run(global: &Global, args: OutcomesArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let OutcomesArgs { since, tool, all, after, limit } = args;
    let request = FailuresRequest { since, tool, limit: Some(limit) };
    let access = outcomes_seen_from(&engine, &Access::all(), &Here::new(working_directory()?));
    let (filter, most, session) = (request.filter(now_ms())?, request.most(), output.session());
    let nothing = "Nothing of the kind was reported here; `ken hook post-tool --help` shows how.";
    if all {
        let page = engine.list_outcomes(&filter, after.as_deref(), most, &access, &session)?;
        output.tell_notes();
        if output.json {
            output.print(&json_object(&page))?;
        } else if page.outcomes.is_empty() {
            output.say(nothing);
        } else {
            output.print(&outcomes_text(&page.outcomes, now_ms(), output.style, output.width))?;
            if let Some(next) = &page.next {
                output.say(&format!("There are more; they follow with --after {next}."));
            }
        }
        return Ok(u8::from(page.outcomes.is_empty()));
    }
    let found = engine.failures(&filter, most, &access, &session)?;
    output.tell_notes();
    if output.json {
        output.print(&json_object(&found))?;
    } else if found.failures.is_empty() && found.kept == OutcomesKept::default() {
        output.say(nothing);
    } else {
        let rows = found.failures.iter();
        let rows = rows.map(|one| (&one.error, one.overcome.as_deref(), one.places.as_slice()));
        let table = failures_text(rows, now_ms(), output.style, output.width);
        output.print(&format!("{table}{}.\n", kept_text(&found.kept)))?;
    }
    Ok(u8::from(found.failures.is_empty()))
}

/// What is kept, in a line.
pub(super) fn kept_text(kept: &OutcomesKept) -> String {
    let OutcomesKept { counts, lost } = kept;
    let many = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut text = format!(
        "{} in {}, {} of {}",
        many(counts.rows, "run"),
        many(counts.sessions, "session"),
        many(counts.failures, "failure"),
        many(counts.errors, "kind"),
    );
    if lost.total > 0 {
        text.push_str(&format!("; {} could not be kept", many(lost.total, "run")));
    }
    text
}
