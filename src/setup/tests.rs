//! What holds of every agent's files, whatever stood in them before: tried with texts that are drawn, and against
//! twins that do the same with values in place of texts.

use super::block::{self, Comment};
use super::edit::Entry;
use super::jsonc::Node;
use super::specs::{MODES, PROTOCOL, Spec, WORKFLOWS};
use super::text::Kind;
use super::{Change, Client, Edit, Part, Place, Scope, Why, entry, hook_text, wishes};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// All edits of a file, for each file of each agent.
fn files() -> &'static [(Place, Vec<Edit>)] {
    static FILES: LazyLock<Vec<(Place, Vec<Edit>)>> = LazyLock::new(all_files);
    &FILES
}

fn all_files() -> Vec<(Place, Vec<Edit>)> {
    let mut all: BTreeMap<Place, Vec<Edit>> = BTreeMap::new();
    for scope in [Scope::Repository, Scope::User] {
        for client in Client::ALL {
            let mut own: BTreeMap<Place, Vec<Edit>> = BTreeMap::new();
            for wish in wishes(&[client], scope, &Part::ALL, ".ken").0 {
                own.entry(wish.place).or_default().push(wish.edit);
            }
            all.extend(own);
        }
    }
    all.into_iter().collect()
}

fn json_files() -> Vec<&'static Vec<Edit>> {
    let all = files().iter().map(|(_, edits)| edits);
    all.filter(|edits| edits.iter().all(|edit| matches!(edit.0, Kind::Json(_)))).collect()
}

/// The same by values: what a parser reads after the edits.
fn twin(mut value: Value, edits: &[Edit]) -> Value {
    for edit in edits {
        let Kind::Json(entries) = &edit.0 else { continue };
        for entry in entries {
            match entry {
                Entry::Named { way, key, value: new, .. } => {
                    let at = way.iter().fold(&mut value, |at, key| &mut at[*key]);
                    at[*key] = new.clone();
                }
                Entry::Element { way, value: new, .. } => {
                    let at = way.iter().fold(&mut value, |at, key| &mut at[*key]);
                    match at.as_array_mut() {
                        Some(array) => array.push(new.clone()),
                        None => *at = Value::Array(vec![new.clone()]),
                    }
                }
                Entry::New { .. } => {}
            }
        }
    }
    value
}

/// Whether a text is another with characters put in.
fn grew(before: &str, after: &str) -> bool {
    let mut rest = after.bytes();
    before.bytes().all(|byte| rest.any(|other| other == byte))
}

fn text_of(change: Change) -> String {
    match change {
        Change::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

/// White space and comments, as people put them between values.
fn blank() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        3 => Just(" ".to_owned()),
        3 => Just("\n".to_owned()),
        3 => Just("\n  ".to_owned()),
        1 => Just("\n\n\t".to_owned()),
        1 => Just("\r\n    ".to_owned()),
        1 => Just(" // a, \"b\": {\n".to_owned()),
        1 => Just("// c   \r\n  ".to_owned()),
        1 => Just("/* d, */".to_owned()),
        1 => Just(" /* e\n } */ ".to_owned()),
    ]
}

fn key() -> impl Strategy<Value = String> {
    let known = ["mcpServers", "servers", "context_servers", "mcp", "hooks", "PostToolUse", "AfterTool", "postToolUse"];
    prop_oneof![
        3 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["a", "b", "version", "ä\\n", "\\u006b"]).prop_map(str::to_owned),
    ]
}

/// Children between brackets, with what stands around them, perhaps with a comma behind the last.
fn container(open: char, close: char, children: Vec<(String, String, String)>, end: (String, bool)) -> String {
    let count = children.len();
    let mut out = String::from(open);
    for (at, (before, child, behind)) in children.into_iter().enumerate() {
        let comma = if at + 1 < count || end.1 { "," } else { "" };
        out.push_str(&format!("{before}{child}{behind}{comma}"));
    }
    out.push_str(&end.0);
    out.push(close);
    out
}

fn value(depth: u32) -> BoxedStrategy<String> {
    let plain = prop::sample::select(vec!["1", "-2.5e3", "true", "null", "\"x, // y\"", "\"\\\"}\"", "\"ken\""]);
    let plain = plain.prop_map(str::to_owned);
    if depth == 0 {
        return plain.boxed();
    }
    let elements = prop::collection::vec((blank(), value(depth - 1), blank()), 0..3);
    let array = (elements, blank(), any::<bool>()).prop_map(|(all, end, comma)| container('[', ']', all, (end, comma)));
    prop_oneof![2 => plain, 2 => array, 5 => object(depth)].boxed()
}

