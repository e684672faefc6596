//! The candidates of FTS5 itself, on real text: the same ids in the same order.

use super::super::*;
use crate::text::tokens;
use rusqlite::{Connection, params};
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    let mut names: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        if path.is_dir() {
            files(&path, ending, out);
        } else if path.extension().is_some_and(|own| own == ending) {
            out.push(path);
        }
    }
}

/// Paragraphs of the project's own pages and comments, as documents.
fn chunks() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = vec![root.join("README.md"), root.join("ARCHITECTURE.md"), root.join("CHANGELOG.md")];
    files(&root.join("docs"), "md", &mut paths);
    let mut out = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        out.extend(text.split("\n\n").map(str::to_owned));
    }
    let mut sources = Vec::new();
    files(&root.join("src"), "rs", &mut sources);
    for path in &sources {
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        out.extend(lines.chunks(25).map(|lines| lines.join("\n")));
    }
    out.retain(|text| !text.trim().is_empty());
    out
}

/// The table of `index/migrations/0001`, and its words.
struct Fts5(Connection);

impl Fts5 {
    fn new() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        let sql = "CREATE VIRTUAL TABLE item_fts USING fts5 (words, content = '', contentless_delete = 1,
                tokenize = \"unicode61 remove_diacritics 0 tokenchars '_-.'\");
            CREATE VIRTUAL TABLE item_word USING fts5vocab (item_fts, row);
            CREATE TABLE admitted (id INTEGER PRIMARY KEY);";
        connection.execute_batch(sql).unwrap();
        Self(connection)
    }

    fn put(&self, id: u64, text: &str) {
        let sql = "INSERT INTO item_fts (rowid, words) VALUES (?1, ?2)";
        self.0.prepare_cached(sql).unwrap().execute(params![id as i64, tokens(text).join(" ")]).unwrap();
    }

    fn remove(&self, id: u64) {
        self.0.prepare_cached("DELETE FROM item_fts WHERE rowid = ?1").unwrap().execute([id as i64]).unwrap();
    }

    fn holders(&self, term: &str) -> usize {
        let mut statement = self.0.prepare_cached("SELECT doc FROM item_word WHERE term = ?1").unwrap();
        let mut rows = statement.query([term]).unwrap();
        rows.next().unwrap().map_or(0, |row| row.get::<_, i64>(0).unwrap() as usize)
    }

    /// As a search asks: the 24 rarest terms, and no more than 100,000 postings beyond the rarest four.
    fn candidates(&self, question: &str, most: usize, filtered: bool) -> Vec<u64> {
        let terms = QueryTerms::of(question);
        let mut known: Vec<(&str, usize)> = terms.iter().map(|(term, _)| (term, self.holders(term))).collect();
        known.retain(|(_, holders)| *holders > 0);
        known.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(b.0)));
        let mut holders = 0;
        let affordable = known.iter().enumerate().take_while(|(at, (_, own))| {
            holders += own;
            *at < 4 || holders <= 100_000
        });
        let affordable = affordable.count().min(24);
        known.truncate(affordable);
        if known.is_empty() {
            return Vec::new();
        }
        let expression = known.iter().map(|(term, _)| format!("\"{term}\"")).collect::<Vec<_>>().join(" OR ");
        let narrowed = if filtered { "AND +rowid IN (SELECT id FROM admitted)" } else { "" };
        let sql = format!("SELECT rowid FROM item_fts WHERE item_fts MATCH ? {narrowed} ORDER BY rank LIMIT ?");
        let mut statement = self.0.prepare(&sql).unwrap();
        let rows = statement.query_map(params![expression, most as i64], |row| row.get::<_, i64>(0)).unwrap();
        rows.map(|id| id.unwrap() as u64).collect()
    }
}

/// Short and long questions: parts of the documents themselves, and what somebody might ask.
fn questions(chunks: &[String]) -> Vec<String> {
    let mut out: Vec<String> =
        ["a", "the file", "how is a vector stored", "lock held by another process", "nothingofthis"]
            .map(str::to_owned)
            .to_vec();
    for (at, chunk) in chunks.iter().enumerate().step_by(chunks.len() / 60) {
        let words: Vec<&str> = chunk.split_whitespace().collect();
        let length = [2, 5, 16, 60, 200][at % 5];
        out.push(words[words.len() / 3..].iter().take(length).copied().collect::<Vec<_>>().join(" "));
    }
    // Two hundred words from all over.
    out.push(
        chunks
            .iter()
            .step_by(11)
            .flat_map(|chunk| chunk.split_whitespace().take(2))
            .take(200)
            .collect::<Vec<_>>()
            .join(" "),
    );
    out
}

fn compare(index: &TermIndex, fts5: &Fts5, questions: &[String], when: &str) {
    let mut found = 0;
    for question in questions {
        let terms = QueryTerms::of(question);
        let query = index.prepare(&terms);
        let holders: Vec<usize> = terms.iter().map(|(term, _)| fts5.holders(term)).collect();
        assert_eq!(query.document_frequencies().collect::<Vec<_>>(), holders, "{when}: {question}");
        let admitted = |id: u64| id % 5 < 2;
        for most in [1, 10, 200, 5_000] {
            let own = index.candidates(&query, most, None);
            found += own.len();
            assert_eq!(own, fts5.candidates(question, most, false), "{when}, {most}: {question}");
            let own = index.candidates(&query, most, Some(&admitted));
            assert_eq!(own, fts5.candidates(question, most, true), "{when}, {most}, filtered: {question}");
        }
    }
    assert!(found > 10_000, "the questions find too little: {found}");
}

#[test]
fn candidates_are_those_of_fts5_on_real_text() {
    let chunks = chunks();
    assert!(chunks.len() > 1_500, "{}", chunks.len());
    let (fts5, questions) = (Fts5::new(), questions(&chunks));
    fts5.0.execute_batch("BEGIN").unwrap();
    for (id, text) in (1u64..).zip(&chunks) {
        fts5.put(id, text);
        if id % 5 < 2 {
            fts5.0.execute("INSERT INTO admitted VALUES (?1)", [id as i64]).unwrap();
        }
    }
    fts5.0.execute_batch("COMMIT").unwrap();
    let index = TermIndex::of_texts((1..).zip(&chunks)).unwrap();
    compare(&index, &fts5, &questions, "built");
    // Some go, some are replaced, some come.
    let removed: Vec<u64> = (1..=chunks.len() as u64).filter(|id| id % 7 == 0).collect();
    let replaced: Vec<(u64, &String)> = (1u64..).zip(&chunks[100..]).filter(|(id, _)| id % 11 == 0).collect();
    fts5.0.execute_batch("BEGIN").unwrap();
    removed.iter().for_each(|id| fts5.remove(*id));
    for (id, text) in &replaced {
        fts5.remove(*id);
        fts5.put(*id, text);
    }
    fts5.0.execute_batch("COMMIT").unwrap();
    let changed = index.with_changes(removed, replaced).unwrap();
    compare(&changed, &fts5, &questions, "changed");
}
