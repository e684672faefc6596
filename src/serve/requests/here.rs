//! The folder that requests are asked in.

use crate::engine::face::indexing::scope_of;
use crate::types::Scope;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder, and the scope of the repository around it. To find that, git's history is walked to its first commit,
/// which never changes: so it is asked once.
#[derive(Debug)]
pub struct Here {
    path: PathBuf,
    scope: OnceLock<Scope>,
}

impl Here {
    /// A folder as files are known by.
    pub const fn new(path: PathBuf) -> Self {
        Self { path, scope: OnceLock::new() }
    }

    /// The same, with its scope if that is known already.
    pub fn known(path: PathBuf, scope: Option<Scope>) -> Self {
        Self { path, scope: scope.map_or_else(OnceLock::new, OnceLock::from) }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The scope of its files.
    pub fn scope(&self) -> &Scope {
        self.scope.get_or_init(|| scope_of(&self.path))
    }
}
