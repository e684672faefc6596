//! What is known to go wrong with planned changes of infrastructure.

use serde::{Deserialize, Serialize};

/// How bad it is when it happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Worth knowing; the run may go well.
    #[default]
    Low,
    /// The run probably fails, and nothing is lost.
    Medium,
    /// The run fails half-way, or data or service is lost.
    High,
}

impl Risk {
    /// As it is written.
    pub fn label(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What is done to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It is made.
    Create,
    /// It is changed in place.
    Update,
    /// It is destroyed.
    Delete,
    /// It is destroyed and made again, in either order.
    Replace,
}

impl Action {
    /// As it is written.
    pub fn label(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Replace => "replace",
        }
    }
}

/// A known failure that a plan makes likely, or that a validation has found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanFinding {
    /// How bad it is.
    pub risk: Risk,
    /// The resource, without its index; where a validation names none, the file and line.
    pub address: String,
    /// How many resources of this address it concerns.
    pub count: usize,
    /// What is planned for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// What is likely to happen, or what the validation says.
    pub text: String,
    /// The entry; none if nothing is known of what a validation says.
    pub id: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What to do, step by step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<String>,
    /// Where to read more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
}

/// What a file of Terraform was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checked {
    /// A plan.
    Plan,
    /// The result of a validation.
    Validation,
}

/// What is known of a plan or a validation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanReport {
    /// What was read.
    pub checked: Checked,
    /// Changes in the plan, or messages of the validation.
    pub looked_at: usize,
    /// Of these changes, those of providers for which no pack carries a condition.
    pub uncovered: usize,
    /// The worst first.
    pub findings: Vec<PlanFinding>,
}

impl PlanReport {
    /// The worst risk among the findings.
    pub fn worst(&self) -> Option<Risk> {
        self.findings.iter().map(|finding| finding.risk).max()
    }
}
