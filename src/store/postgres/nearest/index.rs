//! Fills the table of vectors that can be compared, and makes an index for each model.

use super::super::SharedDatabase;
use super::super::link::Link;
use super::super::locks::release_all;
use super::super::row::Failure;
use super::super::row::refused;
use super::{INDEXED_DIMS, indexed};
use crate::store::sql::{RunSql, SqlRow, SqlValue, floats, half_vector, values};
use crate::store::{IndexModel, NearestIndex, ReadNearest, ReadVectors, StoreError, WriteBatch};
use crate::text::TextHash;
use std::time::Duration;
use tokio_postgres::error::SqlState;

/// Fewer vectors are compared one by one in a few milliseconds.
const LEAST_INDEXED: usize = 5000;
/// Fewer than this about are not counted.
const FEW: usize = 1000;
/// The advisory lock of whoever makes indexes: `kenn` in ASCII.
const MAKER: i64 = 0x6b65_6e6e;
/// How long a batch of vectors may wait for a row that somebody else changes.
const WAIT: Duration = Duration::from_secs(30);
/// What names of indexes begin with; the number of the model follows.
const INDEX: &str = "half_vector_hnsw_";
/// Links of a row, and candidates while one is added: more of either finds more and takes longer to make.
const HNSW: &str = "m = 16, ef_construction = 100";

/// Makes vectors searchable that are not.
pub(super) fn fill(database: &SharedDatabase, model: &IndexModel, at_most: usize) -> Result<usize, StoreError> {
    let (of, seen) = database.searchable.get();
    let behind = if of == model.id { seen } else { 0 };
    // Behind those that were seen: one pass over the vectors, however many calls it takes.
    let lacking = "SELECT vector.id, vector.text_hash, vector.data FROM vector
        WHERE vector.model_id = ?1 AND vector.id > ?2 AND length(vector.data) = ?3 AND NOT EXISTS
            (SELECT 1 FROM half_vector AS half
                WHERE half.model_id = vector.model_id AND half.text_hash = vector.text_hash)
        ORDER BY vector.id LIMIT ?4";
    let batch = database.begin_quickly(WAIT)?;
    let values = [model.id.into(), behind.into(), ((model.dims * 4) as i64).into(), SqlValue::most(at_most)];
    let rows: Vec<(i64, TextHash, Vec<u8>)> = batch.rows(lacking, &values, |row| {
        let vector: Vec<f32> = floats(row.bytes(2)?).collect();
        Ok((SqlRow::get(row, 0)?, SqlRow::get(row, 1)?, half_vector(&vector)))
    })?;
    let last = rows.last().map(|(id, ..)| *id);
    let filled = rows.len();
    let rows = rows.into_iter().map(|(_, hash, half)| values![model.id, hash, half]);
    // Others may fill the same rows, or remove one, which takes its copy along.
    batch.insert_all("half_vector (model_id, text_hash, half)", rows, "ON CONFLICT DO NOTHING")?;
    batch.commit()?;
    // After the last rows the next call starts at the first again, because a copied vector may have any number.
    database.searchable.set((model.id, last.unwrap_or(0)));
    Ok(filled)
}

/// What there is of the index of a model.
pub(super) fn state(database: &SharedDatabase, model: &IndexModel) -> Result<NearestIndex, StoreError> {
    if model.dims > INDEXED_DIMS {
        return Ok(NearestIndex::TooLong);
    }
    if indexes(database)?.contains(&(name_of(model), true)) {
        return Ok(NearestIndex::Ready);
    }
    // The server's estimate may be old, but we assume that it is wrong by less than five times. So an estimate below
    // `FEW` is trusted. Otherwise the vectors are counted. That is slow, but stops once there is an index.
    let are_few = database.about_vectors()?.is_some_and(|about| about < FEW);
    if are_few || database.searchable_vectors(model)? < LEAST_INDEXED {
        return Ok(NearestIndex::Small);
    }
    if !is_ours(database)? {
        return Ok(NearestIndex::NotOwner);
    }
    let is_made = format!(
        "SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
         WHERE datname = current_database() AND locktype = 'advisory' AND objsubid = 1 AND granted
            AND CAST(classid AS bigint) = {} AND CAST(objid AS bigint) = {}",
        MAKER >> 32,
        MAKER & 0xffff_ffff
    );
    Ok(if database.exists(&is_made, &[])? { NearestIndex::BeingMade } else { NearestIndex::Missing })
}

/// Whether the user owns the table, and so may make its indexes and drop them.
fn is_ours(database: &SharedDatabase) -> Result<bool, StoreError> {
    let sql = "SELECT FROM pg_class
        WHERE oid = CAST('kenning.half_vector' AS regclass) AND pg_has_role(relowner, 'USAGE')";
    database.exists(sql, &[])
}

fn name_of(model: &IndexModel) -> String {
    format!("{INDEX}{}", model.id)
}

