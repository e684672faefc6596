//! Packs: read from their folders, searched by word, shown, checked, added to.

use super::pack_files::{read_folder, read_pack};
use super::state::NeededVectors;
use super::{Engine, EngineError, PacksSnapshot, Session};
use crate::ann::{Index, Neighbour};
use crate::canon::{
    Canon, Entry, EntryText, Finding, PackLayer, PackSource, Stored, add_entry, builtin, check, place, warning,
};
use crate::map::open::{Links, read_text};
use crate::map::write_behind_link;
use crate::query::{Filters, Semantics};
use crate::store::make_private;
use crate::text::{near_names, text_hash};
use crate::types::Logistic;
use crate::types::limits::CANON_PACK;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// An entry to be added to a pack of the user's.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// The pack; made if it is new.
    pub pack: String,
    /// The entry; an empty id is made from the title.
    pub entry: Entry,
}

/// How much likelier another entry must be than the entry's own other texts, in log-odds of the semantic signal.
const CLEARLY: f32 = 5.0;
/// Semantic signal of title and cause, as questions, from which two entries say the same.
const SAME: f32 = 0.974;

/// How many neighbours of a text are looked at. An entry has fewer texts, so one of another entry is among them.
const NEIGHBOURS: usize = 40;
/// The texts of so many entries are compared with all others in one pass over the vectors.
const ENTRIES: usize = 4;

/// The packs' texts as a model sees them.
struct Meaning<'a> {
    entries: &'a [Stored],
    vectors: &'a Index,
    /// From a cosine to the semantic signal: cosines of two models mean different things.
    semantic: Logistic,
}

/// A text of an entry.
struct TextOf<'a> {
    /// Place of the entry.
    entry: usize,
    /// Place of the text among the entry's.
    part: usize,
    /// Whether it is title with cause.
    is_cause: bool,
    text: &'a EntryText,
}

