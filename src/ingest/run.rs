//! One indexing: walk, compare, cut, embed, commit, and take out what is gone.

use super::IngestError;
use super::cutting::{Cutter, layout, reading};
use super::diff::{Piece, behind_forgotten, compare};
use super::embedding::{Between, Embedder, embed_missing};
use super::generated::unwanted;
use super::repository::Repositories;
use super::walk::{Candidate, Skipped, Walked, add_named, in_doubt, is_under, means_gone, read, stale, walk};
use super::withhold::Forgotten;
use crate::chunk::Format;
use crate::embed::Encoder;
use crate::store::{
    Source, WriteBatch, WriteEvents, WriteForgotten, WriteItems, WriteSources, WriteStore, WriteVectors, WriterLock,
    passages_of,
};
use crate::text::{TextHash, decode_file, sha256, text_hash};
use crate::types::{CONTEXT, Item, Span};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Pieces after which the files so far are committed.
const BATCH_PIECES: usize = 256;

/// Share of unused vectors beyond which they are dropped, and the number below which they never are.
const UNUSED_SHARE: f64 = 0.25;
const UNUSED_LEAST: usize = 1000;

/// How an indexing goes about it.
#[derive(Debug, Clone, Default)]
pub struct IndexOptions {
    /// Whether every file is read and compared by what it holds, also one that looks as it did.
    pub thorough: bool,
    /// The user's own ignore rules of git.
    pub excludes: Option<PathBuf>,
}

/// How far an indexing is.
#[derive(Debug, Clone, Copy)]
pub enum Progress {
    /// Files found so far.
    Walking {
        /// Files.
        files: usize,
    },
    /// Files are read, cut and embedded.
    Indexing {
        /// Files done.
        files: usize,
        /// Files to do.
        files_total: usize,
        /// Bytes of the files that are done.
        bytes: u64,
        /// Bytes of the files to do.
        bytes_total: u64,
        /// Pieces that were embedded.
        chunks: usize,
        /// Tokens that went through the model.
        tokens: usize,
    },
    /// Texts that had no vector get one.
    Completing {
        /// Texts done.
        done: usize,
        /// Texts in all.
        total: usize,
        /// Tokens that went through the model.
        tokens: usize,
    },
}

/// What an indexing came to.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct IndexReport {
    /// Files that are new.
    pub files_added: usize,
    /// Files whose text changed.
    pub files_changed: usize,
    /// Files that have another path.
    pub files_moved: usize,
    /// Files that are gone.
    pub files_removed: usize,
    /// Files as they were.
    pub files_unchanged: usize,
    /// Files that are binary, generated or too large: nothing of them is indexed, and no other count holds them.
    pub files_left_out: usize,
    /// Indexed files that cannot be looked at or read: what is known of them stays.
    pub files_unreadable: usize,
    /// Pieces added.
    pub chunks_added: usize,
    /// Pieces that are gone.
    pub chunks_removed: usize,
    /// Pieces of changed files that stayed.
    pub chunks_kept: usize,
    /// Texts that went through the model.
    pub embedded: usize,
    /// Their tokens.
    pub tokens: usize,
    /// Texts longer than the model takes.
    pub truncated: usize,
    /// Texts without a vector, because there is no model.
    pub without_vector: usize,
    /// Ids of what was forgotten and stands in what was read: it stays out.
    pub stay_forgotten: Vec<String>,
    /// What was not indexed, and why.
    pub skipped: Vec<Skipped>,
    /// Milliseconds that it took.
    pub took_ms: f64,
}

impl IndexReport {
    /// Whether the index is as it was before.
    pub fn is_unchanged(&self) -> bool {
        self.files_added + self.files_changed + self.files_moved + self.files_removed + self.embedded == 0
    }
}

/// Gives the encoder when the first text needs one, `None` when there is no model.
type OpenEncoder<'a> = dyn FnMut() -> Result<Option<&'a dyn Encoder>, IngestError> + 'a;

