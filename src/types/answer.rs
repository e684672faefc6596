//! The answer to a lookup, as every face of the program gives it.

use super::{Attempt, CausalRole, Excerpt, External, Kind, Recollection, Standing, Tried};
use serde::Serialize;
use std::collections::BTreeMap;

/// How a hit was found, surest first. The order is the order in which hits are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// A specific pattern of the entry matches the input.
    Exact,
    /// The masked input equals a masked example or symptom of the entry.
    Fingerprint,
    /// A specific pattern of the entry matches, and the entry is true of any error of its kind: it says nothing of this
    /// one's cause.
    General,
    /// Closeness by meaning and words passed the gate.
    Close,
}

/// The tier of the best hit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// See [`Tier::Exact`].
    Exact,
    /// See [`Tier::Fingerprint`].
    Fingerprint,
    /// See [`Tier::Close`].
    Close,
    /// See [`Tier::General`].
    General,
    /// Nothing passed the gate. A correct answer.
    None,
}

impl From<Option<Tier>> for Verdict {
    fn from(tier: Option<Tier>) -> Self {
        match tier {
            Some(Tier::Exact) => Self::Exact,
            Some(Tier::Fingerprint) => Self::Fingerprint,
            Some(Tier::Close) => Self::Close,
            Some(Tier::General) => Self::General,
            None => Self::None,
        }
    }
}

/// Whether the embedding model took part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Semantic {
    /// The model was asked.
    On,
    /// There is no usable model: keywords alone decided.
    Off,
    /// The answer did not need a model.
    NotNeeded,
}

/// Signals of one hit, each in \[0, 1\]; `None` means that the signal is absent, which is not a zero.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Signals {
    /// 1 for a specific pattern or a fingerprint, less for a generic pattern.
    pub canon: Option<f32>,
    /// Calibrated similarity of the embeddings.
    pub semantic: Option<f32>,
    /// BM25 over the most this query could reach.
    pub keyword: Option<f32>,
    /// Age of the content.
    pub recency: Option<f32>,
    /// In how many sessions it was used.
    pub frequency: Option<f32>,
}

/// Why a hit stands where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The signals.
    #[serde(flatten)]
    pub signals: Signals,
    /// Cosine to the question, in \[-1, 1\]; for measurements, and not part of the answer's format.
    #[serde(skip)]
    pub cosine: Option<f32>,
    /// What hits are ordered by before it becomes `similar`; for measurements, as the cosine.
    #[serde(skip)]
    pub closeness: Option<f32>,
    /// Closeness by meaning and words as a similarity, in \[0, 1\].
    pub similar: Option<f32>,
    /// What signals count, by name: recency and frequency as shares of the score, the keyword signal in closeness.
    pub weights: BTreeMap<&'static str, f32>,
    /// Relevance that was needed.
    pub gate: f32,
    /// Relevance less gate; what passed has 0 or more.
    pub margin: f32,
    /// The text of the entry that was most alike, or the pattern that matched.
    pub matched: Option<String>,
    /// What the cross-encoder makes of question and text, a logit; only where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<f32>,
}

/// What a hit says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// What is wrong and what to do: the answer of a lookup.
    Advice(Advice),
    /// A stretch of text and where it stands: the answer of a search.
    Passage(Passage),
}

/// Cause and fix of an error.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Advice {
    /// Variants of the problem that the message shows, where the entry tells several apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<String>,
    /// Why it happens.
    pub cause: String,
    /// What to do about this message, step by step, captures filled in and quoted. A step that is for one variant or
    /// platform begins with its name where neither is known.
    pub fix: Vec<String>,
    /// Steps that destroy something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub destructive: Vec<Destructive>,
    /// How many steps the entry has for other variants and platforms.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_steps: usize,
    /// Where to read more.
    pub references: Vec<String>,
    /// What the pattern's named groups caught, as it stood in the input, without control characters.
    pub captures: BTreeMap<String, String>,
}

/// A step after which something cannot be got back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Destructive {
    /// Its number in the fix, from 1.
    pub step: usize,
    /// What is lost.
    pub loses: String,
}

// The form of these is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A stretch of text.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Passage {
    /// The part of the text that says most about the question, on one line.
    pub snippet: String,
    /// The lines of it that say most about the question, as they stand, and those around them; only where somebody looks
    /// at them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
    /// The whole text; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the program says of it that put it in; none for what a file or a pack holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<External>,
    /// The file it stands in; none for what lies in no file.
    pub path: Option<String>,
    /// First line in the file, from 1.
    pub line_start: Option<usize>,
    /// Last line in the file, inclusive.
    pub line_end: Option<usize>,
    /// How it stands to its file now; the lines are those of now, unless the file no longer holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Standing>,
    /// How many other places hold the same text.
    pub also_in: usize,
}

