//! What is searched: an image, and what has changed since it was made laid over it.
//!
//! A document that was changed or removed is dead in the image: nothing finds it, and no statistic counts it. What it
//! is now stands in small images in memory, merged as they grow many. An index never changes; a change gives another
//! index over the same file.

use super::forward::TermCount;
use super::hash::ByHash;
use super::saturation::Saturation;
use super::writer::ImageWriter;
use super::{Bm25, TermImage, TermOrigin, TermText};
use crate::map::Room;
use std::io;
use std::sync::Arc;

/// The number of a term that no document of a segment holds.
pub(super) const NONE: u32 = u32::MAX;

/// Documents that can be searched by their terms. Immutable, so that any number of threads may search it.
#[derive(Debug)]
pub struct TermIndex {
    /// The image, and what lies over it. A document counts in one of them at most.
    pub(super) segments: Vec<Segment>,
    pub(super) saturation: Saturation,
}

/// An image, and which of its documents do not count any more.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub image: Arc<TermImage>,
    dead: Arc<Dead>,
}

/// Documents of an image that do not count any more.
#[derive(Debug, Clone, Default)]
struct Dead {
    /// A bit for each slot; empty while there are none.
    slots: Vec<u64>,
    documents: usize,
    tokens: u64,
    /// How many of them hold each term, by number.
    frequencies: ByHash<u32>,
}

impl Segment {
    fn new(image: impl Into<Arc<TermImage>>) -> Self {
        Self { image: image.into(), dead: Arc::default() }
    }

    /// Whether the document in a slot does not count any more.
    #[inline]
    pub fn is_dead(&self, slot: u32) -> bool {
        self.dead.slots.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// The slot of a document that counts.
    pub fn slot_of(&self, id: u64) -> Option<u32> {
        self.image.slot_of(id).filter(|slot| !self.is_dead(*slot))
    }

    /// How many documents hold a term.
    pub fn document_frequency(&self, term: u32) -> usize {
        let dead = self.dead.frequencies.get(&u64::from(term)).copied().unwrap_or(0);
        self.image.postings(term).len().saturating_sub(dead as usize)
    }

    fn len(&self) -> usize {
        self.image.len().saturating_sub(self.dead.documents)
    }

    fn tokens(&self) -> u64 {
        self.image.tokens().saturating_sub(self.dead.tokens)
    }

    /// Slots of the documents that count.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.image.len() as u32).filter(|slot| !self.is_dead(*slot))
    }

    /// The same without these documents, each of which is named once.
    fn without(&self, ids: &[u64]) -> Self {
        let image = Arc::clone(&self.image);
        let slots: Vec<u32> = ids.iter().filter_map(|id| self.slot_of(*id)).collect();
        if slots.is_empty() {
            return self.clone();
        }
        let mut dead = Dead::clone(&self.dead);
        dead.slots.resize(image.len().div_ceil(64), 0);
        for slot in slots {
            dead.slots[slot as usize / 64] |= 1 << (slot % 64);
            dead.documents += 1;
            dead.tokens += u64::from(image.lengths().get(slot as usize).copied().unwrap_or(0));
            for TermCount { term, .. } in image.terms_of(slot) {
                *dead.frequencies.entry(u64::from(term)).or_default() += 1;
            }
        }
        Self { image, dead: Arc::new(dead) }
    }
}

impl Default for TermIndex {
    /// Without documents.
    fn default() -> Self {
        #[expect(clippy::expect_used, reason = "memory refuses nothing, and there are no documents to be too many")]
        Self::of_texts::<&str>([]).expect("an index of nothing can be made")
    }
}

impl TermIndex {
    /// Over an image.
    pub fn new(image: impl Into<Arc<TermImage>>) -> Self {
        Self::of(vec![Segment::new(image)])
    }

    fn of(segments: Vec<Segment>) -> Self {
        let documents = segments.iter().map(Segment::len).sum();
        let tokens = segments.iter().map(Segment::tokens).sum();
        Self { segments, saturation: Saturation::new(documents, tokens) }
    }

    /// Over texts, in memory.
    ///
    /// # Errors
    /// As [`TermImage::of_texts`].
    pub fn of_texts<S: TermText>(texts: impl IntoIterator<Item = (u64, S)>) -> io::Result<Self> {
        TermImage::of_texts(&TermOrigin::default(), texts).map(Self::new)
    }

    /// The same after a change: the documents `removed` are gone, and `texts` are new or take the place of documents of
    /// their ids; in any order. Shares the image, and what lies over it as far as that stays.
    ///
    /// # Errors
    /// `InvalidInput` when there are more than 2^24 documents, or a text comes twice.
    pub fn with_changes<S: TermText>(
        &self,
        removed: impl IntoIterator<Item = u64>,
        texts: impl IntoIterator<Item = (u64, S)>,
    ) -> io::Result<Self> {
        let mut texts: Vec<(u64, S)> = texts.into_iter().collect();
        texts.sort_unstable_by_key(|(id, _)| *id);
        let mut changed: Vec<u64> = removed.into_iter().chain(texts.iter().map(|(id, _)| *id)).collect();
        changed.sort_unstable();
        changed.dedup();
        let mut segments: Vec<Segment> = self.segments.iter().map(|segment| segment.without(&changed)).collect();
        segments.push(Segment::new(TermImage::of_texts(&TermOrigin::default(), texts)?));
        merge_small(&mut segments)?;
        Ok(Self::of(segments))
    }

