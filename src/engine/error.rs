//! What a use case can fail with: the failure of a layer below, or one that only shows here.

use crate::canon::EditError;
use crate::embed::EmbedError;
use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::store::StoreError;
use crate::text::DecodeError;
use std::io;
use std::path::PathBuf;

/// A use case failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The input is no text.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The model failed or could not be had.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Stored vectors failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A pack could not be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// There is no home to keep anything in.
    #[error("there is no home directory to keep data in")]
    NoHome,
    /// A model is needed and none is installed.
    #[error("the model {model} is not installed")]
    NoModel {
        /// The model.
        model: String,
    },
    /// No such entry.
    #[error("no entry is called {id}")]
    NoEntry {
        /// What was asked for.
        id: String,
        /// Ids that are near.
        near: Vec<String>,
    },
    /// A name that cannot be a pack's.
    #[error("{0:?} is no name for a pack")]
    PackName(String),
    /// The model has no calibration, so its similarities mean nothing.
    #[error("{model} is not calibrated")]
    NotCalibrated {
        /// The model.
        model: String,
    },
    /// Reading or writing failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Diagnose for EngineError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Decode(e) => e.kind(),
            Self::Embed(e) => e.kind(),
            Self::Store(e) => e.kind(),
            Self::Edit(e) => e.kind(),
            Self::NoHome | Self::NoEntry { .. } | Self::PackName(_) => ErrorKind::Usage,
            Self::NoModel { .. } | Self::NotCalibrated { .. } => ErrorKind::NoModel,
            Self::Io { source, .. } => io_kind(source),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Decode(e) => e.hint(),
            Self::Embed(e) => e.hint(),
            Self::Store(e) => e.hint(),
            Self::Edit(e) => e.hint(),
            Self::NoHome => Some("set HOME, or KEN_HOME to a directory of its own".to_owned()),
            Self::NoEntry { near, .. } if near.is_empty() => Some("`ken canon list` names all entries".to_owned()),
            Self::NoEntry { near, .. } => Some(format!("near it are {}", near.join(", "))),
            Self::PackName(_) => Some("use lower-case letters, digits and hyphens, such as my-team".to_owned()),
            Self::NoModel { .. } => Some("ken model pull; `ken model list` shows all".to_owned()),
            Self::NotCalibrated { .. } => {
                Some("only calibrated models compare meaning: ken model use bge-small-en-v1.5".to_owned())
            }
            Self::Io { .. } => None,
        }
    }
}
