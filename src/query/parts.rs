//! Which parts of a chunk a question is about. A chunk is found as a whole; where room is scarce, the paragraphs of it
//! that say something are worth more than the rest.
//!
//! A part's relevance is its chunk's relevance, shifted by the difference of their closeness. Only a share of that
//! difference counts, because the chunk's relevance is evidence for its parts (Callan, "Passage-level evidence in
//! document retrieval", 1994).

use super::recalled::{Part, Recalled};
use super::relevance::{Evidence, Ground, shifted};
use super::semantics::Semantics;
use crate::chunk::{Format, parts};
use crate::embed::EmbedError;
use crate::lexical::WeightedTerms;
use crate::types::{Kind, Role, titled};
use crate::vector::dot;
use std::ops::Range;
use std::path::Path;

/// Share of the difference in closeness between a part and its chunk that counts.
const OWN: f32 = 0.65;

/// What is known of a question whose chunks are read part by part.
pub(super) struct Parts<'a> {
    pub(super) semantics: &'a Semantics,
    pub(super) vector: Vec<f32>,
    pub(super) weighed: WeightedTerms,
    /// What holds for all chunks.
    pub(super) ground: Ground,
}

impl Parts<'_> {
    /// Reads the chunks that pass and have several parts, best first, until `most` tokens are read.
    pub(super) fn read(&self, all: &mut [Recalled], most: usize) -> Result<(), EmbedError> {
        let encoder = self.semantics.encoder.as_ref();
        let mut chosen: Vec<(&mut Recalled, Vec<Range<usize>>)> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let mut tokens = 0;
        for one in all.iter_mut().filter(|one| one.passes && one.kind == Kind::Chunk && one.vector.is_some()) {
            let format = one.path.as_deref().and_then(|path| Format::of_path(Path::new(path)));
            let ranges = format.map_or_else(Vec::new, |format| parts(&one.text, format));
            if ranges.len() < 2 {
                continue;
            }
            let said: Vec<String> = ranges.iter().map(|range| titled(&one.title, &one.text[range.clone()])).collect();
            for text in &said {
                tokens += encoder.count_tokens(text)?;
            }
            if tokens > most {
                break;
            }
            texts.extend(said);
            chosen.push((one, ranges));
        }
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let encoded = encoder.encode(&refs, Role::Passage, &mut |_| {})?;
        let mut read = texts.iter().zip(encoded);
        for (one, ranges) in chosen {
            let whole = self.closeness(&titled(&one.title, &one.text), one.vector.as_deref().unwrap_or_default());
            let fall = OWN * self.semantics.calibration.of_documents().fall;
            for (range, (text, encoded)) in ranges.into_iter().zip(&mut read) {
                let relevance = shifted(one.relevance, fall * (self.closeness(text, &encoded.vector) - whole));
                let score = one.score * relevance / one.relevance.max(f32::EPSILON);
                one.parts.push(Part { range, score: score.min(1.0) });
            }
        }
        Ok(())
    }

    fn closeness(&self, text: &str, vector: &[f32]) -> f32 {
        // A part need not hold all that its chunk does.
        let evidence = Evidence {
            cosine: Some(dot(&self.vector, vector)),
            words: Some(self.weighed.overlap(text).bm25),
            ..Evidence::default()
        };
        self.ground.closeness(&evidence)
    }
}
