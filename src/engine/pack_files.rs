//! Packs as they lie in their folders.

use super::EngineSettings;
use crate::canon::{PackLayer, PackProblem, PackSource};
use crate::map::open::{Links, read_text};
use crate::types::limits::CANON_PACK;
use std::fs;
use std::path::{Path, PathBuf};

/// The user's packs, then the repository's; and what could not be read.
pub(super) fn read_all(settings: &EngineSettings) -> (Vec<PackSource>, Vec<PackProblem>) {
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for (folder, layer) in
        [(&settings.user_packs, PackLayer::User), (&settings.repository_packs, PackLayer::Repository)]
    {
        let Some(folder) = folder else { continue };
        let (found, unread) = read_folder(folder, layer, held(folder, layer));
        sources.extend(found);
        problems.extend(unread);
    }
    (sources, problems)
}

/// A repository's packs lie in its `.ken` folder, and no link out of it is a pack.
fn held(folder: &Path, layer: PackLayer) -> Links<'_> {
    match (layer, folder.parent()) {
        (PackLayer::Repository, Some(parent)) => Links::Within(parent),
        _ => Links::Follow,
    }
}

/// The packs of a folder, and what could not be read.
pub(super) fn read_folder(folder: &Path, layer: PackLayer, links: Links<'_>) -> (Vec<PackSource>, Vec<PackProblem>) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        let origin = path.to_string_lossy().into_owned();
        match read_pack(&path, layer, links) {
            Ok(source) => sources.push(source),
            Err(message) => problems.push(PackProblem { origin, message }),
        }
    }
    (sources, problems)
}

/// A pack as it is written.
pub(super) fn read_pack(path: &Path, layer: PackLayer, links: Links<'_>) -> Result<PackSource, String> {
    let text = read_text(path, links, CANON_PACK).map_err(|e| e.to_string())?;
    Ok(PackSource { layer, origin: path.to_string_lossy().into_owned(), text: text.into() })
}
