//! What the verbs of memories share: what may be seen from here, a memory as text, and other words for one.

use super::clock::now_ms;
use super::output::{Failure, Output};
use super::surroundings::working_directory;
use crate::engine::face::failure::ErrorKind;
use crate::engine::{Decision, Engine, Remember, Told};
use crate::render::memory_text;
use crate::serve::{Here, seen_from};
use crate::types::{Access, Author, MemoryState, Wording};

/// Memories that may be seen from the working directory.
pub(super) fn seen(engine: &Engine) -> Result<Access, Failure> {
    Ok(seen_from(engine, &Access::all(), &Here::new(working_directory()?)))
}

/// A memory as it is listed.
pub(super) fn text(told: &Told, output: &Output) -> String {
    memory_text(&told.memory, told.confidence, now_ms(), output.style, output.width)
}

/// Gives a memory other words.
pub(super) fn change(
    engine: &Engine,
    before: Told,
    said: String,
    by: (&Author, &str),
    access: &Access,
    output: &Output,
) -> Result<Told, Failure> {
    let (session, memory) = (output.session(), before.memory);
    let words = Wording { text: said, ..Wording::default() };
    if memory.state == MemoryState::Proposed {
        let decided = engine.decide(&[memory.id], Decision::Approve, words, by, access, &session)?;
        return decided.into_iter().next().map(|memory| Told::of(memory, now_ms())).ok_or_else(|| {
            Failure::new(ErrorKind::Usage, "the memory is not there any more", "`ken memory list` shows what is")
        });
    }
    let wanted = Remember {
        kind: memory.kind,
        scope: memory.scope,
        authority: memory.authority,
        words,
        worked: None,
        error: None,
        until: memory.until,
        source: memory.source,
        update: Some(memory.id),
        derived_from: Vec::new(),
        proposed: false,
        reread: false,
    };
    Ok(engine.remember(wanted, by, access, &session)?.memory)
}
