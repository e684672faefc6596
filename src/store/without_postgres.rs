//! Replaces `postgres` in a build without that feature. The types have the same names, but no values. Whoever opens a
//! database in PostgreSQL gets the error [`StoreError::WithoutPostgres`].

use super::mirror::{Change, Place, Row, Table, Target, Value};
use super::sql::{ByKey, Dialect, Faults, KeepSql, Keys, ReadSql, RunSql, SqlValue, WriteSql};
use super::{
    FindWords, IndexModel, ItemFilter, ItemText, ItemVersion, KeepNearest, KeepWords, MemoryView, NearText,
    NearestCertificate, NearestIndex, NearestSearch, PostgresAccess as Access, Posting, ReadNearest, Snapshot,
    StoreError, StoredJob, TermCounts, Turn, WordTotals, WordsOf, WriteBatch, WriteStore, WriterLock, sqlite,
};
use crate::types::Scope;
use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::time::Duration;

/// An error of a server. There is none in this build.
#[derive(Debug)]
pub enum ServerError {}

impl fmt::Display for ServerError {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for ServerError {}

/// Why TLS cannot be set up.
pub type TlsError = ServerError;

/// A store in PostgreSQL.
#[derive(Debug)]
pub struct SharedDatabase(Infallible);

/// Changes of it.
#[derive(Debug)]
pub struct SharedBatch<'a>(Infallible, PhantomData<&'a SharedDatabase>);

/// Jobs in it.
#[derive(Debug)]
pub enum SharedJobs {}

/// The limit of a connection.
pub(in crate::store) type Limit = Option<Infallible>;

/// A place to copy from and to.
pub(in crate::store) enum Rows {}

pub(in crate::store) fn reason(error: &ServerError) -> String {
    match *error {}
}

pub(in crate::store) fn server_hint(error: &ServerError) -> Option<String> {
    match *error {}
}

pub(in crate::store) fn name_of(_address: &str) -> Result<String, StoreError> {
    Err(StoreError::WithoutPostgres)
}

impl Rows {
    pub(crate) fn to_read(_address: &str, _access: &Access) -> Result<Self, StoreError> {
        Err(StoreError::WithoutPostgres)
    }

    pub(crate) fn to_write(_address: &str, _access: &Access) -> Result<Self, StoreError> {
        Err(StoreError::WithoutPostgres)
    }
}

impl SharedJobs {
    pub(crate) fn open(_address: &str, _access: &Access) -> Result<Self, StoreError> {
        Err(StoreError::WithoutPostgres)
    }

    pub(crate) fn add(&self, _request: &str, _state: &str, _at_most: usize) -> Result<Option<i64>, StoreError> {
        match *self {}
    }

    pub(crate) fn job(&self, _id: i64) -> Result<Option<StoredJob>, StoreError> {
        match *self {}
    }

    pub(crate) fn begin(&self, _admits: impl FnMut(&StoredJob) -> bool) -> Result<Option<StoredJob>, StoreError> {
        match *self {}
    }

    pub(crate) fn wait(&self, _at_most: Duration) -> Result<(), StoreError> {
        match *self {}
    }

    pub(crate) fn tell(&self, _job: &StoredJob, _state: &str, _is_over: bool) -> Result<bool, StoreError> {
        match *self {}
    }

    pub(crate) fn cancel(&self, _id: i64, _ended: &str) -> Result<(), StoreError> {
        match *self {}
    }
}

impl SharedDatabase {
    pub(crate) fn open(_address: &str, _access: &Access) -> Result<Option<Self>, StoreError> {
        Err(StoreError::WithoutPostgres)
    }

    pub(crate) fn open_to_write(_address: &str, _access: &Access) -> Result<Self, StoreError> {
        Err(StoreError::WithoutPostgres)
    }

    pub(crate) fn open_replica(_address: &str, _primary: &str, _access: &Access) -> Result<Option<Self>, StoreError> {
        Err(StoreError::WithoutPostgres)
    }

