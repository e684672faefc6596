//! The file that a search reads: vectors, their bytes, and whose they are. Layout in `index/FORMAT.md`.
//!
//! It is derived, mapped, and checked in two steps: header and lengths when it is opened, a row when its vector is used.
//! So opening touches a page, and damage can cost an answer's completeness, never make a wrong one: a row that is not
//! what was written is left out and reported. A link of the graph that leads elsewhere costs the same.

use super::certificate::{self, Certificate};
use super::graph::{Graph, GraphView};
use crate::map::{Bytes, HEADER, Label, checksum, write_aside};
use crate::text::{TextHash, sha256_hex};
use crate::types::Generation;
use crate::vector::{code_stride, decode_row, encode_row};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const MAGIC: &[u8; 8] = b"KENANN\0\0";
/// Version of the layout.
const FORMAT: u32 = 2;
/// Bytes of the sealed part: numbers, certificate, and the digest of the model's fingerprint.
const SEALED: usize = 256;
/// Where they begin in it.
const CERTIFICATE: usize = 96;
const MODEL: usize = 192;
/// Numbers at its beginning.
const NUMBERS: usize = 12;
/// Parts begin at multiples of this.
const ALIGN: usize = 64;

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

/// How many there are of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    dims: usize,
    rows: usize,
    links: usize,
    /// Links of a node of the graph; 0 without one.
    m: usize,
    /// Layers of the graph above the lowest, and the numbers that these take.
    layers: usize,
    upper: usize,
}

/// Where the parts lie.
#[derive(Debug)]
struct Places {
    count: Counts,
    hashes: Range<usize>,
    checks: Range<usize>,
    scales: Range<usize>,
    /// Row by row, where its links begin in `by_row`.
    starts: Range<usize>,
    by_row: Range<usize>,
    owners: Range<usize>,
    parts: Range<usize>,
    link_rows: Range<usize>,
    codes: Range<usize>,
    rests: Range<usize>,
    layers: Range<usize>,
    upper: Range<usize>,
    base: Range<usize>,
    bytes: usize,
}

impl Places {
    /// `None` when the numbers cannot be those of a file.
    fn of(count: Counts) -> Option<Self> {
        let Counts { dims, rows, links, m, layers, upper } = count;
        let mut end = HEADER + SEALED;
        let mut take = |count: usize, size: usize| -> Option<Range<usize>> {
            let start = end.checked_next_multiple_of(ALIGN)?;
            end = start.checked_add(count.checked_mul(size)?)?;
            Some(start..end)
        };
        if rows > u32::MAX as usize || links > u32::MAX as usize || dims > 1 << 16 || m > 1 << 10 {
            return None;
        }
        Some(Self {
            count,
            hashes: take(rows, 16)?,
            checks: take(rows, 8)?,
            scales: take(rows, 4)?,
            starts: take(rows + 1, 4)?,
            by_row: take(links, 4)?,
            owners: take(links, 8)?,
            parts: take(links, 4)?,
            link_rows: take(links, 4)?,
            codes: take(rows, code_stride(dims))?,
            rests: take(rows.checked_mul(dims)?, 2)?,
            layers: take(layers, 4)?,
            upper: take(upper, 4)?,
            base: take(rows.checked_mul(2 * m)?, 4)?,
            bytes: end.checked_next_multiple_of(ALIGN)?,
        })
    }
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
}

