//! What words and meaning say of a tool for a task: a sum of cosine and BM25, which [`super::softmax`] makes a
//! probability of.

use super::super::words::name_words;
use crate::lexical::{QueryTerms, TermIndex};
use crate::types::Tool;
use std::io;

/// Weight of the cosine to the description. A difference of 0.1 counts as much as a rare word that is shared. Between
/// 20 and 45 the recall of the four sets together changes by less than 0.01 (docs/scoring.md).
pub const MEANING: f64 = 30.0;
/// Weight of BM25 over everything that is said of a tool. Between 0.3 and 0.8 the same holds.
pub const WORDS: f64 = 0.5;
/// Weight of BM25 over the name alone: a task that says a tool's name means the tool. Between 0.2 and 0.5 the same
/// holds; at 0 the recall is 0.01 lower.
pub const NAMES: f64 = 0.3;

/// Tools, to be found by words.
#[derive(Debug)]
pub struct ToolTexts {
    all: TermIndex,
    names: TermIndex,
    count: usize,
}

/// What is embedded of a tool: the words of its name, and what it says of itself.
pub fn embedded_text(tool: &Tool) -> String {
    format!("{}: {}", tool.name.replace(['_', '.'], " "), tool.description)
}

/// Everything that is said of a tool.
fn worded_text(tool: &Tool) -> String {
    let names = name_words(&tool.name).join(" ");
    let parameters: Vec<String> = tool.parameters.iter().map(|one| name_words(&one.name).join(" ")).collect();
    let (server, tags) = (name_words(&tool.server).join(" "), tool.tags.join(" "));
    format!("{names} {server} {} {tags} {}", tool.description, parameters.join(" "))
}

impl ToolTexts {
    /// Of these tools.
    ///
    /// # Errors
    /// As [`TermIndex::of_texts`].
    pub fn of(tools: &[Tool]) -> io::Result<Self> {
        Ok(Self {
            all: TermIndex::of_texts((0..).zip(tools.iter().map(worded_text)))?,
            names: TermIndex::of_texts((0..).zip(tools.iter().map(|tool| name_words(&tool.name).join(" "))))?,
            count: tools.len(),
        })
    }

    /// BM25 of each tool: over everything, and over names.
    pub fn words(&self, task: &str) -> (Vec<f64>, Vec<f64>) {
        let terms = QueryTerms::of(task);
        let scores = |index: &TermIndex| {
            let mut out = vec![0.0; self.count];
            for (id, score) in index.score_all(&terms).by_document {
                if let Some(place) = usize::try_from(id).ok().and_then(|id| out.get_mut(id)) {
                    *place = f64::from(score);
                }
            }
            out
        };
        (scores(&self.all), scores(&self.names))
    }
}
