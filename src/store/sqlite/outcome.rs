//! Outcomes in SQLite: rows, counts of failures, batches and patterns.

use super::StoreError;
use super::database::{Batch, Database};
use super::value::{count, named, odd, within};
use crate::screen::shown_text;
use crate::store::{
    BatchState, FOUND, KeepOutcomes, OutcomeBatch, OutcomeCounts, OutcomeCursor, OutcomeFilter, OutcomeSession,
    PatternFilter, ReadOutcomes, SessionForgotten, StoredPattern, WriteOutcomes,
};
use crate::types::{ErrorCount, Scope, ToolOutcome};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use std::collections::BTreeSet;

/// Rows, from a row of this.
pub(super) const OUTCOMES: &str =
    "SELECT session, sequence, at, tool, head, input, input_fingerprint, is_ok, exit_code,
    error, error_fingerprint, duration_ms, scope FROM tool_outcome";

/// Patterns, from a row of this.
pub(super) const PATTERNS: &str =
    "SELECT id, scope, kind, state, confidence, data, last_at, memory FROM outcome_pattern";

/// Batches, from a row of this.
const BATCHES: &str = "SELECT number, claimed_at, session, from_row, to_row, worker, state FROM outcome_batch";

pub(super) fn read_outcome(row: &Row<'_>) -> rusqlite::Result<ToolOutcome> {
    let (session, sequence): (String, u32) = (row.get(0)?, row.get(1)?);
    let read = || {
        Ok(ToolOutcome {
            session: session.clone(),
            sequence,
            at: row.get(2)?,
            tool: row.get(3)?,
            head: row.get(4)?,
            input: row.get(5)?,
            input_fingerprint: row.get(6)?,
            is_ok: row.get(7)?,
            exit_code: row.get(8)?,
            error: row.get(9)?,
            error_fingerprint: row.get(10)?,
            duration_ms: row
                .get::<_, Option<i64>>(11)?
                .map(|ms| ms.try_into().map_err(|_| negative(row, 11)))
                .transpose()?,
            scope: Scope::repository(row.get::<_, String>(12)?),
            call: None,
        })
    };
    read().map_err(within(&format!("outcome {sequence} of session {}", shown_text(&session))))
}

fn negative(row: &Row<'_>, at: usize) -> rusqlite::Error {
    odd(row, at, "is below 0")
}

pub(super) fn read_pattern(row: &Row<'_>) -> rusqlite::Result<StoredPattern> {
    Ok(StoredPattern {
        id: row.get(0)?,
        scope: Scope::repository(row.get::<_, String>(1)?),
        kind: row.get(2)?,
        state: row.get(3)?,
        confidence: row.get(4)?,
        data: row.get(5)?,
        last_at: row.get(6)?,
        memory: row.get(7)?,
    })
}

fn read_batch(row: &Row<'_>) -> rusqlite::Result<OutcomeBatch> {
    Ok(OutcomeBatch {
        number: row.get(0)?,
        claimed_at: row.get(1)?,
        session: row.get(2)?,
        from_row: row.get(3)?,
        to_row: row.get(4)?,
        worker: row.get(5)?,
        state: named(row, 6, BatchState::of)?,
    })
}

fn read_session(row: &Row<'_>) -> rusqlite::Result<OutcomeSession> {
    Ok(OutcomeSession {
        session: row.get(0)?,
        scope: Scope::repository(row.get::<_, String>(1)?),
        rows: row.get(2)?,
        analysed: row.get(3)?,
        last_at: row.get(4)?,
    })
}

/// Sessions, from a row of this.
const SESSIONS: &str = "SELECT session, scope, rows, analysed, last_at FROM outcome_session";

fn read_count(row: &Row<'_>) -> rusqlite::Result<ErrorCount> {
    Ok(ErrorCount {
        scope: Scope::repository(row.get::<_, String>(0)?),
        tool: row.get(1)?,
        head: row.get(2)?,
        error_fingerprint: row.get(3)?,
        example: row.get(4)?,
        count: count(row, 5)?,
        sessions: count(row, 6)?,
        first_at: row.get(7)?,
        last_at: row.get(8)?,
    })
}

fn text(name: &str) -> Value {
    Value::Text(name.to_owned())
}

