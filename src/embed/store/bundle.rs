//! A model as one file for another machine, and from such a file into the store.
//!
//! A bundle is a stranger's file. Under the name of a model that is compiled in, its files must be that model's. Under
//! any other name its own manifest says what it is, as the files of an imported directory do; where such a model could
//! be fetched from is forgotten, because a stranger has written it.

use super::record::{FileRecord, Origin, Record};
use super::{Installed, ModelStore, State, check};
use crate::embed::bundle::{self, Bundle, Contents, Entry, FILES, VECTORS, Vectors};
use crate::embed::event::PullEvent;
use crate::embed::lock::Lock;
use crate::embed::manifest::{CONFIG, Manifest, WEIGHTS, check_name};
use crate::embed::weights::Weights;
use crate::embed::{EmbedError, config::Config, hash};
use crate::map::Aside;
use crate::map::open::{self, Links};
use crate::platform::canonical;
use crate::types::{Calibration, Fingerprint, limits};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What goes into a bundle beside the model's own files.
#[derive(Debug, Default)]
pub struct BundleExtras<'a> {
    /// In place of the manifest's.
    pub calibration: Option<Calibration>,
    /// Vectors of the packs, as the engine keeps them, and the model that made them.
    pub vectors: Option<(&'a Fingerprint, &'a [u8])>,
}

/// A model that came out of a bundle.
#[derive(Debug)]
pub struct Unbundled {
    /// The model.
    pub installed: Installed,
    /// Whether it had been installed before, with the same files.
    pub was_there: bool,
    /// Vectors of the packs, if some were in it.
    pub vectors: Option<BundledVectors>,
}

/// Vectors of the packs out of a bundle: somebody else's, of which only the hash was compared. Their file is gone when
/// this is dropped.
#[derive(Debug)]
pub struct BundledVectors {
    /// The fingerprint of the model that made them, as the bundle says.
    pub model: Fingerprint,
    folder: tempfile::TempDir,
    /// Folders of models whose lock nobody holds are swept.
    _lock: Lock,
}

impl BundledVectors {
    /// Their file.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(VECTORS)
    }
}

impl ModelStore {
    /// Writes an installed model into the bundle `file`, which appears whole or not at all; gives its bytes.
    ///
    /// # Errors
    /// When a file of the model is missing or is not what it should be, the disk refuses, or `stopped` said so.
    pub fn bundle(
        &self,
        installed: &Installed,
        extras: &BundleExtras<'_>,
        file: &Path,
        stopped: &dyn Fn() -> bool,
        on: &mut dyn FnMut(PullEvent<'_>),
    ) -> Result<u64, EmbedError> {
        if let State::Damaged { why } = &installed.state {
            return Err(EmbedError::Damaged { path: installed.root.clone(), what: why.clone() });
        }
        let hashes = self.digests(installed)?;
        let paths = FILES.map(|name| installed.root.join(name));
        let mut files = Vec::new();
        for (name, path) in FILES.iter().zip(&paths) {
            let size = fs::metadata(path).map_err(EmbedError::io(path))?.len();
            let sha256 = hashes.get(*name).cloned().unwrap_or_default();
            files.push(Entry { path: (*name).to_owned(), size, sha256 });
        }
        let vectors = extras.vectors.map(|(model, bytes)| Vectors {
            model: model.as_str().to_owned(),
            file: Entry { path: VECTORS.into(), size: bytes.len() as u64, sha256: hash::of_bytes(bytes) },
        });
        let calibration = extras.calibration.clone().or_else(|| installed.manifest.calibration.clone());
        let contents = Contents::new(Manifest { calibration, ..installed.manifest.clone() }, files, vectors);
        let mut aside = Aside::behind_link(file).map_err(EmbedError::io(file))?;
        let mut source = |entry: &Entry| -> Result<bundle::Source<'_>, EmbedError> {
            match FILES.iter().position(|name| *name == entry.path) {
                Some(at) => {
                    let from = open::open_limited(&paths[at], Links::Follow, limits::WEIGHTS);
                    Ok((&paths[at], Box::new(from.map_err(EmbedError::io(&paths[at]))?.0)))
                }
                None => Ok((file, Box::new(extras.vectors.map_or(&[][..], |(_, bytes)| bytes)))),
            }
        };
        bundle::write((file, aside.file()), &contents, &mut source, stopped, on)?;
        let bytes = aside.file().metadata().map_err(EmbedError::io(file))?.len();
        aside.persist().map_err(EmbedError::io(file))?;
        Ok(bytes)
    }

