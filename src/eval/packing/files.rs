//! A set's documents as files, as somebody would have them on a disk, and an index of them.

use super::super::retrieval::{BenchError, Document, Set, set_field};
use super::PackPlan;
use crate::engine::{Engine, EngineSettings, Session};
use crate::ingest::IndexOptions;
use crate::platform::canonical;
use crate::text::sha256_hex;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a set, and what knows them alone.
pub(super) struct Files {
    folder: PathBuf,
    settings: EngineSettings,
    /// Documents of each file, in order, and the file of each document.
    documents: BTreeMap<String, Vec<String>>,
    file_of: HashMap<String, String>,
}

impl Files {
    /// Writes the files that are not there, and indexes them.
    pub fn prepare(
        set: &Set,
        plan: &PackPlan,
        settings: &EngineSettings,
        session: &Session<'_>,
    ) -> Result<Self, BenchError> {
        let cache = settings.cache.clone().ok_or(crate::engine::EngineError::NoHome)?;
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        let mut documents: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut file_of = HashMap::new();
        let mut titles: HashMap<String, &String> = HashMap::new();
        for document in &set.documents {
            let name = name_of(document, plan);
            let text = texts.entry(name.clone()).or_default();
            // Documents of one file that follow each other under one title stand in one section.
            if !document.title.is_empty() && titles.insert(name.clone(), &document.title) != Some(&document.title) {
                text.push_str(&format!("## {}\n\n", document.title));
            }
            text.push_str(&format!("{}\n\n", document.text));
            documents.entry(name.clone()).or_default().push(document.id.clone());
            file_of.insert(document.id.clone(), name);
        }
        let whole: String = texts.iter().map(|(name, text)| format!("{name}\0{text}\0")).collect();
        let base = super::files_folder(&cache).join(format!("{}-{}", set.name, &sha256_hex(whole.as_bytes())[..16]));
        let folder = base.join("files");
        for (name, text) in &texts {
            let path = folder.join(name);
            if !path.exists() {
                let parent = path.parent().unwrap_or(&folder);
                fs::create_dir_all(parent).map_err(BenchError::io(parent))?;
                fs::write(&path, text).map_err(BenchError::io(&path))?;
            }
        }
        let folder = canonical(&folder).map_err(BenchError::io(&folder))?;
        let settings = EngineSettings {
            data: Some(base),
            shared: None,
            config: None,
            user_packs: None,
            repository_packs: None,
            later: None,
            ..settings.clone()
        };
        Engine::new(settings.clone()).index(std::slice::from_ref(&folder), &IndexOptions::default(), session)?;
        Ok(Self { folder, settings, documents, file_of })
    }

    pub fn engine(&self) -> Engine {
        Engine::new(self.settings.clone())
    }

    /// Where the files of a group lie.
    pub fn folder(&self, group: Option<&str>) -> String {
        let folder = group.map_or_else(|| self.folder.clone(), |group| self.folder.join(safe(group)));
        folder.to_string_lossy().into_owned()
    }

    /// The documents of whole files, the file with the best document first.
    pub fn whole(&self, ranking: &[String]) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let files = ranking.iter().filter_map(|id| self.file_of.get(id)).filter(|file| seen.insert(file.as_str()));
        files.flat_map(|file| self.documents[file].iter().cloned()).collect()
    }
}

fn name_of(document: &Document, plan: &PackPlan) -> String {
    let part = |field: &Option<String>| field.as_deref().and_then(|name| set_field(&document.metadata, name));
    let file = part(&plan.file_by).unwrap_or_else(|| document.id.clone());
    let path = part(&plan.group_by).map_or_else(PathBuf::new, |group| PathBuf::from(safe(&group)));
    let ending = if document.title.is_empty() { "txt" } else { "md" };
    path.join(Path::new(&format!("{}.{ending}", safe(&file)))).to_string_lossy().into_owned()
}

/// A name that is one part of a path, whatever it was.
fn safe(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let text: String = name.chars().map(plain).take(80).collect();
    format!("f-{text}")
}