fn number(value: usize) -> Value {
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// The condition on scope and tool, which rows and counts have, with its values.
fn condition(scopes: &[Scope], tool: Option<&str>) -> (String, Vec<Value>) {
    let mut passes = format!("scope IN ({})", vec!["?"; scopes.len()].join(", "));
    let mut values: Vec<Value> = scopes.iter().map(|scope| text(scope.as_str())).collect();
    if let Some(tool) = tool {
        passes.push_str(" AND (tool = ? COLLATE NOCASE OR head = ? COLLATE NOCASE)");
        values.extend([text(tool), text(tool)]);
    }
    (passes, values)
}

fn all<T>(
    connection: &Connection,
    sql: &str,
    values: Vec<Value>,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(params_from_iter(values), read)?.collect()
}

impl ReadOutcomes for Database {
    fn outcomes(
        &self,
        filter: &OutcomeFilter,
        after: Option<&OutcomeCursor>,
        most: usize,
    ) -> Result<Vec<ToolOutcome>, StoreError> {
        let (mut passes, mut values) = condition(&filter.scopes, filter.tool.as_deref());
        if filter.failures {
            passes.push_str(" AND is_ok = 0");
        }
        if let Some(since) = filter.since {
            passes.push_str(" AND at >= ?");
            values.push(Value::Integer(since));
        }
        if let Some(OutcomeCursor { at, session, sequence }) = after {
            passes.push_str(" AND (at < ? OR at = ? AND (session, sequence) < (?, ?))");
            values.extend([
                Value::Integer(*at),
                Value::Integer(*at),
                text(session),
                Value::Integer((*sequence).into()),
            ]);
        }
        values.push(number(most));
        let sql = format!("{OUTCOMES} WHERE {passes} ORDER BY at DESC, session DESC, sequence DESC LIMIT ?");
        self.sql(all(&self.connection, &sql, values, read_outcome))
    }

    fn error_counts(&self, filter: &OutcomeFilter, most: usize) -> Result<Vec<ErrorCount>, StoreError> {
        let (mut passes, mut values) = condition(&filter.scopes, filter.tool.as_deref());
        let order = "ORDER BY 6 DESC, last_at DESC, error_fingerprint LIMIT ?";
        let sql = match filter.since {
            None => format!(
                "SELECT scope, tool, head, error_fingerprint, example, count,
                    (SELECT count(*) FROM error_session WHERE error = error_log.id), first_at, last_at
                 FROM error_log WHERE {passes} {order}"
            ),
            Some(since) => {
                passes.push_str(" AND is_ok = 0 AND at >= ?");
                values.push(Value::Integer(since));
                // A bare column beside max() is of the row that has the greatest value.
                format!(
                    "SELECT scope, tool, head, error_fingerprint, error, count(*), count(DISTINCT session), min(at),
                        max(at) AS last_at
                     FROM tool_outcome WHERE {passes} AND error_fingerprint IS NOT NULL
                     GROUP BY scope, tool, head, error_fingerprint {order}"
                )
            }
        };
        values.push(number(most));
        self.sql(all(&self.connection, &sql, values, read_count))
    }

    fn session_outcomes(&self, session: &str, from: u32, to: u32) -> Result<Vec<ToolOutcome>, StoreError> {
        let sql = format!("{OUTCOMES} WHERE session = ? AND sequence BETWEEN ? AND ? ORDER BY sequence");
        let values = vec![text(session), Value::Integer(from.into()), Value::Integer(to.into())];
        self.sql(all(&self.connection, &sql, values, read_outcome))
    }

    fn outcome_session(&self, session: &str) -> Result<Option<OutcomeSession>, StoreError> {
        let sql = format!("{SESSIONS} WHERE session = ?1");
        let found = self.connection.prepare_cached(&sql);
        self.sql(found.and_then(|mut found| found.query_row([session], read_session).optional()))
    }

    fn recent_sessions(&self, scope: &Scope, most: usize) -> Result<Vec<OutcomeSession>, StoreError> {
        let sql = format!("{SESSIONS} WHERE scope = ? AND kept > 0 ORDER BY last_at DESC, session LIMIT ?");
        self.sql(all(&self.connection, &sql, vec![text(scope.as_str()), number(most)], read_session))
    }

    fn sessions_to_analyse(&self, new_rows: u32, most: usize) -> Result<Vec<OutcomeSession>, StoreError> {
        let sql =
            format!("{SESSIONS} WHERE rows - analysed >= ? AND rows > analysed ORDER BY last_at, session LIMIT ?");
        let values = vec![Value::Integer(new_rows.into()), number(most)];
        self.sql(all(&self.connection, &sql, values, read_session))
    }

    fn outcome_batches(&self, session: &str) -> Result<Vec<OutcomeBatch>, StoreError> {
        let sql = format!("{BATCHES} WHERE session = ? ORDER BY from_row");
        self.sql(all(&self.connection, &sql, vec![text(session)], read_batch))
    }

    fn count_outcomes(&self, scopes: Option<&[Scope]>) -> Result<OutcomeCounts, StoreError> {
        let (passes, values) = match scopes {
            Some(scopes) => condition(scopes, None),
            None => ("1".to_owned(), Vec::new()),
        };
        let get = || -> rusqlite::Result<OutcomeCounts> {
            let sql =
                format!("SELECT coalesce(sum(kept), 0), count(*) FROM outcome_session WHERE kept > 0 AND {passes}");
            let read = |row: &Row<'_>| Ok((count(row, 0)?, count(row, 1)?));
            let (rows, sessions) =
                self.connection.prepare_cached(&sql)?.query_row(params_from_iter(values.clone()), read)?;
            let sql = format!("SELECT coalesce(sum(count), 0), count(*) FROM error_log WHERE {passes}");
            let (failures, errors) = self.connection.prepare_cached(&sql)?.query_row(params_from_iter(values), read)?;
            Ok(OutcomeCounts { rows, sessions, failures, errors })
        };
        self.at_once(get)
    }

    fn has_outcomes(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM outcome_session) OR EXISTS (SELECT 1 FROM error_log)";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut found| found.query_row([], |row| row.get(0))))
    }

    fn outcome_patterns(&self, filter: &PatternFilter, most: usize) -> Result<Vec<StoredPattern>, StoreError> {
        let (mut passes, mut values) = condition(&filter.scopes, None);
        for (column, wanted) in [("kind", &filter.kind), ("state", &filter.state)] {
            if let Some(wanted) = wanted {
                passes.push_str(&format!(" AND {column} = ?"));
                values.push(text(wanted));
            }
        }
        values.push(number(most));
        let sql = format!("{PATTERNS} WHERE {passes} ORDER BY last_at DESC, id LIMIT ?");
        self.sql(all(&self.connection, &sql, values, read_pattern))
    }
}

