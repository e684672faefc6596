//! What there is, counted.

use super::StoreError;
use super::database::Database;
use super::value::count;
use crate::store::{FolderCount, Inventory, ReadVectors, ScopeCount};
use std::collections::BTreeMap;

impl Database {
    /// Counts what there is.
    pub(super) fn count_all(&self) -> Result<Inventory, StoreError> {
        let model = self.index_model()?;
        let mut out = Inventory {
            bytes: self.bytes(),
            without_vector: self.texts_without_vector(model.as_ref())?,
            ..Inventory::default()
        };
        let rows_of = |sql: &str, id: i64| -> rusqlite::Result<usize> {
            self.connection.prepare_cached(sql)?.query_row([id], |row| count(row, 0))
        };
        let mut fill = || -> rusqlite::Result<()> {
            let id = model.as_ref().map_or(-1, |m| m.id);
            out.vectors = rows_of("SELECT count(*) FROM vector WHERE model_id = ?1", id)?;
            out.unused_vectors = rows_of(
                "SELECT count(*) FROM vector WHERE model_id <> ?1
                    OR text_hash NOT IN (SELECT text_hash FROM embedding)",
                id,
            )?;
            out.last_indexed = self.connection.query_row("SELECT max(indexed_at) FROM source", [], |row| row.get(0))?;
            let mut statement = self.connection.prepare(
                "SELECT kind, scope, count(*) FROM item WHERE state = 'active'
                    AND id NOT IN (SELECT item_id FROM memory WHERE item_id IS NOT NULL) GROUP BY kind, scope",
            )?;
            let mut scopes: BTreeMap<String, ScopeCount> = BTreeMap::new();
            let empty = |scope: &str| ScopeCount { scope: scope.to_owned(), files: 0, items: 0 };
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (kind, scope): (String, String) = (row.get(0)?, row.get(1)?);
                let items = count(row, 2)?;
                *out.items.entry(kind).or_default() += items;
                scopes.entry(scope.clone()).or_insert_with(|| empty(&scope)).items += items;
            }
            let mut statement = self.connection.prepare("SELECT scope, count(*) FROM source GROUP BY scope")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let scope: String = row.get(0)?;
                let files = count(row, 1)?;
                out.files += files;
                scopes.entry(scope.clone()).or_insert_with(|| empty(&scope)).files += files;
            }
            out.scopes = scopes.into_values().collect();
            // What came with an import was never in a folder here.
            let mut statement = self.connection.prepare(
                "SELECT root, count(*), sum(path = root) FROM source WHERE root <> '' GROUP BY root ORDER BY root",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (path, files, named): (String, _, _) = (row.get(0)?, count(row, 1)?, count(row, 2)?);
                out.named_files += named;
                if files > named {
                    out.folders.push(FolderCount { path, files: files - named });
                }
            }
            Ok(())
        };
        let filled = fill();
        self.sql(filled)?;
        Ok(out)
    }
}
