//! Churn: many rows, then half of them inserted, updated and deleted at random while two processes with two readers
//! each search, and the writer is killed (`kill -9`) whatever it is at: while it writes the database, cleans it, builds
//! the file of vectors, writes that, or puts it in its place.
//!
//! What holds: a text that is known to be gone is never found, under no item; a text that is known to be there is the
//! first when it is asked for; after each kill a row is as it was before or as it was to become; and searches by the
//! file of vectors and what lies over it find what comparing everything in the database finds, with the recall that is
//! asked for.
//!
//! `KEN_CHURN_ROWS` says how many rows there are at first, `KEN_KILLS` how often the writer is killed, `KEN_SECONDS`
//! after how long no more, `KEN_SEED` where chance begins. `KEN_CHURN_VECTORS` names a file where the vectors of the
//! first texts are kept, so that another run need not make them again:
//!
//! ```text
//! KEN_CHURN_ROWS=100000 KEN_KILLS=100 cargo test --release churn -- --nocapture
//! ```

mod killer;
pub(crate) mod ledger;
pub(crate) mod reader;
mod referee;

use crate::support::held::on_every_store;
use crate::support::ken::User;
use crate::support::long::amount;
use killer::{Killer, PHASES, leftovers};
use ledger::{Chance, Line, Writing, text, which};
use reader::{Outcome, Places, THREADS};
use referee::Referee;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const MODEL: &str = "bge-small-en-v1.5-int8";
const RECALL_TARGET: f64 = 0.99;
const READERS: u64 = 2;
/// Files of a folder.
const FOLDER: usize = 1_000;

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Everything at once.
struct World {
    user: User,
    ledger: Writing,
    chance: Chance,
    /// What each row's file holds now; 0: nothing.
    wanted: Vec<u32>,
    /// Versions given out so far.
    newest: Vec<u32>,
    /// Rows whose file is another than what the database is known to have.
    open: BTreeSet<usize>,
    /// Insertions, updates, deletions.
    changes: [usize; 3],
}

impl World {
    fn path(&self, row: usize) -> PathBuf {
        self.user.work().join(format!("d{}/{row}.txt", row / FOLDER))
    }

    fn write(&self, row: usize) {
        match self.wanted[row] {
            // Every other one that is deleted leaves an empty file, so that it is the index alone that can know it is
            // gone.
            0 if row.is_multiple_of(2) => drop(fs::remove_file(self.path(row))),
            0 => drop(self.user.document(&format!("d{}/{row}.txt", row / FOLDER), "")),
            version => drop(self.user.document(&format!("d{}/{row}.txt", row / FOLDER), text(row, version))),
        }
    }

    /// Says that these rows will have these versions, and then writes their files.
    fn change(&mut self, rows: &[(usize, u32)]) {
        let line = |(row, version): &(usize, u32)| Line { sure: false, row: *row, version: *version };
        self.ledger.say(&rows.iter().map(line).collect::<Vec<_>>());
        for (row, version) in rows {
            self.wanted.resize(self.wanted.len().max(row + 1), 0);
            self.wanted[*row] = *version;
            self.open.insert(*row);
            self.write(*row);
        }
    }

    fn next_version(&mut self, row: usize) -> u32 {
        self.newest.resize(self.newest.len().max(row + 1), 0);
        self.newest[row] += 1;
        self.newest[row]
    }

    fn insert(&mut self, count: usize) {
        let first = self.newest.len();
        let rows: Vec<(usize, u32)> = (first..first + count).map(|row| (row, self.next_version(row))).collect();
        self.change(&rows);
    }

    /// A row that is there and that nothing is done to.
    fn any(&mut self) -> usize {
        loop {
            let row = self.chance.below(self.wanted.len());
            if self.wanted[row] > 0 && !self.open.contains(&row) {
                return row;
            }
        }
    }

    /// Inserts, updates and deletes so many in all.
    fn churn(&mut self, count: usize) {
        for _ in 0..count {
            let which = self.chance.below(3);
            match which {
                0 => self.insert(1),
                1 => {
                    let row = self.any();
                    let version = self.next_version(row);
                    self.change(&[(row, version)]);
                }
                _ => {
                    let row = self.any();
                    self.change(&[(row, 0)]);
                }
            }
            self.changes[which] += 1;
        }
    }

    /// Empties some files, to be forgotten by name.
    fn doomed(&mut self, count: usize) -> Vec<String> {
        let rows: BTreeSet<usize> = (0..count).map(|_| self.any()).collect();
        self.change(&rows.iter().map(|row| (*row, 0)).collect::<Vec<_>>());
        self.changes[2] += rows.len();
        rows.into_iter().map(|row| self.path(row).display().to_string()).collect()
    }

