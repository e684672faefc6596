//! The user's own ignore rules of git: the file that `core.excludesFile` names, else the one where git looks.
//!
//! Only the user's own configuration of git is asked, never that of a repository.

use super::Environment;
use crate::map::open::{self, Links};
use crate::platform::GIT_SETTINGS;
use crate::types::limits;
use std::path::{Path, PathBuf};

/// The file with the user's ignore rules; it may not be there.
pub fn git_excludes(environment: &Environment) -> Option<PathBuf> {
    let home = environment.usable("HOME").or_else(|| environment.usable("USERPROFILE"));
    let folder = environment.usable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let folder = folder.map(|folder| folder.join("git"));
    let system = environment.usable("GIT_CONFIG_SYSTEM").or_else(|| Some(GIT_SETTINGS.into()));
    let files = [
        environment.usable("GIT_CONFIG_GLOBAL"),
        home.as_ref().map(|home| home.join(".gitconfig")),
        folder.as_ref().map(|folder| folder.join("config")),
        system,
    ];
    let named = files.iter().flatten().find_map(|file| {
        let text = open::read_text(file, Links::Follow, limits::CONFIG).ok()?;
        resolve(&excludes_file(&text)?, home.as_deref())
    });
    named.or_else(|| folder.map(|folder| folder.join("ignore")))
}

/// The value of `core.excludesFile`; the last one counts.
fn excludes_file(text: &str) -> Option<String> {
    let (mut in_core, mut found) = (false, None);
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_core = section.split(']').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("core"));
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| in_core) else { continue };
        if key.trim().eq_ignore_ascii_case("excludesfile") {
            let value = value.trim();
            let quoted = value.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(inner, _)| inner);
            let plain = || value.split(['#', ';']).next().unwrap_or("").trim();
            found = Some(quoted.unwrap_or_else(plain).to_owned());
        }
    }
    found.filter(|value| !value.is_empty())
}

/// `~` is the user's home. What is no absolute path then is not taken: nobody can say what it starts from.
fn resolve(value: &str, home: Option<&Path>) -> Option<PathBuf> {
    let path = match value.strip_prefix("~/") {
        Some(rest) => home?.join(rest),
        None => PathBuf::from(value),
    };
    Some(path).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_file_that_git_would_read() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().to_str().unwrap();
        let environment = |more: &[(&str, &str)]| {
            let own = [("HOME", home), ("GIT_CONFIG_SYSTEM", "/nowhere")];
            Environment::new(own.iter().chain(more).map(|(k, v)| ((*k).to_owned(), (*v).to_owned())))
        };
        let found = |more: &[(&str, &str)]| git_excludes(&environment(more)).unwrap();
        assert_eq!(found(&[]), dir.path().join(".config/git/ignore"));
        assert_eq!(found(&[("XDG_CONFIG_HOME", "/x")]), Path::new("/x/git/ignore"));
        assert_eq!(git_excludes(&Environment::new([("GIT_CONFIG_SYSTEM".to_owned(), "/nowhere".to_owned())])), None);
        for (text, file) in [
            ("[core]\n\texcludesFile = ~/mine\n", dir.path().join("mine")),
            ("[Core]\nexcludesfile=\"/a b\" # c\n[other]\nexcludesfile=/no\n", PathBuf::from("/a b")),
            ("[core]\nexcludesfile = relative\n", dir.path().join(".config/git/ignore")),
            ("[core \"sub\"]\nexcludesfile = /no\n", dir.path().join(".config/git/ignore")),
        ] {
            std::fs::write(dir.path().join(".gitconfig"), text).unwrap();
            assert_eq!(found(&[]), file, "{text}");
        }
    }
}
