//! Which search is measured.
//!
//! `hybrid` is what the product does. `bm25` and `dense` are the same search with one of its signals switched off; `-plain`
//! embeds the question as a passage, without the model's query prefix. `regex` is what people do without an index.

use crate::query::Legs;
use crate::types::Role;
use std::str::FromStr;

/// A search, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Configuration {
    name: &'static str,
    how: How,
}

/// How documents are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By the question's words as one pattern, text by text.
    Grep,
    /// By the engine.
    Search(Legs, Role),
}

const BOTH: Legs = Legs { semantic: true, keyword: true };
const MEANING: Legs = Legs { semantic: true, keyword: false };
const WORDS: Legs = Legs { semantic: false, keyword: true };

const ALL: [Configuration; 6] = [
    Configuration { name: "regex", how: How::Grep },
    Configuration { name: "bm25", how: How::Search(WORDS, Role::Query) },
    Configuration { name: "dense", how: How::Search(MEANING, Role::Query) },
    Configuration { name: "dense-plain", how: How::Search(MEANING, Role::Passage) },
    Configuration { name: "hybrid", how: How::Search(BOTH, Role::Query) },
    Configuration { name: "hybrid-plain", how: How::Search(BOTH, Role::Passage) },
];

impl Configuration {
    /// Those that are measured if nobody says otherwise.
    pub fn usual() -> Vec<Self> {
        ALL.into_iter().filter(|one| matches!(one.name, "bm25" | "dense" | "hybrid")).collect()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    pub(super) fn how(self) -> How {
        self.how
    }

    /// Whether it searches an index.
    pub fn needs_index(self) -> bool {
        self.how != How::Grep
    }

    /// Whether it needs a model.
    pub fn needs_model(self) -> bool {
        matches!(self.how, How::Search(Legs { semantic: true, .. }, _))
    }
}

impl FromStr for Configuration {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = ALL.into_iter().find(|one| one.name == name);
        found.ok_or_else(|| format!("expected one of {}", ALL.map(|one| one.name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        assert!(ALL.into_iter().all(|one| one.name().parse() == Ok(one)));
        assert!("bm26".parse::<Configuration>().unwrap_err().contains("bm25, dense"));
        assert_eq!(Configuration::usual().len(), 3);
        let hybrid: Configuration = "hybrid".parse().unwrap();
        let usual = crate::query::SearchOptions::default();
        assert_eq!(hybrid.how(), How::Search(usual.legs, usual.role), "hybrid is the product's default");
    }
}
