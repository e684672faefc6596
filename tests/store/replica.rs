//! Searches that read from a real standby, while changes go to the server that it follows.

use crate::support::ken::User;
use crate::support::postgres::Server;
use crate::support::service::Service;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What is put in, in this order; each is asked for with its own words.
const TEXTS: [&str; 4] = [
    "The south pier has no lamps.",
    "Bees live behind the orchard wall.",
    "A bell of bronze hangs in the tower.",
    "Signing keys are rotated in May.",
];

/// Waits until a server prints this.
fn await_printed(server: &Server, sql: &str, wanted: &str) {
    let patience = Instant::now() + Duration::from_secs(60);
    loop {
        let printed = server.psql("kenning", sql);
        if printed.trim() == wanted {
            return;
        }
        assert!(Instant::now() < patience, "{sql}: {printed}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the standby has everything.
fn await_replayed(primary: &Server, standby: &Server) {
    let written = primary.psql("kenning", "SELECT pg_current_wal_lsn()");
    await_printed(standby, &format!("SELECT pg_last_wal_replay_lsn() >= '{}'", written.trim()), "t");
}

fn item(at: usize) -> Value {
    json!({"id": at.to_string(), "text": TEXTS[at]})
}

fn put(user: &User, at: usize) -> i32 {
    user.ken_with(&["items", "put", "-"], item(at).to_string().as_bytes()).code
}

/// How many of the texts a command finds.
fn finds(user: &User) -> usize {
    let is_found = |text: &&&str| {
        let ran = user.ken(&["search", "--min-relevance", "0", text]);
        assert!([0, 1].contains(&ran.code), "{ran:?}");
        ran.out.contains(**text)
    };
    TEXTS.iter().filter(is_found).count()
}

/// A service, asked.
struct Asked(Service);

impl Asked {
    fn put(&self, at: usize) -> u16 {
        self.0.ask("PUT", "/v1/items", &json!({"items": [item(at)]}).to_string()).status
    }

    /// How many of the texts it finds.
    fn finds(&self) -> usize {
        let is_found = |text: &&&str| {
            let told = self.0.told("/v1/search", &json!({"query": text, "min_relevance": 0}));
            told["results"].to_string().contains(&format!("\"snippet\":\"{text}"))
        };
        TEXTS.iter().filter(is_found).count()
    }
}

/// `ken status` says where changes go, and where searches read.
fn status_names_both(user: &User, primary: &Server, standby: &Server) {
    let name = |server: &Server| format!("postgres://postgres@a socket:{}/kenning", server.port());
    let store = &user.ken(&["status", "--json"]).json()["store"];
    assert_eq!((&store["address"], &store["reads_from"]), (&json!(name(primary)), &json!(name(standby))));
    let told = user.ken(&["status"]).out;
    let rows = format!("store     {}\n          searches read from {}\n", name(primary), name(standby));
    assert!(told.contains(&rows), "{told}");
}

/// Where `store.url` names a standby, the error says what to do.
fn cannot_be_written(standby: &Server) {
    let mistaken = User::at(standby.address());
    let put = mistaken.ken_with(&["items", "put", "-"], item(3).to_string().as_bytes());
    assert!(put.code == 10 && put.err.contains("name the primary in store.url"), "{put:?}");
}

#[test]
fn searches_read_from_a_standby_and_changes_go_to_the_server_that_it_follows() {
    let mut primary = Server::start();
    let writer = User::at(primary.address());
    assert_eq!(put(&writer, 0), 0);
    let standby = primary.standby();
    await_replayed(&primary, &standby);
    let user = User::at(primary.address());
    user.write("config.toml", format!("[store]\nread_url = {:?}\n", standby.address()));
    let service = Asked(Service::start(&user, &[]));
    assert_eq!((finds(&user), service.finds()), (1, 1));
    status_names_both(&user, &primary, &standby);
    cannot_be_written(&standby);

    // A standby that lags behind: what is written is where it belongs, and is not read there.
    standby.psql("kenning", "SELECT pg_wal_replay_pause()");
    await_printed(&standby, "SELECT pg_get_wal_replay_pause_state()", "paused");
    assert_eq!((put(&user, 1), service.put(2)), (0, 200));
    assert_eq!((finds(&writer), finds(&user), service.finds()), (3, 1, 1));
    standby.psql("kenning", "SELECT pg_wal_replay_resume()");
    await_replayed(&primary, &standby);
    assert_eq!((finds(&user), service.finds()), (3, 3));

    primary.crash();
    assert_eq!((finds(&user), service.finds()), (3, 3));
    assert_eq!((put(&user, 3), service.put(3)), (10, 502));

    // It comes back, and the standby follows again.
    primary.run();
    assert_eq!(service.put(3), 200);
    await_replayed(&primary, &standby);
    assert_eq!((finds(&user), service.finds()), (4, 4));
    writer.assert_sound();
}
