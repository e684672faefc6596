//! How things stand, and whether everything is sound.

use super::vectors::Keep;
use super::{Engine, EngineError, OnProgress};
use crate::ann::{Certificate, Index, recertify};
use crate::ingest::{has_changed, means_gone};
use crate::screen::shown_text;
use crate::store::{Database, Fault, Faults, IndexModel, Inventory, Salvaged};
use std::fs;
use std::path::Path;

/// How things stand.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Status {
    /// What is indexed.
    #[serde(flatten)]
    pub inventory: Inventory,
    /// Entries of packs.
    pub canon: usize,
    /// The model that searches use now, by name; none if none is installed.
    pub model: Option<String>,
    /// The fingerprint of the model that the index is made with; none while it holds no vectors.
    pub index_model: Option<String>,
    /// Whether the two are the same; true while there is nothing to compare.
    pub models_agree: bool,
    /// The file of vectors that searches read; none while it is missing, or too old to be used.
    pub vectors_file: Option<VectorsFile>,
    /// Indexed files that changed since.
    pub changed: Vec<String>,
    /// Indexed files that are gone.
    pub gone: Vec<String>,
    /// Indexed files that cannot be looked at: nobody can say whether they changed.
    pub unreadable: Vec<String>,
    /// Who is writing now, if somebody is.
    pub writer: Option<String>,
    /// Passages that were forgotten by id.
    pub forgotten: usize,
    /// Whether traces of what was forgotten are left on the disk, because a process was stopped or another reads.
    pub traces_left: bool,
}

/// The file of vectors beside the database, and what has changed since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct VectorsFile {
    /// Number of the last change that is in it.
    pub generation: u64,
    /// Rows, a text each.
    pub rows: usize,
    /// Bytes.
    pub bytes: usize,
    /// Items that have changed since it was made: they are searched one by one.
    pub overlay: usize,
    /// Share of its rows that nobody owns any more.
    pub dead_share: f64,
    /// Share of the ten nearest that a search finds, with the ends of its 95 % interval, as it was measured when the graph was built;
    /// none without a graph: every vector is compared then.
    pub recall: Option<[f64; 3]>,
}

impl Status {
    /// What `--strict` does not let pass, a sentence each.
    pub fn complaints(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut say = |wrong: bool, text: String| {
            if wrong {
                out.push(text);
            }
        };
        say(self.inventory.total() == 0, "nothing is indexed".to_owned());
        say(!self.changed.is_empty(), format!("{} files changed since they were indexed", self.changed.len()));
        say(!self.gone.is_empty(), format!("{} indexed files are gone", self.gone.len()));
        say(!self.unreadable.is_empty(), format!("{} indexed files cannot be looked at", self.unreadable.len()));
        say(self.model.is_none(), "there is no model".to_owned());
        say(!self.models_agree, "the index was made with another model".to_owned());
        say(self.traces_left, "traces of what was forgotten are left on the disk".to_owned());
        let missing = self.inventory.without_vector;
        say(missing > 0 && self.models_agree, format!("{missing} texts have no vector"));
        out
    }
}

/// What a check found, and what was done about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Checkup {
    /// What was wrong.
    pub faults: Faults,
    /// Whether it was repaired.
    pub repaired: bool,
    /// What is still wrong after a repair.
    pub left: Faults,
    /// Whether traces of what was forgotten are left on the disk. Nothing is wrong with what is stored; a repair erases them.
    pub traces_left: bool,
    /// What could be carried over from damaged pages, if they were.
    pub salvaged: Option<Salvaged>,
}

