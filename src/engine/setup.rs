//! Sets agents up: reads their files, lets `setup` change the text, and writes each file as a whole.
//!
//! Nothing is written through a link that leads out of the folder, or into a write-protected file. Files keep their
//! permissions. A file that cannot be changed is reported, and the others are done; only an error of the disk stops
//! all.

use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::map::Aside;
use crate::map::open::{Links, read_text};
use crate::platform;
use crate::screen::shown;
use crate::setup::{Base, Change, Client, Edit, Missing, Part, Place, Scope, Wish, wishes};
use crate::types::limits::CONFIG;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the files of agents lie.
#[derive(Debug, Clone, Default)]
pub struct AgentFolders {
    /// The root of the repository.
    pub root: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Where applications keep their settings.
    pub apps: Option<PathBuf>,
    /// `~/.config`, or what stands in its place.
    pub config: Option<PathBuf>,
    /// Where `ken` keeps its settings.
    pub own: Option<PathBuf>,
}

/// What is to be done.
#[derive(Debug, Clone)]
pub struct SetUp {
    /// The agents.
    pub clients: Vec<Client>,
    /// Whose settings.
    pub scope: Scope,
    /// What they get.
    pub parts: Vec<Part>,
    /// Where files lie.
    pub folders: AgentFolders,
    /// Take out what was put in.
    pub take_out: bool,
    /// Replace or remove also what was edited since.
    pub force: bool,
    /// Write nothing.
    pub dry_run: bool,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// There was none.
    Made,
    /// It has another text.
    Changed,
    /// It is gone.
    Removed,
    /// It is as it was.
    Same,
    /// It is as it was, because something hinders.
    Left,
}

/// A file and what became of it.
#[derive(Debug, Clone)]
pub struct FileSetUp {
    /// The file.
    pub path: PathBuf,
    /// The parts that stand in it.
    pub parts: Vec<Part>,
    /// What became of it.
    pub state: FileState,
    /// Why something is left alone, and what to do about it.
    pub left: Vec<(String, Option<&'static str>)>,
    /// Its text before.
    pub before: Option<String>,
    /// Its text now, or what it would be.
    pub after: Option<String>,
}

/// What became of all.
#[derive(Debug, Clone)]
pub struct SetUpReport {
    /// The files.
    pub files: Vec<FileSetUp>,
    /// What agents have no place for.
    pub missing: Vec<Missing>,
}

/// Files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// There is no folder for the files.
    #[error("it is not known where the home directory is")]
    NoHome,
    /// The disk refuses.
    #[error("{}: {source}; {}", shown(path), done(written))]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
        /// What was written or removed before.
        written: Vec<PathBuf>,
    },
}

fn done(written: &[PathBuf]) -> String {
    match written {
        [] => "nothing was changed before it".to_owned(),
        _ => format!("changed before it: {}", written.iter().map(|path| shown(path)).collect::<Vec<_>>().join(", ")),
    }
}

impl Diagnose for SetUpError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoHome => ErrorKind::Usage,
            Self::Io { source, .. } => io_kind(source),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoHome => Some("set HOME to an absolute path".to_owned()),
            Self::Io { .. } => Some("mend it and run this again: what was done already stays as it is".to_owned()),
        }
    }
}

/// The agents of which there are signs.
pub fn agents_here(folders: &AgentFolders, scope: Scope) -> Vec<Client> {
    let is_there = |place: &Place| {
        let base = folders.of(place.base);
        base.is_some_and(|base| place.paths.iter().any(|path| base.join(path).symlink_metadata().is_ok()))
    };
    Client::ALL.into_iter().filter(|client| client.signs(scope).iter().any(is_there)).collect()
}

