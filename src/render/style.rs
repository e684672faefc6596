//! The few colours in use. Their codes are those that `screen::terminal` lets pass.

use crate::screen::clean;

/// Whether and how text is set off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Whether escape codes are written.
    pub colour: bool,
}

impl Style {
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
