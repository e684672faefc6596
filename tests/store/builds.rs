//! The index of vectors of a store in PostgreSQL: a build that is killed, and a user who may not make one.

use crate::support::ken::{Ran, User};
use crate::support::tiny::Tiny;
use kenning::store::{NearestSearch, PostgresAccess, ReadNearest, ReadVectors, SharedDatabase};
use postgres::Client;
use std::process::{Child, Stdio};
use std::time::Duration;

/// As many as need an index, and enough that its build can be seen.
const ITEMS: u64 = 9_000;

/// Puts items with these texts, vectors, and vectors in half precision.
const PUT: &str = "WITH given AS (
        SELECT n, body, substr(sha256(CAST(body AS bytea)), 1, 16) AS hash, data, half
        FROM unnest($1::text[], $2::bytea[], $3::text[]) WITH ORDINALITY AS given (body, data, half, n)),
    put AS (
        INSERT INTO kenning.item (uid, kind, scope, authority, state, title, body, text_hash, words, attributes,
            created_at, updated_at)
        SELECT 'chunk/n' || n, 'chunk', 'global', 'team', 'active', '', body, hash, 2, '{}', 1, 1 FROM given
        RETURNING id, text_hash),
    embedded AS (INSERT INTO kenning.embedding SELECT id, 0, text_hash FROM put),
    kept AS (
        INSERT INTO kenning.vector (model_id, text_hash, data) SELECT model.id, hash, data FROM kenning.model, given)
    INSERT INTO kenning.half_vector (model_id, text_hash, half)
        SELECT model.id, hash, CAST(half AS public.halfvec) FROM kenning.model, given";

