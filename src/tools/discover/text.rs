//! What words and meaning say of a tool for a task: a sum of cosine and BM25, which [`super::softmax`] makes a
//! probability of.

use super::super::words::{called, name_words, operation_id};
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

/// What is embedded of a tool: the words of its name, and what it says of itself. Of an operation with an id that is
/// the first paragraph, id and summary: the others tell of tokens, limits and formats, which all operations have alike.
pub fn embedded_text(tool: &Tool) -> String {
    let whole = tool.description.as_str();
    let said = match operation_id(tool) {
        Some(_) => whole.split_once("\n\n").map_or(whole, |(first, _)| first),
        None => whole,
    };
    format!("{}: {said}", tool.name.replace(['_', '.'], " "))
}

/// Everything that is said of a tool.
fn worded_text(tool: &Tool) -> String {
    let names = called(tool).join(" ");
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
            names: TermIndex::of_texts((0..).zip(tools.iter().map(|tool| called(tool).join(" "))))?,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_operation_with_an_id_the_summary_is_embedded() {
        let embedded = |name: &str, description: &str| {
            embedded_text(&Tool { name: name.to_owned(), description: description.to_owned(), ..Tool::default() })
        };
        let more = "\n\nTokens need a scope.";
        let said = "issues/create. Create an issue";
        assert_eq!(embedded("POST /issues", &format!("{said}{more}")), format!("POST /issues: {said}"));
        assert_eq!(embedded("POST /issues", said), format!("POST /issues: {said}"));
        assert_eq!(embedded("GET /tv", &format!("Get shows.{more}")), format!("GET /tv: Get shows.{more}"));
        assert_eq!(embedded("make_it", &format!("Makes it.{more}")), format!("make it: Makes it.{more}"));
    }

    /// The operation itself stands before those of its parts, whose paths and ids say its name more often.
    #[test]
    fn an_operation_is_found_by_what_it_is_called() {
        let issues = "/repos/{owner}/{repo}/issues";
        let all = [
            ("/orgs/{org}/issue-fields", "orgs/create-issue-field. Create issue field for an organization"),
            ("/orgs/{org}/issue-types", "orgs/create-issue-type. Create issue type for an organization"),
            (issues, "issues/create. Create an issue"),
            ("/repos/{owner}/{repo}/issues/{issue_number}/comments", "issues/create-comment. Create an issue comment"),
            ("/repos/{owner}/{repo}/issues/{issue_number}/labels", "issues/add-labels. Add labels to an issue"),
            ("/repos/{owner}/{repo}/pulls", "pulls/create. Create a pull request"),
        ];
        let tools = all.map(|(path, description)| Tool {
            name: format!("POST {path}"),
            description: description.to_owned(),
            ..Tool::default()
        });
        let (_, names) = ToolTexts::of(&tools).unwrap().words("create an issue");
        let best = (0..tools.len()).max_by(|a, b| names[*a].total_cmp(&names[*b])).unwrap();
        assert_eq!(tools[best].name, format!("POST {issues}"), "{names:?}");
    }
}
