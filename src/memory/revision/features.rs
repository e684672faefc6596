//! How alike two statements are, in six numbers: what `weights` weighs.
//!
//! `benches/memory/fit_revision.py` computes the same and fits the weights; a test holds the two together.

use super::statement::{Bag, Statement, Vocabulary};
use std::collections::HashMap;

/// A standing set is small, so this many statements of general English are counted with it.
const PRIOR_STATEMENTS: f32 = 30.0;
/// In how many of these a function word stands, and any other word.
const STOP_SHARE: f32 = 0.3;
const OTHER_SHARE: f32 = 0.01;
/// So many equal words at the beginning are as good as more.
const BEGINNING_WORDS: usize = 6;

/// Function words of English, and words that every second rule has; sorted.
const STOP: &[&str] = &[
    "a", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "before", "between", "both",
    "but", "by", "can", "could", "did", "do", "does", "each", "every", "for", "from", "had", "has", "have", "how",
    "if", "in", "into", "is", "it", "its", "may", "more", "most", "must", "new", "no", "not", "of", "on", "only", "or",
    "other", "our", "over", "per", "should", "so", "such", "than", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "under", "use", "used", "using", "via", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "will", "with", "would", "you", "your",
];

/// How rare each word is among the standing statements: the logarithm of how many statements there are for each that
/// holds it.
#[derive(Debug)]
pub(super) struct Rarity<'a> {
    statements: f32,
    base: &'a [f32],
    own: Vec<f32>,
}

impl Rarity<'_> {
    pub(super) fn new(standing: &[Bag], vocabulary: &Vocabulary<'_>) -> Self {
        let mut holding = vec![0u32; vocabulary.len()];
        for (word, _) in standing.iter().flat_map(|bag| &bag.0) {
            if let Some(holding) = holding.get_mut(*word as usize) {
                *holding += 1;
            }
        }
        let mut out = Self { statements: standing.len() as f32, base: &[], own: vec![0.0; vocabulary.len()] };
        for (word, number) in vocabulary.own() {
            let holding = holding.get(number as usize).copied().unwrap_or(0);
            let rarity = out.rarity(word, holding as f32);
            if let Some(own) = out.own.get_mut(number as usize) {
                *own = rarity;
            }
        }
        out
    }

    /// With the words that only a new statement has.
    pub(super) fn beyond(&self, vocabulary: &Vocabulary<'_>) -> Rarity<'_> {
        let known = self.own.len();
        let mut own = vec![0.0; vocabulary.len().saturating_sub(known)];
        for (word, number) in vocabulary.own() {
            if let Some(own) = (number as usize).checked_sub(known).and_then(|at| own.get_mut(at)) {
                *own = self.rarity(word, 0.0);
            }
        }
        Rarity { statements: self.statements, base: &self.own, own }
    }

    fn rarity(&self, word: &str, holding: f32) -> f32 {
        let share = if STOP.binary_search(&word).is_ok() { STOP_SHARE } else { OTHER_SHARE };
        (1.0 + (self.statements + PRIOR_STATEMENTS) / (holding + PRIOR_STATEMENTS * share)).ln()
    }

    fn of(&self, word: u32) -> f32 {
        let at = word as usize;
        let found = self.base.get(at).or_else(|| self.own.get(at.checked_sub(self.base.len())?));
        found.copied().unwrap_or(0.0)
    }
}

/// Dice's coefficient of the words, weighted by their rarity: 0 without a word in common, 1 for the same words.
pub(super) fn overlap(a: &Bag, b: &Bag, rarity: &Rarity<'_>) -> f32 {
    dice(&a.0, &b.0, |word| rarity.of(word))
}

/// The features of a pair in the order of the weights. All but the last are from 0 to 1; `overlap` is that of the pair.
pub(super) fn features(new: &Statement, old: &Statement, overlap: f32, rarity: &Rarity<'_>) -> [f32; 6] {
    let same = new.words.iter().zip(&old.words).take(BEGINNING_WORDS).take_while(|(a, b)| a == b).count();
    let length = new.words.len() + old.words.len();
    let order = 2.0 * common_subsequence(&new.masked, &old.masked) as f32 / length.max(1) as f32;
    [
        overlap,
        order,
        dice(&new.trigrams, &old.trigrams, |_| 1.0),
        same as f32 / BEGINNING_WORDS as f32,
        f32::from(!new.subject.is_empty() && new.subject == old.subject),
        common(&new.bag.0, &old.bag.0).map(|(word, _)| rarity.of(word)).fold(0.0, f32::max),
    ]
}

fn dice<T: Ord + Copy>(a: &[(T, u32)], b: &[(T, u32)], weight: impl Fn(T) -> f32) -> f32 {
    let total = |all: &[(T, u32)]| all.iter().map(|(one, count)| weight(*one) * *count as f32).sum::<f32>();
    let shared: f32 = common(a, b).map(|(one, count)| weight(one) * count as f32).sum();
    let whole = total(a) + total(b);
    if whole > 0.0 { 2.0 * shared / whole } else { 0.0 }
}

