//! A search: a question in, passages of indexed files and entries of packs out.

use super::place::{places, preferred};
use super::{Asker, RequestError, named};
use crate::config::Prefer;
use crate::engine::Sample;
use crate::engine::face::asking::{ItemFilter, SearchOptions, endings};
use schemars::JsonSchema;
use serde::Deserialize;

/// A question, a vector or an item, and where what is near to it may lie.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// The question.
    #[serde(default)]
    #[schemars(description = "The question, in words or keywords")]
    pub query: Option<String>,
    /// A vector in place of the question.
    #[serde(default)]
    #[schemars(description = "A vector of the index's model in place of a question; words do not count then")]
    pub vector: Option<Vec<f32>>,
    /// An item in place of the question.
    #[serde(default)]
    #[schemars(description = "The id of an item in place of a question: what is like it, itself left out")]
    pub like: Option<String>,
    /// Most hits.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100), description = "Most hits (default 5)")]
    pub limit: Option<u32>,
    /// Only items of these kinds.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Only items of these scopes: `here`, `global`, or a repository's id.
    #[serde(default)]
    #[schemars(description = "Only this scope: here (this repository) or a repository's id")]
    pub scopes: Vec<String>,
    /// Only files under these paths, or matching these patterns.
    #[serde(default)]
    #[schemars(description = "Only files under these paths or patterns, such as docs or 'src/*.rs'")]
    pub paths: Vec<String>,
    /// No files under these paths, or matching these patterns.
    #[serde(default)]
    #[schemars(description = "No files under these paths or patterns")]
    pub exclude: Vec<String>,
    /// Only files of these languages, formats or endings.
    #[serde(default)]
    #[schemars(description = "Only files of these languages or endings, such as rust or md")]
    pub types: Vec<String>,
    /// Only items with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only items of this provider.
    #[serde(default)]
    pub provider: Option<String>,
    /// Only items of whose attributes this holds.
    #[serde(default, rename = "where")]
    #[schemars(description = "Only items of whose attributes this holds: lang = \"rust\" and stars >= 100")]
    pub condition: Option<String>,
    /// Whose files come first at about the same relevance: `here` or `none`.
    #[serde(default)]
    pub prefer: Option<String>,
    /// Lines before and after each excerpt; without it there are no excerpts.
    #[serde(default)]
    #[schemars(range(max = 1000), description = "Lines around each excerpt (default 0)")]
    pub context: Option<u32>,
    /// Whether the whole text of each hit is given.
    #[serde(default)]
    #[schemars(description = "Give the whole text of each hit")]
    pub full: bool,
    /// The relevance that is needed, from 0 to 1.
    #[serde(default)]
    #[schemars(
        range(min = 0.0, max = 1.0),
        description = "Show hits from this relevance on, 0 to 1 (default: what is sure enough)"
    )]
    pub min_relevance: Option<f32>,
    /// Whether a cross-encoder has a say.
    #[serde(default)]
    pub rerank: bool,
    /// Whether each hit says how it was scored.
    #[serde(default)]
    pub explain: bool,
    /// An item whose absence is to be explained.
    #[serde(default)]
    pub why_not: Option<String>,
    /// Whether what is answered does not count as shown; how often it was is a signal of later searches.
    #[serde(default)]
    #[schemars(description = "Do not count what is answered as shown")]
    pub dry_run: bool,
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq)]
pub enum Sought {
    /// What answers this question.
    Question(String),
    /// What is near to this.
    Alike(Sample),
}

impl SearchRequest {
    /// What is searched for.
    ///
    /// # Errors
    /// [`RequestError`] unless exactly one of question, vector and item is given.
    pub fn sought(&self) -> Result<Sought, RequestError> {
        let sought = match (&self.query, &self.vector, &self.like) {
            (Some(question), None, None) => return Ok(Sought::Question(question.clone())),
            (None, Some(vector), None) => Sought::Alike(Sample::Vector(vector.clone())),
            (None, None, Some(id)) => Sought::Alike(Sample::Item(id.clone())),
            _ => {
                return Err(RequestError::usage(
                    "a search needs one of query, vector and like, and no other of them",
                    "give a question, a vector, or the id of an item that others are to be like",
                ));
            }
        };
        match self.rerank {
            false => Ok(sought),
            true => Err(RequestError::usage(
                "there is no question that a cross-encoder could read",
                "rerank with a query, or leave it away",
            )),
        }
    }

    /// Whether some items may not answer.
    pub fn is_filtered(&self) -> bool {
        let lists = [&self.kinds, &self.scopes, &self.paths, &self.exclude, &self.types, &self.tags];
        self.provider.is_some() || self.condition.is_some() || lists.iter().any(|list| !list.is_empty())
    }

    /// How the engine is asked.
    ///
    /// # Errors
    /// [`RequestError`] for a kind, scope, path or type that there is not, or a condition that cannot be read.
    pub fn options(self, asker: Asker<'_>) -> Result<SearchOptions, RequestError> {
        let settings = &asker.settings.search;
        let prefer = self.prefer.map(|name| named("choice", &name, Prefer::of, &["here", "none"])).transpose()?;
        Ok(SearchOptions {
            limit: self.limit.map_or(settings.limit, |limit| limit as usize),
            min_relevance: self.min_relevance,
            filter: ItemFilter {
                endings: types(&self.types)?,
                tags: self.tags,
                provider: self.provider,
                ..places(asker, &self.kinds, &self.scopes, [&self.paths, &self.exclude], self.condition.as_deref())?
            },
            prefer: preferred(prefer.unwrap_or(settings.prefer), asker),
            excerpt: self.context.map(|lines| lines as usize),
            full: self.full,
            explain: self.explain,
            why_not: self.why_not,
            rerank: self.rerank,
            ..SearchOptions::default()
        })
    }
}

fn types(names: &[String]) -> Result<Vec<String>, RequestError> {
    let wrong = |name: &str| {
        RequestError::usage(
            format!("{name} is no type of files"),
            "a language, a format or an ending is, such as rust, markdown or md",
        )
    };
    let all = names.iter().map(|name| endings(name).ok_or_else(|| wrong(name)));
    Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
}
