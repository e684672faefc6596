//! `ken init`, and the report about files that it shares with `ken hook install`.

use super::mcp::clients;
use super::output::{Failure, Output};
use super::surroundings::agent_folders;
use super::{Global, Outcome};
use crate::engine::face::agents::{Client, Missing, Part, Scope, advice};
use crate::engine::face::failure::ErrorKind;
use crate::engine::{AgentFolders, FileSetUp, FileState, SetUp, SetUpReport, agents_here, set_up};
use crate::render::{json_object, line, shown, with_path};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};

/// Set up agents: their tools, a hook, what they are told, modes and workflows
///
/// Existing files keep their contents. --remove takes out what was put in. Without --client, ken looks for files of
/// agents in the repository, and in your home if it finds none.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken init --client claude-code --dry-run
  ken init --client cursor --client codex
  ken init --without hook --without modes
  ken init --user
  ken init --remove

Parts:
  tools      the entry that starts `ken mcp`
  hook       tells ken what each tool did
  protocol   when to ask ken and what to remember, in AGENTS.md or its like
  modes      analyst, architect, developer, designer, orchestrator
  workflows  quality gate, extract learnings

Exit code: 0 if everything is set up, 8 if a file was left as it was.")]
pub(super) struct InitArgs {
    /// An agent; repeatable [default: those that are found]
    #[arg(long = "client", value_name = "CLIENT", value_parser = clients())]
    clients: Vec<Client>,
    /// Set up your home, for all folders, in place of this repository
    #[arg(long)]
    user: bool,
    /// A part that is not wanted; repeatable
    #[arg(long, value_name = "PART", value_parser = parts())]
    without: Vec<Part>,
    #[command(flatten)]
    how: How,
}

/// How files are changed.
#[derive(Debug, Args)]
pub(super) struct How {
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Take out what was put in
    #[arg(long)]
    pub remove: bool,
    /// Replace or remove our text even if somebody edited it
    #[arg(long)]
    pub force: bool,
}

fn parts() -> impl TypedValueParser<Value = Part> {
    let named = |name: String| Part::ALL.into_iter().find(|part| part.name() == name).ok_or("there is no such part");
    PossibleValuesParser::new(Part::ALL.map(Part::name)).try_map(named)
}

pub(super) fn run(_: &Global, args: &InitArgs, output: &Output) -> Outcome {
    let scope = if args.user { Scope::User } else { Scope::Repository };
    let folders = agent_folders()?;
    needs_repository(&folders, scope)?;
    let clients = match (&args.clients[..], args.how.remove) {
        ([], true) => Client::ALL.to_vec(),
        ([], false) => found(&folders, scope)?,
        (named, _) => named.to_vec(),
    };
    let parts = Part::ALL.into_iter().filter(|part| !args.without.contains(part)).collect();
    report(job(clients, scope, parts, folders, &args.how), output)
}

/// Without `--user` there must be a repository.
pub(super) fn needs_repository(folders: &AgentFolders, scope: Scope) -> Result<(), Failure> {
    if scope == Scope::Repository && folders.root.is_none() {
        let hint = "go to a repository, or set up your home with --user";
        return Err(Failure::new(ErrorKind::Usage, "this is no repository", hint));
    }
    Ok(())
}

pub(super) fn job(clients: Vec<Client>, scope: Scope, parts: Vec<Part>, folders: AgentFolders, how: &How) -> SetUp {
    let &How { dry_run, remove, force } = how;
    SetUp { clients, scope, parts, folders, take_out: remove, force, dry_run }
}

/// The agents whose files are in the repository, or in the home if the repository has none.
fn found(folders: &AgentFolders, scope: Scope) -> Result<Vec<Client>, Failure> {
    let mut found = agents_here(folders, scope);
    if found.is_empty() && scope == Scope::Repository {
        found = agents_here(folders, Scope::User);
        found.retain(|client| !client.signs(Scope::Repository).is_empty());
    }
    if found.is_empty() {
        let hint = "name one, such as: `ken init --client claude-code`";
        return Err(Failure::new(ErrorKind::Usage, "no files of an agent were found here or in your home", hint));
    }
    Ok(found)
}

