//! One value out of defaults, the user's file, a trusted repository's file, the environment and flags, each overriding
//! what comes before it; and where everything lies.
//!
//! Reads files, never the environment of the process: a snapshot comes in as a value. Every setting knows where its
//! value came from. A repository may set what is harmless only ([`Key::repository`]).

mod excludes;
mod keys;
mod paths;
mod trust;

pub use excludes::git_excludes;
pub use keys::{KEYS, Key};
pub use paths::{Environment, Paths};
pub use trust::{Trust, TrustError, TrustState};

use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::map::open::{Links, read_text};
use crate::screen::shown;
use crate::types::limits::CONFIG;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// The user's file.
    User(PathBuf),
    /// A trusted repository's file.
    Repository(PathBuf),
    /// An environment variable.
    Environment(String),
    /// The command line.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(path) | Self::Repository(path) => write!(f, "{}", shown(path)),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file could not be read or written.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A variable that names a folder holds a relative path.
    #[error("{name} is the relative path {}", shown(path))]
    RelativePath {
        /// The variable.
        name: &'static str,
        /// Its value.
        path: PathBuf,
    },
    /// A file is not TOML.
    #[error("{}: {message}", shown(path))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        message: String,
    },
    /// A key that does not exist.
    #[error("{origin}: there is no setting {key}")]
    Unknown {
        /// The key.
        key: String,
        /// Where it stands.
        origin: Origin,
    },
    /// A key that a repository must not set.
    #[error("{origin}: a repository may not set {key}")]
    NotForRepositories {
        /// The key.
        key: String,
        /// Where it stands.
        origin: Origin,
    },
    /// A value out of range or of the wrong type.
    #[error("{origin}: {key} = {value}: {expected}")]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What it should be.
        expected: &'static str,
        /// Where it stands.
        origin: Origin,
    },
}

impl Diagnose for ConfigError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { source, .. } => io_kind(source),
            Self::RelativePath { .. }
            | Self::Syntax { .. }
            | Self::Unknown { .. }
            | Self::NotForRepositories { .. }
            | Self::Value { .. } => ErrorKind::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Io { .. } => None,
            Self::RelativePath { name, .. } => Some(format!("set {name} to an absolute path, or unset it")),
            _ => Some("`ken config show --origin` lists all settings and where they come from".to_owned()),
        }
    }
}

/// All settings with their origins.
#[derive(Debug, Clone)]
pub struct Config {
    values: BTreeMap<&'static str, (String, Origin)>,
}

impl Config {
    /// Defaults, then `user`, then `repository` (give it only when it is trusted), then the environment.
    ///
    /// # Errors
    /// [`ConfigError`] when a file cannot be read or holds what is no setting.
    pub fn resolve(
        user: Option<&Path>,
        repository: Option<&Path>,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let values = KEYS.iter().map(|key| (key.name, (key.default.to_owned(), Origin::Default))).collect();
        let mut config = Self { values };
        if let Some(path) = user {
            config.read_file(path, Origin::User(path.to_owned()))?;
        }
        if let Some(path) = repository {
            config.read_file(path, Origin::Repository(path.to_owned()))?;
        }
        for key in KEYS {
            for name in key.environment {
                if environment.raw(name).is_some_and(|value| value.to_str().is_none()) {
                    return Err(ConfigError::Value {
                        key: key.name.to_owned(),
                        value: environment.raw(name).unwrap_or_default().to_string_lossy().into_owned(),
                        expected: "text in UTF-8",
                        origin: Origin::Environment((*name).to_owned()),
                    });
                }
                if let Some(value) = environment.get(name).filter(|value| !value.is_empty()) {
                    config.set(key.name, value, Origin::Environment((*name).to_owned()))?;
                    break;
                }
            }
        }
        Ok(config)
    }

