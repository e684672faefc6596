//! Copies a store into another one, and compares two stores. It does not matter which kinds of store they are.
//!
//! Each table of both stores is read in the order of its key, and the rows are merged. A row that the target lacks is
//! sent, a row that only the target has is removed, and a row that differs is changed where it is, so rows that refer
//! to it stay. So a copy that was stopped goes on where it was, and the next copy sends only what has changed. Rows may
//! refer to other rows: those that are referred to are sent first and removed last. A row may also take over a value
//! that only one row may have, such as a path: a row that has another such value now is removed first. At the end a
//! digest of each table is compared.
//!
//! This module knows tables and rows, not their meaning. `store::sqlite` and `store::postgres` implement [`Place`] and
//! [`Target`].

mod pages;
mod tables;
#[cfg(test)]
mod tests;
mod value;

pub(super) use tables::{TABLES, Table};
pub(super) use value::{Kind, Row, Value};

use super::StoreError;
use crate::text::hex;
use pages::Pages;
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use value::{digest_row, key_order};

/// Rows of a page, and of a change that is written at once.
const PAGE: usize = 256;
/// From so many bytes on a change is written, even if it has fewer rows.
const CHANGE_BYTES: usize = 4 << 20;

/// What can be read table by table. Between [`Self::begin`] and the end of its life nothing in it changes.
pub(super) trait Place {
    /// How people know it; no password.
    fn name(&self) -> &str;

    /// From now on what is read is of one moment.
    fn begin(&mut self) -> Result<(), StoreError>;

    /// How many rows a table has.
    fn count(&mut self, table: &Table) -> Result<u64, StoreError>;

    /// The first rows of a table, or those behind a key, in the order of the key; fewer than asked for at its end only.
    fn page(&mut self, table: &Table, behind: Option<&[Value]>, most: usize) -> Result<Vec<Row>, StoreError>;
}

/// What can be written to as well; what it reads is what it holds by then.
pub(super) trait Target: Place {
    /// Changes a table: all of it, or nothing.
    fn change(&mut self, table: &Table, change: &Change) -> Result<(), StoreError>;

    /// Hears that all rows are written.
    fn end(&mut self) -> Result<(), StoreError>;
}

/// What is written to a table at once, in this order.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// Rows that go, by their keys.
    pub gone: Vec<Row>,
    /// Rows that take the place of those with their keys.
    pub other: Vec<Row>,
    /// Rows whose keys are new.
    pub new: Vec<Row>,
}

/// What a copy or a comparison came to.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Mirrored {
    /// What was read.
    pub from: String,
    /// What it was copied to, or compared with.
    pub to: String,
    /// Whether both hold the same.
    pub same: bool,
    /// By table, those without rows left out.
    pub tables: Vec<MirroredTable>,
}

/// The same for a table.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MirroredTable {
    /// Its name.
    pub table: &'static str,
    /// Rows of what was read.
    pub rows: u64,
    /// Rows of the other place.
    pub other_rows: u64,
    /// Rows that were sent.
    pub sent: u64,
    /// Rows that were removed, or replaced by others.
    pub removed: u64,
    /// SHA-256 of all rows that were read, in hexadecimal.
    pub sha256: String,
    /// Whether the other has the same number of rows and the same digest.
    pub same: bool,
}

/// Hears how many rows are done, and of how many.
pub(super) type Heard<'h> = &'h mut dyn FnMut(u64, u64);

/// Makes `to` hold what `from` holds.
///
/// # Errors
/// [`StoreError`] when one of them fails, and [`StoreError::OtherHistory`] if `to` has a log that is no beginning of
/// that of `from`. What was written by then stays; the next copy goes on from there.
pub(super) fn copy(from: &mut dyn Place, to: &mut dyn Target, heard: Heard<'_>) -> Result<Mirrored, StoreError> {
    from.begin()?;
    let mut total = 0;
    let mut is_empty = true;
    for table in TABLES {
        total += 2 * from.count(table)?;
        is_empty = is_empty && to.count(table)? == 0;
    }
    let mut removed = vec![0; TABLES.len()];
    if !is_empty {
        TABLES.iter().filter(|table| table.is_log).try_for_each(|table| check_log(from, to, table))?;
        for (at, table) in TABLES.iter().enumerate().rev().filter(|(_, table)| !table.is_log) {
            removed[at] += remove_others(from, to, table)?;
        }
    }
    let (mut sent, mut done) = (vec![0; TABLES.len()], 0);
    for (at, table) in TABLES.iter().enumerate() {
        let (new, replaced) = send(from, to, table, &mut |rows| {
            done += rows;
            heard(done, total);
        })?;
        sent[at] = new;
        removed[at] += replaced;
    }
    to.end()?;
    let mut out = compared(from, to, &mut |rows| {
        done += rows;
        heard(done, total.max(done));
    })?;
    for table in &mut out.tables {
        if let Some(at) = TABLES.iter().position(|known| known.name == table.table) {
            (table.sent, table.removed) = (sent[at], removed[at]);
        }
    }
    Ok(out)
}

/// Whether two hold the same.
///
/// # Errors
/// [`StoreError`] when one of them fails.
pub(super) fn compare(from: &mut dyn Place, to: &mut dyn Place, heard: Heard<'_>) -> Result<Mirrored, StoreError> {
    from.begin()?;
    to.begin()?;
    let total = TABLES.iter().map(|table| from.count(table)).sum::<Result<u64, _>>()?;
    let mut done = 0;
    compared(from, to, &mut |rows| {
        done += rows;
        heard(done, total);
    })
}

