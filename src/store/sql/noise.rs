//! How much noise the texts answer with, as JSON in `meta`.

use super::{ReadSql, StoreError, WriteSql};
use crate::store::{ReadNoise, WriteNoise};
use crate::types::CorpusNoise;

/// Its key in `meta`.
const NOISE: &str = "noise";

impl<D: ReadSql> ReadNoise for D {
    fn noise(&self) -> Result<Option<CorpusNoise>, StoreError> {
        Ok(self.meta(NOISE)?.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

impl<C: WriteSql> WriteNoise for C {
    fn put_noise(&self, noise: Option<&CorpusNoise>) -> Result<(), StoreError> {
        let text = noise.and_then(|noise| serde_json::to_value(noise).ok()).map(|value| value.to_string());
        self.set_meta(NOISE, text.as_deref())
    }
}
