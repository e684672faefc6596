//! The index: files in, files and items out.

use super::derived::Keep;
use super::{Engine, EngineError, Progress, Session};
use crate::embed::Encoder;
use crate::ingest::{Between, Embedder, IndexOptions, IndexReport, Ingest, Watch, embed_missing, means_gone};
use crate::map::AsideGroup;
use crate::map::open::{self, Links};
use crate::platform::canonical;
use crate::render::json_line;
use crate::screen::{Size, shown_text};
use crate::store::{Cleaned, Database, Imported, ReadSources, ReadVectors, Record, WriteEvents, WriterLock};
use crate::text::sha256 as digest;
use crate::types::Item;
use crate::types::limits::{DOCUMENT, EXPORT_RECORD};
use serde::Deserialize;
use std::cell::OnceCell;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What went through the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    /// Texts.
    pub texts: usize,
    /// Their tokens.
    pub tokens: usize,
}

impl Engine {
    /// Indexes files and folders; without any, everything that was indexed before is brought up to date.
    ///
    /// # Errors
    /// [`EngineError`]; what was committed before stays.
    pub fn index(
        &self,
        paths: &[PathBuf],
        options: &IndexOptions,
        session: &Session<'_>,
    ) -> Result<IndexReport, EngineError> {
        self.ingest(options, session, |database| match paths {
            [] => Ok(Some(self.known_roots(database, session)?)),
            some => Ok(Some(some.to_vec())),
        })
    }

    /// Brings up to date what has changed or is gone of the indexed files; new ones are not looked for.
    ///
    /// # Errors
    /// As [`Engine::index`].
    pub fn refresh(&self, options: &IndexOptions, session: &Session<'_>) -> Result<IndexReport, EngineError> {
        self.ingest(options, session, |database| match database.sources()?.is_empty() {
            true => Err(EngineError::NothingIndexed),
            false => Ok(None),
        })
    }

    /// Whether anything was ever indexed.
    pub fn has_index(&self) -> bool {
        matches!(self.read_database(), Ok(Some(_)))
    }

    /// What was given to be indexed so far and is still there.
    ///
    /// # Errors
    /// [`EngineError::NothingIndexed`] when nothing was.
    pub fn roots(&self, session: &Session<'_>) -> Result<Vec<PathBuf>, EngineError> {
        let database = self.read_database()?.ok_or(EngineError::NothingIndexed)?;
        self.known_roots(&database, session)
    }

    /// Tells when something below these paths has changed.
    ///
    /// # Errors
    /// [`EngineError`] when the system cannot watch them.
    pub fn watch(&self, paths: &[PathBuf]) -> Result<Watch, EngineError> {
        let own = [&self.settings.data, &self.settings.cache];
        Ok(Watch::new(paths, own.into_iter().flatten().filter_map(|folder| canonical(folder).ok()).collect())?)
    }

    /// Indexes the paths that `which` names, or what is stale if it names none.
    fn ingest(
        &self,
        options: &IndexOptions,
        session: &Session<'_>,
        which: impl FnOnce(&Database) -> Result<Option<Vec<PathBuf>>, EngineError>,
    ) -> Result<IndexReport, EngineError> {
        let (lock, mut database) = self.write_database("ken index", session)?;
        let paths = which(&database)?;
        let index = database.index_model()?;
        let held: OnceCell<Option<Arc<dyn Encoder>>> = OnceCell::new();
        let mut failed: Option<EngineError> = None;
        let mut open = || {
            let opened = self.encoder().and_then(|encoder| match &encoder {
                Some(open) => self.agree_with(index.as_ref(), open.as_ref()).map(|()| encoder),
                None => Ok(None),
            });
            match opened {
                Ok(encoder) => Ok(held.get_or_init(|| encoder).as_deref()),
                Err(error) => {
                    let stop = crate::ingest::IngestError::Stopped;
                    failed = Some(error);
                    Err(stop)
                }
            }
        };
        let mut heard = |p| session.tell(Progress::Index(p));
        let between =
            Between { stopped: &|| session.check().is_err(), let_others_write: &|| self.turns.lend_to_waiting(&lock) };
        let ingest = Ingest::new(&mut database, &lock, session.now(), options, between, &mut heard);
        let report = match &paths {
            Some(paths) => ingest.run(paths, &mut open),
            None => ingest.refresh(&mut open),
        };
        match (report, failed) {
            (_, Some(error)) => Err(error),
            (report, None) => {
                let report = report.map_err(|error| session.why(error))?;
                self.keep_derived(&mut database, &lock, Keep::Usable, session)?;
                Ok(report)
            }
        }
    }

