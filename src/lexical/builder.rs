//! Making an image from texts.

use super::forward::TermCount;
use super::hash::{ByHash, heading_hash, term_hash};
use super::writer::ImageWriter;
use super::{TermImage, TermOrigin};
use crate::map::Room;
use crate::text::for_each_token;
use std::io;

/// How many times a heading of one term counts it. Longer headings divide this among their terms; each counts at least
/// once.
const HEADING_COUNT: usize = 4;

/// A text whose words are looked for.
pub trait TermText {
    /// All of it, its heading included.
    fn text(&self) -> &str;

    /// What it says it is about: its heading, or the name that it declares.
    fn heading(&self) -> &str;
}

impl<S: AsRef<str>> TermText for S {
    fn text(&self) -> &str {
        self.as_ref()
    }

    fn heading(&self) -> &str {
        ""
    }
}

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
    pub fn add(&mut self, id: u64, document: &impl TermText) -> io::Result<()> {
        let Self { writer, numbers, hashes, met, terms } = self;
        let mut number = |hash: u64| {
            *numbers.entry(hash).or_insert_with(|| {
                hashes.push(hash);
                (hashes.len() - 1) as u32
            })
        };
        met.clear();
        for_each_token(document.text(), |token| met.push(number(term_hash(token))));
        let length = met.len();
        for_each_token(document.heading(), |token| met.push(number(heading_hash(token))));
        if met.len() > length {
            let of_heading = met[length..].to_vec();
            let more = (HEADING_COUNT / of_heading.len()).saturating_sub(1);
            met.extend(of_heading.iter().cycle().take(of_heading.len() * more));
        }
        met.sort_unstable();
        terms.clear();
        let of_one_term = met.chunk_by(|a, b| a == b);
        terms.extend(of_one_term.map(|same| TermCount { term: same[0], count: same.len() as u32 }));
        writer.add(id, length as u32, terms)
    }

    /// The image.
    ///
    /// # Errors
    /// When the disk refuses, or there are more than 2^32 of anything.
    pub fn finish(self, origin: &TermOrigin) -> io::Result<TermImage> {
        self.writer.finish(&self.hashes, origin)
    }
}
