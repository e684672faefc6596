//! Limits on the packs of users and repositories, so that a lookup starts quickly however large they are.
//!
//! A pattern of such a pack is read at every start. What is over a limit is left out and told, by the loader and by
//! [`super::check()`] alike.

use super::layer::PackLayer;
use super::pack::Entry;
use crate::types::limits::{ENTRY_PATTERNS, OWN_ENTRIES, OWN_PATTERN_BYTES, OWN_PATTERNS};

/// What has been used so far.
#[derive(Debug, Default)]
pub(super) struct Room {
    entries: usize,
    patterns: usize,
    bytes: usize,
}

impl Room {
    /// Makes room for an entry; built-in ones need none.
    ///
    /// # Errors
    /// One sentence, if it is too much by itself or with those before it.
    pub(super) fn take(&mut self, layer: PackLayer, entry: &Entry) -> Result<(), String> {
        if layer == PackLayer::Builtin {
            return Ok(());
        }
        let (patterns, bytes) =
            (entry.patterns().count(), entry.patterns().map(|one| one.pattern.len()).sum::<usize>());
        let id = &entry.id;
        if patterns > ENTRY_PATTERNS {
            return Err(format!(
                "{id} has {patterns} patterns, {ENTRY_PATTERNS} are allowed; it and what follows is not used"
            ));
        }
        self.entries += 1;
        self.patterns += patterns;
        self.bytes += bytes;
        let over = |what: &str| Err(format!("own packs may have {what} in all; {id} and what follows is not used"));
        if self.entries > OWN_ENTRIES {
            return over(&format!("{OWN_ENTRIES} entries"));
        }
        if self.patterns > OWN_PATTERNS {
            return over(&format!("{OWN_PATTERNS} patterns"));
        }
        if self.bytes > OWN_PATTERN_BYTES {
            return over(&format!("{} MiB of patterns", OWN_PATTERN_BYTES >> 20));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(patterns: usize, bytes: usize) -> Entry {
        Entry { id: "p/a".to_owned(), error_patterns: vec!["x".repeat(bytes).into(); patterns], ..Entry::default() }
    }

    #[test]
    fn each_limit_holds_at_and_above() {
        let cases = [
            (OWN_ENTRIES, entry(1, 4), "20000 entries"),
            (OWN_PATTERNS / ENTRY_PATTERNS, entry(ENTRY_PATTERNS, 4), "40000 patterns"),
            (OWN_PATTERN_BYTES / 2048, entry(1, 2048), "2 MiB of patterns"),
        ];
        for (times, entry, message) in cases {
            let mut room = Room::default();
            assert!((0..times).all(|_| room.take(PackLayer::User, &entry).is_ok()), "{message}");
            let refused = room.take(PackLayer::Repository, &entry).unwrap_err();
            assert!(refused.contains(message) && refused.contains("p/a"), "{refused}");
            assert_eq!(room.take(PackLayer::Builtin, &entry), Ok(()));
        }
        let mut room = Room::default();
        assert_eq!(room.take(PackLayer::User, &entry(ENTRY_PATTERNS, 1)), Ok(()));
        let refused = room.take(PackLayer::User, &entry(ENTRY_PATTERNS + 1, 1)).unwrap_err();
        assert!(refused.contains("201 patterns, 200 are allowed"), "{refused}");
    }
}
