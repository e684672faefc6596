//! The tables of a store, with their keys and columns. A table stands behind those that it refers to.
//!
//! Tables that are derived from others (counts of the corpus, the log of changed vectors) are left out, because each
//! store makes its own. SQLite and PostgreSQL have the same tables. Tests compare both with this list.

use super::value::Kind::{self, Bytes, Integer, Real, Text};
use super::value::Value;

/// A table.
#[derive(Debug)]
pub(in crate::store) struct Table {
    /// Its name.
    pub name: &'static str,
    /// How many of the columns, from the first on, are the primary key. None of these is null or a float.
    pub keys: usize,
    /// Whether its rows are never changed or removed.
    pub is_log: bool,
    /// Columns beside the key that only one row may hold a value of, each alone or together.
    pub unique: &'static [&'static str],
    /// Which rows belong to it, as a condition in SQL; none is all.
    pub only: Option<&'static str>,
    /// Names of the columns, and what they hold.
    pub columns: &'static [(&'static str, Kind)],
}

impl Table {
    /// The key of one of its rows.
    pub fn key<'r>(&self, row: &'r [Value]) -> &'r [Value] {
        &row[..self.keys]
    }

    /// Whether two of its rows have the same values in the columns of [`Self::unique`].
    pub fn is_as_unique(&self, one: &[Value], other: &[Value]) -> bool {
        let both = self.columns.iter().zip(one.iter().zip(other));
        both.filter(|((name, _), _)| self.unique.contains(name)).all(|(_, (one, other))| one == other)
    }

    /// The columns as SQL names them.
    pub fn column_list(&self) -> String {
        list(self.columns)
    }

    /// Those of the key.
    pub fn key_list(&self) -> String {
        list(&self.columns[..self.keys])
    }

    /// The statement for a page of rows in the order of the key, at most `most`; of those behind a key if `is_behind`.
    /// Its parameters, the values of that key, are `?1` or `$1` and so on, after `sign`.
    pub fn page(&self, sign: char, is_behind: bool, most: usize) -> String {
        let parameters: Vec<String> = (1..=self.keys).map(|at| format!("{sign}{at}")).collect();
        let behind = is_behind.then(|| format!("({}) > ({})", self.key_list(), parameters.join(", ")));
        let conditions: Vec<&str> = self.only.into_iter().chain(behind.as_deref()).collect();
        let which = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
        let (columns, keys) = (self.column_list(), self.key_list());
        format!("SELECT {columns} FROM \"{}\"{which} ORDER BY {keys} LIMIT {most}", self.name)
    }

    /// The statement that writes a row in place of the one with its key, with parameters as those of [`Self::page`].
    pub fn replacement(&self, sign: char) -> String {
        let parameters: Vec<String> = (1..=self.columns.len()).map(|at| format!("{sign}{at}")).collect();
        let others = self.columns[self.keys..].iter().map(|(name, _)| format!("\"{name}\" = excluded.\"{name}\""));
        let others: Vec<String> = others.collect();
        // A row that is its key alone has nothing else to say.
        let conflict =
            if others.is_empty() { "NOTHING".to_owned() } else { format!("UPDATE SET {}", others.join(", ")) };
        format!(
            "INSERT INTO \"{}\" ({}) VALUES ({}) ON CONFLICT ({}) DO {conflict}",
            self.name,
            self.column_list(),
            parameters.join(", "),
            self.key_list()
        )
    }

    /// The statement that counts its rows.
    pub fn count(&self) -> String {
        let which = self.only.map(|only| format!(" WHERE {only}")).unwrap_or_default();
        format!("SELECT count(*) FROM \"{}\"{which}", self.name)
    }

    /// The statement that removes the row of a key, with parameters as those of [`Self::page`].
    pub fn removal(&self, sign: char) -> String {
        let is_key = |(at, (name, _)): (usize, &(&str, Kind))| format!("\"{name}\" = {sign}{}", at + 1);
        let keys: Vec<String> = self.columns[..self.keys].iter().enumerate().map(is_key).collect();
        format!("DELETE FROM \"{}\" WHERE {}", self.name, keys.join(" AND "))
    }
}

