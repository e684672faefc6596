//! `ken mcp` as a process, asked line by line as agents do.

use crate::support::agent::{Agent, for_anyone};
use crate::support::ken::User;
use crate::support::service::{Service, read};
use kenning::store::WriterLock;
use serde_json::json;
use std::io::{self, Read};
use std::net::TcpStream;
use std::time::Duration;

const REFUSED: &str = "fatal: refusing to merge unrelated histories";
const RETRIES: &str =
    "# Retries\n\nA request is tried again after two seconds, and given up after the fifth attempt.\n";

/// How long a call takes that would tell of itself at least once.
const LONG: Duration = Duration::from_millis(2_500);

/// An answer as it comes. The lock is free when two events have come.
struct UntilTwoEvents {
    stream: TcpStream,
    came: String,
    lock: Option<WriterLock>,
}

impl Read for UntilTwoEvents {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(bytes)?;
        self.came.push_str(&String::from_utf8_lossy(&bytes[..read]));
        if self.came.matches("notifications/progress").count() >= 2 {
            self.lock = None;
        }
        Ok(read)
    }
}

/// An agent reads what a person reads, but for commands and ids.
#[test]
fn an_agent_is_told_what_the_command_line_prints() {
    let user = User::new();
    user.document("retries.md", RETRIES);
    user.document("other.md", "# Colours\n\nThe banner is blue.\n");
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let mut agent = Agent::greeted(&user);
    let no_model = "\nnote: There is no model";
    let same = |text: String, printed: &str| {
        let text = text.split_once("note: There is no model").map_or(text.as_str(), |(text, _)| text);
        assert_eq!(for_anyone(text), for_anyone(printed));
    };
    same(agent.told("lookup", json!({"text": REFUSED})), &user.ken(&["lookup", "--dry-run", REFUSED]).out);
    let question = "when is a request given up";
    let found = agent.told("search", json!({"query": question, "paths": ["retries.md"], "min_relevance": 0}));
    assert!(found.contains("retries.md:") && found.contains(no_model), "{found}");
    same(found, &user.ken(&["search", "--dry-run", "--path", "retries.md", "--min-relevance", "0", question]).out);
    let nothing = agent.told("lookup", json!({"text": "qqq zzz never heard of"}));
    assert!(nothing.starts_with("Nothing known about this."), "{nothing}");
    let nothing = agent.told("lookup", json!({"text": "qqq zzz never heard of", "packs": ["redis"]}));
    assert!(nothing.starts_with("Nothing known about this within these filters."), "{nothing}");
    let nothing = agent.told("search", json!({"query": "qqq zzz never heard of", "types": ["md"]}));
    assert!(nothing.starts_with("Nothing known about this within these filters."), "{nothing}");
    let packed = agent.told("pack", json!({"task": question, "include": ["retries.md"], "budget": 800}));
    assert!(packed.contains("fifth attempt") && packed.starts_with("---\nkenning: "), "{packed}");
    let status = agent.told("status", json!({}));
    assert!(status.contains("of 2 files, no model"), "{status}");
    // What was changed meanwhile is seen.
    user.document("new.md", "# Greeting\n\nEvery visitor is greeted with a trumpet.\n");
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let found = agent.told("search", json!({"query": "greeted with a trumpet", "min_relevance": 0}));
    assert!(found.contains("new.md"), "{found}");
    assert_eq!(agent.go(), Some(0));
}

