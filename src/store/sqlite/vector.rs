//! Vectors by text hash and model, and which model the index is made with.

use super::StoreError;
use super::database::{Batch, Database};
use super::value::{count, json, within};
use crate::screen::shown_text;
use crate::store::passages::passages;
use crate::store::{IndexModel, ItemVectors, ReadVectors, VectorRows, WriteVectors};
use crate::text::{TextHash, text_hash};
use crate::types::Fingerprint;
use rusqlite::Row;
use std::ops::ControlFlow;

pub(super) const ACTIVE: &str = "active_model";
pub(super) const SWITCHED_FROM: &str = "switched_from";
pub(super) const SWITCHED_TO: &str = "switched_to";

/// Adds the row of a text's hash and the bytes of its vector, unless there are none or too few.
fn push(rows: &mut VectorRows, row: &Row<'_>, dims: usize) -> rusqlite::Result<()> {
    let data = row.get_ref(1)?.as_blob().unwrap_or_default();
    if data.len() == dims * 4 {
        rows.hashes.push(row.get(0)?);
        rows.data.extend(data.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    }
    Ok(())
}

impl ReadVectors for Database {
    fn index_model(&self) -> Result<Option<IndexModel>, StoreError> {
        match self.meta(ACTIVE)? {
            Some(fingerprint) => self.model(&Fingerprint::stored(fingerprint)),
            None => Ok(None),
        }
    }

    fn model(&self, fingerprint: &Fingerprint) -> Result<Option<IndexModel>, StoreError> {
        let get = || -> rusqlite::Result<Option<IndexModel>> {
            let mut statement = self.connection.prepare_cached("SELECT id, dims FROM model WHERE fingerprint = ?1")?;
            let mut rows = statement.query([fingerprint.as_str()])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            let dims = count(row, 1).map_err(within(&format!("model {}", shown_text(fingerprint.as_str()))))?;
            Ok(Some(IndexModel { id: row.get(0)?, fingerprint: fingerprint.clone(), dims }))
        };
        self.sql(get())
    }

    fn pending_switch(&self) -> Result<Option<(String, String)>, StoreError> {
        Ok(self.meta(SWITCHED_FROM)?.zip(self.meta(SWITCHED_TO)?))
    }

    fn vector_texts(&self, model: &IndexModel) -> Result<Vec<TextHash>, StoreError> {
        let all = || -> rusqlite::Result<Vec<TextHash>> {
            let sql = "SELECT text_hash FROM vector NOT INDEXED WHERE model_id = ?1 AND length(data) = ?2";
            let mut statement = self.connection.prepare(sql)?;
            statement.query_map((model.id, (model.dims * 4) as i64), |row| row.get(0))?.collect()
        };
        self.sql(all())
    }

    fn visit_vectors(
        &self,
        model: &IndexModel,
        visit: &mut dyn FnMut(&TextHash, &[f32]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut all = || -> rusqlite::Result<()> {
            // In the order of the rows: one pass over the file.
            let sql = "SELECT text_hash, data FROM vector NOT INDEXED WHERE model_id = ?1";
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query([model.id])?;
            let mut one = VectorRows::default();
            while let Some(row) = rows.next()? {
                one.hashes.clear();
                one.data.clear();
                push(&mut one, row, model.dims)?;
                if one.hashes.first().is_some_and(|hash| visit(hash, &one.data).is_break()) {
                    break;
                }
            }
            Ok(())
        };
        self.sql(all())
    }

    fn embeddings(&self) -> Result<Vec<(i64, u32, TextHash)>, StoreError> {
        let all = || -> rusqlite::Result<Vec<(i64, u32, TextHash)>> {
            let mut statement = self.connection.prepare("SELECT item_id, part, text_hash FROM embedding")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        };
        self.sql(all())
    }

    fn embedded_texts(&self) -> Result<usize, StoreError> {
        self.sql(self.connection.query_row("SELECT count(*) FROM embedding", [], |row| count(row, 0)))
    }

    fn has_vector(&self, model: &IndexModel, text: &TextHash) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM vector WHERE model_id = ?1 AND text_hash = ?2";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut s| s.exists((model.id, text))))
    }

    fn texts_without_vector(&self, model: Option<&IndexModel>) -> Result<usize, StoreError> {
        let sql = "SELECT count(DISTINCT e.text_hash) FROM embedding e
            LEFT JOIN vector v ON v.model_id = ?1 AND v.text_hash = e.text_hash WHERE v.id IS NULL";
        self.sql(self.connection.query_row(sql, [model.map_or(-1, |m| m.id)], |row| count(row, 0)))
    }

    fn unembedded(&self, model: Option<&IndexModel>, most: usize) -> Result<Vec<(TextHash, String)>, StoreError> {
        let all = || -> rusqlite::Result<Vec<(TextHash, String)>> {
            let mut statement = self.connection.prepare_cached(
                "SELECT e.text_hash, i.title, i.body, i.attributes, i.uid FROM embedding e
                 JOIN item i ON i.id = e.item_id
                 LEFT JOIN vector v ON v.model_id = ?1 AND v.text_hash = e.text_hash
                 WHERE v.id IS NULL GROUP BY e.text_hash LIMIT ?2",
            )?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let found = statement.query_map((model.map_or(-1, |m| m.id), most), read_passage)?;
            // A text that is not what its hash says would get a vector under the wrong name; only damage leaves one.
            found.filter_map(Result::transpose).collect()
        };
        self.sql(all())
    }

    fn vectors_of(&self, model: &IndexModel, items: &[i64]) -> Result<ItemVectors, StoreError> {
        let all = || -> rusqlite::Result<ItemVectors> {
            let mut out = ItemVectors::default();
            let mut statement = self.connection.prepare_cached(
                "SELECT e.text_hash, v.data, e.part FROM embedding e
                 LEFT JOIN vector v ON v.model_id = ?1 AND v.text_hash = e.text_hash WHERE e.item_id = ?2",
            )?;
            for item in items {
                let mut rows = statement.query((model.id, item))?;
                while let Some(row) = rows.next()? {
                    out.embeddings.push((*item, row.get(2)?, row.get(0)?));
                    push(&mut out.rows, row, model.dims)?;
                }
            }
            Ok(out)
        };
        self.at_once(all)
    }
}

/// The hash and the text of what is embedded of an item; none if it has no text of this hash.
fn read_passage(row: &Row<'_>) -> rusqlite::Result<Option<(TextHash, String)>> {
    let uid: String = row.get(4)?;
    let read = || {
        let hash: TextHash = row.get(0)?;
        let (title, body): (String, String) = (row.get(1)?, row.get(2)?);
        let texts = passages(&title, &body, &json(row, 3)?);
        Ok(texts.into_iter().find(|text| text_hash(text) == hash).map(|text| (hash, text)))
    };
    read().map_err(within(&format!("item {}", shown_text(&uid))))
}

impl WriteVectors for Batch<'_> {
    fn put_model(&self, fingerprint: &Fingerprint, dims: usize) -> Result<IndexModel, StoreError> {
        let name = fingerprint.as_str();
        self.execute("INSERT OR IGNORE INTO model (fingerprint, dims) VALUES (?1, ?2)", (name, dims as i64))?;
        let id = self.transaction.query_row("SELECT id FROM model WHERE fingerprint = ?1", [name], |row| row.get(0));
        Ok(IndexModel { id: self.sql(id)?, fingerprint: fingerprint.clone(), dims })
    }

    fn use_model(&self, fingerprint: &Fingerprint, from: Option<&str>) -> Result<(), StoreError> {
        self.set_meta(ACTIVE, Some(fingerprint.as_str()))?;
        self.set_meta(SWITCHED_FROM, from)?;
        self.set_meta(SWITCHED_TO, from.map(|_| fingerprint.name()))
    }

    fn end_switch(&self) -> Result<(), StoreError> {
        self.set_meta(SWITCHED_FROM, None)?;
        self.set_meta(SWITCHED_TO, None)
    }

    fn put_vectors<'v>(
        &self,
        model: &IndexModel,
        vectors: impl IntoIterator<Item = (TextHash, &'v [f32])>,
    ) -> Result<(), StoreError> {
        for (hash, vector) in vectors {
            debug_assert_eq!(vector.len(), model.dims);
            let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
            self.execute(
                "INSERT OR IGNORE INTO vector (model_id, text_hash, data) VALUES (?1, ?2, ?3)",
                (model.id, hash, bytes),
            )?;
        }
        Ok(())
    }

    fn drop_unused_vectors(&self) -> Result<usize, StoreError> {
        self.execute("DELETE FROM vector WHERE text_hash NOT IN (SELECT text_hash FROM embedding)", [])
    }
}
