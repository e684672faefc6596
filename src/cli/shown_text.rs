//! The text that somebody means by its number among those that a search has shown: a hit, or what came near where
//! nothing was sure.

use super::output::{Failure, Output};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{as_typed, at_line};
use crate::render::{line, nearest_first, shown};
use crate::types::{Answer, Content, Hit, Nearest};
use std::path::Path;

/// A text that was shown.
pub(super) struct ShownText<'a> {
    /// Its public id.
    pub id: &'a str,
    /// The file that it is from; none for an entry of a pack.
    pub path: Option<&'a str>,
    /// The line of the file at which it begins to be shown.
    line: Option<usize>,
}

impl<'a> ShownText<'a> {
    /// The one of this number, from 1, for this option; none where nothing was shown at all.
    pub fn find(answer: &'a Answer, number: usize, option: &str) -> Result<Option<Self>, Failure> {
        let hits = answer.results.iter().flat_map(|finding| &finding.hits).map(of_hit);
        let mut all: Vec<Self> = hits.collect();
        if all.is_empty() {
            let of = |near: &'a Nearest| Self { id: &near.id, path: near.path.as_deref(), line: near.line_start };
            all.extend(nearest_first(answer).map(of));
        }
        let count = all.len();
        let (there, hint) = match all.into_iter().nth(number - 1) {
            Some(one) => return Ok(Some(one)),
            None if count == 0 => return Ok(None),
            None if count == 1 => ("one was".to_owned(), format!("{option} 1")),
            None => (format!("{count} were"), format!("{option} 1 to {count}; -n for more hits")),
        };
        Err(Failure::new(ErrorKind::Usage, format!("no hit {number} was shown: {there}"), hint))
    }

    /// Opens it in an editor, where it begins to be shown. `number` is what messages call it.
    pub fn open(&self, number: usize, editor: &str) -> Result<(), Failure> {
        let Some(path) = self.path.map(Path::new) else {
            let hint = format!("ken canon show {}", line(self.id));
            return Err(Failure::new(
                ErrorKind::Usage,
                format!("hit {number} is an entry of a pack, not a file"),
                hint,
            ));
        };
        if !path.exists() {
            let message = format!("hit {number} cannot be opened: {} is not on this machine", shown(path));
            return Err(Failure::new(ErrorKind::Io, message, "it came with an import; --full shows its text"));
        }
        let Some((program, arguments)) = at_line(editor, path, self.line.unwrap_or(1)) else { return Ok(()) };
        let name = program.to_string_lossy().into_owned();
        let failed = |why: String| {
            let hint = "VISUAL or EDITOR names the program that opens a file";
            Failure::new(ErrorKind::Io, format!("the editor {}: {why}", line(&name)), hint)
        };
        match as_typed(&program).args(arguments).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(failed(status.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }
}

fn of_hit(hit: &Hit) -> ShownText<'_> {
    let (path, line) = match &hit.content {
        Content::Passage(passage) => {
            let first = passage.excerpt.as_ref().and_then(|excerpt| excerpt.line_start).or(passage.line_start);
            (passage.path.as_deref(), first)
        }
        Content::Advice(_) => (None, None),
    };
    ShownText { id: &hit.id, path, line }
}

/// The command of the user's editor.
pub(super) fn editor(output: &Output) -> Result<String, Failure> {
    if output.json {
        let hint = "the path and the line of each hit are in the JSON";
        return Err(Failure::new(ErrorKind::Usage, "--open is for people, --json for programs", hint));
    }
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).ok_or_else(|| {
        let hint = "say which: export EDITOR=nano";
        Failure::new(ErrorKind::Usage, "neither VISUAL nor EDITOR names an editor", hint)
    })
}
