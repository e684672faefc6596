//! Where everything lies, from a snapshot of the environment.

use super::ConfigError;
use crate::platform::{FOLDERS, Folders};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A snapshot of the environment's variables.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// From name and value pairs.
    pub fn new<T: Into<OsString>>(variables: impl IntoIterator<Item = (T, T)>) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// The value of a variable, if it is UTF-8.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.raw(name)?.to_str()
    }

    /// The path in a variable of another tool's, where it is one that this tool would take.
    pub fn usable(&self, name: &str) -> Option<PathBuf> {
        self.raw(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The value of a variable, whatever it is.
    pub fn raw(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The path in a variable. A relative one would be another folder in each working directory, and to leave it out
    /// would be to take a folder that nobody named; so it is refused. The XDG specification calls it invalid too.
    fn absolute(&self, name: &'static str) -> Result<Option<PathBuf>, ConfigError> {
        match self.raw(name).filter(|value| !value.is_empty()).map(PathBuf::from) {
            Some(path) if path.is_relative() => Err(ConfigError::RelativePath { name, path }),
            path => Ok(path),
        }
    }
}

/// The folders and files of one user in one working directory. Without a home only those are set
/// that a variable names. Lookups work without any.
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
    /// `KEN_HOME` holds data and configuration if it is set, else the platform's folders do. Variables that do not
    /// matter then are not looked at.
    ///
    /// # Errors
    /// [`ConfigError::RelativePath`] for a variable that is needed and holds a relative path.
    pub fn find(environment: &Environment, working_directory: &Path) -> Result<Self, ConfigError> {
        Self::find_by(FOLDERS, environment, working_directory)
    }

    fn find_by(folders: Folders, environment: &Environment, working_directory: &Path) -> Result<Self, ConfigError> {
        let home = || match environment.absolute("HOME")? {
            None => environment.absolute("USERPROFILE"),
            home => Ok(home),
        };
        let under =
            |folder: &str| -> Result<Option<PathBuf>, ConfigError> { Ok(home()?.map(|home| home.join(folder))) };
        let given = |name: &'static str, usual: &str| match environment.absolute(name)? {
            None => under(usual),
            folder => Ok(folder),
        };
        let (data, cache, config) = if let Some(own) = environment.absolute("KEN_HOME")? {
            (Some(own.clone()), Some(own.join("cache")), Some(own))
        } else {
            let kenning = |folder: Option<PathBuf>| folder.map(|folder| folder.join("kenning"));
            match folders {
                Folders::Windows => {
                    let data = kenning(environment.absolute("LOCALAPPDATA")?);
                    let cache = data.as_ref().map(|data| data.join("cache"));
                    (data, cache, kenning(environment.absolute("APPDATA")?))
                }
                Folders::Mac => {
                    let data = kenning(under("Library/Application Support")?);
                    (data.clone(), kenning(under("Library/Caches")?), data)
                }
                Folders::Xdg => {
                    let data = kenning(given("XDG_DATA_HOME", ".local/share")?);
                    let config = kenning(given("XDG_CONFIG_HOME", ".config")?);
                    (data, kenning(given("XDG_CACHE_HOME", ".cache")?), config)
                }
            }
        };
        let hub_cache = match environment.absolute("HF_HUB_CACHE")? {
            Some(cache) => Some(cache),
            None => match environment.absolute("HF_HOME")? {
                Some(home) => Some(home.join("hub")),
                None => given("XDG_CACHE_HOME", ".cache")?.map(|cache| cache.join("huggingface").join("hub")),
            },
        };
        Ok(Self {
            data,
            config: config.map(|folder| folder.join("config.toml")),
            cache,
            hub_cache,
            repository: working_directory
                .ancestors()
                .find(|folder| folder.join(".git").exists())
                .map(|root| root.join(".ken"))
                .filter(|folder| folder.is_dir()),
        })
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

    /// Who may ask the service.
    pub fn tokens(&self) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join("tokens.json"))
    }

    /// The token of whoever runs the service.
    pub fn own_token(&self) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join("token"))
    }

    /// The list of trusted repositories.
    pub fn trust(&self) -> Option<PathBuf> {
        self.data.as_ref().map(|data| data.join("trust.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(pairs: &[(&str, &str)]) -> Result<Paths, ConfigError> {
        Paths::find_by(Folders::Xdg, &Environment::new(pairs.iter().copied()), Path::new("/nowhere"))
    }

    fn find(pairs: &[(&str, &str)]) -> Paths {
        tried(pairs).unwrap()
    }

    #[test]
    fn one_folder_if_asked_for_and_none_without_a_home() {
        assert_eq!(find(&[]), Paths::default());
        let own = find(&[("KEN_HOME", "/k"), ("HOME", "/h"), ("HF_HOME", "/hf")]);
        assert_eq!(own.data.as_deref(), Some(Path::new("/k")));
        assert_eq!(own.config.as_deref(), Some(Path::new("/k/config.toml")));
        assert_eq!(own.cache.as_deref(), Some(Path::new("/k/cache")));
        assert_eq!(own.hub_cache.as_deref(), Some(Path::new("/hf/hub")));
        assert_eq!(find(&[("KEN_HOME", ""), ("HOME", "/h")]), find(&[("HOME", "/h")]));
    }

    #[test]
    fn follows_the_platform() {
        let pairs = [("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("LOCALAPPDATA", "/h/l"), ("APPDATA", "/h/r")];
        let cases = [
            (Folders::Xdg, "/h/.local/share/kenning", "/c/kenning/config.toml", "/h/.cache/kenning"),
            (
                Folders::Mac,
                "/h/Library/Application Support/kenning",
                "/h/Library/Application Support/kenning/config.toml",
                "/h/Library/Caches/kenning",
            ),
            (Folders::Windows, "/h/l/kenning", "/h/r/kenning/config.toml", "/h/l/kenning/cache"),
        ];
        for (folders, data, config, cache) in cases {
            let paths = Paths::find_by(folders, &Environment::new(pairs), Path::new("/nowhere")).unwrap();
            assert_eq!(paths.data.as_deref(), Some(Path::new(data)), "{folders:?}");
            assert_eq!(paths.config.as_deref(), Some(Path::new(config)), "{folders:?}");
            assert_eq!(paths.cache.as_deref(), Some(Path::new(cache)), "{folders:?}");
            assert_eq!(paths.hub_cache.as_deref(), Some(Path::new("/h/.cache/huggingface/hub")), "{folders:?}");
        }
    }

    #[test]
    fn a_relative_path_is_refused_where_it_is_needed() {
        let names =
            ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "KEN_HOME"];
        for name in names {
            let mut pairs = vec![("HOME", "/h")];
            pairs.retain(|(other, _)| *other != name);
            pairs.push((name, "relative/path"));
            let error = tried(&pairs).unwrap_err();
            assert!(matches!(error, ConfigError::RelativePath { name: n, .. } if n == name), "{name}: {error}");
        }
        let unneeded = [("KEN_HOME", "/k"), ("HF_HOME", "/hf"), ("HOME", "h"), ("XDG_CACHE_HOME", "c")];
        assert_eq!(find(&unneeded).data.as_deref(), Some(Path::new("/k")));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_need_not_be_utf_8() {
        use std::os::unix::ffi::OsStrExt;
        let odd = OsStr::from_bytes(b"/k\xff");
        let environment = Environment::new([(OsStr::new("KEN_HOME"), odd)]);
        assert_eq!(Paths::find(&environment, Path::new("/")).unwrap().data.as_deref(), Some(Path::new(odd)));
    }
}
