//! What a search misses, measured.
//!
//! A graph promises nothing about a single query; what it finds of the nearest rows is measured on queries whose
//! nearest rows are known. From that a caller chooses the least `ef` whose recall is good enough even at the lower end
//! of what the sample allows.

use super::rows::{CodeRows, Probe};
use super::search::{SearchOptions, Searcher};
use super::view::GraphView;

/// Values of `ef` that are worth trying, ascending.
pub const LADDER: [usize; 12] = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768];

/// Of the standard normal distribution: 95 % lie within.
const Z: f64 = 1.959_964;

/// A share of what should have been found, with the interval that holds the real share in 95 of 100 samples.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Recall {
    /// In the sample.
    pub share: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Recall {
    /// From each query's share, in \[0, 1\]. The interval is Wilson's (1927) for as many trials as would vary like the
    /// queries did, at least one a query: what is found for one query is not independent, so ten rows are not ten
    /// trials. So the lower end stays below 1 even if nothing was missed. Without queries nothing is known: 0 to 1.
    pub fn of(shares: &[f64]) -> Self {
        let queries = shares.len() as f64;
        if shares.is_empty() {
            return Self { share: 0.0, low: 0.0, high: 1.0 };
        }
        let share = shares.iter().sum::<f64>() / queries;
        let variance = shares.iter().map(|one| (one - share).powi(2)).sum::<f64>() / (queries - 1.0).max(1.0);
        let most = share * (1.0 - share);
        let trials = if variance > 0.0 { queries * (most / variance).max(1.0) } else { queries };
        let (z2, about) = (Z * Z / trials, 1.0 + Z * Z / trials);
        let middle = (share + z2 / 2.0) / about;
        let half = Z * (most / trials + z2 / (4.0 * trials)).sqrt() / about;
        Self { share, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
    }
}

/// What a search of this width finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// The width.
    pub ef: usize,
    /// Of the rows that should have been found.
    pub recall: Recall,
}

/// Measures one width after the other, ascending, and stops after the first whose lower end reaches `target`. `truth`
/// has the nearest rows of each query, `search` finds as many for the query of this number with this `ef`: what it
/// finds is what the caller would answer, with all that comes after the walk.
pub fn recall_ladder(
    truth: &[Vec<u32>],
    ladder: &[usize],
    target: f64,
    mut search: impl FnMut(usize, usize) -> Vec<u32>,
) -> Vec<Rung> {
    let mut rungs: Vec<Rung> = Vec::new();
    for ef in ladder {
        if least_ef(&rungs, target).is_some() {
            break;
        }
        let shares: Vec<f64> = truth.iter().enumerate().map(|(at, want)| found(want, &search(at, *ef))).collect();
        rungs.push(Rung { ef: *ef, recall: Recall::of(&shares) });
    }
    rungs
}

/// Share of the wanted rows that were found; of none, all.
fn found(want: &[u32], got: &[u32]) -> f64 {
    let hits = want.iter().filter(|row| got.contains(row)).count();
    if want.is_empty() { 1.0 } else { hits as f64 / want.len() as f64 }
}

/// The least `ef` whose recall reaches `target` at the lower end of its interval.
pub fn least_ef(rungs: &[Rung], target: f64) -> Option<usize> {
    rungs.iter().filter(|rung| rung.recall.low >= target).map(|rung| rung.ef).min()
}

/// Which of these rows a search for their own bytes finds first, or only behind rows that are as near: whether the
/// graph leads there at all.
pub fn self_found(graph: &GraphView<'_>, codes: &CodeRows<'_>, sample: &[u32], ef: usize) -> Recall {
    let mut searcher = Searcher::new();
    let mut own = |row: &u32| -> f64 {
        let probe = Probe::of_row(codes, *row);
        let (found, _) = searcher.search(graph, codes, &probe, ef, SearchOptions::new(ef));
        let itself = found.iter().find(|near| near.row == *row);
        // Equal rows may fill the whole beam.
        let near = itself.map_or_else(|| codes.similarity(&probe, *row), |near| near.similarity);
        f64::from(u8::from(found.first().is_some_and(|first| first.similarity <= near || itself.is_some())))
    };
    Recall::of(&sample.iter().map(&mut own).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_what_they_should() {
        let none = Recall::of(&[]);
        assert_eq!((none.low, none.high), (0.0, 1.0));
        let whole = Recall::of(&[1.0; 1000]);
        assert!(whole.share == 1.0 && whole.high == 1.0 && (0.995..0.9965).contains(&whole.low), "{whole:?}");
        // Wilson's interval of 81 of 263, as in Newcombe (1998).
        let known: Vec<f64> = (0..263).map(|i| f64::from(u8::from(i < 81))).collect();
        let known = Recall::of(&known);
        assert!((known.low - 0.2553).abs() < 5e-4 && (known.high - 0.3662).abs() < 5e-4, "{known:?}");
        // Ten rows a query that vary little say more than one.
        let even = Recall::of(&(0..100).map(|i| if i % 2 == 0 { 0.9 } else { 1.0 }).collect::<Vec<_>>());
        assert!(even.low > 0.93 && even.low < even.share && even.share < even.high);
    }

    #[test]
    fn the_ladder_ends_where_the_target_is_reached() {
        let truth = vec![vec![1, 2]; 400];
        let rungs = recall_ladder(&truth, &LADDER, 0.9, |_, ef| if ef < 48 { vec![1, 3] } else { vec![2, 1] });
        assert_eq!(rungs.iter().map(|rung| rung.ef).collect::<Vec<_>>(), [16, 24, 32, 48]);
        assert_eq!((least_ef(&rungs, 0.9), least_ef(&rungs, 0.999)), (Some(48), None));
        assert_eq!(rungs[0].recall.share, 0.5);
    }
}
