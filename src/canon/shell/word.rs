//! A word of a command, as far as it is known before the command runs.

/// Stands in a word's text for a capture.
pub(super) const HOLE: u8 = 1;
/// Stands in a word's text for what only running tells: an expansion or a substitution.
pub(super) const UNKNOWN: u8 = 2;

/// A word of a command.
#[derive(Debug, Default)]
pub(super) struct Word {
    /// What the command gets, quotes removed, with [`HOLE`] and [`UNKNOWN`].
    pub text: Vec<u8>,
    /// How much of the text stands before the first quote or backslash.
    pub bare: usize,
    /// Whether it begins with a backslash.
    pub escaped: bool,
    /// Captures in it, by number.
    pub holes: Vec<usize>,
    /// Whether it has unquoted characters of a pattern or braces.
    pub pattern: bool,
}

impl Word {
    /// The text if it is known and nothing of it is quoted: what may be a reserved word.
    pub fn reserved(&self) -> Option<&str> {
        self.known().filter(|text| self.bare == text.len())
    }

    /// Whether it is all expansion without quotes: it may be several words, or none.
    pub fn is_expansion(&self) -> bool {
        !self.text.is_empty() && self.text.iter().all(|&byte| byte == UNKNOWN)
    }

    /// The text if it is known.
    pub fn known(&self) -> Option<&str> {
        if self.text.contains(&HOLE) || self.text.contains(&UNKNOWN) {
            return None;
        }
        std::str::from_utf8(&self.text).ok()
    }
}
