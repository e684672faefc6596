//! Tools of agents: added, found, planned, approved and removed, by the command.

mod find;
mod help;
mod keep;
mod learning;
mod scoring;

use crate::support::ken::{Ran, User};
use serde_json::{Value, json};

/// A tool of a list.
fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description})
}

/// Some tools of everyday work.
fn shelf() -> Value {
    json!([
        tool("git_clone", "Clone a repository from a URL into a new folder"),
        tool("cargo_build", "Compile a Rust package and its dependencies"),
        tool("cargo_test", "Run the tests of a Rust package"),
        tool("create_issue", "Open an issue in the tracker of a repository"),
        tool("send_mail", "Send a message to an address by mail"),
        tool("query_database", "Run a statement of SQL and give its rows"),
    ])
}

fn add(user: &User, tools: &Value) -> Ran {
    let path = user.write("tools.json", tools.to_string());
    user.ken(&["tools", "add", path.to_str().unwrap()])
}
