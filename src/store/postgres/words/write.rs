//! Rows of the words of items: made of what the items count, and written.

use super::super::link::{Given, Link};
use super::super::row::Failure;
use super::entries::{push_number, push_run};
use crate::store::{ItemVersion, ItemWords, Posting};
use std::collections::BTreeMap;
use tokio_postgres::types::Type;

/// Postings that are sent in one statement.
const AT_ONCE: usize = 10_000;

/// A row of `item_words`.
pub(super) struct Forward {
    item: i64,
    born: i64,
    scope: String,
    length: i32,
    terms: Vec<i64>,
    counts: Vec<u8>,
}

impl Forward {
    pub fn new(item: i64, words: &ItemWords, born: i64, scope: &str) -> Self {
        let mut counts = Vec::with_capacity(words.terms.len());
        words.terms.iter().for_each(|(_, count)| push_number(u64::from(*count), &mut counts));
        let terms = words.terms.iter().map(|(term, _)| *term as i64).collect();
        Self { item, born, scope: scope.to_owned(), length: narrow(words.length as usize), terms, counts }
    }
}

/// A row of `posting`.
pub(super) struct Inverted {
    born: i64,
    term: i64,
    documents: i32,
    entries: Vec<u8>,
}

/// A count as its column holds it.
pub(super) fn narrow(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// The postings of items by their terms, as those of one segment.
pub(super) fn inverted(items: &BTreeMap<i64, ItemWords>, born: i64) -> Vec<Inverted> {
    let of_item = |(&item, words): (&i64, &ItemWords)| {
        let (version, length) = (ItemVersion { item, born }, words.length);
        let posting = move |&(term, count): &(u64, u32)| (term as i64, Posting { version, count, length });
        words.terms.iter().map(posting).collect::<Vec<_>>()
    };
    let mut all: Vec<(i64, Posting)> = items.iter().flat_map(of_item).collect();
    all.sort_by_key(|(term, _)| *term);
    let row = |of_term: &[(i64, Posting)]| {
        let run: Vec<Posting> = of_term.iter().map(|(_, posting)| *posting).collect();
        let mut entries = Vec::new();
        push_run(&run, &mut entries);
        Inverted { born, term: of_term[0].0, documents: narrow(run.len()), entries }
    };
    all.chunk_by(|a, b| a.0 == b.0).map(row).collect()
}

/// The columns of both tables, and their types.
const FORWARD: &str = "item_words (item, born, scope, length, terms, counts)";
const INVERTED: &str = "posting (segment, term, documents, entries)";

/// Writes rows all at once.
pub(super) fn copy(link: &mut Link, forward: &[Forward], inverted: &[Inverted]) -> Result<(), Failure> {
    let types = [Type::INT8, Type::INT8, Type::TEXT, Type::INT4, Type::INT8_ARRAY, Type::BYTEA];
    let rows =
        forward.iter().map(|row| [&row.item as Given<'_>, &row.born, &row.scope, &row.length, &row.terms, &row.counts]);
    link.copy(FORWARD, &types, rows)?;
    let types = [Type::INT8, Type::INT8, Type::INT4, Type::BYTEA];
    let rows = inverted.iter().map(|row| [&row.born as Given<'_>, &row.term, &row.documents, &row.entries]);
    link.copy(INVERTED, &types, rows)
}

/// The same for a user who may not write to other scopes: the server checks no rows that are copied.
pub(super) fn insert(link: &mut Link, forward: &[Forward], inverted: &[Inverted]) -> Result<(), Failure> {
    let sql = format!("INSERT INTO {FORWARD} VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    for row in forward {
        link.execute(&sql, &[&row.item, &row.born, &row.scope, &row.length, &row.terms, &row.counts])?;
    }
    let sql =
        format!("INSERT INTO {INVERTED} SELECT * FROM unnest(?1::bigint[], ?2::bigint[], ?3::integer[], ?4::bytea[])");
    for some in inverted.chunks(AT_ONCE) {
        let born: Vec<i64> = some.iter().map(|row| row.born).collect();
        let terms: Vec<i64> = some.iter().map(|row| row.term).collect();
        let documents: Vec<i32> = some.iter().map(|row| row.documents).collect();
        let entries: Vec<&[u8]> = some.iter().map(|row| row.entries.as_slice()).collect();
        link.execute(&sql, &[&born, &terms, &documents, &entries])?;
    }
    Ok(())
}
