//! How things stand, and whether everything is sound.

use super::derived::Keep;
use super::{Engine, EngineError, OutcomesKept, Session};
use crate::ann::{Certificate, Image, Index, Recall, recertify};
use crate::ingest::{has_changed, is_elsewhere, means_gone};
use crate::lexical::TermImage;
use crate::map::open::{Links, open};
use crate::screen::{Size, shown, shown_text};
use crate::store::{
    DATABASE, Database, Fault, Faults, FindWords, IndexModel, Inventory, MemoryCount, NearestIndex, ReadChanges,
    ReadForgotten, ReadNearest, ReadSources, ReadVectors, Salvaged, ScopeCount, SharedStore,
};
use crate::types::{Access, Kind, MemoryState, Scope};
use crate::vector::simd::Isa;
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
    /// Instructions of the processor that the encoder uses, a name of [`Isa::NAMES`]; none for who sees a part only.
    pub instructions: Option<&'static str>,
    /// The fingerprint of the model that the index is made with; none while it holds no vectors.
    pub index_model: Option<String>,
    /// Whether the two are the same; true while there is nothing to compare.
    pub models_agree: bool,
    /// The file of vectors that searches read; none while it is missing, or too old to be used.
    pub vectors_file: Option<VectorsFile>,
    /// The database in PostgreSQL that is used in place of the data directory; none where that is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreState>,
    /// How the gate of what is indexed was fitted; none while it is that of the model's calibration, or of labels.
    pub gate: Option<FittedGate>,
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
    /// Memories that whoever asks may see, by kind and state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryCount>,
    /// Outcomes of tools that whoever asks may see, in numbers; none while there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<OutcomesKept>,
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
    /// Share of the ten nearest that a search finds, with the ends of its 95 % interval, as it was measured when the
    /// graph was built; none without a graph: every vector is compared then.
    pub recall: Option<[f64; 3]>,
}

/// A store that several machines use, and how it finds items.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct StoreState {
    /// Its address without a password.
    pub address: String,
    /// The address of the replica that searches read from, without a password.
    pub reads_from: Option<String>,
    /// Vectors that can be searched.
    pub vectors: usize,
    /// Share of the nearest that a search by the index finds, as it was measured; none without an index: every vector
    /// is compared then.
    pub recall: Option<f64>,
    /// The share that was asked for, if `recall` does not reach it.
    pub missed_target: Option<f64>,
    /// What there is of that index; none if no search would ask it.
    pub index: Option<NearestIndex>,
    /// Items that no search finds by their words yet.
    pub without_words: usize,
}

impl StoreState {
    /// Where it lies, as far as the settings say.
    fn of(shared: &SharedStore) -> Result<Self, EngineError> {
        Ok(Self { address: shared.name()?, reads_from: shared.read_name()?, ..Self::default() })
    }

    /// Why searches compare every vector though there are many; none if an index is used or would not help.
    pub fn without_index(&self) -> Option<&'static str> {
        match self.index? {
            NearestIndex::Missing => Some("there is no index of vectors yet; `ken gc` makes it"),
            NearestIndex::BeingMade => Some("another process is making the index of vectors"),
            NearestIndex::NotOwner => {
                Some("there is no index of vectors yet; the owner of the tables makes it with `ken gc`")
            }
            NearestIndex::Ready | NearestIndex::Small | NearestIndex::TooLong => None,
        }
    }

    /// What keeps searches from finding everything, or from being fast, a sentence each.
    pub fn complaints(&self) -> Vec<String> {
        let mut out: Vec<String> = self.without_index().map(str::to_owned).into_iter().collect();
        if let Some((recall, target)) = self.recall.zip(self.missed_target) {
            out.push(format!("the index of vectors has a recall of {recall:.3}, below the target {target}"));
        }
        if self.without_words > 0 {
            out.push(format!("items that are not found by words yet: {} (`ken gc`)", self.without_words));
        }
        out
    }
}

