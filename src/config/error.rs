//! What can be wrong with the configuration, and where it stands.

use super::Origin;
use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::screen::{shown, shown_text};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Where a key or value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// In what.
    pub origin: Origin,
    /// On which line, from 1 on, where it is a file.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.origin, self.line) {
            (Origin::Flag, _) => f.write_str("command line"),
            (origin, Some(line)) => write!(f, "{origin}:{line}"),
            (origin, None) => write!(f, "{origin}"),
        }
    }
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file could not be read or written.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A variable that names a folder holds a relative path.
    #[error("{name} is the relative path {}", shown(path))]
    RelativePath {
        /// The variable.
        name: &'static str,
        /// Its value.
        path: PathBuf,
    },
    /// A file is not TOML.
    #[error("{}: {message}", shown(path))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        message: String,
    },
    /// A key that does not exist.
    #[error("{place}: there is no setting {}", shown_text(key))]
    Unknown {
        /// The key.
        key: String,
        /// The key that was most likely meant.
        nearest: &'static str,
        /// Where it stands.
        place: Place,
    },
    /// A key that a repository must not set.
    #[error("{place}: a repository may not set {key}")]
    NotForRepositories {
        /// The key.
        key: String,
        /// Where it stands.
        place: Place,
    },
    /// A value out of range or of the wrong type.
    #[error("{place}: {key} = {value}: expected {expected}")]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What it should be.
        expected: &'static str,
        /// Where it stands.
        place: Place,
    },
}

impl Diagnose for ConfigError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { source, .. } => io_kind(source),
            Self::RelativePath { .. }
            | Self::Syntax { .. }
            | Self::Unknown { .. }
            | Self::NotForRepositories { .. }
            | Self::Value { .. } => ErrorKind::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Io { .. } => None,
            Self::RelativePath { name, .. } => Some(format!("set {name} to an absolute path, or unset it")),
            Self::Unknown { nearest, .. } => {
                Some(format!("did you mean {nearest}? `ken config show` lists all settings"))
            }
            Self::Syntax { .. } | Self::NotForRepositories { .. } | Self::Value { .. } => {
                Some("`ken config show --origin` lists all settings and where they come from".to_owned())
            }
        }
    }
}
