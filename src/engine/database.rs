//! The database, and its vectors under a model.

use super::derived::Keep;
use super::state::ModelChoice;
use super::{Engine, EngineError, Progress, Session, limit};
use crate::embed::{Encoder, Installed, Manifest, ModelStore};
use crate::ingest::{Between, Embedder, embed_missing, scope_in_store, scope_of};
use crate::store::{
    Database, Place, PooledReader, ReadVectors, SharedStore, Turn, WRITER_WAIT, WriteEvents, WriteSources,
    WriteVectors, WriterLock,
};
use crate::types::Scope;
use std::path::Path;
use std::time::Duration;

/// A walk to a first commit that unpacks so many commits is worth a write: it takes some 25 ms.
const LONG_WALK: usize = 5_000;

impl Engine {
    /// The database to read; `None` if nothing was ever indexed. Each thread has a connection of its own, which goes
    /// back to the pool when it is dropped.
    pub(super) fn read_database(&self) -> Result<Option<PooledReader<'_>>, EngineError> {
        match &self.pool {
            Some(pool) => Ok(limit::with(|scopes| pool.reader_of(scopes))?),
            None => Ok(None),
        }
    }

    /// The store to read, on a connection of its own; `None` if there is none.
    pub(super) fn open_database(&self) -> Result<Option<Database>, EngineError> {
        match self.settings.place() {
            // What to write is decided by the current state, which a replica may lack.
            Some(Place { folder, shared }) => {
                let shared = shared.map(|shared| SharedStore { read_url: None, ..shared });
                let mut opened = Database::open_at(&Place { folder, shared })?;
                opened.iter_mut().for_each(limit::apply);
                Ok(opened)
            }
            None => Ok(None),
        }
    }

    /// The store to write, made if there is none, with the right to do so for work of many batches.
    pub(super) fn open_to_write(&self, lock: &WriterLock) -> Result<Database, EngineError> {
        self.open_in_turn(lock, Turn::Work, None)
    }

    /// The same for any kind of turn. `patience` is the time to wait for it.
    pub(super) fn open_in_turn(
        &self,
        lock: &WriterLock,
        turn: Turn,
        patience: Option<Duration>,
    ) -> Result<Database, EngineError> {
        let mut database = Database::open_to_write_at(&self.place()?, lock)?;
        database.take_turn(turn, lock, patience)?;
        limit::apply(&mut database);
        Ok(database)
    }

    /// The scope of a folder: its repository, or everywhere. A repository is known by its first commit. If the store
    /// does not remember that, git's history is walked, and the store remembers what a long walk found. Without a store
    /// that can be written, each call walks again.
    pub fn scope_of(&self, folder: &Path) -> Scope {
        // Where a folder of this machine lies is no secret of a scope.
        limit::lifted(|| self.scope_kept_from(folder, LONG_WALK))
    }

    fn scope_kept_from(&self, folder: &Path, long: usize) -> Scope {
        let Ok(Some(database)) = self.read_database() else { return scope_of(folder) };
        let Ok((scope, found)) = scope_in_store(folder, &*database) else { return scope_of(folder) };
        if let Some(found) = found.filter(|found| found.unpacked >= long) {
            // Where somebody else writes, or nobody may, it is found again next time.
            let _ = self.remember_repository(&found.root, &found.scope);
        }
        scope
    }

    fn remember_repository(&self, root: &str, scope: &Scope) -> Result<(), EngineError> {
        let lock = self.place()?.writer("ken, remembering a repository", Duration::ZERO)?;
        let mut database = self.open_in_turn(&lock, Turn::AtOnce, None)?;
        let batch = database.begin(&lock)?;
        batch.put_repository(root, scope)?;
        Ok(batch.commit()?)
    }

    /// The right to write, and the database.
    pub(super) fn write_database(
        &self,
        purpose: &str,
        session: &Session<'_>,
    ) -> Result<(WriterLock, Database), EngineError> {
        let lock = self.writer(purpose)?;
        let mut database = self.open_to_write(&lock)?;
        self.erase_old_traces(&mut database, &lock, session)?;
        Ok((lock, database))
    }

    /// The same for a short write of items, memories or tools. While `ken index` runs, the write happens between two of
    /// its batches. With a file, only `ken index` in the same engine lets others write, and it makes the derived files
    /// at its end.
    pub(super) fn write_between(
        &self,
        purpose: &str,
        session: &Session<'_>,
    ) -> Result<(WriterLock, Database), EngineError> {
        let lock = match self.place()? {
            Place { folder, shared: None } => self.turns.wait(&folder, purpose, session)?,
            shared => shared.writer(purpose, Duration::ZERO)?,
        };
        let mut database = self.open_in_turn(&lock, Turn::Change, session.patience())?;
        session.check()?;
        self.erase_old_traces(&mut database, &lock, session)?;
        Ok((lock, database))
    }

    pub(super) fn writer(&self, purpose: &str) -> Result<WriterLock, EngineError> {
        Ok(self.place()?.writer(purpose, WRITER_WAIT)?)
    }

    /// The right to write to labels and feedback, which lie in the data directory and belong to no store.
    pub(super) fn data_writer(&self, purpose: &str) -> Result<WriterLock, EngineError> {
        Ok(WriterLock::take(self.data()?, purpose, WRITER_WAIT)?)
    }

    fn place(&self) -> Result<Place, EngineError> {
        self.data()?;
        self.settings.place().ok_or(EngineError::NoHome)
    }

    /// The active model: the configured one, or its packaged variant if that is installed alone or is the one that the
    /// index is made with. Never the network.
    pub(super) fn active_model(&self, store: &ModelStore) -> Result<Option<Installed>, EngineError> {
        self.active_model_of(store, &self.model_choice())
    }

    /// The same where it is known what the index says.
    pub(super) fn active_model_of(
        &self,
        store: &ModelStore,
        choice: &ModelChoice,
    ) -> Result<Option<Installed>, EngineError> {
        for name in self.model_names(choice) {
            if let Some(found) = store.find(name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The names of models that may be the active one, the wanted one first.
    pub(super) fn model_names<'a>(&'a self, choice: &'a ModelChoice) -> Vec<&'a str> {
        // A change of the model that stopped between the index and the configuration is complete in the index.
        let wanted = match &choice.pending {
            Some((from, to)) if *from == self.settings.model => to,
            _ => &self.settings.model,
        };
        let fallback = Manifest::builtin().iter().find(|m| m.name == *wanted).and_then(|m| m.fallback.as_deref());
        match fallback {
            Some(name) if choice.index.as_deref() == Some(name) => vec![name, wanted],
            other => std::iter::once(wanted.as_str()).chain(other).collect(),
        }
    }

    /// Makes the index's vectors with an installed model, and makes it the index's model when all are there. Until then
    /// the index answers with the old one; a run that is stopped goes on where it was.
    ///
    /// # Errors
    /// [`EngineError`] when the model or the database fails.
    pub fn switch_index(&self, installed: &Installed, session: &Session<'_>) -> Result<(), EngineError> {
        if self.open_database()?.is_none() {
            return Ok(());
        }
        let (lock, mut database) = self.write_database(&format!("ken model use {}", installed.name()), session)?;
        if let Some(shared) = database.shared() {
            shared.need_all()?;
        }
        let encoder = self.store()?.load(installed)?;
        // Not the index's model yet, not even of an empty one: that is for the end.
        let mut embedder = Embedder::beside(encoder.as_ref(), &mut database, &lock)?;
        complete(&mut embedder, &mut database, &lock, session)?;
        let before = database.index_model()?.map(|model| model.fingerprint);
        if before.as_ref() != Some(encoder.fingerprint()) {
            let batch = database.begin(&lock)?;
            batch.use_model(encoder.fingerprint(), Some(&self.settings.model))?;
            batch.log(session.now(), "model", &serde_json::json!({"from": before, "to": encoder.fingerprint()}))?;
            batch.commit()?;
        }
        self.keep_derived(&mut database, &lock, Keep::Usable, session)
    }

    /// The configuration names the index's model now.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn end_switch(&self, session: &Session<'_>) -> Result<(), EngineError> {
        let pending = match self.open_database()? {
            Some(database) => database.pending_switch()?,
            None => None,
        };
        if pending.is_some() {
            let (lock, mut database) = self.write_database("ken model use", session)?;
            let batch = database.begin(&lock)?;
            batch.end_switch()?;
            batch.commit()?;
        }
        Ok(())
    }

    /// Vectors for what was indexed while there was no model, if this is the index's model or it has none.
    pub(super) fn complete_index(&self, encoder: &dyn Encoder, session: &Session<'_>) -> Result<(), EngineError> {
        let Some(database) = self.open_database()? else { return Ok(()) };
        let model = database.index_model()?;
        let other = model.as_ref().is_some_and(|model| model.fingerprint != *encoder.fingerprint());
        if other || database.texts_without_vector(model.as_ref())? == 0 {
            return Ok(());
        }
        drop(database);
        let (lock, mut database) = self.write_database("ken model pull", session)?;
        let mut embedder = Embedder::new(encoder, &mut database, &lock)?;
        complete(&mut embedder, &mut database, &lock, session)?;
        self.keep_derived(&mut database, &lock, Keep::Usable, session)
    }
}

fn complete(
    embedder: &mut Embedder<'_>,
    database: &mut Database,
    lock: &WriterLock,
    session: &Session<'_>,
) -> Result<(), EngineError> {
    let name = embedder.model().name().to_owned();
    // A model that is being changed has the index to itself.
    let between = Between { stopped: &|| session.check().is_err(), let_others_write: &|| {} };
    embed_missing(embedder, database, lock, &between, &mut |done, total, _| {
        session.tell(Progress::Embedding { what: "the index", done, total, model: &name });
    })
    .map(drop)
    .map_err(|error| session.why(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineSettings;
    use crate::store::ReadSources;
    use std::path::PathBuf;
    use std::process::Command;

    fn engine(data: &Path) -> Engine {
        Engine::new(EngineSettings::without_model(data))
    }

    fn repository(base: &Path, name: &str) -> PathBuf {
        let root = base.join(name);
        std::fs::create_dir(&root).unwrap();
        let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
        for arguments in [&["init", "-q"][..], &[&author[..], &["commit", "-q", "--allow-empty", "-m", name]].concat()]
        {
            assert!(Command::new("git").args(arguments).current_dir(&root).status().unwrap().success());
        }
        root
    }

    #[test]
    fn a_repository_is_remembered_if_its_history_is_long() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let (root, other) = (repository(&base, "one"), repository(&base, "two"));
        let data = base.join("data");
        crate::store::make_private(&data).unwrap();
        let remembered = |engine: &Engine, root: &Path| {
            let database = engine.read_database().unwrap();
            database.and_then(|database| database.repository(&root.to_string_lossy()).unwrap())
        };

        let engine = engine(&data);
        let scope = engine.scope_kept_from(&root.join("below"), 1);
        assert_eq!(scope.as_str().len(), 40);
        assert!(std::fs::read_dir(&data).unwrap().next().is_none(), "nothing is made for it");

        let lock = WriterLock::take(&data, "a test", Duration::ZERO).unwrap();
        drop(Database::open_to_write(&lock).unwrap());
        assert_eq!(engine.scope_kept_from(&root, 1), scope);
        assert_eq!(remembered(&engine, &root), None, "somebody else writes");
        drop(lock);
        assert_eq!(engine.scope_kept_from(&root, 2), scope);
        assert_eq!(remembered(&engine, &root), None, "its history is short");
        assert_eq!(engine.scope_kept_from(&root, 1), scope);
        assert_eq!(remembered(&engine, &root), Some(scope.clone()));

        // What is remembered counts, unless another repository lies there by now.
        assert_eq!(engine.scope_kept_from(&root, 2), scope);
        std::fs::remove_dir_all(&root).unwrap();
        std::fs::rename(&other, &root).unwrap();
        let moved = engine.scope_kept_from(&root, 1);
        assert_ne!(moved, scope);
        assert_eq!(remembered(&engine, &root), Some(moved));
    }
}
