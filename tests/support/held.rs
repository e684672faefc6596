//! What a user's store holds, a file or a database in PostgreSQL, looked at without `ken`; tests that hold of both.

use super::ken::User;
use rusqlite::types::ValueRef;

/// Makes two tests of each of these functions, which take what makes a user: one with a file, one with a database.
macro_rules! on_every_store {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            use crate::support::ken::User;

            #[test]
            fn in_a_file() {
                super::$name(User::new);
            }

            #[cfg(all(target_os = "linux", feature = "postgres"))]
            #[test]
            fn in_a_shared_database() {
                super::$name(User::sharing);
            }
        }
    )+};
}
pub(crate) use on_every_store;

impl User {
    /// The rows that a statement gives, values as texts. It is one that both kinds of store understand.
    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        #[cfg(all(target_os = "linux", feature = "postgres"))]
        if self.is_sharing() {
            let printed = self.psql(&format!("SET search_path = kenning; {sql}"));
            let rows = printed.strip_prefix("SET\n").unwrap_or_else(|| panic!("{printed}"));
            return rows.lines().map(|row| row.split('|').map(str::to_owned).collect()).collect();
        }
        let connection = rusqlite::Connection::open(self.home().join("kenning.db")).unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(60)).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let text = |value: ValueRef<'_>| match value {
            ValueRef::Integer(number) => number.to_string(),
            other => other.as_str().unwrap().to_owned(),
        };
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|at| Ok(text(row.get_ref(at)?))).collect();
        statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
    }

    /// Whether a word stands in a file of the data directory, compressed by nothing, or in a row of the database.
    pub fn holds(&self, word: &str) -> bool {
        #[cfg(all(target_os = "linux", feature = "postgres"))]
        if self.is_sharing() && self.dump().contains(word) {
            return true;
        }
        super::file_with(&self.home(), word.as_bytes()).is_some()
    }
}
