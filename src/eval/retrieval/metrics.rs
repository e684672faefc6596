//! What a ranking is worth, question by question, exactly as trec_eval computes it.
//!
//! Documents are ordered by score falling, ties by id falling; scores are compared in single precision. A document
//! without a judgement, or with one below 1, is not relevant. nDCG's gain is the grade and its discount `log2(rank +
//! 1)` (Järvelin and Kekäläinen, 2002). The expected values of the test come from pytrec_eval
//! (`benches/eval/golden.py`).

use std::collections::HashMap;

/// Grades of a question's documents by id; above 0 is relevant.
pub type Judgements = HashMap<String, i64>;

/// A measure of a ranking, in \[0, 1\].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Normalised discounted cumulative gain at a depth.
    Ndcg(usize),
    /// The same, with every relevant document worth the same.
    BinaryNdcg(usize),
    /// One over the place of the first relevant document.
    Mrr,
    /// Mean precision at the places of the relevant documents.
    Map,
    /// Share of the relevant documents that are among the first.
    Recall(usize),
    /// Share of the first that are relevant.
    Precision(usize),
    /// Whether a relevant document is among the first.
    Success(usize),
}

impl Metric {
    /// The name in tables and JSON, such as `ndcg@10`.
    pub fn name(self) -> String {
        match self {
            Self::Ndcg(k) => format!("ndcg@{k}"),
            Self::BinaryNdcg(k) => format!("ndcg_binary@{k}"),
            Self::Mrr => "mrr".to_owned(),
            Self::Map => "map".to_owned(),
            Self::Recall(k) => format!("recall@{k}"),
            Self::Precision(k) => format!("precision@{k}"),
            Self::Success(k) => format!("success@{k}"),
        }
    }

    /// Its value for a ranking.
    pub fn of(self, ranking: &Graded) -> f64 {
        let hits = |k: usize| ranking.gains.iter().take(k).filter(|gain| **gain > 0).count() as f64;
        let share = |part: f64, whole: usize| if whole == 0 { 0.0 } else { part / whole as f64 };
        match self {
            Self::Ndcg(k) => ndcg(&ranking.gains, &ranking.ideal, k, |gain| gain as f64),
            Self::BinaryNdcg(k) => ndcg(&ranking.gains, &ranking.ideal, k, |_| 1.0),
            Self::Mrr => ranking.first().map_or(0.0, |place| 1.0 / place as f64),
            Self::Map => {
                let (mut found, mut sum) = (0.0, 0.0);
                for (place, _) in ranking.gains.iter().enumerate().filter(|(_, gain)| **gain > 0) {
                    found += 1.0;
                    sum += found / (place + 1) as f64;
                }
                share(sum, ranking.ideal.len())
            }
            Self::Recall(k) => share(hits(k), ranking.ideal.len()),
            Self::Precision(k) => share(hits(k), k),
            Self::Success(k) => f64::from(u8::from(hits(k) > 0.0)),
        }
    }
}

/// The metrics of a run at these depths. `graded` adds nDCG without grades.
pub fn metrics(depths: &[usize], graded: bool) -> Vec<Metric> {
    let each = |make: fn(usize) -> Metric| depths.iter().map(move |&k| make(k));
    let mut out: Vec<Metric> = each(Metric::Ndcg).collect();
    if graded {
        out.extend(each(Metric::BinaryNdcg));
    }
    out.extend([Metric::Mrr, Metric::Map]);
    out.extend(each(Metric::Recall));
    out.extend(each(Metric::Precision));
    out.push(Metric::Success(1));
    out.extend(depths.iter().filter(|k| **k != 1).map(|&k| Metric::Success(k)));
    out
}

/// A ranking by grades.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graded {
    /// Grade by place, 0 where there is none.
    gains: Vec<i64>,
    /// All grades above 0, falling.
    ideal: Vec<i64>,
}

