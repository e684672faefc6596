//! Who reads a text and how it is set off: the few colours in use, whose codes are those that `screen::terminal` lets
//! pass, and where a reader finds more.

use crate::screen::clean;

/// Who reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reader {
    /// Somebody at a terminal, who can run commands of ours.
    #[default]
    Person,
    /// An agent, who calls tools and reads what has an id.
    Agent,
}

/// Who reads a text, and whether and how it is set off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Whether escape codes are written.
    pub colour: bool,
    /// Who reads it.
    pub reader: Reader,
}

impl Style {
    /// For an agent.
    pub fn agent() -> Self {
        Self { colour: false, reader: Reader::Agent }
    }

    /// Whether an agent reads it.
    pub(super) fn is_for_agents(self) -> bool {
        self.reader == Reader::Agent
    }

    /// A command of ours that helps, in parentheses behind a text; nothing for who cannot run it.
    pub(super) fn remedy(self, command: &str) -> String {
        if self.is_for_agents() { String::new() } else { format!(" (`{command}`)") }
    }

    /// Where an entry of a pack is to be read as a whole.
    pub(super) fn whole_entry(self, id: &str) -> String {
        if self.is_for_agents() { format!("ken://{id}") } else { format!("`ken canon show {id}`") }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        // What is styled is foreign as often as not: no code of its own.
        let text = clean(text);
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into_owned() }
    }

    /// A title.
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// What matters less.
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Something to type.
    pub fn command(self, text: &str) -> String {
        self.wrap("36", text)
    }

    /// Good news.
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// A caution.
    pub fn warning(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// A failure.
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }
}
