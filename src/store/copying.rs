//! Copies a whole store from one place to another, and compares two places. A place is a data directory or a database
//! in PostgreSQL.

use super::mirror::{Mirrored, Place, compare, copy};
use super::postgres::Rows;
use super::sqlite::{Database, ReadRows, WriteRows};
use super::{PostgresAccess as Access, StoreError, WRITER_WAIT, WriterLock, make_private};
use crate::screen::shown;
use std::path::PathBuf;

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorePlace {
    /// In a data directory.
    Folder(PathBuf),
    /// In a database of PostgreSQL, by its address.
    Address(String),
}

/// Makes a place hold what another one holds, and nothing else. Others may use the first place meanwhile. What they
/// write after the copy has begun is not in it. `heard` gets the number of rows that are done, and of all rows.
///
/// # Errors
/// [`StoreError`] when a place cannot be read or written, and [`StoreError::OtherHistory`] if the target is no earlier
/// copy. A copy that was stopped goes on where it was.
pub fn copy_store(
    from: &StorePlace,
    to: &StorePlace,
    access: &Access,
    heard: &mut dyn FnMut(u64, u64),
) -> Result<Mirrored, StoreError> {
    let mut from = to_read(from, access)?;
    match to {
        StorePlace::Folder(folder) => {
            make_private(folder)?;
            let lock = WriterLock::take(folder, "ken store copy", WRITER_WAIT)?;
            copy(from.as_mut(), &mut WriteRows::new(&lock)?, heard)
        }
        StorePlace::Address(address) => copy(from.as_mut(), &mut Rows::to_write(address, access)?, heard),
    }
}

/// Whether two places hold the same.
///
/// # Errors
/// [`StoreError`] when one cannot be read.
pub fn compare_stores(
    from: &StorePlace,
    to: &StorePlace,
    access: &Access,
    heard: &mut dyn FnMut(u64, u64),
) -> Result<Mirrored, StoreError> {
    compare(to_read(from, access)?.as_mut(), to_read(to, access)?.as_mut(), heard)
}

fn to_read(place: &StorePlace, access: &Access) -> Result<Box<dyn Place>, StoreError> {
    Ok(match place {
        StorePlace::Folder(folder) => match Database::open(folder)? {
            Some(database) => Box::new(ReadRows::new(database)),
            None => return Err(StoreError::NoStore { name: shown(folder).into_owned() }),
        },
        StorePlace::Address(address) => Box::new(Rows::to_read(address, access)?),
    })
}
