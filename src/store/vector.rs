//! Vectors by text hash and model, and which model the index is made with.

use super::StoreError;
use super::database::{Batch, Database};
use crate::text::{TextHash, text_hash};
use crate::types::{Fingerprint, passage};

const ACTIVE: &str = "active_model";
const SWITCHED_FROM: &str = "switched_from";
const SWITCHED_TO: &str = "switched_to";

/// A model that vectors were made with.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexModel {
    /// Row id.
    pub id: i64,
    /// What identifies it.
    pub fingerprint: Fingerprint,
    /// Components of a vector.
    pub dims: usize,
}

impl IndexModel {
    /// The model's name: the fingerprint without its digest.
    pub fn name(&self) -> &str {
        self.fingerprint.name()
    }
}

/// Vectors of a model, row by row.
#[derive(Debug, Default)]
pub struct VectorRows {
    /// Which text each row is of.
    pub hashes: Vec<TextHash>,
    /// `dims` components a row.
    pub data: Vec<f32>,
}

impl VectorRows {
    /// Adds a row that has a text's hash and the bytes of its vector, unless there are none or too few.
    pub(super) fn push(&mut self, row: &rusqlite::Row<'_>, dims: usize) -> rusqlite::Result<()> {
        let data = row.get_ref(1)?.as_blob().unwrap_or_default();
        if data.len() == dims * 4 {
            self.hashes.push(row.get(0)?);
            self.data.extend(data.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        }
        Ok(())
    }
}

impl Database {
    /// The model that the index is made with; none while it holds no vectors.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn index_model(&self) -> Result<Option<IndexModel>, StoreError> {
        match self.meta(ACTIVE)? {
            Some(fingerprint) => self.model(&Fingerprint::stored(fingerprint)),
            None => Ok(None),
        }
    }

