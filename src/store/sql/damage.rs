//! Damage, for tests of what finds and mends it: statements that leave what no `ken` writes, and that neither database
//! refuses.

use super::{SqlValue, StoreError, WriteSql, values};

/// Tables that drift apart, and the fault that it is.
pub const DRIFTS: &[(&str, &str)] = &[
    ("DELETE FROM embedding WHERE item_id = (SELECT id FROM item WHERE uid = 'chunk/1')", "embedding-missing"),
    (
        "INSERT INTO embedding (item_id, part, text_hash) SELECT id, 0, text_hash FROM item
            WHERE state = 'disputed'",
        "embedding-left",
    ),
    (
        "INSERT INTO embedding (item_id, part, text_hash) SELECT id, 0, text_hash FROM item
            WHERE state = 'retired'",
        "embedding-left",
    ),
    ("UPDATE item SET body = 'left' WHERE state = 'retired'", "forgotten-text"),
    ("UPDATE item SET title = 'left' WHERE state = 'retired'", "forgotten-text"),
    ("UPDATE corpus SET words = words + 1", "corpus"),
    ("UPDATE corpus SET items = items - 1", "corpus"),
    ("UPDATE error_log SET count = count + 1", "outcomes"),
    ("UPDATE outcome_session SET kept = kept - 1 WHERE session = 'a'", "outcomes"),
    ("DELETE FROM outcome_session WHERE session = 'b'", "outcomes"),
    ("UPDATE capability SET uses = uses + 1", "capabilities"),
    ("UPDATE capability SET ok = 0", "capabilities"),
    ("UPDATE attribute SET number = 0.2 WHERE key = 'n'", "attributes"),
    ("DELETE FROM attribute WHERE text = 'x'", "attributes"),
    ("DELETE FROM external_item", "attributes"),
    ("UPDATE external_item SET scope = 'other'", "attributes"),
    ("UPDATE external_item SET id = 'b'", "attributes"),
    (
        "INSERT INTO attribute (item_id, key, part, kind, text)
            SELECT id, 'k', 0, 'text', 'of an item that has none' FROM item WHERE uid = 'chunk/0'",
        "attributes",
    ),
    ("UPDATE memory SET kind = 'tactic'", "memories"),
    ("UPDATE memory SET scope = 'there'", "memories"),
    ("UPDATE memory SET state = 'forgotten'", "memories"),
    ("UPDATE memory SET is_held = 1", "memories"),
    ("UPDATE memory SET fingerprint = 'v1:x'", "memories"),
    ("UPDATE memory SET ends_at = 5", "memories"),
    ("UPDATE memory SET last_at = last_at + 1", "memories"),
    ("UPDATE meta SET value = 'another' WHERE key = 'active_model'", "active-model"),
];

/// Values that nobody wrote and that are taken away again, and how they are told.
pub const ODD_VALUES: &[(&str, &str)] = &[
    ("UPDATE item SET byte_start = -4 WHERE uid = 'chunk/0'", "item chunk/0: byte_start is -4"),
    ("UPDATE item SET line_end = NULL WHERE uid = 'chunk/1'", "item chunk/1: byte_start and what belongs to it"),
    (
        "UPDATE item SET byte_start = 5, byte_end = 0, line_start = 1, line_end = 1 WHERE uid = 'chunk/1'",
        "item chunk/1: byte_start and what follows it end before",
    ),
    (r#"UPDATE item SET attributes = '"\ud800"' WHERE uid = 'chunk/1'"#, "item chunk/1: attributes is no JSON"),
    ("UPDATE source SET size = -7", "file /docs/a.md: size is -7"),
    ("UPDATE usage SET days = -1 WHERE uid = 'chunk/0'", "usage of chunk/0: -1 is out of range"),
    (
        "UPDATE usage SET confirmed = 1099511627776 WHERE uid = 'chunk/0'",
        "usage of chunk/0: 1099511627776 is out of range",
    ),
    ("UPDATE forgotten SET lines = -3", "forgotten passage chunk/2: lines is -3"),
    ("UPDATE forgotten SET word_count = -1", "forgotten passage chunk/2: word_count is -1"),
    ("UPDATE forgotten SET pair_count = -1", "forgotten passage chunk/2: pair_count is -1"),
    ("UPDATE tool_outcome SET duration_ms = -1 WHERE session = 'b'", "outcome 1 of session b: duration_ms is"),
];

/// Values that nobody can know the right ones of, how they are put right, and how they are told.
pub const LASTING_VALUES: &[(&str, &str, &str)] = &[
    ("UPDATE tool SET data = '[]'", "UPDATE tool SET data = '{\"name\":\"z\"}'", "z"),
    ("UPDATE tool_task SET used = '{}'", "UPDATE tool_task SET used = '[]'", "used is no list of texts"),
    (
        "UPDATE tool_suggestion SET name = '[' WHERE kind = 'capability'",
        "UPDATE tool_suggestion SET name = '[\"z\"]' WHERE kind = 'capability'",
        "name is no JSON",
    ),
    (
        "UPDATE tool_threshold SET \"window\" = '12'",
        "UPDATE tool_threshold SET \"window\" = '1'",
        "window is no window",
    ),
    ("UPDATE capability SET tools = '{}'", "UPDATE capability SET tools = '[\"z\"]'", "tools is no list of texts"),
    (r#"UPDATE algorithm_trace SET data = '"\ud800"'"#, "UPDATE algorithm_trace SET data = '{}'", "data is no JSON"),
    (
        "UPDATE tool_outcome SET exit_code = 1099511627776",
        "UPDATE tool_outcome SET exit_code = 1",
        "outcome 1 of session a: 1099511627776 is out of range",
    ),
];

/// Memories that cannot be read.
pub const ODD_MEMORIES: &str = "UPDATE memory SET data = '{}'";

/// An event of the memories that cannot be read.
pub const ODD_EVENT: &str =
    "INSERT INTO memory_event (at, memory, session, author, change) VALUES (1, 'm', 's', '{}', '{}')";

/// Another text than was stored.
pub const OTHER_TEXT: &str = "UPDATE item SET body = 'another' WHERE uid = 'chunk/0'";

/// The hash of another text.
pub const OTHER_HASH: &str =
    "UPDATE item SET text_hash = (SELECT text_hash FROM item WHERE uid = 'fact/1') WHERE uid = 'chunk/1'";

/// Behind the first thousand items.
pub const DRIFTS_BEHIND: &[&str] =
    &["DELETE FROM embedding WHERE item_id > 900", "UPDATE item SET words = 7 WHERE uid = 'fact/b1099'"];

/// No model is the index's.
pub const NO_MODEL: &str = "DELETE FROM meta WHERE key = 'active_model'";

/// The vector of a text is these bytes.
pub fn put_vector_bytes(changes: &impl WriteSql, text: &[u8], bytes: &[u8]) -> Result<usize, StoreError> {
    changes.execute("UPDATE vector SET data = ?1 WHERE text_hash = ?2", &values![bytes, text])
}

/// Every relation weighs this.
pub fn weigh_links(changes: &impl WriteSql, weight: f64) -> Result<usize, StoreError> {
    changes.execute("UPDATE link SET weight = ?1", &values![weight])
}

/// A relation, which only memories and imports make.
pub fn put_link(changes: &impl WriteSql, from: &str, to: &str) -> Result<usize, StoreError> {
    let link: [SqlValue<'_>; 4] = values![from, to, "see", 0.5];
    changes.execute("INSERT INTO link (from_uid, to_uid, relation, weight) VALUES (?1, ?2, ?3, ?4)", &link)
}
