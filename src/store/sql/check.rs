//! Whether every row is as it should be: what must hold between the tables, and values that read as what was written.

use super::external::Derived;
use super::forgotten::{PASSAGES, read_passage, read_sketches};
use super::item::{ITEM_COLUMNS, read_item};
use super::learning::{
    CAPABILITIES, SUGGESTIONS, TASKS, THRESHOLDS, TRACES, read_capability, read_suggestion, read_task, read_threshold,
    read_trace,
};
use super::memory::{EVENTS, LISTED, read_drifted, read_event, read_memory};
use super::outcome::{OUTCOMES, PATTERNS, read_outcome, read_pattern};
use super::source::{SOURCE_COLUMNS, read_source};
use super::tools::{TOOLS, read_tool};
use super::transfer::{COUNTERS, LINKS, read_counters, read_link};
use super::value::{SqlError, count, json};
use super::{ReadSql, SqlRow, SqlValue, StoreError};
use crate::text::text_hash;
use crate::types::titled;
use std::ops::ControlFlow;

/// A vector may be this far from length 1, for rounding.
const LENGTH_TOLERANCE: f64 = 1e-3;

/// Rows that are looked at together.
const PAGE: usize = 500;

/// One kind of fault.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// Short name.
    pub name: &'static str,
    /// What is wrong, for people.
    pub what: String,
    /// Whether bytes are damaged; otherwise tables have only drifted apart.
    pub damage: bool,
}

/// What was found.
pub type Faults = Vec<Fault>;

/// What must hold between the tables: the name of a fault, what it says behind a count, and how many there are.
const BETWEEN_TABLES: &[(&str, &str, &str)] = &[
    (
        "embedding-missing",
        "items have no text to embed",
        "SELECT count(*) FROM item
            WHERE state = 'active' AND NOT EXISTS (SELECT 1 FROM embedding WHERE embedding.item_id = item.id)",
    ),
    (
        "embedding-left",
        "removed items still have a text to embed",
        "SELECT count(*) FROM embedding
            WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.id = embedding.item_id AND state = 'active')",
    ),
    (
        "forgotten-text",
        "forgotten items still have text",
        "SELECT count(*) FROM item WHERE state = 'retired' AND (body <> '' OR title <> '')",
    ),
    (
        "corpus",
        "counts are wrong",
        "SELECT count(*) FROM corpus, (SELECT count(*) AS items, coalesce(sum(words), 0) AS words FROM item
            WHERE state = 'active') AS counted
         WHERE corpus.items <> counted.items OR corpus.words <> counted.words",
    ),
    (
        "outcomes",
        "sessions or kinds of failures are counted wrongly",
        "SELECT (SELECT count(*) FROM error_log WHERE count <> coalesce(
                (SELECT sum(count) FROM error_session WHERE error = error_log.id), 0))
            + (SELECT count(*) FROM (SELECT session, count(*) AS kept, max(sequence) AS last FROM tool_outcome
                GROUP BY session) AS counted LEFT JOIN outcome_session USING (session)
                WHERE outcome_session.kept IS DISTINCT FROM counted.kept OR outcome_session.rows < counted.last)",
    ),
    (
        "capabilities",
        "capabilities are counted wrongly",
        "SELECT count(*) FROM (SELECT scope, id, count(*) AS uses, sum(is_ok) AS ok FROM capability_use
            GROUP BY scope, id) AS counted FULL JOIN capability USING (scope, id)
            WHERE capability.uses IS DISTINCT FROM counted.uses OR capability.ok IS DISTINCT FROM counted.ok",
    ),
    (
        "active-model",
        "the index's model is not known",
        "SELECT count(*) FROM meta WHERE key = 'active_model' AND value NOT IN (SELECT fingerprint FROM model)",
    ),
];

/// Looks at every row; adds what is wrong with them, up to what the store refuses to read.
///
/// # Errors
/// [`StoreError`] when the store refuses.
pub fn row_faults<D: ReadSql>(store: &D, faults: &mut Faults) -> Result<(), StoreError> {
    store.at_once(|| {
        store.unhurried()?;
        for (name, what, sql) in BETWEEN_TABLES {
            let found = store.counted(sql, &[])?;
            if found > 0 {
                faults.push(Fault { name, what: format!("{found} {what}"), damage: false });
            }
        }
        values(store, faults)?;
        texts(store, faults)?;
        derived_rows(store, faults)?;
        memories(store, faults)?;
        vectors(store, faults)
    })
}

/// Values that read as nothing that was ever written, though their column takes them.
fn values<D: ReadSql>(store: &D, faults: &mut Faults) -> Result<(), StoreError> {
    let (mut odd, mut first) = (0, None);
    let mut note = |what: String| {
        odd += 1;
        first.get_or_insert(what);
    };
    let items = format!("SELECT {ITEM_COLUMNS} FROM item LEFT JOIN source ON source.id = item.source_id");
    each_odd(store, &items, |row| read_item(row).map(drop), &mut note)?;
    let sources = format!("SELECT {SOURCE_COLUMNS} FROM source");
    each_odd(store, &sources, |row| read_source(row).map(drop), &mut note)?;
    each_odd(store, COUNTERS, |row| read_counters(row).map(drop), &mut note)?;
    each_odd(store, LINKS, |row| read_link(row).map(drop), &mut note)?;
    each_odd(store, EVENTS, |row| read_event(row).map(drop), &mut note)?;
    each_odd(store, "SELECT id, data FROM memory", |row| read_memory(row).map(drop), &mut note)?;
    each_odd(store, OUTCOMES, |row| read_outcome(row).map(drop), &mut note)?;
    each_odd(store, PATTERNS, |row| read_pattern(row).map(drop), &mut note)?;
    each_odd(store, TOOLS, |row| read_tool(row).map(drop), &mut note)?;
    each_odd(store, TASKS, |row| read_task(row).map(drop), &mut note)?;
    each_odd(store, SUGGESTIONS, |row| read_suggestion(row).map(drop), &mut note)?;
    each_odd(store, THRESHOLDS, |row| read_threshold(row).map(drop), &mut note)?;
    each_odd(store, CAPABILITIES, |row| read_capability(row).map(drop), &mut note)?;
    each_odd(store, TRACES, |row| read_trace(row).map(drop), &mut note)?;
    each_odd(store, PASSAGES, |row| read_passage(row).map(drop), &mut note)?;
    match read_sketches(store) {
        Err(StoreError::Damaged { what, .. } | StoreError::OddValue { what, .. }) => note(what),
        other => drop(other?),
    }
    if let Some(first) = first {
        let what = format!("{odd} rows hold values that nobody wrote, such as {first}");
        faults.push(Fault { name: "values", what, damage: true });
    }
    Ok(())
}

