//! Memories out: as Markdown with front matter, which an import takes in elsewhere.

use crate::engine::{Engine, EngineError, Session};
use crate::memory::markdown::{MAX_FILE_BYTES, MAX_MEMORIES, MarkdownMemory, write};
use crate::store::{MemoryFilter, ReadMemory};
use crate::text::timestamp;
use crate::types::limits::ITEM_PAGE;
use crate::types::{Access, Kind, Memory, MemoryState, Scope};

/// Memories as texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenMemories {
    /// How many there are.
    pub memories: usize,
    /// Texts that can be read again, each of a file; usually one.
    pub parts: Vec<String>,
}

impl Engine {
    /// Writes the memories that stand and that whoever asks may see, in the order in which they were learnt. Problems
    /// go with the tactics that were tried against them.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn export_memories(&self, access: &Access, session: &Session<'_>) -> Result<WrittenMemories, EngineError> {
        let Some(database) = self.read_database()? else { return Ok(WrittenMemories::default()) };
        let moment = database.snapshot()?;
        let filter = MemoryFilter {
            scopes: access.remembered(),
            kinds: vec![Kind::Preference, Kind::Fact, Kind::Tactic],
            states: vec![MemoryState::Active],
            held: false,
        };
        let (mut all, mut after): (Vec<Memory>, Option<(i64, String)>) = (Vec::new(), None);
        loop {
            session.check()?;
            let page = database.memories(&filter, after.as_ref().map(|(at, id)| (*at, id.as_str())), ITEM_PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some((last.last_at, last.id.clone()));
            all.extend(page.into_iter().filter(Memory::stands));
        }
        drop(moment);
        all.sort_by_key(|memory| memory.first_event);
        let mut out = WrittenMemories { memories: all.len(), parts: Vec::new() };
        let mut in_last = MAX_MEMORIES;
        for text in all.iter().map(|memory| write(&MarkdownMemory { id: Some(memory.id.clone()), ..written(memory) })) {
            match out.parts.last_mut() {
                Some(part) if in_last < MAX_MEMORIES && part.len() + text.len() < MAX_FILE_BYTES => {
                    part.push('\n');
                    part.push_str(&text);
                    in_last += 1;
                }
                _ => {
                    out.parts.push(text);
                    in_last = 1;
                }
            }
        }
        Ok(out)
    }
}

/// A memory as a file has it, without its id.
pub(super) fn written(memory: &Memory) -> MarkdownMemory {
    let words = memory.words.clone();
    MarkdownMemory {
        id: None,
        kind: memory.kind.name().to_owned(),
        authority: Some(memory.authority.name().to_owned()),
        title: Some(words.title).filter(|title| !title.is_empty()),
        category: words.category,
        pattern: words.pattern,
        service: words.service,
        region: words.region,
        subject: words.subject,
        until: memory.until.map(timestamp),
        tags: words.tags,
        global: (memory.kind == Kind::Preference && memory.scope == Scope::global()).then_some(true),
        error: words.error,
        fingerprint: words.fingerprint,
        worked: (memory.kind == Kind::Tactic).then(|| !memory.has_failed()),
        because: None,
        text: words.text,
    }
}
