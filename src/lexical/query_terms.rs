//! What a question says: its distinct terms.

use super::hash::{heading_hash, term_hash};
use crate::text::for_each_token;
use std::collections::BTreeMap;

/// The distinct terms of a question, sorted, each with its weight: 1 for a term that is said once, more the oftener it
/// is said, but less than in proportion. Some count again in a text whose heading they stand in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryTerms {
    terms: Vec<(String, f32)>,
    /// Those that may stand in a heading, sorted.
    headings: Vec<String>,
    /// The whole name that is asked for.
    name: Option<String>,
}

impl QueryTerms {
    /// Of a text.
    pub fn of(text: &str) -> Self {
        Self::of_all(&[(text, 1.0)])
    }

    /// Of several texts, each of which counts so many times.
    pub fn of_all(texts: &[(&str, f32)]) -> Self {
        let mut counts: BTreeMap<String, f32> = BTreeMap::new();
        for (text, times) in texts {
            for_each_token(text, |token| match counts.get_mut(token) {
                Some(count) => *count += times,
                None => drop(counts.insert(token.to_owned(), *times)),
            });
        }
        let terms = counts.into_iter().map(|(term, count)| (term, (1.0 + count).log2())).collect();
        Self { terms, headings: Vec::new(), name: None }
    }

    /// The same, where these words of it count again in a text whose heading holds them. Of a name in several parts the
    /// parts do not: `ERR_INVALID_ARG` is no other `ERR_INVALID`.
    #[must_use]
    pub fn with_headings<'w>(mut self, words: impl IntoIterator<Item = &'w str>) -> Self {
        let is_between = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
        for name in words.into_iter().flat_map(|word| word.split(is_between)) {
            let mut whole = None;
            for_each_token(name, |token| whole = whole.take().or_else(|| Some(token.to_owned())));
            self.headings.extend(whole);
        }
        self.headings.sort_unstable();
        self.headings.dedup();
        self
    }

    /// The same, where this word of it is a name that is asked for. A name of one part counts as a plain word: `-Wall`
    /// stands in every text about walls.
    #[must_use]
    pub fn with_name(mut self, word: &str) -> Self {
        let mut tokens = Vec::new();
        for_each_token(word, |token| tokens.push(token.to_owned()));
        self.name = (tokens.len() > 1).then(|| tokens.swap_remove(0));
        if let Some(name) = &self.name {
            self.headings.push(name.clone());
            self.headings.sort_unstable();
            self.headings.dedup();
        }
        self
    }

    /// The name that is asked for, as it stands among the terms and among the headings.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The terms with their weights, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> + Clone {
        self.terms.iter().map(|(term, weight)| (term.as_str(), *weight))
    }

    /// Those that count again in headings, in order.
    pub fn headings(&self) -> impl Iterator<Item = &str> {
        self.headings.iter().map(String::as_str)
    }

    /// The hashes of what is looked up: the terms, then those that count again in headings.
    pub fn hashes(&self) -> Vec<u64> {
        self.iter().map(|(term, _)| term_hash(term)).chain(self.headings().map(heading_hash)).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_twice_weighs_more_but_not_twice() {
        let terms = QueryTerms::of_all(&[("lock state lock", 1.0), ("state", 2.0)]);
        let weights: Vec<(&str, f32)> = terms.iter().collect();
        assert_eq!(weights, [("lock", 3.0f32.log2()), ("state", 2.0)]);
    }
}