impl Graded {
    /// Of documents in their order.
    pub fn new<'a>(judged: &Judgements, ranking: impl IntoIterator<Item = &'a str>, binary: bool) -> Self {
        let grade = |grade: &i64| if binary { (*grade).min(1) } else { *grade }.max(0);
        let mut ideal: Vec<i64> = judged.values().map(grade).filter(|grade| *grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { gains: ranking.into_iter().map(|id| judged.get(id).map_or(0, grade)).collect(), ideal }
    }

    /// The place of the first relevant document, from 1.
    pub fn first(&self) -> Option<usize> {
        self.gains.iter().position(|gain| *gain > 0).map(|at| at + 1)
    }

    /// Relevant documents among the first.
    pub fn relevant(&self, first: usize) -> usize {
        self.gains.iter().take(first).filter(|gain| **gain > 0).count()
    }
}

fn ndcg(gains: &[i64], ideal: &[i64], k: usize, worth: impl Fn(i64) -> f64) -> f64 {
    let sum = |grades: &[i64]| -> f64 {
        let places = grades.iter().take(k).enumerate().filter(|(_, grade)| **grade > 0);
        // The sum of nothing would be -0.
        places.fold(0.0, |sum, (at, grade)| sum + worth(*grade) / ((at + 2) as f64).log2())
    };
    let best = sum(ideal);
    if best > 0.0 { sum(gains) / best } else { 0.0 }
}

