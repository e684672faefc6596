//! The one place where programs are started.
//!
//! | program | started by | found | folder and environment |
//! |---|---|---|---|
//! | pip (1) | a pull: `ken model pull`, `--pull`, `model.auto_pull` | on the cleaned search path | its own (2) |
//! | this one, `gc --auto` | a write, or a lookup before vectors are there: `index.background` | where it lies | ours |
//! | this one, `patterns find` | `ken hook post-tool`, once in 25 runs of a session | where it lies | ours |
//! | the user's own | `ken run -- CMD` | as a shell finds it | ours |
//! | the user's servers (3) | `ken gateway`, by its file; `ken tools add --mcp` | as a shell finds it | ours, and the file's variables |
//! | the user's own | `ken tools add --from-help NAME -- CMD` | as a shell finds it | ours |
//! | the user's editor | `ken search --open N`, by `VISUAL` or `EDITOR` | as a shell finds it | ours |
//! | the user's browser | `ken serve --open`, by `BROWSER`, else the system's | as a shell finds it | ours |
//!
//! 1. The first there is of `python3 -I -m pip`, `python -I -m pip`, `pip3`, `pip`; or the user's `pip.command`. Only
//!    where a model's source is a package.
//! 2. An empty folder (0700) that is removed after, and the variables that `environment` lists.
//! 3. By this program again, which waits beside the server and ends it, with all of its group, when the gateway goes;
//!    on Windows, which has no groups, by the gateway itself.
//!
//! There is no other: `tests/programs.rs` reads the sources for one, and `benches/security/programs.py` watches every
//! verb in a hostile folder.
//!
//! What a stranger gave must not be run because somebody works beside it. So a program is never taken from the working
//! directory, from a repository around it, or from an entry of the search path that is empty or relative: not by
//! its name, not through a link that ends there. Python would look for its modules in the folder it works in, pip for
//! options in variables, other tools for settings in the folders above: hence the empty folder, the isolated
//! interpreter and the short list of variables. A folder that holds the user's home or the system's own programs is
//! nobody else's, so that `cd ~` or `cd /` forbids nothing.
//!
//! Nothing here reads the environment: variables and working directory come in as values.

mod editor;
mod environment;
mod tail;

pub use editor::at_line;

use crate::platform;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// Where programs may be found and what they are told.
#[derive(Debug, Clone, Default)]
pub struct Programs {
    /// Absolute, and of nobody else.
    search: Vec<PathBuf>,
    /// Entries of the search path that are left out.
    refused: Vec<PathBuf>,
    /// Folders whose programs are not started.
    foreign: Vec<PathBuf>,
    variables: Vec<(OsString, OsString)>,
    temporary: PathBuf,
}

/// Why there is no program of a name.
#[derive(Debug, PartialEq, Eq)]
pub enum NotFound {
    /// None is known.
    Missing,
    /// This one is, where none is started from.
    LeftOut(PathBuf),
}

/// How a program ended.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code or signal.
    pub status: ExitStatus,
    /// The end of what it complained.
    pub complaint: String,
}

