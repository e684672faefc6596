//! What is learnt about tools.

use super::parameter::in_scopes;
use super::value::{json, named, odd};
use super::{ByKey, KeepSql, Keys, ReadSql, RunSql, SqlRow, SqlValue, StoreError, WriteSql, values};
use crate::store::{
    CapabilityUse, KeepLearning, ReadLearning, SessionCall, StoredCapability, StoredSuggestion, StoredTask,
    StoredThreshold, StoredTrace, SuggestionKind, UnreadSession,
};
use crate::types::Scope;
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
    let tasks: Vec<i64> = tasks.into_iter().collect();
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

impl<D: KeepSql> KeepLearning for D {
    fn keep_task(&mut self, task: &StoredTask) -> Result<i64, StoreError> {
        let changes = self.begin_unlocked()?;
        let number = put_task(&changes, task)?;
        changes.commit_all()?;
        Ok(number)
    }

    fn settle_task(
        &mut self,
        task: &StoredTask,
        thresholds: &[(Option<StoredThreshold>, StoredThreshold)],
    ) -> Result<bool, StoreError> {
        let changes = self.begin_unlocked()?;
        let settled = settle(&changes, task, thresholds)?;
        // What was half done is undone with the changes.
        if settled {
            changes.commit_all()?;
        }
        Ok(settled)
    }

    fn keep_uses(
        &mut self,
        scope: &Scope,
        session: &UnreadSession,
        last_task: u32,
        uses: &[CapabilityUse],
    ) -> Result<bool, StoreError> {
        let changes = self.begin_unlocked()?;
        let kept = put_uses(&changes, scope, session, last_task, uses)?;
        if kept {
            changes.commit_all()?;
        }
        Ok(kept)
    }

    fn keep_trace(&mut self, trace: &StoredTrace, newest: usize) -> Result<(), StoreError> {
        let changes = self.begin_unlocked()?;
        changes.execute(
            "INSERT INTO algorithm_trace (scope, session, at, task, question, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            &values![trace.scope.as_str(), &trace.session, trace.at, trace.task, &trace.question, &trace.data],
        )?;
        changes.execute(
            "DELETE FROM algorithm_trace WHERE scope = ?1 AND number <= (
                SELECT number FROM algorithm_trace WHERE scope = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
            &[trace.scope.as_str().into(), SqlValue::most(newest)],
        )?;
        changes.commit_all()
    }
}

