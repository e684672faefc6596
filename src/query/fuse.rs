//! Meaning and words together, and the question moved towards what both found first.

use super::SearchError;
use super::collection::{Collection, Gathered};
use super::relevance::{FEEDBACK, Ground, moved};

/// What holds for the candidates of each collection, in their order; `weights` are those of words.
pub(super) fn grounds(gathered: &[Gathered], weights: &[f32], is_short: bool) -> Vec<Ground> {
    let cosines = gathered.iter().flat_map(|one| &one.found).filter_map(|found| found.evidence.near());
    let nearest = cosines.reduce(f32::max).unwrap_or(0.0);
    let one = |(one, weight): (&Gathered, &f32)| Ground {
        weight: *weight,
        nearest,
        reach: one.reach,
        texts: one.texts,
        is_short,
    };
    gathered.iter().zip(weights).map(one).collect()
}

/// Completes the evidence of all candidates by their cosine to the question as it is moved towards the closest of them.
/// Without a vector or without words there is nothing that the one could tell the other.
pub(super) fn move_towards_closest(
    collections: &[&dyn Collection],
    gathered: &mut [Gathered],
    grounds: &[Ground],
    question: &[f32],
) -> Result<(), SearchError> {
    let all = || gathered.iter().flat_map(|one| &one.found);
    if !all().any(|found| found.evidence.cosine.is_some() && found.evidence.words.is_some()) {
        return Ok(());
    }
    let moved = moved(question, &closest(collections, gathered, grounds)?);
    for (collection, gathered) in collections.iter().zip(gathered) {
        if !collection.has_vectors() {
            continue;
        }
        let keys: Vec<u64> = gathered.found.iter().map(|found| found.key).collect();
        for (found, near) in gathered.found.iter_mut().zip(collection.similarity(&moved, &keys)?) {
            found.evidence.moved = found.evidence.cosine.and(near);
        }
    }
    Ok(())
}

/// Closeness and vector of the candidates that move the question, the closest first.
fn closest(
    collections: &[&dyn Collection],
    gathered: &[Gathered],
    grounds: &[Ground],
) -> Result<Vec<(f32, Vec<f32>)>, SearchError> {
    let mut order: Vec<(f32, usize, usize)> = Vec::new();
    for (which, (gathered, ground)) in gathered.iter().zip(grounds).enumerate() {
        let closeness = gathered.found.iter().map(|found| ground.closeness(&found.evidence));
        order.extend(closeness.enumerate().map(|(at, closeness)| (closeness, which, at)));
    }
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut out = Vec::new();
    for (closeness, which, at) in order.into_iter().take(FEEDBACK) {
        let found = &gathered[which].found[at];
        // Without a place there is no vector.
        let Some(part) = found.part else { continue };
        if let Some(vector) = collections[which].vector(found.key, Some(part))? {
            out.push((closeness, vector));
        }
    }
    Ok(out)
}
