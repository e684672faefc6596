//! What is learnt about tools, as it is kept: each step is one short transaction, without the writer's lock.

use super::{THRESHOLDS, id_of, listed, name_of, read_threshold};
use crate::store::sql::{KeepSql, RunSql, SqlRow, SqlValue, WriteSql, values};
use crate::store::{CapabilityUse, KeepLearning, StoreError, StoredTask, StoredThreshold, StoredTrace, UnreadSession};
use crate::types::Scope;

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
                turns = excluded.turns, since = excluded.since, silent = excluded.silent,
                \"window\" = excluded.\"window\"",
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
pub fn forget_learning(changes: &impl WriteSql, session: &str) -> Result<usize, StoreError> {
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
pub fn forget_tool<C: WriteSql>(changes: &C, scope: &Scope, key: &str) -> Result<(), StoreError> {
    let has_tool = changes.dialect().has_tool();
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
pub fn drop_old_tasks(changes: &impl WriteSql, at_ms: i64) -> Result<(), StoreError> {
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
