//! Where each agent has a place for what `ken` needs, and in which form. One function for each part.
//!
//! The forms are those of the agents' own documents; where an agent has no place for a part, that is said.

use super::block::Comment;
use super::client::{Base, Client, Place, Scope};
use super::edit::Entry;
use super::specs::{MODES, PROTOCOL, Spec, WORKFLOWS};
use super::text::{Edit, Kind};
use crate::render::{json, json_pretty};
use crate::screen::is_hidden;
use serde_json::{Value, json};

/// The name of the entry in an agent's list of servers.
const NAME: &str = "ken";
/// What a hook runs.
const HOOK: &str = "ken hook post-tool";

/// What an agent gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The entry that starts `ken mcp`.
    Tools,
    /// The hook that tells what tools did.
    Hook,
    /// What the agent is told at the start of a session.
    Protocol,
    /// The modes, and how the agent finds them.
    Modes,
    /// The workflows, and how the agent finds them.
    Workflows,
}

impl Part {
    /// All.
    pub const ALL: [Self; 5] = [Self::Tools, Self::Hook, Self::Protocol, Self::Modes, Self::Workflows];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Hook => "hook",
            Self::Protocol => "protocol",
            Self::Modes => "modes",
            Self::Workflows => "workflows",
        }
    }
}

/// Something that is to stand in a file.
#[derive(Debug, Clone)]
pub struct Wish {
    /// Whose it is; none for what all agents share.
    pub client: Option<Client>,
    /// What it is a part of.
    pub part: Part,
    /// The file.
    pub place: Place,
    /// What is to stand there.
    pub edit: Edit,
}

impl Wish {
    /// Whether two that wish for something in one file wish for the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.part == other.part && self.edit.alone() == other.edit.alone()
    }
}

/// A part that an agent has no place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The agent.
    pub client: Client,
    /// The part.
    pub part: Part,
    /// Why.
    pub why: &'static str,
}

/// All that is to stand in the files of these agents, and what they have no place for. `specs` is the folder of the
/// specs as an agent is told it: `.ken`, or a whole path.
pub fn wishes(clients: &[Client], scope: Scope, parts: &[Part], specs: &str) -> (Vec<Wish>, Vec<Missing>) {
    let (mut wishes, mut missing) = (Vec::new(), Vec::new());
    for client in clients {
        for part in parts {
            let found = match part {
                Part::Tools => tools(*client, scope).map(|one| vec![one]),
                Part::Hook => hook(*client, scope).map(|one| vec![one]),
                Part::Protocol => protocol(*client, scope, specs).map(|one| vec![one]),
                Part::Modes => wrappers(*client, scope, *part, &MODES, specs),
                Part::Workflows => wrappers(*client, scope, *part, &WORKFLOWS, specs),
            };
            match found {
                Ok(found) => wishes.extend(found.into_iter().map(|(place, edit)| Wish {
                    client: Some(*client),
                    part: *part,
                    place,
                    edit,
                })),
                Err(why) => missing.push(Missing { client: *client, part: *part, why }),
            }
        }
    }
    for part in parts {
        let own: &[Spec] = match part {
            Part::Modes => &MODES,
            Part::Workflows => &WORKFLOWS,
            _ => &[],
        };
        wishes.extend(own.iter().map(|spec| Wish {
            client: None,
            part: *part,
            place: spec_place(scope, *part, spec),
            edit: Edit(Kind::File { words: spec.words.to_owned(), comment: Comment::Markdown }),
        }));
    }
    (wishes, missing)
}

/// The entry of the tools as it stands in the settings of this agent, with the file in which it stands. `program` is
/// the command that starts `ken`.
pub fn entry(client: Client, program: &str) -> (String, &'static str) {
    let file = match client {
        Client::ClaudeCode => ".mcp.json of the repository",
        Client::ClaudeDesktop => "claude_desktop_config.json",
        Client::Codex => "~/.codex/config.toml",
        Client::Cursor => ".cursor/mcp.json of the repository",
        Client::Gemini => "~/.gemini/settings.json",
        Client::OpenCode => "opencode.json of the repository",
        Client::VsCode => ".vscode/mcp.json of the repository",
        Client::Zed => "settings.json of Zed",
    };
    let text = match client {
        Client::Codex => table(program) + "\n",
        _ => json_pretty(&json!({ servers(client): { NAME: server(client, program) } })).unwrap_or_default() + "\n",
    };
    (text, file)
}

/// The hook as it stands in a file that holds nothing else; none if the agent has no hooks.
pub fn hook_text(client: Client, scope: Scope) -> Option<String> {
    let (_, edit) = hook(client, scope).ok()?;
    Some(edit.alone())
}