    /// Sets one value, checked.
    ///
    /// # Errors
    /// [`ConfigError`] when there is no such key or the value does not fit.
    pub fn set(&mut self, key: &str, value: &str, origin: Origin) -> Result<(), ConfigError> {
        let Some(known) = KEYS.iter().find(|k| k.name == key) else {
            return Err(ConfigError::Unknown { key: key.to_owned(), origin });
        };
        if matches!(origin, Origin::Repository(_)) && !known.repository {
            return Err(ConfigError::NotForRepositories { key: key.to_owned(), origin });
        }
        let value = known.normal(value).map_err(|expected| ConfigError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            expected,
            origin: origin.clone(),
        })?;
        self.values.insert(known.name, (value, origin));
        Ok(())
    }

    fn read_file(&mut self, path: &Path, origin: Origin) -> Result<(), ConfigError> {
        let text = match read_text(path, held(path, &origin), CONFIG) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(ConfigError::Io { path: path.to_owned(), source }),
        };
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| ConfigError::Syntax {
            path: path.to_owned(),
            message: e.to_string().lines().collect::<Vec<_>>().join(" "),
        })?;
        for (section, value) in &table {
            let Some(inner) = value.as_table() else {
                self.set(section, &plain(value), origin.clone())?;
                continue;
            };
            for (name, value) in inner {
                self.set(&format!("{section}.{name}"), &plain(value), origin.clone())?;
            }
        }
        Ok(())
    }

    /// The value of a key in [`KEYS`]; empty when it is not set.
    pub fn get(&self, key: &str) -> &str {
        self.values.get(key).map_or("", |(value, _)| value)
    }

    /// The value as a number; keys of that kind are checked when they are set.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key).parse().ok()
    }

    /// Whether a key of the kind yes or no is on.
    pub fn on(&self, key: &str) -> bool {
        self.get(key) == "true"
    }

    /// All settings in the order of their names: key, value (secrets hidden), origin.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, String, &Origin)> {
        self.values.iter().map(|(name, (value, origin))| {
            let secret = KEYS.iter().any(|k| k.name == *name && k.secret) && !value.is_empty();
            (*name, if secret { "(hidden)".to_owned() } else { value.clone() }, origin)
        })
    }
}

/// A repository's file may not be a link out of its folder; the user's own may lead where they like.
fn held<'a>(path: &'a Path, origin: &Origin) -> Links<'a> {
    match (origin, path.parent()) {
        (Origin::Repository(_), Some(folder)) => Links::Within(folder),
        _ => Links::Follow,
    }
}

fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Writes one key into the user's file, keeping the rest of it.
///
/// # Errors
/// [`ConfigError`] when the file cannot be read, parsed or written.
pub fn write_user_key(path: &Path, section: &str, name: &str, value: &str) -> Result<(), ConfigError> {
    let io = |source| ConfigError::Io { path: path.to_owned(), source };
    let text = match read_text(path, Links::Follow, CONFIG) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(io(source)),
    };
    let mut document: toml_edit::DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| ConfigError::Syntax {
        path: path.to_owned(),
        message: e.message().to_owned(),
    })?;
    document.entry(section).or_insert(toml_edit::table())[name] = toml_edit::value(value);
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(io)?;
    let mut aside = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    io::Write::write_all(&mut aside, document.to_string().as_bytes()).map_err(io)?;
    aside.as_file().sync_all().map_err(io)?;
    aside.persist(path).map_err(|e| io(e.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        Environment::new(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())))
    }

    #[test]
    fn later_layers_win_and_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let (user, repository) = (dir.path().join("user.toml"), dir.path().join("repo.toml"));
        std::fs::write(&user, "[lookup]\nlimit = 7\nmax_errors = 9\n[model]\nauto_pull = true\n").unwrap();
        std::fs::write(&repository, "[lookup]\nlimit = 2\n").unwrap();
        let config = Config::resolve(Some(&user), Some(&repository), &environment(&[("KEN_MAX_ERRORS", "4")])).unwrap();
        assert_eq!((config.get("lookup.limit"), config.get("lookup.max_errors")), ("2", "4"));
        assert!(config.on("model.auto_pull"));
        let origins: BTreeMap<_, _> = config.all().map(|(k, _, o)| (k, o.to_string())).collect();
        assert_eq!(origins["lookup.max_errors"], "environment KEN_MAX_ERRORS");
        assert_eq!(origins["hub.endpoint"], "default");
    }

    #[test]
    fn a_repository_sets_harmless_keys_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("repo.toml");
        std::fs::write(&path, "[hub]\nendpoint = \"https://evil.example\"\n").unwrap();
        let found = Config::resolve(None, Some(&path), &environment(&[]));
        assert!(matches!(found, Err(ConfigError::NotForRepositories { .. })));
    }

    #[test]
    fn bad_files_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        for text in ["[lookup\n", "[lookup]\nlimit = \"many\"\n", "[lookup]\ncolour = 1\n"] {
            std::fs::write(&path, text).unwrap();
            let error = Config::resolve(Some(&path), None, &environment(&[])).unwrap_err();
            assert!(error.to_string().contains("c.toml"), "{error}");
        }
    }

    #[test]
    fn one_key_is_written_and_the_rest_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/c.toml");
        write_user_key(&path, "model", "name", "a").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("# mine\n{text}")).unwrap();
        write_user_key(&path, "model", "name", "b").unwrap();
        let config = Config::resolve(Some(&path), None, &environment(&[])).unwrap();
        assert_eq!(config.get("model.name"), "b");
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("# mine"));
    }
}
