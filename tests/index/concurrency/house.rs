//! The calls of the test on the engine that all of its threads share, and nothing else of the engine.

use crate::store::churn::reader::{self, session};
use crate::support::ken::User;
use kenning::engine::{Engine, EngineError};
use kenning::error::{Diagnose, ErrorKind};
use kenning::ingest::IndexOptions;
use kenning::query::LookupOptions;
use kenning::types::Access;
use kenning::types::{Answer, Content};
use std::path::{Path, PathBuf};

/// Why there is no answer.
#[derive(Debug)]
pub struct Refusal {
    pub kind: ErrorKind,
    pub text: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.text)
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        Self { kind: error.kind(), text: error.to_string() }
    }
}

/// Everything that the threads do.
pub struct House {
    engine: Engine,
}

impl House {
    pub fn new(user: &User) -> Self {
        Self { engine: reader::engine(&user.home(), user.store()) }
    }

    /// Brings a folder up to date.
    pub fn index(&self, folder: &Path) -> Result<(), Refusal> {
        let options = IndexOptions::default();
        self.engine.index(&[folder.to_owned()], &options, &session()).map(drop).map_err(Refusal::from)
    }

    pub fn forget_paths(&self, paths: &[PathBuf]) -> Result<(), Refusal> {
        self.engine.forget_paths(paths, &session()).map(drop).map_err(Refusal::from)
    }

    pub fn forget_items(&self, ids: &[String]) -> Result<(), Refusal> {
        self.engine.forget(ids, &Access::all(), &session()).map(drop).map_err(Refusal::from)
    }

    pub fn clean(&self) -> Result<(), Refusal> {
        self.engine.clean(&session()).map(drop).map_err(Refusal::from)
    }

    /// Searches by meaning, or by words too, and shows whatever is found.
    pub fn search(&self, question: &str, keyword: bool) -> Result<Answer, Refusal> {
        let session = session();
        let answer = self.engine.search(question.as_bytes(), &reader::options(keyword), &session)?;
        match reader::complaint(&session) {
            Some(text) => Err(Refusal { kind: ErrorKind::Internal, text }),
            None => Ok(answer),
        }
    }

    /// The ids of the entries that a lookup shows, in order.
    pub fn lookup(&self, text: &str) -> Result<Vec<String>, Refusal> {
        let answer = self.engine.lookup(text.as_bytes(), &LookupOptions::default(), &session())?;
        let hits = answer.results.iter().flat_map(|finding| &finding.hits);
        Ok(hits.filter(|hit| matches!(hit.content, Content::Advice(_))).map(|hit| hit.id.clone()).collect())
    }

    /// Makes another model that of the index. Until it is that of the engine too, searches may be refused.
    pub fn change_model(&self, name: &str) -> Result<(), Refusal> {
        let Some(installed) = self.engine.model(Some(name))? else {
            return Err(Refusal { kind: ErrorKind::NoModel, text: name.to_owned() });
        };
        self.engine.prepare(&installed, &session())?;
        self.engine.switch_index(&installed, &session())?;
        Ok(self.engine.end_switch(&session())?)
    }
}
