//! The facade: one file per use case, one value that opens lazily what a use case needs.
//!
//! The only place that picks concrete types. Paths, settings and progress come in as values; an exact answer opens
//! neither model nor vectors. What could not be used (a broken pack, a missing model) becomes a note, not a failure,
//! wherever a right answer is still possible.

mod database;
mod error;
mod forget;
mod index;
mod knowledge;
mod lookup;
mod markdown;
mod models;
mod notes;
mod pack;
mod packs;
mod purge;
mod search;
mod status;
mod vectors;

pub use error::EngineError;
pub use forget::Erased;
pub use notes::Notes;
pub use pack::PackOptions;
pub use packs::NewEntry;
pub use purge::Holding;
pub use status::{Checkup, Status, VectorsFile};
pub use vectors::Renewed;

use crate::canon::{Canon, PackProblem, PackSource};
use crate::embed::{ModelStore, PullEvent, Reranker, StoreSettings};
use crate::ingest;
use crate::query::{Knowledge, Semantics, Stage};
use crate::store::Database;
use crate::types::Calibration;
use database::OpenModel;
use std::cell::{OnceCell, RefCell};
use std::path::PathBuf;
use vectors::Loaded;

/// What the engine is told about its surroundings.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The data directory; `None` without a home.
    pub data: Option<PathBuf>,
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
    /// Where models lie and come from; `None` without a home.
    pub models: Option<StoreSettings>,
    /// The time, milliseconds since 1970.
    pub clock: fn() -> i64,
    /// Starts a process that makes the file of vectors again ([`Engine::renew_vectors`]), and says whether it could. Without it
    /// whoever has written makes the file when it is due.
    pub later: Option<fn() -> bool>,
    /// Whether the user has asked for an end: asked while the graph of the vectors is built.
    pub stopped: fn() -> bool,
    /// Where it says what it could not use. Whoever makes engines of one place reads the notes of all of them.
    pub notes: Notes,
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

/// Hears progress.
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress<'_>);

/// All use cases.
pub struct Engine {
    settings: EngineSettings,
    knowledge: Knowledge,
    /// The user's and the repository's packs.
    sources: Vec<PackSource>,
    semantics: OnceCell<Option<Semantics>>,
    encoder: OnceCell<Option<OpenModel>>,
    reranker: OnceCell<Box<dyn Reranker>>,
    loaded: RefCell<Option<Loaded>>,
    /// An open database that nobody reads at the moment.
    spare: RefCell<Option<Database>>,
}

impl Engine {
    /// Reads the packs; opens nothing else.
    pub fn new(settings: EngineSettings) -> Self {
        let (sources, unread) = packs::read_all(&settings);
        let (canon, problems) = Canon::load(&sources);
        let note = |problem: PackProblem| format!("{problem}; it is left out (ken canon check says more)");
        unread.into_iter().chain(problems).map(note).for_each(|note| settings.notes.add(note));
        let terms = if sources.is_empty() { "canon.terms" } else { "canon-own.terms" };
        let kept = settings.vectors.as_ref().map(|folder| folder.join(terms));
        let knowledge = Knowledge::new(canon, kept);
        Self {
            settings,
            knowledge,
            sources,
            semantics: OnceCell::new(),
            encoder: OnceCell::new(),
            reranker: OnceCell::new(),
            loaded: RefCell::new(None),
            spare: RefCell::new(None),
        }
    }

    /// Ends a process's use of it: the database is closed, the rest is left to the system, which frees thousands of small
    /// things at once.
    pub fn leave(self) {
        self.spare.take();
        std::mem::forget(self);
    }

    /// What could not be used so far, a sentence each; taken once.
    pub fn take_notes(&self) -> Vec<String> {
        self.settings.notes.take()
    }

    /// The packs as loaded.
    pub fn canon(&self) -> &Canon {
        self.knowledge.canon()
    }

    fn note(&self, text: String) {
        self.settings.notes.add(text);
    }

    fn now(&self) -> i64 {
        (self.settings.clock)()
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
