//! Names of models.

use std::path::Path;

/// The name that a directory suggests: its own, with what a name cannot hold turned into dashes. The snapshots of the
/// hub's cache are called by their commit, so there the repository's folder speaks.
pub(crate) fn name_of(dir: &Path) -> String {
    let names = dir.iter().rev().filter_map(|n| n.to_str());
    let repo = names.clone().find_map(|n| n.strip_prefix("models--")).and_then(|n| n.split("--").last());
    let name = repo.or_else(|| names.clone().next()).unwrap_or("model");
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' }).collect();
    let clean = clean.trim_start_matches(['.', '-', '_']);
    if clean.is_empty() { "model".into() } else { clean.chars().take(100).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories() {
        assert_eq!(name_of(Path::new("/a/my model")), "my-model");
        assert_eq!(name_of(Path::new("/c/models--BAAI--bge-m3/snapshots/0123")), "bge-m3");
        assert_eq!(name_of(Path::new("/a/.hidden")), "hidden");
        assert_eq!(name_of(Path::new("/")), "model");
    }
}
