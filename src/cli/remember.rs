//! `ken remember` and `ken dispute`.

use super::clock::now_ms;
use super::input::open_file;
use super::output::{self, Failure, Output};
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome, feedback};
use crate::engine::face::failure::ErrorKind;
use crate::engine::{Decision, Engine, Learnt, Overcome, Remembered, Told};
use crate::render::{json_object, line, memory_text};
use crate::serve::{Asker, Here, RememberRequest, seen_from, session_of_day};
use crate::types::{Access, Author, Evidence, MemoryState, Wording};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::io::Read;
use std::path::PathBuf;

/// Remember a fix, a fact or a preference
///
/// What is known already is updated in place. Facts and fixes count in this repository alone. Passwords, keys and
/// tokens are taken out before anything is stored.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken remember \"Run make generate first\" --error fail.log --worked
  make 2>&1 | ken remember \"Clear the cache\" --error - --failed
  ken remember \"Install jq\" --overcame   what made the last failure go away
  ken remember \"eu-west-3 has no p4 machines\" --service ec2 --region eu-west-3
  ken remember --category naming --pattern snake_case \"Use snake_case\"
  ken remember --scope global --correction \"Never force-push to main\"")]
pub(super) struct RememberArgs {
    /// What was learnt
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// What it is [default: told by the other options]
    #[arg(long, value_name = "KIND", value_parser = ["preference", "fact", "tactic"])]
    kind: Option<String>,
    /// The error that was to be fixed: a file, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    error: Option<PathBuf>,
    /// The fix worked
    #[arg(long, conflicts_with = "failed")]
    worked: bool,
    /// The fix did not help
    #[arg(long)]
    failed: bool,
    /// It made the last command work that failed in this session (see ken run --learn)
    #[arg(long, conflicts_with_all = ["error", "failed", "kind"])]
    overcame: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    /// What it rests on, such as a quotation or a command; repeatable
    #[arg(long, value_name = "TEXT")]
    evidence: Vec<String>,
    /// What a preference is about, such as naming
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// What it is a preference for; category and pattern together name one preference
    #[arg(long, value_name = "NAME")]
    pattern: Option<String>,
    /// The service that a fact is about
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// Where it is so
    #[arg(long, value_name = "NAME")]
    region: Option<String>,
    /// Which property; service, region and subject together name one fact
    #[arg(long, value_name = "NAME")]
    subject: Option<String>,
    /// When it ceases to be true, such as 2026-12-31
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// A tag; repeatable
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// It is what somebody was corrected to
    #[arg(long)]
    correction: bool,
    /// Where it counts: in this repository, or, for a preference, everywhere
    #[arg(long, value_name = "SCOPE", value_parser = ["here", "global"], default_value = "here")]
    scope: String,
    /// The memory that it replaces
    #[arg(long, value_name = "ID")]
    update: Option<String>,
    /// A memory that it was concluded from; repeatable
    #[arg(long = "from", value_name = "ID")]
    derived_from: Vec<String>,
    #[command(flatten)]
    by: By,
}

/// Who says so, and in which session.
#[derive(Debug, Default, Args)]
pub(super) struct By {
    /// Who says so; what a program says is not validated [default: a person, if there is a terminal]
    #[arg(long, value_name = "WHO")]
    author: Option<Who>,
    /// Id of the session; what several sessions met is surer [default: KEN_SESSION, else this terminal]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Who {
    Person,
    Program,
}

impl By {
    pub fn author(&self) -> Author {
        let is_person = self.author.map_or_else(output::has_terminal, |who| who == Who::Person);
        if is_person { Author::Person } else { Author::Program("command line".to_owned()) }
    }

    pub fn session(&self) -> String {
        let named = self.session.clone().or_else(feedback::terminal);
        named.unwrap_or_else(|| session_of_day(now_ms()))
    }
}

pub(super) fn run(global: &Global, args: RememberArgs, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let error = args.error.as_deref().map(|path| {
        let mut input = open_file(path, output)?;
        let mut bytes = Vec::new();
        input.reader.read_to_end(&mut bytes).map_err(|error| Failure::io("the error", &error))?;
        Ok::<_, Failure>(bytes)
    });
    let error = error.transpose()?;
    let engine = surroundings.engine();
    let here = Here::new(working_directory()?);
    let access = Access::all().from_home(here.scope(&engine));
    let asker =
        Asker { engine: &engine, settings: surroundings.config.settings(), here: &here, access: &access, notes: None };
    let (author, from) = (args.by.author(), args.by.session());
    let overcome = args.overcame.then(|| overcome_last(&engine, &from, &access, output)).transpose()?;
    let has_error = error.is_some() || overcome.is_some();
    let request = RememberRequest {
        text: args.text.join(" "),
        kind: args.kind.or(has_error.then(|| "tactic".to_owned())),
        title: None,
        category: args.category,
        pattern: args.pattern,
        service: args.service,
        region: args.region,
        subject: args.subject,
        until: args.until,
        tags: args.tags,
        error: None,
        worked: (args.worked || args.failed || args.overcame).then_some(!args.failed),
        because: args.because,
        evidence: args.evidence,
        correction: args.correction,
        scope: Some(args.scope),
        update: args.update,
        derived_from: args.derived_from,
        session: None,
    };
    let mut wanted = request.read(asker)?;
    wanted.error = error;
    if let Some(overcome) = overcome {
        wanted.error = error_in(&overcome);
        wanted.words.evidence.push(seen_in(&overcome));
    }
    let remembered = engine.remember(wanted, (&author, &from), &access, &output.session())?;
    output.tell_notes();
    output.print(&match output.json {
        true => json_object(&remembered),
        false => text(&remembered, output),
    })?;
    engine.close();
    Ok(0)
}

