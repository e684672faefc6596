//! Why a commit is not found.

use std::io;

/// A failure of the module `git`. Nobody is told: the repository is named by its path then.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository around the folder.
    #[error("there is no git repository")]
    NoRepository,
    /// A clone without its beginning.
    #[error("the repository is shallow")]
    Shallow,
    /// `HEAD` leads to no commit: nothing was committed, or the references lie in tables.
    #[error("HEAD leads to no commit")]
    NoHead,
    /// An object is in no pack and no file.
    #[error("a commit is missing")]
    Missing,
    /// What is read is not as git writes it.
    #[error("{0} is damaged")]
    Damaged(&'static str),
    /// A bound was reached.
    #[error("{0} beyond what is read")]
    Bound(&'static str),
    /// A file cannot be opened or read.
    #[error(transparent)]
    Io(#[from] io::Error),
}
