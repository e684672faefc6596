//! The text of a session, read: what it proposes waits to be approved, unless it is sure and may be kept at once.

use super::remember::{Change, Remember, Remembered};
use crate::engine::{Engine, EngineError, Session};
use crate::memory::extract::{self, Confidence, Proposal, Trigger, proposals, read_turns};
use crate::text::decode;
use crate::types::{Access, Author, Authority, Evidence, Kind, MemorySource, Scope, Wording};
use serde::Serialize;

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Nothing is stored.
    Nothing,
    /// Everything waits to be approved.
    Proposed,
    /// What is sure is kept at once, the rest waits.
    Sure,
}

/// A text of a session.
#[derive(Debug, Clone, Copy)]
pub struct SessionText<'a> {
    /// As it was read.
    pub bytes: &'a [u8],
    /// The file that it stands in; none for what was piped in.
    pub file: Option<&'a str>,
    /// The scope of what is not meant for every repository.
    pub here: &'a Scope,
}

/// What a text proposes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposed {
    /// What it is.
    pub kind: Kind,
    /// What it says.
    pub text: String,
    /// `high`, `medium` or `low`.
    pub confidence: &'static str,
    /// Why it was proposed.
    pub trigger: &'static str,
    /// Of a tactic: whether it worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worked: Option<bool>,
    /// First and last line of what it rests on.
    pub lines: (usize, usize),
    /// Name of the rule that found it.
    pub rule: &'static str,
    /// What became of it; none if nothing was to be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<Remembered>,
}

impl Engine {
    /// Reads the text of a session.
    ///
    /// # Errors
    /// As [`Engine::remember`]; what was stored before stays.
    pub fn learn(
        &self,
        read: SessionText<'_>,
        keep: Keep,
        by: (&Author, &str),
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Vec<Proposed>, EngineError> {
        let text = decode(read.bytes)?;
        let lines: Vec<&str> = text.lines().collect();
        let mut out = Vec::new();
        for proposal in proposals(&read_turns(&text)) {
            session.check()?;
            let stored = match keep {
                Keep::Nothing => None,
                _ => {
                    let proposed = keep == Keep::Proposed || proposal.confidence != Confidence::High;
                    let wanted = remember(&proposal, &lines, read, proposed);
                    Some(self.remember(wanted, by, access, session)?)
                }
            };
            out.push(told(proposal, stored));
        }
        Ok(out)
    }
}

/// Longest quotation of the text that is kept as evidence, in lines.
const QUOTED: usize = 8;

fn remember(proposal: &Proposal, lines: &[&str], read: SessionText<'_>, proposed: bool) -> Remember {
    let (first, last) = proposal.lines;
    let quoted: Vec<&str> =
        lines.iter().skip(first.saturating_sub(1)).take((last + 1 - first).min(QUOTED)).copied().collect();
    let evidence = Evidence {
        text: Some(quoted.join("\n")),
        file: read.file.map(str::to_owned),
        lines: Some(proposal.lines),
        ..Evidence::default()
    };
    let kind = kind(proposal.kind);
    Remember {
        kind,
        scope: if proposal.is_global && kind == Kind::Preference { Scope::global() } else { read.here.clone() },
        authority: Authority::Personal,
        words: Wording { text: proposal.text.clone(), evidence: vec![evidence], ..Wording::default() },
        worked: (kind == Kind::Tactic).then_some(proposal.worked).flatten(),
        error: proposal.error.as_ref().filter(|_| kind == Kind::Tactic).map(|error| error.clone().into_bytes()),
        until: None,
        source: if proposal.trigger == Trigger::Correction {
            MemorySource::Correction
        } else {
            MemorySource::Extracted
        },
        update: None,
        derived_from: Vec::new(),
        proposed,
        reread: true,
    }
}

fn kind(kind: extract::Kind) -> Kind {
    match kind {
        extract::Kind::Preference => Kind::Preference,
        extract::Kind::Fact => Kind::Fact,
        extract::Kind::Tactic => Kind::Tactic,
    }
}

fn told(proposal: Proposal, stored: Option<Remembered>) -> Proposed {
    let confidence = match proposal.confidence {
        Confidence::High => "high",
        Confidence::Medium => "medium",
        Confidence::Low => "low",
    };
    let trigger = match proposal.trigger {
        Trigger::Correction => "correction",
        Trigger::ValidatedFix => "validated_fix",
        Trigger::Quirk => "quirk",
        Trigger::Explicit => "explicit",
        Trigger::Decision => "decision",
        Trigger::Requirement => "requirement",
        Trigger::Discovery => "discovery",
        Trigger::Statement => "statement",
    };
    Proposed {
        kind: kind(proposal.kind),
        text: proposal.text,
        confidence,
        trigger,
        worked: proposal.worked,
        lines: proposal.lines,
        rule: proposal.rule,
        stored,
    }
}

impl Proposed {
    /// Whether it waits to be approved.
    pub fn waits(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| stored.change == Change::Proposed)
    }
}
