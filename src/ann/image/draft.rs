//! Making an image: first which texts there are and whose, then their vectors one after another, in any order.
//!
//! Where the room is a file, vectors and their bytes go there at once; kept in memory are hash, links, scale and
//! checksum of each row, some 60 bytes. A graph needs its links on top of that while it is built.

use super::places::{Counts, Places};
use super::{Image, Link, Origin, Verified, row_checksum};
use crate::map::Room;
use crate::text::TextHash;
use crate::vector::{code_stride, decode_row, encode_row};
use std::io;
use std::sync::atomic::AtomicBool;

/// An image that is being made.
#[derive(Debug)]
pub struct Draft {
    room: Room,
    at: Places,
    hashes: Vec<TextHash>,
    /// By owner and part.
    links: Vec<Link>,
    /// Row by row, numbers of links, and where each row's begin.
    by_row: Vec<u32>,
    starts: Vec<u32>,
    scales: Vec<f32>,
    checks: Vec<u64>,
    slack: f32,
    longest: f32,
    /// Bytes, rests and vector of the row that is being written.
    codes: Vec<u8>,
    rests: Vec<u16>,
    written: Vec<f32>,
}

impl Draft {
    /// Of these texts, as far as somebody owns them; links name the owner, the part and the text, and those of other
    /// texts are left out.
    ///
    /// # Errors
    /// When the disk refuses, or there are more than 2^32 rows or links.
    pub fn new(
        mut room: Room,
        dims: usize,
        mut texts: Vec<TextHash>,
        links: Vec<(u64, u32, TextHash)>,
    ) -> io::Result<Self> {
        texts.sort_unstable();
        texts.dedup();
        let row = |hash: &TextHash| texts.binary_search(hash).ok();
        let mut owned = vec![false; texts.len()];
        links.iter().filter_map(|(_, _, hash)| row(hash)).for_each(|row| owned[row] = true);
        let mut owned = owned.into_iter();
        texts.retain(|_| owned.next().unwrap_or(false));
        let row = |hash: &TextHash| texts.binary_search(hash).ok().map(|row| row as u32);
        let known = |(owner, part, hash)| Some(Link { owner, part, row: row(&hash)? });
        let mut links: Vec<Link> = links.into_iter().filter_map(known).collect();
        links.sort_unstable();
        let counts = Counts { dims, rows: texts.len(), links: links.len(), ..Counts::default() };
        let at = Places::of(counts).ok_or(io::ErrorKind::InvalidInput)?;
        let mut by_row: Vec<u32> = (0..links.len() as u32).collect();
        by_row.sort_by_key(|link| links[*link as usize].row);
        let first = |row: usize| by_row.partition_point(|link| (links[*link as usize].row as usize) < row) as u32;
        let starts = (0..=texts.len()).map(first).collect();
        room.resize(0, at.bytes)?;
        Ok(Self {
            room,
            scales: vec![0.0; texts.len()],
            checks: vec![0; texts.len()],
            hashes: texts,
            links,
            by_row,
            starts,
            slack: 0.0,
            longest: 0.0,
            codes: vec![0; code_stride(dims)],
            rests: vec![0; dims],
            written: Vec::new(),
            at,
        })
    }

    /// Writes the vector of a text; that of a text that nobody owns is left out.
    ///
    /// # Errors
    /// When the disk refuses.
    ///
    /// # Panics
    /// When the vector is of another length than the others.
    pub fn put(&mut self, hash: &TextHash, vector: &[f32]) -> io::Result<()> {
        let Ok(row) = self.hashes.binary_search(hash) else { return Ok(()) };
        let dims = self.at.count.dims;
        assert_eq!(vector.len(), dims, "a vector of another model");
        let (scale, left) = encode_row(vector, &mut self.codes, &mut self.rests);
        self.room.put(self.at.codes.start + row * self.codes.len(), &self.codes)?;
        self.room.put(self.at.rests.start + row * 2 * dims, bytemuck::cast_slice(&self.rests))?;
        self.scales[row] = scale;
        self.slack = self.slack.max(left);
        // Of what was written, so that an image made from an image is the same.
        decode_row(&self.codes, &self.rests, scale, &mut self.written);
        self.longest = self.longest.max(self.written.iter().map(|x| x * x).sum::<f32>().sqrt());
        let own = &self.by_row[self.starts[row] as usize..self.starts[row + 1] as usize];
        let own = own.iter().map(|link| self.links[*link as usize]);
        self.checks[row] = row_checksum(hash, &self.written, own);
        Ok(())
    }

    /// The image. A row whose vector never came counts as damaged.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(mut self, origin: &Origin) -> io::Result<Image> {
        let (at, room) = (&self.at, &mut self.room);
        room.put(at.hashes.start, bytemuck::cast_slice(&self.hashes))?;
        room.put(at.checks.start, bytemuck::cast_slice(&self.checks))?;
        room.put(at.scales.start, bytemuck::cast_slice(&self.scales))?;
        room.put(at.starts.start, bytemuck::cast_slice(&self.starts))?;
        room.put(at.by_row.start, bytemuck::cast_slice(&self.by_row))?;
        let owners: Vec<u64> = self.links.iter().map(|link| link.owner).collect();
        room.put(at.owners.start, bytemuck::cast_slice(&owners))?;
        let mut numbers = |start: usize, number: fn(&Link) -> u32| {
            room.put(start, bytemuck::cast_slice(&self.links.iter().map(number).collect::<Vec<u32>>()))
        };
        numbers(at.parts.start, |link| link.part)?;
        numbers(at.link_rows.start, |link| link.row)?;
        let image = Image {
            bytes: self.room.into_bytes()?,
            at: self.at,
            slack: self.slack,
            longest: self.longest * 1.0001,
            generation: origin.generation,
            links_sum: 0,
            certificate: None,
            is_warm: AtomicBool::default(),
            verified: Verified::new(self.checks.len()),
        };
        image.sealed(origin)
    }
}
