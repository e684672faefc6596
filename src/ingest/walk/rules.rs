//! Ignore files: which names a walk leaves out.
//!
//! Rules have the form and the rank that git and its kin give them. `.kenignore` counts before `.ignore`, that before
//! `.gitignore`, then `.git/info/exclude`, then the user's own excludes; of one kind the deepest folder counts first,
//! and the folders above what is walked count too. Reading is ours and not the `ignore` crate's, for these files may be
//! a stranger's: regular files only, no link out of the repository, at most so many bytes and rules. What cannot be
//! used is told, and the walk goes on without it. The crate matches.

use super::{Skipped, means_gone};
use crate::map::open::{self, Links};
use crate::platform::canonical;
use crate::types::limits;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::fs;
use std::path::{Path, PathBuf};

/// Ignore files of a folder, the one that counts most first. What `.git` holds comes after them.
const NAMES: [&str; 3] = [".kenignore", ".ignore", ".gitignore"];
const KINDS: usize = NAMES.len() + 1;

/// Which files with rules a folder holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Present([bool; KINDS]);

impl Present {
    /// Any of them may be there.
    const ANY: Self = Self([true; KINDS]);

    /// Notes a name of the folder.
    pub fn note(&mut self, name: &std::ffi::OsStr) {
        if let Some(kind) = NAMES.iter().chain(&[".git"]).position(|known| name == *known) {
            self.0[kind] = true;
        }
    }
}

/// How many folders had rules of each kind when one was entered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark([usize; KINDS]);

/// The rules that count where the walk is.
#[derive(Debug)]
pub(super) struct Rules {
    /// By kind, outermost folder first.
    kinds: [Vec<Gitignore>; KINDS],
    /// The user's own.
    user: Gitignore,
    /// The repository around what is walked, else what is walked: no link leads out of it.
    fence: PathBuf,
    /// Rules that may still be taken.
    left: usize,
    /// Bytes of rules with wildcards that may still be taken.
    left_bytes: usize,
    /// Files of which not all rules count.
    pub told: Vec<Skipped>,
}

impl Rules {
    /// The rules that count for a canonical folder: those of the folders above it, and the user's own.
    pub fn above(folder: &Path, excludes: Option<&Path>) -> Self {
        let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
        above.reverse();
        let repository = folder.ancestors().find(|one| fs::symlink_metadata(one.join(".git")).is_ok());
        let mut out = Self {
            kinds: Default::default(),
            user: Gitignore::empty(),
            fence: PathBuf::new(),
            left: limits::RULES_PER_WALK,
            left_bytes: limits::WILD_BYTES_PER_WALK,
            told: Vec::new(),
        };
        if let Some(file) = excludes {
            out.user = out.read(file, repository.unwrap_or(folder), Links::Follow).unwrap_or_else(Gitignore::empty);
        }
        for one in above {
            one.clone_into(&mut out.fence);
            if let Some(repository) = repository.filter(|repository| one.starts_with(repository)) {
                repository.clone_into(&mut out.fence);
            }
            out.enter(one, Present::ANY);
        }
        repository.unwrap_or(folder).clone_into(&mut out.fence);
        out
    }

    /// Adds the rules of a folder; [`Rules::leave`] takes them away.
    pub fn enter(&mut self, folder: &Path, present: Present) -> Mark {
        let mark = Mark(std::array::from_fn(|kind| self.kinds[kind].len()));
        let fence = self.fence.clone();
        for (kind, name) in NAMES.iter().enumerate().filter(|(kind, _)| present.0[*kind]) {
            let read = self.read(&folder.join(name), folder, Links::Within(&fence));
            self.kinds[kind].extend(read);
        }
        if present.0[KINDS - 1] {
            let git = folder.join(".git");
            let is_file = fs::symlink_metadata(&git).is_ok_and(|meta| meta.is_file());
            let read = match is_file.then(|| common_folder(&git, &fence)) {
                None => self.read(&git.join("info/exclude"), folder, Links::Within(&fence)),
                Some(Some(common)) => self.read(&common.join("info/exclude"), folder, Links::Within(&common)),
                Some(None) => None,
            };
            self.kinds[KINDS - 1].extend(read);
        }
        mark
    }

    /// Takes away what was added since.
    pub fn leave(&mut self, mark: Mark) {
        for (rules, length) in self.kinds.iter_mut().zip(mark.0) {
            rules.truncate(length);
        }
    }