    /// What is known of a model.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn model(&self, fingerprint: &Fingerprint) -> Result<Option<IndexModel>, StoreError> {
        let get = || -> rusqlite::Result<Option<IndexModel>> {
            let mut statement = self.connection.prepare_cached("SELECT id, dims FROM model WHERE fingerprint = ?1")?;
            let mut rows = statement.query([fingerprint.as_str()])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            let dims = row.get::<_, i64>(1)?.max(0) as usize;
            Ok(Some(IndexModel { id: row.get(0)?, fingerprint: fingerprint.clone(), dims }))
        };
        self.sql(get())
    }

    /// A change of the model that is complete here and not yet in the configuration: from which name to which.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn pending_switch(&self) -> Result<Option<(String, String)>, StoreError> {
        Ok(self.meta(SWITCHED_FROM)?.zip(self.meta(SWITCHED_TO)?))
    }

    /// The texts that have a vector of a model, each once. One of the wrong length, which only damage leaves, is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn vector_texts(&self, model: &IndexModel) -> Result<Vec<TextHash>, StoreError> {
        let all = || -> rusqlite::Result<Vec<TextHash>> {
            let sql = "SELECT text_hash FROM vector NOT INDEXED WHERE model_id = ?1 AND length(data) = ?2";
            let mut statement = self.connection.prepare(sql)?;
            statement.query_map((model.id, (model.dims * 4) as i64), |row| row.get(0))?.collect()
        };
        self.sql(all())
    }

    /// Gives every vector of a model, one after another; one of the wrong length is left out.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses, or what `each` fails with.
    pub fn each_vector<E: From<StoreError>>(
        &self,
        model: &IndexModel,
        mut each: impl FnMut(&TextHash, &[f32]) -> Result<(), E>,
    ) -> Result<(), E> {
        // In the order of the rows: one pass over the file.
        let sql = "SELECT text_hash, data FROM vector NOT INDEXED WHERE model_id = ?1";
        let mut statement = self.sql(self.connection.prepare(sql))?;
        let mut rows = self.sql(statement.query([model.id]))?;
        let mut one = VectorRows::default();
        while let Some(row) = self.sql(rows.next())? {
            one.hashes.clear();
            one.data.clear();
            self.sql(one.push(row, model.dims))?;
            if let Some(hash) = one.hashes.first() {
                each(hash, &one.data)?;
            }
        }
        Ok(())
    }

    /// Which texts each active item has, by row id.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn embeddings(&self) -> Result<Vec<(i64, TextHash)>, StoreError> {
        let all = || -> rusqlite::Result<Vec<(i64, TextHash)>> {
            let mut statement = self.connection.prepare("SELECT item_id, text_hash FROM embedding")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        self.sql(all())
    }

    /// How many texts the items have.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn embedded_texts(&self) -> Result<usize, StoreError> {
        let count = self.connection.query_row("SELECT count(*) FROM embedding", [], |row| row.get::<_, i64>(0));
        Ok(self.sql(count)?.max(0) as usize)
    }

    /// Whether a text has a vector of a model.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn has_vector(&self, model: &IndexModel, text: &TextHash) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM vector WHERE model_id = ?1 AND text_hash = ?2";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut s| s.exists((model.id, text))))
    }

    /// How many texts have no vector of a model (`None`: of no model).
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn texts_without_vector(&self, model: Option<&IndexModel>) -> Result<usize, StoreError> {
        let sql = "SELECT count(DISTINCT e.text_hash) FROM embedding e
            LEFT JOIN vector v ON v.model_id = ?1 AND v.text_hash = e.text_hash WHERE v.id IS NULL";
        let count = self.connection.query_row(sql, [model.map_or(-1, |m| m.id)], |row| row.get::<_, i64>(0));
        Ok(self.sql(count)?.max(0) as usize)
    }

    /// Up to `most` texts that have no vector of a model.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn unembedded(&self, model: Option<&IndexModel>, most: usize) -> Result<Vec<(TextHash, String)>, StoreError> {
        let all = || -> rusqlite::Result<Vec<(TextHash, String)>> {
            let mut statement = self.connection.prepare_cached(
                "SELECT e.text_hash, i.title, i.body, i.attributes FROM embedding e
                 JOIN item i ON i.id = e.item_id
                 LEFT JOIN vector v ON v.model_id = ?1 AND v.text_hash = e.text_hash
                 WHERE v.id IS NULL GROUP BY e.text_hash LIMIT ?2",
            )?;
            let read = |row: &rusqlite::Row<'_>| {
                let (title, body): (String, String) = (row.get(1)?, row.get(2)?);
                let attributes = serde_json::from_str(&row.get::<_, String>(3)?).unwrap_or_default();
                Ok((row.get(0)?, passage(&title, &body, &attributes)))
            };
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            statement.query_map((model.map_or(-1, |m| m.id), most), read)?.collect()
        };
        let found: Vec<(TextHash, String)> = self.sql(all())?;
        // A text that is not what its hash says would get a vector under the wrong name; only damage leaves one.
        Ok(found.into_iter().filter(|(hash, text)| text_hash(text) == *hash).collect())
    }
}

impl Batch<'_> {
    /// The model's row, made if it is new.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_model(&self, fingerprint: &Fingerprint, dims: usize) -> Result<IndexModel, StoreError> {
        let name = fingerprint.as_str();
        self.execute("INSERT OR IGNORE INTO model (fingerprint, dims) VALUES (?1, ?2)", (name, dims as i64))?;
        let id = self.transaction.query_row("SELECT id FROM model WHERE fingerprint = ?1", [name], |row| row.get(0));
        Ok(IndexModel { id: self.sql(id)?, fingerprint: fingerprint.clone(), dims })
    }

    /// Makes this the model of the index. `from` is the name that the configuration still has, if it is another.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn use_model(&self, fingerprint: &Fingerprint, from: Option<&str>) -> Result<(), StoreError> {
        self.set_meta(ACTIVE, Some(fingerprint.as_str()))?;
        self.set_meta(SWITCHED_FROM, from)?;
        self.set_meta(SWITCHED_TO, from.map(|_| fingerprint.name()))
    }

    /// The configuration has followed the index.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn end_switch(&self) -> Result<(), StoreError> {
        self.set_meta(SWITCHED_FROM, None)?;
        self.set_meta(SWITCHED_TO, None)
    }

    /// Adds vectors; one that is there stays.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_vectors<'v>(
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
}