    /// Lets the file of vectors be due, if the index is large enough for that: so many items count as changed.
    fn age(&self, items: usize) {
        if self.user.store().is_some() {
            return;
        }
        let database = Connection::open(self.user.home().join("kenning.db")).unwrap();
        database.busy_timeout(std::time::Duration::from_secs(60)).unwrap();
        let sql =
            "UPDATE embedding SET text_hash = text_hash WHERE item_id IN (SELECT id FROM item ORDER BY id LIMIT ?1)";
        database.execute(sql, [items as i64]).unwrap();
    }

    /// What the database has now that nobody writes: each row is as it was or as it was to become. Says what is sure.
    fn settle(&mut self, done: bool) {
        let mut has = vec![0; self.wanted.len()];
        for row in self.user.rows("SELECT body FROM item WHERE state = 'active'") {
            let (row, version) = which(&row[0]).unwrap();
            assert_eq!(std::mem::replace(&mut has[row], version), 0, "row {row} twice");
        }
        let (mut lines, mut later) = (Vec::new(), Vec::new());
        for (row, has) in has.into_iter().enumerate() {
            let known = &self.ledger.rows[row];
            let right = has == known.sure || known.maybe.contains(&has);
            assert!(right, "row {row} has version {has}, known is {known:?}");
            let wanted = self.wanted[row];
            assert!(!done || has == wanted, "row {row} has version {has} and not {wanted}");
            if has == wanted && self.open.remove(&row) || has != known.sure {
                lines.push(Line { sure: true, row, version: has });
            }
            if has != wanted && has != known.sure {
                later.push(Line { sure: false, row, version: wanted });
            }
        }
        lines.extend(later);
        self.ledger.say(&lines);
    }
}

/// Run as a process of its own by [`half_of_the_rows_change_while_others_read`].
#[test]
fn churn_reader_as_a_child() {
    if let Some(folder) = std::env::var_os("KEN_TEST_CHURN") {
        let reader = std::env::var("KEN_TEST_CHURN_READER").unwrap();
        let store = std::env::var("KEN_TEST_CHURN_STORE").ok();
        reader::read(&Places(folder.into()), store.as_deref(), &reader, reader.parse().unwrap());
    }
}

/// A process that ends with the test, however that ends.
struct Reader(Child);

impl Drop for Reader {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn spawn_reader(places: &Places, store: Option<&str>, reader: u64) -> Reader {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "store::churn::churn_reader_as_a_child", "--nocapture"]);
    command.env("KEN_TEST_CHURN", &places.0).env("KEN_TEST_CHURN_READER", reader.to_string());
    command.envs(store.map(|address| ("KEN_TEST_CHURN_STORE", address)));
    Reader(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
}

/// Keeps a database without its items, which leaves the vectors of their texts: what is indexed again is not embedded
/// again.
fn keep_vectors(home: &Path, kept: &Path) {
    let database = Connection::open(home.join("kenning.db")).unwrap();
    database.execute("VACUUM INTO ?1", [kept.to_str().unwrap()]).unwrap();
    let kept = Connection::open(kept).unwrap();
    kept.execute_batch("PRAGMA foreign_keys = ON; DELETE FROM source; VACUUM;").unwrap();
}

on_every_store!(half_of_the_rows_change_while_others_read);

