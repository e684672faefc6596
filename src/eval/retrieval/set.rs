//! A set of documents, questions and judgements in BEIR's layout: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`, and
//! `unanswerable.jsonl` where there are questions that nothing should answer.
//!
//! A question that no judgement names is left out, as trec_eval does. Lines that are not what they should be are errors:
//! a set that is read in part measures something else.

use super::BenchError;
use super::metrics::Judgements;
use super::trec::{bad, lines, read, read_qrels};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// A document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Document {
    /// Its id: no white space, no control characters.
    #[serde(rename = "_id")]
    pub id: String,
    /// Its title; may be empty.
    #[serde(default)]
    pub title: String,
    /// Its text.
    pub text: String,
    /// What else is known.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Query {
    /// Its id.
    #[serde(rename = "_id")]
    pub id: String,
    /// What is asked.
    pub text: String,
    /// What else is known.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// Everything that is measured on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Set {
    /// The folder's name.
    pub name: String,
    /// The documents.
    pub documents: Vec<Document>,
    /// The questions that judgements name, in the order of their file.
    pub queries: Vec<Query>,
    /// Questions that nothing should answer.
    pub unanswerable: Vec<Query>,
    /// Grades by question.
    pub judgements: BTreeMap<String, Judgements>,
}

impl Set {
    /// Whether some judgement is above 1.
    pub fn is_graded(&self) -> bool {
        self.judgements.values().flat_map(|judged| judged.values()).any(|grade| *grade > 1)
    }
}

/// A field of the metadata as text; none if it is not there.
pub fn field(metadata: &serde_json::Value, name: &str) -> Option<String> {
    match metadata.get(name)? {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// Reads a set from its folder.
///
/// # Errors
/// [`BenchError`] with file and line for what is not of the layout.
pub fn read_set(folder: &Path) -> Result<Set, BenchError> {
    let whole = folder.canonicalize().map_err(BenchError::io(folder))?;
    let name = whole.file_name().map_or_else(|| "set".to_owned(), |name| name.to_string_lossy().into_owned());
    // The name ends up in names of files and in the last field of a run's lines.
    let name = name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let judgements = read_qrels(&folder.join("qrels").join("test.tsv"))?;
    let documents: Vec<Document> = records(&folder.join("corpus.jsonl"), |document: &Document| &document.id)?;
    let mut queries: Vec<Query> = records(&folder.join("queries.jsonl"), |query: &Query| &query.id)?;
    queries.retain(|query| judgements.contains_key(&query.id));
    let path = folder.join("unanswerable.jsonl");
    let unanswerable = if path.exists() { records(&path, |query: &Query| &query.id)? } else { Vec::new() };
    let problem = |what| Err(BenchError::Set { path: folder.to_owned(), what });
    if documents.is_empty() {
        return problem("it has no documents");
    }
    if queries.is_empty() {
        return problem("no judgement names one of its questions");
    }
    let judged = |query: &Query| judgements.get(&query.id).is_some_and(|all| all.values().any(|grade| *grade > 0));
    if unanswerable.iter().any(judged) {
        return problem("a question of unanswerable.jsonl has an answer in qrels/test.tsv");
    }
    let known: HashSet<&str> = queries.iter().map(|query| query.id.as_str()).collect();
    if unanswerable.iter().any(|query| known.contains(query.id.as_str())) {
        return problem("a question stands in queries.jsonl and in unanswerable.jsonl");
    }
    Ok(Set { name, documents, queries, unanswerable, judgements })
}

/// The records of a file of JSON lines, each with an id of its own.
fn records<T: for<'a> Deserialize<'a>>(path: &Path, id: impl Fn(&T) -> &String) -> Result<Vec<T>, BenchError> {
    let text = read(path)?;
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    for (number, line) in lines(&text) {
        let bad = bad(path, number);
        let record: T = serde_json::from_str(line).map_err(|error| bad(&error.to_string()))?;
        let name = id(&record);
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(bad("the _id is empty, or holds white space or control characters"));
        }
        if !seen.insert(name.clone()) {
            return Err(bad(&format!("the _id {name} is taken")));
        }
        out.push(record);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("qrels")).unwrap();
        let usual = [
            ("corpus.jsonl", "{\"_id\":\"d\",\"text\":\"one\"}\n{\"_id\":\"e\",\"title\":\"T\",\"text\":\"two\"}\n"),
            ("queries.jsonl", "{\"_id\":\"q\",\"text\":\"?\"}\n\n{\"_id\":\"r\",\"text\":\"left out\"}\n"),
            ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\td\t2\ngone\td\t1\n"),
        ];
        usual.iter().chain(files).for_each(|(name, text)| fs::write(dir.path().join(name), text).unwrap());
        dir
    }

    #[test]
    fn reads_the_layout() {
        let dir = folder(&[("unanswerable.jsonl", "{\"_id\":\"u\",\"text\":\"??\",\"metadata\":{\"g\":3}}\n")]);
        let set = read_set(dir.path()).unwrap();
        assert_eq!((set.documents.len(), set.documents[1].title.as_str()), (2, "T"));
        assert_eq!(set.queries.iter().map(|query| query.id.as_str()).collect::<Vec<_>>(), ["q"]);
        assert_eq!((set.judgements["q"]["d"], set.is_graded()), (2, true));
        assert_eq!(field(&set.unanswerable[0].metadata, "g").as_deref(), Some("3"));
        assert_eq!(field(&set.queries[0].metadata, "g"), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let cases = [
            (
                "corpus.jsonl",
                "{\"_id\":\"d\",\"text\":\"one\"}\n{\"_id\":\"d\",\"text\":\"two\"}\n",
                "line 2: the _id d is taken",
            ),
            ("corpus.jsonl", "{\"_id\":\"d\"}\n", "line 1: missing field `text`"),
            ("corpus.jsonl", "{\"_id\":\"a b\",\"text\":\"\"}\n", "line 1: the _id is empty, or"),
            ("corpus.jsonl", "\n", "it has no documents"),
            ("queries.jsonl", "\n{", "queries.jsonl, line 2: EOF"),
            ("queries.jsonl", "{\"_id\":\"x\",\"text\":\"\"}", "no judgement names"),
            ("qrels/test.tsv", "q d\n", "line 1: a judgement has"),
            ("unanswerable.jsonl", "{\"_id\":\"q\",\"text\":\"\"}", "has an answer in"),
        ];
        for (name, text, expected) in cases {
            let dir = folder(&[(name, text)]);
            let said = read_set(dir.path()).unwrap_err().to_string();
            assert!(said.contains(expected), "{name} {text:?}: {said}");
        }
    }
}
