//! Which items may answer, as a WHERE clause: what a filter excludes is never a candidate.

use super::StoreError;
use super::database::Database;
use crate::types::{Kind, Scope};
use rusqlite::types::Value;

/// Where files lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathFilter {
    /// This file, or under this folder.
    Under(String),
    /// What this pattern of `*`, `?` and `[...]` matches as a whole.
    Glob(String),
}

impl PathFilter {
    /// A pattern, if it can match anything.
    ///
    /// # Errors
    /// What is wrong with one that never could.
    pub fn glob(pattern: &str) -> Result<Self, &'static str> {
        let mut rest = pattern.chars().peekable();
        let mut before = ' ';
        while let Some(c) = rest.next() {
            match c {
                '[' => class(&mut rest)?,
                '{' if rest.clone().any(|c| c == '}') => {
                    return Err("{...} is no alternative here; give the option once for each");
                }
                // On Windows it stands between folders.
                '*' | '?' | ']' | '}' if before == '\\' && !cfg!(windows) => {
                    return Err("\\ does not take the meaning from a character; put it into brackets");
                }
                _ => {}
            }
            before = c;
        }
        Ok(Self::Glob(pattern.to_owned()))
    }
}

/// Reads a class of characters to its end, as SQLite's GLOB does: the first `]` is one of the characters.
fn class(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<(), &'static str> {
    rest.next_if_eq(&'^');
    let mut characters: Vec<char> = rest.next_if_eq(&']').into_iter().collect();
    loop {
        match rest.next() {
            None => return Err("a [ has no ]"),
            Some(']') => break,
            Some(c) => characters.push(c),
        }
    }
    let range = |three: &[char]| three[1] == '-' && three[0] > three[2];
    if characters.windows(3).any(range) { Err("a range in [...] runs backwards") } else { Ok(()) }
}

/// Which items may answer. Empty fields admit everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemFilter {
    /// Any of these kinds.
    pub kinds: Vec<Kind>,
    /// Any of these scopes.
    pub scopes: Vec<Scope>,
    /// Files that lie in any of these places.
    pub paths: Vec<PathFilter>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Whose software.
    pub provider: Option<String>,
}

impl ItemFilter {
    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The condition on `item` and `source`, with its values.
    pub(super) fn condition(&self) -> (String, Vec<Value>) {
        let mut parts = vec!["item.state = 'active'".to_owned()];
        let mut values: Vec<Value> = Vec::new();
        let mut any = |column: &str, names: Vec<String>| {
            if !names.is_empty() {
                parts.push(format!("{column} IN ({})", vec!["?"; names.len()].join(", ")));
                values.extend(names.into_iter().map(Value::Text));
            }
        };
        any("item.kind", self.kinds.iter().map(|kind| kind.name().to_owned()).collect());
        any("item.scope", self.scopes.iter().map(|scope| scope.as_str().to_owned()).collect());
        let mut places = Vec::new();
        for place in &self.paths {
            match place {
                PathFilter::Glob(pattern) => {
                    places.push("source.path GLOB ?");
                    values.push(Value::Text(pattern.clone()));
                }
                PathFilter::Under(path) => {
                    let folder = path.trim_end_matches('/');
                    places.push("source.path = ? OR substr(source.path, 1, ?) = ?");
                    let prefix = format!("{folder}/");
                    let characters = prefix.chars().count() as i64;
                    values.extend([Value::Text(folder.to_owned()), Value::Integer(characters), Value::Text(prefix)]);
                }
            }
        }
        if !places.is_empty() {
            parts.push(format!("({})", places.join(" OR ")));
        }
        for tag in &self.tags {
            parts.push(
                "EXISTS (SELECT 1 FROM json_each(item.attributes, '$.tags') WHERE lower(value) = lower(?))".to_owned(),
            );
            values.push(Value::Text(tag.clone()));
        }
        if let Some(provider) = &self.provider {
            parts.push("lower(item.attributes ->> '$.provider') = lower(?)".to_owned());
            values.push(Value::Text(provider.clone()));
        }
        (parts.join(" AND "), values)
    }
}

impl Database {
    /// Row ids of the items that pass, ascending.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn admitted(&self, filter: &ItemFilter) -> Result<Vec<i64>, StoreError> {
        let (condition, values) = filter.condition();
        let all = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.connection.prepare(&format!(
                "SELECT item.id FROM item LEFT JOIN source ON source.id = item.source_id WHERE {condition} ORDER BY item.id"
            ))?;
            statement.query_map(rusqlite::params_from_iter(values), |row| row.get(0))?.collect()
        };
        self.sql(all())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_cannot_match_are_refused() {
        for pattern in ["[a", "docs/[", "a[]", "[^", "[^]", "[z-a].md", "*.{md,rst}", "a\\*"] {
            assert!(PathFilter::glob(pattern).is_err(), "{pattern}");
        }
    }

    /// What is taken matches what it should, asked of the one who matches.
    #[test]
    fn patterns_that_are_taken_match() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for (pattern, text) in [
            ("*.md", "a/b.md"),
            ("[a-c]?", "bx"),
            ("[]]", "]"),
            ("[^]]", "x"),
            ("[{]a,b}", "{a,b}"),
            ("a]", "a]"),
            ("[*]", "*"),
            ("[a-]", "-"),
        ] {
            assert!(PathFilter::glob(pattern).is_ok(), "{pattern}");
            let sql = "SELECT ?1 GLOB ?2";
            assert!(connection.query_row(sql, [text, pattern], |row| row.get::<_, bool>(0)).unwrap(), "{pattern}");
        }
    }
}
