//! `ken bench calibrate`.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::eval::retrieval::{BenchError, SPLIT, read_split};
use crate::eval::{Case, Figures, Fitted, builtin_cases, case_questions, fit, neutral, present, set_questions};
use crate::render::{json_line, shown};
use crate::types::{Calibration, Fit};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Fit the gate to labelled questions within a noise budget
///
/// With folders of sets (BEIR layout) the gate of searches is fitted. Each set is asked its own questions, its
/// unanswerable ones, and those of the other sets. Without folders the gate of lookups is fitted to the built-in cases.
/// The table compares the gate in use with the new one, by cross-validation.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench calibrate
  ken bench calibrate sets/* --max-noise 0.05
  ken bench calibrate sets/* --save")]
pub(super) struct CalibrateArgs {
    /// Folders of sets
    #[arg(value_name = "DIR")]
    sets: Vec<PathBuf>,
    /// Read the judgements of qrels/NAME.tsv
    #[arg(long, value_name = "NAME", default_value = SPLIT)]
    split: String,
    /// The share of unanswerable questions that may get an answer
    #[arg(long, value_name = "SHARE", default_value_t = 0.03)]
    max_noise: f64,
    /// Use the new gate from now on
    #[arg(long)]
    save: bool,
    /// Write the data of the fit as JSON lines
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
}

pub(super) fn run(global: &Global, args: &CalibrateArgs, output: &Output) -> Outcome {
    if !(0.0..1.0).contains(&args.max_noise) {
        return Err(Failure::new(ErrorKind::Usage, "--max-noise is a share".to_owned(), "give one from 0 to 0.99"));
    }
    let surroundings = Surroundings::open(global, output)?;
    let sets = args.sets.iter().map(|path| read_split(path, &args.split)).collect::<Result<Vec<_>, BenchError>>()?;
    let mut meter = Meter::new(output);
    let before = surroundings.engine().calibration(&meter.session());
    let questions = match sets.is_empty() {
        true => {
            let cases: Vec<Case> = builtin_cases()?.into_iter().filter(|case| !case.held_back).collect();
            // A prior is fitted on what is known without one.
            let start = Calibration { prior: None, ..before.clone().unwrap_or_else(neutral) };
            let engine = surroundings.measured_engine(Some(start));
            case_questions(&engine, &cases, &meter.session())?
        }
        false => {
            let mut settings = surroundings.settings();
            // With a calibration of their own indexes keep the gate that fits them, whose shift is told beside.
            settings.calibration = before.is_none().then(neutral);
            set_questions(&sets, &settings, &meter.session())?
        }
    };
    meter.finish();
    if let Some(path) = &args.dump {
        let text: String = questions.iter().map(json_line).collect();
        std::fs::write(path, text).map_err(|e| Failure::io(&shown(path), &e))?;
    }
    let given = before.clone().unwrap_or_else(neutral);
    let given = if sets.is_empty() { given.entries } else { *given.of_documents() };
    let fitted = fit(&questions, args.max_noise, &given);
    let now = before.as_ref().map(|before| match sets.is_empty() {
        true => present(&questions, &before.entries, before.prior.as_ref()),
        false => present(&questions, before.of_documents(), None),
    });
    let mut calibration = before.clone().unwrap_or_else(neutral);
    let part = if sets.is_empty() { "entries" } else { "documents" };
    let old = match sets.is_empty() {
        true => {
            calibration.entries = fitted.fit;
            calibration.prior = fitted.prior.clone();
            before.map(|before| before.entries)
        }
        false => {
            calibration.documents = Some(fitted.fit);
            before.map(|before| *before.of_documents())
        }
    };
    if output.json {
        let figures = json!({"before": now, "after": fitted.figures});
        output.print(&json_line(&json!({"part": part, "before": old, "fitted": fitted, "figures": figures})))?;
    } else {
        output.print(&text(part, old.as_ref(), &fitted))?;
        output.print(&figures(now.as_ref(), &fitted, args.max_noise))?;
    }
    if args.save {
        let path = surroundings.engine().keep_calibration(&calibration)?;
        output.say(&format!("kept in {}; remove the file to go back to what ships", shown(&path)));
    }
    Ok(0)
}

fn text(part: &str, old: Option<&Fit>, fitted: &Fitted) -> String {
    let line = |fit: &Fit| {
        let Fit { weight, offset, cosine, words, length, crowd, size, unknown, ahead, fall, semantic, gate } = fit;
        format!(
            "{part} = {{ weight = {weight:.3}, offset = {offset:.3}, cosine = {cosine:.3}, words = {words:.3}, \
             length = {length:.3}, crowd = {crowd:.3}, size = {size:.3}, unknown = {unknown:.3}, \
             ahead = {ahead:.3}, fall = {fall:.3}, semantic = {{ slope = {:.3}, offset = {:.3} }}, \
             gate = {gate:.3} }}\n",
            semantic.slope, semantic.offset
        )
    };
    let mut out = String::new();
    if let Some(old) = old {
        out.push_str(&format!("before:\n  {}", line(old)));
    }
    out.push_str(&format!("fitted:\n  {}", line(&fitted.fit)));
    if let Some(prior) = &fitted.prior {
        out.push_str(&format!("  prior of the question's kind: {} weights, in --json\n", prior.weights.len()));
    }
    out
}

/// What the gate in use makes of the questions, and what the new one does.
fn figures(now: Option<&Figures>, fitted: &Fitted, max_noise: f64) -> String {
    let (known, unknown) = fitted.questions;
    let mut out = format!("{} questions, {known} answerable and {unknown} not\n", known + unknown);
    out.push_str(&format!(
        "{:7} {:>6} {:>16} {:>6} {:>6} {:>6}\n",
        "", "noise", "95 % interval", "cover", "right", "auc"
    ));
    let mut row = |name: &str, figures: &Figures| {
        let Figures { noise, noise_interval, coverage, right, auc } = figures;
        let interval =
            noise_interval.map_or_else(|| "-".to_owned(), |ends| format!("[{:.3}, {:.3}]", ends.low, ends.high));
        out.push_str(&format!("{name:7} {noise:>6.3} {interval:>16} {coverage:>6.3} {right:>6.3} {auc:>6.3}\n"));
    };
    if let Some(now) = now {
        row("before", now);
    }
    row("after", &fitted.figures);
    out.push_str(&format!(
        "\nnoise    share of unanswerable questions that get an answer; the new gate is set for {max_noise:.3} (--max-noise)\n\
         cover    coverage: share of answerable questions that get an answer\n\
         right    share of answerable questions that get one and whose first hit is right\n\
         auc      probability that an answerable question's best hit is more relevant than an unanswerable one's\n\
         before   what is in use now, on the same questions; after: cross-validated\n"
    ));
    out
}
