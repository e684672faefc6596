//! The stores that every case runs on.

use super::harness::Maker;
use crate::store::{Database, WriterLock};
#[cfg(all(unix, feature = "postgres"))]
use crate::store::{Place, SharedStore};
use std::path::Path;

/// A file in each folder.
struct Sqlite;

impl Maker for Sqlite {
    type Store = Database;

    fn open(&self, lock: &WriterLock) -> Database {
        Database::open_to_write(lock).unwrap()
    }

    fn reader(&self, folder: &Path) -> Database {
        Database::open(folder).unwrap().unwrap()
    }
}

conforms!(sqlite, super::Sqlite);

/// The same in PostgreSQL: a database for each folder.
#[cfg(all(unix, feature = "postgres"))]
struct Postgres;

#[cfg(all(unix, feature = "postgres"))]
impl Postgres {
    fn place(folder: &Path) -> Place {
        Place::shared(folder, SharedStore::at(crate::store::postgres::address_of(folder)))
    }
}

#[cfg(all(unix, feature = "postgres"))]
impl Maker for Postgres {
    type Store = Database;

    fn open(&self, lock: &WriterLock) -> Database {
        Database::open_to_write_at(&Self::place(lock.folder()), lock).unwrap()
    }

    fn reader(&self, folder: &Path) -> Database {
        Database::open_at(&Self::place(folder)).unwrap().unwrap()
    }
}

#[cfg(all(unix, feature = "postgres"))]
conforms!(postgres, super::Postgres);

/// From each to the other.
#[test]
#[cfg(all(unix, feature = "postgres"))]
fn exports_pass_between_stores() {
    super::transfer::an_export_passes_between(&Sqlite, &Postgres);
    super::transfer::an_export_passes_between(&Postgres, &Sqlite);
}
