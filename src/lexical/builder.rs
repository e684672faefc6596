//! Making an image from texts.

use super::forward::TermCount;
use super::hash::{ByHash, term_hash};
use super::writer::ImageWriter;
use super::{TermImage, TermOrigin};
use crate::map::Room;
use crate::text::for_each_token;
use std::io;

/// An image that is being made. Texts are tokenised and dropped; kept in memory are some 50 bytes a term and 16 a
/// document where the room is a file.
#[derive(Debug)]
pub struct TermImageBuilder {
    writer: ImageWriter,
    numbers: ByHash<u32>,
    /// By number.
    hashes: Vec<u64>,
    /// Numbers of the tokens of the document that is being added, and its terms.
    met: Vec<u32>,
    terms: Vec<TermCount>,
}

impl TermImageBuilder {
    /// An image without documents.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn new(room: Room) -> io::Result<Self> {
        Ok(Self::over(ImageWriter::new(room)?))
    }

    pub(super) fn over(writer: ImageWriter) -> Self {
        Self { writer, numbers: ByHash::default(), hashes: Vec::new(), met: Vec::new(), terms: Vec::new() }
    }

    /// Adds a document. Ids ascend.
    ///
    /// # Errors
    /// When the disk refuses; `InvalidInput` when the id is not greater than the one before, or there are more
    /// documents than 2^24.
    pub fn add(&mut self, id: u64, text: &str) -> io::Result<()> {
        let Self { writer, numbers, hashes, met, terms } = self;
        met.clear();
        for_each_token(text, |token| {
            let hash = term_hash(token);
            let number = *numbers.entry(hash).or_insert_with(|| {
                hashes.push(hash);
                (hashes.len() - 1) as u32
            });
            met.push(number);
        });
        met.sort_unstable();
        terms.clear();
        let of_one_term = met.chunk_by(|a, b| a == b);
        terms.extend(of_one_term.map(|same| TermCount { term: same[0], count: same.len() as u32 }));
        writer.add(id, met.len() as u32, terms)
    }

    /// The image.
    ///
    /// # Errors
    /// When the disk refuses, or there are more than 2^32 of anything.
    pub fn finish(self, origin: &TermOrigin) -> io::Result<TermImage> {
        self.writer.finish(&self.hashes, origin)
    }
}
