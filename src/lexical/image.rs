//! The file: documents, an inverted list and a forward list of their terms. Layout in `index/FORMAT.md` and `layout`.
//!
//! It is derived, mapped, and checked in two steps: header, counts and length when it is opened, everything on request
//! ([`TermImage::is_sound`]) and before it becomes part of another. A small one is checked whole when it is opened.
//! What is read in between is read within bounds, so damage can cost an answer's quality and never more.

use super::forward::{Record, TermCount};
use super::layout::{Counts, FIRST, LARGE_COUNT, MAX_DOCUMENTS, NUMBERS, Places, SEALED, bucket};
use super::{TermImageBuilder, TermText};
use crate::map::{Bytes, HEADER, Label, Room, checksum, write_aside};
use crate::text::sha256_hex;
use crate::types::Generation;
use std::io;
use std::ops::Range;
use std::path::Path;

const MAGIC: &[u8; 8] = b"KENTERMS";
/// Version of the layout, of the hash and of how a text is cut into tokens.
pub(super) const FORMAT: u32 = 4;
/// A file of up to so many bytes is checked whole when it is opened: that takes a fraction of a millisecond.
const CHECKED_WHOLE: usize = 4 << 20;

/// What an image was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermOrigin {
    /// A text that differs whenever the documents do, as far as the generation does not tell.
    pub state: String,
    /// The last change that is in it. A file of any generation is opened: what came later can be laid over it.
    pub generation: Generation,
}

impl TermOrigin {
    fn label(&self) -> Label {
        let key = sha256_hex(format!("terms\nstate {}\n", self.state).as_bytes());
        Label::new(MAGIC, FORMAT, &key).sealing(SEALED)
    }
}

/// Documents and their terms, as a file has them. A document's slot is its place in the order of ids.
#[derive(Debug)]
pub struct TermImage {
    bytes: Bytes,
    at: Places,
    counts: Counts,
    tokens: u64,
    generation: Generation,
    /// Checksum of everything after the sealed part.
    sum: u64,
}

/// Term, slot and count of a posting whose count does not fit.
pub(super) type LargeCount = [u32; 3];

/// What is sealed with an image beside its counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Totals {
    pub counts: Counts,
    pub tokens: u64,
}

impl TermImage {
    /// Makes an image in memory.
    ///
    /// # Errors
    /// `InvalidInput` when ids do not ascend or there are more documents than 2^24.
    pub fn of_texts<S: TermText>(origin: &TermOrigin, texts: impl IntoIterator<Item = (u64, S)>) -> io::Result<Self> {
        let mut builder = TermImageBuilder::new(Room::memory())?;
        for (id, text) in texts {
            builder.add(id, &text)?;
        }
        builder.finish(origin)
    }

    /// The image at `path` if it is of this state; else made in memory, and kept there if that can be.
    ///
    /// # Errors
    /// As [`TermImage::of_texts`].
    pub fn open_or_make<S: TermText>(
        path: &Path,
        origin: &TermOrigin,
        texts: impl IntoIterator<Item = (u64, S)>,
    ) -> io::Result<Self> {
        if let Some(kept) = Self::open(path, origin) {
            return Ok(kept);
        }
        let made = Self::of_texts(origin, texts)?;
        let _ = made.write(path); // What cannot be kept costs only the making again.
        Ok(made)
    }

    /// The image at `path`, if it is of this state, of whatever generation.
    pub fn open(path: &Path, origin: &TermOrigin) -> Option<Self> {
        Self::opened(origin.label().open(path)?)
    }

    /// The image at `path`, whatever it was made from: to say what is there, not to search it.
    pub fn open_whatever(path: &Path) -> Option<Self> {
        Self::opened(TermOrigin::default().label().open_any(path)?)
    }

    fn opened(bytes: Bytes) -> Option<Self> {
        let sealed = bytes.get().get(HEADER..HEADER + 8 * NUMBERS)?;
        let numbers: &[u64; NUMBERS] = bytemuck::try_cast_slice(sealed).ok()?.try_into().ok()?;
        let [documents, terms, postings, forward, large, bits, tokens, number, mark, sum] = *numbers;
        let count = |number: u64| usize::try_from(number).ok();
        let counts = Counts {
            documents: count(documents)?,
            terms: count(terms)?,
            postings: count(postings)?,
            forward: count(forward)?,
            large: count(large)?,
            bits: count(bits)?,
        };
        let at = Places::of(counts)?;
        let image = Self { at, counts, tokens, generation: Generation { number, mark }, sum, bytes };
        let fits = image.bytes.get().len() == image.at.bytes && counts.documents <= MAX_DOCUMENTS;
        (fits && (image.at.bytes > CHECKED_WHOLE || image.is_sound())).then_some(image)
    }

    /// Of parts that have been laid out in `room`.
    pub(super) fn sealed(room: Room, origin: &TermOrigin, totals: Totals) -> io::Result<Self> {
        let at = Places::of(totals.counts).ok_or(io::ErrorKind::InvalidInput)?;
        let bytes = room.into_bytes()?;
        let sum = checksum(bytes.get().get(FIRST..at.bytes).ok_or(io::ErrorKind::InvalidInput)?);
        let Counts { documents, terms, postings, forward, large, bits } = totals.counts;
        let counts = [documents, terms, postings, forward, large, bits].map(|count| count as u64);
        let rest = [totals.tokens, origin.generation.number, origin.generation.mark, sum];
        let mut body = [0; SEALED];
        body[..8 * NUMBERS].copy_from_slice(bytemuck::cast_slice(&[&counts[..], &rest].concat()));
        let mut room = bytes.into_room();
        room.put(0, &origin.label().head(at.bytes, &body))?;
        room.put(HEADER, &body)?;
        let (counts, tokens, generation) = (totals.counts, totals.tokens, origin.generation);
        Ok(Self { bytes: room.into_bytes()?, at, counts, tokens, generation, sum })
    }

