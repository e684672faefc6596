//! How much a search by the index finds, measured with stored vectors as questions.

use super::super::SharedDatabase;
use crate::store::sql::{RunSql, SqlRow, WriteSql, floats, values};
use crate::store::{IndexModel, NearText, NearestCertificate, NearestSearch, ReadNearest, StoreError, WriteBatch};
use crate::text::TextHash;
use std::collections::HashSet;

/// How many questions are asked.
const QUESTIONS: u8 = 64;
/// How many of the nearest items are looked for.
const NEAREST: [usize; 2] = [10, 100];
/// What is tried, one after another, until enough is found.
const OVER_FETCHES: [usize; 7] = [1, 2, 3, 4, 6, 8, 10];

/// What is found in `meta` by this key.
fn key(model: &IndexModel) -> String {
    format!("nearest_certificate {}", model.fingerprint.as_str())
}

/// The certificate of a model; none if it is one of another version of ken.
pub(super) fn stored(database: &SharedDatabase, model: &IndexModel) -> Result<Option<NearestCertificate>, StoreError> {
    Ok(database.meta(&key(model))?.and_then(|json| serde_json::from_str(&json).ok()))
}

/// Measures and stores.
pub(super) fn certify(
    database: &SharedDatabase,
    model: &IndexModel,
    target: f64,
) -> Result<NearestCertificate, StoreError> {
    // Each question is of its own moment: a snapshot that is held so long would keep others from making an index.
    let certificate = measure(database, model, target)?;
    let batch = database.begin_behind_others()?;
    let json = serde_json::to_value(&certificate).unwrap_or_default().to_string();
    batch.set_meta(&key(model), Some(&json))?;
    batch.commit()?;
    Ok(certificate)
}

fn measure(database: &SharedDatabase, model: &IndexModel, target: f64) -> Result<NearestCertificate, StoreError> {
    let questions = questions(database, model)?;
    let [_, most] = NEAREST;
    let exact: Result<Vec<Vec<NearText>>, StoreError> =
        questions.iter().map(|(_, vector)| database.nearest(model, vector, most, None, NearestSearch::Exact)).collect();
    let exact = exact?;
    let mut certificate = NearestCertificate {
        recall: 0.0,
        target,
        queries: questions.len(),
        over_fetch: 1,
        vectors: database.searchable_vectors(model)?,
    };
    for over_fetch in OVER_FETCHES {
        let mut recall = 1.0_f64;
        for most in NEAREST {
            let (mut found, mut wanted) = (0, 0);
            for ((own, vector), exact) in questions.iter().zip(&exact) {
                let search = NearestSearch::Approximate { over_fetch };
                let near: HashSet<i64> =
                    items(&database.nearest(model, vector, most, None, search)?, own, most).collect();
                let exact: Vec<i64> = items(exact, own, most).collect();
                found += exact.iter().filter(|item| near.contains(item)).count();
                wanted += exact.len();
            }
            if wanted > 0 {
                // Four digits, rounded down: it is read back as it was.
                recall = recall.min((found as f64 / wanted as f64 * 1e4).floor() / 1e4);
            }
        }
        (certificate.recall, certificate.over_fetch) = (recall, over_fetch);
        if recall >= target {
            break;
        }
    }
    Ok(certificate)
}

/// The first items that have other texts than the question's own, which is always found.
fn items<'t>(texts: &'t [NearText], own: &'t TextHash, most: usize) -> impl Iterator<Item = i64> + 't {
    let mut seen = HashSet::new();
    let texts = texts.iter().filter(move |text| text.hash != *own && seen.insert(text.item));
    texts.map(|text| text.item).take(most.saturating_sub(1))
}

/// Stored vectors, spread over all: hashes are drawn as if at random.
fn questions(database: &SharedDatabase, model: &IndexModel) -> Result<Vec<(TextHash, Vec<f32>)>, StoreError> {
    let sql = "SELECT half.text_hash, vector.data FROM half_vector AS half
        JOIN vector ON vector.model_id = half.model_id AND vector.text_hash = half.text_hash
        WHERE half.model_id = ?1 AND half.text_hash >= ?2 AND length(vector.data) = ?3
            AND EXISTS (SELECT 1 FROM embedding WHERE embedding.text_hash = half.text_hash)
        ORDER BY half.text_hash LIMIT 1";
    let mut questions: Vec<(TextHash, Vec<f32>)> = Vec::new();
    for at in 0..QUESTIONS {
        let mut start: TextHash = [0; 16];
        start[0] = at * (u8::MAX / QUESTIONS + 1);
        let values = values![model.id, start, (model.dims * 4) as i64];
        let found = database.first(sql, &values, |row| Ok((SqlRow::get(row, 0)?, floats(row.bytes(1)?).collect())))?;
        questions.extend(found);
    }
    questions.dedup_by(|one, other| one.0 == other.0);
    Ok(questions)
}
