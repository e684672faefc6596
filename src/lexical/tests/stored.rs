//! Ranking from parts against an index over the same documents, to the last bit.

use super::super::*;
use super::naive::text;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

struct Headed(String, String);

impl TermText for Headed {
    fn text(&self) -> &str {
        &self.0
    }

    fn heading(&self) -> &str {
        &self.1
    }
}

/// Documents as somebody keeps them who keeps old versions too.
#[derive(Default)]
struct Kept {
    /// By id: number of the version, and what it counts.
    live: BTreeMap<u64, (u64, DocumentTerms)>,
    dead: Vec<(DocumentVersion, DocumentTerms)>,
}

impl Kept {
    fn put(&mut self, version: u64, id: u64, terms: DocumentTerms) {
        if let Some((before, old)) = self.live.insert(id, (version, terms)) {
            self.dead.push(((id, before), old));
        }
    }

    fn query(&self, terms: &QueryTerms) -> StoredQuery {
        let holders = |hash: &u64| self.live.values().filter(|(_, found)| count(found, *hash) > 0).count();
        let frequencies: Vec<usize> = terms.hashes().iter().map(holders).collect();
        let tokens = self.live.values().map(|(_, found)| u64::from(found.length)).sum();
        StoredQuery::new(terms, self.live.len(), tokens, &frequencies)
    }

    /// The postings of a term, newest versions first.
    fn postings(&self, hash: u64) -> Vec<StoredPosting> {
        let live = self.live.iter().map(|(id, (version, found))| ((*id, *version), found));
        let all = live.chain(self.dead.iter().map(|(document, found)| (*document, found)));
        let posting = |(document, found): (DocumentVersion, &DocumentTerms)| StoredPosting {
            document,
            count: count(found, hash),
            length: found.length,
        };
        all.map(posting).filter(|found| found.count > 0).collect()
    }
}

fn count(found: &DocumentTerms, hash: u64) -> u32 {
    found.terms.iter().find(|(term, _)| *term == hash).map_or(0, |(_, count)| *count)
}

proptest! {
    #[test]
    fn parts_rank_and_score_as_an_index_does(
        puts in proptest::collection::vec((0u64..30, text(), text()), 0..50),
        question in text(),
        heading in text(),
        most in 0usize..12,
        repeated in 1usize..500,
    ) {
        let (mut kept, mut documents) = (Kept::default(), BTreeMap::new());
        for (version, (id, text, heading)) in (1u64..).zip(&puts) {
            // Counts and lengths beyond those of any table, too.
            let text = format!("{heading}\n{}", text.repeat(if *id == 7 { repeated } else { 1 }));
            let document = Headed(text, heading.clone());
            kept.put(version, *id, DocumentTerms::of(&document));
            documents.insert(*id, document);
        }
        let index = TermIndex::of_texts(documents).unwrap();
        let terms = QueryTerms::of(&question).with_headings([heading.as_str()]).with_name(&heading);
        let (query, stored) = (index.prepare(&terms), kept.query(&terms));
        prop_assert_eq!(stored.prepared().reach(), query.reach());
        let weights = |query: &PreparedQuery| query.weighted().weights().collect::<Vec<f32>>();
        prop_assert_eq!(weights(stored.prepared()), weights(&query));
        let postings: Vec<Vec<StoredPosting>> = stored.searched().iter().map(|hash| kept.postings(*hash)).collect();
        let ids: Vec<u64> = kept.live.keys().copied().collect();
        let counts: Vec<(u64, u32, Vec<u32>)> = kept.live.iter().map(|(id, (_, found))| {
            (*id, found.length, stored.hashes().iter().map(|hash| count(found, *hash)).collect())
        }).collect();
        for admitted in [None, Some(3), Some(17)] {
            let passes = |id: u64| admitted.is_none_or(|by| id.is_multiple_of(by));
            let wanted = index.candidates(&query, most, admitted.is_some().then_some(&passes as _));
            let mut asked = BTreeSet::new();
            let found = stored.rank(postings.clone()).best(most, |page| {
                assert!(page.iter().all(|document| asked.insert(*document)), "nobody is asked about twice");
                let is_live = |(id, version): &&DocumentVersion| kept.live[id].0 == *version && passes(*id);
                // In any order.
                Ok::<_, Infallible>(page.iter().filter(is_live).rev().copied().collect())
            });
            prop_assert_eq!(found.unwrap(), wanted);
        }
        let scores: Vec<_> = counts.iter().map(|(_, length, counts)| Some(stored.score(*length, counts))).collect();
        prop_assert_eq!(scores, index.score(&query, &ids));
    }
}

#[test]
fn who_admits_may_fail_and_is_not_asked_for_nothing() {
    let kept = Kept { live: [(4, (1, DocumentTerms::of(&"disk")))].into(), ..Kept::default() };
    let stored = kept.query(&QueryTerms::of("disk"));
    let ranking = stored.rank([kept.postings(stored.hashes()[0])]);
    assert_eq!(ranking.len(), 1);
    assert_eq!(ranking.clone().best(3, |_| Err("refused")), Err("refused"));
    assert_eq!(ranking.best(0, |_| Err("refused")), Ok(Vec::new()));
}
