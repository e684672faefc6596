//! The whole store, copied to another place and compared with it.

use super::derived::Keep;
use super::{Engine, EngineError, Progress, Session};
use crate::store::{Mirrored, PostgresAccess, StorePlace, compare_stores, copy_store};

impl Engine {
    /// Makes one place hold what another one holds: everything that is indexed and learnt, with its vectors, and
    /// nothing else. What is derived from it is made anew where it is needed.
    ///
    /// # Errors
    /// [`EngineError`] when one of the places fails, or the target is no earlier copy of the source. What was written
    /// by then stays, and the next copy goes on from there.
    pub fn copy_store(
        &self,
        from: &StorePlace,
        to: &StorePlace,
        access: &PostgresAccess,
        session: &Session<'_>,
    ) -> Result<Mirrored, EngineError> {
        let copied = copy_store(from, to, access, &mut |done, total| tell(session, "Copying", done, total))?;
        if self.settings.data.as_ref().is_some_and(|data| *to == StorePlace::Folder(data.clone())) {
            let (lock, mut database) = self.write_database("ken store copy", session)?;
            self.keep_derived(&mut database, &lock, Keep::Usable, session)?;
        }
        Ok(copied)
    }

    /// Whether two places hold the same.
    ///
    /// # Errors
    /// [`EngineError`] when one of them cannot be read.
    pub fn compare_stores(
        &self,
        from: &StorePlace,
        to: &StorePlace,
        access: &PostgresAccess,
        session: &Session<'_>,
    ) -> Result<Mirrored, EngineError> {
        Ok(compare_stores(from, to, access, &mut |done, total| tell(session, "Comparing", done, total))?)
    }
}

fn tell(session: &Session<'_>, what: &'static str, done: u64, total: u64) {
    let rows = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    session.tell(Progress::Asking { what, done: rows(done), total: rows(total) });
}