impl Engine {
    /// How things stand. Looks at every indexed file's size and times, and reads one only where these leave a doubt.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn status(&self) -> Result<Status, EngineError> {
        let mut out = Status { canon: self.canon().entries().len(), models_agree: true, ..Status::default() };
        let store = self.store().ok();
        let active = store.as_ref().and_then(|store| self.active_model(store).ok().flatten());
        out.model = active.as_ref().map(|installed| installed.name().to_owned());
        let Some(database) = self.read_database()? else { return Ok(out) };
        out.inventory = database.inventory()?;
        out.forgotten = database.forgotten()?.len();
        out.traces_left = database.has_traces()?;
        if let Some(index) = database.index_model()? {
            out.models_agree = match self.encoder() {
                Ok(Some(encoder)) => index.fingerprint == *encoder.fingerprint(),
                Ok(None) => true,
                Err(error) => {
                    self.note(format!("the model cannot be used: {error}"));
                    true
                }
            };
            out.index_model = Some(index.fingerprint.as_str().to_owned());
            out.vectors_file = self.document_file(&database, &index)?.map(|file| {
                let (image, (overlay, dead)) = (file.image(), file.changes());
                let recall = |one: &Certificate| [one.recall.share, one.recall.low, one.recall.high];
                VectorsFile {
                    generation: image.generation().number,
                    rows: image.len(),
                    bytes: image.bytes(),
                    overlay,
                    dead_share: dead as f64 / image.len().max(1) as f64,
                    recall: image.certificate().map(recall),
                }
            });
        }
        for (_, source) in database.sources()? {
            match has_changed(&source) {
                Ok(true) => out.changed.push(source.path),
                Ok(false) => {}
                // One that an import brought was never here.
                Err(_) if source.root.is_empty() => {}
                Err(error) if means_gone(&error) => out.gone.push(source.path),
                Err(error) => {
                    if out.unreadable.is_empty() {
                        self.note(format!("{} cannot be looked at: {error}", shown_text(&source.path)));
                    }
                    out.unreadable.push(source.path);
                }
            }
        }
        if out.unreadable.len() > 1 {
            self.note(format!("{} indexed files in all cannot be looked at", out.unreadable.len()));
        }
        out.writer = self.settings.data.as_deref().and_then(crate::store::current_writer);
        Ok(out)
    }

    /// Checks everything that is stored; repairs it if asked to.
    ///
    /// # Errors
    /// [`EngineError`] when it cannot be read for a reason that is no damage, or the repair fails.
    pub fn check_up(&self, repair: bool, progress: OnProgress<'_>) -> Result<Checkup, EngineError> {
        let Some(data) = self.settings.data.clone().filter(|data| data.exists()) else {
            return Ok(Checkup::default());
        };
        if repair && self.has_traces().unwrap_or(false) {
            drop(self.write_database("ken doctor --repair")?);
        }
        let mut out = Checkup { faults: self.faults(&data)?, ..Checkup::default() };
        // A database that cannot be read is among the faults.
        out.traces_left = self.has_traces().unwrap_or(false);
        if out.traces_left {
            let how = if repair { "another process is reading" } else { "ken doctor --repair or ken gc erases them" };
            self.note(format!("traces of what was forgotten are left on the disk: {how}"));
        }
        if !repair || out.faults.is_empty() {
            return Ok(out);
        }
        let lock = self.writer("ken doctor --repair")?;
        crate::store::keep_private(&data)?;
        let damaged = out.faults.iter().any(|fault| fault.damage && fault.name != "texts" && fault.name != "vectors");
        if damaged {
            out.salvaged = Some(Database::salvage(&lock)?);
        } else if Database::open(&data)?.is_some() {
            Database::open_to_write(&lock)?.rebuild(&lock)?;
        }
        *self.loaded.borrow_mut() = None;
        if let Some(mut database) = Database::open(&data)? {
            // Made from what has just been repaired, whatever state it says it is of.
            drop(fs::remove_file(database.vector_file()));
            self.keep_vectors(&mut database, &lock, Keep::Anew, progress)?;
        }
        drop(lock);
        if let Some(encoder) = self.encoder()? {
            if out.faults.iter().any(|fault| fault.name == CANON_VECTORS) {
                self.make_canon_image(encoder.as_ref(), progress)?;
            }
            self.complete_index(encoder.as_ref(), progress)?;
        }
        out.repaired = true;
        out.left = self.faults(&data)?;
        Ok(out)
    }

    fn faults(&self, data: &Path) -> Result<Faults, EngineError> {
        let mut faults: Faults = crate::store::exposed(data)
            .into_iter()
            .map(|what| Fault { name: "permissions", what, damage: false })
            .collect();
        faults.extend(self.canon_faults());
        match Database::open(data) {
            Ok(None) => {}
            Ok(Some(database)) => {
                faults.extend(database.check()?);
                faults.extend(self.vector_faults(&database));
            }
            // Somebody else's file is not ours to mend.
            Err(error @ crate::store::StoreError::Foreign { .. }) => return Err(error.into()),
            Err(error) if crate::error::Diagnose::kind(&error) == crate::error::ErrorKind::Damaged => {
                faults.push(Fault { name: "database", what: error.to_string(), damage: true });
            }
            Err(error) => return Err(error.into()),
        }
        Ok(faults)
    }
}

/// What a fault of canon's vectors is filed under.
const CANON_VECTORS: &str = "vectors of the packs";

impl Engine {
    /// Vectors of which the files that searches read are not what was written.
    fn vector_faults(&self, database: &Database) -> Option<Fault> {
        let model = database.index_model().ok().flatten()?;
        let index = self.document_file(database, &model).ok().flatten()?;
        let fault = |what| Some(Fault { name: "vector file", what, damage: false });
        match index.image().damaged_rows() {
            0 => {}
            damaged => return fault(format!("{damaged} vectors are not what was written")),
        }
        if !index.image().graph_is_sound() {
            return fault("links of the graph are not what was written".to_owned());
        }
        match strays(database, &model, &index).ok()? {
            0 => {}
            strays => return fault(format!("{strays} items have other texts in the database")),
        }
        // The certificate holds what was measured; a file that was made on another machine is measured here for the first time.
        let (certificate, recall) = index.image().certificate().zip(recertify(&index))?;
        let wanted = f64::from(certificate.target);
        (recall.high < wanted)
            .then(|| fault(format!("searches find {:.3} of what they should, not {wanted}", recall.share)))?
    }

    fn canon_faults(&self) -> Option<Fault> {
        let encoder = self.encoder().ok().flatten()?;
        let damaged = self.canon_file(encoder.as_ref())?.damaged_rows();
        let what = format!("{damaged} vectors are not what was written");
        (damaged > 0).then_some(Fault { name: CANON_VECTORS, what, damage: false })
    }
}

/// Items that an index and the database disagree about.
fn strays(database: &Database, model: &IndexModel, index: &Index) -> Result<usize, EngineError> {
    let embeddings = database.embeddings()?;
    let mut strays = index.link_count().saturating_sub(embeddings.len());
    for (item, hash) in embeddings {
        let is_stray = match index.row_of(&hash) {
            Some(row) => !index.owners_of(row).any(|(owner, _)| owner == item as u64),
            // One that has no vector yet is in no index.
            None => database.has_vector(model, &hash)?,
        };
        strays += usize::from(is_stray);
    }
    Ok(strays)
}
