//! The facade: one file per use case, one value that opens lazily what a use case needs.
//!
//! The only place that picks concrete types. Paths, settings and progress come in as values; an exact answer opens
//! neither model nor vectors. What could not be used (a broken pack, a missing model) becomes a note, not a failure,
//! wherever a right answer is still possible.

mod alike;
mod bundle;
mod copies;
mod database;
mod derived;
mod embedding;
mod error;
mod external;
pub mod face;
mod feedback;
mod forget;
mod index;
mod items;
mod jobs;
mod kept_lines;
mod knowledge;
mod labels;
mod limit;
mod lookup;
mod markdown;
mod memory;
mod models;
mod noise;
mod notes;
mod outcome;
mod pack;
mod pack_files;
mod packs;
mod page_of;
mod passing;
mod plan;
mod purge;
mod search;
mod session;
mod setup;
mod state;
mod status;
mod stored;
mod tools;
mod turns;
mod usage;

pub use alike::Sample;
pub use bundle::Bundled;
pub use derived::Renewed;
pub use embedding::TextVectors;
pub use error::EngineError;
pub use external::{Deleted, ItemPage, PutReport};
pub use feedback::Answered;
pub use forget::Erased;
pub use index::Embedded;
pub use labels::Label;
pub use memory::{
    Decision, KeepLearnt, Learnt, MemoryPage, Near, Proposed, Remember, Remembered, Replayed, SessionText, TakenIn,
    TeamFiles, Told, WrittenMemories,
};
pub use notes::Notes;
pub use outcome::{
    Analysed, Failure, Failures, KeptPattern, Loss, Losses, NEW_ROWS, OutcomePage, OutcomesKept, Overcome, PROMOTED,
    Pending, REJECTED, SessionTaken, WantedDrafts,
};
pub use pack::PackOptions;
pub use packs::NewEntry;
pub use passing::CommandRun;
pub use purge::Holding;
pub use session::{OnProgress, Session};
pub use setup::{AgentFolders, FileSetUp, FileState, SetUp, SetUpError, SetUpReport, agents_here, set_up};
pub use state::PacksSnapshot;
pub use status::{Checkup, FittedGate, Status, StoreState, VectorsFile};
pub use tools::{
    AskedVectors, FoundCapability, FoundTool, KnownCapability, KnownThreshold, KnownTool, ToolApproved, ToolAsk,
    ToolPlan, ToolState, ToolsAdded, ToolsFound, ToolsLearnt, TracedDecision, TracedOutcome,
};

use tools::ReadyTools;

use crate::ann::Index;
use crate::embed::{ModelStore, PullEvent, StoreSettings};
use crate::ingest;
use crate::query::Stage;
use crate::store::{Place, Pool, SharedStore};
use crate::types::Calibration;
use state::{ModelSnapshot, RerankerSnapshot, SemanticsSnapshot, Shared, TermsSnapshot, VectorsSnapshot};
use std::path::PathBuf;
use std::sync::Mutex;
use turns::Turns;

/// What the engine is told about its surroundings.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The data directory; `None` without a home.
    pub data: Option<PathBuf>,
    /// The database in PostgreSQL that is used in place of the file in the data directory.
    pub shared: Option<SharedStore>,
    /// The user's configuration file; calibrations of their own lie beside it.
    pub config: Option<PathBuf>,
    /// What can be deleted at any time, for [`Engine::purge`].
    pub cache: Option<PathBuf>,
    /// Where the user's packs lie.
    pub user_packs: Option<PathBuf>,
    /// Where a trusted repository's packs lie.
    pub repository_packs: Option<PathBuf>,
    /// Where canon's vectors lie.
    pub vectors: Option<PathBuf>,
    /// The model, by name or directory.
    pub model: String,
    /// In place of the calibration that the model ships with: to measure a model that has none yet.
    pub calibration: Option<Calibration>,
    /// The model that reads question and text together, by name.
    pub reranker: String,
    /// Share of the nearest texts that a search must find, in (0, 1\]; at 1 every vector is compared.
    pub recall_target: f64,
    /// Share of foreign questions that indexed texts may answer, in (0, 0.25\].
    pub max_noise: f64,
    /// Whether the nearest of what was asked are remembered, in memory alone: for a process that is asked by many.
    pub remembers: bool,
    /// Where models lie and come from; `None` without a home.
    pub models: Option<StoreSettings>,
    /// Starts a process that makes the file of vectors again ([`Engine::renew_vectors`]), and says whether it could.
    /// Without it whoever has written makes the file when it is due.
    pub later: Option<fn() -> bool>,
}

