//! From `HEAD` to the id of a commit.

use super::GitError;
use super::id::Id;
use super::layout::Layout;
use crate::map::open::{self, Links};
use crate::types::limits::{GIT_LINK, GIT_PACKED_REFS};
use std::fs;
use std::io;

/// How often one reference names another, as in git.
const SYMBOLIC_DEPTH: usize = 5;

/// What a reference's own file says.
#[derive(Debug)]
enum Said {
    Commit(Id),
    Symbolic(String),
    Nothing,
}

/// The commit that `HEAD` names.
pub(super) fn head(layout: &Layout) -> Result<Id, GitError> {
    let mut name = "HEAD".to_owned();
    for _ in 0..=SYMBOLIC_DEPTH {
        match read(layout, &name)? {
            Said::Commit(id) => return Ok(id),
            Said::Symbolic(next) => name = next,
            Said::Nothing => return packed(layout, &name),
        }
    }
    Err(GitError::Bound("symbolic references"))
}

fn read(layout: &Layout, name: &str) -> Result<Said, GitError> {
    let own = ["HEAD", "refs/bisect/", "refs/worktree/", "refs/rewritten/"].iter().any(|own| name.starts_with(own));
    let folder = if own { &layout.git } else { &layout.common };
    let path = folder.join(name);
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Said::Nothing);
        }
        Err(error) => return Err(error.into()),
    };
    if meta.is_dir() {
        return Ok(Said::Nothing);
    }
    if meta.is_symlink() {
        // The older way to write a symbolic reference.
        let target = fs::read_link(&path)?;
        if let Some(next) = target.to_str().filter(|next| is_reference(next)) {
            return Ok(Said::Symbolic(next.to_owned()));
        }
    }
    let text = open::read(&path, Links::Within(folder), GIT_LINK)?;
    if let Some(rest) = text.strip_prefix(b"ref:") {
        let next = std::str::from_utf8(rest).map(str::trim).ok().filter(|next| is_reference(next));
        return next.map(|next| Said::Symbolic(next.to_owned())).ok_or(GitError::NoHead);
    }
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    Id::from_hex(&text[..end]).map(Said::Commit).ok_or(GitError::NoHead)
}

/// Whether a name is one below `refs/` that leads nowhere else.
fn is_reference(name: &str) -> bool {
    let sound = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && !part.contains(|c: char| c.is_control() || c == '\\' || c == ' ')
    };
    name.len() < 4096 && name.starts_with("refs/") && name.split('/').all(sound)
}

fn packed(layout: &Layout, name: &str) -> Result<Id, GitError> {
    let text = match open::read(&layout.common.join("packed-refs"), Links::Within(&layout.common), GIT_PACKED_REFS) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(GitError::NoHead),
        Err(error) => return Err(error.into()),
    };
    let found = text.split(|byte| *byte == b'\n').find_map(|line| {
        let space = line.iter().position(|byte| *byte == b' ')?;
        (line[space + 1..].trim_ascii_end() == name.as_bytes()).then(|| Id::from_hex(&line[..space])).flatten()
    });
    found.ok_or(GitError::NoHead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stay_below_their_folder() {
        for name in ["refs/heads/main", "refs/heads/a/b-c.d", "refs/remotes/origin/HEAD"] {
            assert!(is_reference(name), "{name}");
        }
        for name in
            ["HEAD", "/refs/x", "refs/../HEAD", "refs//x", "refs/x/", "refs/.x", "refs/a b", "refs/a\nb", "/dev/zero"]
        {
            assert!(!is_reference(name), "{name}");
        }
    }
}
