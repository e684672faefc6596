//! A server that dies, hangs, floods or lies harms nobody else, and nothing is left of it.

use super::*;

#[test]
fn a_dead_server_is_told_of_and_started_again() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &[]), ("b", &[])], json!({}));
    for times in 1..=2 {
        let told = failed(&through(&mut agent, "a__die", json!({})));
        assert!(told.contains("server a ended before it answered") && told.contains("it hurts"), "{told}");
        assert_eq!(through(&mut agent, "a__echo", json!({"text": "x"}))["result"]["isError"], Value::Null);
        assert_eq!(behind.noted("a").iter().filter(|line| *line == "started").count(), times + 1);
    }
    assert_eq!(through(&mut agent, "b__echo", json!({"text": "x"}))["result"]["isError"], Value::Null);
    assert_eq!(behind.noted("b").iter().filter(|line| *line == "started").count(), 1);
    // One that dies again and again has to wait.
    failed(&through(&mut agent, "a__die", json!({})));
    failed(&through(&mut agent, "a__die", json!({})));
    let told = failed(&through(&mut agent, "a__echo", json!({"text": "x"})));
    assert!(told.contains("died 2 times in a row"), "{told}");
    assert!(soon(|| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        true
    }));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(through(&mut agent, "a__echo", json!({"text": "x"}))["result"]["isError"], Value::Null);
}

#[test]
fn one_that_hangs_floods_or_cannot_start_hinders_no_other() {
    let behind = Behind::new();
    // Only here the time to start is short: a server that answers may need longer on a slow machine.
    let mut agent = behind.agent(&[("mute", &["silent"])], json!({"startMs": 3000}));
    let told = failed(&through(&mut agent, "mute__echo", json!({"text": "x"})));
    assert!(told.contains("did not start and list its tools within 3 s"), "{told}");
    let found = agent.told("find", json!({"task": "count the words of a text"}));
    assert!(found.contains("note: server mute"), "{found}");
    assert_eq!(agent.go(), Some(0));
    let behind = Behind::new();
    let servers: [(&str, &[&str]); 3] = [("bad", &["loop"]), ("good", &[]), ("wet", &[])];
    let mut agent = behind.agent(&servers, json!({"callMs": 1500}));
    let told = failed(&through(&mut agent, "bad__echo", json!({"text": "x"})));
    assert!(told.contains("more than 100 pages"), "{told}");
    // While others hang, one that does not is not kept waiting.
    let call = |id: u64, name: &str| {
        let arguments = json!({"name": name, "arguments": {}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "call", "arguments": arguments}})
    };
    agent.send(&call(1001, "wet__flood"));
    agent.send(&call(1002, "good__wait"));
    let answer = through(&mut agent, "good__count_words", json!({"text": "x"}));
    // It stands behind the call that waits, as its server takes one at a time; it is told so, or answered in time.
    assert!(answer["result"].is_object(), "{answer}");
    let found = agent.told("find", json!({"task": "count the words of a text"}));
    assert!(found.contains("good__count_words") && found.contains("note: server bad"), "{found}");
    assert_eq!(agent.go(), Some(0));
    // A server that is still starting hinders no other either.
    let mut agent = behind.agent(&[("good", &[]), ("mute", &["silent"])], json!({}));
    agent.send(&call(1003, "mute__echo"));
    assert!(through(&mut agent, "good__count_words", json!({"text": "x"}))["result"].is_object());
    drop(agent);
    assert!(soon(|| behind.running() == 0), "{} processes are left", behind.running());
}

#[test]
fn a_call_that_takes_too_long_is_told_of() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &[])], json!({"callMs": 2000}));
    let told = failed(&through(&mut agent, "a__wait", json!({})));
    assert!(told.contains("gave no answer within") && told.contains("started again"), "{told}");
    assert_eq!(through(&mut agent, "a__echo", json!({"text": "x"}))["result"]["isError"], Value::Null);
}

