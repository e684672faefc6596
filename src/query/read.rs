//! Candidates with their texts.

use super::SearchError;
use super::candidate::Candidate;
use super::collection::{Collection, Known};

/// Reads candidates, those of each collection together; in the order given, `None` for one that is gone.
pub(super) fn read<'c>(
    collections: &[&'c dyn Collection],
    candidates: &[&Candidate],
) -> Result<Vec<Option<Known<'c>>>, SearchError> {
    let mut out: Vec<Option<Known<'c>>> = candidates.iter().map(|_| None).collect();
    for (at, collection) in collections.iter().enumerate() {
        let places: Vec<usize> = (0..candidates.len()).filter(|&place| candidates[place].collection == at).collect();
        let keys: Vec<u64> = places.iter().map(|&place| candidates[place].key).collect();
        for (&place, known) in places.iter().zip(collection.read(&keys)?) {
            out[place] = known;
        }
    }
    Ok(out)
}
