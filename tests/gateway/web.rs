//! Servers behind a URL: the endpoint of `ken serve`, and one that does all that a server must not.

use super::*;
use crate::support::service::Service;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A configuration with these servers.
fn config_of(behind: &Behind, servers: Value, more: Value) -> PathBuf {
    let mut config = json!({ "mcpServers": servers });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let path = behind.folder.join("config.json");
    fs::write(&path, config.to_string()).unwrap();
    path
}

/// A gateway with a token in its environment.
fn agent_with(behind: &Behind, config: &Path, token: &str) -> Agent {
    let mut command = behind.user.command(&["gateway", "--config", config.to_str().unwrap()]);
    command.env("TEST_TOKEN", token);
    let mut agent = Agent::with(command);
    assert_eq!(agent.greet(json!({}))["serverInfo"]["name"], "ken-gateway");
    agent
}

#[test]
fn the_endpoint_of_a_service_is_a_server() {
    let behind = Behind::new();
    let service = Service::start(&behind.user, &[]);
    let url = format!("http://{}/mcp", service.address);
    let add = |url: &str, header: &str, token: &str| {
        let words = ["tools", "add", "--json", "--mcp", url, "--server", "ken", "--header", header];
        let mut command = behind.user.command(&words);
        command.env("TEST_TOKEN", token);
        crate::support::ken::run(command, b"")
    };
    let bearer = "Authorization: Bearer ${TEST_TOKEN}";
    let added = add(&url, bearer, &service.token);
    let keys = added.json()["added"].as_array().unwrap_or_else(|| panic!("{added:?}")).clone();
    assert!(keys.len() == 6 && keys.contains(&json!("ken/lookup")), "{added:?}");
    assert_eq!(add(&url, bearer, &service.token).json()["unchanged"], 6);
    // A wrong token is no secret, but a right one must stand nowhere.
    let refused = add(&url, bearer, "not-the-token");
    assert!(refused.code == 2 && refused.out.contains("HTTP 401"), "{refused:?}");
    let unset = add(&url, "Authorization: Bearer ${NO_SUCH_VARIABLE}", "");
    assert!(unset.code == 2 && unset.out.contains("NO_SUCH_VARIABLE is not set"), "{unset:?}");
    for (url, why) in [
        ("http://mcp.example/mcp", "on this machine"),
        ("nowhere", "has to begin with https://"),
        ("http://127.0.0.1:1/mcp", "nobody listens there"),
    ] {
        let ran = add(url, bearer, "x");
        assert!(ran.code == 2 && ran.out.contains(why), "{ran:?}");
    }
    let bytes = fs::read(behind.user.home().join("kenning.db")).unwrap();
    assert!(!bytes.windows(service.token.len()).any(|part| part == service.token.as_bytes()));
    // The gateway knows the same tools, and calls them.
    let server = json!({"url": url, "headers": {"Authorization": "Bearer ${TEST_TOKEN}"}});
    let config = config_of(&behind, json!({ "ken": server }), json!({"exposure": "transparent"}));
    let mut agent = agent_with(&behind, &config, &service.token);
    assert_eq!(names(&mut agent).len(), 6);
    let text = "error[E0502]: cannot borrow `x` as mutable because it is also borrowed as immutable";
    let answer = agent.ask("tools/call", json!({"name": "ken__lookup", "arguments": {"text": text}}));
    assert!(answer["result"]["isError"] != true && answer["result"]["content"].is_array(), "{answer}");
    // Its service may go, and come again somewhere else: the next call says so.
    service.kill();
    let told = failed(&agent.ask("tools/call", json!({"name": "ken__lookup", "arguments": {"text": text}})));
    assert!(told.contains("nobody listens there") && told.contains("not carried out"), "{told}");
    assert_eq!(agent.go(), Some(0));
}

/// A server made of a socket, whose tools are what it does wrong.
struct Hostile {
    port: u16,
    /// Method, path and, of calls, the tool.
    heard: Arc<Mutex<Vec<String>>>,
}

const WRONGS: [&str; 16] = [
    "hang",
    "drip",
    "flood",
    "long_event",
    "cut",
    "cut_events",
    "html",
    "untyped",
    "junk",
    "not_utf8",
    "other_id",
    "accepted",
    "moved",
    "moved_303",
    "error_500",
    "round",
];

impl Hostile {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || while answer(&stream, port, &noted).is_some() {});
            }
        });
        Self { port, heard }
    }

    fn heard(&self, what: &str) -> usize {
        self.heard.lock().unwrap().iter().filter(|line| line.contains(what)).count()
    }
}

fn head(kind: &str, more: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{more}\r\n")
}

