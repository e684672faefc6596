//! Vectors by text hash and model, and which model the index is made with.

use super::value::{count, json, within};
use super::{ByKey, Dialect, Keys, ReadSql, SqlRow, SqlValue, StoreError, WriteSql, half_vector, one_of, values};
use crate::screen::shown_text;
use crate::store::passages::passages;
use crate::store::{IndexModel, ItemVectors, ReadVectors, VectorRows, WriteVectors};
use crate::text::{TextHash, text_hash};
use crate::types::Fingerprint;
use std::ops::ControlFlow;

pub(super) const ACTIVE: &str = "active_model";
/// The model that was the index's before.
const FORMER: &str = "former_model";
pub(super) const SWITCHED_FROM: &str = "switched_from";
pub(super) const SWITCHED_TO: &str = "switched_to";

/// Whether no item has the text of a vector.
const UNUSED: &str = "NOT EXISTS (SELECT 1 FROM embedding WHERE embedding.text_hash = vector.text_hash)";

/// Texts whose vectors are removed in one statement.
const TEXTS: usize = 100;

/// Adds the row of a text's hash and the bytes of its vector, unless there are none or too few.
fn push<R: SqlRow>(rows: &mut VectorRows, row: &R, dims: usize) -> Result<(), R::Error> {
    let data = if row.is_null(1)? { &[] } else { row.bytes(1)? };
    if data.len() == dims * 4 {
        rows.hashes.push(row.get(0)?);
        rows.data.extend(floats(data));
    }
    Ok(())
}

/// The components of a vector as it is stored.
pub fn floats(data: &[u8]) -> impl Iterator<Item = f32> + '_ {
    data.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// The row id of a model; of none, one that no model has.
fn id_of(model: Option<&IndexModel>) -> i64 {
    model.map_or(-1, |model| model.id)
}

impl<D: ReadSql> ReadVectors for D {
    fn index_model(&self) -> Result<Option<IndexModel>, StoreError> {
        match self.meta(ACTIVE)? {
            Some(fingerprint) => self.model(&Fingerprint::stored(fingerprint)),
            None => Ok(None),
        }
    }

    fn former_model(&self) -> Result<Option<IndexModel>, StoreError> {
        match self.meta(FORMER)? {
            Some(fingerprint) => self.model(&Fingerprint::stored(fingerprint)),
            None => Ok(None),
        }
    }

    fn model(&self, fingerprint: &Fingerprint) -> Result<Option<IndexModel>, StoreError> {
        let sql = "SELECT id, dims FROM model WHERE fingerprint = ?1";
        self.first(sql, &values![fingerprint.as_str()], |row| {
            let dims = count(row, 1).map_err(within(&format!("model {}", shown_text(fingerprint.as_str()))))?;
            Ok(IndexModel { id: row.get(0)?, fingerprint: fingerprint.clone(), dims })
        })
    }

    fn pending_switch(&self) -> Result<Option<(String, String)>, StoreError> {
        Ok(self.meta(SWITCHED_FROM)?.zip(self.meta(SWITCHED_TO)?))
    }

    fn vector_texts(&self, model: &IndexModel) -> Result<Vec<TextHash>, StoreError> {
        let table = self.dialect().not_indexed();
        let sql = format!("SELECT text_hash FROM vector {table} WHERE model_id = ?1 AND length(data) = ?2");
        self.rows(&sql, &values![model.id, (model.dims * 4) as i64], |row| row.get(0))
    }

    fn visit_vectors(
        &self,
        model: &IndexModel,
        visit: &mut dyn FnMut(&TextHash, &[f32]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        // In the order of the rows: one pass over the file.
        let (table, id) = (self.dialect().not_indexed(), model.id);
        let sql = format!("SELECT text_hash, data FROM vector {table} WHERE model_id = {id}");
        let mut one = VectorRows::default();
        self.visit(&sql, |row| {
            one.hashes.clear();
            one.data.clear();
            push(&mut one, row, model.dims)?;
            Ok(one.hashes.first().map_or(ControlFlow::Continue(()), |hash| visit(hash, &one.data)))
        })
    }

    fn embeddings(&self) -> Result<Vec<(i64, u32, TextHash)>, StoreError> {
        let sql = "SELECT item_id, part, text_hash FROM embedding";
        self.rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    fn embedded_texts(&self) -> Result<usize, StoreError> {
        self.counted("SELECT count(*) FROM embedding", &[])
    }

    fn has_vector(&self, model: &IndexModel, text: &TextHash) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM vector WHERE model_id = ?1 AND text_hash = ?2", &values![model.id, text])
    }

    fn texts_without_vector(&self, model: Option<&IndexModel>) -> Result<usize, StoreError> {
        let sql = "SELECT count(DISTINCT e.text_hash) FROM embedding e
            LEFT JOIN vector v ON v.model_id = ?1 AND v.text_hash = e.text_hash WHERE v.id IS NULL";
        self.counted(sql, &values![id_of(model)])
    }

    fn unembedded(&self, model: Option<&IndexModel>, most: usize) -> Result<Vec<(TextHash, String)>, StoreError> {
        let sql = "SELECT missing.text_hash, i.title, i.body, i.attributes, i.uid FROM (
                SELECT e.text_hash, min(e.item_id) AS item_id FROM embedding e
                LEFT JOIN vector v ON v.model_id = ?1 AND v.text_hash = e.text_hash
                WHERE v.id IS NULL GROUP BY e.text_hash ORDER BY e.text_hash LIMIT ?2) AS missing
            JOIN item i ON i.id = missing.item_id ORDER BY missing.text_hash";
        let found = self.rows(sql, &[id_of(model).into(), SqlValue::most(most)], |row| read_passage(row))?;
        // A text that is not what its hash says would get a vector under the wrong name; only damage leaves one.
        Ok(found.into_iter().flatten().collect())
    }