/// However the gateway ends, no server stays, and nothing that a server started.
#[test]
fn nothing_is_left_of_a_gateway_that_is_gone() {
    let child_is_gone = |behind: &Behind| {
        let noted = behind.noted("a");
        let child = noted.iter().find_map(|line| line.strip_prefix("child ")).unwrap().to_owned();
        soon(|| {
            fs::read(format!("/proc/{child}/cmdline")).is_ok_and(|line| line.is_empty())
                || !Path::new(&format!("/proc/{child}")).exists()
        })
    };
    let echo = json!({"text": "x"});
    // Its client goes.
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &["deaf", "fork"])], json!({}));
    through(&mut agent, "a__echo", echo.clone());
    assert_eq!(agent.go(), Some(0));
    assert!(soon(|| behind.running() == 0) && child_is_gone(&behind));
    // It is asked to end.
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &["deaf", "fork"])], json!({}));
    through(&mut agent, "a__echo", echo.clone());
    let id = rustix::process::Pid::from_child(&agent.child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
    assert!(soon(|| behind.running() == 0) && child_is_gone(&behind));
    // It is killed: what the kernel can do about it.
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &["deaf", "fork"])], json!({}));
    through(&mut agent, "a__echo", echo);
    agent.child.kill().unwrap();
    agent.child.wait().unwrap();
    assert!(soon(|| behind.running() == 0), "{} processes are left", behind.running());
    assert!(child_is_gone(&behind));
}

/// What is kept of tools is kept by their printed names: one that looks like an approved tool is not that one.
#[test]
fn a_name_that_cannot_be_printed_is_no_tool() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &["names"])], json!({"exposure": "transparent"}));
    assert_eq!(names(&mut agent).len(), 9);
    let told = failed(&agent.ask("tools/call", json!({"name": "a__echo\u{0}", "arguments": {}})));
    assert!(told.contains("2 of its tools are left out"), "{told}");
    assert!(behind.noted("a").iter().all(|line| line == "started"));
}

#[test]
fn a_tool_without_a_schema_costs_no_other() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &["bare"])], json!({}));
    let found = agent.told("find", json!({"task": "count the words of a text"}));
    let note = "note: server a: 1 of its tools is left out";
    assert!(found.contains("a__count_words") && found.contains(note), "{found}");
    let told = failed(&through(&mut agent, "a__bare", json!({})));
    assert!(told.contains("has no tool bare; 1 of its tools is left out") && told.ends_with(": bare"), "{told}");
    // The same when they are added.
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gateway/server.py");
    let log = behind.folder.join("b.log");
    let add = ["tools", "add", "--mcp", "--server", "b", "--", "python3", script, log.to_str().unwrap(), "bare"];
    let ran = behind.user.ken(&add);
    assert!(ran.code == 0 && ran.out.starts_with("9 new"), "{ran:?}");
    assert!(ran.err.contains("server b: 1 of its tools is left out") && ran.err.contains("bare"), "{ran:?}");
}

/// Long before the time limit of a call.
#[test]
fn an_answer_that_cannot_be_used_fails_its_call_at_once() {
    let behind = Behind::new();
    let mut agent = behind.agent(&[("a", &["long", "texts"])], json!({"callMs": 600_000}));
    let told = failed(&through(&mut agent, "a__count_words", json!({"text": "x"})));
    assert!(told.contains("server a gave an answer of more than 16 MiB"), "{told}");
    let told = failed(&through(&mut agent, "a__echo", json!({"text": "x"})));
    assert!(told.contains("server a gave an answer with the id \"") && told.contains("a text"), "{told}");
    // The server goes on.
    let told = failed(&through(&mut agent, "a__fail", json!({})));
    assert_eq!(told, "the note is not there");
    assert_eq!(behind.noted("a").iter().filter(|line| *line == "started").count(), 1);
}

#[test]
fn a_file_that_is_no_configuration_is_refused() {
    let behind = Behind::new();
    let path = behind.folder.join("config.json");
    for (text, why) in [
        ("", "EOF"),
        ("{\"mcpServers\": {}}", "names no server"),
        ("{\"mcpServers\": {\"a\": {\"url\": \"http://mcp.example/mcp\"}}}", "on this machine"),
    ] {
        fs::write(&path, text).unwrap();
        let ran = behind.user.ken(&["gateway", "--config", path.to_str().unwrap()]);
        assert!(ran.code == 2 && ran.err.contains(why) && ran.out.is_empty(), "{ran:?}");
    }
    let ran = behind.user.ken(&["gateway", "--config", "nowhere.json"]);
    assert!(ran.code != 0 && ran.err.contains("nowhere.json"), "{ran:?}");
}
