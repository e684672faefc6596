//! The database and the models, opened when a use case needs them.

use super::vectors::Keep;
use super::{Engine, EngineError, OnProgress, Progress};
use crate::embed::{CACHE_BYTES, EmbedError, Encoder, Installed, Manifest, ModelStore, QueryCache, Reranker};
use crate::ingest::{Embedder, IngestError, embed_missing};
use crate::store::{Database, IndexModel, ReadVectors, WRITER_WAIT, WriteEvents, WriteVectors, WriterLock};
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// The active model and its encoder.
pub(super) type OpenModel = (Installed, Rc<dyn Encoder>);

/// A database that goes back to the engine when it is dropped.
pub(super) struct Reader<'a> {
    /// There until then.
    database: Option<Database>,
    spare: &'a RefCell<Option<Database>>,
}

impl Deref for Reader<'_> {
    type Target = Database;

    fn deref(&self) -> &Database {
        match &self.database {
            Some(database) => database,
            None => unreachable!("only taken when it is dropped"),
        }
    }
}

impl DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut Database {
        match &mut self.database {
            Some(database) => database,
            None => unreachable!("only taken when it is dropped"),
        }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        *self.spare.borrow_mut() = self.database.take();
    }
}

impl Engine {
    /// The database to read; `None` if nothing was ever indexed. Opened once: whoever is done gives it back.
    pub(super) fn read_database(&self) -> Result<Option<Reader<'_>>, EngineError> {
        let reader = |database| Reader { database: Some(database), spare: &self.spare };
        if let Some(database) = self.spare.take().filter(Database::is_in_place) {
            return Ok(Some(reader(database)));
        }
        match &self.settings.data {
            Some(data) => Ok(Database::open(data)?.map(reader)),
            None => Ok(None),
        }
    }

    /// The right to write, and the database.
    pub(super) fn write_database(&self, purpose: &str) -> Result<(WriterLock, Database), EngineError> {
        let lock = self.writer(purpose)?;
        let mut database = Database::open_to_write(&lock)?;
        self.erase_old_traces(&mut database, &lock)?;
        Ok((lock, database))
    }

    pub(super) fn writer(&self, purpose: &str) -> Result<WriterLock, EngineError> {
        Ok(WriterLock::take(self.data()?, purpose, WRITER_WAIT)?)
    }

    /// The encoder of the active model, opened at the first call; `None` if no model is installed.
    pub(super) fn encoder(&self) -> Result<Option<Rc<dyn Encoder>>, EngineError> {
        if let Some(open) = self.encoder.get() {
            return Ok(open.as_ref().map(|(_, encoder)| Rc::clone(encoder)));
        }
        let opened = self.open_encoder()?;
        Ok(self.encoder.get_or_init(|| opened).as_ref().map(|(_, encoder)| Rc::clone(encoder)))
    }

    /// The cross-encoder, opened at the first call. Unlike an encoder it is only opened where it was asked for, so that one
    /// that is missing is an error.
    pub(super) fn reranker(&self) -> Result<&dyn Reranker, EngineError> {
        if let Some(open) = self.reranker.get() {
            return Ok(open.as_ref());
        }
        let name = &self.settings.reranker;
        let store = self.store()?;
        let installed = store.find(name)?.ok_or_else(|| EmbedError::NotInstalled { name: name.clone() })?;
        let opened = store.load_reranker(&installed)?;
        Ok(self.reranker.get_or_init(|| opened).as_ref())
    }

    /// The active model as it is installed.
    pub(super) fn encoder_model(&self) -> Option<&Installed> {
        self.encoder.get().and_then(|open| open.as_ref()).map(|(installed, _)| installed)
    }

    fn open_encoder(&self) -> Result<Option<OpenModel>, EngineError> {
        let Some(settings) = self.settings.models.clone() else { return Ok(None) };
        let store = ModelStore::new(settings);
        let Some(installed) = self.active_model(&store)? else { return Ok(None) };
        let encoder = Rc::new(QueryCache::new(store.load(&installed)?, CACHE_BYTES));
        Ok(Some((installed, encoder)))
    }

    /// The active model: the configured one, or its packaged variant if that is installed alone or is the one that the
    /// index is made with. Never the network.
    pub(super) fn active_model(&self, store: &ModelStore) -> Result<Option<Installed>, EngineError> {
        let database = self.read_database().ok().flatten();
        let index = database.as_ref().and_then(|d| d.index_model().ok().flatten());
        // A change of the model that stopped between the index and the configuration is complete in the index.
        let pending = database.as_ref().and_then(|d| d.pending_switch().ok().flatten());
        let wanted = match &pending {
            Some((from, to)) if *from == self.settings.model => to,
            _ => &self.settings.model,
        };
        let fallback = Manifest::builtin().iter().find(|m| m.name == *wanted).and_then(|m| m.fallback.as_deref());
        let is_index = |name: &str| index.as_ref().is_some_and(|model| model.name() == name);
        let (first, second) = match fallback {
            Some(name) if is_index(name) => (name, Some(wanted.as_str())),
            other => (wanted.as_str(), other),
        };
        if let Some(found) = store.find(first)? {
            return Ok(Some(found));
        }
        match second {
            Some(name) => Ok(store.find(name)?),
            None => Ok(None),
        }
    }

    /// An error if the index is made with another model than this one.
    pub(super) fn agree(index: Option<&IndexModel>, encoder: &dyn Encoder) -> Result<(), EngineError> {
        match index {
            Some(index) if index.fingerprint != *encoder.fingerprint() => Err(EngineError::ModelMismatch {
                index: index.fingerprint.clone(),
                model: encoder.fingerprint().clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Makes the index's vectors with an installed model, and makes it the index's model when all are there. Until then
    /// the index answers with the old one; a run that is stopped goes on where it was.
    ///
    /// # Errors
    /// [`EngineError`] when the model or the database fails.
    pub fn switch_index(&self, installed: &Installed, progress: OnProgress<'_>) -> Result<(), EngineError> {
        if self.read_database()?.is_none() {
            return Ok(());
        }
        let (lock, mut database) = self.write_database(&format!("ken model use {}", installed.name()))?;
        let encoder = self.store()?.load(installed)?;
        // Not the index's model yet, not even of an empty one: that is for the end.
        let mut embedder = Embedder::beside(encoder.as_ref(), &mut database, &lock)?;
        complete(&mut embedder, &mut database, &lock, progress)?;
        let before = database.index_model()?.map(|model| model.fingerprint);
        if before.as_ref() != Some(encoder.fingerprint()) {
            let batch = database.begin(&lock)?;
            batch.use_model(encoder.fingerprint(), Some(&self.settings.model))?;
            batch.log(self.now(), "model", &serde_json::json!({"from": before, "to": encoder.fingerprint()}))?;
            batch.commit()?;
        }
        self.keep_vectors(&mut database, &lock, Keep::Usable, progress)
    }

    /// The configuration names the index's model now.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn end_switch(&self) -> Result<(), EngineError> {
        let pending = match self.read_database()? {
            Some(database) => database.pending_switch()?,
            None => None,
        };
        if pending.is_some() {
            let (lock, mut database) = self.write_database("ken model use")?;
            let batch = database.begin(&lock)?;
            batch.end_switch()?;
            batch.commit()?;
        }
        Ok(())
    }

    /// Vectors for what was indexed while there was no model, if this is the index's model or it has none.
    pub(super) fn complete_index(&self, encoder: &dyn Encoder, progress: OnProgress<'_>) -> Result<(), EngineError> {
        let Some(database) = self.read_database()? else { return Ok(()) };
        let model = database.index_model()?;
        let other = model.as_ref().is_some_and(|model| model.fingerprint != *encoder.fingerprint());
        if other || database.texts_without_vector(model.as_ref())? == 0 {
            return Ok(());
        }
        drop(database);
        let (lock, mut database) = self.write_database("ken model pull")?;
        let mut embedder = Embedder::new(encoder, &mut database, &lock)?;
        complete(&mut embedder, &mut database, &lock, progress)?;
        self.keep_vectors(&mut database, &lock, Keep::Usable, progress)
    }
}

fn complete(
    embedder: &mut Embedder<'_>,
    database: &mut Database,
    lock: &WriterLock,
    progress: OnProgress<'_>,
) -> Result<(), EngineError> {
    let name = embedder.model().name().to_owned();
    embed_missing(embedder, database, lock, &mut |done, total, _| {
        progress(Progress::Embedding { what: "the index", done, total, model: &name });
    })
    .map(drop)
    .map_err(IngestError::into)
}
