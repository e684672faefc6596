//! Items found by the store itself. What it names is compared by the vectors that are stored, in full precision, and
//! scored by the counts that it keeps; so an item has the same signals as where files are derived from the store.

use crate::engine::{Engine, EngineError};
use crate::lexical::{
    DocumentVersion, QueryTerms, Reach, StoredPosting, StoredQuery, TermOverlap, WeightedTerms, word_hash,
};
use crate::query::{FindItems, NearItem, PreparedWords, SearchError};
use crate::store::{
    Database, FindWords, IndexModel, ItemFilter, ItemVersion, MemoryView, NearText, NearestSearch, Posting, ReadItems,
    ReadMemory, ReadNearest, ReadVectors, SharedDatabase,
};
use crate::types::Fingerprint;
use crate::vector::dot;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

/// For each word, at most this many texts are checked against the filter first. The correction of misspelt words needs
/// to know whether any text with a word passes, and roughly how many. For a frequent word some texts are enough, unless
/// none of them passes.
const HOLDERS: usize = 1_000;

/// What a request with a filter needs to know of a store that finds items itself.
pub(in crate::engine) struct StoredItems {
    /// The model in use; none where no model can be asked.
    pub model: Option<IndexModel>,
    /// What may answer; none if all may.
    among: Option<(ItemFilter, Option<MemoryView>)>,
    how: NearestSearch,
    /// Items that have words.
    documents: usize,
    /// Items that have none yet.
    pub without_words: usize,
}

/// A part of an item with its vector.
type PartVector = (u32, Vec<f32>);

/// Finds items of one request.
pub(in crate::engine) struct StoredFinder<'a> {
    items: &'a StoredItems,
    database: &'a SharedDatabase,
    /// The vectors of items that were asked for, by part.
    vectors: RefCell<BTreeMap<u64, Vec<PartVector>>>,
}

impl Engine {
    /// What a request with this filter needs to know of the store, in whose moment this is called. Vectors of the model
    /// in use are searched, also while another machine has made those of its next one.
    pub(in crate::engine) fn stored_items(
        &self,
        database: &Database,
        shared: &SharedDatabase,
        filter: &ItemFilter,
        made_with: Option<&Fingerprint>,
        now_ms: i64,
    ) -> Result<StoredItems, EngineError> {
        let model = made_with.map(|fingerprint| database.model(fingerprint)).transpose()?.flatten();
        let certificate = match &model {
            Some(model) if self.settings.recall_target < 1.0 => shared.nearest_certificate(model)?,
            _ => None,
        };
        // Without a certificate there is no index, or nobody knows what it finds.
        let how = certificate.map_or(NearestSearch::Exact, |certificate| certificate.search());
        let view = database.memory_view(filter.access.home(), now_ms)?;
        let among = (!filter.is_empty() || view.is_some()).then(|| (filter.clone(), view));
        let (documents, without_words) = (shared.word_totals(&[])?.documents, shared.lacking_words()?);
        Ok(StoredItems { model, among, how, documents, without_words })
    }
}

impl StoredItems {
    /// How they are found.
    pub fn finder<'a>(&'a self, database: &'a SharedDatabase) -> StoredFinder<'a> {
        StoredFinder { items: self, database, vectors: RefCell::default() }
    }

    /// What may answer; none if all may.
    pub(in crate::engine) fn among(&self) -> Option<(&ItemFilter, Option<&MemoryView>)> {
        self.among.as_ref().map(|(filter, view)| (filter, view.as_ref()))
    }
}

/// Items by the nearest of their texts, nearest first, equally near ones by their ids.
fn by_item(texts: &[NearText], vector: &[f32], most: usize) -> Vec<NearItem> {
    let mut nearest: BTreeMap<u64, NearItem> = BTreeMap::new();
    for text in texts {
        let found = NearItem { item: text.item as u64, part: text.part, similarity: dot(vector, &text.vector) };
        let known = nearest.entry(found.item).or_insert(found);
        if found.similarity > known.similarity {
            *known = found;
        }
    }
    let mut nearest: Vec<NearItem> = nearest.into_values().collect();
    nearest.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    nearest.truncate(most);
    nearest
}

impl StoredFinder<'_> {
    /// Reads the vectors of those of these items that were not read yet.
    fn read_vectors(&self, ids: &[u64]) -> Result<(), SearchError> {
        let Some(model) = &self.items.model else { return Ok(()) };
        let mut known = self.vectors.borrow_mut();
        let missing: Vec<i64> = ids.iter().filter(|id| !known.contains_key(id)).map(|id| *id as i64).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let found = self.database.vectors_of(model, &missing)?;
        let rows = found.rows.hashes.iter().zip(found.rows.data.chunks_exact(model.dims.max(1)));
        let vectors: BTreeMap<_, _> = rows.collect();
        known.extend(missing.iter().map(|id| (*id as u64, Vec::new())));
        for (item, part, hash) in &found.embeddings {
            if let Some(vector) = vectors.get(hash) {
                known.entry(*item as u64).or_default().push((*part, vector.to_vec()));
            }
        }
        known.values_mut().for_each(|parts| parts.sort_unstable_by_key(|(part, _)| *part));
        Ok(())
    }

    /// Those of these versions that are there and may answer.
    fn admitted_versions(&self, versions: &[ItemVersion]) -> Result<Vec<ItemVersion>, SearchError> {
        let all = ItemFilter::default();
        let (filter, view) = self.items.among().unwrap_or((&all, None));
        Ok(self.database.admits(filter, view, versions)?)
    }

    /// How many texts with a term may answer.
    fn all_holders(&self, term: u64) -> Result<usize, SearchError> {
        let postings = self.database.postings(&[term])?;
        let versions: Vec<ItemVersion> = postings.iter().flatten().map(|posting| posting.version).collect();
        Ok(self.admitted_versions(&versions)?.len())
    }
}

