//! A set of documents, questions and judgements in BEIR's layout: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv` (or
//! another split of the judgements), and `unanswerable.jsonl` where there are questions that nothing should answer.
//!
//! An id may be a number, and a title or a text may be missing, as in sets that other tools write.
//! A question that no judgement names is left out, as trec_eval does. Lines that are not what they should be are
//! errors: a set that is read in part measures something else.

use super::BenchError;
use super::metrics::Judgements;
use super::source::{LAYOUT, bad, lines, read};
use super::trec::read_qrels;
use crate::platform::canonical;
use crate::text::sha256_hex;
use serde::{Deserialize, Deserializer, de};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

/// The judgements that are read if nobody says otherwise.
pub const SPLIT: &str = "test";

/// Fields that a hint names.
const FIELDS: usize = 12;

const DOCUMENT: &str = r#"a line of corpus.jsonl is {"_id": "d1", "title": "...", "text": "..."}"#;
const QUERY: &str = r#"a line of queries.jsonl is {"_id": "q1", "text": "..."}, of unanswerable.jsonl too"#;

/// A document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Document {
    /// Its id: no white space, no control characters.
    #[serde(rename = "_id", deserialize_with = "id")]
    pub id: String,
    /// Its title; may be empty.
    #[serde(default, deserialize_with = "or_empty")]
    pub title: String,
    /// Its text; may be empty.
    #[serde(default, deserialize_with = "or_empty")]
    pub text: String,
    /// What else is known.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Query {
    /// Its id.
    #[serde(rename = "_id", deserialize_with = "id")]
    pub id: String,
    /// What is asked; may be empty.
    #[serde(default, deserialize_with = "or_empty")]
    pub text: String,
    /// What else is known.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

fn id<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    match serde_json::Value::deserialize(from)? {
        serde_json::Value::String(text) => Ok(text),
        serde_json::Value::Number(number) if !number.is_f64() => Ok(number.to_string()),
        _ => Err(de::Error::custom("an _id is text or a whole number")),
    }
}

fn or_empty<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Everything that is measured on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Set {
    /// The folder's name.
    pub name: String,
    /// Which judgements were read.
    pub split: String,
    /// The documents.
    pub documents: Vec<Document>,
    /// The questions that judgements name, in the order of their file.
    pub queries: Vec<Query>,
    /// Ids of the questions that no judgement names.
    pub unjudged: BTreeSet<String>,
    /// Questions that nothing should answer.
    pub unanswerable: Vec<Query>,
    /// Grades by question.
    pub judgements: BTreeMap<String, Judgements>,
}

impl Set {
    /// All questions, each with whether there is an answer to it.
    pub fn all(&self) -> impl Iterator<Item = (&Query, bool)> {
        let unanswerable = self.unanswerable.iter().map(|query| (query, false));
        self.queries.iter().map(|query| (query, true)).chain(unanswerable)
    }

    /// Makes sure that documents and questions can be grouped by a field.
    ///
    /// # Errors
    /// [`BenchError::Set`] when no document or no question has it.
    pub fn require_field(&self, name: &str, folder: &Path) -> Result<(), BenchError> {
        let of_documents = || self.documents.iter().map(|document| &document.metadata);
        let of_queries = || self.all().map(|(query, _)| &query.metadata);
        let what = match (
            of_documents().any(|all| field(all, name).is_some()),
            of_queries().any(|all| field(all, name).is_some()),
        ) {
            (true, true) => return Ok(()),
            (false, _) => "document",
            (true, false) => "question",
        };
        let keys = |all: &serde_json::Value| {
            all.as_object().into_iter().flat_map(|all| all.keys().cloned()).collect::<Vec<_>>()
        };
        let asked: BTreeSet<String> = of_queries().flat_map(keys).collect();
        let shared: BTreeSet<String> = of_documents().flat_map(keys).filter(|key| asked.contains(key)).collect();
        let hint = match shared.is_empty() {
            true => "documents and questions share no field of their metadata".to_owned(),
            false => format!("both have {}", shared.into_iter().take(FIELDS).collect::<Vec<_>>().join(", ")),
        };
        Err(BenchError::Set { path: folder.to_owned(), what: format!("no {what} has the field {name}"), hint })
    }