    /// The same documents as one image, without tokenising any text again.
    ///
    /// # Errors
    /// When the disk refuses; `InvalidData` when the image is damaged.
    pub fn to_image(&self, room: Room, origin: &TermOrigin) -> io::Result<TermImage> {
        merged(&self.segments, room, origin)
    }

    /// The image without what lies over it.
    pub fn image(&self) -> &TermImage {
        &self.segments[0].image
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.segments.iter().map(Segment::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tokens of all documents.
    pub fn tokens(&self) -> u64 {
        self.segments.iter().map(Segment::tokens).sum()
    }

    /// Documents of the image that do not count any more, and documents that lie over it.
    pub fn changes(&self) -> (usize, usize) {
        (self.segments[0].dead.documents, self.segments[1..].iter().map(Segment::len).sum())
    }

    /// Ids of all documents, ascending.
    pub fn ids(&self) -> Vec<u64> {
        let of = |segment: &Segment| -> Vec<u64> {
            let ids = segment.image.ids();
            segment.slots().filter_map(|slot| ids.get(slot as usize).copied()).collect()
        };
        let mut ids: Vec<u64> = self.segments.iter().flat_map(of).collect();
        ids.sort_unstable();
        ids
    }

    /// Whether there is such a document.
    pub fn contains(&self, id: u64) -> bool {
        self.segments.iter().any(|segment| segment.slot_of(id).is_some())
    }

    /// What BM25 needs to know of the documents.
    pub fn bm25(&self) -> Bm25 {
        Bm25::of(self.len(), self.tokens())
    }
}

/// New numbers of a segment's terms, by the old ones; terms that nobody holds any more have none.
fn renumbered(segment: &Segment, hashes: &mut Vec<u64>, numbers: &mut ByHash<u32>) -> Vec<u32> {
    let mut by_number = vec![None; segment.image.terms()];
    for (hash, number) in segment.image.vocabulary() {
        if let Some(place) = by_number.get_mut(number as usize) {
            *place = Some(hash);
        }
    }
    let alive = |number: usize| segment.document_frequency(number as u32) > 0;
    let renumber = |(number, hash): (usize, Option<u64>)| match hash.filter(|_| alive(number)) {
        None => NONE,
        Some(hash) => *numbers.entry(hash).or_insert_with(|| {
            hashes.push(hash);
            (hashes.len() - 1) as u32
        }),
    };
    by_number.into_iter().enumerate().map(renumber).collect()
}

/// Merges what lies over the image, so that a change costs little, and a search meets few segments: each holds more
/// than twice as many documents as the next.
fn merge_small(segments: &mut Vec<Segment>) -> io::Result<()> {
    while let [_, .., before, last] = &segments[..] {
        if before.len() > 2 * last.len() && last.len() > 0 {
            break;
        }
        let merged = merged(&[before.clone(), last.clone()], Room::memory(), &TermOrigin::default())?;
        segments.truncate(segments.len() - 2);
        segments.push(Segment::new(merged));
    }
    Ok(())
}

/// The documents that count, as one image.
fn merged(segments: &[Segment], room: Room, origin: &TermOrigin) -> io::Result<TermImage> {
    if !segments.iter().all(|segment| segment.image.is_sound()) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the term index is damaged"));
    }
    let mut writer = ImageWriter::new(room)?;
    let (mut hashes, mut numbers) = (Vec::new(), ByHash::default());
    let renumbered: Vec<Vec<u32>> =
        segments.iter().map(|segment| renumbered(segment, &mut hashes, &mut numbers)).collect();
    let mut terms = Vec::new();
    let mut slots: Vec<_> = segments.iter().map(|segment| segment.slots().peekable()).collect();
    loop {
        let id_of = |(which, slot): (usize, Option<u32>)| {
            Some((segments[which].image.ids().get(slot? as usize).copied()?, which, slot?))
        };
        let heads = slots.iter_mut().map(|slots| slots.peek().copied()).enumerate();
        let Some((id, which, slot)) = heads.filter_map(id_of).min() else { break };
        slots[which].next();
        let image = &segments[which].image;
        let renumber = |old: TermCount| {
            let term = renumbered[which].get(old.term as usize).copied().filter(|term| *term != NONE)?;
            Some(TermCount { term, ..old })
        };
        terms.clear();
        terms.extend(image.terms_of(slot).filter_map(renumber));
        // Terms of the first segment keep their order.
        if which > 0 {
            terms.sort_unstable();
        }
        writer.add(id, image.lengths().get(slot as usize).copied().unwrap_or(0), &terms)?;
    }
    writer.finish(&hashes, origin)
}
