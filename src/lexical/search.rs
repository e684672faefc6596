//! Candidates: the documents that say most of what a question says, by the inverted list.
//!
//! They are ranked as SQLite's FTS5 ranks with `bm25()`, to the last bit, so that an index in place of FTS5 names the
//! same documents: other parameters than ours, f64, a term that half of the documents hold or more counts next to
//! nothing. What is judged later is [`TermIndex::score`].

use super::bm25::{NamePlaces, WeightedTerms};
use super::builder::word_hash;
use super::index::{NONE, Segment};
use super::layout::{COUNT_BITS, LARGE_COUNT};
use super::saturation::Saturation;
use super::{Bm25, QueryTerms, Reach, TermIndex};

/// Terms of a question that are searched, rarest first: common ones of a long question find nothing that these do not.
const MAX_TERMS: usize = 24;
/// Documents that hold these terms, added up, beyond which only the rarest terms are searched: every one of them is
/// ranked.
const MAX_POSTINGS: usize = 100_000;
/// Terms that are searched however many documents hold them.
const LEAST_TERMS: usize = 4;
/// FTS5's idf of a term that half of the documents hold or more.
const LEAST_IDF: f64 = 1e-6;
/// Documents that are ranked together: their sums stay in the fastest cache.
const BLOCK: usize = 2_048;
/// A document that reaches less shares nothing with the question.
pub(super) const LEAST_RANK: f64 = f64::MIN_POSITIVE;
/// What a term counts in a heading, beside what it counts in the text.
const HEADING: f32 = 1.0;

/// A question as an index knows its terms. Of use with that index alone.
#[derive(Debug, Clone)]
pub struct PreparedQuery {
    /// Numbers of the terms in each segment; [`NONE`] where no document has one.
    pub(super) numbers: Vec<Vec<u32>>,
    /// Places of the terms that are searched, rarest first, each with FTS5's idf.
    searched: Vec<(usize, f64)>,
    weighted: WeightedTerms,
    reach: Reach,
}

impl PreparedQuery {
    /// Of terms with these hashes, which stand in so many documents each; not yet looked up in any segment.
    pub(super) fn new(terms: &QueryTerms, hashes: &[u64], frequencies: &[usize], bm25: Bm25) -> Self {
        let of_texts = terms.iter().map(|(_, weight)| weight);
        let reach = bm25.reach(of_texts.clone().zip(frequencies.iter().copied()));
        let weights = of_texts.chain(std::iter::repeat(HEADING));
        let all = hashes.iter().zip(weights).zip(frequencies);
        let weighted = WeightedTerms::new(all.map(|((hash, weight), df)| (*hash, weight, *df)), terms.len(), bm25);
        let weighted = weighted.with_name(name_places(terms));
        Self { numbers: Vec::new(), searched: searched(frequencies, bm25), weighted, reach }
    }

    /// Places of the terms that are searched, rarest first, each with FTS5's idf.
    pub(super) fn searched(&self) -> &[(usize, f64)] {
        &self.searched
    }

    /// The most that a document could reach.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// The terms as the documents weigh them: for a text that is in no index.
    pub fn weighted(&self) -> &WeightedTerms {
        &self.weighted
    }

    /// How many documents hold each term, in the order of the question's terms.
    pub fn document_frequencies(&self) -> impl Iterator<Item = usize> + '_ {
        self.weighted.terms().iter().map(|term| term.document_frequency)
    }
}

/// A document that may be among the best.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked {
    pub rank: f64,
    pub id: u64,
}

impl Ranked {
    /// Better ones first, equal ones by id, as FTS5 gives them.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        other.rank.total_cmp(&self.rank).then(self.id.cmp(&other.id))
    }
}

/// The best so far, and how good a document must be to become one of them.
struct Best {
    most: usize,
    ranked: Vec<Ranked>,
    threshold: f64,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { most, ranked: Vec::new(), threshold: LEAST_RANK }
    }

    fn push(&mut self, ranked: Ranked) {
        self.ranked.push(ranked);
        if self.ranked.len() >= self.most.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.ranked.len() >= self.most {
            let last = self.ranked.select_nth_unstable_by(self.most - 1, Ranked::order).1;
            // An equal one of a lower id may still come.
            self.threshold = last.rank;
            self.ranked.truncate(self.most);
        }
    }

    fn into_ids(mut self) -> Vec<u64> {
        self.ranked.sort_unstable_by(Ranked::order);
        self.ranked.truncate(self.most);
        self.ranked.into_iter().map(|ranked| ranked.id).collect()
    }
}

/// A term and those of its postings that are still to come.
struct Cursor<'a> {
    term: u32,
    idf: f64,
    postings: &'a [u32],
}

/// The documents of a block, by their place in it.
struct Block<'a> {
    segment: &'a Segment,
    /// Slot of the first.
    first: usize,
    lengths: &'a [u32],
    /// Sums so far.
    sums: &'a mut [f64],
}

