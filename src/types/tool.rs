//! Tools of agents: what a server or a document says of them. Their texts are data of strangers.

use serde::{Deserialize, Serialize};

/// A tool that an agent could call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name, as calls use it.
    pub name: String,
    /// The server or API that offers it; empty if none is known.
    #[serde(default)]
    pub server: String,
    /// What it says of itself.
    #[serde(default)]
    pub description: String,
    /// What it takes.
    #[serde(default)]
    pub parameters: Vec<ToolField>,
    /// What it gives.
    #[serde(default)]
    pub results: Vec<ToolField>,
    /// Words that somebody put it under.
    #[serde(default)]
    pub tags: Vec<String>,
    /// SHA-256 of all that its document says of it, also what is not kept here: it tells when any of that changes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub form: String,
}

/// A parameter or a result of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolField {
    /// Its name.
    pub name: String,
    /// Its type, as the document names it; empty if it does not.
    #[serde(default)]
    pub kind: String,
    /// Whether a call must give it.
    #[serde(default)]
    pub required: bool,
    /// What a help text says of it. What a schema says of its fields is not kept, but tells a change (`Tool::form`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

impl Tool {
    /// What tells it from all others: its name, after its server if that is known.
    pub fn key(&self) -> String {
        if self.server.is_empty() { self.name.clone() } else { format!("{}/{}", self.server, self.name) }
    }
}
