//! One value out of defaults, the user's file, a trusted repository's file, the environment and flags, each overriding
//! what comes before it; and where everything lies.
//!
//! Reads files, never the environment of the process: a snapshot comes in as a value. Every setting knows where its
//! value came from. A repository may set what is harmless only ([`Key::repository`]). [`Settings`] is that value,
//! typed; the table of keys is made from it.

mod error;
mod excludes;
mod file;
mod keys;
mod paths;
mod settings;
mod tokens;
mod trust;

pub use error::{ConfigError, Place};
pub use excludes::git_excludes;
pub use file::{toml_value, write_user_key};
pub use keys::{KEYS, Key};
pub use paths::{Environment, Paths};
pub use settings::{
    HubAccess, IndexSettings, LookupSettings, ModelSettings, PackSettings, PipAccess, Prefer, RunSettings,
    SearchSettings, ServeSettings, Settings, Simd, StoreSettings,
};
pub use tokens::{Right, Token, TokenError, Tokens, own_token};
pub use trust::{Trust, TrustError, TrustState, has_a_say};

use crate::screen::shown;
use std::collections::BTreeMap;
use std::fmt;
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

/// All settings with their origins.
#[derive(Debug, Clone, Default)]
pub struct Config {
    settings: Settings,
    /// Where a value comes from, by key; what is not here is the default.
    origins: BTreeMap<&'static str, Origin>,
}

/// Decides whether a setting that could not be put is an error.
type Bears<'b> = dyn Fn(Result<(), ConfigError>) -> Result<(), ConfigError> + 'b;

impl Config {
    /// Defaults, then `user`, then `repository` (give it only when it is trusted), then the environment. Flags come
    /// after it, with [`Self::set`].
    ///
    /// # Errors
    /// [`ConfigError`] when a file cannot be read or holds what is no setting.
    pub fn resolve(
        user: Option<&Path>,
        repository: Option<&Path>,
        environment: &Environment,
    ) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        if let Some(path) = user {
            config.read_file(path, Origin::User(path.to_owned()), &|put| put)?;
        }
        if let Some(path) = repository {
            config.read_file(path, Origin::Repository(path.to_owned()), &|put| put)?;
        }
        config.read_environment(environment, &|put| put)?;
        Ok(config)
    }

    /// Reads the user's settings and the environment for callers that need only one table. Bad values in other tables
    /// are ignored. An unknown key is an error in every table, because it may be a misspelt key of this one.
    ///
    /// # Errors
    /// [`ConfigError`] when a file cannot be read, a key is unknown, or a value of this table is wrong.
    pub fn resolve_table(table: &str, user: Option<&Path>, environment: &Environment) -> Result<Self, ConfigError> {
        let bears = |put: Result<(), ConfigError>| match put {
            Err(ConfigError::Value { key, .. }) if key.split_once('.').is_none_or(|(of, _)| of != table) => Ok(()),
            other => other,
        };
        let mut config = Self::default();
        if let Some(path) = user {
            config.read_file(path, Origin::User(path.to_owned()), &bears)?;
        }
        config.read_environment(environment, &bears)?;
        Ok(config)
    }

    fn read_environment(&mut self, environment: &Environment, bears: &Bears<'_>) -> Result<(), ConfigError> {
        for key in KEYS {
            for name in key.environment {
                let place = Place { origin: Origin::Environment((*name).to_owned()), line: None };
                if let Some(raw) = environment.raw(name).filter(|value| value.to_str().is_none()) {
                    bears(Err(key.misfit(&raw.to_string_lossy(), "text in UTF-8", place)))?;
                    continue;
                }
                if let Some(value) = environment.get(name).filter(|value| !value.is_empty()) {
                    bears(self.put(key.name, value, place))?;
                    break;
                }
            }
        }
        Ok(())
    }

    fn read_file(&mut self, path: &Path, origin: Origin, bears: &Bears<'_>) -> Result<(), ConfigError> {
        for line in file::lines(path, &origin)? {
            bears(self.put(&line.key, &line.value, Place { origin: origin.clone(), line: Some(line.number) }))?;
        }
        Ok(())
    }

    /// Sets one value, checked.
    ///
    /// # Errors
    /// [`ConfigError`] when there is no such key or the value does not fit.
    pub fn set(&mut self, key: &str, value: &str, origin: Origin) -> Result<(), ConfigError> {
        self.put(key, value, Place { origin, line: None })
    }

    fn put(&mut self, key: &str, value: &str, place: Place) -> Result<(), ConfigError> {
        let Some(known) = Key::named(key) else {
            return Err(ConfigError::Unknown { key: key.to_owned(), nearest: Key::nearest(key), place });
        };
        if matches!(place.origin, Origin::Repository(_)) && !known.repository {
            return Err(ConfigError::NotForRepositories { key: key.to_owned(), place });
        }
        if !known.read(&mut self.settings, value) {
            return Err(known.misfit(value, known.expected, place));
        }
        self.origins.insert(known.name, place.origin);
        Ok(())
    }

    /// The values.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// One setting (a secret hidden) by the name of its key.
    ///
    /// # Errors
    /// [`ConfigError::Unknown`] when there is no such key.
    pub fn get(&self, key: &str) -> Result<Shown<'_>, ConfigError> {
        let place = Place { origin: Origin::Flag, line: None };
        let unknown = || ConfigError::Unknown { key: key.to_owned(), nearest: Key::nearest(key), place };
        Key::named(key).map(|key| self.shown(key)).ok_or_else(unknown)
    }

    /// All settings in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = Shown<'_>> {
        let mut keys: Vec<&'static Key> = KEYS.iter().collect();
        keys.sort_by_key(|key| key.name);
        keys.into_iter().map(|key| self.shown(key))
    }

    fn shown(&self, key: &'static Key) -> Shown<'_> {
        let value = key.value(&self.settings);
        let hidden = key.secret && !value.is_empty();
        Shown {
            key: key.name,
            value: if hidden { keys::HIDDEN.to_owned() } else { value },
            origin: self.origins.get(key.name).unwrap_or(&Origin::Default),
        }
    }
}

