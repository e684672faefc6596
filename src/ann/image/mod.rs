//! The file that a search reads: vectors, their bytes, and whose they are. Layout in `index/FORMAT.md` and `places`;
//! `draft` makes one, in memory or on the disk.
//!
//! It is derived, mapped, and checked in two steps: header and lengths when it is opened, a row when its vector is
//! used. So opening touches a page, and damage can cost an answer's completeness, never make a wrong one: a row that is
//! not what was written is left out and reported. A link of the graph that leads elsewhere costs the same.

mod draft;
mod places;

pub use draft::Draft;

use super::certificate::{self, Certificate};
use super::graph::{Graph, GraphView};
use crate::map::{Bytes, HEADER, Label, Room, checksum, write_aside};
use crate::text::{TextHash, sha256_hex};
use crate::types::Generation;
use crate::vector::simd::Isa;
use crate::vector::{code_stride, decode_row, dot_encoded};
use places::{CERTIFICATE, Counts, MODEL, NUMBERS, Places, SEALED};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const MAGIC: &[u8; 8] = b"KENANN\0\0";
/// Version of the layout.
const FORMAT: u32 = 2;
/// What an image was made from: the model, and the state of what the vectors belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The model's fingerprint.
    pub model: String,
    /// A text that differs whenever the texts or their owners do, as far as the generation does not tell.
    pub state: String,
    /// The last change that is in it. A file of any generation is opened: what came later can be laid over it.
    pub generation: Generation,
}

impl Origin {
    fn label(&self) -> Label {
        let key = sha256_hex(format!("model {}\nstate {}\n", self.model, self.state).as_bytes());
        Label::new(MAGIC, FORMAT, &key).sealing(SEALED)
    }
}

/// A text of an owner: what the vector of a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Whoever the text belongs to; what the number means is the caller's.
    pub owner: u64,
    /// Which of the owner's texts.
    pub part: u32,
    /// The row with its vector.
    pub row: u32,
}

/// Vectors with their owners, as a file has them.
#[derive(Debug)]
pub struct Image {
    bytes: Bytes,
    at: Places,
    /// Greatest slack and length of a row.
    slack: f32,
    longest: f32,
    generation: Generation,
    /// Checksum of the graph.
    links_sum: u64,
    certificate: Option<Certificate>,
    /// Whether vectors are read where they are mapped.
    is_warm: AtomicBool,
    /// A bit for each row whose checksum was found right: it is not computed again.
    verified: Verified,
}

/// Which rows were found to be what was written, one bit each.
#[derive(Debug)]
struct Verified(Box<[AtomicU64]>);

impl Verified {
    fn new(rows: usize) -> Self {
        Self((0..rows.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn contains(&self, row: u32) -> bool {
        self.0.get(row as usize / 64).is_some_and(|word| word.load(Ordering::Relaxed) >> (row % 64) & 1 == 1)
    }

    fn insert(&self, row: u32) {
        if let Some(word) = self.0.get(row as usize / 64) {
            word.fetch_or(1 << (row % 64), Ordering::Relaxed);
        }
    }
}

/// Room for reading rows, kept from row to row.
#[derive(Debug, Default)]
pub(super) struct RowRoom {
    rests: Vec<u16>,
    vector: Vec<f32>,
}

/// A row as it is encoded.
struct Encoded<'a> {
    codes: &'a [u8],
    rests: &'a [u16],
    scale: f32,
}

/// Reads rows of an image: where its parts lie is found once and not for every row.
pub(super) struct RowReader<'a> {
    image: &'a Image,
    isa: Isa,
    codes: &'a [u8],
    scales: &'a [f32],
    /// Where the file is warm.
    rests: Option<&'a [u16]>,
    starts: &'a [u32],
    by_row: &'a [u32],
}

impl<'a> RowReader<'a> {
    pub fn new(image: &'a Image, isa: Isa) -> Self {
        let rests = image.is_warm.load(Ordering::Relaxed).then(|| image.part(&image.at.rests));
        let (starts, by_row) = (image.part(&image.at.starts), image.part(&image.at.by_row));
        Self { image, isa, codes: image.codes(), scales: image.scales(), rests, starts, by_row }
    }

