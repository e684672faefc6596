//! Compares the lists of words with the items. Items that are known to lack words are no fault, because the next write
//! makes their words.

use super::super::SharedDatabase;
use super::entries::read_runs;
use super::read_counts;
use crate::store::sql::{Fault, Faults, ReadSql, RunSql, SqlError, SqlRow};
use crate::store::{ItemVersion, StoreError};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Checks between the tables: the name of the fault, its message after the count, and the query that counts it.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "words-missing",
        "items without words that the totals do not count",
        "SELECT CAST(coalesce(sum(greatest(lacking - greatest(coalesce(items - documents, 0), 0), 0)), 0) AS bigint)
         FROM (SELECT scope, count(*) AS lacking FROM item
                WHERE state = 'active' AND NOT EXISTS (SELECT FROM item_words WHERE item = id) GROUP BY scope) AS found
            LEFT JOIN word_total USING (scope)",
    ),
    (
        "words-left",
        "items that are gone or in another scope still have words",
        "SELECT count(*) FROM item_words WHERE NOT EXISTS (
            SELECT FROM item WHERE id = item AND state = 'active' AND item.scope = item_words.scope)",
    ),
    (
        "word-totals",
        "scopes have wrong totals of items or words",
        "SELECT count(*) FROM word_total AS known FULL JOIN (
            SELECT scope, CAST(sum(items) AS bigint) AS items, CAST(sum(documents) AS bigint) AS documents,
                CAST(sum(tokens) AS bigint) AS tokens
            FROM (SELECT scope, count(*) AS items, 0 AS documents, 0 AS tokens FROM item WHERE state = 'active'
                    GROUP BY scope
                UNION ALL SELECT scope, 0, count(*), sum(length) FROM item_words GROUP BY scope) AS both_sides
            GROUP BY scope) AS counted USING (scope)
         WHERE (coalesce(known.items, 0), coalesce(known.documents, 0), coalesce(known.tokens, 0))
            <> (coalesce(counted.items, 0), coalesce(counted.documents, 0), coalesce(counted.tokens, 0))",
    ),
    (
        // Sums over the terms are compared: there are too many terms to group by.
        "word-lists",
        "scopes have lists of words that differ from the words of their items",
        "SELECT count(*) FROM (
            SELECT scope, sum(documents) AS many, sum(term % 1000003 * documents) AS terms
            FROM posting LEFT JOIN word_segment ON number = segment GROUP BY scope) AS listed
         FULL JOIN (
            SELECT scope, sum(documents) AS many, sum(term % 1000003 * documents) AS terms
            FROM (SELECT scope, term, 1 AS documents FROM item_words CROSS JOIN unnest(item_words.terms) AS term
                UNION ALL SELECT scope, term, documents FROM dead_term) AS held
            GROUP BY scope) AS wanted USING (scope)
         WHERE (coalesce(listed.many, 0), coalesce(listed.terms, 0))
            <> (coalesce(wanted.many, 0), coalesce(wanted.terms, 0))",
    ),
];

impl SharedDatabase {
    /// Compares the lists of words with the items; adds what is wrong with them.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub(in crate::store) fn word_faults(&self, faults: &mut Faults) -> Result<(), StoreError> {
        self.at_once(|| {
            self.unhurried()?;
            for (name, what, sql) in FAULTS {
                let found = self.counted(sql, &[])?;
                if found > 0 {
                    faults.push(Fault { name, what: format!("{found} {what}"), damage: false });
                }
            }
            self.list_faults(faults)
        })
    }

    /// Reads every list. Each item in a list must have words or be marked as gone. Two numbers for each item
    /// are held in memory.
    fn list_faults(&self, faults: &mut Faults) -> Result<(), StoreError> {
        let (mut known, mut unknown, mut unread) = (HashSet::new(), HashSet::new(), 0);
        self.visit("SELECT item, born FROM dead_words", |row| {
            known.insert(ItemVersion { item: row.integer(0)?, born: row.integer(1)? });
            Ok(ControlFlow::Continue(()))
        })?;
        self.visit("SELECT item, length, terms, counts, born FROM item_words", |row| {
            known.insert(ItemVersion { item: row.integer(0)?, born: row.integer(4)? });
            if let Err(failure) = read_counts(row, &[]) {
                failure.oddity()?;
                unread += 1;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let mut postings = Vec::new();
        self.visit("SELECT entries, documents FROM posting", |row| {
            postings.clear();
            let is_read = read_runs(row.bytes(0)?, &mut postings).is_some();
            unread += usize::from(!is_read || postings.len() as i64 != row.integer(1)?);
            unknown.extend(postings.iter().map(|found| found.version).filter(|version| !known.contains(version)));
            Ok(ControlFlow::Continue(()))
        })?;
        if unread > 0 {
            let what = format!("{unread} lists of words cannot be read");
            faults.push(Fault { name: "word-lists", what, damage: true });
        }
        if !unknown.is_empty() {
            let what = format!("the lists of words name {} items that have no words", unknown.len());
            faults.push(Fault { name: "words-left", what, damage: false });
        }
        Ok(())
    }
}