    /// Whether a name is left out: by a rule, or because it is hidden and no rule takes it back.
    pub fn leave_out(&self, path: &Path, is_folder: bool) -> bool {
        let ranked = self.kinds.iter().flat_map(|kind| kind.iter().rev()).chain([&self.user]);
        let verdict = ranked.map(|rules| rules.matched(path, is_folder)).find(|verdict| !verdict.is_none());
        match verdict {
            Some(Match::Ignore(_)) => true,
            Some(_) => false,
            None => path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")),
        }
    }

    fn tell(&mut self, file: &Path, why: String) {
        self.told.push(Skipped { path: file.to_owned(), why, rules: true });
    }

    /// Rules of a file for what lies below `folder`; `None` if there are none.
    fn read(&mut self, file: &Path, folder: &Path, links: Links<'_>) -> Option<Gitignore> {
        let bytes = match open::read(file, links, limits::IGNORE_RULES) {
            Ok(bytes) => bytes,
            Err(error) if means_gone(&error) => return None,
            Err(error) => {
                self.tell(file, format!("{error}; its rules do not count"));
                return None;
            }
        };
        let mut builder = GitignoreBuilder::new(folder);
        let (mut rules, mut bytes_taken, mut wrong, mut first) = (0, 0, 0, String::new());
        for (index, line) in
            bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes).split(|b| *b == b'\n').enumerate()
        {
            if line.starts_with(b"#") || line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let cost = cost(line);
            let full = match () {
                () if self.left == 0 => Some((limits::RULES_PER_WALK, "rules in all")),
                () if rules == limits::RULES_PER_FILE => Some((limits::RULES_PER_FILE, "rules in one file")),
                () if cost > self.left_bytes => Some((limits::WILD_BYTES_PER_WALK, "bytes with wildcards in all")),
                () if bytes_taken + cost > limits::WILD_BYTES_PER_FILE => {
                    Some((limits::WILD_BYTES_PER_FILE, "bytes with wildcards in one file"))
                }
                () => None,
            };
            if let Some((most, of)) = full {
                self.tell(file, format!("at most {most} {of} count; the rules from line {} on do not", index + 1));
                break;
            }
            (rules, self.left) = (rules + 1, self.left - 1);
            (bytes_taken, self.left_bytes) = (bytes_taken + cost, self.left_bytes - cost);
            if let Err(why) = add(&mut builder, line) {
                wrong += 1;
                if first.is_empty() {
                    first = format!("line {} is no valid pattern: {why}", index + 1);
                }
            }
        }
        if wrong > 0 {
            let more = if wrong > 1 { format!(", and {} more lines", wrong - 1) } else { String::new() };
            self.tell(file, format!("{first}{more}; the other lines count"));
        }
        match builder.build() {
            Ok(rules) => Some(rules).filter(|rules| !rules.is_empty()),
            Err(_) => {
                self.tell(file, "its patterns are too large to be compiled together; they do not count".to_owned());
                None
            }
        }
    }
}

/// What a rule costs beside being counted: names and endings are looked up, anything else becomes part of an automaton.
fn cost(line: &[u8]) -> usize {
    let stars = line.iter().filter(|b| **b == b'*').count();
    if stars > 1 || line.iter().any(|b| b"?[{".contains(b)) { line.len() + 32 } else { 0 }
}

/// Adds a line, or says why it is no pattern.
fn add(builder: &mut GitignoreBuilder, line: &[u8]) -> Result<(), String> {
    if line.len() > limits::RULE_BYTES {
        return Err(format!("it is longer than {} bytes", limits::RULE_BYTES));
    }
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    match builder.add_line(None, text.strip_suffix('\r').unwrap_or(text)) {
        Ok(_) => Ok(()),
        Err(ignore::Error::Glob { err, .. }) => Err(err),
        Err(other) => Err(other.to_string()),
    }
}

/// The folder of git that a worktree shares with the others, when `.git` is a file. It lies elsewhere, so it counts
/// only if it names this worktree in turn, which nobody brings about who writes in the worktree alone.
fn common_folder(git: &Path, fence: &Path) -> Option<PathBuf> {
    let line = |file: &Path, folder: &Path| {
        let text = open::read_text(file, Links::Within(folder), limits::GIT_LINK).ok()?;
        text.lines().next().map(|line| line.trim_end().to_owned())
    };
    let own = git.parent()?.join(line(git, fence)?.strip_prefix("gitdir: ")?);
    let back = own.join(line(&own.join("gitdir"), &own)?);
    if canonical(back).ok()? != canonical(git).ok()? {
        return None;
    }
    canonical(own.join(line(&own.join("commondir"), &own)?)).ok()
}
