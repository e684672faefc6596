//! What a user needs who writes to a store of somebody else.

use super::*;
use crate::store::{Source, SourceKind, Stat, WriteVectors};
use crate::text::text_hash;
use crate::types::Fingerprint;

#[test]
fn rights_on_the_tables_of_the_store_are_enough_to_write() {
    let (dir, lock, store) = made();
    drop(store);
    let granted = server().psql(
        &database_of(dir.path()),
        "CREATE ROLE writes_only LOGIN;
         GRANT USAGE ON SCHEMA kenning TO writes_only;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kenning TO writes_only;
         REVOKE INSERT, UPDATE, DELETE ON kenning.corpus, kenning.vector_change FROM writes_only;
         INSERT INTO kenning.reader VALUES ('writes_only', '*')",
    );
    assert!(!granted.contains("ERROR"), "{granted}");
    let address = address_of(dir.path()).replace("postgres@", "writes_only@");
    let mut store = SharedDatabase::open_to_write(&address, &Access::default()).unwrap();
    let batch = store.begin(&lock).unwrap();
    // A table of this name that only this connection sees is not taken for ours.
    batch.execute("CREATE TEMPORARY TABLE corpus (items bigint, words bigint)", &[]).unwrap();
    let row = batch.put_item(&item("chunk/1"), None).unwrap();
    let model = batch.put_model(&Fingerprint::stored("m@01".to_owned()), 2).unwrap();
    batch.put_vectors(&model, [(text_hash("a"), &[0.6, 0.8][..])]).unwrap();
    batch.drop_unused_vectors().unwrap();
    batch.put_item(&item("chunk/2"), None).unwrap();
    batch.forget_item(row, 7).unwrap();
    batch.commit().unwrap();
    assert_eq!(open(dir.path()).corpus().unwrap().items, 1);
    assert!(store.execute("UPDATE kenning.corpus SET items = 9", &[]).is_err(), "but no more than that");
}

#[test]
fn a_file_is_not_moved_to_a_path_of_another_team() {
    let (dir, lock, mut store) = made();
    let name = database_of(dir.path());
    let granted = server().psql(
        &name,
        "CREATE ROLE moves LOGIN; GRANT USAGE ON SCHEMA kenning TO moves;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kenning TO moves;
         INSERT INTO kenning.reader VALUES ('moves', 'own')",
    );
    assert!(!granted.contains("ERROR"), "{granted}");
    let source = |path: &str, scope: &str| Source {
        path: path.to_owned(),
        root: "/".to_owned(),
        kind: SourceKind::Text,
        scope: Scope::repository(scope),
        sha256: [1; 32],
        stat: Stat { size: 1, mtime_ns: 2 },
        indexed_at: 3,
    };
    let batch = store.begin(&lock).unwrap();
    batch.put_source(&source("/theirs", "theirs")).unwrap();
    batch.commit().unwrap();
    let address = address_of(dir.path()).replace("postgres@", "moves@");
    let mut team = SharedDatabase::open_to_write(&address, &Access::default()).unwrap();
    let batch = team.begin(&lock).unwrap();
    let id = batch.put_source(&source("/own", "own")).unwrap();
    let moved = batch.move_source(id, &source("/theirs", "own"));
    assert!(matches!(moved, Err(StoreError::OtherScope { .. })), "{moved:?}");
}
