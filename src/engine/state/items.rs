//! The indexed items of one moment: their words, their vectors, and which of them a filter admits.

use super::Watched;
use crate::ann::{Index, RowSet};
use crate::engine::derived::{self, VectorChanges};
use crate::engine::stored::{StoredFinder, StoredItems};
use crate::engine::{Engine, EngineError};
use crate::lexical::TermIndex;
use crate::query::{Admitted, DerivedItems, FindItems};
use crate::store::{
    Database, IndexModel, ItemFilter, MemoryView, ReadEvents, ReadItems, ReadMemory, ReadVectors, Stamp, StoreError,
};
use crate::types::Fingerprint;
use std::sync::{Arc, Mutex, PoisonError};

/// Filters whose items are remembered.
const MAX_FILTERS: usize = 16;

/// Words of all items.
pub(in crate::engine) struct TermsSnapshot {
    stamp: Stamp,
    index: TermIndex,
    file: Watched,
    filters: Remembered<Vec<u64>>,
}

/// Vectors of all items under the index's model.
pub(in crate::engine) struct VectorsSnapshot {
    stamp: Stamp,
    pub model: IndexModel,
    pub index: Index,
    /// What lies over the file, to be carried on to the next snapshot.
    pub changes: Option<VectorChanges>,
    /// Texts that have no vector yet.
    pub without_vector: usize,
    file: Watched,
    filters: Remembered<RowSet>,
}

/// What filters come to, the latest last.
struct Remembered<T>(Mutex<Vec<(Wanted, Arc<T>)>>);

