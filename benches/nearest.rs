//! Nearest vectors in PostgreSQL: our schema side by side with plain pgvector as its documentation shows it.
//!
//! Measures load, index and search at 1 and 32 connections and with filters, with the recall at each setting. Data:
//! clustered unit vectors of 384 components, drawn from fixed seeds, and questions of the same clusters. The database
//! must be empty or hold what an earlier run with as many items loaded. Run: `cargo bench --bench nearest -- ADDRESS
//! [ITEMS] [NEAREST]`, such as `postgres://postgres@127.0.0.1/near 20000 100`.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use kenning::store::{
    IndexModel, ItemFilter, KeepNearest, NearestSearch, PostgresAccess, ReadItems, ReadNearest, ReadVectors,
    SharedDatabase, WriteBatch, WriteItems, WriteStore, WriteVectors, WriterLock,
};
use kenning::text::text_hash;
use kenning::types::{Authority, Fingerprint, Item, Kind, Scope, State};
use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type};
use postgres::{Client, NoTls};
use std::collections::HashSet;
use std::io::Write;
use std::time::{Duration, Instant};

const DIMS: usize = 384;
const TARGET: f64 = 0.98;
/// Questions whose recall is measured.
const QUESTIONS: usize = 100;
/// How long each setting is asked.
const SECONDS: u64 = 5;
/// Shares of the items that have each scope.
const SHARES: [(&str, f64); 5] = [("50 %", 0.5), ("10 %", 0.1), ("1 %", 0.01), ("0.1 %", 0.001), ("0.01 %", 0.0001)];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Close to a normal distribution.
    fn normal(&mut self) -> f32 {
        ((0..6).map(|_| self.share()).sum::<f64>() - 3.0) as f32 * 1.414
    }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

/// Vector number `at`: one of some hundred centres, and as much of its own. Questions have numbers from the end.
fn vector(at: u64, clusters: u64) -> Vec<f32> {
    let mut own = Random(at.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 7);
    let mut centre = Random((own.next() % clusters) ^ (0xc0ffee << 20));
    unit((0..DIMS).map(|_| centre.normal() + own.normal()).collect())
}

fn scope(at: u64) -> &'static str {
    let mut drawn = Random(at ^ (99 << 40)).share();
    for (name, share) in SHARES {
        if drawn < share {
            return name;
        }
        drawn -= share;
    }
    "rest"
}

fn item(at: u64) -> Item {
    Item {
        uid: format!("chunk/{at}"),
        kind: Kind::Chunk,
        scope: Scope::repository(scope(at)),
        authority: Authority::Personal,
        state: State::Active,
        title: String::new(),
        body: format!("Text {at}. {}", "As long as a passage of a document is. ".repeat(12)),
        attributes: serde_json::json!({}),
        path: None,
        span: None,
        created_at: 1,
        updated_at: 1,
    }
}

/// A vector as pgvector's type `vector` is sent.
#[derive(Debug)]
struct Plain(Vec<f32>);

impl ToSql for Plain {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.extend_from_slice(&(self.0.len() as u16).to_be_bytes());
        out.extend_from_slice(&[0, 0]);
        self.0.iter().for_each(|value| out.extend_from_slice(&value.to_be_bytes()));
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    postgres::types::to_sql_checked!();
}

fn timed<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = run();
    println!("{name:44} {:9.1} s", start.elapsed().as_secs_f64());
    out
}

fn open(address: &str) -> SharedDatabase {
    let access = PostgresAccess { statement_timeout: Duration::from_secs(3600), ..PostgresAccess::default() };
    SharedDatabase::open_to_write(address, &access).unwrap()
}

fn load(store: &mut SharedDatabase, items: u64, clusters: u64) -> IndexModel {
    let folder = tempfile::tempdir().unwrap();
    let lock = WriterLock::take(folder.path(), "bench", Duration::from_secs(9)).unwrap();
    let fingerprint = Fingerprint::stored("bench@01".to_owned());
    for start in (0..items).step_by(2000) {
        let batch = store.begin(&lock).unwrap();
        let model = batch.put_model(&fingerprint, DIMS).unwrap();
        let mut made = Vec::new();
        for at in start..items.min(start + 2000) {
            let item = item(at);
            batch.put_item(&item, None).unwrap();
            made.push((text_hash(&item.text()), vector(at, clusters)));
        }
        batch.put_vectors(&model, made.iter().map(|(hash, vector)| (*hash, vector.as_slice()))).unwrap();
        batch.use_model(&fingerprint, None).unwrap();
        batch.commit().unwrap();
    }
    store.index_model().unwrap().unwrap()
}

