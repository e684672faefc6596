use crate::support::ken::User;

#[test]
fn says_how_things_stand_in_every_length() {
    let user = User::new();
    let empty = user.ken(&["status"]);
    assert!(empty.code == 0 && empty.out.contains("files     0"), "{empty:?}");
    assert_eq!(user.ken(&["status", "--strict"]).code, 8);
    user.document("a.md", "A paragraph that is long enough to be one by itself, as it should be.");
    user.ken(&["index", "."]);
    let json = user.ken(&["status", "--json"]).json();
    assert_eq!((json["files"].as_u64(), json["items"]["chunk"].as_u64()), (Some(1), Some(1)));
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