    /// A row as it is encoded; `None` if there is none, or it cannot be read.
    fn encoded<'r>(&'r self, row: u32, room: &'r mut Vec<u16>) -> Option<Encoded<'r>> {
        let (dims, at) = (self.image.at.count.dims, row as usize);
        let scale = *self.scales.get(at)?;
        let codes = self.codes.get(at * code_stride(dims)..)?.get(..dims)?;
        if let Some(rests) = self.rests {
            return Some(Encoded { codes, rests: rests.get(at * dims..)?.get(..dims)?, scale });
        }
        room.resize(dims, 0);
        let start = self.image.at.rests.start + at * dims * 2;
        self.image.bytes.copy_to(start, bytemuck::cast_slice_mut(room)).ok()?;
        Some(Encoded { codes, rests: room, scale })
    }

    /// Dot product of a query and a row, in full precision; `None` if there is no such row, or it is not what was
    /// written, or the query is of another length. A row's checksum is compared when the row is first read.
    pub fn similarity(&self, query: &[f32], row: u32, room: &mut RowRoom) -> Option<f32> {
        let RowRoom { rests, vector } = room;
        let Encoded { codes, rests, scale } = self.encoded(row, rests)?;
        if !self.image.verified.contains(row) {
            decode_row(codes, rests, scale, vector);
            if !self.image.verify(row, vector) {
                return None;
            }
        }
        (query.len() == codes.len()).then(|| dot_encoded(self.isa, query, codes, rests, scale))
    }

    /// Asks for a row that is about to be compared, where it is mapped.
    pub fn prefetch(&self, row: u32) {
        let (dims, at) = (self.image.at.count.dims, row as usize);
        let codes = self.codes.get(at * code_stride(dims)..).and_then(|from| from.get(..dims));
        self.isa.prefetch(codes.unwrap_or_default());
        let rests = self.rests.and_then(|rests| rests.get(at * dims..)?.get(..dims));
        self.isa.prefetch(rests.unwrap_or_default());
    }

    /// Numbers of the links of a row, as they are written.
    pub fn link_numbers(&self, row: u32) -> &'a [u32] {
        let at = row as usize;
        let range = self.starts.get(at..at + 2).map_or(0..0, |ends| ends[0] as usize..ends[1] as usize);
        self.by_row.get(range).unwrap_or_default()
    }

    /// Whether a row knows of the link of this number: only then does the row's checksum vouch for the link.
    pub fn knows(&self, row: u32, link: usize) -> bool {
        self.link_numbers(row).iter().any(|known| *known as usize == link)
    }
}

/// Links in the order of owner and part, in three columns of one length.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkColumns<'a> {
    pub owners: &'a [u64],
    pub parts: &'a [u32],
    pub rows: &'a [u32],
}

impl LinkColumns<'_> {
    /// Where the links of an owner stand.
    pub fn of_owner(&self, owner: u64) -> Range<usize> {
        let first = self.owners.partition_point(|other| *other < owner);
        let count = self.owners[first..].iter().take_while(|other| **other == owner).count();
        first..first + count
    }
}

impl Image {
    /// Makes an image in memory. A text stands once in `vectors`, whatever the order; links name the owner, the part
    /// and the text. Vectors without a link and links without a vector are left out.
    ///
    /// # Panics
    /// When a vector is not `dims` long, or there are more than 2^32 of anything.
    pub fn new<'v>(
        origin: &Origin,
        dims: usize,
        vectors: impl IntoIterator<Item = (TextHash, &'v [f32])>,
        links: impl IntoIterator<Item = (u64, u32, TextHash)>,
    ) -> Self {
        let vectors: Vec<(TextHash, &[f32])> = vectors.into_iter().collect();
        let texts = vectors.iter().map(|(hash, _)| *hash).collect();
        let make = || -> io::Result<Self> {
            let mut draft = Draft::new(Room::memory(), dims, texts, links.into_iter().collect())?;
            for (hash, vector) in vectors {
                draft.put(&hash, vector)?;
            }
            draft.finish(origin)
        };
        #[expect(clippy::expect_used, reason = "memory refuses nothing; the rest is documented as a panic")]
        make().expect("fewer than 2^32 rows and links")
    }

