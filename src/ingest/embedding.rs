//! Texts to vectors in the store, each text once for each model.
//!
//! Vectors are committed in slices, before the files they belong to: a vector without a file is a cache entry, a file
//! without its vectors would be half indexed.

use super::IngestError;
use crate::embed::Encoder;
use crate::store::{IndexModel, WriteBatch, WriteStore, WriteVectors, WriterLock};
use crate::text::TextHash;
use crate::types::Role;
use std::collections::{HashMap, HashSet};

/// Texts whose vectors are committed together.
const SLICE: usize = 256;
/// Texts for each thread that go through the model before it is asked whether anybody still wants them: enough that
/// every thread has batches of its own.
const STEP: usize = 32;

/// What long work asks and does between its steps.
#[derive(Clone, Copy)]
pub struct Between<'a> {
    /// Whether nobody wants it to go on.
    pub stopped: &'a dyn Fn() -> bool,
    /// Lets others write who wait for it; called where everything so far is committed. They change no file's rows.
    pub let_others_write: &'a dyn Fn(),
}

/// An encoder with the row of its model.
pub struct Embedder<'a> {
    encoder: &'a dyn Encoder,
    model: IndexModel,
    /// Tokens that went through the model so far.
    pub tokens: usize,
    /// Texts that went through the model so far.
    pub texts: usize,
    /// Texts that were longer than the model takes.
    pub truncated: usize,
    /// Whether vectors were put back that somebody had removed, who may have removed their texts.
    pub put_back: bool,
}

impl<'a> Embedder<'a> {
    /// Gives the model its row. It becomes the model of the index if the index has none.
    ///
    /// # Errors
    /// [`IngestError::Store`] when the store refuses.
    pub fn new(encoder: &'a dyn Encoder, store: &mut impl WriteStore, lock: &WriterLock) -> Result<Self, IngestError> {
        let unset = store.index_model()?.is_none();
        Self::with(encoder, store, lock, unset)
    }

    /// Gives the model its row, and leaves the model of the index as it is.
    ///
    /// # Errors
    /// [`IngestError::Store`] when the store refuses.
    pub fn beside(
        encoder: &'a dyn Encoder,
        store: &mut impl WriteStore,
        lock: &WriterLock,
    ) -> Result<Self, IngestError> {
        Self::with(encoder, store, lock, false)
    }

    fn with(
        encoder: &'a dyn Encoder,
        store: &mut impl WriteStore,
        lock: &WriterLock,
        unset: bool,
    ) -> Result<Self, IngestError> {
        let known = store.model(encoder.fingerprint())?;
        let model = match known {
            Some(model) if !unset => model,
            _ => {
                let batch = store.begin(lock)?;
                let model = batch.put_model(encoder.fingerprint(), encoder.dims())?;
                if unset {
                    batch.use_model(encoder.fingerprint(), None)?;
                }
                batch.commit()?;
                model
            }
        };
        Ok(Self { encoder, model, tokens: 0, texts: 0, truncated: 0, put_back: false })
    }

    /// The model's row.
    pub fn model(&self) -> &IndexModel {
        &self.model
    }

    /// Makes the vectors of those texts that have none, and keeps them. `heard` gets the texts and tokens so far. While
    /// texts go through the model, others may write to a shared store, so what the caller read before may have changed.
    /// When this returns, all of the texts have vectors.
    ///
    /// # Errors
    /// [`IngestError`] when the model or the store fails; what was committed before stays.
    /// [`IngestError::Cancelled`] once `stopped` says so; what was made until then is committed.
    pub fn embed(
        &mut self,
        texts: &[(TextHash, &str)],
        store: &mut impl WriteStore,
        lock: &WriterLock,
        stopped: &dyn Fn() -> bool,
        heard: &mut dyn FnMut(usize, usize),
    ) -> Result<(), IngestError> {
        let mut made: HashMap<TextHash, Vec<f32>> = HashMap::new();
        loop {
            let missing = self.missing(texts, store)?;
            if missing.is_empty() {
                return Ok(());
            }
            // Meanwhile others may have removed new vectors, because no item used them yet. A user who sees only some
            // scopes of a shared store does not see a vector either before an item uses it.
            let (removed, new): (Vec<_>, Vec<_>) = missing.into_iter().partition(|(hash, _)| made.contains_key(hash));
            for slice in new.chunks(SLICE) {
                let mut encoded = Ok(Vec::new());
                store.with_lock_released(&mut || encoded = self.encode(slice, stopped, heard))?;
                let encoded = encoded?;
                let is_whole = encoded.len() == slice.len();
                self.keep(encoded.iter().map(|(hash, vector)| (*hash, vector.as_slice())), store, lock)?;
                made.extend(encoded);
                heard(self.texts, self.tokens);
                if !is_whole {
                    return Err(IngestError::Cancelled);
                }
            }
            if let Some((first, _)) = removed.first() {
                self.keep(removed.iter().map(|(hash, _)| (*hash, made[hash].as_slice())), store, lock)?;
                self.put_back |= store.has_vector(&self.model, first)?;
            }
            if new.is_empty() {
                // Nobody else has written since it was looked at.
                return Ok(());
            }
        }
    }

