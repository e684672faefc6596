//! Calls: handed on as they are, checked before, confirmed where they must be, and kept as outcomes.

use super::*;

#[test]
fn arguments_and_results_pass_unchanged() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &[])], json!({}));
    let arguments = json!({"text": "gr\u{fc}n \u{2028} \"x\"", "more": {"deep": [1, 2.5, null, true]}});
    let answer = through(&mut agent, "a__echo", arguments.clone());
    let result = &answer["result"];
    assert_eq!(result["structuredContent"], json!({"said": arguments, "big": 9_007_199_254_740_992_u64}), "{answer}");
    assert_eq!(result["_meta"], json!({"a.b/c": [1]}));
    let content = result["content"].as_array().unwrap();
    assert_eq!(content[0]["annotations"], json!({"audience": ["user"]}));
    assert_eq!(content[1], json!({"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}));
    assert_eq!((content[2]["type"].clone(), content.len()), (json!("resource_link"), 3));
    let noted: Value = serde_json::from_str(behind.noted("a").last().unwrap()).unwrap();
    assert_eq!(noted, json!({"tool": "echo", "arguments": arguments}));
    // What a server says by the protocol's own means is its word too.
    assert_eq!(failed(&through(&mut agent, "a__fail", json!({}))), "the note is not there");
    let refused = through(&mut agent, "a__refuse", json!({}));
    let error = json!({"code": -32602, "message": "not today", "data": {"until": "monday"}});
    assert_eq!(refused["error"], error, "{refused}");
}

#[test]
fn wrong_arguments_never_reach_a_server() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &[]), ("b", &["schema"])], json!({}));
    for (arguments, why) in [(json!({}), "lack \"text\""), (json!({"text": 3}), "is no string")] {
        let told = failed(&through(&mut agent, "a__echo", arguments));
        assert!(told.contains("was not called") && told.contains(why), "{told}");
    }
    let told = failed(&through(&mut agent, "b__count_words", json!({"text": "x"})));
    assert!(told.contains("refers to something that is not in it"), "{told}");
    for (name, why) in [("c__x", "no server c"), ("a__x", "no tool x"), ("x", "no tool x")] {
        let told = failed(&through(&mut agent, name, json!({})));
        assert!(told.contains(why), "{told}");
    }
    assert!(behind.noted("a").iter().all(|line| line == "started"));
}

#[test]
fn what_cannot_be_taken_back_is_confirmed_first() {
    let behind = Behind::new();
    let arguments = json!({"id": 7});
    let reached = |behind: &Behind, tool: &str| behind.noted("a").iter().filter(|line| line.contains(tool)).count();
    // A client that shows no questions: by a second call.
    let mut agent = behind.agent(&[("a", &[])], json!({}));
    for tool in ["delete_note", "write_note"] {
        let name = format!("a__{tool}");
        let refused = failed(&through(&mut agent, &name, arguments.clone()));
        let token = refused.split('"').rev().nth(1).unwrap().to_owned();
        assert_eq!((token.len(), reached(&behind, tool)), (24, 0), "{refused}");
        let again = |arguments: Value| json!({"name": "call", "arguments": {"name": name, "arguments": arguments, "confirmation": token}});
        // For other arguments it is worth nothing, and is used up.
        assert!(failed(&agent.ask("tools/call", again(json!({"id": 8})))).contains("not for this call"));
        assert!(failed(&agent.ask("tools/call", again(arguments.clone()))).contains("not for this call"));
        let refused = failed(&through(&mut agent, &name, arguments.clone()));
        let token = refused.split('"').rev().nth(1).unwrap().to_owned();
        let confirmed = json!({"name": name, "arguments": arguments, "confirmation": token});
        let done = agent.ask("tools/call", json!({"name": "call", "arguments": confirmed}));
        assert_eq!((done["result"]["isError"].clone(), reached(&behind, tool)), (Value::Null, 1), "{done}");
    }
    // Where that is not wanted, and where there is no such call, only the configuration helps.
    for more in [json!({"confirmByToken": false}), json!({"exposure": "transparent"})] {
        let mut agent = behind.agent(&[("a", &[])], more);
        let told = failed(&agent.ask("tools/call", json!({"name": "a__delete_note", "arguments": arguments})));
        assert!(told.contains("\"allow\"") && reached(&behind, "delete_note") == 1, "{told}");
    }
    let mut agent = behind.agent(&[("a", &[])], json!({"allow": ["a__delete_note"], "confirm": ["echo"]}));
    assert_eq!(through(&mut agent, "a__delete_note", arguments)["result"]["isError"], Value::Null);
    assert_eq!(reached(&behind, "delete_note"), 2);
    assert!(failed(&through(&mut agent, "a__echo", json!({"text": "x"}))).contains("its name says echo"));
}

