//! What a model is for.

use serde::{Deserialize, Serialize};

/// What a model makes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// A vector of each text.
    #[default]
    Encoder,
    /// A number of a question and a text together.
    Reranker,
}

impl ModelKind {
    /// The name in manifests and for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Encoder => "encoder",
            Self::Reranker => "reranker",
        }
    }

    /// The same in a sentence.
    pub(crate) const fn with_article(self) -> &'static str {
        match self {
            Self::Encoder => "an encoder",
            Self::Reranker => "a reranker",
        }
    }
}
