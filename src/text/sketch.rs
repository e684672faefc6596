//! Whether a text holds most of another one that is no longer there.
//!
//! A [`Sketch`] keeps keyed hashes of the words of a text and of each two words in a row, not the words. [`Sketches`]
//! finds the stretches of a text that are mostly made of what a sketch was made of: some words may be changed, left
//! out, added or moved, and it does not matter what stands around them or how the text is cut.
//!
//! What a sketch hides: who reads it without the salt learns how many words there were. Who has the salt too can ask of
//! a word whether it was in the text, with one wrong answer in some ten million; so a short secret that can be guessed
//! is not hidden from somebody who has the whole database. It is kept out of search, packs, exports and every copy of
//! the text.
//!
//! Sets of hashed shingles and the smallest of them as a sample: Broder, On the resemblance and containment of
//! documents,
//! 1997. A stretch is found as the one of the greatest sum, where what belongs counts for it and what does not against
//!       it.

use super::digest::sha256;
use std::collections::BTreeMap;
use std::ops::Range;

/// What makes the hashes of one database differ from those of all others.
pub type Salt = [u8; 16];

/// Hashes that are kept of the words, and as many of the pairs, at most.
const KEPT: usize = 512;

/// Share of a sketch that must be found in a stretch. Unrelated prose of one language shares a tenth to a fifth, the
/// same text with every fourth word changed six tenths.
const ALIKE: f64 = 0.5;

/// The same for texts of fewer than [`SHORT_WORDS`] words, which chance brings together more easily.
const ALIKE_SHORT: f64 = 0.6;
const SHORT_WORDS: usize = 8;

/// Share of the pairs that a text must hold to be looked at more closely.
const NEAR: f64 = 0.2;

/// Words that are compared together are twice as many; a chunk has no more, unless its words are parts of long ones.
const SEGMENT_WORDS: usize = 512;

/// What a word that belongs to a sketch must outweigh: a stretch is mostly made of what belongs.
const FOREIGN: f64 = 0.5;

/// How much must speak against a run of lines within a passage for it to stay: a dozen words of which few belong.
const LEAST_FOREIGN: f64 = 8.0;

/// Share of the words of a line that must belong for it to go with the rest of a passage that was found, and how many
/// there must be, words and pairs.
const OWN: f64 = 0.8;
const LEAST_OWN: f64 = 10.0;

/// Longer words are data: they count by their parts, so that one other character does not change everything.
const LONG_WORD_CHARS: usize = 24;
const LONG_PART_CHARS: usize = 4;
/// The same for scripts that are written without spaces.
const SPACELESS_PART_CHARS: usize = 2;

/// Longer lines are looked at in parts, in bytes.
const LONG_LINE: usize = 240;
/// No part of a line is shorter, in bytes.
const LEAST_PART: usize = 20;

/// Stretches of one text that are found for one sketch at most.
const MOST_FOUND: usize = 64;

/// What is kept of the words of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sketch {
    /// The smallest hashes of words, ascending.
    pub words: Vec<u32>,
    /// The smallest hashes of two words in a row, ascending.
    pub pairs: Vec<u32>,
    /// How many different words there were.
    pub word_count: usize,
    /// How many different pairs.
    pub pair_count: usize,
}

impl Sketch {
    /// The sketch of a text.
    pub fn of(text: &str, salt: &Salt) -> Self {
        let (mut words, mut pairs) = (Vec::new(), Vec::new());
        let mut last = None;
        for_each_word(text, &mut |word| {
            let hash = hash_word(salt, word);
            words.push(word_feature(hash));
            pairs.extend(last.map(|last| pair_feature(last, hash)));
            last = Some(hash);
        });
        let (word_count, pair_count) = (smallest(&mut words), smallest(&mut pairs));
        Self { words, pairs, word_count, pair_count }
    }

