//! What a proposal says about itself.

/// What a proposed memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A convention, a constraint or a taste.
    Preference,
    /// Something observed, or a commitment that ends some day.
    Fact,
    /// Something that was tried against a problem.
    Tactic,
}

/// How sure it is that this is worth keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Inferred, or said by a program.
    Low,
    /// Said by a person, without asking to keep it.
    Medium,
    /// Asked to be kept, or seen to work. May be saved without a question.
    High,
}

/// Why something was proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trigger {
    /// A person corrected what was said or done.
    Correction,
    /// Something was tried, and a person said how it went.
    ValidatedFix,
    /// A service or tool behaves unexpectedly, or lacks something somewhere.
    Quirk,
    /// A person asked to keep it.
    Explicit,
    /// A choice between ways was made.
    Decision,
    /// Something must be so.
    Requirement,
    /// A cause or a surprise was found.
    Discovery,
    /// A person said how they like or do things.
    Statement,
}

/// A memory that a session proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What it is.
    pub kind: Kind,
    /// One or two sentences as they were said, without the words that ask to keep them. Never empty.
    pub text: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whether it is meant for every project; only of preferences.
    pub is_global: bool,
    /// Why it was proposed.
    pub trigger: Trigger,
    /// Whether a tactic worked; `None` for other kinds, and for tactics of which nobody said so.
    pub worked: Option<bool>,
    /// The error that a tactic answers: one line, if one was near.
    pub error: Option<String>,
    /// First and last line of the evidence in the text, from 1.
    pub lines: (usize, usize),
    /// The name of the rule that matched.
    pub rule: &'static str,
}
