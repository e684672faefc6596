//! The settings as typed values: what everything else is told. Their defaults are those of the modules that they are
//! for, stated there and nowhere else.

use crate::ann::GraphOptions;
use crate::embed::{Choice, DEFAULT_MODEL, DEFAULT_RERANKER, HUB_ENDPOINT, Precision};
use crate::pack::{DEFAULT_BUDGET, Tokenizer};
use crate::query::{DEFAULT_MAX_NOISE, LookupOptions, SearchOptions};
use crate::store::PostgresAccess;
use std::time::Duration;

/// All settings, each with a value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// Which model, and how it runs.
    pub model: ModelSettings,
    /// What `ken lookup` shows.
    pub lookup: LookupSettings,
    /// What `ken run` keeps.
    pub run: RunSettings,
    /// What tools did.
    pub outcomes: OutcomeSettings,
    /// Tools of agents.
    pub tools: ToolSettings,
    /// The vectors of what is indexed.
    pub index: IndexSettings,
    /// What `ken search` shows.
    pub search: SearchSettings,
    /// What `ken pack` makes.
    pub pack: PackSettings,
    /// Where the store is.
    pub store: StoreSettings,
    /// The service.
    pub serve: ServeSettings,
    /// The model hub.
    pub hub: HubAccess,
    /// The Python package client.
    pub pip: PipAccess,
}

/// Which model, and how it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The model, by name or directory.
    pub name: String,
    /// The model that reads question and text together, by name.
    pub reranker: String,
    /// Whether a lookup gets a model that is missing.
    pub auto_pull: bool,
    /// What runs it.
    pub encoder: Choice,
    /// At which precision; none is as its manifest says.
    pub precision: Option<Precision>,
    /// Threads of the encoder, from 1 to 100; none is one a core.
    pub threads: Option<usize>,
    /// Instructions that the encoder uses.
    pub simd: Simd,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            name: DEFAULT_MODEL.to_owned(),
            reranker: DEFAULT_RERANKER.to_owned(),
            auto_pull: false,
            encoder: Choice::default(),
            precision: None,
            threads: None,
            simd: Simd::default(),
        }
    }
}

/// Where the store is.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreSettings {
    /// The database in PostgreSQL that is used in place of the file in the data directory.
    pub url: Option<String>,
    /// A replica of it that is read from.
    pub read_url: Option<String>,
    /// A file with the password for it.
    pub password_file: Option<String>,
    /// A PEM file with the certificate authorities to trust. Without a file, `ken` trusts the authorities
    /// that this machine trusts.
    pub ca_file: Option<String>,
    /// Seconds that connecting may take, from 1 to 100.
    pub connect_timeout_s: usize,
    /// Seconds that one statement may take, from 1 to 36,500.
    pub statement_timeout_s: usize,
}

impl Default for StoreSettings {
    fn default() -> Self {
        let access = PostgresAccess::default();
        let seconds = |time: Duration| usize::try_from(time.as_secs()).unwrap_or(usize::MAX);
        Self {
            url: None,
            read_url: None,
            password_file: None,
            ca_file: None,
            connect_timeout_s: seconds(access.connect_timeout),
            statement_timeout_s: seconds(access.statement_timeout),
        }
    }
}

/// Instructions that the encoder uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Simd {
    /// The widest that the processor has.
    #[default]
    Auto,
    /// One number at a time.
    Scalar,
    /// x86-64, 256 bits.
    Avx2,
    /// The same with products of bytes.
    AvxVnni,
    /// x86-64, 512 bits.
    Avx512,
    /// ARM, 128 bits.
    Neon,
    /// The same with dot products of bytes.
    DotProd,
    /// The same with matrix products of bytes.
    I8mm,
}

impl Simd {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Auto, Self::Scalar, Self::Avx2, Self::AvxVnni, Self::Avx512, Self::Neon, Self::DotProd, Self::I8mm];

    /// The name by which [`crate::vector::simd::Isa::named`] knows it; none is the widest.
    pub const fn isa(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::Scalar => Some("scalar"),
            Self::Avx2 => Some("avx2"),
            Self::AvxVnni => Some("avxvnni"),
            Self::Avx512 => Some("avx512"),
            Self::Neon => Some("neon"),
            Self::DotProd => Some("dotprod"),
            Self::I8mm => Some("i8mm"),
        }
    }
}