    /// Takes the model of a bundle in, as `name` or as the bundle calls it. Every byte is compared with its hash before
    /// anything takes its place. A model of that name is replaced, unless it is the very same.
    ///
    /// # Errors
    /// When the file is no bundle, is damaged or of a later version, or holds another model than the name stands for.
    pub fn import_bundle(
        &self,
        file: &Path,
        name: Option<&str>,
        on: &mut dyn FnMut(PullEvent<'_>),
    ) -> Result<Unbundled, EmbedError> {
        let file = canonical(file).map_err(EmbedError::io(file))?;
        let mut bundle = Bundle::open(&file)?;
        let contents = bundle.contents().clone();
        let manifest = self.manifest_of(&contents, name, &file)?;
        let name = &manifest.name;
        let lock = self.lock(name, on)?;
        self.sweep(Some(name))?;
        let was_there = self.holds(&manifest, &contents.files);
        let (staging, beside) = (self.staging(name)?, self.staging(name)?);
        let room = staging.path().to_owned();
        let take = |on: &mut dyn FnMut(PullEvent<'_>)| -> Result<(), EmbedError> {
            let mut files = Vec::new();
            for entry in contents.entries() {
                on(PullEvent::File { path: &entry.path, size: Some(entry.size), done: 0 });
                let is_vectors = entry.path == VECTORS;
                let to = if is_vectors { beside.path().join(VECTORS) } else { room.join(&entry.path) };
                let not_written = |source| {
                    let (path, to) = (file.clone(), self.settings.dir.clone());
                    EmbedError::NotCopied { path, to, source }
                };
                // What is there already is compared all the same: the file may be meant for other machines.
                let mut target = match was_there && !is_vectors {
                    true => None,
                    false => Some(File::create_new(&to).map_err(not_written)?),
                };
                bundle.take(entry, &mut |bytes, done| {
                    on(PullEvent::Bytes { done });
                    target.as_mut().map_or(Ok(()), |target| target.write_all(bytes)).map_err(not_written)
                })?;
                if let Some(target) = target {
                    target.sync_all().map_err(not_written)?;
                    if !is_vectors {
                        files.push(FileRecord::stamped(&room, &entry.path, entry.sha256.clone())?);
                    }
                }
            }
            bundle.end()?;
            if was_there {
                return Ok(());
            }
            let config = room.join(CONFIG);
            Config::read(&config)?.agree(&manifest, &config)?;
            Weights::open(&room.join(WEIGHTS)).map_err(|error| match error {
                EmbedError::Weights { what, .. } => {
                    EmbedError::BrokenBundle { path: file.clone(), what: format!("{WEIGHTS} in it: {what}") }
                }
                other => other,
            })?;
            let mut record = Record::new(Origin::Bundle { from: file.clone() }, files);
            record.describe(&manifest);
            self.install(name, staging, &record)
        };
        // The user's own file is named: what was made of it is gone when the message is read.
        take(on).map_err(|error| error.of_staged(&room, &file))?;
        let installed = match was_there {
            true if self.manifest(name).is_ok() => self.find(name)?,
            _ => self.in_store(name)?,
        };
        let installed = installed.ok_or_else(|| EmbedError::NotInstalled { name: name.clone() })?;
        let made_by = |vectors: &Vectors| Fingerprint::stored(vectors.model.clone());
        let model = contents.vectors.as_ref().map(made_by);
        let vectors = model.map(|model| BundledVectors { model, folder: beside, _lock: lock });
        Ok(Unbundled { installed, was_there, vectors })
    }

    /// What a bundle's model is under this name: what is known of it here, or what the bundle says.
    fn manifest_of(&self, contents: &Contents, name: Option<&str>, file: &Path) -> Result<Manifest, EmbedError> {
        let own = &contents.manifest;
        let name = name.unwrap_or(&own.name);
        check_name(name)?;
        let Ok(known) = self.manifest(name) else {
            let unknown = Manifest { name: name.to_owned(), fallback: None, sources: Vec::new(), ..own.clone() };
            return Ok(unknown);
        };
        for entry in &contents.files {
            if let Some(pin) = known.pin(&entry.path).filter(|pin| *pin != entry.sha256) {
                let what = format!("its {} has SHA-256 {} instead of {pin}", entry.path, entry.sha256);
                return Err(EmbedError::OtherModel { path: file.into(), name: name.to_owned(), what });
            }
        }
        // A fit that ships is better known than one that comes along.
        let calibration = known.calibration.clone().or_else(|| own.calibration.clone());
        Ok(Manifest { calibration, ..known.clone() })
    }

    /// Whether this very model is installed and whole.
    fn holds(&self, manifest: &Manifest, files: &[Entry]) -> bool {
        let name = &manifest.name;
        let found = match self.manifest(name) {
            Ok(_) => self.whole(name),
            // Not by its name alone: a folder of that name, wherever one works, is a model too.
            Err(_) => self.in_store(name).map(|found| found.filter(|installed| self.is_whole(installed))),
        };
        let Ok(Some(installed)) = found else { return false };
        let hashes = check::digests(&installed).map(|(hashes, _)| hashes).unwrap_or_default();
        let same = |entry: &Entry| hashes.get(&entry.path) == Some(&entry.sha256);
        installed.manifest == *manifest && files.iter().all(same)
    }
}
