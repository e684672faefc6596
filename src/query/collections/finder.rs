//! How items are found by vectors and by words: through what is derived from the store and lies in memory, or by the
//! store itself. Either way a candidate has the same signals.

use crate::ann::{Index, OwnerNeighbour, RowSet};
use crate::lexical::{PreparedQuery, QueryTerms, Reach, TermIndex, TermOverlap, WeightedTerms};
use crate::query::SearchError;

/// The words of a question, as the items weigh them.
pub trait PreparedWords {
    /// The items that share most with the question, at most so many; of those that may answer.
    ///
    /// # Errors
    /// [`SearchError`] when the store refuses.
    fn candidates(&self, most: usize) -> Result<Vec<u64>, SearchError>;

    /// What each of these shares with the question, in their order; `None` for one that has no words.
    ///
    /// # Errors
    /// [`SearchError`] when the store refuses.
    fn score(&self, ids: &[u64]) -> Result<Vec<Option<TermOverlap>>, SearchError>;

    /// The most that an item could reach.
    fn reach(&self) -> Reach;

    /// The words with their weights.
    fn weighted(&self) -> &WeightedTerms;
}

/// An item and how near it is: as near as the nearest of its texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearItem {
    /// Row id.
    pub item: u64,
    /// Which of its texts is the nearest.
    pub part: u32,
    /// Cosine, in \[-1, 1\].
    pub similarity: f32,
}

impl From<OwnerNeighbour> for NearItem {
    fn from(near: OwnerNeighbour) -> Self {
        Self { item: near.owner, part: near.part, similarity: near.similarity }
    }
}

/// Finds items.
pub trait FindItems {
    /// Whether items have vectors.
    fn has_vectors(&self) -> bool;

    /// The items whose texts are nearest to a unit vector, at most so many, nearest first; of all or, with `admitted`,
    /// of those that may answer.
    ///
    /// # Errors
    /// [`SearchError`] when the store refuses.
    fn nearest(&self, vector: &[f32], most: usize, admitted: bool) -> Result<Vec<NearItem>, SearchError>;

    /// Whether [`FindItems::nearest`] always names the nearest text of an item.
    fn is_exact(&self) -> bool;

    /// How near the nearest text of each of these is to a unit vector; `None` for one without a vector.
    ///
    /// # Errors
    /// [`SearchError`] when the store refuses.
    fn similarity(&self, vector: &[f32], ids: &[u64]) -> Result<Vec<Option<NearItem>>, SearchError>;

    /// The vector of a part of an item, of its first if none is named.
    ///
    /// # Errors
    /// [`SearchError`] when the store refuses.
    fn vector(&self, id: u64, part: Option<u32>) -> Result<Option<Vec<f32>>, SearchError>;

    /// The words of a question as the items weigh them.
    ///
    /// # Errors
    /// [`SearchError`] when the store refuses.
    fn prepare<'q>(&'q self, terms: &'q QueryTerms) -> Result<Box<dyn PreparedWords + 'q>, SearchError>;

    /// How many items that may answer hold each of these words, in any of its forms.
    ///
    /// # Errors
    /// [`SearchError`] when the store refuses.
    fn holders(&self, words: &[&str]) -> Result<Vec<usize>, SearchError>;

    /// How many items have words.
    fn len(&self) -> usize;

    /// Whether none has.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether not all items may answer.
    fn is_filtered(&self) -> bool;

    /// Removes items that may not answer, where [`FindItems::nearest`] may name such: a text that several items share
    /// may belong to one.
    fn retain_admitted(&self, ids: &mut Vec<u64>);

    /// Whether an item may answer.
    ///
    /// # Errors
    /// [`SearchError`] when the store refuses.
    fn may_answer(&self, id: u64) -> Result<bool, SearchError>;
}

/// The items that a filter admits.
#[derive(Debug, Clone, Copy)]
pub struct Admitted<'a> {
    /// Row ids, ascending.
    pub ids: &'a [u64],
    /// Rows of their vectors; none without vectors.
    pub rows: Option<&'a RowSet>,
}

