//! Mending rows: what can be derived is made again, and what is damaged goes.

use super::check::{is_as_stored, is_unit_vector};
use super::external::derive;
use super::memory::{LISTED, mend_memory, read_drifted};
use super::source::NO_HASH;
use super::value::{count, json};
use super::{RunSql, SqlRow, SqlValue, StoreError, WriteSql, values};
use crate::store::WriteItems;
use crate::store::passages::passages;
use crate::text::{text_hash, tokens};
use crate::types::titled;
use serde_json::Value;

/// Rows that are looked at together, so that not all texts lie in memory.
const PAGE: usize = 500;

/// Rows that point nowhere go first, then what is derived.
const CLEAR: &[&str] = &[
    "DELETE FROM item WHERE source_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM source WHERE source.id = item.source_id)",
    "DELETE FROM vector WHERE model_id NOT IN (SELECT id FROM model)",
    "DELETE FROM kept_out WHERE NOT EXISTS (SELECT 1 FROM source WHERE source.id = kept_out.source_id)
        OR NOT EXISTS (SELECT 1 FROM forgotten WHERE forgotten.id = kept_out.forgotten_id)",
    "DELETE FROM meta WHERE key = 'active_model' AND value NOT IN (SELECT fingerprint FROM model)",
    "DELETE FROM memory_words
        WHERE NOT EXISTS (SELECT 1 FROM memory_event WHERE memory_event.number = memory_words.event)",
    "UPDATE memory SET item_id = NULL WHERE item_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM item WHERE item.id = memory.item_id)",
    "DELETE FROM error_session WHERE NOT EXISTS (SELECT 1 FROM error_log WHERE error_log.id = error_session.error)",
    "DELETE FROM tool_suggestion
        WHERE NOT EXISTS (SELECT 1 FROM tool_task WHERE tool_task.number = tool_suggestion.task)",
    "DELETE FROM embedding",
    "DELETE FROM external_item",
    "DELETE FROM attribute",
    "UPDATE item SET title = '', body = '', words = 0 WHERE state = 'retired'",
];

/// Whether an item does not say where it stands: in four numbers in their order, or not at all.
const ODD_PLACE: &str = "NOT coalesce(
    byte_start >= 0 AND byte_end >= byte_start AND line_start >= 0 AND line_end >= line_start,
    coalesce(byte_start, byte_end, line_start, line_end) IS NULL)";

/// Makes again what can be derived from items: texts to embed, attributes, counts; drops damaged vectors and texts,
/// whose files are read again at the next indexing.
///
/// # Errors
/// [`StoreError`] when the store refuses.
pub fn rebuild<C: WriteSql>(changes: &C) -> Result<(), StoreError> {
    changes.places_change();
    for sql in CLEAR {
        changes.execute(sql, &[])?;
    }
    mend_values(changes)?;
    mend_memories(changes)?;
    rebuild_items(changes)?;
    drop_damaged_vectors(changes)?;
    changes.execute(
        "UPDATE corpus SET items = (SELECT count(*) FROM item WHERE state = 'active'),
            words = (SELECT coalesce(sum(words), 0) FROM item WHERE state = 'active')",
        &[],
    )?;
    Ok(())
}

/// Takes away values that nobody wrote, and keeps the rows: a file whose items do not say where they stand is read
/// again.
fn mend_values(changes: &impl WriteSql) -> Result<(), StoreError> {
    changes.execute(
        &format!(
            "UPDATE source SET size = -1, sha256 = ?1
             WHERE root <> '' AND id IN (SELECT source_id FROM item WHERE {ODD_PLACE})"
        ),
        &values![NO_HASH],
    )?;
    // What is no number is infinite, or what PostgreSQL calls greater than that.
    changes.execute("DELETE FROM link WHERE abs(weight) > ?1", &values![f64::MAX])?;
    let (greatest, least) = (changes.dialect().greatest(), changes.dialect().least());
    let counter = |column: &str| format!("{column} = {least}({greatest}({column}, 0), 4294967295)");
    let counters = ["days", "served", "confirmed"].map(counter).join(", ");
    for sql in [
        &format!(
            "UPDATE item SET byte_start = NULL, byte_end = NULL, line_start = NULL, line_end = NULL WHERE {ODD_PLACE}"
        ),
        "UPDATE source SET size = -1 WHERE size < -1",
        &format!("UPDATE usage SET {counters}"),
        "UPDATE forgotten SET lines = NULL WHERE lines < 0",
        "UPDATE forgotten SET word_count = length(words) / 4 WHERE word_count < 0",
        "UPDATE forgotten SET pair_count = length(pairs) / 4 WHERE pair_count < 0",
        "DELETE FROM error_log WHERE NOT EXISTS (SELECT 1 FROM error_session WHERE error_session.error = error_log.id)",
        "UPDATE error_log SET count = (SELECT sum(count) FROM error_session WHERE error = error_log.id)",
        "INSERT INTO outcome_session (session, scope, rows, kept, analysed, first_at, last_at)
         SELECT session, min(scope), max(sequence), count(*), 0, min(at), max(at) FROM tool_outcome GROUP BY session
         ON CONFLICT (session) DO NOTHING",
        &format!(
            "UPDATE outcome_session SET
                rows = {greatest}(rows,
                    coalesce((SELECT max(sequence) FROM tool_outcome WHERE session = outcome_session.session), 0)),
                kept = (SELECT count(*) FROM tool_outcome WHERE session = outcome_session.session)"
        ),
        "UPDATE tool_outcome SET duration_ms = NULL WHERE duration_ms < 0",
        "DELETE FROM capability_use WHERE NOT EXISTS (
            SELECT 1 FROM capability WHERE scope = capability_use.scope AND id = capability_use.id)",
        "DELETE FROM capability WHERE NOT EXISTS (
            SELECT 1 FROM capability_use WHERE scope = capability.scope AND id = capability.id)",
        "UPDATE capability SET (uses, ok) = (SELECT count(*), sum(is_ok) FROM capability_use
            WHERE scope = capability.scope AND id = capability.id)",
        "DELETE FROM vector_change WHERE number < 1 OR length(mark) <> 8",
    ] {
        changes.execute(sql, &[])?;
    }
    Ok(())
}

