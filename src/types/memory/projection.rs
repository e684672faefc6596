//! A memory, as it follows from its events.

use super::{Author, MemorySource, Relation, Wording};
use crate::types::{Authority, Kind, Scope};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the ids of memories begin.
pub const MEMORY_PREFIX: &str = "memory/";

/// Where a memory stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryState {
    /// It waits for somebody to approve it.
    Proposed,
    /// It may be served.
    Active,
    /// Somebody says that it is wrong.
    Disputed,
    /// Another took its place.
    Superseded,
    /// It was proposed, and somebody did not want it.
    Rejected,
    /// Its words are gone.
    Forgotten,
}

impl MemoryState {
    /// All states.
    pub const ALL: [Self; 6] =
        [Self::Proposed, Self::Active, Self::Disputed, Self::Superseded, Self::Rejected, Self::Forgotten];

    /// The name in JSON, on the command line and in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Active => "active",
            Self::Disputed => "disputed",
            Self::Superseded => "superseded",
            Self::Rejected => "rejected",
            Self::Forgotten => "forgotten",
        }
    }

    /// The state of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// How a memory stands to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// How.
    pub relation: Relation,
    /// To which.
    pub to: String,
}

/// Something that was learnt, as its events have made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Public id.
    pub id: String,
    /// A preference, a fact, a tactic or a problem.
    pub kind: Kind,
    /// Where it counts.
    pub scope: Scope,
    /// Who stands behind it.
    pub authority: Authority,
    /// What made somebody write it down.
    pub source: MemorySource,
    /// Who wrote it first.
    pub author: Author,
    /// Where it stands.
    pub state: MemoryState,
    /// Whether a person has confirmed it.
    pub validated: bool,
    /// Disputed memories that it was derived from, while nothing else speaks for it: it is not served.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_by: Vec<String>,
    /// Whether something speaks for it beside what it was derived from.
    pub independent: bool,
    /// Confidence before sessions are counted, in hundredths.
    pub raw_confidence: u8,
    /// Sessions that speak for it: at most as many as make a difference.
    pub sessions: BTreeSet<String>,
    /// How often it was met.
    pub seen: u32,
    /// Of a tactic: how often it worked.
    pub worked: u32,
    /// Of a tactic: how often it did not help.
    pub failed: u32,
    /// When it was met last, milliseconds since 1970.
    pub last_at: i64,
    /// When it ceases to be true, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// What it says.
    pub words: Wording,
    /// Why somebody disputes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<String>,
    /// What took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// How it stands to others, in their order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Number of its first event: what is derived is younger than what it is derived from.
    pub first_event: i64,
    /// When it was learnt, milliseconds since 1970.
    pub created_at: i64,
    /// When its words came to be as they are, milliseconds since 1970.
    pub updated_at: i64,
}

impl Memory {
    /// Whether it may be served as long as it has not expired.
    pub fn stands(&self) -> bool {
        self.state == MemoryState::Active && self.held_by.is_empty()
    }

    /// Whether it may be served at this moment, milliseconds since 1970.
    pub fn is_served(&self, now_ms: i64) -> bool {
        self.stands() && self.until.is_none_or(|until| now_ms < until)
    }

    /// Whether it is a tactic that never helped.
    pub fn has_failed(&self) -> bool {
        self.kind == Kind::Tactic && self.worked == 0 && self.failed > 0
    }

    /// Those that it was derived from.
    pub fn derived_from(&self) -> impl Iterator<Item = &str> {
        let derived = self.links.iter().filter(|link| link.relation == Relation::DerivedFrom);
        derived.map(|link| link.to.as_str())
    }

    /// Those that it seems to revise.
    pub fn revises(&self) -> impl Iterator<Item = &str> {
        let revised = self.links.iter().filter(|link| link.relation == Relation::Revises);
        revised.map(|link| link.to.as_str())
    }

    /// Whether it stands before one that it seems to revise: not if that was said again since, nor if others stand
    /// behind that alone, or a person confirmed that alone.
    pub fn stands_before(&self, other: &Self) -> bool {
        let as_new = self.last_at >= other.last_at;
        let as_trusted = self.authority >= other.authority && self.validated >= other.validated;
        as_new && as_trusted && self.revises().any(|id| id == other.id)
    }
}
