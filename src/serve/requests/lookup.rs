//! A lookup: an error in, its known cause and fix out.

use crate::config::LookupSettings;
use crate::engine::face::asking::{Filters, LookupOptions};
use crate::types::Access;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// An error or a log, and how it is looked up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookupRequest {
    /// The error message, the log, or the problem in words. (The command line reads it as a stream.)
    #[schemars(description = "The error message or log as it was printed, or the problem in words")]
    pub text: String,
    /// Most answers for each error.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100), description = "Most answers for each error (default 3)")]
    pub limit: Option<u32>,
    /// Most errors that are answered.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100), description = "Most errors of a log that are answered (default 5)")]
    pub max_errors: Option<u32>,
    /// The relevance that is needed, from 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_relevance: Option<f32>,
    /// Only entries about this kind of object.
    #[serde(default)]
    pub resource: Option<String>,
    /// Only entries of this provider.
    #[serde(default)]
    #[schemars(description = "Only entries of this provider, such as aws")]
    pub provider: Option<String>,
    /// Only entries of these packs.
    #[serde(default)]
    pub packs: Vec<String>,
    /// Only entries with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whether each answer says how it was scored.
    #[serde(default)]
    pub explain: bool,
    /// An entry whose absence is to be explained.
    #[serde(default)]
    pub why_not: Option<String>,
    /// Whether what is answered does not count as shown; how often it was is a signal of later searches.
    #[serde(default)]
    #[schemars(description = "Do not count what is answered as shown")]
    pub dry_run: bool,
}

impl LookupRequest {
    /// Whether some entries may not answer.
    pub fn is_filtered(&self) -> bool {
        let Self { resource, provider, packs, tags, .. } = self;
        resource.is_some() || provider.is_some() || !packs.is_empty() || !tags.is_empty()
    }

    /// How the engine is asked.
    pub fn options(self, settings: &LookupSettings) -> LookupOptions {
        LookupOptions {
            limit: self.limit.map_or(settings.limit, |limit| limit as usize),
            max_errors: self.max_errors.map_or(settings.max_errors, |errors| errors as usize),
            min_relevance: self.min_relevance.or(settings.min_relevance),
            filters: Filters { resource: self.resource, provider: self.provider, packs: self.packs, tags: self.tags },
            explain: self.explain,
            why_not: self.why_not,
            platform: None,
            passing: None,
            access: Access::default(),
            feedback: Arc::default(),
        }
    }
}
