//! An agent: a client of the Model Context Protocol, line by line.

use super::ken::User;
use regex::Regex;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

/// An agent with a running server of its protocol.
pub struct Agent {
    pub child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Agent {
    /// One with `ken mcp`, that has said nothing yet.
    pub fn start(user: &User) -> Self {
        Self::with(user.command(&["mcp"]))
    }

    /// One with this command.
    pub fn with(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, asked: 0 }
    }

    /// One that has shaken hands as clients did before 2026-07-28.
    pub fn greeted(user: &User) -> Self {
        let mut agent = Self::start(user);
        let answer = agent.greet(json!({}));
        assert_eq!(answer["serverInfo"]["name"], "ken");
        assert!(answer["instructions"].as_str().unwrap().contains("lookup"), "{answer}");
        agent
    }

    /// Shakes hands with these capabilities; what the server says of itself.
    pub fn greet(&mut self, capabilities: Value) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client});
        let answer = self.ask("initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    /// Sends a line.
    pub fn say(&mut self, line: &str) {
        writeln!(self.to.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.say(&message.to_string());
    }

    /// The next line; standard output has nothing but the protocol.
    pub fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Asks; the answer, past all that comes before it.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.hear();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool: its text, and whether it says that it failed.
    pub fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let content = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(content.len(), 1, "{answer}");
        (content[0]["text"].as_str().unwrap().to_owned(), answer["result"]["isError"] == true)
    }

    /// What it is told well.
    pub fn told(&mut self, tool: &str, arguments: Value) -> String {
        let (text, failed) = self.call(tool, arguments);
        assert!(!failed, "{text}");
        text
    }

    /// Goes; the exit code of the process.
    pub fn go(mut self) -> Option<i32> {
        drop(self.to.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A text without what only agents are told, ids, and without what only people are, commands.
pub fn for_anyone(text: &str) -> String {
    static ALONE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r", id [^\s,]+|, ken canon show [^\s,]+| \(`ken [^`]*`\)").unwrap());
    static ENTRY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`ken canon show ([^`]*)`").unwrap());
    let text = ALONE.replace_all(text, "");
    ENTRY.replace_all(&text, "ken://$1").replace("--max-errors", "max_errors")
}
