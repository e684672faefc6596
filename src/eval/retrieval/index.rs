//! An index of a set's own, made and searched by the code that makes and searches everybody's.
//!
//! It lies in the cache in a folder that is named after everything that decides it: documents, groups, model. A second
//! run finds it there and embeds nothing; one that was stopped is completed. What else is known on this machine stays
//! out: neither the user's index nor their packs are part of a measurement.

use super::BenchError;
use super::set::{Set, field};
use crate::engine::{Engine, EngineSettings, Session};
use crate::text::sha256_hex;
use crate::types::{Authority, Fingerprint, Item, Kind, Scope, State};
use std::fs;
use std::path::{Path, PathBuf};

/// Goes into the folder's name: an index that is filled otherwise is another one.
const LAYOUT: &str = "1";

/// A set's index.
#[derive(Debug)]
pub struct BenchIndex {
    settings: EngineSettings,
    /// The model of its vectors; none if it has none.
    pub model: Option<Fingerprint>,
    /// Texts that went through the model to make it.
    pub embedded: usize,
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
        config: None,
        user_packs: None,
        repository_packs: None,
        // Every item is of the same age.
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
    let embedded = fill(set, group_by, &settings, with_model, session)?;
    Ok(BenchIndex { settings, model, embedded, bytes: size(&folder) })
}

fn fill(
    set: &Set,
    group_by: Option<&str>,
    settings: &EngineSettings,
    with_model: bool,
    session: &Session<'_>,
) -> Result<usize, BenchError> {
    let engine = Engine::new(settings.clone());
    let found = engine.status(session)?.inventory;
    if found.total() == set.documents.len() && (found.without_vector == 0 || !with_model) {
        return Ok(0);
    }
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
    Ok(engine.add_items(items, session)?.1)
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