#[test]
fn both_revisions_of_the_protocol_are_spoken() {
    let user = User::new();
    let mut old = Agent::greeted(&user);
    let listed = old.ask("tools/list", json!({}));
    let mut new = Agent::start(&user);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = new.ask("server/discover", json!({"_meta": meta}));
    assert!(found["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let tools = new.ask("tools/list", json!({"_meta": meta}));
    assert_eq!(tools["result"]["tools"], listed["result"]["tools"], "the same tools in the same order");
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["lookup", "search", "pack", "status", "remember", "dispute"]);
    let asked = json!({"name": "lookup", "arguments": {"text": REFUSED}, "_meta": meta});
    let answer = new.ask("tools/call", asked);
    assert!(
        answer["result"]["content"][0]["text"].as_str().unwrap().contains("git-ssh/unrelated-histories"),
        "{answer}"
    );
}

/// A hit is read whole by its id.
#[test]
fn what_a_hit_names_can_be_read_whole() {
    let user = User::new();
    user.document("retries.md", RETRIES);
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let mut agent = Agent::greeted(&user);
    let templates = agent.ask("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "ken://{+id}", "{templates}");
    let mut read = |id: &str| {
        let answer = agent.ask("resources/read", json!({"uri": format!("ken://{id}")}));
        answer["result"]["contents"][0]["text"].as_str().map(str::to_owned).ok_or(answer)
    };
    let entry = read("git-ssh/unrelated-histories").unwrap();
    assert!(entry.starts_with("# Refusing to merge") && entry.contains("## Fix\n\n1. "), "{entry}");
    let none = read("nothing/of-this-name").unwrap_err();
    assert!(none["error"]["message"].as_str().unwrap().contains("nothing of this id"), "{none}");
    // As the search has shown it.
    let found = agent.told("search", json!({"query": "fifth attempt", "paths": ["retries.md"], "min_relevance": 0}));
    let id = found.lines().find_map(|line| Some(line.split_once(", id ")?.1.split(',').next()?.to_owned()));
    let uri = format!("ken://{}", id.unwrap_or_else(|| panic!("{found}")));
    let read = agent.ask("resources/read", json!({"uri": uri}));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("fifth attempt"), "{found} {read}");
    assert!(!found.contains("`ken"), "an agent runs no commands: {found}");
}

/// A client that wants to hear how far a long call is hears it before the answer; others hear nothing.
#[test]
fn a_call_that_takes_long_says_that_it_goes_on() {
    let user = User::new();
    let mut agent = Agent::greeted(&user);
    agent.told("remember", json!({"text": "Lamps are lit at dusk", "kind": "fact"}));
    let mut remember = |meta: serde_json::Value| {
        let mut lock = Some(WriterLock::take(&user.home(), "a test", Duration::from_secs(60)).unwrap());
        let hears = meta != json!({});
        let arguments = json!({"text": "Bread is baked at four", "kind": "fact"});
        let params = json!({"name": "remember", "arguments": arguments, "_meta": meta});
        agent.send(&json!({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": params}));
        if !hears {
            std::thread::sleep(LONG);
            lock = None;
        }
        let mut heard = Vec::new();
        let answer = loop {
            match agent.hear() {
                message if message["id"] == "long" => break message,
                message => heard.push(message),
            }
            // The call goes on when it has said so twice.
            if heard.len() == 2 {
                lock = None;
            }
        };
        drop(lock);
        assert!(answer["result"]["isError"] != true, "{answer}");
        heard
    };
    assert_eq!(remember(json!({})), [json!(null); 0]);
    let heard = remember(json!({"progressToken": 7}));
    assert!(heard.len() >= 2, "{heard:?}");
    for (at, message) in heard.iter().enumerate() {
        assert_eq!(message["method"], "notifications/progress", "{message}");
        let params = &message["params"];
        assert_eq!((&params["progressToken"], params["progress"].as_f64()), (&json!(7), Some(at as f64 + 1.0)));
    }
}

/// Over HTTP the same, in a stream of events; whoever asks for none gets one JSON message.
#[test]
fn a_call_over_http_that_takes_long_says_that_it_goes_on() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    service.call_tool(&service.token, "remember", &json!({"text": "Lamps are lit at dusk", "kind": "fact"}));
    let remember = |meta: serde_json::Value| {
        let mut lock = Some(WriterLock::take(&user.home(), "a test", Duration::from_secs(60)).unwrap());
        let hears = meta != json!({});
        let arguments = json!({"text": "Bread is baked at four", "kind": "fact"});
        let params = json!({"name": "remember", "arguments": arguments, "_meta": meta});
        let stream = service.send_as_agent(&service.token, "tools/call", &params);
        if !hears {
            std::thread::sleep(LONG);
            lock = None;
        }
        let answer = read(&mut UntilTwoEvents { stream, came: String::new(), lock });
        assert_eq!(answer.status, 200, "{answer:?}");
        answer
    };
    let whole = remember(json!({}));
    assert!(
        whole.header("content-type") == Some("application/json") && whole.json()["result"].is_object(),
        "{whole:?}"
    );
    let told = remember(json!({"progressToken": "p"}));
    assert_eq!(told.header("content-type"), Some("text/event-stream"), "{told:?}");
    let events: Vec<serde_json::Value> =
        told.body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?.trim()).ok()).collect();
    let (answer, heard) = events.split_last().unwrap();
    assert!(answer["id"] == 1 && answer["result"]["isError"] != true, "{events:?}");
    assert!(heard.len() >= 2, "{events:?}");
    for (at, message) in heard.iter().enumerate() {
        let params = &message["params"];
        assert_eq!((&params["progressToken"], params["progress"].as_f64()), (&json!("p"), Some(at as f64 + 1.0)));
    }
    assert_eq!(service.end(), Some(0));
}

#[test]
fn what_is_wrong_is_said_and_the_next_call_works() {
    let user = User::new();
    let mut agent = Agent::greeted(&user);
    let unknown = agent.ask("tools/call", json!({"name": "forget", "arguments": {}}));
    assert!(
        unknown["error"]["message"].as_str().unwrap().contains("lookup, search, pack, status, remember"),
        "{unknown}"
    );
    for (tool, arguments, words) in [
        ("lookup", json!({}), "missing field `text`"),
        ("lookup", json!({"text": "x", "colour": "red"}), "unknown field `colour`"),
        ("lookup", json!({"text": "x", "limit": "many"}), "wrong arguments"),
        ("search", json!({"query": "x", "types": ["a type"]}), "a type is no type of files"),
        ("search", json!({"query": "x", "paths": ["[a"]}), "no valid pattern"),
        ("lookup", json!({"text": ""}), "empty"),
        ("remember", json!({}), "missing field `text`"),
        ("remember", json!({"text": " "}), "it says nothing"),
        ("remember", json!({"text": "x", "kind": "chunk"}), "a preference, a fact or a tactic"),
        ("remember", json!({"text": "x", "session": "a\u{1b}b"}), "the session holds control characters"),
        ("remember", json!({"text": "x", "update": "0123456789ab"}), "no memory is called 0123456789ab"),
        ("dispute", json!({"id": "0123456789ab", "because": "x"}), "(the tools remember and search show ids"),
        ("dispute", json!({"id": "0123456789ab"}), "why it is wrong is missing"),
    ] {
        let (text, failed) = agent.call(tool, arguments.clone());
        assert!(failed && text.contains(words), "{tool} {arguments}: {text}");
        assert!(!text.contains("`ken") && !text.contains("--"), "nothing that an agent cannot run: {text}");
    }
    assert!(agent.told("lookup", json!({"text": REFUSED})).contains("git-ssh/unrelated-histories"));
    // A line that is no message does not end the conversation.
    agent.say("not json");
    assert!(agent.told("lookup", json!({"text": REFUSED})).contains("git-ssh/unrelated-histories"));
}

/// What an agent has learnt is told to the next one, and what it disputes is not.
#[test]
fn what_one_agent_remembers_another_is_told() {
    let user = User::new();
    let mut first = Agent::greeted(&user);
    let fix = json!({"text": "Fetch the whole history first", "error": REFUSED, "worked": true});
    let told = first.told("remember", fix.clone());
    let id = told.split([' ', '.']).find(|word| word.starts_with("memory/")).unwrap().to_owned();
    first.told("remember", json!({"text": "Delete the lock file", "error": REFUSED, "worked": false}));
    assert_eq!(first.go(), Some(0));
    let mut second = Agent::greeted(&user);
    let known = second.told("lookup", json!({"text": REFUSED}));
    assert!(known.contains("Fetch the whole history first") && known.contains("Delete the lock file"), "{known}");
    // The same conversation counts once, another one makes it surer.
    assert!(second.told("remember", fix).starts_with("Known already; it is surer now: "));
    let story = user.ken(&["--json", "memory", "history", &id]).json();
    assert_eq!(story["memory"]["sessions"].as_array().unwrap().len(), 2, "{story}");
    second.told("dispute", json!({"id": id, "because": "it was the wrong remote"}));
    let known = second.told("lookup", json!({"text": REFUSED}));
    assert!(!known.contains("Fetch the whole history first") && known.contains("Delete the lock file"), "{known}");
    assert!(
        second
            .told("remember", json!({"text": "Fetch the whole history first", "error": REFUSED, "worked": true}))
            .contains("It is not served: disputed: it was the wrong remote.")
    );
    assert_eq!(second.go(), Some(0));
}

#[test]
fn it_ends_with_its_client() {
    let user = User::new();
    assert_eq!(Agent::greeted(&user).go(), Some(0));
    // Before a word was said, and in the middle of a call.
    assert!(Agent::start(&user).go().is_some());
    let mut agent = Agent::greeted(&user);
    let log = "error: something went wrong in step 7\n".repeat(20_000);
    agent.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call",
        "params": {"name": "lookup", "arguments": {"text": log}}}));
    assert!(agent.go().is_some());
}

