//! What was forgotten and stands in a file that is read stays out, however the file is cut now.
//!
//! The whole text of a file is compared, not its pieces: a passage that another cut joins to its neighbour, or parts in
//! two, is found all the same. It is cut out of the pieces; what stands around it stays. Two things are let in: a piece
//! that is served already, as it is, and what takes the place of one that was served and was as much like the forgotten
//! one, for nobody has forgotten that.

use super::IngestError;
use crate::chunk::Lines;
use crate::store::{ReadForgotten, ReadItems, chunk_uid};
use crate::text::{Sketches, TextHash, text_hash};
use crate::types::{CONTEXT, Item, Span};
use std::collections::HashMap;
use std::ops::Range;

/// What is left of a piece around a forgotten passage counts from so many words on: fewer are its heading.
const LEAST_WORDS: usize = 4;

/// What was forgotten by id.
pub(super) struct Forgotten {
    sketches: Sketches,
    uids: HashMap<i64, String>,
}

/// A forgotten passage in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    which: i64,
    range: Range<usize>,
}

impl Forgotten {
    pub fn read(store: &dyn ReadForgotten) -> Result<Self, IngestError> {
        let (sketches, uids) = store.sketches()?;
        Ok(Self { sketches, uids })
    }

    pub fn uid(&self, row: i64) -> Option<String> {
        self.uids.get(&row).cloned()
    }

    /// The pieces of a text without what was forgotten, and the rows of what was found.
    pub fn withhold(
        &self,
        text: &str,
        pieces: Vec<Item>,
        known: Option<i64>,
        store: &dyn ReadItems,
    ) -> Result<(Vec<Item>, Vec<i64>), IngestError> {
        if self.sketches.is_empty() {
            return Ok((pieces, Vec::new()));
        }
        let found = self.sketches.find(text);
        let mut stretches: Vec<Stretch> =
            found.into_iter().map(|found| Stretch { which: found.which, range: found.range }).collect();
        if let Some(id) = known.filter(|_| !stretches.is_empty()) {
            let mut served: HashMap<TextHash, Vec<i64>> = HashMap::new();
            for anchor in store.anchors(id)?.iter().filter(|anchor| anchor.active) {
                served.entry(anchor.text_hash).or_default().push(anchor.id);
            }
            let mut is_served = |piece: &Item| served.get_mut(&text_hash(&piece.text())).and_then(Vec::pop).is_some();
            let stay: Vec<Range<usize>> = pieces.iter().filter(|piece| is_served(piece)).filter_map(range_of).collect();
            stretches = stretches.into_iter().flat_map(|stretch| outside(stretch, &stay)).collect();
            let left: Vec<i64> = served.into_values().flatten().collect();
            self.let_changed_in(&mut stretches, &left, store)?;
        }
        let mut rows: Vec<i64> = stretches.iter().map(|stretch| stretch.which).collect();
        rows.sort_unstable();
        rows.dedup();
        let ranges = merged(stretches.into_iter().map(|stretch| stretch.range).collect());
        Ok((cut_out(text, pieces, &ranges), rows))
    }

    /// Takes out of `stretches` one for each item that goes and was as much like what was forgotten.
    fn let_changed_in(
        &self,
        stretches: &mut Vec<Stretch>,
        leaving: &[i64],
        store: &dyn ReadItems,
    ) -> Result<(), IngestError> {
        if stretches.is_empty() {
            return Ok(());
        }
        for (_, item) in store.items(leaving)? {
            for found in self.sketches.find(&item.body) {
                if let Some(at) = stretches.iter().position(|stretch| stretch.which == found.which) {
                    stretches.remove(at);
                }
            }
        }
        Ok(())
    }
}

fn range_of(piece: &Item) -> Option<Range<usize>> {
    piece.span.map(|span| span.byte_start..span.byte_end)
}

/// What of a stretch lies outside of these ranges.
fn outside(stretch: Stretch, ranges: &[Range<usize>]) -> Vec<Stretch> {
    let which = stretch.which;
    without(stretch.range, ranges).into_iter().map(|range| Stretch { which, range }).collect()
}

/// A range without others, which are in ascending order.
fn without(range: Range<usize>, others: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = range.start;
    for other in others.iter().filter(|other| other.start < range.end && other.end > range.start) {
        if other.start > start {
            out.push(start..other.start);
        }
        start = start.max(other.end);
    }
    if start < range.end {
        out.push(start..range.end);
    }
    out
}

/// Ranges in ascending order, those that touch or overlap as one.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match out.last_mut().filter(|last| last.end >= range.start) {
            Some(last) => last.end = last.end.max(range.end),
            None => out.push(range),
        }
    }
    out
}

