//! All packs together: read, layered, and ready to be matched.

use super::matcher::{Matcher, PatternHit};
use super::pack::{Entry, PackFile, SCHEMA_VERSION};
use super::pattern::Pattern;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// Whose knowledge a pack is. A later layer replaces entries of an earlier one by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Compiled into the program.
    Builtin,
    /// The user's own.
    User,
    /// A trusted repository's.
    Repository,
}

impl Layer {
    /// The word before the colon in a hit's `source`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Builtin => "canon",
            Self::User => "user",
            Self::Repository => "repository",
        }
    }
}

/// The text of a pack and where it comes from.
#[derive(Debug, Clone)]
pub struct PackSource {
    /// Its layer.
    pub layer: Layer,
    /// For messages: a path, or the pack's name.
    pub origin: String,
    /// JSON.
    pub text: Cow<'static, str>,
}

/// The packs that are compiled in.
pub fn builtin() -> Vec<PackSource> {
    const PACKS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));
    let source = |&(name, text): &(&str, &'static str)| PackSource {
        layer: Layer::Builtin,
        origin: format!("{name}.json"),
        text: Cow::Borrowed(text),
    };
    PACKS.iter().map(source).collect()
}

/// A pack or an entry that could not be used. The rest is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {message}")]
pub struct PackProblem {
    /// The pack's origin.
    pub origin: String,
    /// What is wrong.
    pub message: String,
}

/// An entry with its place.
#[derive(Debug)]
pub struct Stored {
    /// The entry.
    pub entry: Entry,
    /// Its layer.
    pub layer: Layer,
    /// Its pack.
    pub pack: String,
    /// The layer whose entry of the same id it replaces.
    pub replaces: Option<Layer>,
}

impl Stored {
    /// `canon:PACK`, `user:PACK` or `repository:PACK`.
    pub fn source(&self) -> String {
        format!("{}:{}", self.layer.label(), self.pack)
    }

    /// Names of the groups in the entry's patterns.
    pub fn captures(&self) -> BTreeSet<String> {
        let patterns = self.entry.error_patterns.iter().chain(&self.entry.generic_patterns);
        let mut names = BTreeSet::new();
        for pattern in patterns {
            let mut rest = pattern.as_str();
            while let Some(at) = rest.find("(?P<") {
                rest = &rest[at + 4..];
                if let Some(end) = rest.find('>') {
                    names.insert(rest[..end].to_owned());
                }
            }
        }
        names
    }
}

/// All knowledge that patterns can reach.
#[derive(Debug)]
pub struct Canon {
    entries: Vec<Stored>,
    by_id: HashMap<String, usize>,
    patterns: Vec<Pattern>,
    matcher: Matcher,
}

impl Canon {
    /// Reads the packs. What cannot be used is left out and reported.
    pub fn load(sources: &[PackSource]) -> (Self, Vec<PackProblem>) {
        let mut problems = Vec::new();
        let mut entries: Vec<Stored> = Vec::new();
        let mut by_id: HashMap<String, usize> = HashMap::new();
        let mut sources: Vec<&PackSource> = sources.iter().collect();
        sources.sort_by_key(|source| source.layer);
        for source in sources {
            let mut problem = |message: String| problems.push(PackProblem { origin: source.origin.clone(), message });
            let pack: PackFile = match serde_json::from_str(&source.text) {
                Ok(pack) => pack,
                Err(e) => {
                    problem(format!("not a canon pack: {e}"));
                    continue;
                }
            };
            if pack.schema_version != SCHEMA_VERSION {
                problem(format!(
                    "schema version {} is not {SCHEMA_VERSION}, which this program reads",
                    pack.schema_version
                ));
                continue;
            }
            for entry in pack.entries {
                let stored =
                    |replaces| Stored { layer: source.layer, pack: pack.pack.clone(), replaces, entry: entry.clone() };
                match by_id.get(&entry.id).copied() {
                    Some(at) if entries[at].layer == source.layer => {
                        problem(format!("{} stands there twice; the first is used", entry.id));
                    }
                    Some(at) => entries[at] = stored(Some(entries[at].layer)),
                    None => {
                        by_id.insert(entry.id.clone(), entries.len());
                        entries.push(stored(None));
                    }
                }
            }
        }
        let mut patterns = Vec::new();
        for (index, stored) in entries.iter().enumerate() {
            let specific = stored.entry.error_patterns.iter().map(|p| (p, false));
            let generic = stored.entry.generic_patterns.iter().map(|p| (p, true));
            for (source, generic) in specific.chain(generic) {
                match Pattern::new(index, source, generic) {
                    Ok(pattern) => patterns.push(pattern),
                    Err(message) => problems.push(PackProblem {
                        origin: stored.source(),
                        message: format!("{}: {message}: {source}", stored.entry.id),
                    }),
                }
            }
        }
        for (index, stored) in entries.iter().enumerate() {
            for alias in &stored.entry.aliases {
                by_id.entry(alias.clone()).or_insert(index);
            }
        }
        let matcher = Matcher::new(&patterns);
        (Self { entries, by_id, patterns, matcher }, problems)
    }

    /// All entries; indices are stable for the life of the value.
    pub fn entries(&self) -> &[Stored] {
        &self.entries
    }

    /// The index of an entry by id or former id.
    pub fn index_of(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// All pattern matches in cleaned text, in the order of their position.
    pub fn find(&self, text: &str) -> Vec<PatternHit> {
        self.matcher.find(&self.patterns, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(layer: Layer, title: &str) -> PackSource {
        let text = serde_json::json!({"schema_version": 1, "pack": "p", "title": "P", "entries": [
            {"id": "p/a", "title": title, "error_patterns": ["disk (?P<d>\\w+) is full"], "cause": "c", "fix": ["f"], "aliases": ["p/old"]}
        ]});
        PackSource { layer, origin: "p.json".into(), text: text.to_string().into() }
    }

    #[test]
    fn the_nearest_layer_wins_and_says_so() {
        let (canon, problems) = Canon::load(&[source(Layer::Repository, "ours"), source(Layer::Builtin, "theirs")]);
        assert!(problems.is_empty());
        let at = canon.index_of("p/old").unwrap();
        assert_eq!(
            (canon.entries()[at].entry.title.as_str(), canon.entries()[at].replaces),
            ("ours", Some(Layer::Builtin))
        );
        assert_eq!(canon.find("disk sda is full")[0].captures["d"], "sda");
    }

    #[test]
    fn what_is_broken_is_reported_and_the_rest_used() {
        let broken = PackSource { layer: Layer::User, origin: "x.json".into(), text: "{nope".into() };
        let twice = source(Layer::Builtin, "again");
        let (canon, problems) = Canon::load(&[source(Layer::Builtin, "once"), twice, broken]);
        assert_eq!((canon.entries().len(), problems.len()), (1, 2));
    }

    #[test]
    fn the_built_in_packs_load_without_a_problem() {
        assert_eq!(Canon::load(&builtin()).1, []);
    }
}
