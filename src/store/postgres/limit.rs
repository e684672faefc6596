//! A connection that is limited to the scopes of a request. The database then withholds the rows of all other scopes
//! (`0009_limits.sql`), also if the request asks for them by mistake.
//!
//! A limit belongs to the store that is open and not to its connection: the next statement outside of a transaction
//! tells the server, also on a connection that was made anew. It is set outside of transactions only, because a
//! rollback would undo it. `without_limit` changes it within a transaction, for a part of that. Nothing is open when a
//! limit changes, because that needs `&mut`.

use super::database::{Primary, SharedBatch, SharedDatabase};
use super::link::Limit;
use super::text::marked;
use crate::store::StoreError;
use crate::types::Scope;

impl SharedDatabase {
    /// Limits what is read and written to these scopes, or to all that the user may see.
    pub fn limit_to(&mut self, scopes: Option<&[Scope]>) {
        drop(self.set_limit(scopes.map(|scopes| scopes.iter().map(|scope| marked(scope.as_str()).into()).collect())));
    }

    /// The same, which gives the limit that was there before.
    pub(in crate::store) fn set_limit(&mut self, limit: Limit) -> Limit {
        if let Some(primary) = &mut self.primary {
            primary.set_limit(&limit);
        }
        std::mem::replace(&mut self.limit, limit)
    }
}

impl Primary {
    fn set_limit(&mut self, limit: &Limit) {
        self.limit.clone_from(limit);
        if let Some(database) = &mut self.database {
            database.limit.clone_from(limit);
        }
    }
}

impl SharedBatch<'_> {
    /// Does a part of the batch without its limit.
    pub(super) fn without_limit<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let limit = &self.database.limit;
        if limit.is_none() {
            return work();
        }
        // The end of the transaction brings the limit back in any case.
        let set = |limit: &Limit| self.database.on(|link| link.limit_transaction_to(limit));
        set(&None)?;
        let done = work();
        // After a statement that failed the server refuses this too, and the batch is over.
        let is_back = set(limit);
        done.and_then(|done| is_back.map(|()| done))
    }
}
