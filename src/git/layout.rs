//! Where a repository keeps what: its own folder, the folder that its worktrees share, the folders of objects.

use super::GitError;
use crate::map::open::{self, Links};
use crate::platform::{canonical, path_from_bytes};
use crate::types::limits::GIT_LINK;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How far alternates of alternates are followed, as in git.
const ALTERNATES_DEPTH: usize = 5;
/// Folders of objects, alternates included.
const OBJECT_FOLDERS: usize = 64;

/// The folders of a repository.
#[derive(Debug)]
pub(super) struct Layout {
    /// `.git`, or what it names: `HEAD` lies here.
    pub git: PathBuf,
    /// The folder that all worktrees share: references and objects lie here.
    pub common: PathBuf,
}

impl Layout {
    /// The repository of a folder as git finds it: the nearest `.git` on the way up that is one.
    pub fn discover(folder: &Path) -> Result<Self, GitError> {
        for above in folder.ancestors() {
            if let Some(layout) = Self::at(above)? {
                return Ok(layout);
            }
        }
        Err(GitError::NoRepository)
    }

    fn at(folder: &Path) -> Result<Option<Self>, GitError> {
        let dot = folder.join(".git");
        let Ok(meta) = fs::metadata(&dot) else { return Ok(None) };
        if meta.is_dir() {
            return Self::of(dot);
        }
        // A worktree or submodule. It leads to a folder, never to another such file.
        let text = open::read(&dot, Links::Within(folder), GIT_LINK)?;
        let named = text.strip_prefix(b"gitdir: ").ok_or(GitError::Damaged(".git"))?;
        let git = folder.join(path_from_bytes(line(named)));
        Self::of(git)?.ok_or(GitError::NoRepository).map(Some)
    }

    /// The layout, if `git` looks as git wants it.
    fn of(git: PathBuf) -> Result<Option<Self>, GitError> {
        let common = match open::read(&git.join("commondir"), Links::Within(&git), GIT_LINK) {
            Ok(text) => git.join(path_from_bytes(line(&text))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => git.clone(),
            Err(error) => return Err(error.into()),
        };
        let whole = git.join("HEAD").symlink_metadata().is_ok()
            && common.join("objects").is_dir()
            && common.join("refs").is_dir();
        Ok(whole.then_some(Self { git, common }))
    }

    /// Whether the beginning of the history was left out.
    pub fn is_shallow(&self) -> bool {
        self.common.join("shallow").symlink_metadata().is_ok()
    }

    /// The folders of objects, the repository's own first.
    pub fn object_folders(&self) -> Result<Vec<PathBuf>, GitError> {
        let mut folders = Vec::new();
        let mut seen = Vec::new();
        let mut todo = vec![(self.common.join("objects"), 0)];
        while let Some((folder, depth)) = todo.pop() {
            let Ok(real) = canonical(&folder) else { continue };
            if !real.is_dir() || seen.contains(&real) {
                continue;
            }
            if depth > ALTERNATES_DEPTH || seen.len() == OBJECT_FOLDERS {
                return Err(GitError::Bound("alternates"));
            }
            let named = open::read(&folder.join("info/alternates"), Links::Within(&folder), GIT_LINK);
            // In reverse, because the last that is pushed is next.
            for line in named.unwrap_or_default().split(|byte| *byte == b'\n').rev() {
                // A path in quotation marks holds a control character; nobody has one.
                if !matches!(line.first(), None | Some(b'#' | b'"')) {
                    todo.push((real.join(path_from_bytes(line)), depth + 1));
                }
            }
            seen.push(real);
            folders.push(folder);
        }
        Ok(folders)
    }
}

fn line(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    &text[..end]
}
