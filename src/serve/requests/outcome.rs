//! Outcomes: what tools did, reported and asked for.

use super::RequestError;
use crate::engine::face::outcomes::{OutcomeFilter, read_report};
use crate::engine::face::text::parse_timestamp;
use crate::types::Execution;
use crate::types::limits::ITEM_BATCH;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run of a tool, as a program reports it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeReport {
    /// The session.
    #[serde(default)]
    #[schemars(description = "Id of the session; runs of one session belong together (default: the day)")]
    pub session: Option<String>,
    /// The tool.
    #[schemars(description = "The tool, such as bash or sql")]
    pub tool: String,
    /// What it was given.
    #[serde(default)]
    #[schemars(description = "What it was given: a command line, a statement, or JSON")]
    pub input: Value,
    /// Whether it went well.
    #[serde(default)]
    #[schemars(description = "Whether it did what was asked; without it exit_code and error say so")]
    pub ok: Option<bool>,
    /// The exit code.
    #[serde(default)]
    #[schemars(description = "The exit code of a program")]
    pub exit_code: Option<i32>,
    /// Why it failed.
    #[serde(default)]
    #[schemars(description = "Why it failed")]
    pub error: Option<String>,
    /// What it printed.
    #[serde(default)]
    #[schemars(description = "What it printed; kept only of a run that failed")]
    pub output: Option<String>,
    /// How long it took.
    #[serde(default)]
    #[schemars(description = "How long it took, in milliseconds")]
    pub duration_ms: Option<u64>,
}

/// Runs to be kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepOutcomesRequest {
    /// The runs.
    #[schemars(description = "The runs in their order; they count for the repository that the service runs in")]
    pub outcomes: Vec<OutcomeReport>,
}

/// Failures, the most frequent first.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailuresRequest {
    /// Since when.
    #[serde(default)]
    #[schemars(description = "Only runs since then: 7d, 12h, 2w, or a day such as 2026-12-31")]
    pub since: Option<String>,
    /// Of which tool.
    #[serde(default)]
    #[schemars(description = "Only this tool, program or statement")]
    pub tool: Option<String>,
    /// Most kinds.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000), description = "Most kinds of failures (default 20)")]
    pub limit: Option<u32>,
}

/// Kinds of failures where a request says nothing.
const PAGE: u32 = 20;

impl KeepOutcomesRequest {
    /// The runs.
    ///
    /// # Errors
    /// [`RequestError`] for none or too many, and for one that names no tool.
    pub fn runs(&self) -> Result<Vec<Execution>, RequestError> {
        if self.outcomes.is_empty() || self.outcomes.len() > ITEM_BATCH {
            let count = self.outcomes.len();
            return Err(RequestError::usage(
                format!("{count} outcomes are sent"),
                format!("send from 1 to {ITEM_BATCH}"),
            ));
        }
        let read = |(at, report): (usize, &OutcomeReport)| {
            let fields = serde_json::to_value(report).ok();
            let run = fields.as_ref().and_then(Value::as_object).map(read_report);
            match run {
                Some(Ok(Some(run))) => Ok(run),
                Some(Err(error)) => Err(RequestError::usage(error.to_string(), "name the tool").within(at + 1)),
                _ => Err(RequestError::usage("the report tells of no run", "name the tool").within(at + 1)),
            }
        };
        self.outcomes.iter().enumerate().map(read).collect()
    }
}

impl FailuresRequest {
    /// The filter, at a moment in milliseconds since 1970.
    ///
    /// # Errors
    /// [`RequestError`] for a `since` that means nothing.
    pub fn filter(&self, now_ms: i64) -> Result<OutcomeFilter, RequestError> {
        let since = self.since.as_deref().map(|text| since(text, now_ms)).transpose()?;
        Ok(OutcomeFilter { tool: self.tool.clone().filter(|tool| !tool.is_empty()), since, ..OutcomeFilter::default() })
    }

    /// Most kinds of failures.
    pub fn most(&self) -> usize {
        self.limit.unwrap_or(PAGE).clamp(1, 1000) as usize
    }
}

/// A moment: so many hours, days or weeks ago, or a day.
fn since(text: &str, now_ms: i64) -> Result<i64, RequestError> {
    let wrong = || RequestError::usage(format!("{text:?} is no time"), "give one such as 7d, 12h, 2w or 2026-12-31");
    let trimmed = text.trim();
    let ago = |unit_ms: i64| {
        let digits = &trimmed[..trimmed.len() - 1];
        let count: i64 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some(now_ms.saturating_sub(count.saturating_mul(unit_ms)))
    };
    let hour = 3_600_000;
    match trimmed.bytes().last() {
        Some(b'h') => ago(hour),
        Some(b'd') => ago(24 * hour),
        Some(b'w') => ago(7 * 24 * hour),
        _ if trimmed.len() == "2026-12-31".len() => parse_timestamp(&format!("{trimmed}T00:00:00Z")),
        _ => parse_timestamp(trimmed),
    }
    .ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_or_refused() {
        let day = 86_400_000;
        let now = 1_000 * day;
        for (text, expected) in [("7d", now - 7 * day), ("2w", now - 14 * day), ("12h", now - day / 2), (" 0d ", now)] {
            assert_eq!(since(text, now).unwrap(), expected, "{text}");
        }
        assert_eq!(since("1970-01-02", now).unwrap(), day);
        for text in ["", "d", "-7d", "7", "7m", "yesterday", "+7d", "7 d", "2026-13-01", "é", "99999999999999999999d"]
        {
            assert!(since(text, now).is_err(), "{text}");
        }
    }

    #[test]
    fn a_batch_is_read_or_refused() {
        let run = OutcomeReport { tool: "bash".to_owned(), exit_code: Some(1), ..OutcomeReport::default() };
        let of = |outcomes: Vec<OutcomeReport>| KeepOutcomesRequest { outcomes }.runs();
        let read = of(vec![run.clone(), OutcomeReport { ok: Some(true), exit_code: None, ..run.clone() }]).unwrap();
        assert_eq!(read.iter().map(|run| run.is_ok).collect::<Vec<_>>(), [false, true]);
        assert!(of(Vec::new()).is_err() && of(vec![run.clone(); ITEM_BATCH + 1]).is_err());
        assert!(of(vec![run, OutcomeReport::default()]).unwrap_err().to_string().contains('2'));
    }
}