/// Sets agents up, or takes out what was put in.
///
/// # Errors
/// [`SetUpError`] when a folder is not known or the disk refuses; what was done before is named.
pub fn set_up(job: &SetUp) -> Result<SetUpReport, SetUpError> {
    let specs = match job.scope {
        Scope::Repository => ".ken".to_owned(),
        Scope::User => job.folders.own.as_ref().ok_or(SetUpError::NoHome)?.to_str().unwrap_or_default().to_owned(),
    };
    let (wanted, missing) = wishes(&job.clients, job.scope, &job.parts, &specs);
    let kept = if job.take_out { in_use(job, &specs)? } else { BTreeMap::new() };
    // Several names may be one file: by links, or since agents share it.
    let mut files: Vec<(Found, Vec<Wish>)> = Vec::new();
    for wish in wanted {
        let found = job.folders.find(&wish.place)?;
        match files.iter_mut().find(|(known, _)| known.real == found.real) {
            Some((_, wishes)) => wishes.push(wish),
            None => files.push((found, vec![wish])),
        }
    }
    let mut planned: Vec<(FileSetUp, PathBuf, PathBuf)> = Vec::new();
    for (found, wishes) in files {
        let user = kept.get(&found.real).copied();
        let real = found.real.clone();
        let base = found.base.clone();
        planned.push((plan(job, found, &wishes, user), real, base));
    }
    let mut report = SetUpReport { files: Vec::new(), missing };
    let mut written = Vec::new();
    for (file, real, base) in planned {
        let changes = matches!(file.state, FileState::Made | FileState::Changed | FileState::Removed);
        if changes && !job.dry_run {
            let done = match &file.after {
                Some(text) => write(&real, text),
                None => remove(&real, &base),
            };
            if let Err(source) = done {
                return Err(SetUpError::Io { path: file.path, source, written });
            }
            written.push(file.path.clone());
        }
        report.files.push(file);
    }
    Ok(report)
}

/// A file where it really is.
#[derive(Debug, Clone)]
struct Found {
    /// As it is named.
    path: PathBuf,
    /// Without links.
    real: PathBuf,
    /// The folder that it lies in, without links.
    base: PathBuf,
    /// Why it is not touched.
    hindered: Option<&'static str>,
}

impl AgentFolders {
    fn of(&self, base: Base) -> Option<&Path> {
        match base {
            Base::Root => self.root.as_deref(),
            Base::Home => self.home.as_deref(),
            Base::Apps => self.apps.as_deref(),
            Base::Config => self.config.as_deref(),
            Base::Own => self.own.as_deref(),
        }
    }

    fn find(&self, place: &Place) -> Result<Found, SetUpError> {
        let base = self.of(place.base).ok_or(SetUpError::NoHome)?;
        let all: Vec<PathBuf> = place.paths.iter().map(|path| base.join(path)).collect();
        let path = all.iter().find(|path| path.symlink_metadata().is_ok()).or(all.first()).cloned();
        let path = path.unwrap_or_else(|| base.to_owned());
        let Ok(real_base) = platform::canonical(base) else {
            // It is not there yet, and so nothing in it is a link.
            let hindered = base.symlink_metadata().is_ok().then_some("its folder is a link that leads nowhere");
            return Ok(Found { real: path.clone(), path, base: base.to_owned(), hindered });
        };
        // The part of the path that is there may be a link; the rest cannot be one.
        let there = path.ancestors().find(|part| part.symlink_metadata().is_ok()).unwrap_or(base);
        let Ok(resolved) = platform::canonical(there) else {
            let hindered = Some("it is a link that leads nowhere");
            return Ok(Found { real: path.clone(), path, base: real_base, hindered });
        };
        let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
        let real = if rest.as_os_str().is_empty() { resolved } else { resolved.join(rest) };
        let escapes = "it is a link out of its folder, or lies behind one";
        let hindered = (!real.starts_with(&real_base)).then_some(escapes);
        Ok(Found { path, real, base: real_base, hindered })
    }
}

/// Files that agents which are not meant still need, with the agent.
fn in_use(job: &SetUp, specs: &str) -> Result<BTreeMap<PathBuf, Client>, SetUpError> {
    let mut out = BTreeMap::new();
    let (own, _) = wishes(&job.clients, job.scope, &Part::ALL, specs);
    for other in Client::ALL.into_iter().filter(|other| !job.clients.contains(other)) {
        let (theirs, _) = wishes(&[other], job.scope, &Part::ALL, specs);
        let alone = theirs.iter().filter(|wish| !own.iter().any(|own| own.place == wish.place));
        let mut is_used = false;
        for wish in alone {
            let found = job.folders.find(&wish.place)?;
            let text = read_text(&found.real, Links::Never, CONFIG).ok();
            let (change, _) = Edit::take_out_all(std::slice::from_ref(&wish.edit), text.as_deref(), false);
            is_used |= change != Change::Same;
        }
        if is_used {
            for wish in theirs {
                out.insert(job.folders.find(&wish.place)?.real, other);
            }
        }
    }
    Ok(out)
}

