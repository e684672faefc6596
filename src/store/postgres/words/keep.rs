//! Keeping the words of items: written with the batch that writes the items, merged later, and purged (`purge`).
//!
//! A segment is what one batch wrote of one scope, or several of that scope that were merged. Merging puts rows
//! together in the server; whoever does it locks the rows of the segments, and leaves alone those that somebody else
//! has locked. Postings of items that are gone stay until many of them are purged, some terms at a time.

use super::super::database::{SharedBatch, SharedDatabase};
use super::super::locks::PURGER;
use super::odd;
use super::write::{Forward, copy, insert, inverted};
use crate::store::sql::{RunSql, SqlRow, SqlValue, TEXT_COLUMNS, count, read_text, values};
use crate::store::{ItemText, ItemWords, KeepWords, StoreError, WordsOf, WriteBatch};
use std::collections::BTreeMap;
use std::ops::Range;
use tokio_postgres::Row;

/// Terms that are held in memory before they are written.
const MOST_TERMS: usize = 1 << 20;
/// Postings of a segment that is merged with others while a batch is committed.
const QUICKLY_MERGED: usize = 1 << 13;
/// Items that are gone and always may stay in postings, and what share of all may beside them.
const DEAD: i64 = 64;
const DEAD_SHARE: i64 = 4;

/// Which segments to merge next, of those whose sizes these are, ascending: such that in the end each has more than
/// twice as many postings as the one before it, as far as none becomes larger than `most`.
fn to_merge(sizes: &[usize], most: usize) -> Option<Range<usize>> {
    (0..sizes.len()).find_map(|start| {
        let (mut end, mut total) = (start + 1, sizes[start]);
        while let Some(next) = sizes.get(end).filter(|next| **next <= 2 * total && total + **next <= most) {
            total += next;
            end += 1;
        }
        (end > start + 1).then_some(start..end)
    })
}

