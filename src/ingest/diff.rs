//! What of a file's pieces is new, moved or gone: compared by text, in order, so that what stays keeps its id, its
//! counters and its age.

use crate::store::Anchor;
use crate::text::TextHash;
use crate::types::Span;
use std::collections::{HashMap, HashSet};

/// What to do with the items of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Pieces to add, by index.
    pub add: Vec<usize>,
    /// Items that stand elsewhere now.
    pub shift: Vec<(i64, Span)>,
    /// Items of which something but the text is new, with their pieces by index.
    pub describe: Vec<(i64, usize)>,
    /// Items that are gone.
    pub remove: Vec<i64>,
    /// Items that stay, moved ones among them.
    pub kept: usize,
}

/// What the comparison needs of a piece.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub text_hash: TextHash,
    pub span: Span,
    /// As JSON.
    pub attributes: String,
}

/// Which pieces stand behind one that was forgotten, by index: its end must not come back as their context.
pub(super) fn behind_forgotten(anchors: &[Anchor], pieces: &[Piece]) -> Vec<usize> {
    let forgotten: HashSet<TextHash> = anchors.iter().filter(|a| !a.active).map(|a| a.text_hash).collect();
    let is_forgotten = |at: &usize| forgotten.contains(&pieces[*at - 1].text_hash);
    (1..pieces.len()).filter(is_forgotten).collect()
}

/// Compares the items of a file with its pieces. Equal texts are matched in the order in which they stand. A text that
/// was forgotten is not added again.
pub(super) fn compare(anchors: &[Anchor], pieces: &[Piece]) -> Changes {
    let mut known: HashMap<TextHash, Vec<&Anchor>> = HashMap::new();
    for anchor in anchors.iter().rev() {
        known.entry(anchor.text_hash).or_default().push(anchor);
    }
    let mut out = Changes::default();
    for (index, piece) in pieces.iter().enumerate() {
        match known.get_mut(&piece.text_hash).and_then(Vec::pop) {
            None => out.add.push(index),
            Some(anchor) => {
                out.kept += usize::from(anchor.active);
                if anchor.span != Some(piece.span) {
                    out.shift.push((anchor.id, piece.span));
                }
                if anchor.active && anchor.attributes != piece.attributes {
                    out.describe.push((anchor.id, index));
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
        Anchor { id, text_hash: [text; 16], active, span: Some(span(at)), attributes: "{}".to_owned() }
    }

    fn piece(text: u8, at: usize) -> Piece {
        Piece { text_hash: [text; 16], span: span(at), attributes: "{}".to_owned() }
    }

    #[test]
    fn what_stays_keeps_its_item() {
        let before = [anchor(1, b'a', 0, true), anchor(2, b'b', 1, true), anchor(3, b'x', 2, false)];
        let mut now = [(b'x', 0), (b'b', 1), (b'c', 2), (b'x', 3)].map(|(text, at)| piece(text, at));
        now[1].attributes = "{\"context\":\"x\"}".to_owned();
        let changes = compare(&before, &now);
        // The forgotten text stays forgotten where it stood; a second one of it is new.
        let expected =
            Changes { add: vec![2, 3], shift: vec![(3, span(0))], describe: vec![(2, 1)], remove: vec![1], kept: 1 };
        assert_eq!(changes, expected);
        assert_eq!(behind_forgotten(&before, &now), [1]);
    }

    proptest! {
        #[test]
        fn every_piece_has_one_item_and_every_item_one_piece(
            before in prop::collection::vec(0u8..4, 0..12),
            now in prop::collection::vec(0u8..4, 0..12),
        ) {
            let anchors = before.iter().enumerate().map(|(at, t)| anchor(at as i64, *t, at, true));
            let anchors: Vec<Anchor> = anchors.collect();
            let pieces: Vec<Piece> = now.iter().enumerate().map(|(at, t)| piece(*t, at)).collect();
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
