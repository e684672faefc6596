//! The words of the items: from the file beside the database with what has changed laid over it, else from the
//! database.

use super::most_changes;
use crate::engine::EngineError;
use crate::lexical::{TermImage, TermImageBuilder, TermIndex, TermOrigin, TermText};
use crate::map::Room;
use crate::store::{Database, ItemText, ReadChanges, ReadWords};
use crate::types::{Generation, heading, titled};
use std::io;

/// How far a file lags behind.
pub(super) struct Lag {
    /// Items that have changed since.
    pub items: usize,
    /// Items that it has.
    pub of: usize,
}

/// An item's text as it is cut into words.
pub(in crate::engine) struct Headed {
    text: String,
    heading: String,
}

impl Headed {
    /// What there is to cut of an item.
    pub fn new(item: &ItemText) -> Self {
        Self { text: titled(&item.title, &item.body), heading: heading(&item.title).to_owned() }
    }
}

impl TermText for Headed {
    fn text(&self) -> &str {
        &self.text
    }

    fn heading(&self) -> &str {
        &self.heading
    }
}

fn origin(generation: Generation) -> TermOrigin {
    TermOrigin { state: "index".to_owned(), generation }
}

/// The file beside the database and what has changed since; `None` if there is none that can be used.
fn dated(database: &Database) -> Result<Option<(TermImage, Vec<i64>)>, EngineError> {
    let Some(image) = TermImage::open(&database.terms_file(), &origin(Generation::default())) else { return Ok(None) };
    let changed = database.changed_since(image.generation(), most_changes(image.len()))?;
    Ok(changed.map(|changed| (image, changed)))
}

/// How far the file beside the database lags behind; `None` if there is none that can be used.
pub(super) fn changes(database: &Database) -> Result<Option<Lag>, EngineError> {
    Ok(dated(database)?.map(|(image, changed)| Lag { items: changed.len(), of: image.len() }))
}

/// The words of all items at the moment in which this is called. `known` are those of an earlier moment over the same
/// file: only what has changed since is read then.
pub(in crate::engine) fn terms(
    database: &Database,
    known: Option<(&TermIndex, Generation)>,
    now: Generation,
) -> Result<TermIndex, EngineError> {
    let few_changes = |index: &TermIndex| {
        let (gone, over) = index.changes();
        gone + over <= most_changes(index.len())
    };
    if let Some((index, at)) = known.filter(|(index, _)| few_changes(index)) {
        let later = if at == now { Some(Vec::new()) } else { database.changed_since(at, most_changes(index.len()))? };
        if let Some(later) = later {
            return over(database, index, &later);
        }
    }
    match dated(database)? {
        Some((image, changed)) => over(database, &TermIndex::new(image), &changed),
        None => Ok(TermIndex::new(image_of_all(database, Room::memory(), now)?)),
    }
}

/// What these items say now, laid over an index.
fn over(database: &Database, index: &TermIndex, changed: &[i64]) -> Result<TermIndex, EngineError> {
    let texts = database.texts_of(changed)?;
    let texts = texts.into_iter().map(|text| (text.id as u64, Headed::new(&text)));
    index.with_changes(changed.iter().map(|id| *id as u64), texts).map_err(|source| failed(database, source))
}

/// The file of all items' words at the moment in which this is called, to be put in its place; merged from the one that
/// is there, if that is wanted and can be.
pub(super) fn image(database: &Database, room: Room, merge: bool) -> Result<TermImage, EngineError> {
    let now = database.generation()?;
    let old = if merge { dated(database)?.filter(|(image, _)| image.is_sound()) } else { None };
    match old {
        Some((image, changed)) => {
            let index = over(database, &TermIndex::new(image), &changed)?;
            index.to_image(room, &origin(now)).map_err(|source| failed(database, source))
        }
        None => image_of_all(database, room, now),
    }
}

fn image_of_all(database: &Database, room: Room, now: Generation) -> Result<TermImage, EngineError> {
    let io = |source| failed(database, source);
    let mut builder = TermImageBuilder::new(room).map_err(io)?;
    database.each_text(|text| builder.add(text.id as u64, &Headed::new(&text)).map_err(io))?;
    builder.finish(&origin(now)).map_err(io)
}

fn failed(database: &Database, source: io::Error) -> EngineError {
    EngineError::Io { path: database.terms_file(), source }
}
