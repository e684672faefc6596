//! Which search is measured.
//!
//! `hybrid` is what the product does. `bm25` is the same search without vectors. `dense` is the same without words, and
//! without what the product does to a question: its text as it stands, with the model's query prefix; `-plain` without
//! that. `hybrid-query` and `hybrid-plain` embed the question as one side of a search only. `hybrid+rerank` lets a
//! cross-encoder read the first candidates. `regex` is what people do without an index.
//!
//! Any other search is one of these with settings after its name: `hybrid,word_weight=0.5,feedback=false`. That text is
//! its name, so a result says how it was made, and can be made again.

use crate::query::{Legs, ROLES};
use crate::types::Role;
use std::str::FromStr;

/// A search, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    name: String,
    how: How,
}

/// How documents are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum How {
    /// By the question's words as one pattern, text by text.
    Grep,
    /// By the engine.
    Search(Asks),
}

/// How the engine is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Asks {
    pub(super) legs: Legs,
    pub(super) roles: &'static [Role],
    pub(super) whole: bool,
    pub(super) rerank: bool,
    pub(super) word_weight: Option<f32>,
    pub(super) feedback: bool,
}

const BOTH: Legs = Legs { semantic: true, keyword: true };
const MEANING: Legs = Legs { semantic: true, keyword: false };
const WORDS: Legs = Legs { semantic: false, keyword: true };

const fn search(legs: Legs, roles: &'static [Role], whole: bool) -> How {
    How::Search(Asks { legs, roles, whole, rerank: false, word_weight: None, feedback: true })
}

const RERANKED: Asks = Asks { legs: BOTH, roles: ROLES, whole: false, rerank: true, word_weight: None, feedback: true };

const NAMED: [(&str, How); 8] = [
    ("regex", How::Grep),
    ("bm25", search(WORDS, ROLES, false)),
    ("dense", search(MEANING, &[Role::Query], true)),
    ("dense-plain", search(MEANING, &[Role::Passage], true)),
    ("hybrid", search(BOTH, ROLES, false)),
    ("hybrid-query", search(BOTH, &[Role::Query], false)),
    ("hybrid-plain", search(BOTH, &[Role::Passage], false)),
    ("hybrid+rerank", How::Search(RERANKED)),
];

/// What can be set, with what it can be set to.
const SETTINGS: &str = "meaning=true|false, words=true|false, question=query|passage|both, whole=true|false, \
    rerank=true|false, feedback=true|false, word_weight=NUMBER";

impl Configuration {
    /// The names that every run begins with.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// Those that are measured if nobody says otherwise.
    pub fn usual() -> Vec<Self> {
        let usual = NAMED.into_iter().filter(|(name, _)| matches!(*name, "bm25" | "dense" | "hybrid"));
        usual.map(|(name, how)| Self { name: name.to_owned(), how }).collect()
    }

    /// Those of a file: one a line; a line that begins with `#` is a comment.
    ///
    /// # Errors
    /// What is wrong, with the number of the line.
    pub fn read_all(text: &str) -> Result<Vec<Self>, String> {
        let lines = text.lines().map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        lines.map(|(at, line)| line.parse().map_err(|why| format!("line {}: {why}", at + 1))).collect()
    }

    /// Its name, from which it can be read again.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn how(&self) -> How {
        self.how
    }

    /// Whether it searches an index.
    pub fn needs_index(&self) -> bool {
        self.how != How::Grep
    }

    /// Whether it needs a model.
    pub fn needs_model(&self) -> bool {
        matches!(self.how, How::Search(Asks { legs: Legs { semantic: true, .. }, .. }))
    }
}

impl FromStr for Configuration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',').map(str::trim);
        let base = parts.next().unwrap_or_default();
        let found = NAMED.into_iter().find(|(name, _)| *name == base).map(|(_, how)| how);
        let mut how = found.ok_or_else(|| {
            format!("{base} is not a run; expected one of {}", NAMED.map(|(name, _)| name).join(", "))
        })?;
        let mut name = base.to_owned();
        for part in parts {
            let How::Search(asks) = &mut how else { return Err(format!("{base} has no settings")) };
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            set(asks, key, value).ok_or_else(|| format!("{part} is not a setting; expected {SETTINGS}"))?;
            name.push_str(&format!(",{key}={value}"));
        }
        match how {
            How::Search(asks) if !asks.legs.semantic && !asks.legs.keyword => {
                Err("neither meaning nor words: nothing would be found".to_owned())
            }
            _ => Ok(Self { name, how }),
        }
    }
}

/// Sets one thing; `None` if there is no such thing or no such value.
fn set(asks: &mut Asks, key: &str, value: &str) -> Option<()> {
    match key {
        "meaning" => asks.legs.semantic = value.parse().ok()?,
        "words" => asks.legs.keyword = value.parse().ok()?,
        "whole" => asks.whole = value.parse().ok()?,
        "rerank" => asks.rerank = value.parse().ok()?,
        "feedback" => asks.feedback = value.parse().ok()?,
        "word_weight" => {
            asks.word_weight = Some(value.parse().ok().filter(|weight| (0.0..=1_000.0).contains(weight))?);
        }
        "question" => {
            asks.roles = match value {
                "query" => &[Role::Query],
                "passage" => &[Role::Passage],
                "both" => ROLES,
                _ => return None,
            };
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Configuration {
        text.parse().unwrap()
    }

    #[test]
    fn names_come_back() {
        assert!(NAMED.iter().all(|(name, how)| read(name) == Configuration { name: (*name).to_owned(), how: *how }));
        assert_eq!(Configuration::usual().len(), 3);
        let usual = crate::query::SearchOptions::default();
        let asks = Asks {
            legs: usual.legs,
            roles: usual.roles,
            whole: usual.whole,
            rerank: usual.rerank,
            word_weight: usual.word_weight,
            feedback: usual.feedback,
        };
        assert_eq!(read("hybrid").how(), How::Search(asks), "hybrid is the product's default");
    }

    #[test]
    fn settings_make_other_runs_that_say_what_they_are() {
        let own = read("hybrid, word_weight = 0.5,feedback=false");
        assert_eq!(own.name(), "hybrid,word_weight=0.5,feedback=false");
        assert_eq!(read(own.name()), own);
        assert_eq!(read("hybrid,meaning=false").how(), read("bm25").how());
        assert_eq!(read("hybrid,question=query,whole=true,words=false").how(), read("dense").how());
        let refused = |text: &str| text.parse::<Configuration>().unwrap_err();
        assert!(refused("bm26").contains("bm25, dense"));
        assert!(refused("regex,whole=true").contains("no settings"));
        assert!(refused("bm25,words=false").contains("neither"));
        for wrong in
            ["hybrid,word_weight=NaN", "hybrid,word_weight=-1", "hybrid,x=1", "hybrid,whole", "hybrid,question=a"]
        {
            assert!(refused(wrong).contains("word_weight=NUMBER"), "{wrong}");
        }
    }

    #[test]
    fn a_file_has_a_run_a_line() {
        let text = "# ours\nhybrid\n\n  hybrid,feedback=false\n";
        assert_eq!(Configuration::read_all(text).unwrap(), [read("hybrid"), read("hybrid,feedback=false")]);
        assert!(Configuration::read_all("hybrid\nhybird").unwrap_err().starts_with("line 2: hybird"));
    }
}
