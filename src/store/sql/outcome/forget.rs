//! Forgets a session: its rows, its part of what is counted, and patterns that name it.

use crate::store::sql::learning::forget_learning;
use crate::store::sql::traces::leave_traces_in_copies;
use crate::store::sql::{SqlRow, WriteSql, values};
use crate::store::{SessionForgotten, StoreError, WriteOutcomes};

impl<C: WriteSql> WriteOutcomes for C {
    fn forget_outcomes(&self, session: &str) -> Result<SessionForgotten, StoreError> {
        leave_traces_in_copies(self)?;
        let rows = self.execute("DELETE FROM tool_outcome WHERE session = ?1", &values![session])?;
        self.execute("DELETE FROM outcome_batch WHERE session = ?1", &values![session])?;
        self.execute("DELETE FROM outcome_session WHERE session = ?1", &values![session])?;
        // Evidence names its session as JSON writes it.
        let named = serde_json::Value::from(session).to_string();
        let place = self.dialect().place_in_data();
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