    pub(crate) fn sees_all_scopes(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn need_all(&self) -> Result<(), StoreError> {
        match self.0 {}
    }

    pub(in crate::store) fn check_schema(&self) -> Result<(), StoreError> {
        match self.0 {}
    }

    pub(crate) fn is_idle(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn set_words(&mut self, _words_of: Option<WordsOf>) {
        match self.0 {}
    }

    pub(crate) fn take_turn(&self, _turn: Turn, _purpose: &str, _patience: Option<Duration>) -> Result<(), StoreError> {
        match self.0 {}
    }

    pub(crate) fn with_lock_released(&self, _others: &mut dyn FnMut()) -> Result<(), StoreError> {
        match self.0 {}
    }

    pub(crate) fn fit_alone(&self, _fit: &mut dyn FnMut()) -> Result<(), StoreError> {
        match self.0 {}
    }

    pub(crate) fn current_writer(&self) -> Result<Option<String>, StoreError> {
        match self.0 {}
    }

    pub(crate) fn limit_to(&mut self, _scopes: Option<&[Scope]>) {
        match self.0 {}
    }

    pub(crate) fn has_dead_words(&self) -> Result<bool, StoreError> {
        match self.0 {}
    }

    pub(in crate::store) fn word_faults(&self, _faults: &mut Faults) -> Result<(), StoreError> {
        match self.0 {}
    }

    pub(in crate::store) fn set_limit(&mut self, _limit: Limit) -> Limit {
        match self.0 {}
    }
}

impl SharedBatch<'_> {
    pub(crate) fn forget_derived(&self) -> Result<(), StoreError> {
        match self.0 {}
    }

    pub(in crate::store) fn purge_some(&self) -> Result<bool, StoreError> {
        match self.0 {}
    }
}

macro_rules! run_sql {
    ($of:ty) => {
        impl RunSql for $of {
            type Error = <sqlite::Database as RunSql>::Error;
            type Row<'r> = <sqlite::Database as RunSql>::Row<'r>;

            fn dialect(&self) -> Dialect {
                match self.0 {}
            }

            fn rows<T>(
                &self,
                _: &str,
                _: &[SqlValue<'_>],
                _: impl FnMut(&Self::Row<'_>) -> Result<T, Self::Error>,
            ) -> Result<Vec<T>, StoreError> {
                match self.0 {}
            }

            fn rows_by<T>(
                &self,
                _: ByKey<'_>,
                _: Keys<'_>,
                _: &[SqlValue<'_>],
                _: impl FnMut(&Self::Row<'_>) -> Result<T, Self::Error>,
            ) -> Result<Vec<T>, StoreError> {
                match self.0 {}
            }

            fn execute(&self, _: &str, _: &[SqlValue<'_>]) -> Result<usize, StoreError> {
                match self.0 {}
            }

            fn insert_all<'v, const N: usize>(
                &self,
                _: &str,
                _: impl IntoIterator<Item = [SqlValue<'v>; N]>,
                _: &str,
            ) -> Result<(), StoreError> {
                match self.0 {}
            }

            fn damaged(&self, _: String) -> StoreError {
                match self.0 {}
            }
        }
    };
}

run_sql!(SharedDatabase);
run_sql!(SharedBatch<'_>);

impl ReadSql for SharedDatabase {
    fn at_once<T>(&self, _: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self.0 {}
    }

    fn visit(
        &self,
        _: &str,
        _: impl FnMut(&Self::Row<'_>) -> Result<ControlFlow<()>, Self::Error>,
    ) -> Result<(), StoreError> {
        match self.0 {}
    }

    fn hold_moment(&self) -> Result<Snapshot<'_>, StoreError> {
        match self.0 {}
    }

    fn identity(&self) -> (u64, u64) {
        match self.0 {}
    }

    fn bytes_on_disk(&self) -> Result<u64, StoreError> {
        match self.0 {}
    }
}

impl KeepSql for SharedDatabase {
    type Changes<'a> = SharedBatch<'a>;

    fn begin_unlocked(&mut self) -> Result<SharedBatch<'_>, StoreError> {
        match self.0 {}
    }

    fn insert_quickly<'v, const N: usize>(
        &mut self,
        _: &str,
        _: impl IntoIterator<Item = [SqlValue<'v>; N]>,
        _: &str,
    ) -> Result<(), StoreError> {
        match self.0 {}
    }
}

impl WriteSql for SharedBatch<'_> {
    fn places_change(&self) {
        match self.0 {}
    }

    fn keep_words(&self, _: impl FnOnce() -> ItemText) -> Result<(), StoreError> {
        match self.0 {}
    }

    fn keep_words_of(&self, _: i64) -> Result<(), StoreError> {
        match self.0 {}
    }

    fn commit_all(self) -> Result<(), StoreError> {
        match self.0 {}
    }
}

impl WriteStore for SharedDatabase {
    type Batch<'a> = SharedBatch<'a>;

    fn begin(&mut self, _: &WriterLock) -> Result<SharedBatch<'_>, StoreError> {
        match self.0 {}
    }
}

impl WriteBatch for SharedBatch<'_> {
    fn commit(self) -> Result<(), StoreError> {
        match self.0 {}
    }
}

impl ReadNearest for SharedDatabase {
    fn nearest(
        &self,
        _: &IndexModel,
        _: &[f32],
        _: usize,
        _: Option<(&ItemFilter, Option<&MemoryView>)>,
        _: NearestSearch,
    ) -> Result<Vec<NearText>, StoreError> {
        match self.0 {}
    }

    fn searchable_vectors(&self, _: &IndexModel) -> Result<usize, StoreError> {
        match self.0 {}
    }

    fn about_vectors(&self) -> Result<Option<usize>, StoreError> {
        match self.0 {}
    }

    fn nearest_index(&self, _: &IndexModel) -> Result<NearestIndex, StoreError> {
        match self.0 {}
    }

    fn nearest_certificate(&self, _: &IndexModel) -> Result<Option<NearestCertificate>, StoreError> {
        match self.0 {}
    }
}

impl KeepNearest for SharedDatabase {
    fn index_vectors(&self, _: &IndexModel, _: usize) -> Result<usize, StoreError> {
        match self.0 {}
    }

    fn ensure_nearest_index(&self, _: &IndexModel) -> Result<NearestIndex, StoreError> {
        match self.0 {}
    }

    fn certify(&self, _: &IndexModel, _: f64) -> Result<NearestCertificate, StoreError> {
        match self.0 {}
    }
}

impl FindWords for SharedDatabase {
    fn word_totals(&self, _: &[u64]) -> Result<WordTotals, StoreError> {
        match self.0 {}
    }

    fn postings(&self, _: &[u64]) -> Result<Vec<Vec<Posting>>, StoreError> {
        match self.0 {}
    }

    fn newest_postings(&self, _: &[u64], _: &[Scope], _: usize) -> Result<Vec<Vec<Posting>>, StoreError> {
        match self.0 {}
    }

    fn counts_of(&self, _: &[i64], _: &[u64]) -> Result<Vec<Option<TermCounts>>, StoreError> {
        match self.0 {}
    }

    fn admits(
        &self,
        _: &ItemFilter,
        _: Option<&MemoryView>,
        _: &[ItemVersion],
    ) -> Result<Vec<ItemVersion>, StoreError> {
        match self.0 {}
    }

    fn lacking_words(&self) -> Result<usize, StoreError> {
        match self.0 {}
    }
}

impl KeepWords for SharedDatabase {
    fn index_words(&mut self, _: WordsOf, _: usize) -> Result<usize, StoreError> {
        match self.0 {}
    }

    fn merge_words(&mut self, _: usize) -> Result<bool, StoreError> {
        match self.0 {}
    }

    fn purge_words(&mut self) -> Result<(), StoreError> {
        match self.0 {}
    }
}

impl Place for Rows {
    fn name(&self) -> &str {
        match *self {}
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        match *self {}
    }

    fn count(&mut self, _: &Table) -> Result<u64, StoreError> {
        match *self {}
    }

    fn page(&mut self, _: &Table, _: Option<&[Value]>, _: usize) -> Result<Vec<Row>, StoreError> {
        match *self {}
    }
}

impl Target for Rows {
    fn change(&mut self, _: &Table, _: &Change) -> Result<(), StoreError> {
        match *self {}
    }

    fn end(&mut self) -> Result<(), StoreError> {
        match *self {}
    }
}
