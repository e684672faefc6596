//! Copies a sentence-transformers directory into the store.
//!
//! Under the name of a model that is compiled in, the files must be that model's: pins and expectations of its
//! manifest hold. Under any other name the directory's own files say what it is.

use super::record::{FileRecord, Origin, Record};
use super::{Installed, ModelStore, check};
use crate::embed::hash::Hasher;
use crate::embed::layout::Layout;
use crate::embed::manifest::{self, CONFIG, check_name};
use crate::embed::names::name_of;
use crate::embed::weights::Weights;
use crate::embed::{EmbedError, config::Config};
use crate::map::open::{self, Links};
use crate::platform::canonical;
use crate::types::limits::WEIGHTS;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

impl ModelStore {
    /// Imports `dir` as `name`, by default the directory's own name. A model of that name is replaced.
    ///
    /// # Errors
    /// When the directory is not understood, not supported, or not the model that the name stands for.
    pub fn import(&self, dir: &Path, name: Option<&str>) -> Result<Installed, EmbedError> {
        let dir = canonical(dir).map_err(EmbedError::io(dir))?;
        let name = name.map_or_else(|| name_of(&dir), str::to_owned);
        check_name(&name)?;
        let layout = Layout::read(&dir, &name)?;
        let known = self.manifest(&name).ok();
        let manifest = known.unwrap_or(&layout.manifest);
        let config = layout.root.join(CONFIG);
        Config::read(&config)?.agree(manifest, &config)?;

        // Looked at before gigabytes are copied.
        Weights::open(&layout.root.join(manifest::WEIGHTS))?;

        let _lock = self.lock(&name, &mut |_| {})?;
        self.sweep(Some(&name))?;
        let staging = self.staging(&name)?;
        let room = staging.path().to_owned();
        let take = || -> Result<(), EmbedError> {
            let mut files = Vec::new();
            for spec in &manifest.files {
                let (from, to) = (layout.root.join(&spec.path), room.join(&spec.path));
                // What is copied to is gone again before anybody reads of it: the user's own file is named.
                let sha256 = copy(&from, &to).map_err(|error| match error {
                    EmbedError::Io { path, source } if path == to => {
                        EmbedError::NotCopied { path: from, to: self.settings.dir.clone(), source }
                    }
                    other => other,
                })?;
                check::agree(&layout.root, manifest, None, &spec.path, &sha256)?;
                files.push(FileRecord::stamped(&room, &spec.path, sha256)?);
            }
            let mut record = Record::new(Origin::Import { from: dir }, files);
            record.describe(manifest);
            self.install(&name, staging, &record)
        };
        take().map_err(|error| error.of_staged(&room, &self.settings.dir.join(&name)))?;
        self.in_store(&name)?.ok_or(EmbedError::NotInstalled { name })
    }
}

/// Copies and hashes; the copy is on disk when this returns.
fn copy(from: &Path, to: &Path) -> Result<String, EmbedError> {
    let mut source = open::open_limited(from, Links::Follow, WEIGHTS).map_err(EmbedError::io(from))?.0;
    let mut target = File::create_new(to).map_err(EmbedError::io(to))?;
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let n = source.read(&mut buffer).map_err(EmbedError::io(from))?;
        if n == 0 {
            break;
        }
        hasher.update(&buffer[..n]);
        target.write_all(&buffer[..n]).map_err(EmbedError::io(to))?;
    }
    target.sync_all().map_err(EmbedError::io(to))?;
    Ok(hasher.hex())
}
