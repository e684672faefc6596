//! Which files there are to index: what the rules of git leave, and of that what is text.
//!
//! `folder` goes down a folder, `rules` reads the ignore files on the way. A folder may be a stranger's: no link is
//! followed, nothing but a regular file is opened, and how much is looked at has bounds (`types::limits`).

mod folder;
mod rules;
#[cfg(test)]
mod tests;

use super::IngestError;
use crate::chunk::Format;
use crate::map::open::{self, Links};
use crate::platform;
use crate::screen::path_fields;
use crate::store::{Source, SourceKind, Stat};
use crate::text::sha256;
use crate::types::limits;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A file that was changed within this time before it was looked at may have changed again in the same tick of its
/// clock.
const RACY_MS: i64 = 2_000;

/// A file that was not indexed, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// The file or folder.
    #[serde(flatten, serialize_with = "path_fields")]
    pub path: PathBuf,
    /// Why.
    pub why: String,
    /// Whether it is an ignore file of which not all rules count: what lies below was walked without them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rules: bool,
}

impl Skipped {
    /// A file or folder of which nothing is indexed.
    pub(super) fn new(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        Self { path: path.into(), why: why.into(), rules: false }
    }
}

/// A file to index.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub path: String,
    pub root: String,
    pub kind: SourceKind,
    pub stat: Stat,
    /// When it last changed in any way, nanoseconds since 1970: where the system keeps that, a change that gives the
    /// file its old time back shows here.
    pub touched_ns: i64,
}

/// What is said of a device, a FIFO or a socket.
const NOT_REGULAR: &str = "it is no regular file";

/// Whether an error says that there is nothing at a path. Any other says only that it cannot be looked at now: a locked
/// folder, a share that is away, a loop of links.
pub fn means_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

impl Candidate {
    /// Whether the file itself was given, not a folder above it.
    pub fn is_named(&self) -> bool {
        self.path == self.root
    }
}

/// Adds what was named by hand before, lies under what was walked, and is no file that a walk would take.
pub(super) fn add_named<'s>(sources: impl Iterator<Item = &'s Source>, walked: &mut Walked) {
    let found = |path: &str| walked.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
    let under = |path: &str| walked.roots.iter().any(|root| is_under(path, root));
    let is_missed = |source: &&Source| source.is_named() && under(&source.path) && !found(&source.path);
    for source in sources.filter(is_missed).collect::<Vec<_>>() {
        if let Some(meta) = fs::symlink_metadata(&source.path).ok().filter(Metadata::is_file) {
            consider(Path::new(&source.path), &source.root, source.kind, &meta, walked);
        }
    }
}

/// Whether a path is `root` or lies below it.
pub(super) fn is_under(path: &str, root: &str) -> bool {
    path == root
        || path
            .strip_prefix(root)
            .is_some_and(|rest| rest.starts_with(MAIN_SEPARATOR) || root.ends_with(MAIN_SEPARATOR))
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// By path, each once.
    pub files: Vec<Candidate>,
    pub skipped: Vec<Skipped>,
    /// Ignore files of which not all rules count.
    pub rules: Vec<Skipped>,
    /// Folders and files that could not be looked at: what was indexed below them stays.
    pub unseen: Vec<PathBuf>,
    /// What was walked, canonical.
    pub roots: Vec<String>,
}

/// What is stored of how a file is laid out; the rest is told by its name.
fn kind_of(format: Format) -> SourceKind {
    if format == Format::Markdown { SourceKind::Markdown } else { SourceKind::Text }
}

pub(super) fn stat(meta: &Metadata) -> Stat {
    let mtime = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = mtime.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX));
    Stat { size: i64::try_from(meta.len()).unwrap_or(i64::MAX), mtime_ns: nanoseconds }
}

/// The later of the times of its last change in content and of its last change in any way. The second cannot be set by
/// hand; systems without it have the first alone.
fn touched(meta: &Metadata) -> i64 {
    let mtime = stat(meta).mtime_ns;
    platform::changed_ns(meta).map_or(mtime, |changed| mtime.max(changed))
}

/// Whether a file that looks as it did may still hold something else: it was touched after it was indexed, or too
/// shortly before to tell.
pub(super) fn in_doubt(touched_ns: i64, indexed_at_ms: i64) -> bool {
    touched_ns / 1_000_000 + RACY_MS >= indexed_at_ms
}

/// Whether an indexed file has changed since: by size and time, and where these leave a doubt by what it holds.
///
/// # Errors
/// When it cannot be looked at; [`means_gone`] says whether it is gone.
pub fn has_changed(source: &Source) -> io::Result<bool> {
    let meta = fs::symlink_metadata(&source.path)?;
    if !meta.is_file() || stat(&meta) != source.stat {
        return Ok(true);
    }
    if !in_doubt(touched(&meta), source.indexed_at) {
        return Ok(false);
    }
    Ok(sha256(&read(&source.path)?) != source.sha256)
}