/// The columns of memories, from their data.
fn mend_memories(changes: &impl WriteSql) -> Result<(), StoreError> {
    // What cannot be read is told among the values, and made again from the log.
    let drifted = changes.rows(LISTED, &[], |row| Ok(read_drifted(row).ok().flatten()))?;
    drifted.into_iter().flatten().try_for_each(|memory| mend_memory(changes, &memory))
}

/// An item as it is found.
struct Found {
    id: i64,
    source: Option<i64>,
    is_active: bool,
    scope: String,
    words: i64,
    /// Title and body; none if they are not what was stored.
    text: Option<(String, String)>,
    /// None if they cannot be read.
    attributes: Option<Value>,
}

/// Items behind a row, in the order of their rows.
fn found_behind(changes: &impl WriteSql, behind: i64) -> Result<Vec<Found>, StoreError> {
    let sql = "SELECT title, body, text_hash, id, source_id, state, scope, words, attributes FROM item
        WHERE state <> 'retired' AND id > ?1 ORDER BY id LIMIT ?2";
    changes.rows(sql, &[behind.into(), SqlValue::most(PAGE)], |row| {
        Ok(Found {
            id: row.get(3)?,
            source: row.get(4)?,
            is_active: row.text(5)? == "active",
            scope: row.get(6)?,
            words: row.get(7)?,
            text: if is_as_stored(row) { Some((row.get(0)?, row.get(1)?)) } else { None },
            attributes: json(row, 8).ok(),
        })
    })
}

/// The number of words and the texts to embed of every item, from its text. An item whose text is not what was stored
/// goes, and its file is read again.
fn rebuild_items<C: WriteSql>(changes: &C) -> Result<(), StoreError> {
    let mut behind = i64::MIN;
    loop {
        let page = found_behind(changes, behind)?;
        let Some(last) = page.last() else { return Ok(()) };
        behind = last.id;
        let mut embeddings = Vec::new();
        for Found { id, source, is_active, scope, words, text, attributes } in page {
            let Some((title, body)) = text else {
                changes.remove_item(id)?;
                read_again(changes, source)?;
                continue;
            };
            let attributes = match attributes {
                Some(attributes) => attributes,
                None => {
                    changes.execute("UPDATE item SET attributes = '{}' WHERE id = ?1", &values![id])?;
                    read_again(changes, source)?;
                    serde_json::json!({})
                }
            };
            let counted = tokens(&titled(&title, &body)).len() as i64;
            if words != counted {
                changes.execute("UPDATE item SET words = ?2 WHERE id = ?1", &values![id, counted])?;
            }
            derive(changes, id, &scope, &attributes)?;
            if is_active {
                let texts = passages(&title, &body, &attributes);
                embeddings.extend((0i64..).zip(&texts).map(|(part, text)| values![id, part, text_hash(text)]));
            }
        }
        changes.insert_all("embedding (item_id, part, text_hash)", embeddings, "")?;
    }
}

fn read_again(changes: &impl RunSql, source: Option<i64>) -> Result<(), StoreError> {
    changes.execute("UPDATE source SET size = -1, sha256 = ?1 WHERE id = ?2", &values![NO_HASH, source])?;
    Ok(())
}

fn drop_damaged_vectors(changes: &impl WriteSql) -> Result<(), StoreError> {
    let sql = "SELECT vector.id, vector.data, model.dims FROM vector JOIN model ON model.id = vector.model_id
        WHERE vector.id > ?1 ORDER BY vector.id LIMIT ?2";
    let mut behind = i64::MIN;
    loop {
        let page: Vec<(i64, bool)> = changes.rows(sql, &[behind.into(), SqlValue::most(PAGE)], |row| {
            Ok((row.get(0)?, is_unit_vector(row.bytes(1).unwrap_or_default(), count(row, 2)?)))
        })?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        behind = *last;
        for (id, _) in page.iter().filter(|(_, is_whole)| !is_whole) {
            changes.execute("DELETE FROM vector WHERE id = ?1", &values![*id])?;
        }
    }
}
