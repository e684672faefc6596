//! `ken check`.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, Links};
use crate::render::{json_object, plan_text, shown};
use crate::types::Risk;
use crate::types::limits::PLAN;
use clap::{Args, ValueEnum};
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

/// Check a Terraform plan for known failures
///
/// Reads the output of `terraform show -json` or `terraform validate -json`. Names the known failures that the planned
/// changes make likely: a name that is taken, a replacement that destroys data, a deprecated argument. No cloud is
/// contacted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  terraform show -json plan.bin | ken check -
  ken check plan.json --fail-on medium
  terraform validate -json | ken check -

Risks:
  high    the run fails half-way, or data or service is lost
  medium  the run probably fails, and nothing is lost
  low     worth knowing

Exit code: 8 if a finding has the risk of --fail-on or a higher one, else 0.")]
pub(super) struct CheckArgs {
    /// The plan or validation as JSON; `-` reads standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// The lowest risk that makes the check fail
    #[arg(long, value_name = "RISK", default_value = "high")]
    fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Low,
    Medium,
    High,
    Never,
}

impl FailOn {
    fn fails(self, worst: Risk) -> bool {
        match self {
            Self::Low => true,
            Self::Medium => worst >= Risk::Medium,
            Self::High => worst >= Risk::High,
            Self::Never => false,
        }
    }
}

pub(super) fn run(global: &Global, args: &CheckArgs, output: &Output) -> Outcome {
    let input = read(args)?;
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let mut meter = Meter::new(output);
    let report = engine.check_plan(&input, &meter.session());
    meter.finish();
    let report = report?;
    output.print(&match output.json {
        true => json_object(&report),
        false => plan_text(&report, output.style, output.width),
    })?;
    let failed = report.worst().is_some_and(|worst| args.fail_on.fails(worst));
    if !output.json && !report.findings.is_empty() {
        let name = args.fail_on.to_possible_value().map_or_else(String::new, |name| name.get_name().to_owned());
        let worst = report.worst().map_or("none", Risk::label);
        let code = if failed { ErrorKind::CheckFailed.exit_code() } else { 0 };
        output.say(&format!("The highest risk is {worst}: exit code {code} (--fail-on {name})."));
    }
    Ok(if failed { ErrorKind::CheckFailed.exit_code() } else { 0 })
}

fn read(args: &CheckArgs) -> Result<Vec<u8>, Failure> {
    let input = bytes(args)?;
    if input.trim_ascii().is_empty() {
        return Err(no_plan());
    }
    Ok(input)
}

fn no_plan() -> Failure {
    Failure::new(ErrorKind::Usage, "there is no plan to read", "`terraform show -json plan.bin | ken check -`")
}

fn bytes(args: &CheckArgs) -> Result<Vec<u8>, Failure> {
    let mut input = Vec::new();
    if args.file.as_os_str() != "-" {
        return system::read(&args.file, Links::Follow, PLAN).map_err(|e| Failure::io(&shown(&args.file), &e));
    }
    if std::io::stdin().is_terminal() {
        return Err(no_plan());
    }
    let stdin = std::io::stdin().lock();
    stdin.take(PLAN.bytes + 1).read_to_end(&mut input).map_err(|e| Failure::io("standard input", &e))?;
    if input.len() as u64 > PLAN.bytes {
        return Err(Failure::new(
            ErrorKind::Usage,
            "the plan is larger than 64 MiB",
            "check it part by part (-target)",
        ));
    }
    Ok(input)
}
