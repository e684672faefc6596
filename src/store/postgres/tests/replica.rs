//! A store that is read from a replica: here the same database through a user who can write nothing.

use super::*;
use crate::store::ReadChanges;

const READS: &str = "CREATE ROLE reads_only LOGIN";

fn replica_of(folder: &Path) -> String {
    let name = database_of(folder);
    // Another test may have made it.
    server().psql(&name, READS);
    let granted = server().psql(
        &name,
        "GRANT USAGE ON SCHEMA kenning TO reads_only; GRANT SELECT ON ALL TABLES IN SCHEMA kenning TO reads_only;
         INSERT INTO kenning.reader VALUES ('reads_only', '*')",
    );
    assert!(!granted.contains("ERROR"), "{granted}");
    let options = "options=-c%20default_transaction_read_only%3Don";
    format!("{}?{options}", address_of(folder).replace("postgres@", "reads_only@"))
}

fn place(folder: &Path) -> Place {
    place_of(folder, &address_of(folder))
}

fn place_of(folder: &Path, url: &str) -> Place {
    let read_url = Some(replica_of(folder));
    Place::shared(folder, SharedStore { read_url, ..SharedStore::at(url) })
}

#[test]
fn reads_go_to_the_replica_and_changes_to_the_server_that_it_follows() {
    let (dir, lock, store) = made();
    drop(store);
    let place = place(dir.path());
    let mut store = Database::open_at(&place).unwrap().unwrap();
    let user = |store: &Database| {
        store.one("SELECT CAST(current_user AS text)", &[], |row| crate::store::sql::SqlRow::text(row, 0))
    };
    assert_eq!(user(&store).unwrap(), "reads_only");
    let refused = store.execute("INSERT INTO meta VALUES ('x', 'y')", &[]).unwrap_err();
    assert!(refused.to_string().contains("read-only transaction"), "the address's own options hold: {refused}");
    assert!(refused.hint().is_some_and(|hint| hint.contains("name the primary in store.url")), "{refused}");
    let batch = store.begin(&lock).unwrap();
    let row = batch.put_item(&item("chunk/1"), None).unwrap();
    batch.commit().unwrap();
    assert_eq!(store.item_id("chunk/1").unwrap(), Some(row));
    store.count_served(&["chunk/1"], 7).unwrap();
    assert_eq!(store.usage(&["chunk/1"]).unwrap()["chunk/1"].served, 1);
    // What follows may lack what the other has.
    let last = store.generation().unwrap();
    assert_eq!(store.begin_generation().unwrap(), last);
    store.forget_changes_before(last).unwrap();
    assert_eq!(store.changed_since(last, 9).unwrap(), Some(Vec::new()));
    for opened in
        [Database::open_to_record_at(&place).unwrap().unwrap(), Database::open_to_write_at(&place, &lock).unwrap()]
    {
        assert_eq!(user(&opened).unwrap(), "postgres");
    }
    assert!(Pool::at(place).reader().unwrap().unwrap().has_text(row).unwrap());
}

#[test]
fn counters_are_left_out_where_that_server_is_away() {
    let (dir, lock, _store) = made();
    let place = place_of(dir.path(), "postgres://kenning@127.0.0.1:1/kenning");
    let mut store = Database::open_at(&place).unwrap().unwrap();
    store.count_served(&["chunk/1"], 7).unwrap();
    assert!(store.usage(&["chunk/1"]).unwrap().is_empty());
    assert_eq!(store.begin(&lock).unwrap_err().kind(), ErrorKind::Network);
}

#[test]
fn a_replica_of_another_schema_is_refused_and_not_changed() {
    let (dir, _lock, store) = made();
    drop(store);
    let place = place(dir.path());
    let set = |number: &str| {
        server().psql(&database_of(dir.path()), &format!("UPDATE kenning.schema_version SET number = {number}"))
    };
    set("2");
    let opened = Database::open_at(&place);
    assert!(matches!(&opened, Err(StoreError::OlderCopy { found: 2, .. })), "{opened:?}");
    set("99");
    let opened = Database::open_at(&place);
    assert!(matches!(&opened, Err(StoreError::NewerCopy { found: 99, .. })), "{opened:?}");
    assert!(opened.unwrap_err().to_string().contains("99"));
    server().psql(&database_of(dir.path()), "DROP SCHEMA kenning CASCADE");
    assert!(Database::open_at(&place).unwrap_or_else(|error| panic!("{error}")).is_none());
}