/// Reads a document at the path that it was found by.
///
/// # Errors
/// As [`open::read`]: for a link, a device, a FIFO and what is too large, too.
pub(super) fn read(path: &str) -> io::Result<Vec<u8>> {
    open::read(Path::new(path), Links::Never, limits::DOCUMENT)
}

/// Walks files and folders. A file that is named is taken whatever it is called. `excludes` are the user's own rules of
/// git; `heard` gets the number of files found.
///
/// # Errors
/// [`IngestError::Cancelled`] once `stopped` says so,
/// [`IngestError::Missing`] when a named path is not there, [`IngestError::Io`] when it cannot be read.
pub(super) fn walk(
    paths: &[PathBuf],
    excludes: Option<&Path>,
    stopped: &dyn Fn() -> bool,
    heard: &mut dyn FnMut(usize),
) -> Result<Walked, IngestError> {
    let mut out = Walked::default();
    for path in paths {
        let io = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => IngestError::Missing { path: path.clone() },
            _ => IngestError::Io { path: path.clone(), source },
        };
        let canonical = platform::canonical(path).map_err(io)?;
        let meta = fs::metadata(&canonical).map_err(io)?;
        let Some(root) = canonical.to_str().map(str::to_owned) else {
            out.skipped.push(not_utf8(&canonical));
            continue;
        };
        out.roots.push(root.clone());
        if meta.is_dir() {
            let mut goes_on = |files: usize| {
                heard(files);
                !stopped()
            };
            if !folder::walk(&canonical, &root, excludes, &folder::Bounds::default(), &mut out, &mut goes_on) {
                return Err(IngestError::Cancelled);
            }
        } else if !meta.is_file() {
            out.skipped.push(Skipped::new(root, NOT_REGULAR));
        } else {
            let kind = kind_of(Format::of_path(&canonical).unwrap_or(Format::Plain));
            consider(&canonical, &root, kind, &meta, &mut out);
        }
    }
    // Of a file that is named and found too, that it is named counts.
    out.files.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| b.is_named().cmp(&a.is_named())));
    out.files.dedup_by(|a, b| a.path == b.path);
    // Rules above two folders are read twice.
    out.rules.sort_by(|a, b| a.path.cmp(&b.path));
    out.rules.dedup();
    Ok(out)
}

/// Whether a file that was indexed from this root is none of this machine's: an import brought it, or another machine
/// that keeps what it indexes in the same store. That is taken to be so where there is no such root here.
pub fn is_elsewhere(path: &str, root: &str, is_shared: bool) -> bool {
    let folder = if root == path { Path::new(root).parent() } else { Some(Path::new(root)) };
    let is_gone = |folder: &Path| fs::symlink_metadata(folder).is_err_and(|error| means_gone(&error));
    root.is_empty() || is_shared && folder.is_some_and(is_gone)
}

/// What of the indexed files may have changed, is gone or cannot be looked at; nothing else is looked at. All of them
/// may have when it is to be thorough.
///
/// # Errors
/// [`IngestError::Cancelled`] once `stopped` says so.
pub(super) fn stale(
    sources: &[(i64, Source)],
    is_shared: bool,
    thorough: bool,
    stopped: &dyn Fn() -> bool,
) -> Result<Walked, IngestError> {
    let mut out = Walked::default();
    let is_here = |source: &Source| !is_elsewhere(&source.path, &source.root, is_shared);
    for (_, source) in sources.iter().filter(|(_, source)| is_here(source)) {
        if stopped() {
            return Err(IngestError::Cancelled);
        }
        match fs::symlink_metadata(&source.path) {
            Ok(meta) if meta.is_file() => {
                if thorough || stat(&meta) != source.stat || in_doubt(touched(&meta), source.indexed_at) {
                    consider(Path::new(&source.path), &source.root, source.kind, &meta, &mut out);
                    out.roots.push(source.path.clone());
                }
            }
            Err(error) if !means_gone(&error) => {
                unseen(PathBuf::from(&source.path), &error.to_string(), &mut out);
            }
            _ => out.roots.push(source.path.clone()),
        }
    }
    Ok(out)
}

fn unseen(path: PathBuf, why: &str, out: &mut Walked) {
    out.skipped.push(Skipped::new(&path, why));
    out.unseen.push(path);
}

fn not_utf8(path: &Path) -> Skipped {
    Skipped::new(path, "its name is not UTF-8")
}

fn consider(path: &Path, root: &str, kind: SourceKind, meta: &Metadata, out: &mut Walked) {
    let Some(name) = path.to_str() else {
        return out.skipped.push(not_utf8(path));
    };
    if meta.len() > limits::DOCUMENT.bytes {
        let why = format!("larger than {} MiB", limits::DOCUMENT.bytes >> 20);
        return out.skipped.push(Skipped::new(name, why));
    }
    let (stat, touched_ns) = (stat(meta), touched(meta));
    out.files.push(Candidate { path: name.to_owned(), root: root.to_owned(), kind, stat, touched_ns });
}
