//! Every setting that exists, once.

use crate::embed::DEFAULT_RERANKER;

/// What a value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Switch,
    /// A whole number from 1 to 100.
    Count,
    /// A whole number from 1 to 10,000,000.
    Tokens,
    /// A whole number from 1 to 100, or `auto`.
    CountOrAuto,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A number from 0 to 1, or nothing.
    Share,
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// `section.name`, as in the file.
    pub name: &'static str,
    /// Its value when nothing sets it.
    pub default: &'static str,
    /// Variables that set it, the first that is set wins.
    pub environment: &'static [&'static str],
    /// Whether a trusted repository may set it.
    pub repository: bool,
    /// Whether its value is never shown.
    pub secret: bool,
    /// What it may be.
    pub kind: ValueKind,
    /// One line for people.
    pub about: &'static str,
}

const fn key(name: &'static str, default: &'static str, kind: ValueKind, about: &'static str) -> Key {
    Key { name, default, environment: &[], repository: false, secret: false, kind, about }
}

/// All settings.
pub const KEYS: &[Key] = &[
    Key {
        environment: &["KEN_MODEL"],
        ..key("model.name", "bge-small-en-v1.5", ValueKind::Text, "model by name, or a directory that holds one")
    },
    key(
        "model.reranker",
        DEFAULT_RERANKER,
        ValueKind::Text,
        "model that reads question and text together, for search --rerank",
    ),
    Key {
        environment: &["KEN_AUTO_PULL"],
        ..key("model.auto_pull", "false", ValueKind::Switch, "get the model when a lookup needs it")
    },
    Key {
        environment: &["KEN_ENCODER"],
        ..key(
            "model.encoder",
            "auto",
            ValueKind::Choice(&["auto", "candle", "fused"]),
            "what runs the model: auto, candle, fused",
        )
    },
    Key {
        environment: &["KEN_PRECISION"],
        ..key(
            "model.precision",
            "auto",
            ValueKind::Choice(&["auto", "int8", "f32"]),
            "numbers in the model: auto (as its manifest says), int8, f32",
        )
    },
    Key {
        environment: &["KEN_THREADS"],
        ..key("model.threads", "auto", ValueKind::CountOrAuto, "threads of the encoder; auto is one a core")
    },
    Key {
        environment: &["KEN_SIMD"],
        ..key(
            "model.simd",
            "auto",
            ValueKind::Choice(&["auto", "scalar", "avx2", "avx512"]),
            "instructions that the encoder uses, for tests and comparisons",
        )
    },
    Key {
        environment: &["KEN_LIMIT"],
        repository: true,
        ..key("lookup.limit", "3", ValueKind::Count, "hits per error")
    },
    Key {
        environment: &["KEN_MAX_ERRORS"],
        repository: true,
        ..key("lookup.max_errors", "5", ValueKind::Count, "errors per input")
    },
    Key {
        environment: &["KEN_MIN_RELEVANCE"],
        repository: true,
        ..key("lookup.min_relevance", "", ValueKind::Share, "relevance to ask for in place of the calibrated gate")
    },
    key(
        "index.recall_target",
        "0.99",
        ValueKind::Share,
        "share of the nearest texts that a search must find; at 1 every vector is compared",
    ),
    Key {
        environment: &["KEN_BACKGROUND"],
        ..key(
            "index.background",
            "true",
            ValueKind::Switch,
            "make the vectors of a large index again in a process of its own once much has changed",
        )
    },
    Key { repository: true, ..key("search.limit", "5", ValueKind::Count, "hits per search") },
    Key { repository: true, ..key("pack.budget", "15000", ValueKind::Tokens, "tokens of a frame") },
    Key {
        repository: true,
        ..key(
            "pack.tokenizer",
            "cl100k",
            ValueKind::Choice(&["cl100k", "o200k", "model", "chars"]),
            "whose tokens a frame is counted in: cl100k, o200k, model, chars",
        )
    },
    Key {
        environment: &["HF_ENDPOINT"],
        ..key("hub.endpoint", "https://huggingface.co", ValueKind::Text, "where models are pulled from")
    },
    Key {
        environment: &["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"],
        ..key("hub.offline", "false", ValueKind::Switch, "never ask the hub or a package registry")
    },
    Key {
        environment: &["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"],
        secret: true,
        ..key("hub.token", "", ValueKind::Text, "sent to the hub alone")
    },
    Key {
        environment: &["KEN_PIP"],
        ..key("pip.command", "", ValueKind::Text, "how to run pip; empty tries the usual names")
    },
];

impl Key {
    /// The value in its one spelling.
    ///
    /// # Errors
    /// What was expected.
    pub fn normal(&self, value: &str) -> Result<String, &'static str> {
        let value = value.trim();
        match self.kind {
            ValueKind::Text => Ok(value.to_owned()),
            ValueKind::Switch => match value.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Ok("true".to_owned()),
                "false" | "0" | "no" | "off" => Ok("false".to_owned()),
                _ => Err("expected true or false"),
            },
            ValueKind::Count => match value.parse::<u32>() {
                Ok(count @ 1..=100) => Ok(count.to_string()),
                _ => Err("expected a whole number from 1 to 100"),
            },
            ValueKind::Tokens => match value.parse::<u32>() {
                Ok(count @ 1..=10_000_000) => Ok(count.to_string()),
                _ => Err("expected a whole number from 1 to 10000000"),
            },
            ValueKind::CountOrAuto if value == "auto" => Ok(value.to_owned()),
            ValueKind::CountOrAuto => match value.parse::<u32>() {
                Ok(count @ 1..=100) => Ok(count.to_string()),
                _ => Err("expected auto or a whole number from 1 to 100"),
            },
            ValueKind::Choice(words) if words.contains(&value) => Ok(value.to_owned()),
            ValueKind::Choice(_) => Err("expected one of the words that `ken config sample` lists for it"),
            ValueKind::Share if value.is_empty() => Ok(String::new()),
            ValueKind::Share => match value.parse::<f32>() {
                Ok(share) if (0.0..=1.0).contains(&share) => Ok(value.to_owned()),
                _ => Err("expected a number from 0 to 1"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_fits_its_own_kind() {
        for key in KEYS {
            assert_eq!(key.normal(key.default).as_deref(), Ok(key.default), "{}", key.name);
        }
    }
}
