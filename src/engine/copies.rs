//! The whole store, copied to another place and compared with it.

use super::derived::Keep;
use super::stored::WORDS;
use super::{Engine, EngineError, Progress, Session};
use crate::store::{
    Database, Mirrored, Place, PostgresAccess, SharedStore, StorePlace, Turn, WRITER_WAIT, compare_stores, copy_store,
};

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
        if let Some(place) = self.found_here(to, access) {
            let lock = place.writer("ken store copy", WRITER_WAIT)?;
            let mut database = Database::open_to_write_at(&place, &lock)?;
            database.take_turn(Turn::Work, &lock, None)?;
            self.erase_old_traces(&mut database, &lock, session)?;
            let keep = if place.shared.is_some() { Keep::Current } else { Keep::Usable };
            self.keep_derived(&mut database, &lock, keep, session)?;
        }
        Ok(copied)
    }

    /// The place, if this engine is to make its items findable: the engine's own data directory, or a shared store. In
    /// any other directory, the next command that uses it does this.
    fn found_here(&self, place: &StorePlace, access: &PostgresAccess) -> Option<Place> {
        let folder = self.settings.data.clone()?;
        match place {
            StorePlace::Folder(other) => (*other == folder).then(|| Place::folder(folder)),
            StorePlace::Address(url) => {
                let (url, access, words) = (url.clone(), access.clone(), Some(WORDS));
                Some(Place { folder, shared: Some(SharedStore { url, read_url: None, access, words }) })
            }
        }
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
