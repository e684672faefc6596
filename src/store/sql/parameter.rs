//! Values that statements are given.

use crate::types::Scope;

/// A value for a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlValue<'v> {
    /// Nothing.
    Null,
    /// A number of 64 bits with a sign; also 0 and 1 for no and yes.
    Integer(i64),
    /// A float of 64 bits.
    Real(f64),
    /// A text that somebody else holds.
    Text(&'v str),
    /// A text of its own.
    OwnText(String),
    /// Bytes that somebody else holds.
    Bytes(&'v [u8]),
    /// Bytes of its own.
    OwnBytes(Vec<u8>),
}

impl SqlValue<'_> {
    /// As many rows as that, or all that there can be.
    pub fn most(most: usize) -> Self {
        Self::Integer(i64::try_from(most).unwrap_or(i64::MAX))
    }
}

macro_rules! from {
    ($($from:ty => |$value:ident| $into:expr;)+) => {
        $(impl<'v> From<$from> for SqlValue<'v> {
            fn from($value: $from) -> Self {
                $into
            }
        })+
    };
}

from! {
    i64 => |value| Self::Integer(value);
    i32 => |value| Self::Integer(value.into());
    u32 => |value| Self::Integer(value.into());
    bool => |value| Self::Integer(value.into());
    f64 => |value| Self::Real(value);
    &'v str => |value| Self::Text(value);
    &'v String => |value| Self::Text(value);
    String => |value| Self::OwnText(value);
    &'v [u8] => |value| Self::Bytes(value);
    Vec<u8> => |value| Self::OwnBytes(value);
}

impl<const N: usize> From<[u8; N]> for SqlValue<'_> {
    fn from(value: [u8; N]) -> Self {
        Self::OwnBytes(value.to_vec())
    }
}

impl<'v, const N: usize> From<&'v [u8; N]> for SqlValue<'v> {
    fn from(value: &'v [u8; N]) -> Self {
        Self::Bytes(value)
    }
}

impl<'v, T: Into<SqlValue<'v>>> From<Option<T>> for SqlValue<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'v> From<&'v Option<String>> for SqlValue<'v> {
    fn from(value: &'v Option<String>) -> Self {
        value.as_deref().into()
    }
}

/// Values of any kinds for a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        [$($crate::store::sql::SqlValue::from($value)),*]
    };
}

pub(in crate::store) use values;

/// Whether a column is one of so many values, which come next.
pub(in crate::store) fn one_of(column: &str, many: usize) -> String {
    match many {
        0 => "FALSE".to_owned(),
        // As such, so that an index gives the rows in their order.
        1 => format!("{column} = ?"),
        many => format!("{column} IN ({})", vec!["?"; many].join(", ")),
    }
}

/// Whether the column `scope` is one of these, with the values.
pub(super) fn in_scopes<'v>(scopes: &'v [Scope]) -> (String, Vec<SqlValue<'v>>) {
    (one_of("scope", scopes.len()), scopes.iter().map(|scope| scope.as_str().into()).collect())
}
