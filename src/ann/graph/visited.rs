//! Which nodes a walk has met.

/// A set of nodes, one bit each, that is emptied by what was put in: a bit for each of a million rows stays in the
/// second cache, a stamp for each would not.
#[derive(Debug, Default)]
pub(super) struct Visited {
    words: Vec<u64>,
    touched: Vec<u32>,
}

impl Visited {
    /// Forgets everything, and makes room for `nodes`.
    pub(super) fn reset(&mut self, nodes: usize) {
        for word in self.touched.drain(..) {
            self.words[word as usize] = 0;
        }
        let words = nodes.div_ceil(64);
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }

    /// Whether a node is in.
    #[inline]
    pub(super) fn contains(&self, node: u32) -> bool {
        self.words.get(node as usize / 64).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Puts a node in; false if it was there already, or is beyond the room.
    #[inline]
    pub(super) fn insert(&mut self, node: u32) -> bool {
        let Some(word) = self.words.get_mut(node as usize / 64) else { return false };
        let bit = 1u64 << (node % 64);
        if *word & bit != 0 {
            return false;
        }
        if *word == 0 {
            self.touched.push(node / 64);
        }
        *word |= bit;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_once_until_it_is_emptied() {
        let mut visited = Visited::default();
        visited.reset(70);
        assert!([0, 69, 64, 3].into_iter().all(|node| visited.insert(node)));
        assert!([0, 69, 64, 3, 128].into_iter().all(|node| !visited.insert(node)));
        visited.reset(3);
        assert!(visited.insert(69) && visited.insert(3) && visited.touched.len() == 2);
    }
}
