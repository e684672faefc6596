//! What a gateway is told: the servers behind it, in the form that agents' own settings have, and what it shows of
//! them.

use super::address::{Headers, address, headers};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use ureq::http::Uri;

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
#[serde(deny_unknown_fields)]
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
    /// Where a server that is reached over HTTP is.
    #[serde(default)]
    url: String,
    /// What is sent to it along with each message.
    #[serde(default, rename = "headers")]
    written: BTreeMap<String, Written>,
    /// How agents call the kind of a server.
    #[serde(default, rename = "type")]
    kind: String,
    /// Whether it is left out.
    #[serde(default)]
    disabled: bool,
    /// The URL and headers, once they have been read.
    #[serde(skip)]
    pub(super) web: Option<(Uri, Headers)>,
}

/// A value of a header as somebody wrote it. It may be a secret and is not shown.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
struct Written(String);

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(set)")
    }
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
    #[error("server {0} has neither a command nor a url")]
    NoCommand(String),
    /// A server with both.
    #[error("server {0} has a command and a url; it is one or the other")]
    Both(String),
    /// Headers that nobody would send.
    #[error("server {0} has headers, but no url that they go to")]
    NoUrl(String),
    /// Too many or too few tools.
    #[error("mostTools is {0}; it may be from 1 to {MOST_SHOWN}")]
    MostTools(usize),
    /// A URL that is not used.
    #[error("the url of server {0} cannot be used: {1}")]
    Url(String, &'static str),
    /// Headers that cannot be sent.
    #[error("server {0}: {1}")]
    Headers(String, String),
    /// A server of the protocol's older kind.
    #[error("server {0} is of type sse, which the protocol has given up; ask its makers for its newer url")]
    Sse(String),
}

/// What knows the variables that headers name.
pub type Variables<'v> = &'v dyn Fn(&str) -> Option<String>;

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
        server.resolved(name, &|_| None)
    }

    /// A server behind a URL, with headers as `Name: value`.
    ///
    /// # Errors
    /// [`GatewayConfigError`] for a name, a URL or headers that cannot be used.
    pub fn behind(
        name: &str,
        url: &str,
        headers: &[String],
        variables: Variables<'_>,
    ) -> Result<Self, GatewayConfigError> {
        let pair = |text: &String| {
            let (header, value) = text.split_once(':').unwrap_or((text, ""));
            (header.trim().to_owned(), Written(value.trim().to_owned()))
        };
        let count = headers.len();
        let written: BTreeMap<String, Written> = headers.iter().map(pair).collect();
        if written.len() < count {
            return Err(GatewayConfigError::Headers(name.to_owned(), "a header is there twice".to_owned()));
        }
        Self { url: url.to_owned(), written, ..Self::default() }.resolved(name, variables)
    }

    /// The same with its URL and headers read.
    fn resolved(mut self, name: &str, variables: Variables<'_>) -> Result<Self, GatewayConfigError> {
        use GatewayConfigError as Error;
        let may_stand = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        let is_name = (1..=40).contains(&name.len())
            && name.chars().all(may_stand)
            && !name.contains("__")
            && !name.starts_with('_')
            && !name.ends_with('_');
        let name = name.to_owned();
        let has_command = !self.command.trim().is_empty();
        match self.url.is_empty() {
            _ if !is_name => Err(Error::Name(name)),
            true if !has_command => Err(Error::NoCommand(name)),
            true if !self.written.is_empty() => Err(Error::NoUrl(name)),
            true => Ok(self),
            false if has_command => Err(Error::Both(name)),
            false if self.kind == "sse" => Err(Error::Sse(name)),
            false => {
                let url = address(&self.url).map_err(|why| Error::Url(name.clone(), why))?;
                let written = self.written.iter().map(|(header, Written(value))| (header.as_str(), value.as_str()));
                let headers = headers(written, variables).map_err(|why| Error::Headers(name, why))?;
                self.web = Some((url, headers));
                Ok(self)
            }
        }
    }
}

