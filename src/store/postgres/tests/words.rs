//! The words of items inside the store, against what its items say.

use super::*;
use crate::store::sql::SqlRow;
use crate::store::{
    FindWords, ItemText, ItemVersion, ItemWords, KeepWords, MemoryView, Posting, Source, SourceKind, Stat, WordTotals,
    WordsOf, WriteExternal,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Each letter is a term. Some are numbers that have no sign elsewhere.
fn letters(text: &ItemText) -> ItemWords {
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    text.body.bytes().for_each(|byte| *counts.entry(term(byte)).or_default() += 1);
    ItemWords { length: text.body.len() as u32, terms: counts.into_iter().collect() }
}

fn term(letter: u8) -> u64 {
    u64::from(letter) << (if letter.is_multiple_of(2) { 57 } else { 3 })
}

const LETTERS: WordsOf = WordsOf(letters);
const ALPHABET: &[u8] = b"abcdefgh";

fn terms() -> Vec<u64> {
    ALPHABET.iter().map(|letter| term(*letter)).collect()
}

fn said(uid: &str, body: &str) -> Item {
    Item { body: body.to_owned(), attributes: serde_json::Value::Object(serde_json::Map::default()), ..item(uid) }
}

fn said_in(scope: &str, body: &str) -> Item {
    Item { scope: Scope::repository(scope), ..said("chunk/1", body) }
}

fn worded(folder: &Path) -> SharedDatabase {
    worded_by_letters(open(folder))
}

fn worded_by_letters(mut store: SharedDatabase) -> SharedDatabase {
    store.set_words(Some(LETTERS));
    store
}

const SCOPES: [&str; 3] = ["repo/a", "repo/b", "repo/c"];

/// The same as a user who reads one scope.
fn worded_as(folder: &Path, scope: &str) -> SharedDatabase {
    let (name, role) = (database_of(folder), scope.replace('/', "_"));
    // Another test may have made it.
    server().psql(&name, &format!("CREATE ROLE {role} LOGIN"));
    let granted = server().psql(
        &name,
        &format!(
            "GRANT USAGE ON SCHEMA kenning TO {role};
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA kenning TO {role};
             INSERT INTO kenning.reader VALUES ('{role}', '{scope}') ON CONFLICT DO NOTHING"
        ),
    );
    assert!(!granted.contains("ERROR"), "{granted}");
    let address = address_of(folder).replace("postgres@", &format!("{role}@"));
    worded_by_letters(SharedDatabase::open(&address, &Access::default()).unwrap().unwrap())
}

/// A folder, its lock, and a store that keeps words.
fn made_worded() -> (tempfile::TempDir, WriterLock, SharedDatabase) {
    let (dir, lock, store) = made();
    (dir, lock, worded_by_letters(store))
}

/// The live postings of all terms, and everything else that is found, without numbers of segments.
#[derive(Debug, PartialEq)]
struct Found {
    totals: WordTotals,
    /// By term: item, count and length.
    postings: Vec<BTreeSet<(i64, u32, u32)>>,
    counts: Vec<Option<(u32, Vec<u32>)>>,
}

fn found(store: &SharedDatabase, items: &[i64]) -> Found {
    let _moment = store.snapshot().unwrap();
    let live = |postings: Vec<Posting>| {
        let versions: Vec<ItemVersion> = postings.iter().map(|posting| posting.version).collect();
        let admitted = store.admits(&ItemFilter::default(), None, &versions).unwrap();
        let is_live = |posting: &Posting| admitted.contains(&posting.version);
        let live: Vec<Posting> = postings.into_iter().filter(is_live).collect();
        let set: BTreeSet<_> = live.iter().map(|one| (one.version.item, one.count, one.length)).collect();
        assert_eq!(set.len(), live.len(), "nothing is there twice");
        set
    };
    let counts = store.counts_of(items, &terms()).unwrap().into_iter();
    Found {
        totals: store.word_totals(&terms()).unwrap(),
        postings: store.postings(&terms()).unwrap().into_iter().map(live).collect(),
        counts: counts.map(|counts| counts.map(|counts| (counts.length, counts.counts))).collect(),
    }
}

/// What is to be found, by definition.
fn wanted(texts: &BTreeMap<i64, String>, items: &[i64]) -> Found {
    let count = |text: &str, letter: &u8| text.bytes().filter(|byte| byte == letter).count() as u32;
    let of_term = |letter: &u8| {
        let holders = texts.iter().filter(|(_, text)| count(text, letter) > 0);
        holders.map(|(item, text)| (*item, count(text, letter), text.len() as u32)).collect()
    };
    let postings: Vec<BTreeSet<(i64, u32, u32)>> = ALPHABET.iter().map(of_term).collect();
    let totals = WordTotals {
        documents: texts.len(),
        tokens: texts.values().map(|text| text.len() as u64).sum(),
        frequencies: postings.iter().map(BTreeSet::len).collect(),
    };
    let counts = |item: &i64| {
        let text = texts.get(item)?;
        Some((text.len() as u32, ALPHABET.iter().map(|letter| count(text, letter)).collect()))
    };
    Found { totals, postings, counts: items.iter().map(counts).collect() }
}

/// Rows of a table.
fn rows(store: &SharedDatabase, table: &str) -> usize {
    store.counted(&format!("SELECT count(*) FROM {table}"), &[]).unwrap()
}

/// What the check of the words says.
fn faults(store: &SharedDatabase) -> Vec<String> {
    let mut faults = Vec::new();
    store.word_faults(&mut faults).unwrap();
    faults.into_iter().map(|fault| format!("{} {}: {}", fault.name, fault.damage, fault.what)).collect()
}

/// Sizes of the segments, ascending.
fn sizes(store: &SharedDatabase) -> Vec<usize> {
    let sql = "SELECT postings FROM word_segment ORDER BY postings";
    store.rows(sql, &[], |row| Ok(row.get::<_, i64>(0) as usize)).unwrap()
}

/// What may happen to a store.
#[derive(Debug, Clone)]
enum Step {
    /// A batch puts these texts, removes some of those that are there, and is committed or not.
    Batch(Vec<String>, Vec<usize>, bool),
    /// Somebody who keeps no words puts a text.
    Unworded(String),
    /// The item of a place is forgotten.
    Forget(usize),
    /// A program deletes the item of a place.
    Delete(usize),
    /// A program that knows nothing of words writes another text into the item of a place.
    Overwrite(usize, String),
    /// It puts the item of a place into the scope of another place.
    Move(usize, usize),
    /// A user who reads the scope of a place alone puts a text, makes words, merges and purges.
    Alone(usize, String),
    Fill(usize),
    Merge(usize),
    Purge,
}

fn step() -> impl Strategy<Value = Step> {
    let text = || "[a-h]{0,12}";
    prop_oneof![
        8 => (
            proptest::collection::vec(text(), 0..5),
            proptest::collection::vec(any::<usize>(), 0..3),
            prop::bool::weighted(0.8),
        ).prop_map(|(puts, removals, kept)| Step::Batch(puts, removals, kept)),
        1 => text().prop_map(Step::Unworded),
        1 => any::<usize>().prop_map(Step::Forget),
        1 => any::<usize>().prop_map(Step::Delete),
        1 => (any::<usize>(), text()).prop_map(|(at, text)| Step::Overwrite(at, text)),
        1 => (any::<usize>(), 0..SCOPES.len()).prop_map(|(at, scope)| Step::Move(at, scope)),
        1 => (0..SCOPES.len(), text()).prop_map(|(scope, text)| Step::Alone(scope, text)),
        2 => (0usize..4).prop_map(Step::Fill),
        2 => (0usize..99).prop_map(Step::Merge),
        1 => Just(Step::Purge),
    ]
}

/// A store and what it must hold.
struct Twin {
    dir: tempfile::TempDir,
    lock: WriterLock,
    store: SharedDatabase,
    /// Active items.
    texts: BTreeMap<i64, String>,
    /// The scopes of all that ever were.
    scopes: BTreeMap<i64, &'static str>,
    /// Those that have no words yet.
    lacking: BTreeSet<i64>,
    /// All that ever were.
    known: Vec<i64>,
    /// Those that were in another scope before.
    moved: BTreeSet<i64>,
}

impl Twin {
    fn new() -> Self {
        let (dir, lock, store) = made_worded();
        let (texts, scopes) = (BTreeMap::new(), BTreeMap::new());
        Self { dir, lock, store, texts, scopes, lacking: BTreeSet::new(), known: Vec::new(), moved: BTreeSet::new() }
    }

    /// An item that is there.
    fn at(&self, place: usize) -> Option<i64> {
        self.texts.keys().nth(place % self.texts.len().max(1)).copied()
    }

    fn run(&mut self, step: Step) {
        match step {
            Step::Batch(puts, removals, is_kept) => {
                let mut texts = self.texts.clone();
                let batch = self.store.begin(&self.lock).unwrap();
                for text in puts {
                    let scope = SCOPES[text.len() % SCOPES.len()];
                    let id = batch.put_item(&said_in(scope, &text), None).unwrap();
                    self.scopes.insert(id, scope);
                    texts.insert(id, text);
                    self.known.push(id);
                }
                for place in removals {
                    // One that the batch has just put, now and then.
                    let Some(id) = texts.keys().nth_back(place % texts.len().max(1)).copied() else { break };
                    batch.remove_item(id).unwrap();
                    texts.remove(&id);
                }
                if is_kept {
                    batch.commit().unwrap();
                    self.texts = texts;
                    self.lacking.retain(|id| self.texts.contains_key(id));
                }
            }
            Step::Unworded(text) => {
                let mut other = open(self.dir.path());
                let batch = other.begin(&self.lock).unwrap();
                let id = batch.put_item(&said_in(SCOPES[0], &text), None).unwrap();
                batch.commit().unwrap();
                self.texts.insert(id, text);
                self.scopes.insert(id, SCOPES[0]);
                self.lacking.insert(id);
            }
            Step::Forget(place) | Step::Delete(place) => {
                let Some(id) = self.at(place) else { return };
                let batch = self.store.begin(&self.lock).unwrap();
                match step {
                    Step::Delete(_) => batch.delete_items(&[id]).unwrap(),
                    _ => batch.forget_item(id, 7).unwrap(),
                }
                batch.commit().unwrap();
                self.texts.remove(&id);
                self.lacking.remove(&id);
            }
            Step::Overwrite(place, text) => {
                let Some(id) = self.at(place) else { return };
                let batch = self.store.begin(&self.lock).unwrap();
                let sql = "UPDATE item SET body = ?2, words = 0 WHERE id = ?1";
                batch.execute(sql, &crate::store::sql::values![id, &text]).unwrap();
                batch.commit().unwrap();
                if self.texts.insert(id, text.clone()) != Some(text) {
                    self.lacking.insert(id);
                }
            }
            Step::Move(place, scope) => {
                let (Some(id), scope) = (self.at(place), SCOPES[scope]) else { return };
                let batch = self.store.begin(&self.lock).unwrap();
                batch
                    .execute("UPDATE item SET scope = ?2 WHERE id = ?1", &crate::store::sql::values![id, scope])
                    .unwrap();
                batch.commit().unwrap();
                if self.scopes.insert(id, scope) != Some(scope) {
                    self.lacking.insert(id);
                    self.moved.insert(id);
                }
            }
            Step::Alone(scope, text) => {
                let scope = SCOPES[scope];
                let mut alone = worded_as(self.dir.path(), scope);
                let batch = alone.begin(&self.lock).unwrap();
                let id = batch.put_item(&said_in(scope, &text), None).unwrap();
                batch.commit().unwrap();
                self.texts.insert(id, text);
                self.scopes.insert(id, scope);
                self.known.push(id);
                let own = |id: &i64| self.scopes[id] == scope;
                assert_eq!(alone.lacking_words().unwrap(), self.lacking.iter().filter(|id| own(id)).count());
                alone.index_words(LETTERS, 999).unwrap();
                self.lacking.retain(|id| self.scopes[id] != scope);
                alone.merge_words(999).unwrap();
                alone.purge_words().unwrap();
            }
            Step::Fill(most) => {
                assert_eq!(self.store.index_words(LETTERS, most).unwrap(), self.lacking.len().min(most));
                self.lacking = self.lacking.iter().skip(most).copied().collect();
            }
            Step::Merge(most) => drop(self.store.merge_words(most).unwrap()),
            Step::Purge => {
                self.store.purge_words().unwrap();
                assert_eq!((rows(&self.store, "dead_words"), rows(&self.store, "dead_term")), (0, 0));
            }
        }
        self.check();
    }

    /// What a user reads of one scope is what a store of that scope alone would have.
    fn check_scopes(&self) {
        for scope in SCOPES {
            let alone = worded_as(self.dir.path(), scope);
            let is_own = |id: &i64| self.scopes[id] == scope && !self.lacking.contains(id);
            let own = self.texts.iter().filter(|(id, _)| is_own(id)).map(|(id, text)| (*id, text.clone()));
            let own: BTreeMap<i64, String> = own.collect();
            assert_eq!(found(&alone, &self.known), wanted(&own, &self.known), "{scope}");
            let named: BTreeSet<i64> =
                alone.postings(&terms()).unwrap().concat().iter().map(|one| one.version.item).collect();
            let was_own = |id: &i64| self.scopes.get(id).is_none_or(|known| *known == scope);
            let odd: Vec<&i64> = named.iter().filter(|id| !was_own(id) && !self.moved.contains(id)).collect();
            assert_eq!(odd, [&0i64; 0], "{scope}: postings of other scopes");
        }
    }

    fn check(&self) {
        let worded = self.texts.iter().filter(|(id, _)| !self.lacking.contains(id));
        let worded: BTreeMap<i64, String> = worded.map(|(id, text)| (*id, text.clone())).collect();
        assert_eq!(found(&self.store, &self.known), wanted(&worded, &self.known));
        assert_eq!(self.store.lacking_words().unwrap(), self.lacking.len());
        assert_eq!(faults(&self.store), [""; 0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn words_are_always_those_of_the_items(steps in proptest::collection::vec(step(), 1..24)) {
        let mut twin = Twin::new();
        steps.into_iter().for_each(|step| twin.run(step));
        twin.check_scopes();
    }
}

#[test]
fn a_batch_that_is_dropped_leaves_no_words() {
    let (_dir, lock, mut store) = made_worded();
    {
        let batch = store.begin(&lock).unwrap();
        batch.put_item(&said("chunk/1", "abc"), None).unwrap();
        batch.write_words().unwrap();
        batch.put_item(&said("chunk/2", "abd"), None).unwrap();
    }
    for table in ["item_words", "word_segment", "posting", "dead_words", "dead_term"] {
        assert_eq!(rows(&store, table), 0, "{table}");
    }
    assert_eq!(found(&store, &[1, 2]), wanted(&BTreeMap::new(), &[1, 2]));
}

/// In the end there are few segments, with the postings of items that are there and of no others.
#[test]
fn segments_stay_few() {
    let (_dir, lock, mut store) = made_worded();
    let mut texts = BTreeMap::new();
    for at in 0..260 {
        let batch = store.begin(&lock).unwrap();
        let id = batch.put_item(&said(&format!("chunk/{at}"), "abc"), None).unwrap();
        texts.insert(id, "abc".to_owned());
        if at % 2 == 1 {
            batch.remove_item(id - 1).unwrap();
            texts.remove(&(id - 1));
        }
        batch.commit().unwrap();
    }
    assert!(rows(&store, "word_segment") < 10, "{}", rows(&store, "word_segment"));
    assert_eq!(found(&store, &[]), wanted(&texts, &[]));
    while store.merge_words(1_000).unwrap() {}
    let sizes = sizes(&store);
    assert!(sizes.windows(2).all(|two| two[1] > 2 * two[0]), "{sizes:?}");
    assert_eq!((sizes.iter().sum::<usize>(), rows(&store, "posting")), (3 * 130, 3 * sizes.len()));
    assert_eq!((rows(&store, "dead_words"), rows(&store, "dead_term")), (0, 0));
    assert_eq!(found(&store, &[]), wanted(&texts, &[]));
}

/// A batch writes a segment for each scope, and merging leaves one or few for each.
#[test]
fn segments_are_of_one_scope_each() {
    let (dir, lock, mut store) = made_worded();
    let mut texts = BTreeMap::new();
    for at in 0..40 {
        let batch = store.begin(&lock).unwrap();
        for scope in SCOPES {
            let body = &"abcd"[at % 3..];
            texts.insert(batch.put_item(&said_in(scope, body), None).unwrap(), body.to_owned());
        }
        batch.commit().unwrap();
    }
    while store.merge_words(1_000).unwrap() {}
    let sql = "SELECT count(*) FROM (SELECT scope FROM word_segment GROUP BY scope HAVING count(*) <= 4) AS few";
    assert_eq!(store.counted(sql, &[]).unwrap(), SCOPES.len());
    assert_eq!(found(&store, &[]), wanted(&texts, &[]));
    for scope in SCOPES {
        let alone = worded_as(dir.path(), scope);
        assert_eq!(alone.word_totals(&terms()).unwrap().documents, 40);
        assert!(!alone.sees_all_scopes() && store.sees_all_scopes());
    }
}

/// A file that is in another repository now has its words there as soon as that is written.
#[test]
fn words_move_with_their_file() {
    let (dir, lock, mut store) = made_worded();
    let source = Source {
        path: "/a".to_owned(),
        root: "/".to_owned(),
        kind: SourceKind::Text,
        scope: Scope::repository(SCOPES[0]),
        sha256: [0; 32],
        stat: Stat { size: 1, mtime_ns: 1 },
        indexed_at: 1,
    };
    let batch = store.begin(&lock).unwrap();
    let id = batch.put_source(&source).unwrap();
    let item = batch.put_item(&said_in(SCOPES[0], "abc"), Some(id)).unwrap();
    batch.commit().unwrap();
    let texts = [(item, "abc".to_owned())].into();
    let (before, after) = (worded_as(dir.path(), SCOPES[0]), worded_as(dir.path(), SCOPES[1]));
    assert_eq!(found(&before, &[item]), wanted(&texts, &[item]));
    let batch = store.begin(&lock).unwrap();
    batch.move_source(id, &Source { scope: Scope::repository(SCOPES[1]), ..source }).unwrap();
    batch.commit().unwrap();
    for (user, texts) in [(&before, BTreeMap::new()), (&after, texts.clone()), (&store, texts)] {
        assert_eq!(found(user, &[item]), wanted(&texts, &[item]));
        assert_eq!(user.lacking_words().unwrap(), 0);
    }
}

/// Several write, merge and purge at the same time; nobody waits for long, and nothing is done twice or lost.
#[test]
fn several_write_and_merge_at_once() {
    let (dir, lock, store) = made_worded();
    std::thread::scope(|scope| {
        for of_thread in 0..2 {
            let (lock, folder) = (&lock, dir.path());
            scope.spawn(move || {
                let mut store = worded(folder);
                for at in 0..30 {
                    let batch = store.begin(lock).unwrap();
                    let id = batch.put_item(&said("chunk/1", &"abcdefgh"[at % 7..]), None).unwrap();
                    batch.put_item(&said("chunk/1", &"hgfe"[of_thread..]), None).unwrap();
                    if at % 3 == 0 {
                        batch.remove_item(id).unwrap();
                    }
                    batch.commit().unwrap();
                    if at % 5 == 0 {
                        purge_at(&mut store, at);
                    }
                }
            });
            scope.spawn(move || {
                let mut store = worded(folder);
                for _ in 0..100 {
                    store.merge_words(1_000).unwrap();
                }
            });
        }
    });
    let texts: BTreeMap<i64, String> = {
        let ids = store.admitted(&ItemFilter::default(), None).unwrap();
        store.texts_of(&ids).unwrap().into_iter().map(|text| (text.id, text.body)).collect()
    };
    assert_eq!(texts.len(), 100);
    let ids: Vec<i64> = texts.keys().copied().collect();
    assert_eq!(found(&store, &ids), wanted(&texts, &ids));
    let mut store = store;
    while store.merge_words(1_000).unwrap() {}
    let sizes = sizes(&store);
    assert!(sizes.windows(2).all(|two| two[1] > 2 * two[0]), "{sizes:?}");
    assert_eq!(found(&store, &ids), wanted(&texts, &ids));
}

/// Purges every other time.
fn purge_at(store: &mut SharedDatabase, at: usize) {
    if at.is_multiple_of(2) {
        store.purge_words().unwrap()
    }
}

/// Puts in two segments of words, which are too large to be merged at once.
fn put_two_segments(store: &mut SharedDatabase, lock: &WriterLock) {
    for of_batch in 0..2 {
        let batch = store.begin(lock).unwrap();
        for at in 0..520 {
            batch.put_item(&said(&format!("chunk/{of_batch}/{at}"), "abcdefgh"), None).unwrap();
        }
        batch.commit().unwrap();
    }
}

/// A merge never waits, and does not touch what others merge.
#[test]
fn what_others_merge_is_left_to_them() {
    let (dir, lock, mut store) = made_worded();
    put_two_segments(&mut store, &lock);
    assert_eq!(rows(&store, "word_segment"), 2);
    let mut other = worded(dir.path());
    let merging = store.begin_aside().unwrap();
    merging.exists("SELECT FROM word_segment FOR UPDATE", &[]).unwrap();
    assert!(!other.merge_words(99_999).unwrap());
    drop(merging);
    assert!(!other.merge_words(8_319).unwrap(), "one segment would have more");
    assert!(other.merge_words(8_320).unwrap() && !other.merge_words(8_320).unwrap());
    assert_eq!((rows(&store, "word_segment"), rows(&store, "posting")), (1, 8));
}

#[test]
fn what_was_copied_gets_words() {
    let here = tempfile::tempdir().unwrap();
    let own = lock(here.path());
    let mut file = Database::open_to_write(&own).unwrap();
    let put = |file: &mut Database, body: &str| {
        let batch = WriteStore::begin(file, &own).unwrap();
        let id = batch.put_item(&said("chunk/1", body), None).unwrap();
        WriteBatch::commit(batch).unwrap();
        id
    };
    let mut texts: BTreeMap<i64, String> =
        ["abc", "bcd", "", "h"].iter().map(|body| (put(&mut file, body), (*body).to_owned())).collect();
    let (dir, _lock, mut store) = made_worded();
    let copy = || {
        let (from, to) = (StorePlace::Folder(here.path().to_owned()), StorePlace::Address(address_of(dir.path())));
        assert!(copy_store(&from, &to, &Access::default(), &mut |_, _| {}).unwrap().same);
    };
    copy();
    assert_eq!(store.lacking_words().unwrap(), 4);
    assert_eq!(found(&store, &[]), wanted(&BTreeMap::new(), &[]));
    let filled: Vec<usize> = (0..3).map(|_| store.index_words(LETTERS, 3).unwrap()).collect();
    assert_eq!((filled, store.lacking_words().unwrap()), (vec![3, 1, 0], 0));
    assert_eq!(found(&store, &[]), wanted(&texts, &[]));
    // Another text of the same number, and another number.
    let (first, last) = (*texts.keys().next().unwrap(), *texts.keys().last().unwrap());
    let batch = WriteStore::begin(&mut file, &own).unwrap();
    batch.execute("UPDATE item SET body = 'aab' WHERE id = ?1", &crate::store::sql::values![first]).unwrap();
    batch.remove_item(last).unwrap();
    WriteBatch::commit(batch).unwrap();
    texts.insert(first, "aab".to_owned());
    texts.remove(&last);
    let id = put(&mut file, "gh");
    texts.insert(id, "gh".to_owned());
    copy();
    assert_eq!((store.lacking_words().unwrap(), store.index_words(LETTERS, 9).unwrap()), (2, 2));
    let ids = [last, id, first];
    assert_eq!(found(&store, &ids), wanted(&texts, &ids));
    store.purge_words().unwrap();
    assert_eq!(found(&store, &ids), wanted(&texts, &ids));
}

/// A store that keeps letters as words.
fn with_letters(lock: &WriterLock) -> Database {
    let folder = lock.folder();
    let shared = SharedStore { words: Some(LETTERS), ..SharedStore::at(address_of(folder)) };
    Database::open_to_write_at(&Place::shared(folder, shared), lock).unwrap()
}

/// Nothing is left of the words of what was forgotten once its traces are erased.
#[test]
fn what_was_forgotten_leaves_no_words() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let mut store = with_letters(&lock);
    let batch = store.begin(&lock).unwrap();
    let gone = batch.put_item(&said("chunk/1", "ab"), None).unwrap();
    let kept = batch.put_item(&said("chunk/2", "bc"), None).unwrap();
    batch.commit().unwrap();
    let batch = store.begin(&lock).unwrap();
    batch.forget_item(gone, 7).unwrap();
    batch.commit().unwrap();
    let named = |store: &Database| -> Vec<usize> {
        let postings = store.shared().unwrap().postings(&terms()).unwrap();
        postings.iter().map(Vec::len).filter(|many| *many > 0).collect()
    };
    assert_eq!(named(&store), [1, 2, 1]);
    assert!(store.erase_traces(&lock, Duration::ZERO).unwrap());
    assert_eq!(named(&store), [1, 1]);
    let words = store.shared().unwrap();
    assert_eq!((rows(words, "dead_words"), rows(words, "dead_term"), rows(words, "posting")), (0, 0, 2));
    assert_eq!(found(words, &[gone, kept]), wanted(&[(kept, "bc".to_owned())].into(), &[gone, kept]));
}

/// What an item leaves in the lists of words is found by its rarest term. Lists of other segments are not read, nor are
/// lists of other terms: a reader would stumble over them here.
#[test]
fn lists_without_an_item_that_is_gone_are_not_read() {
    let (dir, lock, mut store) = made_worded();
    let mut gone = 0;
    for (scope, rare) in [("repo/a", ""), ("repo/a", "z"), ("repo/b", "")] {
        let batch = store.begin(&lock).unwrap();
        for at in 0..520 {
            let uid = format!("chunk/{scope}/{rare}/{at}");
            batch.put_item(&Item { uid, ..said_in(scope, "abcdefgh") }, None).unwrap();
        }
        if !rare.is_empty() {
            gone = batch.put_item(&said_in(scope, &format!("ab{rare}")), None).unwrap();
        }
        batch.commit().unwrap();
    }
    assert_eq!(rows(&store, "word_segment"), 3);
    let lists = |store: &SharedDatabase| {
        let sql = "SELECT segment, term, documents FROM posting ORDER BY segment, term";
        store.rows(sql, &[], |row| Ok((row.integer(0)?, row.integer(1)?, row.integer(2)?))).unwrap()
    };
    let sql = "SELECT born FROM item_words WHERE item = ?1";
    let born = store.one(sql, &crate::store::sql::values![gone], |row| row.integer(0)).unwrap();
    let held = [b'a', b'b', b'z'].map(|letter| term(letter) as i64);
    let before = lists(&store);
    let is_read = format!("segment = {born} AND term IN ({}, {}, {})", held[0], held[1], held[2]);
    let damage = format!("UPDATE kenning.posting SET entries = '\x01' WHERE NOT ({is_read})");
    assert!(server().psql(&database_of(dir.path()), &damage).contains("UPDATE 22"), "of 25 lists");
    let batch = store.begin(&lock).unwrap();
    batch.delete_items(&[gone]).unwrap();
    batch.commit().unwrap();
    store.purge_words().unwrap();
    let fewer = |&(segment, term, documents): &(i64, i64, i64)| {
        let is_of_it = segment == born && held.contains(&term);
        (segment, term, documents - i64::from(is_of_it))
    };
    let wanted: Vec<_> = before.iter().map(fewer).filter(|(_, _, documents)| *documents > 0).collect();
    assert_eq!(lists(&store), wanted);
    assert_eq!((rows(&store, "dead_words"), rows(&store, "dead_term")), (0, 0));
    assert_eq!(sizes(&store), [4160; 3]);
}

/// A deletion leaves the lists of words as they are. Whatever is forgotten next takes everything out of them that is
/// gone, and so does a clean-up.
#[test]
fn lists_of_words_name_what_was_deleted_until_something_is_forgotten_or_cleaned_up() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let mut store = with_letters(&lock);
    let batch = store.begin(&lock).unwrap();
    let put = |body: &&str| (batch.put_item(&said("chunk/1", body), None).unwrap(), (*body).to_owned());
    let mut texts: BTreeMap<i64, String> = ["ab", "bc", "cd", "de"].iter().map(put).collect();
    batch.commit().unwrap();
    let ids: Vec<i64> = texts.keys().copied().collect();
    let mut gone = |store: &mut Database, id: i64, is_forgotten: bool| {
        let batch = store.begin(&lock).unwrap();
        match is_forgotten {
            true => batch.forget_item(id, 7).unwrap(),
            false => batch.delete_items(&[id]).unwrap(),
        }
        batch.commit().unwrap();
        texts.remove(&id);
        assert_eq!(store.has_traces().unwrap(), is_forgotten);
        assert!(store.erase_traces(&lock, Duration::ZERO).unwrap() && !store.has_traces().unwrap());
        assert_eq!(found(store.shared().unwrap(), &ids), wanted(&texts, &ids));
        rows(store.shared().unwrap(), "dead_words")
    };
    assert_eq!((gone(&mut store, ids[0], false), gone(&mut store, ids[1], false)), (1, 2));
    assert_eq!(gone(&mut store, ids[2], true), 0);
    assert_eq!(gone(&mut store, ids[3], false), 1);
    store.clean(&lock).unwrap();
    let words = store.shared().unwrap();
    assert_eq!((rows(words, "dead_words"), rows(words, "dead_term"), rows(words, "posting")), (0, 0, 0));
}

#[test]
fn the_newest_postings_are_read_alone() {
    let (_dir, lock, mut store) = made_worded();
    let mut put = |scope: &str, many: std::ops::Range<usize>| {
        let batch = store.begin(&lock).unwrap();
        let item = |at: usize| Item { uid: format!("chunk/{at}"), ..said_in(scope, "abcdefgh") };
        let ids: Vec<i64> = many.map(|at| batch.put_item(&item(at), None).unwrap()).collect();
        batch.commit().unwrap();
        ids
    };
    let (_, newer, other) = (put("repo/a", 0..520), put("repo/a", 520..1_040), put("repo/b", 1_040..1_043));
    let scope = |name: &str| vec![Scope::repository(name)];
    let read = |scopes: &[Scope], most: usize| -> Vec<BTreeSet<i64>> {
        let found = store.newest_postings(&[term(b'a'), term(b'z'), term(b'h')], scopes, most).unwrap();
        found.iter().map(|of_one| of_one.iter().map(|one| one.version.item).collect()).collect()
    };
    let of = |ids: &[i64]| -> BTreeSet<i64> { ids.iter().copied().collect() };
    assert_eq!(read(&scope("repo/b"), 3), [of(&other), of(&[]), of(&other)]);
    assert_eq!(read(&[], 3), [of(&other), of(&[]), of(&other)], "the newest segment");
    assert_eq!(read(&scope("repo/a"), 2)[0], of(&newer[..2]));
    assert_eq!(read(&scope("repo/a"), 520)[2], of(&newer));
    assert_eq!(read(&scope("repo/a"), 521)[2].len(), 521);
    let all = |postings: Vec<Vec<Posting>>| -> Vec<BTreeSet<_>> {
        let of = |one: &Posting| (one.version, one.count, one.length);
        postings.iter().map(|of_one| of_one.iter().map(of).collect()).collect()
    };
    let newest = store.newest_postings(&terms(), &[], 1_043).unwrap();
    assert_eq!(all(newest), all(store.postings(&terms()).unwrap()), "all there are");
}

/// While one machine erases what is left, another one forgets more: what says that something is left goes with the last
/// word that is, whichever of them takes it away.
#[test]
fn words_that_another_machine_forgets_meanwhile_are_not_taken_for_gone() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let shared = SharedStore { words: Some(LETTERS), ..SharedStore::at(address_of(dir.path())) };
    let place = Place::shared(dir.path(), shared);
    let open = || Database::open_to_write_at(&place, &lock).unwrap();
    let (mut here, mut there) = (open(), open());
    let batch = here.begin(&lock).unwrap();
    let ids: Vec<i64> = (0..60).map(|n| batch.put_item(&said(&format!("chunk/{n}"), "abc"), None).unwrap()).collect();
    batch.commit().unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for id in ids {
                let batch = there.begin(&lock).unwrap();
                batch.forget_item(id, 7).unwrap();
                batch.commit().unwrap();
            }
            is_done.store(true, Ordering::SeqCst);
        });
        while !is_done.load(Ordering::SeqCst) {
            here.erase_traces(&lock, Duration::ZERO).unwrap();
            let is_forgotten = "SELECT FROM dead_words WHERE NOT EXISTS (SELECT FROM meta WHERE key = 'traces')";
            assert!(!here.shared().unwrap().exists(is_forgotten, &[]).unwrap(), "nobody knows of them");
        }
    });
    assert!(here.erase_traces(&lock, Duration::ZERO).unwrap());
    assert_eq!(rows(here.shared().unwrap(), "dead_words"), 0);
}

