//! What a posting adds to a document's rank as FTS5 computes it, looked up where that is quicker.

/// FTS5's term frequency saturation and length normalisation.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Counts up to, and lengths below, which the gain of a posting is looked up in place of being computed; powers of two.
const TABLE_COUNTS: u32 = 16;
const TABLE_LENGTHS: u32 = 1_024;

/// What a posting adds to a document's rank, before the term's idf, by count and length.
#[derive(Debug, Clone)]
pub(super) struct Saturation {
    mean_length: f64,
    table: Vec<f64>,
}

impl Saturation {
    /// Where nothing is looked up: for one question.
    pub fn without_table(documents: usize, tokens: u64) -> Self {
        Self { mean_length: tokens as f64 / documents as f64, table: Vec::new() }
    }

    pub fn new(documents: usize, tokens: u64) -> Self {
        let mut made = Self::without_table(documents, tokens);
        let of_count = |count: u32| (0..TABLE_LENGTHS).map(move |length| (count, length));
        let all = (1..=TABLE_COUNTS).flat_map(of_count);
        made.table = all.map(|(count, length)| made.compute(count, length)).collect();
        made
    }

    #[cold]
    pub fn compute(&self, count: u32, length: u32) -> f64 {
        let (count, length) = (f64::from(count), f64::from(length));
        (count * (K1 + 1.0)) / (count + K1 * (1.0 - B + B * length / self.mean_length))
    }

    /// Of a posting, if it is in the table.
    #[inline]
    pub fn known(&self, count: u32, length: u32) -> Option<f64> {
        let row = count.wrapping_sub(1);
        let is_known = row < TABLE_COUNTS && length < TABLE_LENGTHS;
        let at = row.wrapping_mul(TABLE_LENGTHS).wrapping_add(length) as usize;
        self.table.get(at).filter(|_| is_known).copied()
    }
}
