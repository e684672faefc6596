//! The words of items in the tables of the store: found here, kept in `keep`, written in `write`, packed in
//! `entries`, removed in `purge` once their items are gone, compared with the items in `check`.

mod check;
mod entries;
mod keep;
mod purge;
mod write;

use super::database::SharedDatabase;
use super::link::given;
use super::row::Failure;
use super::text::marked;
use crate::store::sql::{RunSql, SqlRow, passing};
use crate::store::{FindWords, ItemFilter, ItemVersion, MemoryView, Posting, StoreError, TermCounts, WordTotals};
use crate::types::Scope;
use entries::{read_first, read_runs, take_number};
use std::borrow::Cow;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// Bytes of a posting at most: a run of its own with the run's number and length, the distance to an id, two counts.
const POSTING_BYTES: usize = 36;

/// Terms as they are stored: the same bits.
fn stored(terms: &[u64]) -> Vec<i64> {
    terms.iter().map(|term| *term as i64).collect()
}

fn odd(what: &str) -> Failure {
    Failure::Odd(format!("{what} are not as anybody writes them"))
}

/// What an item counts of terms, from a row with its length, its terms and their counts.
fn read_counts(row: &Row, asked: &[u64]) -> Result<TermCounts, Failure> {
    let length = u32::try_from(row.integer(1)?).map_err(|_| odd("words of an item"))?;
    let terms: Vec<i64> = row.try_get(2)?;
    let mut packed = row.bytes(3)?;
    let mut all = Vec::with_capacity(terms.len());
    for term in terms {
        let count = take_number(&mut packed).and_then(|count| u32::try_from(count).ok());
        all.push((term as u64, count.ok_or_else(|| odd("words of an item"))?));
    }
    let count = |term: &u64| {
        let found = all.binary_search_by_key(term, |(term, _)| *term).ok();
        found.and_then(|at| all.get(at)).map_or(0, |(_, count)| *count)
    };
    Ok(TermCounts { length, counts: asked.iter().map(count).collect() })
}

impl FindWords for SharedDatabase {
    fn word_totals(&self, terms: &[u64]) -> Result<WordTotals, StoreError> {
        let sql = "SELECT total.documents, tokens, place,
                (SELECT coalesce(sum(posting.documents), 0) FROM posting WHERE posting.term = asked.term)
                - (SELECT coalesce(sum(dead_term.documents), 0) FROM dead_term WHERE dead_term.term = asked.term)
             FROM (SELECT CAST(coalesce(sum(documents), 0) AS bigint) AS documents,
                    CAST(coalesce(sum(tokens), 0) AS bigint) AS tokens FROM word_total) AS total
                LEFT JOIN unnest(?1::bigint[]) WITH ORDINALITY AS asked (term, place) ON TRUE
             ORDER BY place";
        let mut totals = WordTotals::default();
        self.read(sql, &[&stored(terms)], |row| {
            let number = |at: usize| row.integer(at).map(i64::unsigned_abs);
            (totals.documents, totals.tokens) = (number(0)? as usize, number(1)?);
            if !row.is_null(2)? {
                totals.frequencies.push(number(3)? as usize);
            }
            Ok(())
        })?;
        Ok(totals)
    }

    fn postings(&self, terms: &[u64]) -> Result<Vec<Vec<Posting>>, StoreError> {
        let sql = "SELECT place, entries FROM unnest(?1::bigint[]) WITH ORDINALITY AS asked (term, place)
                JOIN posting ON posting.term = asked.term
             ORDER BY place, segment";
        let mut found = vec![Vec::new(); terms.len()];
        self.read(sql, &[&stored(terms)], |row| {
            let of_term = usize::try_from(row.integer(0)? - 1).ok().and_then(|place| found.get_mut(place));
            of_term.and_then(|of_term| read_runs(row.bytes(1).ok()?, of_term)).ok_or_else(|| odd("postings"))
        })?;
        Ok(found)
    }

    fn newest_postings(&self, terms: &[u64], scopes: &[Scope], most: usize) -> Result<Vec<Vec<Posting>>, StoreError> {
        let sql = "SELECT place, substring(entries FROM 1 FOR ?4) FROM (
                SELECT place, segment, entries, sum(posting.documents) OVER newest - posting.documents AS newer
                FROM unnest(?1::bigint[]) WITH ORDINALITY AS asked (term, place)
                    JOIN posting ON posting.term = asked.term
                    JOIN word_segment ON number = segment AND (?2::text[] = '{}' OR scope = ANY(?2))
                WINDOW newest AS (PARTITION BY place ORDER BY segment DESC)) AS listed
             WHERE newer < ?3 ORDER BY place, segment DESC";
        let scopes: Vec<Cow<'_, str>> = scopes.iter().map(|scope| marked(scope.as_str())).collect();
        let rows = i64::try_from(most).unwrap_or(i64::MAX);
        let bytes = i32::try_from(most.saturating_mul(POSTING_BYTES)).unwrap_or(i32::MAX);
        let mut found = vec![Vec::new(); terms.len()];
        self.read(sql, &[&stored(terms), &scopes, &rows, &bytes], |row| {
            let of_term = usize::try_from(row.integer(0)? - 1).ok().and_then(|place| found.get_mut(place));
            read_first(row.bytes(1)?, most, of_term.ok_or_else(|| odd("postings"))?);
            Ok(())
        })?;
        Ok(found)
    }

    fn counts_of(&self, items: &[i64], terms: &[u64]) -> Result<Vec<Option<TermCounts>>, StoreError> {
        let sql = "SELECT place, length, terms, counts FROM unnest(?1::bigint[]) WITH ORDINALITY AS asked (id, place)
             JOIN item_words ON item = id";
        let mut found = vec![None; items.len()];
        self.read(sql, &[&items], |row| {
            if let Some(place) = usize::try_from(row.integer(0)? - 1).ok().and_then(|place| found.get_mut(place)) {
                *place = Some(read_counts(row, terms)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn admits(
        &self,
        filter: &ItemFilter,
        view: Option<&MemoryView>,
        versions: &[ItemVersion],
    ) -> Result<Vec<ItemVersion>, StoreError> {
        let (passes, of_filter) = passing(self.dialect(), filter, view);
        let (items, born): (Vec<i64>, Vec<i64>) = versions.iter().map(|version| (version.item, version.born)).unzip();
        let mut values = given(&of_filter);
        values.extend([&items as &(dyn ToSql + Sync), &born]);
        let sql = format!(
            "SELECT item_words.item, item_words.born
             FROM unnest(?{}::bigint[], ?{}::bigint[]) AS asked (item, born)
                JOIN item_words ON item_words.item = asked.item AND item_words.born = asked.born
                JOIN item ON item.id = asked.item LEFT JOIN source ON source.id = item.source_id
             WHERE {passes}",
            of_filter.len() + 1,
            of_filter.len() + 2,
        );
        self.read(&sql, &values, |row| Ok(ItemVersion { item: row.integer(0)?, born: row.integer(1)? }))
    }

    fn lacking_words(&self) -> Result<usize, StoreError> {
        let sql = "SELECT CAST(coalesce(sum(greatest(items - documents, 0)), 0) AS bigint) FROM word_total";
        self.counted(sql, &[])
    }
}
