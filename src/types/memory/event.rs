//! What happens to a memory.

use super::Wording;
use crate::types::{Authority, Kind, Scope};
use serde::{Deserialize, Serialize};

/// Who says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person.
    Person,
    /// A program, by its name. What it says is not validated until a person confirms it.
    Program(String),
}

/// What made somebody write a memory down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemorySource {
    /// Somebody was corrected.
    Correction,
    /// A fix worked, and its user said so.
    Validated,
    /// Something behaves in a way that no pack tells of.
    Quirk,
    /// Somebody asked for it to be remembered.
    Said,
    /// It was read out of the text of a session.
    Extracted,
    /// A file says it, which is reviewed like code.
    File,
}

impl MemorySource {
    /// All sources.
    pub const ALL: [Self; 6] =
        [Self::Correction, Self::Validated, Self::Quirk, Self::Said, Self::Extracted, Self::File];

    /// The name in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Validated => "validated",
            Self::Quirk => "quirk",
            Self::Said => "said",
            Self::Extracted => "extracted",
            Self::File => "file",
        }
    }
}

/// How one memory stands to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// A problem to a tactic that worked.
    SolvedBy,
    /// A problem to a tactic that did not help.
    FailedWith,
    /// What was concluded to what it was concluded from.
    DerivedFrom,
    /// What is true now to what was true before.
    Supersedes,
    /// What was said later in a session to what it seems to revise. This is a guess: it orders what is found, and hides
    /// nothing.
    Revises,
}

impl Relation {
    /// All relations.
    pub const ALL: [Self; 5] = [Self::SolvedBy, Self::FailedWith, Self::DerivedFrom, Self::Supersedes, Self::Revises];

    /// As it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SolvedBy => "solved_by",
            Self::FailedWith => "failed_with",
            Self::DerivedFrom => "derived_from",
            Self::Supersedes => "supersedes",
            Self::Revises => "revises",
        }
    }

    /// The relation of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.name() == name)
    }
}

/// What is first said of a memory, beside its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// What it is: a preference, a fact, a tactic, or a problem that tactics are linked to.
    pub kind: Kind,
    /// Where it counts.
    pub scope: Scope,
    /// Who stands behind it.
    pub authority: Authority,
    /// What made somebody write it down.
    pub source: MemorySource,
    /// Of a tactic: whether it worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worked: Option<bool>,
    /// When it ceases to be true, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// Whether it came with evidence of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anchored: bool,
}

/// What happened. Texts stand in the event's [`Wording`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Change {
    /// It was learnt.
    Observed(Observation),
    /// It was read out of a text and waits for somebody to approve it.
    Proposed(Observation),
    /// It was found true once more.
    Reinforced {
        /// Of a tactic: whether it worked this time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worked: Option<bool>,
    },
    /// Somebody put it right: its words are those of this event now.
    Corrected {
        /// When it ceases to be true now, milliseconds since 1970; none if it does not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<i64>,
    },
    /// Something spoke against it.
    Contradicted,
    /// A person says that it is true.
    Confirmed,
    /// Somebody says that it is wrong.
    Disputed,
    /// The dispute is taken back.
    Withdrawn,
    /// Another took its place.
    Superseded {
        /// Which.
        by: String,
    },
    /// It stands in a relation to another.
    Linked {
        /// To which.
        to: String,
        /// In which.
        relation: Relation,
    },
    /// A person lets others stand behind it.
    Promoted {
        /// Who.
        authority: Authority,
    },
    /// A person approved what was proposed.
    Approved,
    /// Somebody rejected what was proposed.
    Rejected,
    /// Its words, and those of its events, are gone.
    Forgotten,
}

impl Change {
    /// The name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Observed(_) => "observed",
            Self::Proposed(_) => "proposed",
            Self::Reinforced { .. } => "reinforced",
            Self::Corrected { .. } => "corrected",
            Self::Contradicted => "contradicted",
            Self::Confirmed => "confirmed",
            Self::Disputed => "disputed",
            Self::Withdrawn => "withdrawn",
            Self::Superseded { .. } => "superseded",
            Self::Linked { .. } => "linked",
            Self::Promoted { .. } => "promoted",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Forgotten => "forgotten",
        }
    }
}

/// An event before it is in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// When, milliseconds since 1970.
    pub at: i64,
    /// To which memory.
    pub memory: String,
    /// In which session.
    pub session: String,
    /// Who says so.
    pub author: Author,
    /// What happened.
    pub change: Change,
    /// In which words.
    pub words: Wording,
}

/// An event of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryEvent {
    /// Its place in the log, from 1.
    pub number: i64,
    /// When, milliseconds since 1970.
    pub at: i64,
    /// To which memory.
    pub memory: String,
    /// In which session.
    pub session: String,
    /// Who says so.
    pub author: Author,
    /// What happened.
    pub change: Change,
    /// In which words; none once they are forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Wording>,
}
