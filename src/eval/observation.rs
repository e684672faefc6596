//! What a lookup of a labelled case came to, for report and calibration.

use super::cases::CaseKind;
use serde::Serialize;

/// What one lookup came to.
#[derive(Debug, Clone, Serialize)]
pub struct Observation {
    /// The case.
    pub id: String,
    /// Its kind.
    pub kind: CaseKind,
    /// Its domain.
    pub domain: String,
    /// Its class, if it is unanswerable.
    pub class: String,
    /// Whether nothing was fitted on it.
    pub held_back: bool,
    /// What would have been right.
    pub expect: Vec<String>,
    /// What was shown, best first, over all errors of the input.
    pub hits: Vec<String>,
    /// Tier of the first hit.
    pub tier: Option<String>,
    /// Relevance of the best candidate, gate or not.
    pub best: f32,
    /// The best guess, gate or not; none where a pattern or an equal text has settled the case.
    pub guess: Option<Guess>,
}

/// What is claimed of an entry that is only close.
#[derive(Debug, Clone, Serialize)]
pub struct Guess {
    /// Its relevance, in \[0, 1\]: how likely it claims to be right.
    pub claimed: f32,
    /// Whether it is right.
    pub right: bool,
}

impl Observation {
    /// Whether the first hit is what is true of any error of its kind: told apart, and silence to `ken run`.
    pub fn general(&self) -> bool {
        self.tier.as_deref() == Some("general")
    }

    /// Whether the first hit is right; silence is right where nothing is expected, and so is what is called general.
    pub fn right(&self) -> bool {
        match self.hits.first() {
            Some(_) if self.kind == CaseKind::Unanswerable => self.general(),
            Some(first) => self.expect.contains(first),
            None => self.kind == CaseKind::Unanswerable,
        }
    }

    /// Whether a right entry was shown at all.
    pub fn among(&self) -> bool {
        self.hits.iter().any(|hit| self.expect.contains(hit)) || (self.hits.is_empty() && self.right())
    }
}
