//! The cache that Hugging Face's tools share.
//!
//! ```text
//! models--owner--name/blobs/<etag>               the bytes
//! models--owner--name/refs/<revision>            the commit that a branch, tag or commit stands for
//! models--owner--name/snapshots/<commit>/<path>  a link to the blob, or a copy where links are impossible
//! ```
//! Blobs are complete when they have their name; what is being fetched is `<etag>.part`, guarded by `<etag>.lock`.
//!
//! hf-hub names a repository's folder and its snapshots. Blobs it names only together with its HTTP client. Refs are
//! read and written here: hf-hub reads one of any length, takes what stands around the commit for part of it, and
//! writes it in place, so that a reader can meet half of one.

use crate::embed::lock::Lock;
use crate::embed::manifest::Manifest;
use crate::embed::{EmbedError, hash};
use crate::map::open::{self, Links};
use crate::map::write_aside;
use crate::platform::{canonical, symlink, sync_folder};
use crate::types::limits::MODEL_JSON;
use hf_hub::{Cache, CacheRepo};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A repository's folder in the cache.
pub(super) struct Repo {
    dir: PathBuf,
    layout: CacheRepo,
}

impl Repo {
    pub(super) fn new(cache: &Path, repo: &str) -> Self {
        let repo = hf_hub::Repo::model(repo.to_owned());
        Self { dir: cache.join(repo.folder_name()), layout: Cache::new(cache.to_owned()).repo(repo) }
    }

    pub(super) fn blob(&self, etag: &str) -> PathBuf {
        self.dir.join("blobs").join(etag)
    }

    pub(super) fn part(&self, etag: &str) -> PathBuf {
        self.dir.join("blobs").join(format!("{etag}.part"))
    }

    pub(super) fn snapshot(&self, commit: &str) -> PathBuf {
        self.layout.pointer_path(commit)
    }

    /// The lock on a blob; makes the folder.
    pub(super) fn lock(&self, etag: &str, timeout: Duration, waiting: &mut dyn FnMut()) -> Result<Lock, EmbedError> {
        Lock::take(&self.dir.join("blobs").join(format!("{etag}.lock")), timeout, waiting)
    }

    /// Makes renames in `blobs` last.
    pub(super) fn sync(&self) {
        // Not every system can sync a directory; the files themselves are synced.
        drop(sync_folder(&self.dir.join("blobs")));
    }

    /// Makes `path` of the snapshot the blob `etag`.
    pub(super) fn link(&self, commit: &str, path: &str, etag: &str) -> Result<(), EmbedError> {
        let blob = self.blob(etag);
        let link = self.snapshot(commit).join(path);
        let folder = link.parent().unwrap_or(&self.dir);
        fs::create_dir_all(folder).map_err(EmbedError::io(folder))?;
        if let (Ok(there), Ok(wanted)) = (canonical(&link), canonical(&blob))
            && there == wanted
        {
            return Ok(());
        }
        match fs::remove_file(&link) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(EmbedError::io(&link)(error)),
            _ => {}
        }
        let ups = "../".repeat(2 + path.matches('/').count());
        // Where there are no links, a copy works too.
        if symlink(Path::new(&format!("{ups}blobs/{etag}")), &link).is_err() {
            fs::copy(&blob, &link).map_err(EmbedError::io(&link))?;
        }
        Ok(())
    }

    pub(super) fn write_ref(&self, revision: &str, commit: &str) -> Result<(), EmbedError> {
        let path = self.dir.join("refs").join(revision);
        write_aside(&path, commit.as_bytes()).map_err(EmbedError::io(&path))
    }
}

/// The snapshot that holds the manifest's files: the pinned revision's, else any whose pinned files are the right ones.
pub(crate) fn find_in_cache(cache: &Path, repo: &str, revision: &str, manifest: &Manifest) -> Option<PathBuf> {
    let repo = Repo::new(cache, repo);
    let complete = |root: &Path| manifest.files.iter().all(|f| root.join(&f.path).is_file());
    let by_ref = open::read_text(&repo.dir.join("refs").join(revision), Links::Follow, MODEL_JSON).ok();
    let exact = repo.snapshot(by_ref.as_deref().map_or(revision, str::trim));
    if complete(&exact) {
        return Some(exact);
    }
    let mut others: Vec<PathBuf> =
        fs::read_dir(repo.dir.join("snapshots")).ok()?.flatten().map(|entry| entry.path()).collect();
    others.sort();
    others.into_iter().find(|root| {
        complete(root)
            && manifest.files.iter().all(|file| match &file.sha256 {
                Some(pin) => is_blob(&root.join(&file.path), pin),
                None => false, // Of another commit nothing says that it is the right one.
            })
    })
}

/// Whether a file of a snapshot has this hash; the name of a large file's blob is its hash.
fn is_blob(path: &Path, sha256: &str) -> bool {
    let target = fs::read_link(path).ok();
    let name = target.as_deref().and_then(Path::file_name).and_then(|n| n.to_str());
    match name {
        Some(name) if hash::is_sha256(name) => name == sha256,
        _ => hash::of_file(path).is_ok_and(|got| got == sha256),
    }
}

/// Removes a file of a snapshot and, if it is a link, its blob; says how many bytes that freed.
pub(crate) fn remove_from_cache(root: &Path, path: &str) -> Result<u64, EmbedError> {
    let link = root.join(path);
    let Ok(blob) = canonical(&link) else {
        return Ok(0);
    };
    let bytes = fs::metadata(&blob).map_or(0, |m| m.len());
    fs::remove_file(&link).map_err(EmbedError::io(&link))?;
    if blob != link && blob.is_file() {
        fs::remove_file(&blob).map_err(EmbedError::io(&blob))?;
    }
    Ok(bytes)
}
