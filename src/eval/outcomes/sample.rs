//! Proposals drawn by a seed, to be read by people.

use super::set::read_set;
use crate::eval::retrieval::BenchError;
use crate::outcome::pattern::{Pattern, PatternKind, patterns};
use crate::outcome::sessions;
use crate::text::sha256_hex;
use crate::types::Scope;
use serde::Serialize;
use std::path::Path;

/// A proposal with one case that it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    /// The pattern.
    pub pattern: Pattern,
    /// The input that failed.
    pub failed: String,
    /// What it printed.
    pub error: String,
    /// The inputs that went well after it, up to the one that worked.
    pub then: Vec<String>,
}

/// So many recoveries of a set, in an order that follows from the seed.
///
/// # Errors
/// [`BenchError`] with file and line for what is not of the layout.
pub fn sample_proposals(folder: &Path, most: usize, seed: u64) -> Result<Vec<Proposal>, BenchError> {
    let set = read_set(folder)?;
    let all = sessions(&set.rows);
    let mut drawn: Vec<(String, Pattern)> = patterns(&Scope::global(), &set.rows)
        .into_iter()
        .filter(|one| one.kind == PatternKind::Recovery)
        .map(|one| (sha256_hex(format!("{seed} {}", one.id).as_bytes()), one))
        .collect();
    drawn.sort_by(|a, b| a.0.cmp(&b.0));
    let proposal = |pattern: Pattern| {
        let place = pattern.evidence.first()?;
        let rows = all.iter().find(|rows| rows.first().is_some_and(|row| row.session == place.session))?;
        let worked = rows.iter().position(|row| row.sequence == place.sequence)?;
        let failed = rows[..worked]
            .iter()
            .rposition(|row| !row.is_ok && row.tool == pattern.tool && row.head == pattern.head)?;
        let then = rows[failed + 1..=worked].iter().filter(|row| row.is_ok).map(|row| row.input.clone()).collect();
        let (input, error) = (rows[failed].input.clone(), rows[failed].error.clone());
        Some(Proposal { pattern, failed: input, error, then })
    };
    Ok(drawn.into_iter().filter_map(|(_, pattern)| proposal(pattern)).take(most).collect())
}