fn half_of_the_rows_change_while_others_read(new: fn() -> User) {
    let (rows, kills) = (amount("KEN_CHURN_ROWS", 300, 120) as usize, amount("KEN_KILLS", 10, 4) as usize);
    let seed = number("KEN_SEED", 1);
    let started = Instant::now();
    let say = |text: String| drop(writeln!(std::io::stderr(), "{:6.1} s: {text}", started.elapsed().as_secs_f64()));
    let user = new().with_model(MODEL);
    let is_shared = user.store().is_some();
    let home = user.home();
    let places = Places(home.parent().unwrap().to_owned());
    let mut world = World {
        ledger: Writing::new(&places.ledger()),
        chance: Chance(seed as u64),
        wanted: Vec::new(),
        newest: Vec::new(),
        open: BTreeSet::new(),
        changes: [0; 3],
        user,
    };
    let kept = std::env::var_os("KEN_CHURN_VECTORS").map(PathBuf::from).filter(|_| !is_shared);
    if let Some(kept) = kept.as_ref().filter(|kept| kept.exists()) {
        fs::copy(kept, home.join("kenning.db")).unwrap();
        fs::set_permissions(home.join("kenning.db"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
    world.insert(rows);
    assert_eq!(world.user.ken(&["index", "."]).code, 0);
    world.settle(true);
    if let Some(kept) = kept.filter(|kept| !kept.exists()) {
        keep_vectors(&home, &kept);
    }
    let indexed = started.elapsed();
    say(format!("{rows} rows are indexed"));

    let mut referee = Referee::new(&places, &world.user, if rows < 5_000 { 40 } else { 500 });
    let mut readers: Vec<Reader> =
        (0..READERS).map(|reader| spawn_reader(&places, world.user.store(), reader)).collect();
    let mut killer = Killer::default();
    let each = (rows / 2).div_ceil(kills.max(1));
    let (mut killed, mut round) = (0, 0);
    let seconds = number("KEN_SECONDS", usize::MAX) as u64;
    while killed < kills && started.elapsed().as_secs() < seconds {
        round += 1;
        assert!(round < 3 * kills + 20, "{killed} of {round} commands were still running");
        let which = world.chance.below(11);
        let (verb, mut arguments, phases): (_, Vec<String>, _) = match which {
            // A file of vectors is made again by few of these only.
            0..4 => ("index", vec!["index".into(), ".".into()], if which == 0 { &PHASES[..] } else { &PHASES[..2] }),
            4..7 => ("gc", vec!["gc".into()], &PHASES[..]),
            7..9 => ("forget", vec!["forget".into()], &PHASES[..]),
            _ => ("renew", vec!["gc".into(), "--auto".into()], &PHASES[2..]),
        };
        // A shared store has no file of vectors.
        let phases = if is_shared { &PHASES[..2] } else { phases };
        if verb == "forget" {
            for path in world.doomed(each.min(20)) {
                arguments.extend(["--path".to_owned(), path]);
            }
        } else {
            world.churn(each);
        }
        if verb == "gc" {
            // So that there is something to clean, and a file of vectors to be made again.
            killer.run("index", world.user.command(&["index", "."]), &world.user, None);
            world.settle(true);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let goal = (phases[world.chance.below(phases.len())], world.chance.share());
        let command = world.user.command(&arguments);
        let dead = if verb == "renew" {
            world.age(rows / 9);
            killer.run_beside(world.user.command(&["index", "."]), verb, command, &world.user, goal)
        } else {
            killer.run(verb, command, &world.user, Some(goal))
        };
        killed += usize::from(dead);
        world.settle(false);
        referee.compare(&world.user, &format!("round {round}, {verb} in {goal:?}, killed: {dead}"));
        killer.run("index", world.user.command(&["index", "."]), &world.user, None);
        world.settle(true);
        if rows < 5_000 || killed.is_multiple_of(10) {
            world.user.assert_sound();
        }
        if rows >= 5_000 {
            let violations = fs::read_to_string(places.violations()).unwrap_or_default().lines().count();
            let seen = &referee.seen;
            say(format!("{killed} killed, {verb} in {goal:?}, {:?}, {seen:?}, {violations} violations", world.changes));
        }
    }
    while world.changes.iter().sum::<usize>() < rows / 2 {
        world.churn(each.max(rows / 20));
        killer.run("index", world.user.command(&["index", "."]), &world.user, None);
        world.settle(true);
    }
    referee.compare(&world.user, "at the end");
    killer.run("gc", world.user.command(&["gc"]), &world.user, None);
    referee.compare(&world.user, "cleaned");
    world.user.assert_sound();
    assert_eq!(leftovers(&home), BTreeSet::new(), "half-written files stay after ken gc");

    fs::write(places.stop(), "").unwrap();
    let mut all = Outcome::default();
    for (reader, child) in readers.iter_mut().enumerate() {
        assert!(child.0.wait().unwrap().success(), "reader {reader}");
        let one: Outcome = serde_json::from_slice(&fs::read(places.outcome(&reader.to_string())).unwrap()).unwrap();
        all.searches += one.searches;
        all.of_present += one.of_present;
        all.of_gone += one.of_gone;
        all.took_ms.extend(one.took_ms);
    }
    all.took_ms.sort_unstable_by(f32::total_cmp);
    let took = |share: f64| all.took_ms[((all.took_ms.len() - 1) as f64 * share) as usize];
    let violations = fs::read_to_string(places.violations()).unwrap_or_default();
    say(format!(
        "{rows} rows indexed in {:.1} s; {:?} inserted, updated, deleted; {killed} kills {:?}; {} readers: {} searches, {} for what \
         was there, {} for what was gone, {:.1} ms at the median, {:.1} at 95 %, {:.1} at most; {:?}; {} violations",
        indexed.as_secs_f64(),
        world.changes,
        killer.kills,
        READERS * THREADS,
        all.searches,
        all.of_present,
        all.of_gone,
        took(0.5),
        took(0.95),
        took(1.0),
        referee.seen,
        violations.lines().count(),
    ));
    assert_eq!(violations, "");
    assert!(all.of_present > 10 && all.of_gone > 0, "{} {}", all.of_present, all.of_gone);
}
