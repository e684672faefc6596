//! `ken memory export`, `import`, `refresh` and `promote`: memories that lie in files.

use super::clock::now_ms;
use super::output::{Failure, Output};
use super::remember::By;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::config::{Paths, Trust, TrustState};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::indexing::repository_of;
use crate::engine::face::system::{self, Links, write_aside};
use crate::engine::{Engine, EngineError, TakenIn, Told};
use crate::render::{json_object, line, memory_text, shown, with_path};
use crate::serve::{Here, seen_from};
use crate::types::limits::MEMORY_FILE;
use crate::types::{Access, Authority};
use clap::Args;
use serde_json::json;
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

/// Where memories are written.
#[derive(Debug, Args)]
pub(super) struct ExportMemoriesArgs {
    /// The folder that gets memories.md; `-` writes to standard output
    #[arg(value_name = "FOLDER", default_value = "-")]
    folder: PathBuf,
}

/// What is taken in.
#[derive(Debug, Args)]
pub(super) struct ImportMemoriesArgs {
    /// Files; `-` reads memories from standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    by: By,
}

/// What becomes the team's.
#[derive(Debug, Args)]
pub(super) struct PromoteArgs {
    /// The id of the memory, or how it begins
    id: String,
    /// The whole organisation stands behind it, not only the team
    #[arg(long)]
    org: bool,
    #[command(flatten)]
    by: By,
}

pub(super) fn export(global: &Global, args: &ExportMemoriesArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let access = seen_from(&engine, &Access::all(), &Here::new(working_directory()?));
    let written = engine.export_memories(&access, &output.session())?;
    output.tell_notes();
    let (memories, parts) = (written.memories, written.parts);
    if args.folder == Path::new("-") {
        if parts.len() > 1 {
            let text = format!("{memories} memories are too many for one text");
            return Err(Failure::new(ErrorKind::Usage, text, "name a folder: `ken memory export FOLDER`"));
        }
        let text = parts.concat();
        output.print(&if output.json {
            json_object(&json!({"memories": memories, "markdown": text}))
        } else {
            text
        })?;
        return Ok(0);
    }
    let mut path = args.folder.join("memories.md");
    for (number, part) in parts.iter().enumerate().rev() {
        let name = if number == 0 { "memories.md".to_owned() } else { format!("memories-{}.md", number + 1) };
        path = args.folder.join(name);
        let io = |error: &std::io::Error| Failure::io(&shown(&path), error);
        match system::read_text(&path, Links::Follow, MEMORY_FILE) {
            Err(error) if error.kind() == IoErrorKind::NotFound => {}
            Ok(text) if text.is_empty() || text.starts_with("---\n") => {}
            Err(error) => return Err(io(&error)),
            Ok(_) => {
                let text = format!("{} holds something else", shown(&path));
                return Err(Failure::new(ErrorKind::Usage, text, "name another folder, or move the file away"));
            }
        }
        write_aside(&path, part.as_bytes()).map_err(|error| io(&error))?;
    }
    output.print(&match (output.json, parts.is_empty()) {
        (true, _) => {
            json_object(&with_path(json!({"memories": memories, "files": parts.len()}), "folder", &args.folder))
        }
        (false, true) => "There is nothing to write: nothing was remembered here.\n".to_owned(),
        (false, false) => {
            let memories = if memories == 1 { "1 memory".to_owned() } else { format!("{memories} memories") };
            format!("{memories} written to {}.\n", shown(&path))
        }
    })?;
    Ok(0)
}

pub(super) fn import(global: &Global, args: &ImportMemoriesArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let here = Here::new(working_directory()?);
    let access = Access::all().from_home(here.scope(&engine));
    let (author, from) = (args.by.author(), args.by.session());
    let by = (&author, from.as_str());
    let mut all = Vec::new();
    for file in &args.files {
        let session = output.session();
        let taken = if file == Path::new("-") {
            let text = system::stream_text(std::io::stdin().lock(), MEMORY_FILE)
                .map_err(|error| Failure::io("standard input", &error))?;
            engine.import_memory_text(&text, here.scope(&engine), by, &access, &session)?
        } else {
            engine.import_memory_file(file, here.scope(&engine), by, &access, &session)?
        };
        output.tell_notes();
        if output.json {
            all.push(with_path(json!(taken), "path", file));
        } else {
            let name = if file == Path::new("-") { "standard input".into() } else { shown(file) };
            output.print(&format!("{name}: {}\n", told(&taken)))?;
            say_redacted(&taken, output);
        }
    }
    if output.json {
        output.print(&json_object(&json!({ "files": all })))?;
    }
    engine.close();
    Ok(0)
}

