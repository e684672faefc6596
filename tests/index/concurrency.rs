//! One data directory, one process, many threads: eight search, two look up, one indexes, one forgets, one cleans and
//! one changes the model and changes it back, all at once.
//!
//! A ledger says what was acknowledged. What holds, for a search that begins after that: a text whose indexing has
//! returned is the first when it is asked for; one that is gone, was replaced or forgotten is found under no item, also
//! when its file is still there and is indexed again. Lookups answer as they did when nothing else ran. Only while the
//! index has another model than the engine may a search be refused, and then for that reason. Memory does not grow
//! after the first minute.
//!
//! `KEN_SECONDS` says how long. Memory is judged from three minutes on, and only if the allocator keeps one arena: glibc
//! gives each thread one of its own, and those of thirteen threads go on filling up for longer than anybody waits.
//!
//! ```text
//! MALLOC_ARENA_MAX=1 KEN_SECONDS=600 cargo test --release index::concurrency -- --nocapture
//! ```

mod house;

use crate::store::churn::ledger::{self, Chance, Following, Line, Writing, which};
use crate::store::churn::reader::found;
use crate::support::held::on_every_store;
use crate::support::ken::User;
use crate::support::tiny::Tiny;
use house::{House, Refusal};
use kenning::error::ErrorKind;
use kenning::types::{Answer, Content};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const MODEL: &str = "bge-small-en-v1.5-int8";
/// Seconds from which on the model changes too. A change embeds everything again, for which a short run has no time.
const MODELS_FROM: u64 = 120;
const SEARCHERS: u64 = 8;
const LOOKUPS: u64 = 2;
/// Files that the indexer changes, and files that are written to be forgotten.
const INDEXED: usize = 120;
const DOOMED: usize = 24;
/// Files that change between two acknowledgements.
const AT_A_TIME: usize = 6;
/// Between two steps of a thread, so that others get on.
const PAUSE: Duration = Duration::from_millis(20);
const CLEAN_PAUSE: Duration = Duration::from_millis(300);
const MODEL_PAUSE: Duration = Duration::from_secs(3);
/// After so long something hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// Violations that are kept; the first ones say what is wrong.
const KEPT: usize = 20;

/// One for each way of answering: a pattern, meaning, and nothing.
const QUESTIONS: [&str; 3] = [
    "Error: Error acquiring the state lock\n\nError message: ConditionalCheckFailedException: \
     The conditional request failed",
    "my pipeline got cancelled halfway through an apply and now every run says somebody else is holding the state",
    "a recipe for bread with walnuts",
];

fn seconds() -> u64 {
    crate::support::long::amount("KEN_SECONDS", 10, 5).into()
}

/// The text of a row in a version, which no other has. What is forgotten by id keeps out what is much like it, so those
/// texts have words of their own beside those that all texts share.
fn text(row: usize, version: u32) -> String {
    let own = ledger::text(row, version);
    if row < INDEXED {
        return own;
    }
    let backwards = |word: &str| word.chars().rev().collect::<String>();
    let more: Vec<String> = (1..3)
        .map(|nth| ledger::text(row + 1000 * nth, version))
        .flat_map(|other| other.split_whitespace().filter(|word| word.len() > 4).map(backwards).collect::<Vec<_>>())
        .collect();
    format!("{} {}\n", own.trim_end(), more.join(" "))
}

/// What all threads share.
struct World {
    user: User,
    house: House,
    /// The folder of the model that it changes to.
    other: String,
    ledger: Mutex<Writing>,
    ledger_path: PathBuf,
    end: Instant,
    /// Odd while the index has another model than the engine.
    changes: AtomicU64,
    violations: Mutex<Vec<String>>,
    /// Searches, those for what was there and for what was gone, lookups, indexings, forgettings, cleanings.
    done: [AtomicU64; 7],
}

/// What is counted.
#[derive(Clone, Copy)]
enum Done {
    Searches,
    OfPresent,
    OfGone,
    Lookups,
    Indexings,
    Forgettings,
    Cleanings,
}