impl Image {
    /// Makes an image. A text stands once in `vectors`, whatever the order; links name the owner, the part and the text.
    /// Vectors without a link and links without a vector are left out.
    ///
    /// # Panics
    /// When a vector is not `dims` long, or there are more than 2^32 of anything.
    pub fn new<'v>(
        origin: &Origin,
        dims: usize,
        vectors: impl IntoIterator<Item = (TextHash, &'v [f32])>,
        links: impl IntoIterator<Item = (u64, u32, TextHash)>,
    ) -> Self {
        let mut links: Vec<(TextHash, u64, u32)> =
            links.into_iter().map(|(owner, part, hash)| (hash, owner, part)).collect();
        links.sort_unstable();
        let mut vectors: Vec<(TextHash, &[f32])> = vectors.into_iter().collect();
        vectors.sort_unstable_by_key(|(hash, _)| *hash);
        vectors.dedup_by_key(|(hash, _)| *hash);
        vectors.retain(|(hash, _)| links.binary_search_by_key(hash, |link| link.0).is_ok());
        let row_of = |hash: &TextHash| vectors.binary_search_by_key(hash, |(hash, _)| *hash).ok().map(|row| row as u32);
        let mut links: Vec<Link> = links
            .into_iter()
            .filter_map(|(hash, owner, part)| Some(Link { owner, part, row: row_of(&hash)? }))
            .collect();
        links.sort_unstable();
        let at = Places::of(Counts { dims, rows: vectors.len(), links: links.len(), ..Counts::default() });
        #[expect(clippy::expect_used, reason = "documented as a panic")]
        let at = at.expect("fewer than 2^32 rows and links");
        let mut words = vec![0u64; at.bytes / 8];
        let (slack, longest) = fill(bytemuck::cast_slice_mut(&mut words), &at, &vectors, &links);
        let generation = origin.generation;
        let (bytes, links_sum) = (Bytes::Owned(words), 0);
        let mut made = Self {
            bytes,
            at,
            slack,
            longest,
            generation,
            links_sum,
            certificate: None,
            is_warm: AtomicBool::default(),
        };
        made.seal_rows();
        made.seal(origin);
        made
    }

    /// The same with a graph, and what is known of it.
    ///
    /// # Panics
    /// When the graph is of other rows.
    #[must_use]
    pub(super) fn with_graph(self, origin: &Origin, graph: &Graph, certificate: Certificate) -> Self {
        let mut made = self.laid_out(Some(graph.view()));
        made.certificate = Some(certificate);
        made.seal(origin);
        made
    }

    /// With another graph, or none, in place of its own.
    fn laid_out(self, graph: Option<GraphView<'_>>) -> Self {
        let count = Counts { m: 0, layers: 0, upper: 0, ..self.at.count };
        let count = graph.as_ref().map_or(count, |graph| Counts {
            m: graph.m(),
            layers: graph.counts().len(),
            upper: graph.upper().len(),
            ..count
        });
        let fits = graph.as_ref().is_none_or(|graph| graph.rows() == self.len());
        #[expect(clippy::expect_used, reason = "documented as a panic")]
        let at = Places::of(count).filter(|_| fits).expect("a graph of these rows");
        let mut words = match self.bytes {
            Bytes::Owned(words) => words,
            mapped @ Bytes::Mapped(_) => {
                mapped.get().as_chunks::<8>().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect()
            }
        };
        // The graph follows everything else, so that what was there stays in its place.
        words.truncate(self.at.rests.end.next_multiple_of(ALIGN) / 8);
        words.resize(at.bytes / 8, 0);
        let out = bytemuck::cast_slice_mut(&mut words);
        if let Some(graph) = graph {
            put(out, &at.layers, graph.counts());
            put(out, &at.upper, graph.upper());
            put(out, &at.base, graph.base());
        }
        let links_sum = checksum(&out[at.layers.start..at.base.end]);
        Self { bytes: Bytes::Owned(words), at, links_sum, ..self }
    }

    /// The same without its graph.
    #[must_use]
    pub(super) fn without_graph(self, origin: &Origin) -> Self {
        let mut made = self.laid_out(None);
        made.certificate = None;
        made.seal(origin);
        made
    }