    /// Whether nothing can be recognised by it.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn least(&self) -> f64 {
        let share = if self.word_count < SHORT_WORDS { ALIKE_SHORT } else { ALIKE };
        // Not less than whole: six tenths of five are three.
        share * (self.words.len() + self.pairs.len()) as f64 - 1e-9
    }
}

/// Where a text holds what a sketch was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SketchMatch {
    /// Whose sketch.
    pub which: i64,
    /// Where, in bytes.
    pub range: Range<usize>,
}

/// Many sketches to compare texts with.
#[derive(Debug, Default)]
pub struct Sketches {
    groups: Vec<Group>,
}

/// Sketches of one salt.
#[derive(Debug)]
struct Group {
    salt: Salt,
    members: Vec<(i64, Sketch)>,
    /// Pairs (words, where there is no pair) with the place of a sketch that has them, ascending.
    postings: Vec<(u32, u32)>,
}

/// A line or a part of a long one.
struct Unit {
    range: Range<usize>,
    words: Vec<u32>,
    pairs: Vec<u32>,
}

impl Sketches {
    /// Sketches with their salts and what they are known by; empty ones are left out.
    pub fn new(all: impl IntoIterator<Item = (i64, Salt, Sketch)>) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (which, salt, sketch) in all {
            if sketch.is_empty() {
                continue;
            }
            let at = groups.iter().position(|group| group.salt == salt).unwrap_or_else(|| {
                groups.push(Group { salt, members: Vec::new(), postings: Vec::new() });
                groups.len() - 1
            });
            groups[at].members.push((which, sketch));
        }
        for group in &mut groups {
            for (place, (_, sketch)) in group.members.iter().enumerate() {
                group.postings.extend(telling(sketch).iter().map(|hash| (*hash, place as u32)));
            }
            group.postings.sort_unstable();
        }
        Self { groups }
    }

    /// Whether there is nothing to compare with.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The stretches of a text that hold most of what a sketch was made of. Those of different sketches may overlap.
    pub fn find(&self, text: &str) -> Vec<SketchMatch> {
        let mut out = Vec::new();
        for group in &self.groups {
            let units = units(text, &group.salt);
            for (place, near) in group.near(&units) {
                let (which, sketch) = &group.members[place];
                out.extend(
                    stretches(sketch, &units[near]).into_iter().map(|range| SketchMatch { which: *which, range }),
                );
            }
        }
        out.sort_by_key(|found| (found.range.start, found.range.end, found.which));
        out
    }
}

impl Group {
    /// Sketches that a text may hold, each with the units to look at more closely. What is looked at together is about
    /// as long as the longest chunk: a whole book holds some of everything.
    fn near(&self, units: &[Unit]) -> Vec<(usize, Range<usize>)> {
        let starts = segments(units);
        let mut found: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
        let mut hits = vec![0u32; self.members.len()];
        let mut touched = Vec::new();
        for at in 0..starts.len().saturating_sub(1) {
            let end = (at + 2).min(starts.len() - 1);
            let block = &units[starts[at]..starts[end]];
            let mut hashes: Vec<u32> =
                block.iter().flat_map(|unit| unit.pairs.iter().chain(&unit.words).copied()).collect();
            hashes.sort_unstable();
            hashes.dedup();
            for hash in hashes {
                let first = self.postings.partition_point(|(other, _)| *other < hash);
                for (_, place) in self.postings[first..].iter().take_while(|(other, _)| *other == hash) {
                    let place = *place as usize;
                    if hits[place] == 0 {
                        touched.push(place);
                    }
                    hits[place] += 1;
                }
            }
            for place in touched.drain(..) {
                let wanted = NEAR * telling(&self.members[place].1).len() as f64;
                if f64::from(std::mem::take(&mut hits[place])) >= wanted {
                    // With what stands around it: the ends of a long one may lie there.
                    let range = starts[at.saturating_sub(1)]..starts[(end + 1).min(starts.len() - 1)];
                    let ranges = found.entry(place).or_default();
                    match ranges.last_mut().filter(|last| last.end >= range.start) {
                        Some(last) => last.end = range.end,
                        None => ranges.push(range),
                    }
                }
            }
        }
        found.into_iter().flat_map(|(place, ranges)| ranges.into_iter().map(move |range| (place, range))).collect()
    }
}