    /// Writes a copy in one step: a reader sees the old file or the new one.
    ///
    /// # Errors
    /// When the disk refuses; what was there is untouched then.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_aside(path, self.bytes.get())
    }

    /// Puts an image that was made on the disk in its place; nothing for one in memory.
    ///
    /// # Errors
    /// When the disk refuses, or somebody has removed what was to take the place; what was there is untouched then.
    pub fn persist(self) -> io::Result<()> {
        match self.bytes.into_room() {
            Room::Aside(aside) => aside.persist(),
            Room::Memory(_) => Ok(()),
        }
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.counts.documents
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.documents == 0
    }

    /// Different terms of all documents.
    pub fn terms(&self) -> usize {
        self.counts.terms
    }

    /// Tokens of all documents.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.at.bytes
    }

    /// The last change that is in it.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Whether everything is what was written: a deep check, which reads all.
    pub fn is_sound(&self) -> bool {
        self.bytes.get().get(FIRST..).is_some_and(|body| checksum(body) == self.sum)
    }

    fn part<T: bytemuck::AnyBitPattern>(&self, place: &Range<usize>) -> &[T] {
        // Every part lies within the file, whose length was compared, and begins at a multiple of 64.
        bytemuck::try_cast_slice(self.bytes.get().get(place.clone()).unwrap_or_default()).unwrap_or_default()
    }

    /// Ids of the documents by slot, ascending.
    pub fn ids(&self) -> &[u64] {
        self.part(&self.at.ids)
    }

    /// Lengths of the documents by slot, in tokens.
    pub(super) fn lengths(&self) -> &[u32] {
        self.part(&self.at.lengths)
    }

    /// The slot of a document. Ids ascend, so it lies within as many places as there are gaps between them: few, as a
    /// rule.
    pub(super) fn slot_of(&self, id: u64) -> Option<u32> {
        let ids = self.ids();
        let after = usize::try_from(id.checked_sub(*ids.first()?)?).unwrap_or(usize::MAX);
        let before = usize::try_from(ids.last()?.checked_sub(id)?).unwrap_or(usize::MAX);
        let (low, high) = ((ids.len() - 1).saturating_sub(before), after.min(ids.len() - 1));
        let found = ids.get(low..=high)?.binary_search(&id).ok()?;
        u32::try_from(low + found).ok()
    }

    /// The number of a term; `None` if no document holds it.
    pub(super) fn number_of(&self, hash: u64) -> Option<u32> {
        let directory: &[u32] = self.part(&self.at.directory);
        let bucket = bucket(hash, self.counts.bits);
        let (from, to) = (*directory.get(bucket)? as usize, *directory.get(bucket + 1)? as usize);
        let found = self.part::<u64>(&self.at.hashes).get(from..to)?.binary_search(&hash).ok()?;
        let number = *self.part::<u32>(&self.at.numbers).get(from + found)?;
        ((number as usize) < self.counts.terms).then_some(number)
    }

    /// Hash and number of each term, by hash.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.part::<u64>(&self.at.hashes).iter().copied().zip(self.part::<u32>(&self.at.numbers).iter().copied())
    }

    /// The documents that hold a term, in the order of slots: slot and count in one, see `layout::COUNT_BITS`.
    pub(super) fn postings(&self, term: u32) -> &[u32] {
        let starts: &[u32] = self.part(&self.at.posting_starts);
        let (from, to) = (starts.get(term as usize), starts.get(term as usize + 1));
        let range = from.zip(to).map_or(0..0, |(from, to)| *from as usize..*to as usize);
        self.part::<u32>(&self.at.postings).get(range).unwrap_or_default()
    }

    /// How often a document holds a term, of a posting whose count does not fit.
    #[cold]
    pub(super) fn large_count(&self, term: u32, slot: u32) -> u32 {
        let large: &[LargeCount] = self.part(&self.at.large);
        let found = large.binary_search_by_key(&[term, slot], |[term, slot, _]| [*term, *slot]);
        found.ok().and_then(|at| large.get(at)).map_or(LARGE_COUNT, |[_, _, count]| *count)
    }

    /// The terms of a document as they lie in the file.
    pub(super) fn record(&self, slot: u32) -> Record<'_> {
        let starts: &[u32] = self.part(&self.at.forward_starts);
        let (from, to) = (starts.get(slot as usize), starts.get(slot as usize + 1));
        let range = from.zip(to).map_or(0..0, |(from, to)| *from as usize..*to as usize);
        Record::of(self.part::<u32>(&self.at.forward).get(range).unwrap_or_default())
    }

    /// The terms of a document, in the order of their numbers.
    pub(super) fn terms_of(&self, slot: u32) -> impl Iterator<Item = TermCount> + '_ {
        self.record(slot).terms().map(move |found| match found.count {
            LARGE_COUNT => TermCount { count: self.large_count(found.term, slot), ..found },
            _ => found,
        })
    }
}
