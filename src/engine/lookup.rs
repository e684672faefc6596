//! The first job: an input in, what is known about its errors out.

use super::database::Reader;
use super::{Engine, EngineError, OnProgress};
use crate::query::{Candidates, LookupOptions, frequency, lookup, probe, problems};
use crate::store::ReadUsage;
use crate::text::Log;
use crate::types::Answer;
use crate::types::limits::{ALIKE_LINES, LOG_LINE_BYTES};
use std::cell::{OnceCell, RefCell};
use std::io::Read;

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
        progress: OnProgress<'_>,
    ) -> Result<Answer, EngineError> {
        self.lookup_from(&mut input, options, progress)
    }

    /// The same for an input that is read as it comes; what is held of it at a time is bounded.
    ///
    /// # Errors
    /// Those of [`Engine::lookup`]; an input that cannot be read is an [`EngineError::Decode`] too.
    pub fn lookup_from(
        &self,
        input: &mut dyn Read,
        options: &LookupOptions,
        progress: OnProgress<'_>,
    ) -> Result<Answer, EngineError> {
        let mut log = Log::new(input);
        let problems = problems(&self.knowledge, &mut log, options)?;
        match log.shortened() {
            0 => {}
            1 => self.note(format!("a line is longer than {} MiB; {ENDS}", LOG_LINE_BYTES >> 20)),
            many => self.note(format!("{many} lines are longer than {} MiB; {ENDS}", LOG_LINE_BYTES >> 20)),
        }
        if log.passed_over() > 0 {
            let (many, alike) = (log.passed_over(), ALIKE_LINES);
            self.note(format!(
                "{many} lines were passed over: more than {alike} differ from each other in numbers only"
            ));
        }
        let progress = RefCell::new(progress);
        let semantics = || self.semantics(&mut **progress.borrow_mut());
        let database: OnceCell<Option<Reader<'_>>> = OnceCell::new();
        let used = |id: &str| {
            // Counters are best effort: without a database everything was used equally often.
            let database = database.get_or_init(|| self.read_database().ok().flatten()).as_ref()?;
            let usage = database.usage(&[id]).ok()?;
            Some(usage.get(id).map_or(0.0, |usage| frequency(usage.days)))
        };
        let answer = lookup(&self.knowledge, problems, options, &semantics, &used)?;
        self.mend_canon();
        Ok(answer)
    }

    /// The scored candidates of every question of a text that patterns and fingerprints leave open, without a gate.
    ///
    /// # Errors
    /// [`EngineError`] when there is no usable model or it fails.
    pub fn probe(&self, text: &str, progress: OnProgress<'_>) -> Result<Vec<Candidates>, EngineError> {
        let Some(semantics) = self.semantics(progress) else {
            return Err(EngineError::NoModel { model: self.settings.model.clone() });
        };
        let problems = problems(&self.knowledge, &mut Log::new(&mut text.as_bytes()), &LookupOptions::default())?;
        Ok(probe(&self.knowledge, problems, semantics)?)
    }
}
