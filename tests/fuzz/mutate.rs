//! Inputs from inputs: bits, bytes, numbers, lines, words of the format, pieces of other inputs, and much of the same.

/// A generator of pseudo-random numbers (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A place in so many bytes: often near the beginning or the end, where formats keep their numbers.
    fn place(&mut self, len: usize) -> usize {
        match self.below(4) {
            0 => self.small(len),
            1 => len - self.small(len),
            _ => self.below(len + 1),
        }
    }

    /// Up to `most`, smaller ones as often as larger ones of twice the size.
    fn small(&mut self, most: usize) -> usize {
        let bits = self.below(most.max(1).ilog2() as usize + 2);
        self.below((1 << bits).min(most + 1))
    }

    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.place(len);
        let end = start + self.small(len - start);
        start..end
    }
}

/// Where arithmetic ends.
const EXTREMES: &[u64] = &[
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_fff8,
    0xffff_ffff_ffff_ffff,
];

/// The same in writing, and what is no number.
const WRITTEN: &[&str] = &[
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "3",
    "255",
    "1000",
    "65536",
    "1000000",
    "16777216",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "1e999",
    "1e-999",
    "0.1",
    "nan",
    "inf",
    "-inf",
    "00",
    "+1",
];

/// What stands for a value in JSON, YAML and TOML.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "\"\"",
    "[[]]",
    "{\"a\":1}",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "~",
    "''",
    "|",
    ">",
    "- ",
    "*a",
    "&a",
    "!!x",
    "? ",
];

/// Characters that programs trip over: ends of lines, wide and combining ones, those that change length with their
/// case, direction marks, and what is no UTF-8.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x1b[31m",
    b"\x1b]0;x\x07",
    b"\x7f",
    "\u{85}".as_bytes(),
    "\u{9b}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{ad}".as_bytes(),
    "\u{130}".as_bytes(),
    "\u{df}".as_bytes(),
    "\u{1e9e}".as_bytes(),
    "\u{fb01}".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{301}\u{301}\u{301}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{200d}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{2066}".as_bytes(),
    "\u{3000}".as_bytes(),
    "\u{4e2d}\u{6587}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{fffd}".as_bytes(),
    "\u{ffff}".as_bytes(),
    "\u{1f468}\u{200d}\u{1f469}".as_bytes(),
    "\u{10ffff}".as_bytes(),
    b"\x80",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xff\xfe",
    b"\xe2\x82",
];

/// Makes inputs of one format.
pub struct Mutator {
    pub random: Random,
    pub words: &'static [&'static str],
    pub longest: usize,
}

impl Mutator {
    /// One of the pool, changed in one to many places.
    pub fn next(&mut self, pool: &[Vec<u8>]) -> Vec<u8> {
        // What was found last is what is mutated least.
        let fresh = pool.len().saturating_sub(16);
        let at = if self.random.one_in(3) {
            fresh + self.random.below(pool.len() - fresh)
        } else {
            self.random.below(pool.len())
        };
        let mut bytes = pool.get(at).cloned().unwrap_or_default();
        let steps = 1 + self.random.small(12);
        for _ in 0..steps {
            self.step(&mut bytes, pool);
            bytes.truncate(self.longest);
        }
        if self.random.one_in(48) {
            self.blow_up(&mut bytes);
        }
        bytes.truncate(self.longest);
        bytes
    }

    fn step(&mut self, bytes: &mut Vec<u8>, pool: &[Vec<u8>]) {
        let len = bytes.len();
        match self.random.below(20) {
            0 if len > 0 => {
                let at = self.random.place(len - 1);
                bytes[at] ^= 1 << self.random.below(8);
            }
            1 if len > 0 => {
                let at = self.random.place(len - 1);
                bytes[at] = self.random.of(&[0, 1, 0x7f, 0x80, 0xff, b'\n', b' ', b'"', b'\\', b'{', b'[', b'0']);
            }
            2 if len > 0 => {
                let at = self.random.place(len - 1);
                bytes[at] = self.random.next() as u8;
            }
            3 => drop(bytes.drain(self.random.range(len))),
            4 => {
                let piece = bytes[self.random.range(len)].to_vec();
                self.insert(bytes, &piece);
            }
            5 => {
                let piece: Vec<u8> = (0..self.random.small(16)).map(|_| self.random.next() as u8).collect();
                self.insert(bytes, &piece);
            }
            6..=8 if !self.words.is_empty() => {
                let word = self.random.of(self.words).as_bytes();
                self.insert(bytes, word);
            }
            9 => {
                // The beginning of one and the end of another.
                let other = &pool[self.random.below(pool.len())];
                bytes.truncate(self.random.place(len));
                bytes.extend_from_slice(&other[self.random.place(other.len())..]);
            }
            10 => {
                let other = &pool[self.random.below(pool.len())];
                let piece = other[self.random.range(other.len())].to_vec();
                self.insert(bytes, &piece);
            }
            11 => self.number(bytes),
            12 => {
                let mut number = self.random.of(EXTREMES);
                let mut varint = Vec::new();
                while number >= 0x80 {
                    varint.push(number as u8 | 0x80);
                    number >>= 7;
                }
                varint.push(number as u8);
                self.insert(bytes, &varint);
            }
            13 => bytes.truncate(self.random.place(len)),
            14 => self.written(bytes),
            15 => {
                let odd = self.random.of(ODD);
                self.insert(bytes, odd);
            }
            16 => self.lines(bytes),
            17 => {
                let value = self.random.of(VALUES).as_bytes();
                self.value(bytes, value);
            }
            18 => {
                let times = 2 + self.random.small(30);
                self.repeat(bytes, times);
            }
            _ => {
                let from = bytes[self.random.range(len)].to_vec();
                let to = self.random.range(len);
                let n = from.len().min(to.len());
                bytes[to.start..to.start + n].copy_from_slice(&from[..n]);
            }
        }
    }

