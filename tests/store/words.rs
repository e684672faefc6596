//! The words inside a store in PostgreSQL against a term index over the same texts: candidates and scores are the same
//! to the last bit, whatever was written, changed, removed and merged before.

use crate::support::postgres::Server;
use kenning::lexical::{DocumentTerms, QueryTerms, StoredPosting, StoredQuery, TermIndex, TermOverlap, TermText};
use kenning::store::{
    Database, FindWords, ItemFilter, ItemText, ItemVersion, ItemWords, KeepWords, Place, Posting, SharedDatabase,
    SharedStore, StoreError, WordsOf, WriteItems, WriterLock,
};
use kenning::types::{Authority, Item, Kind, Scope, State, heading, titled};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

struct Headed {
    text: String,
    heading: String,
}

impl Headed {
    fn new(title: &str, body: &str) -> Self {
        Self { text: titled(title, body), heading: heading(title).to_owned() }
    }
}

impl TermText for Headed {
    fn text(&self) -> &str {
        &self.text
    }

    fn heading(&self) -> &str {
        &self.heading
    }
}

fn words(text: &ItemText) -> ItemWords {
    let DocumentTerms { length, terms } = DocumentTerms::of(&Headed::new(&text.title, &text.body));
    ItemWords { length, terms }
}

fn item(kind: Kind, title: &str, body: &str) -> Item {
    Item {
        uid: "chunk/1".to_owned(),
        kind,
        scope: Scope::global(),
        authority: Authority::Personal,
        state: State::Active,
        title: title.to_owned(),
        body: body.to_owned(),
        attributes: serde_json::Value::Object(serde_json::Map::default()),
        path: None,
        span: None,
        created_at: 1,
        updated_at: 2,
    }
}

/// Candidates of a question, best first, with what every one of some items shares with it.
type Answer = (Vec<u64>, Vec<Option<TermOverlap>>, String);

fn ask(
    store: &SharedDatabase,
    terms: &QueryTerms,
    most: usize,
    filter: &ItemFilter,
    ids: &[i64],
) -> Result<Answer, StoreError> {
    let _moment = store.snapshot()?;
    let totals = store.word_totals(&terms.hashes())?;
    let query = StoredQuery::new(terms, totals.documents, totals.tokens, &totals.frequencies);
    let posting = |found: Posting| StoredPosting {
        document: (found.version.item as u64, found.version.born as u64),
        count: found.count,
        length: found.length,
    };
    let postings = store.postings(&query.searched())?.into_iter();
    let ranking = query.rank(postings.map(|of_term| of_term.into_iter().map(posting)));
    let candidates = ranking.best(most, |page| {
        let versions = page.iter().map(|(item, born)| ItemVersion { item: *item as i64, born: *born as i64 });
        let admitted = store.admits(filter, None, &versions.collect::<Vec<_>>())?;
        Ok::<_, StoreError>(admitted.iter().map(|version| (version.item as u64, version.born as u64)).collect())
    })?;
    let counts = store.counts_of(ids, query.hashes())?.into_iter();
    let scores = counts.map(|counts| counts.map(|counts| query.score(counts.length, &counts.counts)));
    Ok((candidates, scores.collect(), format!("{:?}", query.prepared().reach())))
}

fn expected(index: &TermIndex, terms: &QueryTerms, most: usize, passes: &dyn Fn(u64) -> bool, ids: &[i64]) -> Answer {
    let query = index.prepare(terms);
    let ids: Vec<u64> = ids.iter().map(|id| *id as u64).collect();
    let reach = format!("{:?}", query.reach());
    (index.candidates(&query, most, Some(passes)), index.score(&query, &ids), reach)
}

#[derive(Debug, Clone)]
enum Step {
    /// Texts with their titles that are put, and places of those that are removed.
    Batch(Vec<(String, String)>, Vec<usize>),
    Merge(usize),
    Purge,
}