/// A gate that fits what is indexed: see [`crate::types::CorpusNoise`].
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct FittedGate {
    /// Texts that there were when it was fitted.
    pub texts: usize,
    /// Questions about other things that decided where it stands.
    pub questions: usize,
    /// Share of such questions that may be answered (`search.max_noise`).
    pub max_noise: f64,
    /// Share of them that is answered, with the ends of its 95 % interval.
    pub noise: [f64; 3],
}

impl Status {
    /// The same, which tells of these memories too.
    #[must_use]
    pub fn remembering(self, memories: Vec<MemoryCount>) -> Self {
        Self { memories, ..self }
    }

    /// The same, which tells of these outcomes too.
    #[must_use]
    pub fn keeping(self, kept: OutcomesKept) -> Self {
        Self { outcomes: Some(kept).filter(|kept| *kept != OutcomesKept::default()), ..self }
    }

    /// Memories that are not forgotten, rejected or superseded; problems come with their tactics.
    pub fn remembered(&self) -> usize {
        self.of_use(|_| true)
    }

    fn of_use(&self, which: impl Fn(&MemoryCount) -> bool) -> usize {
        let states = [MemoryState::Proposed, MemoryState::Active, MemoryState::Disputed];
        let of_use = |one: &&MemoryCount| one.kind != Kind::Problem && states.contains(&one.state) && which(one);
        self.memories.iter().filter(of_use).map(|one| one.count).sum()
    }

    /// How many memories there are, and what asks for somebody's attention.
    pub fn memories_text(&self) -> String {
        let all = self.remembered();
        let waiting = self.of_use(|one| one.state == MemoryState::Proposed);
        let disputed = self.of_use(|one| one.state == MemoryState::Disputed);
        let mut text = if all == 1 { "1 memory".to_owned() } else { format!("{all} memories") };
        let said = [(waiting, "to be approved"), (disputed, "disputed")];
        let said = said.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let said: Vec<String> = said.collect();
        if !said.is_empty() {
            text.push_str(&format!(" ({})", said.join(", ")));
        }
        text
    }

    /// What somebody may know who may see these scopes: counts of theirs, and no file's name.
    #[must_use]
    pub fn seen_by(self, access: &Access) -> Self {
        if access.scopes().is_none() {
            return self;
        }
        let scopes = self.inventory.scopes.into_iter().filter(|one| access.admits(&Scope::repository(&one.scope)));
        let scopes: Vec<ScopeCount> = scopes.collect();
        let items: usize = scopes.iter().map(|one| one.items).sum();
        let inventory = Inventory {
            files: scopes.iter().map(|one| one.files).sum(),
            items: [("all".to_owned(), items)].into(),
            scopes,
            ..Inventory::default()
        };
        Self {
            inventory,
            canon: self.canon,
            model: self.model,
            index_model: self.index_model,
            models_agree: self.models_agree,
            ..Self::default()
        }
    }

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
        out.extend(self.store.iter().flat_map(StoreState::complaints));
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
    /// Whether traces of what was forgotten are left on the disk. Nothing is wrong with what is stored; a repair erases
    /// them.
    pub traces_left: bool,
    /// What could be carried over from damaged pages, if they were.
    pub salvaged: Option<Salvaged>,
}

impl Engine {
    fn fitted_gate(&self, database: &Database, session: &Session<'_>) -> Result<Option<FittedGate>, EngineError> {
        let Some((noise, signals)) = self.noise_in_use(database, session)? else { return Ok(None) };
        let max_noise = self.settings.max_noise;
        let (answered, questions) = noise.answered(signals, max_noise);
        let each: Vec<f64> = (0..questions).map(|at| f64::from(u8::from(at < answered))).collect();
        let Recall { share, low, high } = Recall::of(&each);
        Ok(Some(FittedGate { texts: noise.texts, questions, max_noise, noise: [share, low, high] }))
    }