/// Where stretches of about [`SEGMENT_WORDS`] words begin, and where the last ends.
fn segments(units: &[Unit]) -> Vec<usize> {
    let mut out = vec![0];
    let mut words = 0;
    for (at, unit) in units.iter().enumerate() {
        words += unit.words.len();
        if words >= SEGMENT_WORDS || at + 1 == units.len() {
            out.push(at + 1);
            words = 0;
        }
    }
    out
}

/// The hashes by which a sketch is found first.
fn telling(sketch: &Sketch) -> &[u32] {
    if sketch.pairs.is_empty() { &sketch.words } else { &sketch.pairs }
}

/// The stretches that hold most of a sketch, in bytes.
fn stretches(sketch: &Sketch, units: &[Unit]) -> Vec<Range<usize>> {
    // Of a long text only a sample is kept: one that is found stands for several.
    let weight = |kept: &[u32], count: usize| count.max(1) as f64 / kept.len().max(1) as f64;
    let (word_weight, pair_weight) =
        (weight(&sketch.words, sketch.word_count), weight(&sketch.pairs, sketch.pair_count));
    let among = |all: &[u32], some: &[u32]| some.iter().filter(|hash| all.binary_search(hash).is_ok()).count() as f64;
    let score = |unit: &Unit| {
        let hits = word_weight * among(&sketch.words, &unit.words) + pair_weight * among(&sketch.pairs, &unit.pairs);
        hits - FOREIGN * (unit.words.len() + unit.pairs.len()) as f64
    };
    let mut scores: Vec<f64> = units.iter().map(score).collect();
    let mut out = Vec::new();
    while out.len() < MOST_FOUND {
        let best = greatest(&scores).filter(|best| share_of(sketch, &units[best.clone()]) >= sketch.least());
        // A short text within a long line is less than half of what stands there.
        let within = || (0..units.len()).find(|at| scores[*at].is_finite() && is_within(sketch, &units[*at]));
        let Some(best) = best.or_else(|| within().map(|at| at..at + 1)) else { break };
        let limit = LEAST_FOREIGN * word_weight.max(pair_weight);
        let own = without_foreign(&scores, best.clone(), limit);
        out.extend(own.into_iter().map(|own| units[own.start].range.start..units[own.end - 1].range.end));
        scores[best].fill(f64::NEG_INFINITY);
    }
    if !out.is_empty() {
        // A sentence of it that stands by itself somewhere near.
        let weight = word_weight.max(pair_weight);
        let is_own = |(unit, score): &(&Unit, &f64)| {
            let size = (unit.words.len() + unit.pairs.len()) as f64;
            score.is_finite() && size >= LEAST_OWN * weight && **score >= (OWN - FOREIGN) * size
        };
        out.extend(units.iter().zip(&scores).filter(is_own).map(|(unit, _)| unit.range.clone()));
        out.sort_by_key(|range| range.start);
    }
    out
}

/// A stretch without the runs of units in it that do not belong: what was put between two parts of a passage, or two
/// copies.
fn without_foreign(scores: &[f64], stretch: Range<usize>, limit: f64) -> Vec<Range<usize>> {
    let against: Vec<f64> = scores[stretch.clone()].iter().map(|score| -score).collect();
    match greatest(&against) {
        Some(run) if run.len() < stretch.len() && against[run.clone()].iter().sum::<f64>() >= limit => {
            let (start, end) = (stretch.start + run.start, stretch.start + run.end);
            let parts = [stretch.start..start, end..stretch.end];
            let parts = parts.into_iter().filter(|part| !part.is_empty());
            parts.flat_map(|part| without_foreign(scores, part, limit)).collect()
        }
        _ => vec![stretch],
    }
}

