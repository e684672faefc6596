//! Writing an image from documents whose terms are numbered.
//!
//! The forward list is written as documents come, so that memory holds 16 bytes a document and 20 a term. The inverted
//! list is made of it in the end, for as many terms at a time as fit into a buffer of fixed size.

use super::forward::{Record, TermCount, encode};
use super::image::{LargeCount, Totals};
use super::layout::{COUNT_BITS, LARGE_COUNT, MAX_DOCUMENTS};
use super::layout::{Counts, FIRST, Places, bucket, directory_bits};
use super::{TermImage, TermOrigin};
use crate::map::Room;
use std::io;

/// Words of the forward list that are written at once.
const BUFFER_WORDS: usize = 1 << 18;
/// Postings that are sorted at once, 4 bytes each.
const BAND_POSTINGS: usize = 16 << 20;

/// An image that is being written.
#[derive(Debug)]
pub(super) struct ImageWriter {
    room: Room,
    /// Words of the forward list that are in `room`, and those that are to follow.
    written: usize,
    buffer: Vec<u32>,
    ids: Vec<u64>,
    lengths: Vec<u32>,
    forward_starts: Vec<u32>,
    /// By number of the term.
    document_frequencies: Vec<u32>,
    postings: usize,
    tokens: u64,
    large: Vec<LargeCount>,
    band_postings: usize,
}

fn too_many(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("too many {what} for one term index"))
}

impl ImageWriter {
    pub fn new(mut room: Room) -> io::Result<Self> {
        room.resize(0, FIRST)?;
        Ok(Self {
            room,
            written: 0,
            buffer: Vec::new(),
            ids: Vec::new(),
            lengths: Vec::new(),
            forward_starts: vec![0],
            document_frequencies: Vec::new(),
            postings: 0,
            tokens: 0,
            large: Vec::new(),
            band_postings: BAND_POSTINGS,
        })
    }

    /// With another size of what is sorted at once.
    #[cfg(test)]
    pub fn with_band(self, band_postings: usize) -> Self {
        Self { band_postings, ..self }
    }

    /// Adds a document of `length` tokens; its terms are in the order of their numbers, each once.
    pub fn add(&mut self, id: u64, length: u32, terms: &[TermCount]) -> io::Result<()> {
        if self.ids.last().is_some_and(|last| *last >= id) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "documents of a term index come by ascending id"));
        }
        if self.ids.len() >= MAX_DOCUMENTS {
            return Err(too_many("documents"));
        }
        let slot = self.ids.len() as u32;
        for &TermCount { term, count } in terms {
            if self.document_frequencies.len() <= term as usize {
                self.document_frequencies.resize(term as usize + 1, 0);
            }
            self.document_frequencies[term as usize] += 1;
            if count >= LARGE_COUNT {
                self.large.push([term, slot, count]);
            }
        }
        encode(terms, &mut self.buffer);
        let end = u32::try_from(self.written + self.buffer.len()).map_err(|_| too_many("terms of documents"))?;
        self.forward_starts.push(end);
        self.ids.push(id);
        self.lengths.push(length);
        self.postings += terms.len();
        self.tokens += u64::from(length);
        if self.buffer.len() >= BUFFER_WORDS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let start = FIRST + 4 * self.written;
        self.room.resize(start, (start + 4 * self.buffer.len()).next_multiple_of(64))?;
        self.room.put(start, bytemuck::cast_slice(&self.buffer))?;
        self.written += self.buffer.len();
        self.buffer.clear();
        Ok(())
    }

    /// The image; `hashes` are those of the terms by number.
    pub fn finish(mut self, hashes: &[u64], origin: &TermOrigin) -> io::Result<TermImage> {
        self.flush()?;
        u32::try_from(self.postings).map_err(|_| too_many("terms of documents"))?;
        self.document_frequencies.resize(hashes.len(), 0);
        self.large.sort_unstable();
        let counts = Counts {
            documents: self.ids.len(),
            terms: hashes.len(),
            postings: self.postings,
            forward: self.written,
            large: self.large.len(),
            bits: directory_bits(hashes.len()),
        };
        let at = Places::of(counts).ok_or_else(|| too_many("documents"))?;
        self.room.resize(FIRST + 4 * self.written, at.bytes)?;
        self.room.put(at.ids.start, bytemuck::cast_slice(&self.ids))?;
        self.room.put(at.lengths.start, bytemuck::cast_slice(&self.lengths))?;
        self.room.put(at.forward_starts.start, bytemuck::cast_slice(&self.forward_starts))?;
        self.room.put(at.large.start, bytemuck::cast_slice(&self.large))?;
        put_vocabulary(&mut self.room, &at, counts.bits, hashes)?;
        let mut starts = Vec::with_capacity(hashes.len() + 1);
        let mut start = 0;
        for frequency in &self.document_frequencies {
            starts.push(start);
            start += frequency;
        }
        starts.push(start);
        self.room.put(at.posting_starts.start, bytemuck::cast_slice(&starts))?;
        let tokens = self.tokens;
        let room = self.put_postings(&at, &starts)?;
        TermImage::sealed(room, origin, Totals { counts, tokens })
    }

    /// Turns the forward list around.
    fn put_postings(self, at: &Places, starts: &[u32]) -> io::Result<Room> {
        let mut room = self.room;
        let terms = starts.len() - 1;
        let mut first = 0;
        while first < terms {
            // As many terms as fit, one at least.
            let base = starts[first] as usize;
            let fits = starts[first + 1..].partition_point(|end| *end as usize - base <= self.band_postings);
            let next = first + fits.max(1);
            let mut band = vec![0u32; starts[next] as usize - base];
            let mut cursors: Vec<u32> = starts[first..next].iter().map(|start| start - base as u32).collect();
            let bytes = room.into_bytes()?;
            let forward = bytes.get().get(at.forward.clone()).and_then(|part| bytemuck::try_cast_slice(part).ok());
            let forward: &[u32] = forward.unwrap_or_default();
            for (slot, ends) in self.forward_starts.windows(2).enumerate() {
                for TermCount { term, count } in Record::of(&forward[ends[0] as usize..ends[1] as usize]).terms() {
                    let Some(own) = (term as usize).checked_sub(first) else { continue };
                    let Some(cursor) = cursors.get_mut(own) else { break };
                    band[*cursor as usize] = (slot as u32) << COUNT_BITS | count;
                    *cursor += 1;
                }
            }
            room = bytes.into_room();
            room.put(at.postings.start + 4 * base, bytemuck::cast_slice(&band))?;
            first = next;
        }
        Ok(room)
    }
}

/// Terms by hash, and where each bucket of them begins.
fn put_vocabulary(room: &mut Room, at: &Places, bits: usize, hashes: &[u64]) -> io::Result<()> {
    let mut numbers: Vec<u32> = (0..hashes.len() as u32).collect();
    numbers.sort_unstable_by_key(|number| hashes[*number as usize]);
    let sorted: Vec<u64> = numbers.iter().map(|number| hashes[*number as usize]).collect();
    let mut directory = vec![0u32; (1 << bits) + 1];
    for hash in &sorted {
        directory[bucket(*hash, bits) + 1] += 1;
    }
    for bucket in 1..directory.len() {
        directory[bucket] += directory[bucket - 1];
    }
    room.put(at.hashes.start, bytemuck::cast_slice(&sorted))?;
    room.put(at.numbers.start, bytemuck::cast_slice(&numbers))?;
    room.put(at.directory.start, bytemuck::cast_slice(&directory))
}
