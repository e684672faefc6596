//! Outcomes: rows, counts of failures, batches and patterns.

use super::learning::{drop_old_tasks, forget_learning};
use super::parameter::in_scopes;
use super::source::put_repository;
use super::traces::leave_traces_in_copies;
use super::value::{count, named, odd, within};
use super::{KeepSql, ReadSql, RunSql, SqlRow, SqlValue, StoreError, WriteSql, values};
use crate::screen::shown_text;
use crate::store::{
    BatchState, FOUND, KeepOutcomes, OutcomeBatch, OutcomeCounts, OutcomeCursor, OutcomeFilter, OutcomeSession,
    PatternFilter, ReadOutcomes, SessionForgotten, StoredPattern, WriteOutcomes,
};
use crate::types::{ErrorCount, Scope, ToolOutcome};
use std::collections::BTreeSet;

/// Rows, from a row of this.
pub const OUTCOMES: &str = "SELECT session, sequence, at, tool, head, input, input_fingerprint, is_ok, exit_code,
    error, error_fingerprint, duration_ms, scope FROM tool_outcome";

/// Patterns, from a row of this.
pub const PATTERNS: &str = "SELECT id, scope, kind, state, confidence, data, last_at, memory FROM outcome_pattern";

/// Batches, from a row of this.
const BATCHES: &str = "SELECT number, claimed_at, session, from_row, to_row, worker, state FROM outcome_batch";

pub fn read_outcome<R: SqlRow>(row: &R) -> Result<ToolOutcome, R::Error> {
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
                .get::<Option<i64>>(11)?
                .map(|ms| ms.try_into().map_err(|_| odd(row, 11, "is below 0")))
                .transpose()?,
            scope: Scope::repository(row.text(12)?),
            call: None,
        })
    };
    read().map_err(within(&format!("outcome {sequence} of session {}", shown_text(&session))))
}

pub fn read_pattern<R: SqlRow>(row: &R) -> Result<StoredPattern, R::Error> {
    Ok(StoredPattern {
        id: row.get(0)?,
        scope: Scope::repository(row.text(1)?),
        kind: row.get(2)?,
        state: row.get(3)?,
        confidence: row.get(4)?,
        data: row.get(5)?,
        last_at: row.get(6)?,
        memory: row.get(7)?,
    })
}

