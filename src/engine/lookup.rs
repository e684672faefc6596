//! The first job: an input in, what is known about its errors out.

use super::state::{NeededVectors, SemanticsSnapshot};
use super::{Engine, EngineError, Session};
use crate::query::{LookupContext, LookupOptions, Probed, Problem, lookup, probe, problems};
use crate::text::Log;
use crate::triage::Passing;
use crate::types::Answer;
use crate::types::limits::{ALIKE_LINES, LOG_LINE_BYTES};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

/// What was done with lines that are too long.
const ENDS: &str = "only the beginning and the end were looked at";

impl Engine {
    /// Looks up the errors of an input. Without a usable model the answer says that semantics are off, and a note why.
    ///
    /// # Errors
    /// [`EngineError::Decode`] for an input that is no text, [`EngineError::Embed`] when the model fails on it.
    pub fn lookup(
        &self,
        mut input: &[u8],
        options: &LookupOptions,
        session: &Session<'_>,
    ) -> Result<Answer, EngineError> {
        self.lookup_from(&mut input, options, session)
    }

    /// The same for an input that is read as it comes; what is held of it at a time is bounded.
    ///
    /// # Errors
    /// Those of [`Engine::lookup`]; an input that cannot be read is an [`EngineError::Decode`] too.
    pub fn lookup_from(
        &self,
        input: &mut dyn Read,
        options: &LookupOptions,
        session: &Session<'_>,
    ) -> Result<Answer, EngineError> {
        let packs = self.packs(session);
        packs.check(&options.filters)?;
        let mut log = Log::new(input);
        let problems = problems(&packs.knowledge, &mut log, options)?;
        note_shortened(&log, session);
        session.check()?;
        let opened: OnceCell<Option<Arc<SemanticsSnapshot>>> = OnceCell::new();
        let semantics = |by_words: &dyn Fn() -> Vec<usize>| {
            let opened = opened.get_or_init(|| self.semantics(&packs, NeededVectors::Entries(by_words), session));
            opened.as_ref().map(|opened| &opened.semantics)
        };
        let usage = self.usage();
        let context =
            LookupContext { knowledge: &packs.knowledge, semantics: &semantics, used: &|id| usage.frequency(id) };
        let asked = self.asks_memories(session).then(|| {
            let of_one = |one: &Problem| (one.block.fingerprint.clone(), one.block.salient.clone());
            problems.list.iter().map(of_one).collect::<HashMap<_, _>>()
        });
        let mut answer = lookup(context, problems, options)?;
        if let Some(asked) = asked {
            self.add_memories(&mut answer, &asked, options, session)?;
        }
        for hit in answer.results.iter_mut().flat_map(|finding| &mut finding.hits) {
            hit.tried = options.feedback.tried(&hit.id);
        }
        if let Some(Some(opened)) = opened.get() {
            self.mend_canon(&packs, &opened.semantics, session);
        }
        Ok(answer)
    }

    /// What a log of a run that passed prints, for [`LookupOptions::passing`].
    ///
    /// # Errors
    /// [`EngineError::Decode`] for an input that is no text or cannot be read.
    pub fn passing(input: &mut dyn Read) -> Result<Passing, EngineError> {
        let (mut log, mut passing) = (Log::new(input), Passing::default());
        while let Some(piece) = log.next_piece()? {
            passing.add(&piece.cleaned);
        }
        Ok(passing)
    }

    /// The scored candidates of every question of a text that patterns and fingerprints leave open, without a gate.
    ///
    /// # Errors
    /// [`EngineError`] when there is no usable model or it fails.
    pub fn probe(&self, text: &str, session: &Session<'_>) -> Result<Vec<Probed>, EngineError> {
        let packs = self.packs(session);
        let Some(model) = self.semantics(&packs, NeededVectors::All, session) else {
            return Err(EngineError::NoModel { model: self.settings.model.clone() });
        };
        let problems = problems(&packs.knowledge, &mut Log::new(&mut text.as_bytes()), &LookupOptions::default())?;
        Ok(probe(&packs.knowledge, problems, &model.semantics)?)
    }
}

/// Says what of a log was not looked at as it stands.
fn note_shortened(log: &Log<'_>, session: &Session<'_>) {
    match log.shortened() {
        0 => {}
        1 => session.note(format!("a line is longer than {} MiB; {ENDS}", LOG_LINE_BYTES >> 20)),
        many => session.note(format!("{many} lines are longer than {} MiB; {ENDS}", LOG_LINE_BYTES >> 20)),
    }
    if log.passed_over() > 0 {
        let (many, alike) = (log.passed_over(), ALIKE_LINES);
        session
            .note(format!("{many} lines were passed over: more than {alike} differ from each other in numbers only"));
    }
}
