//! The agents that are known, and by which files each is found.

use crate::platform::{FOLDERS, Folders};

/// Whose settings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those of a repository: all who work in it have them.
    Repository,
    /// Those of a user: they hold in all folders.
    User,
}

/// An agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// The desktop application of Claude.
    ClaudeDesktop,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
    /// OpenCode.
    OpenCode,
    /// Visual Studio Code with Copilot, and Copilot's command line.
    VsCode,
    /// Zed.
    Zed,
}

/// What a path begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base {
    /// The root of the repository.
    Root,
    /// The user's home.
    Home,
    /// Where the system wants applications to keep their settings.
    Apps,
    /// `~/.config`, or what stands in its place.
    Config,
    /// Where `ken` keeps its own settings.
    Own,
}

/// A file: below a base, the first of these paths that is there, else the first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// What the paths begin at.
    pub base: Base,
    /// With slashes.
    pub paths: Vec<String>,
}

impl Place {
    pub(super) fn new(base: Base, paths: &[&str]) -> Self {
        Self { base, paths: paths.iter().map(|path| (*path).to_owned()).collect() }
    }
}

impl Client {
    /// All, in the order of their names.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::Cursor,
        Self::Gemini,
        Self::OpenCode,
        Self::VsCode,
        Self::Zed,
    ];

    /// The name as it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
        }
    }

    /// The name as its makers write it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Gemini => "Gemini CLI",
            Self::OpenCode => "OpenCode",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
        }
    }

    /// The agent of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Files and folders of which any tells that the agent is used in this repository, or by this user.
    pub fn signs(self, scope: Scope) -> Vec<Place> {
        let (base, paths): (Base, &[&str]) = match (scope, self) {
            (Scope::Repository, Self::ClaudeCode) => (Base::Root, &[".claude", ".mcp.json", "CLAUDE.md"]),
            (Scope::Repository, Self::ClaudeDesktop) => return Vec::new(),
            (Scope::Repository, Self::Codex) => (Base::Root, &[".codex"]),
            (Scope::Repository, Self::Cursor) => (Base::Root, &[".cursor", ".cursorrules"]),
            (Scope::Repository, Self::Gemini) => (Base::Root, &[".gemini", "GEMINI.md"]),
            (Scope::Repository, Self::OpenCode) => (Base::Root, &[".opencode", "opencode.json", "opencode.jsonc"]),
            (Scope::Repository, Self::VsCode) => {
                (Base::Root, &[".vscode", ".github/copilot-instructions.md", ".github/agents", ".github/hooks"])
            }
            (Scope::Repository, Self::Zed) => (Base::Root, &[".zed", ".rules"]),
            (Scope::User, Self::ClaudeCode) => (Base::Home, &[".claude", ".claude.json"]),
            (Scope::User, Self::ClaudeDesktop) => (Base::Apps, &["Claude"]),
            (Scope::User, Self::Codex) => (Base::Home, &[".codex"]),
            (Scope::User, Self::Cursor) => (Base::Home, &[".cursor"]),
            (Scope::User, Self::Gemini) => (Base::Home, &[".gemini"]),
            (Scope::User, Self::OpenCode) => (Base::Config, &["opencode"]),
            (Scope::User, Self::VsCode) => {
                return vec![Place::new(Base::Apps, &["Code/User"]), Place::new(Base::Home, &[".copilot"])];
            }
            (Scope::User, Self::Zed) => return vec![self.zed()],
        };
        vec![Place::new(base, paths)]
    }

    /// The folder of Zed: its own on Windows, and beside those of command lines elsewhere.
    pub(super) fn zed(self) -> Place {
        if FOLDERS == Folders::Windows { Place::new(Base::Apps, &["Zed"]) } else { Place::new(Base::Config, &["zed"]) }
    }
}