fn object(depth: u32) -> BoxedStrategy<String> {
    let member = (blank(), key(), blank(), value(depth - 1), blank());
    let members = prop::collection::vec(member, 0..4);
    type Member = (String, String, String, String, String);
    let build = |(all, end, comma): (Vec<Member>, String, bool)| {
        let member =
            |(before, key, colon, value, behind): Member| (before, format!("\"{key}\"{colon}:{colon}{value}"), behind);
        let all: Vec<_> = all.into_iter().map(member).collect();
        container('{', '}', all, (end, comma))
    };
    (members, blank(), any::<bool>()).prop_map(build).boxed()
}

/// A settings file.
fn settings() -> impl Strategy<Value = String> {
    (blank(), object(3), blank(), prop::bool::weighted(0.05)).prop_map(|(before, object, behind, bom)| {
        format!("{}{before}{object}{behind}", if bom { "\u{feff}" } else { "" })
    })
}

/// A text without brackets that mean anything: lines of all kinds of ends.
fn prose() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["", "# Title", "text  ", "<!-- note -->", "```", "\ta", "ü"]);
    let end = prop::sample::select(vec!["\n", "\r\n", "\n\n"]);
    (prop::collection::vec((line, end), 0..6), prop::sample::select(vec!["", "last", "last  ", "\n"])).prop_map(
        |(lines, last)| lines.into_iter().map(|(line, end)| format!("{line}{end}")).collect::<String>() + last,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_keeps_what_is_there_and_comes_back(text in settings(), which in any::<prop::sample::Index>()) {
        let files = json_files();
        let edits = files[which.index(files.len())];
        let before = Node::read(&text);
        prop_assert!(before.is_ok(), "{text:?}: {before:?}");
        let before = before.unwrap();
        let (change, left) = Edit::put_all(edits, Some(&text), false);
        let after = match &change {
            Change::Text(after) => after.clone(),
            Change::Same => text.clone(),
            Change::Gone => panic!("gone: {text:?}"),
        };
        prop_assert!(grew(&text, &after), "{text:?}\n{after:?}");
        let (again, left_again) = Edit::put_all(edits, Some(&after), false);
        prop_assert_eq!(again, Change::Same);
        prop_assert_eq!(&left_again, &left);
        let read = Node::read(&after);
        prop_assert!(read.is_ok(), "{:?} {:?}", after, read);
        if left.is_empty() {
            prop_assert_eq!(read.unwrap().value(), twin(before.value(), edits));
        }
        match Edit::take_out_all(edits, Some(&after), false).0 {
            Change::Text(back) => prop_assert_eq!(back, text),
            Change::Same => prop_assert_eq!(&after, &text),
            Change::Gone => prop_assert!(false, "gone: {:?}", after),
        }
    }

    #[test]
    fn nothing_is_lost_when_somebody_lays_the_text_out_anew(text in settings(), which in any::<prop::sample::Index>()) {
        let files = json_files();
        let edits = files[which.index(files.len())];
        let plain = Node::read(&text).unwrap().value();
        let (Change::Text(after), left) = Edit::put_all(edits, Some(&text), false) else { return Ok(()) };
        prop_assume!(left.is_empty());
        let anew = serde_json::to_string_pretty(&Node::read(&after).unwrap().value()).unwrap();
        let back = match Edit::take_out_all(edits, Some(&anew), false).0 {
            Change::Text(back) => Node::read(&back).unwrap().value(),
            // The whole file was laid out as one that was made is.
            Change::Gone => Value::Object(serde_json::Map::new()),
            Change::Same => panic!("{anew}"),
        };
        // What is lost at worst is a container that was empty.
        prop_assert!(holds(&plain, &back) && without_empty(&plain) == without_empty(&back), "{text}\n{anew}\n{back}");
    }

    #[test]
    fn blocks_keep_what_is_there_and_come_back(text in prose(), words in prose()) {
        let words = words.replace("\r\n", "\n");
        let after = block::put_marked(Some(&text), &words, false).unwrap().unwrap();
        prop_assert!(grew(&text, &after));
        prop_assert_eq!(block::put_marked(Some(&after), &words, false), Ok(None));
        prop_assert_eq!(block::take_out_marked(&after, false), Ok(Change::Text(text)));
    }

    #[test]
    fn tables_keep_what_is_there_and_come_back(lines in prop::collection::vec(0..7_usize, 0..5), end in any::<bool>()) {
        let other = "[mcp_servers.other]\ncommand = \"x\"";
        let kinds = ["a = 1", "# c", "", "[t]", other, "[[u]]", "s = \"\"\"\nx\n\"\"\""];
        let mut text = lines.iter().map(|at| kinds[*at]).collect::<Vec<_>>().join("\n");
        text.push_str(if end { "\n" } else { "" });
        prop_assume!(text.parse::<toml::Table>().is_ok());
        let edits = [table_edit()];
        let (change, left) = Edit::put_all(&edits, Some(&text), false);
        prop_assert_eq!(left, []);
        let after = text_of(change);
        prop_assert!(grew(&text, &after));
        let mut wanted: toml::Table = text.parse().unwrap();
        let servers = wanted.entry("mcp_servers").or_insert_with(|| toml::Table::new().into());
        let ken: toml::Table = "command = \"ken\"\nargs = [\"mcp\"]".parse().unwrap();
        servers.as_table_mut().unwrap().insert("ken".to_owned(), ken.into());
        prop_assert_eq!(after.parse::<toml::Table>().unwrap(), wanted);
        prop_assert_eq!(Edit::put_all(&edits, Some(&after), false).0, Change::Same);
        prop_assert_eq!(Edit::take_out_all(&edits, Some(&after), false).0, Change::Text(text));
    }

    #[test]
    fn no_text_is_too_odd(text in "(\\PC|[\\[\\]{},:\"/*\n\r\\\\-]){0,60}", force in any::<bool>()) {
        for (_, edits) in files() {
            let (change, _) = Edit::put_all(edits, Some(&text), force);
            if let (Change::Text(after), false) = (&change, force) {
                prop_assert!(grew(&text, after));
            }
            prop_assert_eq!(Edit::take_out_all(edits, Some(&text), force).0, Change::Same);
        }
    }
}