/// The failure that the session overcame last.
fn overcome_last(engine: &Engine, from: &str, access: &Access, output: &Output) -> Result<Overcome, Failure> {
    let found = engine.overcome_last(from, access, &output.session())?;
    found.ok_or_else(|| {
        Failure::new(
            ErrorKind::Usage,
            "no command failed in this session and works now",
            "run it with `ken run --learn -- CMD`, before and after, or name the error with --error FILE --worked",
        )
    })
}

/// What the command printed when it failed, if it said anything.
pub(super) fn error_in(overcome: &Overcome) -> Option<Vec<u8>> {
    let error = &overcome.failure.error;
    (!error.trim().is_empty()).then(|| error.clone().into_bytes())
}

/// The run that shows that a failure is gone.
pub(super) fn seen_in(overcome: &Overcome) -> Evidence {
    let success = &overcome.success;
    Evidence {
        text: Some(format!("Run {} of session {} worked", success.sequence, success.session)),
        command: Some(success.input.clone()),
        exit_code: success.exit_code,
        ..Evidence::default()
    }
}

pub(super) fn text(remembered: &Remembered, output: &Output) -> String {
    let memory = &remembered.memory.memory;
    let done = match remembered.change {
        Learnt::Added => "Remembered",
        Learnt::Reinforced => "Known already; it is surer now",
        Learnt::Updated => "Updated",
        Learnt::Proposed => "Proposed",
        Learnt::Known => "Known already",
    };
    let mut out = format!("{done}:\n");
    out.push_str(&memory_text(memory, remembered.memory.confidence, now_ms(), output.style, output.width));
    if memory.state == MemoryState::Disputed {
        out.push_str(&format!("It is not served, because it is disputed: `ken dispute --withdraw {}`\n", memory.id));
    }
    if !remembered.redacted.is_empty() {
        out.push_str(&format!("Taken out before it was stored: {}.\n", remembered.redacted.join(", ")));
    }
    for near in &remembered.near {
        out.push_str(&format!("Nearly the same: {} ({})\n", line(&near.text), near.id));
    }
    if let Some(near) = remembered.near.first() {
        out.push_str(&format!(
            "If the new one replaces {}: ken forget {} && ken remember --update {} ...\n",
            near.id, memory.id, near.id
        ));
    }
    out
}

/// Say that a memory is wrong: it is not served any more
///
/// What was concluded from it alone is held back too. Both come back when the dispute is withdrawn.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken dispute 3f9c21ab04de --because \"the flag was renamed in 2.0\"
  ken dispute 3f9c21ab04de --withdraw
  ken memory list --held    what is held back, and why")]
pub(super) struct DisputeArgs {
    /// Ids of memories, or how they begin; `ken memory list` shows them
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Why it is wrong; needed unless --withdraw
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    /// Take the dispute back
    #[arg(long)]
    withdraw: bool,
    #[command(flatten)]
    by: By,
}

pub(super) fn dispute(global: &Global, args: &DisputeArgs, output: &Output) -> Outcome {
    if !args.withdraw && args.because.is_none() {
        return Err(Failure::new(ErrorKind::Usage, "why it is wrong is missing", "say it with --because TEXT"));
    }
    let decision = if args.withdraw { Decision::Withdraw } else { Decision::Dispute };
    decide(global, &args.ids, decision, args.because.clone(), &args.by, output)
}

/// Decides about memories and says how they stand now.
pub(super) fn decide(
    global: &Global,
    ids: &[String],
    decision: Decision,
    because: Option<String>,
    by: &By,
    output: &Output,
) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let access = seen_from(&engine, &Access::all(), &Here::new(working_directory()?));
    let (author, from) = (by.author(), by.session());
    let words = Wording { because, ..Wording::default() };
    let memories = engine.decide(ids, decision, words, (&author, &from), &access, &output.session())?;
    let memories: Vec<Told> = memories.into_iter().map(|memory| Told::of(memory, now_ms())).collect();
    output.tell_notes();
    output.print(&match output.json {
        true => json_object(&json!({ "memories": memories })),
        false => {
            let one = |told: &Told| memory_text(&told.memory, told.confidence, now_ms(), output.style, output.width);
            memories.iter().map(one).collect()
        }
    })?;
    engine.close();
    Ok(0)
}
