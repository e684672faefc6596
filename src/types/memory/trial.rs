//! A memory as an answer tells of it.

use super::MemorySource;
use crate::types::{Authority, Scope};
use serde::Serialize;

/// How often a tactic was tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Trial {
    /// How often it worked.
    pub worked: u32,
    /// How often it did not help.
    pub failed: u32,
    /// Lower bound of the share of attempts that work, at 95 %, in \[0, 1\] (Wilson 1927).
    pub at_least: f32,
}

/// A tactic that did not help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// Its id.
    pub id: String,
    /// What was tried.
    pub text: String,
    /// How often it did not help.
    pub failed: u32,
    /// In how many sessions.
    pub sessions: usize,
    /// When it was tried last, milliseconds since 1970.
    pub last_at: i64,
}

/// Why earned knowledge stands before a pack's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Overrides {
    /// A team or an organisation says so.
    Authority,
    /// A person has confirmed the tactic.
    Validated,
    /// A preference is as sure as it has to be.
    Confidence,
}

impl Overrides {
    /// As an answer says it.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Authority => "your team says so",
            Self::Validated => "you confirmed that it worked here",
            Self::Confidence => "it was said often enough",
        }
    }
}

/// What is known of a memory beside its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recollection {
    /// Where it counts.
    pub scope: Scope,
    /// Who stands behind it.
    pub authority: Authority,
    /// What made somebody write it down.
    pub source: MemorySource,
    /// Whether a person has confirmed it.
    pub validated: bool,
    /// How sure it is, in hundredths.
    pub confidence: u8,
    /// In how many sessions it was met.
    pub sessions: usize,
    /// When it was met last, milliseconds since 1970.
    pub last_at: i64,
    /// When it ceases to be true, milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// Of a tactic: how often it was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// What it seems to revise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revises: Vec<String>,
    /// What seems to revise it, and so stands before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revised_by: Vec<String>,
}
