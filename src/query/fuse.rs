//! Meaning and words together, and the question moved towards what both found first.

use super::relevance::{Evidence, FEEDBACK, Ground, Reach, moved};

/// Candidates of one sort, with statistics of their own.
pub(super) struct Collection<'a> {
    /// What speaks for each.
    pub(super) evidence: Vec<Evidence>,
    /// The most that its words could reach.
    pub(super) reach: Reach,
    /// How many texts there are.
    pub(super) texts: usize,
    /// Weight of words.
    pub(super) weight: f32,
    /// How near a candidate is to a vector.
    pub(super) cosine: &'a dyn Fn(usize, &[f32]) -> Option<f32>,
    /// The vector by which a candidate is nearest.
    pub(super) vector: &'a dyn Fn(usize) -> Option<Vec<f32>>,
}

/// Completes the evidence of all candidates by their cosine to the moved question, and gives what holds for each
/// collection. Without a vector or without words there is nothing that the one could tell the other.
pub(super) fn fuse<const N: usize>(collections: &mut [Collection<'_>; N], question: Option<&[f32]>) -> [Ground; N] {
    let all = || collections.iter().flat_map(|collection| &collection.evidence);
    let nearest = all().filter_map(|one| one.cosine).reduce(f32::max).unwrap_or(0.0);
    let grounds = std::array::from_fn(|at| Ground {
        weight: collections[at].weight,
        nearest,
        reach: collections[at].reach,
        texts: collections[at].texts,
    });
    let both = all().any(|one| one.cosine.is_some() && one.words.is_some());
    let Some(question) = question.filter(|_| both) else { return grounds };
    let mut order: Vec<(f32, usize, usize)> = Vec::new();
    for (which, collection) in collections.iter().enumerate() {
        let closeness = collection.evidence.iter().map(|one| grounds[which].closeness(one));
        order.extend(closeness.enumerate().map(|(at, closeness)| (closeness, which, at)));
    }
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let closest = order.into_iter().take(FEEDBACK);
    let closest: Vec<(f32, Vec<f32>)> =
        closest.filter_map(|(closeness, which, at)| Some((closeness, (collections[which].vector)(at)?))).collect();
    let moved = moved(question, &closest);
    for collection in collections {
        for (at, one) in collection.evidence.iter_mut().enumerate() {
            one.moved = one.cosine.and_then(|_| (collection.cosine)(at, &moved));
        }
    }
    grounds
}
