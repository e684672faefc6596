//! How near a node is and which one, in one number.

/// Similarity, then node, then whether the node was expanded. Greater is nearer; of equally near ones the lower node is
/// the greater key, so that every walk has one answer only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64);

const NODES: u32 = (1 << 31) - 1;

impl Key {
    /// Of a node below 2^31. What is no number is further than everything else.
    #[inline]
    pub(super) fn new(similarity: f32, node: u32) -> Self {
        let bits = similarity.max(f32::NEG_INFINITY).to_bits();
        // Floats in their order, as numbers without a sign.
        let order = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        Self(u64::from(order) << 32 | u64::from(NODES - (node & NODES)) << 1)
    }

    #[inline]
    pub(super) fn node(self) -> u32 {
        NODES - (self.0 as u32 >> 1)
    }

    #[inline]
    pub(super) fn similarity(self) -> f32 {
        let order = (self.0 >> 32) as u32;
        f32::from_bits(if order >> 31 == 1 { order & NODES } else { !order })
    }

    #[inline]
    pub(super) fn is_expanded(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    pub(super) fn expanded(self) -> Self {
        Self(self.0 | 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_ordered_like_what_they_stand_for(a: f32, b: f32, i in 0u32..1 << 31, j in 0u32..1 << 31) {
            let (x, y) = (Key::new(a, i), Key::new(b, j));
            prop_assert_eq!((x.node(), x.expanded().node()), (i, i));
            prop_assert_eq!(x.similarity().to_bits(), a.to_bits());
            prop_assert_eq!(x.cmp(&y), a.total_cmp(&b).then(j.cmp(&i)));
            prop_assert!(x < x.expanded() && !x.is_expanded() && x.expanded().is_expanded());
        }
    }

    #[test]
    fn what_is_no_number_is_last() {
        assert!(Key::new(f32::NAN, 0) < Key::new(-1e30, 9));
    }
}
