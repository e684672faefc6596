//! What a walk keeps: the nearest nodes it has met, and which of them it has yet to expand.

use super::key::Key;
use std::collections::BinaryHeap;

/// What a walk keeps.
pub(super) trait Beam {
    /// Takes a node that was compared, if it is near enough.
    fn offer(&mut self, key: Key);
    /// The nearest node that was not expanded, which it is from now on; `None` when none is worth it.
    fn next(&mut self) -> Option<u32>;
    /// Which node `next` would give as things stand.
    fn peek(&self) -> Option<u32>;
}

/// The `ef` nearest nodes, sorted, each expanded or not: results and frontier in one, because every result is also
/// worth expanding. A sorted array beats two heaps at these sizes: most offers are refused by one comparison with its
/// end.
#[derive(Debug, Default)]
pub(super) struct Pool {
    keys: Vec<Key>,
    ef: usize,
    /// All keys before are expanded.
    cursor: usize,
}

impl Pool {
    /// Forgets everything; keeps `ef` from now on.
    pub(super) fn reset(&mut self, ef: usize) {
        self.keys.clear();
        (self.ef, self.cursor) = (ef.max(1), 0);
    }

    /// The nearest nodes, nearest first.
    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }
}

impl Beam for Pool {
    #[inline]
    fn offer(&mut self, key: Key) {
        if self.keys.len() == self.ef {
            if self.keys.last().is_some_and(|last| key <= *last) {
                return;
            }
            self.keys.pop();
        }
        let at = self.keys.partition_point(|other| *other > key);
        self.keys.insert(at, key);
        self.cursor = self.cursor.min(at);
    }

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let ahead = self.keys.get(self.cursor..)?.iter().position(|key| !key.is_expanded())?;
        self.cursor += ahead + 1;
        let key = &mut self.keys[self.cursor - 1];
        *key = key.expanded();
        Some(key.node())
    }

    #[inline]
    fn peek(&self) -> Option<u32> {
        self.keys.get(self.cursor..)?.iter().find(|key| !key.is_expanded()).map(|key| key.node())
    }
}

/// The `ef` nearest admitted nodes, and a frontier of all nodes, admitted or not: the way to an admitted row may lead
/// over others.
pub(super) struct Filtered<'a> {
    admits: &'a dyn Fn(u32) -> bool,
    found: &'a mut Pool,
    frontier: &'a mut BinaryHeap<Key>,
}

impl<'a> Filtered<'a> {
    /// In the room of others; what is found is left in `found`.
    pub(super) fn new(
        admits: &'a dyn Fn(u32) -> bool,
        found: &'a mut Pool,
        frontier: &'a mut BinaryHeap<Key>,
        ef: usize,
    ) -> Self {
        found.reset(ef);
        frontier.clear();
        Self { admits, found, frontier }
    }

    /// Whether a node is further than everything that was found, and enough was.
    fn is_too_far(&self, key: Key) -> bool {
        self.found.keys.len() == self.found.ef && self.found.keys.last().is_some_and(|last| key < *last)
    }
}

impl Beam for Filtered<'_> {
    #[inline]
    fn offer(&mut self, key: Key) {
        if self.is_too_far(key) {
            return;
        }
        self.frontier.push(key);
        if (self.admits)(key.node()) {
            self.found.offer(key);
        }
    }

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let key = self.frontier.pop()?;
        (!self.is_too_far(key)).then(|| key.node())
    }

    #[inline]
    fn peek(&self) -> Option<u32> {
        self.frontier.peek().map(|key| key.node())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The referee sorts everything.
        #[test]
        fn a_pool_keeps_the_nearest_and_expands_each_once(
            offers in prop::collection::vec((-1.0f32..1.0, any::<bool>()), 0..80), ef in 1usize..20,
        ) {
            let (mut pool, mut expanded, mut all) = (Pool::default(), vec![], vec![]);
            pool.reset(ef);
            for (node, (similarity, step)) in offers.into_iter().enumerate() {
                let key = Key::new(similarity, node as u32);
                pool.offer(key);
                all.push(key);
                if step {
                    let peeked = pool.peek();
                    prop_assert_eq!(pool.next(), peeked);
                    expanded.extend(peeked);
                }
            }
            while let Some(node) = pool.next() {
                expanded.push(node);
            }
            all.sort_by(|a, b| b.cmp(a));
            all.truncate(ef);
            let nodes: Vec<u32> = all.iter().map(|key| key.node()).collect();
            prop_assert_eq!(pool.keys().iter().map(|key| key.node()).collect::<Vec<_>>(), nodes.clone());
            prop_assert!(nodes.iter().all(|node| expanded.contains(node)));
            let count = expanded.len();
            expanded.sort_unstable();
            expanded.dedup();
            prop_assert_eq!(expanded.len(), count);
        }
    }
}