/// One setting as it is shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The name of its key.
    pub key: &'static str,
    /// Its value, hidden if it is a secret.
    pub value: String,
    /// Where the value comes from.
    pub origin: &'a Origin,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Diagnose;

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
        assert_eq!((config.settings().lookup.limit, config.settings().lookup.max_errors), (2, 4));
        assert!(config.settings().model.auto_pull);
        assert_eq!(config.get("lookup.max_errors").unwrap().origin.to_string(), "environment KEN_MAX_ERRORS");
        assert_eq!(config.get("hub.endpoint").unwrap().origin, &Origin::Default);
    }

    #[test]
    fn one_table_is_read_beside_values_of_others_that_do_not_fit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        let read = |text: &str, pairs: &[(&str, &str)]| {
            std::fs::write(&path, text).unwrap();
            Config::resolve_table("store", Some(&path), &environment(pairs))
        };
        let url = "[lookup]\nlimit = 'many'\n[store]\nurl = 'postgres://me@db/k'\n";
        let config = read(url, &[("KEN_MAX_ERRORS", "some")]).unwrap();
        let store = &config.settings().store;
        assert!(format!("{store:?}").contains("me@db/k"), "{store:?}");
        assert_eq!(config.settings().lookup, Settings::default().lookup);
        // Where the store is may not be guessed.
        for wrong in ["[store]\nurl = 'db'\n", "[stor]\nurl = 'postgres://me@db/k'\n", "[store\n", "url = 'x'\n"] {
            assert!(read(wrong, &[]).is_err(), "{wrong}");
        }
        assert!(read("", &[("KEN_STORE_URL", "db")]).is_err());
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
    fn what_is_wrong_in_a_file_is_named_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        let wrong = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Config::resolve(Some(&path), None, &environment(&[])).unwrap_err()
        };
        assert!(wrong("[lookup\n").to_string().contains("c.toml"));
        let error = wrong("# mine\n[model]\nname = 'x'\n[lookup]\nlimit = \"many\"\n").to_string();
        assert!(error.ends_with("c.toml:5: lookup.limit = many: expected a whole number from 1 to 100"), "{error}");
        // It may hold a password.
        let error = wrong("[store]\nurl = 'postgres:/me:password@db/k'\n").to_string();
        assert!(error.ends_with("c.toml:2: store.url = (hidden): expected postgres://USER@HOST/DATABASE"), "{error}");
        let error = wrong("[store]\nurl = 'postgres://me:password@db/k\n").to_string();
        assert!(error.contains("line 2: ") && !error.contains("password"), "{error}");
        for (text, line, key, nearest) in [
            ("[lookup]\nlimits = 1\n", 2, "lookup.limits", "lookup.limit"),
            ("\n\nlookup = { limit = 1, max_error = 2 }\n", 3, "lookup.max_error", "lookup.max_errors"),
            ("hub.ofline = true\n", 1, "hub.ofline", "hub.offline"),
            ("budget = 3\n", 1, "budget", "pack.budget"),
        ] {
            let error = wrong(text);
            assert!(error.to_string().ends_with(&format!("c.toml:{line}: there is no setting {key}")), "{error}");
            assert!(error.hint().unwrap().contains(&format!("did you mean {nearest}?")), "{error:?}");
        }
    }
}
