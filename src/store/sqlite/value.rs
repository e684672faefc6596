//! Values that nobody wrote, as an error of SQLite carries them.

/// A value that nobody wrote: what it is and where it stands.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct OddValue(pub String);
