//! The gate of a shared store: who fits it to the texts, and who need not wait for that.

use super::turns::{Machine, item};
use crate::support::postgres::database_for;
use crate::support::request::session;
use kenning::query::Legs;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often a process was to be started.
static STARTED: AtomicUsize = AtomicUsize::new(0);

fn started() -> usize {
    STARTED.swap(0, Ordering::SeqCst)
}

fn later() -> bool {
    STARTED.fetch_add(1, Ordering::SeqCst);
    true
}

fn put(machine: &Machine, texts: std::ops::Range<usize>) {
    machine.put(texts.map(|at| item(&format!("n{at}"), &format!("Shelf {at} has {} books.", at % 7))).collect());
}

fn texts_known(address: &str) -> Option<String> {
    let mut client = postgres::Client::connect(address, postgres::NoTls).unwrap();
    let sql = "SELECT value::json->>'texts' FROM kenning.meta WHERE key = 'noise'";
    client.query_opt(sql, &[]).unwrap().map(|row| row.get(0))
}

#[test]
fn above_1000_texts_a_background_process_fits_the_gate() {
    let dir = tempfile::tempdir().unwrap();
    let address = database_for(dir.path());
    let (one, plain) = (Machine::at(&address, false, Some(later)), Machine::at(&address, false, None));
    put(&one, 0..30);
    assert_eq!((started(), texts_known(&address).as_deref()), (0, Some("30")), "there is little");
    put(&one, 30..1_020);
    assert_eq!((started(), texts_known(&address).as_deref()), (1, Some("30")));
    let fitted = |machine: &Machine| machine.engine.has_fitted_gate(Legs::default(), &session()).unwrap();
    assert!(fitted(&plain), "the earlier one is used");

    // Enough is added during the measurement that it is due again.
    let asked = Cell::new(0);
    let coming = session().heard_by(|_| {
        asked.set(asked.get() + 1);
        if asked.get() == 5 {
            put(&one, 1_020..1_400);
            assert_eq!(started(), 0, "the process that is at it does this too");
        }
    });
    one.engine.renew_vectors(&coming).unwrap();
    assert_eq!((started(), texts_known(&address).as_deref()), (0, Some("1400")));
    put(&one, 1_400..1_500);
    assert_eq!(started(), 0, "it still fits");

    // One of all machines fits it at a time.
    let mut other = postgres::Client::connect(&address, postgres::NoTls).unwrap();
    other.execute("SELECT pg_advisory_lock(7038321)", &[]).unwrap();
    put(&plain, 1_500..1_890);
    assert_eq!(texts_known(&address).as_deref(), Some("1400"));
    other.execute("SELECT pg_advisory_unlock(7038321)", &[]).unwrap();

    // Where no process is started, whoever writes fits it.
    put(&plain, 1_890..1_900);
    assert_eq!(texts_known(&address).as_deref(), Some("1900"));
}