    /// The same with a graph, and what is known of it.
    ///
    /// # Errors
    /// When the image lies on a disk that refuses, or the graph is of other rows.
    pub(super) fn with_graph(self, origin: &Origin, graph: &Graph, certificate: Certificate) -> io::Result<Self> {
        Self { certificate: Some(certificate), ..self.laid_out(Some(graph.view()))? }.sealed(origin)
    }

    /// The same without its graph.
    ///
    /// # Errors
    /// When the image lies on a disk that refuses.
    pub(super) fn without_graph(self, origin: &Origin) -> io::Result<Self> {
        Self { certificate: None, ..self.laid_out(None)? }.sealed(origin)
    }

    /// With another certificate for its graph.
    ///
    /// # Errors
    /// When the image lies on a disk that refuses.
    pub(super) fn certified(self, origin: &Origin, certificate: Certificate) -> io::Result<Self> {
        Self { certificate: self.certificate.map(|_| certificate), ..self }.sealed(origin)
    }

    /// With another graph, or none, in place of its own.
    fn laid_out(self, graph: Option<GraphView<'_>>) -> io::Result<Self> {
        let count = Counts { m: 0, layers: 0, upper: 0, ..self.at.count };
        let count = graph.as_ref().map_or(count, |graph| Counts {
            m: graph.m(),
            layers: graph.counts().len(),
            upper: graph.upper().len(),
            ..count
        });
        let fits = graph.as_ref().is_none_or(|graph| graph.rows() == self.len());
        let at = Places::of(count).filter(|_| fits).ok_or(io::ErrorKind::InvalidInput)?;
        let mut room = self.bytes.into_room();
        // The graph follows everything else, so that what was there stays in its place.
        room.resize(self.at.rests.end, at.bytes)?;
        if let Some(graph) = graph {
            room.put(at.layers.start, bytemuck::cast_slice(graph.counts()))?;
            room.put(at.upper.start, bytemuck::cast_slice(graph.upper()))?;
            room.put(at.base.start, bytemuck::cast_slice(graph.base()))?;
        }
        let bytes = room.into_bytes()?;
        let links_sum = checksum(&bytes.get()[at.layers.start..at.base.end]);
        Ok(Self { bytes, at, links_sum, ..self })
    }

    /// With numbers, certificate and header written.
    fn sealed(self, origin: &Origin) -> io::Result<Self> {
        let Counts { dims, rows, links, m, layers, upper } = self.at.count;
        let counts = [dims, rows, links, m, layers, upper].map(|count| count as u64);
        let floats = [self.slack, self.longest].map(|float| u64::from(float.to_bits()));
        let rest = [self.generation.number, self.generation.mark, self.links_sum, 0];
        let numbers = [&counts[..], &floats, &rest].concat();
        let certificate = self.certificate.map_or([0.0; certificate::NUMBERS], Certificate::to_numbers);
        let mut body = [0; SEALED];
        body[..NUMBERS * 8].copy_from_slice(bytemuck::cast_slice(&numbers));
        body[CERTIFICATE..CERTIFICATE + certificate::NUMBERS * 4].copy_from_slice(bytemuck::cast_slice(&certificate));
        body[MODEL..MODEL + 64].copy_from_slice(sha256_hex(origin.model.as_bytes()).as_bytes());
        let mut room = self.bytes.into_room();
        room.put(0, &origin.label().head(self.at.bytes, &body))?;
        room.put(HEADER, &body)?;
        Ok(Self { bytes: room.into_bytes()?, ..self })
    }

    /// The image at `path`, if it was made from this, of whatever generation.
    pub fn open(path: &Path, origin: &Origin) -> Option<Self> {
        Self::opened(origin.label().open(path)?, Some(&origin.model))
    }

    /// The image at `path` if it holds vectors of this model, of whatever texts.
    pub fn open_stale(path: &Path, model: &str) -> Option<Self> {
        let any = Origin { model: model.to_owned(), ..Origin::default() };
        Self::opened(any.label().open_any(path)?, Some(model))
    }

    /// The image at `path`, whatever model and texts it is of: to say what is there, not to search it.
    pub fn open_whatever(path: &Path) -> Option<Self> {
        Self::opened(Origin::default().label().open_any(path)?, None)
    }

