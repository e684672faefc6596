//! What a run came to, question by question: the file that `--out` writes and that runs are compared by.

use super::BenchError;
use super::significance::mean;
use super::silence::{Outcome, Silence};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// One question of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Its id.
    pub id: String,
    /// The beginning of its text.
    pub text: String,
    /// Whether there is an answer to it.
    pub answerable: bool,
    /// Values of the run's metrics, in their order; none if it is unanswerable.
    pub values: Vec<f64>,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// Relevance of the best candidate.
    pub best: f64,
    /// Hits that the gate lets pass, up to as many as are usually shown.
    pub shown: usize,
    /// Those of them that are right.
    pub right: usize,
    /// Place of the first right document, from 1.
    pub first: Option<usize>,
    /// The first documents.
    pub top: Vec<String>,
}

impl Asked {
    /// What the question says about silence.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            answerable: self.answerable,
            best: self.best,
            shown: self.shown,
            right: self.right,
            first_right: self.first == Some(1),
        }
    }
}

/// Where it was measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor.
    pub cpu: String,
    /// Its threads.
    pub threads: usize,
    /// The system.
    pub os: String,
}

/// A run over a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Version of this layout.
    pub format: u32,
    /// The set's name.
    pub set: String,
    /// Where the set lay.
    pub path: String,
    /// The run's name.
    pub run: String,
    /// Version of the program.
    pub version: String,
    /// Fingerprint of the model, if one took part.
    pub model: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// The field that groups documents, if they were searched by group.
    pub group_by: Option<String>,
    /// Whether grades above 1 counted as 1.
    pub binary: bool,
    /// Depths of the metrics.
    pub depths: Vec<usize>,
    /// Relevance that a hit must reach to be shown.
    pub gate: f64,
    /// Documents of the set.
    pub documents: usize,
    /// Texts that went through the model to make the index.
    pub embedded: usize,
    /// Size of the index; none if there is none.
    pub index_bytes: Option<u64>,
    /// Names of the metrics.
    pub metrics: Vec<String>,
    /// The questions.
    pub queries: Vec<Asked>,
}

/// Percentiles of a run's times, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    /// Half are faster.
    pub p50: f64,
    /// 95 of 100 are faster.
    pub p95: f64,
    /// 99 of 100 are faster.
    pub p99: f64,
}

/// A run in one line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The set's name.
    pub set: String,
    /// The run's name.
    pub run: String,
    /// Answerable questions.
    pub queries: usize,
    /// Means of the metrics.
    pub metrics: serde_json::Map<String, serde_json::Value>,
    /// What was shown and what was not.
    pub silence: Silence,
    /// Percentiles of the times.
    pub latency_ms: Latency,
    /// The model.
    pub model: Option<String>,
    /// Unanswerable questions.
    pub unanswerable: usize,
    /// Documents.
    pub documents: usize,
    /// Size of the index.
    pub index_bytes: Option<u64>,
    /// Texts that went through the model to make the index.
    pub embedded: usize,
    /// Questions a second, one after another.
    pub queries_per_s: f64,
}

impl RunResult {
    /// Version of the layout.
    pub const FORMAT: u32 = 1;

    /// Reads what was written.
    ///
    /// # Errors
    /// [`BenchError`] when the file cannot be read or holds something else.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let text = super::trec::read(path)?;
        let bad = |source| BenchError::Result { path: path.to_owned(), source };
        let result: Self = serde_json::from_str(&text).map_err(bad)?;
        let whole = result.queries.iter().all(|q| !q.answerable || q.values.len() == result.metrics.len());
        if result.format != Self::FORMAT || !whole {
            return Err(bad(serde::de::Error::custom("its format is not known here")));
        }
        Ok(result)
    }

    /// The name of its files: set and run.
    pub fn name(&self) -> String {
        format!("{}.{}", self.set, self.run)
    }

    /// The questions that have an answer.
    pub fn answerable(&self) -> impl Iterator<Item = &Asked> {
        self.queries.iter().filter(|query| query.answerable)
    }

    /// A metric question by question; none if it was not measured.
    pub fn values(&self, metric: &str) -> Option<Vec<f64>> {
        let at = self.metrics.iter().position(|name| name == metric)?;
        Some(self.answerable().map(|query| query.values[at]).collect())
    }

    /// What every question says about silence.
    pub fn outcomes(&self) -> Vec<Outcome> {
        self.queries.iter().map(Asked::outcome).collect()
    }

    /// The times of all questions, rising.
    pub fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.queries.iter().map(|query| query.ms).collect();
        times.sort_unstable_by(f64::total_cmp);
        times
    }

    /// The run in one line.
    pub fn summary(&self) -> Summary {
        let round = |value: f64, digits: i32| (value * 10f64.powi(digits)).round() / 10f64.powi(digits);
        let times = self.times();
        let at = |share: f64| round(quantile(&times, share), 3);
        let share = |value: Option<f64>| value.map(|value| round(value, 4));
        let silence = Silence::new(&self.outcomes());
        let means = self.metrics.iter().map(|name| {
            let value = mean(&self.values(name).unwrap_or_default());
            (name.clone(), round(value, 4).into())
        });
        Summary {
            set: self.set.clone(),
            run: self.run.clone(),
            queries: self.answerable().count(),
            metrics: means.collect(),
            silence: Silence {
                noise: share(silence.noise),
                coverage: share(silence.coverage),
                precision: share(silence.precision),
                precision_first: share(silence.precision_first),
                auc: share(silence.auc),
            },
            latency_ms: Latency { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
            model: self.model.clone(),
            unanswerable: self.queries.len() - self.answerable().count(),
            documents: self.documents,
            index_bytes: self.index_bytes,
            embedded: self.embedded,
            queries_per_s: round(1e3 / mean(&times).max(1e-9), 1),
        }
    }
}

/// The value at a share of sorted values; 0 of nothing.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len().saturating_sub(1)) as f64 * share;
    sorted.get(at.round() as usize).copied().unwrap_or(0.0)
}