/// Puts scored documents into the order in which they are judged.
pub fn order(run: &mut [(String, f32)]) {
    run.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| b.0.cmp(&a.0)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn judged() -> BTreeMap<&'static str, Judgements> {
        let of = |grades: &[(&str, i64)]| grades.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect();
        let deep = (0..20).step_by(3).map(|i| (format!("n{i:02}"), 1 + i / 3 % 3)).collect();
        BTreeMap::from([
            ("graded", of(&[("d1", 3), ("d2", 2), ("d3", 0), ("d4", 1), ("d9", 2), ("d5", -1)])),
            ("ties", of(&[("b", 1), ("d", 1), ("e", 2)])),
            ("close", of(&[("x", 1), ("z", 1)])),
            ("missing", of(&[("d1", 1)])),
            ("nothing", of(&[("d1", 0)])),
            ("deep", deep),
            ("easy", of(&[("d1", 2), ("d2", 1)])),
        ])
    }

    fn run(query: &str) -> Vec<(String, f32)> {
        let of = |scores: &[(&str, f64)]| scores.iter().map(|(id, score)| ((*id).to_owned(), *score as f32)).collect();
        match query {
            "graded" => of(&[("d3", 9.0), ("d1", 8.0), ("d5", 7.5), ("d4", 7.0), ("d8", 6.0), ("d2", 5.0)]),
            "ties" => of(&[("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 0.5), ("e", 0.5), ("f", 0.25)]),
            "close" => of(&[("x", 0.1), ("y", 0.1 + 1e-12), ("z", 0.05)]),
            "easy" => of(&[("d1", 2.0), ("d3", 1.5), ("d2", 1.0)]),
            "nothing" => of(&[("d1", 1.0), ("d2", 0.5)]),
            "deep" => (0..20).map(|i| (format!("n{i:02}"), ((i * 9) % 20) as f32)).collect(),
            _ => Vec::new(),
        }
    }

    /// Of `benches/eval/golden.py`: nDCG, reciprocal rank, average precision, recall, precision and success at 1, 3 and
    /// 10.
    const GRADED: &[(&str, [f64; 14])] = &[
        (
            "graded",
            [
                0.0000, 0.3597, 0.5333, 0.5000, 0.3750, 0.0000, 0.2500, 0.7500, 0.0000, 0.3333, 0.3000, 0.0000, 1.0000,
                1.0000,
            ],
        ),
        (
            "ties",
            [
                0.0000, 0.2015, 0.6002, 0.5000, 0.5333, 0.0000, 0.3333, 1.0000, 0.0000, 0.3333, 0.3000, 0.0000, 1.0000,
                1.0000,
            ],
        ),
        (
            "close",
            [
                0.0000, 0.6934, 0.6934, 0.5000, 0.5833, 0.0000, 1.0000, 1.0000, 0.0000, 0.6667, 0.2000, 0.0000, 1.0000,
                1.0000,
            ],
        ),
        (
            "nothing",
            [
                0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000,
                0.0000,
            ],
        ),
        (
            "deep",
            [
                0.0000, 0.0000, 0.2847, 0.2000, 0.2907, 0.0000, 0.0000, 0.2857, 0.0000, 0.0000, 0.2000, 0.0000, 0.0000,
                1.0000,
            ],
        ),
        (
            "easy",
            [
                1.0000, 0.9502, 0.9502, 1.0000, 0.8333, 0.5000, 1.0000, 1.0000, 1.0000, 0.6667, 0.2000, 1.0000, 1.0000,
                1.0000,
            ],
        ),
    ];
    const BINARY: &[(&str, [f64; 14])] = &[
        (
            "graded",
            [
                0.0000, 0.2961, 0.5535, 0.5000, 0.3750, 0.0000, 0.2500, 0.7500, 0.0000, 0.3333, 0.3000, 0.0000, 1.0000,
                1.0000,
            ],
        ),
        (
            "ties",
            [
                0.0000, 0.2961, 0.6797, 0.5000, 0.5333, 0.0000, 0.3333, 1.0000, 0.0000, 0.3333, 0.3000, 0.0000, 1.0000,
                1.0000,
            ],
        ),
        (
            "close",
            [
                0.0000, 0.6934, 0.6934, 0.5000, 0.5833, 0.0000, 1.0000, 1.0000, 0.0000, 0.6667, 0.2000, 0.0000, 1.0000,
                1.0000,
            ],
        ),
        (
            "nothing",
            [
                0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000,
                0.0000,
            ],
        ),
        (
            "deep",
            [
                0.0000, 0.0000, 0.2042, 0.2000, 0.2907, 0.0000, 0.0000, 0.2857, 0.0000, 0.0000, 0.2000, 0.0000, 0.0000,
                1.0000,
            ],
        ),
        (
            "easy",
            [
                1.0000, 0.9197, 0.9197, 1.0000, 0.8333, 0.5000, 1.0000, 1.0000, 1.0000, 0.6667, 0.2000, 1.0000, 1.0000,
                1.0000,
            ],
        ),
    ];

    #[test]
    fn equals_trec_eval() {
        let judged = judged();
        for (binary, expected) in [(false, GRADED), (true, BINARY)] {
            for (query, expected) in expected {
                let mut ranking = run(query);
                order(&mut ranking);
                let ranking = Graded::new(&judged[query], ranking.iter().map(|(id, _)| id.as_str()), binary);
                let all = metrics(&[1, 3, 10], false);
                assert_eq!(all.len(), expected.len());
                for (metric, expected) in all.iter().zip(expected) {
                    let value = metric.of(&ranking);
                    let wrong = (value - expected).abs();
                    assert!(wrong < 6e-5, "{query}, binary {binary}, {}: {value}, not {expected}", metric.name());
                }
                if binary {
                    continue;
                }
                let (_, without_grades) = BINARY.iter().find(|(name, _)| name == query).unwrap();
                assert!((Metric::BinaryNdcg(10).of(&ranking) - without_grades[2]).abs() < 6e-5, "{query}");
            }
        }
    }

    #[test]
    fn a_question_that_nothing_was_found_for_counts_as_nothing() {
        let ranking = Graded::new(&judged()["missing"], [], false);
        assert!(metrics(&[1, 10], true).iter().all(|metric| metric.of(&ranking) == 0.0));
        assert_eq!((ranking.first(), ranking.relevant(5)), (None, 0));
    }
}
