//! One line of an export, and whether a line that somebody brings is such as an export writes.

use crate::screen::is_hidden;
use crate::store::sql::source::UNKNOWN_SIZE;
use crate::store::{SourceKind, external_uid};
use crate::types::limits::ITEM_ID_BYTES;
use crate::types::{
    EXTERNAL_PREFIX, External, Item, MEMORY_PREFIX, MemoryEvent, Scope, Span, State, check_name, fields,
};
use serde::{Deserialize, Serialize};

/// One line of an export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record {
    /// The first line.
    Kenning {
        /// Version of the records.
        format: u32,
        /// When it was written, milliseconds since 1970.
        exported_at: i64,
    },
    /// An indexed file.
    Source {
        /// Absolute path.
        path: String,
        /// The path that was given when it was indexed.
        root: String,
        /// `markdown` or `text`.
        kind: String,
        /// Where its items count.
        scope: Scope,
        /// SHA-256 of its bytes, hex.
        sha256: String,
        /// Size in bytes.
        size: i64,
        /// Time of the last change, nanoseconds since 1970.
        mtime_ns: i64,
        /// When it was indexed, milliseconds since 1970.
        indexed_at: i64,
    },
    /// An item; its file stands before it.
    Item {
        /// The item.
        item: Item,
    },
    /// Counters.
    Usage {
        /// Of what.
        uid: String,
        /// Distinct days.
        days: i64,
        /// The last of them, days since 1970.
        last_day: i64,
        /// Times served.
        served: i64,
        /// When last, milliseconds since 1970.
        last_served: i64,
        /// Times confirmed to be useful.
        confirmed: i64,
    },
    /// A relation.
    Link {
        /// From.
        from: String,
        /// To.
        to: String,
        /// What kind.
        relation: String,
        /// How strong.
        weight: f64,
    },
    /// Something that happened.
    Event {
        /// When, milliseconds since 1970.
        at: i64,
        /// What.
        name: String,
        /// Ids and counts.
        data: serde_json::Value,
    },
    /// Something that happened to a memory.
    Memory {
        /// What; its number counts within the export alone.
        event: MemoryEvent,
    },
    /// The last line: an export without it was cut off.
    End {
        /// Lines between the first and this one.
        records: usize,
    },
}

impl Record {
    /// Version of the records.
    pub const FORMAT: u32 = 1;

    /// Whether its values are such as an export writes.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), &'static str> {
        let count = |number: i64| u32::try_from(number).is_ok();
        match self {
            Self::Usage { days, served, confirmed, .. } if ![*days, *served, *confirmed].into_iter().all(count) => {
                Err("a counter is out of range")
            }
            Self::Item { item } if item.state == State::Retired => Err("what was forgotten is not exported"),
            Self::Item { item } if item.uid.is_empty() || item.uid.chars().any(is_hidden) => {
                Err("an id is empty or holds control characters")
            }
            Self::Item { item } if item.span.is_some_and(|span| !is_stretch(&span)) => {
                Err("a place in a file ends before it begins")
            }
            Self::Item { item } if item.uid.starts_with(MEMORY_PREFIX) => Err("a memory is told by its events"),
            Self::Memory { event } if !is_memory(&event.memory) => Err("the id of a memory is wrong"),
            Self::Item { item } if !is_own(item) => Err("the id or the attributes of a program's item are wrong"),
            Self::Item { item: Item { scope, .. } } | Self::Source { scope, .. } if scope.as_str().is_empty() => {
                Err("a scope is empty")
            }
            Self::Source { kind, .. } if SourceKind::of(kind).is_none() => Err("a file is of no known kind"),
            Self::Source { size, .. } if *size < UNKNOWN_SIZE => Err("a file's size is out of range"),
            Self::Link { weight, .. } if !weight.is_finite() => Err("a weight is no number"),
            _ => Ok(()),
        }
    }
}

/// Whether an item from a program has the uid that its id gives it, one of another source has none such, and its
/// attributes are such as a program can give.
fn is_own(item: &Item) -> bool {
    let of_program = match External::of(item) {
        Some(External { id, scope, .. }) => {
            let is_name = check_name("", &id).and_then(|()| check_name("", scope.as_str())).is_ok();
            is_name && item.uid == external_uid(&scope, &id) && item.path.is_none()
        }
        None => !item.uid.starts_with(EXTERNAL_PREFIX),
    };
    of_program && fields(&item.attributes).is_ok()
}

/// Whether this can be the id of a memory.
fn is_memory(id: &str) -> bool {
    id.len() > MEMORY_PREFIX.len()
        && id.len() <= ITEM_ID_BYTES
        && id.starts_with(MEMORY_PREFIX)
        && !id.chars().any(is_hidden)
}

/// Whether a span is such as a database holds.
fn is_stretch(span: &Span) -> bool {
    let ordered = span.byte_start <= span.byte_end && span.line_start <= span.line_end;
    ordered && i64::try_from(span.byte_end).is_ok() && i64::try_from(span.line_end).is_ok()
}
