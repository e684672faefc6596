//! Finds the memories that a new one may repeat. They say nearly the same in the same words, or mean nearly the same.

use crate::engine::{Engine, EngineError, Session};
use crate::memory::{Alike, closest};
use crate::store::{Database, MemoryFilter, ReadItems, ReadMemory, ReadVectors};
use crate::text::TextHash;
use crate::types::{Kind, Memory, MemoryState, Scope};
use crate::vector::dot;
use serde::Serialize;
use std::collections::HashMap;

/// Memories that a new one is compared with: those that were met last.
const COMPARED: usize = 500;

/// Semantic signal from which two memories are about the same. With bge-small-en-v1.5 it is a cosine of 0.84. Of 25
/// pairs of sentences that say the same in other words, 16 reach it. Of 822 rules that were added to those of a project
/// (the set memory-rules), 8 in 100 reach it with the nearest other rule, and most of these pairs say the same.
const SAME_MEANING: f32 = 0.665;

/// The part of an item that is its whole text.
const WHOLE: u32 = 0;

/// A memory that says nearly the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Near {
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// How likely it is that the new one takes its place, or, where only their meaning is alike, that both are about
    /// the same; in \[0, 1\].
    pub probability: f32,
}

impl Engine {
    /// Finds memories of this kind and scope that say nearly the same as the new one. At most one is found by its
    /// words, and at most one more by its meaning, if there is a calibrated model.
    pub(super) fn near(
        &self,
        id: &str,
        (kind, scope): (Kind, &Scope),
        database: &Database,
        session: &Session<'_>,
    ) -> Result<Vec<Near>, EngineError> {
        let filter = MemoryFilter {
            scopes: vec![scope.clone()],
            kinds: vec![kind],
            states: vec![MemoryState::Active],
            held: false,
        };
        let mut others = database.memories(&filter, None, COMPARED + 1)?;
        let Some(own) = others.iter().position(|memory| memory.id == id) else { return Ok(Vec::new()) };
        let own = others.remove(own);
        let texts: Vec<&str> = others.iter().map(|memory| memory.words.text.as_str()).collect();
        let by_words = closest(&own.words.text, &texts).filter(|found| found.relation != Alike::Unrelated);
        let by_words = by_words.map(|found| (found.place, found.probability));
        let by_meaning = self.closest_in_meaning(&own, &others, database, session)?;
        // The one by words stands first. One that is alike in both is told once.
        let by_meaning = by_meaning.filter(|(place, _)| by_words.is_none_or(|(same, _)| same != *place));
        let near = |(place, probability): (usize, f32)| {
            let other: &Memory = &others[place];
            Near { id: other.id.clone(), text: other.words.text.clone(), probability }
        };
        Ok(by_words.into_iter().chain(by_meaning).map(near).collect())
    }

    /// The place of the memory whose meaning is nearest to that of `own`, and the semantic signal of the two, if they
    /// are near enough. None where the index's model cannot be used or is not calibrated, and where `own` has no vector
    /// yet. Others without one are passed over.
    fn closest_in_meaning(
        &self,
        own: &Memory,
        others: &[Memory],
        database: &Database,
        session: &Session<'_>,
    ) -> Result<Option<(usize, f32)>, EngineError> {
        let Some(index) = database.index_model()? else { return Ok(None) };
        // The memory is stored all the same.
        let Ok(Some(model)) = self.open_model() else { return Ok(None) };
        if *model.encoder.fingerprint() != index.fingerprint {
            return Ok(None);
        }
        // Without a calibration cosines say nothing.
        let Ok((calibration, _)) = self.calibration_of(&model.installed, session) else { return Ok(None) };
        let mut rows = Vec::with_capacity(others.len() + 1);
        for memory in std::iter::once(own).chain(others) {
            rows.push(database.item_id(&memory.id)?);
        }
        let items: Vec<i64> = rows.iter().copied().flatten().collect();
        let stored = database.vectors_of(&index, &items)?;
        let whole = stored.embeddings.iter().filter(|(_, part, _)| *part == WHOLE);
        let texts: HashMap<i64, &TextHash> = whole.map(|(item, _, hash)| (*item, hash)).collect();
        let places: HashMap<&TextHash, usize> = stored.rows.hashes.iter().zip(0..).collect();
        let vector = |row: i64| -> Option<&[f32]> {
            let at = *places.get(*texts.get(&row)?)?;
            stored.rows.data.get(at * index.dims..(at + 1) * index.dims)
        };
        let Some(asked) = rows[0].and_then(vector) else { return Ok(None) };
        let cosine = |row: &Option<i64>| row.and_then(vector).map_or(-1.0, |other| dot(asked, other));
        let all = rows[1..].iter().map(cosine).enumerate();
        let Some((place, cosine)) = all.max_by(|(at, a), (other, b)| a.total_cmp(b).then(other.cmp(at))) else {
            return Ok(None);
        };
        let signal = calibration.of_documents().semantic.at(cosine);
        Ok((signal >= SAME_MEANING).then_some((place, signal)))
    }
}
