//! A moment in the life of the vectors of an index.

/// The last change that something takes into account. The number alone would not do: a database that was put back to an
/// older state counts on from there, so each change has a mark of its own, drawn at random.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Generation {
    /// Number of the change; 0 before the first.
    pub number: u64,
    /// Its mark.
    pub mark: u64,
}
