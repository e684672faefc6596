//! The two kinds of file that trec_eval reads: judgements (`query 0 document grade`) and runs
//! (`query Q0 document rank score tag`).

use super::BenchError;
use super::metrics::{Judgements, order};
use super::source::{LAYOUT, bad, lines, read};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::Path;

/// Scored documents by question, best first.
pub type Run = BTreeMap<String, Vec<(String, f32)>>;

const JUDGEMENT: &str =
    "a judgement is QUERY, DOCUMENT and a whole number as grade, with tabs between; TREC has a 0 after QUERY";
const RANKED: &str = "a line of a ranking is QUERY Q0 DOCUMENT RANK SCORE TAG, as trec_eval reads it";

/// Reads judgements: three fields as BEIR has them, with or without its header, or four as TREC has them. What is said
/// twice counts once.
///
/// # Errors
/// [`BenchError::Line`] for a line that is no judgement, or that says otherwise than an earlier one.
pub fn read_qrels(path: &Path) -> Result<BTreeMap<String, Judgements>, BenchError> {
    let mut out: BTreeMap<String, Judgements> = BTreeMap::new();
    let mut lines_of = HashMap::new();
    let text = read(path, LAYOUT)?;
    for (number, line) in lines(&text) {
        let bad = bad(path, number, JUDGEMENT);
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (query, document, written) = match fields[..] {
            [query, document, grade] | [query, _, document, grade] => (query, document, grade),
            _ => return Err(bad("a judgement has three fields, or four")),
        };
        let Some(grade) = grade(written) else {
            if number == 1 && written == "score" {
                continue;
            }
            return Err(bad(&format!("{written:?} is no grade")));
        };
        let (before, first) = *lines_of.entry((query, document)).or_insert((grade, number));
        if before != grade {
            return Err(bad(&format!("{query} and {document} are judged {grade}, and {before} in line {first}")));
        }
        out.entry(query.to_owned()).or_default().insert(document.to_owned(), grade);
    }
    Ok(out)
}

/// A whole number, also if it is written as `1.0`.
fn grade(text: &str) -> Option<i64> {
    let whole = |value: &f64| value.fract() == 0.0 && value.abs() < 1e9;
    text.parse().ok().or_else(|| text.parse().ok().filter(whole).map(|value| value as i64))
}

/// Reads a run, and the tag of its first line. Its ranks are not looked at: the order is that of the scores.
///
/// # Errors
/// [`BenchError::Line`] for a line that is none of a run, or a document that is ranked twice.
pub fn read_run(path: &Path) -> Result<(Run, String), BenchError> {
    let mut out = Run::new();
    let mut first = None;
    let mut seen = std::collections::HashSet::new();
    let text = read(path, RANKED)?;
    for (number, line) in lines(&text) {
        let bad = bad(path, number, RANKED);
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [query, _, document, _, score, tag] = fields[..] else { return Err(bad("a line of a run has six fields")) };
        let score: f32 = score.parse().ok().filter(|score: &f32| !score.is_nan()).ok_or_else(|| bad("no score"))?;
        if !seen.insert((query, document)) {
            return Err(bad(&format!("{document} is ranked twice for {query}")));
        }
        first.get_or_insert_with(|| tag.to_owned());
        out.entry(query.to_owned()).or_default().push((document.to_owned(), score));
    }
    out.values_mut().for_each(|ranking| order(ranking));
    Ok((out, first.unwrap_or_default()))
}

/// A run as text.
pub fn write_run(run: &Run, tag: &str) -> String {
    let mut out = String::new();
    for (query, ranking) in run {
        for (at, (document, score)) in ranking.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{query} Q0 {document} {} {score:?} {tag}", at + 1);
        }
    }
    // A reader takes one byte order mark off the beginning: an id that begins with one needs another before it.
    if out.starts_with('\u{feff}') {
        out.insert(0, '\u{feff}');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn file(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, text).unwrap();
        (dir, path)
    }

    fn line_of<T>(result: Result<T, BenchError>) -> Option<usize> {
        match result {
            Err(BenchError::Line { line, .. }) => Some(line),
            _ => None,
        }
    }

    #[test]
    fn judgements_come_in_two_forms() {
        let expected =
            BTreeMap::from([("q".to_owned(), Judgements::from([("d".to_owned(), 2), ("e".to_owned(), -1)]))]);
        for text in [
            "query-id\tcorpus-id\tscore\nq\td\t2\nq\te\t-1\n",
            "q d 2\n\nq e -1",
            "q 0 d 2\nq 0 e -1\n",
            "\u{feff}q d 2.0\nq e -1.0\nq d 2\n",
        ] {
            let (_dir, path) = file(text);
            assert_eq!(read_qrels(&path).unwrap(), expected, "{text:?}");
        }
        for (text, line) in
            [("q d 1\nq d\n", 2), ("q d high\n", 1), ("q d 0.5\n", 1), ("q d inf\n", 1), ("a b score\na b score", 2)]
        {
            let (_dir, path) = file(text);
            assert_eq!(line_of(read_qrels(&path)), Some(line), "{text:?}");
        }
        let (_dir, path) = file("q d 1\nq e 1\nq 0 d 2\n");
        let said = read_qrels(&path).unwrap_err().to_string();
        assert!(said.contains("line 3") && said.contains("line 1"), "both lines are named: {said}");
    }

    #[test]
    fn a_run_comes_back_as_it_was_written() {
        let ranking = vec![("b".to_owned(), 0.1f32), ("a".to_owned(), 0.1f32.next_down()), ("c".to_owned(), -3e-9)];
        let run = Run::from([("q1".to_owned(), ranking)]);
        let (_dir, path) = file(&write_run(&run, "tag"));
        assert_eq!(read_run(&path).unwrap(), (run, "tag".to_owned()));
        for (text, line) in [("q Q0 d 1 0.5\n", 1), ("q Q0 d 1 0.5 t\nq Q0 d 2 0.4 t\n", 2), ("q Q0 d 1 NaN t\n", 1)] {
            let (_dir, path) = file(text);
            assert_eq!(line_of(read_run(&path)), Some(line), "{text:?}");
        }
    }
}