/// What a person has to do before the parts work, if there is anything.
pub fn advice(client: Client) -> Option<&'static str> {
    match client {
        Client::ClaudeCode => Some("Claude Code asks once whether it may start the tools of a repository"),
        Client::Codex => {
            Some("Codex runs a hook after you trusted it: type /hooks there; a repository must be trusted too")
        }
        Client::Zed => Some("Zed starts the tools of a repository after you trusted it"),
        _ => None,
    }
}

/// The key under which an agent keeps its servers.
fn servers(client: Client) -> &'static str {
    match client {
        Client::VsCode => "servers",
        Client::Zed => "context_servers",
        Client::OpenCode => "mcp",
        _ => "mcpServers",
    }
}

fn server(client: Client, program: &str) -> Value {
    match client {
        Client::VsCode => json!({"type": "stdio", "command": program, "args": ["mcp"]}),
        Client::OpenCode => json!({"type": "local", "command": [program, "mcp"], "enabled": true}),
        _ => json!({"command": program, "args": ["mcp"]}),
    }
}

/// The table of Codex. A JSON string is a basic string of TOML.
fn table(program: &str) -> String {
    format!("[mcp_servers.{NAME}]\ncommand = {}\nargs = [\"mcp\"]", json(&program).unwrap_or_default())
}

type Found = Result<(Place, Edit), &'static str>;

fn tools(client: Client, scope: Scope) -> Found {
    let (base, paths): (Base, &[&str]) = match (scope, client) {
        (Scope::Repository, Client::ClaudeCode) => (Base::Root, &[".mcp.json"]),
        (Scope::Repository, Client::ClaudeDesktop) => return Err("Claude Desktop has settings of the user alone"),
        (Scope::Repository, Client::Codex) => (Base::Root, &[".codex/config.toml"]),
        (Scope::Repository, Client::Cursor) => (Base::Root, &[".cursor/mcp.json"]),
        (Scope::Repository, Client::Gemini) => (Base::Root, &[".gemini/settings.json"]),
        (Scope::Repository, Client::OpenCode) => (Base::Root, &["opencode.json", "opencode.jsonc"]),
        (Scope::Repository, Client::VsCode) => (Base::Root, &[".vscode/mcp.json"]),
        (Scope::Repository, Client::Zed) => (Base::Root, &[".zed/settings.json"]),
        (Scope::User, Client::ClaudeCode) => {
            return Err("Claude Code writes the user's list itself; run: `claude mcp add --scope user ken -- ken mcp`");
        }
        (Scope::User, Client::ClaudeDesktop) => (Base::Apps, &["Claude/claude_desktop_config.json"]),
        (Scope::User, Client::Codex) => (Base::Home, &[".codex/config.toml"]),
        (Scope::User, Client::Cursor) => (Base::Home, &[".cursor/mcp.json"]),
        (Scope::User, Client::Gemini) => (Base::Home, &[".gemini/settings.json"]),
        (Scope::User, Client::OpenCode) => (Base::Config, &["opencode/opencode.json", "opencode/opencode.jsonc"]),
        (Scope::User, Client::VsCode) => (Base::Apps, &["Code/User/mcp.json"]),
        (Scope::User, Client::Zed) => {
            let Place { base, paths } = client.zed();
            let paths: Vec<String> = paths.into_iter().map(|folder| folder + "/settings.json").collect();
            return Ok((Place { base, paths }, named(client)));
        }
    };
    let edit = match client {
        Client::Codex => Edit(Kind::Table { way: ["mcp_servers", NAME], block: table(NAME) }),
        _ => named(client),
    };
    Ok((Place::new(base, paths), edit))
}

fn named(client: Client) -> Edit {
    let way: &'static [&'static str] = match client {
        Client::VsCode => &["servers"],
        Client::Zed => &["context_servers"],
        Client::OpenCode => &["mcp"],
        _ => &["mcpServers"],
    };
    Edit(Kind::Json(vec![Entry::Named { way, key: NAME, value: server(client, NAME), is_ours: starts_ken }]))
}

/// Whether an entry starts `ken`, however it is written.
fn starts_ken(entry: &Value) -> bool {
    let command = &entry["command"];
    let program = command.as_str().or_else(|| command[0].as_str()).unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == NAME || name.eq_ignore_ascii_case("ken.exe")
}

/// Whether anything in an element calls the hook.
fn calls_hook(element: &Value) -> bool {
    match element {
        Value::String(text) => text.contains("hook post-tool"),
        Value::Array(all) => all.iter().any(calls_hook),
        Value::Object(all) => all.values().any(calls_hook),
        _ => false,
    }
}

