//! The nearest texts of a question by pgvector, and what they are found with.
//!
//! `half_vector` has the vectors as pgvector's `halfvec`. `index` fills it and makes an HNSW index for each model,
//! `search` finds rows by it or by comparing all, and orders what it found by the vectors as they are stored. `certify`
//! measures how much the index finds.

mod certify;
mod index;
mod search;

use super::SharedDatabase;
use crate::store::sql::{RunSql, SqlRow, values};
use crate::store::{
    IndexModel, ItemFilter, KeepNearest, MemoryView, NearText, NearestCertificate, NearestIndex, NearestSearch,
    ReadNearest, StoreError,
};

/// How many components an index takes.
const INDEXED_DIMS: usize = 4000;

impl SharedDatabase {
    /// The schema of pgvector, as SQL names it. It is not in the search path: nothing of others is.
    fn extension(&self) -> Result<&str, StoreError> {
        if self.extension.get().is_none() {
            let sql = "SELECT quote_ident(nspname) FROM pg_extension
                JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'";
            let found = self.first(sql, &[], |row| SqlRow::get(row, 0))?;
            let schema: String = found.ok_or_else(|| StoreError::NoExtension {
                name: self.name().to_owned(),
                why: "it was dropped".to_owned(),
            })?;
            drop(self.extension.set(schema));
        }
        Ok(self.extension.get().map_or("public", String::as_str))
    }

    /// The inner product of `half` and the next value with its sign turned: by the index of a model, or by none.
    fn distance(&self, model: &IndexModel, by_index: bool) -> Result<String, StoreError> {
        let schema = self.extension()?;
        let half = if by_index { indexed(schema, model) } else { "half".to_owned() };
        Ok(format!("{half} OPERATOR({schema}.<#>) CAST(? AS {schema}.halfvec)"))
    }
}

/// What an index is made of; an expression of the same form is found by it.
fn indexed(schema: &str, model: &IndexModel) -> String {
    format!("CAST(half AS {schema}.halfvec({}))", model.dims)
}

impl ReadNearest for SharedDatabase {
    fn nearest(
        &self,
        model: &IndexModel,
        vector: &[f32],
        most: usize,
        among: Option<(&ItemFilter, Option<&MemoryView>)>,
        how: NearestSearch,
    ) -> Result<Vec<NearText>, StoreError> {
        search::nearest(self, search::Question::new(model, vector, most), among, how)
    }

    fn searchable_vectors(&self, model: &IndexModel) -> Result<usize, StoreError> {
        self.counted("SELECT count(*) FROM half_vector WHERE model_id = ?1", &values![model.id])
    }

    fn about_vectors(&self) -> Result<Option<usize>, StoreError> {
        let sql = "SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = CAST('kenning.half_vector' AS regclass)";
        // It is -1 until the table was first looked at.
        self.one(sql, &[], |row| Ok(usize::try_from(row.integer(0)?).ok()))
    }

    fn nearest_index(&self, model: &IndexModel) -> Result<NearestIndex, StoreError> {
        index::state(self, model)
    }

    fn nearest_certificate(&self, model: &IndexModel) -> Result<Option<NearestCertificate>, StoreError> {
        certify::stored(self, model)
    }
}

impl KeepNearest for SharedDatabase {
    fn index_vectors(&self, model: &IndexModel, at_most: usize) -> Result<usize, StoreError> {
        index::fill(self, model, at_most)
    }

    fn ensure_nearest_index(&self, model: &IndexModel) -> Result<NearestIndex, StoreError> {
        index::ensure(self, model)
    }

    fn certify(&self, model: &IndexModel, target_recall: f64) -> Result<NearestCertificate, StoreError> {
        certify::certify(self, model, target_recall)
    }
}
