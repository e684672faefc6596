//! The entry of `ken` in the settings of common clients.

use crate::render::{json, json_pretty};
use serde_json::{Value, json};

/// Clients whose entry is known, with the file in which it stands.
pub const CLIENTS: [(&str, &str); 7] = [
    ("claude-code", ".mcp.json of the repository"),
    ("claude-desktop", "claude_desktop_config.json"),
    ("codex", "~/.codex/config.toml"),
    ("cursor", ".cursor/mcp.json of the repository"),
    ("gemini", "~/.gemini/settings.json"),
    ("vscode", ".vscode/mcp.json of the repository"),
    ("zed", "settings.json of Zed"),
];

/// The entry for this client, as its settings file has it. `program` is the command that starts `ken`. None if the
/// client is not known.
pub fn entry(client: &str, program: &str) -> Option<String> {
    let plain = json!({"command": program, "args": ["mcp"]});
    let under = |name: &str, entry: Value| json!({ name: { "ken": entry } });
    let value = match client {
        "claude-code" | "claude-desktop" | "cursor" | "gemini" => under("mcpServers", plain),
        "vscode" => under("servers", json!({"type": "stdio", "command": program, "args": ["mcp"]})),
        "zed" => under("context_servers", plain),
        // A JSON string is a basic string of TOML.
        "codex" => return Some(format!("[mcp_servers.ken]\ncommand = {}\nargs = [\"mcp\"]\n", json(&program).ok()?)),
        _ => return None,
    };
    json_pretty(&value).ok().map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_an_entry_that_can_be_read() {
        for (client, _) in CLIENTS {
            let text = entry(client, "/opt/my tools/\"ken\"").unwrap();
            let found = match client {
                "codex" => {
                    let read: toml::Table = text.parse().unwrap();
                    read["mcp_servers"]["ken"]["command"].as_str().unwrap().to_owned()
                }
                _ => {
                    let read: Value = serde_json::from_str(&text).unwrap();
                    let (_, servers) = read.as_object().unwrap().iter().next().unwrap();
                    servers["ken"]["command"].as_str().unwrap().to_owned()
                }
            };
            assert_eq!(found, "/opt/my tools/\"ken\"", "{client}");
        }
        assert_eq!(entry("notepad", "ken"), None);
    }
}