impl GatewayConfig {
    /// Reads a configuration; headers may name `variables`.
    ///
    /// # Errors
    /// [`GatewayConfigError`] for one that cannot be used.
    pub fn read(text: &str, variables: Variables<'_>) -> Result<Self, GatewayConfigError> {
        let mut config: Self =
            serde_json::from_str(text).map_err(|error| GatewayConfigError::Json(error.to_string()))?;
        config.servers.retain(|_, server| !server.disabled);
        if config.servers.is_empty() {
            return Err(GatewayConfigError::NoServer);
        }
        if !(1..=MOST_SHOWN).contains(&config.most_tools) {
            return Err(GatewayConfigError::MostTools(config.most_tools));
        }
        for (name, server) in &mut config.servers {
            *server = std::mem::take(server).resolved(name, variables)?;
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

    fn read(text: &str) -> Result<GatewayConfig, GatewayConfigError> {
        GatewayConfig::read(text, &|name| (name == "TOKEN").then(|| "s3cret".to_owned()))
    }

    #[test]
    fn settings_of_agents_are_read_as_they_are() {
        let text = r#"{"mcpServers": {"git": {"type": "stdio", "command": "uvx", "args": ["mcp-server-git"]}}}"#;
        let config = read(text).unwrap();
        assert_eq!(config.servers["git"].args, ["mcp-server-git"]);
        let two = r#"{"mcpServers": {"a": {"command": "a", "disabled": true}, "b": {"command": "b"}}}"#;
        assert_eq!(read(two).unwrap().servers.keys().collect::<Vec<_>>(), ["b"]);
        assert!(read(r#"{"mcpServers": {"a": {"command": "a", "bogus": 1}}}"#).is_err());
        assert_eq!((config.exposure, config.confirm_by_token, config.most_tools), (Exposure::Meta, true, 8));
        let text = r#"{"mcpServers": {"far": {"type": "http", "url": "https://mcp.example/mcp",
            "headers": {"Authorization": "Bearer ${TOKEN}"}}}}"#;
        let config = read(text).unwrap();
        let (url, headers) = config.servers["far"].web.clone().unwrap();
        assert_eq!((url.host(), headers.0[0].1.to_str().unwrap()), (Some("mcp.example"), "Bearer s3cret"));
        assert!(!format!("{config:?}").contains("s3cret") && !format!("{config:?}").contains("Bearer"));
    }

    #[test]
    fn a_command_line_names_a_url_and_headers() {
        let behind = |headers: &[&str]| {
            let headers: Vec<String> = headers.iter().map(|one| (*one).to_owned()).collect();
            ServerConfig::behind("far", "https://mcp.example/mcp", &headers, &|_| Some("s3cret".to_owned()))
        };
        let server = behind(&["Authorization: Bearer ${TOKEN}", "X-Place:http://a:1"]).unwrap();
        let (_, Headers(all)) = server.web.unwrap();
        let values: Vec<&str> = all.iter().map(|(_, value)| value.to_str().unwrap()).collect();
        assert_eq!(values, ["Bearer s3cret", "http://a:1"]);
        assert!(behind(&["X: a", "X: b"]).unwrap_err().to_string().contains("twice"));
        assert!(behind(&["a b: c"]).unwrap_err().to_string().contains("no name of a header"));
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_what_it_is() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert!(error("{").contains("EOF"));
        assert!(error(r#"{"mcpServers": {}}"#).contains("no server"));
        assert!(error(r#"{"mcpServers": {"a": {}}}"#).contains("neither a command nor a url"));
        for (server, why) in [
            (r#"{"url": "http://mcp.example/mcp"}"#, "http is for servers on this machine"),
            (r#"{"url": "mcp"}"#, "the url of server a"),
            (r#"{"url": "https://mcp.example", "command": "x"}"#, "one or the other"),
            (r#"{"url": "https://mcp.example", "headers": {"X": "${NONE}"}}"#, "NONE is not set"),
            (r#"{"url": "https://mcp.example", "type": "sse"}"#, "type sse"),
            (r#"{"command": "x", "headers": {"X": "y"}}"#, "no url that they go to"),
        ] {
            let told = error(&format!(r#"{{"mcpServers": {{"a": {server}}}}}"#));
            assert!(told.contains(why), "{told}");
        }
        assert!(error(r#"{"mcpServers": {"a": {"command": "x"}}, "exposed": "meta"}"#).contains("exposed"));
        assert!(error(r#"{"mcpServers": {"a": {"command": "x"}}, "mostTools": 0}"#).contains("from 1 to 100"));
        for name in ["", "a__b", "a b", "_a", "a_", "a/b", "\u{e9}"] {
            let text = format!(r#"{{"mcpServers": {{"{name}": {{"command": "x"}}}}}}"#);
            assert!(error(&text).contains("no name"), "{name}");
        }
    }
}
