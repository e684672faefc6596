//! The packs as they are read: the built-in ones, the user's and a trusted repository's.

use super::Watched;
use crate::canon::{Canon, PackProblem, PackSource};
use crate::engine::pack_files::read_all;
use crate::engine::{Engine, EngineSettings, Session};
use crate::query::Knowledge;
use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// The packs of one moment.
pub struct PacksSnapshot {
    pub(in crate::engine) knowledge: Knowledge,
    /// The user's and the repository's packs.
    pub(in crate::engine) sources: Vec<PackSource>,
    /// What could not be used, a sentence each.
    problems: Vec<String>,
    files: Watched,
}

impl PacksSnapshot {
    fn read(settings: &EngineSettings) -> Self {
        let files = Watched::new(files(settings));
        let (sources, unread) = read_all(settings);
        let (canon, problems) = Canon::load(&sources);
        let note = |problem: PackProblem| format!("{problem}; it is left out (`ken canon check` says more)");
        let problems = unread.into_iter().chain(problems).map(note).collect();
        let terms = if sources.is_empty() { "canon.terms" } else { "canon-own.terms" };
        let kept = settings.vectors.as_ref().map(|folder| folder.join(terms));
        Self { knowledge: Knowledge::new(canon, kept), sources, problems, files }
    }

    /// The entries.
    pub fn canon(&self) -> &Canon {
        self.knowledge.canon()
    }
}

/// The folders of packs and what lies in them.
fn files(settings: &EngineSettings) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> =
        [&settings.user_packs, &settings.repository_packs].into_iter().flatten().cloned().collect();
    let inside = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    inside.map(|entry| entry.path()).chain(folders.iter().cloned()).collect()
}

impl Engine {
    /// The packs as they are now; notes what could not be used of them.
    pub fn packs(&self, session: &Session<'_>) -> Arc<PacksSnapshot> {
        let read = |_| Ok::<_, Infallible>(PacksSnapshot::read(&self.settings));
        let Ok(packs) = self.packs.current(|held| held.files.is_unchanged(), read);
        packs.problems.iter().for_each(|problem| session.note(problem.clone()));
        packs
    }
}
