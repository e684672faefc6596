//! Answers to what was asked lately, in memory alone.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Holds a bounded number of answers, by what was asked.
#[derive(Debug)]
pub struct Recent<K, V> {
    capacity: usize,
    entries: Mutex<Entries<K, V>>,
}

#[derive(Debug)]
struct Entries<K, V> {
    /// Each with its last use, as the number of the call.
    answers: HashMap<K, (u64, V)>,
    calls: u64,
}

impl<K: Hash + Eq, V: Clone> Recent<K, V> {
    /// Holds at most `capacity` answers.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, entries: Mutex::new(Entries { answers: HashMap::new(), calls: 0 }) }
    }

    /// What is held; a panic elsewhere leaves whole answers only.
    fn entries(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to this, if it is held.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let mut entries = self.entries();
        entries.calls += 1;
        let now = entries.calls;
        let (used, answer) = entries.answers.get_mut(key)?;
        *used = now;
        Some(answer.clone())
    }

    /// Holds an answer. Where there is no room, the half that was not used for longest goes.
    pub fn keep(&self, key: K, answer: V) {
        if self.capacity == 0 {
            return;
        }
        let mut entries = self.entries();
        if entries.answers.len() >= self.capacity && !entries.answers.contains_key(&key) {
            // Half of them at once: cheaper than an order that is kept at every step.
            let mut uses: Vec<u64> = entries.answers.values().map(|(used, _)| *used).collect();
            uses.sort_unstable();
            let last = uses[(uses.len() - 1) / 2];
            entries.answers.retain(|_, (used, _)| *used > last);
        }
        entries.calls += 1;
        let now = entries.calls;
        entries.answers.insert(key, (now, answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_no_more_than_it_may_and_what_is_used_stays() {
        let recent = Recent::new(10);
        recent.keep("kept".to_owned(), 0);
        for number in 1..100 {
            recent.keep(number.to_string(), number);
            assert_eq!((recent.get(number.to_string().as_str()), recent.get("kept")), (Some(number), Some(0)));
            assert!(recent.entries().answers.len() <= 10);
        }
        assert_eq!(recent.get("1"), None);
        let none = Recent::new(0);
        none.keep(1, 1);
        assert_eq!(none.get(&1), None);
    }

    #[test]
    fn half_of_the_answers_go_for_a_new_question_and_none_for_one_that_is_held() {
        for capacity in 1..6 {
            let recent = Recent::new(capacity);
            let held = || (0..=capacity).filter(|key| recent.entries().answers.contains_key(key)).collect::<Vec<_>>();
            (0..capacity).for_each(|key| recent.keep(key, "old"));
            recent.keep(0, "new");
            assert_eq!((held(), recent.get(&0)), ((0..capacity).collect(), Some("new")));
            recent.keep(capacity, "one more");
            // The first was used last.
            assert_eq!((recent.get(&0).is_some(), recent.get(&capacity)), (capacity > 1, Some("one more")));
            assert_eq!(held().len(), capacity / 2 + 1);
        }
    }
}
