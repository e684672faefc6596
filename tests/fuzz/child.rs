//! The loop over one target, in a process of its own.
//!
//! Each input is written down before it is read, so that whoever started this process can tell what ended it. A second
//! thread ends it when an input takes too long or too much memory. Panics are caught, made small and told, and the loop
//! goes on: one run may find several.

use super::mutate::{Mutator, Random};
use super::parent::{CURRENT, INPUT, RANDOM, ROOM, SECONDS, TARGET, WAITING, write_failure};
use super::targets::{ALL, PLANTED};
use super::{Reader, Target};
use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// CPU seconds of one input. Without optimisation everything takes some ten times as long.
const MOST_SECONDS: f64 = if cfg!(debug_assertions) { 20.0 } else { 2.0 };
/// Memory that one input may take, in MiB; and addresses, which cost nothing until they are used.
const MOST_MIB: u64 = 256;
const MOST_ADDRESS_MIB: u64 = 4096;
/// Inputs and their bytes that are kept to be mutated.
const POOL: usize = 3000;
const POOL_BYTES: usize = 24 << 20;
/// Longer ones are read and not kept, unless most seeds are as long: what is short is read and changed sooner.
const POOL_LONGEST: usize = 4096;
/// Panics at different places that one run tells.
const TOLD: usize = 12;

/// What the thread that watches has to know.
static RUNS: AtomicU64 = AtomicU64::new(0);
/// What the last panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Seeds of a target, regressions first.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target.name);
    let mut paths: Vec<PathBuf> = [folder.join("regressions"), folder]
        .iter()
        .flat_map(|folder| {
            let mut all: Vec<PathBuf> =
                std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            all.sort();
            all
        })
        .collect();
    paths.retain(|path| path.is_file());
    paths.iter().map(|path| std::fs::read(path).unwrap()).chain((target.seeds)()).collect()
}

/// CPU seconds of this process; wall-clock seconds where the system does not tell.
fn cpu_seconds(since: Instant) -> f64 {
    let read = || -> Option<f64> {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let ticks: f64 = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
        Some(ticks / 100.0)
    };
    read().unwrap_or_else(|| since.elapsed().as_secs_f64())
}

/// Memory now, at its highest, and addresses at their highest, in MiB; zeros where the system does not tell.
#[derive(Debug, Clone, Copy, Default)]
struct Memory {
    now: u64,
    peak: u64,
    addresses: u64,
}

impl Memory {
    fn read(status: Option<&File>, buffer: &mut [u8]) -> Self {
        let Some(len) = status.and_then(|file| file.read_at(buffer, 0).ok()) else { return Self::default() };
        let text = String::from_utf8_lossy(&buffer[..len]);
        let of = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        };
        let mib = |name| of(name).unwrap_or(0) >> 10;
        Self { now: mib("VmRSS:"), peak: mib("VmHWM:"), addresses: mib("VmPeak:") }
    }

    /// Whether what came after is more than one input may take.
    fn exceeded(&self, after: &Self) -> bool {
        (after.peak > self.peak && after.peak > self.now + MOST_MIB)
            || after.addresses > self.addresses + MOST_ADDRESS_MIB
    }
}

fn ended(why: &str) -> ! {
    eprintln!("ENDED {why}");
    std::process::abort()
}

/// Ends the process in the middle of an input that takes too long, or takes all memory.
fn watch(waiting: f64) {
    let start = Instant::now();
    let status = File::open("/proc/self/status").ok();
    let mut buffer = [0; 4096];
    let (mut run, mut since, mut cpu, mut before) = (0, Instant::now(), 0.0, Memory::default());
    loop {
        std::thread::sleep(Duration::from_millis(20));
        let now = RUNS.load(Ordering::Relaxed);
        if now != run {
            (run, since, cpu) = (now, Instant::now(), cpu_seconds(start));
            before = Memory::read(status.as_ref(), &mut buffer);
            continue;
        }
        if run == 0 {
            continue;
        }
        let memory = Memory::read(status.as_ref(), &mut buffer);
        if memory.now > before.now + 2 * MOST_MIB {
            ended(&format!("after {} MiB of memory", memory.now - before.now));
        }
        if since.elapsed().as_secs_f64() > MOST_SECONDS && cpu_seconds(start) - cpu > MOST_SECONDS {
            ended(&format!("after {MOST_SECONDS} CPU seconds"));
        }
        if since.elapsed().as_secs_f64() > waiting {
            ended(&format!("after {waiting} seconds"));
        }
    }
}

struct Loop<'a> {
    target: &'a Target,
    room: PathBuf,
    reader: Reader,
    current: File,
    status: Option<File>,
    buffer: Vec<u8>,
    memory: Memory,
}

