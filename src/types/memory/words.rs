//! What somebody wrote: the part of an event that can be forgotten.

use serde::{Deserialize, Serialize};

/// What a memory rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// What was said or printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file that says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// First and last line in the file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(usize, usize)>,
    /// The command that showed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// With which exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

impl Evidence {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Everything of a memory that somebody wrote, and the hash of an error that is made of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wording {
    /// A few words; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What was learnt.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What a preference is about, such as `naming`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What it is a preference for, such as `snake_case`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The service that a fact is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Where it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Which of the service's properties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The error that a tactic was tried against: its masked text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its fingerprint, with the version of the masks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Why: of a dispute, a rejection, a correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

impl Wording {
    /// Takes over what another says, and keeps what it does not speak of. Evidence and reasons are not taken over: they
    /// belong to the event that they came with.
    pub fn take_over(&mut self, other: &Self) {
        let text = |mine: &mut String, theirs: &str| {
            if !theirs.is_empty() {
                theirs.clone_into(mine);
            }
        };
        text(&mut self.title, &other.title);
        text(&mut self.text, &other.text);
        let optional = |mine: &mut Option<String>, theirs: &Option<String>| {
            if theirs.is_some() {
                mine.clone_from(theirs);
            }
        };
        optional(&mut self.category, &other.category);
        optional(&mut self.pattern, &other.pattern);
        optional(&mut self.service, &other.service);
        optional(&mut self.region, &other.region);
        optional(&mut self.subject, &other.subject);
        optional(&mut self.error, &other.error);
        optional(&mut self.fingerprint, &other.fingerprint);
        if !other.tags.is_empty() {
            self.tags.clone_from(&other.tags);
        }
    }
}