fn read_batch<R: SqlRow>(row: &R) -> Result<OutcomeBatch, R::Error> {
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

fn read_session<R: SqlRow>(row: &R) -> Result<OutcomeSession, R::Error> {
    Ok(OutcomeSession {
        session: row.get(0)?,
        scope: Scope::repository(row.text(1)?),
        rows: row.get(2)?,
        analysed: row.get(3)?,
        last_at: row.get(4)?,
    })
}

/// Sessions, from a row of this.
const SESSIONS: &str = "SELECT session, scope, rows, analysed, last_at FROM outcome_session";

fn read_count<R: SqlRow>(row: &R) -> Result<ErrorCount, R::Error> {
    Ok(ErrorCount {
        scope: Scope::repository(row.text(0)?),
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

/// The condition on scope and tool, which rows and counts have, with its values.
fn condition<'s>(scopes: &'s [Scope], tool: Option<&str>) -> (String, Vec<SqlValue<'s>>) {
    let (mut passes, mut values) = in_scopes(scopes);
    if let Some(tool) = tool {
        passes.push_str(" AND (lower(tool) = ? OR lower(head) = ?)");
        values.extend(values![tool.to_ascii_lowercase(), tool.to_ascii_lowercase()]);
    }
    (passes, values)
}

impl<D: ReadSql> ReadOutcomes for D {
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
            values.push(since.into());
        }
        if let Some(OutcomeCursor { at, session, sequence }) = after {
            passes.push_str(" AND (at < ? OR at = ? AND (session, sequence) < (?, ?))");
            values.extend(values![*at, *at, session.clone(), *sequence]);
        }
        values.push(SqlValue::most(most));
        let sql = format!("{OUTCOMES} WHERE {passes} ORDER BY at DESC, session DESC, sequence DESC LIMIT ?");
        self.rows(&sql, &values, |row| read_outcome(row))
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
                values.push(since.into());
                let example = Self::DIALECT.last_error();
                format!(
                    "SELECT scope, tool, head, error_fingerprint, {example}, count(*), count(DISTINCT session), min(at),
                        max(at) AS last_at
                     FROM tool_outcome WHERE {passes} AND error_fingerprint IS NOT NULL
                     GROUP BY scope, tool, head, error_fingerprint {order}"
                )
            }
        };
        values.push(SqlValue::most(most));
        self.rows(&sql, &values, |row| read_count(row))
    }

    fn session_outcomes(&self, session: &str, from: u32, to: u32) -> Result<Vec<ToolOutcome>, StoreError> {
        let sql = format!("{OUTCOMES} WHERE session = ?1 AND sequence BETWEEN ?2 AND ?3 ORDER BY sequence");
        self.rows(&sql, &values![session, from, to], |row| read_outcome(row))
    }

    fn outcome_session(&self, session: &str) -> Result<Option<OutcomeSession>, StoreError> {
        self.first(&format!("{SESSIONS} WHERE session = ?1"), &values![session], |row| read_session(row))
    }

    fn recent_sessions(&self, scope: &Scope, most: usize) -> Result<Vec<OutcomeSession>, StoreError> {
        let sql = format!("{SESSIONS} WHERE scope = ?1 AND kept > 0 ORDER BY last_at DESC, session LIMIT ?2");
        self.rows(&sql, &[scope.as_str().into(), SqlValue::most(most)], |row| read_session(row))
    }

    fn sessions_to_analyse(&self, new_rows: u32, most: usize) -> Result<Vec<OutcomeSession>, StoreError> {
        let sql =
            format!("{SESSIONS} WHERE rows - analysed >= ?1 AND rows > analysed ORDER BY last_at, session LIMIT ?2");
        self.rows(&sql, &[new_rows.into(), SqlValue::most(most)], |row| read_session(row))
    }

    fn outcome_batches(&self, session: &str) -> Result<Vec<OutcomeBatch>, StoreError> {
        self.rows(&format!("{BATCHES} WHERE session = ?1 ORDER BY from_row"), &values![session], |row| read_batch(row))
    }

    fn count_outcomes(&self, scopes: Option<&[Scope]>) -> Result<OutcomeCounts, StoreError> {
        let (passes, values) = match scopes {
            Some(scopes) => condition(scopes, None),
            None => ("TRUE".to_owned(), Vec::new()),
        };
        let two = |sql: &str| self.one(sql, &values, |row| Ok((count(row, 0)?, count(row, 1)?)));
        self.at_once(|| {
            let (rows, sessions) = two(&format!(
                "SELECT CAST(coalesce(sum(kept), 0) AS bigint), count(*) FROM outcome_session
                 WHERE kept > 0 AND {passes}"
            ))?;
            let (failures, errors) = two(&format!(
                "SELECT CAST(coalesce(sum(count), 0) AS bigint), count(*) FROM error_log WHERE {passes}"
            ))?;
            Ok(OutcomeCounts { rows, sessions, failures, errors })
        })
    }

    fn has_outcomes(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM outcome_session) OR EXISTS (SELECT 1 FROM error_log)";
        self.one(sql, &[], |row| row.get(0))
    }

    fn outcome_patterns(&self, filter: &PatternFilter, most: usize) -> Result<Vec<StoredPattern>, StoreError> {
        let (mut passes, mut values) = condition(&filter.scopes, None);
        for (column, wanted) in [("kind", &filter.kind), ("state", &filter.state)] {
            if let Some(wanted) = wanted {
                passes.push_str(&format!(" AND {column} = ?"));
                values.push(wanted.clone().into());
            }
        }
        values.push(SqlValue::most(most));
        let sql = format!("{PATTERNS} WHERE {passes} ORDER BY last_at DESC, id LIMIT ?");
        self.rows(&sql, &values, |row| read_pattern(row))
    }
}

impl<D: KeepSql> KeepOutcomes for D {
    fn record_outcome(&mut self, row: &ToolOutcome, found: Option<(&str, &Scope)>) -> Result<u32, StoreError> {
        let changes = self.begin_unlocked()?;
        let sequence = append(&changes, row, found)?;
        changes.commit_all()?;
        Ok(sequence)
    }

    fn claim_batch(
        &mut self,
        session: &str,
        snapshot: u32,
        worker: &str,
        now_ms: i64,
    ) -> Result<Option<OutcomeBatch>, StoreError> {
        let changes = self.begin_unlocked()?;
        let claimed = claim(&changes, session, snapshot, worker, now_ms)?;
        changes.commit_all()?;
        Ok(claimed)
    }

    fn finish_batch(&mut self, number: i64, state: BatchState) -> Result<bool, StoreError> {
        let changes = self.begin_unlocked()?;
        let sql = "UPDATE outcome_batch SET state = ?2 WHERE number = ?1 AND state = 'claimed'";
        let changed = changes.execute(sql, &values![number, state.name()])?;
        changes.commit_all()?;
        Ok(changed > 0)
    }

