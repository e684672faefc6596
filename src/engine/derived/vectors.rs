//! The vectors of the items: from the file beside the database with what has changed laid over it, else from the
//! database.

use super::{is_due, most_changes};
use crate::ann::{Draft, Image, Index, Origin};
use crate::engine::EngineError;
use crate::map::Room;
use crate::store::{Database, IndexModel, ItemVectors, ReadChanges, ReadVectors};
use crate::text::TextHash;
use crate::types::Generation;
use std::collections::BTreeMap;
use std::io;

/// A file of vectors, and the items that have changed since it was made.
pub(super) struct Dated {
    image: Image,
    changed: Vec<i64>,
}

/// The vectors of all items at one moment.
pub(in crate::engine) struct Vectors {
    pub index: Index,
    /// What lies over the file; none where they were read from the database.
    pub changes: Option<VectorChanges>,
}

/// Items that have changed since a file of vectors was made, with the texts that each has now and their vectors. No
/// text: the item is gone.
#[derive(Debug, Clone, Default)]
pub(in crate::engine) struct VectorChanges {
    /// The file that they lie over.
    since: Generation,
    items: BTreeMap<i64, Vec<TextNow>>,
}

/// What an item says now, and its vector if it has one already.
#[derive(Debug, Clone)]
struct TextNow {
    part: u32,
    hash: TextHash,
    vector: Option<Vec<f32>>,
}

impl VectorChanges {
    /// Adds what these items have now.
    fn add(&mut self, items: &[i64], now: ItemVectors, dims: usize) {
        let ItemVectors { embeddings, rows } = now;
        let rows = rows.hashes.iter().zip(rows.data.chunks_exact(dims.max(1)));
        let vectors: BTreeMap<&TextHash, &[f32]> = rows.collect();
        self.items.extend(items.iter().map(|item| (*item, Vec::new())));
        for (item, part, hash) in embeddings {
            let vector = vectors.get(&hash).map(|vector| vector.to_vec());
            self.items.entry(item).or_default().push(TextNow { part, hash, vector });
        }
    }

    /// The file with these laid over it.
    fn over(&self, image: Image) -> Index {
        if self.items.is_empty() {
            return Index::new(image);
        }
        let texts = || self.items.iter().flat_map(|(item, now)| now.iter().map(move |now| (*item, now)));
        let links = texts().map(|(item, now)| (item as u64, now.part, now.hash));
        let rows = texts().filter_map(|(_, now)| Some((now.hash, now.vector.as_deref()?)));
        Index::with_changes(image, self.items.keys().map(|item| *item as u64).collect(), links, rows)
    }
}

impl Dated {
    /// The one beside the database; `None` if there is none, or it is stale.
    pub fn find(database: &Database, model: &IndexModel) -> Result<Option<Self>, EngineError> {
        let Some(image) = Image::open(&database.vector_file(), &origin(model, Generation::default())) else {
            return Ok(None);
        };
        let changed = database.changed_since(image.generation(), most_changes(image.len()))?;
        Ok(changed.map(|changed| Self { image, changed }))
    }

    pub fn is_due(&self) -> bool {
        is_due(self.changed.len(), self.image.len())
    }

    pub fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    /// With what has changed laid over it. `known` is what lay over the same file at an earlier moment: only what has
    /// changed since is read then.
    fn index(
        self,
        database: &Database,
        model: &IndexModel,
        known: Option<(&VectorChanges, Generation)>,
    ) -> Result<Vectors, EngineError> {
        let Self { image, changed } = self;
        let known = known.filter(|(changes, _)| changes.since == image.generation());
        let later = match known {
            Some((changes, at)) => database.changed_since(at, changed.len())?.map(|later| (changes.clone(), later)),
            None => None,
        };
        let new = || (VectorChanges { since: image.generation(), ..VectorChanges::default() }, changed);
        let (mut changes, items) = later.unwrap_or_else(new);
        if !items.is_empty() {
            changes.add(&items, database.vectors_of(model, &items)?, model.dims);
        }
        Ok(Vectors { index: changes.over(image), changes: Some(changes) })
    }
}

/// What the file of vectors belongs to: an index with this model, at this moment.
fn origin(model: &IndexModel, generation: Generation) -> Origin {
    Origin { model: model.fingerprint.as_str().to_owned(), state: "index".to_owned(), generation }
}

/// The vectors of all items at this moment, from the database.
pub(super) fn image(
    database: &Database,
    model: &IndexModel,
    room: Room,
    failed: &dyn Fn(io::Error) -> EngineError,
) -> Result<(Image, Origin), EngineError> {
    let origin = origin(model, database.generation()?);
    let texts = database.vector_texts(model)?;
    let links = database.embeddings()?.into_iter().map(|(item, part, hash)| (item as u64, part, hash)).collect();
    let mut draft = Draft::new(room, model.dims, texts, links).map_err(failed)?;
    database.each_vector(model, |hash, vector| draft.put(hash, vector).map_err(failed))?;
    Ok((draft.finish(&origin).map_err(failed)?, origin))
}

/// The vectors of the index at the moment in which this is called: from the file beside the database with what has
/// changed since, unless that is not to be used; else read from the database.
pub(in crate::engine) fn vectors(
    database: &Database,
    model: &IndexModel,
    known: Option<(&VectorChanges, Generation)>,
    without_file: bool,
) -> Result<Vectors, EngineError> {
    let file = if without_file { None } else { Dated::find(database, model)? };
    match file {
        Some(file) => file.index(database, model, known),
        None => {
            let failed = |source| EngineError::Io { path: database.path().to_owned(), source };
            let (image, _) = image(database, model, Room::memory(), &failed)?;
            Ok(Vectors { index: Index::new(image), changes: None })
        }
    }
}

/// The file of vectors beside the database with what has changed since, if it can be used.
pub(in crate::engine) fn file(database: &Database, model: &IndexModel) -> Result<Option<Index>, EngineError> {
    let found = Dated::find(database, model)?;
    found.map(|file| Ok(file.index(database, model, None)?.index)).transpose()
}
