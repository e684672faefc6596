//! The shared store in PostgreSQL.

use super::{Client, System, TARGET, load, timed};
use kenning::eval::Vectors;
use kenning::lexical::{DocumentTerms, TermText};
use kenning::store::{
    FindWords, IndexModel, ItemFilter, ItemText, ItemWords, KeepNearest, KeepWords, NearestSearch, PostgresAccess,
    ReadNearest, ReadVectors, SharedDatabase, WordsOf,
};
use kenning::types::Scope;
use postgres::NoTls;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

const WORDS: WordsOf = WordsOf(words);

pub struct Ours {
    address: String,
    model: IndexModel,
    how: NearestSearch,
    /// The numbers of items by their row ids.
    numbers: HashMap<i64, u64>,
}

struct Body<'a>(&'a str);

impl TermText for Body<'_> {
    fn text(&self) -> &str {
        self.0
    }

    fn heading(&self) -> &str {
        ""
    }
}

fn words(item: &ItemText) -> ItemWords {
    let DocumentTerms { length, terms } = DocumentTerms::of(&Body(&item.body));
    ItemWords { length, terms }
}

fn open(address: &str) -> SharedDatabase {
    let access = PostgresAccess { statement_timeout: Duration::from_secs(3600), ..PostgresAccess::default() };
    let mut store = SharedDatabase::open_to_write(address, &access).unwrap();
    store.set_words(Some(WORDS));
    store
}

/// MiB of an expression in SQL.
pub fn size(client: &mut postgres::Client, of: &str) -> f64 {
    let sql = format!("SELECT CAST(coalesce({of}, 0) AS bigint)");
    client.query_one(&sql, &[]).unwrap().get::<_, i64>(0) as f64 / f64::from(1 << 20)
}

impl Ours {
    pub fn prepare(address: &str, vectors: &Vectors) -> Self {
        let mut store = open(address);
        let folder = tempfile::tempdir().unwrap();
        if store.index_model().unwrap().is_none() {
            timed("ours: load", || load::load(&mut store, &load::lock(folder.path()), vectors));
            timed("ours: merge words", || while store.merge_words(10_000_000).unwrap() {});
        }
        let model = store.index_model().unwrap().unwrap();
        while store.index_vectors(&model, 10_000).unwrap() > 0 {}
        let mut client = postgres::Client::connect(address, NoTls).unwrap();
        if store.nearest_certificate(&model).unwrap().is_none() {
            client.batch_execute("VACUUM ANALYZE").unwrap();
            timed("ours: index", || println!("{:?}", store.ensure_nearest_index(&model).unwrap()));
            timed("ours: certificate", || store.certify(&model, TARGET).unwrap());
        }
        println!("{:?}, {} items without words", store.nearest_certificate(&model), store.lacking_words().unwrap());
        let sizes = [
            (
                "all",
                "(SELECT sum(pg_total_relation_size(oid)) FROM pg_class
                WHERE relnamespace = 'kenning'::regnamespace AND relkind = 'r')",
            ),
            ("items", "pg_total_relation_size('kenning.item')"),
            ("vectors", "pg_total_relation_size('kenning.vector')"),
            ("halves", "pg_table_size('kenning.half_vector')"),
            ("their indexes", "pg_indexes_size('kenning.half_vector')"),
            ("words", "pg_total_relation_size('kenning.item_words') + pg_total_relation_size('kenning.posting')"),
        ];
        for (name, of) in sizes {
            println!("ours: {name} {:.0} MiB", size(&mut client, of));
        }
        let rows = client.query("SELECT id, substr(uid, 7)::bigint FROM kenning.item", &[]).unwrap();
        let numbers = rows.iter().map(|row| (row.get(0), row.get::<_, i64>(1) as u64)).collect();
        let how = store.nearest_certificate(&model).unwrap().unwrap().search();
        Self { address: address.to_owned(), model, how, numbers }
    }
}

impl System for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn client(&self) -> Client<'_> {
        let store = open(&self.address);
        Box::new(move |question, most, scope| {
            let filter =
                scope.map(|scope| ItemFilter { scopes: vec![Scope::repository(scope)], ..ItemFilter::default() });
            let among = filter.as_ref().map(|filter| (filter, None));
            let found = store.nearest(&self.model, question, most, among, self.how).unwrap();
            let mut seen = HashSet::new();
            found.into_iter().filter(|text| seen.insert(text.item)).map(|text| self.numbers[&text.item]).collect()
        })
    }
}