/// Answers one request; none if the connection is over.
fn answer(mut stream: &TcpStream, port: u16, heard: &Mutex<Vec<String>>) -> Option<()> {
    let mut from = BufReader::new(stream);
    let (mut first, mut length, mut line) = (String::new(), 0, String::new());
    from.read_line(&mut first).ok().filter(|count| *count > 0)?;
    while from.read_line(&mut line).ok().filter(|count| *count > 0).is_some() && line != "\r\n" {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (id, tool) = (&message["id"], message["params"]["name"].as_str().unwrap_or_default());
    let method = message["method"].as_str().unwrap_or_default();
    heard.lock().unwrap().push(format!("{method} {tool} {}", first.trim()));
    let mut write = |text: &str| stream.write_all(text.as_bytes()).ok();
    let json = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    let mut whole = |text: &str| {
        write(
            &(head(
                "application/json; charset=utf-8",
                &format!("Mcp-Session-Id: s1\r\nContent-Length: {}\r\n", text.len()),
            ) + text),
        )
    };
    let events = || head("text/event-stream", "Connection: close\r\n");
    let tools = || {
        let of =
            |name: &&str| json!({"name": name, "description": format!("Do {name}"), "inputSchema": {"type": "object"}});
        let more = ["echo", "echo_events", "moved_here", "denied", "forgotten", "says_no"];
        json!({"tools": WRONGS.iter().chain(&more).map(of).collect::<Vec<_>>()})
    };
    let said = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    match (method, tool) {
        ("initialize", _) => {
            let info = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "x", "version": "1"}});
            whole(&json(info))
        }
        ("tools/list", _) => whole(&json(tools())),
        ("ping", _) => whole(&json(json!({}))),
        ("tools/call", "echo") => whole(&json(said("well"))),
        ("tools/call", "moved_here") if first.contains("/mcp/here") => whole(&json(said("here"))),
        ("tools/call", "says_no") => {
            let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "no"}}).to_string();
            write(&format!(
                "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{error}",
                error.len()
            ))
        }
        ("tools/call", "echo_events") => {
            write(&events())?;
            let note =
                json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}});
            let answer = json(said("by events"));
            let (one, two) = answer.split_at(answer.len() / 2);
            for piece in
                ["id: 1\ndata:\n\n", ": hello\n\n", &format!("data: {note}\r\n\r\ndata: {one}"), &format!("{two}\n\n")]
            {
                write(piece)?;
                std::thread::sleep(Duration::from_millis(5));
            }
            None
        }
        ("tools/call", "hang") => {
            std::thread::sleep(Duration::from_secs(3600));
            None
        }
        ("tools/call", "drip") => {
            write(&head("application/json", "Content-Length: 1000\r\n"))?;
            while write(" ").is_some() {
                std::thread::sleep(Duration::from_millis(20));
            }
            None
        }
        ("tools/call", "flood") => {
            write(&events())?;
            let piece = format!(
                "data: {}\n\n",
                json!({"jsonrpc": "2.0", "method": "notifications/message",
                    "params": {"level": "info", "data": "x".repeat(60_000)}})
            );
            while write(&piece).is_some() {}
            None
        }
        ("tools/call", "long_event") => {
            write(&(events() + "data: "))?;
            let piece = "x".repeat(1 << 16);
            while write(&piece).is_some() {}
            None
        }
        ("tools/call", "cut") => {
            write(&(head("application/json", "Content-Length: 1000\r\n") + "{\"jsonrpc\": "))?;
            None
        }
        ("tools/call", "cut_events") => {
            write(&(events() + "data: {\"jsonrpc\"\n\n"))?;
            None
        }
        ("tools/call", "html") => {
            write(&(head("text/html", "Connection: close\r\n") + "<p>hello"))?;
            None
        }
        ("tools/call", "untyped") => write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
        ("tools/call", "junk") => whole("{\"jsonrpc\": \"2.0\", \"id\": ["),
        ("tools/call", "not_utf8") => {
            write(&head("application/json", "Content-Length: 2\r\n"))?;
            stream.write_all(b"\xff\xfe").ok()
        }
        ("tools/call", "other_id") => {
            whole(&json!({"jsonrpc": "2.0", "id": 987_654, "result": said("stolen")}).to_string())
        }
        ("tools/call", "accepted") => write("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"),
        ("tools/call", "moved") => write(&format!(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://localhost:{port}/mcp\r\nContent-Length: 0\r\n\r\n"
        )),
        ("tools/call", "moved_here") => {
            write("HTTP/1.1 308 Permanent Redirect\r\nLocation: /mcp/here\r\nContent-Length: 0\r\n\r\n")
        }
        ("tools/call", "moved_303") => {
            write("HTTP/1.1 303 See Other\r\nLocation: /mcp/here\r\nContent-Length: 0\r\n\r\n")
        }
        ("tools/call", "round") => {
            write("HTTP/1.1 307 Temporary Redirect\r\nLocation: /mcp\r\nContent-Length: 0\r\n\r\n")
        }
        ("tools/call", "denied") => {
            write("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n")
        }
        ("tools/call", "forgotten") => write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        ("tools/call", "error_500") => {
            let text = "it\u{1b}[31m hurts\n";
            write(&format!("HTTP/1.1 500 Oh\r\nContent-Length: {}\r\n\r\n{text}", text.len()))
        }
        _ => write("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"),
    }
}

