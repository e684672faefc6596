//! BM25 of documents, as [`super::WeightedTerms::overlap`] gives it for their texts, to the last bit.

use super::bm25::gain;
use super::forward::SHORT;
use super::index::{NONE, Segment};
use super::layout::{COUNT_BITS, LARGE_COUNT};
use super::{PreparedQuery, QueryTerms, Reach, TermIndex, TermOverlap};

/// Bits of the filter that tells most terms of a document that were not asked for, and all of those with short numbers.
/// It stays in the fastest cache.
const FILTER_BITS: usize = SHORT as usize;

/// What all documents reach for a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bm25Scores {
    /// The most that they could reach.
    pub reach: Reach,
    /// What every document reaches that holds a term of it: id and score, by id.
    pub by_document: Vec<(u64, f32)>,
}

impl Bm25Scores {
    /// What a document reaches; `None` if it holds no term of the question.
    pub fn of(&self, id: u64) -> Option<f32> {
        let found = self.by_document.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.by_document.get(found).map(|(_, score)| *score)
    }

    /// Ids of the documents that reach most, at most `most`, best first, equal ones by id.
    pub fn best(&self, most: usize) -> Vec<u64> {
        let mut order = self.by_document.clone();
        let greater = |a: &(u64, f32), b: &(u64, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if order.len() > most && most > 0 {
            order.select_nth_unstable_by(most - 1, greater);
        }
        order.truncate(most);
        order.sort_unstable_by(greater);
        order.into_iter().map(|(id, _)| id).collect()
    }
}

/// The terms of a question as the forward list of a segment numbers them.
struct Asked {
    /// Number and place among the question's terms, by number.
    terms: Vec<(u32, usize)>,
    filter: Vec<u64>,
}

impl Asked {
    fn new(numbers: &[u32]) -> Self {
        let numbers = numbers.iter().copied().enumerate();
        let mut terms: Vec<(u32, usize)> =
            numbers.filter(|(_, number)| *number != NONE).map(|(place, number)| (number, place)).collect();
        terms.sort_unstable();
        let mut filter = vec![0u64; FILTER_BITS / 64];
        for (number, _) in &terms {
            let bit = *number as usize % FILTER_BITS;
            filter[bit / 64] |= 1 << (bit % 64);
        }
        Self { terms, filter }
    }

    /// Whether the filter lets a term pass.
    #[inline]
    fn may_hold(&self, number: u32) -> bool {
        let bit = number as usize % FILTER_BITS;
        self.filter.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Counts the terms of the document in a slot.
    fn count(&self, segment: &Segment, slot: u32, counts: &mut [u32]) {
        counts.fill(0);
        let record = segment.image.record(slot);
        let mut found = |number: u32, count: Option<&u8>| {
            let place = self.terms.binary_search_by_key(&number, |(number, _)| *number).ok();
            let Some((place, count)) = place.map(|at| self.terms[at].1).zip(count) else { return };
            let is_large = u32::from(*count) == LARGE_COUNT;
            counts[place] = if is_large { segment.image.large_count(number, slot) } else { u32::from(*count) };
        };
        for (at, number) in record.short.iter().enumerate() {
            if self.may_hold(u32::from(*number)) {
                found(u32::from(*number), record.counts.get(at));
            }
        }
        for (at, number) in record.long.iter().enumerate() {
            if self.may_hold(*number) {
                found(*number, record.counts.get(record.short.len() + at));
            }
        }
    }
}

impl TermIndex {
    /// What documents share with a question, in the order of their ids here; `None` for one that is not in the index.
    pub fn score(&self, query: &PreparedQuery, ids: &[u64]) -> Vec<Option<TermOverlap>> {
        let asked = |(segment, numbers): (_, &Vec<u32>)| (segment, Asked::new(numbers));
        let segments: Vec<(&Segment, Asked)> = self.segments.iter().zip(&query.numbers).map(asked).collect();
        let mut counts = vec![0; query.weighted().terms().len()];
        let mut of = |id: u64| {
            let (segment, asked, slot) =
                segments.iter().find_map(|(segment, asked)| Some((segment, asked, segment.slot_of(id)?)))?;
            asked.count(segment, slot, &mut counts);
            let length = segment.image.lengths().get(slot as usize)?;
            Some(query.weighted().overlap_of(&counts, *length))
        };
        ids.iter().map(|id| of(*id)).collect()
    }

    /// What every document reaches. For small sets: every one is looked at.
    pub fn score_all(&self, terms: &QueryTerms) -> Bm25Scores {
        let query = self.prepare(terms);
        let mut by_document = Vec::new();
        for (segment, numbers) in self.segments.iter().zip(&query.numbers) {
            by_document.extend(score_segment(segment, numbers, &query));
        }
        by_document.sort_unstable_by_key(|(id, _)| *id);
        Bm25Scores { reach: query.reach(), by_document }
    }
}

/// The documents of a segment that hold a term of the question.
fn score_segment(segment: &Segment, numbers: &[u32], query: &PreparedQuery) -> Vec<(u64, f32)> {
    let (ids, lengths) = (segment.image.ids(), segment.image.lengths());
    let bm25 = query.weighted().bm25();
    let norms: Vec<f32> = lengths.iter().map(|length| bm25.norm(*length as f32)).collect();
    let mut sums = vec![0.0f32; ids.len()];
    for (term, &number) in query.weighted().terms().iter().zip(numbers) {
        for posting in segment.image.postings(number) {
            let (slot, count) = (posting >> COUNT_BITS, posting & LARGE_COUNT);
            let (Some(sum), Some(norm)) = (sums.get_mut(slot as usize), norms.get(slot as usize)) else { continue };
            let count = if count == LARGE_COUNT { segment.image.large_count(number, slot) } else { count };
            *sum += term.weight * gain(term.idf, count as f32, *norm);
        }
    }
    let said = (0u32..).zip(sums).filter(|(slot, sum)| *sum > 0.0 && !segment.is_dead(*slot));
    said.filter_map(|(slot, sum)| Some((*ids.get(slot as usize)?, sum))).collect()
}
