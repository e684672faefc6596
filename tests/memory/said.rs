use super::{id, ken_in, remember, repository};
use crate::support::ken::User;

#[cfg(unix)]
#[test]
fn what_means_nearly_the_same_is_shown_and_left_as_it_is() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    let here = repository(&user, "one");
    let said = |folder: &std::path::Path, text: &str| remember(&user, folder, &[text, "--kind", "fact"]);
    let first = said(&here, "Don't add new dependencies without asking");
    let other = said(&here, "Invoices are sent on the first of each month");
    assert!(other["near"].is_null(), "{other}");
    let same = said(&here, "Ask me before you add a dependency");
    assert_eq!((same["change"].as_str(), &same["near"][0]["id"]), (Some("added"), &id(&first).into()), "{same}");
    assert!(same["near"][1].is_null() && same["near"][0]["probability"].as_f64().unwrap() > 0.6, "{same}");
    // Another scope's memories are not compared.
    let there = said(&repository(&user, "two"), "Ask me before you add any dependency");
    assert!(there["near"].is_null(), "{there}");
}

#[test]
fn what_is_known_already_is_updated_in_its_place() {
    let user = User::new();
    let here = repository(&user, "one");
    let session = |name: &'static str| ["--session", name];
    let fix = ["Clear the cache", "--error", "fail.log", "--worked"];
    std::fs::write(here.join("fail.log"), "error: frobnicator: cannot open cache: lock file exists\n").unwrap();
    let first = remember(&user, &here, &[&fix[..], &session("s1")].concat());
    assert_eq!(first["change"], "added");
    assert_eq!(first["memory"]["validated"], true, "a person says that it worked");
    let again = remember(&user, &here, &[&["clear the Cache."][..], &fix[1..], &session("s2")].concat());
    assert_eq!((again["change"].as_str(), id(&again)), (Some("reinforced"), id(&first)));
    assert_eq!((&again["memory"]["confidence"], &again["memory"]["worked"]), (&65.into(), &2.into()));
    // Another fix of the same error is another memory of the same problem.
    let other = remember(&user, &here, &[&["Reboot"][..], &fix[1..3], &["--failed"]].concat());
    assert_eq!((other["change"].as_str(), other["problem"] == first["problem"]), (Some("added"), true));

    let naming = ["--category", "naming", "--pattern", "tables"];
    let first = remember(&user, &here, &[&["Use snake_case"][..], &naming].concat());
    let changed = remember(&user, &here, &[&["Use camelCase"][..], &naming].concat());
    assert_eq!((changed["change"].as_str(), id(&changed)), (Some("updated"), id(&first)));
    assert_eq!(
        (&changed["memory"]["confidence"], &changed["memory"]["words"]["text"]),
        (&70.into(), &"Use camelCase".into())
    );

    let place = ["--service", "ec2", "--region", "eu-west-3", "--subject", "p4"];
    let first = remember(&user, &here, &[&["there are none"][..], &place].concat());
    let changed = remember(&user, &here, &[&["there are some"][..], &place].concat());
    assert_eq!((changed["change"].as_str(), id(&changed)), (Some("updated"), id(&first)));

    let told = ken_in(&user, &here, &["memory", "history", &id(&first)]);
    assert!(told.out.contains("there are none") && told.out.contains("corrected by a person"), "{told:?}");
    assert_eq!(ken_in(&user, &here, &["memory", "replay", "--check"]).code, 0);
    user.assert_sound();
}

/// A host without a dot, as in a network of containers. Another password is the same error.
#[test]
fn the_password_in_an_error_is_kept_nowhere_and_says_nothing() {
    let user = User::new();
    let here = repository(&user, "one");
    let error = |password: &str| format!("error: frobnicator: cannot reach svc://app:{password}@store:5432/x\n");
    std::fs::write(here.join("fail.log"), error("FYSJYgOuwgz7")).unwrap();
    remember(&user, &here, &["Open the VPN", "--error", "fail.log", "--worked"]);
    for entry in std::fs::read_dir(user.home()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = if path.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
        assert!(!bytes.windows(12).any(|part| part == b"FYSJYgOuwgz7"), "{}", path.display());
    }
    std::fs::write(here.join("again.log"), error("q8Zt3LmW0xKd")).unwrap();
    let ran = ken_in(&user, &here, &["lookup", "--json", "again.log"]);
    assert!(ran.out.contains("Open the VPN"), "{ran:?}");
}

