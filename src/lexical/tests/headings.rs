//! What stands in a heading counts again, for the terms of a question that may.

use super::super::*;
use super::naive::text;
use crate::map::Room;
use crate::text::tokens;
use proptest::prelude::*;

/// A heading, and the text below it.
#[derive(Debug, Clone)]
struct Section(String, String);

impl TermText for Section {
    fn text(&self) -> &str {
        &self.0
    }

    fn heading(&self) -> &str {
        &self.1
    }
}

fn sections() -> impl Strategy<Value = Vec<Section>> {
    let section = (text(), "(lock|state|Lock_file|disk| ){0,4}");
    proptest::collection::vec(section.prop_map(|(text, heading)| Section(format!("{heading}\n{text}"), heading)), 0..20)
}

fn index_of(sections: &[Section]) -> TermIndex {
    let texts = (0u64..).zip(sections).map(|(id, one)| (id, one.clone()));
    TermIndex::of_texts(texts).unwrap()
}

proptest! {
    /// BM25 with headings is BM25 of the texts and, once more, of the headings, where the only term of a heading counts
    /// four times, those of longer ones as much less as fits, and lengths are those of the texts. Nothing else changes.
    #[test]
    fn headings_add_what_the_definition_says(sections in sections(), question in text()) {
        let index = index_of(&sections);
        let plain = QueryTerms::of(&question);
        let asked = plain.clone().with_headings(question.split(' '));
        let (with, without) = (index.prepare(&asked), index.prepare(&plain));
        prop_assert_eq!(with.reach(), without.reach());
        let split: Vec<Vec<String>> = sections.iter().map(|one| tokens(&one.1)).collect();
        let ids: Vec<u64> = (0..sections.len() as u64).collect();
        let (found, before) = (index.score(&with, &ids), index.score(&without, &ids));
        let all = index.score_all(&asked);
        let mean = index.bm25().mean_length.max(1.0);
        for (id, (found, before)) in ids.iter().zip(found.into_iter().zip(before)) {
            let (found, before, heading) = (found.unwrap(), before.unwrap(), &split[*id as usize]);
            let norm = 0.9 * (0.5 + 0.5 * tokens(&sections[*id as usize].0).len() as f32 / mean);
            let mut sum = before.bm25;
            for term in asked.headings() {
                let holders = split.iter().filter(|one| one.iter().any(|token| token == term)).count() as f32;
                let idf = (1.0 + (split.len() as f32 - holders + 0.5) / (holders + 0.5)).ln();
                let times = (4 / heading.len().max(1)).max(1);
                let count = (heading.iter().filter(|token| *token == term).count() * times) as f32;
                sum += if count > 0.0 { idf * count * 1.9 / (count + norm) } else { 0.0 };
            }
            prop_assert!((found.bm25 - sum).abs() < 1e-3, "{} {sum}", found.bm25);
            prop_assert!((all.of(*id).unwrap_or(0.0) - sum).abs() < 1e-3);
            prop_assert_eq!(found.coverage, before.coverage);
        }
    }

    /// A change and a merge keep headings.
    #[test]
    fn an_index_that_has_changed_is_one_made_anew(sections in sections(), question in text()) {
        let asked = QueryTerms::of(&question).with_headings(question.split(' '));
        let whole = index_of(&sections);
        let texts = |from: usize| {
            let some = (from as u64..).zip(&sections[from.min(sections.len())..]);
            some.map(|(id, one)| (id, one.clone())).collect::<Vec<_>>()
        };
        let half = sections.len() / 2;
        let first = TermIndex::of_texts(texts(0).into_iter().take(half)).unwrap();
        let changed = first.with_changes([], texts(half)).unwrap();
        let merged = TermIndex::new(changed.to_image(Room::memory(), &TermOrigin::default()).unwrap());
        let ids: Vec<u64> = (0..sections.len() as u64).collect();
        for other in [changed, merged] {
            prop_assert_eq!(other.score(&other.prepare(&asked), &ids), whole.score(&whole.prepare(&asked), &ids));
            prop_assert_eq!(
                other.candidates(&other.prepare(&asked), 9, None),
                whole.candidates(&whole.prepare(&asked), 9, None)
            );
        }
    }
}

#[test]
fn whoever_asks_for_a_name_gets_what_bears_it() {
    let one = |heading: &str, text: &str| Section(format!("{heading}\n{text}"), heading.to_owned());
    let index = index_of(&[
        one("close_redir", "flushes and closes"),
        one("main", "close_redir close_redir close_redir"),
        one("close_redir, close_all, close_some", "prototypes of them"),
    ]);
    let asked = QueryTerms::of("close_redir").with_headings(["close_redir"]);
    assert_eq!(index.score_all(&asked).best(3), [0, 2, 1]);
    assert_eq!(index.score_all(&QueryTerms::of("close_redir")).best(1), [1]);
}