    fn opened(bytes: Bytes, model: Option<&str>) -> Option<Self> {
        let body = bytes.get().get(HEADER..HEADER + SEALED)?;
        let numbers: &[u64; NUMBERS] = bytemuck::try_cast_slice(&body[..NUMBERS * 8]).ok()?.try_into().ok()?;
        let [dims, rows, links, m, layers, upper, slack, longest, number, mark, links_sum, _] = *numbers;
        let count = |number: u64| usize::try_from(number).ok();
        let float = |number: u64| f32::from_bits(number as u32);
        let at = Places::of(Counts {
            dims: count(dims)?,
            rows: count(rows)?,
            links: count(links)?,
            m: count(m)?,
            layers: count(layers)?,
            upper: count(upper)?,
        })?;
        let certificate = &body[CERTIFICATE..CERTIFICATE + certificate::NUMBERS * 4];
        let certificate: &[f32; certificate::NUMBERS] = bytemuck::try_cast_slice(certificate).ok()?.try_into().ok()?;
        let certificate = Certificate::from_numbers(*certificate).filter(|_| m > 0);
        let own = model.is_none_or(|model| body[MODEL..MODEL + 64] == *sha256_hex(model.as_bytes()).as_bytes());
        let (slack, longest, generation) = (float(slack), float(longest), Generation { number, mark });
        (own && bytes.get().len() == at.bytes).then(|| Self {
            // Only now is the number of rows known to be real.
            verified: Verified::new(at.count.rows),
            bytes,
            at,
            slack,
            longest,
            generation,
            links_sum,
            certificate,
            is_warm: AtomicBool::default(),
        })
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

    /// The whole file, header and all.
    pub fn file_bytes(&self) -> &[u8] {
        self.bytes.get()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.at.count.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.at.count.rows == 0
    }

    /// Components of a vector.
    pub fn dims(&self) -> usize {
        self.at.count.dims
    }

    /// The last change that is in it.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// What its graph was measured to do; `None` without a graph.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// Its graph, if it has one.
    pub(super) fn graph(&self) -> Option<GraphView<'_>> {
        let Counts { rows, m, .. } = self.at.count;
        let (layers, upper, base) = (self.part(&self.at.layers), self.part(&self.at.upper), self.part(&self.at.base));
        (m > 0).then(|| GraphView::new(rows, m, layers, upper, base))?
    }

    /// Whether the links of its graph are what was written: a deep check, which reads them all.
    pub fn graph_is_sound(&self) -> bool {
        let parts = self.at.layers.start..self.at.base.end;
        self.certificate.is_none() || checksum(&self.bytes.get()[parts]) == self.links_sum
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.at.bytes
    }

    /// Greatest slack and length of a row, for the error of comparisons.
    pub(super) fn bounds(&self) -> (f32, f32) {
        (self.slack, self.longest)
    }

    fn part<T: bytemuck::AnyBitPattern>(&self, place: &Range<usize>) -> &[T] {
        // Every part lies within the file, whose length was compared, and begins at a multiple of 64.
        bytemuck::try_cast_slice(self.bytes.get().get(place.clone()).unwrap_or_default()).unwrap_or_default()
    }

    /// Bytes of all rows, as [`crate::vector::encode_row`] made them.
    pub(super) fn codes(&self) -> &[u8] {
        self.part(&self.at.codes)
    }

    /// Scale of each row's bytes.
    pub(super) fn scales(&self) -> &[f32] {
        self.part(&self.at.scales)
    }

    fn hash(&self, row: u32) -> Option<TextHash> {
        self.part::<u8>(&self.at.hashes).as_chunks::<16>().0.get(row as usize).copied()
    }

