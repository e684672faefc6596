//! Keyword candidates from FTS5, and the counts that BM25 needs. What is scored is not FTS5's own rank: that one has
//! fixed parameters and no way to say how much a question could have reached.

use super::StoreError;
use super::database::Database;
use super::filter::ItemFilter;
use rusqlite::types::Value;

/// Words of a question that are searched, rarest first: common ones of a long question find nothing that these do not.
const MAX_WORDS: usize = 24;
/// Items that hold these words, added up, beyond which only the rarest words are searched: FTS5 ranks every one of them.
const MAX_HOLDERS: usize = 100_000;
/// Words that are searched however many items hold them.
const LEAST_WORDS: usize = 4;

/// How much text there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Corpus {
    /// Active items.
    pub items: usize,
    /// Keyword tokens of all of them.
    pub words: usize,
}

impl Database {
    /// How much text there is.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn corpus(&self) -> Result<Corpus, StoreError> {
        let read = self.connection.query_row("SELECT items, words FROM corpus", [], |row| {
            Ok(Corpus { items: row.get::<_, i64>(0)?.max(0) as usize, words: row.get::<_, i64>(1)?.max(0) as usize })
        });
        self.sql(read)
    }

    /// In how many items each of these words stands; words as [`crate::text::tokens`] gives them.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn holders(&self, words: &[&str]) -> Result<Vec<usize>, StoreError> {
        let all = || -> rusqlite::Result<Vec<usize>> {
            let mut statement = self.connection.prepare_cached("SELECT doc FROM item_word WHERE term = ?1")?;
            let mut out = Vec::with_capacity(words.len());
            for word in words {
                let mut rows = statement.query([word])?;
                out.push(match rows.next()? {
                    Some(row) => row.get::<_, i64>(0)?.max(0) as usize,
                    None => 0,
                });
            }
            Ok(out)
        };
        self.sql(all())
    }

    /// Row ids of up to `most` items that pass and share words with the question, most promising first.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn keyword_candidates(
        &self,
        words: &[(&str, usize)],
        filter: &ItemFilter,
        most: usize,
    ) -> Result<Vec<i64>, StoreError> {
        let mut known: Vec<&(&str, usize)> = words.iter().filter(|(_, holders)| *holders > 0).collect();
        known.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(b.0)));
        let mut holders = 0;
        let affordable = known.iter().enumerate().take_while(|(at, (_, own))| {
            holders += own;
            *at < LEAST_WORDS || holders <= MAX_HOLDERS
        });
        let affordable = affordable.count();
        known.truncate(affordable.min(MAX_WORDS));
        if known.is_empty() {
            return Ok(Vec::new());
        }
        // Tokens hold no quotes, so a quoted one cannot end early and its characters mean nothing to FTS5.
        let expression = known.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
        let (condition, filter_values) = filter.condition();
        let all = || -> rusqlite::Result<Vec<i64>> {
            let narrowed = if filter.is_empty() {
                String::new()
            } else {
                format!(
                    "AND +rowid IN (SELECT item.id FROM item LEFT JOIN source ON source.id = item.source_id
                     WHERE {condition})"
                )
            };
            let sql = format!("SELECT rowid FROM item_fts WHERE item_fts MATCH ? {narrowed} ORDER BY rank LIMIT ?");
            let mut values = vec![Value::Text(expression)];
            if !filter.is_empty() {
                values.extend(filter_values);
            }
            values.push(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
            let mut statement = self.connection.prepare(&sql)?;
            statement.query_map(rusqlite::params_from_iter(values), |row| row.get(0))?.collect()
        };
        self.sql(all())
    }
}
