use super::{id, ken_in, remember, repository};
use crate::support::ken::User;
use serde_json::Value;
use std::path::Path;

/// What a search shows of these kinds, first things first: ids, and what is known of each.
fn found(user: &User, folder: &Path, question: &str, more: &[&str]) -> Vec<(String, Value)> {
    let all = [&["search", "--json", "--min-relevance", "0", "--full"][..], more, &["--", question]].concat();
    let ran = ken_in(user, folder, &all);
    let hits = ran.json()["results"][0]["hits"].as_array().cloned().unwrap_or_default();
    hits.into_iter().map(|hit| (hit["id"].as_str().unwrap().to_owned(), hit["memory"].clone())).collect()
}

fn ids(found: &[(String, Value)]) -> Vec<&str> {
    found.iter().map(|(id, _)| id.as_str()).collect()
}

/// Says something as a fact in a session; gives the id of its memory.
fn say(user: &User, folder: &Path, session: &str, text: &str) -> String {
    id(&remember(user, folder, &[text, "--kind", "fact", "--session", session]))
}

#[test]
fn what_is_said_in_passing_stands_before_what_it_revises() {
    let user = User::new();
    let here = repository(&user, "one");
    let boston = say(&user, &here, "s1", "I want to fly to Boston");
    let seats = say(&user, &here, "s1", "Two window seats, please");
    let newark = say(&user, &here, "s1", "No, make that to Newark");
    // The words of the question are those of what was said first; no word of it stands in what revises that.
    let asked = found(&user, &here, "where to fly", &[]);
    assert_eq!(ids(&asked)[..2], [&newark, &boston], "{asked:?}");
    assert_eq!(asked[0].1["revises"], serde_json::json!([boston]));
    assert_eq!(asked[1].1["revised_by"], serde_json::json!([newark]));
    let kept = ken_in(&user, &here, &["pack", "--json", "where to fly"]).out;
    if let (Some(new), Some(old)) = (kept.find(&newark), kept.find(&boston)) {
        assert!(new < old, "{kept}");
    }
    // What else was said stays as it was.
    assert_eq!(found(&user, &here, "window seats", &[])[0], (seats.clone(), asked_about(&user, &here, &seats)));

    // Once more: the last word stands first, and what was revised twice comes last.
    let salem = say(&user, &here, "s1", "Sorry, I meant to Salem");
    let asked = found(&user, &here, "where to fly", &[]);
    assert_eq!(ids(&asked)[..3], [&salem, &newark, &boston], "{asked:?}");
    let told = ken_in(&user, &here, &["memory", "history", "--json", &newark]).json();
    assert_eq!(told["memory"]["revised_by"], serde_json::json!([salem]), "{told:?}");
    // Whoever says the first again takes it up again.
    assert_eq!(say(&user, &here, "s1", "I want to fly to Boston"), boston);
    let asked = found(&user, &here, "where to fly", &[]);
    assert_eq!(ids(&asked)[0], boston, "{asked:?}");

    let told = ken_in(&user, &here, &["memory", "history", &newark]);
    assert!(told.out.contains(&format!("revises {boston}")), "{told:?}");
    assert_eq!(ken_in(&user, &here, &["memory", "replay", "--check"]).code, 0);
    user.assert_sound();
}

/// What a search for it says of a memory.
fn asked_about(user: &User, folder: &Path, id: &str) -> Value {
    let all = found(user, folder, "window seats", &[]);
    all.into_iter().find(|(found, _)| found == id).expect("it is found").1
}

#[test]
fn only_what_was_said_of_the_same_by_the_same_is_revised() {
    let user = User::new();
    let (here, there) = (repository(&user, "one"), repository(&user, "two"));
    let boston = say(&user, &here, "s1", "I want to fly to Boston");
    // Another session, another repository, and what names what it is about.
    say(&user, &here, "s2", "No, make that to Newark");
    say(&user, &there, "s1", "No, make that to Dallas");
    remember(&user, &here, &["No, make that to Salem", "--kind", "fact", "--service", "air", "--session", "s1"]);
    // What has nothing to do with it.
    say(&user, &here, "s1", "My aunt keeps bees");
    let asked = found(&user, &here, "where to fly", &[]);
    let first = asked.iter().find(|(id, _)| *id == boston).expect("it is found");
    assert!(first.1["revised_by"].is_null(), "{asked:?}");
    assert_eq!(ids(&asked)[0], boston, "{asked:?}");
}

#[test]
fn a_dispute_that_is_withdrawn_changes_nothing_and_what_is_forgotten_revises_nothing() {
    let user = User::new();
    let here = repository(&user, "one");
    let boston = say(&user, &here, "s1", "I want to fly to Boston");
    let newark = say(&user, &here, "s1", "No, make that to Newark");
    let before = found(&user, &here, "where to fly", &[]);
    assert_eq!(ids(&before), [&newark, &boston]);
    ken_in(&user, &here, &["dispute", &newark, "--because", "nobody said so"]);
    let disputed = found(&user, &here, "where to fly", &[]);
    assert_eq!(ids(&disputed), [&boston]);
    assert!(disputed[0].1["revised_by"].is_null(), "{disputed:?}");
    ken_in(&user, &here, &["dispute", &newark, "--withdraw"]);
    assert_eq!(found(&user, &here, "where to fly", &[]), before);

    assert_eq!(ken_in(&user, &here, &["forget", &newark]).code, 0);
    let after = found(&user, &here, "where to fly", &[]);
    assert_eq!(ids(&after), [&boston]);
    assert!(after[0].1["revised_by"].is_null(), "{after:?}");
    assert_eq!(ken_in(&user, &here, &["memory", "replay", "--check"]).code, 0);
    user.assert_sound();
}

#[test]
fn a_kind_that_was_not_asked_for_is_not_brought() {
    let user = User::new();
    let here = repository(&user, "one");
    let boston = say(&user, &here, "s1", "I want to fly to Boston");
    let newark = id(&remember(&user, &here, &["No, make that to Newark", "--kind", "preference", "--session", "s1"]));
    assert_eq!(ids(&found(&user, &here, "where to fly", &[])), [&newark, &boston]);
    assert_eq!(ids(&found(&user, &here, "where to fly", &["--kind", "fact"])), [&boston]);
}