    /// All links, by owner and part, as they are written: whoever uses one asks [`RowReader::knows`].
    pub(super) fn link_columns(&self) -> LinkColumns<'_> {
        let (owners, parts, rows) =
            (self.part(&self.at.owners), self.part(&self.at.parts), self.part(&self.at.link_rows));
        LinkColumns { owners, parts, rows }
    }

    fn link(&self, at: usize) -> Option<Link> {
        Some(Link {
            owner: *self.part::<u64>(&self.at.owners).get(at)?,
            part: *self.part::<u32>(&self.at.parts).get(at)?,
            row: *self.part::<u32>(&self.at.link_rows).get(at)?,
        })
    }

    /// Numbers of the links of a row, as they are written.
    fn link_numbers(&self, row: u32) -> &[u32] {
        let starts: &[u32] = self.part(&self.at.starts);
        let (from, to) = (starts.get(row as usize), starts.get(row as usize + 1));
        let range = from.zip(to).map_or(0..0, |(from, to)| *from as usize..*to as usize);
        self.part::<u32>(&self.at.by_row).get(range).unwrap_or_default()
    }

    /// The links of a row, as they are written; checked by [`Image::checked`].
    fn links_of_row(&self, row: u32) -> impl Iterator<Item = Link> + '_ {
        self.link_numbers(row).iter().filter_map(|at| self.link(*at as usize))
    }

    fn checksum(&self, row: u32, vector: &[f32]) -> u64 {
        row_checksum(&self.hash(row).unwrap_or_default(), vector, self.links_of_row(row))
    }

    /// Whether this is what was written as the row's vector.
    fn verify(&self, row: u32, vector: &[f32]) -> bool {
        let check = self.part::<u64>(&self.at.checks).get(row as usize);
        let is_whole = check.is_some_and(|check| *check == self.checksum(row, vector));
        if is_whole {
            self.verified.insert(row);
        }
        is_whole
    }

    /// The vector of a row; `None` if the row is not what was written.
    pub fn checked(&self, row: u32) -> Option<Vec<f32>> {
        let mut out = Vec::new();
        self.read_checked(row, &mut out).then_some(out)
    }

    /// The vector of a row into `out`; false if the row is not what was written, which is asked when it is first read.
    pub fn read_checked(&self, row: u32, out: &mut Vec<f32>) -> bool {
        self.decode(row, out) && (self.verified.contains(row) || self.verify(row, out))
    }

    /// The vector of a row, whatever its checksum says; false if there is none.
    fn decode(&self, row: u32, out: &mut Vec<f32>) -> bool {
        let mut rests = Vec::new();
        let reader = RowReader::new(self, Isa::detect());
        let Some(Encoded { codes, rests, scale }) = reader.encoded(row, &mut rests) else { return false };
        decode_row(codes, rests, scale, out);
        true
    }

    /// The row of a text.
    pub fn row_of(&self, hash: &TextHash) -> Option<u32> {
        let hashes = self.part::<u8>(&self.at.hashes).as_chunks::<16>().0;
        hashes.binary_search(hash).ok().map(|row| row as u32)
    }

    /// Owner and part of each text that a row stands for.
    pub fn owners_of(&self, row: u32) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.links_of_row(row).filter(move |link| link.row == row).map(|link| (link.owner, link.part))
    }

    /// Part and row of each text of an owner.
    pub fn rows_of(&self, owner: u64) -> impl Iterator<Item = (u32, u32)> + '_ {
        let owners: &[u64] = self.part(&self.at.owners);
        let first = owners.partition_point(|other| *other < owner);
        let own =
            (first..self.at.count.links).map_while(|at| self.link(at)).take_while(move |link| link.owner == owner);
        // The row must know of the link too: only then does the row's checksum vouch for it.
        own.filter(|link| self.links_of_row(link.row).any(|known| known == *link)).map(|link| (link.part, link.row))
    }

    /// How many links there are.
    pub fn link_count(&self) -> usize {
        self.at.count.links
    }

    /// All links, by owner and part.
    pub fn links(&self) -> impl Iterator<Item = Link> + '_ {
        (0..self.at.count.links).filter_map(|at| self.link(at))
    }

    /// Rows that are not what was written: a deep check, which reads all.
    pub fn damaged_rows(&self) -> usize {
        let mut vector = Vec::new();
        let mut is_whole = |row: u32| self.decode(row, &mut vector) && self.verify(row, &vector);
        (0..self.len() as u32).filter(|row| !is_whole(*row)).count()
    }

    /// Many searches are to come: from now on vectors are read where the file is mapped, which keeps what lies around
    /// them in memory, and not copied one by one.
    pub(super) fn warm_up(&self) {
        self.is_warm.store(true, Ordering::Relaxed);
    }
}

