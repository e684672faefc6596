//! Files as they were when they were indexed.

use super::inventory::count_all;
use super::value::{named, odd, within};
use super::{ReadSql, SqlRow, StoreError, WriteSql, values};
use crate::screen::shown_text;
use crate::store::{Inventory, ReadSources, Source, SourceKind, Stat, WriteSources};
use crate::types::Scope;
use std::collections::HashSet;

/// What [`read_source`] reads.
pub const SOURCE_COLUMNS: &str = "id, path, root, kind, scope, sha256, size, mtime_ns, indexed_at";

/// The size of a file that is to be read again, however it looks.
pub const UNKNOWN_SIZE: i64 = -1;

/// Files that are to be read again: `UPDATE` up to the condition; `?1` is [`NO_HASH`].
pub(super) const READ_AGAIN: &str = "UPDATE source SET size = -1, sha256 = ?1 WHERE root <> ''";

/// The hash of a file that is to be read again.
pub(super) const NO_HASH: [u8; 32] = [0; 32];

/// A file with its row id, from a row of [`SOURCE_COLUMNS`].
pub fn read_source<R: SqlRow>(row: &R) -> Result<(i64, Source), R::Error> {
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
            scope: Scope::repository(row.text(4)?),
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

impl<D: ReadSql> ReadSources for D {
    fn cut_label(&self) -> Result<Option<String>, StoreError> {
        self.meta(CUT)
    }

    fn sources(&self) -> Result<Vec<(i64, Source)>, StoreError> {
        self.rows(&format!("SELECT {SOURCE_COLUMNS} FROM source ORDER BY path"), &[], |row| read_source(row))
    }

    fn bare_sources(&self) -> Result<HashSet<i64>, StoreError> {
        let sql = "SELECT id FROM source WHERE NOT EXISTS (SELECT 1 FROM item WHERE source_id = source.id)";
        Ok(self.rows(sql, &[], |row| row.get(0))?.into_iter().collect())
    }

    fn is_shared(&self) -> bool {
        self.dialect().is_shared()
    }

    fn source_root(&self, path: &str) -> Result<Option<String>, StoreError> {
        self.first("SELECT root FROM source WHERE path = ?1", &values![path], |row| row.text(0))
    }

    fn repository(&self, root: &str) -> Result<Option<Scope>, StoreError> {
        let sql = "SELECT id FROM repository WHERE root = ?1";
        self.first(sql, &values![root], |row| row.text(0).map(Scope::repository))
    }

    fn inventory(&self) -> Result<Inventory, StoreError> {
        self.at_once(|| count_all(self))
    }
}

impl<C: WriteSql> WriteSources for C {
    fn put_source(&self, source: &Source) -> Result<i64, StoreError> {
        self.places_change();
        let sql = "INSERT INTO source (path, root, kind, scope, sha256, size, mtime_ns, indexed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (path) DO UPDATE SET root = excluded.root, kind = excluded.kind, scope = excluded.scope,
                sha256 = excluded.sha256, size = excluded.size, mtime_ns = excluded.mtime_ns,
                indexed_at = excluded.indexed_at
            RETURNING id";
        let values = values![
            &source.path,
            &source.root,
            source.kind.name(),
            source.scope.as_str(),
            &source.sha256,
            source.stat.size,
            source.stat.mtime_ns,
            source.indexed_at,
        ];
        self.one(sql, &values, |row| row.get(0))
    }

    fn move_source(&self, id: i64, to: &Source) -> Result<(), StoreError> {
        self.places_change();
        let (kind, scope, stat) = (to.kind.name(), to.scope.as_str(), to.stat);
        self.execute(
            "UPDATE source SET path = ?2, root = ?3, kind = ?4, scope = ?5, size = ?6, mtime_ns = ?7, indexed_at = ?8
             WHERE id = ?1",
            &values![id, &to.path, &to.root, kind, scope, stat.size, stat.mtime_ns, to.indexed_at],
        )?;
        if self.dialect().is_shared() {
            // They would go one by one.
            let words = "DELETE FROM item_words
                WHERE item IN (SELECT id FROM item WHERE source_id = ?1 AND item.scope <> ?2)";
            self.execute(words, &values![id, scope])?;
        }
        self.execute("UPDATE item SET scope = ?2 WHERE source_id = ?1", &values![id, scope])?;
        self.keep_words_of(id)
    }

    fn remove_source(&self, id: i64) -> Result<(), StoreError> {
        if self.dialect().is_shared() {
            // They would go with their items, but one by one, and be counted one by one.
            let words = "DELETE FROM item_words WHERE item IN (SELECT id FROM item WHERE source_id = ?1)";
            self.execute(words, &values![id])?;
        }
        self.execute("DELETE FROM item WHERE source_id = ?1", &values![id])?;
        self.execute("DELETE FROM source WHERE id = ?1", &values![id])?;
        Ok(())
    }

    fn cut_anew(&self, label: &str) -> Result<(), StoreError> {
        // One that an import brought has no file to be cut.
        self.execute(READ_AGAIN, &values![NO_HASH])?;
        self.set_meta(CUT, Some(label))
    }

    fn put_repository(&self, root: &str, scope: &Scope) -> Result<(), StoreError> {
        put_repository(self, root, scope)
    }
}

/// Remembers a repository's id.
pub(super) fn put_repository(changes: &impl WriteSql, root: &str, scope: &Scope) -> Result<(), StoreError> {
    let sql = "INSERT INTO repository (root, id) VALUES (?1, ?2) ON CONFLICT (root) DO UPDATE SET id = excluded.id";
    changes.execute(sql, &values![root, scope.as_str()])?;
    Ok(())
}
