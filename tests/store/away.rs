//! A shared store that is empty, busy, or cannot be reached: what commands and services say of it.

use crate::support::ken::{User, section};
use crate::support::postgres::asked;
use crate::support::service::Service;
use serde_json::json;
use std::time::{Duration, Instant};

/// Lets nobody reach the store of a user, or lets all reach it again.
fn reachable(user: &User, is_reachable: bool) {
    let address = user.store().unwrap();
    let (server, name) = address.rsplit_once('/').unwrap();
    let said = asked(&format!("{server}/postgres"), &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {is_reachable}"));
    assert!(said.contains("ALTER DATABASE"), "{said}");
    if !is_reachable {
        let all =
            format!("SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE datname = '{name}'");
        asked(&format!("{server}/postgres"), &all);
    }
}

#[test]
fn an_unreachable_store_is_reported() {
    let user = User::sharing();
    let learnt = "seed 9: table staging_58 does not exist";
    assert_eq!(user.ken(&["remember", &format!("When it says {learnt}, run make seed first")]).code, 0);
    let service = Service::start(&user, &[]);
    let ready = || service.ask("GET", "/readyz", "");
    let check = || user.ken(&["serve", "--check", "--listen", &service.address]);
    let await_ready = || {
        let begun = Instant::now();
        while ready().status != 200 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", ready());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    await_ready();
    assert_eq!(check().code, 0);

    reachable(&user, false);
    let looked = user.ken(&["lookup", learnt]);
    assert!(looked.code == 1 && looked.err.contains("memories could not be searched: postgres://"), "{looked:?}");
    // What the packs know is answered as ever.
    let looked = user.ken(&["lookup", "--json", "fatal: refusing to merge unrelated histories"]);
    assert_eq!(
        (looked.code, looked.json()["results"][0]["hits"][0]["tier"].as_str()),
        (0, Some("exact")),
        "{looked:?}"
    );
    let notes = service.told("/v1/lookup", &json!({"text": learnt}))["notes"].to_string();
    assert!(notes.contains("memories could not be searched"), "{notes}");
    let answer = ready();
    assert_eq!((answer.status, answer.json()["state"].as_str()), (503, Some("store_unreachable")));
    let checked = check();
    assert!(checked.code == 10 && checked.err.contains("its store cannot be used"), "{checked:?}");

    reachable(&user, true);
    await_ready();
    assert_eq!(check().code, 0);
    let looked = user.ken(&["lookup", learnt]);
    assert!(!looked.err.contains("could not be searched"), "{looked:?}");
}

#[test]
fn status_shows_the_address_of_an_empty_store() {
    let user = User::sharing();
    let status = user.ken(&["status"]);
    assert!(status.code == 0 && status.out.contains("store     postgres://"), "{status:?}");
}

#[test]
fn remember_succeeds_while_ken_index_runs() {
    let user = User::sharing();
    for file in 0..3_000 {
        let text: String = (0..10).map(|at| section(at, &format!("Shelf {file} has {at} books."))).collect();
        user.document(&format!("docs/{file}.md"), text);
    }
    let mut indexing = user.command(&["index", "docs", "--quiet"]).spawn().unwrap();
    let mut client = user.client();
    let begun = Instant::now();
    let mut files =
        || client.query_one("SELECT count(*) FROM kenning.source", &[]).map_or(0, |row| row.get::<_, i64>(0));
    while files() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    let remembered = user.ken(&["remember", "The staging cluster is called heron"]);
    assert_eq!(remembered.code, 0, "{remembered:?}");
    assert!(indexing.try_wait().unwrap().is_none() && files() < 3_000, "it was remembered after all of it was indexed");
    assert!(indexing.wait().unwrap().success());
    assert_eq!(files(), 3_000);
}
