//! Which files there are to index: what the rules of git leave, and of that what is text.

use super::IngestError;
use crate::chunk::Format;
use crate::screen::path_fields;
use crate::store::{Source, SourceKind, Stat};
use ignore::WalkBuilder;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Largest file that is read, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;

/// A file that was not indexed, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// The file or folder.
    #[serde(flatten, serialize_with = "path_fields")]
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// A file to index.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub path: String,
    pub root: String,
    pub kind: SourceKind,
    pub stat: Stat,
}

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
        if let Some(meta) = fs::metadata(&source.path).ok().filter(Metadata::is_file) {
            consider(Path::new(&source.path), &source.root, source.kind, &meta, walked);
        }
    }
}

/// Whether a path is `root` or lies below it.
pub(super) fn is_under(path: &str, root: &str) -> bool {
    path == root || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/') || root.ends_with('/'))
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// By path, each once.
    pub files: Vec<Candidate>,
    pub skipped: Vec<Skipped>,
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

/// Walks files and folders. A file that is named is taken whatever it is called. `heard` gets the number of files found.
///
/// # Errors
/// [`IngestError::Io`] when a named path is not there.
pub(super) fn walk(paths: &[PathBuf], heard: &mut dyn FnMut(usize)) -> Result<Walked, IngestError> {
    let mut out = Walked::default();
    for path in paths {
        let io = |source| IngestError::Io { path: path.clone(), source };
        let canonical = path.canonicalize().map_err(io)?;
        let meta = fs::metadata(&canonical).map_err(io)?;
        let Some(root) = canonical.to_str().map(str::to_owned) else {
            out.skipped.push(not_utf8(&canonical));
            continue;
        };
        out.roots.push(root.clone());
        if meta.is_dir() {
            walk_folder(&canonical, &root, &mut out, heard);
        } else if !meta.is_file() {
            out.skipped.push(Skipped { path: canonical, why: "it is no regular file".to_owned() });
        } else {
            let kind = kind_of(Format::of_path(&canonical).unwrap_or(Format::Plain));
            consider(&canonical, &root, kind, &meta, &mut out);
        }
    }
    // Of a file that is named and found too, that it is named counts.
    out.files.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| b.is_named().cmp(&a.is_named())));
    out.files.dedup_by(|a, b| a.path == b.path);
    Ok(out)
}

/// What of the indexed files has changed, is gone or cannot be looked at; nothing else is looked at.
pub(super) fn stale(sources: &[(i64, Source)]) -> Walked {
    let mut out = Walked::default();
    // One that an import brought was never here.
    for (_, source) in sources.iter().filter(|(_, source)| !source.root.is_empty()) {
        match fs::metadata(&source.path) {
            Ok(meta) if meta.is_file() && stat(&meta) == source.stat => {}
            Ok(meta) if meta.is_file() => {
                consider(Path::new(&source.path), &source.root, source.kind, &meta, &mut out);
                out.roots.push(source.path.clone());
            }
            Err(error) if !means_gone(&error) => {
                unseen(PathBuf::from(&source.path), &error.to_string(), &mut out);
            }
            _ => out.roots.push(source.path.clone()),
        }
    }
    out
}

fn walk_folder(folder: &Path, root: &str, out: &mut Walked, heard: &mut dyn FnMut(usize)) {
    let mut builder = WalkBuilder::new(folder);
    // Rules of git count outside of repositories too; links are not followed, so a loop of them is no loop here.
    builder.require_git(false).follow_links(false).add_custom_ignore_filename(".kenignore");
    for entry in builder.build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                let Some(kind) = Format::of_path(entry.path()).map(kind_of) else { continue };
                match entry.metadata() {
                    Ok(meta) => consider(entry.path(), root, kind, &meta, out),
                    Err(error) => unseen(entry.path().to_owned(), &error.to_string(), out),
                }
                if out.files.len().is_multiple_of(64) {
                    heard(out.files.len());
                }
            }
            Ok(_) => {}
            Err(error) => {
                let path = path_of(&error).unwrap_or_else(|| folder.to_owned());
                unseen(path, &error.to_string(), out);
            }
        }
    }
}

fn unseen(path: PathBuf, why: &str, out: &mut Walked) {
    out.skipped.push(Skipped { path: path.clone(), why: why.to_owned() });
    out.unseen.push(path);
}

/// The path that an error of the walk is about.
fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child.clone()),
        _ => None,
    }
}

fn not_utf8(path: &Path) -> Skipped {
    Skipped { path: path.to_owned(), why: "its name is not UTF-8".to_owned() }
}

fn consider(path: &Path, root: &str, kind: SourceKind, meta: &Metadata, out: &mut Walked) {
    let Some(name) = path.to_str() else {
        return out.skipped.push(not_utf8(path));
    };
    if meta.len() > MAX_FILE_BYTES {
        let why = format!("larger than {} MiB", MAX_FILE_BYTES >> 20);
        return out.skipped.push(Skipped { path: path.to_owned(), why });
    }
    out.files.push(Candidate { path: name.to_owned(), root: root.to_owned(), kind, stat: stat(meta) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[PathBuf], base: &Path) -> Vec<String> {
        let walked = walk(paths, &mut |_| {}).unwrap();
        let base = base.canonicalize().unwrap();
        walked.files.iter().map(|f| f.path[base.to_str().unwrap().len() + 1..].to_owned()).collect()
    }

    #[test]
    fn only_absence_is_absence() {
        let kinds = [
            (ErrorKind::NotFound, true),
            (ErrorKind::NotADirectory, true),
            (ErrorKind::PermissionDenied, false),
            (ErrorKind::TimedOut, false),
            (ErrorKind::StaleNetworkFileHandle, false),
            (ErrorKind::Other, false),
        ];
        for (kind, gone) in kinds {
            assert_eq!(means_gone(&kind.into()), gone, "{kind}");
        }
    }

    #[test]
    fn takes_text_that_git_would_keep() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path();
        for name in ["a.md", "b.TXT", "README", "c.rs", "d.log", "target/e.md", ".hidden/f.md", "sub/g.rst", "sub/h.md"]
        {
            let path = base.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        fs::write(base.join(".gitignore"), "target/\n").unwrap();
        fs::write(base.join("sub/.kenignore"), "h.md\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(base, base.join("sub/loop")).unwrap();
        assert_eq!(names(&[base.to_owned()], base), ["README", "a.md", "b.TXT", "c.rs", "sub/g.rst"]);
        // Named twice, found once; a file that is named is taken as it is.
        assert_eq!(names(&[base.join("sub"), base.join("sub"), base.join("c.rs")], base), ["c.rs", "sub/g.rst"]);
        assert!(matches!(walk(&[base.join("none")], &mut |_| {}), Err(IngestError::Io { .. })));
    }
}
