//! What of a file's pieces is new, moved or gone: compared by text, in order, so that what stays keeps its id, its
//! counters and its age.

use crate::store::Anchor;
use crate::text::TextHash;
use crate::types::Span;
use std::collections::HashMap;

/// What to do with the items of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Pieces to add, by index.
    pub add: Vec<usize>,
    /// Items that stand elsewhere now.
    pub shift: Vec<(i64, Span)>,
    /// Items that are gone.
    pub remove: Vec<i64>,
    /// Items that stay, moved ones among them.
    pub kept: usize,
}

/// Compares the items of a file with its pieces. Equal texts are matched in the order in which they stand. A text that was
/// forgotten is not added again.
pub(super) fn compare(anchors: &[Anchor], pieces: &[(TextHash, Span)]) -> Changes {
    let mut known: HashMap<TextHash, Vec<&Anchor>> = HashMap::new();
    for anchor in anchors.iter().rev() {
        known.entry(anchor.text_hash).or_default().push(anchor);
    }
    let mut out = Changes::default();
    for (index, (hash, span)) in pieces.iter().enumerate() {
        match known.get_mut(hash).and_then(Vec::pop) {
            None => out.add.push(index),
            Some(anchor) => {
                out.kept += usize::from(anchor.active);
                if anchor.span != Some(*span) {
                    out.shift.push((anchor.id, *span));
                }
            }
        }
    }
    // What was forgotten is remembered as long as the file is, even while the text is not in it.
    let mut gone: Vec<i64> = known.values().flatten().filter(|anchor| anchor.active).map(|anchor| anchor.id).collect();
    gone.sort_unstable();
    out.remove = gone;
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(at: usize) -> Span {
        Span { byte_start: at * 10, byte_end: at * 10 + 9, line_start: at + 1, line_end: at + 1 }
    }

    fn anchor(id: i64, text: u8, at: usize, active: bool) -> Anchor {
        Anchor { id, text_hash: [text; 16], active, span: Some(span(at)) }
    }

    #[test]
    fn what_stays_keeps_its_item() {
        let before = [anchor(1, b'a', 0, true), anchor(2, b'b', 1, true), anchor(3, b'x', 2, false)];
        let now: Vec<(TextHash, Span)> =
            [(b'x', 0), (b'b', 1), (b'c', 2), (b'x', 3)].map(|(text, at)| ([text; 16], span(at))).to_vec();
        let changes = compare(&before, &now);
        // The forgotten text stays forgotten where it stood; a second one of it is new.
        assert_eq!(changes, Changes { add: vec![2, 3], shift: vec![(3, span(0))], remove: vec![1], kept: 1 });
    }

    proptest! {
        #[test]
        fn every_piece_has_one_item_and_every_item_one_piece(before in prop::collection::vec(0u8..4, 0..12), now in prop::collection::vec(0u8..4, 0..12)) {
            let anchors: Vec<Anchor> = before.iter().enumerate().map(|(at, t)| anchor(at as i64, *t, at, true)).collect();
            let pieces: Vec<(TextHash, Span)> = now.iter().enumerate().map(|(at, t)| ([*t; 16], span(at))).collect();
            let changes = compare(&anchors, &pieces);
            prop_assert_eq!(changes.kept + changes.add.len(), now.len());
            prop_assert_eq!(changes.kept + changes.remove.len(), before.len());
            for text in 0..4 {
                let count = |all: &[u8]| all.iter().filter(|t| **t == text).count();
                let added = changes.add.iter().filter(|at| now[**at] == text).count();
                prop_assert_eq!(added, count(&now).saturating_sub(count(&before)));
            }
        }
    }
}
