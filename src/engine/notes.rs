//! Notes: sentences beside an answer about what could not be used. Each is told once.
//!
//! A request writes its notes into one place, and whoever answers reads them there, also when the request failed. Not
//! reading them is a fault of the program: with debug assertions it panics.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sentences for whoever asked. Clones are the same place.
#[derive(Debug, Clone, Default)]
pub struct Notes(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept(Mutex<Sentences>);

#[derive(Debug, Default)]
struct Sentences {
    unread: Vec<String>,
    /// All there ever were.
    known: HashSet<String>,
}

impl Notes {
    /// Adds a sentence, unless it was added before.
    pub fn add(&self, text: String) {
        let mut sentences = self.0.sentences();
        if sentences.known.insert(text.clone()) {
            sentences.unread.push(text);
        }
    }

    /// What nobody has read yet.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.sentences().unread)
    }
}

impl Kept {
    fn sentences(&self) -> MutexGuard<'_, Sentences> {
        // A panic elsewhere leaves the lists whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let unread = std::mem::take(&mut self.sentences().unread);
        debug_assert!(unread.is_empty() || std::thread::panicking(), "notes that nobody has read: {unread:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_read_once_wherever_it_was_written() {
        let notes = Notes::default();
        let other = notes.clone();
        other.add("a".to_owned());
        other.add("b".to_owned());
        drop(other);
        assert_eq!(notes.take(), ["a", "b"]);
        notes.add("a".to_owned());
        assert!(notes.take().is_empty());
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "notes that nobody has read")]
    fn what_nobody_reads_is_a_fault() {
        Notes::default().add("a".to_owned());
    }
}