/// What is asked for, and which memories may be found.
type Wanted = (ItemFilter, Option<MemoryView>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Remembered<T> {
    fn get<E>(&self, wanted: &Wanted, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        // A panic elsewhere leaves the list whole.
        let held = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = held().iter().find(|(other, _)| other == wanted) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        let mut held = held();
        if held.len() >= MAX_FILTERS {
            held.remove(0);
        }
        held.push((wanted.clone(), Arc::clone(&made)));
        Ok(made)
    }
}

/// All that a request needs of the items, of one moment.
pub(in crate::engine) enum ItemsSnapshot {
    /// They are found by what is derived from the store.
    Derived(DerivedSnapshot),
    /// The store finds them.
    Stored(Box<StoredItems>),
}

/// What is derived from the store.
pub(in crate::engine) struct DerivedSnapshot {
    terms: Arc<TermsSnapshot>,
    /// None without a model, or while the index has no vectors.
    vectors: Option<Arc<VectorsSnapshot>>,
    /// Items that the filter admits; none if it admits all.
    admitted: Option<AdmittedItems>,
}

/// Items that a filter admits, shared with other requests.
struct AdmittedItems {
    ids: Arc<Vec<u64>>,
    /// Rows of their vectors; none without vectors.
    rows: Option<Arc<RowSet>>,
}

/// How the items of a request are found.
pub(in crate::engine) enum Finder<'a> {
    /// In memory.
    Derived(DerivedItems<'a>),
    /// By the store.
    Stored(StoredFinder<'a>),
}

impl<'a> Finder<'a> {
    pub fn as_dyn(&self) -> &(dyn FindItems + 'a) {
        match self {
            Self::Derived(items) => items,
            Self::Stored(items) => items,
        }
    }
}

impl ItemsSnapshot {
    /// How they are found in the database that they were read from.
    pub fn finder<'a>(&'a self, database: &'a Database) -> Finder<'a> {
        match (self, database.shared()) {
            (Self::Derived(items), _) => Finder::Derived(DerivedItems {
                vectors: items.vectors.as_ref().map(|vectors| &vectors.index),
                terms: &items.terms.index,
                admitted: items.admitted(),
            }),
            (Self::Stored(items), Some(shared)) => Finder::Stored(items.finder(shared)),
            (Self::Stored(_), None) => unreachable!("only a shared store finds items itself"),
        }
    }

    /// Whether no item may answer.
    pub fn admits_nothing(&self, database: &Database) -> Result<bool, StoreError> {
        Ok(match self {
            Self::Derived(items) => items.admitted.as_ref().is_some_and(|admitted| admitted.ids.is_empty()),
            Self::Stored(items) => match items.among() {
                Some((filter, view)) => !database.passes(filter, view, None)?,
                None => false,
            },
        })
    }

    /// The model that their vectors were made with; none where they have none that can be used.
    pub fn model(&self) -> Option<&IndexModel> {
        match self {
            Self::Derived(items) => items.vectors.as_ref().map(|vectors| &vectors.model),
            Self::Stored(items) => items.model.as_ref(),
        }
    }

    /// Whether the file of vectors was found damaged.
    pub fn is_damaged(&self) -> bool {
        match self {
            Self::Derived(items) => items.vectors.as_ref().is_some_and(|vectors| vectors.index.is_damaged()),
            Self::Stored(_) => false,
        }
    }

    /// Texts that have no vector yet. A shared store is not asked each time: counting them reads all.
    pub fn without_vector(&self) -> usize {
        match self {
            Self::Derived(items) => items.vectors.as_ref().map_or(0, |vectors| vectors.without_vector),
            Self::Stored(_) => 0,
        }
    }

    /// Items that have no words yet, which a copy of an earlier ken lacks. A file of words has those of all.
    pub fn without_words(&self) -> usize {
        match self {
            Self::Derived(_) => 0,
            Self::Stored(items) => items.without_words,
        }
    }
}

impl DerivedSnapshot {
    fn admitted(&self) -> Option<Admitted<'_>> {
        let AdmittedItems { ids, rows } = self.admitted.as_ref()?;
        Some(Admitted { ids, rows: rows.as_deref() })
    }
}

impl Engine {
    /// What a request with this filter needs of the items as `database`, in whose moment this is called, has them;
    /// with the vectors of the model in use, `made_with`, or without where none can be asked.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub(in crate::engine) fn items(
        &self,
        database: &Database,
        filter: &ItemFilter,
        made_with: Option<&Fingerprint>,
        now_ms: i64,
    ) -> Result<ItemsSnapshot, EngineError> {
        if let Some(shared) = database.shared() {
            let items = self.stored_items(database, shared, filter, made_with, now_ms)?;
            return Ok(ItemsSnapshot::Stored(Box::new(items)));
        }
        let stamp = database.stamp()?;
        let terms = self.terms(database, &stamp)?;
        let vectors = if made_with.is_some() { self.vectors(database, &stamp)? } else { None };
        let mut admitted = None;
        let view = database.memory_view(filter.access.home(), now_ms)?;
        if !filter.is_empty() || view.is_some() {
            let wanted = (filter.clone(), view);
            let ids = terms.filters.get(&wanted, || -> Result<_, EngineError> {
                Ok(database.admitted(filter, wanted.1.as_ref())?.into_iter().map(|id| id as u64).collect())
            })?;
            if ids.len() < terms.index.len() {
                let rows = vectors.as_ref().map(|vectors| {
                    let rows = || Ok::<_, EngineError>(vectors.index.rows_of_owners(ids.iter().copied()));
                    vectors.filters.get(&wanted, rows)
                });
                admitted = Some(AdmittedItems { ids, rows: rows.transpose()? });
            }
        }
        Ok(ItemsSnapshot::Derived(DerivedSnapshot { terms, vectors, admitted }))
    }

    /// Whether what is held is of a later moment than this.
    pub(in crate::engine) fn is_left_behind(&self, stamp: &Stamp) -> bool {
        let number = |stamp: &Stamp| stamp.generation().number;
        self.terms.get().is_some_and(|held| number(&held.stamp) > number(stamp))
    }

    /// The words of the items at this moment.
    fn terms(&self, database: &Database, stamp: &Stamp) -> Result<Arc<TermsSnapshot>, EngineError> {
        self.terms.current(
            |held| held.stamp == *stamp && held.file.is_unchanged(),
            |old| {
                let file = Watched::new([database.terms_file()]);
                let same_file = |held: &&Arc<TermsSnapshot>| held.file == file;
                let known = old.as_ref().filter(same_file).map(|held| (&held.index, held.stamp.generation()));
                let index = derived::terms(database, known, stamp.generation())?;
                Ok(TermsSnapshot { stamp: stamp.clone(), index, file, filters: Remembered::default() })
            },
        )
    }

    /// The vectors of the items at this moment under the index's model; `None` if it has none.
    pub(in crate::engine) fn vectors(
        &self,
        database: &Database,
        stamp: &Stamp,
    ) -> Result<Option<Arc<VectorsSnapshot>>, EngineError> {
        let Some(model) = database.index_model()? else { return Ok(None) };
        let made = self.vectors.current(
            |held| held.stamp == *stamp && held.file.is_unchanged() && !held.index.is_damaged(),
            |old| -> Result<VectorsSnapshot, EngineError> {
                let file = Watched::new([database.vector_file()]);
                // One that was found damaged is not used again.
                let damaged = old.as_ref().is_some_and(|held| held.index.is_damaged() && held.file == file);
                let old = old.filter(|held| held.file == file && held.model == model);
                let known = old.as_ref().and_then(|held| Some((held.changes.as_ref()?, held.stamp.generation())));
                let derived::Vectors { index, changes } = derived::vectors(database, &model, known, damaged)?;
                let index = self.remembering(index);
                let all_there = database.embedded_texts()? <= index.link_count();
                // Counting both is quick; looking for what is missing is not.
                let without_vector = if all_there { 0 } else { database.texts_without_vector(Some(&model))? };
                let (stamp, filters) = (stamp.clone(), Remembered::default());
                Ok(VectorsSnapshot { stamp, model: model.clone(), index, changes, without_vector, file, filters })
            },
        )?;
        Ok(Some(made))
    }
}
