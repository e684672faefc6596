//! Measures search on sets of documents, questions and judgements, as the field does.
//!
//! `set` and `trec` read what `source` gives them, `foreign` adds questions without an answer, `index` makes an index
//! of a set's own, `runs` says which search is measured, `ranking` reads what other software found, and `measure` asks
//! every question through [`crate::engine::Engine::search`], the same code that answers people. `metrics`, `silence`
//! and `significance` are pure; `compare` sets two results against each other, `explain` says why questions moved;
//! `page` draws them. `draft` makes a set to label, with a `proposal` for each of its questions.

mod compare;
mod draft;
mod explain;
mod foreign;
mod grep;
mod index;
mod measure;
mod metrics;
mod page;
mod proposal;
mod ranking;
mod result;
mod runs;
mod set;
mod significance;
mod silence;
pub(super) mod source;
mod stopwatch;
mod trec;

pub use compare::{Comparison, Delta, Moved, Tests, compare, correct, same_set};
pub use draft::{Draft, draft, is_proposed};
pub use foreign::{FOREIGN, add_foreign};
pub use index::{BenchIndex, Embedding, prepare, scope as scope_of_group};
pub use measure::{Plan, measure, measure_ranking};
pub use metrics::{Graded, Judgements, Metric, metrics, order};
pub use page::page;
pub use ranking::Ranking;
pub use result::{Asked, GateFit, Latency, Machine, Percentiles, Placed, RunResult, Summary};
pub use runs::Configuration;
pub use set::{Document, Query, SPLIT, Set, field as set_field, read_set, read_split};
pub use significance::{CORRECTION, INTERVAL, Interval, TEST, bootstrap, holm, permutation, wilson};
pub use silence::{LEGEND, Outcome, Point, Silence, risk_coverage};
pub use trec::{Run, read_qrels, read_run, write_run};

use crate::engine::EngineError;
use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::screen::shown;
use std::io;
use std::path::PathBuf;

/// A measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A file could not be read or written.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file that somebody named, or that a set should have, could not be read.
    #[error("{}: {source}", shown(path))]
    Unread {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
        /// What belongs there.
        hint: &'static str,
    },
    /// A line that is not what its file should hold.
    #[error("{}, line {line}: {what}", shown(path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
        /// What should stand there.
        hint: &'static str,
    },
    /// A set that nothing can be measured on.
    #[error("{}: {what}", shown(path))]
    Set {
        /// Where it lies.
        path: PathBuf,
        /// What it lacks.
        what: String,
        /// What helps.
        hint: String,
    },
    /// A file that holds no result of a run.
    #[error("{}: {source}", shown(path))]
    Result {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// Two results that have no question in common, or are of different sets.
    #[error("{a} and {b} cannot be compared: {what}")]
    Unlike {
        /// One.
        a: String,
        /// The other.
        b: String,
        /// Why.
        what: &'static str,
    },
    /// Two results of one set that was changed in between.
    #[error("{a} and {b} cannot be compared: the set was changed in between")]
    Changed {
        /// One.
        a: String,
        /// The other.
        b: String,
    },
    /// A run by meaning was asked for, and the model did not take part.
    #[error("the model {model} cannot be used for this: {why}")]
    NoModel {
        /// The model.
        model: String,
        /// What is known of the reason.
        why: String,
    },
    /// A search failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl BenchError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

impl Diagnose for BenchError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { source, .. } | Self::Unread { source, .. } => io_kind(source),
            Self::Line { .. } | Self::Set { .. } | Self::Result { .. } => ErrorKind::Usage,
            Self::Unlike { .. } | Self::Changed { .. } => ErrorKind::Usage,
            Self::NoModel { .. } => ErrorKind::NoModel,
            Self::Engine(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::NoModel { model, .. } => Some(format!("`ken model pull {model}` gets it; --run bm25 needs none")),
            Self::Set { hint, .. } => Some(hint.clone()),
            Self::Unread { hint, .. } | Self::Line { hint, .. } => Some((*hint).to_owned()),
            Self::Result { .. } => Some(result::WRITTEN.to_owned()),
            Self::Changed { .. } => Some("measure both again, or compare all the same with --changed-set".to_owned()),
            Self::Io { .. } | Self::Unlike { .. } => None,
        }
    }
}