    fn put_outcome_patterns(&mut self, scope: &Scope, patterns: &[StoredPattern], all: bool) -> Result<(), StoreError> {
        let changes = self.begin_unlocked()?;
        if all {
            let kept: BTreeSet<&str> = patterns.iter().map(|pattern| pattern.id.as_str()).collect();
            let sql = "SELECT id FROM outcome_pattern WHERE scope = ?1 AND state = ?2";
            let found = changes.rows(sql, &values![scope.as_str(), FOUND], |row| row.text(0))?;
            for id in found.into_iter().filter(|id| !kept.contains(id.as_str())) {
                changes.execute("DELETE FROM outcome_pattern WHERE id = ?1", &values![id])?;
            }
        }
        for pattern in patterns {
            changes.execute(
                "INSERT INTO outcome_pattern (id, scope, kind, state, confidence, data, last_at, memory)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, kind = excluded.kind,
                    confidence = excluded.confidence, data = excluded.data, last_at = excluded.last_at",
                &values![
                    &pattern.id,
                    scope.as_str(),
                    &pattern.kind,
                    &pattern.state,
                    pattern.confidence,
                    &pattern.data,
                    pattern.last_at,
                    &pattern.memory,
                ],
            )?;
        }
        changes.commit_all()
    }

    fn decide_outcome_pattern(&mut self, id: &str, state: &str, memory: Option<&str>) -> Result<bool, StoreError> {
        let changes = self.begin_unlocked()?;
        let sql = "UPDATE outcome_pattern SET state = ?2, memory = ?3 WHERE id = ?1";
        let changed = changes.execute(sql, &values![id, state, memory])?;
        changes.commit_all()?;
        Ok(changed > 0)
    }

    fn drop_outcomes_before(&mut self, at_ms: i64) -> Result<usize, StoreError> {
        let sql = "SELECT session FROM outcome_session WHERE first_at < ?1 ORDER BY session";
        let sessions = self.rows(sql, &values![at_ms], |row| row.text(0))?;
        let mut dropped = 0;
        // One after another: whoever records a run need not wait for all of them.
        for session in sessions {
            let changes = self.begin_unlocked()?;
            dropped += drop_old(&changes, &session, at_ms)?;
            changes.commit_all()?;
        }
        let changes = self.begin_unlocked()?;
        drop_old_tasks(&changes, at_ms)?;
        changes.commit_all()?;
        Ok(dropped)
    }
}

/// Writes the row, counts it and its failure, and gives its number. Of a call that is there already nothing is written
/// or counted again.
fn append(changes: &impl WriteSql, row: &ToolOutcome, found: Option<(&str, &Scope)>) -> Result<u32, StoreError> {
    let scope = row.scope.as_str();
    if let Some(call) = &row.call {
        let sql = "SELECT sequence FROM tool_outcome WHERE call = ?1";
        if let Some(sequence) = changes.first(sql, &values![call], |row| row.get(0))? {
            return Ok(sequence);
        }
    }
    let sequence: u32 = changes.one(
        "INSERT INTO outcome_session AS known (session, scope, rows, kept, analysed, first_at, last_at)
         VALUES (?1, ?2, 1, 1, 0, ?3, ?3)
         ON CONFLICT (session) DO UPDATE SET rows = known.rows + 1, kept = known.kept + 1,
            first_at = CASE WHEN known.kept = 0 OR excluded.first_at < known.first_at THEN excluded.first_at
                ELSE known.first_at END,
            last_at = CASE WHEN excluded.last_at > known.last_at THEN excluded.last_at ELSE known.last_at END
         RETURNING rows",
        &values![&row.session, scope, row.at],
        |row| row.get(0),
    )?;
    changes.execute(
        "INSERT INTO tool_outcome (session, sequence, at, tool, head, input, input_fingerprint, is_ok, exit_code, error,
            error_fingerprint, duration_ms, scope, call)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        &values![
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
        ],
    )?;
    if let Some(fingerprint) = row.error_fingerprint.as_ref().filter(|_| !row.is_ok) {
        count_failure(changes, row, fingerprint)?;
    }
    if let Some((root, scope)) = found {
        put_repository(changes, root, scope)?;
    }
    Ok(sequence)
}

/// Counts the failure of a row, for all and for its session.
fn count_failure(changes: &impl WriteSql, row: &ToolOutcome, fingerprint: &str) -> Result<(), StoreError> {
    const COUNTED: &str = "count = known.count + 1,
        first_at = CASE WHEN excluded.first_at < known.first_at THEN excluded.first_at ELSE known.first_at END,
        last_at = CASE WHEN excluded.last_at > known.last_at THEN excluded.last_at ELSE known.last_at END";
    let sql = format!(
        "INSERT INTO error_log AS known (scope, tool, head, error_fingerprint, example, example_session, count, first_at,
            last_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?7)
         ON CONFLICT (scope, tool, head, error_fingerprint) DO UPDATE SET example = excluded.example,
            example_session = excluded.example_session, {COUNTED}
         RETURNING id"
    );
    let (scope, session) = (row.scope.as_str(), row.session.as_str());
    let values = values![scope, &row.tool, &row.head, fingerprint, &row.error, session, row.at];
    let error: i64 = changes.one(&sql, &values, |row| row.get(0))?;
    let sql = format!(
        "INSERT INTO error_session AS known (error, session, count, first_at, last_at) VALUES (?1, ?2, 1, ?3, ?3)
         ON CONFLICT (error, session) DO UPDATE SET {COUNTED}"
    );
    changes.execute(&sql, &values![error, session, row.at])?;
    Ok(())
}