/// Whether all of a value's plain parts stand in another.
fn holds(more: &Value, less: &Value) -> bool {
    match (more, less) {
        (Value::Object(more), Value::Object(less)) => {
            less.iter().all(|(key, value)| more.get(key).is_some_and(|more| holds(more, value)))
        }
        (more, less) => more == less,
    }
}

/// A value without the objects and lists in it that hold nothing.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(all) => {
            let kept = all.iter().map(|(key, value)| (key.clone(), without_empty(value)));
            Value::Object(kept.filter(|(_, value)| !is_empty(value)).collect())
        }
        other => other.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

fn table_edit() -> Edit {
    let all = wishes(&[Client::Codex], Scope::Repository, &[Part::Tools], ".ken").0;
    all.into_iter().next().unwrap().edit
}

#[test]
fn a_file_that_was_made_goes_and_one_that_was_there_stays() {
    for (place, edits) in files() {
        let made = text_of(Edit::put_all(edits, None, false).0);
        assert_eq!(Edit::put_all(edits, Some(&made), false), (Change::Same, Vec::new()), "{place:?}");
        assert_eq!(Edit::take_out_all(edits, Some(&made), false), (Change::Gone, Vec::new()), "{place:?}\n{made}");
        assert_eq!(Edit::take_out_all(edits, None, false), (Change::Same, Vec::new()));
        for some in edits {
            // One part is taken out of a file that holds more.
            if let (Change::Text(rest), _) = Edit::take_out_all(std::slice::from_ref(some), Some(&made), false) {
                assert_eq!(Edit::take_out_all(edits, Some(&rest), false), (Change::Gone, Vec::new()), "{rest}");
            }
        }
        for text in ["{}", "{}\n", "{\n}\n", "{\n\n}\n", "{\n  \"version\": 1\n}\n", ""] {
            if let (Change::Text(after), _) = Edit::put_all(edits, Some(text), false) {
                let back = Edit::take_out_all(edits, Some(&after), false).0;
                assert_eq!(back, Change::Text(text.to_owned()), "{place:?}");
            }
        }
    }
}