/// What is to become of a file.
fn plan(job: &SetUp, found: Found, wishes: &[Wish], user: Option<Client>) -> FileSetUp {
    let mut parts: Vec<Part> = wishes.iter().map(|wish| wish.part).collect();
    parts.sort_unstable();
    parts.dedup();
    let mut file =
        FileSetUp { path: found.path, parts, state: FileState::Same, left: Vec::new(), before: None, after: None };
    let left = |mut file: FileSetUp, why: String| {
        (file.state, file.left) = (FileState::Left, vec![(why, None)]);
        file
    };
    if let Some(why) = found.hindered {
        // There is nothing of ours behind it.
        return if job.take_out { file } else { left(file, why.to_owned()) };
    }
    let text = match read_text(&found.real, Links::Never, CONFIG) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return left(file, error.to_string()),
    };
    let mut edits: Vec<Edit> = Vec::new();
    for wish in wishes {
        // Agents that share a file want the same of it.
        if !wishes.iter().take_while(|other| !std::ptr::eq(*other, wish)).any(|other| other.is_same(wish)) {
            edits.push(wish.edit.clone());
        }
    }
    let (change, why) = match job.take_out {
        true => Edit::take_out_all(&edits, text.as_deref(), job.force),
        false => Edit::put_all(&edits, text.as_deref(), job.force),
    };
    if let (Some(user), true) = (user, change != Change::Same) {
        file.left = vec![(format!("{} still needs it", user.title()), None)];
        return file;
    }
    file.left = why.iter().map(|why| (why.to_string(), why.hint())).collect();
    let is_protected = || fs::metadata(&found.real).is_ok_and(|meta| meta.permissions().readonly());
    match change {
        Change::Same if file.left.is_empty() => {}
        Change::Same => file.state = FileState::Left,
        _ if text.is_some() && is_protected() => return left(file, "it is write-protected".to_owned()),
        Change::Gone => file.state = FileState::Removed,
        Change::Text(after) => {
            file.state = if text.is_some() { FileState::Changed } else { FileState::Made };
            file.after = Some(after);
        }
    }
    file.before = text;
    file
}

/// Writes a file whole. It keeps its permissions; a new one gets those of its folder.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut aside = Aside::new(path)?;
    aside.put(0, text.as_bytes())?;
    platform::take_over_permissions(aside.file(), path)?;
    aside.persist()
}

/// Removes a file, and the folders above it that hold nothing now.
fn remove(path: &Path, base: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(base) && *folder != base) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(folder: &Path, scope: Scope, clients: &[Client]) -> SetUp {
        let at = |name: &str| Some(folder.join(name));
        let folders =
            AgentFolders { root: at("root"), home: at("home"), apps: at("apps"), config: at("config"), own: at("own") };
        let (clients, parts) = (clients.to_vec(), Part::ALL.to_vec());
        SetUp { clients, scope, parts, folders, take_out: false, force: false, dry_run: false }
    }

    fn names(folder: &Path) -> Vec<PathBuf> {
        let (mut out, mut open) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(next) = open.pop() {
            for path in fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    open.push(path.clone());
                }
                out.push(path);
            }
        }
        out.sort();
        out
    }

    #[test]
    fn every_agent_is_set_up_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        for base in ["root", "home", "own"] {
            fs::create_dir(dir.path().join(base)).unwrap();
        }
        let before = names(dir.path());
        for scope in [Scope::Repository, Scope::User] {
            for clients in Client::ALL.map(|client| vec![client]).into_iter().chain([Client::ALL.to_vec()]) {
                let job = job(dir.path(), scope, &clients);
                let report = set_up(&job).unwrap();
                assert!(report.files.iter().all(|file| file.state == FileState::Made), "{report:?}");
                assert!(names(dir.path()).len() > before.len());
                let again = set_up(&job).unwrap();
                assert!(again.files.iter().all(|file| file.state == FileState::Same), "{again:?}");
                let back = set_up(&SetUp { take_out: true, ..job }).unwrap();
                assert!(back.files.iter().all(|file| file.state == FileState::Removed), "{back:?}");
                let after = names(dir.path());
                let more: Vec<_> = after.iter().filter(|path| !before.contains(path)).collect();
                // Folders of applications that were not there are made with the first file.
                assert!(more.iter().all(|path| path.parent() == Some(dir.path())), "{clients:?}: {more:?}");
            }
        }
    }

    #[test]
    fn agents_are_found_by_their_files() {
        let dir = tempfile::tempdir().unwrap();
        let folders = job(dir.path(), Scope::Repository, &[]).folders;
        assert_eq!(agents_here(&folders, Scope::Repository), []);
        for name in ["root/.cursor", "root/opencode.jsonc", "home/.codex", "apps/Code/User", "config/zed"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        assert_eq!(agents_here(&folders, Scope::Repository), [Client::Cursor, Client::OpenCode]);
        assert_eq!(agents_here(&folders, Scope::User), [Client::Codex, Client::VsCode, Client::Zed]);
    }
}
