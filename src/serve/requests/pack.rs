//! A frame: a task in, what is known about it out, within a budget of tokens.

use super::place::{places, preferred};
use super::{Asker, RequestError, named};
use crate::config::Prefer;
use crate::engine::PackOptions;
use crate::engine::face::frames::Tokenizer;
use crate::engine::face::text::parse_timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

/// A task, and what its frame may be made of.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackRequest {
    /// The task.
    #[schemars(description = "The task, in a sentence or more")]
    pub task: String,
    /// Most tokens of the frame.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000_000), description = "Most tokens of the result (default 15000)")]
    pub budget: Option<usize>,
    /// How tokens are counted.
    #[serde(default)]
    pub tokenizer: Option<String>,
    /// The present state of the work.
    #[serde(default)]
    pub state: String,
    /// Standing instructions.
    #[serde(default)]
    pub instructions: String,
    /// Only files under these paths, or matching these patterns.
    #[serde(default)]
    #[schemars(description = "Only files under these paths or patterns, such as docs or 'src/*.rs'")]
    pub include: Vec<String>,
    /// No files under these paths, or matching these patterns.
    #[serde(default)]
    #[schemars(description = "No files under these paths or patterns")]
    pub exclude: Vec<String>,
    /// Whose files come first at about the same relevance: `here` or `none`.
    #[serde(default)]
    pub prefer: Option<String>,
    /// Only items of these scopes: `here`, `global`, or a repository's id.
    #[serde(default)]
    #[schemars(description = "Only this scope: here (this repository) or a repository's id")]
    pub scopes: Vec<String>,
    /// Only items of these kinds.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Only items of whose attributes this holds.
    #[serde(default, rename = "where")]
    #[schemars(description = "Only items of whose attributes this holds: lang = \"rust\" and stars >= 100")]
    pub condition: Option<String>,
    /// The moment that ages are counted from, such as 2026-11-22T12:00:00Z.
    #[serde(default)]
    pub as_of: Option<String>,
    /// Whether it is said what was left out.
    #[serde(default)]
    pub explain: bool,
    /// Whether what is answered does not count as shown; how often it was is a signal of later searches.
    #[serde(default)]
    #[schemars(description = "Do not count what is answered as shown")]
    pub dry_run: bool,
}

impl PackRequest {
    /// How the engine is asked.
    ///
    /// # Errors
    /// [`RequestError`] for a tokenizer, kind, scope, path or moment that there is not, or a condition that cannot be
    /// read.
    pub fn options(self, asker: Asker<'_>) -> Result<PackOptions, RequestError> {
        let settings = &asker.settings.pack;
        let tokenizer = |name: &str| name.parse::<Tokenizer>().ok();
        let tokenizers = Tokenizer::ALL.map(Tokenizer::name);
        let wanted = self.tokenizer.map(|name| named("tokenizer", &name, tokenizer, &tokenizers)).transpose()?;
        let prefer = self.prefer.map(|name| named("choice", &name, Prefer::of, &["here", "none"])).transpose()?;
        let moment = |text: String| {
            let wrong = || RequestError::usage(format!("{text} is no moment"), "write it as 2026-11-22T12:00:00Z");
            parse_timestamp(&text).ok_or_else(wrong)
        };
        Ok(PackOptions {
            budget: self.budget.unwrap_or(settings.budget),
            tokenizer: wanted.unwrap_or(settings.tokenizer),
            state: self.state,
            instructions: self.instructions,
            filter: places(
                asker,
                &self.kinds,
                &self.scopes,
                [&self.include, &self.exclude],
                self.condition.as_deref(),
            )?,
            prefer: preferred(prefer.unwrap_or(asker.settings.search.prefer), asker),
            as_of: self.as_of.map(moment).transpose()?,
            here: asker.here.path().to_string_lossy().into_owned(),
            explain: self.explain,
        })
    }
}