fn claim(
    changes: &impl WriteSql,
    session: &str,
    snapshot: u32,
    worker: &str,
    now_ms: i64,
) -> Result<Option<OutcomeBatch>, StoreError> {
    let sql = "UPDATE outcome_session SET analysed = rows WHERE session = ?1 AND analysed = ?2 AND rows > analysed
        RETURNING rows";
    let Some(to_row) = changes.first(sql, &values![session, snapshot], |row| row.get(0))? else { return Ok(None) };
    let from_row = snapshot + 1;
    let number = changes.one(
        "INSERT INTO outcome_batch (claimed_at, session, from_row, to_row, worker, state)
         VALUES (?1, ?2, ?3, ?4, ?5, 'claimed') RETURNING number",
        &values![now_ms, session, from_row, to_row, worker],
        |row| row.get(0),
    )?;
    Ok(Some(OutcomeBatch {
        number,
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
fn drop_old(changes: &impl WriteSql, session: &str, at_ms: i64) -> Result<usize, StoreError> {
    let sql = "DELETE FROM tool_outcome WHERE session = ?1 AND at < ?2";
    let dropped = changes.execute(sql, &values![session, at_ms])?;
    for sql in [
        "UPDATE outcome_session SET kept = (SELECT count(*) FROM tool_outcome WHERE session = ?1),
            first_at = coalesce((SELECT min(at) FROM tool_outcome WHERE session = ?1), last_at)
         WHERE session = ?1",
        "DELETE FROM outcome_batch WHERE session = ?1
            AND (SELECT kept FROM outcome_session WHERE session = ?1) = 0",
        "DELETE FROM outcome_session WHERE session = ?1 AND kept = 0",
    ] {
        changes.execute(sql, &values![session])?;
    }
    Ok(dropped)
}

impl<C: WriteSql> WriteOutcomes for C {
    fn forget_outcomes(&self, session: &str) -> Result<SessionForgotten, StoreError> {
        leave_traces_in_copies(self)?;
        let rows = self.execute("DELETE FROM tool_outcome WHERE session = ?1", &values![session])?;
        self.execute("DELETE FROM outcome_batch WHERE session = ?1", &values![session])?;
        self.execute("DELETE FROM outcome_session WHERE session = ?1", &values![session])?;
        // Evidence names its session as JSON writes it.
        let named = serde_json::Value::from(session).to_string();
        let place = Self::DIALECT.place_in_data();
        let patterns = self.execute(&format!("DELETE FROM outcome_pattern WHERE {place} > 0"), &values![named])?;
        // The example of an error is one of another session, if there is any.
        let newest = |column: &str| {
            format!(
                "coalesce((SELECT tool_outcome.{column} FROM tool_outcome WHERE
                    tool_outcome.error_fingerprint = error_log.error_fingerprint AND tool_outcome.tool = error_log.tool
                    AND tool_outcome.head = error_log.head AND tool_outcome.scope = error_log.scope
                    ORDER BY at DESC, session, sequence DESC LIMIT 1), '')"
            )
        };
        let (newest_session, newest_error) = (newest("session"), newest("error"));
        self.execute(
            &format!(
                "UPDATE error_log SET example_session = {newest_session}, example = {newest_error}
                 WHERE example_session = ?1"
            ),
            &values![session],
        )?;
        // Errors that no other session met go; with them goes what counts this one.
        let gone = self.execute(
            "DELETE FROM error_log WHERE id IN (SELECT error FROM error_session WHERE session = ?1)
                AND id NOT IN (SELECT error FROM error_session WHERE session <> ?1)",
            &values![session],
        )?;
        let sql = "SELECT error FROM error_session WHERE session = ?1";
        let errors: Vec<i64> = self.rows(sql, &values![session], |row| row.get(0))?;
        self.execute("DELETE FROM error_session WHERE session = ?1", &values![session])?;
        for error in &errors {
            self.execute(
                "UPDATE error_log SET (count, first_at, last_at) = (SELECT CAST(sum(error_session.count) AS bigint),
                        min(error_session.first_at), max(error_session.last_at)
                    FROM error_session WHERE error = ?1)
                 WHERE id = ?1",
                &values![*error],
            )?;
        }
        let tasks = forget_learning(self, session)?;
        Ok(SessionForgotten { rows, errors: errors.len() + gone, patterns, tasks })
    }
}
