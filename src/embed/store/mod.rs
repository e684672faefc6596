//! The models on this machine: finding, pulling, importing, verifying, loading and removing them.
//!
//! ```text
//! <dir>/<name>/installed.json    the record of a model; beside it its files, unless they lie in the hub's cache
//! <dir>/.seen/<place>.json       records of models in other tools' directories
//! <dir>/.locks/<name>.lock       held while a model is pulled or imported
//! ```
//! A model's directory appears whole, by rename. Reading never needs write access: a record that cannot be written
//! costs a hash at the next load, nothing else.

mod check;
mod find;
mod import;
mod pull;
mod record;
mod staging;

pub use check::FileCheck;
pub use check::ModelFault;
pub use record::Origin;
pub use staging::Leftovers;

use super::candle::CandleEncoder;
use super::config::Config;
use super::event::PullEvent;
use super::fingerprint::Digests;
use super::fused::{self, FusedEncoder, FusedReranker, LoadOptions};
use super::kind::ModelKind;
use super::lock::Lock;
use super::manifest::{CONFIG, Manifest, TOKENIZER, WEIGHTS};
use super::settings::StoreSettings;
use super::{Choice, EmbedError, Encoder, Precision, Reranker, hub};
use record::Record;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

const RECORD: &str = "installed.json";

/// Address space that running a model takes beside its weights and their packed form: texts, vectors, threads.
const WORKING_BYTES: u64 = 384 << 20;

/// A model on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Installed {
    /// What it is: compiled in, or derived from its own files.
    pub manifest: Manifest,
    /// Where its files lie.
    pub root: PathBuf,
    /// How it came there.
    pub origin: Origin,
    /// Whether it can be loaded, as far as names and sizes tell.
    pub state: State,
    /// Bytes of its files.
    pub bytes: u64,
    record: PathBuf,
}

/// Whether an installed model can be loaded, as far as names and sizes tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// All files are there.
    Ready,
    /// It must be pulled or imported again.
    Damaged {
        /// Which file and what is wrong with it.
        why: String,
    },
}

impl Installed {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Files whose hash is not pinned in the manifest, only recorded.
    pub fn unpinned(&self) -> Vec<String> {
        self.manifest.files.iter().filter(|f| f.sha256.is_none()).map(|f| f.path.clone()).collect()
    }
}

/// The models on this machine.
#[derive(Debug, Clone)]
pub struct ModelStore {
    settings: StoreSettings,
}

impl ModelStore {
    /// A store with these settings; nothing is touched yet.
    pub fn new(settings: StoreSettings) -> Self {
        Self { settings }
    }

    /// Loads an encoder: the fused one where it can run the model, unless the settings say otherwise. Files that
    /// changed since they were last hashed are hashed again.
    ///
    /// # Errors
    /// When a file is missing, damaged, changed or not supported, or the model is no encoder.
    pub fn load(&self, installed: &Installed) -> Result<Box<dyn Encoder>, EmbedError> {
        let (hashes, config) = self.checked(installed, ModelKind::Encoder)?;
        let digests = digests_in(&hashes);
        let (root, manifest) = (&installed.root, &installed.manifest);
        let settings = &self.settings.encoder;
        let (fits, precision) = (fused::runs(&config), settings.precision.unwrap_or(manifest.precision));
        match settings.encoder {
            Choice::Fused if !fits => unsupported(installed, "this shape in the fused encoder"),
            Choice::Auto | Choice::Fused if fits => {
                let cache = pack_of(installed, precision);
                let options = self.load_options(installed, config, digests, &cache, precision);
                Ok(Box::new(FusedEncoder::load(&options, manifest)?))
            }
            _ if settings.precision == Some(Precision::Int8) => unsupported(installed, "int8 in the candle encoder"),
            _ => Ok(Box::new(CandleEncoder::load(root, manifest, &config, &digests)?)),
        }
    }

    /// Loads a reranker, which only the fused pass runs.
    ///
    /// # Errors
    /// As [`ModelStore::load`], or when the model is no reranker.
    pub fn load_reranker(&self, installed: &Installed) -> Result<Box<dyn Reranker>, EmbedError> {
        let (hashes, config) = self.checked(installed, ModelKind::Reranker)?;
        if !fused::runs(&config) || config.token_types < 2 {
            return unsupported(installed, "this shape of a reranker");
        }
        let precision = self.settings.encoder.precision.unwrap_or(installed.manifest.precision);
        let cache = pack_of(installed, precision);
        let options = self.load_options(installed, config, digests_in(&hashes), &cache, precision);
        Ok(Box::new(FusedReranker::load(&options)?))
    }

    /// The hashes of a model's files and its shape, if it is of this kind and all is as it should be.
    fn checked(&self, installed: &Installed, kind: ModelKind) -> Result<(HashMap<String, String>, Config), EmbedError> {
        let manifest = &installed.manifest;
        if manifest.kind != kind {
            let name = manifest.name.clone();
            return Err(EmbedError::WrongKind { name, kind: manifest.kind, wanted: kind });
        }
        let (needed, limit) = (WORKING_BYTES + 2 * installed.bytes, self.settings.address_space);
        if let Some(limit) = limit.filter(|limit| *limit < needed) {
            return Err(EmbedError::NoRoom { name: manifest.name.clone(), needed: needed >> 20, limit: limit >> 20 });
        }
        if let State::Damaged { why } = &installed.state {
            return Err(EmbedError::Damaged { path: installed.root.clone(), what: why.clone() });
        }
        let hashes = self.digests(installed)?;
        let path = installed.root.join(CONFIG);
        let config = Config::read(&path)?;
        config.agree(manifest, &path)?;
        Ok((hashes, config))
    }

