//! `ken gateway` before real servers (`server.py`): what an agent is shown, what reaches a server, and who may die.

mod calls;
mod failures;
mod shown;
mod web;

use crate::support::agent::Agent;
use crate::support::ken::User;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A gateway with its servers.
struct Behind {
    user: User,
    folder: PathBuf,
}

impl Behind {
    fn new() -> Self {
        let user = User::new();
        let folder = user.work().join("behind");
        fs::create_dir_all(&folder).unwrap();
        Self { user, folder }
    }

    /// A configuration of servers by name, each with its modes, and more fields beside them.
    fn config(&self, servers: &[(&str, &[&str])], more: Value) -> PathBuf {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gateway/server.py");
        let server = |(name, modes): &(&str, &[&str])| {
            let log = self.folder.join(format!("{name}.log"));
            let args = [vec![json!(script), json!(log)], modes.iter().map(|mode| json!(mode)).collect()].concat();
            ((*name).to_owned(), json!({"command": "python3", "args": args}))
        };
        let mut config = json!({"mcpServers": servers.iter().map(server).collect::<serde_json::Map<_, _>>()});
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let path = self.folder.join("config.json");
        fs::write(&path, config.to_string()).unwrap();
        path
    }

    fn start(&self, config: &Path) -> Agent {
        Agent::with(self.user.command(&["gateway", "--config", config.to_str().unwrap()]))
    }

    /// An agent that has shaken hands, without capabilities.
    fn agent(&self, servers: &[(&str, &[&str])], more: Value) -> Agent {
        let mut agent = self.start(&self.config(servers, more));
        assert_eq!(agent.greet(json!({}))["serverInfo"]["name"], "ken-gateway");
        agent
    }

    /// What a server noted: its starts and the calls that reached it.
    fn noted(&self, server: &str) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join(format!("{server}.log"))).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// How many processes still run with this folder in their command line.
    fn running(&self) -> usize {
        let folder = self.folder.to_str().unwrap().to_owned();
        let all = fs::read_dir("/proc").unwrap().flatten();
        all.filter(|one| {
            let line = fs::read(one.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&folder)
        })
        .count()
    }
}

/// Waits up to a minute until something holds. Returns whether it did.
fn soon(holds: impl Fn() -> bool) -> bool {
    for _ in 0..1200 {
        if holds() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    false
}

fn names(agent: &mut Agent) -> Vec<String> {
    let listed = agent.ask("tools/list", json!({}));
    let all = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
    all.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// A call through the gateway's own `call`.
fn through(agent: &mut Agent, name: &str, arguments: Value) -> Value {
    agent.ask("tools/call", json!({"name": "call", "arguments": {"name": name, "arguments": arguments}}))
}

/// The text of a result that failed.
fn failed(answer: &Value) -> String {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}
