//! Where everything lies, from a snapshot of the environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A snapshot of the environment's variables; those that are not UTF-8 are left out.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// From name and value pairs.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(variables.into_iter().collect())
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// An absolute path: the XDG specification says that others are to be ignored.
    pub(super) fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.path(name).filter(|path| path.is_absolute())
    }
}

/// The folders and files of one user in one working directory. Without a home there are none, and lookups still work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// Models, vectors, the user's packs, trust.
    pub data: Option<PathBuf>,
    /// The user's configuration file.
    pub config: Option<PathBuf>,
    /// What can be deleted at any time: the indexes of `ken bench run`.
    pub cache: Option<PathBuf>,
    /// The hub's cache, shared with other tools.
    pub hub_cache: Option<PathBuf>,
    /// `.ken` of the repository around the working directory, if there is one.
    pub repository: Option<PathBuf>,
}

impl Paths {
    /// `KEN_HOME` holds data and configuration if it is set, else the platform's folders do.
    pub fn find(environment: &Environment, working_directory: &Path) -> Self {
        let home = environment.absolute("HOME").or_else(|| environment.absolute("USERPROFILE"));
        let under = |folder: &str| home.as_ref().map(|home| home.join(folder));
        let ken_home = environment.path("KEN_HOME").map(|path| working_directory.join(path));
        let (data, config) = if cfg!(windows) {
            (environment.absolute("LOCALAPPDATA"), environment.absolute("APPDATA"))
        } else if cfg!(target_os = "macos") {
            (under("Library/Application Support"), under("Library/Application Support"))
        } else {
            (
                environment.absolute("XDG_DATA_HOME").or_else(|| under(".local/share")),
                environment.absolute("XDG_CONFIG_HOME").or_else(|| under(".config")),
            )
        };
        let cache = if cfg!(windows) {
            data.as_ref().map(|data| data.join("kenning").join("cache"))
        } else if cfg!(target_os = "macos") {
            under("Library/Caches").map(|cache| cache.join("kenning"))
        } else {
            environment.absolute("XDG_CACHE_HOME").or_else(|| under(".cache")).map(|cache| cache.join("kenning"))
        };
        let hub_home = environment.path("HF_HOME").or_else(|| {
            environment.absolute("XDG_CACHE_HOME").or_else(|| under(".cache")).map(|cache| cache.join("huggingface"))
        });
        Self {
            data: ken_home.clone().or_else(|| data.map(|data| data.join("kenning"))),
            cache: ken_home.as_ref().map(|home| home.join("cache")).or(cache),
            config: ken_home
                .or_else(|| config.map(|config| config.join("kenning")))
                .map(|folder| folder.join("config.toml")),
            hub_cache: environment.path("HF_HUB_CACHE").or_else(|| hub_home.map(|home| home.join("hub"))),
            repository: working_directory
                .ancestors()
                .find(|folder| folder.join(".git").exists())
                .map(|root| root.join(".ken"))
                .filter(|folder| folder.is_dir()),
        }
    }

    /// Where models lie.
    pub fn models(&self) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join("models"))
    }

    /// Where the user's packs lie.
    pub fn user_packs(&self) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join("canon"))
    }

    /// Where canon's vectors lie.
    pub fn vectors(&self) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join("vectors"))
    }

    /// The list of trusted repositories.
    pub fn trust(&self) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join("trust.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pairs: &[(&str, &str)]) -> Paths {
        Paths::find(
            &Environment::new(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))),
            Path::new("/nowhere"),
        )
    }

    #[test]
    fn one_folder_if_asked_for_and_none_without_a_home() {
        assert_eq!(find(&[]), Paths::default());
        let own = find(&[("KEN_HOME", "/k"), ("HOME", "/h"), ("HF_HOME", "/hf")]);
        assert_eq!(own.data.as_deref(), Some(Path::new("/k")));
        assert_eq!(own.config.as_deref(), Some(Path::new("/k/config.toml")));
        assert_eq!(own.cache.as_deref(), Some(Path::new("/k/cache")));
        assert_eq!(own.hub_cache.as_deref(), Some(Path::new("/hf/hub")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn follows_the_platform() {
        let paths = find(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "relative/is/ignored")]);
        assert_eq!(paths.data.as_deref(), Some(Path::new("/h/.local/share/kenning")));
        assert_eq!(paths.config.as_deref(), Some(Path::new("/h/.config/kenning/config.toml")));
        assert_eq!(paths.cache.as_deref(), Some(Path::new("/h/.cache/kenning")));
        assert_eq!(paths.hub_cache.as_deref(), Some(Path::new("/h/.cache/huggingface/hub")));
    }
}
