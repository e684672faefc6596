//! Removing the postings of items that are gone.
//!
//! All postings of a version are in one segment: a batch writes them together, and merging moves them together. So the
//! lists of the rarest terms are read first, which are short. They tell which segments hold versions that are gone.
//! Of the other terms only the lists of these segments are read. `dead_term` says how many postings of a term are to
//! go, and once that many are found, no further list of the term is read. So what one item costs depends on the size of
//! its segment, not on that of the store.

use super::super::database::{SharedBatch, SharedDatabase};
use super::super::locks::PURGER;
use super::entries::{push_run, read_runs};
use super::odd;
use super::write::narrow;
use crate::store::sql::{RunSql, SqlRow, values};
use crate::store::{ItemVersion, Posting, StoreError, WriteBatch};
use std::collections::{BTreeMap, HashSet};
use tokio_postgres::Row;

/// Terms whose postings are purged in one batch. A term counts once for each scope.
const PURGED: i64 = 2_000;
/// Postings that are held in memory at once, besides those of a list that has more.
const AT_ONCE: i64 = 1_000_000;
/// Each round may read this many times as many postings as the one before, up to `AT_ONCE`.
const GROWTH: i64 = 8;

/// A term of a scope, with postings of items that are gone.
struct DeadTerm {
    term: i64,
    /// Postings that are still to be removed.
    left: i64,
    /// Its lists: of which segment each is, and how many postings it has.
    lists: Vec<(i64, i64)>,
}

impl DeadTerm {
    fn postings(&self) -> i64 {
        self.lists.iter().map(|(_, postings)| postings).sum()
    }
}

impl SharedBatch<'_> {
    /// Removes the postings of items that are gone, those of some terms; whether there were any. The batch holds the
    /// store's lock, so no item goes meanwhile.
    pub(in crate::store) fn purge_some(&self) -> Result<bool, StoreError> {
        self.unhurried()?;
        // Whoever merges ends first.
        self.exists("SELECT FROM pg_advisory_xact_lock(?1)", &values![PURGER])?;
        let sql = "DELETE FROM dead_term WHERE (term, scope) IN (SELECT term, scope FROM dead_term LIMIT ?1)
            RETURNING term, scope, documents";
        let dead_terms: Vec<(i64, String, i64)> =
            self.rows(sql, &values![PURGED], |row| Ok((row.integer(0)?, row.try_get(1)?, row.integer(2)?)))?;
        if dead_terms.is_empty() {
            let empty = "DELETE FROM word_segment WHERE NOT EXISTS (SELECT FROM posting WHERE segment = number)";
            self.execute(empty, &[])?;
            self.execute("DELETE FROM dead_words", &[])?;
            self.execute("DELETE FROM word_total WHERE items = 0 AND documents = 0", &[])?;
            return Ok(false);
        }
        let mut scopes: Vec<&str> = dead_terms.iter().map(|(_, scope, _)| scope.as_str()).collect();
        scopes.sort_unstable();
        scopes.dedup();
        let version = |row: &Row| Ok(ItemVersion { item: row.integer(0)?, born: row.integer(1)? });
        let sql = "SELECT item, born FROM dead_words WHERE scope = ANY(?1)";
        let dead: HashSet<ItemVersion> = self.database.read(sql, &[&scopes], version)?.into_iter().collect();
        let mut terms = self.lists_of(&dead_terms)?;
        terms.sort_by_key(DeadTerm::postings);
        let mut holders = HashSet::new();
        let (mut rest, mut most) = (&mut terms[..], 1);
        while !rest.is_empty() {
            let mut postings = 0;
            let fits = |term: &&DeadTerm| {
                postings += term.postings();
                postings <= most
            };
            let many = rest.iter().take_while(fits).count().max(1);
            let (some, behind) = std::mem::take(&mut rest).split_at_mut(many);
            self.purge_lists(some, true, &mut holders, &dead)?;
            self.purge_lists(some, false, &mut holders, &dead)?;
            rest = behind;
            most = (most * GROWTH).min(AT_ONCE);
        }
        Ok(true)
    }

    /// The lists of terms, in the order of the terms. What they hold is not read.
    fn lists_of(&self, dead_terms: &[(i64, String, i64)]) -> Result<Vec<DeadTerm>, StoreError> {
        let asked: Vec<i64> = dead_terms.iter().map(|(term, _, _)| *term).collect();
        let scopes: Vec<&str> = dead_terms.iter().map(|(_, scope, _)| scope.as_str()).collect();
        let dead_term = |(term, _, left): &(i64, String, i64)| DeadTerm { term: *term, left: *left, lists: Vec::new() };
        let mut terms: Vec<DeadTerm> = dead_terms.iter().map(dead_term).collect();
        let sql = "SELECT place, segment, posting.documents
            FROM unnest(?1::bigint[], ?2::text[]) WITH ORDINALITY AS asked (term, scope, place)
                JOIN posting ON posting.term = asked.term
                JOIN word_segment ON number = segment AND word_segment.scope = asked.scope";
        self.database.read(sql, &[&asked, &scopes], |row| {
            let list = (row.integer(1)?, row.integer(2)?);
            at_place(&mut terms, row)?.lists.push(list);
            Ok(())
        })?;
        Ok(terms)
    }

    /// Removes dead postings from the lists of terms that still have some. If `of_holders`, it reads only lists of
    /// segments in `holders`, which are known to have dead postings. Otherwise it reads only the others. It adds new
    /// ones to `holders`.
    fn purge_lists(
        &self,
        terms: &mut [DeadTerm],
        of_holders: bool,
        holders: &mut HashSet<i64>,
        dead: &HashSet<ItemVersion>,
    ) -> Result<(), StoreError> {
        let (mut places, mut asked, mut segments) = (Vec::new(), Vec::new(), Vec::new());
        for (place, term) in (1i64..).zip(terms.iter()).filter(|(_, term)| term.left > 0) {
            for (segment, _) in term.lists.iter().filter(|(segment, _)| holders.contains(segment) == of_holders) {
                places.push(place);
                asked.push(term.term);
                segments.push(*segment);
            }
        }
        if places.is_empty() {
            return Ok(());
        }
        let sql = "SELECT place, segment, posting.term, entries
            FROM unnest(?1::bigint[], ?2::bigint[], ?3::bigint[]) AS asked (place, term, of_segment)
                JOIN posting ON posting.term = asked.term AND segment = of_segment";
        let mut kept = Purged::default();
        self.database.read(sql, &[&places, &asked, &segments], |row| {
            let (segment, mut postings) = (row.integer(1)?, Vec::new());
            read_runs(row.bytes(3)?, &mut postings).ok_or_else(|| odd("postings"))?;
            let removed = kept.push(segment, row.integer(2)?, postings, dead);
            at_place(terms, row)?.left -= removed;
            if removed > 0 {
                holders.insert(segment);
            }
            Ok(())
        })?;
        self.write_purged(kept)
    }

    fn write_purged(&self, Purged { segments, terms, documents, entries, removed }: Purged) -> Result<(), StoreError> {
        if segments.is_empty() {
            return Ok(());
        }
        let sql = "UPDATE posting SET documents = kept.documents, entries = kept.entries
            FROM unnest(?1::bigint[], ?2::bigint[], ?3::integer[], ?4::bytea[])
                AS kept (segment, term, documents, entries)
            WHERE posting.segment = kept.segment AND posting.term = kept.term";
        self.database.on(|link| link.execute(sql, &[&segments, &terms, &documents, &entries]))?;
        let sql = "DELETE FROM posting USING unnest(?1::bigint[], ?2::bigint[]) AS kept (segment, term)
            WHERE posting.segment = kept.segment AND posting.term = kept.term AND documents = 0";
        self.database.on(|link| link.execute(sql, &[&segments, &terms]))?;
        for (segment, fewer) in removed {
            let sql = "UPDATE word_segment SET postings = postings - ?2 WHERE number = ?1";
            self.execute(sql, &values![segment, fewer])?;
        }
        Ok(())
    }
}

