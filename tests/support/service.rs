//! A running `ken serve`, asked by hand over a socket, so that what no client would send can be sent too.

use super::ken::User;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

/// A service that ends with this value.
pub struct Service {
    child: Child,
    out: Option<BufReader<ChildStdout>>,
    /// `127.0.0.1:PORT`.
    pub address: String,
    pub token: String,
}

/// An answer as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The lines of its head.
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let of = |line: &'_ str| line.split_once(':').is_some_and(|(key, _)| key.eq_ignore_ascii_case(name));
        Some(self.head.lines().find(|line| of(line))?.split_once(':')?.1.trim())
    }
}

impl Service {
    /// Starts one at a free port, in the user's folder.
    pub fn start(user: &User, arguments: &[&str]) -> Self {
        let all: Vec<&str> = ["serve", "--listen", "127.0.0.1:0"].iter().chain(arguments).copied().collect();
        let mut child = user.command(&all).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line:?}");
        let token = std::fs::read_to_string(user.home().join("token")).unwrap_or_default().trim().to_owned();
        Self { child, out: Some(out), address, token }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }

    /// Sends these bytes. The answer can be read from the connection.
    fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        // One that was refused before its end may have been closed already.
        drop(stream.write_all(bytes));
        stream
    }

    /// Sends these bytes, and reads the answer until the connection ends.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        read(&mut self.send(bytes))
    }

    /// Asks with these headers, and no others but those that every request has.
    pub fn bare(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.raw(request(method, path, headers, body).as_bytes())
    }

    /// Asks as a program does that has this token.
    pub fn ask_as(&self, token: &str, method: &str, path: &str, body: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers =
            [("Host", self.address.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json")];
        self.bare(method, path, &headers, body)
    }

    /// Asks as whoever started it, who may have killed it; none if no answer came.
    pub fn try_ask(&self, method: &str, path: &str, body: &str) -> Option<Answer> {
        let bearer = format!("Bearer {}", self.token);
        let headers =
            [("Host", self.address.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json")];
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.write_all(request(method, path, &headers, body).as_bytes()).ok()?;
        Some(read(&mut stream)).filter(|answer| answer.status > 0)
    }

    /// Asks as whoever started it.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        self.ask_as(&self.token, method, path, body)
    }

    /// All events of a path, as the owner, until there are no more.
    pub fn events(&self, path: &str) -> Answer {
        let mut stream = self.connect();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nAccept: text/event-stream\r\n\
             Connection: close\r\n\r\n",
            self.address, self.token
        )
        .unwrap();
        read(&mut stream)
    }

    /// Puts a JSON body.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &body.to_string())
    }

    /// What a route that must answer answers.
    pub fn told(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body);
        assert_eq!(answer.status, 200, "{path} {body}: {answer:?}");
        answer.json()
    }

    /// Calls an agent's tool over HTTP, as a client from before 2026-07-28 with this token.
    pub fn call_tool(&self, token: &str, tool: &str, arguments: &Value) -> Answer {
        self.ask_as_agent(token, "tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Asks over HTTP as such a client does.
    pub fn ask_as_agent(&self, token: &str, method: &str, params: &Value) -> Answer {
        read(&mut self.send_as_agent(token, method, params))
    }

    /// Sends a request of such a client, whose answer can be read while it comes.
    pub fn send_as_agent(&self, token: &str, method: &str, params: &Value) -> TcpStream {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Host", self.address.as_str()),
            ("Authorization", &bearer),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2025-11-25"),
        ];
        self.send(request("POST", "/mcp", &headers, &message.to_string()).as_bytes())
    }

    /// Tells it to end; the exit code of the process.
    pub fn end(mut self) -> Option<i32> {
        let ended = std::process::Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(ended.success());
        let code = self.child.wait().unwrap().code();
        let mut rest = String::new();
        self.out.take().unwrap().read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "standard output has the address alone");
        code
    }

    /// Kills it, while others may be asking it.
    pub fn crash(&self) {
        let killed = std::process::Command::new("kill").args(["-KILL", &self.child.id().to_string()]).status();
        assert!(killed.unwrap().success());
    }

    /// Ends it as a crash does.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A request whose connection ends with its answer.
fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
    format!("{text}\r\n{body}")
}

/// Reads an answer whose connection ends with it.
pub fn read(stream: &mut impl Read) -> Answer {
    let mut bytes = Vec::new();
    // A connection that was cut is an answer too, of whatever came.
    drop(stream.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { joined(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

/// The chunks of a body, one behind another.
fn joined(body: &str) -> String {
    let (mut rest, mut out) = (body, String::new());
    while let Some((size, more)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || size > more.len() {
            break;
        }
        out.push_str(&more[..size]);
        rest = more[size..].trim_start_matches("\r\n");
    }
    out
}
