//! What people said of answers: this one worked, that one was wrong.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What somebody said of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// The entry that was answered, `pack/slug`.
    pub entry: String,
    /// Fingerprint of the error that it was the answer to; none where that is not known.
    pub fingerprint: Option<String>,
    /// Whether its fix worked; else it was the wrong answer.
    pub worked: bool,
    /// When it was said, milliseconds since 1970.
    pub at: i64,
}

/// How often an entry worked and how often it was wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// How often its fix worked.
    pub worked: usize,
    /// How often it was the wrong answer.
    pub wrong: usize,
}

/// Everything that was said, oldest first. Of an error and an entry the last word counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedbackLog(pub Vec<Feedback>);

impl FeedbackLog {
    /// Whether the entry is wrong for errors of this fingerprint.
    pub fn rejects(&self, fingerprint: &str, entry: &str) -> bool {
        self.last(fingerprint, entry).is_some_and(|said| !said.worked)
    }

    /// Entries that are wrong for errors of this fingerprint, by id.
    pub fn rejected(&self, fingerprint: &str) -> Vec<&str> {
        self.entries(fingerprint).into_iter().filter(|entry| self.rejects(fingerprint, entry)).collect()
    }

    /// Entries that worked for errors of this fingerprint, by id.
    pub fn confirmed(&self, fingerprint: &str) -> Vec<&str> {
        self.entries(fingerprint).into_iter().filter(|entry| !self.rejects(fingerprint, entry)).collect()
    }

    /// What was said of an entry; none if nothing was.
    pub fn tried(&self, entry: &str) -> Option<Tried> {
        let mut tried = Tried::default();
        for said in self.0.iter().filter(|said| said.entry == entry) {
            *if said.worked { &mut tried.worked } else { &mut tried.wrong } += 1;
        }
        (tried != Tried::default()).then_some(tried)
    }

    fn entries(&self, fingerprint: &str) -> BTreeSet<&str> {
        let of_this = |said: &&Feedback| said.fingerprint.as_deref() == Some(fingerprint);
        self.0.iter().filter(of_this).map(|said| said.entry.as_str()).collect()
    }

    fn last(&self, fingerprint: &str, entry: &str) -> Option<&Feedback> {
        self.0.iter().rev().find(|said| said.entry == entry && said.fingerprint.as_deref() == Some(fingerprint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(entry: &str, fingerprint: Option<&str>, worked: bool) -> Feedback {
        Feedback { entry: entry.to_owned(), fingerprint: fingerprint.map(str::to_owned), worked, at: 0 }
    }

    #[test]
    fn the_last_word_on_an_error_and_an_entry_counts() {
        let log = FeedbackLog(vec![
            said("a/one", Some("v2:1"), false),
            said("a/two", Some("v2:1"), true),
            said("a/one", Some("v2:2"), true),
            said("a/one", None, true),
        ]);
        assert!(log.rejects("v2:1", "a/one") && !log.rejects("v2:2", "a/one") && !log.rejects("v2:3", "a/one"));
        assert_eq!((log.rejected("v2:1"), log.confirmed("v2:1")), (vec!["a/one"], vec!["a/two"]));
        let mut later = log.clone();
        later.0.push(said("a/one", Some("v2:1"), true));
        assert_eq!((later.rejected("v2:1"), later.confirmed("v2:1")), (vec![], vec!["a/one", "a/two"]));
        assert_eq!(log.tried("a/one"), Some(Tried { worked: 2, wrong: 1 }));
        assert_eq!(log.tried("a/three"), None);
    }
}
