//! An index of a set's own, made and searched by the code that makes and searches everybody's.
//!
//! It lies in the cache in a folder that is named after everything that decides it: documents, groups, model. A second
//! run finds it there and embeds nothing; one that was stopped is completed. What else is known on this machine stays
//! out: neither the user's index nor their packs are part of a measurement.

use super::BenchError;
use super::set::{Set, field};
use crate::engine::{Engine, EngineSettings, Progress, Session};
use crate::text::sha256_hex;
use crate::types::{Authority, Fingerprint, Item, Kind, Scope, State};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Goes into the folder's name: an index that is filled otherwise is another one.
const LAYOUT: &str = "1";

/// What it took to embed the documents of a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// Texts that went through the model.
    pub texts: usize,
    /// Their tokens.
    pub tokens: usize,
    /// How long that took, the vectors stored, in seconds.
    pub seconds: f64,
}

impl Embedding {
    /// Tokens a second.
    pub fn tokens_per_s(&self) -> f64 {
        self.tokens as f64 / self.seconds.max(1e-9)
    }
}

/// A set's index.
#[derive(Debug)]
pub struct BenchIndex {
    settings: EngineSettings,
    /// The model of its vectors; none if it has none.
    pub model: Option<Fingerprint>,
    /// What went through the model to make it; none if it was there already.
    pub embedding: Option<Embedding>,
    /// Its size on disk.
    pub bytes: u64,
}

impl BenchIndex {
    /// An engine that knows this index alone, with nothing in its caches.
    pub fn engine(&self) -> Engine {
        Engine::new(self.settings.clone())
    }
}

/// The scope of the items of a group.
pub fn scope(group: Option<&str>) -> Scope {
    group.map_or_else(Scope::global, |group| Scope::repository(format!("bench:{group}")))
}

/// The index of a set, made if it is not there. `settings` are those of the session; without `with_model` it holds
/// words alone.
///
/// # Errors
/// [`BenchError`] when a model is needed and missing, or the index cannot be made.
pub fn prepare(
    set: &Set,
    group_by: Option<&str>,
    settings: &EngineSettings,
    with_model: bool,
    session: &Session<'_>,
) -> Result<BenchIndex, BenchError> {
    let cache = settings.cache.clone().ok_or(crate::engine::EngineError::NoHome)?;
    let mut settings = EngineSettings {
        data: None,
        shared: None,
        config: None,
        user_packs: None,
        repository_packs: None,
        // What is measured is there when it is measured.
        later: None,
        ..settings.clone()
    };
    let mut model = None;
    if with_model {
        let found = Engine::new(settings.clone()).fingerprint()?;
        let missing = || crate::engine::EngineError::NoModel { model: settings.model.clone() };
        model = Some(found.ok_or_else(missing)?);
    } else {
        settings.models = None;
    }
    let folder = cache.join("bench").join(folder_name(set, group_by, model.as_ref()));
    settings.data = Some(folder.clone());
    let embedding = fill(set, group_by, &settings, with_model, session)?;
    Ok(BenchIndex { settings, model, embedding, bytes: size(&folder) })
}

fn fill(
    set: &Set,
    group_by: Option<&str>,
    settings: &EngineSettings,
    with_model: bool,
    session: &Session<'_>,
) -> Result<Option<Embedding>, BenchError> {
    let engine = Engine::new(settings.clone());
    let status = engine.status(session)?;
    let found = status.inventory;
    if found.total() == set.documents.len() && (found.without_vector == 0 || !with_model) {
        // Its gate may never have been fitted, or with another calibration than the one that is measured.
        if status.gate.is_none() {
            engine.fit_gate(session)?;
        }
        return Ok(None);
    }
    // Every item is of the same age.
    let items = set.documents.iter().map(|document| Item {
        uid: document.id.clone(),
        kind: Kind::Chunk,
        scope: scope(group_by.and_then(|name| field(&document.metadata, name)).as_deref()),
        authority: Authority::Personal,
        state: State::Active,
        title: document.title.clone(),
        body: document.text.clone(),
        attributes: serde_json::json!({}),
        path: None,
        span: None,
        created_at: 0,
        updated_at: 0,
    });
    let clock: Cell<Option<(Instant, Instant)>> = Cell::new(None);
    let timed = session.heard_by(|step| {
        if let Progress::Embedding { what: "the index", .. } = step {
            let now = Instant::now();
            clock.set(Some((clock.get().map_or(now, |(first, _)| first), now)));
        }
        session.tell(step);
    });
    let embedded = engine.add_items(items, &timed)?.1;
    let seconds = clock.get().map_or(0.0, |(first, last)| (last - first).as_secs_f64());
    Ok((embedded.texts > 0).then_some(Embedding { texts: embedded.texts, tokens: embedded.tokens, seconds }))
}

fn folder_name(set: &Set, group_by: Option<&str>, model: Option<&Fingerprint>) -> PathBuf {
    let mut all = format!("{LAYOUT}\n{}\n", model.map_or("words", Fingerprint::as_str));
    for document in &set.documents {
        let group = group_by.and_then(|name| field(&document.metadata, name)).unwrap_or_default();
        for part in [document.id.as_str(), &group, &document.title, &document.text] {
            all.push_str(part);
            all.push('\0');
        }
    }
    PathBuf::from(format!("{}-{}", set.name, &sha256_hex(all.as_bytes())[..16]))
}

fn size(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|entry| entry.metadata().ok()).filter(fs::Metadata::is_file).map(|meta| meta.len()).sum()
}