    /// Writes numbers, certificate and header.
    fn seal(&mut self, origin: &Origin) {
        let Counts { dims, rows, links, m, layers, upper } = self.at.count;
        let counts = [dims, rows, links, m, layers, upper].map(|count| count as u64);
        let floats = [self.slack, self.longest].map(|float| u64::from(float.to_bits()));
        let rest = [self.generation.number, self.generation.mark, self.links_sum, 0];
        let Bytes::Owned(words) = &mut self.bytes else { return };
        let mut words = std::mem::take(words);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        let body = &mut bytes[HEADER..HEADER + SEALED];
        put(body, &(0..NUMBERS * 8), &[&counts[..], &floats, &rest].concat());
        let certificate = self.certificate.map_or([0.0; certificate::NUMBERS], Certificate::to_numbers);
        put(body, &(CERTIFICATE..CERTIFICATE + certificate::NUMBERS * 4), &certificate);
        put(body, &(MODEL..MODEL + 64), sha256_hex(origin.model.as_bytes()).as_bytes());
        self.bytes = origin.label().seal(words);
    }

    /// Writes each row's checksum, which covers its hash, its vector and its links.
    fn seal_rows(&mut self) {
        let mut vector = Vec::new();
        let mut check = |row| if self.read(row, &mut vector) { self.checksum(row, &vector) } else { 0 };
        let checks: Vec<u64> = (0..self.len() as u32).map(&mut check).collect();
        if let Bytes::Owned(words) = &mut self.bytes {
            put(bytemuck::cast_slice_mut(words), &self.at.checks, &checks);
        }
    }

    /// The image at `path`, if it was made from this, of whatever generation.
    pub fn open(path: &Path, origin: &Origin) -> Option<Self> {
        Self::opened(origin.label().open(path)?, &origin.model)
    }

    /// The image at `path` if it holds vectors of this model, of whatever texts.
    pub fn open_stale(path: &Path, model: &str) -> Option<Self> {
        let any = Origin { model: model.to_owned(), ..Origin::default() };
        Self::opened(any.label().open_any(path)?, model)
    }

