//! Items and their vectors into a store, as a machine that indexes puts them in.

use super::data::{DIMS, item};
use kenning::eval::Vectors;
use kenning::store::{WriteBatch, WriteItems, WriteStore, WriteVectors, WriterLock};
use kenning::text::text_hash;
use kenning::types::Fingerprint;
use std::time::Duration;

/// Puts everything in.
pub fn load(store: &mut impl WriteStore, lock: &WriterLock, vectors: &Vectors) {
    let fingerprint = Fingerprint::stored("bench@01".to_owned());
    let put = |first: usize, block: &[f32]| -> Result<(), kenning::store::StoreError> {
        let batch = store.begin(lock)?;
        let model = batch.put_model(&fingerprint, DIMS)?;
        let mut hashes = Vec::new();
        for at in first..first + block.len() / DIMS {
            let item = item(at as u64);
            batch.put_item(&item, None)?;
            hashes.push(text_hash(&item.text()));
        }
        batch.put_vectors(&model, hashes.into_iter().zip(block.chunks_exact(DIMS)))?;
        batch.use_model(&fingerprint, None)?;
        batch.commit()
    };
    vectors.blocks(put).unwrap();
}

/// The right to write to a folder.
pub fn lock(folder: &std::path::Path) -> WriterLock {
    WriterLock::take(folder, "bench", Duration::from_secs(9)).unwrap()
}
