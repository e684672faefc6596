//! Commands that are run and killed, at a moment that is chosen by what they are at.

use crate::support::ken::User;
use rusqlite::{Connection, OpenFlags};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest that a phase is expected to take: then the kill is not waited for any longer.
const LONGEST: Duration = Duration::from_secs(60);

/// What a writer is at, as far as can be seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing is changed yet.
    Starting,
    /// The database is being changed: items and vectors, or what is forgotten or unused.
    Database,
    /// The file of vectors is being made under another name: vectors are written, and their graph is built.
    Building,
    /// The graph is written behind them and measured, and all is synced.
    Writing,
    /// It has its name; the log of changes is being cut.
    Renamed,
}

pub const PHASES: [Phase; 5] = [Phase::Starting, Phase::Database, Phase::Building, Phase::Writing, Phase::Renamed];

/// Looks at a store from outside.
struct Watch {
    home: PathBuf,
    store: Store,
    version: i64,
    file: Option<u64>,
    leftovers: BTreeSet<PathBuf>,
    /// How long the half-written file was when it was first seen with anything in it.
    first: Cell<Option<u64>>,
}

/// Half-written files.
pub fn leftovers(home: &Path) -> BTreeSet<PathBuf> {
    let inside = fs::read_dir(home).unwrap().flatten().map(|entry| entry.path());
    inside.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with('.')).collect()
}

/// What says whether anybody has changed it.
enum Store {
    File(Connection),
    Shared(Box<RefCell<postgres::Client>>),
}

impl Watch {
    fn new(user: &User) -> Self {
        let home = user.home();
        let store = match user.store() {
            Some(address) => {
                let client = postgres::Client::connect(address, postgres::NoTls).unwrap();
                Store::Shared(Box::new(RefCell::new(client)))
            }
            None => {
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
                Store::File(Connection::open_with_flags(home.join("kenning.db"), flags).unwrap())
            }
        };
        let leftovers = leftovers(&home);
        let mut made = Self { home, store, version: 0, file: None, leftovers, first: Cell::default() };
        (made.version, made.file) = (made.data_version(), made.inode());
        made
    }

    fn data_version(&self) -> i64 {
        match &self.store {
            Store::File(file) => file.query_row("PRAGMA data_version", [], |row| row.get(0)).unwrap_or(self.version),
            Store::Shared(client) => {
                let sql = "SELECT hashtextextended(CAST(pg_current_snapshot() AS text), 0)";
                client.borrow_mut().query_one(sql, &[]).unwrap().get(0)
            }
        }
    }

    fn inode(&self) -> Option<u64> {
        let meta = fs::metadata(self.home.join("kenning.db.vectors")).ok()?;
        Some(std::os::unix::fs::MetadataExt::ino(&meta))
    }

    fn phase(&self) -> Phase {
        let file = self.inode();
        if file.is_some() && file != self.file {
            return Phase::Renamed;
        }
        if let Some(half) = leftovers(&self.home).difference(&self.leftovers).next() {
            let long = fs::metadata(half).map_or(0, |meta| meta.len());
            if self.first.get().is_none() && long > 0 {
                self.first.set(Some(long));
            }
            // Room for a graph is made when there is one.
            return if self.first.get().is_some_and(|first| long > first) { Phase::Writing } else { Phase::Building };
        }
        if self.data_version() == self.version { Phase::Starting } else { Phase::Database }
    }
}

/// Runs commands, and kills them.
#[derive(Default)]
pub struct Killer {
    /// How long each phase of each command took when it was seen to its end.
    usual: BTreeMap<(&'static str, Phase), Duration>,
    pub kills: BTreeMap<(&'static str, Phase), u32>,
}

impl Killer {
    /// The same, while another command runs from the moment on when the file of vectors is being made.
    pub fn run_beside(
        &mut self,
        mut other: Command,
        verb: &'static str,
        command: Command,
        user: &User,
        goal: (Phase, f64),
    ) -> bool {
        let mut beside = None;
        let mut begun = |phase: Phase| {
            if phase >= Phase::Building && beside.is_none() {
                other.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                beside = Some(other.spawn().unwrap());
            }
        };
        let dead = self.run_until(verb, command, user, Some(goal), &mut begun);
        begun(Phase::Renamed);
        assert!(beside.unwrap().wait().unwrap().success());
        dead
    }

    /// Runs a command until it is in a phase, and then for a share of what that usually takes; whether it was killed.
    /// Without a goal it runs to its end.
    pub fn run(&mut self, verb: &'static str, command: Command, user: &User, goal: Option<(Phase, f64)>) -> bool {
        self.run_until(verb, command, user, goal, &mut |_| {})
    }

    fn run_until(
        &mut self,
        verb: &'static str,
        mut command: Command,
        user: &User,
        goal: Option<(Phase, f64)>,
        begun: &mut dyn FnMut(Phase),
    ) -> bool {
        let watch = Watch::new(user);
        let log = tempfile::NamedTempFile::new().unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log.reopen().unwrap());
        let mut child = command.spawn().unwrap();
        let (mut phase, mut since) = (Phase::Starting, Instant::now());
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                let said = fs::read_to_string(log.path()).unwrap();
                assert!(status.success(), "{verb}: {status}: {said}");
                self.usual.insert((verb, phase), since.elapsed());
                return false;
            }
            let now = watch.phase().max(phase);
            if now > phase {
                self.usual.insert((verb, phase), since.elapsed());
                (phase, since) = (now, Instant::now());
                begun(phase);
            }
            if let Some((goal, share)) = goal
                && phase >= goal
            {
                let usual = self.usual.get(&(verb, phase)).copied().unwrap_or(Duration::from_millis(20));
                if since.elapsed() >= usual.min(LONGEST).mul_f64(share) {
                    break;
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if std::os::unix::process::ExitStatusExt::signal(&status) != Some(9) {
            return false;
        }
        // What it was at is seen best now that it is not at it any more.
        *self.kills.entry((verb, watch.phase().max(phase))).or_default() += 1;
        true
    }
}
