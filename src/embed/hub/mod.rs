//! The model hub: HTTP downloads into the cache that Hugging Face's own tools share.
//!
//! `client` makes requests and decides who sees the token, `meta` reads what the hub says of a file, `download` gets
//! the bytes with resume, `retry` says when to ask again, `cache` reads and writes the layout on disk, which hf-hub
//! knows. The requests are our own: hf-hub's client reads neither token nor offline switch, checks no hash and takes no
//! certificates of the system.

mod cache;
mod client;
mod download;
mod meta;
mod retry;

pub(crate) use cache::{find_in_cache, remove_from_cache};

use super::event::PullEvent;
use super::manifest::FileSpec;
use super::settings::HubSettings;
use super::{EmbedError, hash};
use cache::Repo;
use client::Client;
use meta::Meta;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The hub, ready to be asked.
pub(crate) struct Hub<'a> {
    client: Client<'a>,
    settings: &'a HubSettings,
    cache_dir: &'a Path,
    lock_timeout: Duration,
}

/// Files of one commit in the cache.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub root: PathBuf,
    pub commit: String,
    /// Path and hash of each file.
    pub files: Vec<(String, String)>,
}

impl<'a> Hub<'a> {
    /// # Errors
    /// [`EmbedError::Offline`] when the settings say so, before anything else; [`EmbedError::NoHubCache`].
    pub(crate) fn new(settings: &'a HubSettings, lock_timeout: Duration) -> Result<Self, EmbedError> {
        if settings.offline {
            return Err(EmbedError::Offline { what: format!("the model hub {}", settings.endpoint) });
        }
        let cache_dir = settings.cache_dir.as_deref().ok_or(EmbedError::NoHubCache)?;
        Ok(Self { client: Client::new(settings)?, settings, cache_dir, lock_timeout })
    }

    /// Puts `files` of `repo` at `revision` into the cache and checks them.
    pub(crate) fn fetch(
        &self,
        repo: &str,
        revision: &str,
        files: &[FileSpec],
        on: &mut dyn FnMut(PullEvent<'_>),
    ) -> Result<Snapshot, EmbedError> {
        // Everything is asked about before anything is downloaded: a refusal costs nothing then.
        let mut metas: Vec<(&FileSpec, String, Meta)> = Vec::new();
        for spec in files {
            let url = format!("{}/{repo}/resolve/{revision}/{}", self.settings.endpoint, spec.path);
            let meta = meta::ask(&self.client, &url, &spec.path, on)?;
            meta.expect(spec, &url)?;
            if let Some((_, _, first)) = metas.first()
                && first.commit != meta.commit
            {
                let what = format!("its commit is {}, that of the file before {}", meta.commit, first.commit);
                return Err(EmbedError::HubProtocol { url, what });
            }
            metas.push((spec, url, meta));
        }
        let Some(commit) = metas.first().map(|(_, _, meta)| meta.commit.clone()) else {
            return Err(EmbedError::NoSource { name: repo.into() });
        };
        let cache = Repo::new(self.cache_dir, repo);
        let mut done = Vec::new();
        for (spec, url, meta) in &metas {
            let sha256 = self.one(&cache, spec, url, meta, on)?;
            cache.link(&commit, &spec.path, &meta.etag)?;
            done.push((spec.path.clone(), sha256));
        }
        cache.write_ref(revision, &commit)?;
        Ok(Snapshot { root: cache.snapshot(&commit), commit, files: done })
    }

    /// Makes sure that one blob is there and right; returns its hash.
    fn one(
        &self,
        cache: &Repo,
        spec: &FileSpec,
        url: &str,
        meta: &Meta,
        on: &mut dyn FnMut(PullEvent<'_>),
    ) -> Result<String, EmbedError> {
        let expected = spec.sha256.as_ref().or(meta.sha256.as_ref());
        let blob = cache.blob(&meta.etag);
        let _lock = cache.lock(&meta.etag, self.lock_timeout, &mut || on(PullEvent::Waiting { path: &spec.path }))?;
        if blob.is_file() {
            on(PullEvent::Verifying { path: &spec.path });
            let got = hash::of_file(&blob)?;
            // Without an expected hash the size is all that can be compared.
            let same_size = std::fs::metadata(&blob).is_ok_and(|m| m.len() == meta.size);
            if expected.map_or(same_size, |e| *e == got) {
                on(PullEvent::File { path: &spec.path, size: Some(meta.size), done: meta.size });
                return Ok(got);
            }
            std::fs::remove_file(&blob).map_err(EmbedError::io(&blob))?;
        }
        let part = cache.part(&meta.etag);
        let got = download::download(&self.client, url, &spec.path, meta.size, &part, on)?;
        if let Some(expected) = expected.filter(|e| **e != got) {
            std::fs::remove_file(&part).map_err(EmbedError::io(&part))?;
            return Err(EmbedError::WrongHash { file: spec.path.clone(), expected: expected.clone(), got });
        }
        std::fs::rename(&part, &blob).map_err(EmbedError::io(&blob))?;
        cache.sync();
        Ok(got)
    }
}
