//! Indexed items: one text each, found by its vector and its words. Both signals are computed for each candidate, so
//! that it does not matter which one found it.

use super::finder::{FindItems, NearItem};
use crate::lexical::{Naming, QueryTerms, TermOverlap};
use crate::query::collection::{Collection, Gathered, Known, Located, Prior, Query, RawCandidate};
use crate::query::gate::Gates;
use crate::query::relevance::Evidence;
use crate::query::score::{frequency, recency};
use crate::query::{SearchError, Stage};
use crate::store::{MemoryView, ReadItems};
use crate::types::{Access, Calibration, CorpusNoise, Fit, Item, SignalSet, Span, Standing};
use crate::vector::dot;
use std::collections::HashMap;
use std::ops::Range;

/// Candidates that each part of a question may name at least.
const LEAST_OF_A_PART: usize = 20;

/// What stands around a stretch of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// The line of the file that all of it begins in, from 1.
    pub line_start: usize,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines behind it.
    pub behind: Vec<String>,
}

/// The files that items were taken from, as they are now.
pub trait Files {
    /// Whether a file is still there; items of files that are gone are never shown.
    fn is_present(&self, path: &str) -> bool;

    /// How an item stands to its file, and where it is in it now; `None` if there is no file to compare it with.
    fn standing(&self, item: &Item) -> Option<(Standing, Option<Span>)>;

    /// The lines around a stretch of what there is to read of a file, `count` before and behind it; `None` if the file
    /// cannot be read.
    fn around(&self, path: &str, stretch: Range<usize>, count: usize) -> Option<Around>;
}

/// The indexed items that may answer a question: everything here is of one moment.
pub struct ItemCollection<'a> {
    /// Where the items are.
    pub documents: &'a dyn ReadItems,
    /// How they are found, and which may answer.
    pub finder: &'a dyn FindItems,
    /// Where they were taken from.
    pub files: &'a dyn Files,
    /// The scopes that the caller may see. The answer does not tell whether there are others.
    pub access: &'a Access,
    /// What their gate is fitted to; none where that is not known, or the calibration was made for them.
    pub noise: Option<Noise<'a>>,
}

/// How much noise items answer with, and how much they may.
#[derive(Debug, Clone, Copy)]
pub struct Noise<'a> {
    /// As it was measured.
    pub measured: &'a CorpusNoise,
    /// Share of foreign questions that may be answered, in \[0, 1\].
    pub budget: f64,
}

impl ItemCollection<'_> {
    /// Log-odds that are added to every item's, so that the gate keeps the noise within its budget. Nothing is known
    /// where words do not count.
    fn shift(&self, query: &Query<'_>) -> f32 {
        let Some(noise) = self.noise.filter(|_| query.terms.is_some()) else { return 0.0 };
        let fit = query.calibration.filter(|_| self.finder.has_vectors()).map(|fits| self.fit(fits));
        let signals = if fit.is_some() { SignalSet::Both } else { SignalSet::Words };
        noise.measured.shift(signals, query.is_short, Gates::new(fit, None).single, noise.budget)
    }

    /// What vectors name, and the cosines of the nearest of all, admitted or not.
    fn near(&self, vector: &[f32], query: &Query<'_>) -> Result<(Vec<NearItem>, Vec<f32>), SearchError> {
        let found = self.finder.nearest(vector, query.most, true)?;
        let wanted = query.neighbours() + 1;
        let cosines = |found: &[NearItem]| found.iter().take(wanted).map(|near| near.similarity).collect();
        // How near the texts of others are is theirs.
        let background = match self.finder.is_filtered() && self.access.scopes().is_none() {
            true => cosines(&self.finder.nearest(vector, wanted, false)?),
            false => cosines(&found),
        };
        Ok((found, background))
    }
}

/// Whether whoever may see these scopes may see an item.
fn is_seen(documents: &dyn ReadItems, id: i64, access: &Access) -> Result<bool, SearchError> {
    // What has expired may be told of, what is another repository's may not.
    let view = MemoryView { home: access.home().cloned(), expired: None };
    if documents.is_hidden(id, &view)? {
        return Ok(false);
    }
    let Some(_) = access.scopes() else { return Ok(true) };
    Ok(documents.items(&[id])?.first().is_some_and(|(_, item)| access.admits(&item.scope)))
}

/// The part of an item that is its whole text; the others are stretches of a long one.
const WHOLE: u32 = 0;

