//! Where a model lies, without the network: an explicit directory, our store, the hub's cache.

use super::record::{Origin, Record};
use super::{Installed, ModelStore, RECORD, check};
use crate::embed::layout::Layout;
use crate::embed::manifest::{Manifest, Source, check_name};
use crate::embed::names::name_of;
use crate::embed::{EmbedError, hash, hub};
use crate::platform::canonical;
use crate::text::near_names;
use std::path::{Path, PathBuf};

impl ModelStore {
    /// The directory that holds a model's files.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn path(&self, name: &str) -> Result<PathBuf, EmbedError> {
        Ok(self.found(name)?.root)
    }

    pub(super) fn found(&self, name: &str) -> Result<Installed, EmbedError> {
        self.find(name)?.ok_or_else(|| EmbedError::NotInstalled { name: name.into() })
    }

    /// Every model that can be loaded, or could if it were whole: ours first, then what lies in the hub's cache, by
    /// name.
    pub fn installed(&self) -> Vec<Installed> {
        let mut all: Vec<Installed> = self.names().iter().filter_map(|n| self.in_store(n).ok().flatten()).collect();
        for manifest in self.manifests() {
            if !all.iter().any(|i| i.manifest.name == manifest.name) {
                all.extend(self.in_cache(manifest));
            }
        }
        all.sort_by(|a, b| a.manifest.name.cmp(&b.manifest.name));
        all
    }

    /// Finds a model by its name, by its name on the hub (`owner/name`), or by its directory. A directory is what has
    /// a path separator or is no known name.
    ///
    /// # Errors
    /// [`EmbedError::UnknownModel`] when it is neither; when a directory or a record cannot be understood.
    pub fn find(&self, name_or_dir: &str) -> Result<Option<Installed>, EmbedError> {
        let path = Path::new(name_or_dir);
        let is_path = name_or_dir.contains(std::path::is_separator) || matches!(name_or_dir, "." | "..");
        if is_path && path.is_dir() {
            return self.in_place(path).map(Some);
        }
        if let Some(manifest) = self.manifests().find(|m| is_hub_name(m, name_or_dir)) {
            return self.find(&manifest.name);
        }
        if check_name(name_or_dir).is_ok()
            && let Some(installed) = self.in_store(name_or_dir)?
        {
            return Ok(Some(installed));
        }
        match self.manifest(name_or_dir) {
            Ok(manifest) => Ok(self.in_cache(manifest)),
            Err(_) if path.is_dir() => self.in_place(path).map(Some),
            Err(unknown) => Err(unknown),
        }
    }

    /// Files and folders that change when what [`ModelStore::find`] gives for this name does, whether they are there or
    /// not.
    pub fn files_of(&self, name_or_dir: &str) -> Vec<PathBuf> {
        let mut files = vec![self.settings.dir.join(name_or_dir).join(RECORD)];
        let path = Path::new(name_or_dir);
        if path.is_dir() {
            files.extend(["config.json", "model.safetensors", "modules.json"].map(|file| path.join(file)));
        }
        let known = self.manifests().filter(|m| m.name == name_or_dir || is_hub_name(m, name_or_dir));
        for manifest in known {
            files.push(self.settings.dir.join(&manifest.name).join(RECORD));
            let cached = manifest.sources.iter().filter_map(|source| match source {
                Source::Hub { repo, .. } => {
                    let cache = self.settings.hub.cache_dir.as_ref()?;
                    Some(cache.join(format!("models--{}/refs", repo.replace('/', "--"))))
                }
                _ => None,
            });
            files.extend(cached);
        }
        files
    }

    /// All known models: those of the settings, then the compiled-in ones that they do not replace.
    pub fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        let own = &self.settings.manifests;
        own.iter().chain(Manifest::builtin().iter().filter(|m| own.iter().all(|o| o.name != m.name)))
    }

    /// The known model of this name.
    ///
    /// # Errors
    /// [`EmbedError::UnknownModel`] with the near names among all known and installed ones.
    pub fn manifest(&self, name: &str) -> Result<&Manifest, EmbedError> {
        self.manifests().find(|m| m.name == name).ok_or_else(|| {
            let own = self.names();
            let known = self.manifests().map(|m| m.name.as_str()).chain(own.iter().map(String::as_str));
            EmbedError::UnknownModel { name: name.into(), near: near_names(name, known) }
        })
    }

    /// Names of the directories in the store.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.settings.dir).into_iter().flatten().flatten();
        entries.filter_map(|e| e.file_name().into_string().ok()).filter(|n| check_name(n).is_ok()).collect()
    }

    pub(super) fn in_store(&self, name: &str) -> Result<Option<Installed>, EmbedError> {
        let dir = self.settings.dir.join(name);
        let path = dir.join(RECORD);
        let Some(record) = Record::read(&path)? else {
            return Ok(None);
        };
        let manifest = match &record.manifest {
            Some(manifest) => manifest.clone(),
            None => self.manifest(name)?.clone(),
        };
        let root = record.root.clone().unwrap_or(dir);
        Ok(Some(Installed::new(manifest, root, record.origin.clone(), path, Some(&record))))
    }

    fn in_cache(&self, manifest: &Manifest) -> Option<Installed> {
        let cache = self.settings.hub.cache_dir.as_deref()?;
        manifest.sources.iter().find_map(|source| {
            let Source::Hub { repo, revision } = source else {
                return None;
            };
            let root = hub::find_in_cache(cache, repo, revision, manifest)?;
            Some(self.seen(manifest.clone(), root, Origin::Cache))
        })
    }

    fn in_place(&self, dir: &Path) -> Result<Installed, EmbedError> {
        let dir = canonical(dir).map_err(EmbedError::io(dir))?;
        let name = name_of(&dir);
        let layout = Layout::read(&dir, &name)?;
        Ok(self.seen(layout.manifest, layout.root, Origin::Directory))
    }

    /// A model outside the store; its record, if any, lies in the store under a name made from its place.
    fn seen(&self, manifest: Manifest, root: PathBuf, origin: Origin) -> Installed {
        let key = hash::of_bytes(root.to_string_lossy().as_bytes());
        let path = self.settings.dir.join(".seen").join(format!("{}.json", &key[..16]));
        let record = Record::read(&path).ok().flatten();
        Installed::new(manifest, root, origin, path, record.as_ref())
    }
}

impl Installed {
    fn new(manifest: Manifest, root: PathBuf, origin: Origin, path: PathBuf, record: Option<&Record>) -> Self {
        // The files of an explicit directory may change as their owner likes.
        let expected = if origin == Origin::Directory { None } else { record };
        let (state, bytes) = check::glance(&root, &manifest, expected);
        Self { manifest, root, origin, state, bytes, record: path }
    }
}

fn is_hub_name(manifest: &Manifest, name: &str) -> bool {
    manifest.sources.iter().any(|s| matches!(s, Source::Hub { repo, .. } if repo.eq_ignore_ascii_case(name)))
}
