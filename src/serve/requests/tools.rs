//! Tools for a task, and a plan of them.

use super::RequestError;
use schemars::JsonSchema;
use serde::Deserialize;

/// Tools where a request says nothing.
const MOST: u32 = 5;
/// Longest task, in bytes, and most tools that were called before.
const TASK_BYTES: usize = 64 << 10;
const USED: usize = 1_000;

/// The tools that a task needs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindToolsRequest {
    /// The task.
    #[schemars(description = "What is to be done")]
    pub task: String,
    /// Tools that were called before.
    #[serde(default)]
    #[schemars(description = "Tools that were called already, in the order of the calls")]
    pub used: Vec<String>,
    /// Most tools.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100), description = "Most tools (default 5)")]
    pub top: Option<u32>,
}

/// A plan of the tools that a task needs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanToolsRequest {
    /// The task.
    #[schemars(description = "What is to be done")]
    pub task: String,
}

impl FindToolsRequest {
    /// What the engine is asked: the task, the tools that were called before, and how many are wanted.
    ///
    /// # Errors
    /// [`RequestError`] for what is empty, too long or out of bounds.
    pub fn asked(&self) -> Result<(&str, &[String], usize), RequestError> {
        let task = task(&self.task)?;
        if self.used.len() > USED {
            let count = self.used.len();
            return Err(RequestError::usage(format!("{count} used tools are named"), format!("name at most {USED}")));
        }
        let top = self.top.unwrap_or(MOST);
        if !(1..=100).contains(&top) {
            return Err(RequestError::usage(format!("top cannot be {top}"), "give a number from 1 to 100"));
        }
        Ok((task, &self.used, top as usize))
    }
}

impl PlanToolsRequest {
    /// The task.
    ///
    /// # Errors
    /// As [`FindToolsRequest::asked`].
    pub fn asked(&self) -> Result<&str, RequestError> {
        task(&self.task)
    }
}

fn task(text: &str) -> Result<&str, RequestError> {
    if text.trim().is_empty() {
        return Err(RequestError::usage("the task is empty", "say what is to be done"));
    }
    if text.len() > TASK_BYTES {
        let message = format!("the task has {} bytes", text.len());
        return Err(RequestError::usage(message, format!("say it in at most {TASK_BYTES}")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_or_refused() {
        let good = FindToolsRequest { task: "ship it".to_owned(), used: vec!["a".to_owned()], top: None };
        assert_eq!(good.asked().unwrap(), ("ship it", &["a".to_owned()][..], 5));
        for wrong in [
            FindToolsRequest { task: " \n".to_owned(), ..good.clone() },
            FindToolsRequest { task: "x".repeat(TASK_BYTES + 1), ..good.clone() },
            FindToolsRequest { used: vec![String::new(); USED + 1], ..good.clone() },
            FindToolsRequest { top: Some(0), ..good.clone() },
            FindToolsRequest { top: Some(101), ..good },
        ] {
            assert!(wrong.asked().is_err());
        }
        assert!(PlanToolsRequest::default().asked().is_err());
    }
}