/// The term whose place, from 1 on, is the first column of a row.
fn at_place<'t>(terms: &'t mut [DeadTerm], row: &Row) -> Result<&'t mut DeadTerm, super::super::row::Failure> {
    let place = usize::try_from(row.integer(0)? - 1).ok();
    place.and_then(|place| terms.get_mut(place)).ok_or_else(|| odd("places of terms"))
}

/// Rows of `posting` without those of items that are gone, column by column.
#[derive(Default)]
struct Purged {
    segments: Vec<i64>,
    terms: Vec<i64>,
    documents: Vec<i32>,
    entries: Vec<Vec<u8>>,
    /// How many went, by segment.
    removed: BTreeMap<i64, i64>,
}

impl Purged {
    /// Adds a row, if anything of it goes; gives how much.
    fn push(&mut self, segment: i64, term: i64, mut postings: Vec<Posting>, dead: &HashSet<ItemVersion>) -> i64 {
        let before = postings.len();
        postings.retain(|posting| !dead.contains(&posting.version));
        let removed = (before - postings.len()) as i64;
        if removed == 0 {
            return 0;
        }
        *self.removed.entry(segment).or_default() += removed;
        let mut entries = Vec::new();
        postings.chunk_by(|a, b| a.version.born == b.version.born).for_each(|run| push_run(run, &mut entries));
        self.segments.push(segment);
        self.terms.push(term);
        self.documents.push(narrow(postings.len()));
        self.entries.push(entries);
        removed
    }
}

impl SharedDatabase {
    /// Whether postings name items that are gone, of the scopes that the user sees.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn has_dead_words(&self) -> Result<bool, StoreError> {
        self.exists("SELECT FROM dead_words LIMIT 1", &[])
    }

    /// Removes postings of items that are gone, those of some terms; whether there were any. Others write in between.
    pub(super) fn purge_some(&mut self) -> Result<bool, StoreError> {
        let batch = self.begin_behind_others()?;
        let is_purged = batch.purge_some()?;
        batch.commit()?;
        Ok(is_purged)
    }
}
