//! Files of vectors, and other files that are made from files.

use crate::fuzz::{Reader, Target, about, outcome};
use kenning::ann::{GraphOptions, Image, Index, Origin, grow};
use kenning::lexical::{QueryTerms, TermImage, TermIndex, TermOrigin};
use kenning::map::{HEADER, Label, checksum};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Bytes of an image's body that the header's checksum covers.
const SEALED: usize = 256;
const MODEL: &str = "m@01";

/// The body of an image: the header is put before it, sealed, so that damage that keeps the checksum is met too. One in
/// eight is left unsealed.
pub const IMAGE: Target = Target {
    name: "vectors-image",
    seeds: || vec![image(40, 8), image(3, 2), image(0, 4), image(600, 16)],
    words: &[],
    longest: 128 << 10,
    reader: opened,
};

/// Word statistics, as they lie beside the vectors.
pub const DERIVED: Target =
    Target { name: "derived", seeds: || vec![terms()], words: &["KENTERMS"], longest: 64 << 10, reader: derived };

fn origin() -> Origin {
    Origin { model: MODEL.to_owned(), state: "a".to_owned(), ..Origin::default() }
}

/// An image of so many vectors, with a graph where it is worth one, without its header.
fn image(rows: usize, dims: usize) -> Vec<u8> {
    let room = tempfile::tempdir().unwrap();
    let hash = |row: usize| <[u8; 16]>::try_from(&Sha256::digest(row.to_le_bytes())[..16]).unwrap();
    let vector = |row: usize| -> Vec<f32> {
        let raw: Vec<f32> = (0..dims).map(|at| ((row * 31 + at * 17) as f32 * 0.37).sin()).collect();
        let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-6);
        raw.into_iter().map(|x| x / length).collect()
    };
    let vectors: Vec<Vec<f32>> = (0..rows).map(vector).collect();
    let links = (0..rows).map(|row| (row as u64 / 2, row as u32 % 2, hash(row)));
    let made = Image::new(&origin(), dims, vectors.iter().enumerate().map(|(row, v)| (hash(row), v.as_slice())), links);
    let path = room.path().join("image");
    let options = GraphOptions { always: rows > 100, ..GraphOptions::default() };
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    let (made, _) = grow(made, &origin(), options, go_on).unwrap();
    made.write(&path).unwrap();
    std::fs::read(path).unwrap()[HEADER..].to_vec()
}

fn hex(text: &str) -> String {
    crate::support::sha256(text.as_bytes())
}

fn opened(room: &Path) -> Reader {
    let path = room.join("image");
    Box::new(move |input| {
        let mut body = input.to_vec();
        body.resize(input.len().next_multiple_of(64).max(SEALED), 0);
        let key = hex(&format!("model {MODEL}\nstate a\n"));
        let label = Label::new(b"KENANN\0\0", 2, &key).sealing(SEALED);
        let mut file = label.head(HEADER + body.len(), &body[..SEALED]).to_vec();
        file.extend_from_slice(&body);
        if input.len() % 8 == 7 {
            let at = checksum(input) as usize % HEADER;
            file[at] ^= 4;
        }
        std::fs::write(&path, file).unwrap();
        let stale = Image::open_stale(&path, MODEL).is_some();
        let Some(image) = Image::open(&path, &origin()) else { return outcome(stale) };
        let (rows, dims) = (image.len(), image.dims());
        let damaged = if rows < 5000 { image.damaged_rows() } else { 0 };
        for row in (0..rows as u32).take(200).chain([u32::MAX]) {
            let vector = image.checked(row);
            assert!(vector.is_none_or(|vector| vector.len() == dims));
            assert!(image.owners_of(row).take(100).count() <= 100);
        }
        let owners: Vec<u64> = image.links().take(100).map(|link| link.owner).collect();
        assert!(owners.iter().all(|owner| image.rows_of(*owner).take(100).count() <= 100));
        let (sound, graph) = (image.graph_is_sound(), image.certificate().is_some());
        let index = Index::new(image);
        let query: Vec<f32> = (0..dims).map(|at| (at as f32).cos()).collect();
        let mut found = 0;
        for near in
            [index.search(&query, 5, None), index.search_exactly(&query, 5, None), index.search_as_wide(&query, 5, 20)]
        {
            assert!(near.len() <= 5 && near.iter().all(|near| (near.row as usize) < rows));
            found += near.len();
        }
        let own = index.rows_of_owners(owners.iter().copied().take(3));
        index.search(&query, 5, Some(&own));
        outcome((about(rows), about(dims), about(damaged), sound, graph, found, index.is_damaged()))
    })
}

const TEXTS: &[&str] = &["water in the cellar", "the door of the house", "a light over the water", "lock and key"];

fn terms() -> Vec<u8> {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("terms");
    best(&path);
    std::fs::read(path).unwrap()
}

/// The texts that a file finds, which is made if it is not there or not right.
fn best(path: &Path) -> Vec<u64> {
    let origin = TermOrigin { state: "state".to_owned(), ..TermOrigin::default() };
    let index = TermIndex::new(TermImage::open_or_make(path, &origin, (0..).zip(TEXTS)).unwrap());
    index.score_all(&QueryTerms::of("the water of the lock")).best(9)
}

fn derived(room: &Path) -> Reader {
    let path = room.join("terms");
    let right = best(&path);
    Box::new(move |input| {
        std::fs::write(&path, input).unwrap();
        assert_eq!(best(&path), right, "a file that does not fit is made again");
        outcome(std::fs::read(&path).is_ok_and(|now| now == input))
    })
}
