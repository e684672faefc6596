//! Two indexes of one data directory: by the file of vectors with what has changed since, and from the database alone.

use kenning::ann::{Image, Index, Neighbour, Origin};
use kenning::store::{Database, ReadChanges, ReadVectors, StoreError};
use kenning::text::TextHash;
use std::collections::BTreeSet;
use std::path::Path;

type Link = (u64, u32, TextHash);

fn links(embeddings: Vec<(i64, u32, TextHash)>) -> impl Iterator<Item = Link> {
    embeddings.into_iter().map(|(item, part, hash)| (item as u64, part, hash))
}

/// Both, of one moment; the first only if there is a file, and the database knows its generation.
pub fn twins(home: &Path) -> (Option<Index>, Index) {
    let database = Database::open(home).unwrap().unwrap();
    let _moment = database.snapshot().unwrap();
    let model = database.index_model().unwrap().unwrap();
    let mut all: Vec<(TextHash, Vec<f32>)> = Vec::new();
    let mut keep = |hash: &TextHash, vector: &[f32]| -> Result<(), StoreError> {
        all.push((*hash, vector.to_vec()));
        Ok(())
    };
    database.each_vector(&model, &mut keep).unwrap();
    let rows = all.iter().map(|(hash, vector)| (*hash, vector.as_slice()));
    let alone = Image::new(&Origin::default(), model.dims, rows, links(database.embeddings().unwrap()));

    let origin =
        Origin { model: model.fingerprint.as_str().to_owned(), state: "index".to_owned(), ..Origin::default() };
    let by_file = Image::open(&database.vector_file(), &origin).and_then(|image| {
        let changed = database.changed_since(image.generation(), usize::MAX).unwrap()?;
        let now = database.vectors_of(&model, &changed).unwrap();
        let rows = now.rows.hashes.iter().copied().zip(now.rows.data.chunks_exact(model.dims));
        let changed = changed.into_iter().map(|item| item as u64).collect();
        Some(Index::with_changes(image, changed, links(now.embeddings), rows))
    });
    (by_file, Index::new(alone))
}

/// Whose texts were found.
pub fn owners(index: &Index, found: &[Neighbour]) -> BTreeSet<(u64, u32)> {
    found.iter().flat_map(|near| index.owners_of(near.row)).collect()
}