/// How many of `clients` threads' answers a second, and the times of all in ms.
fn ask<C>(clients: usize, connect: impl Fn() -> C + Sync, ask: impl Fn(&mut C, usize) + Sync) -> String {
    let (connect, ask) = (&connect, &ask);
    let start = Instant::now();
    let mut times: Vec<f64> = std::thread::scope(|scope| {
        let client = move |number: usize| {
            let mut connection = connect();
            let (mut times, mut at) = (Vec::new(), number * 31);
            let warm = Instant::now() + Duration::from_secs(1);
            let end = warm + Duration::from_secs(SECONDS);
            while Instant::now() < end {
                let begun = Instant::now();
                ask(&mut connection, at % QUESTIONS);
                if begun > warm {
                    times.push(begun.elapsed().as_secs_f64() * 1e3);
                }
                at += 1;
            }
            times
        };
        let running: Vec<_> = (0..clients).map(|number| scope.spawn(move || client(number))).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let seconds = (start.elapsed().as_secs_f64() - 1.0).max(0.1);
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    format!("p50 {:8.2} ms  p95 {:8.2} ms  {:7.0} a second", at(0.5), at(0.95), times.len() as f64 / seconds)
}

/// The share of `wanted` that was found.
fn recall(wanted: &[Vec<i64>], found: &[Vec<i64>]) -> f64 {
    let pairs = wanted.iter().zip(found);
    let hits: usize = pairs.map(|(wanted, found)| wanted.iter().filter(|id| found.contains(id)).count()).sum();
    hits as f64 / wanted.iter().map(Vec::len).sum::<usize>().max(1) as f64
}

fn filter_of(scope: &str) -> ItemFilter {
    ItemFilter { scopes: vec![Scope::repository(scope)], ..ItemFilter::default() }
}

/// The items of an answer, nearest first.
fn ours(
    store: &SharedDatabase,
    model: &IndexModel,
    question: &[f32],
    most: usize,
    scope: Option<&str>,
    how: NearestSearch,
) -> Vec<i64> {
    let filter = scope.map(filter_of);
    let found = store.nearest(model, question, most, filter.as_ref().map(|filter| (filter, None)), how).unwrap();
    let mut seen = HashSet::new();
    found.into_iter().filter(|text| seen.insert(text.item)).map(|text| text.item).collect()
}

/// The nearest rows in the table of plain pgvector. A row has the number of its item.
fn theirs(client: &mut Client, question: &[f32], most: usize, scope: Option<&str>) -> Vec<i64> {
    let question = Plain(question.to_vec());
    let rows = match scope {
        None => client.query(&format!("SELECT id FROM plain ORDER BY embedding <=> $1 LIMIT {most}"), &[&question]),
        Some(scope) => client.query(
            &format!("SELECT id FROM plain WHERE scope = $2 ORDER BY embedding <=> $1 LIMIT {most}"),
            &[&question, &scope],
        ),
    };
    rows.unwrap().iter().map(|row| row.get(0)).collect()
}

fn plain_client(address: &str, ef: usize) -> Client {
    let mut client = Client::connect(address, NoTls).unwrap();
    client
        .batch_execute(&format!("SET hnsw.ef_search = {ef}; SET hnsw.iterative_scan = strict_order; SET jit = off"))
        .unwrap();
    client
}

fn load_plain(client: &mut Client, store: &SharedDatabase, items: u64, clusters: u64) {
    client
        .batch_execute(
            "CREATE TABLE plain (id bigint PRIMARY KEY, scope text NOT NULL, embedding vector(384) NOT NULL)",
        )
        .unwrap();
    let mut writer = client.copy_in("COPY plain FROM STDIN").unwrap();
    for at in 0..items {
        let vector: Vec<String> = vector(at, clusters).iter().map(f32::to_string).collect();
        let id = store.item_id(&format!("chunk/{at}")).unwrap().unwrap();
        writeln!(writer, "{id}\t{}\t[{}]", scope(at), vector.join(",")).unwrap();
    }
    writer.finish().unwrap();
}

fn size(client: &mut Client, of: &str) -> f64 {
    let sql = format!("SELECT CAST(coalesce({of}, 0) AS bigint)");
    client.query_one(&sql, &[]).unwrap().get::<_, i64>(0) as f64 / f64::from(1 << 20)
}

fn main() {
    let mut given = std::env::args().skip(1).filter(|one| one != "--bench");
    let address = given.next().unwrap();
    let items: u64 = given.next().map_or(20_000, |items| items.parse().unwrap());
    let most: usize = given.next().map_or(100, |most| most.parse().unwrap());
    let clusters = (items / 1000).max(1);
    println!("{items} items, {clusters} clusters, the nearest {most}");

    let mut store = open(&address);
    let mut client = Client::connect(&address, NoTls).unwrap();
    let model = match store.index_model().unwrap() {
        Some(model) => model,
        None => timed("ours: load", || load(&mut store, items, clusters)),
    };
    while store.index_vectors(&model, 10_000).unwrap() > 0 {}
    client.batch_execute("VACUUM ANALYZE").unwrap();
    timed("ours: index", || println!("{:?}", store.ensure_nearest_index(&model).unwrap()));
    let certificate = timed("ours: certificate", || store.certify(&model, TARGET).unwrap());
    println!("{certificate:?}");
    let halves = "pg_total_relation_size('kenning.half_vector')";
    let index = "(SELECT sum(pg_relation_size(indexrelid)) FROM pg_stat_user_indexes WHERE indexrelname ~ 'hnsw')";
    let (all, halves) = (size(&mut client, "pg_database_size(current_database())"), size(&mut client, halves));
    println!("ours: {all:.0} MiB, halves and index {halves:.0} MiB, index {:.0} MiB", size(&mut client, index));

    if client.query_one("SELECT to_regclass('plain') IS NULL", &[]).unwrap().get(0) {
        timed("plain: load", || load_plain(&mut client, &store, items, clusters));
        client.batch_execute("SET maintenance_work_mem = '2GB'; SET max_parallel_maintenance_workers = 4").unwrap();
        timed("plain: index", || {
            client.batch_execute("CREATE INDEX ON plain USING hnsw (embedding vector_cosine_ops)").unwrap();
        });
        client.batch_execute("CREATE INDEX ON plain (scope)").unwrap();
        client.batch_execute("VACUUM ANALYZE plain").unwrap();
    }
    let (all, index) = ("pg_total_relation_size('plain')", "pg_relation_size('plain_embedding_idx')");
    println!("plain: {:.0} MiB, index {:.0} MiB", size(&mut client, all), size(&mut client, index));

    let questions: Vec<Vec<f32>> = (0..QUESTIONS as u64).map(|at| vector(u64::MAX - at, clusters)).collect();
    let approximate = certificate.search();
    let of_all = |scope: Option<&str>, how: NearestSearch| -> Vec<Vec<i64>> {
        questions.iter().map(|question| ours(&store, &model, question, most, scope, how)).collect()
    };
    let mut efs = [most.max(40), 80, 120, 160, 200, 300, 400, 600, 800, 1000];
    efs.sort_unstable();
    let exact = of_all(None, NearestSearch::Exact);
    let reached = |ef: &usize| {
        let mut client = plain_client(&address, *ef);
        let found: Vec<Vec<i64>> = questions.iter().map(|question| theirs(&mut client, question, most, None)).collect();
        recall(&exact, &found) >= TARGET
    };
    let ef = efs.into_iter().filter(|ef| *ef >= most.min(1000)).find(reached).unwrap_or(1000);
    println!("plain: ef_search {ef}");

    let scopes = std::iter::once(("all", None)).chain(SHARES.into_iter().map(|(name, _)| (name, Some(name))));
    for (name, scope) in scopes {
        let exact = of_all(scope, NearestSearch::Exact);
        let mut plain = plain_client(&address, ef);
        let found: Vec<Vec<i64>> = questions.iter().map(|question| theirs(&mut plain, question, most, scope)).collect();
        let (our_recall, plain_recall) = (recall(&exact, &of_all(scope, approximate)), recall(&exact, &found));
        for clients in [1, 32] {
            let run = ask(
                clients,
                || open(&address),
                |store, at| {
                    drop(ours(store, &model, &questions[at], most, scope, approximate));
                },
            );
            println!("ours   {name:8} {clients:3} connections  recall {our_recall:.4}  {run}");
            let run = ask(
                clients,
                || plain_client(&address, ef),
                |client, at| {
                    drop(theirs(client, &questions[at], most, scope));
                },
            );
            println!("plain  {name:8} {clients:3} connections  recall {plain_recall:.4}  {run}");
        }
    }
    let run = ask(
        1,
        || open(&address),
        |store, at| {
            drop(ours(store, &model, &questions[at], most, None, NearestSearch::Exact));
        },
    );
    println!("ours   exact      1 connections  recall 1.0000  {run}");
}
