//! Outcomes: what tools did is kept without holding anybody up, counted, shown, and forgotten.

mod crash; // kill -9 while rows are written
mod drafts; // pack entries drafted from errors that recur
mod forgotten; // what was forgotten is in no byte; old rows go
mod hook; // the hook as agents call it: whatever comes in, it ends with 0 and says nothing
mod overcome; // what made a command work is asked for, and comes back
mod patterns; // what helped, found by one analysis alone, promoted by a person
mod secrets; // planted credentials are in no byte
mod together; // many processes at once, and a database that somebody else holds

use crate::support::ken::{Ran, User, run};
use serde_json::{Value, json};

/// Calls the hook with a report.
pub fn hook(user: &User, report: &[u8]) -> Ran {
    let ran = run(user.command(&["hook", "post-tool"]), report);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{}", String::from_utf8_lossy(report));
    ran
}

/// A run that failed, in the plain schema.
pub fn failure(session: &str, input: &str, error: &str) -> Value {
    json!({"session": session, "tool": "bash", "input": input, "exit_code": 1, "error": error})
}

/// What `ken outcomes --json` says.
pub fn failures(user: &User) -> Value {
    user.ken(&["outcomes", "--json", "-n", "1000"]).json()
}

/// The runs that are kept, the last first.
pub fn runs(user: &User) -> Vec<Value> {
    let ran = user.ken(&["outcomes", "--all", "--json", "-n", "1000"]);
    ran.json()["outcomes"].as_array().unwrap().clone()
}