impl KeepOutcomes for Database {
    fn record_outcome(&mut self, row: &ToolOutcome, found: Option<(&str, &Scope)>) -> Result<u32, StoreError> {
        let batch = self.begin_unlocked()?;
        let sequence = batch.sql(append(&batch.transaction, row, found))?;
        batch.commit()?;
        Ok(sequence)
    }

    fn claim_batch(
        &mut self,
        session: &str,
        snapshot: u32,
        worker: &str,
        now_ms: i64,
    ) -> Result<Option<OutcomeBatch>, StoreError> {
        let batch = self.begin_unlocked()?;
        let claimed = batch.sql(claim(&batch.transaction, session, snapshot, worker, now_ms))?;
        batch.commit()?;
        Ok(claimed)
    }

    fn finish_batch(&mut self, number: i64, state: BatchState) -> Result<bool, StoreError> {
        let batch = self.begin_unlocked()?;
        let sql = "UPDATE outcome_batch SET state = ?2 WHERE number = ?1 AND state = 'claimed'";
        let changed = batch.execute(sql, (number, state.name()))?;
        batch.commit()?;
        Ok(changed > 0)
    }

    fn put_outcome_patterns(&mut self, scope: &Scope, patterns: &[StoredPattern], all: bool) -> Result<(), StoreError> {
        let batch = self.begin_unlocked()?;
        if all {
            let kept: BTreeSet<&str> = patterns.iter().map(|pattern| pattern.id.as_str()).collect();
            let sql = "SELECT id FROM outcome_pattern WHERE scope = ?1 AND state = ?2";
            let found = batch.transaction.prepare_cached(sql).and_then(|mut found| {
                found.query_map([scope.as_str(), FOUND], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
            });
            for id in batch.sql(found)?.into_iter().filter(|id| !kept.contains(id.as_str())) {
                batch.execute("DELETE FROM outcome_pattern WHERE id = ?1", [id])?;
            }
        }
        for pattern in patterns {
            batch.execute(
                "INSERT INTO outcome_pattern (id, scope, kind, state, confidence, data, last_at, memory)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, kind = excluded.kind,
                    confidence = excluded.confidence, data = excluded.data, last_at = excluded.last_at",
                (
                    &pattern.id,
                    scope.as_str(),
                    &pattern.kind,
                    &pattern.state,
                    pattern.confidence,
                    &pattern.data,
                    pattern.last_at,
                    &pattern.memory,
                ),
            )?;
        }
        batch.commit()
    }

    fn decide_outcome_pattern(&mut self, id: &str, state: &str, memory: Option<&str>) -> Result<bool, StoreError> {
        let batch = self.begin_unlocked()?;
        let sql = "UPDATE outcome_pattern SET state = ?2, memory = ?3 WHERE id = ?1";
        let changed = batch.execute(sql, (id, state, memory))?;
        batch.commit()?;
        Ok(changed > 0)
    }

    fn drop_outcomes_before(&mut self, at_ms: i64) -> Result<usize, StoreError> {
        let sql = "SELECT session FROM outcome_session WHERE first_at < ? ORDER BY session";
        let sessions = all(&self.connection, sql, vec![Value::Integer(at_ms)], |row| row.get::<_, String>(0));
        let mut dropped = 0;
        // One after another: whoever records a run need not wait for all of them.
        for session in self.sql(sessions)? {
            let batch = self.begin_unlocked()?;
            dropped += batch.sql(drop_old(&batch.transaction, &session, at_ms))?;
            batch.commit()?;
        }
        let batch = self.begin_unlocked()?;
        batch.sql(super::learning::drop_old(&batch.transaction, at_ms))?;
        batch.commit()?;
        Ok(dropped)
    }
}

/// Writes the row, counts it and its failure, and gives its number. Of a call that is there already nothing is written
/// or counted again.
fn append(connection: &Connection, row: &ToolOutcome, found: Option<(&str, &Scope)>) -> rusqlite::Result<u32> {
    let scope = row.scope.as_str();
    if let Some(call) = &row.call {
        let mut known = connection.prepare_cached("SELECT sequence FROM tool_outcome WHERE call = ?1")?;
        if let Some(sequence) = known.query_row([call], |row| row.get(0)).optional()? {
            return Ok(sequence);
        }
    }
    let sequence: u32 = connection
        .prepare_cached(
            "INSERT INTO outcome_session (session, scope, rows, kept, analysed, first_at, last_at)
             VALUES (?1, ?2, 1, 1, 0, ?3, ?3)
             ON CONFLICT (session) DO UPDATE SET rows = rows + 1, kept = kept + 1,
                first_at = iif(kept = 0, ?3, min(first_at, ?3)), last_at = max(last_at, ?3)
             RETURNING rows",
        )?
        .query_row((&row.session, scope, row.at), |row| row.get(0))?;
    connection
        .prepare_cached(
            "INSERT INTO tool_outcome VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute((
            &row.session,
            sequence,
            row.at,
            &row.tool,
            &row.head,
            &row.input,
            &row.input_fingerprint,
            row.is_ok,
            row.exit_code,
            &row.error,
            &row.error_fingerprint,
            row.duration_ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)),
            scope,
            &row.call,
        ))?;
    if let Some(fingerprint) = row.error_fingerprint.as_ref().filter(|_| !row.is_ok) {
        let error: i64 = connection
            .prepare_cached(
                "INSERT INTO error_log (scope, tool, head, error_fingerprint, example, example_session, count, first_at,
                    last_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?7)
                 ON CONFLICT (scope, tool, head, error_fingerprint) DO UPDATE SET example = ?5, example_session = ?6,
                    count = count + 1, first_at = min(first_at, ?7), last_at = max(last_at, ?7)
                 RETURNING id",
            )?
            .query_row((scope, &row.tool, &row.head, fingerprint, &row.error, &row.session, row.at), |row| row.get(0))?;
        connection
            .prepare_cached(
                "INSERT INTO error_session VALUES (?1, ?2, 1, ?3, ?3)
                 ON CONFLICT (error, session) DO UPDATE SET count = count + 1, first_at = min(first_at, ?3),
                    last_at = max(last_at, ?3)",
            )?
            .execute((error, &row.session, row.at))?;
    }
    if let Some((root, scope)) = found {
        connection
            .prepare_cached("INSERT OR REPLACE INTO repository VALUES (?1, ?2)")?
            .execute((root, scope.as_str()))?;
    }
    Ok(sequence)
}