impl ItemCollection<'_> {
    /// How near each of these items is to the nearest part of a question; none for a question without parts.
    fn nearest_part(&self, parts: &[Vec<f32>], ids: &[u64]) -> Result<Option<Vec<Option<f32>>>, SearchError> {
        let mut nearest: Option<Vec<Option<f32>>> = None;
        for part in parts {
            let next = self.similarity(part, ids)?;
            let Some(best) = &mut nearest else {
                nearest = Some(next);
                continue;
            };
            for (best, next) in best.iter_mut().zip(next) {
                *best = match (*best, next) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        Ok(nearest)
    }

    /// How near each of these items is. `named` are those that the same question has found already. Of a long text it
    /// is the mean of the whole and the nearest stretch: the one says what it is about, the other what stands in one
    /// place of it.
    fn similarity_beyond(
        &self,
        vector: &[f32],
        ids: &[u64],
        mut named: Vec<NearItem>,
    ) -> Result<Vec<Option<f32>>, SearchError> {
        // A walk may have missed the nearest text of an owner.
        named.retain(|_| self.finder.is_exact());
        named.sort_unstable_by_key(|near| near.item);
        let known = |id: &u64| named.binary_search_by_key(id, |near| near.item).ok().map(|at| named[at]);
        let others: Vec<u64> = ids.iter().copied().filter(|id| known(id).is_none()).collect();
        let mut others = self.finder.similarity(vector, &others)?.into_iter();
        let mean = |near: NearItem| -> Result<f32, SearchError> {
            if near.part == WHOLE {
                return Ok(near.similarity);
            }
            let whole = self.finder.vector(near.item, Some(WHOLE))?;
            Ok(whole.map_or(near.similarity, |whole| (near.similarity + dot(vector, &whole)) / 2.0))
        };
        ids.iter().map(|id| known(id).or_else(|| others.next().flatten()).map(mean).transpose()).collect()
    }
}

impl Collection for ItemCollection<'_> {
    fn gather(&self, query: &Query<'_>) -> Result<Gathered, SearchError> {
        let (mut named, mut nearest) = (Vec::new(), Vec::new());
        let by_vector = query.vector.filter(|_| self.finder.has_vectors());
        if let Some(vector) = by_vector {
            (query.stage)(Stage::Vectors);
            (named, nearest) = self.near(vector, query)?;
        }
        let mut ids: Vec<u64> = named.iter().map(|near| near.item).collect();
        (query.stage)(if query.terms.is_some() { Stage::Words } else { Stage::Rest });
        let prepared = query.terms.map(|terms| self.finder.prepare(terms)).transpose()?;
        if let Some(prepared) = &prepared {
            ids.extend(prepared.candidates(query.most)?);
        }
        if self.finder.has_vectors() {
            for part in query.parts {
                let most = (query.most / query.parts.len()).max(LEAST_OF_A_PART);
                ids.extend(self.finder.nearest(part, most, true)?.iter().map(|near| near.item));
            }
        }
        ids.sort_unstable();
        ids.dedup();
        self.finder.retain_admitted(&mut ids);
        let overlaps = prepared.as_ref().map(|prepared| prepared.score(&ids)).transpose()?;
        let mut cosines = None;
        if let Some(vector) = by_vector {
            (query.stage)(Stage::Vectors);
            cosines = Some(self.similarity_beyond(vector, &ids, named)?);
        }
        let of_parts = if by_vector.is_some() { self.nearest_part(query.parts, &ids)? } else { None };
        (query.stage)(Stage::Rest);
        let shift = self.shift(query);
        let found = ids.iter().enumerate().map(|(at, &key)| {
            let cosine = cosines.as_ref().and_then(|cosines| *cosines.get(at)?);
            let overlap: Option<TermOverlap> =
                overlaps.as_ref().map(|overlaps| overlaps.get(at).copied().flatten().unwrap_or_default());
            let evidence = Evidence {
                cosine,
                part: of_parts.as_ref().and_then(|cosines| *cosines.get(at)?),
                words: overlap.map(|overlap| overlap.bm25),
                covered: overlap.map(|overlap| overlap.coverage),
                naming: overlap.map_or(Naming::Absent, |overlap| overlap.naming),
                hint: shift,
                ..Evidence::default()
            };
            RawCandidate { key, part: cosine.map(|_| WHOLE), evidence, pattern: None }
        });
        Ok(Gathered {
            found: found.collect(),
            reach: match &prepared {
                Some(prepared) => prepared.reach(),
                None => self.finder.prepare(&QueryTerms::default())?.reach(),
            },
            texts: self.finder.len(),
            weighted: prepared.map(|prepared| prepared.weighted().clone()),
            nearest,
        })
    }

    fn has_vectors(&self) -> bool {
        self.finder.has_vectors()
    }

    fn vector(&self, key: u64, part: Option<u32>) -> Result<Option<Vec<f32>>, SearchError> {
        self.finder.vector(key, part)
    }

    fn similarity(&self, vector: &[f32], keys: &[u64]) -> Result<Vec<Option<f32>>, SearchError> {
        self.similarity_beyond(vector, keys, Vec::new())
    }

    fn fit<'c>(&self, calibration: &'c Calibration) -> &'c Fit {
        calibration.of_documents()
    }

    fn priors(&self, keys: &[u64], now_ms: i64) -> Result<Vec<Option<Prior>>, SearchError> {
        let ids: Vec<i64> = keys.iter().map(|key| *key as i64).collect();
        let mut by_id: HashMap<i64, Prior> = HashMap::new();
        for found in self.documents.priors(&ids)? {
            let prior = Prior {
                uid: found.uid,
                recency: Some(recency(found.updated_at, now_ms)),
                frequency: Some(frequency(found.days)),
                text: Some(found.text_hash),
                path: found.path,
                scope: Some(found.scope),
            };
            by_id.insert(found.id, prior);
        }
        Ok(ids.iter().map(|id| by_id.remove(id)).collect())
    }

    fn read(&self, keys: &[u64]) -> Result<Vec<Option<Known<'_>>>, SearchError> {
        let ids: Vec<i64> = keys.iter().map(|key| *key as i64).collect();
        let mut by_id: HashMap<i64, Item> = self.documents.items(&ids)?.into_iter().collect();
        Ok(ids.iter().map(|id| by_id.remove(id).map(|item| Known::Item(Box::new(item)))).collect())
    }

    fn locate(&self, uid: &str) -> Result<Option<Located>, SearchError> {
        let Some(id) = self.documents.item_id(uid)? else { return Ok(None) };
        if !is_seen(self.documents, id, self.access)? {
            return Ok(None);
        }
        let key = id as u64;
        Ok(Some(Located { key, uid: uid.to_owned(), admitted: self.finder.may_answer(key)? }))
    }
}