impl Loop<'_> {
    /// Reads an input; what came of it, or what it panicked with.
    fn read(&mut self, input: &[u8]) -> Result<u64, String> {
        let len = (input.len() as u64).to_le_bytes();
        self.current.write_all_at(&[&len, input].concat(), 0).unwrap();
        RUNS.fetch_add(1, Ordering::Relaxed);
        let reader = &mut self.reader;
        let answer = catch_unwind(AssertUnwindSafe(|| reader(input)));
        let after = Memory::read(self.status.as_ref(), &mut self.buffer);
        if self.memory.exceeded(&after) {
            let (now, then) = (after, self.memory);
            ended(&format!("for memory: {then:?} before, {now:?} after, in MiB"));
        }
        self.memory = after;
        answer.map_err(|_| {
            // What a panic leaves behind may be half done.
            self.reader = (self.target.reader)(&self.room);
            PANIC.lock().unwrap().clone()
        })
    }

    /// A smaller input with the same panic.
    fn smaller(&mut self, input: &[u8], what: &str) -> Vec<u8> {
        let (mut small, until) = (input.to_vec(), Instant::now() + Duration::from_secs(10));
        let mut piece = small.len().next_power_of_two() / 2;
        while piece > 0 {
            let mut at = 0;
            while at < small.len() && Instant::now() < until {
                let mut less = small.clone();
                less.drain(at..(at + piece).min(small.len()));
                if self.read(&less).is_err_and(|other| same(&other, what)) { small = less } else { at += piece }
            }
            piece /= 2;
        }
        small
    }
}

/// Whether two panics happened at the same place.
fn same(a: &str, b: &str) -> bool {
    a.split_once(' ').map(|(place, _)| place) == b.split_once(' ').map(|(place, _)| place)
}

#[test]
fn child() {
    let Ok(name) = std::env::var(TARGET) else { return };
    let target = ALL.iter().chain(PLANTED).find(|target| target.name == name).unwrap();
    let room = PathBuf::from(std::env::var(ROOM).unwrap());
    let seconds: f64 = std::env::var(SECONDS).unwrap().parse().unwrap();
    let seed = std::env::var(RANDOM).unwrap();
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |place| format!("{}:{}", place.file(), place.line()));
        let what = info.payload_as_str().unwrap_or("");
        *PANIC.lock().unwrap() = format!("{place} {}", what.chars().take(400).collect::<String>().replace('\n', " "));
    }));
    let work = room.join("work");
    std::fs::create_dir(&work).unwrap();
    let current = File::options().create(true).truncate(true).write(true).open(room.join(CURRENT)).unwrap();
    let status = File::open("/proc/self/status").ok();
    let reader = (target.reader)(&work);
    let mut pool = match std::env::var_os(INPUT) {
        Some(path) => vec![std::fs::read(path).unwrap()],
        None => seeds(target),
    };
    let only = std::env::var_os(INPUT).is_some();
    let mut this =
        Loop { target, room: work, reader, current, status, buffer: vec![0; 4096], memory: Memory::default() };
    this.memory = Memory::read(this.status.as_ref(), &mut this.buffer);
    let waiting: f64 = std::env::var(WAITING).unwrap().parse().unwrap();
    std::thread::spawn(move || watch(waiting));

    let mut mutator = Mutator { random: Random(seed.parse().unwrap()), words: target.words, longest: target.longest };
    let mut known: HashSet<u64> = HashSet::new();
    let mut panics: Vec<String> = Vec::new();
    let mut bytes: usize = pool.iter().map(Vec::len).sum();
    let mut lengths: Vec<usize> = pool.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    let longest = lengths.get(lengths.len() / 2).map_or(0, |middle| middle + 1024).max(POOL_LONGEST);
    let (start, mut looked) = (Instant::now(), Instant::now());
    let (first, mut runs, seeds) = (cpu_seconds(start), 0usize, pool.len());
    loop {
        let input = if runs < seeds { pool[runs].clone() } else { mutator.next(&pool) };
        runs += 1;
        match this.read(&input) {
            Ok(answer) => {
                let fits = input.len() <= longest && pool.len() < POOL && bytes + input.len() < POOL_BYTES;
                if known.insert(answer) && runs > seeds && fits {
                    bytes += input.len();
                    pool.push(input);
                }
            }
            Err(what) if panics.iter().any(|other| same(other, &what)) => {}
            Err(what) => {
                let small = this.smaller(&input, &what);
                eprintln!("FAILED {}", write_failure(target.name, &seed, &small, &what).replace('\n', " "));
                panics.push(what);
            }
        }
        if runs < seeds {
            continue;
        }
        if only || panics.len() >= TOLD {
            break;
        }
        if looked.elapsed() > Duration::from_millis(20) {
            looked = Instant::now();
            if cpu_seconds(start) - first >= seconds {
                break;
            }
        }
    }
    println!("fuzzed {name}: {runs} inputs, {} sorts of answers, {} panics", known.len(), panics.len());
    assert!(panics.is_empty(), "{panics:?}");
}
