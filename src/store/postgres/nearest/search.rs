//! A search: rows by their distance as pgvector has it, then by the vectors as they are stored.
//!
//! Without a filter the nearest rows of `half_vector` are taken first and their items joined after. With a filter that
//! few items pass, those are looked up first and all of their vectors compared, which finds everything. With any other
//! filter, the first candidates of the index are enough if many of them pass. If not, the index is read on until enough
//! of its rows pass. If it ends before, or was read as far as it may be, all vectors are compared.

use super::super::SharedDatabase;
use super::super::link::given;
use crate::store::sql::{Dialect, ReadSql, RunSql, SqlRow, SqlValue, floats, half_vector, one_of, passing};
use crate::store::{IndexModel, ItemFilter, MemoryView, NearText, NearestSearch, StoreError};
use crate::text::TextHash;
use crate::vector::dot;
use std::collections::HashSet;
use tokio_postgres::types::ToSql;

/// The least number of rows that the index is asked for. With fewer, HNSW misses too many.
const LEAST_CANDIDATES: usize = 80;
/// If at least this many of the first candidates pass the filter, the index is not read further.
const LEAST_PASSING: usize = 20;
/// The most candidates that HNSW can keep (the limit of `hnsw.ef_search`).
const MOST_CANDIDATES: usize = 1000;
/// Rows of the index that are read at most for one question with a filter.
const SCANNED: usize = 20_000;
/// Factor on the number of candidates that would be enough on average, so that usually enough pass the filter.
const READ_AHEAD: f64 = 1.5;
/// Reading one row by the index costs as much as comparing this many vectors one by one.
const ROW_COST: f64 = 5.0;
/// How far the inner product of two unit vectors is off at most when their components are rounded to 16 bits.
const HALF_ERROR: f64 = 0.001;

/// What is asked for.
pub(super) struct Question<'q> {
    model: &'q IndexModel,
    vector: &'q [f32],
    half: Vec<u8>,
    most: usize,
}

impl<'q> Question<'q> {
    pub fn new(model: &'q IndexModel, vector: &'q [f32], most: usize) -> Self {
        Self { model, vector, half: half_vector(vector), most }
    }
}