/// Reads every row of a query; `note` gets what is odd about those that cannot be read.
fn each_odd<D: ReadSql>(
    store: &D,
    sql: &str,
    read: impl Fn(&D::Row<'_>) -> Result<(), D::Error>,
    note: &mut impl FnMut(String),
) -> Result<(), StoreError> {
    store.visit(sql, |row| {
        if let Err(error) = read(row) {
            note(error.oddity()?);
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Every text against its hash.
fn texts<D: ReadSql>(store: &D, faults: &mut Faults) -> Result<(), StoreError> {
    let (mut wrong, mut first) = (0, None);
    store.visit("SELECT title, body, text_hash, uid FROM item WHERE state <> 'retired'", |row| {
        if !is_as_stored(row) {
            wrong += 1;
            first.get_or_insert_with(|| row.text(3).unwrap_or_else(|_| "one without an id".to_owned()));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if let Some(first) = first {
        let what = format!("{wrong} items hold other text than was stored, {first} among them");
        faults.push(Fault { name: "texts", what, damage: true });
    }
    Ok(())
}

/// The ids of programs and the attributes, against what the items say.
fn derived_rows<D: ReadSql>(store: &D, faults: &mut Faults) -> Result<(), StoreError> {
    let sql = "SELECT id, attributes FROM item WHERE id > ?1 ORDER BY id LIMIT ?2";
    let (mut wrong, mut expected, mut behind) = (0, 0, i64::MIN);
    loop {
        // What is no JSON is told among the values.
        let page: Vec<(i64, Derived)> = store.rows(sql, &[behind.into(), SqlValue::most(PAGE)], |row| {
            Ok((row.get(0)?, json(row, 1).map(|attributes| Derived::of(&attributes)).unwrap_or_default()))
        })?;
        let Some((last, _)) = page.last() else { break };
        behind = *last;
        let page: Vec<(i64, Derived)> = page.into_iter().filter(|(_, derived)| derived.count() > 0).collect();
        let items: Vec<i64> = page.iter().map(|(item, _)| *item).collect();
        let stored = Derived::stored(store, &items)?;
        expected += page.iter().map(|(_, derived)| derived.count()).sum::<usize>();
        wrong += page.iter().filter(|(item, derived)| stored.get(item) != Some(derived)).count();
    }
    let found = store.counted(
        "SELECT (SELECT count(*) FROM external_item JOIN item ON item.id = item_id AND item.scope = external_item.scope)
            + (SELECT count(*) FROM attribute)",
        &[],
    )?;
    if wrong > 0 || found != expected {
        let what = format!("attributes of {} items are not indexed as they are", wrong.max(1));
        faults.push(Fault { name: "attributes", what, damage: false });
    }
    Ok(())
}

/// The columns of memories that reads ask for, against their data.
fn memories<D: ReadSql>(store: &D, faults: &mut Faults) -> Result<(), StoreError> {
    let mut wrong = 0;
    store.visit(LISTED, |row| {
        // What cannot be read is told among the values.
        wrong += usize::from(read_drifted(row).is_ok_and(|memory| memory.is_some()));
        Ok(ControlFlow::Continue(()))
    })?;
    if wrong > 0 {
        let what = format!("{wrong} memories are listed as other than they are");
        faults.push(Fault { name: "memories", what, damage: false });
    }
    Ok(())
}

/// Every vector: its length in bytes, finite, of length 1.
fn vectors<D: ReadSql>(store: &D, faults: &mut Faults) -> Result<(), StoreError> {
    let mut wrong = 0;
    store.visit("SELECT vector.data, model.dims FROM vector JOIN model ON model.id = vector.model_id", |row| {
        wrong += usize::from(!is_unit_vector(row.bytes(0).unwrap_or_default(), count(row, 1)?));
        Ok(ControlFlow::Continue(()))
    })?;
    if wrong > 0 {
        faults.push(Fault { name: "vectors", what: format!("{wrong} vectors are damaged"), damage: true });
    }
    Ok(())
}

/// Whether title, body and hash, the first three columns of a row, belong together.
pub fn is_as_stored<R: SqlRow>(row: &R) -> bool {
    // Not every damaged byte is one that a database would see: text need not be UTF-8 in SQLite.
    let (Ok(title), Ok(body), Ok(hash)) = (row.text(0), row.text(1), row.bytes(2)) else { return false };
    text_hash(&titled(&title, &body)) == hash
}

pub fn is_unit_vector(data: &[u8], dims: usize) -> bool {
    let values = data.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    let square: f64 = values.map(|value| value * value).sum();
    data.len() == dims * 4 && (square.sqrt() - 1.0).abs() <= LENGTH_TOLERANCE
}