/// Somebody whose store has many items with a vector each, which no model made.
fn filled() -> User {
    let user = User::sharing();
    let model = user.home().join("tiny");
    Tiny::quick().write(&model);
    with_model(&user, &model);
    assert_eq!(user.ken_with(&["items", "put", "-"], br#"{"id": "a", "text": "The first note."}"#).code, 0);
    let mut client = user.client();
    let dims: i64 = client.query_one("SELECT dims FROM kenning.model", &[]).unwrap().get(0);
    let texts: Vec<String> = (1..=ITEMS).map(|n| format!("Note {n}.")).collect();
    let vectors: Vec<Vec<f32>> = (1..=ITEMS).map(|n| vector(n, dims as usize)).collect();
    let bytes = |vector: &Vec<f32>| vector.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let stored: Vec<Vec<u8>> = vectors.iter().map(bytes).collect();
    let halves: Vec<String> = vectors.iter().map(|vector| format!("{vector:?}")).collect();
    client.execute(PUT, &[&texts, &stored, &halves]).unwrap();
    user
}

fn with_model(user: &User, model: &std::path::Path) {
    user.write("config.toml", format!("[model]\nname = {model:?}\n[index]\nbackground = false\n"));
}

/// A vector of length 1.
fn vector(seed: u64, dims: usize) -> Vec<f32> {
    let mut state = seed;
    let drawn = (0..dims).map(|_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    });
    let drawn: Vec<f32> = drawn.collect();
    let length = drawn.iter().map(|value| value * value).sum::<f32>().sqrt();
    drawn.iter().map(|value| value / length).collect()
}

/// Checks that a vector search like the engine's finds the nearest, and that `ken search` answers.
fn answers(user: &User) {
    let store = SharedDatabase::open(user.store().unwrap(), &PostgresAccess::default()).unwrap().unwrap();
    let model = store.index_model().unwrap().unwrap();
    let certificate = store.nearest_certificate(&model).unwrap();
    let how = certificate.map_or(NearestSearch::Exact, |certificate| certificate.search());
    let question = vector(1 << 40, model.dims);
    let found = store.nearest(&model, &question, 20, None, how).unwrap();
    let dot = |vector: &Vec<f32>| vector.iter().zip(&question).map(|(one, other)| one * other).sum::<f32>();
    let mut wanted: Vec<Vec<f32>> = (1..=ITEMS).map(|n| vector(n, model.dims)).collect();
    wanted.sort_by(|one, other| dot(other).total_cmp(&dot(one)));
    let found: Vec<Vec<f32>> = found.into_iter().map(|text| text.vector).collect();
    assert_eq!(found, wanted[..20]);
    said(user, &["search", "--min-relevance", "0", "the first note"], "The first note.");
}

/// Whether each index is whole.
fn indexes(client: &mut Client) -> Vec<bool> {
    let sql = "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relname LIKE 'half_vector_hnsw%' ORDER BY relname";
    client.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

fn said(user: &User, arguments: &[&str], wanted: &str) -> Ran {
    let ran = user.ken(arguments);
    assert!(ran.code == 0 && ran.out.contains(wanted), "{arguments:?}: {ran:?}");
    ran
}

/// Starts `ken gc` and waits until its build is in this phase; gives the process and its connection to the server.
fn building(user: &User, client: &mut Client, phase: &str) -> (Child, i32) {
    let mut gc = user.command(&["gc"]);
    let mut process = gc.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let sql = "SELECT pid FROM pg_stat_progress_create_index WHERE datname = current_database() AND phase = $1";
    loop {
        if let Some(row) = client.query_opt(sql, &[&phase]).unwrap() {
            return (process, row.get(0));
        }
        if let Some(status) = process.try_wait().unwrap() {
            panic!("the build was never seen in the phase `{phase}`: {status:?}, {:?}", process.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A statement that holds a build in a phase, and the name of that phase. In the middle one it stays by itself for a
/// while.
const PHASES: [(&str, &str); 3] = [
    ("BEGIN; LOCK TABLE kenning.half_vector IN ROW EXCLUSIVE MODE", "waiting for writers before build"),
    ("", "building index: loading tuples"),
    ("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM kenning.meta", "waiting for old snapshots"),
];

#[test]
fn after_a_killed_build_searches_work_and_gc_builds_again() {
    let user = filled();
    let mut client = user.client();
    answers(&user);
    said(&user, &["status"], "every vector is compared");
    for (held, phase) in PHASES {
        let mut holder = user.client();
        holder.batch_execute(held).unwrap();
        let (process, pid) = building(&user, &mut client, phase);
        assert_eq!(indexes(&mut client), [false], "{phase}");
        let killed = client.query_one("SELECT pg_terminate_backend($1, 60000)", &[&pid]).unwrap();
        assert!(killed.get::<_, bool>(0));
        let ran = process.wait_with_output().unwrap();
        let note = String::from_utf8_lossy(&ran.stderr);
        assert!(note.contains("; `ken gc` repairs that"), "{phase}: {ran:?}");
        assert_eq!(indexes(&mut client), [false], "{phase}: it was killed in the middle");
        answers(&user);
        let locks = "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
            WHERE datname = current_database() AND locktype = 'advisory'";
        assert_eq!(client.query_one(locks, &[]).unwrap().get::<_, i64>(0), 0, "{phase}");
        said(&user, &["status"], "there is no index of vectors yet; `ken gc` makes it");
        drop(holder);

        said(&user, &["gc"], "freed");
        assert_eq!(indexes(&mut client), [true], "{phase}");
        said(&user, &["status"], "of the nearest\n");
        let reset = "DROP INDEX kenning.half_vector_hnsw_1; DELETE FROM kenning.meta WHERE key LIKE 'nearest_cert%'";
        client.batch_execute(reset).unwrap();
    }
}

#[test]
fn the_server_finishes_a_build_whose_ken_was_killed() {
    let user = filled();
    let mut client = user.client();
    let mut holder = user.client();
    holder.batch_execute(PHASES[0].0).unwrap();
    let (mut process, pid) = building(&user, &mut client, PHASES[0].1);
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(indexes(&mut client), [false]);
    said(&user, &["status"], "another process is making the index of vectors");
    answers(&user);
    let put = user.ken_with(&["items", "put", "-"], br#"{"id": "b", "text": "The second note."}"#);
    assert_eq!(put.code, 0, "{put:?}");
    said(&user, &["gc"], "freed");
    assert_eq!(indexes(&mut client), [false], "the other one still makes it");
    drop(holder);
    let is_there = "SELECT FROM pg_stat_activity WHERE pid = $1";
    while client.query_opt(is_there, &[&pid]).unwrap().is_some() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(indexes(&mut client), [true]);
    said(&user, &["gc"], "freed");
    said(&user, &["status"], "of the nearest\n");
}

#[test]
fn a_role_that_does_not_own_the_tables_searches_without_an_index() {
    let owner = filled();
    let mut client = owner.client();
    client
        .batch_execute(
            "CREATE ROLE all_but_owner LOGIN; GRANT USAGE ON SCHEMA kenning TO all_but_owner;
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kenning TO all_but_owner;
             INSERT INTO kenning.reader VALUES ('all_but_owner', '*')",
        )
        .unwrap();
    let other = User::at(owner.store().unwrap().replace("postgres@", "all_but_owner@"));
    with_model(&other, &owner.home().join("tiny"));
    client.batch_execute("DELETE FROM kenning.half_vector WHERE get_byte(text_hash, 0) < 99").unwrap();
    let gc = || {
        let ran = said(&other, &["gc"], "freed");
        assert_eq!(ran.err, "", "{ran:?}");
    };
    gc();
    assert!(indexes(&mut client).is_empty());
    let half: i64 = client.query_one("SELECT count(*) FROM kenning.half_vector", &[]).unwrap().get(0);
    assert_eq!(half as u64, ITEMS + 1, "what a search compares needs no owner");
    answers(&other);
    let why = "there is no index of vectors yet; the owner of the tables makes it with `ken gc`";
    assert!(said(&other, &["status"], why).out.contains("every vector is compared"));
    let status = other.ken(&["status", "--json"]).json();
    assert_eq!((&status["store"]["index"], &status["store"]["recall"]), (&"not_owner".into(), &().into()), "{status}");
    let put = other.ken_with(&["items", "put", "-"], br#"{"id": "b", "text": "Written by another user."}"#);
    assert!(put.code == 0 && put.err.is_empty(), "{put:?}");

    // The owner makes it, and both use it. What is left of an older one is for the owner to drop.
    said(&owner, &["gc"], "freed");
    client
        .batch_execute("CREATE INDEX half_vector_hnsw_99 ON kenning.half_vector (model_id) WHERE model_id = 99")
        .unwrap();
    gc();
    assert_eq!(indexes(&mut client), [true, true]);
    assert!(said(&other, &["status"], "of the nearest\n").out.contains("searches find"));
    said(&owner, &["gc"], "freed");
    assert_eq!(indexes(&mut client), [true]);

    // It is lost, and what was measured on it stays.
    client
        .batch_execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE '%hnsw%'")
        .unwrap();
    gc();
    assert_eq!(indexes(&mut client), [false]);
    assert!(said(&other, &["status"], why).out.contains("every vector is compared"));
}
