//! Files as they were when they were indexed.

use super::StoreError;
use super::database::{Batch, Database};
use crate::types::Scope;
use rusqlite::Row;
use std::collections::HashSet;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// Markdown: headings and fences mean something.
    Markdown,
    /// Anything else that is text.
    Text,
}

impl SourceKind {
    /// As it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }
}

/// What tells whether a file is still the same, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Size in bytes.
    pub size: i64,
    /// Time of the last change, nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// A file that is indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Absolute path.
    pub path: String,
    /// The path that was given when it was indexed.
    pub root: String,
    /// How it is read.
    pub kind: SourceKind,
    /// Where its items count.
    pub scope: Scope,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Its size and time.
    pub stat: Stat,
    /// When it was indexed, milliseconds since 1970.
    pub indexed_at: i64,
}

impl Source {
    /// Whether the file itself was given when it was indexed, not a folder above it.
    pub fn is_named(&self) -> bool {
        self.path == self.root
    }
}

const COLUMNS: &str = "id, path, root, kind, scope, sha256, size, mtime_ns, indexed_at";

fn read(row: &Row<'_>) -> rusqlite::Result<(i64, Source)> {
    let kind: String = row.get(3)?;
    Ok((
        row.get(0)?,
        Source {
            path: row.get(1)?,
            root: row.get(2)?,
            kind: if kind == "markdown" { SourceKind::Markdown } else { SourceKind::Text },
            scope: Scope::repository(row.get::<_, String>(4)?),
            sha256: row.get(5)?,
            stat: Stat { size: row.get(6)?, mtime_ns: row.get(7)? },
            indexed_at: row.get(8)?,
        },
    ))
}

/// What files are cut by.
const CUT: &str = "cut";

impl Database {
    /// By which rules and for which model files were cut, if any was.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn cut_label(&self) -> Result<Option<String>, StoreError> {
        self.meta(CUT)
    }

    /// All files with their row ids, by path.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn sources(&self) -> Result<Vec<(i64, Source)>, StoreError> {
        let all = || -> rusqlite::Result<_> {
            let mut statement = self.connection.prepare(&format!("SELECT {COLUMNS} FROM source ORDER BY path"))?;
            statement.query_map([], read)?.collect()
        };
        self.sql(all())
    }

    /// Files of which nothing is indexed, by row id.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn bare_sources(&self) -> Result<HashSet<i64>, StoreError> {
        let sql = "SELECT id FROM source WHERE NOT EXISTS (SELECT 1 FROM item WHERE source_id = source.id)";
        let all =
            || -> rusqlite::Result<_> { self.connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect() };
        self.sql(all())
    }

    /// Whether a file came with an import and was never on this machine.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn is_imported(&self, path: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM source WHERE path = ?1 AND root = ''";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut statement| statement.exists([path])))
    }

    /// The id of a repository, if it was found before.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn repository(&self, root: &str) -> Result<Option<Scope>, StoreError> {
        let get = || -> rusqlite::Result<Option<Scope>> {
            let mut statement = self.connection.prepare_cached("SELECT id FROM repository WHERE root = ?1")?;
            let mut rows = statement.query([root])?;
            rows.next()?.map(|row| row.get::<_, String>(0).map(Scope::repository)).transpose()
        };
        self.sql(get())
    }
}

impl Batch<'_> {
    /// Adds a file, or replaces what is known of one at this path; gives its row id. Its items stay.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_source(&self, source: &Source) -> Result<i64, StoreError> {
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

    /// Gives a file another path, and its items the scope of that path.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn move_source(&self, id: i64, to: &Source) -> Result<(), StoreError> {
        self.execute(
            "UPDATE source SET path = ?2, root = ?3, kind = ?4, scope = ?5, size = ?6, mtime_ns = ?7, indexed_at = ?8
             WHERE id = ?1",
            (id, &to.path, &to.root, to.kind.name(), to.scope.as_str(), to.stat.size, to.stat.mtime_ns, to.indexed_at),
        )?;
        self.execute("UPDATE item SET scope = ?2 WHERE source_id = ?1", (id, to.scope.as_str()))?;
        Ok(())
    }

    /// Removes a file with its items.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn remove_source(&self, id: i64) -> Result<(), StoreError> {
        self.execute("DELETE FROM item WHERE source_id = ?1", [id])?;
        self.execute("DELETE FROM source WHERE id = ?1", [id])?;
        Ok(())
    }

    /// Has every file cut anew when it is met, and says by which rules and for which model.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn cut_anew(&self, label: &str) -> Result<(), StoreError> {
        // One that an import brought has no file to be cut.
        self.execute("UPDATE source SET size = -1, sha256 = zeroblob(32) WHERE root <> ''", [])?;
        self.set_meta(CUT, Some(label))
    }

    /// Remembers a repository's id.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_repository(&self, root: &str, scope: &Scope) -> Result<(), StoreError> {
        self.execute("INSERT OR REPLACE INTO repository VALUES (?1, ?2)", [root, scope.as_str()])?;
        Ok(())
    }
}
