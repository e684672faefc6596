//! Remembers the nearest owners of questions, for those that are asked again. An index does not change, so its answers
//! hold as long as it does. Only an index that is told to ([`Index::remembering`]) remembers: that of a service, which
//! answers many questions. The number of answers is bounded.

use super::Index;
use crate::ann::{OwnerNeighbour, RowSet};
use crate::recent::Recent;
use crate::text::sha256;

/// How many answers of each kind are held. A list of the nearest takes a few KiB, a list of similarities up to 20 KiB.
const CAPACITY: usize = 512;

/// What was asked, as a digest.
type Key = [u8; 32];

/// Answers of one index.
#[derive(Debug)]
pub(super) struct Known {
    nearest: Recent<Key, Vec<OwnerNeighbour>>,
    similarities: Recent<Key, Vec<Option<OwnerNeighbour>>>,
}

impl Known {
    pub fn new() -> Self {
        Self { nearest: Recent::new(CAPACITY), similarities: Recent::new(CAPACITY) }
    }
}

/// A digest of a query vector (its length first) and of the numbers that are asked with it.
fn key(query: &[f32], others: &[u64]) -> Key {
    let mut bytes = Vec::with_capacity(8 + 4 * query.len() + 8 * others.len());
    bytes.extend((query.len() as u64).to_le_bytes());
    query.iter().for_each(|x| bytes.extend(x.to_bits().to_le_bytes()));
    others.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    sha256(&bytes)
}

impl Index {
    /// The nearest owners, as `find` finds them, or as they are known. Where rows are damaged nothing is held.
    pub(super) fn nearest_known(
        &self,
        query: &[f32],
        k: usize,
        admitted: Option<&RowSet>,
        find: impl FnOnce() -> Vec<OwnerNeighbour>,
    ) -> Vec<OwnerNeighbour> {
        let Some(known) = &self.known else { return find() };
        let rows = admitted.map_or(&[][..], RowSet::words);
        let key = key(query, &[&[k as u64, u64::from(admitted.is_some())], rows].concat());
        self.held(&known.nearest, key, find)
    }

    /// How near owners are, in the same way.
    pub(super) fn similarities_known(
        &self,
        query: &[f32],
        owners: &[u64],
        find: impl FnOnce() -> Vec<Option<OwnerNeighbour>>,
    ) -> Vec<Option<OwnerNeighbour>> {
        let Some(known) = &self.known else { return find() };
        self.held(&known.similarities, key(query, owners), find)
    }

    fn held<T: Clone>(&self, held: &Recent<Key, T>, key: Key, find: impl FnOnce() -> T) -> T {
        if let Some(answer) = held.get(&key) {
            return answer;
        }
        let answer = find();
        if !self.is_damaged() {
            held.keep(key, answer.clone());
        }
        answer
    }
}
