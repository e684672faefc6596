//! Adds an entry to the text of a pack. Pure: the caller reads and writes the file.

use super::check::check;
use super::layer::PackLayer;
use super::library::PackSource;
use super::pack::{Entry, PackFile, SCHEMA_VERSION};
use super::severity::Severity;
use crate::error::{Diagnose, ErrorKind};
use crate::render::json_pretty;

/// Why an entry was not added.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The pack as it is cannot be read.
    #[error("{pack}.json is not a canon pack: {source}")]
    Pack {
        /// The pack.
        pack: String,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// The entry breaks a rule.
    #[error("the entry is not usable: {}", .0.join("; "))]
    Entry(Vec<String>),
}

impl Diagnose for EditError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Pack { .. } => ErrorKind::Damaged,
            Self::Entry(_) => ErrorKind::CheckFailed,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Pack { .. } => {
                "repair or move the file away; `ken canon check FILE` shows where it breaks".to_owned()
            }
            Self::Entry(_) => "give at least a title, a cause, a fix, and a pattern or a symptom".to_owned(),
        })
    }
}

/// The pack's new text with `entry` in its place, replacing one of the same id.
///
/// # Errors
/// [`EditError`] if the pack cannot be read or the entry would not pass the check.
pub fn add_entry(text: Option<&str>, pack: &str, entry: Entry) -> Result<String, EditError> {
    let mut file = match text {
        Some(text) => serde_json::from_str(text).map_err(|source| EditError::Pack { pack: pack.to_owned(), source })?,
        None => PackFile {
            schema_version: SCHEMA_VERSION,
            pack: pack.to_owned(),
            title: pack.to_owned(),
            entries: Vec::new(),
        },
    };
    let id = entry.id.clone();
    file.entries.retain(|other| other.id != id);
    let at = file.entries.partition_point(|other| other.id < id);
    file.entries.insert(at, entry);
    let mut text = json_pretty(&file).map_err(|source| EditError::Pack { pack: pack.to_owned(), source })?;
    text.push('\n');
    let source = PackSource { layer: PackLayer::User, origin: format!("{pack}.json"), text: text.clone().into() };
    let faults: Vec<String> = check(&[source])
        .into_iter()
        .filter(|f| f.severity == Severity::Error && f.entry.as_deref().is_none_or(|e| e == id))
        .map(|f| f.message)
        .collect();
    if faults.is_empty() { Ok(text) } else { Err(EditError::Entry(faults)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str) -> Entry {
        let text = |s: &str| s.to_owned();
        Entry {
            id: text(id),
            title: text("t"),
            cause: vec!["c".into()],
            fix: vec!["f".into()],
            symptoms: vec![text("s")],
            ..Entry::default()
        }
    }

    #[test]
    fn entries_are_inserted_in_order_and_replaced() {
        let one = add_entry(None, "mine", entry("mine/b")).unwrap();
        let two = add_entry(Some(&one), "mine", entry("mine/a")).unwrap();
        let again = add_entry(Some(&two), "mine", entry("mine/a")).unwrap();
        assert_eq!(two, again);
        assert!(two.find("mine/a") < two.find("mine/b"));
    }

    #[test]
    fn a_bad_entry_leaves_no_text() {
        let mut bad = entry("mine/a");
        bad.error_patterns = vec!["(".into()];
        assert!(matches!(add_entry(None, "mine", bad), Err(EditError::Entry(_))));
    }
}
