//! A connection that is limited to the scopes of a request, of a role that reads all of them.

use super::*;
use crate::store::sql::SqlRow;
use crate::store::{ReadVectors, WriteVectors};
use crate::text::text_hash;
use crate::types::Fingerprint;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The address of a store for a role that reads all scopes and owns nothing.
fn service_of(folder: &Path) -> String {
    let name = database_of(folder);
    // Another test may have made it.
    server().psql(&name, "CREATE ROLE serves_teams LOGIN");
    let granted = server().psql(
        &name,
        "GRANT USAGE ON SCHEMA kenning TO serves_teams;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kenning TO serves_teams;
         INSERT INTO kenning.reader VALUES ('serves_teams', '*')",
    );
    assert!(!granted.contains("ERROR"), "{granted}");
    address_of(folder).replace("postgres@", "serves_teams@")
}

fn of_team(team: &str) -> Item {
    Item { scope: Scope::repository(team), ..item(&format!("chunk/{team}")) }
}

fn only(teams: &[&str]) -> Vec<Scope> {
    teams.iter().copied().map(Scope::repository).collect()
}

/// A store with an item of each of two teams, whose names need quotes in an array.
const TEAMS: [&str; 2] = ["a, \"b\"", "c\u{1}{}"];

fn made_for_teams() -> (tempfile::TempDir, WriterLock, SharedDatabase) {
    let (dir, lock, mut store) = made();
    let batch = store.begin(&lock).unwrap();
    for team in TEAMS {
        batch.put_item(&of_team(team), None).unwrap();
    }
    batch.commit().unwrap();
    (dir, lock, store)
}

/// The items that a query without any filter reads.
fn seen(store: &impl RunSql) -> Vec<String> {
    store.rows("SELECT uid FROM item ORDER BY uid", &[], |row| SqlRow::text(row, 0)).unwrap()
}

fn uids(teams: &[&str]) -> Vec<String> {
    teams.iter().map(|team| of_team(team).uid).collect()
}

#[test]
fn the_server_withholds_what_a_filter_forgets() {
    let (dir, lock, mut owner) = made_for_teams();
    let mut store = SharedDatabase::open(&service_of(dir.path()), &Access::default()).unwrap().unwrap();
    assert!(seen(&store) == uids(&TEAMS) && store.sees_all_scopes() && store.need_all().is_ok());
    for team in TEAMS {
        store.limit_to(Some(&only(&[team])));
        assert_eq!(seen(&store), uids(&[team]));
        assert_eq!(store.admitted(&ItemFilter::default(), None).unwrap().len(), 1);
        assert!(!store.sees_all_scopes() && matches!(store.need_all(), Err(StoreError::PartOnly { .. })));
    }
    store.limit_to(Some(&only(&TEAMS)));
    assert_eq!(seen(&store), uids(&TEAMS));
    store.limit_to(Some(&[]));
    assert_eq!(seen(&store), [""; 0]);

    // The limit stays after a commit and after a rollback.
    store.limit_to(Some(&only(&TEAMS[..1])));
    {
        let _moment = store.snapshot().unwrap();
        assert_eq!(seen(&store), uids(&TEAMS[..1]));
    }
    let batch = store.begin(&lock).unwrap();
    assert_eq!(seen(&batch), uids(&TEAMS[..1]));
    let other = Item { uid: "chunk/other".to_owned(), ..of_team(TEAMS[1]) };
    let refused = batch.put_item(&other, None).unwrap_err();
    assert!(refused.to_string().contains("does not let this user write to a scope"), "{refused}");
    drop(batch);
    let batch = store.begin(&lock).unwrap();
    assert_eq!(batch.execute("UPDATE item SET title = 'x'", &[]).unwrap(), 1);
    batch.put_item(&Item { uid: "chunk/z".to_owned(), ..of_team(TEAMS[0]) }, None).unwrap();
    batch.commit().unwrap();
    let own = [uids(&TEAMS[..1]), vec!["chunk/z".to_owned()]].concat();
    assert_eq!(seen(&store), own);
    cut(dir.path());
    assert_eq!(seen(&store), own, "a connection that was made anew is limited too");
    {
        cut(dir.path());
        let batch = store.begin(&lock).unwrap();
        assert_eq!(seen(&batch), own);
    }
    store.limit_to(None);
    assert_eq!(seen(&store).len(), 3);

    owner.limit_to(Some(&[]));
    assert!(seen(&owner).len() == 3 && owner.sees_all_scopes(), "the owner of the tables is not bound");
}