/// The checksum of a row, which covers its hash, its vector and its links.
fn row_checksum(hash: &TextHash, vector: &[f32], links: impl Iterator<Item = Link>) -> u64 {
    let mut sum = checksum(bytemuck::cast_slice(vector));
    let mut mix = |more: u64| sum = checksum(bytemuck::cast_slice(&[sum, more]));
    for half in hash.as_chunks::<8>().0 {
        mix(u64::from_ne_bytes(*half));
    }
    for link in links {
        mix(link.owner);
        mix(u64::from(link.part) << 32 | u64::from(link.row));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn origin(state: &str) -> Origin {
        Origin { model: "m@01".into(), state: state.into(), ..Origin::default() }
    }

    fn sample() -> Image {
        let vectors =
            [([3; 16], &[0.6f32, 0.8][..]), ([1; 16], &[1.0, 0.0]), ([2; 16], &[0.0, 1.0]), ([9; 16], &[1.0, 1.0])];
        let links = [(7, 1, [1; 16]), (7, 0, [2; 16]), (9, 0, [1; 16]), (5, 0, [3; 16]), (4, 0, [8; 16])];
        Image::new(&origin("a"), 2, vectors, links)
    }

    #[test]
    fn rows_and_owners() {
        let image = sample();
        assert_eq!((image.len(), image.dims()), (3, 2), "nobody owns [9; 16]");
        let row = image.row_of(&[1; 16]).unwrap();
        assert_eq!(image.checked(row).unwrap().iter().map(|x| x.round()).collect::<Vec<_>>(), [1.0, 0.0]);
        assert_eq!(image.owners_of(row).collect::<Vec<_>>(), [(7, 1), (9, 0)]);
        let rows: Vec<_> = image.rows_of(7).collect();
        assert_eq!(rows, [(0, image.row_of(&[2; 16]).unwrap()), (1, row)]);
        assert_eq!((image.rows_of(4).count(), image.row_of(&[8; 16]), image.links().count()), (0, None, 4));
        assert_eq!(image.damaged_rows(), 0);
        assert_eq!(Image::new(&origin("a"), 2, [], []).len(), 0);
    }

    #[test]
    fn opens_what_it_is_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.ann");
        assert!(Image::open(&path, &origin("a")).is_none());
        sample().write(&path).unwrap();
        let back = Image::open(&path, &origin("a")).unwrap();
        assert_eq!(back.links().collect::<Vec<_>>(), sample().links().collect::<Vec<_>>());
        assert!(Image::open(&path, &origin("b")).is_none());
        assert_eq!(Image::open_stale(&path, "m@01").map(|i| i.len()), Some(3));
        assert!(Image::open_stale(&path, "m@02").is_none());
    }

    /// Whatever bit is wrong: the file is refused, or every row that it still gives is right.
    #[test]
    fn damage_never_makes_a_wrong_row() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.ann");
        let whole = sample().bytes.get().to_vec();
        let right: Vec<_> = (0..3).map(|row| sample().checked(row)).collect();
        let (mut refused, mut noticed) = (0, 0);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            fs::write(&path, &bytes).unwrap();
            let Some(image) = Image::open(&path, &origin("a")) else {
                refused += 1;
                continue;
            };
            noticed += usize::from(image.damaged_rows() > 0);
            for row in 0..3u32 {
                let Some(vector) = image.checked(row) else { continue };
                assert_eq!(Some(vector), right[row as usize], "byte {at}");
                let owners: Vec<_> = image.owners_of(row).collect();
                assert_eq!(owners, sample().owners_of(row).collect::<Vec<_>>(), "byte {at}");
            }
            for owner in [4, 5, 7, 9] {
                for (_, row) in image.rows_of(owner) {
                    let whose: Vec<_> = image.owners_of(row).map(|(owner, _)| owner).collect();
                    assert!(image.checked(row).is_none() || whose.contains(&owner), "byte {at}");
                }
            }
            fs::write(&path, &whole[..at]).unwrap();
            assert!(Image::open(&path, &origin("a")).is_none(), "cut at {at}");
        }
        // The rest are the zeros between the parts.
        assert!(refused >= HEADER + SEALED && noticed > 150, "{refused} {noticed}");
    }
}
