//! Values of columns, as every store holds them.

use sha2::{Digest, Sha256};
use std::cmp::Ordering;

/// What a column holds, beside null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Kind {
    /// A number of 64 bits with a sign.
    Integer,
    /// A float of 64 bits.
    Real,
    /// Text in UTF-8.
    Text,
    /// Bytes.
    Bytes,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Value {
    /// Nothing.
    Null,
    /// See [`Kind::Integer`].
    Integer(i64),
    /// The bits of a float, so that equal means the same.
    Real(u64),
    /// See [`Kind::Text`].
    Text(String),
    /// See [`Kind::Bytes`].
    Bytes(Vec<u8>),
}

/// The values of a row, in the order of its table's columns.
pub(in crate::store) type Row = Vec<Value>;

impl Value {
    /// The order in which stores sort keys: numbers by size, texts and bytes byte by byte.
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one.cmp(other),
            (Self::Text(one), Self::Text(other)) => one.as_bytes().cmp(other.as_bytes()),
            (Self::Bytes(one), Self::Bytes(other)) => one.cmp(other),
            // No key holds floats or nulls, and a column holds one kind.
            _ => Ordering::Equal,
        }
    }

    /// How many bytes it takes, about.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            _ => 8,
        }
    }

    /// Its bytes in a digest: what it is, how long, and what it holds.
    fn digest(&self, digest: &mut Sha256) {
        let (kind, bytes) = match self {
            Self::Null => (0, Vec::new()),
            Self::Integer(number) => (1, number.to_le_bytes().to_vec()),
            Self::Real(bits) => (2, bits.to_le_bytes().to_vec()),
            Self::Text(text) => (3, text.as_bytes().to_vec()),
            Self::Bytes(bytes) => (4, bytes.clone()),
        };
        digest.update([kind]);
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(&bytes);
    }
}

/// How two keys stand to each other in a page of rows.
pub(in crate::store) fn key_order(one: &[Value], other: &[Value]) -> Ordering {
    let orders = one.iter().zip(other).map(|(one, other)| one.order(other));
    orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Adds a row to a digest.
pub(in crate::store) fn digest_row(row: &[Value], digest: &mut Sha256) {
    row.iter().for_each(|value| value.digest(digest));
}
