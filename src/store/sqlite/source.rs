//! Files as they were when they were indexed.

use super::StoreError;
use super::database::{Batch, Database};
use super::value::{named, odd, within};
use crate::screen::shown_text;
use crate::store::{Inventory, ReadSources, Source, SourceKind, Stat, WriteSources};
use crate::types::Scope;
use rusqlite::Row;
use std::collections::HashSet;

/// What [`read_source`] reads.
pub(super) const SOURCE_COLUMNS: &str = "id, path, root, kind, scope, sha256, size, mtime_ns, indexed_at";

/// The size of a file that is to be read again, however it looks.
pub(super) const UNKNOWN_SIZE: i64 = -1;

/// A file with its row id, from a row of [`SOURCE_COLUMNS`].
pub(super) fn read_source(row: &Row<'_>) -> rusqlite::Result<(i64, Source)> {
    let path: String = row.get(1)?;
    let read = || {
        let size: i64 = row.get(6)?;
        if size < UNKNOWN_SIZE {
            return Err(odd(row, 6, &format!("is {size}")));
        }
        Ok(Source {
            path: path.clone(),
            root: row.get(2)?,
            kind: named(row, 3, SourceKind::of)?,
            scope: Scope::repository(row.get::<_, String>(4)?),
            sha256: row.get(5)?,
            stat: Stat { size, mtime_ns: row.get(7)? },
            indexed_at: row.get(8)?,
        })
    };
    let source = read().map_err(within(&format!("file {}", shown_text(&path))))?;
    Ok((row.get(0)?, source))
}

/// What files are cut by.
const CUT: &str = "cut";

impl ReadSources for Database {
    fn cut_label(&self) -> Result<Option<String>, StoreError> {
        self.meta(CUT)
    }

    fn sources(&self) -> Result<Vec<(i64, Source)>, StoreError> {
        let all = || -> rusqlite::Result<_> {
            let mut statement =
                self.connection.prepare(&format!("SELECT {SOURCE_COLUMNS} FROM source ORDER BY path"))?;
            statement.query_map([], read_source)?.collect()
        };
        self.sql(all())
    }

    fn bare_sources(&self) -> Result<HashSet<i64>, StoreError> {
        let sql = "SELECT id FROM source WHERE NOT EXISTS (SELECT 1 FROM item WHERE source_id = source.id)";
        let all =
            || -> rusqlite::Result<_> { self.connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect() };
        self.sql(all())
    }

    fn is_imported(&self, path: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM source WHERE path = ?1 AND root = ''";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut statement| statement.exists([path])))
    }

    fn repository(&self, root: &str) -> Result<Option<Scope>, StoreError> {
        let get = || -> rusqlite::Result<Option<Scope>> {
            let mut statement = self.connection.prepare_cached("SELECT id FROM repository WHERE root = ?1")?;
            let mut rows = statement.query([root])?;
            rows.next()?.map(|row| row.get::<_, String>(0).map(Scope::repository)).transpose()
        };
        self.sql(get())
    }

    fn inventory(&self) -> Result<Inventory, StoreError> {
        self.count_all()
    }
}

impl WriteSources for Batch<'_> {
    fn put_source(&self, source: &Source) -> Result<i64, StoreError> {
        self.places_change();
        let sql = "INSERT INTO source (path, root, kind, scope, sha256, size, mtime_ns, indexed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (path) DO UPDATE SET root = ?2, kind = ?3, scope = ?4, sha256 = ?5, size = ?6, mtime_ns = ?7,
                indexed_at = ?8
            RETURNING id";
        let put = || -> rusqlite::Result<i64> {
            self.transaction.prepare_cached(sql)?.query_row(
                (
                    &source.path,
                    &source.root,
                    source.kind.name(),
                    source.scope.as_str(),
                    &source.sha256,
                    source.stat.size,
                    source.stat.mtime_ns,
                    source.indexed_at,
                ),
                |row| row.get(0),
            )
        };
        self.sql(put())
    }

    fn move_source(&self, id: i64, to: &Source) -> Result<(), StoreError> {
        self.places_change();
        self.execute(
            "UPDATE source SET path = ?2, root = ?3, kind = ?4, scope = ?5, size = ?6, mtime_ns = ?7, indexed_at = ?8
             WHERE id = ?1",
            (id, &to.path, &to.root, to.kind.name(), to.scope.as_str(), to.stat.size, to.stat.mtime_ns, to.indexed_at),
        )?;
        self.execute("UPDATE item SET scope = ?2 WHERE source_id = ?1", (id, to.scope.as_str()))?;
        Ok(())
    }

    fn remove_source(&self, id: i64) -> Result<(), StoreError> {
        self.execute("DELETE FROM item WHERE source_id = ?1", [id])?;
        self.execute("DELETE FROM source WHERE id = ?1", [id])?;
        Ok(())
    }

    fn cut_anew(&self, label: &str) -> Result<(), StoreError> {
        // One that an import brought has no file to be cut.
        self.execute("UPDATE source SET size = -1, sha256 = zeroblob(32) WHERE root <> ''", [])?;
        self.set_meta(CUT, Some(label))
    }

    fn put_repository(&self, root: &str, scope: &Scope) -> Result<(), StoreError> {
        self.execute("INSERT OR REPLACE INTO repository VALUES (?1, ?2)", [root, scope.as_str()])?;
        Ok(())
    }
}