#[test]
fn what_passes_is_what_a_filter_admits() {
    let (_dir, lock, mut store) = made_worded();
    let batch = store.begin(&lock).unwrap();
    let put =
        |uid: &str, kind: Kind, scope: Scope| batch.put_item(&Item { kind, scope, ..said(uid, "ab") }, None).unwrap();
    put("chunk/1", Kind::Chunk, Scope::global());
    put("fact/2", Kind::Fact, Scope::global());
    put("chunk/3", Kind::Chunk, Scope::repository("a/b"));
    batch.commit().unwrap();
    let versions: Vec<ItemVersion> =
        store.postings(&[term(b'a')]).unwrap()[0].iter().map(|posting| posting.version).collect();
    assert_eq!(versions.len(), 3);
    let older = |version: &ItemVersion| ItemVersion { born: version.born - 1, ..*version };
    let all: Vec<ItemVersion> = versions.iter().copied().chain(versions.iter().map(older)).collect();
    let some = ItemFilter { kinds: vec![Kind::Chunk], tags: Vec::new(), ..ItemFilter::default() };
    let of_scope = ItemFilter { scopes: vec![Scope::repository("a/b")], ..some.clone() };
    let view = MemoryView::default();
    for filter in [ItemFilter::default(), some, of_scope] {
        for view in [None, Some(&view)] {
            let passed = store.admits(&filter, view, &all).unwrap();
            assert!(passed.iter().all(|version| versions.contains(version)), "{passed:?}");
            let mut ids: Vec<i64> = passed.iter().map(|version| version.item).collect();
            ids.sort_unstable();
            assert_eq!(ids, store.admitted(&filter, view).unwrap());
        }
    }
}