/// An indexing: what it works with.
pub struct Ingest<'a, S: WriteStore> {
    store: &'a mut S,
    lock: &'a WriterLock,
    now_ms: i64,
    options: &'a IndexOptions,
    between: Between<'a>,
    /// Whether only what may have changed is looked at: what turns out not to have is not counted.
    refreshing: bool,
    progress: &'a mut dyn FnMut(Progress),
    report: IndexReport,
    repositories: Repositories,
    /// Files that are not where they were, by the hash of their bytes and how they are read.
    missing: HashMap<([u8; 32], Format), Vec<i64>>,
    cutter: Option<Cutter<'a>>,
    /// What was forgotten, once it was asked for.
    forgotten: Option<Forgotten>,
    pending: Vec<Pending>,
    pending_pieces: usize,
    bytes: (u64, u64),
    files: (usize, usize),
}

/// A file that is cut and not yet committed.
struct Pending {
    source: Source,
    /// Its row, if it was indexed before.
    known: Option<i64>,
    /// None when nothing but its place, time or scope is new.
    pieces: Option<Vec<Item>>,
    /// What was forgotten and stands in it, by row.
    kept_out: Vec<i64>,
}

impl<'a, S: WriteStore> Ingest<'a, S> {
    /// An indexing into `store` at `now_ms`.
    pub fn new(
        store: &'a mut S,
        lock: &'a WriterLock,
        now_ms: i64,
        options: &'a IndexOptions,
        between: Between<'a>,
        progress: &'a mut dyn FnMut(Progress),
    ) -> Self {
        Self {
            store,
            lock,
            now_ms,
            options,
            between,
            refreshing: false,
            progress,
            report: IndexReport::default(),
            repositories: Repositories::default(),
            missing: HashMap::new(),
            cutter: None,
            forgotten: None,
            pending: Vec::new(),
            pending_pieces: 0,
            bytes: (0, 0),
            files: (0, 0),
        }
    }

    /// Indexes files and folders; whatever was indexed under them and is gone is taken out. `encoder` is asked when the
    /// first text needs a vector.
    ///
    /// # Errors
    /// [`IngestError`]; what was committed before stays. [`IngestError::Cancelled`] when nobody wants it to go on.
    pub fn run(mut self, paths: &[PathBuf], encoder: &mut OpenEncoder<'a>) -> Result<IndexReport, IngestError> {
        let started = Instant::now();
        let progress = &mut *self.progress;
        let excludes = self.options.excludes.as_deref();
        let walked = walk(paths, excludes, self.between.stopped, &mut |files| progress(Progress::Walking { files }))?;
        self.let_others_write()?;
        self.expect_cut(encoder)?;
        self.take(walked, encoder)?;
        self.finish(started)
    }

    /// Brings up to date what has changed or is gone of the files that are indexed; new ones are not looked for.
    ///
    /// # Errors
    /// As [`Ingest::run`].
    pub fn refresh(mut self, encoder: &mut OpenEncoder<'a>) -> Result<IndexReport, IngestError> {
        let started = Instant::now();
        self.refreshing = true;
        self.expect_cut(encoder)?;
        let walked =
            stale(&self.store.sources()?, self.store.is_shared(), self.options.thorough, self.between.stopped)?;
        self.take(walked, encoder)?;
        self.finish(started)
    }

    fn take(&mut self, mut walked: Walked, encoder: &mut OpenEncoder<'a>) -> Result<(), IngestError> {
        let mut work = self.plan(&mut walked)?;
        self.bytes.1 = work.iter().map(|(file, _)| file.stat.size.max(0) as u64).sum();
        self.files.1 = work.len();
        let mut embedder: Option<Option<Embedder<'a>>> = None;
        for (file, known) in work.drain(..) {
            self.check()?;
            self.read(file, known, encoder)?;
            if self.pending_pieces >= BATCH_PIECES {
                self.flush(&mut embedder, encoder)?;
                self.let_others_write()?;
            }
        }
        self.flush(&mut embedder, encoder)?;
        self.remove_missing()?;
        self.complete(&mut embedder, encoder)?;
        self.tidy()?;
        if let Some(Some(embedder)) = &embedder {
            (self.report.embedded, self.report.tokens) = (embedder.texts, embedder.tokens);
            self.report.truncated = embedder.truncated;
        }
        Ok(())
    }

    /// Lets others write between two batches: those of this process, and those of other machines.
    fn let_others_write(&mut self) -> Result<(), IngestError> {
        let others = self.between.let_others_write;
        Ok(self.store.with_lock_released(&mut || others())?)
    }

