//! Values with stricter rules than their column's type has: counts, names, JSON. A value that no `ken` writes is
//! reported as damage, and never read as a default.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// Why a row cannot be read, as a database says it.
pub trait SqlError: Sized {
    /// The value of this column is none that was written.
    fn odd(at: usize, what: String) -> Self;

    /// The same of a number that is too large or too small for what it counts.
    fn out_of_range(at: usize, number: i64) -> Self;

    /// Says which row an odd value stands in, such as `item chunk/1`.
    fn within(self, place: &str) -> Self;

    /// What is odd about a value that could not be read.
    ///
    /// # Errors
    /// Any other failure, as it is.
    fn oddity(self) -> Result<String, Self>;
}

/// A row of an answer.
pub trait SqlRow {
    /// Why it cannot be read.
    type Error: SqlError;

    /// The name of a column.
    fn column(&self, at: usize) -> &str;

    /// Whether a column holds nothing.
    fn is_null(&self, at: usize) -> Result<bool, Self::Error>;

    /// A number; 0 or 1 for no and yes.
    fn integer(&self, at: usize) -> Result<i64, Self::Error>;

    /// A float.
    fn real(&self, at: usize) -> Result<f64, Self::Error>;

    /// A text.
    fn text(&self, at: usize) -> Result<String, Self::Error>;

    /// A text with the sign for what is unreadable in place of damaged bytes.
    fn lossy_text(&self, at: usize) -> Result<String, Self::Error>;

    /// Bytes.
    fn bytes(&self, at: usize) -> Result<&[u8], Self::Error>;

    /// A value of whatever type is wanted.
    fn get<T: Column>(&self, at: usize) -> Result<T, Self::Error> {
        T::of(self, at)
    }
}

/// A type that a column can be read as.
pub trait Column: Sized {
    /// The value of a column.
    fn of<R: SqlRow + ?Sized>(row: &R, at: usize) -> Result<Self, R::Error>;
}

macro_rules! column {
    ($($into:ty => |$row:ident, $at:ident| $read:expr;)+) => {
        $(impl Column for $into {
            fn of<R: SqlRow + ?Sized>($row: &R, $at: usize) -> Result<Self, R::Error> {
                $read
            }
        })+
    };
}

column! {
    i64 => |row, at| row.integer(at);
    i32 => |row, at| narrow(row, at);
    u32 => |row, at| narrow(row, at);
    bool => |row, at| Ok(row.integer(at)? != 0);
    f64 => |row, at| row.real(at);
    String => |row, at| row.text(at);
    Vec<u8> => |row, at| row.bytes(at).map(<[u8]>::to_vec);
}

impl<const N: usize> Column for [u8; N] {
    fn of<R: SqlRow + ?Sized>(row: &R, at: usize) -> Result<Self, R::Error> {
        let bytes = row.bytes(at)?;
        bytes.try_into().map_err(|_| odd(row, at, &format!("has {} bytes", bytes.len())))
    }
}

impl<T: Column> Column for Option<T> {
    fn of<R: SqlRow + ?Sized>(row: &R, at: usize) -> Result<Self, R::Error> {
        if row.is_null(at)? { Ok(None) } else { T::of(row, at).map(Some) }
    }
}

fn narrow<R: SqlRow + ?Sized, T: TryFrom<i64>>(row: &R, at: usize) -> Result<T, R::Error> {
    let number = row.integer(at)?;
    T::try_from(number).map_err(|_| R::Error::out_of_range(at, number))
}

/// The value of a column is odd; `what` is said of the column.
pub fn odd<R: SqlRow + ?Sized>(row: &R, at: usize, what: &str) -> R::Error {
    R::Error::odd(at, format!("{} {what}", row.column(at)))
}

/// Says which row an odd value stands in, such as `item chunk/1`.
pub fn within<E: SqlError>(place: &str) -> impl Fn(E) -> E + '_ {
    move |error| error.within(place)
}

/// A count or a place in a text, which is never negative.
pub fn count<R: SqlRow + ?Sized>(row: &R, at: usize) -> Result<usize, R::Error> {
    let number = row.integer(at)?;
    usize::try_from(number).map_err(|_| odd(row, at, &format!("is {number}")))
}

/// As [`count`], where there may be none.
pub fn optional_count<R: SqlRow + ?Sized>(row: &R, at: usize) -> Result<Option<usize>, R::Error> {
    if row.is_null(at)? { Ok(None) } else { count(row, at).map(Some) }
}

/// One of some names, as `of` reads it.
pub fn named<R: SqlRow + ?Sized, T>(row: &R, at: usize, of: impl Fn(&str) -> Option<T>) -> Result<T, R::Error> {
    let name = row.text(at)?;
    let shown: String = name.chars().take(40).collect();
    of(&name).ok_or_else(|| odd(row, at, &format!("is {shown:?}")))
}

/// Whatever JSON holds.
pub fn json<R: SqlRow + ?Sized>(row: &R, at: usize) -> Result<Value, R::Error> {
    serde_json::from_str(&row.text(at)?).map_err(|error| odd(row, at, &format!("is no JSON: {error}")))
}

/// The text of an object in JSON without one of its keys. What is stored is compared byte by byte, and a float that is
/// read and written again may change, so the other values stay as they are written.
pub fn json_without<R: SqlRow + ?Sized>(row: &R, at: usize, key: &str) -> Result<String, R::Error> {
    without(&row.text(at)?, key).map_err(|error| odd(row, at, &format!("is no object of JSON: {error}")))
}

fn without(object: &str, key: &str) -> serde_json::Result<String> {
    let Members(members) = serde_json::from_str(object)?;
    let mut out = String::from("{");
    for (name, value) in members.iter().filter(|(name, _)| name != key) {
        let comma = if out.len() > 1 { "," } else { "" };
        out.push_str(&format!("{comma}{}:{}", Value::from(name.as_str()), value.get()));
    }
    out.push('}');
    Ok(out)
}

/// The keys of an object in their order, with the values as they are written.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: Deserializer<'t>>(from: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'t> Visitor<'t> for InOrder {
            type Value = Members<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Members<'t>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        from.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_of_an_object_keeps_its_text() {
        let kept = r#""b":1.0000000000000002,"a":[1e21,5e-324,0.1],"c":{"context":"\u0000 ä"}"#;
        for object in [
            format!(r#"{{"context":"x",{kept}}}"#),
            format!(r#"{{{kept},"context":{{"a":1}}}}"#),
            format!("{{{kept}}}"),
        ] {
            assert_eq!(without(&object, "context").unwrap(), format!("{{{kept}}}"), "{object}");
        }
        assert_eq!(without(r#"{"context":null}"#, "context").unwrap(), "{}");
        assert!(without("[1]", "context").is_err());
    }
}