impl Block<'_> {
    /// Adds what a term says; whether it says anything.
    fn add(&mut self, cursor: &mut Cursor<'_>, saturation: &Saturation) -> bool {
        let (segment, first, lengths, idf) = (self.segment, self.first, self.lengths, cursor.idf);
        let Some(sums) = self.sums.get_mut(..lengths.len()) else { return false };
        let mut done = 0;
        for &posting in cursor.postings {
            let slot = (posting >> COUNT_BITS) as usize;
            if slot >= first + lengths.len() {
                break;
            }
            done += 1;
            // Only in a damaged file is there one before the block.
            let at = slot.wrapping_sub(first);
            let Some(&length) = lengths.get(at) else { continue };
            let count = posting & LARGE_COUNT;
            let gain = saturation.known(count, length);
            let gain = gain.unwrap_or_else(|| {
                let is_large = count == LARGE_COUNT;
                let count = if is_large { segment.image.large_count(cursor.term, slot as u32) } else { count };
                saturation.compute(count, length)
            });
            sums[at] += idf * gain;
        }
        cursor.postings = cursor.postings.get(done..).unwrap_or_default();
        done > 0
    }

    /// Takes the documents that may be among the best.
    fn collect(&self, admitted: Option<&dyn Fn(u64) -> bool>, best: &mut Best) {
        let ids = self.segment.image.ids();
        for (chunk, sums) in self.sums.chunks(16).enumerate() {
            let threshold = best.threshold;
            if !sums.iter().fold(false, |any, sum| any | (*sum >= threshold)) {
                continue;
            }
            for (at, &rank) in sums.iter().enumerate().filter(|(_, sum)| **sum >= threshold) {
                let slot = self.first + 16 * chunk + at;
                let Some(&id) = ids.get(slot) else { continue };
                if !self.segment.is_dead(slot as u32) && admitted.is_none_or(|admitted| admitted(id)) {
                    best.push(Ranked { rank, id });
                }
            }
        }
    }
}

impl TermIndex {
    /// Looks the terms of a question up.
    pub fn prepare(&self, terms: &QueryTerms) -> PreparedQuery {
        let hashes = terms.hashes();
        let mut frequencies = vec![0; hashes.len()];
        let mut numbers = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let found = hashes.iter().map(|hash| segment.image.number_of(*hash).unwrap_or(NONE));
            let found: Vec<u32> = found.collect();
            for (frequency, number) in frequencies.iter_mut().zip(&found) {
                *frequency += segment.document_frequency(*number);
            }
            numbers.push(found);
        }
        PreparedQuery { numbers, ..PreparedQuery::new(terms, &hashes, &frequencies, self.bm25()) }
    }

    /// How many admitted documents hold a word, in any of its forms.
    pub fn holders(&self, word: &str, is_admitted: &dyn Fn(u64) -> bool) -> usize {
        let Some(hash) = word_hash(word) else { return 0 };
        let in_segment = |segment: &Segment| {
            let number = segment.image.number_of(hash).unwrap_or(NONE);
            let slots = segment.image.postings(number).iter().map(|posting| posting >> COUNT_BITS);
            let admitted = |slot: &u32| {
                let id = segment.image.ids().get(*slot as usize);
                !segment.is_dead(*slot) && id.is_some_and(|id| is_admitted(*id))
            };
            slots.filter(admitted).count()
        };
        self.segments.iter().map(in_segment).sum()
    }

    /// Ids of up to `most` documents that are admitted and share terms with the question, best first.
    pub fn candidates(&self, query: &PreparedQuery, most: usize, admitted: Option<&dyn Fn(u64) -> bool>) -> Vec<u64> {
        if most == 0 {
            return Vec::new();
        }
        let mut best = Best::new(most);
        for (segment, numbers) in self.segments.iter().zip(&query.numbers) {
            let cursor = |&(place, idf): &(usize, f64)| {
                let term = *numbers.get(place)?;
                let postings = segment.image.postings(term);
                (!postings.is_empty()).then_some(Cursor { term, idf, postings })
            };
            let mut cursors: Vec<Cursor<'_>> = query.searched.iter().filter_map(cursor).collect();
            self.rank(segment, &mut cursors, admitted, &mut best);
        }
        best.into_ids()
    }

    /// Ranks the documents of a segment, block by block.
    fn rank(
        &self,
        segment: &Segment,
        cursors: &mut Vec<Cursor<'_>>,
        admitted: Option<&dyn Fn(u64) -> bool>,
        best: &mut Best,
    ) {
        let mut sums = [0.0f64; BLOCK];
        for (number, lengths) in segment.image.lengths().chunks(BLOCK).enumerate() {
            let mut block = Block { segment, first: number * BLOCK, lengths, sums: &mut sums[..lengths.len()] };
            let mut is_touched = false;
            for cursor in cursors.iter_mut() {
                is_touched |= block.add(cursor, &self.saturation);
            }
            if is_touched {
                block.collect(admitted, best);
                block.sums.fill(0.0);
            }
            cursors.retain(|cursor| !cursor.postings.is_empty());
            if cursors.is_empty() {
                return;
            }
        }
    }
}

/// Where the name that is asked for stands.
fn name_places(terms: &QueryTerms) -> Option<NamePlaces> {
    let name = terms.name()?;
    let text = terms.iter().position(|(term, _)| term == name)?;
    let heading = terms.len() + terms.headings().position(|term| term == name)?;
    Some(NamePlaces { text, heading })
}

/// Which terms are searched, rarest first and alphabetically among equals, each with FTS5's idf.
fn searched(frequencies: &[usize], bm25: Bm25) -> Vec<(usize, f64)> {
    let mut known: Vec<usize> = (0..frequencies.len()).filter(|place| frequencies[*place] > 0).collect();
    known.sort_by_key(|place| frequencies[*place]);
    let mut postings = 0;
    let affordable = known.iter().enumerate().take_while(|(at, place)| {
        postings += frequencies[**place];
        *at < LEAST_TERMS || postings <= MAX_POSTINGS
    });
    let affordable = affordable.count();
    known.truncate(affordable.min(MAX_TERMS));
    let idf = |place: usize| {
        let (all, holders) = (bm25.documents as f64, frequencies[place] as f64);
        let idf = ((all - holders + 0.5) / (holders + 0.5)).ln();
        if idf <= 0.0 { LEAST_IDF } else { idf }
    };
    known.into_iter().map(|place| (place, idf(place))).collect()
}
