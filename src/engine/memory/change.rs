//! One change of memories: events are appended, the memories that follow are stored, vectors are made afterwards.

use crate::engine::derived::Keep;
use crate::engine::{Engine, EngineError, Session};
use crate::ingest::Embedder;
use crate::memory::{Shelf, apply, item_of, match_key};
use crate::store::{Batch, Database, ReadMemory, ReadVectors, WriteMemory, WriteVectors, WriterLock, passages_of};
use crate::text::{TextHash, hex, redact, sha256, text_hash};
use crate::types::{
    Access, Author, Change, Evidence, MEMORY_PREFIX, Memory, MemoryEvent, MemoryState, NewEvent, Wording,
};
use std::borrow::Cow;

/// The memories of a batch.
pub(super) struct BatchShelf<'a, 'b>(pub &'a Batch<'b>);

impl Shelf for BatchShelf<'_, '_> {
    type Error = EngineError;

    fn get(&self, id: &str) -> Result<Option<Memory>, EngineError> {
        Ok(self.0.memory_now(id)?)
    }

    fn put(&mut self, memory: Memory) -> Result<(), EngineError> {
        let item = memory.stands().then(|| item_of(&memory));
        Ok(self.0.put_memory(&memory, key_of(&memory).as_deref(), item.as_ref())?)
    }

    fn derived_from(&self, id: &str) -> Result<Vec<String>, EngineError> {
        Ok(self.0.derived_now(id)?)
    }
}

/// What a memory is matched by; none for one whose words are gone.
pub(super) fn key_of(memory: &Memory) -> Option<String> {
    let has_words = memory.state != MemoryState::Forgotten;
    has_words.then(|| match_key(memory.kind, &memory.scope, &memory.words))
}

/// Who says something, in which session, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Saying<'a> {
    pub author: &'a Author,
    pub session: &'a str,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl Saying<'_> {
    /// What happens to a memory by it.
    pub fn event(&self, memory: &str, change: Change, words: Wording) -> NewEvent {
        let Self { author, session, at } = *self;
        let (memory, session, author) = (memory.to_owned(), session.to_owned(), author.clone());
        NewEvent { at, memory, session, author, change, words }
    }
}

/// Appends events, and stores the memories that follow from them.
pub(super) fn record(batch: &Batch<'_>, events: impl IntoIterator<Item = NewEvent>) -> Result<(), EngineError> {
    for event in events {
        let event: MemoryEvent = batch.append_event(event)?;
        apply(&mut BatchShelf(batch), &event)?;
    }
    Ok(())
}

/// An id that no memory has. It is made of when and where, and of no word.
pub(super) fn new_id(database: &Database, taken: &[&str], at: i64, session: &str) -> Result<String, EngineError> {
    let next = database.last_memory_event()? + 1;
    for attempt in 0u64.. {
        let digest = sha256(format!("{at}\0{session}\0{next}\0{attempt}").as_bytes());
        let id = format!("{MEMORY_PREFIX}{}", &hex(&digest)[..MEMORY_ID_DIGITS]);
        if !taken.contains(&id.as_str()) && database.memory(&id)?.is_none() {
            return Ok(id);
        }
    }
    Err(EngineError::Stopped)
}

/// Words without secrets, and the kinds of those that were taken out.
pub(super) fn redacted(words: Wording) -> (Wording, Vec<&'static str>) {
    let mut found = Vec::new();
    let mut clean = |text: &mut String| {
        let redacted = redact(text);
        found.extend(redacted.found.iter().map(|secret| secret.kind));
        if let Cow::Owned(clean) = redacted.text {
            *text = clean;
        }
    };
    let mut words = words;
    clean(&mut words.title);
    clean(&mut words.text);
    let Wording { category, pattern, service, region, subject, error, because, .. } = &mut words;
    [category, pattern, service, region, subject, error, because].into_iter().flatten().for_each(&mut clean);
    words.tags.iter_mut().for_each(&mut clean);
    for Evidence { text, file, command, .. } in &mut words.evidence {
        [text, file, command].into_iter().flatten().for_each(&mut clean);
    }
    found.sort_unstable();
    found.dedup();
    (words, found)
}