/// What became of a file, in words.
fn told(taken: &TakenIn) -> String {
    let counts = [
        (taken.added, "added"),
        (taken.updated, "updated"),
        (taken.known, "known"),
        (taken.withdrawn, "not said any more"),
    ];
    let said: Vec<String> =
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if said.is_empty() { "nothing to remember".to_owned() } else { said.join(", ") }
}

fn say_redacted(taken: &TakenIn, output: &Output) {
    if !taken.redacted.is_empty() {
        output.note(&format!("taken out before it was stored: {}", taken.redacted.join(", ")));
    }
}

pub(super) fn refresh(global: &Global, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let Some(folder) = surroundings.repository() else {
        let hint = "a team's memories lie in .ken/memory/*.md; read them, then run: `ken trust`";
        return Err(Failure::new(ErrorKind::Usage, "there is no trusted .ken folder in a repository here", hint));
    };
    let engine = surroundings.engine();
    let (files, taken) = refresh_team(&engine, &surroundings.paths, folder, output)?;
    output.tell_notes();
    output.print(&if output.json {
        let mut told = json!(taken);
        told["files"] = files.into();
        json_object(&told)
    } else {
        format!("{}: {}\n", shown(&folder.join("memory")), told(&taken))
    })?;
    say_redacted(&taken, output);
    engine.close();
    Ok(0)
}

/// Takes in what the files of a trusted folder say; gives how many files there are.
pub(super) fn refresh_team(
    engine: &Engine,
    paths: &Paths,
    folder: &Path,
    output: &Output,
) -> Result<(usize, TakenIn), Failure> {
    let root = folder.parent().unwrap_or(folder);
    let scope = engine.scope_of(root);
    let files = engine.team_files(folder, &scope, &output.session())?;
    // It counts as it was when it was trusted, and may have changed while it was read.
    let list = paths.trust().ok_or(EngineError::NoHome)?;
    if Trust::read(&list)?.state(folder)? != TrustState::Trusted {
        let text = format!("{} is not trusted as it is now", shown(folder));
        return Err(Failure::new(ErrorKind::Usage, text, "look at it, then run: `ken trust`"));
    }
    let count = files.files();
    Ok((count, engine.refresh_team(files, (root, &scope), &By::default().session(), &output.session())?))
}

/// The same for a verb that is about something else: what fails is a note, and what changed is said.
pub(super) fn refresh_beside(engine: &Engine, surroundings: &Surroundings, output: &Output) {
    let Some(folder) = surroundings.repository() else { return };
    if !folder.join("memory").is_dir() && !engine.has_memories() {
        return;
    }
    match refresh_team(engine, &surroundings.paths, folder, output) {
        Ok((_, taken)) if taken.is_unchanged() => {}
        Ok((_, taken)) => {
            output.say(&format!("{}: {}", shown(&folder.join("memory")), told(&taken)));
            say_redacted(&taken, output);
        }
        Err(failure) => output.note(&failure.message),
    }
    output.tell_notes();
}

pub(super) fn promote(global: &Global, args: &PromoteArgs, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let place = working_directory()?;
    let Some(root) = repository_of(&place) else {
        let hint = "go to the repository whose team is to have it";
        return Err(Failure::new(ErrorKind::Usage, "this is no repository", hint));
    };
    let here = Here::new(place);
    let access = Access::all().from_home(here.scope(&engine));
    let authority = if args.org { Authority::Org } else { Authority::Team };
    let (author, from) = (args.by.author(), args.by.session());
    let by = (&author, from.as_str());
    let (memory, path) =
        engine.promote(&args.id, authority, (&root, here.scope(&engine)), by, &access, &output.session())?;
    output.tell_notes();
    let told = Told::of(memory, now_ms());
    output.print(&if output.json {
        json_object(&with_path(json!({ "memory": told }), "path", &path))
    } else {
        let memory = memory_text(&told.memory, told.confidence, now_ms(), output.style, output.width);
        format!("{memory}Written to {}.\n", shown(&path))
    })?;
    output.say("Commit the file. Whoever has it takes it in with: `ken trust`");
    engine.close();
    Ok(0)
}

/// What a trusted folder's memories came to, in words; none if there are no files and nothing changed.
pub(super) fn of_trust(files: usize, taken: &TakenIn) -> Option<String> {
    (files > 0 || !taken.is_unchanged()).then(|| format!("Memories of the team: {}.", line(&told(taken))))
}