    /// What was given to be indexed so far and is still there; a note for each that is not.
    fn known_roots(&self, database: &Database, session: &Session<'_>) -> Result<Vec<PathBuf>, EngineError> {
        let mut roots: Vec<String> = database.sources()?.into_iter().map(|(_, source)| source.root).collect();
        roots.sort_unstable();
        roots.dedup();
        if roots.is_empty() {
            return Err(EngineError::NothingIndexed);
        }
        let mut there = Vec::new();
        let is_shared = database.is_shared();
        for root in roots.into_iter().filter(|root| !root.is_empty()) {
            match canonical(&root) {
                Ok(real) if real.as_path() == Path::new(&root) => there.push(real),
                // Somebody else may have laid it there.
                Ok(_) => session.note(format!(
                    "{} is behind a symbolic link now and is skipped; name it to index its target",
                    shown_text(&root)
                )),
                // Another machine has it.
                Err(error) if is_shared && means_gone(&error) => {}
                Err(error) => {
                    let what = if means_gone(&error) {
                        "is not there".to_owned()
                    } else {
                        format!("is out of reach ({error})")
                    };
                    let root = shown_text(&root);
                    session.note(format!(
                        "{root} {what}; remove what was indexed from it with: `ken forget --path {root}`"
                    ));
                }
            }
        }
        Ok(there)
    }

    /// Removes what nothing uses and gives the space back.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn clean(&self, session: &Session<'_>) -> Result<Cleaned, EngineError> {
        if let Ok(store) = self.store() {
            let left = store.sweep(None)?;
            if left.folders > 0 {
                let (folders, size) = (left.folders, Size(left.bytes));
                session.note(format!("{folders} folders of imports that were stopped are removed, {size}"));
            }
        }
        if self.read_database()?.is_none() {
            return Ok(Cleaned::default());
        }
        let (lock, mut database) = self.write_database("ken gc", session)?;
        let cleaned = database.clean(&lock)?;
        self.keep_derived(&mut database, &lock, Keep::Current, session)?;
        Ok(cleaned)
    }

    /// Writes all knowledge as JSON lines; gives how many records.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses or `out` cannot be written.
    pub fn export(&self, out: &mut dyn Write, session: &Session<'_>) -> Result<usize, EngineError> {
        let database = self.read_database()?.ok_or(EngineError::NothingIndexed)?;
        let records = database
            .export(session.now(), |record| out.write_all(json_line(record).as_bytes()).map_err(EngineError::Output))?;
        out.flush().map_err(EngineError::Output)?;
        Ok(records)
    }

    /// Takes in what an export wrote: all of it or nothing. What is there stays.
    ///
    /// # Errors
    /// [`EngineError`] for a line that is no record or an export that was cut off.
    pub fn import_records(&self, input: impl BufRead, session: &Session<'_>) -> Result<Imported, EngineError> {
        let records = read_records(input)?;
        let imported = self.take_in("ken import", records, session)?.0;
        if imported.memory_events > 0 {
            self.replay(session)?;
        }
        Ok(imported)
    }

    /// Adds items that lie in no file; one whose id is taken is left out. Gives how many were added, and what went
    /// through the model.
    ///
    /// # Errors
    /// [`EngineError`] when database or model fail; nothing was added then, or all of it without some vectors.
    pub fn add_items(
        &self,
        items: impl IntoIterator<Item = Item>,
        session: &Session<'_>,
    ) -> Result<(usize, Embedded), EngineError> {
        let records = items.into_iter().map(|item| Record::Item { item: Item { path: None, span: None, ..item } });
        let (imported, embedded) = self.take_in("ken", records, session)?;
        Ok((imported.items, embedded))
    }

    pub(super) fn take_in(
        &self,
        purpose: &str,
        records: impl IntoIterator<Item = Record>,
        session: &Session<'_>,
    ) -> Result<(Imported, Embedded), EngineError> {
        self.take_in_with(purpose, records, AsideGroup::default(), session)
    }

    /// As [`Self::take_in`]; the files take their places before the records are committed, and are taken back if those
    /// cannot be.
    pub(super) fn take_in_with(
        &self,
        purpose: &str,
        records: impl IntoIterator<Item = Record>,
        files: AsideGroup,
        session: &Session<'_>,
    ) -> Result<(Imported, Embedded), EngineError> {
        let (lock, mut database) = self.write_database(purpose, session)?;
        let batch = database.begin(&lock)?;
        let is_here = |path: &str, sha256: &[u8; 32]| {
            let bytes = open::read(Path::new(path), Links::Never, DOCUMENT);
            bytes.is_ok_and(|bytes| digest(&bytes) == *sha256)
        };
        let imported = batch.import(records, &is_here)?;
        if imported.files + imported.items > 0 {
            let counts = serde_json::json!({"files": imported.files, "items": imported.items});
            batch.log(session.now(), "imported", &counts)?;
        }
        let placed = files.place().map_err(|(path, source)| EngineError::Io { path, source })?;
        batch.commit()?;
        placed.keep();
        let embedded = self.embed_rest(&mut database, &lock, session)?;
        self.keep_derived(&mut database, &lock, Keep::Usable, session)?;
        Ok((imported, embedded))
    }

    /// Vectors for what has none, if there is a model and it is the index's; gives what was embedded. That begins and
    /// ends with a word of progress, for those who have a clock.
    fn embed_rest(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        session: &Session<'_>,
    ) -> Result<Embedded, EngineError> {
        let index = database.index_model()?;
        let missing = database.texts_without_vector(index.as_ref())?;
        if missing == 0 {
            return Ok(Embedded::default());
        }
        let Some(encoder) = self.encoder()? else { return Ok(Embedded::default()) };
        if let Err(error) = self.agree_with(index.as_ref(), encoder.as_ref()) {
            session.note(format!("the imported texts have no vectors yet: {error}"));
            return Ok(Embedded::default());
        }
        let mut embedder = Embedder::new(encoder.as_ref(), database, lock)?;
        let name = embedder.model().name().to_owned();
        let tell = |done, total| session.tell(Progress::Embedding { what: "the index", done, total, model: &name });
        tell(0, missing);
        // What was taken in stays, so nobody stops its vectors.
        let between = Between { stopped: &|| false, let_others_write: &|| {} };
        let texts = embed_missing(&mut embedder, database, lock, &between, &mut |done, total, _| tell(done, total))?;
        Ok(Embedded { texts, tokens: embedder.tokens })
    }
}

