//! What a run came to, question by question: the file that `--out` writes and that runs are compared by.

use super::BenchError;
use super::index::Embedding;
use super::set::{SPLIT, plain};
use super::significance::{Interval, mean};
use super::silence::{Outcome, Silence};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Where results come from.
pub(super) const WRITTEN: &str = "give a file that `ken bench run --out DIR` wrote";

/// A document of a ranking, with what put it there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// Its id.
    pub id: String,
    /// Its place, from 1.
    pub rank: usize,
    /// Cosine to the question; none if meaning did not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// Words as a share of what could be reached; none if they did not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<f64>,
    /// What documents are ordered by; none if that was something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closeness: Option<f64>,
    /// Probability of being right.
    pub relevance: f64,
}

/// One question of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// The first document and why it is first; none if nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_hit: Option<Placed>,
    /// The first right document, unless it is the first of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right_hit: Option<Placed>,
    /// Milliseconds of each of the run's stages, in their order; none where a search has no stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<f64>,
}

impl Asked {
    /// The first right document, wherever it is.
    pub fn best_right(&self) -> Option<&Placed> {
        if self.first == Some(1) { self.top_hit.as_ref() } else { self.right_hit.as_ref() }
    }

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

/// What decides how relevant a hit must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateFit {
    /// The documents: the gate was fitted to how they answer questions about other things, without labels.
    Index,
    /// The model, or words where there is none: the gate is the same for all documents.
    Calibration,
    /// Nothing: everything that is found is shown.
    None,
}

/// A run over a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Version of this layout.
    pub format: u32,
    /// The set's name.
    pub set: String,
    /// Which of the set's judgements were counted.
    #[serde(default = "usual_split")]
    pub split: String,
    /// A hash of its documents, questions and judgements; none in results of before it was kept.
    #[serde(default)]
    pub set_digest: Option<String>,
    /// When it was measured, as RFC 3339; none in results of before it was kept.
    #[serde(default)]
    pub made_at: Option<String>,
    /// Where the set lay.
    pub path: String,
    /// The run's name.
    pub run: String,
    /// The file that the ranking was read from; none if it was searched for here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<String>,
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
    /// What the gate is fitted to; none in results of before it was kept, and in rankings of other software.
    #[serde(default)]
    pub gate_fit: Option<GateFit>,
    /// Where the sets lay whose questions count as unanswerable here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<String>,
    /// Documents of the set.
    pub documents: usize,
    /// Rankings from which the document that is the question itself was left out.
    #[serde(default)]
    pub left_out: usize,
    /// Texts that went through the model to make the index.
    pub embedded: usize,
    /// What that took; none if the index was there already.
    #[serde(default)]
    pub embedding: Option<Embedding>,
    /// Size of the index; none if there is none.
    pub index_bytes: Option<u64>,
    /// The most memory that the process has held until the run was done, the set and earlier runs included; none where
    /// the system does not tell.
    #[serde(default)]
    pub peak_mib: Option<u64>,
    /// Names of the metrics.
    pub metrics: Vec<String>,
    /// Names of the stages of a search.
    #[serde(default)]
    pub stages: Vec<String>,
    /// The questions.
    pub queries: Vec<Asked>,
}

fn usual_split() -> String {
    SPLIT.to_owned()
}

/// Percentiles of times, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// Half are faster.
    pub p50: f64,
    /// 95 of 100 are faster.
    pub p95: f64,
    /// 99 of 100 are faster.
    pub p99: f64,
}

impl Percentiles {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| round(quantile(&times, share), 3);
        Self { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
    }
}

/// How long the questions of a run take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Latency {
    /// From asking to having the answer.
    #[serde(flatten)]
    pub whole: Percentiles,
    /// The stages that took part, by name. The percentiles of a stage are its own, so they do not add up to those of
    /// the whole.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, Percentiles>,
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
    /// Percentiles of the times; none of a ranking of a file.
    pub latency_ms: Option<Latency>,
    /// The model.
    pub model: Option<String>,
    /// Unanswerable questions.
    pub unanswerable: usize,
    /// Documents.
    pub documents: usize,
    /// Size of the index.
    pub index_bytes: Option<u64>,
    /// Rankings from which the document that is the question itself was left out.
    pub left_out: usize,
    /// Texts that went through the model to make the index.
    pub embedded: usize,
    /// What that took; none if the index was there already.
    pub embedding: Option<Embedding>,
    /// What the gate is fitted to.
    pub gate_fit: Option<GateFit>,
    /// The most memory that the process has held.
    pub peak_mib: Option<u64>,
    /// Questions a second, one after another; none of a ranking of a file.
    pub queries_per_s: Option<f64>,
}

impl RunResult {
    /// Version of the layout.
    pub const FORMAT: u32 = 1;