/// A client that can show a question is asked one, in the way of its revision.
#[test]
fn a_client_that_shows_questions_is_asked_one() {
    let behind = Behind::new();
    let config = behind.config(&[("a", &[])], json!({}));
    let mut old = behind.start(&config);
    old.greet(json!({"elicitation": {}}));
    let deleted = json!({"name": "call", "arguments": {"name": "a__delete_note", "arguments": {"id": 7}}});
    for (number, (action, reaches)) in [("decline", 0), ("cancel", 0), ("accept", 1)].into_iter().enumerate() {
        let id = 100 + number;
        old.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": deleted}));
        let question = old.hear();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains("a__delete_note") && message.contains("{\"id\":7}"), "{message}");
        old.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action, "content": {}}}));
        let answer = old.hear();
        assert_eq!((answer["id"].clone(), answer["result"]["isError"] == true), (json!(id), reaches == 0), "{answer}");
        assert_eq!(behind.noted("a").iter().filter(|line| line.contains("delete_note")).count(), reaches);
    }
    let mut new = behind.start(&config);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    let mut asked = deleted;
    asked["_meta"] = meta;
    let first = new.ask("tools/call", asked.clone());
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    assert_eq!(first["result"]["inputRequests"]["confirm"]["method"], "elicitation/create", "{first}");
    let mut answered = asked;
    answered["requestState"] = first["result"]["requestState"].clone();
    answered["inputResponses"] = json!({"confirm": {"action": "accept", "content": {}}});
    let done = new.ask("tools/call", answered.clone());
    assert!(done["result"]["isError"] != true && done["result"]["content"].is_array(), "{done}");
    // Once.
    failed(&new.ask("tools/call", answered));
    assert_eq!(behind.noted("a").iter().filter(|line| line.contains("delete_note")).count(), 2);
}

#[test]
fn what_came_of_calls_is_kept_as_outcomes() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &[])], json!({}));
    let secret = ["ghp_", "Zq8LxW2vNc7RtY4mKd9BfH3jPs6GaUeXo1Ti"].concat();
    through(&mut agent, "a__echo", json!({ "text": format!("token {secret}") }));
    failed(&through(&mut agent, "a__fail", json!({})));
    // A call that never reached the server is none.
    failed(&through(&mut agent, "a__echo", json!({})));
    assert_eq!(agent.go(), Some(0));
    let kept = behind.user.ken(&["outcomes", "--all", "--json"]).json();
    let rows = kept["outcomes"].as_array().unwrap_or_else(|| panic!("{kept}"));
    let told = |row: &Value| (row["tool"].clone(), row["is_ok"].clone(), row["error"].clone());
    let wanted = [("a/fail", false, "the note is not there"), ("a/echo", true, "")];
    let wanted = wanted.map(|(tool, is_ok, error)| (json!(tool), json!(is_ok), json!(error)));
    assert_eq!(rows.iter().map(told).collect::<Vec<_>>(), wanted, "{kept}");
    assert_eq!(rows[0]["session"], rows[1]["session"]);
    let listed = behind.user.ken(&["tools", "list", "--json"]).json();
    let of = |key: &str| listed["tools"].as_array().unwrap().iter().find(|tool| tool["key"] == key).unwrap().clone();
    assert_eq!((of("a/echo")["calls"].clone(), of("a/echo")["ok"].clone()), (json!(1), json!(1)), "{listed}");
    assert_eq!((of("a/fail")["calls"].clone(), of("a/fail")["ok"].clone()), (json!(1), json!(0)));
    let bytes = fs::read(behind.user.home().join("kenning.db")).unwrap();
    assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()));
}