fn step() -> impl Strategy<Value = Step> {
    let texts = ("(lock|disk > state|Lock_file| ){0,3}", "(lock|state|Lock_file|E0382|the|disk|held| |,|\n){0,24}");
    let batch = (proptest::collection::vec(texts, 0..8), proptest::collection::vec(any::<usize>(), 0..3));
    prop_oneof![
        6 => batch.prop_map(|(puts, removals)| Step::Batch(puts, removals)),
        1 => (2usize..999).prop_map(Step::Merge),
        1 => Just(Step::Purge),
    ]
}

/// Each case has a database of its own.
fn run(server: &Server, name: &str, steps: Vec<Step>, most: usize) {
    server.psql("postgres", &format!("CREATE DATABASE {name}"));
    let dir = tempfile::tempdir().unwrap();
    let lock = WriterLock::take(dir.path(), "test", Duration::from_secs(9)).unwrap();
    let at = SharedStore::at(server.address().replace("/kenning", &format!("/{name}")));
    let place = Place::shared(dir.path(), SharedStore { words: Some(WordsOf(words)), ..at });
    let mut store = Database::open_to_write_at(&place, &lock).unwrap();
    let mut texts: BTreeMap<u64, (Kind, String, String)> = BTreeMap::new();
    let mut index = TermIndex::default();
    for step in steps {
        match step {
            Step::Batch(puts, removals) => {
                let batch = store.begin(&lock).unwrap();
                let mut changed = Vec::new();
                for place in removals {
                    let Some(id) = texts.keys().nth(place % texts.len().max(1)).copied() else { break };
                    batch.remove_item(id as i64).unwrap();
                    texts.remove(&id);
                    changed.push(id);
                }
                for (title, body) in puts {
                    let kind = if body.len() % 3 == 0 { Kind::Fact } else { Kind::Chunk };
                    let id = batch.put_item(&item(kind, &title, &body), None).unwrap() as u64;
                    texts.insert(id, (kind, title, body));
                    changed.push(id);
                }
                batch.commit().unwrap();
                let new = changed.iter().filter_map(|id| texts.get(id).map(|(_, title, body)| (*id, title, body)));
                let new = new.map(|(id, title, body)| (id, Headed::new(title, body)));
                index = index.with_changes(changed.iter().copied(), new).unwrap();
            }
            Step::Merge(most) => {
                store.shared_mut().unwrap().merge_words(most).unwrap();
            }
            Step::Purge => store.shared_mut().unwrap().purge_words().unwrap(),
        }
        let words = store.shared().unwrap();
        let ids: Vec<i64> = (0..40).collect();
        let kinds = [Kind::Chunk, Kind::Fact];
        for question in ["the lock of the state", "disk disk E0382", "held lock_file nobody the the", ""] {
            let terms = QueryTerms::of(question).with_headings(question.split(' ')).with_name("Lock_file");
            for admitted in [&kinds[..], &kinds[..1]] {
                let passes = |id: u64| admitted.contains(&texts[&id].0);
                let filter = ItemFilter { kinds: admitted.to_vec(), ..ItemFilter::default() };
                let answer = ask(words, &terms, most, &filter, &ids).unwrap();
                assert_eq!(answer, expected(&index, &terms, most, &passes, &ids), "{question}");
            }
        }
    }
    drop(store);
    server.psql("postgres", &format!("DROP DATABASE {name}"));
}

#[test]
fn a_shared_store_finds_as_a_term_index_does() {
    let server = Server::start();
    let steps = (proptest::collection::vec(step(), 1..16), 0usize..9);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 12, ..ProptestConfig::default() });
    let case = std::cell::Cell::new(0);
    let ran = runner.run(&steps, |(steps, most)| {
        case.set(case.get() + 1);
        run(&server, &format!("words_{}", case.get()), steps, most);
        Ok(())
    });
    ran.unwrap();
}