    fn insert(&mut self, bytes: &mut Vec<u8>, piece: &[u8]) {
        let at = self.random.place(bytes.len());
        // In place of what is there, or before it.
        let end = if self.random.one_in(3) { (at + piece.len()).min(bytes.len()) } else { at };
        bytes.splice(at..end, piece.iter().copied());
    }

    /// A number of one, two, four or eight bytes, of either byte order.
    fn number(&mut self, bytes: &mut [u8]) {
        let size = self.random.of(&[1, 2, 4, 8]);
        if bytes.len() < size {
            return;
        }
        let at = self.random.place(bytes.len() - size);
        // Numbers stand at multiples of their size more often than not.
        let at = if self.random.one_in(2) { at - at % size } else { at };
        let old = bytes[at..at + size].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        let extreme = self.random.of(EXTREMES);
        let new = match self.random.below(4) {
            0 => old.wrapping_add(1 + self.random.below(16) as u64),
            1 => old.wrapping_sub(1 + self.random.below(16) as u64),
            _ => extreme,
        };
        let mut written = new.to_le_bytes()[..size].to_vec();
        if self.random.one_in(4) {
            written.reverse();
        }
        bytes[at..at + size].copy_from_slice(&written);
    }

    /// A number in digits.
    fn written(&mut self, bytes: &mut Vec<u8>) {
        let from = self.random.place(bytes.len());
        let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return };
        let end = bytes[start..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |at| start + at);
        let new = self.random.of(WRITTEN).as_bytes();
        bytes.splice(start..end, new.iter().copied());
    }

    /// What stands after a colon or an equals sign, up to the next comma, bracket or end of line.
    fn value(&mut self, bytes: &mut Vec<u8>, value: &[u8]) {
        let from = self.random.place(bytes.len());
        let sign = |byte: &u8| matches!(byte, b':' | b'=');
        let Some(start) = bytes[from..].iter().position(sign).map(|at| from + at + 1) else { return };
        let stop = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b'\n');
        let end = bytes[start..].iter().position(stop).map_or(bytes.len(), |at| start + at);
        bytes.splice(start..end, [b" ", value].concat());
    }

    fn lines(&mut self, bytes: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if lines.is_empty() {
            return;
        }
        let (a, b) = (self.random.below(lines.len()), self.random.below(lines.len()));
        match self.random.below(4) {
            0 => drop(lines.remove(a)),
            1 => lines.insert(b, lines[a].clone()),
            2 => lines.swap(a, b),
            _ => lines[a].splice(0..0, [b"  ", &b"    "[..], b"\t"][a % 3].iter().copied()).for_each(drop),
        }
        *bytes = lines.concat();
    }

    fn repeat(&mut self, bytes: &mut Vec<u8>, times: usize) {
        let range = self.random.range(bytes.len());
        let piece = if self.words.is_empty() || self.random.one_in(2) {
            bytes[range.start..range.end.min(range.start + 64)].to_vec()
        } else {
            self.random.of(self.words).as_bytes().to_vec()
        };
        let room = self.longest.saturating_sub(bytes.len()) / piece.len().max(1);
        let all = piece.repeat(times.min(room));
        self.insert(bytes, &all);
    }

    /// As long as an input may be, by more and more of the same.
    fn blow_up(&mut self, bytes: &mut Vec<u8>) {
        let times = self.longest;
        self.repeat(bytes, times);
    }
}