impl Admitted<'_> {
    /// Whether an item is among them.
    pub fn contains(&self, id: u64) -> bool {
        self.ids.binary_search(&id).is_ok()
    }
}

/// Finds items in memory.
#[derive(Debug, Clone, Copy)]
pub struct DerivedItems<'a> {
    /// Their vectors; none while there is no model, or none was ever used.
    pub vectors: Option<&'a Index>,
    /// Their words.
    pub terms: &'a TermIndex,
    /// Which may answer; none if all may.
    pub admitted: Option<Admitted<'a>>,
}

impl FindItems for DerivedItems<'_> {
    fn has_vectors(&self) -> bool {
        self.vectors.is_some()
    }

    fn nearest(&self, vector: &[f32], most: usize, admitted: bool) -> Result<Vec<NearItem>, SearchError> {
        let rows = self.admitted.filter(|_| admitted).and_then(|admitted| admitted.rows);
        let near = self.vectors.map_or_else(Vec::new, |vectors| vectors.nearest_owners(vector, most, rows));
        Ok(near.into_iter().map(NearItem::from).collect())
    }

    fn is_exact(&self) -> bool {
        self.vectors.is_none_or(Index::is_exact)
    }

    fn similarity(&self, vector: &[f32], ids: &[u64]) -> Result<Vec<Option<NearItem>>, SearchError> {
        Ok(match self.vectors {
            Some(vectors) => {
                let near = vectors.owners_similarity(vector, ids);
                near.into_iter().map(|near| near.map(NearItem::from)).collect()
            }
            None => vec![None; ids.len()],
        })
    }

    fn vector(&self, id: u64, part: Option<u32>) -> Result<Option<Vec<f32>>, SearchError> {
        Ok(self.vectors.and_then(|vectors| vector_of(vectors, id, part)))
    }

    fn prepare<'q>(&'q self, terms: &'q QueryTerms) -> Result<Box<dyn PreparedWords + 'q>, SearchError> {
        Ok(Box::new(DerivedWords { items: self, query: self.terms.prepare(terms) }))
    }

    fn holders(&self, words: &[&str]) -> Result<Vec<usize>, SearchError> {
        let admits = |id: u64| self.admitted.is_none_or(|admitted| admitted.contains(id));
        Ok(words.iter().map(|word| self.terms.holders(word, &admits)).collect())
    }

    fn len(&self) -> usize {
        self.terms.len()
    }

    fn is_filtered(&self) -> bool {
        self.admitted.is_some()
    }

    fn retain_admitted(&self, ids: &mut Vec<u64>) {
        if let Some(admitted) = self.admitted {
            ids.retain(|id| admitted.contains(*id));
        }
    }

    fn may_answer(&self, id: u64) -> Result<bool, SearchError> {
        Ok(self.admitted.is_none_or(|admitted| admitted.contains(id)))
    }
}

/// The vector of a part of an owner, of its first if none is named.
pub(in crate::query) fn vector_of(vectors: &Index, owner: u64, part: Option<u32>) -> Option<Vec<f32>> {
    let is_it = |(found, _): &(u32, u32)| part.is_none_or(|part| part == *found);
    let (_, row) = vectors.rows_of(owner).find(is_it)?;
    vectors.vector(row)
}

/// The words of a question, in memory.
struct DerivedWords<'a> {
    items: &'a DerivedItems<'a>,
    query: PreparedQuery,
}

impl PreparedWords for DerivedWords<'_> {
    fn candidates(&self, most: usize) -> Result<Vec<u64>, SearchError> {
        let admits = |id: u64| self.items.admitted.is_none_or(|admitted| admitted.contains(id));
        let filter = self.items.admitted.map(|_| &admits as &dyn Fn(u64) -> bool);
        Ok(self.items.terms.candidates(&self.query, most, filter))
    }

    fn score(&self, ids: &[u64]) -> Result<Vec<Option<TermOverlap>>, SearchError> {
        Ok(self.items.terms.score(&self.query, ids))
    }

    fn reach(&self) -> Reach {
        self.query.reach()
    }

    fn weighted(&self) -> &WeightedTerms {
        self.query.weighted()
    }
}