impl SharedBatch<'_> {
    /// Holds the words of an item that was written, if they are to be kept.
    pub(in super::super) fn keep_text(&self, text: impl FnOnce() -> ItemText) -> Result<(), StoreError> {
        let Some(words) = self.database.words_of else { return Ok(()) };
        let text = text();
        self.pending.push(text.id, words.words(&text));
        if self.pending.terms() < MOST_TERMS { Ok(()) } else { self.write_words() }
    }

    /// Writes the words that are held, of those items that are still there: a segment for each of their scopes.
    pub(in super::super) fn write_words(&self) -> Result<(), StoreError> {
        let mut items = self.pending.take();
        if items.is_empty() {
            return Ok(());
        }
        let ids: Vec<i64> = items.keys().copied().collect();
        let sql = "SELECT id, scope FROM item WHERE id = ANY(?1) AND state = 'active'
            AND NOT EXISTS (SELECT FROM item_words WHERE item = id)";
        let there: Vec<(i64, String)> =
            self.database.read(sql, &[&ids], |row| Ok((row.integer(0)?, row.try_get(1)?)))?;
        let mut by_scope: BTreeMap<String, BTreeMap<i64, ItemWords>> = BTreeMap::new();
        for (id, scope) in there {
            if let Some(words) = items.remove(&id) {
                by_scope.entry(scope).or_default().insert(id, words);
            }
        }
        if by_scope.is_empty() {
            return Ok(());
        }
        let (mut forward, mut postings) = (Vec::new(), Vec::new());
        for (scope, items) in &by_scope {
            let born = self.new_segment(scope, items.values().map(|words| words.terms.len()).sum())?;
            forward.extend(items.iter().map(|(item, words)| Forward::new(*item, words, born, scope)));
            postings.extend(inverted(items, born));
        }
        let is_free = self.database.rights.is_free;
        self.database.on(
            |link| {
                if is_free { copy(link, &forward, &postings) } else { insert(link, &forward, &postings) }
            },
        )?;
        let scopes: Vec<String> = by_scope.into_keys().collect();
        while self.merge(QUICKLY_MERGED, Some(&scopes))? {}
        Ok(())
    }

    /// Holds the words of those items of a file that have none any more: it has another scope now.
    pub(in super::super) fn keep_texts_of(&self, source: i64) -> Result<(), StoreError> {
        if self.database.words_of.is_none() {
            return Ok(());
        }
        let sql = format!(
            "SELECT {TEXT_COLUMNS} FROM item WHERE source_id = ?1 AND state = 'active'
                AND NOT EXISTS (SELECT FROM item_words WHERE item = id)"
        );
        let texts = self.rows(&sql, &values![source], read_text)?;
        texts.into_iter().try_for_each(|text| self.keep_text(|| text))
    }

    fn new_segment(&self, scope: &str, postings: usize) -> Result<i64, StoreError> {
        let sql = "INSERT INTO word_segment (scope, postings) VALUES (?1, ?2) RETURNING number";
        // As it was read: marked already.
        let postings = i64::try_from(postings).unwrap_or(i64::MAX);
        let made = self.database.read(sql, &[&scope, &postings], |row| row.integer(0))?;
        made.first().copied().ok_or_else(|| odd("segments").of(self.database.name()))
    }

    /// Merges some segments of one scope that nobody else has locked, of these scopes if they are named; whether there
    /// were any to merge.
    pub(in super::super) fn merge(&self, most: usize, of: Option<&[String]>) -> Result<bool, StoreError> {
        // Not while somebody purges.
        if !self.exists("SELECT WHERE pg_try_advisory_xact_lock_shared(?1)", &values![PURGER])? {
            return Ok(false);
        }
        let below = i64::try_from(most).unwrap_or(i64::MAX);
        let sql = "SELECT scope, number, postings FROM word_segment
            WHERE postings < ?1 AND (?2::text[] IS NULL OR scope = ANY(?2)) ORDER BY scope, postings, number";
        let read = |row: &Row| Ok((row.try_get::<_, String>(0)?, row.integer(1)?, count(row, 2)?));
        let segments = self.database.read(sql, &[&below, &of], read)?;
        for of_scope in segments.chunk_by(|one, other| one.0 == other.0) {
            let sizes: Vec<usize> = of_scope.iter().map(|(_, _, postings)| *postings).collect();
            if to_merge(&sizes, most).is_some() {
                let numbers: Vec<i64> = of_scope.iter().map(|(_, number, _)| *number).collect();
                if self.merge_some(&of_scope[0].0, &numbers, most)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Merges those of some segments of a scope that nobody else has locked.
    fn merge_some(&self, scope: &str, numbers: &[i64], most: usize) -> Result<bool, StoreError> {
        let sql = "SELECT number, postings FROM word_segment WHERE number = ANY(?1)
            ORDER BY postings, number FOR UPDATE SKIP LOCKED";
        let read = |row: &Row| Ok((row.integer(0)?, count(row, 1)?));
        let segments: Vec<(i64, usize)> = self.database.read(sql, &[&numbers], read)?;
        let sizes: Vec<usize> = segments.iter().map(|(_, postings)| *postings).collect();
        let Some(merged) = to_merge(&sizes, most) else { return Ok(false) };
        let postings = sizes[merged.clone()].iter().sum();
        let numbers: Vec<i64> = segments[merged].iter().map(|(number, _)| *number).collect();
        let into = self.new_segment(scope, postings)?;
        let sql = "WITH taken AS (DELETE FROM posting WHERE segment = ANY(?1) RETURNING *)
            INSERT INTO posting (segment, term, documents, entries)
            SELECT ?2, term, CAST(sum(documents) AS integer), string_agg(entries, CAST('' AS bytea) ORDER BY segment)
            FROM taken GROUP BY term";
        self.database.on(|link| link.execute(sql, &[&numbers, &into]))?;
        self.database.on(|link| link.execute("DELETE FROM word_segment WHERE number = ANY(?1)", &[&numbers]))?;
        Ok(true)
    }
}

impl KeepWords for SharedDatabase {
    fn index_words(&mut self, words: WordsOf, at_most: usize) -> Result<usize, StoreError> {
        let batch = self.begin_behind_others()?;
        let sql = format!(
            "SELECT {TEXT_COLUMNS} FROM item WHERE state = 'active'
                AND NOT EXISTS (SELECT FROM item_words WHERE item = id) ORDER BY id LIMIT ?1"
        );
        let items = batch.rows(&sql, &[SqlValue::most(at_most)], |row| {
            let text = read_text(row)?;
            Ok((text.id, words.words(&text)))
        })?;
        let many = items.len();
        items.into_iter().for_each(|(item, words)| batch.pending.push(item, words));
        batch.commit()?;
        Ok(many)
    }

    fn merge_words(&mut self, at_most: usize) -> Result<bool, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM dead_words)
            > ?1 + CAST((SELECT coalesce(sum(documents), 0) FROM word_total) AS bigint) / ?2";
        if self.one(sql, &values![DEAD, DEAD_SHARE], |row| row.integer(0))? == 1 {
            self.purge_some()?;
            return Ok(true);
        }
        // Without the store's lock: others write meanwhile.
        let batch = self.begin_aside()?;
        let is_merged = batch.merge(at_most, None)?;
        batch.commit()?;
        Ok(is_merged)
    }

    fn purge_words(&mut self) -> Result<(), StoreError> {
        while self.purge_some()? {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn segments_of_a_size_are_merged() {
        let none: [usize; 0] = [];
        assert_eq!((to_merge(&none, 9), to_merge(&[3], 9), to_merge(&[1, 3, 7], 99)), (None, None, None));
        assert_eq!(to_merge(&[1, 2], 9), Some(0..2));
        assert_eq!(to_merge(&[1, 1, 4, 9, 40], 99), Some(0..4), "what has grown takes the next with it");
        assert_eq!(to_merge(&[1, 3, 5], 99), Some(1..3));
        assert_eq!(to_merge(&[40, 60], 99), None);
        assert_eq!(to_merge(&[1, 1, 2, 2], 3), Some(0..2));
    }

    proptest! {
        #[test]
        fn merging_ends_with_few_segments(mut sizes in proptest::collection::vec(1usize..99, 0..60)) {
            let all: usize = sizes.iter().sum();
            loop {
                sizes.sort_unstable();
                let Some(range) = to_merge(&sizes, usize::MAX) else { break };
                let merged: Vec<usize> = sizes.drain(range).collect();
                sizes.push(merged.iter().sum());
            }
            prop_assert_eq!(sizes.iter().sum::<usize>(), all);
            prop_assert!(sizes.windows(2).all(|two| two[1] > 2 * two[0]));
        }
    }
}
