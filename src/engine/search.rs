//! A search over everything that is known.

use super::{Engine, EngineError, OnProgress, Progress};
use crate::ann::Index;
use crate::ingest::Provenance;
use crate::query::{Documents, Gates, Legs, ProbedItems, SearchOptions, Semantics, Stage, probe_items, search};
use crate::store::{CountUsage, Database, IndexModel, ReadItems, ReadSources, ReadVectors};
use crate::text::{decode, ends};
use crate::types::limits::QUESTION_BYTES;
use crate::types::{Answer, Content, Semantic};
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// Compares what is shown with its files, and says where it stands in them now.
fn place(answer: &mut Answer, database: &Database) -> Result<(), EngineError> {
    let files = Provenance::default();
    for hit in answer.results.iter_mut().flat_map(|finding| &mut finding.hits) {
        let Content::Passage(passage) = &mut hit.content else { continue };
        if passage.path.is_none() {
            continue;
        }
        let Some(id) = database.item_id(&hit.id)? else { continue };
        let Some((_, item)) = database.items(&[id])?.pop() else { continue };
        let Some(path) = item.path.filter(|path| !database.is_imported(path).unwrap_or(false)) else { continue };
        let (standing, span) = files.check(&path, &item.body, item.span);
        passage.state = Some(standing);
        if let Some(span) = span {
            (passage.line_start, passage.line_end) = (Some(span.line_start), Some(span.line_end));
        }
    }
    Ok(())
}

impl Engine {
    /// Searches packs and index. Without a usable model the answer says that semantics are off; without the cross-encoder
    /// that `options` ask for there is none.
    ///
    /// # Errors
    /// [`EngineError::ModelMismatch`] when the index was made with another model, [`EngineError`] when a model or the
    /// database fails.
    pub fn search(
        &self,
        question: &[u8],
        options: &SearchOptions,
        progress: OnProgress<'_>,
    ) -> Result<Answer, EngineError> {
        let decoded = decode(question)?;
        let question = ends(decoded.trim(), QUESTION_BYTES);
        if matches!(question, Cow::Owned(_)) {
            let most = QUESTION_BYTES >> 10;
            self.note(format!("the question is longer than {most} KiB; only the beginning and the end were looked at"));
        }
        let semantics = if options.legs.semantic { self.semantics(progress) } else { None };
        let reranker = if options.rerank { Some(self.reranker()?) } else { None };
        let database = self.read_database()?;
        let vectors = self.vectors_for(database.as_deref(), semantics)?;
        let present = |path: &str| self.is_present(database.as_deref(), path);
        let heard = RefCell::new(progress);
        let stage = |stage: Stage| (heard.borrow_mut())(Progress::Search(stage));
        let ask = |vectors: Option<&Index>| {
            let documents = database.as_deref().map(|database| Documents { database, vectors, present: &present });
            search(
                &self.knowledge,
                documents.as_ref(),
                question.trim(),
                options,
                (semantics, reranker),
                self.now(),
                &stage,
            )
        };
        let mut answer = ask(vectors.as_ref().map(|(vectors, _)| vectors.as_ref()))?;
        if let (Some(database), Some((found, model))) = (&database, &vectors) {
            if found.is_damaged() {
                let whole = self.document_vectors(database, model)?;
                answer = ask(Some(&whole))?;
                self.note(
                    "the file of vectors is damaged and was not used; ken doctor --repair makes it again".to_owned(),
                );
            }
            // Counting both is quick; looking for what is missing is not.
            let all_there = database.embedded_texts()? <= found.link_count();
            let missing = if all_there { 0 } else { database.texts_without_vector(Some(model))? };
            if missing > 0 {
                self.note(format!("{missing} texts have no vector yet, so only their words are searched: ken index"));
            }
        }
        if let Some(database) = &database {
            place(&mut answer, database)?;
        }
        self.mend_canon();
        Ok(answer)
    }

    /// The vectors of the index with its model, if there are any that this model's questions can be compared with.
    pub(super) fn vectors_for(
        &self,
        database: Option<&Database>,
        semantics: Option<&Semantics>,
    ) -> Result<Option<(Rc<Index>, IndexModel)>, EngineError> {
        let Some((database, semantics)) = database.zip(semantics) else { return Ok(None) };
        let Some(model) = database.index_model()? else { return Ok(None) };
        Self::agree(Some(&model), semantics.encoder.as_ref())?;
        Ok(Some((self.document_vectors(database, &model)?, model)))
    }

    /// What a search among indexed items would put before the gate; `None` without an index or a model.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn probe_items(&self, question: &str, progress: OnProgress<'_>) -> Result<Option<ProbedItems>, EngineError> {
        let semantics = self.semantics(progress);
        let database = self.read_database()?;
        let vectors = self.vectors_for(database.as_deref(), semantics)?;
        let (Some(semantics), Some(database), Some((vectors, _))) = (semantics, &database, &vectors) else {
            return Ok(None);
        };
        let documents = Documents { database, vectors: Some(vectors), present: &|_| true };
        Ok(Some(probe_items(&self.knowledge, &documents, question, semantics)?))
    }

    /// The relevance that one question of indexed texts needs when it is answered by these signals.
    pub fn gate(&self, legs: Legs, progress: OnProgress<'_>) -> f32 {
        let semantics = if legs.semantic { self.semantics(progress) } else { None };
        Gates::new(semantics.map(|semantics| semantics.calibration.of_documents()), None).among(1)
    }

    /// Whether a file is still there. One that an import brought was never on this machine.
    pub(super) fn is_present(&self, database: Option<&Database>, path: &str) -> bool {
        Path::new(path).exists() || database.is_some_and(|database| database.is_imported(path).unwrap_or(false))
    }

    /// Counts what a lookup has shown, if it had to guess: an answer that was sure opens no database, and is not kept
    /// waiting for a counter.
    pub fn count_looked_up(&self, answer: &Answer) {
        if answer.results.iter().any(|finding| finding.semantic != Semantic::NotNeeded) {
            self.count_served(answer);
        }
    }

    /// Counts that these were served. Best effort: a database that is busy, read-only or missing is let be.
    pub fn count_served(&self, answer: &Answer) {
        let hits = answer.results.iter().flat_map(|finding| &finding.hits);
        self.count_ids(&hits.map(|hit| hit.id.as_str()).collect::<Vec<_>>());
    }

    pub(super) fn count_ids(&self, ids: &[&str]) {
        if ids.is_empty() {
            return;
        }
        if let Ok(Some(mut database)) = self.read_database() {
            drop(database.count_served(ids, self.now()));
        }
    }
}