fn tools_of(client: Client) -> Vec<Edit> {
    wishes(&[client], Scope::Repository, &[Part::Tools], ".ken").0.into_iter().map(|wish| wish.edit).collect()
}

fn hook_of(client: Client) -> Vec<Edit> {
    wishes(&[client], Scope::Repository, &[Part::Hook], ".ken").0.into_iter().map(|wish| wish.edit).collect()
}

#[test]
fn entries_are_laid_out_like_their_neighbours() {
    for (before, after) in [
        (
            "{}\n",
            "{\n    \"mcpServers\": {\n        \
             \"ken\": {\n            \"command\": \"ken\",\n            \"args\": [\"mcp\"]\n        }\n    }\n}\n",
        ),
        (
            "{\n\t\"mcpServers\": {\n\t\t\"a\": {}\n\t}\n}\n",
            "{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\
             \"ken\": {\n\t\t\t\"command\": \"ken\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n",
        ),
        (
            "{\"mcpServers\":{\"a\":{}}}",
            "{\"mcpServers\":{\"a\":{}, \"ken\": {\"command\": \"ken\", \"args\": [\"mcp\"]}}}",
        ),
        ("{\"mcpServers\": {}}", "{\"mcpServers\": {\"ken\": {\"command\": \"ken\", \"args\": [\"mcp\"]}}}"),
        (
            "{\n  \"a\": 1, // one\n  // two\n}\n",
            "{\n  \"a\": 1, // one\n  // two\n  \"mcpServers\": {\n    \
             \"ken\": {\n      \"command\": \"ken\",\n      \"args\": [\"mcp\"]\n    }\n  },\n}\n",
        ),
    ] {
        assert_eq!(text_of(Edit::put_all(&tools_of(Client::Cursor), Some(before), false).0), after);
    }
}

#[test]
fn what_is_somebodys_own_is_left_and_says_why() {
    let put = |edits: &[Edit], text: &str, force| Edit::put_all(edits, Some(text), force);
    let cursor = tools_of(Client::Cursor);
    for (text, why) in [
        ("{\"mcpServers\": {\"ken\": {\"command\": \"other\"}}}", Why::Own { name: "ken".to_owned() }),
        ("{\"mcpServers\": {\"ken\": {\"command\": \"/opt/ken\", \"args\": [\"mcp\", \"-q\"]}}}", Why::Edited),
        ("{\"mcpServers\": []}", Why::WrongType { key: "mcpServers".to_owned() }),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", Why::Twice { key: "mcpServers".to_owned() }),
        ("[]", Why::NoObject { key: "mcpServers".to_owned() }),
        ("", Why::Empty),
        (" \n", Why::Empty),
        ("{\"a\": 1", Why::NotJson { what: "a comma or a closing bracket is missing", line: 1, column: 8 }),
        ("{\n 'a': 1}", Why::NotJson { what: "a key in double quotes is missing", line: 2, column: 2 }),
    ] {
        assert_eq!(put(&cursor, text, false), (Change::Same, vec![why]), "{text}");
    }
    let deep = "[".repeat(100_000);
    assert!(matches!(put(&cursor, &deep, false).1[..], [Why::NotJson { what: "it is too deep", .. }]));
    // An entry of ours that was edited is replaced when asked for; another program's is not.
    let edited = "{\"mcpServers\": {\"ken\": {\"command\": \"/opt/ken\"}, \"b\": 1}}";
    let after = text_of(put(&cursor, edited, true).0);
    assert!(after.contains("\"args\": [") && after.ends_with(", \"b\": 1}}"), "{after}");
    assert_eq!(put(&cursor, "{\"mcpServers\": {\"ken\": {\"command\": \"other\"}}}", true).0, Change::Same);
    assert_eq!(Edit::take_out_all(&cursor, Some(edited), false), (Change::Same, vec![Why::Edited]));
    let without = text_of(Edit::take_out_all(&cursor, Some(edited), true).0);
    assert_eq!(without, "{\"mcpServers\": { \"b\": 1}}");
    // A hook of one's own that does the same.
    let own = "{\"hooks\": {\"PostToolUse\": [{\"hooks\": [{\"command\": \"/opt/ken hook post-tool -q\"}]}]}}";
    let (change, left) = put(&hook_of(Client::Codex), own, false);
    assert_eq!((change, left), (Change::Same, vec![Why::OwnHook]));
}