/// The units whose scores have the greatest sum, if it is above 0; without units at the ends that add nothing.
fn greatest(scores: &[f64]) -> Option<Range<usize>> {
    let (mut best, mut found) = (0.0, None);
    let (mut sum, mut start) = (0.0, 0);
    for (at, score) in scores.iter().enumerate() {
        if sum <= 0.0 {
            (sum, start) = (0.0, at);
        }
        sum += score;
        if sum > best {
            (best, found) = (sum, Some(start..at + 1));
        }
    }
    found
}

/// How many hashes of a sketch are found in these units.
fn share_of(sketch: &Sketch, units: &[Unit]) -> f64 {
    let words = different(&sketch.words, units.iter().flat_map(|unit| &unit.words));
    (words + different(&sketch.pairs, units.iter().flat_map(|unit| &unit.pairs))) as f64
}

/// Whether one line holds all of a short text, or nearly.
fn is_within(sketch: &Sketch, unit: &Unit) -> bool {
    let few = sketch.word_count <= unit.words.len() && !sketch.pairs.is_empty();
    few && different(&sketch.pairs, &unit.pairs) * 2 >= sketch.pairs.len()
        && share_of(sketch, std::slice::from_ref(unit)) >= sketch.least()
}

/// How many of these hashes are among others.
fn different<'h>(all: &[u32], some: impl IntoIterator<Item = &'h u32>) -> usize {
    let mut seen = vec![false; all.len()];
    for at in some.into_iter().filter_map(|hash| all.binary_search(hash).ok()) {
        seen[at] = true;
    }
    seen.into_iter().filter(|seen| *seen).count()
}

/// A text in lines and parts of lines, with the hashes of their words. A pair belongs where its second word stands.
fn units(text: &str, salt: &Salt) -> Vec<Unit> {
    let mut out = Vec::new();
    let mut last = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        for part in parts(line) {
            let mut unit = Unit { range: start..start + part.len(), words: Vec::new(), pairs: Vec::new() };
            for_each_word(part, &mut |word| {
                let hash = hash_word(salt, word);
                unit.words.push(word_feature(hash));
                unit.pairs.extend(last.map(|last| pair_feature(last, hash)));
                last = Some(hash);
            });
            start += part.len();
            out.push(unit);
        }
    }
    out
}

/// A line, or its parts if it is long: sentences where it has some, else what ends at a space, else pieces.
fn parts(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    while rest.len() > LONG_LINE {
        let window = &rest[..floor_char_boundary(rest, LONG_LINE)];
        let sentence = window.char_indices().zip(window.chars().skip(1)).filter_map(|((at, c), next)| {
            let ends = matches!(c, '.' | '!' | '?' | ';') && next.is_whitespace() || matches!(c, '。' | '！' | '？');
            (ends && at >= LEAST_PART).then_some(at + c.len_utf8())
        });
        let space = || window.rfind(char::is_whitespace).filter(|at| *at >= LEAST_PART);
        let end = sentence.into_iter().next().or_else(space).unwrap_or(window.len());
        let (part, after) = rest.split_at(end.max(1));
        out.push(part);
        rest = after;
    }
    if !rest.is_empty() {
        out.push(rest);
    }
    out
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Hears the words of a text in order, in small letters.
fn for_each_word(text: &str, hear: &mut impl FnMut(&str)) {
    let mut buffer = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        buffer.clear();
        buffer.extend(word.chars().flat_map(char::to_lowercase));
        let width = match buffer.chars().any(is_spaceless) {
            true => SPACELESS_PART_CHARS,
            false if buffer.len() > LONG_WORD_CHARS && buffer.chars().count() > LONG_WORD_CHARS => LONG_PART_CHARS,
            false => {
                hear(&buffer);
                continue;
            }
        };
        let starts: Vec<usize> = buffer.char_indices().map(|(at, _)| at).chain([buffer.len()]).collect();
        if starts.len() <= width + 1 {
            hear(&buffer);
            continue;
        }
        for window in starts.windows(width + 1) {
            hear(&buffer[window[0]..window[width]]);
        }
    }
}

