//! The file of settings: what it holds, line by line, and how one key of it is changed.

use super::error::{ConfigError, Place};
use super::keys::Key;
use super::{Origin, Settings};
use crate::map::open::{Links, read_text};
use crate::map::write_behind_link;
use crate::types::limits::CONFIG;
use std::io;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One setting of a file.
pub(super) struct Line {
    /// `section.name`.
    pub key: String,
    /// Its value without quotes.
    pub value: String,
    /// Where it stands, from 1 on.
    pub number: usize,
}

/// What a file holds, in the order of its names; nothing where there is no file.
pub(super) fn lines(path: &Path, origin: &Origin) -> Result<Vec<Line>, ConfigError> {
    // A repository's file may not be a link out of its folder; the user's own may lead where they like.
    let held = match (origin, path.parent()) {
        (Origin::Repository(_), Some(folder)) => Links::Within(folder),
        _ => Links::Follow,
    };
    let Some(text) = text(path, held)? else { return Ok(Vec::new()) };
    // The error's own text would show the whole line, which may hold a secret.
    let syntax = |error: toml::de::Error| {
        let line = error.span().map(|span| format!("line {}: ", line_at(&text, span.start)));
        ConfigError::Syntax {
            path: path.to_owned(),
            message: format!("{}{}", line.unwrap_or_default(), error.message().replace('\n', " ")),
        }
    };
    // Twice: the one reader gives values, the other tells where they stand.
    let values: toml::Table = text.parse().map_err(syntax)?;
    let places = DeTable::parse(&text).map_err(syntax)?;
    let mut lines = Vec::new();
    for (section, value) in &values {
        let place = places.get_ref().get_key_value(section.as_str());
        match value.as_table() {
            None => {
                let number = place.map_or(1, |(key, _)| line_of(&text, key));
                lines.push(Line { key: section.clone(), value: plain(value), number });
            }
            Some(inner) => {
                let within = place.and_then(|(_, value)| match value.get_ref() {
                    DeValue::Table(table) => Some(table),
                    _ => None,
                });
                lines.extend(inner.iter().map(|(name, value)| {
                    let key = within.and_then(|table| table.get_key_value(name.as_str()));
                    let number = key.map_or(1, |(key, _)| line_of(&text, key));
                    Line { key: format!("{section}.{name}"), value: plain(value), number }
                }));
            }
        }
    }
    Ok(lines)
}

fn text(path: &Path, links: Links<'_>) -> Result<Option<String>, ConfigError> {
    match read_text(path, links, CONFIG) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ConfigError::Io { path: path.to_owned(), source }),
    }
}

fn line_of<T>(text: &str, key: &Spanned<T>) -> usize {
    line_at(text, key.span().start)
}

fn line_at(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Writes one key into the user's file, keeping the rest of it.
///
/// # Errors
/// [`ConfigError`] when there is no such key, the value does not fit, or the file cannot be read, parsed or written.
pub fn write_user_key(path: &Path, key: &str, value: &str) -> Result<(), ConfigError> {
    let place = Place { origin: Origin::Flag, line: None };
    let Some(known) = Key::named(key) else {
        return Err(ConfigError::Unknown { key: key.to_owned(), nearest: Key::nearest(key), place });
    };
    let mut settings = Settings::default();
    if !known.read(&mut settings, value) {
        return Err(known.misfit(value, known.expected, place));
    }
    let syntax = |message: String| ConfigError::Syntax { path: path.to_owned(), message };
    let text = text(path, Links::Follow)?.unwrap_or_default();
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| syntax(error.message().to_owned()))?;
    let (section, name) = key.split_once('.').unwrap_or(("", key));
    let table = document.entry(section).or_insert(toml_edit::table());
    let table = table.as_table_like_mut().ok_or_else(|| syntax(format!("{section} is no section")))?;
    table.insert(name, toml_edit::Item::Value(toml_value(&known.value(&settings))));
    let io = |source| ConfigError::Io { path: path.to_owned(), source };
    write_behind_link(path, document.to_string().as_bytes()).map_err(io)
}

/// A value as TOML writes it: numbers and switches bare, all else quoted.
pub fn toml_value(text: &str) -> toml_edit::Value {
    let whole = || text.parse::<i64>().ok().map(Into::into);
    let broken = || text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Into::into);
    let switch = || text.parse::<bool>().ok().map(Into::into);
    whole().or_else(broken).or_else(switch).unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Environment};

    #[test]
    fn one_key_is_written_and_the_rest_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/c.toml");
        write_user_key(&path, "model.name", "a").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("# mine\n{text}")).unwrap();
        write_user_key(&path, "model.name", "b").unwrap();
        write_user_key(&path, "lookup.min_relevance", "0.5").unwrap();
        write_user_key(&path, "hub.offline", "yes").unwrap();
        let config = Config::resolve(Some(&path), None, &Environment::default()).unwrap();
        let settings = config.settings();
        assert_eq!((settings.model.name.as_str(), settings.lookup.min_relevance), ("b", Some(0.5)));
        assert!(settings.hub.offline);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# mine") && text.contains("offline = true"), "{text}");
    }

    #[test]
    fn what_is_no_setting_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        assert!(matches!(write_user_key(&path, "lookup.limits", "1"), Err(ConfigError::Unknown { .. })));
        assert!(matches!(write_user_key(&path, "lookup.limit", "0"), Err(ConfigError::Value { .. })));
        assert!(!path.exists());
        std::fs::write(&path, "model = 1\n").unwrap();
        assert!(matches!(write_user_key(&path, "model.name", "x"), Err(ConfigError::Syntax { .. })));
    }
}