/// Whatever a server answers is told in the result of its own call, and the next call is as good as ever.
#[test]
fn a_server_that_breaks_every_rule_is_told_of() {
    let behind = Behind::new();
    let hostile = Hostile::start();
    let url = format!("http://127.0.0.1:{}/mcp", hostile.port);
    let server = json!({"type": "http", "url": url, "headers": {"X-Key": "${TEST_TOKEN}"}});
    let config = config_of(&behind, json!({ "far": server }), json!({}));
    let mut agent = agent_with(&behind, &config, "s3cret-of-the-test");
    let well = |agent: &mut Agent| {
        let mut answer = through(agent, "far__echo", json!({}));
        // After several failures in a row there is a pause.
        for _ in 0..20 {
            if answer["result"]["isError"] != true {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
            answer = through(agent, "far__echo", json!({}));
        }
        assert_eq!(answer["result"]["content"][0]["text"], "well", "{answer}");
    };
    for (tool, said) in [("echo", "well"), ("echo_events", "by events"), ("moved_here", "here")] {
        let answer = through(&mut agent, &format!("far__{tool}"), json!({}));
        assert_eq!(answer["result"]["content"][0]["text"], said, "{answer}");
    }
    let no = through(&mut agent, "far__says_no", json!({}));
    assert_eq!(no["error"], json!({"code": -32602, "message": "no"}), "{no}");
    let unknown = "is not known: look before you repeat it";
    let done = "was not carried out";
    for (tool, why, what) in [
        ("flood", "it sent too much", unknown),
        ("long_event", "an event longer than", unknown),
        ("cut", "it broke off", unknown),
        ("cut_events", "no message of the protocol", unknown),
        ("html", "its answer is text/html, which is no message", unknown),
        ("untyped", "does not say what it is", unknown),
        ("junk", "no message of the protocol", unknown),
        ("not_utf8", "no UTF-8", unknown),
        ("other_id", "one to another message", unknown),
        ("accepted", "took the message and gave no answer", unknown),
        ("moved", "where its messages and headers do not go", done),
        ("moved_303", "is that the url?", done),
        ("round", "again and again", done),
        ("denied", "wants to know who asks (HTTP 401)", done),
        ("forgotten", "has forgotten this session; call again", done),
        ("error_500", "HTTP 500: it", unknown),
    ] {
        let told = failed(&through(&mut agent, &format!("far__{tool}"), json!({})));
        assert!(
            told.contains(why) && told.contains(what) && !told.contains("s3cret") && !told.contains('\u{1b}'),
            "{tool}: {told}"
        );
        well(&mut agent);
    }
    let config = config_of(&behind, json!({ "far": {"url": url} }), json!({"callMs": 500}));
    let mut hurried = agent_with(&behind, &config, "");
    for tool in ["hang", "drip"] {
        let told = failed(&through(&mut hurried, &format!("far__{tool}"), json!({})));
        assert!(told.contains("gave no answer within") && told.contains(unknown), "{tool}: {told}");
        well(&mut hurried);
    }
    // Nothing was sent twice but where the server itself sent it on.
    assert_eq!((hostile.heard("tools/call junk"), hostile.heard("tools/call round")), (1, 4));
    assert_eq!(agent.go(), Some(0));
    assert!(soon(|| hostile.heard("DELETE /mcp") > 0), "{:?}", hostile.heard.lock().unwrap());
}

/// One that hangs does not hold up another, nor the end of the gateway.
#[test]
fn a_server_that_hangs_holds_nobody_up() {
    let behind = Behind::new();
    let hostile = Hostile::start();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gateway/server.py");
    let good = json!({"command": "python3", "args": [script, behind.folder.join("good.log")]});
    let far = json!({"url": format!("http://127.0.0.1:{}/mcp", hostile.port)});
    let config = config_of(&behind, json!({"far": far, "good": good}), json!({"callMs": 60_000}));
    let mut agent = agent_with(&behind, &config, "");
    for id in 1000..1020 {
        let arguments = json!({"name": "far__hang", "arguments": {}});
        let params = json!({"name": "call", "arguments": arguments});
        agent.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    assert_eq!(through(&mut agent, "good__echo", json!({"text": "x"}))["result"]["isError"], Value::Null);
    // No more requests than a server may have at a time.
    assert!(soon(|| hostile.heard("tools/call hang") == 16), "{}", hostile.heard("tools/call hang"));
    // Nor does its end wait for one that never answers.
    assert_eq!(agent.go(), Some(0));
}
