//! Whose packs count before whose.

/// Whose knowledge a pack is. A later layer replaces entries of an earlier one by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackLayer {
    /// Compiled into the program.
    Builtin,
    /// The user's own.
    User,
    /// A trusted repository's.
    Repository,
}

impl PackLayer {
    /// The word before the colon in a hit's `source`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Builtin => "canon",
            Self::User => "user",
            Self::Repository => "repository",
        }
    }
}
