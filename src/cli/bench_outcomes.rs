//! `ken bench outcomes`.

use super::Outcome;
use super::output::{Failure, Output};
use crate::engine::face::system::{self, Links};
use crate::engine::face::text::{decode, single_line};
use crate::eval::{
    DraftFigures, OutcomeReport, Proposal, measure_drafts, measure_outcomes, parse_lines, sample_proposals,
};
use crate::render::{json_line, shown};
use crate::types::limits::LOG;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Measure what is learnt from the runs of tools in sessions of agents
#[derive(Debug, Args)]
#[command(after_help = "\
Files of DIR, as JSON lines:
  events.jsonl      {\"session\": \"a\", \"seq\": 0, \"tool\": \"bash\", \"args\": \"ls x\",
                    \"ok\": false, \"error\": \"no such file\"}; head, reward and
                    duration_ms may be given too
  sessions.jsonl    {\"session\": \"a\", \"env\": \"bash\", \"model\": \"m\",
                    \"task_key\": \"t\"}
  recoveries.jsonl  labels, if there are any: {\"session\": \"a\", \"fail_seq\": 0,
                    \"kind\": \"edited\", \"via\": [], \"fix_seq\": 2}

Half of the sessions are learnt from, by the MD5 of their names. For each
failure of the others that was overcome, how and by which action is foretold
(hit@1, hit@3). A fix is found if it is a step of another session of the same
task with the full reward.

Examples:
  ken bench outcomes sessions/
  ken bench outcomes sessions/ --sample 100 --seed 1
  ken bench outcomes --drafts lines.tsv")]
pub(super) struct OutcomesArgs {
    /// Folder with events.jsonl and sessions.jsonl
    #[arg(value_name = "DIR", required_unless_present = "drafts")]
    folder: Option<PathBuf>,
    /// Print so many proposed recoveries instead, with a case of each
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Draw the sample by this number
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Draft pack entries from lines with their templates instead; columns as in `ken bench fingerprint`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sample", "folder"])]
    drafts: Option<PathBuf>,
}

pub(super) fn run(args: &OutcomesArgs, output: &Output) -> Outcome {
    if let Some(path) = &args.drafts {
        let name = shown(path).into_owned();
        let bytes = system::read(path, Links::Follow, LOG).map_err(|e| Failure::io(&name, &e))?;
        let figures = measure_drafts(&parse_lines(&name, &decode(&bytes)?)?);
        output.print(&match output.json {
            true => json_line(&json!({"bench": "outcomes", "drafts": figures})),
            false => drafts(&figures),
        })?;
        return Ok(0);
    }
    let Some(folder) = &args.folder else { return Ok(0) };
    if let Some(most) = args.sample {
        for (number, one) in (1..).zip(sample_proposals(folder, most, args.seed)?) {
            output.print(&match output.json {
                true => json_line(&json!({"bench": "outcomes", "number": number, "proposal": one})),
                false => proposal(number, &one),
            })?;
        }
        return Ok(0);
    }
    let report = measure_outcomes(folder)?;
    if output.json {
        let mut line = json!({"bench": "outcomes"});
        if let (Some(line), Ok(Value::Object(report))) = (line.as_object_mut(), serde_json::to_value(&report)) {
            line.extend(report);
        }
        output.print(&json_line(&line))?;
        return Ok(0);
    }
    output.print(&table(&report))?;
    Ok(0)
}

fn table(report: &OutcomeReport) -> String {
    let (labelled, alike) = report.labels;
    let mut text = format!("{} sessions, {} rows, {} failures\n", report.sessions, report.rows, report.failures);
    if labelled > 0 {
        text.push_str(&format!("ends as labelled: {alike} of {labelled}\n"));
    }
    text.push_str(&format!(
        "\n{:16} {:>8} {:>7} {:>7} {:>10} {:>10} {:>10} {:>10} {:>13} {:>10}\n",
        "how it ends",
        "failures",
        "hit@1",
        "hit@3",
        "commonest",
        "by action",
        "by error",
        "(@3)",
        "other models",
        "by error"
    ));
    for (name, of) in &report.ends {
        text.push_str(&format!(
            "{:16} {:>8} {:>7.3} {:>7.3} {:>10.3} {:>10.3} {:>10.3} {:>10.3} {:>13.3} {:>10.3}\n",
            single_line(name, 16),
            of.failures,
            of.hit_1,
            of.hit_3,
            of.commonest_1,
            of.by_action_1,
            of.by_error_1,
            of.by_error_3,
            of.other_models_1,
            of.other_models_by_error_1
        ));
    }
    if !report.fixes.is_empty() {
        let head = ["fix elsewhere", "failures", "hit@1", "hit@5", "words @1", "words @5"];
        let [name, failures, one, five, words_one, words_five] = head;
        text.push_str(&format!("\n{name:16} {failures:>8} {one:>7} {five:>7} {words_one:>10} {words_five:>10}\n"));
    }
    for (name, of) in &report.fixes {
        text.push_str(&format!(
            "{:16} {:>8} {:>7.3} {:>7.3} {:>10.3} {:>10.3}\n",
            single_line(name, 16),
            of.failures,
            of.hit_1,
            of.hit_5,
            of.words_1,
            of.words_5
        ));
    }
    let patterns: Vec<String> = report.patterns.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    text.push_str(&format!("\npatterns: {}\n{}", patterns.join(", "), drafts(&report.drafts)));
    text
}

fn drafts(of: &DraftFigures) -> String {
    format!(
        "drafts of pack entries: {} of {} kinds; of these match all held-out instances {}, nothing else {}, \
         both {}; recall {:.3}\n",
        of.drafted, of.statements, of.whole, of.clean, of.right, of.recall
    )
}

fn proposal(number: usize, one: &Proposal) -> String {
    let Proposal { pattern, failed, error, then } = one;
    let mut text = format!(
        "{number}. {} {}: worked in {} sessions, not in {}, confidence {:.2}\n",
        single_line(&pattern.tool, 40),
        single_line(&pattern.head, 40),
        pattern.worked,
        pattern.failed,
        pattern.confidence
    );
    text.push_str(&format!("   failed  {}\n   printed {}\n", single_line(failed, 200), single_line(error, 200)));
    for step in &pattern.steps {
        let role = format!("{:?}", step.role).to_lowercase();
        text.push_str(&format!("   propose {role} {}\n", single_line(&step.input, 200)));
    }
    then.iter().for_each(|input| text.push_str(&format!("   then    {}\n", single_line(input, 200))));
    text
}
