//! Which search is measured.
//!
//! `hybrid` is what the product does. `bm25` is the same search without vectors. `dense` is the same without words, and
//! without what the product does to a question: its text as it stands, with the model's query prefix; `-plain` without
//! that. `hybrid-query` and `hybrid-plain` embed the question as one side of a search only. `hybrid+rerank` lets a
//! cross-encoder read the first candidates. `regex` is what people do without an index.

use crate::query::{Legs, ROLES};
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
    Search(Asks),
}

/// How the engine is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asks {
    pub(super) legs: Legs,
    pub(super) roles: &'static [Role],
    pub(super) whole: bool,
    pub(super) rerank: bool,
}

const BOTH: Legs = Legs { semantic: true, keyword: true };
const MEANING: Legs = Legs { semantic: true, keyword: false };
const WORDS: Legs = Legs { semantic: false, keyword: true };

const fn search(name: &'static str, legs: Legs, roles: &'static [Role], whole: bool) -> Configuration {
    Configuration { name, how: How::Search(Asks { legs, roles, whole, rerank: false }) }
}

const ALL: [Configuration; 8] = [
    Configuration { name: "regex", how: How::Grep },
    search("bm25", WORDS, ROLES, false),
    search("dense", MEANING, &[Role::Query], true),
    search("dense-plain", MEANING, &[Role::Passage], true),
    search("hybrid", BOTH, ROLES, false),
    search("hybrid-query", BOTH, &[Role::Query], false),
    search("hybrid-plain", BOTH, &[Role::Passage], false),
    Configuration {
        name: "hybrid+rerank",
        how: How::Search(Asks { legs: BOTH, roles: ROLES, whole: false, rerank: true }),
    },
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
        matches!(self.how, How::Search(Asks { legs: Legs { semantic: true, .. }, .. }))
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
        let asks = Asks { legs: usual.legs, roles: usual.roles, whole: usual.whole, rerank: usual.rerank };
        assert_eq!(hybrid.how(), How::Search(asks), "hybrid is the product's default");
    }
}