    /// How things stand. Looks at every indexed file's size and times, and reads one only where these leave a doubt.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn status(&self, session: &Session<'_>) -> Result<Status, EngineError> {
        let encoder = self.settings.models.as_ref().map(|models| &models.encoder);
        let isa = encoder.and_then(|encoder| encoder.isa).unwrap_or_else(Isa::detect);
        let mut out = Status {
            canon: self.packs(session).canon().entries().len(),
            models_agree: true,
            instructions: Some(isa.name()),
            ..Status::default()
        };
        let store = self.store().ok();
        let active = store.as_ref().and_then(|store| self.active_model(store).ok().flatten());
        out.model = active.as_ref().map(|installed| installed.name().to_owned());
        let Some(database) = self.read_database()? else {
            if let Some(shared) = &self.settings.shared {
                out.store = Some(StoreState::of(shared)?);
            }
            return Ok(out);
        };
        out.inventory = database.inventory()?;
        out.forgotten = database.forgotten()?.len();
        out.traces_left = database.has_traces()?;
        out.gate = self.fitted_gate(&database, session)?;
        if let Some(index) = database.index_model()? {
            out.models_agree = match self.encoder() {
                Ok(Some(encoder)) => index.fingerprint == *encoder.fingerprint(),
                Ok(None) => true,
                Err(error) => {
                    session.note(format!("the model cannot be used: {error}"));
                    true
                }
            };
            out.index_model = Some(index.fingerprint.as_str().to_owned());
            let file = match database.shared() {
                Some(_) => None,
                None => super::derived::vector_file(&database, &index)?,
            };
            out.vectors_file = file.map(|file| {
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
        if let (Some(shared), Some(place)) = (database.shared(), &self.settings.shared) {
            let mut state = StoreState { without_words: shared.lacking_words()?, ..StoreState::of(place)? };
            if let Some(model) = database.index_model()? {
                state.vectors = shared.searchable_vectors(&model)?;
                // At 1 no search asks the index, whatever was measured before.
                if self.settings.recall_target < 1.0 {
                    state.index = Some(shared.nearest_index(&model)?);
                }
                // The measured recall applies only while the index is used.
                if state.index == Some(NearestIndex::Ready) {
                    state.recall = shared.nearest_certificate(&model)?.map(|certificate| certificate.recall);
                    let target = self.settings.recall_target;
                    state.missed_target = state.recall.filter(|recall| *recall < target).map(|_| target);
                }
            }
            out.store = Some(state);
        }
        for (_, source) in database.sources()? {
            match has_changed(&source) {
                Ok(true) => out.changed.push(source.path),
                Ok(false) => {}
                Err(_) if is_elsewhere(&source.path, &source.root, database.is_shared()) => {}
                Err(error) if means_gone(&error) => out.gone.push(source.path),
                Err(error) => {
                    if out.unreadable.is_empty() {
                        session.note(format!("{} cannot be looked at: {error}", shown_text(&source.path)));
                    }
                    out.unreadable.push(source.path);
                }
            }
        }
        if out.unreadable.len() > 1 {
            session.note(format!("{} indexed files cannot be read", out.unreadable.len()));
        }
        out.writer = match database.shared() {
            Some(shared) => shared.current_writer()?,
            None => self.settings.data.as_deref().and_then(crate::store::current_writer),
        };
        Ok(out)
    }

    /// Checks everything that is stored; repairs it if asked to.
    ///
    /// # Errors
    /// [`EngineError`] when it cannot be read for a reason that is no damage, or the repair fails.
    pub fn check_up(&self, repair: bool, session: &Session<'_>) -> Result<Checkup, EngineError> {
        let is_shared = self.settings.shared.is_some();
        let Some(data) = self.settings.data.clone().filter(|data| is_shared || data.exists()) else {
            return Ok(Checkup::default());
        };
        if repair && self.has_traces().unwrap_or(false) {
            drop(self.write_database("ken doctor --repair", session)?);
        }
        let mut out = Checkup { faults: self.faults(&data, session)?, ..Checkup::default() };
        // A database that cannot be read is among the faults.
        out.traces_left = self.has_traces().unwrap_or(false);
        if out.traces_left {
            let how =
                if repair { "another process is reading" } else { "`ken doctor --repair` or `ken gc` erases them" };
            session.note(format!("traces of what was forgotten are left on the disk: {how}"));
        }
        if !repair || out.faults.is_empty() {
            return Ok(out);
        }
        let lock = self.writer("ken doctor --repair")?;
        crate::store::keep_private(&data)?;
        let lesser = [LOST, MODEL, "texts", "values", "vectors"];
        let damaged = out.faults.iter().any(|fault| fault.damage && !lesser.contains(&fault.name));
        let lost = out.faults.iter().any(|fault| fault.name == LOST);
        if out.faults.iter().any(|fault| fault.name == STAGING) {
            self.store()?.sweep(None)?;
        }
        // The pages of a server's database are its own to mend.
        if damaged && !is_shared {
            // No connection of ours may hold the file that is put aside.
            self.close();
            out.salvaged = Some(Database::salvage(&lock)?);
        } else if self.open_database()?.is_some() {
            self.open_to_write(&lock)?.rebuild(&lock)?;
        }
        self.forget_snapshots();
        if !lost {
            self.replay_with(&lock, session)?;
        }
        if self.open_database()?.is_some() {
            let mut database = self.open_to_write(&lock)?;
            // Made from what has just been repaired, whatever state it says it is of. Where all is lost it is all there
            // is to say so.
            if !lost {
                if database.shared().is_none() {
                    drop(fs::remove_file(database.vector_file()));
                    drop(fs::remove_file(database.terms_file()));
                }
                self.keep_derived(&mut database, &lock, Keep::Anew, session)?;
            }
        }
        drop(lock);
        let usable = !out.faults.iter().any(|fault| fault.name == MODEL);
        if let Some(encoder) = if usable { self.encoder()? } else { None } {
            if out.faults.iter().any(|fault| fault.name == CANON_VECTORS) {
                self.make_canon_image(&self.packs(session), encoder.as_ref(), session)?;
            }
            self.complete_index(encoder.as_ref(), session)?;
        }
        out.repaired = true;
        out.left = self.faults(&data, session)?;
        Ok(out)
    }

    fn faults(&self, data: &Path, session: &Session<'_>) -> Result<Faults, EngineError> {
        let mut faults: Faults = crate::store::exposed(data)
            .into_iter()
            .map(|what| Fault { name: "permissions", what, damage: false })
            .collect();
        faults.extend(self.model_faults()?);
        faults.extend(self.canon_faults(session));
        let is_shared = self.settings.shared.is_some();
        match Database::open_at(&self.settings.place().ok_or(EngineError::NoHome)?) {
            Ok(None) if is_shared => {}
            Ok(None) => faults.extend(loss(data, None)?),
            Ok(Some(database)) => {
                faults.extend(database.check()?);
                if !is_shared && !faults.iter().any(|fault| fault.damage) {
                    faults.extend(loss(data, Some(&database))?);
                }
                if !is_shared {
                    // What the disk does not give says nothing of what is in it.
                    readable(&database.vector_file())?;
                    faults.extend(self.vector_faults(&database));
                    faults.extend(term_faults(&database));
                }
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

/// What is filed under these is not mended by a repair: everything that was indexed is gone, a model is damaged.
const LOST: &str = "index";
const MODEL: &str = "model";
/// What stopped imports of models left.
const STAGING: &str = "stopped imports";

impl Fault {
    /// Whether `ken doctor --repair` can do something about it.
    pub fn is_mendable(&self) -> bool {
        ![LOST, MODEL].contains(&self.name)
    }
}

/// A database that holds nothing beside a file of vectors that is none of its own: what was indexed is gone.
fn loss(data: &Path, database: Option<&Database>) -> Result<Option<Fault>, EngineError> {
    let Some(image) = Image::open_whatever(&Database::vector_file_of(data)).filter(|image| !image.is_empty()) else {
        return Ok(None);
    };
    if let Some(database) = database
        && (database.inventory()?.total() > 0 || database.changed_since(image.generation(), usize::MAX)?.is_some())
    {
        return Ok(None);
    }
    let what = format!(
        "the database {} {}, and the file of vectors beside it is of {} texts: what was indexed is lost. Put a copy \
         of the database back, or run `ken index PATH` for each folder and `ken import FILE` for an export",
        shown(&data.join(DATABASE)),
        if database.is_some() { "is empty" } else { "is gone or empty" },
        image.len(),
    );
    Ok(Some(Fault { name: LOST, what, damage: true }))
}

/// Reads a file to its end.
fn readable(path: &Path) -> Result<(), EngineError> {
    let read = open(path, Links::Follow).and_then(|mut file| std::io::copy(&mut file, &mut std::io::sink()));
    match read {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(EngineError::Io { path: path.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

impl Engine {
    /// Models that are not what was stored, and what stopped imports left.
    fn model_faults(&self) -> Result<Faults, EngineError> {
        let Ok(store) = self.store() else { return Ok(Faults::new()) };
        let tell = |fault: crate::embed::ModelFault| Fault {
            name: MODEL,
            what: format!("{}: {}; run: {}", fault.model, fault.what, fault.mend),
            damage: true,
        };
        let mut faults: Faults = store.faults()?.into_iter().map(tell).collect();
        let left = store.leftovers();
        if left.folders > 0 {
            let (folders, size) = (left.folders, Size(left.bytes));
            let what = format!("{folders} folders of imports that were stopped take {size}");
            faults.push(Fault { name: STAGING, what, damage: false });
        }
        Ok(faults)
    }
}

/// Words of which the file that searches read is not what was written. A small file is checked whenever it is opened.
fn term_faults(database: &Database) -> Option<Fault> {
    let image = TermImage::open_whatever(&database.terms_file())?;
    let what = "the words of the items are not what was written".to_owned();
    (!image.is_sound()).then_some(Fault { name: "word file", what, damage: false })
}

/// What a fault of canon's vectors is filed under.
const CANON_VECTORS: &str = "vectors of the packs";

impl Engine {
    /// Vectors of which the files that searches read are not what was written.
    fn vector_faults(&self, database: &Database) -> Option<Fault> {
        let model = database.index_model().ok().flatten()?;
        let index = super::derived::vector_file(database, &model).ok().flatten()?;
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
        // The certificate holds what was measured; a file that was made on another machine is measured here for the
        // first time.
        let (certificate, recall) = index.image().certificate().zip(recertify(&index))?;
        let wanted = f64::from(certificate.target);
        (recall.high < wanted)
            .then(|| fault(format!("searches find {:.3} of what they should, not {wanted}", recall.share)))?
    }

    fn canon_faults(&self, session: &Session<'_>) -> Option<Fault> {
        let encoder = self.encoder().ok().flatten()?;
        let damaged = self.canon_file(&self.packs(session), encoder.as_ref())?.damaged_rows();
        let what = format!("{damaged} vectors are not what was written");
        (damaged > 0).then_some(Fault { name: CANON_VECTORS, what, damage: false })
    }
}

/// Items that an index and the database disagree about.
fn strays(database: &Database, model: &IndexModel, index: &Index) -> Result<usize, EngineError> {
    let embeddings = database.embeddings()?;
    let mut strays = index.link_count().saturating_sub(embeddings.len());
    for (item, _, hash) in embeddings {
        let is_stray = match index.row_of(&hash) {
            Some(row) => !index.owners_of(row).any(|(owner, _)| owner == item as u64),
            // One that has no vector yet is in no index.
            None => database.has_vector(model, &hash)?,
        };
        strays += usize::from(is_stray);
    }
    Ok(strays)
}
