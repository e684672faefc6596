//! How often ordinary text gets an answer, by its length.
//!
//! Texts that nobody needs help with (healthy logs, prose) are cut into windows of so many lines and looked up.
//! Whatever is found is either noise or a real error that the text holds; the tiers tell them apart, since a pattern is
//! proof.

use crate::engine::{Engine, EngineError, Session};
use crate::query::LookupOptions;
use crate::types::Tier;
use serde::Serialize;
use std::collections::BTreeMap;

/// What windows of one length came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LengthNoise {
    /// Lines of a window.
    pub lines: usize,
    /// Windows.
    pub inputs: usize,
    /// Windows of which the first hit is proved by a pattern or an equal text.
    pub sure: usize,
    /// Windows that got a guess and nothing sure.
    pub guessed: usize,
    /// The entries that were shown first, and how often.
    pub entries: BTreeMap<String, usize>,
}

/// Windows of `lines` lines over all texts, at most `most`, spread evenly; those that are blank ask nothing.
pub fn windows(texts: &[String], lines: usize, most: usize) -> Vec<String> {
    let mut all = Vec::new();
    for text in texts {
        let rows: Vec<&str> = text.lines().collect();
        // A shorter rest would count as longer than it is; a text that is shorter as a whole has none.
        all.extend(rows.chunks_exact(lines.max(1)).map(|rows| rows.join("\n")));
    }
    all.retain(|window: &String| !window.trim().is_empty());
    let step = all.len().div_ceil(most.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

/// Looks up windows of each length.
///
/// # Errors
/// [`EngineError`] when a lookup fails.
pub fn noise(
    engine: &Engine,
    texts: &[String],
    lengths: &[usize],
    most: usize,
    options: &LookupOptions,
    session: &Session<'_>,
) -> Result<Vec<LengthNoise>, EngineError> {
    let mut out = Vec::new();
    for &lines in lengths {
        let mut found = LengthNoise { lines, ..LengthNoise::default() };
        for window in windows(texts, lines, most) {
            let answer = engine.lookup(window.as_bytes(), options, session)?;
            let firsts = answer.results.iter().filter_map(|finding| finding.hits.first());
            found.inputs += 1;
            if let Some(hit) = firsts.min_by_key(|hit| hit.tier) {
                *(if hit.tier == Tier::Close { &mut found.guessed } else { &mut found.sure }) += 1;
                *found.entries.entry(hit.id.clone()).or_default() += 1;
            }
        }
        out.push(found);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_whole_and_spread() {
        let texts = ["1\n2\n3\n4\n5".to_owned(), "a\nb".to_owned(), "alone".to_owned()];
        assert_eq!(windows(&texts, 2, 10), ["1\n2", "3\n4", "a\nb"]);
        assert_eq!(windows(&texts, 1, 4), ["1", "3", "5", "b"]);
        assert_eq!(windows(&texts, 9, 4), [""; 0]);
    }

    #[test]
    fn a_blank_window_asks_nothing() {
        assert_eq!(windows(&["1\n\n \t\n2".to_owned()], 1, 9), ["1", "2"]);
    }
}
