//! A set of rows, one bit each.

/// Which rows are admitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowSet {
    words: Vec<u64>,
    count: usize,
}

impl RowSet {
    /// No row of an index of `rows`.
    pub fn new(rows: usize) -> Self {
        Self { words: vec![0; rows.div_ceil(64)], count: 0 }
    }

    /// Admits a row; one beyond the index is ignored.
    pub fn insert(&mut self, row: u32) {
        if let Some(word) = self.words.get_mut(row as usize / 64) {
            let bit = 1u64 << (row % 64);
            self.count += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Whether a row is admitted.
    pub fn contains(&self, row: u32) -> bool {
        self.words.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// The bits, of 64 rows each.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Those that are admitted, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().zip(0u32..).flat_map(|(word, at)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(64 * at + bit)
            })
        })
    }

    /// How many are admitted.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