impl Meaning<'_> {
    /// Finds texts that mean something else than their entry. Gives the place of the entry, and what is wrong.
    fn misplaced(&self, texts: &[TextOf<'_>]) -> Vec<(usize, String)> {
        let vector = |of: &TextOf<'_>| self.vectors.vector(self.vectors.row_of(&text_hash(&of.text.key()))?);
        let (texts, vectors): (Vec<&TextOf<'_>>, Vec<Vec<f32>>) =
            texts.iter().filter_map(|of| Some((of, vector(of)?))).unzip();
        let near = self.vectors.search_each(&vectors, NEIGHBOURS);
        let asked = texts.into_iter().zip(&vectors).zip(&near);
        asked.filter_map(|((of, vector), near)| Some((of.entry, self.said(of, vector, near)?))).collect()
    }

    /// Says what is wrong with a text, if anything. `near` are the texts whose vectors are nearest to its own.
    fn said(&self, of: &TextOf<'_>, vector: &[f32], near: &[Neighbour]) -> Option<String> {
        let Self { entries, vectors, semantic } = self;
        let other = near.iter().find_map(|near| {
            let mut owners = vectors.owners_of(near.row);
            let (owner, _) = owners.find(|(owner, _)| *owner != of.entry as u64)?;
            Some((owner as usize, near.similarity))
        });
        let (other, similarity) = other?;
        if of.is_cause {
            return (semantic.at(similarity) > SAME)
                .then(|| format!("means nearly the same as {} ({similarity:.2})", entries[other].id()));
        }
        let part = of.part;
        let rows = vectors.rows_of(of.entry as u64).filter(|(other, _)| *other as usize != part);
        let own = rows.filter_map(|(_, row)| vectors.similarity(vector, row)).fold(-1.0, f32::max);
        (semantic.slope * (similarity - own) > CLEARLY).then(|| {
            let id = entries[other].id();
            format!("symptom {part} is nearer to {id} ({similarity:.2}) than to the rest of its own entry ({own:.2})")
        })
    }
}

/// Symptoms that mean what another entry says, and entries that mean the same.
fn all_misplaced(canon: &Canon, sources: &[PackSource], semantics: &Semantics) -> Vec<Finding> {
    let entries = canon.entries();
    let meaning = Meaning { entries, vectors: &semantics.canon, semantic: semantics.calibration.entries.semantic };
    crate::threads::ready();
    let found: Vec<Vec<(usize, String)>> = entries
        .par_chunks(ENTRIES)
        .enumerate()
        .map(|(chunk, some)| {
            let own: Vec<Vec<EntryText>> = some.iter().map(|stored| stored.entry().texts()).collect();
            let asked = some.iter().zip(&own).enumerate().flat_map(|(at, (stored, texts))| {
                let (symptoms, cause) = (stored.entry().symptoms.len(), texts.len() - 1);
                let of =
                    move |(part, text)| TextOf { entry: chunk * ENTRIES + at, part, is_cause: part == cause, text };
                let is_asked = move |part: usize| (1..=symptoms).contains(&part) || part == cause;
                texts.iter().enumerate().filter(move |(part, _)| is_asked(*part)).map(of)
            });
            meaning.misplaced(&asked.collect::<Vec<_>>())
        })
        .collect();
    let source = |stored: &Stored| {
        sources.iter().find(|source| source.layer == stored.layer && source.is_named_for(&stored.pack))
    };
    let all = found.into_iter().flatten();
    let told = all.filter_map(|(at, message)| Some(warning(source(&entries[at])?, entries[at].id(), message)));
    let mut told: Vec<Finding> = told.collect();
    place(&mut told, sources);
    told
}

impl Engine {
    /// Checks all packs in use, by meaning too if there is a model, or only the given files and folders.
    ///
    /// # Errors
    /// [`EngineError::Io`] when a given path cannot be read.
    pub fn check_packs(&self, paths: &[PathBuf], session: &Session<'_>) -> Result<Vec<Finding>, EngineError> {
        if paths.is_empty() {
            let packs = self.packs(session);
            let all: Vec<PackSource> = builtin().into_iter().chain(packs.sources.iter().cloned()).collect();
            let mut found = check(&all);
            if let Some(model) = self.semantics(&packs, NeededVectors::All, session) {
                found.extend(all_misplaced(packs.canon(), &all, &model.semantics));
                found.sort_by(|a, b| (&a.file, a.line, a.severity).cmp(&(&b.file, b.line, b.severity)));
            }
            return Ok(found);
        }
        let mut sources = Vec::new();
        for path in paths {
            if path.is_dir() {
                let (found, unread) = read_folder(path, PackLayer::User, Links::Within(path));
                if let Some(problem) = unread.into_iter().next() {
                    let source = std::io::Error::other(problem.message);
                    return Err(EngineError::Io { path: problem.origin.into(), source });
                }
                sources.extend(found);
            } else {
                let io = |source| EngineError::Io { path: path.clone(), source };
                fs::metadata(path).map_err(io)?;
                sources
                    .push(read_pack(path, PackLayer::User, Links::Follow).map_err(|e| io(std::io::Error::other(e)))?);
            }
        }
        Ok(check(&sources))
    }

    /// Adds an entry to one of the user's packs; gives its id and the pack's path.
    ///
    /// # Errors
    /// [`EngineError`] when the entry is not usable or the pack cannot be read or written.
    pub fn add_entry(&self, new: NewEntry) -> Result<(String, PathBuf), EngineError> {
        let NewEntry { pack, mut entry } = new;
        if !is_pack_name(&pack) {
            return Err(EngineError::PackName(pack));
        }
        self.data()?;
        let folder = self.settings.user_packs.as_ref().ok_or(EngineError::NoHome)?;
        make_private(folder)?;
        if entry.id.is_empty() {
            entry.id = format!("{pack}/{}", slug(&entry.title));
        }
        let id = entry.id.clone();
        let path = folder.join(format!("{pack}.json"));
        let io = |source| EngineError::Io { path: path.clone(), source };
        let text = match read_text(&path, Links::Follow, CANON_PACK) {
            Ok(text) => Some(text),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(io(e)),
        };
        let text = add_entry(text.as_deref(), &pack, entry)?;
        write_behind_link(&path, text.as_bytes()).map_err(io)?;
        Ok((id, path))
    }
}

impl PacksSnapshot {
    /// The entry of this id or former id.
    ///
    /// # Errors
    /// [`EngineError::NoEntry`] with ids that are near.
    pub fn entry(&self, id: &str) -> Result<&Stored, EngineError> {
        if let Some(at) = self.canon().index_of(id) {
            return Ok(&self.canon().entries()[at]);
        }
        let near = near_names(id, self.canon().entries().iter().map(|stored| stored.id()));
        Err(EngineError::NoEntry { id: id.to_owned(), near })
    }

    /// An error if no entry has a pack, provider or tag that is asked for, which is more likely a slip of the keyboard
    /// than a question without an answer.
    ///
    /// # Errors
    /// [`EngineError::NoEntryWith`] with names that are near.
    pub(super) fn check(&self, filters: &Filters) -> Result<(), EngineError> {
        let entries = self.canon().entries();
        let check = |what: &'static str, wanted: &str, names: &dyn Fn(&Stored) -> Vec<String>| {
            let known: BTreeSet<String> = entries.iter().flat_map(names).collect();
            if known.iter().any(|name| name.eq_ignore_ascii_case(wanted)) {
                return Ok(());
            }
            let near = near_names(wanted, known.iter().map(String::as_str));
            Err(EngineError::NoEntryWith { what, name: wanted.to_owned(), near })
        };
        filters.packs.iter().try_for_each(|pack| check("pack", pack, &|one| vec![one.pack.clone().into_owned()]))?;
        let provider = |one: &Stored| one.entry().provider.clone().into_iter().collect();
        filters.provider.iter().try_for_each(|name| check("provider", name, &provider))?;
        filters.tags.iter().try_for_each(|tag| check("tag", tag, &|one| one.entry().tags.clone()))
    }

    /// Entries by keyword, best first, at most `limit`: for browsing, without a gate.
    pub fn search(&self, words: &str, limit: usize) -> Vec<&Stored> {
        let found = self.knowledge.browse(words, limit).into_iter();
        found.filter_map(|at| self.canon().entries().get(at)).collect()
    }
}