    fn check(&self) -> Result<(), IngestError> {
        if (self.between.stopped)() { Err(IngestError::Cancelled) } else { Ok(()) }
    }

    fn finish(mut self, started: Instant) -> Result<IndexReport, IngestError> {
        let model = self.store.index_model()?;
        self.report.without_vector = self.store.texts_without_vector(model.as_ref())?;
        self.report.stay_forgotten.sort_unstable();
        self.report.stay_forgotten.dedup();
        self.report.took_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(self.report)
    }

    /// Sees to it that what was cut for another model, or by other rules, is cut anew when it is met.
    fn expect_cut(&mut self, encoder: &mut OpenEncoder<'a>) -> Result<(), IngestError> {
        let label = match self.store.index_model()? {
            Some(model) => Cutter::label(Some(&model.fingerprint)),
            None => Cutter::label(encoder()?.map(Encoder::fingerprint)),
        };
        if self.store.cut_label()?.as_ref() != Some(&label) {
            let batch = self.store.begin(self.lock)?;
            batch.cut_anew(&label)?;
            batch.commit()?;
        }
        Ok(())
    }

    /// Which files must be read, with their rows if they were indexed before; and which are gone.
    fn plan(&mut self, walked: &mut Walked) -> Result<Vec<(Candidate, Option<KnownSource>)>, IngestError> {
        let mut known: BTreeMap<String, (i64, Source)> =
            self.store.sources()?.into_iter().map(|(id, source)| (source.path.clone(), (id, source))).collect();
        add_named(known.values().map(|(_, source)| source), walked);
        self.report.files_left_out = walked.skipped.len() - walked.unseen.len();
        self.report.skipped.append(&mut walked.rules);
        self.report.skipped.append(&mut walked.skipped);
        let bare = self.store.bare_sources()?;
        let mut work = Vec::new();
        for file in &walked.files {
            self.check()?;
            // What was named once stays named, by whatever it is found now.
            let root_of = |source: &Source| match file.is_named() || source.is_named() {
                true => source.path.clone(),
                false => source.root.clone(),
            };
            match known.remove(&file.path) {
                Some((id, source)) if !self.options.thorough && unchanged(&source, file) => {
                    match bare.contains(&id).then(|| left_out(&file.path)).flatten() {
                        Some(why) => self.leave_out(&file.path, why),
                        None => self.report.files_unchanged += 1,
                    }
                    // A repository may have come to be, or to go, around a file that stayed as it was.
                    let scope = self.repositories.scope(Path::new(&file.path), self.store)?;
                    let root = root_of(&source);
                    if scope != source.scope || root != source.root {
                        self.wait(Source { scope, root, ..source }, Some(id), None);
                    }
                }
                Some((id, source)) => {
                    let root = if source.is_named() { source.root.clone() } else { file.root.clone() };
                    work.push((Candidate { root, ..file.clone() }, Some((id, source))));
                }
                None => work.push((file.clone(), None)),
            }
        }
        let unseen = |path: &str| walked.unseen.iter().any(|above| Path::new(path).starts_with(above));
        for (path, (id, source)) in known {
            if unseen(&path) {
                self.report.files_unreadable += 1;
            } else if walked.roots.iter().any(|root| is_under(&path, root)) {
                // A link in its place was met by the walk, and not taken.
                match fs::symlink_metadata(&path) {
                    Err(error) if !means_gone(&error) => {
                        self.report.files_unreadable += 1;
                        self.report.skipped.push(Skipped::new(path, error.to_string()));
                    }
                    _ => self.missing.entry((source.sha256, layout(&path))).or_default().push(id),
                }
            }
        }
        Ok(work)
    }