/// What two ascending lists have in common, and how often.
fn common<T: Ord + Copy>(a: &[(T, u32)], b: &[(T, u32)]) -> impl Iterator<Item = (T, u32)> {
    let mut b = b.iter().peekable();
    a.iter().filter_map(move |(one, count)| {
        while b.next_if(|(other, _)| other < one).is_some() {}
        b.next_if(|(other, _)| other == one).map(|(_, other)| (*one, *count.min(other)))
    })
}

/// Length of the longest common subsequence, 64 words at a time. H. Hyyrö, "Bit-parallel LCS-length computation
/// revisited" (2004).
fn common_subsequence<T: Eq + std::hash::Hash>(a: &[T], b: &[T]) -> usize {
    let blocks = a.len().div_ceil(64);
    let mut places: HashMap<&T, Vec<u64>> = HashMap::new();
    for (at, one) in a.iter().enumerate() {
        places.entry(one).or_insert_with(|| vec![0; blocks])[at / 64] |= 1 << (at % 64);
    }
    // A zero bit stands for each word of the subsequence.
    let mut row = vec![u64::MAX; blocks];
    for places in b.iter().filter_map(|one| places.get(one)) {
        let mut carry = false;
        for (bits, places) in row.iter_mut().zip(places) {
            let found = *bits & places;
            let (sum, first) = bits.overflowing_add(found);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *bits = sum | (*bits & !found);
        }
    }
    (0..a.len()).filter(|at| row[at / 64] >> (at % 64) & 1 == 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::revision::statement::words;
    use proptest::prelude::*;

    fn of_pair(new: &str, place: usize, standing: &[&str]) -> [f32; 6] {
        let mut vocabulary = Vocabulary::default();
        let bags: Vec<Bag> = standing.iter().map(|text| Bag::of(&words(text), &mut vocabulary)).collect();
        let rarity = Rarity::new(&bags, &vocabulary);
        let mut vocabulary = vocabulary.beyond();
        let (new, old) = (Statement::new(new, &mut vocabulary), Statement::new(standing[place], &mut vocabulary));
        let rarity = rarity.beyond(&vocabulary);
        features(&new, &old, overlap(&new.bag, &old.bag, &rarity), &rarity)
    }

    /// `fit_revision.py --golden` printed these.
    #[test]
    fn features_are_those_of_the_script_that_fits_them() {
        type Golden = (&'static str, &'static [&'static str], &'static [[f32; 6]]);
        let golden: &[Golden] = &[
            (
                "Max line length: 88",
                &["Max line length: 100", "Run `just test` before a commit", "Use tabs"],
                &[[0.711, 1.0, 0.8205, 0.5, 1.0, 3.2728], [0.0; 6], [0.0; 6]],
            ),
            (
                "**Tests**: run `uv run pytest -n auto`",
                &["**Tests**: run `pytest`", "**Lint**: run `uv run ruff`"],
                &[[0.5456, 0.6, 0.6939, 0.3333, 1.0, 3.2432], [0.4365, 0.5, 0.4151, 0.0, 0.0, 3.2432]],
            ),
            (
                "Never push to main",
                &["Always push to main", "never push to `main`.", "Größe in Bytes angeben"],
                &[
                    [0.6766, 0.75, 0.6486, 0.0, 0.0, 2.731],
                    [1.0, 1.0, 0.9189, 0.6667, 0.0, 3.2728],
                    [0.0, 0.0, 0.05, 0.0, 0.0, 0.0],
                ],
            ),
            (
                "提交前先运行测试",
                &["提交前先运行全部测试", "每行最多120个字符"],
                &[[0.8868, 0.8889, 0.6667, 1.0, 0.0, 3.2432], [0.1064, 0.125, 0.0, 0.0, 0.0, 2.7022]],
            ),
            ("", &["", "a b"], &[[0.0; 6], [0.0; 6]]),
        ];
        for (new, standing, expected) in golden {
            for (place, expected) in expected.iter().enumerate() {
                let seen = of_pair(new, place, standing);
                let near = seen.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4);
                assert!(near, "{new} | {}: {seen:?}, expected {expected:?}", standing[place]);
            }
        }
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP.is_sorted());
    }

    /// The table of the textbooks.
    fn naive(a: &[u8], b: &[u8]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                let longer = table[i][j + 1].max(table[i + 1][j]);
                table[i + 1][j + 1] = if x == y { table[i][j] + 1 } else { longer };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn a_carry_passes_through_a_block_without_the_word() {
        let a: Vec<u8> = (0..129).map(|at| u8::from(at % 128 == 0)).collect();
        assert_eq!(common_subsequence(&a, &[1]), 1);
        assert_eq!(common_subsequence(&a, &[1, 0, 1]), 3);
    }

    proptest! {
        #[test]
        fn the_subsequence_is_the_longest(
            a in prop::collection::vec(0u8..3, 0..400),
            b in prop::collection::vec(0u8..3, 0..400),
        ) {
            prop_assert_eq!(common_subsequence(&a, &b), naive(&a, &b));
        }

        #[test]
        fn features_are_bounded(new in "(\\PC|[a-c:` ]){0,30}", old in "(\\PC|[a-c:` ]){0,30}") {
            let seen = of_pair(&new, 0, &[&old]);
            prop_assert!(seen[..5].iter().all(|x| (0.0..=1.0001).contains(x)), "{:?}", seen);
            prop_assert!((0.0..9.0).contains(&seen[5]), "{:?}", seen);
        }
    }
}
