//! What is learnt about tools, as it is read.

mod keep;

use super::parameter::in_scopes;
use super::value::{json, named, odd};
use super::{ByKey, Keys, ReadSql, RunSql, SqlRow, SqlValue, StoreError, values};
use crate::store::{
    ReadLearning, SessionCall, StoredCapability, StoredSuggestion, StoredTask, StoredThreshold, StoredTrace,
    SuggestionKind, UnreadSession,
};
use crate::types::Scope;
pub(super) use keep::{drop_old_tasks, forget_learning, forget_tool};
use std::collections::HashMap;

/// Tasks, from a row of this.
pub const TASKS: &str = "SELECT number, scope, session, after_row, at, task, fingerprint, used FROM tool_task";
/// Suggestions, from a row of this.
pub const SUGGESTIONS: &str = "SELECT kind, name, score, is_suggested, is_accepted, task FROM tool_suggestion";
/// Thresholds, from a row of this.
pub const THRESHOLDS: &str = "SELECT kind, value, outcomes, turns, since, silent, \"window\" FROM tool_threshold";
/// Capabilities, from a row of this.
pub const CAPABILITIES: &str = "SELECT scope, tools, uses, ok, last_at FROM capability";
/// Traces, from a row of this.
pub const TRACES: &str = "SELECT number, scope, session, at, task, question, data FROM algorithm_trace";

/// A list of texts.
fn texts<R: SqlRow>(row: &R, at: usize) -> Result<Vec<String>, R::Error> {
    serde_json::from_value(json(row, at)?).map_err(|_| odd(row, at, "is no list of texts"))
}

/// A list of texts as it is stored.
fn listed(texts: &[String]) -> String {
    serde_json::Value::from(texts.to_vec()).to_string()
}

fn scope<R: SqlRow>(row: &R, at: usize) -> Result<Scope, R::Error> {
    row.text(at).map(Scope::repository)
}

/// What tells a capability: its tools in order of their letters.
fn id_of(tools: &[String]) -> String {
    let mut sorted = tools.to_vec();
    sorted.sort();
    listed(&sorted)
}

/// The name of a suggestion as it is stored.
fn name_of(suggestion: &StoredSuggestion) -> String {
    match suggestion.kind {
        SuggestionKind::Tool => suggestion.tools.concat(),
        SuggestionKind::Capability => listed(&suggestion.tools),
    }
}

pub fn read_task<R: SqlRow>(row: &R) -> Result<StoredTask, R::Error> {
    Ok(StoredTask {
        number: row.get(0)?,
        scope: scope(row, 1)?,
        session: row.get(2)?,
        after_row: row.get(3)?,
        at: row.get(4)?,
        task: row.get(5)?,
        fingerprint: row.get(6)?,
        used: texts(row, 7)?,
        suggestions: Vec::new(),
    })
}

pub fn read_suggestion<R: SqlRow>(row: &R) -> Result<StoredSuggestion, R::Error> {
    let kind = named(row, 0, SuggestionKind::of)?;
    let tools = match kind {
        SuggestionKind::Tool => vec![row.text(1)?],
        SuggestionKind::Capability => texts(row, 1)?,
    };
    Ok(StoredSuggestion { kind, tools, score: row.get(2)?, is_suggested: row.get(3)?, is_accepted: row.get(4)? })
}

pub fn read_threshold<R: SqlRow>(row: &R) -> Result<StoredThreshold, R::Error> {
    let window = row.text(6)?;
    let outcome = |letter: char| match letter {
        '1' => Some(true),
        '0' => Some(false),
        _ => None,
    };
    Ok(StoredThreshold {
        kind: named(row, 0, SuggestionKind::of)?,
        value: row.get(1)?,
        outcomes: u64::try_from(row.integer(2)?).unwrap_or(0),
        turns: row.get(3)?,
        since: row.get(4)?,
        silent: row.get(5)?,
        window: window.chars().map(outcome).collect::<Option<_>>().ok_or_else(|| odd(row, 6, "is no window"))?,
    })
}

pub fn read_capability<R: SqlRow>(row: &R) -> Result<StoredCapability, R::Error> {
    Ok(StoredCapability {
        scope: scope(row, 0)?,
        tools: texts(row, 1)?,
        uses: row.get(2)?,
        ok: row.get(3)?,
        last_at: row.get(4)?,
    })
}

pub fn read_trace<R: SqlRow>(row: &R) -> Result<StoredTrace, R::Error> {
    json(row, 6)?;
    Ok(StoredTrace {
        number: row.get(0)?,
        scope: scope(row, 1)?,
        session: row.get(2)?,
        at: row.get(3)?,
        task: row.get(4)?,
        question: row.get(5)?,
        data: row.get(6)?,
        outcomes: Vec::new(),
    })
}