fn list(columns: &[(&str, Kind)]) -> String {
    columns.iter().map(|(name, _)| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// All tables.
pub(in crate::store) const TABLES: &[Table] = &[
    Table {
        name: "meta",
        keys: 1,
        is_log: false,
        unique: &[],
        only: Some("key IN ('active_model', 'cut', 'noise', 'switched_from', 'switched_to')"),
        columns: &[("key", Text), ("value", Text)],
    },
    Table {
        name: "repository",
        keys: 1,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[("root", Text), ("id", Text)],
    },
    Table {
        name: "source",
        keys: 1,
        is_log: false,
        unique: &["path"],
        only: None,
        columns: &[
            ("id", Integer),
            ("path", Text),
            ("root", Text),
            ("kind", Text),
            ("scope", Text),
            ("sha256", Bytes),
            ("size", Integer),
            ("mtime_ns", Integer),
            ("indexed_at", Integer),
        ],
    },
    Table {
        name: "item",
        keys: 1,
        is_log: false,
        unique: &["uid"],
        only: None,
        columns: &[
            ("id", Integer),
            ("uid", Text),
            ("kind", Text),
            ("scope", Text),
            ("authority", Text),
            ("state", Text),
            ("title", Text),
            ("body", Text),
            ("text_hash", Bytes),
            ("words", Integer),
            ("attributes", Text),
            ("source_id", Integer),
            ("byte_start", Integer),
            ("byte_end", Integer),
            ("line_start", Integer),
            ("line_end", Integer),
            ("created_at", Integer),
            ("updated_at", Integer),
        ],
    },
    Table {
        name: "external_item",
        keys: 1,
        is_log: false,
        unique: &["id", "scope"],
        only: None,
        columns: &[("item_id", Integer), ("id", Text), ("scope", Text)],
    },
    Table {
        name: "attribute",
        keys: 3,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("item_id", Integer),
            ("key", Text),
            ("part", Integer),
            ("kind", Text),
            ("text", Text),
            ("number", Real),
        ],
    },
    Table {
        name: "embedding",
        keys: 2,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[("item_id", Integer), ("part", Integer), ("text_hash", Bytes)],
    },
    Table {
        name: "model",
        keys: 1,
        is_log: false,
        unique: &["fingerprint"],
        only: None,
        columns: &[("id", Integer), ("fingerprint", Text), ("dims", Integer)],
    },
    Table {
        name: "vector",
        keys: 1,
        is_log: false,
        unique: &["model_id", "text_hash"],
        only: None,
        columns: &[("id", Integer), ("model_id", Integer), ("text_hash", Bytes), ("data", Bytes)],
    },
    Table {
        name: "usage",
        keys: 1,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("uid", Text),
            ("days", Integer),
            ("last_day", Integer),
            ("served", Integer),
            ("last_served", Integer),
            ("confirmed", Integer),
        ],
    },
    Table {
        name: "link",
        keys: 3,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[("from_uid", Text), ("to_uid", Text), ("relation", Text), ("weight", Real)],
    },
    Table {
        name: "event",
        keys: 1,
        is_log: true,
        unique: &[],
        only: None,
        columns: &[("id", Integer), ("at", Integer), ("name", Text), ("data", Text)],
    },
    Table {
        name: "forgotten",
        keys: 1,
        is_log: false,
        unique: &["uid"],
        only: None,
        columns: &[
            ("id", Integer),
            ("uid", Text),
            ("at", Integer),
            ("path", Text),
            ("lines", Integer),
            ("salt", Bytes),
            ("word_count", Integer),
            ("words", Bytes),
            ("pair_count", Integer),
            ("pairs", Bytes),
        ],
    },
    Table {
        name: "kept_out",
        keys: 2,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[("forgotten_id", Integer), ("source_id", Integer)],
    },
    Table {
        name: "memory_event",
        keys: 1,
        is_log: true,
        unique: &[],
        only: None,
        columns: &[
            ("number", Integer),
            ("at", Integer),
            ("memory", Text),
            ("session", Text),
            ("author", Text),
            ("change", Text),
        ],
    },
    Table {
        name: "memory_words",
        keys: 1,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[("event", Integer), ("memory", Text), ("words", Text)],
    },
    Table {
        name: "memory",
        keys: 1,
        is_log: false,
        unique: &["item_id"],
        only: None,
        columns: &[
            ("id", Text),
            ("item_id", Integer),
            ("kind", Text),
            ("scope", Text),
            ("state", Text),
            ("is_held", Integer),
            ("match_key", Text),
            ("fingerprint", Text),
            ("ends_at", Integer),
            ("last_at", Integer),
            ("data", Text),
        ],
    },
    Table {
        name: "outcome_session",
        keys: 1,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("session", Text),
            ("scope", Text),
            ("rows", Integer),
            ("kept", Integer),
            ("analysed", Integer),
            ("first_at", Integer),
            ("last_at", Integer),
        ],
    },
    Table {
        name: "tool_outcome",
        keys: 2,
        is_log: false,
        unique: &["call"],
        only: None,
        columns: &[
            ("session", Text),
            ("sequence", Integer),
            ("at", Integer),
            ("tool", Text),
            ("head", Text),
            ("input", Text),
            ("input_fingerprint", Text),
            ("is_ok", Integer),
            ("exit_code", Integer),
            ("error", Text),
            ("error_fingerprint", Text),
            ("duration_ms", Integer),
            ("scope", Text),
            ("call", Text),
        ],
    },
    Table {
        name: "error_log",
        keys: 1,
        is_log: false,
        unique: &["scope", "tool", "head", "error_fingerprint"],
        only: None,
        columns: &[
            ("id", Integer),
            ("scope", Text),
            ("tool", Text),
            ("head", Text),
            ("error_fingerprint", Text),
            ("example", Text),
            ("example_session", Text),
            ("count", Integer),
            ("first_at", Integer),
            ("last_at", Integer),
        ],
    },
    Table {
        name: "error_session",
        keys: 2,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("error", Integer),
            ("session", Text),
            ("count", Integer),
            ("first_at", Integer),
            ("last_at", Integer),
        ],
    },
    Table {
        name: "outcome_batch",
        keys: 1,
        is_log: false,
        unique: &["session", "from_row"],
        only: None,
        columns: &[
            ("number", Integer),
            ("claimed_at", Integer),
            ("session", Text),
            ("from_row", Integer),
            ("to_row", Integer),
            ("worker", Text),
            ("state", Text),
        ],
    },
    Table {
        name: "outcome_pattern",
        keys: 1,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("id", Text),
            ("scope", Text),
            ("kind", Text),
            ("state", Text),
            ("confidence", Real),
            ("data", Text),
            ("last_at", Integer),
            ("memory", Text),
        ],
    },
    Table {
        name: "tool",
        keys: 2,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("scope", Text),
            ("key", Text),
            ("data", Text),
            ("digest", Text),
            ("approved", Text),
            ("source", Text),
            ("changed_at", Integer),
        ],
    },
    Table {
        name: "tool_task",
        keys: 1,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("number", Integer),
            ("scope", Text),
            ("session", Text),
            ("after_row", Integer),
            ("at", Integer),
            ("task", Text),
            ("fingerprint", Text),
            ("used", Text),
            ("state", Text),
        ],
    },
    Table {
        name: "tool_suggestion",
        keys: 3,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("task", Integer),
            ("kind", Text),
            ("name", Text),
            ("place", Integer),
            ("score", Real),
            ("is_suggested", Integer),
            ("is_accepted", Integer),
        ],
    },
    Table {
        name: "tool_threshold",
        keys: 2,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("scope", Text),
            ("kind", Text),
            ("value", Real),
            ("outcomes", Integer),
            ("turns", Integer),
            ("since", Integer),
            ("silent", Integer),
            ("window", Text),
        ],
    },
    Table {
        name: "capability",
        keys: 2,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("scope", Text),
            ("id", Text),
            ("tools", Text),
            ("uses", Integer),
            ("ok", Integer),
            ("last_at", Integer),
        ],
    },
    Table {
        name: "capability_use",
        keys: 3,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("scope", Text),
            ("session", Text),
            ("first_row", Integer),
            ("id", Text),
            ("is_ok", Integer),
            ("at", Integer),
        ],
    },
    Table {
        name: "tool_cursor",
        keys: 2,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[("session", Text), ("scope", Text), ("seen", Integer), ("first_row", Integer)],
    },
    Table {
        name: "algorithm_trace",
        keys: 1,
        is_log: false,
        unique: &[],
        only: None,
        columns: &[
            ("number", Integer),
            ("scope", Text),
            ("session", Text),
            ("at", Integer),
            ("task", Integer),
            ("question", Text),
            ("data", Text),
        ],
    },
];
