//! Which items may answer: what a filter excludes is never a candidate.

use crate::types::{Access, Condition, Kind, Scope};

/// Where files lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathFilter {
    /// This file, or under this folder.
    Under(String),
    /// What this pattern of `*`, `?` and `[...]` matches as a whole.
    Glob(String),
}

impl PathFilter {
    /// A pattern, if it can match anything.
    ///
    /// # Errors
    /// What is wrong with one that never could.
    pub fn glob(pattern: &str) -> Result<Self, &'static str> {
        let mut rest = pattern.chars().peekable();
        let mut before = ' ';
        while let Some(c) = rest.next() {
            match c {
                '[' => class(&mut rest)?,
                '{' if rest.clone().any(|c| c == '}') => {
                    return Err("{...} is no alternative here; give the option once for each");
                }
                // On Windows it stands between folders.
                '*' | '?' | ']' | '}' if before == '\\' && !std::path::is_separator('\\') => {
                    return Err("\\ does not take the meaning from a character; put it into brackets");
                }
                _ => {}
            }
            before = c;
        }
        Ok(Self::Glob(pattern.to_owned()))
    }
}

/// Reads a class of characters to its end, as SQLite's GLOB does: the first `]` is one of the characters.
fn class(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<(), &'static str> {
    rest.next_if_eq(&'^');
    let mut characters: Vec<char> = rest.next_if_eq(&']').into_iter().collect();
    loop {
        match rest.next() {
            None => return Err("a [ has no ]"),
            Some(']') => break,
            Some(c) => characters.push(c),
        }
    }
    let range = |three: &[char]| three[1] == '-' && three[0] > three[2];
    if characters.windows(3).any(range) { Err("a range in [...] runs backwards") } else { Ok(()) }
}

/// Which items may answer. Empty fields admit everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemFilter {
    /// Any of these kinds.
    pub kinds: Vec<Kind>,
    /// Any of these scopes.
    pub scopes: Vec<Scope>,
    /// Files that lie in any of these places.
    pub paths: Vec<PathFilter>,
    /// But for files that lie in any of these.
    pub without: Vec<PathFilter>,
    /// Files whose names end with a dot and one of these, in lower case; made of letters, digits and `+`, `-`, `_`.
    pub endings: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Whose software.
    pub provider: Option<String>,
    /// What holds of their attributes.
    pub condition: Option<Condition>,
    /// Scopes that whoever asks may see.
    pub access: Access,
}

impl ItemFilter {
    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.access.scopes().is_none() && self.asks_nothing()
    }

    /// Whether nothing is asked for: everything passes that may be seen.
    pub fn asks_nothing(&self) -> bool {
        *self == Self { access: self.access.clone(), ..Self::default() }
    }

    /// Whether anything is asked for beside kinds and scopes.
    pub fn asks_beyond_kinds(&self) -> bool {
        let Self { kinds, scopes, access, .. } = self.clone();
        *self != Self { kinds, scopes, access, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_cannot_match_are_refused() {
        for pattern in ["[a", "docs/[", "a[]", "[^", "[^]", "[z-a].md", "*.{md,rst}", "a\\*"] {
            assert!(PathFilter::glob(pattern).is_err(), "{pattern}");
        }
    }
}