/// What cannot be used is said in the answer, where an agent reads it.
#[test]
fn a_broken_pack_is_noted_in_the_answer() {
    let user = User::new();
    user.write("canon/mine.json", "{ this is no pack");
    let text = Agent::greeted(&user).told("lookup", json!({"text": REFUSED}));
    assert_eq!(text.lines().filter(|line| line.starts_with("note:") && line.contains("mine")).count(), 1, "{text}");
    assert!(text.contains("git-ssh/unrelated-histories"), "{text}");
}

/// A call that was given up is not answered, and those after it are.
#[test]
fn a_cancelled_call_holds_nobody_up() {
    let user = User::new();
    let mut agent = Agent::greeted(&user);
    let log: String = (0..20_000).map(|at| format!("error: step {at} of {} went wrong\n", at * 7)).collect();
    agent.send(&json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call",
        "params": {"name": "lookup", "arguments": {"text": log}}}));
    agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}));
    assert!(agent.told("lookup", json!({"text": REFUSED})).contains("git-ssh/unrelated-histories"));
    assert_eq!(agent.go(), Some(0));
}

/// Many calls at once are all answered.
#[test]
fn calls_do_not_wait_for_one_another_s_turn() {
    let user = User::new();
    let mut agent = Agent::greeted(&user);
    for id in 100..140 {
        agent.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "lookup", "arguments": {"text": REFUSED}}}));
    }
    let mut heard: Vec<u64> = (100..140).map(|_| agent.hear()["id"].as_u64().unwrap()).collect();
    heard.sort_unstable();
    assert_eq!(heard, (100..140).collect::<Vec<u64>>());
}

#[test]
fn an_entry_for_a_client_is_printed() {
    let user = User::new();
    let printed = user.ken(&["mcp", "--print-config", "claude-code"]);
    assert_eq!(printed.json()["mcpServers"]["ken"]["args"][0], "mcp", "{printed:?}");
    assert!(printed.err.contains(".mcp.json"), "{printed:?}");
    assert_eq!(user.ken(&["mcp", "--print-config", "notepad"]).code, 2);
}
