//! Jobs of several services on one store in PostgreSQL.

use crate::support::ken::{User, section};
use crate::support::service::Service;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// So many that their job does not end before something is done to it.
const FILES: usize = 1_500;

/// A user and another one on the same store. The first one's service may index its folder `docs`; the second one's may
/// too if `both`.
fn two_with(files: usize, both: bool) -> (User, User, Value) {
    let (one, docs) = (User::sharing(), "docs");
    for file in 0..files {
        let text: String = (0..10).map(|at| section(at, &format!("Shelf {file} has {at} books."))).collect();
        one.document(&format!("{docs}/{file}.md"), text);
    }
    let docs = one.work().join(docs);
    let two = User::beside(&one);
    for user in [&one, &two].into_iter().take(1 + usize::from(both)) {
        assert_eq!(user.ken(&["config", "set", "serve.folders", docs.to_str().unwrap()]).code, 0);
    }
    (one, two, json!({"paths": [docs]}))
}

fn begin(service: &Service, request: &Value) -> String {
    let begun = service.post("/v1/index", request);
    assert_eq!(begun.status, 202, "{begun:?}");
    begun.header("location").unwrap().to_owned()
}

fn until(service: &Service, place: &str, reached: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let now = service.ask("GET", place, "").json();
        if reached(&now) {
            return now;
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "{now}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn any_service_says_how_far_the_job_of_another_is() {
    let (one, two, request) = two_with(3, false);
    let (asked, other) = (Service::start(&one, &[]), Service::start(&two, &[]));
    assert_eq!(other.post("/v1/index", &request).status, 403);
    let place = begin(&asked, &request);
    let events = other.events(&place);
    let last = events.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!((&last["state"], &last["report"]["files_added"]), (&json!("done"), &json!(3)), "{events:?}");
    assert_eq!(place, format!("/v1/jobs/{}", last["id"].as_str().unwrap()));
    for service in [&asked, &other] {
        assert_eq!(service.ask("GET", &place, "").json()["state"], "done");
        assert_eq!(service.ask("GET", "/v1/jobs/999", "").status, 404);
    }
    let found = other.told("/v1/search", &json!({"query": "Shelf 2 has 7 books", "min_relevance": 0}));
    assert!(found["results"][0]["hits"][0]["path"].as_str().unwrap().ends_with("2.md"), "{found}");
}

#[test]
fn a_job_whose_service_is_killed_is_done_by_another_and_by_it_alone() {
    let (one, two, request) = two_with(FILES, true);
    let first = Service::start(&one, &[]);
    let place = begin(&first, &request);
    let second = Service::start(&two, &[]);
    until(&second, &place, |job| job["files"].as_u64() > Some(0));
    first.kill();
    let ended = until(&second, &place, |job| job["state"] == "done");
    // What the first had committed is there already.
    let report = &ended["report"];
    assert!((1..FILES as u64).contains(&report["files_added"].as_u64().unwrap()), "{ended}");
    assert_eq!(two.ken(&["status", "--json"]).json()["files"].as_u64(), Some(FILES as u64));
    assert_eq!(second.end(), Some(0));
    assert_eq!(two.ken(&["doctor"]).code, 0);
}

#[test]
fn a_job_is_stopped_by_a_service_that_does_not_do_it() {
    let (one, two, request) = two_with(FILES, false);
    let (asked, other) = (Service::start(&one, &[]), Service::start(&two, &[]));
    let (first, second) = (begin(&asked, &request), begin(&asked, &request));
    until(&other, &first, |job| job["files"].as_u64() > Some(0));
    assert_eq!(other.ask("DELETE", &second, "").json()["state"], "cancelled");
    assert_eq!(other.ask("DELETE", &first, "").status, 202);
    let ended = until(&other, &first, |job| job["state"] != "running");
    assert_eq!(ended["state"], "cancelled", "{ended}");
    assert_eq!(asked.ask("GET", &second, "").json()["state"], "cancelled");
}
