//! What a search without an index finds: the question's words as one pattern over every text, ignoring case, whole
//! words. Texts come in the order of how many different words they hold, then of how often.

use crate::types::titled;
use regex::{Regex, RegexBuilder};
use std::collections::HashSet;

/// Words of a question that are looked for, and the length below which a word is left out.
const MAX_WORDS: usize = 64;
const MIN_LETTERS: usize = 3;

/// Texts to be searched.
pub(super) struct Grep {
    texts: Vec<(String, String)>,
}

/// A text that holds some of the words.
pub(super) struct GrepHit<'a> {
    pub id: &'a str,
    /// Different words, and a little for how often they stand there.
    pub score: f32,
    /// Share of the question's words that it holds, in \[0, 1\].
    pub share: f32,
}

impl Grep {
    /// Over documents: id, title, text.
    pub fn new<'a>(documents: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        let text = |(id, title, text): (&str, &str, &str)| (id.to_owned(), titled(title, text));
        Self { texts: documents.into_iter().map(text).collect() }
    }

    /// The first texts for a question; `admitted` says by number which may answer.
    pub fn search(&self, question: &str, limit: usize, admitted: &dyn Fn(usize) -> bool) -> Vec<GrepHit<'_>> {
        let Some((pattern, words)) = pattern(question) else { return Vec::new() };
        let mut out: Vec<GrepHit<'_>> = Vec::new();
        for (_, (id, text)) in self.texts.iter().enumerate().filter(|(at, _)| admitted(*at)) {
            let (mut seen, mut times) = (HashSet::new(), 0);
            for found in pattern.find_iter(text) {
                times += 1;
                seen.insert(found.as_str().to_lowercase());
            }
            if times > 0 {
                let often = times as f32 / (times as f32 + 100.0);
                let share = (seen.len() as f32 / words as f32).min(1.0);
                out.push(GrepHit { id, score: seen.len() as f32 + often, share });
            }
        }
        out.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.id.cmp(a.id)));
        out.truncate(limit);
        out
    }
}

/// The pattern of a question and how many words it holds; none for a question without words.
fn pattern(question: &str) -> Option<(Regex, usize)> {
    let mut words: Vec<String> = question
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().count() >= MIN_LETTERS)
        .map(str::to_lowercase)
        .collect();
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words.truncate(MAX_WORDS);
    let all: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
    let pattern = RegexBuilder::new(&format!(r"\b(?:{})\b", all.join("|"))).case_insensitive(true).build().ok()?;
    (!words.is_empty()).then_some((pattern, words.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_words_whole_and_once() {
        let texts =
            [("a", "", "the lock, the lock"), ("b", "State", "of a LOCK"), ("c", "", "blocked"), ("d", "", "state")];
        let grep = Grep::new(texts);
        let ids = |admitted: &dyn Fn(usize) -> bool| -> Vec<String> {
            grep.search("State lock!", 3, admitted).iter().map(|found| found.id.to_owned()).collect()
        };
        assert_eq!(ids(&|_| true), ["b", "a", "d"]);
        assert_eq!(ids(&|at| at != 1), ["a", "d"]);
        assert!((grep.search("state lock", 1, &|_| true)[0].share - 1.0).abs() < 1e-6);
        assert!(grep.search("a ?", 3, &|_| true).is_empty() && grep.search("", 3, &|_| true).is_empty());
    }
}
