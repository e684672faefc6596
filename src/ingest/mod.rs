//! Files to what can be found: walk, compare with what is indexed, cut, embed, store.
//!
//! Decides what is read, what has changed, and what is committed together: a file appears with all its pieces and their
//! vectors, or not at all. A run that is stopped loses nothing that was committed, and the next one goes on from there.
//! Gets a store, an encoder and the time as values.

mod cutting;
mod diff;
mod embedding;
mod generated;
mod provenance;
mod repository;
mod run;
mod walk;
mod watch;
mod withhold;

pub use embedding::{Between, Embedder, embed_missing};
pub use provenance::Provenance;
pub use repository::{FoundRepository, repository_of, scope_in_store, scope_of};
pub use run::{IndexOptions, IndexReport, Ingest, Progress};
pub use walk::{Skipped, has_changed, is_elsewhere, means_gone};
pub use watch::Watch;

use crate::embed::EmbedError;
use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::screen::shown;
use crate::store::StoreError;
use std::io;
use std::path::PathBuf;

/// Indexing failed.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// What is stored could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Nobody wants it to go on.
    #[error("the indexing was stopped; what was committed stays")]
    Cancelled,
    /// The encoder could not be had; whoever was asked for it knows why.
    #[error("there is no encoder")]
    Stopped,
    /// The system cannot watch a path.
    #[error("{} cannot be watched: {what}", shown(path))]
    Watch {
        /// The path.
        path: PathBuf,
        /// What the system says.
        what: String,
    },
    /// There is nothing at a path that was named.
    #[error("there is no file or folder {}", shown(path))]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// A path that was named cannot be read.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Diagnose for IngestError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(e) => e.kind(),
            Self::Embed(e) => e.kind(),
            Self::Stopped => ErrorKind::NoModel,
            Self::Cancelled => ErrorKind::Interrupted,
            Self::Watch { .. } | Self::Missing { .. } => ErrorKind::Io,
            Self::Io { source, .. } => io_kind(source),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Store(e) => e.hint(),
            Self::Embed(e) => e.hint(),
            Self::Missing { path } => Some(format!(
                "check the path; what was indexed from it is removed with: `ken forget --path {}`",
                shown(path)
            )),
            Self::Watch { .. } => {
                Some("there may be too many folders to watch: sysctl fs.inotify.max_user_watches".to_owned())
            }
            Self::Io { .. } | Self::Stopped | Self::Cancelled => None,
        }
    }
}