/// Whether a pack can have this name.
pub(super) fn is_pack_name(name: &str) -> bool {
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 64 && name.chars().all(fine)
}

fn slug(title: &str) -> String {
    let lower = title.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).take(6).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ann::{Image, Origin};

    /// Two entries of one symptom each, and a vector for each of their texts. The first one's symptom has cosine 0.9
    /// with the second one's title and 0.5 with its own; the two causes have 0.9.
    fn packs() -> (Canon, Index) {
        let entry = |id: &str| {
            serde_json::json!({
                "id": format!("p/{id}"), "title": format!("{id} title"), "error_patterns": [],
                "symptoms": [format!("{id} symptom")], "cause": format!("{id} cause"), "fix": ["f"],
            })
        };
        let text = serde_json::json!({
            "schema_version": 1, "pack": "p", "title": "P", "entries": [entry("a"), entry("b")],
        });
        let source = PackSource { layer: PackLayer::User, origin: "p.json".into(), text: text.to_string().into() };
        let (canon, problems) = Canon::only(&[source]);
        assert!(problems.is_empty(), "{problems:?}");
        let vectors = [
            [[0.5, 0.866, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.4, 0.0, 0.9165, 0.0]],
            [[0.9, 0.0, 0.0, -0.4359], [0.0, 0.0, 0.0, -1.0], [0.36, 0.0, 0.8249, 0.4359]],
        ];
        let mut rows: Vec<(crate::text::TextHash, &[f32])> = Vec::new();
        let mut links = Vec::new();
        for (at, stored) in canon.entries().iter().enumerate() {
            for (part, text) in stored.entry().texts().iter().enumerate() {
                rows.push((text_hash(&text.key()), &vectors[at][part]));
                links.push((at as u64, part as u32, text_hash(&text.key())));
            }
        }
        let index = Index::new(Image::new(&Origin::default(), 4, rows, links));
        (canon, index)
    }

    /// What is said of a text of the first entry by a model with this calibration.
    fn said(part: usize, slope: f32, offset: f32) -> Option<String> {
        let (canon, index) = packs();
        let entries = canon.entries();
        let meaning = Meaning { entries, vectors: &index, semantic: Logistic { slope, offset } };
        let texts = entries[0].entry().texts();
        let of = TextOf { entry: 0, part, is_cause: part == texts.len() - 1, text: &texts[part] };
        meaning.misplaced(&[of]).pop().map(|(_, said)| said)
    }

    /// Whether a cosine of 0.9 is much is for the model's calibration to say.
    #[test]
    fn likeness_is_judged_by_the_calibrated_signal() {
        let same = said(2, 20.0, -14.0).unwrap();
        assert!(same.contains("nearly the same as p/b (0.90)"), "{same}");
        assert_eq!(said(2, 20.0, -15.0), None, "the same cosine under a model whose cosines are all high");
        let nearer = said(1, 13.0, 0.0).unwrap();
        assert!(nearer.contains("symptom 1 is nearer to p/b (0.90)") && nearer.contains("(0.50)"), "{nearer}");
        assert_eq!(said(1, 12.0, 0.0), None, "0.4 apart is less where cosines are spread wide");
        assert_eq!(said(1, 13.0, -20.0), said(1, 13.0, 0.0), "only the distance between the two counts");
    }

    #[test]
    fn a_text_without_a_vector_says_nothing() {
        let (canon, _) = packs();
        let entries = canon.entries();
        let none = Index::new(Image::new(&Origin::default(), 4, [], []));
        let meaning = Meaning { entries, vectors: &none, semantic: Logistic { slope: 99.0, offset: 0.0 } };
        let texts = entries[0].entry().texts();
        let of = TextOf { entry: 0, part: 1, is_cause: false, text: &texts[1] };
        assert_eq!(meaning.misplaced(&[of]), []);
    }
}
