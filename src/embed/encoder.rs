//! The seam between what needs vectors and what makes them.
//!
//! Everything above `embed` holds a `Box<dyn Encoder>`. `fused` is the fast implementation, `candle` the reference and
//! the way for shapes that `fused` does not run; they have the same fingerprint when they compute at the same
//! precision.

use super::EmbedError;
use crate::types::{Fingerprint, Role};
use crate::vector::simd::Isa;
use serde::{Deserialize, Serialize};

/// How the numbers of a forward pass are held. Part of the fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// Everything in 32-bit floats.
    #[default]
    F32,
    /// Dense weights as bytes with a scale per output, what they are multiplied with as bytes with a scale per token;
    /// the rest in 32-bit floats.
    Int8,
}

impl Precision {
    /// The name in manifests, flags and fingerprints.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Int8 => "int8",
        }
    }
}

/// Which implementation of [`Encoder`] to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// The fused one where it can run the model, else candle.
    #[default]
    Auto,
    /// The reference, f32 only: the stock models of candle.
    Candle,
    /// Our own forward pass.
    Fused,
}

/// How a model is to be run.
#[derive(Debug, Clone, Default)]
pub struct EncoderSettings {
    /// Which implementation.
    pub encoder: Choice,
    /// At which precision; none is the manifest's.
    pub precision: Option<Precision>,
    /// How many threads; none is as many as the machine has. No more questions than this run at once.
    pub threads: Option<usize>,
    /// Over how many of these threads one question may be split while no other one runs; none is
    /// [`DEFAULT_QUESTION_THREADS`].
    pub question_threads: Option<usize>,
    /// Which instructions; none is the widest that the processor has.
    pub isa: Option<Isa>,
}

/// Threads of one question where the settings do not say: one, so that callers do not contend. On two cores, splitting
/// a question of 16 words over both saves 7 % of one side's time and a third of both sides'; without it two callers get
/// twice the answers of one (docs/benchmarks.md). A process with one caller sets more.
pub const DEFAULT_QUESTION_THREADS: usize = 1;

impl EncoderSettings {
    /// Most threads of one question.
    pub fn question_threads(&self) -> usize {
        self.question_threads.unwrap_or(DEFAULT_QUESTION_THREADS)
    }
}

/// What an encoder turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// `candle` or `fused`.
    pub encoder: &'static str,
    /// Its precision.
    pub precision: Precision,
    /// The instructions it uses.
    pub kernel: &'static str,
    /// Its threads.
    pub threads: usize,
}

/// Turns texts into unit vectors.
pub trait Encoder: Send + Sync {
    /// Identifies everything that decides a passage vector of this encoder.
    fn fingerprint(&self) -> &Fingerprint;

    /// What runs, for people and benchmarks.
    fn running(&self) -> Running;

    /// Length of a vector.
    fn dims(&self) -> usize;

    /// Most tokens of one text, special tokens and prefix included; what lies beyond is cut off.
    fn max_tokens(&self) -> usize;

    /// What is put before every text of this role.
    fn prefix(&self, role: Role) -> &str;

    /// Tokens that every text of this role costs besides its own: the special tokens and the prefix.
    fn overhead_tokens(&self, role: Role) -> usize;

    /// Unit vectors in the order of `texts`. The role's prefix is put before each text; a text beyond
    /// [`Self::max_tokens`] is cut and reported as such. An empty text is allowed. `progress` hears how many texts are
    /// done, after each batch.
    ///
    /// # Errors
    /// When the tokenizer or the tensor library fails, or a vector is zero or not finite.
    fn encode(&self, texts: &[&str], role: Role, progress: &mut dyn FnMut(usize)) -> Result<Vec<Encoded>, EmbedError>;

    /// The same texts under several roles: for each role, in the order of `roles`, the vectors of all texts in their
    /// order. Roles with one prefix are encoded once. Each vector is that of [`Self::encode`].
    ///
    /// # Errors
    /// As [`Self::encode`].
    fn encode_roles(&self, texts: &[&str], roles: &[Role]) -> Result<Vec<Vec<Encoded>>, EmbedError> {
        let mut sides: Vec<Vec<Encoded>> = Vec::with_capacity(roles.len());
        for (at, role) in roles.iter().enumerate() {
            let same = roles[..at].iter().position(|other| self.prefix(*other) == self.prefix(*role));
            sides.push(match same {
                Some(same) => sides[same].clone(),
                None => self.encode(texts, *role, &mut |_| {})?,
            });
        }
        Ok(sides)
    }

    /// Tokens of the text alone, however long: no special tokens, no prefix, no cut.
    ///
    /// # Errors
    /// When the tokenizer fails.
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError>;
}

/// Says how well texts answer a question: a cross-encoder, which reads both together.
pub trait Reranker: Send + Sync {
    /// A logit for each text, in their order: greater is better, and only those of one question compare. What is too
    /// long is cut, the text first.
    ///
    /// # Errors
    /// When the tokenizer fails, or a logit is not finite.
    fn score(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError>;
}

/// One text's vector and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// Of length 1, [`Encoder::dims`] long.
    pub vector: Vec<f32>,
    /// Tokens that went through the model, special tokens and prefix included.
    pub tokens: usize,
    /// Whether the text was longer than the model takes.
    pub truncated: bool,
}