    fn load_options<'a>(
        &'a self,
        installed: &'a Installed,
        config: Config,
        digests: Digests<'a>,
        cache: &'a Path,
        precision: Precision,
    ) -> LoadOptions<'a> {
        LoadOptions {
            dir: &installed.root,
            digests,
            config,
            max_tokens: installed.manifest.max_tokens,
            settings: &self.settings.encoder,
            precision,
            cache: Some(cache),
        }
    }

    /// Hashes every file of a model and compares it with its pin, or with what was recorded.
    ///
    /// # Errors
    /// When there is no such model. A wrong file is not an error here but a [`FileCheck::problem`].
    pub fn verify(&self, name: &str) -> Result<Vec<FileCheck>, EmbedError> {
        check::verify(&self.found(name)?)
    }

    /// The directory that holds a model's files.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn path(&self, name: &str) -> Result<PathBuf, EmbedError> {
        Ok(self.found(name)?.root)
    }

    /// Removes a model that this store installed, its files in the hub's cache included, and says how many bytes that
    /// freed.
    ///
    /// # Errors
    /// [`EmbedError::NotOurs`] for a model that another tool put into the cache, or an explicit directory.
    pub fn remove(&self, name: &str) -> Result<u64, EmbedError> {
        let found = match self.found(name) {
            // What it says of its files cannot be read; the files beside it are ours all the same.
            Err(EmbedError::Damaged { path, .. }) if path == self.settings.dir.join(name).join(RECORD) => {
                let _lock = self.lock(name, &mut |_| {})?;
                let dir = self.settings.dir.join(name);
                let freed = staging::size(&dir);
                fs::remove_dir_all(&dir).map_err(EmbedError::io(&dir))?;
                return Ok(freed);
            }
            other => other?,
        };
        let name = found.name().to_owned();
        let path = found.root.clone();
        if matches!(found.origin, Origin::Cache | Origin::Directory) {
            return Err(EmbedError::NotOurs { name, path });
        }
        let _lock = self.lock(&name, &mut |_| {})?;
        let mut freed = 0;
        if let Origin::Hub { .. } = found.origin {
            for file in &found.manifest.files {
                freed += hub::remove_from_cache(&found.root, &file.path)?;
            }
        } else {
            freed += found.bytes;
        }
        let dir = self.settings.dir.join(&name);
        fs::remove_dir_all(&dir).map_err(EmbedError::io(&dir))?;
        Ok(freed)
    }

    fn found(&self, name: &str) -> Result<Installed, EmbedError> {
        self.find(name)?.ok_or_else(|| EmbedError::NotInstalled { name: name.into() })
    }

    /// The checked hash of each file; keeps what it had to compute.
    fn digests(&self, installed: &Installed) -> Result<HashMap<String, String>, EmbedError> {
        let (hashes, new) = check::digests(installed)?;
        if let Some(record) = new {
            let _ = record.write(&installed.record); // A read-only store only costs the hash again.
        }
        Ok(hashes)
    }

    fn lock(&self, name: &str, on: &mut dyn FnMut(PullEvent<'_>)) -> Result<Lock, EmbedError> {
        Lock::take(&self.lock_path(name), self.settings.lock_timeout, &mut || on(PullEvent::Waiting { path: name }))
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.settings.dir.join(".locks").join(format!("{name}.lock"))
    }

    /// Turns a filled staging directory into the model `name`.
    fn install(&self, name: &str, staging: tempfile::TempDir, record: &Record) -> Result<(), EmbedError> {
        record.write(&staging.path().join(RECORD))?;
        Self::unmark(staging.path())?;
        pull::sync_dir(staging.path());
        let dir = self.settings.dir.join(name);
        // The old one steps aside first: a rename onto a full directory fails. Dropping `old` deletes it.
        let old = self.staging(name)?;
        let aside = old.path().join(staging::OLD);
        match fs::rename(&dir, &aside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(EmbedError::io(&dir)(error)),
            _ => {}
        }
        if let Err(error) = fs::rename(staging.path(), &dir) {
            let _ = fs::rename(&aside, &dir);
            return Err(EmbedError::io(&dir)(error));
        }
        let _ = staging.keep(); // It has moved; there is nothing left to delete.
        pull::sync_dir(&self.settings.dir);
        Ok(())
    }
}

fn digests_in(hashes: &HashMap<String, String>) -> Digests<'_> {
    let of = |file: &str| hashes.get(file).map_or("", String::as_str); // Every manifest names both files.
    Digests { weights: of(WEIGHTS), tokenizer: of(TOKENIZER) }
}

/// Where packed weights are kept: beside our record of the model, for its files may lie in another tool's folder.
fn pack_of(installed: &Installed, precision: Precision) -> PathBuf {
    installed.record.with_extension(format!("{}.pack", precision.name()))
}

fn unsupported<T>(installed: &Installed, what: &str) -> Result<T, EmbedError> {
    Err(EmbedError::Unsupported { path: installed.root.join(CONFIG), what: what.to_owned() })
}