/// Whether a character belongs to a script that is written without spaces between words.
fn is_spaceless(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x2E80..=0x9FFF | 0xF900..=0xFAFF
        | 0x20000..=0x3FFFF)
}

fn hash_word(salt: &Salt, word: &str) -> u64 {
    let digest = sha256(&[salt.as_slice(), word.as_bytes()].concat());
    digest[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn word_feature(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn pair_feature(first: u64, second: u64) -> u32 {
    // The hashes of the words are of no known pattern, so a plain mix of them is enough.
    let mixed = (first.rotate_left(23) ^ second).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)) >> 32) as u32
}

/// Leaves the smallest, ascending, each once; gives how many different ones there were.
fn smallest(hashes: &mut Vec<u32>) -> usize {
    hashes.sort_unstable();
    hashes.dedup();
    let count = hashes.len();
    hashes.truncate(KEPT);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SALT: Salt = *b"0123456789abcdef";
    const SECRET: &str = "The zanzibarium password hangs on a nail behind the door of the old kitchen. Whoever needs \
        it has to ask the cook, who keeps the key, sleeps until noon, and does not like to be woken; so it is better \
        to come in the evening, when the bread is in the oven and she has time to talk.";
    const OTHER: &str = "Another paragraph about something else entirely, to keep the file company. It goes on for a \
        while about the weather of the last weeks, about the road that is closed because of the bridge, about the new \
        lamps along the market that nobody likes, and about the dog of the neighbours.";

    fn sketches(texts: &[&str]) -> Sketches {
        Sketches::new(texts.iter().enumerate().map(|(at, text)| (at as i64, SALT, Sketch::of(text, &SALT))))
    }

    fn found<'t>(forgotten: &str, text: &'t str) -> Vec<&'t str> {
        sketches(&[forgotten]).find(text).into_iter().map(|found| text[found.range].trim()).collect()
    }

    #[test]
    fn most_of_a_text_is_found_wherever_it_stands() {
        assert_eq!(found(SECRET, SECRET), [SECRET]);
        let around = format!("# A\n\n{OTHER}\n\n{SECRET}\n\n{OTHER}\n");
        assert_eq!(found(SECRET, &around), [SECRET]);
        let one_line = format!("{OTHER} {SECRET} {OTHER}");
        assert_eq!(found(SECRET, &one_line), [SECRET], "sentences of a long line are told apart");
        let twice = format!("{SECRET}\n\n{OTHER}\n\n{SECRET}\n");
        assert_eq!(found(SECRET, &twice), [SECRET, SECRET]);
        let between = SECRET.replacen("kitchen. ", &format!("kitchen.\n{OTHER}\n"), 1);
        let (first, rest) = SECRET.split_at(SECRET.find("Whoever").unwrap());
        assert_eq!(found(SECRET, &between), [first.trim(), rest], "what was put between stays");
        let wrapped = SECRET.split(' ').collect::<Vec<_>>().chunks(7).map(|line| line.join(" ")).collect::<Vec<_>>();
        assert_eq!(found(SECRET, &wrapped.join("\n")), [wrapped.join("\n")]);
        let quoted = format!("{OTHER}\n\n> {}\n\n{OTHER}\n", wrapped.join("\n> "));
        assert_eq!(found(SECRET, &quoted).len(), 1);
        assert!(found(SECRET, OTHER).is_empty() && found(OTHER, SECRET).is_empty());
        assert!(found(SECRET, "").is_empty() && found("", SECRET).is_empty() && found("***", "***").is_empty());
    }

    #[test]
    fn some_words_may_be_others() {
        let words: Vec<&str> = SECRET.split(' ').collect();
        let every_fourth: Vec<&str> =
            words.iter().enumerate().map(|(at, word)| if at % 4 == 3 { "qqq" } else { word }).collect();
        assert_eq!(found(SECRET, &every_fourth.join(" ")).len(), 1);
        let half: Vec<&str> =
            words.iter().enumerate().map(|(at, word)| if at % 2 == 1 { "qqq" } else { word }).collect();
        assert!(found(SECRET, &half.join(" ")).is_empty());
        let mut swapped = words.clone();
        (0..words.len() - 1).step_by(9).for_each(|at| swapped.swap(at, at + 1));
        assert_eq!(found(SECRET, &swapped.join(" ")).len(), 1);
    }

    #[test]
    fn what_has_no_words_of_common_length_is_known_by_its_parts() {
        let key = "MIIEpAIBAAKCAQEAy8Dbv8prpJkXoV5h9V3Gk2mZQwErTyUiOpAsDfGhJkLzXcVbNm0192837465abcdefghij";
        let other = "ZmFrZSBrZXkgZm9yIHRlc3RzIG9ubHkgbm90aGluZyB0byBzZWUgaGVyZSBtb3ZlIGFsb25nIHBsZWFzZSBub3c";
        let changed = key.replace("V5h9", "V6h9");
        assert_eq!(found(key, &format!("Key:\n{changed}\n{other}\n")), [changed.as_str()]);
        assert!(found(key, other).is_empty());
        let chinese = "保险柜的密码写在厨房旧门后面的纸条上，需要的人必须在晚上去问厨师，因为她白天要睡觉。";
        let changed = chinese.replace("晚上", "早上");
        assert_eq!(found(chinese, &format!("天气很好。\n{changed}\n")), [changed.as_str()]);
        assert!(found(chinese, "昨天的会议讨论了明年的预算以及新办公室的装修计划，大家都很满意。").is_empty());
        assert_eq!(found("db password hunter2", "the db password hunter3"), ["the db password hunter3"]);
        assert!(found("db password hunter2", "a password for the db").is_empty());
        let within = "By the way, before I forget: the db password hunter2 is what everybody uses until Monday.";
        assert_eq!(found("db password hunter2", within), [within]);
    }

    #[test]
    fn a_passage_is_found_within_a_book() {
        let book: String =
            (0..4_000).map(|n| format!("Line {n} of a book about {} and {}.\n", n * 7 % 97, n % 31)).collect();
        for at in [0, book.len() / 2, book.len()] {
            let at = book[..at].rfind('\n').map_or(0, |end| end + 1);
            let with = format!("{}{SECRET}\n{}", &book[..at], &book[at..]);
            assert_eq!(found(SECRET, &with), [SECRET], "at {at}");
        }
        assert!(found(SECRET, &book).is_empty());
    }

    #[test]
    fn a_long_text_is_known_by_a_sample() {
        let long: String = (0..2_000).map(|n| format!("word{n} ") + if n % 12 == 11 { "\n" } else { "" }).collect();
        let sketch = Sketch::of(&long, &SALT);
        assert_eq!((sketch.words.len(), sketch.pairs.len(), sketch.word_count), (KEPT, KEPT, 2_000));
        let text = format!("{OTHER}\n{long}\n{OTHER}\n");
        let [one] = &found(&long, &text)[..] else { panic!("more than one") };
        assert!(long.contains(one) && one.len() * 20 > long.len() * 19, "{} of {}", one.len(), long.len());
    }

    proptest! {
        #[test]
        fn ranges_are_of_the_text(text in "([a-dä界. \n]{0,60}){0,12}", forgotten in "([a-dä界]{1,3} ){0,12}") {
            for one in sketches(&[&forgotten, &text]).find(&text) {
                prop_assert!(text.get(one.range).is_some());
            }
            let whole = units(&text, &SALT).iter().map(|unit| unit.range.len()).sum::<usize>();
            prop_assert_eq!(whole, text.len(), "units tile the text");
        }

        #[test]
        fn a_text_is_found_in_itself(text in "([a-z]{1,9} ){1,120}") {
            prop_assert_eq!(sketches(&[&text]).find(&text).len(), 1);
        }
    }
}
