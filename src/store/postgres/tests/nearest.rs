//! The nearest texts, against a naive search over the same vectors.

use super::{Access, SharedDatabase, address_of, copy_store, cut, database_of, item, lock, made, open, server};
use crate::error::{Diagnose, ErrorKind};
use crate::store::sql::{RunSql, SqlRow};
use crate::store::{
    Database, IndexModel, ItemFilter, KeepNearest, MemoryView, NearText, NearestIndex, NearestSearch, ReadItems,
    ReadNearest, ReadVectors, StoreError, StorePlace, WriteBatch, WriteItems, WriteStore, WriteVectors, WriterLock,
};
use crate::text::TextHash;
use crate::types::{Fingerprint, Scope};
use crate::vector::dot;
use std::collections::{BTreeMap, HashSet};

const DIMS: usize = 12;
const APPROXIMATE: NearestSearch = NearestSearch::Approximate { over_fetch: 2 };
const BOTH: [NearestSearch; 2] = [NearestSearch::Exact, APPROXIMATE];

/// A unit vector; those of one tens digit lie so close together that 16 bits hardly tell them apart.
fn vector(at: u64) -> Vec<f32> {
    near_to(at / 10, at)
}

/// A unit vector like no other.
fn apart(at: u64) -> Vec<f32> {
    near_to(at + (1 << 41), at)
}

/// One of a group in which 16 bits hardly tell any two apart.
fn close(at: u64) -> Vec<f32> {
    near_to(7, at)
}

fn near_to(centre: u64, at: u64) -> Vec<f32> {
    let drawn = |seed: u64| {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635;
        (0..DIMS).map(move |_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
    };
    let vector: Vec<f32> = drawn(centre).zip(drawn(at + (1 << 40))).map(|(far, near)| far + near * 2e-3).collect();
    let length = dot(&vector, &vector).sqrt();
    vector.iter().map(|value| value / length).collect()
}

fn model(name: &str, batch: &impl WriteVectors) -> IndexModel {
    let model = batch.put_model(&Fingerprint::stored(format!("{name}@01")), DIMS).unwrap();
    batch.use_model(&model.fingerprint, None).unwrap();
    model
}

/// Items of some scopes with a text and a vector each, in bulk. Item `n` of them has the vector `n`.
fn fill(store: &mut SharedDatabase, lock: &WriterLock, items: i64) -> IndexModel {
    fill_with(store, lock, items, vector)
}

fn fill_with(store: &mut SharedDatabase, lock: &WriterLock, items: i64, vector: fn(u64) -> Vec<f32>) -> IndexModel {
    let batch = store.begin(lock).unwrap();
    let model = model("m", &batch);
    let sql = format!(
        "INSERT INTO item (id, uid, kind, scope, authority, state, title, body, text_hash, words, attributes,
            created_at, updated_at)
         SELECT n, 'chunk/' || n, 'chunk', CASE WHEN n % 500 = 3 THEN 'rare' WHEN n % 2 = 0 THEN 'even' ELSE 'odd' END,
            'team', 'active', '', 'b', substr(sha256(CAST(CAST(n AS text) AS bytea)), 1, 16), 1, '{{}}', 1, 1
         FROM generate_series(1, {items}) AS n"
    );
    batch.execute(&sql, &[]).unwrap();
    batch.execute("INSERT INTO embedding SELECT id, 0, text_hash FROM item", &[]).unwrap();
    let texts: Vec<(i64, TextHash)> = batch
        .rows("SELECT id, text_hash FROM item", &[], |row| Ok((row.get(0), row.get::<_, &[u8]>(1).try_into().unwrap())))
        .unwrap();
    let vectors: Vec<(TextHash, Vec<f32>)> =
        texts.iter().map(|(id, hash)| (*hash, vector(id.unsigned_abs()))).collect();
    batch.put_vectors(&model, vectors.iter().map(|(hash, vector)| (*hash, vector.as_slice()))).unwrap();
    batch.commit().unwrap();
    model
}