fn claim(
    connection: &Connection,
    session: &str,
    snapshot: u32,
    worker: &str,
    now_ms: i64,
) -> rusqlite::Result<Option<OutcomeBatch>> {
    let sql = "UPDATE outcome_session SET analysed = rows WHERE session = ?1 AND analysed = ?2 AND rows > analysed
        RETURNING rows";
    let to: Option<u32> =
        connection.prepare_cached(sql)?.query_row((session, snapshot), |row| row.get(0)).optional()?;
    let Some(to_row) = to else { return Ok(None) };
    let sql = "INSERT INTO outcome_batch (claimed_at, session, from_row, to_row, worker, state)
        VALUES (?1, ?2, ?3, ?4, ?5, 'claimed')";
    let from_row = snapshot + 1;
    connection.prepare_cached(sql)?.execute((now_ms, session, from_row, to_row, worker))?;
    Ok(Some(OutcomeBatch {
        number: connection.last_insert_rowid(),
        claimed_at: now_ms,
        session: session.to_owned(),
        from_row,
        to_row,
        worker: worker.to_owned(),
        state: BatchState::Claimed,
    }))
}

/// Takes away the rows of a session that ended before this moment. A session without rows is as if it had never been,
/// but for what is counted.
fn drop_old(connection: &Connection, session: &str, at_ms: i64) -> rusqlite::Result<usize> {
    let dropped = connection
        .prepare_cached("DELETE FROM tool_outcome WHERE session = ?1 AND at < ?2")?
        .execute((session, at_ms))?;
    connection
        .prepare_cached(
            "UPDATE outcome_session SET kept = (SELECT count(*) FROM tool_outcome WHERE session = ?1),
                first_at = coalesce((SELECT min(at) FROM tool_outcome WHERE session = ?1), last_at)
             WHERE session = ?1",
        )?
        .execute([session])?;
    for sql in [
        "DELETE FROM outcome_batch WHERE session = ?1
            AND (SELECT kept FROM outcome_session WHERE session = ?1) = 0",
        "DELETE FROM outcome_session WHERE session = ?1 AND kept = 0",
    ] {
        connection.prepare_cached(sql)?.execute([session])?;
    }
    Ok(dropped)
}

