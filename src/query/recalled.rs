//! What a task recalls: texts that may be of use, and their parts.

use crate::canon::Entry;
use crate::types::{Kind, Span};
use std::ops::Range;

/// A stretch of a text, and how much of use it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Where in the text, in bytes.
    pub range: Range<usize>,
    /// As the score of the whole, in \[0, 1\].
    pub score: f32,
}

/// Something that may be of use.
#[derive(Debug, Clone)]
pub struct Recalled {
    /// Public id.
    pub uid: String,
    /// What kind of item it is.
    pub kind: Kind,
    /// Heading path, or the title of an entry.
    pub title: String,
    /// Its text.
    pub text: String,
    /// The file it stands in.
    pub path: Option<String>,
    /// Where in the file, as it was indexed.
    pub span: Option<Span>,
    /// Probability of being of use, in \[0, 1\].
    pub relevance: f32,
    /// What orders: relevance, lifted a little by recency and frequency; in \[0, 1\].
    pub score: f32,
    /// Whether it is relevant enough.
    pub passes: bool,
    /// What speaks for it.
    pub reason: &'static str,
    /// Its unit vector; none for an entry of a pack.
    pub vector: Option<Vec<f32>>,
    /// How much of use its parts are, in their order; none if it was not read part by part.
    pub parts: Vec<Part>,
}

/// An entry of a pack as a text: why, and what to do.
pub(super) fn entry_text(entry: &Entry) -> String {
    let steps = entry.whole_fix().zip(1..).map(|(step, number)| format!("\n{number}. {step}"));
    format!("{}\n{}", entry.whole_cause(), steps.collect::<String>())
}
