//! The database and what is derived from it, opened when a use case needs it.

use super::{Engine, EngineError, OnProgress, Progress};
use crate::ann::{GraphOptions, Grown, Image, Index, Origin, grow};
use crate::embed::{CACHE_BYTES, EmbedError, Encoder, Installed, Manifest, ModelStore, QueryCache, Reranker};
use crate::ingest::{Embedder, IngestError, embed_missing};
use crate::store::{Database, IndexModel, PATIENCE, WriterLock};
use crate::types::Generation;
use std::cell::RefCell;
use std::ops::{ControlFlow, Deref, DerefMut};
use std::rc::Rc;

/// The active model and its encoder.
pub(super) type OpenModel = (Installed, Rc<dyn Encoder>);

/// The vectors of the index as they were at one moment.
pub(super) struct Loaded {
    model: IndexModel,
    generation: Generation,
    vectors: Rc<Index>,
}

/// When the file of vectors is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// When it cannot be used.
    Usable,
    /// When anything has changed since it was made.
    Current,
    /// In any case.
    Anew,
}

/// Items that may have changed since the file of vectors was made, or one in so many of its rows if that is more: then
/// it is made again.
const CHANGES: usize = 4_096;
const CHANGED_SHARE: usize = 10;

/// What the file of vectors belongs to: an index with this model, at this moment.
fn document_origin(model: &IndexModel, generation: Generation) -> Origin {
    Origin { model: model.fingerprint.as_str().to_owned(), state: "index".to_owned(), generation }
}

/// The vectors of all items, from the database.
fn document_image(database: &Database, model: &IndexModel, origin: &Origin) -> Result<Image, EngineError> {
    let vectors = database.vectors(model)?;
    let embeddings = database.embeddings()?;
    let rows = vectors.hashes.iter().copied().zip(vectors.data.chunks_exact(model.dims.max(1)));
    Ok(Image::new(origin, model.dims, rows, embeddings.into_iter().map(|(item, hash)| (item as u64, 0, hash))))
}

/// The file of vectors beside the database with what has changed since; `None` if there is none, or too much has.
fn document_file(database: &Database, model: &IndexModel) -> Result<Option<Index>, EngineError> {
    let origin = document_origin(model, Generation::default());
    let Some(image) = Image::open(&database.vector_file(), &origin) else { return Ok(None) };
    let most = CHANGES.max(image.len() / CHANGED_SHARE);
    let Some(items) = database.changed_since(image.generation(), most)? else { return Ok(None) };
    if items.is_empty() {
        return Ok(Some(Index::new(image)));
    }
    let now = database.vectors_of(model, &items)?;
    let rows = now.rows.hashes.iter().copied().zip(now.rows.data.chunks_exact(model.dims.max(1)));
    let links = now.embeddings.into_iter().map(|(item, hash)| (item as u64, 0, hash));
    Ok(Some(Index::with_changes(image, items.into_iter().map(|item| item as u64).collect(), links, rows)))
}

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
        if database.has_traces()? {
            // Something was forgotten by a process that was stopped before it was done.
            database.erase_traces(&lock)?;
        }
        Ok((lock, database))
    }

    pub(super) fn writer(&self, purpose: &str) -> Result<WriterLock, EngineError> {
        Ok(WriterLock::take(self.data()?, purpose, PATIENCE)?)
    }

    /// Vectors of the index under its model: from the file beside the database with what has changed since, else read from
    /// the database; kept until something changes.
    pub(super) fn document_vectors(&self, database: &Database, model: &IndexModel) -> Result<Rc<Index>, EngineError> {
        let _moment = database.snapshot()?;
        let generation = database.generation()?;
        let mut loaded = self.loaded.borrow_mut();
        let mut damaged = false;
        if let Some(found) = loaded.as_ref().filter(|found| (&found.model, found.generation) == (model, generation)) {
            damaged = found.vectors.is_damaged();
            if !damaged {
                return Ok(Rc::clone(&found.vectors));
            }
        }
        let kept = if damaged { None } else { document_file(database, model)? };
        let vectors = Rc::new(match kept {
            Some(index) => index,
            None => Index::new(document_image(database, model, &document_origin(model, generation))?),
        });
        *loaded = Some(Loaded { model: model.clone(), generation, vectors: Rc::clone(&vectors) });
        Ok(vectors)
    }

    /// The file of vectors beside the database with what has changed since, if it can be used.
    pub(super) fn document_file(&self, database: &Database, model: &IndexModel) -> Result<Option<Index>, EngineError> {
        let _moment = database.snapshot()?;
        document_file(database, model)
    }

    /// Sees to it that the file of vectors beside the database can be used: made again when too much has changed since it was
    /// made, or when it is asked for. Only whoever may write does, so that no older state comes back after something
    /// was forgotten. What cannot be written costs time only.
    pub(super) fn keep_vectors(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        keep: Keep,
        progress: OnProgress<'_>,
    ) -> Result<(), EngineError> {
        let path = database.vector_file();
        let Some(model) = database.index_model()? else {
            drop(std::fs::remove_file(&path));
            // No file will ever ask what has changed before it was made.
            if database.logged_changes()? > CHANGES {
                let batch = database.begin(lock)?;
                let generation = batch.begin_generation()?;
                batch.forget_changes_before(generation)?;
                batch.commit()?;
            }
            return Ok(());
        };
        if let Some(file) = document_file(database, &model)?
            && (keep == Keep::Usable || file.changes() == (0, 0) && keep != Keep::Anew)
        {
            return Ok(());
        }
        let batch = database.begin(lock)?;
        let generation = batch.begin_generation()?;
        batch.commit()?;
        // Nobody else writes as long as the lock is held: what is read now is of that generation.
        let origin = document_origin(&model, generation);
        let image = document_image(database, &model, &origin)?;
        let total = image.len();
        let options = GraphOptions { target: self.settings.recall_target, ..GraphOptions::default() };
        let (image, grown) = grow(image, &origin, options, &mut |done| {
            progress(Progress::Linking { done, total });
            ControlFlow::Continue(())
        });
        if let Grown::Missed(recall) = grown {
            let wanted = options.target;
            self.note(format!(
                "a graph of the vectors finds {recall:.3} of what it should, and {wanted} is wanted: searches compare everything"
            ));
        }
        if let Err(error) = image.write(&path) {
            // An older one would only be in the way.
            drop(std::fs::remove_file(&path));
            self.note(format!("{} cannot be written, so searches will be slower: {error}", path.display()));
            return Ok(());
        }
        let batch = database.begin(lock)?;
        batch.forget_changes_before(generation)?;
        Ok(batch.commit()?)
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
