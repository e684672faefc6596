//! The manifests that ship with the program, one line each, in the order in which they are listed.

use super::{EmbedError, Manifest};
use crate::text::near_names;
use std::sync::LazyLock;

/// The model that is meant when none is named.
pub const DEFAULT_MODEL: &str = "bge-small-en-v1.5";
/// The model that reads question and text together, when none is named.
pub const DEFAULT_RERANKER: &str = "ms-marco-MiniLM-L-12-v2-int8";

macro_rules! manifests {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../models/", $name, ".toml")))),*]
    };
}

/// Name and text; a test holds the two and the directory `models/` together.
const TEXTS: [(&str, &str); 10] = manifests![
    "bge-small-en-v1.5",
    "bge-small-en-v1.5-int8",
    "bge-base-en-v1.5",
    "bge-large-en-v1.5",
    "bge-m3",
    "e5-small-v2",
    "e5-base-v2",
    "multilingual-e5-small",
    "all-MiniLM-L6-v2",
    "ms-marco-MiniLM-L-12-v2-int8",
];

static PARSED: LazyLock<Vec<Manifest>> = LazyLock::new(|| {
    // A text that does not parse would fail the test below long before a release.
    TEXTS.iter().filter_map(|(_, text)| Manifest::parse(text).ok()).collect()
});

impl Manifest {
    /// All manifests that are compiled in.
    pub fn builtin() -> &'static [Manifest] {
        &PARSED
    }

    /// The compiled-in manifest of this name.
    ///
    /// # Errors
    /// [`EmbedError::UnknownModel`] with the names that are near.
    pub fn builtin_named(name: &str) -> Result<&'static Manifest, EmbedError> {
        PARSED.iter().find(|m| m.name == name).ok_or_else(|| EmbedError::UnknownModel {
            name: name.into(),
            near: near_names(name, PARSED.iter().map(|m| m.name.as_str())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::ModelKind;

    #[test]
    fn every_manifest_parses_and_matches_its_file() {
        for (name, text) in TEXTS {
            let manifest = Manifest::parse(text).unwrap();
            assert_eq!(manifest.name, name);
            assert!(!manifest.sources.is_empty() && !manifest.licence.is_empty(), "{name}");
            if let Some(fallback) = &manifest.fallback {
                let other = Manifest::builtin_named(fallback).unwrap();
                assert_eq!(other.dims, manifest.dims, "{name}: a fallback of another width");
            }
        }
        assert_eq!(Manifest::builtin_named(DEFAULT_MODEL).unwrap().kind, ModelKind::Encoder);
        assert_eq!(Manifest::builtin_named(DEFAULT_RERANKER).unwrap().kind, ModelKind::Reranker);
        assert_eq!(Manifest::builtin().len(), TEXTS.len());
        let mut on_disk: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/models"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        on_disk.sort();
        let mut known: Vec<String> = TEXTS.iter().map(|(n, _)| format!("{n}.toml")).collect();
        known.sort();
        assert_eq!(on_disk, known);
    }

    #[test]
    fn near_names_are_offered() {
        let near = |name: &str| match Manifest::builtin_named(name) {
            Err(EmbedError::UnknownModel { near, .. }) => near,
            other => panic!("{other:?}"),
        };
        assert_eq!(near("bge-smal-en-v1.5")[0], "bge-small-en-v1.5");
        assert_eq!(near("BAAI/bge-m3"), ["bge-m3"]);
        assert_eq!(near("minilm"), ["all-MiniLM-L6-v2", "ms-marco-MiniLM-L-12-v2-int8"]);
        assert!(near("gpt-7").is_empty());
    }
}
