//! What the store must be told, because nothing here reads the environment.

use super::{EncoderSettings, Manifest};
use crate::process::Programs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The public hub.
pub const HUB_ENDPOINT: &str = "https://huggingface.co";

/// Where models lie and how they may be fetched.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// Our models, a directory each: `<data>/models`. Made when needed.
    pub dir: PathBuf,
    /// The model hub.
    pub hub: HubSettings,
    /// The Python package client.
    pub pip: PipSettings,
    /// Models that are known beside the compiled-in ones; the same name replaces the compiled-in one.
    pub manifests: Vec<Manifest>,
    /// How models are run.
    pub encoder: EncoderSettings,
    /// How long to wait for another process that pulls the same model.
    pub lock_timeout: Duration,
    /// Bytes that the process may map, where there is a limit. A model that needs more is refused before it is opened.
    pub address_space: Option<u64>,
}

impl StoreSettings {
    /// Defaults for models in `dir` and the hub's cache in `cache_dir`, if it has a place.
    pub fn new(dir: PathBuf, cache_dir: impl Into<Option<PathBuf>>) -> Self {
        Self {
            dir,
            hub: HubSettings::new(cache_dir),
            pip: PipSettings::default(),
            manifests: Vec::new(),
            encoder: EncoderSettings::default(),
            lock_timeout: Duration::from_secs(600),
            address_space: None,
        }
    }
}

/// How the hub is reached. What the usual environment variables mean: `HF_HUB_CACHE` or `HF_HOME/hub` is `cache_dir`,
/// `HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`, `HTTPS_PROXY` with `NO_PROXY`.
#[derive(Clone)]
pub struct HubSettings {
    /// The cache that other tools share; none where it has no place. Then nothing can be pulled from the hub.
    pub cache_dir: Option<PathBuf>,
    /// Scheme and host, without a slash at the end.
    pub endpoint: String,
    /// Sent to the endpoint's host and to no other.
    pub token: Option<String>,
    /// No connection is made.
    pub offline: bool,
    /// Through which all requests go, but those to the hosts that it excludes.
    pub proxy: Option<ProxySettings>,
    /// After this the hub counts as out of reach. Covers name resolution, connection and TLS.
    pub connect_timeout: Duration,
    /// How long an answer may take to begin. A hub that is connected but silent this long counts as out of reach.
    pub answer_timeout: Duration,
    /// How long the next piece of an answer may take.
    pub read_timeout: Duration,
    /// Attempts after the first, for broken connections, HTTP 429 and 5xx.
    pub retries: u32,
    /// Pause before the first retry; doubled for each further one, at most 30 s. A busy hub may ask for a longer one,
    /// up to 120 s.
    pub backoff: Duration,
}

impl HubSettings {
    /// Defaults for a cache in `cache_dir`.
    pub fn new(cache_dir: impl Into<Option<PathBuf>>) -> Self {
        Self {
            cache_dir: cache_dir.into(),
            endpoint: HUB_ENDPOINT.into(),
            token: None,
            offline: false,
            proxy: None,
            connect_timeout: Duration::from_secs(2),
            answer_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(30),
            retries: 4,
            backoff: Duration::from_millis(500),
        }
    }
}

// By hand, so that no log ever shows the token.
impl std::fmt::Debug for HubSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubSettings")
            .field("cache_dir", &self.cache_dir)
            .field("endpoint", &self.endpoint)
            .field("token", &self.token.as_ref().map(|_| "(set)"))
            .field("offline", &self.offline)
            .field("connect_timeout", &self.connect_timeout)
            .finish_non_exhaustive()
    }
}

/// An HTTP proxy.
#[derive(Clone)]
pub struct ProxySettings {
    /// `http://[user:password@]host:port`.
    pub url: String,
    /// Hosts that are reached directly: `host`, `.domain` (with all below it), or `*`.
    pub no_proxy: Vec<String>,
}

impl ProxySettings {
    /// Whether `host` is reached directly.
    pub(crate) fn excludes(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.no_proxy.iter().any(|entry| {
            let entry = entry.trim().to_ascii_lowercase();
            let domain = entry.trim_start_matches('*').trim_start_matches('.');
            entry == "*" || (!domain.is_empty() && (host == domain || host.ends_with(&format!(".{domain}"))))
        })
    }
}

/// The Python package client.
#[derive(Debug, Clone)]
pub struct PipSettings {
    /// Commands to try, in order; the first that exists is used.
    pub commands: Vec<Vec<String>>,
    /// Nothing is started.
    pub offline: bool,
    /// Where it may be found and what it is told.
    pub programs: Programs,
}

impl PipSettings {
    /// One command, as the user wrote it.
    pub fn of(command: &str, offline: bool) -> Self {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        Self { commands: vec![isolated(words)], offline, programs: Programs::default() }
    }
}

/// An interpreter that runs pip is told to look for modules in its own folders alone: neither where it works, nor where
/// a variable says.
fn isolated(mut words: Vec<String>) -> Vec<String> {
    let name = words.first().and_then(|program| Path::new(program).file_name()?.to_str()).unwrap_or("");
    let interpreter = ["python", "pypy"].iter().any(|known| name.starts_with(known));
    if interpreter && words.get(1).is_some_and(|word| word == "-m") {
        words.insert(1, "-I".to_owned());
    }
    words
}

impl Default for PipSettings {
    fn default() -> Self {
        let command = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        Self {
            commands: vec![
                isolated(command(&["python3", "-m", "pip"])),
                isolated(command(&["python", "-m", "pip"])),
                command(&["pip3"]),
                command(&["pip"]),
            ],
            offline: false,
            programs: Programs::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_outside_the_proxy() {
        let proxy = |list: &[&str]| ProxySettings {
            url: "http://p:1".into(),
            no_proxy: list.iter().map(|s| (*s).to_owned()).collect(),
        };
        assert!(proxy(&["*"]).excludes("a.example"));
        assert!(proxy(&["example.com"]).excludes("EXAMPLE.com"));
        assert!(proxy(&[".example.com"]).excludes("hub.example.com"));
        assert!(proxy(&["*.example.com"]).excludes("hub.example.com"));
        assert!(!proxy(&["example.com"]).excludes("notexample.com"));
        assert!(!proxy(&["", " "]).excludes("example.com"));
    }

    #[test]
    fn an_interpreter_is_isolated_however_it_is_named() {
        let words = |command: &str| PipSettings::of(command, false).commands.concat().join(" ");
        assert_eq!(words("python3.12  -m pip"), "python3.12 -I -m pip");
        assert_eq!(words("/opt/x/bin/python -m pip --quiet"), "/opt/x/bin/python -I -m pip --quiet");
        assert_eq!(words("python3 -I -m pip"), "python3 -I -m pip");
        assert_eq!(words("uv tool run pip"), "uv tool run pip");
        let usual = PipSettings::default().commands;
        assert!(usual.iter().all(|words| !words.contains(&"-m".to_owned()) || words[1] == "-I"), "{usual:?}");
    }

    #[test]
    fn the_token_is_never_shown() {
        let settings = HubSettings { token: Some("hf_secret".into()), ..HubSettings::new(PathBuf::from("/x")) };
        assert!(!format!("{settings:?}").contains("secret"));
    }
}
