//! Tells a plan from a validation, and reads either.

use super::plan::Plan;
use crate::error::{Diagnose, ErrorKind};
use serde::Deserialize;
use serde_json::Value;

/// What a text of Terraform was.
#[derive(Debug)]
pub enum Input {
    /// Of `terraform show -json`.
    Plan(Box<Plan>),
    /// Of `terraform validate -json`: what it found.
    Validation(Vec<Diagnostic>),
}

/// Why a text is neither.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is a plan as Terraform saves it.
    #[error("this plan is binary")]
    Binary,
    /// It is no JSON.
    #[error("this is no JSON: {0}")]
    Json(serde_json::Error),
    /// It is something else.
    #[error("this JSON is neither a plan nor a validation of Terraform")]
    Other,
    /// It is the state, which plans nothing.
    #[error("this is a state of Terraform: it plans nothing")]
    State,
    /// It is one, and not as it should be.
    #[error("this {0} of Terraform cannot be read: {1}")]
    Shape(&'static str, serde_json::Error),
}

impl Diagnose for ReadError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn hint(&self) -> Option<String> {
        let save = "terraform plan -out=plan.bin && terraform show -json plan.bin > plan.json";
        Some(match self {
            Self::Binary => "print it as JSON: terraform show -json PLAN > plan.json".to_owned(),
            _ => format!("give it a plan ({save}) or a validation (terraform validate -json)"),
        })
    }
}

/// A message of a validation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Diagnostic {
    /// `error` or `warning`.
    pub severity: String,
    /// The first line.
    pub summary: String,
    /// The rest.
    pub detail: String,
    /// Where it points to.
    pub range: Option<Place>,
    /// The code there.
    pub snippet: Option<Snippet>,
    /// The resource, where it concerns one.
    pub address: Option<String>,
}

/// A place in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Place {
    /// The file.
    pub filename: String,
    /// Where it begins.
    pub start: Position,
}

/// A position in a file.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct Position {
    /// From 1.
    pub line: usize,
}

/// Code around a place.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Snippet {
    /// The block, such as `resource "aws_s3_bucket" "logs"`.
    pub context: Option<String>,
    /// Its lines.
    pub code: String,
}

impl Diagnostic {
    /// Whether the configuration cannot be used as it is.
    pub fn is_error(&self) -> bool {
        self.severity == "error"
    }

    /// The message as Terraform prints it on a terminal.
    pub fn printed(&self) -> String {
        let label = if self.is_error() { "Error" } else { "Warning" };
        let mut out = format!("{label}: {}\n", self.summary);
        if let Some(place) = &self.range {
            let context = self.snippet.as_ref().and_then(|snippet| snippet.context.as_ref());
            let within = context.map(|context| format!(", in {context}")).unwrap_or_default();
            out.push_str(&format!("\n  on {} line {}{within}:\n", place.filename, place.start.line));
            if let Some(snippet) = &self.snippet {
                out.push_str(&format!("  {}: {}\n", place.start.line, snippet.code));
            }
        }
        out.push_str(&format!("\n{}\n", self.detail));
        out
    }

    /// What it concerns: a resource, a block, or a place in a file.
    pub fn about(&self) -> String {
        let place = self.range.as_ref().map(|place| format!("{}:{}", place.filename, place.start.line));
        self.address.clone().or(place).unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct Validation {
    diagnostics: Vec<Diagnostic>,
}

/// Reads a plan or a validation.
///
/// # Errors
/// [`ReadError`] if it is neither.
pub fn read(text: &str) -> Result<Input, ReadError> {
    let value: Value = serde_json::from_str(text).map_err(ReadError::Json)?;
    let has = |field: &str| value.get(field).is_some();
    if has("resource_changes") || has("planned_values") {
        let plan = serde_json::from_value(value).map_err(|e| ReadError::Shape("plan", e))?;
        return Ok(Input::Plan(Box::new(plan)));
    }
    if has("valid") && has("diagnostics") {
        let read: Validation = serde_json::from_value(value).map_err(|e| ReadError::Shape("validation", e))?;
        return Ok(Input::Validation(read.diagnostics));
    }
    Err(if has("values") || has("terraform_version") { ReadError::State } else { ReadError::Other })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_a_validation_and_anything_else_are_told_apart() {
        let plan = r#"{"format_version": "1.2", "resource_changes": [], "planned_values": {}}"#;
        assert!(matches!(read(plan), Ok(Input::Plan(_))));
        let validation = r#"{"valid": false, "diagnostics": [{"severity": "error", "summary": "Reference to undeclared
            resource", "detail": "A managed resource has not been declared.", "range": {"filename": "main.tf",
            "start": {"line": 3, "column": 1, "byte": 9}}, "snippet": {"context": "resource \"a\" \"b\"",
            "code": "  c = d.e"}}]}"#
            .replace('\n', " ");
        let Ok(Input::Validation(found)) = read(&validation) else { panic!("no validation") };
        assert_eq!(found[0].about(), "main.tf:3");
        assert!(
            found[0].printed().contains("on main.tf line 3, in resource \"a\" \"b\":\n  3:   c = d.e\n\nA managed")
        );
        assert!(matches!(read("PK\u{3}\u{4}"), Err(ReadError::Json(_))));
        assert!(matches!(read("[1]"), Err(ReadError::Other)));
        assert!(matches!(read(r#"{"terraform_version": "1.9.0", "values": {}}"#), Err(ReadError::State)));
        assert!(matches!(read(r#"{"resource_changes": 7}"#), Err(ReadError::Shape("plan", _))));
    }
}
