//! Outcomes as they are kept: each call is a transaction of its own, without the writer's lock.

use crate::store::sql::learning::drop_old_tasks;
use crate::store::sql::source::put_repository;
use crate::store::sql::{KeepSql, RunSql, SqlRow, WriteSql, values};
use crate::store::{BatchState, FOUND, KeepOutcomes, OutcomeBatch, StoreError, StoredPattern};
use crate::types::{Scope, ToolOutcome};
use std::collections::BTreeSet;

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
        "INSERT INTO error_log AS known (scope, tool, head, error_fingerprint, example, example_session, count,
            first_at, last_at)
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