#[test]
fn tables_that_cannot_be_added_to_are_left() {
    let put = |text: &str| Edit::put_all(&[table_edit()], Some(text), false);
    for (text, why) in [
        ("mcp_servers = { a = { command = \"x\" } }\n", Why::Inline),
        ("mcp_servers = 1\n", Why::WrongType { key: "mcp_servers".to_owned() }),
        ("[mcp_servers.ken]\ncommand = \"other\"\n", Why::Own { name: "ken".to_owned() }),
    ] {
        assert_eq!(put(text), (Change::Same, vec![why]), "{text}");
    }
    assert!(matches!(put("a = ").1[..], [Why::NotToml { .. }]));
    // Written otherwise it is the same, and stays.
    let other = "mcp_servers.ken = { command = \"ken\", args = [\"mcp\"] }\n";
    assert_eq!(put(other), (Change::Same, Vec::new()));
    let own = || vec![Why::Own { name: "ken".to_owned() }];
    assert_eq!(Edit::take_out_all(&[table_edit()], Some(other), false), (Change::Same, own()));
    // Somebody has added a setting to it.
    let more = text_of(put("a = 1\n").0) + "startup_timeout_sec = 9\n";
    assert_eq!(Edit::take_out_all(&[table_edit()], Some(&more), false), (Change::Same, own()));
}

#[test]
fn an_edit_within_the_marks_is_noticed() {
    let made = block::put_marked(Some("# Mine\n"), "Words.\n", false).unwrap().unwrap();
    assert!(made.starts_with("# Mine\n\n<!-- kenning:begin ") && made.ends_with("Words.\n<!-- kenning:end -->\n"));
    // What an older ken wrote is replaced where it stands.
    let newer = block::put_marked(Some(&format!("{made}\n# More\n")), "Other words.", false).unwrap().unwrap();
    assert!(newer.contains("Other words.\n<!-- kenning:end -->\n\n# More\n") && !newer.contains("\nWords."), "{newer}");
    let edited = made.replace("Words.", "Words of mine.");
    assert_eq!(block::put_marked(Some(&edited), "Words.\n", false), Err(Why::Edited));
    assert_eq!(block::take_out_marked(&edited, false), Err(Why::Edited));
    assert_eq!(block::put_marked(Some(&edited), "Words.\n", true), Ok(Some(made.clone())));
    assert_eq!(block::take_out_marked(&edited, true), Ok(Change::Text("# Mine\n".to_owned())));
    for damaged in [
        made.replace("<!-- kenning:end -->", ""),
        made.replace("<!-- kenning:begin", "<!-- begin"),
        format!("{made}{made}"),
        "<!-- kenning:end -->\n<!-- kenning:begin 1 -->\n".to_owned(),
        "<!-- kenning:begin <!-- kenning:end -->".to_owned(),
    ] {
        assert_eq!(block::put_marked(Some(&damaged), "Words.\n", true), Err(Why::Marks), "{damaged}");
    }
    // A block that somebody has moved is taken out without joining lines.
    let moved = "a\n<!-- kenning:begin x -->\nWords.\n<!-- kenning:end -->\nb\n";
    assert_eq!(block::take_out_marked(moved, true), Ok(Change::Text("a\nb\n".to_owned())));
    // Line ends that a checkout has changed are no edit.
    let windows = made.replace('\n', "\r\n");
    assert_eq!(block::put_marked(Some(&windows), "Words.\n", false), Ok(None));
    assert_eq!(block::take_out_marked(&windows, false), Ok(Change::Text("# Mine\r\n".to_owned())));
}

#[test]
fn a_file_of_ours_is_told_from_somebodys() {
    for comment in [Comment::Markdown, Comment::Hash, Comment::Slashes] {
        let made = block::put_file(None, "One.\n", comment, false).unwrap().unwrap();
        assert_eq!(block::put_file(Some(&made), "One.\n", comment, false), Ok(None));
        assert!(block::put_file(Some(&made), "Two.\n", comment, false).unwrap().is_some());
        let edited = made.replace("One.", "Mine.");
        assert_eq!(block::put_file(Some(&edited), "One.\n", comment, false), Err(Why::Edited));
        assert_eq!(block::take_out_file(&edited, comment, false), Err(Why::Edited));
        assert_eq!(block::put_file(Some(&edited), "One.\n", comment, true), Ok(Some(made.clone())));
        assert_eq!(block::take_out_file(&(made.clone() + "More.\n"), comment, false), Err(Why::Edited));
        assert_eq!(block::take_out_file(&made.replace('\n', "\r\n"), comment, false), Ok(Change::Gone));
        for force in [false, true] {
            assert_eq!(block::put_file(Some("Mine.\n"), "One.\n", comment, force), Err(Why::OwnFile));
            assert_eq!(block::take_out_file("Mine.\n", comment, force), Ok(Change::Same));
        }
    }
}