#[cfg(test)]
impl EngineSettings {
    /// Settings of an engine for tests, which has a data directory and nothing else.
    pub(crate) fn without_model(data: &std::path::Path) -> Self {
        Self {
            data: Some(data.to_owned()),
            shared: None,
            config: None,
            cache: None,
            user_packs: None,
            repository_packs: None,
            vectors: None,
            model: "none".to_owned(),
            calibration: None,
            reranker: String::new(),
            recall_target: 1.0,
            max_noise: 0.03,
            remembers: false,
            models: None,
            later: None,
        }
    }
}

/// What a long step tells while it runs.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A model is being pulled.
    Pull(&'a PullEvent<'a>),
    /// Files are being indexed.
    Index(ingest::Progress),
    /// A part of a search begins.
    Search(Stage),
    /// Questions are asked one after another, to measure.
    Asking {
        /// Which run, of which set.
        what: &'a str,
        /// Questions done.
        done: usize,
        /// Questions in all.
        total: usize,
    },
    /// The graph of the vectors is being built.
    Linking {
        /// Rows that are in.
        done: usize,
        /// Rows in all.
        total: usize,
    },
    /// Another process makes what is needed, and is waited for.
    Waiting {
        /// What it makes.
        what: &'static str,
    },
    /// Texts are being embedded: how many are done, of how many, with which model.
    Embedding {
        /// Whose texts: `the canon` or `the index`.
        what: &'static str,
        /// Texts done.
        done: usize,
        /// Texts in all.
        total: usize,
        /// The model.
        model: &'a str,
    },
}

/// All use cases, for any number of threads: each request brings a [`Session`] of its own. What is kept open between
/// requests are snapshots (`state`), which are swapped when what they were made from has changed.
pub struct Engine {
    settings: EngineSettings,
    pool: Option<Pool>,
    packs: Shared<PacksSnapshot>,
    model: Shared<ModelSnapshot>,
    semantics: Shared<SemanticsSnapshot>,
    reranker: Shared<RerankerSnapshot>,
    terms: Shared<TermsSnapshot>,
    vectors: Shared<VectorsSnapshot>,
    tools: Shared<ReadyTools>,
    /// Writers that wait for each other.
    turns: Turns,
    /// Whoever counts what was served: one at a time, for SQLite lets others sleep until it is free.
    counting: Mutex<()>,
}

impl EngineSettings {
    /// Where the store is; `None` without a home.
    pub fn place(&self) -> Option<Place> {
        let shared = self.shared.clone().map(|shared| SharedStore { words: Some(stored::WORDS), ..shared });
        Some(Place { folder: self.data.clone()?, shared })
    }
}

impl Engine {
    /// An index that remembers what it is asked, if this engine is to.
    fn remembering(&self, index: Index) -> Index {
        if self.settings.remembers { index.remembering() } else { index }
    }

    /// Opens nothing yet.
    pub fn new(settings: EngineSettings) -> Self {
        Self {
            pool: settings.place().map(Pool::at),
            settings,
            packs: Shared::default(),
            model: Shared::default(),
            semantics: Shared::default(),
            reranker: Shared::default(),
            terms: Shared::default(),
            vectors: Shared::default(),
            tools: Shared::default(),
            turns: Turns::default(),
            counting: Mutex::default(),
        }
    }

    /// Closes the database, which folds its log into it: before a process ends without taking an engine apart.
    pub fn close(&self) {
        if let Some(pool) = &self.pool {
            pool.close_idle();
        }
    }

    /// Reads everything of the database again at the next request: it was repaired.
    fn forget_snapshots(&self) {
        self.close();
        self.terms.clear();
        self.vectors.clear();
    }

    fn store(&self) -> Result<ModelStore, EngineError> {
        self.settings.models.clone().map(ModelStore::new).ok_or(EngineError::NoHome)
    }

    fn data(&self) -> Result<&PathBuf, EngineError> {
        let data = self.settings.data.as_ref().ok_or(EngineError::NoHome)?;
        crate::store::make_private(data)?;
        Ok(data)
    }
}

/// What is shared by threads can be: told by the compiler, here.
const _: () = {
    const fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<Engine>();
};
