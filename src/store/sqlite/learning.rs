//! What is learnt about tools, in SQLite.

use super::StoreError;
use super::database::{Batch, Database};
use super::value::{json, named, odd};
use crate::store::{
    CapabilityUse, KeepLearning, ReadLearning, SessionCall, StoredCapability, StoredSuggestion, StoredTask,
    StoredThreshold, StoredTrace, SuggestionKind, UnreadSession,
};
use crate::types::Scope;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

/// Tasks, from a row of this.
pub(super) const TASKS: &str = "SELECT number, scope, session, after_row, at, task, fingerprint, used FROM tool_task";
/// Suggestions, from a row of this.
pub(super) const SUGGESTIONS: &str = "SELECT kind, name, score, is_suggested, is_accepted FROM tool_suggestion";
/// Thresholds, from a row of this.
pub(super) const THRESHOLDS: &str = "SELECT kind, value, outcomes, turns, since, silent, window FROM tool_threshold";
/// Capabilities, from a row of this.
pub(super) const CAPABILITIES: &str = "SELECT scope, tools, uses, ok, last_at FROM capability";
/// Traces, from a row of this.
pub(super) const TRACES: &str = "SELECT number, scope, session, at, task, question, data FROM algorithm_trace";

/// A list of texts.
fn texts(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<String>> {
    serde_json::from_value(json(row, at)?).map_err(|_| odd(row, at, "is no list of texts"))
}

/// A list of texts as it is stored.
fn listed(texts: &[String]) -> String {
    serde_json::Value::from(texts.to_vec()).to_string()
}

fn scope(row: &Row<'_>, at: usize) -> rusqlite::Result<Scope> {
    Ok(Scope::repository(row.get::<_, String>(at)?))
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

pub(super) fn read_task(row: &Row<'_>) -> rusqlite::Result<StoredTask> {
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

pub(super) fn read_suggestion(row: &Row<'_>) -> rusqlite::Result<StoredSuggestion> {
    let kind = named(row, 0, SuggestionKind::of)?;
    let tools = match kind {
        SuggestionKind::Tool => vec![row.get(1)?],
        SuggestionKind::Capability => texts(row, 1)?,
    };
    Ok(StoredSuggestion { kind, tools, score: row.get(2)?, is_suggested: row.get(3)?, is_accepted: row.get(4)? })
}

pub(super) fn read_threshold(row: &Row<'_>) -> rusqlite::Result<StoredThreshold> {
    let window: String = row.get(6)?;
    let outcome = |letter: char| match letter {
        '1' => Some(true),
        '0' => Some(false),
        _ => None,
    };
    Ok(StoredThreshold {
        kind: named(row, 0, SuggestionKind::of)?,
        value: row.get(1)?,
        outcomes: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
        turns: row.get(3)?,
        since: row.get(4)?,
        silent: row.get(5)?,
        window: window.chars().map(outcome).collect::<Option<_>>().ok_or_else(|| odd(row, 6, "is no window"))?,
    })
}

pub(super) fn read_capability(row: &Row<'_>) -> rusqlite::Result<StoredCapability> {
    Ok(StoredCapability {
        scope: scope(row, 0)?,
        tools: texts(row, 1)?,
        uses: row.get(2)?,
        ok: row.get(3)?,
        last_at: row.get(4)?,
    })
}

pub(super) fn read_trace(row: &Row<'_>) -> rusqlite::Result<StoredTrace> {
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

fn places(scopes: &[Scope]) -> (String, Vec<Value>) {
    let values = scopes.iter().map(|scope| Value::Text(scope.as_str().to_owned())).collect();
    (vec!["?"; scopes.len()].join(", "), values)
}

fn number(most: usize) -> Value {
    Value::Integer(i64::try_from(most).unwrap_or(i64::MAX))
}

fn all<T>(
    connection: &Connection,
    sql: &str,
    values: Vec<Value>,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(params_from_iter(values), |row| read(row))?.collect()
}

fn suggestions(connection: &Connection, task: i64) -> rusqlite::Result<Vec<StoredSuggestion>> {
    let sql = format!("{SUGGESTIONS} WHERE task = ? ORDER BY kind DESC, place, name");
    all(connection, &sql, vec![Value::Integer(task)], read_suggestion)
}

impl ReadLearning for Database {
    fn tool_tasks(&self, scopes: &[Scope], done: bool, most: usize) -> Result<Vec<StoredTask>, StoreError> {
        let (places, mut values) = places(scopes);
        values.push(Value::Text(if done { "done" } else { "open" }.to_owned()));
        values.push(number(most));
        let sql = format!("{TASKS} WHERE scope IN ({places}) AND state = ? ORDER BY number DESC LIMIT ?");
        self.at_once(|| {
            let mut tasks = all(&self.connection, &sql, values, read_task)?;
            for task in &mut tasks {
                task.suggestions = suggestions(&self.connection, task.number)?;
            }
            Ok(tasks)
        })
    }

    fn task_borders(&self, scope: &Scope, session: &str) -> Result<Vec<(i64, u32)>, StoreError> {
        let sql = "SELECT number, after_row FROM tool_task WHERE session = ? AND scope = ? ORDER BY number";
        let values = vec![Value::Text(session.to_owned()), Value::Text(scope.as_str().to_owned())];
        self.sql(all(&self.connection, sql, values, |row| Ok((row.get(0)?, row.get(1)?))))
    }

    fn tool_thresholds(&self, scope: &Scope) -> Result<Vec<StoredThreshold>, StoreError> {
        let sql = format!("{THRESHOLDS} WHERE scope = ? ORDER BY kind");
        self.sql(all(&self.connection, &sql, vec![Value::Text(scope.as_str().to_owned())], read_threshold))
    }

    fn capabilities(&self, scopes: &[Scope], most: usize) -> Result<Vec<StoredCapability>, StoreError> {
        let (places, mut values) = places(scopes);
        values.push(number(most));
        let sql = format!("{CAPABILITIES} WHERE scope IN ({places}) ORDER BY uses DESC, last_at DESC, id LIMIT ?");
        self.sql(all(&self.connection, &sql, values, read_capability))
    }

    fn sessions_to_learn(&self, scope: &Scope, most: usize) -> Result<Vec<UnreadSession>, StoreError> {
        let sql = "SELECT session, rows, coalesce(seen, 0), coalesce(first_row, 0) FROM outcome_session
            LEFT JOIN (SELECT session AS read, seen, first_row FROM tool_cursor WHERE scope = ?) ON read = session
            WHERE rows > coalesce(seen, 0) ORDER BY last_at, session LIMIT ?";
        let values = vec![Value::Text(scope.as_str().to_owned()), number(most)];
        let read = |row: &Row<'_>| {
            Ok(UnreadSession { session: row.get(0)?, rows: row.get(1)?, seen: row.get(2)?, first_row: row.get(3)? })
        };
        self.sql(all(&self.connection, sql, values, read))
    }

    fn session_calls(&self, scope: &Scope, session: &str, from: u32) -> Result<Vec<SessionCall>, StoreError> {
        let sql = "SELECT sequence, at, tool, is_ok FROM tool_outcome WHERE session = ? AND sequence >= ? AND scope = ?
            ORDER BY sequence";
        let values =
            vec![Value::Text(session.to_owned()), Value::Integer(from.into()), Value::Text(scope.as_str().to_owned())];
        let read = |row: &Row<'_>| {
            Ok(SessionCall { sequence: row.get(0)?, at: row.get(1)?, tool: row.get(2)?, is_ok: row.get(3)? })
        };
        self.sql(all(&self.connection, sql, values, read))
    }

    fn traces(&self, scopes: &[Scope], most: usize) -> Result<Vec<StoredTrace>, StoreError> {
        let (places, mut values) = places(scopes);
        values.push(number(most));
        let sql = format!("{TRACES} WHERE scope IN ({places}) ORDER BY number DESC LIMIT ?");
        self.at_once(|| {
            let mut traces = all(&self.connection, &sql, values, read_trace)?;
            for trace in &mut traces {
                trace.outcomes = trace.task.map_or(Ok(Vec::new()), |task| suggestions(&self.connection, task))?;
            }
            Ok(traces)
        })
    }
}

impl KeepLearning for Database {
    fn keep_task(&mut self, task: &StoredTask) -> Result<i64, StoreError> {
        let batch = self.begin_unlocked()?;
        let number = batch.sql(put_task(&batch.transaction, task))?;
        batch.commit()?;
        Ok(number)
    }

    fn settle_task(
        &mut self,
        task: &StoredTask,
        thresholds: &[(Option<StoredThreshold>, StoredThreshold)],
    ) -> Result<bool, StoreError> {
        let batch = self.begin_unlocked()?;
        let settled = batch.sql(settle(&batch.transaction, task, thresholds))?;
        // What was half done is undone with the batch.
        if settled {
            batch.commit()?;
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
        let batch = self.begin_unlocked()?;
        let kept = batch.sql(put_uses(&batch.transaction, scope, session, last_task, uses))?;
        if kept {
            batch.commit()?;
        }
        Ok(kept)
    }

    fn keep_trace(&mut self, trace: &StoredTrace, newest: usize) -> Result<(), StoreError> {
        let batch = self.begin_unlocked()?;
        batch.execute(
            "INSERT INTO algorithm_trace (scope, session, at, task, question, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![trace.scope.as_str(), trace.session, trace.at, trace.task, trace.question, trace.data],
        )?;
        batch.execute(
            "DELETE FROM algorithm_trace WHERE scope = ?1 AND number <= (
                SELECT number FROM algorithm_trace WHERE scope = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
            params![trace.scope.as_str(), i64::try_from(newest).unwrap_or(i64::MAX)],
        )?;
        batch.commit()
    }
}

fn put_task(connection: &Connection, task: &StoredTask) -> rusqlite::Result<i64> {
    let last: Option<(i64, String, String)> = connection
        .prepare_cached(
            "SELECT number, fingerprint, state FROM tool_task WHERE session = ?1 AND scope = ?2
             ORDER BY number DESC LIMIT 1",
        )?
        .query_row([&task.session, task.scope.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let number = match last {
        Some((number, fingerprint, state)) if fingerprint == task.fingerprint && state == "open" => number,
        _ => {
            connection
                .prepare_cached(
                    "INSERT INTO tool_task (scope, session, after_row, at, task, fingerprint, used, state)
                     VALUES (?1, ?2, (SELECT coalesce(max(rows), 0) FROM outcome_session WHERE session = ?2), ?3, ?4,
                        ?5, '[]', 'open')",
                )?
                .execute(params![task.scope.as_str(), task.session, task.at, task.task, task.fingerprint])?;
            connection.last_insert_rowid()
        }
    };
    let mut put =
        connection.prepare_cached("INSERT OR IGNORE INTO tool_suggestion VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL)")?;
    for (place, one) in (0i64..).zip(&task.suggestions) {
        put.execute(params![number, one.kind.name(), name_of(one), place, one.score, one.is_suggested])?;
    }
    Ok(number)
}

fn settle(
    connection: &Connection,
    task: &StoredTask,
    thresholds: &[(Option<StoredThreshold>, StoredThreshold)],
) -> rusqlite::Result<bool> {
    let state = if task.used.is_empty() { "silent" } else { "done" };
    let changed = connection
        .prepare_cached("UPDATE tool_task SET used = ?2, state = ?3 WHERE number = ?1 AND state = 'open'")?
        .execute(params![task.number, listed(&task.used), state])?;
    if changed == 0 {
        return Ok(false);
    }
    let mut accept = connection
        .prepare_cached("UPDATE tool_suggestion SET is_accepted = ?4 WHERE task = ?1 AND kind = ?2 AND name = ?3")?;
    for one in &task.suggestions {
        accept.execute(params![task.number, one.kind.name(), name_of(one), one.is_accepted])?;
    }
    let sql = format!("{THRESHOLDS} WHERE scope = ?1 AND kind = ?2");
    for (before, after) in thresholds {
        let key = [task.scope.as_str(), after.kind.name()];
        let found = connection.prepare_cached(&sql)?.query_row(key, read_threshold).optional()?;
        if found != *before {
            return Ok(false);
        }
        let window: String = after.window.iter().map(|accepted| if *accepted { '1' } else { '0' }).collect();
        connection
            .prepare_cached("INSERT OR REPLACE INTO tool_threshold VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
            .execute(params![
                task.scope.as_str(),
                after.kind.name(),
                after.value,
                i64::try_from(after.outcomes).unwrap_or(i64::MAX),
                after.turns,
                after.since,
                after.silent,
                window
            ])?;
    }
    Ok(true)
}

fn put_uses(
    connection: &Connection,
    scope: &Scope,
    session: &UnreadSession,
    last_task: u32,
    uses: &[CapabilityUse],
) -> rusqlite::Result<bool> {
    let name = session.session.as_str();
    let seen: Option<u32> = connection
        .prepare_cached("SELECT seen FROM tool_cursor WHERE session = ?1 AND scope = ?2")?
        .query_row([name, scope.as_str()], |row| row.get(0))
        .optional()?;
    if seen.unwrap_or(0) != session.seen {
        return Ok(false);
    }
    connection.prepare_cached("INSERT OR REPLACE INTO tool_cursor VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        name,
        scope.as_str(),
        session.rows,
        last_task
    ])?;
    for one in uses {
        let key = params![scope.as_str(), name, one.first_row];
        let before: Option<(String, bool)> = connection
            .prepare_cached(
                "SELECT id, is_ok FROM capability_use WHERE scope = ?1 AND session = ?2 AND first_row = ?3",
            )?
            .query_row(key, |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if let Some((id, was_ok)) = before {
            connection
                .prepare_cached("DELETE FROM capability_use WHERE scope = ?1 AND session = ?2 AND first_row = ?3")?
                .execute(params![scope.as_str(), name, one.first_row])?;
            count_less(connection, scope.as_str(), &id, was_ok)?;
        }
        if one.tools.is_empty() {
            continue;
        }
        let id = id_of(&one.tools);
        let counted = match one.is_ok {
            true => connection
                .prepare_cached(
                    "INSERT INTO capability VALUES (?1, ?2, ?3, 1, 1, ?4)
                     ON CONFLICT (scope, id) DO UPDATE SET uses = uses + 1, ok = ok + 1, last_at = max(last_at, ?4)",
                )?
                .execute(params![scope.as_str(), id, listed(&one.tools), one.at])?,
            false => connection
                .prepare_cached(
                    "UPDATE capability SET uses = uses + 1, last_at = max(last_at, ?3) WHERE scope = ?1 AND id = ?2",
                )?
                .execute(params![scope.as_str(), id, one.at])?,
        };
        if counted > 0 {
            connection
                .prepare_cached("INSERT INTO capability_use VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                .execute(params![scope.as_str(), name, one.first_row, id, one.is_ok, one.at])?;
        }
    }
    Ok(true)
}

/// A use of a capability is gone; without uses it is gone itself.
fn count_less(connection: &Connection, scope: &str, id: &str, was_ok: bool) -> rusqlite::Result<()> {
    let key = params![scope, id];
    connection.prepare_cached("DELETE FROM capability WHERE scope = ?1 AND id = ?2 AND uses <= 1")?.execute(key)?;
    connection
        .prepare_cached("UPDATE capability SET uses = uses - 1, ok = ok - ?3 WHERE scope = ?1 AND id = ?2")?
        .execute(params![scope, id, i64::from(was_ok)])?;
    Ok(())
}

impl Batch<'_> {
    /// Forgets what was learnt from a session; gives how many tasks are gone. Thresholds are numbers alone, and stay.
    pub(super) fn forget_learning(&self, session: &str) -> Result<usize, StoreError> {
        let sql = "SELECT scope, id, is_ok FROM capability_use WHERE session = ?";
        let read = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?));
        let uses = self.sql(all(&self.transaction, sql, vec![Value::Text(session.to_owned())], read))?;
        self.execute("DELETE FROM capability_use WHERE session = ?1", [session])?;
        for (scope, id, was_ok) in uses {
            self.sql(count_less(&self.transaction, &scope, &id, was_ok))?;
        }
        self.execute("DELETE FROM tool_cursor WHERE session = ?1", [session])?;
        self.execute(
            "DELETE FROM tool_suggestion WHERE task IN (SELECT number FROM tool_task WHERE session = ?1)",
            [session],
        )?;
        let tasks = self.execute("DELETE FROM tool_task WHERE session = ?1", [session])?;
        let traces = self.execute("DELETE FROM algorithm_trace WHERE session = ?1", [session])?;
        Ok(tasks.max(traces))
    }

    /// Forgets what was learnt about a tool in a scope.
    pub(super) fn forget_tool(&self, scope: &Scope, key: &str) -> Result<(), StoreError> {
        let names = [scope.as_str(), key];
        for sql in [
            "DELETE FROM capability_use WHERE scope = ?1 AND id IN (SELECT id FROM capability WHERE scope = ?1
                AND EXISTS (SELECT 1 FROM json_each(tools) WHERE value = ?2))",
            "DELETE FROM capability WHERE scope = ?1 AND EXISTS (SELECT 1 FROM json_each(tools) WHERE value = ?2)",
        ] {
            self.execute(sql, names)?;
        }
        Ok(())
    }
}

/// Takes away tasks and traces that are older than this moment.
pub(super) fn drop_old(connection: &Connection, at_ms: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM tool_suggestion WHERE task IN (SELECT number FROM tool_task WHERE at < ?1)",
        "DELETE FROM tool_task WHERE at < ?1",
        "DELETE FROM algorithm_trace WHERE at < ?1",
    ] {
        connection.prepare_cached(sql)?.execute([at_ms])?;
    }
    connection
        .prepare_cached("DELETE FROM tool_cursor WHERE session NOT IN (SELECT session FROM outcome_session)")?
        .execute([])?;
    Ok(())
}
