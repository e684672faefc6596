//! The index of vectors of a shared store: who makes it, and who need not wait for that.

use super::turns::{Machine, item};
use crate::support::postgres::database_for;
use crate::support::request::session;
use kenning::engine::Renewed;
use postgres::{Client, NoTls};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How often a process was to be started.
static STARTED: AtomicUsize = AtomicUsize::new(0);

fn started() -> usize {
    STARTED.swap(0, Ordering::SeqCst)
}

fn later() -> bool {
    STARTED.fetch_add(1, Ordering::SeqCst);
    true
}

/// As many vectors under the index's model as need an index; they are of no item.
fn fill(client: &mut Client, many: usize) {
    let sql = format!(
        "SET search_path = kenning, public;
         INSERT INTO vector (model_id, text_hash, data)
            SELECT id, substr(sha256(CAST(CAST(n AS text) AS bytea)), 1, 16),
                decode(repeat('0000003f', CAST(dims AS int)), 'hex')
            FROM model, generate_series(1, {many}) AS n ON CONFLICT DO NOTHING;
         INSERT INTO half_vector (model_id, text_hash, half)
            SELECT model_id, text_hash,
                (SELECT array_agg(random() + 0 * (d + vector.id)) FROM generate_series(1, dims) AS d)::real[]::halfvec
            FROM model JOIN vector ON model_id = model.id ON CONFLICT DO NOTHING;
         ANALYZE half_vector"
    );
    client.batch_execute(&sql).unwrap();
}

/// Whether there is an index, and whether it is whole.
fn index(client: &mut Client) -> Vec<bool> {
    let sql = "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relname LIKE 'half_vector_hnsw%'";
    client.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

#[test]
fn a_writer_leaves_the_index_to_a_background_process() {
    let dir = tempfile::tempdir().unwrap();
    let address = database_for(dir.path());
    let (plain, one) = (Machine::at(&address, true, None), Machine::at(&address, true, Some(later)));
    plain.put(vec![item("a", "The first note.")]);
    one.put(vec![item("b", "The second note.")]);
    assert_eq!(started(), 0, "there is little");
    assert_eq!(one.engine.renew_vectors(&session()).unwrap(), Renewed::NotDue);
    let mut client = Client::connect(&address, NoTls).unwrap();
    fill(&mut client, 5_500);
    one.put(vec![item("c", "The third note.")]);
    assert_eq!((started(), index(&mut client)), (1, vec![]));
    // Whoever makes it has this lock, and whoever writes starts no second one meanwhile.
    client.execute("SELECT pg_advisory_lock(x'6b656e6e'::bigint)", &[]).unwrap();
    one.put(vec![item("d", "The fourth note.")]);
    assert_eq!(started(), 0);
    assert_eq!(one.engine.renew_vectors(&session()).unwrap(), Renewed::Busy);
    client.execute("SELECT pg_advisory_unlock_all()", &[]).unwrap();
    assert_eq!(one.engine.renew_vectors(&session()).unwrap(), Renewed::Done);
    assert_eq!(index(&mut client), [true]);
    assert_eq!(one.engine.renew_vectors(&session()).unwrap(), Renewed::NotDue);
    one.put(vec![item("e", "The fifth note.")]);
    assert_eq!(started(), 0);

    // As a process leaves it that was stopped.
    client
        .execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE '%half_vector_hnsw%'",
            &[],
        )
        .unwrap();
    one.put(vec![item("f", "The sixth note.")]);
    assert_eq!(started(), 1);
    assert_eq!(one.engine.renew_vectors(&session()).unwrap(), Renewed::Done);
    assert_eq!(index(&mut client), [true]);

    // Twice as many are measured anew.
    fill(&mut client, 12_000);
    one.put(vec![item("g", "The seventh note.")]);
    assert_eq!(started(), 1);
    assert_eq!(one.engine.renew_vectors(&session()).unwrap(), Renewed::Done);
    one.put(vec![item("h", "The eighth note.")]);
    assert_eq!(started(), 0);
    let measured = "SELECT value::json->>'vectors' FROM kenning.meta WHERE key LIKE 'nearest_certificate%'";
    assert_eq!(client.query_one(measured, &[]).unwrap().get::<_, String>(0), "12007");
}

#[test]
fn others_write_while_a_writer_builds_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let address = database_for(dir.path());
    let (one, two) = (Machine::at(&address, true, None), Machine::at(&address, false, None));
    one.put(vec![item("a", "The first note.")]);
    let mut client = Client::connect(&address, NoTls).unwrap();
    fill(&mut client, 5_500);
    // While this goes on, no index of the table becomes whole.
    let mut held = Client::connect(&address, NoTls).unwrap();
    held.batch_execute("BEGIN; LOCK TABLE kenning.half_vector IN ROW EXCLUSIVE MODE").unwrap();
    std::thread::scope(|threads| {
        let making = threads.spawn(|| one.put(vec![item("b", "The second note.")]));
        let is_begun =
            "SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND pid != pg_backend_pid()
            AND datname = current_database()";
        while client.query(is_begun, &[]).unwrap().is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
        two.put(vec![item("c", "The third note.")]);
        assert!(!making.is_finished());
        held.batch_execute("COMMIT").unwrap();
        making.join().unwrap();
    });
    assert_eq!(index(&mut client), [true]);
}
