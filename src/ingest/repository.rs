//! Which repository a file belongs to.
//!
//! A repository is its first commit, which is the same in every clone and worktree; one without commits, or a shallow
//! clone, is its path. Which commit that is is read from git's files by `git`, which starts nothing and obeys no
//! configuration, and only once per repository: the answer is remembered in the store.

use crate::git;
use crate::platform::canonical;
use crate::store::{ReadSources, StoreError};
use crate::types::Scope;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The scopes of the folders of one run.
#[derive(Debug, Default)]
pub(super) struct Repositories {
    by_folder: HashMap<PathBuf, Scope>,
    /// Found in this run, to be remembered.
    pub found: Vec<FoundRepository>,
}

/// A repository that the store does not remember yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRepository {
    /// Its root.
    pub root: String,
    /// Its id.
    pub scope: Scope,
    /// How many commits were unpacked to find its first.
    pub unpacked: usize,
}

impl Repositories {
    /// The scope of a file.
    pub fn scope(&mut self, file: &Path, store: &dyn ReadSources) -> Result<Scope, StoreError> {
        let folder = file.parent().unwrap_or(Path::new("/"));
        if let Some(scope) = self.by_folder.get(folder) {
            return Ok(scope.clone());
        }
        let scope = match root_of(folder) {
            None => Scope::global(),
            Some(root) => match self.by_folder.get(root) {
                Some(scope) => scope.clone(),
                None => self.ask(root, store)?,
            },
        };
        self.by_folder.insert(folder.to_owned(), scope.clone());
        Ok(scope)
    }

    fn ask(&mut self, root: &Path, store: &dyn ReadSources) -> Result<Scope, StoreError> {
        // A path is no lasting answer: a commit may have been made since.
        let scope = match known(root, store)? {
            Some(known) => known,
            None => {
                let (scope, unpacked) = identify(root);
                if !scope.as_str().starts_with(BY_PATH) {
                    let root = root.to_string_lossy().into_owned();
                    self.found.push(FoundRepository { root, scope: scope.clone(), unpacked });
                }
                scope
            }
        };
        self.by_folder.insert(root.to_owned(), scope.clone());
        Ok(scope)
    }
}

/// How the id of a repository without a first commit begins.
const BY_PATH: &str = "path:";

/// The scope of a folder or file: its repository, or everywhere.
pub fn scope_of(path: &Path) -> Scope {
    let path = canonical(path).unwrap_or_else(|_| path.to_owned());
    root_of(&path).map_or_else(Scope::global, |root| identify(root).0)
}

/// The scope of a folder, as it is remembered in the store if it was found before. If it is found only now, with it
/// what is to be remembered.
///
/// # Errors
/// [`StoreError`] when the store refuses.
pub fn scope_in_store(path: &Path, store: &dyn ReadSources) -> Result<(Scope, Option<FoundRepository>), StoreError> {
    let path = canonical(path).unwrap_or_else(|_| path.to_owned());
    let mut repositories = Repositories::default();
    let scope = match root_of(&path) {
        Some(root) => repositories.ask(root, store)?,
        None => Scope::global(),
    };
    Ok((scope, repositories.found.pop()))
}

/// What the store remembers of the repository at this root.
fn known(root: &Path, store: &dyn ReadSources) -> Result<Option<Scope>, StoreError> {
    let found = store.repository(&root.to_string_lossy())?;
    // Another repository may lie there by now.
    Ok(found.filter(|known| git::holds(root, known.as_str())))
}

/// The root of the repository that a folder or file is in; none outside of one.
pub fn repository_of(path: &Path) -> Option<PathBuf> {
    let path = canonical(path).unwrap_or_else(|_| path.to_owned());
    root_of(&path).map(Path::to_owned)
}

fn root_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

/// The scope of the repository at this root, and how many commits were unpacked to find it.
fn identify(root: &Path) -> (Scope, usize) {
    match git::first_commit(root) {
        Ok(first) => (Scope::repository(first.id), first.unpacked),
        // Whatever the reason is that there is no commit: a path says as much as can be known.
        Err(_) => (Scope::repository(format!("{BY_PATH}{}", root.to_string_lossy())), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_repository_is_its_first_commit_in_every_clone() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let run = |folder: &Path, arguments: &[&str]| {
            let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
            let status = Command::new("git").arg("-C").arg(folder).args(identity).args(arguments).output();
            assert!(status.is_ok_and(|out| out.status.success()), "git {arguments:?}");
        };
        assert_eq!(scope_of(&base), Scope::global());
        let one = base.join("one");
        std::fs::create_dir_all(one.join("docs")).unwrap();
        run(&one, &["init", "-q"]);
        assert_eq!(scope_of(&one.join("docs")).as_str(), format!("path:{}", one.to_string_lossy()));
        run(&one, &["commit", "-q", "--allow-empty", "-m", "first"]);
        run(&one, &["commit", "-q", "--allow-empty", "-m", "second"]);
        run(&base, &["clone", "-q", "one", "two"]);
        assert_eq!(scope_of(&one.join("docs")).as_str().len(), 40);
        assert_eq!(scope_of(&one), scope_of(&base.join("two")));
    }
}
