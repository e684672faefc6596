//! Rows as the server answers them, and values as it is given them.

use super::server_error::odd_content;
use super::text::{marked, unmarked};
use crate::store::StoreError;
use crate::store::sql::{SqlError, SqlRow, SqlValue};
use std::error::Error;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};

/// Why a row cannot be read, or a statement not be run.
#[derive(Debug)]
pub enum Failure {
    /// What the client or the server said.
    Said(tokio_postgres::Error),
    /// A value that nobody wrote.
    Odd(String),
    /// The server did not answer in time.
    Silent,
}

impl Failure {
    /// The same of the store with this name.
    pub fn of(self, name: &str) -> StoreError {
        match self {
            Self::Said(source) => refused(name)(source),
            Self::Odd(what) => StoreError::OddValue { name: name.to_owned(), what },
            Self::Silent => StoreError::Silent { name: name.to_owned() },
        }
    }
}

/// What the server of this name said. What it says of content that nobody wrote is damage.
pub(super) fn refused(name: &str) -> impl Fn(tokio_postgres::Error) -> StoreError + '_ {
    |source| match odd_content(&source) {
        _ if is_of_another_scope(&source) => StoreError::OtherScope { name: name.to_owned() },
        Some(what) => StoreError::OddValue { name: name.to_owned(), what },
        None => StoreError::Postgres { name: name.to_owned(), source },
    }
}

/// Whether a policy refused a row that was written, or the path that a file is moved to is taken. `ken` never moves a
/// file to a path that it sees, so the path belongs to a scope that this user does not see. The server's words may be
/// of any language.
fn is_of_another_scope(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|said| match *said.code() {
        SqlState::INSUFFICIENT_PRIVILEGE => said.routine() == Some("ExecWithCheckOptions"),
        SqlState::UNIQUE_VIOLATION => said.constraint() == Some("source_path_key"),
        _ => false,
    })
}

impl From<tokio_postgres::Error> for Failure {
    fn from(source: tokio_postgres::Error) -> Self {
        Self::Said(source)
    }
}

impl SqlError for Failure {
    fn odd(_at: usize, what: String) -> Self {
        Self::Odd(what)
    }

    fn out_of_range(_at: usize, number: i64) -> Self {
        Self::Odd(format!("{number} is out of range"))
    }

    fn within(self, place: &str) -> Self {
        match self {
            Self::Odd(what) => Self::Odd(format!("{place}: {what}")),
            said => said,
        }
    }

    fn oddity(self) -> Result<String, Self> {
        match self {
            Self::Odd(what) => Ok(what),
            said => Err(said),
        }
    }
}

/// A value of whatever type.
struct Anything;

impl FromSql<'_> for Anything {
    fn from_sql(_type: &Type, _raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self)
    }

    fn accepts(_type: &Type) -> bool {
        true
    }
}

impl SqlRow for Row {
    type Error = Failure;

    fn column(&self, at: usize) -> &str {
        self.columns().get(at).map_or("a value", tokio_postgres::Column::name)
    }

    fn is_null(&self, at: usize) -> Result<bool, Failure> {
        Ok(self.try_get::<_, Option<Anything>>(at)?.is_none())
    }

    fn integer(&self, at: usize) -> Result<i64, Failure> {
        Ok(match self.columns().get(at).map(tokio_postgres::Column::type_) {
            Some(&Type::BOOL) => self.try_get::<_, bool>(at)?.into(),
            Some(&Type::INT4) => self.try_get::<_, i32>(at)?.into(),
            _ => self.try_get(at)?,
        })
    }

    fn real(&self, at: usize) -> Result<f64, Failure> {
        Ok(self.try_get(at)?)
    }

    fn text(&self, at: usize) -> Result<String, Failure> {
        Ok(unmarked(self.try_get(at)?))
    }

    fn lossy_text(&self, at: usize) -> Result<String, Failure> {
        self.text(at)
    }

    fn bytes(&self, at: usize) -> Result<&[u8], Failure> {
        Ok(self.try_get(at)?)
    }
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self, wanted: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) => match *wanted {
                Type::INT4 => i32::try_from(*number)?.to_sql(wanted, out),
                Type::INT8 => number.to_sql(wanted, out),
                _ => Err(format!("a number was given for {wanted}").into()),
            },
            Self::Real(number) if *wanted == Type::FLOAT8 => number.to_sql(wanted, out),
            Self::Real(_) => Err(format!("a float was given for {wanted}").into()),
            Self::Text(text) => marked(text).to_sql(wanted, out),
            Self::OwnText(text) => marked(text).to_sql(wanted, out),
            Self::Bytes(bytes) => bytes.to_sql(wanted, out),
            Self::OwnBytes(bytes) => bytes.to_sql(wanted, out),
        }
    }

    fn accepts(_type: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}