fn compared(
    from: &mut dyn Place,
    to: &mut (impl Place + ?Sized),
    heard: &mut dyn FnMut(u64),
) -> Result<Mirrored, StoreError> {
    let mut tables = Vec::new();
    for table in TABLES {
        let (rows, sha256) = digested(from, table, heard)?;
        let (other_rows, other) = digested(to, table, &mut |_| {})?;
        let same = (other_rows, &other) == (rows, &sha256);
        if rows > 0 || !same {
            tables.push(MirroredTable { table: table.name, rows, other_rows, sent: 0, removed: 0, sha256, same });
        }
    }
    let same = tables.iter().all(|table| table.same);
    Ok(Mirrored { from: from.name().to_owned(), to: to.name().to_owned(), same, tables })
}

/// How many rows a table has, and the SHA-256 of them.
fn digested(
    place: &mut (impl Place + ?Sized),
    table: &Table,
    heard: &mut dyn FnMut(u64),
) -> Result<(u64, String), StoreError> {
    let (mut pages, mut digest, mut rows) = (Pages::new(table), Sha256::new(), 0);
    while let Some(row) = pages.next(place)? {
        digest_row(&row, &mut digest);
        rows += 1;
        if rows % PAGE as u64 == 0 {
            heard(PAGE as u64);
        }
    }
    heard(rows % PAGE as u64);
    Ok((rows, hex(&digest.finalize())))
}

/// One step of a merge: a row of the source, of the target, or of both, of the same key.
enum Step {
    /// The target lacks it.
    Missing(Row),
    /// Only the target has it.
    Other(Row),
    /// Both have a row of this key; the target's, and the source's if that is another one.
    Both(Row, Option<Row>),
}

/// The next step, `None` at the end of both.
fn step(
    from: &mut dyn Place,
    to: &mut dyn Target,
    table: &Table,
    (source, target): (&mut Pages<'_>, &mut Pages<'_>),
) -> Result<Option<Step>, StoreError> {
    let order = match (source.peek(from)?, target.peek(to)?) {
        (None, None) => return Ok(None),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(one), Some(other)) => key_order(table.key(one), table.key(other)),
    };
    let mine = if order.is_le() { source.next(from)? } else { None };
    let theirs = if order.is_ge() { target.next(to)? } else { None };
    Ok(match (mine, theirs) {
        (Some(mine), Some(theirs)) => {
            let differs = mine != theirs;
            Some(Step::Both(theirs, differs.then_some(mine)))
        }
        (Some(mine), None) => Some(Step::Missing(mine)),
        (None, theirs) => theirs.map(Step::Other),
    })
}

/// Refuses a target whose log says something else than the source's.
fn check_log(from: &mut dyn Place, to: &mut dyn Target, table: &Table) -> Result<(), StoreError> {
    let (mut source, mut target) = (Pages::new(table), Pages::new(table));
    while let Some(step) = step(from, to, table, (&mut source, &mut target))? {
        if matches!(step, Step::Other(_) | Step::Both(_, Some(_))) {
            return Err(StoreError::OtherHistory { from: from.name().to_owned(), to: to.name().to_owned() });
        }
    }
    Ok(())
}

/// Removes the rows of the target that the source lacks, and those whose unique values it has otherwise; how many.
fn remove_others(from: &mut dyn Place, to: &mut dyn Target, table: &Table) -> Result<u64, StoreError> {
    let (mut source, mut target) = (Pages::new(table), Pages::new(table));
    let (mut change, mut removed) = (Change::default(), 0);
    while let Some(step) = step(from, to, table, (&mut source, &mut target))? {
        match step {
            Step::Both(row, Some(mine)) if !table.is_as_unique(&row, &mine) => change.gone.push(row),
            Step::Other(row) => change.gone.push(row),
            Step::Both(..) | Step::Missing(_) => continue,
        }
        removed += 1;
        if change.gone.len() >= PAGE {
            to.change(table, &std::mem::take(&mut change))?;
        }
    }
    if !change.gone.is_empty() {
        to.change(table, &change)?;
    }
    Ok(removed)
}

/// Sends the rows that the target lacks, or has otherwise; how many, and how many of these replace another.
fn send(
    from: &mut dyn Place,
    to: &mut dyn Target,
    table: &Table,
    heard: &mut dyn FnMut(u64),
) -> Result<(u64, u64), StoreError> {
    let (mut source, mut target) = (Pages::new(table), Pages::new(table));
    let (mut change, mut bytes) = (Change::default(), 0);
    let (mut sent, mut replaced, mut seen) = (0, 0, 0);
    while let Some(step) = step(from, to, table, (&mut source, &mut target))? {
        let (row, rows) = match step {
            Step::Missing(row) => (Some(row), &mut change.new),
            Step::Both(_, mine) => {
                replaced += u64::from(mine.is_some());
                (mine, &mut change.other)
            }
            // Nobody else should write to the target meanwhile. If somebody does, the digests will differ.
            Step::Other(_) => continue,
        };
        seen += 1;
        if let Some(row) = row {
            bytes += row.iter().map(Value::bytes).sum::<usize>();
            rows.push(row);
            sent += 1;
        }
        if change.new.len() + change.other.len() >= PAGE || bytes >= CHANGE_BYTES {
            to.change(table, &std::mem::take(&mut change))?;
            bytes = 0;
        }
        if seen % PAGE as u64 == 0 {
            heard(PAGE as u64);
        }
    }
    heard(seen % PAGE as u64);
    if !(change.new.is_empty() && change.other.is_empty()) {
        to.change(table, &change)?;
    }
    Ok((sent, replaced))
}