    /// Reads and cuts one file, or sees that nothing but its place or time has changed.
    fn read(
        &mut self,
        file: Candidate,
        known: Option<KnownSource>,
        encoder: &mut OpenEncoder<'a>,
    ) -> Result<(), IngestError> {
        self.files.0 += 1;
        self.bytes.0 += file.stat.size.max(0) as u64;
        let bytes = match read(&file.path) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.report.files_unreadable += usize::from(known.is_some());
                self.report.skipped.push(Skipped::new(file.path, error.to_string()));
                return Ok(());
            }
        };
        let digest = sha256(&bytes);
        let scope = self.repositories.scope(Path::new(&file.path), self.store)?;
        let before = known.as_ref().filter(|(_, before)| before.sha256 == digest).map(|(id, _)| *id);
        let is_news = before.is_none() || !self.refreshing;
        let text = wanted(&file.path, &bytes);
        let is_wanted = text.is_ok();
        let text = text.unwrap_or_else(|why| {
            if is_news {
                self.leave_out(&file.path, why);
            }
            String::new().into()
        });
        let source = Source {
            path: file.path,
            root: file.root,
            kind: file.kind,
            scope,
            sha256: digest,
            stat: file.stat,
            indexed_at: self.now_ms,
        };
        if before.is_some() {
            self.report.files_unchanged += usize::from(is_wanted && is_news);
            self.wait(source, before, None);
            return Ok(());
        }
        if known.is_none()
            && let Some(id) = self.missing.get_mut(&(digest, layout(&source.path))).and_then(Vec::pop)
        {
            self.report.files_moved += usize::from(is_wanted);
            self.wait(source, Some(id), None);
            return Ok(());
        }
        let known = known.map(|(id, _)| id);
        match known {
            // One that was left out before and still is has not changed for anybody.
            Some(id) if is_wanted || !self.store.anchors(id)?.is_empty() => self.report.files_changed += 1,
            None if is_wanted => self.report.files_added += 1,
            _ => {}
        }
        self.cut(&text, source, known, encoder)
    }

    /// Cuts the text of a file that is new or has changed.
    fn cut(
        &mut self,
        text: &str,
        source: Source,
        known: Option<i64>,
        encoder: &mut OpenEncoder<'a>,
    ) -> Result<(), IngestError> {
        let cutter = match self.cutter {
            Some(cutter) => cutter,
            None => *self.cutter.insert(Cutter::new(encoder()?)),
        };
        let reading = reading(&source.path, text);
        let pieces = cutter.items(&reading, &source);
        let (mut pieces, kept_out) = self.without_forgotten(&reading.text, pieces, known)?;
        for span in pieces.iter_mut().filter_map(|piece| piece.span.as_mut()) {
            (span.line_start, span.line_end) = (reading.lines.of(span.line_start), reading.lines.of(span.line_end));
        }
        self.wait(source, known, Some(pieces));
        if let Some(last) = self.pending.last_mut() {
            last.kept_out = kept_out;
        }
        Ok(())
    }

    fn leave_out(&mut self, path: &str, why: String) {
        self.report.files_left_out += 1;
        self.report.skipped.push(Skipped::new(path, why));
    }

    fn wait(&mut self, source: Source, known: Option<i64>, pieces: Option<Vec<Item>>) {
        self.pending_pieces += pieces.as_ref().map_or(1, |pieces| pieces.len().max(1));
        self.pending.push(Pending { source, known, pieces, kept_out: Vec::new() });
    }

    /// The pieces of a file without what was forgotten, and the rows of that.
    fn without_forgotten(
        &mut self,
        text: &str,
        pieces: Vec<Item>,
        known: Option<i64>,
    ) -> Result<(Vec<Item>, Vec<i64>), IngestError> {
        let forgotten = match &self.forgotten {
            Some(forgotten) => forgotten,
            None => self.forgotten.insert(Forgotten::read(self.store)?),
        };
        let (pieces, kept_out) = forgotten.withhold(text, pieces, known, self.store)?;
        self.report.stay_forgotten.extend(kept_out.iter().filter_map(|id| forgotten.uid(*id)));
        Ok((pieces, kept_out))
    }

    /// Embeds what is pending and commits it.
    fn flush(
        &mut self,
        embedder: &mut Option<Option<Embedder<'a>>>,
        encoder: &mut OpenEncoder<'a>,
    ) -> Result<(), IngestError> {
        let mut pending = std::mem::take(&mut self.pending);
        self.pending_pieces = 0;
        for file in &mut pending {
            self.withhold(file)?;
        }
        loop {
            self.embed(&pending, embedder, encoder)?;
            // Others may have forgotten a text of these files meanwhile.
            let mut withheld = false;
            for file in &mut pending {
                withheld |= self.withhold(file)?;
            }
            if !withheld {
                break;
            }
        }
        let put_back = match embedder {
            Some(Some(open)) => std::mem::take(&mut open.put_back),
            _ => false,
        };
        self.commit(pending, put_back)?;
        // Without a model nothing else says how far it is.
        let (chunks, tokens) = match embedder {
            Some(Some(open)) => (open.texts, open.tokens),
            _ => (0, 0),
        };
        let ((files, files_total), (bytes, bytes_total)) = (self.files, self.bytes);
        (self.progress)(Progress::Indexing { files, files_total, bytes, bytes_total, chunks, tokens });
        Ok(())
    }

    /// Makes the vectors of what is to be committed.
    fn embed(
        &mut self,
        pending: &[Pending],
        embedder: &mut Option<Option<Embedder<'a>>>,
        encoder: &mut OpenEncoder<'a>,
    ) -> Result<(), IngestError> {
        let passages = pending.iter().flat_map(|file| file.pieces.iter().flatten().flat_map(passages_of));
        let texts: Vec<(TextHash, String)> = passages.map(|text| (text_hash(&text), text)).collect();
        if texts.is_empty() {
            return Ok(());
        }
        let ((files, files_total), (bytes, bytes_total)) = (self.files, self.bytes);
        let progress = &mut *self.progress;
        let mut heard = |chunks: usize, tokens: usize| {
            progress(Progress::Indexing { files, files_total, bytes, bytes_total, chunks, tokens });
        };
        let open = match embedder {
            Some(open) => open,
            None => embedder.insert(match encoder()? {
                Some(encoder) => Some(Embedder::new(encoder, self.store, self.lock)?),
                None => None,
            }),
        };
        if let Some(open) = open {
            let texts: Vec<(TextHash, &str)> = texts.iter().map(|(hash, text)| (*hash, text.as_str())).collect();
            open.embed(&texts, self.store, self.lock, self.between.stopped, &mut heard)?;
        }
        Ok(())
    }

    /// Takes the context away from what stands behind a text that was forgotten; whether there was any.
    fn withhold(&self, file: &mut Pending) -> Result<bool, IngestError> {
        let (Some(id), Some(pieces)) = (file.known, &mut file.pieces) else { return Ok(false) };
        let mut withheld = false;
        for at in behind_forgotten(&self.store.anchors(id)?, &sketch(pieces)) {
            if let Some(attributes) = pieces[at].attributes.as_object_mut() {
                withheld |= attributes.remove(CONTEXT).is_some();
            }
        }
        Ok(withheld)
    }

    /// Commits files, without vectors that nothing uses if some of theirs were `put_back`.
    fn commit(&mut self, pending: Vec<Pending>, put_back: bool) -> Result<(), IngestError> {
        if pending.is_empty() {
            return Ok(());
        }
        let mut changes = Vec::with_capacity(pending.len());
        for file in &pending {
            let anchors = match file.known {
                Some(id) => self.store.anchors(id)?,
                None => Vec::new(),
            };
            changes.push(file.pieces.as_ref().map(|pieces| compare(&anchors, &sketch(pieces))));
        }
        let batch = self.store.begin(self.lock)?;
        for found in self.repositories.found.drain(..) {
            batch.put_repository(&found.root, &found.scope)?;
        }
        for (file, changes) in pending.iter().zip(&changes) {
            let (Some(pieces), Some(changes)) = (&file.pieces, changes) else {
                if let Some(id) = file.known {
                    batch.move_source(id, &file.source)?;
                }
                continue;
            };
            let id = batch.put_source(&file.source)?;
            batch.keep_out(id, &file.kept_out)?;
            for item in &changes.remove {
                batch.remove_item(*item)?;
            }
            for (item, span) in &changes.shift {
                batch.move_item(*item, span)?;
            }
            for &(item, piece) in &changes.describe {
                batch.describe_item(item, &pieces[piece])?;
            }
            for &piece in &changes.add {
                batch.put_item(&pieces[piece], Some(id))?;
            }
            self.report.chunks_added += changes.add.len();
            self.report.chunks_removed += changes.remove.len();
            self.report.chunks_kept += changes.kept;
        }
        if put_back {
            batch.drop_unused_vectors()?;
        }
        Ok(batch.commit()?)
    }

    fn remove_missing(&mut self) -> Result<(), IngestError> {
        let mut gone: Vec<i64> = self.missing.values().flatten().copied().collect();
        gone.sort_unstable();
        for some in gone.chunks(BATCH_PIECES) {
            self.check()?;
            let mut pieces = 0;
            for id in some {
                pieces += self.store.anchors(*id)?.iter().filter(|anchor| anchor.active).count();
            }
            let batch = self.store.begin(self.lock)?;
            for id in some {
                batch.remove_source(*id)?;
            }
            batch.commit()?;
            self.report.files_removed += some.len();
            self.report.chunks_removed += pieces;
        }
        Ok(())
    }

    /// Vectors for texts that were indexed while there was no model.
    fn complete(
        &mut self,
        embedder: &mut Option<Option<Embedder<'a>>>,
        encoder: &mut OpenEncoder<'a>,
    ) -> Result<(), IngestError> {
        let model = self.store.index_model()?;
        if self.store.texts_without_vector(model.as_ref())? == 0 {
            return Ok(());
        }
        if embedder.is_none() {
            *embedder = Some(match encoder()? {
                Some(encoder) => Some(Embedder::new(encoder, self.store, self.lock)?),
                None => None,
            });
        }
        if let Some(Some(open)) = embedder {
            let progress = &mut *self.progress;
            embed_missing(open, self.store, self.lock, &self.between, &mut |done, total, tokens| {
                progress(Progress::Completing { done, total, tokens });
            })?;
        }
        Ok(())
    }

    /// Drops vectors that nothing uses when they are many, and writes down what was done.
    fn tidy(&mut self) -> Result<(), IngestError> {
        let report = &self.report;
        let changed = report.files_added + report.files_changed + report.files_moved + report.files_removed;
        if changed == 0 {
            return Ok(());
        }
        let inventory = self.store.inventory()?;
        let many = (inventory.vectors as f64 * UNUSED_SHARE).max(UNUSED_LEAST as f64);
        let batch = self.store.begin(self.lock)?;
        if inventory.unused_vectors as f64 > many {
            batch.drop_unused_vectors()?;
        }
        batch.log(
            self.now_ms,
            "indexed",
            &serde_json::json!({
                "added": report.files_added, "changed": report.files_changed, "moved": report.files_moved,
                "removed": report.files_removed, "chunks_added": report.chunks_added,
                "chunks_removed": report.chunks_removed,
            }),
        )?;
        Ok(batch.commit()?)
    }
}