/// What is wrong with a line. The parser, which sees no other line, calls it the first one.
fn no_record(error: &serde_json::Error) -> String {
    format!("this is no record of an export: {error}").replace("at line 1 column", "at column")
}

/// All records of an export, checked before anything is written.
fn read_records(mut input: impl BufRead) -> Result<Vec<Record>, EngineError> {
    let bad =
        |line: usize, what: &str| EngineError::from(crate::store::StoreError::Import { line, what: what.to_owned() });
    let mut records = Vec::new();
    let mut ended = false;
    let mut lines = 0;
    let mut line = Vec::new();
    loop {
        lines += 1;
        line.clear();
        let most = EXPORT_RECORD.bytes;
        (&mut input).take(most + 1).read_until(b'\n', &mut line).map_err(EngineError::Input)?;
        if line.is_empty() {
            lines -= 1;
            break;
        }
        if line.len() as u64 > most {
            return Err(bad(lines, &format!("a record may have {} MiB at most", most >> 20)));
        }
        let line = std::str::from_utf8(&line).map_err(|_| bad(lines, "it is not UTF-8"))?;
        if line.trim().is_empty() {
            continue;
        }
        if ended {
            return Err(bad(lines, "there is more after the last line of the export"));
        }
        let mut reader = serde_json::Deserializer::from_str(line);
        let record = Record::deserialize(&mut reader)
            .and_then(|record| reader.end().map(|()| record))
            .map_err(|error| bad(lines, &no_record(&error)))?;
        record.check().map_err(|what| bad(lines, what))?;
        match &record {
            Record::Kenning { format, .. } if records.is_empty() && *format != Record::FORMAT => {
                return Err(bad(lines, &format!("format {format} is not known here")));
            }
            Record::Kenning { .. } if records.is_empty() => {}
            _ if records.is_empty() => return Err(bad(lines, "the first line of an export is missing")),
            Record::Kenning { .. } => return Err(bad(lines, "a second export begins here")),
            Record::End { records: count } => {
                if *count + 1 != records.len() {
                    return Err(bad(lines, &format!("{count} records were written, {} are here", records.len() - 1)));
                }
                ended = true;
            }
            _ => {}
        }
        records.push(record);
    }
    if ended { Ok(records) } else { Err(bad(lines, "the export is cut off: its last line is missing")) }
}