    fn opened(bytes: Bytes, model: &str) -> Option<Self> {
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
        let certificate = (m > 0).then(|| Certificate::from_numbers(*certificate));
        let own = body[MODEL..MODEL + 64] == *sha256_hex(model.as_bytes()).as_bytes();
        let (slack, longest, generation) = (float(slack), float(longest), Generation { number, mark });
        (own && bytes.get().len() == at.bytes).then_some(Self {
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

    /// Writes the image in one step: a reader sees the old file or the new one.
    ///
    /// # Errors
    /// When the disk refuses; what was there is untouched then.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_aside(path, self.bytes.get())
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

    /// Copies a row's vector; false if there is none.
    fn read(&self, row: u32, out: &mut Vec<f32>) -> bool {
        let (dims, at) = (self.at.count.dims, row as usize);
        let stride = code_stride(dims);
        let (Some(scale), Some(codes)) = (self.scales().get(at), self.codes().get(at * stride..at * stride + dims))
        else {
            return false;
        };
        let start = self.at.rests.start + at * dims * 2;
        if self.is_warm.load(Ordering::Relaxed) {
            let rests =
                self.bytes.get().get(start..start + dims * 2).and_then(|part| bytemuck::try_cast_slice(part).ok());
            decode_row(codes, rests.unwrap_or_default(), *scale, out);
            return true;
        }
        let mut rests = vec![0u16; dims];
        let there = self.bytes.copy_to(start, bytemuck::cast_slice_mut(&mut rests)).is_ok();
        decode_row(codes, &rests, *scale, out);
        there
    }

    fn link(&self, at: usize) -> Option<Link> {
        Some(Link {
            owner: *self.part::<u64>(&self.at.owners).get(at)?,
            part: *self.part::<u32>(&self.at.parts).get(at)?,
            row: *self.part::<u32>(&self.at.link_rows).get(at)?,
        })
    }

    /// The links of a row, as they are written; checked by [`Image::checked`].
    fn links_of_row(&self, row: u32) -> impl Iterator<Item = Link> + '_ {
        let starts: &[u32] = self.part(&self.at.starts);
        let (from, to) = (starts.get(row as usize), starts.get(row as usize + 1));
        let range = from.zip(to).map_or(0..0, |(from, to)| *from as usize..*to as usize);
        let by_row: &[u32] = self.part(&self.at.by_row);
        by_row.get(range).unwrap_or_default().iter().filter_map(|at| self.link(*at as usize))
    }

    fn checksum(&self, row: u32, vector: &[f32]) -> u64 {
        let mut sum = checksum(bytemuck::cast_slice(vector));
        let mut mix = |more: u64| sum = checksum(bytemuck::cast_slice(&[sum, more]));
        for half in self.hash(row).unwrap_or_default().as_chunks::<8>().0 {
            mix(u64::from_ne_bytes(*half));
        }
        for link in self.links_of_row(row) {
            mix(link.owner);
            mix(u64::from(link.part) << 32 | u64::from(link.row));
        }
        sum
    }

    /// The vector of a row; `None` if the row is not what was written.
    pub fn checked(&self, row: u32) -> Option<Vec<f32>> {
        let mut out = Vec::new();
        self.read_checked(row, &mut out).then_some(out)
    }

    /// The vector of a row into `out`; false if the row is not what was written.
    pub fn read_checked(&self, row: u32, out: &mut Vec<f32>) -> bool {
        let check = self.part::<u64>(&self.at.checks).get(row as usize);
        self.read(row, out) && check.is_some_and(|check| *check == self.checksum(row, out))
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
        (0..self.len() as u32).filter(|row| !self.read_checked(*row, &mut vector)).count()
    }

    /// Many searches are to come: from now on vectors are read where the file is mapped, which keeps what lies around them
    /// in memory, and not copied one by one.
    pub(super) fn warm_up(&self) {
        self.is_warm.store(true, Ordering::Relaxed);
    }
}

fn put<T: bytemuck::NoUninit>(out: &mut [u8], place: &Range<usize>, values: &[T]) {
    out[place.clone()].copy_from_slice(bytemuck::cast_slice(values));
}

/// Writes all parts but the checksums; gives the greatest slack and length.
fn fill(out: &mut [u8], at: &Places, vectors: &[(TextHash, &[f32])], links: &[Link]) -> (f32, f32) {
    let (mut slack, mut longest) = (0.0f32, 0.0f32);
    let dims = at.count.dims;
    let stride = code_stride(dims);
    let (mut codes, mut rests, mut written) = (vec![0; stride], vec![0u16; dims], Vec::new());
    for (row, (hash, vector)) in vectors.iter().enumerate() {
        assert_eq!(vector.len(), dims, "a vector of another model");
        let place = |part: &Range<usize>, size: usize| part.start + row * size..part.start + (row + 1) * size;
        put(out, &place(&at.hashes, 16), hash);
        let (scale, left) = encode_row(vector, &mut codes, &mut rests);
        put(out, &place(&at.codes, stride), &codes);
        put(out, &place(&at.rests, 2 * dims), &rests);
        put(out, &place(&at.scales, 4), &[scale]);
        slack = slack.max(left);
        // Of what was written, so that an image made from an image is the same.
        decode_row(&codes, &rests, scale, &mut written);
        longest = longest.max(written.iter().map(|x| x * x).sum::<f32>().sqrt());
    }
    put(out, &at.owners, &links.iter().map(|link| link.owner).collect::<Vec<_>>());
    put(out, &at.parts, &links.iter().map(|link| link.part).collect::<Vec<_>>());
    put(out, &at.link_rows, &links.iter().map(|link| link.row).collect::<Vec<_>>());
    let mut by_row: Vec<u32> = (0..links.len() as u32).collect();
    by_row.sort_by_key(|link| links[*link as usize].row);
    put(out, &at.by_row, &by_row);
    let first = |row: usize| by_row.partition_point(|link| (links[*link as usize].row as usize) < row) as u32;
    put(out, &at.starts, &(0..=vectors.len()).map(first).collect::<Vec<_>>());
    (slack, longest * 1.0001)
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