impl Engine {
    /// Makes vectors for these memories and brings the derived files up to date. What was learnt is on the disk
    /// already, so a model that fails is a note.
    pub(super) fn follow_up(
        &self,
        ids: &[String],
        database: &mut Database,
        lock: &WriterLock,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        if let Err(error) = self.embed_memories(ids, database, lock) {
            session.note(format!("it has no vector yet, and is found by its words alone: {error}"));
        }
        self.keep_files(database, lock, Keep::Usable, session)
    }

    fn embed_memories(&self, ids: &[String], database: &mut Database, lock: &WriterLock) -> Result<(), EngineError> {
        let texts = texts_of(ids, database)?;
        let hashed: Vec<(TextHash, &str)> = texts.iter().map(|text| (text_hash(text), text.as_str())).collect();
        if hashed.is_empty() {
            return Ok(());
        }
        // A text that has its vector needs no model.
        if let Some(model) = database.index_model()? {
            let mut missing = false;
            for (hash, _) in &hashed {
                missing |= !database.has_vector(&model, hash)?;
            }
            if !missing {
                return Ok(());
            }
        }
        let Some(encoder) = self.encoder()? else { return Ok(()) };
        self.agree_with(database.index_model()?.as_ref(), encoder.as_ref())?;
        let mut embedder = Embedder::new(encoder.as_ref(), database, lock)?;
        embedder.embed(&hashed, database, lock, &|| false, &mut |_, _| {})?;
        // Somebody may have forgotten one in a shared store meanwhile. Nothing of it stays.
        if texts_of(ids, database)? != texts {
            let batch = database.begin(lock)?;
            let made: Vec<TextHash> = hashed.iter().map(|(hash, _)| *hash).collect();
            batch.drop_vectors_of(&made)?;
            batch.commit()?;
        }
        Ok(())
    }

    /// The memory with this id, or the only one whose id begins with it. What the caller may not see is not found.
    ///
    /// # Errors
    /// [`EngineError::NoMemory`] if no id begins with it, [`EngineError::SeveralMemories`] if several ids do.
    pub(super) fn find_memory(database: &Database, id: &str, access: &Access) -> Result<Memory, EngineError> {
        let missing = || EngineError::NoMemory { id: id.to_owned() };
        let full = if id.starts_with(MEMORY_PREFIX) { id.to_owned() } else { format!("{MEMORY_PREFIX}{id}") };
        if full.len() == MEMORY_PREFIX.len() {
            return Err(missing());
        }
        let mut seen = Vec::new();
        for candidate in database.memory_ids(&full, MOST_ALIKE)? {
            let found = database.memory(&candidate)?.filter(|memory| access.remembers(&memory.scope));
            seen.extend(found);
        }
        if let Some(at) = seen.iter().position(|memory| memory.id == full) {
            return Ok(seen.swap_remove(at));
        }
        match seen.len() {
            0 => Err(missing()),
            1 => seen.pop().ok_or_else(missing),
            _ => Err(EngineError::SeveralMemories { id: id.to_owned() }),
        }
    }
}

/// The texts of these memories, of those that stand.
fn texts_of(ids: &[String], database: &Database) -> Result<Vec<String>, EngineError> {
    let mut texts = Vec::new();
    for id in ids {
        if let Some(memory) = database.memory(id)?.filter(Memory::stands) {
            texts.extend(passages_of(&item_of(&memory)));
        }
    }
    Ok(texts)
}

/// Hexadecimal digits of an id.
const MEMORY_ID_DIGITS: usize = 12;

/// Ids with one beginning that are looked at.
const MOST_ALIKE: usize = 64;