/// The nearest items by a comparison of all vectors with 32 bits, among these.
fn naive(store: &SharedDatabase, model: &IndexModel, question: &[f32], most: usize, among: &[i64]) -> Vec<i64> {
    let among: HashSet<i64> = among.iter().copied().collect();
    let mut vectors: BTreeMap<TextHash, Vec<f32>> = BTreeMap::new();
    let each = |hash: &TextHash, vector: &[f32]| {
        vectors.insert(*hash, vector.to_vec());
        Ok::<_, StoreError>(())
    };
    store.each_vector(model, each).unwrap();
    let mut scored: Vec<(f32, i64)> = Vec::new();
    for (item, _, hash) in store.embeddings().unwrap() {
        if let (true, Some(vector)) = (among.contains(&item), vectors.get(&hash)) {
            scored.push((dot(question, vector), item));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut seen = HashSet::new();
    scored.into_iter().filter(|(_, item)| seen.insert(*item)).map(|(_, item)| item).take(most).collect()
}

fn items(texts: &[NearText]) -> Vec<i64> {
    let mut seen = HashSet::new();
    texts.iter().map(|text| text.item).filter(|item| seen.insert(*item)).collect()
}

fn scopes(names: &[&str]) -> ItemFilter {
    let scopes = names.iter().map(|name| Scope::repository(*name)).collect();
    ItemFilter { scopes, ..ItemFilter::default() }
}

fn everything(store: &SharedDatabase) -> Vec<i64> {
    store.admitted(&ItemFilter::default(), None).unwrap()
}

#[test]
fn all_vectors_compared_are_as_near_as_their_32_bits_say() {
    let (_dir, lock, mut store) = made();
    let model = fill(&mut store, &lock, 400);
    let all = everything(&store);
    for at in 0..20 {
        let question = vector(at * 10 + 100_000 * (at % 2));
        for most in [1, 7, 50, 400, 1000] {
            let found = store.nearest(&model, &question, most, None, NearestSearch::Exact).unwrap();
            assert_eq!(items(&found), naive(&store, &model, &question, most, &all), "{at}, {most}");
            assert!(found.iter().all(|text| text.vector == vector(text.item.unsigned_abs())));
        }
        // Without an index the other search compares all as well; only the 16 bits make it differ.
        let found = store.nearest(&model, &question, 100, None, APPROXIMATE).unwrap();
        assert_eq!(items(&found).len(), 100);
    }
    assert_eq!(store.nearest(&model, &vector(1), 0, None, NearestSearch::Exact).unwrap(), []);
}

/// Far more texts are as near as 16 bits can say than are fetched at first.
#[test]
fn vectors_that_16_bits_cannot_tell_apart_are_told_apart() {
    let (_dir, lock, mut store) = made();
    let model = fill_with(&mut store, &lock, 500, close);
    let all = everything(&store);
    for at in 1..20 {
        let found = store.nearest(&model, &close(at * 20), 5, None, NearestSearch::Exact).unwrap();
        assert_eq!(items(&found), naive(&store, &model, &close(at * 20), 5, &all), "{at}");
    }
}

#[test]
fn an_index_finds_most_and_says_how_much() {
    let (dir, lock, mut store) = made();
    let model = fill(&mut store, &lock, 4900);
    assert_eq!(store.ensure_nearest_index(&model).unwrap(), NearestIndex::Small);
    let batch = store.begin(&lock).unwrap();
    batch.execute("DELETE FROM item", &[]).unwrap();
    assert_eq!(batch.drop_unused_vectors().unwrap(), 4900);
    batch.commit().unwrap();
    assert_eq!(store.searchable_vectors(&model).unwrap(), 0, "a copy goes with its vector");
    let model = fill(&mut store, &lock, 6000);
    assert_eq!(store.nearest_certificate(&model).unwrap(), None);
    // One makes it, whoever else comes is told.
    let ensured = std::thread::scope(|scope| {
        let ensure = || open(dir.path()).ensure_nearest_index(&model).unwrap();
        let running = [scope.spawn(ensure), scope.spawn(ensure), scope.spawn(ensure)];
        running.map(|thread| thread.join().unwrap())
    });
    assert!(ensured.contains(&NearestIndex::Ready) && !ensured.contains(&NearestIndex::Small), "{ensured:?}");
    assert_eq!(store.ensure_nearest_index(&model).unwrap(), NearestIndex::Ready);
    let certificate = store.certify(&model, 0.95).unwrap();
    assert!(certificate.recall >= 0.95 && certificate.queries == 64 && certificate.vectors == 6000, "{certificate:?}");
    let read = open(dir.path()).nearest_certificate(&model).unwrap();
    assert_eq!(read.as_ref(), Some(&certificate));
    assert!(!certificate.is_stale(11_999) && certificate.is_stale(12_000));
    let (mut found, mut wanted) = (0, 0);
    for at in 0..30 {
        let question = vector(at * 31 + 100_000 * (at % 2));
        let exact = items(&store.nearest(&model, &question, 50, None, NearestSearch::Exact).unwrap());
        let near = items(&store.nearest(&model, &question, 50, None, certificate.search()).unwrap());
        found += near.iter().filter(|item| exact.contains(item)).count();
        wanted += exact.len();
    }
    // Other questions than those that were measured may find a little less.
    assert!(found * 100 >= wanted * 90, "{found} of {wanted}");
    let scans = |store: SharedDatabase| {
        // The server counts when a connection ends.
        drop(store);
        let sql = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname LIKE 'half_vector_hnsw%'";
        let count = || server().psql(&database_of(dir.path()), sql).trim().parse::<u64>().unwrap();
        (0..1200)
            .map(|_| {
                std::thread::sleep(std::time::Duration::from_millis(50));
                count()
            })
            .find(|count| *count > 30)
    };
    assert!(scans(store).is_some(), "the searches did not use the index");
}

#[test]
fn only_items_that_pass_are_found() {
    let (_dir, lock, mut store) = made();
    let model = fill(&mut store, &lock, 6000);
    store.ensure_nearest_index(&model).unwrap();
    let batch = store.begin(&lock).unwrap();
    batch.execute("UPDATE item SET state = 'retired' WHERE id % 10 = 7", &[]).unwrap();
    let memory = "INSERT INTO memory (id, item_id, kind, scope, state, is_held, ends_at, last_at, data)
        SELECT 'm' || id, id, 'fact', CASE WHEN id % 3 = 0 THEN 'elsewhere' ELSE 'global' END, 'active', 0,
            CASE WHEN id % 3 = 1 THEN 50 END, 1, '{}' FROM item WHERE id % 10 < 3";
    batch.execute(memory, &[]).unwrap();
    batch.commit().unwrap();
    let view = MemoryView { home: Some(Scope::repository("here")), expired: Some(50) };
    let nothing = ItemFilter::default();
    let cases = [
        (nothing.clone(), None, 20),
        (nothing.clone(), Some(&view), 20),
        (scopes(&["even"]), None, 20),
        (scopes(&["even", "odd"]), Some(&view), 20),
        (scopes(&["rare"]), None, 12),
        (scopes(&["rare"]), Some(&view), 20),
        (scopes(&["nowhere"]), None, 0),
    ];
    for (filter, view, least) in cases {
        let admitted = store.admitted(&filter, view).unwrap();
        for at in 0..10 {
            let question = vector(at * 41);
            let wanted = naive(&store, &model, &question, 20, &admitted);
            assert!(wanted.len() >= least.min(admitted.len()) && wanted.len() == admitted.len().min(20));
            for how in BOTH {
                let found = items(&store.nearest(&model, &question, 20, Some((&filter, view)), how).unwrap());
                assert_eq!(found.len(), wanted.len(), "{filter:?}, {view:?}, {how:?}");
                let hits = found.iter().filter(|item| wanted.contains(item)).count();
                assert!(found.iter().all(|item| admitted.contains(item)), "{filter:?}, {view:?}, {how:?}");
                if how == NearestSearch::Exact || admitted.len() < 500 {
                    assert_eq!(found, wanted, "{filter:?}, {view:?}, {how:?}");
                }
                assert!(hits * 10 >= wanted.len() * 8, "{hits} of {}: {filter:?}, {view:?}, {how:?}", wanted.len());
            }
        }
    }
}

#[test]
fn a_user_who_sees_some_scopes_searches_these_alone() {
    let (dir, lock, mut store) = made();
    let model = fill(&mut store, &lock, 6000);
    store.ensure_nearest_index(&model).unwrap();
    let name = database_of(dir.path());
    let granted = server().psql(
        &name,
        "CREATE ROLE sees_some LOGIN; GRANT USAGE ON SCHEMA kenning TO sees_some;
         GRANT SELECT ON ALL TABLES IN SCHEMA kenning TO sees_some;
         INSERT INTO kenning.reader VALUES ('sees_some', 'rare')",
    );
    assert!(!granted.contains("ERROR"), "{granted}");
    let address = address_of(dir.path()).replace("postgres@", "sees_some@");
    let own = SharedDatabase::open(&address, &Access::default()).unwrap().unwrap();
    let cases = [
        ("SELECT", "scope = 'rare'"),
        ("INSERT INTO kenning.reader VALUES ('sees_some', 'odd')", "scope IN ('rare', 'odd')"),
        ("INSERT INTO kenning.reader VALUES ('sees_some', '*')", "TRUE"),
        ("DELETE FROM kenning.reader WHERE role = 'sees_some'", "FALSE"),
    ];
    for (change, condition) in cases {
        server().psql(&name, change);
        let seen = store.rows(&format!("SELECT id FROM item WHERE {condition}"), &[], |row| row.integer(0)).unwrap();
        for at in 0..5 {
            let question = vector(at * 41);
            let wanted = naive(&store, &model, &question, 20, &seen);
            for how in BOTH {
                let found = items(&own.nearest(&model, &question, 20, None, how).unwrap());
                let hits = found.iter().filter(|item| wanted.contains(item)).count();
                assert_eq!(found.len(), wanted.len(), "{condition}, {how:?}");
                assert!(found.iter().all(|item| seen.contains(item)), "{condition}, {how:?}");
                assert!(hits * 10 >= wanted.len() * 8, "{hits} of {}: {condition}, {how:?}", wanted.len());
                assert!(how != NearestSearch::Exact || found == wanted, "{condition}");
            }
        }
    }
}

/// All of a filter's items lie far from the question, so the index is read far beyond the nearest rows.
#[test]
fn items_that_are_far_away_are_found_too() {
    let (_dir, lock, mut store) = made();
    let model = fill(&mut store, &lock, 6000);
    store.ensure_nearest_index(&model).unwrap();
    let question = vector(55);
    let all = naive(&store, &model, &question, 6000, &everything(&store));
    let batch = store.begin(&lock).unwrap();
    let far: Vec<String> = all.iter().skip(3000).map(i64::to_string).collect();
    batch.execute(&format!("UPDATE item SET scope = 'far' WHERE id IN ({})", far.join(", ")), &[]).unwrap();
    batch.commit().unwrap();
    let filter = scopes(&["far"]);
    for how in BOTH {
        let found = items(&store.nearest(&model, &question, 30, Some((&filter, None)), how).unwrap());
        assert_eq!(found.len(), 30);
        assert!(found.iter().filter(|item| all[3000..3030].contains(item)).count() >= 24, "{how:?}");
    }
}

/// The server takes a filter for a wide one, so the index is read, and its nearest rows do not pass: all that do lie
/// behind more rows than are read.
#[test]
fn items_behind_more_rows_than_are_read_are_found_in_order() {
    let (dir, lock, mut store) = made();
    let model = fill_with(&mut store, &lock, 24_000, apart);
    store.ensure_nearest_index(&model).unwrap();
    // The server counts all items under this scope, and nobody tells it that they have moved.
    store.execute("UPDATE item SET scope = 'far'", &[]).unwrap();
    store.execute("ALTER TABLE item SET (autovacuum_enabled = false)", &[]).unwrap();
    server().psql(&database_of(dir.path()), "VACUUM ANALYZE kenning.item");
    let mut hits = 0;
    for at in 0..6 {
        let question = apart(7_000_000 + at);
        let all = naive(&store, &model, &question, 24_000, &everything(&store));
        for far in [&all[23_970..], &all[19_960..20_040], &all[19_000..19_100]] {
            let batch = store.begin(&lock).unwrap();
            batch.execute("UPDATE item SET scope = 'near'", &[]).unwrap();
            let ids: Vec<String> = far.iter().map(i64::to_string).collect();
            batch.execute(&format!("UPDATE item SET scope = 'far' WHERE id IN ({})", ids.join(", ")), &[]).unwrap();
            batch.commit().unwrap();
            let found =
                items(&store.nearest(&model, &question, 10, Some((&scopes(&["far"]), None)), APPROXIMATE).unwrap());
            // In the last case the index itself finds the rows, so it may miss some.
            if far[0] == all[19_000] {
                hits += found.iter().filter(|item| far[..10].contains(item)).count();
            } else {
                assert_eq!(found, far[..10], "{at}");
            }
        }
    }
    assert!(hits >= 54, "{hits} of 60");
}

#[test]
fn items_have_several_texts_and_share_them() {
    let (_dir, lock, mut store) = made();
    let model = fill(&mut store, &lock, 300);
    let batch = store.begin(&lock).unwrap();
    // A hundred items share the text of item 50; item 60 has the texts of all from 101 to 200.
    batch
        .execute("UPDATE embedding SET text_hash = (SELECT text_hash FROM item WHERE id = 50) WHERE item_id > 200", &[])
        .unwrap();
    batch
        .execute("INSERT INTO embedding SELECT 60, id - 100, text_hash FROM item WHERE id BETWEEN 101 AND 200", &[])
        .unwrap();
    batch.execute("UPDATE item SET state = 'retired' WHERE id BETWEEN 101 AND 200", &[]).unwrap();
    batch.commit().unwrap();
    let all = everything(&store);
    for at in [50, 60, 101, 150, 160, 250] {
        for most in [1, 5, 39, 40, 120, 250] {
            let wanted = naive(&store, &model, &vector(at), most, &all);
            for how in BOTH {
                let found = store.nearest(&model, &vector(at), most, None, how).unwrap();
                assert_eq!(items(&found).len(), wanted.len(), "{at}, {most}, {how:?}");
                if how == NearestSearch::Exact {
                    assert_eq!(items(&found), wanted, "{at}, {most}");
                }
            }
        }
    }
    let found = store.nearest(&model, &vector(150), 1, Some((&scopes(&["even"]), None)), NearestSearch::Exact).unwrap();
    let parts: Vec<(i64, u32)> = found.iter().map(|text| (text.item, text.part)).take(2).collect();
    assert_eq!(parts[0], (60, 50), "the stretch that is nearest, not the whole");
    assert_eq!(parts[1].0, 60);
}

#[test]
fn a_snapshot_keeps_what_was_nearest() {
    let (dir, lock, mut store) = made();
    let model = fill(&mut store, &lock, 100);
    let mut other = open(dir.path());
    for how in BOTH {
        let snapshot = store.snapshot().unwrap();
        let nearest = |store: &SharedDatabase| store.nearest(&model, &vector(77), 1, None, how).unwrap()[0].item;
        assert_eq!(nearest(&store), 77);
        let batch = other.begin(&lock).unwrap();
        batch.execute("UPDATE item SET state = 'disputed' WHERE id = 77", &[]).unwrap();
        batch.commit().unwrap();
        assert_eq!(nearest(&store), 77, "{how:?}");
        // What else is read in it is not hindered, and planned as ever.
        assert_eq!(everything(&store).len(), 100);
        assert_eq!(store.one("SHOW plan_cache_mode", &[], |row| Ok(row.get::<_, String>(0))).unwrap(), "auto");
        drop(snapshot);
        assert!(store.is_idle());
        assert_ne!(nearest(&store), 77, "{how:?}");
        assert!(store.is_idle());
        let batch = other.begin(&lock).unwrap();
        batch.execute("UPDATE item SET state = 'active' WHERE id = 77", &[]).unwrap();
        batch.commit().unwrap();
    }
    cut(dir.path());
    assert_eq!(items(&store.nearest(&model, &vector(77), 1, None, NearestSearch::Exact).unwrap()), [77]);
}

#[test]
fn vectors_that_were_copied_are_made_searchable() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let mut here = Database::open_to_write(&lock).unwrap();
    let batch = WriteStore::begin(&mut here, &lock).unwrap();
    let model = model("m", &batch);
    for at in 0..7_u64 {
        let item = item(&format!("chunk/{at}"));
        batch.put_item(&item, None).unwrap();
        let odd = vec![f32::NAN; DIMS];
        let vector = if at == 6 { odd } else { vector(at * 10) };
        batch.put_vectors(&model, [(crate::text::text_hash(&item.passage()), vector.as_slice())]).unwrap();
    }
    batch.execute("INSERT INTO vector (model_id, text_hash, data) VALUES (1, zeroblob(16), x'00')", &[]).unwrap();
    WriteBatch::commit(batch).unwrap();
    drop((lock, here));
    let (from, to) = (StorePlace::Folder(dir.path().to_owned()), StorePlace::Address(address_of(dir.path())));
    assert!(copy_store(&from, &to, &Access::default(), &mut |_, _| {}).unwrap().same);
    let store = open(dir.path());
    let model = store.index_model().unwrap().unwrap();
    assert_eq!(store.nearest(&model, &vector(10), 3, None, APPROXIMATE).unwrap(), []);
    let filled: Vec<usize> = (0..4).map(|_| store.index_vectors(&model, 3).unwrap()).collect();
    assert_eq!((filled, store.searchable_vectors(&model).unwrap()), (vec![3, 3, 1, 0], 7));
    let found = store.nearest(&model, &vector(10), 3, None, NearestSearch::Exact).unwrap();
    assert_eq!(items(&found)[0], store.item_id("chunk/1").unwrap().unwrap());
    // One that comes later with a lower number is seen by the next round.
    store.execute("DELETE FROM half_vector WHERE text_hash = ?1", &crate::store::sql::values![found[0].hash]).unwrap();
    assert_eq!((store.index_vectors(&model, 3).unwrap(), store.index_vectors(&model, 3).unwrap()), (1, 0));
    // What is derived does not keep two stores apart, and comes back with no copy.
    assert!(copy_store(&from, &to, &Access::default(), &mut |_, _| {}).unwrap().same);
    assert_eq!(store.index_vectors(&model, 3).unwrap(), 0);
}

#[test]
fn a_vector_that_changes_in_place_is_compared_as_it_is_now() {
    let (_dir, lock, mut store) = made();
    let model = fill(&mut store, &lock, 60);
    let bytes = |at: u64| vector(at).iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let nearest =
        |store: &SharedDatabase| items(&store.nearest(&model, &vector(555), 1, None, NearestSearch::Exact).unwrap());
    let change = "UPDATE vector SET data = ?1 WHERE text_hash = (SELECT text_hash FROM item WHERE id = 7)";
    // One that stays as it is can be searched all the while.
    store.execute(change, &crate::store::sql::values![bytes(7)]).unwrap();
    assert_eq!(store.searchable_vectors(&model).unwrap(), 60);
    store.execute(change, &crate::store::sql::values![bytes(555)]).unwrap();
    assert_eq!(store.searchable_vectors(&model).unwrap(), 59);
    while store.index_vectors(&model, 100).unwrap() > 0 {}
    assert_eq!((nearest(&store), store.searchable_vectors(&model).unwrap()), (vec![7], 60));
}

#[test]
fn indexes_that_nobody_uses_are_dropped() {
    let (dir, lock, mut store) = made();
    let old = fill(&mut store, &lock, 5000);
    assert_eq!(store.ensure_nearest_index(&old).unwrap(), NearestIndex::Ready);
    let batch = store.begin(&lock).unwrap();
    let new = batch.put_model(&Fingerprint::stored("n@01".to_owned()), DIMS).unwrap();
    let long = batch.put_model(&Fingerprint::stored("l@01".to_owned()), 5000).unwrap();
    batch.commit().unwrap();
    let names = || {
        let sql = "SELECT relname || indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE relname LIKE 'half_vector_hnsw%' ORDER BY 1";
        server().psql(&database_of(dir.path()), sql).trim().to_owned()
    };
    let of_old = format!("half_vector_hnsw_{}true", old.id);
    assert_eq!(store.ensure_nearest_index(&new).unwrap(), NearestIndex::Small);
    assert_eq!(store.ensure_nearest_index(&long).unwrap(), NearestIndex::TooLong);
    assert_eq!(names(), of_old, "the model is in use");
    // As a process leaves it that was stopped.
    let broken = "UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE '%half_vector_hnsw%'";
    server().psql(&database_of(dir.path()), broken);
    assert_eq!(names(), of_old.replace("true", "false"));
    assert_eq!(store.ensure_nearest_index(&old).unwrap(), NearestIndex::Ready);
    assert_eq!(names(), of_old);
    let batch = store.begin(&lock).unwrap();
    batch.use_model(&new.fingerprint, None).unwrap();
    batch.commit().unwrap();
    assert_eq!(store.ensure_nearest_index(&new).unwrap(), NearestIndex::Small);
    assert_eq!(names(), "");
}

#[test]
fn a_server_without_the_extension_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let name = format!("{}_bare", database_of(dir.path()));
    let user = format!("user_{name}");
    server().psql("postgres", &format!("CREATE ROLE {user} LOGIN"));
    server().psql("postgres", &format!("CREATE DATABASE {name}"));
    server().psql("postgres", &format!("GRANT CREATE ON DATABASE {name} TO {user}"));
    let address =
        address_of(dir.path()).replace(&database_of(dir.path()), &name).replace("postgres@", &format!("{user}@"));
    let error = SharedDatabase::open_to_write(&address, &Access::default()).unwrap_err();
    assert!(matches!(error, StoreError::NoExtension { .. }), "{error:?}");
    assert_eq!(error.kind(), ErrorKind::Mismatch);
    assert!(error.to_string().contains("lacks the extension vector: permission denied"), "{error}");
    assert!(error.hint().unwrap().contains("CREATE EXTENSION vector"));
    assert!(SharedDatabase::open(&address, &Access::default()).unwrap().is_none(), "nothing was made");
    // An administrator makes it, in a schema of their own.
    let made = "CREATE SCHEMA \"of admin\"; CREATE EXTENSION vector SCHEMA \"of admin\"";
    server().psql(&name, made);
    server().psql(&name, &format!("GRANT USAGE ON SCHEMA \"of admin\" TO {user}"));
    server().psql(&name, "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'");
    let error = SharedDatabase::open_to_write(&address, &Access::default()).unwrap_err();
    assert!(matches!(&error, StoreError::OldExtension { version, .. } if version == "0.7.4"), "{error:?}");
    server().psql(&name, "UPDATE pg_extension SET extversion = '0.10.1' WHERE extname = 'vector'");
    let lock = lock(dir.path());
    let mut store = SharedDatabase::open_to_write(&address, &Access::default()).unwrap();
    let model = fill(&mut store, &lock, 5000);
    assert_eq!(store.ensure_nearest_index(&model).unwrap(), NearestIndex::Ready);
    for how in BOTH {
        assert_eq!(items(&store.nearest(&model, &vector(120), 1, None, how).unwrap()), [120]);
    }
    drop(store);
    server().psql(&name, "DROP EXTENSION vector CASCADE");
    let store = SharedDatabase::open(&address, &Access::default()).unwrap().unwrap();
    let error = store.nearest(&model, &vector(1), 1, None, NearestSearch::Exact).unwrap_err();
    assert!(matches!(error, StoreError::NoExtension { .. }), "{error:?}");
    drop(store);
    server().psql("postgres", &format!("DROP DATABASE {name} WITH (FORCE)"));
    server().psql("postgres", &format!("DROP ROLE {user}"));
}
