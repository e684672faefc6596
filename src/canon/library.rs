//! All packs together: read, layered, and ready to be matched.

use super::compiled::{ALIASES, CompiledPack, DIGEST, PACKS, Squeezed, compiled_entries};
use super::layer::PackLayer;
use super::literal::Required;
use super::matcher::{Matcher, PatternHit, in_order};
use super::pack::{Entry, PackFile, SCHEMA_VERSION};
use super::pattern::Pattern;
use super::room::Room;
use super::shell::{Form, places};
use crate::screen::{line, shown_text};
use crate::text::sha256_hex;
use serde_json::json;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

/// The text of a pack and where it comes from.
#[derive(Debug, Clone)]
pub struct PackSource {
    /// Its layer.
    pub layer: PackLayer,
    /// For messages: a path, or the pack's name.
    pub origin: String,
    /// JSON.
    pub text: Cow<'static, str>,
}

impl PackSource {
    /// Whether its file is one of the pack `name`: `name.json`, or `name.PART.json`. What has no file name is.
    pub fn is_named_for(&self, name: &str) -> bool {
        let stem = Path::new(&self.origin).file_stem().and_then(|stem| stem.to_str());
        let rest = |stem: &str| stem.strip_prefix(name).map(|rest| rest.is_empty() || rest.starts_with('.'));
        stem.is_none_or(|stem| rest(stem) == Some(true))
    }
}

/// The packs that are compiled in, as text: for [`super::check()`], since [`Canon::load`] has them already.
pub fn builtin() -> Vec<PackSource> {
    let mut entries = compiled_entries();
    let mut text = |pack: &CompiledPack| {
        let entries: Vec<String> =
            entries.by_ref().take(pack.entries.len()).map(|(_, _, squeezed)| squeezed.json()).collect();
        let (name, title) = (json!(pack.name), json!(pack.title));
        let (version, entries) = (pack.schema_version, entries.join(",\n"));
        format!("{{\"schema_version\": {version}, \"pack\": {name}, \"title\": {title}, \"entries\": [\n{entries}\n]}}")
    };
    let source = |pack: &CompiledPack| PackSource {
        layer: PackLayer::Builtin,
        origin: format!("{}.json", pack.name),
        text: text(pack).into(),
    };
    PACKS.iter().map(source).collect()
}

/// Whether a pack of this name is compiled in.
pub(super) fn is_builtin(name: &str) -> bool {
    PACKS.iter().any(|pack| pack.name == name)
}

/// A pack or an entry that could not be used. The rest is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", shown_text(origin))]
pub struct PackProblem {
    /// The pack's origin.
    pub origin: String,
    /// What is wrong.
    pub message: String,
}

/// An entry with its place. A built-in one is read from its pack when it is first needed.
#[derive(Debug)]
pub struct Stored {
    id: Cow<'static, str>,
    /// Its layer.
    pub layer: PackLayer,
    /// Its pack.
    pub pack: Cow<'static, str>,
    /// The layer whose entry of the same id it replaces.
    pub replaces: Option<PackLayer>,
    /// A built-in entry before it is read.
    squeezed: Option<Squeezed>,
    entry: OnceLock<Box<Entry>>,
}

impl Stored {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The entry.
    pub fn entry(&self) -> &Entry {
        // The build has parsed every entry, and what came from a file was parsed when it was read.
        self.entry.get_or_init(|| {
            let json = self.squeezed.map(Squeezed::json).unwrap_or_default();
            Box::new(serde_json::from_str(&json).unwrap_or_default())
        })
    }

    /// `canon:PACK`, `user:PACK` or `repository:PACK`.
    pub fn source(&self) -> String {
        format!("{}:{}", self.layer.label(), self.pack)
    }

    /// Names of the groups in the entry's patterns.
    pub fn captures(&self) -> BTreeSet<String> {
        captures(self.entry())
    }
}

/// Names of the groups in an entry's patterns.
fn captures(entry: &Entry) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for one in entry.patterns() {
        let mut rest = one.pattern.as_str();
        while let Some(at) = rest.find("(?P<") {
            rest = &rest[at + 4..];
            if let Some(end) = rest.find('>') {
                names.insert(rest[..end].to_owned());
            }
        }
    }
    names
}

/// What a lookup will not fill in, since a value may not stand there. The rest of the entry is used.
fn unfillable(entry: &Entry) -> Vec<String> {
    if !entry.fix.iter().any(|step| step.text.contains('{')) {
        return Vec::new();
    }
    let declared = captures(entry);
    let mut out = Vec::new();
    for (number, step) in (1..).zip(&entry.fix) {
        let step = &step.text;
        for place in places(step, &declared) {
            if let Form::Never(reason) = place.form {
                let name = place.name(step);
                out.push(format!("step {number}: {{{name}}} stands {reason}; it is shown as <{name}>"));
            }
        }
    }
    out
}