    /// Reads what was written.
    ///
    /// # Errors
    /// [`BenchError`] when the file cannot be read or holds something else.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let text = super::source::read(path, WRITTEN)?;
        let bad = |source| BenchError::Result { path: path.to_owned(), source };
        let result: Self = serde_json::from_str(&text).map_err(bad)?;
        let whole = result.queries.iter().all(|q| !q.answerable || q.values.len() == result.metrics.len());
        if result.format != Self::FORMAT || !whole {
            return Err(bad(serde::de::Error::custom("its format is not known here")));
        }
        Ok(result)
    }

    /// The name of its files.
    pub fn name(&self) -> String {
        Self::name_of(&self.set, &self.split, &self.run)
    }

    /// The name of the files of a run: set and run, with the split between if it is not the usual one.
    pub fn name_of(set: &str, split: &str, run: &str) -> String {
        if split == SPLIT { format!("{set}.{run}") } else { format!("{set}.{}.{run}", plain(split)) }
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

    /// Percentiles of the times, the whole and by stage.
    pub fn latency(&self) -> Latency {
        let one = |(at, name): (usize, &String)| {
            let times: Vec<f64> = self.queries.iter().filter_map(|query| query.stages.get(at).copied()).collect();
            times.iter().any(|ms| *ms > 0.0).then(|| (name.clone(), Percentiles::of(times)))
        };
        let stages = self.stages.iter().enumerate().filter_map(one).collect();
        Latency { whole: Percentiles::of(self.times()), stages }
    }

    /// The run in one line.
    pub fn summary(&self) -> Summary {
        let share = |value: Option<f64>| value.map(|value| round(value, 4));
        let is_own = self.ranking.is_none();
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
                noise_interval: silence
                    .noise_interval
                    .map(|ends| Interval { low: round(ends.low, 4), high: round(ends.high, 4) }),
                coverage: share(silence.coverage),
                // The scores of a file say nothing of how sure it is.
                oracle_coverage: share(silence.oracle_coverage.filter(|_| is_own)),
                precision: share(silence.precision),
                precision_first: share(silence.precision_first),
                auc: share(silence.auc.filter(|_| is_own)),
            },
            latency_ms: is_own.then(|| self.latency()),
            model: self.model.clone(),
            unanswerable: self.queries.len() - self.answerable().count(),
            documents: self.documents,
            index_bytes: self.index_bytes,
            left_out: self.left_out,
            embedded: self.embedded,
            embedding: self.embedding.map(|one| Embedding { seconds: round(one.seconds, 3), ..one }),
            gate_fit: self.gate_fit,
            peak_mib: self.peak_mib,
            queries_per_s: is_own.then(|| round(1e3 / mean(&self.times()).max(1e-9), 1)),
        }
    }
}

/// A value with so many digits behind the point; 0 has no sign.
pub(super) fn round(value: f64, digits: i32) -> f64 {
    (value * 10f64.powi(digits)).round() / 10f64.powi(digits) + 0.0
}

/// The value at a share of sorted values; 0 of nothing.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len().saturating_sub(1)) as f64 * share;
    sorted.get(at.round() as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it was written before stages, memory and explanations were kept.
    const BEFORE: &str = r#"{"format":1,"set":"s","path":"s","run":"bm25","version":"0.1.0","model":null,
        "machine":{"cpu":"c","threads":2,"os":"linux"},"group_by":null,"binary":false,"depths":[10],"gate":0.5,
        "documents":1,"embedded":0,"index_bytes":null,"metrics":["mrr"],"queries":[{"id":"q","text":"t",
        "answerable":true,"values":[1.0],"ms":2.0,"best":0.5,"shown":1,"right":1,"first":1,"top":["d"]}]}"#;

    #[test]
    fn results_of_before_are_read() {
        let result: RunResult = serde_json::from_str(BEFORE).unwrap();
        assert!(result.set_digest.is_none() && result.made_at.is_none() && result.split == "test");
        assert!(result.peak_mib.is_none() && result.queries[0].best_right().is_none());
        let latency = serde_json::to_value(result.summary().latency_ms).unwrap();
        assert_eq!(latency, serde_json::json!({"p50": 2.0, "p95": 2.0, "p99": 2.0}), "no stage is made up");
    }

    #[test]
    fn nothing_is_below_zero_that_is_zero() {
        let mut result: RunResult = serde_json::from_str(BEFORE).unwrap();
        assert_eq!(serde_json::to_string(&[round(-0.0, 3), round(-1e-9, 4)]).unwrap(), "[0.0,0.0]");
        result.queries.clear();
        let summary = serde_json::to_string(&result.summary()).unwrap();
        assert!(!summary.contains("-0.0"), "{summary}");
        let nothing = super::super::metrics::Graded::default();
        let values = super::super::metrics::metrics(&[1, 10], true).into_iter().map(|metric| metric.of(&nothing));
        assert!(values.into_iter().all(f64::is_sign_positive));
    }

    #[test]
    fn stages_have_percentiles_of_their_own_if_they_took_part() {
        let mut result: RunResult = serde_json::from_str(BEFORE).unwrap();
        result.stages = vec!["embed".into(), "words".into()];
        let one = result.queries[0].clone();
        result.queries = (1..=100).map(|at| Asked { stages: vec![0.0, f64::from(101 - at)], ..one.clone() }).collect();
        let latency = serde_json::to_value(result.latency()).unwrap();
        assert_eq!(latency["stages"], serde_json::json!({"words": {"p50": 51.0, "p95": 95.0, "p99": 99.0}}));
        assert_eq!(serde_json::from_str::<RunResult>(&serde_json::to_string(&result).unwrap()).unwrap(), result);
    }
}
