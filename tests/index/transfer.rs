use crate::support::ken::{User, run};
use serde_json::Value;

const ONE: &str = "The first paragraph is about the harvest of the early apples in autumn. Those who come late to it find the trees bare, the baskets gone, the ladders locked in the shed, and have to wait for the late apples, which are harder and keep until the spring when they lie in straw, apart from each other, where no frost gets at them.";
const TWO: &str = "The second paragraph is about the repair of the old mill by the river. Its wheel has not turned since the flood took the weir, the stones want dressing, and the carpenter says that the main shaft will have to be made anew, from an oak that stands on the other bank and that nobody has asked the owner for until today.";

/// All but the first line, which says when it was written.
fn records(user: &User) -> Vec<Value> {
    user.exported().split_off(1)
}

#[test]
fn what_is_exported_comes_back_whole_elsewhere() {
    let user = User::new();
    user.document("a.md", format!("# Farm\n\n## One\n\n{ONE}\n\n## Two\n\n{TWO}\n"));
    user.ken(&["index", "."]);
    user.ken(&["search", "--min-relevance", "0", "harvest of apples"]);
    let file = user.work().join("all.jsonl");
    assert_eq!(user.ken(&["export", "all.jsonl"]).code, 0);

    let other = User::new();
    let ran = other.ken(&["import", "--json", file.to_str().unwrap()]);
    assert_eq!((ran.code, ran.json()["items"].as_u64()), (0, Some(2)));
    other.assert_sound();
    let items = |records: Vec<Value>| -> Vec<Value> {
        records.into_iter().filter(|r| r["type"] == "item" || r["type"] == "usage").collect()
    };
    assert_eq!(items(records(&user)), items(records(&other)));
    let again = other.ken(&["import", "--json", file.to_str().unwrap()]);
    assert_eq!((again.json()["items"].as_u64(), again.json()["files"].as_u64()), (Some(0), Some(0)));
    // The file lies on this machine, so the search finds it there.
    let found = other.ken(&["search", "--json", "--min-relevance", "0", "repair of the mill"]).json();
    assert_eq!(found["results"][0]["hits"][0]["line_start"], 9);
    // Into the same home: nothing changes, and what was forgotten stays forgotten.
    let id =
        records(&user).iter().find(|r| r["item"]["body"] == ONE).unwrap()["item"]["uid"].as_str().unwrap().to_owned();
    user.ken(&["forget", &id]);
    user.ken(&["import", "all.jsonl"]);
    assert_eq!(user.texts(), [TWO]);
}

/// What came from another machine is found although its file is not here.
#[test]
fn knowledge_travels_without_its_files() {
    let user = User::new();
    user.document("a.md", ONE);
    user.ken(&["index", "."]);
    let text = user.ken(&["export"]).out.replace(user.work().canonicalize().unwrap().to_str().unwrap(), "/far/away");
    let other = User::new();
    assert_eq!(run(other.command(&["import", "-"]), text.as_bytes()).code, 0);
    let found = other.ken(&["search", "--json", "--min-relevance", "0", "harvest of the early apples"]).json();
    assert_eq!(found["results"][0]["hits"][0]["path"], "/far/away/a.md");
    assert_eq!(other.ken(&["status", "--json"]).json()["gone"].as_array().unwrap().len(), 0);
}

#[test]
fn a_broken_export_is_refused_whole() {
    let user = User::new();
    user.document("a.md", format!("{ONE}\n\n{TWO}\n"));
    user.ken(&["index", "."]);
    let whole = user.ken(&["export"]).out;
    let lines: Vec<&str> = whole.lines().collect();
    let cut = lines[..lines.len() - 1].join("\n");
    let half = &whole[..whole.len() / 2];
    let missing = [&lines[..2], &lines[3..]].concat().join("\n");
    let unknown = whole.replacen("{\"type\":\"item\"", "{\"type\":\"spell\"", 1);
    let later = whole.replacen("\"format\":1", "\"format\":9", 1);
    let twice = format!("{whole}{whole}");
    let counter = whole.replacen(
        "{\"type\":\"end\"",
        "{\"type\":\"usage\",\"uid\":\"x\",\"days\":-1,\"last_day\":1,\"served\":1,\"last_served\":1,\"confirmed\":0}\n{\"type\":\"end\"",
        1,
    );
    let retired = whole.replacen("\"state\":\"active\"", "\"state\":\"retired\"", 1);
    for (bad, what) in [
        (cut.as_str(), "cut off"),
        (half, "line"),
        (&missing, "records were written"),
        (&unknown, "spell"),
        (&later, "format 9"),
        (&twice, "more after"),
        (&counter, "out of range"),
        (&retired, "forgotten"),
        ("", "cut off"),
        ("hello\n", "line 1"),
        (&lines[1..].join("\n"), "first line"),
    ] {
        let other = User::new();
        let ran = run(other.command(&["import", "-"]), bad.as_bytes());
        assert!(ran.code == 2 && ran.err.contains(what), "{what}: {ran:?}");
        assert!(!other.home().join("kenning.db").exists() || other.texts().is_empty());
    }
    assert_eq!(user.ken(&["import", "none.jsonl"]).code, 9);
    assert_eq!(user.ken(&["import", "."]).code, 2);
}