/// All knowledge that patterns can reach.
#[derive(Debug)]
pub struct Canon {
    entries: Vec<Stored>,
    /// Ids and former ids; made when one is asked for.
    by_id: OnceLock<Ids>,
    /// The patterns that are compiled in, if they are in use.
    builtin: Option<Matcher>,
    own: Matcher,
    /// Entries of the program that a pack of somebody else replaces: their patterns do not count.
    replaced: HashSet<usize>,
    digest: String,
}

type Ids = HashMap<Cow<'static, str>, usize>;

/// Ids first, so that a former id never hides a present one.
fn ids(entries: &[Stored], aliases: &[(Cow<'static, str>, usize)]) -> Ids {
    let mut ids: Ids = entries.iter().enumerate().map(|(at, stored)| (stored.id.clone(), at)).collect();
    for (alias, at) in aliases {
        ids.entry(alias.clone()).or_insert(*at);
    }
    ids
}

/// Former ids of the entries that are compiled in.
fn builtin_aliases() -> Vec<(Cow<'static, str>, usize)> {
    ALIASES.iter().map(|(alias, entry)| (Cow::Borrowed(*alias), *entry as usize)).collect()
}

impl Canon {
    /// The built-in packs with others over them. What cannot be used is left out and reported.
    pub fn load(sources: &[PackSource]) -> (Self, Vec<PackProblem>) {
        Loader::default().builtin().add(sources).finish()
    }

    /// Only the given packs, without the built-in ones.
    pub fn only(sources: &[PackSource]) -> (Self, Vec<PackProblem>) {
        Loader::default().add(sources).finish()
    }

    /// All entries; indices are stable for the life of the value.
    pub fn entries(&self) -> &[Stored] {
        &self.entries
    }

    /// The index of an entry by id or former id.
    pub fn index_of(&self, id: &str) -> Option<usize> {
        // Only what is compiled in is not filed yet.
        self.by_id.get_or_init(|| ids(&self.entries, &builtin_aliases())).get(id).copied()
    }

    /// Differs whenever what is derived from the entries might: with their texts, and with how texts are read.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// All pattern matches in cleaned text, in the order of their position.
    pub fn find(&self, text: &str) -> Vec<PatternHit> {
        let builtin = self.builtin.as_ref().map(|all| all.find(text, &|entry| !self.replaced.contains(&entry)));
        let mut hits = builtin.unwrap_or_default();
        hits.extend(self.own.find(text, &|_| true));
        in_order(&mut hits);
        hits
    }
}

/// Gathers entries and patterns, layer by layer.
#[derive(Default)]
struct Loader {
    entries: Vec<Stored>,
    aliases: Vec<(Cow<'static, str>, usize)>,
    /// Present ids, once packs beyond the program's are added.
    by_id: Option<Ids>,
    builtin: Option<Matcher>,
    patterns: Vec<(Pattern, Required)>,
    replaced: HashSet<usize>,
    problems: Vec<PackProblem>,
    /// What is left for packs beyond the program's.
    room: Room,
    /// Of everything read so far.
    digest: String,
}

impl Loader {
    fn builtin(mut self) -> Self {
        self.digest.push_str(DIGEST);
        self.builtin = Some(Matcher::builtin());
        self.entries.extend(compiled_entries().map(|(pack, entry, squeezed)| Stored {
            id: Cow::Borrowed(entry.id),
            layer: PackLayer::Builtin,
            pack: Cow::Borrowed(pack.name),
            replaces: None,
            squeezed: Some(squeezed),
            entry: OnceLock::new(),
        }));
        self
    }

    fn add(mut self, sources: &[PackSource]) -> Self {
        if !sources.is_empty() {
            self.aliases = if self.builtin.is_some() { builtin_aliases() } else { Vec::new() };
            self.by_id = Some(ids(&self.entries, &[]));
        }
        let mut sources: Vec<&PackSource> = sources.iter().collect();
        sources.sort_by_key(|source| source.layer);
        for source in sources {
            self.digest = sha256_hex(format!("{} {} {}", self.digest, source.layer.label(), source.text).as_bytes());
            let pack: PackFile = match serde_json::from_str(&source.text) {
                Ok(pack) => pack,
                Err(e) => {
                    self.problem(source, format!("not a canon pack: {e}"));
                    continue;
                }
            };
            if !(1..=SCHEMA_VERSION).contains(&pack.schema_version) {
                let version = pack.schema_version;
                self.problem(
                    source,
                    format!("schema version {version} is not one of 1 to {SCHEMA_VERSION}, which this program reads"),
                );
                continue;
            }
            for entry in pack.entries {
                // Told once a pack: thousands of entries may follow.
                if let Err(message) = self.room.take(source.layer, &entry) {
                    self.problem(source, message);
                    break;
                }
                self.add_entry(source, &pack.pack, entry);
            }
        }
        self
    }

    fn add_entry(&mut self, source: &PackSource, pack: &str, mut entry: Entry) {
        entry.fold();
        let id: Cow<'static, str> = Cow::Owned(entry.id.clone());
        let by_id = self.by_id.get_or_insert_with(Ids::new);
        let known = by_id.get(&id).copied();
        let at = known.unwrap_or(self.entries.len());
        let replaces = known.map(|at| self.entries[at].layer);
        if replaces == Some(source.layer) {
            self.problem(source, format!("{id} stands there twice; the first is used"));
            return;
        }
        by_id.insert(id.clone(), at);
        if known.is_some() {
            self.patterns.retain(|(pattern, _)| pattern.entry != at);
            self.replaced.insert(at);
        }
        let specific = entry.error_patterns.iter().map(|p| (p, false));
        for (one, generic) in specific.chain(entry.generic_patterns.iter().map(|p| (p, true))) {
            let pattern = &one.pattern;
            match Pattern::new(at, pattern, generic) {
                Ok(pattern) => self.patterns.push(pattern),
                Err(message) => self.problem(source, format!("{id}: {message}: {pattern}")),
            }
        }
        for message in unfillable(&entry) {
            self.problem(source, format!("{id}: {message}"));
        }
        self.aliases.extend(entry.aliases.iter().map(|alias| (Cow::Owned(alias.clone()), at)));
        let pack = Cow::Owned(line(pack).into_owned());
        let stored =
            Stored { id, layer: source.layer, pack, replaces, squeezed: None, entry: OnceLock::from(Box::new(entry)) };
        match known {
            Some(at) => self.entries[at] = stored,
            None => self.entries.push(stored),
        }
    }

    fn problem(&mut self, source: &PackSource, message: String) {
        self.problems.push(PackProblem { origin: source.origin.clone(), message });
    }

    fn finish(self) -> (Canon, Vec<PackProblem>) {
        let by_id = OnceLock::new();
        if self.by_id.is_some() || self.builtin.is_none() {
            by_id.get_or_init(|| ids(&self.entries, &self.aliases));
        }
        let own = Matcher::new(self.patterns);
        let Self { entries, builtin, replaced, digest, problems, .. } = Self { patterns: Vec::new(), ..self };
        (Canon { entries, by_id, builtin, own, replaced, digest }, problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(layer: PackLayer, title: &str) -> PackSource {
        let text = serde_json::json!({"schema_version": 1, "pack": "p", "title": "P", "entries": [
            {"id": "p/a", "title": title, "error_patterns": ["disk (?P<d>\\w+) is full"], "cause": "c",
             "fix": ["f"], "aliases": ["p/old"]}
        ]});
        PackSource { layer, origin: "p.json".into(), text: text.to_string().into() }
    }

    #[test]
    fn the_nearest_layer_wins_and_says_so() {
        let (canon, problems) =
            Canon::only(&[source(PackLayer::Repository, "ours"), source(PackLayer::Builtin, "theirs")]);
        assert!(problems.is_empty());
        let at = canon.index_of("p/old").unwrap();
        assert_eq!(
            (canon.entries()[at].entry().title.as_str(), canon.entries()[at].replaces),
            ("ours", Some(PackLayer::Builtin))
        );
        assert_eq!(canon.find("disk sda is full")[0].captures["d"], "sda");
    }

    #[test]
    fn the_digest_tells_packs_apart() {
        let digest = |sources: &[PackSource]| Canon::load(sources).0.digest().to_owned();
        let (ours, theirs) = (source(PackLayer::User, "ours"), source(PackLayer::User, "theirs"));
        let all = [
            digest(&[]),
            digest(std::slice::from_ref(&ours)),
            digest(&[theirs]),
            digest(&[source(PackLayer::Repository, "ours")]),
        ];
        assert!((1..4).all(|at| !all[..at].contains(&all[at])), "{all:?}");
        assert_eq!(digest(&[ours]), all[1]);
    }

    #[test]
    fn what_is_broken_is_reported_and_the_rest_used() {
        let broken = PackSource { layer: PackLayer::User, origin: "x.json".into(), text: "{nope".into() };
        let twice = source(PackLayer::Builtin, "again");
        let (canon, problems) = Canon::only(&[source(PackLayer::Builtin, "once"), twice, broken]);
        assert_eq!((canon.entries().len(), problems.len()), (1, 2));
    }

    #[test]
    fn a_step_that_cannot_be_filled_is_told_of() {
        let mut bad = source(PackLayer::User, "ours");
        bad.text = bad.text.replace("[\"f\"]", "[\"Run `apply -var '{d}=1'` on {d}.\"]").into();
        let (canon, problems) = Canon::only(&[bad]);
        assert_eq!(canon.entries().len(), 1);
        assert!(
            problems.len() == 1 && problems[0].message.starts_with("p/a: step 1: {d} stands in quotes"),
            "{problems:?}"
        );
    }

    #[test]
    fn the_built_in_packs_load_without_a_problem() {
        assert_eq!(Canon::load(&[]).1, []);
    }
}
