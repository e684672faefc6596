//! The folder that requests are asked in.

use crate::engine::Engine;
use crate::types::Scope;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder, and the scope of the repository around it. The engine is asked for the scope once.
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

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The scope of its files.
    pub fn scope(&self, engine: &Engine) -> &Scope {
        self.scope.get_or_init(|| engine.scope_of(&self.path))
    }
}