/// A file that was indexed before, with its row.
type KnownSource = (i64, Source);

/// Whether a file is as it was, as far as that can be told without reading it.
fn unchanged(source: &Source, file: &Candidate) -> bool {
    // One that an import brought has no root here yet.
    source.stat == file.stat
        && source.kind == file.kind
        && !source.root.is_empty()
        && !in_doubt(file.touched_ns, source.indexed_at)
}

/// The text of a file, or why nothing of it is indexed. An empty file has no pieces, and nothing is to be said of it.
fn wanted<'b>(path: &str, bytes: &'b [u8]) -> Result<Cow<'b, str>, String> {
    match decode_file(bytes) {
        Ok(text) => match unwanted(path, &text, layout(path)) {
            None => Ok(text),
            Some(why) => Err(why.to_owned()),
        },
        Err(_) if bytes.iter().all(u8::is_ascii_whitespace) => Ok(Cow::Borrowed("")),
        Err(error) => Err(error.to_string()),
    }
}

/// Why nothing of a file is indexed, if there is a reason: read again rather than stored, for such files are few.
fn left_out(path: &str) -> Option<String> {
    match read(path) {
        Ok(bytes) => wanted(path, &bytes).err(),
        Err(error) => Some(error.to_string()),
    }
}

/// What the comparison needs of pieces.
fn sketch(pieces: &[Item]) -> Vec<Piece> {
    let part = |item: &Item| Piece {
        text_hash: text_hash(&item.text()),
        span: item.span.unwrap_or(Span { byte_start: 0, byte_end: 0, line_start: 1, line_end: 1 }),
        attributes: item.attributes.to_string(),
    };
    pieces.iter().map(part).collect()
}
