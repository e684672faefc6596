//! Outcomes: rows, counts of failures, batches and patterns, as they are read.

mod forget;
mod keep;

use super::parameter::in_scopes;
use super::value::{count, named, odd, within};
use super::{ReadSql, SqlRow, SqlValue, StoreError, values};
use crate::screen::shown_text;
use crate::store::{
    BatchState, OutcomeBatch, OutcomeCounts, OutcomeCursor, OutcomeFilter, OutcomeSession, PatternFilter, ReadOutcomes,
    StoredPattern,
};
use crate::types::{ErrorCount, Scope, ToolOutcome};

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
                let example = self.dialect().last_error();
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
