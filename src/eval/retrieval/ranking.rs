//! A ranking that other software made, as a run: what a file of TREC's lists for the questions of a set.
//!
//! Its scores order documents and mean nothing else, so nothing is said of how sure it is or how long it took. What is
//! listed counts as shown. A document that the set does not hold is not relevant, and a question that the file leaves
//! out found nothing; questions without an answer are left out altogether if the file lists none of them.

use super::BenchError;
use super::set::{Set, plain};
use super::trec::{Run, read_run};
use std::path::{Path, PathBuf};

/// A ranking of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The run's name: the file's without its ending, else what its lines call it.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The documents by question.
    pub(super) run: Run,
}

impl Ranking {
    /// Reads it for a set.
    ///
    /// # Errors
    /// [`BenchError`] for a file that is no ranking, or names a question that the set does not have.
    pub fn read(path: &Path, set: &Set) -> Result<Self, BenchError> {
        let (run, tag) = read_run(path)?;
        let known = |id: &String| {
            set.unjudged.contains(id) || set.queries.iter().chain(&set.unanswerable).any(|query| query.id == *id)
        };
        if let Some(strange) = run.keys().find(|id| !known(id)) {
            return Err(BenchError::Set {
                path: path.to_owned(),
                what: format!("it ranks documents for {strange}, which is no question of {}", set.name),
                hint: "its first column holds ids of queries.jsonl; was it made on another set?".to_owned(),
            });
        }
        let stem = path.file_stem().map(|stem| plain(&stem.to_string_lossy())).unwrap_or_default();
        let speaks = |name: &String| name.contains(char::is_alphanumeric);
        let name = Some(stem).filter(speaks).unwrap_or_else(|| plain(&tag));
        Ok(Self { name, path: path.to_owned(), run })
    }

    /// Whether it lists something for a question that nothing answers.
    pub(super) fn knows_unanswerable(&self, set: &Set) -> bool {
        set.unanswerable.iter().any(|query| self.run.contains_key(&query.id))
    }
}

#[cfg(test)]
mod tests {
    use super::super::set::Query;
    use super::*;

    #[test]
    fn is_named_by_its_file_or_by_its_lines() {
        let dir = tempfile::tempdir().unwrap();
        let query = Query { id: "q".into(), text: "?".into(), metadata: serde_json::Value::Null };
        let set = Set { queries: vec![query], unjudged: ["r".to_owned()].into(), ..Set::default() };
        let read = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            Ranking::read(&path, &set)
        };
        let lines = "q Q0 b 1 0.5 their-tag\nr Q0 d 1 2 their-tag\nq Q0 a 2 0.7 their-tag\n";
        let ranking = read("best, of all.trec", lines).unwrap();
        assert_eq!((ranking.name.as_str(), ranking.run["q"][0].0.as_str()), ("best--of-all", "a"));
        assert_eq!(read("--.txt", lines).unwrap().name, "their-tag");
        assert!(!ranking.knows_unanswerable(&set));
        assert!(read("x", "s Q0 b 1 0.5 t\n").unwrap_err().to_string().contains("ranks documents for s"));
    }
}
