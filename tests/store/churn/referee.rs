//! What a search should find, by comparing everything that the database has.

use super::ledger::text;
use super::reader::{Places, ask, engine, found};
use super::{MODEL, RECALL_TARGET};
use crate::store::twin::{owners, twins};
use crate::support::home;
use crate::support::ken::User;
use kenning::ann::Recall;
use kenning::embed::EncoderSettings;
use kenning::engine::Engine;
use kenning::types::Role;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Two ways to the same answers: by the file of vectors and what has changed since, or by a shared store, and by
/// comparing everything that the database has.
pub struct Referee {
    with_file: Engine,
    alone: Engine,
    /// The data directory of the latter.
    beside: PathBuf,
    questions: Vec<String>,
    /// Vectors of questions that nothing answers exactly.
    probes: Vec<Vec<f32>>,
    pub seen: Seen,
}

/// What it has seen.
#[derive(Debug, Default)]
pub struct Seen {
    checks: usize,
    /// Of them with a file that could be used, and with a graph in it.
    files: usize,
    graphs: usize,
    /// Recall of ten: sum and least, over all checks with a graph.
    sum: f64,
    lowest: Option<f64>,
    /// The same of whole searches.
    searches: Option<f64>,
}

/// As a search embeds a question: the mean of both sides, of unit length.
fn mean(one: &[f32], other: &[f32]) -> Vec<f32> {
    let sum: Vec<f32> = one.iter().zip(other).map(|(a, b)| a + b).collect();
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    sum.into_iter().map(|x| x / length).collect()
}

impl Referee {
    pub fn new(places: &Places, user: &User, count: usize) -> Self {
        let beside = places.0.join("alone");
        if user.store().is_none() {
            // The same database, without the file beside it. Of a shared one this is a copy.
            fs::create_dir_all(&beside).unwrap();
            for name in ["kenning.db", "kenning.db-wal"] {
                std::os::unix::fs::symlink(places.home().join(name), beside.join(name)).unwrap();
            }
        }
        let questions: Vec<String> = (0..count).map(|at| text(900_000_000 + at, 1)).collect();
        let encoder = home::encoder(MODEL, EncoderSettings::default());
        let texts: Vec<&str> = questions.iter().map(String::as_str).collect();
        let sides = [Role::Passage, Role::Query].map(|role| encoder.encode(&texts, role, &mut |_| {}).unwrap());
        let probes = sides[0].iter().zip(&sides[1]).map(|(one, other)| mean(&one.vector, &other.vector)).collect();
        let (with_file, alone) = (engine(&places.home(), user.store()), engine(&beside, None));
        Self { with_file, alone, beside, questions, probes, seen: Seen::default() }
    }

    pub fn compare(&mut self, user: &User, when: &str) {
        self.seen.checks += 1;
        if let Some(store) = user.store() {
            let ran = user.ken(&["store", "copy", "--from", store, "--to", self.beside.to_str().unwrap()]);
            assert_eq!(ran.code, 0, "{when}: {ran:?}");
        } else if let (Some(file), truth) = twins(&user.home()) {
            let shares: Vec<f64> = self
                .probes
                .iter()
                .map(|probe| {
                    let right = owners(&truth, &truth.search_exactly(probe, 10, None));
                    let here = owners(&file, &file.search(probe, 10, None));
                    right.intersection(&here).count() as f64 / right.len().max(1) as f64
                })
                .collect();
            let recall = Recall::of(&shares);
            self.seen.files += 1;
            if file.is_exact() {
                assert_eq!(recall.share, 1.0, "{when}: everything was compared");
            } else {
                self.seen.graphs += 1;
                self.seen.sum += recall.share;
                self.seen.lowest = Some(self.seen.lowest.map_or(recall.share, |least| least.min(recall.share)));
                // Questions are a sample.
                assert!(recall.high >= RECALL_TARGET, "{when}: {recall:?}");
            }
        }
        let shares = self.questions.iter().take(20).map(|question| {
            let told = |engine: &Engine| -> BTreeSet<(usize, u32)> {
                found(&ask(engine, question, false).unwrap_or_else(|error| panic!("{when}: {error}")))
                    .into_iter()
                    .collect()
            };
            let (here, right) = (told(&self.with_file), told(&self.alone));
            right.intersection(&here).count() as f64 / right.len().max(1) as f64
        });
        let recall = shares.sum::<f64>() / self.questions.len().min(20) as f64;
        self.seen.searches = Some(self.seen.searches.map_or(recall, |least| least.min(recall)));
        assert!(recall >= RECALL_TARGET, "{when}: searches find {recall:.4} of what the database has");
    }
}