/// Damages the tables while no trigger runs. The check reports each damage, and nothing after the rebuild.
#[test]
fn words_that_do_not_fit_the_items_are_found_and_made_again() {
    const TOTALS: &str = "word-totals false: 1 scopes have wrong totals of items or words";
    const LISTS: &str = "word-lists false: 1 scopes have lists of words that differ from the words of their items";
    const LEFT: &str = "words-left false: 1 items that are gone or in another scope still have words";
    const NAMED: &str = "words-left false: the lists of words name 1 items that have no words";
    const MISSING: &str = "words-missing false: 1 items without words that the totals do not count";
    const UNREAD: &str = "word-lists true: 1 lists of words cannot be read";
    let (dir, lock, mut store) = made_worded();
    let name = database_of(dir.path());
    let cases: &[(&str, &[&str])] = &[
        ("DELETE FROM item_words WHERE item = FIRST", &[MISSING, TOTALS, LISTS, NAMED]),
        ("DELETE FROM item WHERE id = FIRST", &[LEFT, TOTALS]),
        ("UPDATE item SET state = 'disputed' WHERE id = FIRST", &[LEFT, TOTALS]),
        ("DELETE FROM dead_words", &[NAMED]),
        ("DELETE FROM dead_term", &[LISTS]),
        ("DELETE FROM posting WHERE ctid = (SELECT min(ctid) FROM posting)", &[LISTS]),
        ("UPDATE posting SET term = term + 1 WHERE ctid = (SELECT min(ctid) FROM posting)", &[LISTS]),
        ("UPDATE word_total SET items = items + 1", &[TOTALS]),
        ("UPDATE word_total SET documents = documents - 1", &[TOTALS]),
        ("UPDATE word_total SET tokens = tokens + 1", &[TOTALS]),
        ("DELETE FROM word_total", &[TOTALS]),
        ("INSERT INTO word_total (scope, items, documents, tokens) VALUES ('nowhere', 1, 0, 0)", &[TOTALS]),
        ("UPDATE posting SET entries = '\\x01' WHERE ctid = (SELECT min(ctid) FROM posting)", &[UNREAD]),
        ("UPDATE item_words SET counts = '' WHERE item = FIRST", &[UNREAD]),
    ];
    for (damage, said) in cases {
        let batch = store.begin(&lock).unwrap();
        let ids = ["abc", "bcd", "cde"].map(|body| batch.put_item(&said_in("repo/d", body), None).unwrap());
        batch.commit().unwrap();
        let batch = store.begin(&lock).unwrap();
        batch.remove_item(ids[2]).unwrap();
        batch.commit().unwrap();
        assert_eq!(faults(&store), [""; 0], "{damage}");
        let damage = damage.replace("FIRST", &ids[0].to_string());
        let ran = server()
            .psql(&name, &format!("SET session_replication_role = replica; SET search_path = kenning; {damage}"));
        assert!(!ran.contains("ERROR"), "{ran}");
        assert_eq!(faults(&store), *said, "{damage}");
        let batch = store.begin(&lock).unwrap();
        batch.forget_derived().unwrap();
        batch.commit().unwrap();
        assert_eq!(faults(&store), [""; 0], "{damage}");
        while store.index_words(LETTERS, 99).unwrap() > 0 {}
        assert_eq!((faults(&store), store.lacking_words().unwrap()), (vec![], 0), "{damage}");
        let batch = store.begin(&lock).unwrap();
        batch.execute("DELETE FROM item", &[]).unwrap();
        batch.forget_derived().unwrap();
        batch.commit().unwrap();
    }
}