fn put_task(changes: &impl WriteSql, task: &StoredTask) -> Result<i64, StoreError> {
    let scope = task.scope.as_str();
    let last: Option<(i64, String, String)> = changes.first(
        "SELECT number, fingerprint, state FROM tool_task WHERE session = ?1 AND scope = ?2
         ORDER BY number DESC LIMIT 1",
        &values![&task.session, scope],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let number = match last {
        Some((number, fingerprint, state)) if fingerprint == task.fingerprint && state == "open" => number,
        _ => changes.one(
            "INSERT INTO tool_task (scope, session, after_row, at, task, fingerprint, used, state)
             VALUES (?1, ?2, (SELECT coalesce(max(rows), 0) FROM outcome_session WHERE session = ?2), ?3, ?4, ?5, '[]',
                'open')
             RETURNING number",
            &values![scope, &task.session, task.at, &task.task, &task.fingerprint],
            |row| row.get(0),
        )?,
    };
    let shown = (0i64..).zip(&task.suggestions);
    let rows =
        shown.map(|(place, one)| values![number, one.kind.name(), name_of(one), place, one.score, one.is_suggested]);
    let into = "tool_suggestion (task, kind, name, place, score, is_suggested)";
    changes.insert_all(into, rows, "ON CONFLICT DO NOTHING")?;
    Ok(number)
}

fn settle(
    changes: &impl WriteSql,
    task: &StoredTask,
    thresholds: &[(Option<StoredThreshold>, StoredThreshold)],
) -> Result<bool, StoreError> {
    let state = if task.used.is_empty() { "silent" } else { "done" };
    let sql = "UPDATE tool_task SET used = ?2, state = ?3 WHERE number = ?1 AND state = 'open'";
    if changes.execute(sql, &values![task.number, listed(&task.used), state])? == 0 {
        return Ok(false);
    }
    for one in &task.suggestions {
        changes.execute(
            "UPDATE tool_suggestion SET is_accepted = ?4 WHERE task = ?1 AND kind = ?2 AND name = ?3",
            &values![task.number, one.kind.name(), name_of(one), one.is_accepted],
        )?;
    }
    let (scope, known) = (task.scope.as_str(), format!("{THRESHOLDS} WHERE scope = ?1 AND kind = ?2"));
    for (before, after) in thresholds {
        let found = changes.first(&known, &values![scope, after.kind.name()], |row| read_threshold(row))?;
        if found != *before {
            return Ok(false);
        }
        let window: String = after.window.iter().map(|accepted| if *accepted { '1' } else { '0' }).collect();
        changes.execute(
            "INSERT INTO tool_threshold (scope, kind, value, outcomes, turns, since, silent, \"window\")
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (scope, kind) DO UPDATE SET value = excluded.value, outcomes = excluded.outcomes,
                turns = excluded.turns, since = excluded.since, silent = excluded.silent, \"window\" = excluded.\"window\"",
            &values![
                scope,
                after.kind.name(),
                after.value,
                i64::try_from(after.outcomes).unwrap_or(i64::MAX),
                after.turns,
                after.since,
                after.silent,
                window
            ],
        )?;
    }
    Ok(true)
}

fn put_uses(
    changes: &impl WriteSql,
    scope: &Scope,
    session: &UnreadSession,
    last_task: u32,
    uses: &[CapabilityUse],
) -> Result<bool, StoreError> {
    let (scope, name) = (scope.as_str(), session.session.as_str());
    let sql = "SELECT seen FROM tool_cursor WHERE session = ?1 AND scope = ?2";
    let seen: Option<u32> = changes.first(sql, &values![name, scope], |row| row.get(0))?;
    if seen.unwrap_or(0) != session.seen {
        return Ok(false);
    }
    changes.execute(
        "INSERT INTO tool_cursor (session, scope, seen, first_row) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (session, scope) DO UPDATE SET seen = excluded.seen, first_row = excluded.first_row",
        &values![name, scope, session.rows, last_task],
    )?;
    for one in uses {
        put_use(changes, (scope, name), one)?;
    }
    Ok(true)
}

/// Counts what a task of a session made, in place of what was told of that task before.
fn put_use(changes: &impl WriteSql, (scope, session): (&str, &str), one: &CapabilityUse) -> Result<(), StoreError> {
    let sql = "DELETE FROM capability_use WHERE scope = ?1 AND session = ?2 AND first_row = ?3 RETURNING id, is_ok";
    let key = values![scope, session, one.first_row];
    let before: Option<(String, bool)> = changes.first(sql, &key, |row| Ok((row.get(0)?, row.get(1)?)))?;
    if let Some((id, was_ok)) = before {
        count_less(changes, scope, &id, was_ok)?;
    }
    if one.tools.is_empty() {
        return Ok(());
    }
    let id = id_of(&one.tools);
    let last = "last_at = CASE WHEN ?3 > known.last_at THEN ?3 ELSE known.last_at END";
    let counted = match one.is_ok {
        true => changes.execute(
            &format!(
                "INSERT INTO capability AS known (scope, id, last_at, tools, uses, ok) VALUES (?1, ?2, ?3, ?4, 1, 1)
                 ON CONFLICT (scope, id) DO UPDATE SET uses = known.uses + 1, ok = known.ok + 1, {last}"
            ),
            &values![scope, &id, one.at, listed(&one.tools)],
        )?,
        false => changes.execute(
            &format!("UPDATE capability AS known SET uses = known.uses + 1, {last} WHERE scope = ?1 AND id = ?2"),
            &values![scope, &id, one.at],
        )?,
    };
    if counted > 0 {
        changes.execute(
            "INSERT INTO capability_use (scope, session, first_row, id, is_ok, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            &values![scope, session, one.first_row, id, one.is_ok, one.at],
        )?;
    }
    Ok(())
}

/// A use of a capability is gone; without uses it is gone itself.
fn count_less(changes: &impl WriteSql, scope: &str, id: &str, was_ok: bool) -> Result<(), StoreError> {
    let sql = "DELETE FROM capability WHERE scope = ?1 AND id = ?2 AND uses <= 1";
    changes.execute(sql, &values![scope, id])?;
    let sql = "UPDATE capability SET uses = uses - 1, ok = ok - ?3 WHERE scope = ?1 AND id = ?2";
    changes.execute(sql, &values![scope, id, was_ok])?;
    Ok(())
}

/// Forgets what was learnt from a session; gives how many tasks are gone. Thresholds are numbers alone, and stay.
pub(super) fn forget_learning(changes: &impl WriteSql, session: &str) -> Result<usize, StoreError> {
    let sql = "DELETE FROM capability_use WHERE session = ?1 RETURNING scope, id, is_ok";
    let uses: Vec<(String, String, bool)> =
        changes.rows(sql, &values![session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for (scope, id, was_ok) in uses {
        count_less(changes, &scope, &id, was_ok)?;
    }
    changes.execute("DELETE FROM tool_cursor WHERE session = ?1", &values![session])?;
    changes.execute(
        "DELETE FROM tool_suggestion WHERE task IN (SELECT number FROM tool_task WHERE session = ?1)",
        &values![session],
    )?;
    let tasks = changes.execute("DELETE FROM tool_task WHERE session = ?1", &values![session])?;
    let traces = changes.execute("DELETE FROM algorithm_trace WHERE session = ?1", &values![session])?;
    Ok(tasks.max(traces))
}

/// Forgets what was learnt about a tool in a scope.
pub(super) fn forget_tool<C: WriteSql>(changes: &C, scope: &Scope, key: &str) -> Result<(), StoreError> {
    let has_tool = C::DIALECT.has_tool();
    for sql in [
        format!(
            "DELETE FROM capability_use WHERE scope = ?1
                AND id IN (SELECT id FROM capability WHERE scope = ?1 AND {has_tool})"
        ),
        format!("DELETE FROM capability WHERE scope = ?1 AND {has_tool}"),
    ] {
        changes.execute(&sql, &values![scope.as_str(), key])?;
    }
    Ok(())
}

/// Takes away tasks and traces that are older than this moment.
pub(super) fn drop_old_tasks(changes: &impl WriteSql, at_ms: i64) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM tool_suggestion WHERE task IN (SELECT number FROM tool_task WHERE at < ?1)",
        "DELETE FROM tool_task WHERE at < ?1",
        "DELETE FROM algorithm_trace WHERE at < ?1",
    ] {
        changes.execute(sql, &values![at_ms])?;
    }
    let sql = "DELETE FROM tool_cursor WHERE session NOT IN (SELECT session FROM outcome_session)";
    changes.execute(sql, &[])?;
    Ok(())
}
