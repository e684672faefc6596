//! What a user sees of a store. The database withholds rows of scopes that are not theirs (`0006_scopes.sql`). This
//! module refuses users who would see nothing, and users who see only a part where all is needed.

use super::client::Client;
use super::row::refused;
use crate::store::StoreError;

/// The first schema that withholds anything.
const SCOPES: i64 = 6;

/// What a user sees of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rights {
    /// Whether row-level security does not apply to the user, such as the owner of the tables.
    pub is_free: bool,
    /// Whether the rows of every scope are seen.
    pub sees_all_scopes: bool,
}

impl Rights {
    /// Those of the user of a connection to a store of this schema.
    ///
    /// # Errors
    /// [`StoreError::NoScopes`] if the user has no scope, and so would see nothing. Other [`StoreError`]s if the server
    /// refuses.
    pub fn of(client: &mut Client, name: &str, schema: i64) -> Result<Self, StoreError> {
        if schema < SCOPES {
            return Ok(Self { is_free: true, sees_all_scopes: true });
        }
        let sql = "SELECT NOT row_security_active('kenning.item'), kenning.reads_all(),
            EXISTS (SELECT FROM kenning.reader), CAST(current_user AS text)";
        let mut ask = || -> Result<(Self, bool, String), tokio_postgres::Error> {
            let row = client.query_one(sql, &[])?;
            Ok((Self { is_free: row.try_get(0)?, sees_all_scopes: row.try_get(1)? }, row.try_get(2)?, row.try_get(3)?))
        };
        let (rights, has_some, role) = ask().map_err(refused(name))?;
        if !rights.sees_all_scopes && !has_some {
            return Err(StoreError::NoScopes { name: name.to_owned(), role });
        }
        Ok(rights)
    }

    /// Refuses a user who sees a part of the store alone.
    ///
    /// # Errors
    /// [`StoreError::PartOnly`].
    pub fn need_all(self, name: &str) -> Result<(), StoreError> {
        if self.sees_all_scopes { Ok(()) } else { Err(StoreError::PartOnly { name: name.to_owned() }) }
    }

    /// Refuses a user who does not own the tables.
    ///
    /// # Errors
    /// [`StoreError::NotOwner`].
    pub fn need_owner(self, name: &str) -> Result<(), StoreError> {
        if self.is_free { Ok(()) } else { Err(StoreError::NotOwner { name: name.to_owned() }) }
    }
}
