//! What the hub says of a file before it is downloaded: commit, blob name, size, and for large files the hash.

use super::client::{Answer, Ask, Client};
use super::retry::{check_status, retrying};
use crate::embed::event::PullEvent;
use crate::embed::manifest::FileSpec;
use crate::embed::{EmbedError, hash};

/// A file as announced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meta {
    /// The commit that the revision stands for.
    pub commit: String,
    /// The name of the blob in the cache.
    pub etag: String,
    pub size: u64,
    /// For files in large-file storage the entity tag is the hash.
    pub sha256: Option<String>,
}

/// Asks for the headers of `url`.
pub(super) fn ask(
    client: &Client<'_>,
    url: &str,
    path: &str,
    on: &mut dyn FnMut(PullEvent<'_>),
) -> Result<Meta, EmbedError> {
    retrying(client, path, on, |_| {
        let answer = client.send(url, Ask::Head)?;
        let status = answer.response.status();
        if !status.is_success() && !status.is_redirection() {
            check_status(url, &answer, None)?;
        }
        Meta::read(&answer, url)
    })
}

impl Meta {
    fn read(answer: &Answer, url: &str) -> Result<Self, EmbedError> {
        let missing = |what: &str| EmbedError::HubProtocol { url: url.into(), what: format!("there is no {what}") };
        let commit = answer.header("x-repo-commit").ok_or_else(|| missing("X-Repo-Commit"))?;
        let etag = answer.header("x-linked-etag").or_else(|| answer.header("etag")).ok_or_else(|| missing("ETag"))?;
        let etag = etag.trim_start_matches("W/").trim_matches('"');
        let size = answer
            .header("x-linked-size")
            .or_else(|| answer.header("content-length"))
            .and_then(|size| size.parse().ok())
            .ok_or_else(|| missing("length"))?;
        // Both become file names.
        for (name, value) in [("X-Repo-Commit", commit), ("ETag", etag)] {
            let safe = value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
            if value.is_empty() || value.len() > 128 || !safe {
                return Err(EmbedError::HubProtocol { url: url.into(), what: format!("{name} is {value:?}") });
            }
        }
        let sha256 = hash::is_sha256(etag).then(|| etag.to_owned());
        Ok(Self { commit: commit.to_owned(), etag: etag.to_owned(), size, sha256 })
    }

    /// Compares with the manifest, so that a wrong file is refused before it is downloaded.
    pub(super) fn expect(&self, spec: &FileSpec, url: &str) -> Result<(), EmbedError> {
        if let Some(expected) = spec.size.filter(|size| *size != self.size) {
            return Err(EmbedError::WrongSize { file: url.into(), expected, got: self.size });
        }
        match (&spec.sha256, &self.sha256) {
            (Some(expected), Some(got)) if expected != got => {
                Err(EmbedError::WrongHash { file: url.into(), expected: expected.clone(), got: got.clone() })
            }
            _ => Ok(()),
        }
    }
}