#[test]
fn what_cannot_be_remembered_says_why() {
    let user = User::new();
    let here = repository(&user, "one");
    for (arguments, why) in [
        (&["remember", "  "][..], "it says nothing"),
        (&["remember", "x", "--kind", "fact", "--worked"], "only a tactic works or fails"),
        (&["remember", "x", "--kind", "fact", "--scope", "global"], "counts in its repository alone"),
        (&["remember", "x", "--until", "tomorrow"], "tomorrow is no moment"),
        (&["remember", "x", "--update", "memory/0000"], "no memory is called memory/0000"),
        (&["remember", "x", "--error", "nowhere.log"], "nowhere.log"),
        (&["dispute", "0000"], "why it is wrong is missing"),
        (&["dispute", "0000", "--because", "x"], "no memory is called 0000"),
        (&["memory", "history", "0000"], "no memory is called 0000"),
    ] {
        let ran = ken_in(&user, &here, arguments);
        assert!(ran.code != 0 && ran.err.contains(why) && ran.err.contains("hint"), "{arguments:?} {ran:?}");
    }
    // What a program says it cannot confirm.
    let said = ken_in(&user, &here, &["remember", "--json", "--author", "program", "x works", "--worked"]).json();
    assert_eq!(said["memory"]["validated"], false);
    let ran = ken_in(&user, &here, &["memory", "confirm", "--author", "program", &id(&said)]);
    assert!(ran.code == 2 && ran.err.contains("only a person"), "{ran:?}");
    let ran = ken_in(&user, &here, &["memory", "confirm", "--author", "person", "--json", &id(&said)]);
    assert_eq!(ran.json()["memories"][0]["validated"], true);
}

#[test]
fn secrets_are_taken_out_before_anything_is_stored() {
    let user = User::new();
    let here = repository(&user, "one");
    let token = concat!("gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5");
    let said = remember(
        &user,
        &here,
        &[&format!("Push with {token}"), "--evidence", &format!("git push https://x:{token}@github.com/a/b")],
    );
    assert_eq!(said["redacted"][0], "GitHub token");
    let bytes = |path: &std::path::Path| std::fs::read(path).unwrap_or_default();
    let files = std::fs::read_dir(user.home()).unwrap().flatten();
    assert!(
        files.map(|file| bytes(&file.path())).all(|all| !all.windows(token.len()).any(|at| at == token.as_bytes()))
    );
}

#[test]
fn a_session_is_read_once_and_approved_by_a_person() {
    let user = User::new();
    let here = repository(&user, "one");
    let session = "User: the build fails with \"error: linker `cc` not found\"\n\
        Assistant: Try installing it: `apt-get install build-essential`\n\
        User: That fixed it, thanks!\nUser: Remember that CI images need build-essential.\n\
        User: no, use pnpm instead of npm here\n";
    std::fs::write(here.join("s.md"), session).unwrap();
    let ran = ken_in(&user, &here, &["learn", "--json", "s.md"]);
    let proposals = ran.json()["proposals"].as_array().unwrap().clone();
    assert!(proposals.len() >= 3 && proposals.iter().all(|one| one["stored"]["change"] == "proposed"), "{ran:?}");
    let again = ken_in(&user, &here, &["learn", "--json", "s.md"]).json();
    assert!(again["proposals"].as_array().unwrap().iter().all(|one| one["stored"]["change"] == "known"));
    // What waits is served nowhere.
    let lookup = ken_in(&user, &here, &["search", "--json", "--min-relevance", "0", "pnpm build-essential"]);
    assert!(!lookup.out.contains("memory/"), "{lookup:?}");
    let first = proposals[0]["stored"]["memory"]["id"].as_str().unwrap();
    let second = proposals[1]["stored"]["memory"]["id"].as_str().unwrap();
    assert_eq!(ken_in(&user, &here, &["memory", "approve", first]).code, 2, "without a terminal it is no person");
    assert_eq!(ken_in(&user, &here, &["memory", "approve", "--author", "person", first]).code, 0);
    assert_eq!(ken_in(&user, &here, &["memory", "reject", "--author", "person", second]).code, 0);
    let listed = ken_in(&user, &here, &["memory", "list", "--state", "active", "--json"]).json();
    assert!(listed["memories"].as_array().unwrap().iter().any(|one| one["id"] == first));
    // What was rejected is not proposed again.
    let again = ken_in(&user, &here, &["learn", "--json", "s.md"]).json();
    assert!(again["proposals"].as_array().unwrap().iter().all(|one| one["stored"]["change"] == "known"));
}
