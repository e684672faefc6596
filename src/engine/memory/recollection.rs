//! A memory as an answer tells of it.

use crate::memory::confidence::wilson;
use crate::memory::sure;
use crate::types::{Kind, Memory, Recollection, Trial};

/// What is known of a memory beside its text.
pub(super) fn recollection(memory: &Memory) -> Recollection {
    let attempts = memory.worked + memory.failed;
    let trial = || Trial { worked: memory.worked, failed: memory.failed, at_least: wilson(memory.worked, attempts) };
    Recollection {
        scope: memory.scope.clone(),
        authority: memory.authority,
        source: memory.source,
        validated: memory.validated,
        confidence: sure(memory),
        sessions: memory.sessions.len(),
        last_at: memory.last_at,
        until: memory.until,
        trial: (memory.kind == Kind::Tactic).then(trial),
        revises: memory.revises().map(str::to_owned).collect(),
        revised_by: Vec::new(),
    }
}