#[test]
fn every_client_has_an_entry_that_can_be_read() {
    for client in Client::ALL {
        assert_eq!(Client::named(client.name()), Some(client));
        let (text, _) = entry(client, "/opt/my tools/\"ken\"");
        let found = match client {
            Client::Codex => {
                let read: toml::Table = text.parse().unwrap();
                read["mcp_servers"]["ken"]["command"].as_str().unwrap().to_owned()
            }
            _ => {
                let read: Value = serde_json::from_str(&text).unwrap();
                let (_, servers) = read.as_object().unwrap().iter().next().unwrap();
                let command = &servers["ken"]["command"];
                command.as_str().or_else(|| command[0].as_str()).unwrap().to_owned()
            }
        };
        assert_eq!(found, "/opt/my tools/\"ken\"", "{client:?}");
    }
    assert_eq!(Client::named("notepad"), None);
}

#[test]
fn what_is_printed_is_what_is_written_and_can_be_read() {
    for scope in [Scope::Repository, Scope::User] {
        for client in Client::ALL {
            let (found, missing) = wishes(&[client], scope, &[Part::Hook], ".ken");
            let Some(wish) = found.first() else {
                assert_eq!((missing.len(), hook_text(client, scope)), (1, None));
                continue;
            };
            let printed = hook_text(client, scope).unwrap();
            assert_eq!(text_of(Edit::put_all(std::slice::from_ref(&wish.edit), None, false).0), printed);
            if wish.place.paths[0].ends_with(".json") {
                serde_json::from_str::<Value>(&printed).unwrap();
            }
            assert!(printed.contains("hook") && printed.contains("post-tool"), "{printed}");
        }
    }
}

#[test]
fn wrappers_can_be_read_and_point_to_the_specs() {
    let (all, _) = wishes(&Client::ALL, Scope::Repository, &[Part::Modes, Part::Workflows], ".ken");
    let specs: Vec<String> =
        all.iter().filter(|wish| wish.client.is_none()).map(|wish| wish.place.paths[0].clone()).collect();
    assert_eq!(specs.len(), MODES.len() + WORKFLOWS.len());
    for wish in all.iter().filter(|wish| wish.client.is_some()) {
        let text = text_of(Edit::put_all(std::slice::from_ref(&wish.edit), None, false).0);
        assert!(specs.iter().any(|spec| text.contains(&format!("`{spec}`"))), "{text}");
        if wish.place.paths[0].ends_with(".toml") {
            let read: toml::Table = text.parse().unwrap();
            assert!(read.values().all(|value| value.as_str().is_some_and(|text| !text.is_empty())), "{text}");
        } else {
            let matter = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap().0;
            assert!(matter.lines().all(|line| line.matches(": ").count() == 1), "{matter}");
        }
    }
    // A path that no text can hold.
    for odd in ["/tmp/a`b", "/tmp/a\nb", "/tmp/\"x", ""] {
        let (found, missing) = wishes(&[Client::Cursor], Scope::User, &[Part::Modes, Part::Protocol], odd);
        assert!(found.iter().all(|wish| wish.client.is_none()), "{odd:?}");
        assert_eq!(missing.len(), 2);
    }
}

#[test]
fn specs_are_short_and_plain() {
    let all = MODES.iter().chain(&WORKFLOWS);
    for Spec { name, about, words } in all {
        assert!(words.lines().count() <= 60, "{name}");
        assert!(words.lines().all(|line| line.chars().count() <= 120), "{name}");
        assert!(words.contains("`ken ") && words.starts_with("# "), "{name}");
        assert!(!about.contains(": ") && !about.ends_with('.') && !about.contains(['"', '\\']), "{about}");
        for vendor in Client::ALL {
            assert!(!words.contains(vendor.title()), "{name} names {}", vendor.title());
        }
    }
    assert!(PROTOCOL.lines().count() <= 30);
}