/// Does it, and tells what became of each file.
pub(super) fn report(job: SetUp, output: &Output) -> Outcome {
    let SetUpReport { mut files, missing } = set_up(&job)?;
    if job.take_out {
        files.retain(|file| file.state != FileState::Same || !file.left.is_empty());
    }
    // What another agent needs is no obstacle.
    let is_left = files.iter().any(|file| file.state != FileState::Same && !file.left.is_empty());
    if output.json {
        let scope = if job.scope == Scope::User { "user" } else { "repository" };
        let told = json!({
            "scope": scope, "dry_run": job.dry_run, "clients": names(&job.clients),
            "files": files.iter().map(of_file).collect::<Vec<_>>(),
            "missing": missing.iter().map(of_missing).collect::<Vec<_>>(),
        });
        output.print(&json_object(&told))?;
    } else {
        let mut text = String::new();
        for file in &files {
            text.push_str(&line_of(file));
            if job.dry_run {
                text.push_str(&difference(file));
            }
        }
        if files.is_empty() {
            text.push_str("Nothing of ken is there.\n");
        }
        output.print(&text)?;
    }
    if !job.take_out {
        for Missing { why, .. } in &missing {
            output.say(&format!("{why}."));
        }
        for advice in job.clients.iter().filter_map(|client| advice(*client)) {
            output.say(&format!("{advice}."));
        }
    }
    if job.dry_run {
        output.say("Nothing was written.");
    }
    Ok(if is_left { ErrorKind::CheckFailed.exit_code() } else { 0 })
}

fn names(clients: &[Client]) -> Vec<&'static str> {
    clients.iter().map(|client| client.name()).collect()
}

fn state_name(state: FileState) -> &'static str {
    match state {
        FileState::Made => "made",
        FileState::Changed => "changed",
        FileState::Removed => "removed",
        FileState::Same => "same",
        FileState::Left => "left",
    }
}

fn part_names(file: &FileSetUp) -> Vec<&'static str> {
    file.parts.iter().map(|part| part.name()).collect()
}

fn of_file(file: &FileSetUp) -> Value {
    let left = file.left.iter().map(|(why, hint)| json!({"why": why, "hint": hint})).collect::<Vec<_>>();
    let told = json!({"state": state_name(file.state), "parts": part_names(file), "left": left});
    with_path(told, "path", &file.path)
}

fn of_missing(missing: &Missing) -> Value {
    json!({"client": missing.client.name(), "part": missing.part.name(), "why": missing.why})
}

/// What became of a file, and below it why something was left.
fn line_of(file: &FileSetUp) -> String {
    let state = match file.state {
        FileState::Same => "as it was",
        FileState::Left => "left alone",
        other => state_name(other),
    };
    let mut out = format!("{state:10}  {}  ({})\n", shown(&file.path), part_names(file).join(", "));
    for (why, hint) in &file.left {
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        out.push_str(&format!("            {}{hint}\n", line(why)));
    }
    out
}

/// The lines that are removed and added. Lines that both texts begin or end with are left out.
fn difference(file: &FileSetUp) -> String {
    if !matches!(file.state, FileState::Made | FileState::Changed | FileState::Removed) {
        return String::new();
    }
    let lines = |text: &Option<String>| text.as_deref().unwrap_or("").lines().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (lines(&file.before), lines(&file.after));
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let (before, after) = (&before[head..], &after[head..]);
    let tail = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let gone = before[..before.len() - tail].iter().map(|text| format!("  - {}\n", line(text)));
    let come = after[..after.len() - tail].iter().map(|text| format!("  + {}\n", line(text)));
    gone.chain(come).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_what_goes_and_what_comes() {
        let file = |before: Option<&str>, after: Option<&str>| FileSetUp {
            path: "a".into(),
            parts: vec![Part::Tools],
            state: FileState::Changed,
            left: Vec::new(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        assert_eq!(difference(&file(Some("a\nb\nc\n"), Some("a\nx\nc\n"))), "  - b\n  + x\n");
        assert_eq!(difference(&file(Some("a\na\n"), Some("a\n"))), "  - a\n");
        assert_eq!(difference(&file(None, Some("a\n"))), "  + a\n");
        assert_eq!(difference(&file(Some("a"), None)), "  - a\n");
    }
}