impl Programs {
    /// Of the variables and the working directory of this process.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>, working_directory: &Path) -> Self {
        let variables: Vec<_> = variables.into_iter().collect();
        let value = |name: &str| {
            variables.iter().find(|(key, _)| platform::is_variable(key, name)).map(|(_, value)| value.clone())
        };
        let home = value("HOME").or_else(|| value("USERPROFILE")).map(PathBuf::from).filter(|home| home.is_absolute());
        let mut programs = Self { foreign: foreign(working_directory, home.as_deref()), ..Self::default() };
        for entry in std::env::split_paths(&value("PATH").unwrap_or_default()) {
            if entry.is_absolute() && !programs.is_foreign(&entry) {
                programs.search.push(entry);
            } else {
                programs.refused.push(working_directory.join(entry));
            }
        }
        let temporary = value("TMPDIR").or_else(|| value("TEMP")).map(PathBuf::from);
        let temporary = temporary.filter(|folder| folder.is_absolute() && !programs.is_foreign(folder));
        programs.temporary = temporary.unwrap_or_else(|| platform::TEMPORARY.into());
        programs.variables = environment::kept(variables, &|path| programs.is_foreign(path));
        if let Ok(search) = std::env::join_paths(&programs.search) {
            programs.variables.push(("PATH".into(), search));
        }
        programs
    }

    /// The absolute path of a program that is named or given by an absolute path.
    ///
    /// # Errors
    /// If there is none, or only one that is not started.
    pub fn find(&self, name: &str) -> Result<PathBuf, NotFound> {
        let given = Path::new(name);
        if given.components().count() != 1 || given.is_absolute() {
            // A relative path means a file of the working directory.
            return match given {
                path if !is_program(path) => Err(NotFound::Missing),
                path if path.is_absolute() && !self.is_foreign(path) => Ok(path.to_owned()),
                path => Err(NotFound::LeftOut(path.to_owned())),
            };
        }
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let mut left_out = None;
        for folder in &self.search {
            let path = folder.join(&file);
            match is_program(&path) {
                true if !self.is_foreign(&path) => return Ok(path),
                true => left_out = left_out.or(Some(path)),
                false => {}
            }
        }
        let refused = || self.refused.iter().map(|folder| folder.join(&file)).find(|path| is_program(path));
        Err(left_out.or_else(refused).map_or(NotFound::Missing, NotFound::LeftOut))
    }

    /// Runs a program that [`find`](Self::find) found to its end, in an empty folder of its own below `near`.
    ///
    /// # Errors
    /// When the folder cannot be made or the program cannot be started.
    pub fn run(&self, program: &Path, arguments: &[OsString], near: &Path) -> io::Result<Finished> {
        let near = if self.is_foreign(near) { &self.temporary } else { near };
        let mut builder = tempfile::Builder::new();
        if let Some(permissions) = platform::owner_permissions() {
            builder.permissions(permissions);
        }
        let folder = builder.prefix(".empty-").tempdir_in(near)?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder.path()).env_clear().envs(self.variables.iter().cloned());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let complaint = child.stderr.take().map(tail::read).unwrap_or_default();
        let status = child.wait()?;
        Ok(Finished { status, complaint: String::from_utf8_lossy(&complaint).into_owned() })
    }

    /// Whether a path lies in a folder whose programs are not started, by its name or by where it leads.
    fn is_foreign(&self, path: &Path) -> bool {
        let real = platform::canonical(path);
        let inside = |path: &Path| self.foreign.iter().any(|folder| path.starts_with(folder));
        inside(path) || real.is_ok_and(|real| inside(&real))
    }
}

/// The command of `ken run`, a server of `ken gateway`, or the user's editor: the user names it, so it is found and runs
/// as if they had typed it.
pub fn as_typed(program: &OsStr) -> Command {
    Command::new(program)
}

/// Where this program lies: by what the system says, or, where that cannot say it (on Linux without `/proc`), by the
/// absolute path that it was started with.
///
/// # Errors
/// That of the system, if neither says it.
pub fn own_path(started_as: Option<OsString>) -> io::Result<PathBuf> {
    located(std::env::current_exe(), started_as)
}

fn located(said: io::Result<PathBuf>, started_as: Option<OsString>) -> io::Result<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute() && path.is_file();
    said.or_else(|error| started_as.map(PathBuf::from).filter(absolute).ok_or(error))
}

/// This program again, by its absolute path: it is trusted with what the running one is.
pub fn ourselves(own: &Path) -> Command {
    Command::new(own)
}

/// The working directory and every repository around it, by both names if they are reached by a link.
fn foreign(working_directory: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let real = platform::canonical(working_directory).unwrap_or_else(|_| working_directory.to_owned());
    let real_home = home.and_then(|home| platform::canonical(home).ok());
    let mut folders = Vec::new();
    for start in [working_directory, &real] {
        for folder in start.ancestors() {
            let ours = home.into_iter().chain(real_home.as_deref()).chain(platform::PROGRAMS.iter().map(Path::new));
            let is_repository = || folder.join(".git").symlink_metadata().is_ok();
            if (folder == start || is_repository()) && !ours.into_iter().any(|path| path.starts_with(folder)) {
                folders.push(folder.to_owned());
            }
        }
    }
    folders.dedup();
    folders
}

fn is_program(path: &Path) -> bool {
    let Ok(meta) = fs::metadata(path) else { return false };
    meta.is_file() && platform::may_run(&meta)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
