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

/// What a document counts, by hash of the term.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentTerms {
    /// How many tokens it has.
    pub length: u32,
    /// Its terms, those of its heading too, with their counts; ascending by hash.
    pub terms: Vec<(u64, u32)>,
}

impl DocumentTerms {
    /// Of a document.
    pub fn of(document: &impl TermText) -> Self {
        let mut met = Vec::new();
        let length = meet(document, &mut met, |hash| hash);
        Self { length, terms: counted(&met).collect() }
    }
}

/// The hash of a word as a text holds it, in any of its forms; `None` if there is nothing to look for.
pub fn word_hash(word: &str) -> Option<u64> {
    let mut hash = None;
    for_each_token(word, |token| hash = hash.or_else(|| Some(term_hash(token))));
    hash
}

/// Puts a key of each term into `met` as often as the document counts it, sorted. Gives how many tokens it has.
fn meet<K: Copy + Ord>(document: &impl TermText, met: &mut Vec<K>, mut key: impl FnMut(u64) -> K) -> u32 {
    met.clear();
    for_each_token(document.text(), |token| met.push(key(term_hash(token))));
    let length = met.len();
    for_each_token(document.heading(), |token| met.push(key(heading_hash(token))));
    if met.len() > length {
        let of_heading = met[length..].to_vec();
        let more = (HEADING_COUNT / of_heading.len()).saturating_sub(1);
        met.extend(of_heading.iter().cycle().take(of_heading.len() * more));
    }
    met.sort_unstable();
    length as u32
}

/// Each key once, with how often it was met.
fn counted<K: Copy + Ord>(met: &[K]) -> impl Iterator<Item = (K, u32)> + '_ {
    met.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32))
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
        let number = |hash: u64| {
            *numbers.entry(hash).or_insert_with(|| {
                hashes.push(hash);
                (hashes.len() - 1) as u32
            })
        };
        let length = meet(document, met, number);
        terms.clear();
        terms.extend(counted(met).map(|(term, count)| TermCount { term, count }));
        writer.add(id, length, terms)
    }

    /// The image.
    ///
    /// # Errors
    /// When the disk refuses, or there are more than 2^32 of anything.
    pub fn finish(self, origin: &TermOrigin) -> io::Result<TermImage> {
        self.writer.finish(&self.hashes, origin)
    }
}
