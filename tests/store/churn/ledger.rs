//! What the writer has confirmed, as a file of lines that only grows, followed by whoever reads.
//!
//! A row is known by its number; each text that it ever has is a version of its own, so that a text that is gone never
//! comes back. `? ROW VERSION` is written before anything on the disk changes: from now on the row may have that
//! version (0: none). `! ROW VERSION` is written when the database is known to have it: from now on the row has no
//! other.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Rows whose last change is asked about more often than others.
const RECENT: usize = 400;

/// Numbers that look like chance, the same for the same seed.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// In \[0, 1).
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The text of a row in a version, which no other has.
pub fn text(row: usize, version: u32) -> String {
    const ADJECTIVES: &str = "amber brittle careful distant eager faded gentle hollow idle jagged keen lonely mossy narrow olive patient quiet \
        rusty silver tidy uneven velvet wooden young zealous bitter crooked damp enormous frozen golden humble";
    const NOUNS: &str = "anchor barley candle dragon engine falcon garden hammer island jacket kettle ladder mirror needle orchard pencil \
        quarry ribbon saddle tunnel umbrella violin window yacht basket chimney donkey envelope fountain glacier harbour insect \
        jungle kitchen lantern meadow notebook oven pigeon rocket scissors teapot valley whistle bridge carpet desert elevator";
    const VERBS: &str = "paints carries forgets repairs borrows counts weighs follows buries measures trades hides polishes photographs sells \
        guards chases describes collects inherits steals cleans folds abandons";
    const PLACES: &str = "Lisbon Oslo Nairobi Lima Kyoto Dakar Riga Quito Hanoi Perth Bergen Tunis Cardiff Naples Bogota Sofia Calgary Malta \
        Vienna Havana Tbilisi Zagreb Muscat Geneva";
    let mut chance = Chance((row as u64) << 32 | u64::from(version));
    let mut one = |words: &'static str| {
        let words: Vec<&str> = words.split_ascii_whitespace().collect();
        words[chance.below(words.len())]
    };
    format!(
        "Note {row} of version {version}: the {} {} {} a {} {} near the {} in {}, and the {} {} {} every {} {}.\n",
        one(ADJECTIVES),
        one(NOUNS),
        one(VERBS),
        one(ADJECTIVES),
        one(NOUNS),
        one(NOUNS),
        one(PLACES),
        one(ADJECTIVES),
        one(NOUNS),
        one(VERBS),
        one(ADJECTIVES),
        one(NOUNS),
    )
}

/// Row and version of a text, from how it begins.
pub fn which(text: &str) -> Option<(usize, u32)> {
    let (row, rest) = text.strip_prefix("Note ")?.split_once(" of version ")?;
    Some((row.parse().ok()?, rest.split_once(':')?.0.parse().ok()?))
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    pub sure: bool,
    pub row: usize,
    pub version: u32,
}

/// What the writer knows of a row.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// The version that the database had last.
    pub sure: u32,
    /// What it may have become since.
    pub maybe: Vec<u32>,
}

impl Row {
    fn take(&mut self, line: &Line) {
        if line.sure {
            *self = Self { sure: line.version, maybe: Vec::new() };
        } else {
            self.maybe.push(line.version);
        }
    }
}

/// The writer's end.
pub struct Writing {
    file: File,
    pub rows: Vec<Row>,
}

impl Writing {
    pub fn new(path: &Path) -> Self {
        Self { file: File::create_new(path).unwrap(), rows: Vec::new() }
    }

    /// Says all of it at once.
    pub fn say(&mut self, lines: &[Line]) {
        let mut out = String::new();
        for line in lines {
            out += &format!("{} {} {}\n", if line.sure { '!' } else { '?' }, line.row, line.version);
            self.rows.resize(self.rows.len().max(line.row + 1), Row::default());
            self.rows[line.row].take(line);
        }
        self.file.write_all(out.as_bytes()).unwrap();
    }
}

/// A reader's end.
pub struct Following {
    file: File,
    path: PathBuf,
    rest: String,
    pub rows: Vec<Row>,
    recent: VecDeque<(usize, u32)>,
}

impl Following {
    pub fn new(path: &Path) -> Self {
        let file = File::open(path).unwrap();
        Self { file, path: path.to_owned(), rest: String::new(), rows: Vec::new(), recent: VecDeque::new() }
    }

    /// Lines that are new; they count once they are [taken](Self::take).
    pub fn fresh(&mut self) -> Vec<Line> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).unwrap();
        self.rest += std::str::from_utf8(&bytes).unwrap();
        let whole = self.rest.rfind('\n').map_or(0, |end| end + 1);
        let rest = self.rest.split_off(whole);
        let lines = std::mem::replace(&mut self.rest, rest);
        let read = |line: &str| {
            let mut parts = line.split(' ');
            let mut part = || parts.next().unwrap_or_else(|| panic!("{}: {line}", self.path.display()));
            let sure = part() == "!";
            Line { sure, row: part().parse().unwrap(), version: part().parse().unwrap() }
        };
        lines.lines().map(read).collect()
    }

    pub fn take(&mut self, lines: &[Line]) {
        for line in lines {
            self.rows.resize(self.rows.len().max(line.row + 1), Row::default());
            if line.sure {
                // What it was as well: that is not to be found any more.
                let before = self.rows[line.row].sure;
                self.recent.extend([(line.row, line.version), (line.row, before)].iter().filter(|(_, v)| *v > 0));
            }
            self.rows[line.row].take(line);
        }
        self.recent.drain(..self.recent.len().saturating_sub(RECENT));
    }

    /// A text to ask for: one that changed lately, or any that is there.
    pub fn choose(&self, chance: &mut Chance) -> Option<(usize, u32)> {
        if chance.below(2) == 0 && !self.recent.is_empty() {
            return self.recent.get(chance.below(self.recent.len())).copied();
        }
        let row = chance.below(self.rows.len());
        self.rows.get(row).map(|found| (row, found.sure)).filter(|(_, version)| *version > 0)
    }

    /// Whether a search that went on while these lines were written may have seen a row in a version.
    pub fn may_be(&self, row: usize, version: u32, meanwhile: &[Line]) -> bool {
        let known = self.rows.get(row).is_some_and(|known| known.sure == version || known.maybe.contains(&version));
        known || meanwhile.iter().any(|line| (line.row, line.version) == (row, version))
    }

    /// Whether a search that went on while these lines were written must have seen a row in a version.
    pub fn must_be(&self, row: usize, version: u32, meanwhile: &[Line]) -> bool {
        let known = self.rows.get(row).is_some_and(|known| known.sure == version && known.maybe.is_empty());
        known && !meanwhile.iter().any(|line| line.row == row)
    }
}