/// Pieces without these ranges of their text, and without context that lies in one.
fn cut_out(text: &str, pieces: Vec<Item>, ranges: &[Range<usize>]) -> Vec<Item> {
    if ranges.is_empty() {
        return pieces;
    }
    let mut out = Vec::with_capacity(pieces.len());
    let mut before = None;
    let mut lines = Lines::new(text, 1);
    for mut piece in pieces {
        let Some(range) = range_of(&piece) else {
            out.push(piece);
            continue;
        };
        // Context is the end of the piece before.
        let context = piece.attributes.get(CONTEXT).and_then(|context| context.as_str()).map(str::len);
        if let Some(bytes) = context {
            let end = before.unwrap_or(range.start);
            if !without(end.saturating_sub(bytes)..end, ranges).iter().any(|left| left.len() == bytes) {
                drop_context(&mut piece);
            }
        }
        before = Some(range.end);
        let left = without(range.clone(), ranges);
        if left.len() == 1 && left[0] == range {
            out.push(piece);
            continue;
        }
        for part in left {
            let Some(part) = trimmed(text, part) else { continue };
            let mut piece = piece.clone();
            if part.start != range.start {
                drop_context(&mut piece);
            }
            piece.body = text[part.clone()].to_owned();
            let (line_start, line_end) = (lines.of(part.start), lines.of(part.end));
            piece.span = Some(Span { byte_start: part.start, byte_end: part.end, line_start, line_end });
            out.push(piece);
        }
    }
    name(&mut out);
    out
}

fn drop_context(piece: &mut Item) {
    if let Some(attributes) = piece.attributes.as_object_mut() {
        attributes.remove(CONTEXT);
    }
}

/// A part of a text from its first filled line to its last, if it has words enough.
fn trimmed(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let inner = &text[part.clone()];
    let words = inner.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(LEAST_WORDS).count();
    if words < LEAST_WORDS {
        return None;
    }
    let kept = inner.trim_end();
    // Whole lines keep their indentation.
    let skipped: usize = kept.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    let spaces = match part.start == 0 || text.as_bytes()[part.start - 1] == b'\n' || skipped > 0 {
        true => 0,
        false => kept.len() - kept.trim_start().len(),
    };
    Some(part.start + skipped.max(spaces)..part.start + kept.len())
}

/// Gives pieces of one file the ids that their texts have.
fn name(pieces: &mut [Item]) {
    let mut seen: HashMap<TextHash, usize> = HashMap::new();
    for piece in pieces {
        let hash = text_hash(&piece.text());
        let nth = seen.entry(hash).or_default();
        if let Some(path) = &piece.path {
            piece.uid = chunk_uid(path, &hash, *nth);
        }
        *nth += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Authority, Kind, Scope, State};
    use proptest::prelude::*;

    fn piece(text: &str, range: Range<usize>, context: usize) -> Item {
        let mut attributes = serde_json::json!({"tags": ["x"]});
        if context > 0 {
            attributes[CONTEXT] = text[range.start - context..range.start].into();
        }
        Item {
            uid: String::new(),
            kind: Kind::Chunk,
            scope: Scope::global(),
            authority: Authority::Personal,
            state: State::Active,
            title: "T".into(),
            body: text[range.clone()].into(),
            attributes,
            path: Some("/a.md".into()),
            span: Some(Span { byte_start: range.start, byte_end: range.end, line_start: 1, line_end: 1 }),
            created_at: 0,
            updated_at: 0,
        }
    }

    #[test]
    fn neighbours_stay_and_context_goes() {
        let text = "one two three four five\n\nsecret words that were here\n\nsix seven eight nine ten\n\n\
            last of it all now\n";
        let secret = text.find("secret").unwrap()..text.find("six").unwrap();
        let last = text.find("last").unwrap();
        let pieces = vec![piece(text, 0..last - 2, 0), piece(text, last..text.len() - 1, 0)];
        let found = cut_out(text, pieces.clone(), std::slice::from_ref(&secret));
        let bodies: Vec<&str> = found.iter().map(|item| item.body.as_str()).collect();
        assert_eq!(bodies, ["one two three four five", "six seven eight nine ten", "last of it all now"]);
        let lines: Vec<(usize, usize)> =
            found.iter().map(|i| i.span.unwrap()).map(|s| (s.line_start, s.line_end)).collect();
        assert_eq!(lines[..2], [(1, 1), (5, 5)]);
        assert_eq!(cut_out(text, pieces.clone(), &[]), pieces);
        // The end of the forgotten passage is no context of what follows.
        let after = piece(text, secret.end..last, 6);
        let whole = vec![piece(text, secret.start..secret.end, 0), after];
        assert!(cut_out(text, whole, &[secret])[0].attributes.get(CONTEXT).is_none());
    }

    proptest! {
        #[test]
        fn nothing_of_a_range_is_left_and_nothing_else_is_lost(
            text in "[a-d \n]{1,200}",
            borders in prop::collection::btree_set(0usize..200, 0..8),
            cuts in prop::collection::vec((0usize..200, 0usize..60), 0..5),
        ) {
            let borders: Vec<usize> = borders.into_iter().filter(|at| *at < text.len()).collect();
            let pieces = borders.windows(2).map(|two| piece(&text, two[0]..two[1], 0)).collect();
            let cut = |(at, bytes): (usize, usize)| at.min(text.len())..(at + bytes).min(text.len());
            let ranges = merged(cuts.into_iter().map(cut).filter(|range| !range.is_empty()).collect());
            for item in cut_out(&text, pieces, &ranges) {
                let span = item.span.unwrap();
                prop_assert_eq!(&text[span.byte_start..span.byte_end], item.body.as_str());
                prop_assert!(ranges.iter().all(|range| range.end <= span.byte_start || range.start >= span.byte_end));
            }
            let all = 0..text.len();
            let left: usize = without(all.clone(), &ranges).iter().map(|range| range.len()).sum();
            prop_assert_eq!(left + ranges.iter().map(|range| range.len()).sum::<usize>(), all.len());
        }
    }
}
