//! Plain pgvector as its documentation has it: one table, an index of its vectors, iterative scans for filters.

use super::data::scope;
use super::ours::size;
use super::{Client, DIMS, System, timed};
use kenning::eval::Vectors;
use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type};
use postgres::{Client as Connection, NoTls};
use std::io::Write;

/// Settings of `hnsw.ef_search` that are tried, the first of which is the server's own.
const WIDTHS: [usize; 10] = [40, 60, 80, 120, 160, 200, 300, 400, 600, 1000];

pub struct Plain {
    address: String,
    width: usize,
}

/// A vector as the type `vector` is sent.
#[derive(Debug)]
struct Vector<'a>(&'a [f32]);

impl ToSql for Vector<'_> {
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

impl Plain {
    pub fn prepare(address: &str, vectors: &Vectors) -> Self {
        let mut client = Connection::connect(address, NoTls).unwrap();
        if client.query_one("SELECT to_regclass('plain') IS NULL", &[]).unwrap().get(0) {
            timed("plain: load", || load(&mut client, vectors));
            client.batch_execute("SET maintenance_work_mem = '2GB'; SET max_parallel_maintenance_workers = 4").unwrap();
            timed("plain: index", || {
                client.batch_execute("CREATE INDEX ON plain USING hnsw (embedding vector_cosine_ops)").unwrap();
            });
            client.batch_execute("CREATE INDEX ON plain (scope)").unwrap();
            client.batch_execute("VACUUM ANALYZE plain").unwrap();
        }
        for (name, of) in [
            ("all", "pg_total_relation_size('plain')"),
            ("index of vectors", "pg_relation_size('plain_embedding_idx')"),
        ] {
            println!("plain: {name} {:.0} MiB", size(&mut client, of));
        }
        Self { address: address.to_owned(), width: WIDTHS[0] }
    }

    /// Looks at as many vectors as this needs to be so.
    pub fn look_at_enough(&mut self, mut is_enough: impl FnMut(&mut Client<'_>) -> bool) {
        for width in WIDTHS {
            self.width = width;
            if is_enough(&mut self.client()) {
                break;
            }
        }
        println!("plain: hnsw.ef_search {}", self.width);
    }
}

impl System for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn client(&self) -> Client<'_> {
        let mut client = Connection::connect(&self.address, NoTls).unwrap();
        let settings = format!("SET hnsw.ef_search = {}; SET hnsw.iterative_scan = strict_order", self.width);
        client.batch_execute(&settings).unwrap();
        // Prepared once for each number of nearest, as a client does.
        let mut prepared: Option<(usize, [postgres::Statement; 2])> = None;
        Box::new(move |question, most, scope| {
            if prepared.as_ref().is_none_or(|(of, _)| *of != most) {
                let mut prepare = |filter: &str| {
                    let sql = format!("SELECT id FROM plain {filter} ORDER BY embedding <=> $1 LIMIT {most}");
                    client.prepare(&sql).unwrap()
                };
                prepared = Some((most, [prepare(""), prepare("WHERE scope = $2")]));
            }
            let Some((_, [all, filtered])) = &prepared else { return Vec::new() };
            let question = Vector(question);
            let rows = match scope {
                None => client.query(all, &[&question]),
                Some(scope) => client.query(filtered, &[&question, &scope]),
            };
            rows.unwrap().iter().map(|row| row.get::<_, i64>(0) as u64).collect()
        })
    }
}

fn load(client: &mut Connection, vectors: &Vectors) {
    let table = format!("CREATE TABLE plain (id bigint PRIMARY KEY, scope text NOT NULL, embedding vector({DIMS}))");
    client.batch_execute(&table).unwrap();
    let mut writer = client.copy_in("COPY plain FROM STDIN").unwrap();
    let put = |first: usize, block: &[f32]| {
        block.chunks_exact(DIMS).zip(first..).try_for_each(|(vector, at)| {
            let vector: Vec<String> = vector.iter().map(f32::to_string).collect();
            writeln!(writer, "{at}\t{}\t[{}]", scope(at as u64), vector.join(","))
        })
    };
    vectors.blocks(put).unwrap();
    writer.finish().unwrap();
}