/// Which items may answer.
enum Among {
    /// Almost all: the nearest rows are taken first.
    Most(String, Vec<SqlValue<'static>>),
    /// Those that pass.
    Passing(String, Vec<SqlValue<'static>>),
    /// These.
    Items(Vec<i64>),
}

/// A text that was found.
struct Found {
    text: NearText,
    /// Its inner product with the question.
    score: f64,
}

/// The rows of one statement.
#[derive(Default)]
struct Rows {
    found: Vec<Found>,
    /// Whether there are no more.
    is_all: bool,
    /// The distance of the last row.
    last: f64,
}

/// The texts of the nearest items.
pub(super) fn nearest(
    database: &SharedDatabase,
    question: Question<'_>,
    among: Option<(&ItemFilter, Option<&MemoryView>)>,
    how: NearestSearch,
) -> Result<Vec<NearText>, StoreError> {
    if question.most == 0 {
        return Ok(Vec::new());
    }
    let everything = ItemFilter::default();
    let (filter, view) = among.unwrap_or((&everything, None));
    let (mut passes, mut values) = passing(Dialect::Postgres, filter, view);
    // For a user who sees some scopes only, the server filters too. Then an empty filter does not mean all items.
    let is_most = filter.is_empty() && database.sees_all_scopes();
    let (few, asked) = match how {
        NearestSearch::Exact => (0, question.most.saturating_mul(2).saturating_add(64)),
        NearestSearch::Approximate { over_fetch } => {
            let fetched = question.most.saturating_mul(over_fetch.max(1));
            (fetched.max(LEAST_PASSING), fetched.max(LEAST_CANDIDATES))
        }
    };
    let is_within = !database.is_idle();
    let found = database.at_once(|| {
        set(database, asked, is_most)?;
        if let Some((is_own, scopes)) = own_scopes(database, filter)? {
            passes = format!("{passes} AND {is_own}");
            values.extend(scopes);
        }
        let mut among = if is_most { Among::Most(passes, values) } else { Among::Passing(passes, values) };
        let is_exact = how == NearestSearch::Exact;
        let mut by_index = !is_exact;
        if let (Among::Passing(passes, values), false) = (&among, is_exact) {
            match plan(database, passes, values, few)? {
                Plan::Compare(items) => {
                    among = Among::Items(items);
                    by_index = false;
                }
                Plan::Index(share) => {
                    if let Some(rows) = first_candidates(database, &question, &among, few, share)? {
                        return Ok(cut(rows.found, question.most));
                    }
                    read_on(database, asked, share)?;
                }
            }
        }
        let mut found = widen(database, &question, &among, by_index, is_exact, asked)?;
        if by_index && (is_cut_short(&found, &among) || items_of(&found.found) < question.most) {
            found = widen(database, &question, &among, false, is_exact, asked)?;
        }
        Ok(cut(found.found, question.most))
    })?;
    if is_within {
        // The transaction continues, so its other statements get the usual plans again.
        database.on(|link| link.batch("SET LOCAL plan_cache_mode TO DEFAULT"))?;
    }
    Ok(found)
}

/// Whether the index gave fewer rows that pass a filter than it was asked for. It was read as far as it may be, or to
/// its end, and there may be nearer ones among those that it did not give.
fn is_cut_short(rows: &Rows, among: &Among) -> bool {
    rows.is_all && matches!(among, Among::Passing(..))
}

/// Sets for this transaction how far an index is read. A statement without a filter is planned once; one with a filter
/// each time, for it depends on the values.
fn set(database: &SharedDatabase, asked: usize, is_same: bool) -> Result<(), StoreError> {
    let candidates = asked.min(MOST_CANDIDATES);
    let plans = if is_same { "force_generic_plan" } else { "force_custom_plan" };
    let sql = format!(
        "SET LOCAL hnsw.ef_search = {candidates}; SET LOCAL hnsw.iterative_scan = relaxed_order;
         SET LOCAL hnsw.max_scan_tuples = {SCANNED}; SET LOCAL hnsw.scan_mem_multiplier = 20;
         SET LOCAL jit = off; SET LOCAL plan_cache_mode = {plans}"
    );
    database.on(|link| link.batch(&sql))
}

/// How items that pass a filter are searched.
enum Plan {
    /// They are so few that comparing all of theirs takes no longer than reading the index.
    Compare(Vec<i64>),
    /// By the index: about this share of all items passes.
    Index(f64),
}

/// Chooses how items that pass are searched.
fn plan(database: &SharedDatabase, passes: &str, values: &[SqlValue<'_>], few: usize) -> Result<Plan, StoreError> {
    let all = database.first("SELECT items FROM corpus", &[], |row| row.integer(0))?.unwrap_or(0).max(1) as f64;
    let passing = format!("SELECT item.id FROM item LEFT JOIN source ON source.id = item.source_id WHERE {passes}");
    let expected = expected(database, &passing, values)?;
    // Comparing `n` items costs `n`. The index costs `ROW_COST * wanted * all / n`. At the bound both cost the same.
    let wanted = READ_AHEAD * few as f64;
    let bound = (ROW_COST * wanted * all).sqrt().clamp(500.0, 30_000.0);
    let mut share = expected.max(1.0) / all;
    // The server's estimate may be wrong. If it says that few items pass, they are counted.
    if expected <= bound * 1.5 {
        let sql = format!("SELECT ARRAY({passing} LIMIT {})", bound + 1.0);
        let items: Vec<i64> = database.one(&sql, values, |row| Ok(row.try_get(0)?))?;
        if items.len() as f64 <= bound {
            return Ok(Plan::Compare(items));
        }
        share = share.max(bound / all);
    }
    Ok(Plan::Index(share))
}

/// Filters the first candidates of the index. Gives none if too few of them pass. The items that pass then lie far from
/// the question, where the index misses more of them. So more rows have to be read to be sure of the nearest.
fn first_candidates(
    database: &SharedDatabase,
    question: &Question<'_>,
    among: &Among,
    few: usize,
    share: f64,
) -> Result<Option<Rows>, StoreError> {
    let candidates = ((READ_AHEAD * few as f64 / share) as usize).max(LEAST_CANDIDATES);
    if candidates > MOST_CANDIDATES {
        return Ok(None);
    }
    let sql = format!("SET LOCAL hnsw.ef_search = {candidates}; SET LOCAL hnsw.iterative_scan = off");
    database.on(|link| link.batch(&sql))?;
    let rows = fetch(database, question, among, true, few)?;
    Ok((!rows.is_all && items_of(&rows.found) >= question.most).then_some(rows))
}

/// Tells the index to keep as many candidates as have to be read, and to read on if too few of them pass.
fn read_on(database: &SharedDatabase, asked: usize, share: f64) -> Result<(), StoreError> {
    let candidates = ((asked as f64 / share) as usize).clamp(asked.min(MOST_CANDIDATES), MOST_CANDIDATES);
    let sql = format!("SET LOCAL hnsw.ef_search = {candidates}; SET LOCAL hnsw.iterative_scan = relaxed_order");
    database.on(|link| link.batch(&sql))
}

/// The condition that an item lies in a scope that the user sees, with its values. There is none if the user sees all
/// scopes, or if the filter of a limited request names them already. The server checks the scope of each item anyway,
/// but without the condition it reads every item to do so.
fn own_scopes(
    database: &SharedDatabase,
    filter: &ItemFilter,
) -> Result<Option<(String, Vec<SqlValue<'static>>)>, StoreError> {
    let is_named = database.rights.sees_all_scopes && filter.access.scopes().is_some();
    if database.sees_all_scopes() || is_named {
        return Ok(None);
    }
    let scopes = database.rows("SELECT DISTINCT kenning.own_scopes()", &[], |row| row.text(0))?;
    // Since the store was opened, the user may have been given all.
    let sees_all = scopes.iter().any(|scope| scope == "*");
    Ok((!sees_all).then(|| (one_of("item.scope", scopes.len()), scopes.into_iter().map(SqlValue::from).collect())))
}

/// How many rows the server expects of a statement.
fn expected(database: &SharedDatabase, sql: &str, values: &[SqlValue<'_>]) -> Result<f64, StoreError> {
    let lines = database.rows(&format!("EXPLAIN {sql}"), values, |row| row.text(0))?;
    let rows = lines.first().and_then(|line| line.split_once(" rows=")?.1.split_once(' ')?.0.parse().ok());
    Ok(rows.unwrap_or(f64::INFINITY))
}

/// Asks for more rows until the items are enough, or there are no more.
fn widen(
    database: &SharedDatabase,
    question: &Question<'_>,
    among: &Among,
    by_index: bool,
    is_exact: bool,
    asked: usize,
) -> Result<Rows, StoreError> {
    let mut asked = asked;
    loop {
        let rows = fetch(database, question, among, by_index, asked)?;
        if rows.is_all || is_enough(&rows, question, is_exact) {
            return Ok(rows);
        }
        asked = asked.saturating_mul(3);
    }
}

/// Whether there are as many items as are wanted. If all are to be compared, none of the rows that were not fetched may
/// be nearer than these, however its components were rounded.
fn is_enough(rows: &Rows, question: &Question<'_>, is_exact: bool) -> bool {
    let mut items = HashSet::new();
    let last_wanted = rows.found.iter().find(|found| items.insert(found.text.item) && items.len() == question.most);
    match last_wanted {
        None => false,
        Some(_) if !is_exact => true,
        Some(wanted) => {
            let length = f64::from(dot(question.vector, question.vector)).sqrt().max(1.0);
            HALF_ERROR.mul_add(length, -rows.last) < wanted.score
        }
    }
}

fn items_of(found: &[Found]) -> usize {
    found.iter().map(|found| found.text.item).collect::<HashSet<_>>().len()
}

/// The texts of the first so many items.
fn cut(found: Vec<Found>, most: usize) -> Vec<NearText> {
    let mut items = HashSet::new();
    let texts = found.into_iter().map(|found| found.text);
    texts.filter(|text| items.contains(&text.item) || items.len() < most && items.insert(text.item)).collect()
}

/// The nearest rows, and the items that have their texts.
fn fetch(
    database: &SharedDatabase,
    question: &Question<'_>,
    among: &Among,
    by_index: bool,
    asked: usize,
) -> Result<Rows, StoreError> {
    let (model, half) = (question.model.id, SqlValue::Bytes(&question.half));
    let distance = database.distance(question.model, by_index)?;
    let vectors = format!("LEFT JOIN vector ON vector.model_id = {model} AND vector.text_hash = near.text_hash");
    let of_model = format!("half_vector.model_id = {model}");
    let embedded = "half_vector JOIN embedding ON embedding.text_hash = half_vector.text_hash";
    let columns = "embedding.text_hash, embedding.item_id, embedding.part";
    let sql = match among {
        Among::Most(passes, _) => format!(
            "SELECT near.text_hash, held.item_id, held.part, near.distance, vector.data
             FROM (SELECT text_hash, {distance} AS distance FROM half_vector WHERE {of_model}
                ORDER BY distance LIMIT {asked}) AS near
             LEFT JOIN (SELECT {columns} FROM embedding JOIN item ON item.id = embedding.item_id WHERE {passes}) AS held
                ON held.text_hash = near.text_hash {vectors}"
        ),
        Among::Passing(passes, _) => format!(
            "SELECT near.text_hash, near.item_id, near.part, near.distance, vector.data
             FROM (SELECT {columns}, {distance} AS distance FROM {embedded} JOIN item ON item.id = embedding.item_id
                LEFT JOIN source ON source.id = item.source_id WHERE {of_model} AND {passes}
                ORDER BY distance LIMIT {asked}) AS near {vectors}"
        ),
        Among::Items(_) => format!(
            "SELECT near.text_hash, near.item_id, near.part, near.distance, vector.data
             FROM (SELECT {columns}, {distance} AS distance FROM {embedded}
                JOIN unnest(CAST(? AS bigint[])) AS asked (id) ON asked.id = embedding.item_id WHERE {of_model}
                ORDER BY distance LIMIT {asked}) AS near {vectors}"
        ),
    };
    let mut values: Vec<&(dyn ToSql + Sync)> = vec![&half];
    match among {
        Among::Most(_, of_filter) | Among::Passing(_, of_filter) => values.extend(given(of_filter)),
        Among::Items(items) => values.push(items),
    }
    let dims = question.model.dims;
    let read = database.read(&sql, &values, |row| {
        let hash: TextHash = SqlRow::get(row, 0)?;
        let (item, distance): (Option<i64>, f64) = (SqlRow::get(row, 1)?, SqlRow::get(row, 3)?);
        // Without an item, no item that passes the filter has this text. With another length, the vector is damaged.
        let found = match item {
            Some(item) if !row.is_null(4)? && row.bytes(4)?.len() == dims * 4 => {
                let vector: Vec<f32> = floats(row.bytes(4)?).collect();
                Some(NearText { item, part: SqlRow::get(row, 2)?, hash, vector })
            }
            _ => None,
        };
        Ok((hash, distance, found))
    })?;
    let count = match among {
        Among::Most(..) => read.iter().map(|(hash, ..)| hash).collect::<HashSet<_>>().len(),
        _ => read.len(),
    };
    let last = read.iter().map(|(_, distance, _)| *distance).fold(f64::NEG_INFINITY, f64::max);
    let scored = |text: NearText| {
        let score = f64::from(dot(question.vector, &text.vector));
        Found { score: if score.is_nan() { f64::NEG_INFINITY } else { score }, text }
    };
    let mut found: Vec<Found> = read.into_iter().filter_map(|(.., text)| text.map(scored)).collect();
    found.sort_unstable_by(|a, b| {
        let place = |found: &Found| (found.text.item, found.text.part);
        b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
    });
    Ok(Rows { found, is_all: count < asked, last })
}
