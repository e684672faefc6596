//! What there is, counted.

use super::value::count;
use super::{ReadSql, SqlRow, StoreError, values};
use crate::store::{FolderCount, Inventory, ReadVectors, ScopeCount};
use std::collections::BTreeMap;

/// Counts what there is.
pub(super) fn count_all<D: ReadSql>(store: &D) -> Result<Inventory, StoreError> {
    let model = store.index_model()?;
    let id = model.as_ref().map_or(-1, |model| model.id);
    let mut out = Inventory {
        bytes: store.bytes_on_disk()?,
        without_vector: store.texts_without_vector(model.as_ref())?,
        vectors: store.counted("SELECT count(*) FROM vector WHERE model_id = ?1", &values![id])?,
        unused_vectors: store.counted(
            "SELECT count(*) FROM vector WHERE model_id <> ?1
                OR NOT EXISTS (SELECT 1 FROM embedding WHERE embedding.text_hash = vector.text_hash)",
            &values![id],
        )?,
        last_indexed: store.one("SELECT max(indexed_at) FROM source", &[], |row| row.get(0))?,
        ..Inventory::default()
    };
    let mut scopes: BTreeMap<String, ScopeCount> = BTreeMap::new();
    let empty = |scope: &str| ScopeCount { scope: scope.to_owned(), files: 0, items: 0 };
    let items = store.rows(
        "SELECT kind, scope, count(*) FROM item WHERE state = 'active'
            AND id NOT IN (SELECT item_id FROM memory WHERE item_id IS NOT NULL) GROUP BY kind, scope",
        &[],
        |row| Ok((row.text(0)?, row.text(1)?, count(row, 2)?)),
    )?;
    for (kind, scope, items) in items {
        *out.items.entry(kind).or_default() += items;
        scopes.entry(scope.clone()).or_insert_with(|| empty(&scope)).items += items;
    }
    let sql = "SELECT scope, count(*) FROM source GROUP BY scope";
    for (scope, files) in store.rows(sql, &[], |row| Ok((row.text(0)?, count(row, 1)?)))? {
        out.files += files;
        scopes.entry(scope.clone()).or_insert_with(|| empty(&scope)).files += files;
    }
    out.scopes = scopes.into_values().collect();
    // What came with an import was never in a folder here.
    let folders = store.rows(
        "SELECT root, count(*), sum(CASE WHEN path = root THEN 1 ELSE 0 END) FROM source WHERE root <> ''
         GROUP BY root ORDER BY root",
        &[],
        |row| Ok((row.text(0)?, count(row, 1)?, count(row, 2)?)),
    )?;
    for (path, files, named) in folders {
        out.named_files += named;
        if files > named {
            out.folders.push(FolderCount { path, files: files - named });
        }
    }
    Ok(out)
}
