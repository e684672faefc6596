//! What an agent is shown: three tools, all of them, or those of its task.

use super::*;

#[test]
fn each_exposure_shows_its_tools_and_no_more() {
    let behind = Behind::new();
    let own = ["find", "describe", "call"];
    let mut agent = behind.agent(&[("a", &[]), ("b", &[])], json!({}));
    assert_eq!(names(&mut agent), own);
    assert!(behind.noted("a").is_empty(), "a server was started before it was needed");
    let mut agent = behind.agent(&[("a", &[]), ("b", &[])], json!({"exposure": "transparent"}));
    let all = names(&mut agent);
    assert_eq!(all.len(), 18);
    assert!(all.contains(&"a__echo".to_owned()) && all.contains(&"b__refuse".to_owned()), "{all:?}");
    // By name, and with what a server says of it.
    let listed = agent.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    let counts = tools.iter().find(|tool| tool["name"] == "a__count_words").unwrap();
    assert_eq!(counts["annotations"]["readOnlyHint"], true);
    assert_eq!(counts["inputSchema"]["required"], json!(["text"]));
}

#[test]
fn what_fits_the_task_is_found_described_and_shown_by_name() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &[])], json!({"exposure": "hybrid", "mostTools": 2}));
    assert_eq!(names(&mut agent).len(), 3);
    let found = agent.told("find", json!({"task": "count the words of a text"}));
    assert!(found.starts_with("a__count_words: Count the words of a text\n"), "{found}");
    let shown = names(&mut agent);
    assert!(shown.len() <= 5 && shown.contains(&"a__count_words".to_owned()), "{shown:?}");
    let described = agent.told("describe", json!({"names": ["a__count_words", "a__none", "none"]}));
    let described: Value = serde_json::from_str(&described).unwrap();
    assert_eq!(described["tools"][0]["inputSchema"]["properties"]["text"]["type"], "string", "{described}");
    assert!(described["tools"][1]["error"].as_str().unwrap().contains("has no tool none"));
    assert!(described["tools"][2]["error"].as_str().unwrap().contains("server__tool"));
    // By its name it is called like any other.
    let (text, is_failed) = {
        let answer = agent.ask("tools/call", json!({"name": "a__count_words", "arguments": {"text": "x"}}));
        (answer["result"]["content"][0]["text"].as_str().unwrap().to_owned(), answer["result"]["isError"] == true)
    };
    assert!(!is_failed && text.contains("count_words"), "{text}");
    let nothing = agent.told("find", json!({"task": "xyzzy plugh"}));
    assert!(nothing.starts_with("None of 9 tools fits"), "{nothing}");
}

/// Without a gateway: what a server lists is added, and the server ended.
#[test]
fn tools_of_a_server_are_added() {
    let behind = Behind::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gateway/server.py");
    let add = |mode: &str| {
        let log = behind.folder.join("a.log");
        let words = ["tools", "add", "--json", "--mcp", "--server", "a", "--", "python3", script];
        behind.user.ken(&[&words[..], &[log.to_str().unwrap(), mode]].concat())
    };
    let added = add("fork").json();
    assert_eq!((added["added"].as_array().unwrap().len(), &added["unchanged"]), (9, &json!(0)), "{added}");
    assert!(soon(|| behind.running() == 0), "{} processes are left", behind.running());
    let changed = add("lie").json();
    assert_eq!((&changed["changed"], &changed["unchanged"]), (&json!(["a/echo"]), &json!(8)), "{changed}");
    // The gateway knows the same tools, and what was held back.
    assert_eq!(behind.user.ken(&["tools", "approve", "a/echo"]).code, 0);
    let mut agent = behind.agent(&[("a", &["lie"])], json!({"exposure": "transparent"}));
    assert!(names(&mut agent).contains(&"a__echo".to_owned()));
    for (words, why) in [
        (&["--server", "a", "--", "false"][..], "could not be started"),
        (&["--server", "a", "--", "no-such-program-here"], "no-such-program-here"),
        (&["--server", "a__b", "--", "true"], "no name for a server"),
    ] {
        let ran = behind.user.ken(&[&["tools", "add", "--mcp"], words].concat());
        assert!(ran.code == 2 && ran.err.contains(why), "{ran:?}");
    }
    for words in [&["--mcp", "--", "true"][..], &["--mcp", "--server", "a"], &["--server", "a", "--", "true"], &[]] {
        let ran = behind.user.ken(&[&["tools", "add"], words].concat());
        assert!(ran.code == 2 && ran.out.is_empty(), "{ran:?}");
    }
}

/// A description that changed is a new one: somebody has to read it first.
#[test]
fn what_says_something_else_is_held_back_until_it_is_approved() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &[])], json!({"exposure": "transparent"}));
    assert!(names(&mut agent).contains(&"a__echo".to_owned()));
    assert_eq!(agent.go(), Some(0));
    let mut agent = behind.agent(&[("a", &["lie"])], json!({"exposure": "transparent"}));
    let all = names(&mut agent);
    assert!(!all.contains(&"a__echo".to_owned()) && all.contains(&"a__count_words".to_owned()), "{all:?}");
    let call = json!({"name": "a__echo", "arguments": {"text": "x"}});
    let refused = failed(&agent.ask("tools/call", call.clone()));
    assert!(refused.contains("ken tools approve a/echo"), "{refused}");
    assert_eq!(behind.noted("a").iter().filter(|line| line.contains("echo")).count(), 0);
    assert_eq!(behind.user.ken(&["tools", "approve", "a/echo"]).code, 0);
    assert_eq!(agent.ask("tools/call", call)["result"]["isError"], Value::Null);
    assert!(names(&mut agent).contains(&"a__echo".to_owned()));
}