impl World {
    fn count(&self, what: Done) {
        self.done[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    fn counted(&self, what: Done) -> u64 {
        self.done[what as usize].load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        Instant::now() > self.end
    }

    fn wrong(&self, text: String) {
        let mut all = self.violations.lock().unwrap();
        if all.len() < KEPT {
            all.push(text);
        }
    }

    /// What an engine that has only just been opened finds first: tells a stale snapshot from a loss.
    fn found_elsewhere(&self, asked: &str, by_words: bool) -> Option<(usize, u32)> {
        let answer = House::new(&self.user).search(asked, by_words).ok()?;
        found(&answer).first().copied()
    }

    fn say(&self, sure: bool, rows: &[(usize, u32)]) {
        let lines: Vec<Line> = rows.iter().map(|(row, version)| Line { sure, row: *row, version: *version }).collect();
        self.ledger.lock().unwrap().say(&lines);
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.user.work().join(name)
    }

    /// Writes or removes the files of these rows; version 0 is no file.
    fn write(&self, folder: &str, rows: &[(usize, u32)]) {
        for (row, version) in rows {
            match version {
                0 => drop(std::fs::remove_file(self.folder(folder).join(format!("{row}.txt")))),
                some => drop(self.user.document(&format!("{folder}/{row}.txt"), text(*row, *some))),
            }
        }
    }

    /// Calls until it is done: another writer may be busy, or the index may have another model for a while.
    fn insist(&self, what: &str, call: impl Fn() -> Result<(), Refusal>) {
        let patience = Instant::now() + PATIENCE;
        while let Err(refusal) = call() {
            let may_be = matches!(refusal.kind, ErrorKind::Busy | ErrorKind::Mismatch);
            if !may_be || Instant::now() > patience {
                return self.wrong(format!("{what}: {refusal}"));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Changes rows of a folder, indexes it, and says so.
    fn index(&self, folder: &str, rows: &[(usize, u32)]) {
        self.say(false, rows);
        self.write(folder, rows);
        self.insist("index", || self.house.index(&self.folder(folder)));
        self.say(true, rows);
        self.count(Done::Indexings);
    }
}

fn keep_indexing(world: &World) {
    let mut chance = Chance(101);
    let mut versions = vec![1u32; INDEXED];
    loop {
        let mut rows: Vec<usize> = (0..AT_A_TIME).map(|_| chance.below(INDEXED)).collect();
        rows.sort_unstable();
        rows.dedup();
        let change = |row: usize| {
            versions[row] += 1;
            (row, if chance.below(4) == 0 { 0 } else { versions[row] })
        };
        let rows: Vec<(usize, u32)> = rows.into_iter().map(change).collect();
        world.index("indexed", &rows);
        if world.is_over() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Writes texts, indexes them, and forgets half of them by path and half by id. The files of the latter stay.
fn keep_forgetting(world: &World) {
    let mut version = 0;
    loop {
        version += 1;
        let rows: Vec<(usize, u32)> = (INDEXED..INDEXED + DOOMED).map(|row| (row, version)).collect();
        world.index("doomed", &rows);
        for pair in rows.chunks(2) {
            let [(by_path, _), (by_id, _)] = [pair[0], pair[1]];
            world.say(false, &[(by_path, 0)]);
            world.write("doomed", &[(by_path, 0)]);
            let path = world.folder("doomed").join(format!("{by_path}.txt"));
            world.insist("forget a path", || world.house.forget_paths(std::slice::from_ref(&path)));
            world.say(true, &[(by_path, 0)]);
            if let Some(id) = id_of(world, by_id, version) {
                world.say(false, &[(by_id, 0)]);
                world.insist("forget an id", || world.house.forget_items(std::slice::from_ref(&id)));
                world.say(true, &[(by_id, 0)]);
            }
            world.count(Done::Forgettings);
            if world.is_over() {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        // What was forgotten by id stays forgotten, though its file is still there.
        world.insist("index", || world.house.index(&world.folder("doomed")));
        if world.is_over() {
            return;
        }
    }
}

/// The id of an indexed text, as a search gives it.
fn id_of(world: &World, row: usize, version: u32) -> Option<String> {
    let id = Mutex::new(None);
    world.insist("search for an id", || {
        let answer = world.house.search(&text(row, version), false)?;
        let hits = answer.results.iter().flat_map(|finding| &finding.hits);
        let is_it =
            |content: &Content| matches!(content, Content::Passage(one) if which(&one.snippet) == Some((row, version)));
        *id.lock().unwrap() = hits.filter(|hit| is_it(&hit.content)).map(|hit| hit.id.clone()).next();
        Ok(())
    });
    let id = id.into_inner().unwrap();
    if id.is_none() {
        world.wrong(format!("row {row} version {version} was indexed and is not found to be forgotten"));
    }
    id
}

fn keep_cleaning(world: &World) {
    loop {
        world.insist("gc", || world.house.clean());
        world.count(Done::Cleanings);
        if world.is_over() {
            return;
        }
        std::thread::sleep(CLEAN_PAUSE);
    }
}

fn keep_changing_the_model(world: &World) {
    let mut pause = MODEL_PAUSE;
    loop {
        std::thread::sleep(pause.min(world.end.saturating_duration_since(Instant::now())));
        let start = Instant::now();
        world.changes.fetch_add(1, Ordering::SeqCst);
        world.insist("another model", || world.house.change_model(&world.other));
        world.insist("the model again", || world.house.change_model(MODEL));
        world.changes.fetch_add(1, Ordering::SeqCst);
        // Most searches should fall between two changes, also on a slow machine.
        pause = MODEL_PAUSE.max(2 * start.elapsed());
        if world.is_over() {
            return;
        }
    }
}

fn keep_looking_up(world: &World, seed: u64, right: &[Vec<String>]) {
    let mut chance = Chance(seed);
    loop {
        let at = chance.below(QUESTIONS.len());
        match world.house.lookup(QUESTIONS[at]) {
            Ok(found) if found == right[at] => {}
            Ok(found) => world.wrong(format!("lookup {at}: {found:?}, not {:?}", right[at])),
            Err(refusal) => world.wrong(format!("lookup {at}: {refusal}")),
        }
        world.count(Done::Lookups);
        if world.is_over() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

fn keep_searching(world: &World, seed: u64) {
    let mut ledger = Following::new(&world.ledger_path);
    let mut chance = Chance(seed);
    loop {
        let before = ledger.fresh();
        ledger.take(&before);
        if let Some(asked) = ledger.choose(&mut chance) {
            search(world, &mut ledger, asked, chance.below(4) == 0);
        }
        // On a busy machine the model may be changing until the end: then one more text is found after that.
        let is_enough = world.counted(Done::OfPresent) > 0 || Instant::now() > world.end + PATIENCE;
        if world.is_over() && is_enough {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Asks for a text, and holds what is found against what was acknowledged before and said meanwhile.
fn search(world: &World, ledger: &mut Following, (row, version): (usize, u32), by_words: bool) {
    let change = world.changes.load(Ordering::SeqCst);
    let answer: Result<Answer, Refusal> = world.house.search(&text(row, version), by_words);
    let is_changing = change % 2 == 1 || world.changes.load(Ordering::SeqCst) != change;
    let meanwhile = ledger.fresh();
    world.count(Done::Searches);
    let asked = format!("asked for row {row} version {version}, words {by_words}");
    match answer {
        Err(refusal) if is_changing && refusal.kind == ErrorKind::Mismatch => {}
        Err(refusal) => world.wrong(format!("{asked}: {refusal}")),
        Ok(answer) => {
            let found = found(&answer);
            for (row, version) in found.iter().filter(|(row, version)| !ledger.may_be(*row, *version, &meanwhile)) {
                world.wrong(format!("{asked}: row {row} version {version} is gone and was found"));
            }
            if !ledger.may_be(row, version, &meanwhile) {
                world.count(Done::OfGone);
            } else if ledger.must_be(row, version, &meanwhile) && !is_changing {
                world.count(Done::OfPresent);
                if found.first() != Some(&(row, version)) {
                    let elsewhere = world.found_elsewhere(&text(row, version), by_words);
                    let at = Instant::now();
                    world.wrong(format!(
                        "{asked}: it is there and not the first; {found:?}; another engine: {elsewhere:?}; {at:?}"
                    ));
                }
            }
        }
    }
    ledger.take(&meanwhile);
}

/// Asks for everything once nobody writes: what the ledger has is there, and what it had is not.
fn ask_for_everything(world: &World) {
    let rows = world.ledger.lock().unwrap().rows.clone();
    for (row, known) in rows.iter().enumerate() {
        assert!(known.maybe.is_empty(), "row {row} is not acknowledged: {known:?}");
        let newest = known.sure.max(1);
        let found = found(&world.house.search(&text(row, newest), false).unwrap());
        assert_eq!(found.first() == Some(&(row, known.sure)), known.sure > 0, "row {row}, {known:?}: {found:?}");
        let gone = found.iter().find(|(row, version)| rows[*row].sure != *version);
        assert_eq!(gone, None, "{found:?}");
    }
}

/// Memory of its own that this process holds, in KiB: what is mapped of files is the system's to keep or to drop. None
/// where the system does not tell.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Memory of the second minute and of the last, in KiB, of one value a second; none of less than three minutes.
fn second_and_last_minute(samples: &[u64]) -> Option<[u64; 2]> {
    if samples.len() < 180 {
        return None;
    }
    Some([&samples[60..120], &samples[samples.len() - 60..]].map(|minute| {
        let mut minute = minute.to_vec();
        minute.sort_unstable();
        minute[minute.len() / 2]
    }))
}

/// Whether memory stays: what a process holds moves by a few pages whatever it does.
fn is_flat([second, last]: [u64; 2]) -> bool {
    last <= second + second / 20 + 4 * 1024
}

on_every_store!(what_is_indexed_between_two_models_is_found, everything_at_once);

#[test]
fn memory_that_grows_is_noticed() {
    let growing: Vec<u64> = (0..600).map(|second| 200_000 + second * 50).collect();
    assert!(!is_flat(second_and_last_minute(&growing).unwrap()));
    let flat: Vec<u64> =
        (0..600).map(|second| if second < 50 { second * 4_000 } else { 200_000 + second % 7 }).collect();
    assert!(is_flat(second_and_last_minute(&flat).unwrap()));
    assert_eq!(second_and_last_minute(&growing[..179]), None);
}

/// Writes a second model and gives its folder. It is tiny, because a change of model embeds all packs again.
fn other(user: &User) -> String {
    let folder = user.home().parent().unwrap().join("other");
    Tiny::indexer().write(&folder);
    folder.into_os_string().into_string().unwrap()
}

fn world(user: User) -> World {
    let ledger_path = user.home().parent().unwrap().join("ledger");
    World {
        house: House::new(&user),
        other: other(&user),
        ledger: Mutex::new(Writing::new(&ledger_path)),
        ledger_path,
        end: Instant::now(),
        changes: AtomicU64::new(0),
        violations: Mutex::default(),
        done: Default::default(),
        user,
    }
}

/// What is indexed while the index has another model than the engine is found when it has the engine's again.
fn what_is_indexed_between_two_models_is_found(new: fn() -> User) {
    let user = new().with_model(MODEL);
    let other = other(&user);
    let house = House::new(&user);
    let write = |row: usize, version: u32| drop(user.document(&format!("indexed/{row}.txt"), text(row, version)));
    let folder = user.work().join("indexed");
    (0..12).for_each(|row| write(row, 1));
    house.index(&folder).unwrap();
    let first = |row: usize, version: u32, words: bool| {
        let found = found(&house.search(&text(row, version), words).unwrap());
        assert_eq!(found.first(), Some(&(row, version)), "{found:?}, words {words}");
    };
    for round in 0..3u32 {
        house.change_model(&other).unwrap();
        write(3, round + 2);
        let refused = house.index(&folder).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Mismatch, "{refused}");
        write(4, round + 2);
        if round == 1 {
            house.clean().unwrap();
        }
        house.change_model(MODEL).unwrap();
        house.index(&folder).unwrap();
        for words in [false, true] {
            first(3, round + 2, words);
            first(4, round + 2, words);
            first(5, 1, words);
        }
    }
}

fn everything_at_once(new: fn() -> User) {
    let mut world = world(new().with_model(MODEL));
    world.index("indexed", &(0..INDEXED).map(|row| (row, 1)).collect::<Vec<_>>());
    let right: Vec<Vec<String>> = QUESTIONS.iter().map(|question| world.house.lookup(question).unwrap()).collect();
    assert!(right[0].len() + right[1].len() >= 2 && right[2].is_empty(), "{right:?}");
    ask_for_everything(&world);
    world.end = Instant::now() + Duration::from_secs(seconds());
    let (world, right) = (&world, &right[..]);
    let mut samples = Vec::new();
    std::thread::scope(|scope| {
        (0..SEARCHERS).for_each(|seed| drop(scope.spawn(move || keep_searching(world, seed))));
        (0..LOOKUPS).for_each(|seed| drop(scope.spawn(move || keep_looking_up(world, seed, right))));
        scope.spawn(|| keep_indexing(world));
        scope.spawn(|| keep_forgetting(world));
        scope.spawn(|| keep_cleaning(world));
        if seconds() >= MODELS_FROM {
            scope.spawn(|| keep_changing_the_model(world));
        }
        while !world.is_over() {
            samples.extend(resident_kib());
            std::thread::sleep(Duration::from_secs(1).min(world.end.saturating_duration_since(Instant::now())));
        }
    });
    let minutes = second_and_last_minute(&samples);
    let count = |what: Done| world.counted(what);
    drop(writeln!(
        std::io::stderr(),
        "{} searches, {} for what was there, {} for what was gone; {} lookups, {} indexings, {} forgettings, \
         {} cleanings, {} changes of the model; {:?} KiB in the second and the last minute",
        count(Done::Searches),
        count(Done::OfPresent),
        count(Done::OfGone),
        count(Done::Lookups),
        count(Done::Indexings),
        count(Done::Forgettings),
        count(Done::Cleanings),
        world.changes.load(Ordering::SeqCst) / 2,
        minutes,
    ));
    assert_eq!(*world.violations.lock().unwrap(), Vec::<String>::new());
    ask_for_everything(world);
    world.user.assert_sound();
    let is_judged = std::env::var("MALLOC_ARENA_MAX").is_ok_and(|most| most == "1");
    assert!(!is_judged || minutes.is_none_or(is_flat), "memory grew from {minutes:?} KiB");
    assert!(count(Done::OfPresent) > 0, "no search was for a text that had to be there");
}
