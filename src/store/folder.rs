//! The data directory: the names of the store's files in it, and who may look into them.

use super::StoreError;
use crate::platform;
use crate::screen::shown;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the database in the data directory.
pub const DATABASE: &str = "kenning.db";

/// Name of the lock file in the data directory.
pub const WRITER_LOCK: &str = "writer.lock";

/// What the file of vectors beside the database has at the end of its name.
pub(super) const VECTORS: &str = ".vectors";

/// What the file of words beside the database has at the end of its name.
pub(super) const TERMS: &str = ".terms";

/// The file beside another that has its name with `suffix` at the end.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    name.into()
}

/// Makes a directory that its owner alone can read.
///
/// # Errors
/// [`StoreError::Io`] when it cannot be made.
pub fn make_private(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    platform::create_folders_for_owner(&mut builder);
    builder.create(folder).map_err(StoreError::io(folder))
}

/// What of a data directory others than its owner may read or write, a sentence each. Models are no secret.
pub fn exposed(folder: &Path) -> Vec<String> {
    let open = |path: &PathBuf| fs::metadata(path).is_ok_and(|meta| platform::is_open_to_others(&meta));
    let say = |path: PathBuf| format!("others than you may look into {}", shown(&path));
    private_paths(folder).into_iter().filter(open).map(say).collect()
}

/// Takes away what others may do.
///
/// # Errors
/// [`StoreError::Io`] when permissions cannot be changed.
pub fn keep_private(folder: &Path) -> Result<(), StoreError> {
    for path in private_paths(folder) {
        platform::close_to_others(&path).map_err(StoreError::io(&path))?;
    }
    Ok(())
}

/// The directory and the database's files in it, those that exist.
fn private_paths(folder: &Path) -> Vec<PathBuf> {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(DATABASE);
    // What a link of such a name leads to is not ours, unless it is the database itself.
    let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    let ours = inside.filter(|entry| named(entry) && (!is_link(entry) || entry.file_name() == DATABASE));
    std::iter::once(folder.to_owned()).chain(ours.map(|entry| entry.path())).filter(|path| path.exists()).collect()
}
