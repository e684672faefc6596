//! A personal memory becomes one of the team. It is written into a file of the repository, which is reviewed like code.

use super::change::{Saying, record};
use super::claims::TEAM;
use super::export::written;
use crate::engine::{Engine, EngineError, Session};
use crate::map::open::{Links, read_text};
use crate::map::write_aside;
use crate::memory::markdown::{MAX_FILE_BYTES, MarkdownMemory, PlacedMemory, read_all, write};
use crate::memory::same_statement;
use crate::platform::canonical;
use crate::store::ReadMemory;
use crate::types::limits::MEMORY_FILE;
use crate::types::{Access, Author, Authority, Change, Evidence, Kind, Memory, MemoryState, Scope, Wording};
use std::io;
use std::path::{Path, PathBuf};

/// Longest name of a file beside its kind, in bytes.
const SLUG: usize = 40;
/// Names that are tried.
const NAMES: usize = 1_000;

impl Engine {
    /// Writes a memory into a file below `.ken/memory` of the repository with this root, and gives it the authority of
    /// the team. Existing text is never changed: the memory is appended to a file about the same topic, or gets a file
    /// of its own. Returns the memory and the file.
    ///
    /// # Errors
    /// [`EngineError::NeedsPerson`] for a program, [`EngineError::NotPromoted`] for a memory that cannot be the
    /// team's, [`EngineError::WrongState`] for one that does not stand, [`EngineError::Io`] when the file cannot be
    /// written; nothing is changed then.
    pub fn promote(
        &self,
        id: &str,
        authority: Authority,
        (root, scope): (&Path, &Scope),
        by: (&Author, &str),
        access: &Access,
        session: &Session<'_>,
    ) -> Result<(Memory, PathBuf), EngineError> {
        let (author, from) = by;
        if *author != Author::Person {
            return Err(EngineError::NeedsPerson);
        }
        let (lock, mut database) = self.write_database("ken memory promote", session)?;
        let memory = Self::find_memory(&database, id, access)?;
        if memory.state != MemoryState::Active {
            return Err(EngineError::WrongState { id: memory.id, state: memory.state.name() });
        }
        let refused = |what| Err(EngineError::NotPromoted { id: memory.id.clone(), what });
        if memory.kind == Kind::Problem {
            return refused("it is a problem, which goes with what was tried against it");
        }
        if !memory.stands() {
            return refused("it is held back, because it was concluded from something disputed");
        }
        if memory.scope != *scope {
            return refused("it counts in every repository, and the files of one speak for that one alone");
        }
        let text = MarkdownMemory { authority: Some(authority.name().to_owned()), global: None, ..written(&memory) };
        let (path, lines) = place(root, &text, &memory)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let evidence = Evidence { file: Some(format!("{TEAM}{name}")), lines: Some(lines), ..Evidence::default() };
        let words = Wording { evidence: vec![evidence], ..Wording::default() };
        let saying = Saying { author, session: from, at: session.now() };
        let batch = database.begin(&lock)?;
        record(&batch, [saying.event(&memory.id, Change::Promoted { authority }, words)])?;
        batch.commit()?;
        self.follow_up(std::slice::from_ref(&memory.id), &mut database, &lock, session)?;
        let id = memory.id.clone();
        Ok((database.memory(&id)?.ok_or(EngineError::NoMemory { id })?, path))
    }
}

/// Puts a memory into a file of the team, if it is in none of those that it may be in; gives its file and lines.
fn place(root: &Path, new: &MarkdownMemory, memory: &Memory) -> Result<(PathBuf, (usize, usize)), EngineError> {
    let ken = root.join(".ken");
    let folder = ken.join("memory");
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| EngineError::Io { path, source }
    };
    std::fs::create_dir_all(&folder).map_err(io(&folder))?;
    // A link could lead out of the repository, and what is written there would not be reviewed.
    let real = canonical(&folder).map_err(io(&folder))?;
    if !canonical(root).is_ok_and(|root| real.starts_with(root)) {
        let source = io::Error::new(io::ErrorKind::PermissionDenied, "it leads out of the repository");
        return Err(EngineError::Io { path: folder, source });
    }
    let about = slug(new, memory);
    for number in 1..=NAMES {
        let name = if number == 1 { format!("{about}.md") } else { format!("{about}-{number}.md") };
        let path = folder.join(name);
        let before = match read_text(&path, Links::Within(&ken), MEMORY_FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() => String::new(),
            // What cannot be read is somebody else's.
            Err(_) => continue,
        };
        let Ok(known) = read_all(&before) else { continue };
        let says_it = |one: &&PlacedMemory| one.memory.kind == new.kind && same_statement(&one.memory.text, &new.text);
        if let Some(one) = known.iter().find(says_it) {
            if one.memory.authority != new.authority {
                let what = "its file says it with another authority, which is to be changed there";
                return Err(EngineError::NotPromoted { id: memory.id.clone(), what });
            }
            return Ok((path, (one.line_start, one.line_end)));
        }
        let is_about = |one: &PlacedMemory| {
            let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
            one.memory.kind == new.kind
                && (same(&one.memory.category, &new.category) || same(&one.memory.service, &new.service))
        };
        if !known.is_empty() && !known.iter().all(is_about) {
            continue;
        }
        let gap = if before.is_empty() || before.ends_with("\n\n") {
            ""
        } else if before.ends_with('\n') {
            "\n"
        } else {
            "\n\n"
        };
        let text = format!("{before}{gap}{}", write(new));
        if text.len() > MAX_FILE_BYTES {
            continue;
        }
        // It has to be read as it was meant, beside what was there.
        let Some(last) = read_all(&text).ok().filter(|all| all.len() == known.len() + 1).and_then(|mut all| all.pop())
        else {
            continue;
        };
        write_aside(&path, text.as_bytes()).map_err(io(&path))?;
        return Ok((path, (last.line_start, last.line_end)));
    }
    let what = "no name for its file is free";
    Err(EngineError::NotPromoted { id: memory.id.clone(), what })
}

/// The beginning of a file's name: the kind, and what the memory is about.
fn slug(new: &MarkdownMemory, memory: &Memory) -> String {
    let about = [&new.category, &new.service, &new.title].into_iter().flatten().next();
    let about = about.map(String::as_str).or(new.heading()).unwrap_or(&new.text);
    let mut out = memory.kind.name().to_owned();
    let most = out.len() + SLUG;
    for word in about.split(|c: char| !c.is_ascii_alphanumeric()) {
        if !word.is_empty() && out.len() + 1 + word.len() <= most {
            out.push('-');
            out.push_str(&word.to_lowercase());
        }
    }
    out
}