fn hook(client: Client, scope: Scope) -> Found {
    let base = if scope == Scope::User { Base::Home } else { Base::Root };
    // Claude Code's form, which Codex and Gemini CLI have taken over.
    let grouped = |matcher: &str, hook: Value| json!({"matcher": matcher, "hooks": [hook]});
    let command = json!({"type": "command", "command": HOOK});
    Ok(match client {
        Client::ClaudeCode => (
            Place::new(base, &[".claude/settings.json"]),
            Edit(Kind::Json(vec![
                element(&["hooks", "PostToolUse"], grouped("*", command.clone())),
                element(&["hooks", "PostToolUseFailure"], grouped("*", command)),
            ])),
        ),
        Client::Codex => (
            Place::new(base, &[".codex/hooks.json"]),
            Edit(Kind::Json(vec![element(&["hooks", "PostToolUse"], grouped("", command))])),
        ),
        Client::Cursor => (
            Place::new(base, &[".cursor/hooks.json"]),
            Edit(Kind::Json(vec![
                element(&["hooks", "postToolUse"], json!({"command": HOOK})),
                element(&["hooks", "postToolUseFailure"], json!({"command": HOOK})),
                Entry::New { key: "version", value: json!(1) },
            ])),
        ),
        Client::Gemini => (
            Place::new(base, &[".gemini/settings.json"]),
            Edit(Kind::Json(vec![element(
                &["hooks", "AfterTool"],
                grouped("*", json!({"name": "kenning", "type": "command", "command": HOOK})),
            )])),
        ),
        // The form of Copilot's command line, which VS Code reads too.
        Client::VsCode => {
            let path = if scope == Scope::User { ".copilot/hooks/kenning.json" } else { ".github/hooks/kenning.json" };
            let command = json!({"type": "command", "bash": HOOK, "powershell": HOOK});
            (
                Place::new(base, &[path]),
                Edit(Kind::Json(vec![
                    element(&["hooks", "postToolUse"], command.clone()),
                    element(&["hooks", "postToolUseFailure"], command),
                    Entry::New { key: "version", value: json!(1) },
                ])),
            )
        }
        Client::OpenCode => {
            let place = match scope {
                Scope::Repository => Place::new(base, &[".opencode/plugins/kenning.js"]),
                Scope::User => Place::new(Base::Config, &["opencode/plugins/kenning.js"]),
            };
            let words = include_str!("texts/opencode.js").to_owned();
            (place, Edit(Kind::File { words, comment: Comment::Slashes }))
        }
        Client::ClaudeDesktop => return Err("Claude Desktop has no hooks"),
        Client::Zed => return Err("Zed has no hooks"),
    })
}

fn element(way: &'static [&'static str], value: Value) -> Entry {
    Entry::Element { way, value, is_alike: calls_hook }
}

fn protocol(client: Client, scope: Scope, specs: &str) -> Found {
    let (base, paths): (Base, &[&str]) = match (scope, client) {
        (Scope::Repository, Client::ClaudeCode) => (Base::Root, &["CLAUDE.md", ".claude/CLAUDE.md"]),
        (Scope::Repository, Client::Gemini) => (Base::Root, &["GEMINI.md"]),
        (_, Client::ClaudeDesktop) => return Err("Claude Desktop reads no file at the start"),
        (Scope::Repository, _) => (Base::Root, &["AGENTS.md"]),
        (Scope::User, Client::ClaudeCode) => (Base::Home, &[".claude/CLAUDE.md"]),
        (Scope::User, Client::Codex) => (Base::Home, &[".codex/AGENTS.md"]),
        (Scope::User, Client::Gemini) => (Base::Home, &[".gemini/GEMINI.md"]),
        (Scope::User, Client::OpenCode) => (Base::Config, &["opencode/AGENTS.md"]),
        (Scope::User, Client::Cursor) => return Err("Cursor keeps the user's rules in its settings, not in a file"),
        (Scope::User, Client::VsCode) => return Err("VS Code keeps the user's instructions in its profile"),
        (Scope::User, Client::Zed) => return Err("Zed keeps the user's rules in a library of its own"),
    };
    let names = |all: &[Spec]| all.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
    let (modes, workflows) = (names(&MODES), names(&WORKFLOWS));
    let found = match told(specs) {
        Some(specs) => {
            format!("\nModes stand in `{specs}/agents` ({modes}), workflows in `{specs}/workflows` ({workflows}).\n")
        }
        None => String::new(),
    };
    Ok((Place::new(base, paths), Edit(Kind::Marked(format!("{PROTOCOL}{found}")))))
}