/// Makes the index of a model, and drops those that nobody uses.
pub(super) fn ensure(database: &SharedDatabase, model: &IndexModel) -> Result<NearestIndex, StoreError> {
    let wanted = name_of(model);
    let before = state(database, model)?;
    if matches!(before, NearestIndex::BeingMade | NearestIndex::NotOwner) {
        return Ok(before);
    }
    let needs_one = before == NearestIndex::Missing;
    let mut used = vec![wanted.clone()];
    used.extend(database.index_model()?.map(|active| name_of(&active)));
    let is_odd = |(name, is_valid): &(String, bool)| !is_valid || !used.contains(name);
    if needs_one || indexes(database)?.iter().any(is_odd) && is_ours(database)? {
        let count = database.searchable_vectors(model)?;
        let schema = database.extension()?.to_owned();
        let (mut link, name) = Link::new(&database.address, &database.access)?;
        // Nobody waits for this lock: `CREATE INDEX CONCURRENTLY` waits for all statements, also for one that waits for
        // it.
        let taken = link.client.query_one("SELECT pg_try_advisory_lock($1)", &[&MAKER]);
        if !taken.and_then(|row| row.try_get::<_, bool>(0)).map_err(refused(&name))? {
            return Ok(NearestIndex::BeingMade);
        }
        let made = make(&mut link, database, &Making { model, schema, wanted, used, count, needs_one });
        release_all(&mut link.client);
        made.map_err(|failure| failure.of(&name))?;
    }
    Ok(if needs_one { NearestIndex::Ready } else { before })
}

/// The names of our indexes, and whether each is whole.
fn indexes(database: &SharedDatabase) -> Result<Vec<(String, bool)>, StoreError> {
    let sql = format!(
        "SELECT CAST(relname AS text), indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
         WHERE indrelid = CAST('kenning.half_vector' AS regclass) AND starts_with(relname, '{INDEX}')"
    );
    database.rows(&sql, &[], |row| Ok((SqlRow::get(row, 0)?, SqlRow::get(row, 1)?)))
}

/// What is to be made.
struct Making<'m> {
    model: &'m IndexModel,
    schema: String,
    wanted: String,
    /// Indexes that are used.
    used: Vec<String>,
    count: usize,
    needs_one: bool,
}

/// Makes and drops on a connection of its own, whose settings and lock go with it.
fn make(link: &mut Link, database: &SharedDatabase, making: &Making<'_>) -> Result<(), Failure> {
    // It waits for those who read an older state, but not for ever.
    link.batch("SET statement_timeout = 0; SET lock_timeout = '60s'")?;
    link.client.set_unhurried(true);
    // Another process may have made or dropped some meanwhile; one that was stopped left an index that is not whole.
    let found = indexes(database).map_err(|error| Failure::Odd(error.to_string()))?;
    for (name, is_valid) in &found {
        if !is_valid || !making.used.contains(name) {
            link.batch(&format!("DROP INDEX CONCURRENTLY IF EXISTS kenning.{name}"))?;
        }
    }
    let is_there = found.iter().any(|(name, is_valid)| *is_valid && *name == making.wanted);
    if is_there || !making.needs_one {
        return Ok(());
    }
    link.batch(&memory(making))?;
    let create = format!(
        "CREATE INDEX CONCURRENTLY {} ON kenning.half_vector
         USING hnsw (({}) {}.halfvec_ip_ops) WITH ({HNSW}) WHERE model_id = {}",
        making.wanted,
        indexed(&making.schema, making.model),
        making.schema,
        making.model.id
    );
    if let Err(failure) = link.batch(&create) {
        if !is_short_of_shared_memory(&failure) {
            return Err(failure);
        }
        // Workers share their memory in a file system that containers are often given too little of.
        link.batch(&format!("DROP INDEX CONCURRENTLY IF EXISTS kenning.{}", making.wanted))?;
        link.batch("SET max_parallel_maintenance_workers = 0")?;
        link.batch(&create)?;
    }
    link.batch("ANALYZE kenning.half_vector")
}

/// Gives the build the memory that its graph needs, but at most half of `effective_cache_size`.
fn memory(making: &Making<'_>) -> String {
    let row_bytes = making.model.dims * 2 + 1024;
    let wanted_kb = making.count.saturating_mul(row_bytes) / 1024 * 5 / 4;
    format!(
        "SELECT set_config('maintenance_work_mem', CAST(greatest(
                pg_size_bytes(current_setting('maintenance_work_mem')) / 1024,
                least({wanted_kb}, pg_size_bytes(current_setting('effective_cache_size')) / 2048)) AS text), false),
            set_config('max_parallel_maintenance_workers', CAST(greatest(
                CAST(current_setting('max_parallel_maintenance_workers') AS int),
                least(CAST(current_setting('max_parallel_workers') AS int) / 2, 4)) AS text), false)"
    )
}

fn is_short_of_shared_memory(failure: &Failure) -> bool {
    let code = match failure {
        Failure::Said(error) => error.code(),
        Failure::Odd(_) | Failure::Silent => None,
    };
    code.is_some_and(|code| *code == SqlState::DISK_FULL || *code == SqlState::OUT_OF_MEMORY)
}