    /// Those of these texts that have no vector, each once.
    fn missing<'t>(
        &self,
        texts: &[(TextHash, &'t str)],
        store: &impl WriteStore,
    ) -> Result<Vec<(TextHash, &'t str)>, IngestError> {
        let mut seen = HashSet::new();
        let mut missing = Vec::new();
        for (hash, text) in texts {
            if seen.insert(*hash) && !store.has_vector(&self.model, hash)? {
                missing.push((*hash, *text));
            }
        }
        Ok(missing)
    }

    /// Makes the vectors of these texts. If `stopped` says so, it ends early, with vectors of the first texts only.
    fn encode(
        &mut self,
        texts: &[(TextHash, &str)],
        stopped: &dyn Fn() -> bool,
        heard: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<(TextHash, Vec<f32>)>, IngestError> {
        let step = STEP * self.encoder.running().threads.max(1);
        let mut out = Vec::with_capacity(texts.len());
        for some in texts.chunks(step) {
            if stopped() {
                break;
            }
            let wanted: Vec<&str> = some.iter().map(|(_, text)| *text).collect();
            let (texts_before, tokens_before) = (self.texts, self.tokens);
            let made = self.encoder.encode(&wanted, Role::Passage, &mut |done| {
                heard(texts_before + done, tokens_before);
            })?;
            self.texts += made.len();
            self.tokens += made.iter().map(|e| e.tokens).sum::<usize>();
            self.truncated += made.iter().filter(|e| e.truncated).count();
            out.extend(some.iter().zip(made).map(|((hash, _), encoded)| (*hash, encoded.vector)));
        }
        Ok(out)
    }

    /// Commits vectors.
    fn keep<'v>(
        &mut self,
        vectors: impl ExactSizeIterator<Item = (TextHash, &'v [f32])>,
        store: &mut impl WriteStore,
        lock: &WriterLock,
    ) -> Result<(), IngestError> {
        if vectors.len() == 0 {
            return Ok(());
        }
        let batch = store.begin(lock)?;
        // Whoever wrote meanwhile may have removed the model's row.
        let model = batch.put_model(self.encoder.fingerprint(), self.encoder.dims())?;
        batch.put_vectors(&model, vectors)?;
        batch.commit()?;
        self.model = model;
        Ok(())
    }
}

/// Makes every vector that is missing for this model; gives how many. `heard` gets texts done, texts in all, and
/// tokens. Others may write in `between`, after what was made so far is committed.
///
/// # Errors
/// As [`Embedder::embed`].
pub fn embed_missing(
    embedder: &mut Embedder<'_>,
    store: &mut impl WriteStore,
    lock: &WriterLock,
    between: &Between<'_>,
    heard: &mut dyn FnMut(usize, usize, usize),
) -> Result<usize, IngestError> {
    let total = store.texts_without_vector(Some(&embedder.model))?;
    let before = embedder.texts;
    loop {
        let model = embedder.model.clone();
        let found = store.unembedded(Some(&model), SLICE)?;
        if found.is_empty() {
            return Ok(embedder.texts - before);
        }
        let texts: Vec<(TextHash, &str)> = found.iter().map(|(hash, text)| (*hash, text.as_str())).collect();
        embedder.embed(&texts, store, lock, between.stopped, &mut |texts, tokens| {
            heard(texts - before, total, tokens);
        })?;
        store.with_lock_released(&mut || (between.let_others_write)())?;
    }
}