/// One known thing that passed the gate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// Stable id, `pack/slug`.
    pub id: String,
    /// What kind of item it is.
    pub kind: Kind,
    /// The problem in a few words, or the heading path of a chunk.
    pub title: String,
    /// What it says.
    #[serde(flatten)]
    pub content: Content,
    /// What orders the hits of a tier: relevance, lifted a little by recency and frequency; in \[0, 1\]. Where a
    /// cross-encoder has changed the order, the same numbers are dealt out anew, so that they still fall.
    pub score: f32,
    /// Probability of being the right answer, in \[0, 1\]; 1 for exact and fingerprint hits.
    pub relevance: f32,
    /// How it was found.
    pub tier: Tier,
    /// What it is in the chain of events; not named where it is a cause.
    #[serde(skip_serializing_if = "CausalRole::is_cause")]
    pub role: CausalRole,
    /// Where it comes from: `canon:PACK`, `user:PACK`, `repository:PACK`, or `index`.
    pub source: String,
    /// Whether earned knowledge replaced a canon entry.
    pub overrides_canon: bool,
    /// Why it did.
    pub override_reason: Option<String>,
    /// What people said of it (`ken lookup --worked`, `--wrong`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<Tried>,
    /// What is known of it beside its text, where it was learnt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Recollection>,
    /// Present when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation>,
}

/// The error that was asked about.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Asked {
    /// The line that says what went wrong, cut to 300 characters.
    pub headline: String,
    /// First line of the block in the input, from 1.
    pub line_start: usize,
    /// Last line of the block in the input, inclusive.
    pub line_end: usize,
    /// How often this error stands in the input.
    pub repeated: usize,
    /// Hash of the masked text with the version of the masks, `v2:` and 16 hex digits.
    pub fingerprint: String,
    /// How likely this error is the reason of the failure, in \[0, 1\]. Those of one log add up to about 1.
    pub likelihood: f32,
}

/// Something known that was seen as well, and is not the reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seen {
    /// Stable id, `pack/slug`.
    pub id: String,
    /// The problem in a few words.
    pub title: String,
    /// First line of the error in the input, from 1.
    pub line_start: usize,
}

/// Something that was near the gate, and did not pass it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nearest {
    /// Stable id: `pack/slug` of an entry, or an item's.
    pub id: String,
    /// The problem in a few words, or the headings that lead to a passage.
    pub title: String,
    /// The file that a passage stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its first line in the file as it was indexed, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_start: Option<usize>,
    /// What the program says of it that put it in; none for what a file or a pack holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<External>,
    /// Probability of being the right answer, in \[0, 1\].
    pub relevance: f32,
    /// Why it comes to that, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation>,
}

/// What is known about one error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The error.
    pub error: Asked,
    /// Tier of the best hit.
    pub verdict: Verdict,
    /// Whether the model took part.
    pub semantic: Semantic,
    /// Whether a cross-encoder had a say in the order.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reranked: bool,
    /// What passed the gate, best first.
    pub hits: Vec<Hit>,
    /// What was tried against this error before and did not help.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Attempt>,
    /// Consequences and warnings of which patterns match elsewhere in the input: what the first hit brought about, or
    /// where nothing else is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_seen: Vec<Seen>,
    /// Entries that are left out because somebody said that they are wrong for this error, by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// Where nothing passed the gate: what came near to it, nearest first; at most three.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Nearest>,
    /// The stage at which the item of `--why-not` was dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<WhyNot>,
}

/// Why an item is not, or is, among the hits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhyNot {
    /// The item.
    pub id: String,
    /// The stage that decided: `shown`, `filters`, `limit`, `tier`, `gate` or `candidates`.
    pub stage: &'static str,
    /// One sentence.
    pub reason: String,
    /// Relevance it reached, if it was scored.
    pub relevance: Option<f32>,
    /// Relevance it needed.
    pub gate: f32,
    /// Relevance less gate.
    pub margin: Option<f32>,
    /// Its signals, if it was scored.
    pub signals: Option<Signals>,
}

/// The answer to one input.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// Distinct errors in the input.
    pub errors_found: usize,
    /// How many of them are in `results`.
    pub errors_shown: usize,
    /// One finding per error, the likeliest reason first.
    pub results: Vec<Finding>,
}

impl Answer {
    /// Whether anything is known about any of the errors.
    pub fn found(&self) -> bool {
        self.results.iter().any(|r| !r.hits.is_empty())
    }

    /// Whether more is known about any of the errors than what is true of all of their kind.
    pub fn found_specific(&self) -> bool {
        self.results.iter().flat_map(|r| &r.hits).any(|hit| hit.tier != Tier::General)
    }
}
