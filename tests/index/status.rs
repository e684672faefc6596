use crate::support::ken::User;

#[test]
fn says_how_things_stand_in_every_length() {
    let user = User::new();
    let empty = user.ken(&["status"]);
    assert!(empty.code == 0 && empty.out.contains("files     none yet"), "{empty:?}");
    assert!(empty.out.contains("size      0 B\n"), "{empty:?}");
    assert_eq!(user.ken(&["status", "--strict"]).code, 8);
    user.document("a.md", "A paragraph that is long enough to be one by itself, as it should be.");
    user.ken(&["index", "."]);
    let json = user.ken(&["status", "--json"]).json();
    assert_eq!((json["files"].as_u64(), json["items"]["chunk"].as_u64()), (Some(1), Some(1)));
    let work = user.work().canonicalize().unwrap().to_string_lossy().into_owned();
    assert_eq!(json["folders"], serde_json::json!([{"path": work, "files": 1}]));
    assert!(user.ken(&["status"]).out.contains(&format!("folder    {work}: 1 file\n")));
    assert_eq!((json["without_vector"].as_u64(), json["model"].as_str()), (Some(1), None));
    let brief = user.ken(&["status", "--brief"]).out;
    assert!(
        brief.lines().count() == 1 && brief.split_whitespace().count() < 30 && brief.contains("no model"),
        "{brief}"
    );
    user.document("a.md", "A paragraph that has changed since, and is not what it was when it was indexed.");
    let json = user.ken(&["status", "--json"]).json();
    assert_eq!(json["changed"].as_array().unwrap().len(), 1);
    assert!(user.ken(&["status"]).out.contains("changed   "));
    // A file that was given by name is in no folder.
    user.document("more/b.md", "Another paragraph that is long enough to be one by itself, as it should be.");
    user.document("more/c.md", "A third paragraph that is long enough to be one by itself, as it should be.");
    let other = User::new();
    other.ken(&["index", user.work().join("more").to_str().unwrap(), user.work().join("a.md").to_str().unwrap()]);
    let json = other.ken(&["status", "--json"]).json();
    assert_eq!((json["folders"][0]["files"].as_u64(), json["named_files"].as_u64()), (Some(2), Some(1)), "{json}");
    assert!(other.ken(&["status"]).out.contains(" 1 file by name\n"));
}

#[test]
fn everything_is_told_in_json_and_nothing_is_needed() {
    let user = User::new();
    for (verb, code) in
        [(vec!["status"], 0), (vec!["doctor"], 0), (vec!["gc"], 0), (vec!["export"], 3), (vec!["index"], 3)]
    {
        let arguments: Vec<&str> = verb.iter().copied().chain(["--json"]).collect();
        let ran = user.ken(&arguments);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.json().is_object(), "{ran:?}");
    }
    assert_eq!(user.ken(&["search", "anything at all about nothing"]).code, 1);
}