/// A merge that runs during `forget_derived` leaves no list behind.
#[test]
fn what_is_merged_meanwhile_goes_too() {
    let (dir, lock, mut store) = made_worded();
    put_two_segments(&mut store, &lock);
    let is_merged = Barrier::new(2);
    let batch = store.begin(&lock).unwrap();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let (merger, other) = (worded(dir.path()), open(dir.path()));
            let merging = merger.begin_aside().unwrap();
            assert!(merging.merge(99_999, None).unwrap());
            is_merged.wait();
            let waits = "SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()";
            while !other.exists(waits, &[]).unwrap() {
                std::thread::sleep(Duration::from_millis(10));
            }
            merging.commit().unwrap();
        });
        is_merged.wait();
        batch.forget_derived().unwrap();
    });
    batch.commit().unwrap();
    assert_eq!((rows(&store, "posting"), rows(&store, "word_segment")), (0, 0));
}

#[test]
fn words_that_nobody_wrote_are_damage() {
    let (dir, lock, mut store) = made_worded();
    let batch = store.begin(&lock).unwrap();
    let id = batch.put_item(&said("chunk/1", "ab"), None).unwrap();
    batch.commit().unwrap();
    let name = database_of(dir.path());
    server().psql(&name, "UPDATE kenning.posting SET entries = '\\x0105'; UPDATE kenning.item_words SET counts = ''");
    assert_eq!(store.postings(&terms()).unwrap_err().kind(), ErrorKind::Damaged);
    assert_eq!(store.counts_of(&[id], &terms()).unwrap_err().kind(), ErrorKind::Damaged);
}