impl FindItems for StoredFinder<'_> {
    fn has_vectors(&self) -> bool {
        self.items.model.is_some()
    }

    fn nearest(&self, vector: &[f32], most: usize, admitted: bool) -> Result<Vec<NearItem>, SearchError> {
        let Some(model) = &self.items.model else { return Ok(Vec::new()) };
        let among = self.items.among().filter(|_| admitted);
        let texts = self.database.nearest(model, vector, most, among, self.items.how)?;
        Ok(by_item(&texts, vector, most))
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn similarity(&self, vector: &[f32], ids: &[u64]) -> Result<Vec<Option<NearItem>>, SearchError> {
        self.read_vectors(ids)?;
        let known = self.vectors.borrow();
        let of = |id: &u64| {
            let near = known.get(id)?.iter().map(|(part, own)| (*part, dot(vector, own)));
            // Of equally near ones the first.
            let (part, similarity) = near.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
            Some(NearItem { item: *id, part, similarity })
        };
        Ok(ids.iter().map(of).collect())
    }

    fn vector(&self, id: u64, part: Option<u32>) -> Result<Option<Vec<f32>>, SearchError> {
        self.read_vectors(&[id])?;
        let known = self.vectors.borrow();
        let parts = known.get(&id).map_or(&[][..], Vec::as_slice);
        let wanted = parts.iter().find(|(found, _)| part.is_none_or(|part| part == *found));
        Ok(wanted.map(|(_, vector)| vector.clone()))
    }

    fn prepare<'q>(&'q self, terms: &'q QueryTerms) -> Result<Box<dyn PreparedWords + 'q>, SearchError> {
        let totals = self.database.word_totals(&terms.hashes())?;
        let query = StoredQuery::new(terms, totals.documents, totals.tokens, &totals.frequencies);
        Ok(Box::new(StoredWords { finder: self, query }))
    }

    fn holders(&self, words: &[&str]) -> Result<Vec<usize>, SearchError> {
        // A word of no term is held by nobody.
        let terms: Vec<Option<u64>> = words.iter().map(|word| word_hash(word)).collect();
        let asked: Vec<u64> = terms.iter().copied().flatten().collect();
        let mut counts = match self.items.among() {
            None => self.database.word_totals(&asked)?.frequencies,
            Some((filter, _)) => {
                // The scopes that the filter names, else those that the caller may see.
                let scopes = filter.access.scopes().filter(|_| filter.scopes.is_empty()).unwrap_or(&filter.scopes);
                let postings = self.database.newest_postings(&asked, scopes, HOLDERS)?;
                let versions: Vec<ItemVersion> = postings.iter().flatten().map(|posting| posting.version).collect();
                let admitted: HashSet<ItemVersion> = self.admitted_versions(&versions)?.into_iter().collect();
                let held = |of_one: &Vec<Posting>| of_one.iter().filter(|one| admitted.contains(&one.version)).count();
                let mut counts: Vec<usize> = postings.iter().map(held).collect();
                for ((count, some), term) in counts.iter_mut().zip(&postings).zip(&asked) {
                    // These may all be gone, or only others may answer.
                    if *count == 0 && some.len() >= HOLDERS {
                        *count = self.all_holders(*term)?;
                    }
                }
                counts
            }
        }
        .into_iter();
        Ok(terms.iter().map(|term| term.and_then(|_| counts.next()).unwrap_or(0)).collect())
    }

    fn len(&self) -> usize {
        self.items.documents
    }

    fn is_filtered(&self) -> bool {
        self.items.among.is_some()
    }

    fn retain_admitted(&self, _ids: &mut Vec<u64>) {
        // The store names no others.
    }

    fn may_answer(&self, id: u64) -> Result<bool, SearchError> {
        let Some((filter, view)) = self.items.among() else { return Ok(true) };
        Ok(self.database.passes(filter, view, Some(id as i64))?)
    }
}

/// The words of a question in the store.
struct StoredWords<'a> {
    finder: &'a StoredFinder<'a>,
    query: StoredQuery,
}

impl PreparedWords for StoredWords<'_> {
    fn candidates(&self, most: usize) -> Result<Vec<u64>, SearchError> {
        let found = self.finder.database.postings(&self.query.searched())?;
        let posting = |one: Posting| StoredPosting {
            document: (one.version.item as u64, one.version.born as u64),
            count: one.count,
            length: one.length,
        };
        let ranking = self.query.rank(found.into_iter().map(|of_one| of_one.into_iter().map(posting)));
        ranking.best(most, |page| {
            let version = |one: &DocumentVersion| ItemVersion { item: one.0 as i64, born: one.1 as i64 };
            let page: Vec<ItemVersion> = page.iter().map(version).collect();
            let admitted = self.finder.admitted_versions(&page)?;
            Ok(admitted.into_iter().map(|one| (one.item as u64, one.born as u64)).collect())
        })
    }

    fn score(&self, ids: &[u64]) -> Result<Vec<Option<TermOverlap>>, SearchError> {
        let ids: Vec<i64> = ids.iter().map(|id| *id as i64).collect();
        let counts = self.finder.database.counts_of(&ids, self.query.hashes())?;
        Ok(counts.into_iter().map(|one| one.map(|one| self.query.score(one.length, &one.counts))).collect())
    }

    fn reach(&self) -> Reach {
        self.query.prepared().reach()
    }

    fn weighted(&self) -> &WeightedTerms {
        self.query.prepared().weighted()
    }
}