impl WriteOutcomes for Batch<'_> {
    fn forget_outcomes(&self, session: &str) -> Result<SessionForgotten, StoreError> {
        self.leave_traces_in_copies()?;
        let rows = self.execute("DELETE FROM tool_outcome WHERE session = ?1", [session])?;
        self.execute("DELETE FROM outcome_batch WHERE session = ?1", [session])?;
        self.execute("DELETE FROM outcome_session WHERE session = ?1", [session])?;
        // Evidence names its session as JSON writes it.
        let patterns = self.execute("DELETE FROM outcome_pattern WHERE instr(data, json_quote(?1)) > 0", [session])?;
        // The example of an error is one of another session, if there is any.
        self.execute(
            "UPDATE error_log SET example_session = coalesce((SELECT session FROM tool_outcome WHERE
                    tool_outcome.error_fingerprint = error_log.error_fingerprint AND tool_outcome.tool = error_log.tool
                    AND tool_outcome.head = error_log.head AND tool_outcome.scope = error_log.scope
                    ORDER BY at DESC, session, sequence DESC LIMIT 1), ''),
                example = coalesce((SELECT error FROM tool_outcome WHERE
                    tool_outcome.error_fingerprint = error_log.error_fingerprint AND tool_outcome.tool = error_log.tool
                    AND tool_outcome.head = error_log.head AND tool_outcome.scope = error_log.scope
                    ORDER BY at DESC, session, sequence DESC LIMIT 1), '')
             WHERE example_session = ?1",
            [session],
        )?;
        // Errors that no other session met go; with them goes what counts this one.
        let gone = self.execute(
            "DELETE FROM error_log WHERE id IN (SELECT error FROM error_session WHERE session = ?1)
                AND id NOT IN (SELECT error FROM error_session WHERE session <> ?1)",
            [session],
        )?;
        let errors: Vec<i64> = self.sql(all(
            &self.transaction,
            "SELECT error FROM error_session WHERE session = ?",
            vec![text(session)],
            |row| row.get(0),
        ))?;
        self.execute("DELETE FROM error_session WHERE session = ?1", [session])?;
        for error in &errors {
            self.execute(
                "UPDATE error_log SET (count, first_at, last_at) =
                    (SELECT sum(count), min(first_at), max(last_at) FROM error_session WHERE error = ?1)
                 WHERE id = ?1",
                [error],
            )?;
        }
        let tasks = self.forget_learning(session)?;
        Ok(SessionForgotten { rows, errors: errors.len() + gone, patterns, tasks })
    }
}