    /// A hash of everything that is measured on: documents, questions, judgements.
    pub fn digest(&self) -> String {
        let mut all = Vec::new();
        let mut add = |part: &str| {
            all.extend_from_slice(&(part.len() as u64).to_le_bytes());
            all.extend_from_slice(part.as_bytes());
        };
        for one in &self.documents {
            [one.id.as_str(), &one.title, &one.text, &one.metadata.to_string()].into_iter().for_each(&mut add);
        }
        for (query, answerable) in self.all() {
            let kind = if answerable { "answerable" } else { "unanswerable" };
            [kind, query.id.as_str(), &query.text, &query.metadata.to_string()].into_iter().for_each(&mut add);
        }
        for query in &self.queries {
            let judged: BTreeMap<_, _> = self.judgements.get(&query.id).into_iter().flatten().collect();
            for (document, grade) in judged {
                [query.id.as_str(), document, &grade.to_string()].into_iter().for_each(&mut add);
            }
        }
        sha256_hex(&all)
    }

    /// Questions that are documents of the set: same id, and the document holds the question's text. Numbers alone say
    /// nothing, because many sets number both from 1.
    pub fn own_documents(&self) -> HashSet<&str> {
        let documents: HashMap<&str, &Document> = self.documents.iter().map(|one| (one.id.as_str(), one)).collect();
        let is_own = |query: &&Query| {
            let text = letters(&query.text);
            let document = documents.get(query.id.as_str());
            !text.is_empty() && document.is_some_and(|one| (letters(&one.title) + &letters(&one.text)).contains(&text))
        };
        self.all().map(|(query, _)| query).filter(is_own).map(|query| query.id.as_str()).collect()
    }

    /// Whether some judgement is above 1.
    pub fn is_graded(&self) -> bool {
        self.judgements.values().flat_map(|judged| judged.values()).any(|grade| *grade > 1)
    }
}

/// A text without case and white space.
fn letters(text: &str) -> String {
    text.split_whitespace().flat_map(str::chars).flat_map(char::to_lowercase).collect()
}

