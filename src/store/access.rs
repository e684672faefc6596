//! A store as a whole: all that can be read of it, of one moment if need be, and changes that become true together.

use super::{
    CountUsage, KeepLearning, KeepOutcomes, LogChanges, ReadChanges, ReadEvents, ReadExternal, ReadForgotten,
    ReadItems, ReadLearning, ReadMemory, ReadNoise, ReadOutcomes, ReadSources, ReadTools, ReadUsage, ReadVectors,
    ReadWords, StoreError, WriteEvents, WriteExternal, WriteForgotten, WriteItems, WriteMemory, WriteNoise,
    WriteOutcomes, WriteSources, WriteTools, WriteVectors, WriterLock,
};
use std::fmt;
use std::ops::ControlFlow;

/// While it lives, everything that is read is of one moment.
pub struct Snapshot<'a> {
    _held: Box<dyn Held + 'a>,
}

/// Whatever ends a snapshot when it is dropped.
trait Held {}

impl<T> Held for T {}

impl<'a> Snapshot<'a> {
    /// A snapshot that ends with `held`.
    pub(super) fn new(held: impl Sized + 'a) -> Self {
        Self { _held: Box::new(held) }
    }
}

impl fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Snapshot")
    }
}

/// Everything that can be read of a store.
pub trait ReadStore:
    ReadItems
    + ReadExternal
    + ReadSources
    + ReadForgotten
    + ReadVectors
    + ReadChanges
    + ReadWords
    + ReadUsage
    + ReadNoise
    + ReadMemory
    + ReadOutcomes
    + ReadTools
    + ReadLearning
    + ReadEvents
{
    /// Everything that is read until this is dropped is of the moment of the first read. One at a time.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn snapshot(&self) -> Result<Snapshot<'_>, StoreError>;
}

/// A store that can be changed.
pub trait WriteStore: ReadStore + LogChanges + CountUsage + KeepOutcomes + KeepLearning {
    /// Changes that become true together, or not at all when they are dropped.
    type Batch<'a>: WriteBatch
    where
        Self: 'a;

    /// Begins changes that become true together.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn begin(&mut self, lock: &WriterLock) -> Result<Self::Batch<'_>, StoreError>;

    /// Runs `others` between two batches of long work. A shared store releases the right to write meanwhile and takes
    /// it again. A file keeps its lock.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn with_lock_released(&mut self, others: &mut dyn FnMut()) -> Result<(), StoreError> {
        others();
        Ok(())
    }
}

/// Changes that become true together, or not at all when they are dropped.
pub trait WriteBatch:
    WriteItems
    + WriteExternal
    + WriteSources
    + WriteForgotten
    + WriteVectors
    + WriteNoise
    + WriteEvents
    + WriteMemory
    + WriteOutcomes
    + WriteTools
{
    /// Makes the changes true.
    ///
    /// # Errors
    /// [`StoreError`] when they cannot be written; none of them is true then.
    fn commit(self) -> Result<(), StoreError>;
}

/// Keeps the first error, and says whether to go on.
pub(super) fn until_error<E>(failed: &mut Result<(), E>, now: Result<(), E>) -> ControlFlow<()> {
    match now {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            *failed = Err(error);
            ControlFlow::Break(())
        }
    }
}