/// What was shown for some tasks, by task.
fn suggestions(
    store: &impl RunSql,
    tasks: impl IntoIterator<Item = i64>,
) -> Result<HashMap<i64, Vec<StoredSuggestion>>, StoreError> {
    // Several traces may be of one task, whose rows are asked for once.
    let mut tasks: Vec<i64> = tasks.into_iter().collect();
    tasks.sort_unstable();
    tasks.dedup();
    let query = ByKey { select: SUGGESTIONS, column: "task", and: "", order: "kind DESC, place, name" };
    let mut out: HashMap<i64, Vec<StoredSuggestion>> = HashMap::new();
    store.rows_by(query, Keys::Integers(&tasks), &[], |row| {
        out.entry(row.get(5)?).or_default().push(read_suggestion(row)?);
        Ok(())
    })?;
    Ok(out)
}

impl<D: ReadSql> ReadLearning for D {
    fn tool_tasks(&self, scopes: &[Scope], done: bool, most: usize) -> Result<Vec<StoredTask>, StoreError> {
        let (passes, mut values) = in_scopes(scopes);
        values.extend([if done { "done" } else { "open" }.into(), SqlValue::most(most)]);
        let sql = format!("{TASKS} WHERE {passes} AND state = ? ORDER BY number DESC LIMIT ?");
        self.at_once(|| {
            let mut tasks = self.rows(&sql, &values, |row| read_task(row))?;
            let mut shown = suggestions(self, tasks.iter().map(|task| task.number))?;
            for task in &mut tasks {
                task.suggestions = shown.remove(&task.number).unwrap_or_default();
            }
            Ok(tasks)
        })
    }

    fn task_borders(&self, scope: &Scope, session: &str) -> Result<Vec<(i64, u32)>, StoreError> {
        let sql = "SELECT number, after_row FROM tool_task WHERE session = ?1 AND scope = ?2 ORDER BY number";
        self.rows(sql, &values![session, scope.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn tool_thresholds(&self, scope: &Scope) -> Result<Vec<StoredThreshold>, StoreError> {
        let sql = format!("{THRESHOLDS} WHERE scope = ?1 ORDER BY kind");
        self.rows(&sql, &values![scope.as_str()], |row| read_threshold(row))
    }

    fn capabilities(&self, scopes: &[Scope], most: usize) -> Result<Vec<StoredCapability>, StoreError> {
        let (passes, mut values) = in_scopes(scopes);
        values.push(SqlValue::most(most));
        let sql = format!("{CAPABILITIES} WHERE {passes} ORDER BY uses DESC, last_at DESC, id LIMIT ?");
        self.rows(&sql, &values, |row| read_capability(row))
    }

    fn sessions_to_learn(&self, scope: &Scope, most: usize) -> Result<Vec<UnreadSession>, StoreError> {
        let sql = "SELECT outcome_session.session, rows, coalesce(seen, 0), coalesce(first_row, 0) FROM outcome_session
            LEFT JOIN tool_cursor ON tool_cursor.session = outcome_session.session AND tool_cursor.scope = ?1
            WHERE rows > coalesce(seen, 0) ORDER BY last_at, outcome_session.session LIMIT ?2";
        self.rows(sql, &[scope.as_str().into(), SqlValue::most(most)], |row| {
            Ok(UnreadSession { session: row.get(0)?, rows: row.get(1)?, seen: row.get(2)?, first_row: row.get(3)? })
        })
    }

    fn session_calls(&self, scope: &Scope, session: &str, from: u32) -> Result<Vec<SessionCall>, StoreError> {
        let sql = "SELECT sequence, at, tool, is_ok FROM tool_outcome
            WHERE session = ?1 AND sequence >= ?2 AND scope = ?3 ORDER BY sequence";
        self.rows(sql, &values![session, from, scope.as_str()], |row| {
            Ok(SessionCall { sequence: row.get(0)?, at: row.get(1)?, tool: row.get(2)?, is_ok: row.get(3)? })
        })
    }

    fn traces(&self, scopes: &[Scope], most: usize) -> Result<Vec<StoredTrace>, StoreError> {
        let (passes, mut values) = in_scopes(scopes);
        values.push(SqlValue::most(most));
        let sql = format!("{TRACES} WHERE {passes} ORDER BY number DESC LIMIT ?");
        self.at_once(|| {
            let mut traces = self.rows(&sql, &values, |row| read_trace(row))?;
            let shown = suggestions(self, traces.iter().filter_map(|trace| trace.task))?;
            for trace in &mut traces {
                trace.outcomes = trace.task.and_then(|task| shown.get(&task).cloned()).unwrap_or_default();
            }
            Ok(traces)
        })
    }
}
