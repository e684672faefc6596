//! What there is, counted.

use super::StoreError;
use super::database::Database;
use std::collections::BTreeMap;

/// Files and items of a scope.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ScopeCount {
    /// The scope.
    pub scope: String,
    /// Its files.
    pub files: usize,
    /// Its active items.
    pub items: usize,
}

/// What there is.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Inventory {
    /// Indexed files.
    pub files: usize,
    /// Active items by kind.
    pub items: BTreeMap<String, usize>,
    /// By scope.
    pub scopes: Vec<ScopeCount>,
    /// Vectors of the index's model.
    pub vectors: usize,
    /// Texts that have none.
    pub without_vector: usize,
    /// Vectors of other models, and of texts that are gone.
    pub unused_vectors: usize,
    /// Size of the database on disk.
    pub bytes: u64,
    /// When a file was indexed last, milliseconds since 1970.
    pub last_indexed: Option<i64>,
}

impl Inventory {
    /// Active items of all kinds.
    pub fn total(&self) -> usize {
        self.items.values().sum()
    }
}

impl Database {
    /// Counts what there is.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn inventory(&self) -> Result<Inventory, StoreError> {
        let model = self.index_model()?;
        let mut out = Inventory {
            bytes: self.bytes(),
            without_vector: self.texts_without_vector(model.as_ref())?,
            ..Inventory::default()
        };
        let count = |sql: &str, id: i64| -> rusqlite::Result<usize> {
            Ok(self.connection.prepare_cached(sql)?.query_row([id], |row| row.get::<_, i64>(0))?.max(0) as usize)
        };
        let mut fill = || -> rusqlite::Result<()> {
            let id = model.as_ref().map_or(-1, |m| m.id);
            out.vectors = count("SELECT count(*) FROM vector WHERE model_id = ?1", id)?;
            out.unused_vectors = count(
                "SELECT count(*) FROM vector WHERE model_id <> ?1
                    OR text_hash NOT IN (SELECT text_hash FROM embedding)",
                id,
            )?;
            out.last_indexed = self.connection.query_row("SELECT max(indexed_at) FROM source", [], |row| row.get(0))?;
            let mut statement = self
                .connection
                .prepare("SELECT kind, scope, count(*) FROM item WHERE state = 'active' GROUP BY kind, scope")?;
            let mut scopes: BTreeMap<String, ScopeCount> = BTreeMap::new();
            let empty = |scope: &str| ScopeCount { scope: scope.to_owned(), files: 0, items: 0 };
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (kind, scope): (String, String) = (row.get(0)?, row.get(1)?);
                let items = row.get::<_, i64>(2)?.max(0) as usize;
                *out.items.entry(kind).or_default() += items;
                scopes.entry(scope.clone()).or_insert_with(|| empty(&scope)).items += items;
            }
            let mut statement = self.connection.prepare("SELECT scope, count(*) FROM source GROUP BY scope")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let scope: String = row.get(0)?;
                let files = row.get::<_, i64>(1)?.max(0) as usize;
                out.files += files;
                scopes.entry(scope.clone()).or_insert_with(|| empty(&scope)).files += files;
            }
            out.scopes = scopes.into_values().collect();
            Ok(())
        };
        let filled = fill();
        self.sql(filled)?;
        Ok(out)
    }
}