#[test]
fn a_limit_never_admits_more_than_the_role_has() {
    let (dir, _lock, _store) = made_for_teams();
    let name = database_of(dir.path());
    server().psql(&name, "CREATE ROLE serves_one LOGIN");
    let granted = server().psql(
        &name,
        "GRANT USAGE ON SCHEMA kenning TO serves_one; GRANT SELECT ON ALL TABLES IN SCHEMA kenning TO serves_one;
         INSERT INTO kenning.reader SELECT 'serves_one', scope FROM kenning.item WHERE uid LIKE 'chunk/a%'",
    );
    assert!(granted.contains("INSERT 0 1"), "{granted}");
    let address = address_of(dir.path()).replace("postgres@", "serves_one@");
    let mut store = SharedDatabase::open(&address, &Access::default()).unwrap().unwrap();
    for (limit, admitted) in [(&TEAMS[..], &TEAMS[..1]), (&TEAMS[..1], &TEAMS[..1]), (&TEAMS[1..], &[])] {
        store.limit_to(Some(&only(limit)));
        assert_eq!(seen(&store), uids(admitted), "{limit:?}");
    }
}

#[test]
fn a_pool_hands_out_no_limit_of_another_request() {
    let (dir, _lock, _store) = made_for_teams();
    let pool = Pool::at(Place::shared(dir.path(), SharedStore::at(service_of(dir.path()))));
    let process = |store: &Database| store.counted("SELECT pg_backend_pid()", &[]).unwrap();
    let (first, second) = (only(&TEAMS[..1]), only(&TEAMS[1..]));
    let connection = {
        let reader = pool.reader_of(Some(&first)).unwrap().unwrap();
        assert_eq!(seen(&*reader), uids(&TEAMS[..1]));
        process(&reader)
    };
    let next = |scopes: Option<&[Scope]>, teams: &[&str]| {
        let reader = pool.reader_of(scopes).unwrap().unwrap();
        assert_eq!((process(&reader), seen(&*reader)), (connection, uids(teams)));
    };
    next(None, &TEAMS);
    next(Some(&second), &TEAMS[1..]);
    next(Some(&first), &TEAMS[..1]);
    let failed = catch_unwind(AssertUnwindSafe(|| {
        let reader = pool.reader_of(Some(&second)).unwrap().unwrap();
        assert!(reader.execute("SELECT 1 / 0", &[]).is_err());
        panic!("of this test");
    }));
    assert!(failed.is_err());
    next(None, &TEAMS);
}

/// What is derived from a text that nobody has any more goes, though it is in no scope.
#[test]
fn a_limited_request_removes_vectors_that_nobody_uses() {
    let (dir, lock, owner) = made_for_teams();
    let used = owner.embeddings().unwrap().last().unwrap().2;
    let mut store = SharedDatabase::open(&service_of(dir.path()), &Access::default()).unwrap().unwrap();
    store.limit_to(Some(&only(&TEAMS[..1])));
    let batch = store.begin(&lock).unwrap();
    let model = batch.put_model(&Fingerprint::stored("m@01".to_owned()), 2).unwrap();
    batch.put_vectors(&model, [(text_hash("nobody's"), &[0.6, 0.8][..]), (used, &[0.8, 0.6][..])]).unwrap();
    assert_eq!(batch.drop_unused_vectors().unwrap(), 1);
    assert_eq!(seen(&batch), uids(&TEAMS[..1]), "the limit is back");
    batch.commit().unwrap();
    assert_eq!(seen(&store), uids(&TEAMS[..1]));
    assert_eq!(owner.vector_texts(&model).unwrap(), [used]);
}

#[test]
fn what_is_written_behind_a_replica_is_limited_too() {
    let (dir, lock, _store) = made_for_teams();
    // One server stands for the replica and for what it follows.
    let url = service_of(dir.path());
    let shared = SharedStore { read_url: Some(url.clone()), ..SharedStore::at(url) };
    let mut store = Database::open_at(&Place::shared(dir.path(), shared)).unwrap().unwrap();
    for (limit, writes) in [(&TEAMS[..1], true), (&TEAMS[1..], false), (&TEAMS[..1], true)] {
        store.limit_to(Some(&only(limit)));
        assert_eq!(seen(&store), uids(limit));
        let batch = store.begin(&lock).unwrap();
        let new = Item { uid: "chunk/new".to_owned(), ..of_team(TEAMS[0]) };
        assert_eq!(batch.put_item(&new, None).is_ok(), writes, "{limit:?}");
    }
    let everything = store.unlimited(|store| seen(store));
    assert_eq!((everything, seen(&store)), (uids(&TEAMS), uids(&TEAMS[..1])));
}