/// Values that no export holds: each is refused, and nothing of the export is taken.
#[test]
fn odd_values_in_an_export_are_refused() {
    let user = User::new();
    user.document("a.md", format!("{ONE}\n\n{TWO}\n"));
    user.ken(&["index", "."]);
    let whole = user.ken(&["export"]).out;
    let refused = |text: &str, what: &str| {
        let other = User::new();
        let ran = run(other.command(&["import", "-"]), text.as_bytes());
        assert!(ran.code == 2 && ran.err.contains(what), "{what}: {ran:?}");
        assert!(!other.home().join("kenning.db").exists() || other.texts().is_empty());
    };
    // Of the first record of a type, one value.
    let changed = |of: &str, pointer: &str, value: Value| -> String {
        let mut done = false;
        let lines = whole.lines().map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            if !done && record["type"] == of {
                let (parent, key) = pointer.rsplit_once('/').unwrap();
                record.pointer_mut(parent).unwrap()[key] = value.clone();
                done = true;
            }
            format!("{record}\n")
        });
        lines.collect()
    };
    assert_eq!(
        run(User::new().command(&["import", "-"]), changed("item", "/item/title", "x".into()).as_bytes()).code,
        0
    );
    for (of, pointer, value, what) in [
        ("item", "/item/kind", Value::from("page"), "unknown variant `page`"),
        ("item", "/item/state", "lost".into(), "unknown variant `lost`"),
        ("item", "/item/authority", "crowd".into(), "unknown variant `crowd`"),
        ("item", "/item/scope", "".into(), "a scope is empty"),
        ("item", "/item/scope", 7.into(), "invalid type"),
        ("item", "/item/uid", "".into(), "an id is empty"),
        ("item", "/item/colour", "red".into(), "unknown field `colour`"),
        ("item", "/item/span/page", 1.into(), "unknown field `page`"),
        ("item", "/item/span/byte_start", (-1).into(), "invalid value"),
        ("item", "/item/span/line_end", 0.into(), "ends before it begins"),
        ("item", "/item/span/line_end", u64::MAX.into(), "ends before it begins"),
        ("item", "/item/created_at", 0.5.into(), "invalid type"),
        ("source", "/kind", "page".into(), "no known kind"),
        ("source", "/scope", "".into(), "a scope is empty"),
        ("source", "/size", (-2).into(), "size is out of range"),
        ("source", "/size", u64::MAX.into(), "invalid value"),
        ("source", "/mtime_ns", Value::Null, "invalid type"),
    ] {
        refused(&changed(of, pointer, value), what);
    }
    for (record, what) in [
        (r#"{"type":"link","from":"a","to":"b","relation":"r","weight":NaN}"#, "expected value"),
        (r#"{"type":"link","from":"a","to":"b","relation":"r","weight":1e999}"#, "number out of range"),
        (r#"{"type":"link","from":"a","to":"b","relation":"r","weight":null}"#, "invalid type"),
        (
            r#"{"type":"usage","uid":"x","days":1,"last_day":1,"served":4294967296,"last_served":1,"confirmed":0}"#,
            "out of range",
        ),
        (r#"{"type":"event","at":"now","name":"x","data":{}}"#, "invalid type"),
    ] {
        refused(&whole.replacen("{\"type\":\"end\"", &format!("{record}\n{{\"type\":\"end\""), 1), what);
    }
}

/// What is written to a device, a pipe or through a link arrives there; the thing itself stays.
#[cfg(unix)]
#[test]
fn an_export_replaces_files_only() {
    let user = User::new();
    user.document("a.md", ONE);
    user.ken(&["index", "."]);
    assert_eq!(user.ken(&["export", "/dev/null"]).code, 0);
    use std::os::unix::fs::FileTypeExt;
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    user.document("real.jsonl", "old");
    std::os::unix::fs::symlink("real.jsonl", user.work().join("link.jsonl")).unwrap();
    assert_eq!(user.ken(&["export", "link.jsonl"]).code, 0);
    assert!(std::fs::symlink_metadata(user.work().join("link.jsonl")).unwrap().is_symlink());
    assert!(std::fs::read_to_string(user.work().join("real.jsonl")).unwrap().contains("kenning"));
}

/// A record is somebody's word: it must not make a later run read a file, or walk a folder, that the user never named.
#[test]
fn an_import_names_nothing_to_be_read_but_what_it_holds_already() {
    let user = User::new();
    user.document("notes/a.md", ONE);
    user.ken(&["index", "."]);
    let exported = user.exported();
    let victim = User::new();
    victim.document("private/diary.md", TWO);
    let private = victim.work().join("private/diary.md").canonicalize().unwrap();
    let text: String = exported
        .into_iter()
        .map(|mut record| {
            // A file and a root of the victim's.
            for (key, value) in [("path", private.to_str().unwrap()), ("root", "/")] {
                if record["type"] == "source" {
                    record[key] = value.into();
                }
            }
            if record["type"] == "item" {
                record["item"]["path"] = private.to_str().unwrap().into();
            }
            format!("{record}\n")
        })
        .collect();
    assert_eq!(run(victim.command(&["import", "-"]), text.as_bytes()).code, 0);
    victim.ken(&["index"]);
    assert_eq!(victim.texts(), [ONE]);
}
