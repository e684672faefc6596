//! What a gateway is told: the servers behind it, in the form that agents' own settings have, and what it shows of
//! them.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Most tools that are shown by name.
const MOST_SHOWN: usize = 100;

/// What is shown of the tools behind a gateway.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// Three tools: find, describe and call.
    #[default]
    Meta,
    /// All tools, as they are.
    Transparent,
    /// The three, and the tools of the session's task by name.
    Hybrid,
}

/// A server behind the gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ServerConfig {
    /// The program.
    #[serde(default)]
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables beside those of the gateway.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The folder it works in, if it is not that of the gateway.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    /// Where a server that is reached over HTTP would be.
    #[serde(default)]
    url: String,
}

/// A gateway's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GatewayConfig {
    /// The servers by name.
    #[serde(rename = "mcpServers")]
    pub servers: BTreeMap<String, ServerConfig>,
    /// What is shown.
    #[serde(default)]
    pub exposure: Exposure,
    /// More words of names that ask for a confirmation.
    #[serde(default)]
    pub confirm: Vec<String>,
    /// Tools, as `server__tool`, that somebody has confirmed for good.
    #[serde(default)]
    pub allow: Vec<String>,
    /// Whether a client that cannot show a question may confirm with a second call.
    #[serde(default = "yes")]
    pub confirm_by_token: bool,
    /// How long a server may take to start and list its tools, in milliseconds.
    #[serde(default = "start_ms")]
    pub start_ms: u64,
    /// How long a call may take, in milliseconds.
    #[serde(default = "call_ms")]
    pub call_ms: u64,
    /// How many tools of a task are shown by name.
    #[serde(default = "most_tools")]
    pub most_tools: usize,
}

fn yes() -> bool {
    true
}

fn start_ms() -> u64 {
    30_000
}

fn call_ms() -> u64 {
    120_000
}

fn most_tools() -> usize {
    8
}

/// Why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayConfigError {
    /// It is no JSON, or says something else.
    #[error("{0}")]
    Json(String),
    /// There is no server.
    #[error("mcpServers names no server")]
    NoServer,
    /// A name that could be mistaken where it stands before that of a tool.
    #[error("{0:?} is no name for a server: it takes 1 to 40 letters, digits, - and single _")]
    Name(String),
    /// A server without a command.
    #[error("server {0} has no command")]
    NoCommand(String),
    /// Too many or too few tools.
    #[error("mostTools is {0}; it may be from 1 to {MOST_SHOWN}")]
    MostTools(usize),
    /// A server that is reached over HTTP.
    #[error("server {0} has a url; the gateway starts servers by a command")]
    Url(String),
}

impl ServerConfig {
    /// A server by the words of a command line.
    ///
    /// # Errors
    /// [`GatewayConfigError`] for a name that no server may have, and without a command.
    pub fn of(name: &str, command: &[String]) -> Result<Self, GatewayConfigError> {
        let (program, args) = command
            .split_first()
            .map_or((String::new(), Vec::new()), |(program, args)| (program.clone(), args.to_vec()));
        let server = Self { command: program, args, ..Self::default() };
        server.check(name)?;
        Ok(server)
    }

    fn check(&self, name: &str) -> Result<(), GatewayConfigError> {
        let may_stand = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        let is_name = (1..=40).contains(&name.len())
            && name.chars().all(may_stand)
            && !name.contains("__")
            && !name.starts_with('_')
            && !name.ends_with('_');
        if !is_name {
            return Err(GatewayConfigError::Name(name.to_owned()));
        }
        if !self.url.is_empty() {
            return Err(GatewayConfigError::Url(name.to_owned()));
        }
        if self.command.trim().is_empty() {
            return Err(GatewayConfigError::NoCommand(name.to_owned()));
        }
        Ok(())
    }
}

impl GatewayConfig {
    /// Reads a configuration.
    ///
    /// # Errors
    /// [`GatewayConfigError`] for one that cannot be used.
    pub fn read(text: &str) -> Result<Self, GatewayConfigError> {
        let config: Self = serde_json::from_str(text).map_err(|error| GatewayConfigError::Json(error.to_string()))?;
        if config.servers.is_empty() {
            return Err(GatewayConfigError::NoServer);
        }
        if !(1..=MOST_SHOWN).contains(&config.most_tools) {
            return Err(GatewayConfigError::MostTools(config.most_tools));
        }
        for (name, server) in &config.servers {
            server.check(name)?;
        }
        Ok(config)
    }

    /// How long a server may take to start.
    pub(super) fn start(&self) -> Duration {
        Duration::from_millis(self.start_ms)
    }

    /// How long a call may take.
    pub(super) fn call(&self) -> Duration {
        Duration::from_millis(self.call_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_agents_are_read_as_they_are() {
        let text = r#"{"mcpServers": {"git": {"type": "stdio", "command": "uvx", "args": ["mcp-server-git"]}}}"#;
        let config = GatewayConfig::read(text).unwrap();
        assert_eq!(config.servers["git"].args, ["mcp-server-git"]);
        assert_eq!((config.exposure, config.confirm_by_token, config.most_tools), (Exposure::Meta, true, 8));
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_what_it_is() {
        let error = |text: &str| GatewayConfig::read(text).unwrap_err().to_string();
        assert!(error("{").contains("EOF"));
        assert!(error(r#"{"mcpServers": {}}"#).contains("no server"));
        assert!(error(r#"{"mcpServers": {"a": {}}}"#).contains("no command"));
        assert!(error(r#"{"mcpServers": {"a": {"url": "http://127.0.0.1"}}}"#).contains("url"));
        assert!(error(r#"{"mcpServers": {"a": {"command": "x"}}, "exposed": "meta"}"#).contains("exposed"));
        assert!(error(r#"{"mcpServers": {"a": {"command": "x"}}, "mostTools": 0}"#).contains("from 1 to 100"));
        for name in ["", "a__b", "a b", "_a", "a_", "a/b", "\u{e9}"] {
            let text = format!(r#"{{"mcpServers": {{"{name}": {{"command": "x"}}}}}}"#);
            assert!(error(&text).contains("no name"), "{name}");
        }
    }
}
