//! What every case begins with: an empty store, and what is put in it.

use crate::store::{
    ReadStore, Source, SourceKind, Stat, StoreError, WriteBatch, WriteItems, WriteSources, WriteStore, WriterLock,
};
use crate::text::TextHash;
use crate::types::{Authority, Item, Kind, Scope, Span, State};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// A kind of store: how one is opened in a folder.
pub(super) trait Maker {
    type Store: WriteStore + Send;

    /// Opens the store of a folder, making it if there is none.
    fn open(&self, lock: &WriterLock) -> Self::Store;

    /// Opens it once more, to read.
    fn reader(&self, folder: &Path) -> Self::Store;
}

/// An empty store, the right to write to it, and its folder, which goes with it.
pub(super) struct Made<S> {
    pub store: S,
    pub lock: WriterLock,
    pub dir: tempfile::TempDir,
}

pub(super) fn made<M: Maker>(maker: &M) -> Made<M::Store> {
    let dir = tempfile::tempdir().unwrap();
    let lock = WriterLock::take(dir.path(), "test", Duration::from_secs(9)).unwrap();
    Made { store: maker.open(&lock), lock, dir }
}

impl<S: WriteStore> Made<S> {
    /// One batch, committed.
    pub fn write<T>(&mut self, work: impl FnOnce(&S::Batch<'_>) -> Result<T, StoreError>) -> T {
        let batch = self.store.begin(&self.lock).unwrap();
        let out = work(&batch).unwrap();
        batch.commit().unwrap();
        out
    }
}

pub(super) fn source(path: &str) -> Source {
    Source {
        path: path.to_owned(),
        root: "/docs".to_owned(),
        kind: SourceKind::Markdown,
        scope: Scope::global(),
        sha256: [7; 32],
        stat: Stat { size: 3, mtime_ns: -4 },
        indexed_at: 5,
    }
}

pub(super) fn item(uid: &str, body: &str) -> Item {
    Item {
        uid: uid.to_owned(),
        kind: Kind::Chunk,
        scope: Scope::global(),
        authority: Authority::Team,
        state: State::Active,
        title: format!("Title of {uid}"),
        body: body.to_owned(),
        attributes: serde_json::json!({"tags": ["Rust", uid], "provider": "Acme"}),
        path: Some("/docs/a.md".to_owned()),
        span: Some(Span { byte_start: 1, byte_end: 9, line_start: 1, line_end: 2 }),
        created_at: 11,
        updated_at: 12,
    }
}

pub(super) fn uids(store: &dyn ReadStore, ids: &[i64]) -> Vec<String> {
    store.items(ids).unwrap().into_iter().map(|(_, item)| item.uid).collect()
}

/// Hashes of the texts that are embedded, in the order of the items.
pub(super) fn hashes(store: &dyn ReadStore) -> Vec<TextHash> {
    let whole = store.embeddings().unwrap().into_iter().filter(|(_, part, _)| *part == 0);
    whole.map(|(item, _, hash)| (item, hash)).collect::<BTreeMap<_, _>>().into_values().collect()
}

/// Three items in one file: rows of the items, row of the file.
pub(super) fn three<S: WriteStore>(made: &mut Made<S>) -> (Vec<i64>, i64) {
    made.write(|batch| {
        let file = batch.put_source(&source("/docs/a.md"))?;
        let bodies = ["the borrow checker refuses", "a lock is held", "the borrow ends with the lock"];
        let put = |(at, body): (usize, &&str)| batch.put_item(&item(&format!("chunk/{at}"), body), Some(file));
        Ok((bodies.iter().enumerate().map(put).collect::<Result<_, _>>()?, file))
    })
}