/// A field of the metadata as text; none if it is not there.
pub fn field(metadata: &serde_json::Value, name: &str) -> Option<String> {
    match metadata.get(name)? {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// Reads a set from its folder, with the judgements of [`SPLIT`].
///
/// # Errors
/// [`BenchError`] with file and line for what is not of the layout.
pub fn read_set(folder: &Path) -> Result<Set, BenchError> {
    read_split(folder, SPLIT)
}

/// Reads a set from its folder, with the judgements of `qrels/SPLIT.tsv`.
///
/// # Errors
/// [`BenchError`] with file and line for what is not of the layout.
pub fn read_split(folder: &Path, split: &str) -> Result<Set, BenchError> {
    let missing = |source| BenchError::Unread { path: folder.to_owned(), source, hint: LAYOUT };
    let whole = canonical(folder).map_err(missing)?;
    let name = whole.file_name().map_or_else(|| "set".to_owned(), |name| name.to_string_lossy().into_owned());
    let problem = |what: String, hint: String| Err(BenchError::Set { path: folder.to_owned(), what, hint });
    let judged = folder.join("qrels").join(format!("{split}.tsv"));
    let others = if judged.exists() { Vec::new() } else { splits(folder) };
    if !others.is_empty() {
        let options: Vec<String> = others.iter().map(|name| format!("--split {name}")).collect();
        return problem(format!("it has no qrels/{split}.tsv"), format!("its judgements: {}", options.join(" or ")));
    }
    for file in ["corpus.jsonl", "queries.jsonl"] {
        let packed = format!("{file}.gz");
        if !folder.join(file).exists() && folder.join(&packed).exists() {
            return problem(format!("{packed} is not read, only {file}"), format!("gunzip -k {packed}"));
        }
    }
    let judgements = read_qrels(&judged)?;
    let documents = records(&folder.join("corpus.jsonl"), DOCUMENT, |document: &Document| &document.id)?;
    let mut queries = records(&folder.join("queries.jsonl"), QUERY, |query: &Query| &query.id)?;
    let unjudged = queries.iter().filter(|query| !judgements.contains_key(&query.id)).map(|query| query.id.clone());
    let unjudged = unjudged.collect();
    queries.retain(|query| judgements.contains_key(&query.id));
    let path = folder.join("unanswerable.jsonl");
    let unanswerable = if path.exists() { records(&path, QUERY, |query: &Query| &query.id)? } else { Vec::new() };
    let problem = |what: &str| problem(what.to_owned(), LAYOUT.to_owned());
    if documents.is_empty() {
        return problem("it has no documents");
    }
    if queries.is_empty() {
        return problem("no judgement names one of its questions");
    }
    let judged = |query: &Query| judgements.get(&query.id).is_some_and(|all| all.values().any(|grade| *grade > 0));
    if unanswerable.iter().any(judged) {
        return problem(&format!("a question of unanswerable.jsonl has an answer in qrels/{split}.tsv"));
    }
    let known: HashSet<&str> = queries.iter().map(|query| query.id.as_str()).collect();
    if unanswerable.iter().any(|query| known.contains(query.id.as_str())) {
        return problem("a question stands in queries.jsonl and in unanswerable.jsonl");
    }
    Ok(Set { name: plain(&name), split: split.to_owned(), documents, queries, unjudged, unanswerable, judgements })
}

/// A name as it may stand in names of files and in the last field of a run's lines.
pub(super) fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

/// The splits that a set has judgements of, by name.
fn splits(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder.join("qrels")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        files.filter_map(|file| file.file_name().to_str()?.strip_suffix(".tsv").map(str::to_owned)).collect();
    names.sort_unstable();
    names
}

/// The records of a file of JSON lines, each with an id of its own.
fn records<T: for<'a> Deserialize<'a>>(
    path: &Path,
    hint: &'static str,
    id: impl Fn(&T) -> &String,
) -> Result<Vec<T>, BenchError> {
    let text = read(path, LAYOUT)?;
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    for (number, line) in lines(&text) {
        let bad = bad(path, number, hint);
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
    use crate::error::Diagnose;
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

    /// As sets are that were made with other tools.
    #[test]
    fn ids_may_be_numbers_and_texts_may_be_missing() {
        let mark = '\u{feff}';
        let corpus = format!(
            "{mark}{{\"_id\":7,\"title\":null,\"text\":\"one\"}}\n{{\"_id\":\"8\",\"text\":null}}\n\
             {{\"_id\":-9,\"title\":\"T\"}}\n"
        );
        let queries = format!("{mark}{{\"_id\":3,\"text\":\"?\"}}\n{{\"_id\":4,\"text\":null}}\n");
        let judged = format!("{mark}query-id\tcorpus-id\tscore\n3\t7\t1.0\n3\t7\t1\n4\t-9\t2\n");
        let dir = folder(&[("corpus.jsonl", &corpus), ("queries.jsonl", &queries), ("qrels/test.tsv", &judged)]);
        let set = read_set(dir.path()).unwrap();
        let texts: Vec<_> = set.documents.iter().map(|d| (d.id.as_str(), d.title.as_str(), d.text.as_str())).collect();
        assert_eq!(texts, [("7", "", "one"), ("8", "", ""), ("-9", "T", "")]);
        let asked: Vec<_> = set.queries.iter().map(|query| (query.id.as_str(), query.text.as_str())).collect();
        assert_eq!(asked, [("3", "?"), ("4", "")]);
        assert_eq!((set.judgements["3"]["7"], set.judgements["4"]["-9"]), (1, 2));
    }

    #[test]
    fn a_question_is_a_document_if_id_and_text_are_the_same() {
        let document = |id: &str, title: &str, text: &str| {
            format!("{}\n", serde_json::json!({"_id": id, "title": title, "text": text}))
        };
        let query = |id: &str, text: &str| format!("{}\n", serde_json::json!({"_id": id, "text": text}));
        let corpus = document("text", "Other", "The same\n text")
            + &document("title", "A Title", "and more")
            + &document("both", "First", "second")
            + &document("part", "", "It holds the question and more.")
            + &document("number", "", "something else")
            + &document("blank", "", "x");
        let queries = query("text", "the SAME text")
            + &query("title", "a title")
            + &query("both", "first second")
            + &query("part", "The question")
            + &query("number", "what is asked")
            + &query("blank", " ");
        let judged: String =
            ["text", "title", "both", "part", "number", "blank"].map(|id| format!("{id}\tx\t1\n")).concat();
        let dir = folder(&[("corpus.jsonl", &corpus), ("queries.jsonl", &queries), ("qrels/test.tsv", &judged)]);
        let set = read_set(dir.path()).unwrap();
        assert_eq!(set.own_documents(), HashSet::from(["text", "title", "both", "part"]));
    }

    #[test]
    fn the_digest_is_of_what_is_read_and_not_of_how_it_is_written() {
        let of = |files: &[(&str, &str)]| read_set(folder(files).path()).unwrap().digest();
        let usual = of(&[]);
        assert_eq!(usual, of(&[("qrels/test.tsv", "q 0 d 2.0\n")]), "grades of unknown questions do not count");
        for other in [
            ("qrels/test.tsv", "q d 1\n"),
            ("queries.jsonl", "{\"_id\":\"q\",\"text\":\"?!\"}\n"),
            ("corpus.jsonl", "{\"_id\":\"d\",\"text\":\"one\"}\n"),
            ("unanswerable.jsonl", "{\"_id\":\"u\"}\n"),
        ] {
            assert_ne!(usual, of(&[other]), "{other:?}");
        }
    }

    #[test]
    fn a_field_that_is_not_there_is_refused_with_those_that_are() {
        let corpus = "{\"_id\":\"d\",\"metadata\":{\"a\":1,\"b\":2,\"own\":3}}\n";
        let queries = "{\"_id\":\"q\",\"metadata\":{\"b\":1,\"a\":2,\"asked\":null}}\n";
        let set = read_set(folder(&[("corpus.jsonl", corpus), ("queries.jsonl", queries)]).path()).unwrap();
        let refused = |name: &str| {
            let error = set.require_field(name, Path::new("s")).unwrap_err();
            format!("{error}; {}", error.hint().unwrap())
        };
        assert!(set.require_field("a", Path::new("s")).is_ok());
        assert_eq!(refused("x"), "s: no document has the field x; both have a, b");
        assert_eq!(refused("own"), "s: no question has the field own; both have a, b");
        assert!(refused("asked").contains("no document"));
        let none = read_set(folder(&[]).path()).unwrap().require_field("x", Path::new("s")).unwrap_err();
        assert!(none.hint().unwrap().contains("no field"));
    }

    #[test]
    fn bytes_that_are_no_text_are_named_with_their_line() {
        let dir = folder(&[]);
        fs::write(
            dir.path().join("corpus.jsonl"),
            b"{\"_id\":\"d\",\"text\":\"one\"}\n{\"_id\":\"e\",\"text\":\"\xe9\"}\n",
        )
        .unwrap();
        let error = read_set(dir.path()).unwrap_err();
        assert!(error.to_string().contains("corpus.jsonl, line 2: ") && error.to_string().contains("UTF-8"), "{error}");
    }

    #[test]
    fn every_error_says_what_helps() {
        let hint = |files: &[(&str, &str)], gone: &[&str]| {
            let dir = folder(files);
            gone.iter().for_each(|name| fs::remove_file(dir.path().join(name)).unwrap());
            let error = read_set(dir.path()).unwrap_err();
            format!("{error}; {}", error.hint().unwrap_or_else(|| panic!("{error}")))
        };
        assert!(hint(&[("corpus.jsonl", "{")], &[]).contains("a line of corpus.jsonl is"));
        assert!(hint(&[("queries.jsonl", "{")], &[]).contains("a line of queries.jsonl is"));
        assert!(hint(&[("qrels/test.tsv", "q d\n")], &[]).contains("a judgement is"));
        assert!(hint(&[("qrels/test.tsv", "q d 0.5\n")], &[]).contains("whole number"));
        assert!(hint(&[("corpus.jsonl", "")], &[]).contains("a set holds"));
        assert!(hint(&[], &["corpus.jsonl"]).contains("a set holds"));
        assert!(hint(&[], &["qrels/test.tsv"]).contains("a set holds"));
        assert!(hint(&[("corpus.jsonl.gz", "")], &["corpus.jsonl"]).contains("gunzip"));
        assert!(hint(&[("qrels/dev.tsv", "q d 1\n")], &["qrels/test.tsv"]).contains("--split dev"));
        assert!(read_set(Path::new("/nowhere")).unwrap_err().hint().is_some());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let cases = [
            (
                "corpus.jsonl",
                "{\"_id\":\"d\",\"text\":\"one\"}\n{\"_id\":\"d\",\"text\":\"two\"}\n",
                "line 2: the _id d is taken",
            ),
            (
                "corpus.jsonl",
                "{\"_id\":\"1\",\"text\":\"\"}\n{\"_id\":1,\"text\":\"\"}\n",
                "line 2: the _id 1 is taken",
            ),
            ("corpus.jsonl", "{\"text\":\"\"}\n", "line 1: missing field `_id`"),
            ("corpus.jsonl", "{\"_id\":1.5}\n", "line 1: an _id is text or a whole number"),
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