/// What `ken lookup` shows.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupSettings {
    /// Hits per error, from 1 to 100.
    pub limit: usize,
    /// Errors per input, from 1 to 100.
    pub max_errors: usize,
    /// Relevance to ask for in place of the calibrated gate, in \[0, 1\].
    pub min_relevance: Option<f32>,
}

impl Default for LookupSettings {
    fn default() -> Self {
        let LookupOptions { limit, max_errors, min_relevance, .. } = LookupOptions::default();
        Self { limit, max_errors, min_relevance }
    }
}

/// What `ken run` keeps: nothing unless it is wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunSettings {
    /// Whether hashes of the lines that a command printed are kept when it passes, to compare a failure with.
    pub keep_passing: bool,
    /// Whether each command is kept as an outcome.
    pub keep_outcomes: bool,
}

/// What tools did.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeSettings {
    /// Days for which a run is kept, from 1 to 36,500; failures stay counted.
    pub keep_days: usize,
}

impl Default for OutcomeSettings {
    fn default() -> Self {
        Self { keep_days: 90 }
    }
}

/// Tools of agents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolSettings {
    /// Whether what a decision about tools rested on is kept.
    pub trace: bool,
}

/// The vectors of what is indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexSettings {
    /// Share of the nearest texts that a search must find, in (0, 1\].
    pub recall_target: f64,
    /// Whether the vectors of a large index are made again by a process of its own.
    pub background: bool,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self { recall_target: GraphOptions::default().target, background: true }
    }
}

/// What `ken search` shows.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSettings {
    /// Hits, from 1 to 100.
    pub limit: usize,
    /// Share of foreign questions that indexed texts may answer, in (0, 0.25\].
    pub max_noise: f64,
    /// Whose files come first at about the same relevance.
    pub prefer: Prefer,
}

/// Whose files come first at about the same relevance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefer {
    /// Those of the repository that one is in.
    #[default]
    Here,
    /// Nobody's.
    Nobody,
}

impl Prefer {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Nobody => "none",
        }
    }

    /// The one of this name.
    pub fn of(name: &str) -> Option<Self> {
        [Self::Here, Self::Nobody].into_iter().find(|one| one.name() == name)
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self { limit: SearchOptions::default().limit, max_noise: DEFAULT_MAX_NOISE, prefer: Prefer::default() }
    }
}

/// What `ken pack` makes.
#[derive(Debug, Clone, PartialEq)]
pub struct PackSettings {
    /// Tokens of a frame, from 1 to 10,000,000.
    pub budget: usize,
    /// Whose tokens.
    pub tokenizer: Tokenizer,
}

impl Default for PackSettings {
    fn default() -> Self {
        Self { budget: DEFAULT_BUDGET, tokenizer: Tokenizer::default() }
    }
}

/// The service.
#[derive(Debug, Clone, PartialEq)]
pub struct ServeSettings {
    /// Address and port that it listens at.
    pub listen: String,
    /// Names that it is reached by beside those of this machine.
    pub hosts: Vec<String>,
    /// Folders under which its callers may have files indexed.
    pub folders: Vec<String>,
}

impl Default for ServeSettings {
    fn default() -> Self {
        Self { listen: "127.0.0.1:7717".to_owned(), hosts: Vec::new(), folders: Vec::new() }
    }
}

/// The model hub.
#[derive(Clone, PartialEq)]
pub struct HubAccess {
    /// Where models are pulled from.
    pub endpoint: String,
    /// Whether neither hub nor package registry is ever asked.
    pub offline: bool,
    /// Sent to the hub alone.
    pub token: Option<String>,
}

impl Default for HubAccess {
    fn default() -> Self {
        Self { endpoint: HUB_ENDPOINT.to_owned(), offline: false, token: None }
    }
}

// By hand, so that no log ever shows the token.
impl std::fmt::Debug for HubAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let token = self.token.as_ref().map(|_| "(set)");
        let mut out = f.debug_struct("HubAccess");
        out.field("endpoint", &self.endpoint).field("offline", &self.offline).field("token", &token).finish()
    }
}

/// The Python package client.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PipAccess {
    /// How to run it; none tries the usual names.
    pub command: Option<String>,
}