/// The folder of the specs, if an agent can be told it in a text.
fn told(specs: &str) -> Option<&str> {
    (!specs.is_empty() && !specs.chars().any(|c| is_hidden(c) || "`\"\n".contains(c))).then_some(specs)
}

/// The folder of a part's specs.
fn folder(part: Part) -> &'static str {
    if part == Part::Workflows { "workflows" } else { "agents" }
}

fn spec_place(scope: Scope, part: Part, spec: &Spec) -> Place {
    let (base, root) = match scope {
        Scope::Repository => (Base::Root, ".ken/"),
        Scope::User => (Base::Own, ""),
    };
    Place::new(base, &[&format!("{root}{}/{}.md", folder(part), spec.name)])
}

/// Files by which an agent finds modes or workflows; each points to the spec.
fn wrappers(
    client: Client,
    scope: Scope,
    part: Part,
    all: &[Spec],
    specs: &str,
) -> Result<Vec<(Place, Edit)>, &'static str> {
    let is_user = scope == Scope::User;
    let is_mode = part == Part::Modes;
    let base = if is_user { Base::Home } else { Base::Root };
    let (base, folder_of, ending) = match (client, is_mode) {
        (Client::ClaudeCode, true) => (base, ".claude/agents", ".md"),
        (Client::ClaudeCode, false) => (base, ".claude/commands", ".md"),
        (Client::Cursor, true) => (base, ".cursor/agents", ".md"),
        (Client::Cursor, false) => (base, ".cursor/commands", ".md"),
        (Client::Codex, true) => (base, ".codex/agents", ".toml"),
        (Client::Codex, false) => return Err("Codex has no commands of one's own; its AGENTS.md names the workflows"),
        (Client::Gemini, true) => (base, ".gemini/agents", ".md"),
        (Client::Gemini, false) => (base, ".gemini/commands", ".toml"),
        (Client::OpenCode, true) if is_user => (Base::Config, "opencode/agents", ".md"),
        (Client::OpenCode, false) if is_user => (Base::Config, "opencode/commands", ".md"),
        (Client::OpenCode, true) => (base, ".opencode/agents", ".md"),
        (Client::OpenCode, false) => (base, ".opencode/commands", ".md"),
        (Client::VsCode, true) if is_user => (base, ".copilot/agents", ".agent.md"),
        (Client::VsCode, false) if is_user => (Base::Apps, "Code/User/prompts", ".prompt.md"),
        (Client::VsCode, true) => (base, ".github/agents", ".agent.md"),
        (Client::VsCode, false) => (base, ".github/prompts", ".prompt.md"),
        (Client::ClaudeDesktop, _) => return Err("Claude Desktop has no place for modes or workflows"),
        (Client::Zed, _) => return Err("Zed has no place for modes or workflows; AGENTS.md names them"),
    };
    let Some(specs) = told(specs) else { return Err("the path of the specs has characters that no text can hold") };
    Ok(all
        .iter()
        .map(|spec| {
            let place = Place::new(base, &[&format!("{folder_of}/ken-{}{ending}", spec.name)]);
            (place, wrapper(client, is_mode, spec, &format!("{specs}/{}/{}.md", folder(part), spec.name)))
        })
        .collect())
}

fn wrapper(client: Client, is_mode: bool, spec: &Spec, path: &str) -> Edit {
    let Spec { name, about, .. } = spec;
    let what = if is_mode {
        format!("Read `{path}` first, and work in the mode that it describes.")
    } else {
        format!("Read `{path}`, and carry out the workflow that it describes.")
    };
    let body = format!("{what}\nIf there is no such file, say so and stop.\n");
    let (words, comment) = match (client, is_mode) {
        (Client::Codex, _) => {
            let text = json(&body.trim_end()).unwrap_or_default();
            let words = format!("name = \"ken-{name}\"\ndescription = \"{about}\"\ndeveloper_instructions = {text}\n");
            (words, Comment::Hash)
        }
        (Client::Gemini, false) => {
            let text = json(&body.trim_end()).unwrap_or_default();
            (format!("description = \"{about}\"\nprompt = {text}\n"), Comment::Hash)
        }
        (Client::OpenCode, true) => {
            (format!("---\ndescription: {about}\nmode: subagent\n---\n\n{body}"), Comment::Markdown)
        }
        (Client::ClaudeCode | Client::Cursor | Client::Gemini | Client::VsCode, true) => {
            (format!("---\nname: ken-{name}\ndescription: {about}\n---\n\n{body}"), Comment::Markdown)
        }
        _ => (format!("---\ndescription: {about}\n---\n\n{body}"), Comment::Markdown),
    };
    Edit(Kind::File { words, comment })
}