    fn vectors_of(&self, model: &IndexModel, items: &[i64]) -> Result<ItemVectors, StoreError> {
        let select = "SELECT e.text_hash, v.data, e.part, e.item_id FROM embedding e
             LEFT JOIN vector v ON v.model_id = ?2 AND v.text_hash = e.text_hash";
        let query = ByKey { select, column: "e.item_id", and: "", order: "e.part" };
        let mut out = ItemVectors::default();
        self.rows_by(query, Keys::Integers(items), &values![model.id], |row| {
            out.embeddings.push((row.get(3)?, row.get(2)?, row.get(0)?));
            push(&mut out.rows, row, model.dims)
        })?;
        Ok(out)
    }
}

/// The hash and the text of what is embedded of an item; none if it has no text of this hash.
fn read_passage<R: SqlRow>(row: &R) -> Result<Option<(TextHash, String)>, R::Error> {
    let uid = row.text(4)?;
    let read = || {
        let hash: TextHash = row.get(0)?;
        let texts = passages(&row.text(1)?, &row.text(2)?, &json(row, 3)?);
        Ok(texts.into_iter().find(|text| text_hash(text) == hash).map(|text| (hash, text)))
    };
    read().map_err(within(&format!("item {}", shown_text(&uid))))
}

impl<C: WriteSql> WriteVectors for C {
    fn put_model(&self, fingerprint: &Fingerprint, dims: usize) -> Result<IndexModel, StoreError> {
        let name = fingerprint.as_str();
        let sql = "INSERT INTO model (fingerprint, dims) VALUES (?1, ?2) ON CONFLICT (fingerprint) DO NOTHING";
        self.execute(sql, &values![name, dims as i64])?;
        let id = self.one("SELECT id FROM model WHERE fingerprint = ?1", &values![name], |row| row.get(0))?;
        Ok(IndexModel { id, fingerprint: fingerprint.clone(), dims })
    }

    fn use_model(&self, fingerprint: &Fingerprint, from: Option<&str>) -> Result<(), StoreError> {
        let before = self.meta(ACTIVE)?.filter(|before| before != fingerprint.as_str());
        if before.is_some() {
            self.set_meta(FORMER, before.as_deref())?;
        }
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
        let vectors: Vec<(TextHash, &[f32])> = vectors.into_iter().collect();
        let rows = vectors.iter().map(|(hash, vector)| {
            debug_assert_eq!(vector.len(), model.dims);
            let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
            values![model.id, hash, bytes]
        });
        // No columns are named: whoever may not see the row that is there could not add theirs otherwise.
        let conflict = "ON CONFLICT DO NOTHING";
        self.insert_all("vector (model_id, text_hash, data)", rows, conflict)?;
        if self.dialect() == Dialect::Sqlite {
            return Ok(());
        }
        let rows = vectors.iter().map(|(hash, vector)| values![model.id, hash, half_vector(vector)]);
        self.insert_all("half_vector (model_id, text_hash, half)", rows, conflict)
    }

    fn texts_of_items(&self, items: &[i64]) -> Result<Vec<TextHash>, StoreError> {
        let select = "SELECT text_hash FROM embedding";
        let query = ByKey { select, column: "item_id", and: "", order: "" };
        self.rows_by(query, Keys::Integers(items), &[], |row| row.get(0))
    }

    fn drop_vectors_of(&self, texts: &[TextHash]) -> Result<usize, StoreError> {
        let mut texts = texts.to_vec();
        texts.sort_unstable();
        texts.dedup();
        let mut dropped = 0;
        for some in texts.chunks(TEXTS) {
            // One or all that fit, so that two statements are prepared and not one for each number of texts.
            let many = if some.len() == 1 { 1 } else { TEXTS };
            let values: Vec<SqlValue<'_>> =
                some.iter().chain(std::iter::repeat(&some[0])).take(many).map(SqlValue::from).collect();
            let sql = format!(
                "DELETE FROM vector WHERE model_id IN (SELECT id FROM model) AND {} AND {UNUSED}",
                one_of("text_hash", many)
            );
            // Items of all scopes may have the text, and a vector that none has is in no scope.
            dropped += self.of_all_scopes(|| self.execute(&sql, &values))?;
        }
        Ok(dropped)
    }

    fn drop_unused_vectors(&self) -> Result<usize, StoreError> {
        self.unhurried()?;
        // A vector that no item has is in no scope.
        self.of_all_scopes(|| self.execute(&format!("DELETE FROM vector WHERE {UNUSED}"), &[]))
    }
}
