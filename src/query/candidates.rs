//! What could answer a question: entries of the packs and indexed items, found by vectors and by words, each with what
//! speaks for it, in the order in which it would be shown.
//!
//! Both signals are computed for each candidate, so that it does not matter which one found it. A question's background
//! is taken over everything that is known, not over what a filter leaves: whether an item is near enough must not depend
//! on how few others were asked.

use super::fuse::{Collection, fuse};
use super::gate::Gates;
use super::lookup::{Filters, Knowledge, Semantics};
use super::question::{Question, ROLES, vectors};
use super::relevance::{
    Background, Bm25, Evidence, Ground, Judged, Reach, Said, Shared, Similarity, WORD_WEIGHT, Weighed, Words,
};
use super::score::{frequency, recency, score};
use super::stage::{OnStage, Stage};
use crate::ann::Index;
use crate::canon::Layer;
use crate::embed::EmbedError;
use crate::store::{Database, ItemFilter, ReadItems, ReadUsage, ReadWords, StoreError, Usage};
use crate::text::text_hash;
use crate::types::{Item, Kind, Role, Signals};
use std::collections::HashMap;

/// Candidates that each of vectors and keywords may name; as many as are to be shown, if that is more.
const CANDIDATES: usize = 200;

/// Which signals a search is made of. All of them, unless their parts are to be measured one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Legs {
    /// The embeddings.
    pub semantic: bool,
    /// The words.
    pub keyword: bool,
}

impl Default for Legs {
    fn default() -> Self {
        Self { semantic: true, keyword: true }
    }
}

/// How a search is done.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// Hits.
    pub limit: usize,
    /// Relevance to ask for in place of the calibrated gate, in \[0, 1\].
    pub min_relevance: Option<f32>,
    /// Which items may answer.
    pub filter: ItemFilter,
    /// Whether hits explain themselves.
    pub explain: bool,
    /// An item whose absence is to be explained.
    pub why_not: Option<String>,
    /// Which signals count.
    pub legs: Legs,
    /// As which sides of a search the question is embedded; its vector is their mean.
    pub roles: &'static [Role],
    /// Whether the question's text is embedded as it stands, and not what of it carries meaning.
    pub whole: bool,
    /// Whether a text that several items hold is shown for each of them, and not once.
    pub repeats: bool,
    /// Whether a cross-encoder reads the first candidates and has a say in their order.
    pub rerank: bool,
    /// Weight of words in place of the calibrated one.
    pub word_weight: Option<f32>,
    /// Whether the question is moved towards what it found first.
    pub feedback: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            limit: 5,
            min_relevance: None,
            filter: ItemFilter::default(),
            explain: false,
            why_not: None,
            legs: Legs::default(),
            roles: ROLES,
            whole: false,
            repeats: false,
            rerank: false,
            word_weight: None,
            feedback: true,
        }
    }
}

impl SearchOptions {
    /// Whether entries of packs may answer: they lie in no file and count everywhere.
    fn admits_canon(&self) -> bool {
        let filter = &self.filter;
        let kind = filter.kinds.is_empty() || filter.kinds.contains(&Kind::Canon);
        let scope = filter.scopes.is_empty() || filter.scopes.iter().any(|scope| scope.as_str() == "global");
        kind && scope && filter.paths.is_empty()
    }

    fn candidates(&self) -> usize {
        CANDIDATES.max(self.limit)
    }
}

/// What is indexed.
pub struct Documents<'a> {
    /// Where the items are.
    pub database: &'a Database,
    /// Their vectors; none while there is no model, or none was ever used.
    pub vectors: Option<&'a Index>,
    /// Whether a file is still there; hits of files that are gone are never shown.
    pub present: &'a dyn Fn(&str) -> bool,
}

/// A search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The model failed on the question.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// What is stored could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One of the known things, with what speaks for it.
pub(super) struct Candidate {
    pub uid: String,
    pub signals: Signals,
    pub judged: Judged,
    pub score: f32,
    /// Relevance that its sort must reach.
    pub gate: f32,
    /// Its vector's row, for an indexed item that has one.
    pub row: Option<u32>,
    /// What the cross-encoder said, if it was asked.
    pub logit: Option<f32>,
    pub what: What,
}

impl Candidate {
    pub fn passes(&self) -> bool {
        self.judged.relevance >= self.gate
    }

    /// What a cross-encoder reads of it.
    pub fn text(&self, knowledge: &Knowledge) -> String {
        match &self.what {
            What::Entry(index) => {
                let entry = knowledge.canon().entries()[*index].entry();
                format!("{}. {}", entry.title, entry.cause)
            }
            What::Item(item) => item.text(),
        }
    }
}

/// What could answer.
pub(super) enum What {
    /// An entry, by its place.
    Entry(usize),
    /// An indexed item.
    Item(Box<Item>),
}

/// Everything that could answer, best first, and the question that it could answer.
pub(super) struct Ranked<'a> {
    pub asked: Asking<'a>,
    pub candidates: Vec<Candidate>,
    /// The factor of the keyword signal in closeness, of entries and of items.
    pub keyword_weights: [f32; 2],
    /// Relevance that an item must reach.
    pub item_gate: f32,
    /// What the question's words weigh among items; none where there are no items, or words do not count.
    pub weighed: Option<Weighed>,
    /// What holds for all items.
    pub item_ground: Ground,
}

/// Ranks everything for `question` at `now_ms`.
///
/// # Errors
/// [`SearchError`] when the model or the database fails.
pub(super) fn rank<'a>(
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    question: &str,
    options: &SearchOptions,
    semantics: Option<&'a Semantics>,
    now_ms: i64,
    stage: OnStage<'a>,
) -> Result<Ranked<'a>, SearchError> {
    let semantics = semantics.filter(|_| options.legs.semantic);
    let mut asked = Question::new(question);
    if options.whole {
        question.clone_into(&mut asked.text);
    }
    let vector = semantics.map(|semantics| {
        stage(Stage::Embed);
        vectors(&[&asked], options.roles, semantics)
    });
    let vector = vector.transpose()?.and_then(|vectors| vectors.into_iter().next());
    let asked = Asking { words: asked.words, semantics, vector, stage };
    let mut nearest = Vec::new();
    let entries = asked.entries(knowledge, options, &mut nearest);
    let items = match documents {
        Some(documents) => asked.items(documents, options, &mut nearest)?,
        None => Items::default(),
    };
    stage(Stage::Fuse);
    let background = Background::new(nearest, asked.neighbours());
    let fused = asked.fuse(&entries, &items, documents, options);
    let judge = |at: usize| fused.grounds[at].judge(&fused.evidence[at], &background, asked.fit(at == 1));
    let judged = [judge(0), judge(1)];
    stage(Stage::Rest);
    let uids: Vec<&str> = entries.uids.iter().copied().chain(items.all.iter().map(|i| i.item.uid.as_str())).collect();
    let usage = match documents {
        Some(documents) => documents.database.usage(&uids)?,
        None => HashMap::new(),
    };
    stage(Stage::Fuse);
    let gates = |documents| Gates::new(asked.fit(documents), options.min_relevance).among(1);
    let (entry_gate, item_gate) = (gates(false), gates(true));
    let weighed = items.weighed;
    let mut candidates: Vec<Candidate> = Vec::new();
    for ((near, uid), judged) in entries.near.iter().zip(&entries.uids).zip(&judged[0]) {
        let priors = (None, Some(used(&usage, uid)));
        candidates.push(weigh((*uid).to_owned(), *judged, priors, entry_gate, What::Entry(near.entry)));
    }
    for (found, judged) in items.all.into_iter().zip(&judged[1]) {
        let priors = (Some(recency(found.item.updated_at, now_ms)), Some(used(&usage, &found.item.uid)));
        let candidate = weigh(found.item.uid.clone(), *judged, priors, item_gate, What::Item(found.item));
        candidates.push(Candidate { row: found.row, ..candidate });
    }
    // Scores near 0 or 1 run out of digits before the closeness that they are made from does.
    candidates.sort_by(|a, b| {
        let closer = || b.judged.closeness.total_cmp(&a.judged.closeness);
        b.score.total_cmp(&a.score).then_with(closer).then_with(|| a.uid.cmp(&b.uid))
    });
    let keyword_weights = fused.grounds.map(|ground| ground.keyword_weight());
    Ok(Ranked { asked, candidates, keyword_weights, item_gate, weighed, item_ground: fused.grounds[1] })
}

fn used(usage: &HashMap<String, Usage>, uid: &str) -> f32 {
    usage.get(uid).map_or(0.0, |usage| frequency(usage.days))
}

/// From what a candidate came to and its priors to its score.
fn weigh(
    uid: String,
    judged: Judged,
    (recency, frequency): (Option<f32>, Option<f32>),
    gate: f32,
    what: What,
) -> Candidate {
    let signals = Signals { canon: None, semantic: judged.semantic, keyword: judged.keyword, recency, frequency };
    Candidate {
        uid,
        signals,
        judged,
        score: score(judged.relevance, recency, frequency),
        gate,
        row: None,
        logit: None,
        what,
    }
}

/// The indexed items that a search would put before the gate, with what speaks for each.
#[derive(Debug, Clone, Default)]
pub struct ProbedItems {
    /// What holds for all of them.
    pub ground: Ground,
    /// How near the question is to everything.
    pub background: Background,
    /// Public ids and evidence, in no order.
    pub items: Vec<(String, Evidence)>,
}

/// What a search among indexed items alone would put before the gate: to calibrate it.
///
/// # Errors
/// As [`search()`](super::search()).
pub fn probe_items(
    knowledge: &Knowledge,
    documents: &Documents<'_>,
    question: &str,
    semantics: &Semantics,
) -> Result<ProbedItems, SearchError> {
    let filter = ItemFilter { kinds: vec![Kind::Chunk], ..ItemFilter::default() };
    let options = SearchOptions { filter, ..SearchOptions::default() };
    let asked = Question::new(question);
    let vector = vectors(&[&asked], options.roles, semantics)?.into_iter().next();
    let asked = Asking { words: asked.words, semantics: Some(semantics), vector, stage: &|_| {} };
    let mut nearest = Vec::new();
    let entries = asked.entries(knowledge, &options, &mut nearest);
    let items = asked.items(documents, &options, &mut nearest)?;
    let fused = asked.fuse(&entries, &items, Some(documents), &options);
    let [_, evidence] = fused.evidence;
    Ok(ProbedItems {
        ground: fused.grounds[1],
        background: Background::new(nearest, asked.neighbours()),
        items: items.all.into_iter().map(|found| found.item.uid).zip(evidence).collect(),
    })
}

/// Entries and items, in this order, after the question was moved towards the closest of both.
struct Fused {
    grounds: [Ground; 2],
    evidence: [Vec<Evidence>; 2],
}

/// A question with everything that is known of it.
pub(super) struct Asking<'a> {
    pub words: Words,
    semantics: Option<&'a Semantics>,
    pub vector: Option<Vec<f32>>,
    stage: OnStage<'a>,
}

/// The entries of packs that may answer.
struct Entries<'k> {
    near: Vec<Similarity>,
    uids: Vec<&'k str>,
    /// In the order of `near`.
    evidence: Vec<Evidence>,
    reach: Reach,
}

/// The indexed items that may answer.
#[derive(Default)]
struct Items {
    all: Vec<FoundItem>,
    /// In the same order.
    evidence: Vec<Evidence>,
    reach: Reach,
    /// How many there are, admitted or not.
    texts: usize,
    /// What the question's words weigh among them; none where words do not count.
    weighed: Option<Weighed>,
}

struct FoundItem {
    item: Box<Item>,
    /// Its vector's.
    row: Option<u32>,
}

impl Asking<'_> {
    fn neighbours(&self) -> usize {
        self.semantics.map_or(0, |semantics| semantics.calibration.neighbours)
    }

    /// What holds for items, or for entries.
    fn fit(&self, documents: bool) -> Option<&crate::types::Fit> {
        let calibration = self.semantics.map(|semantics| &semantics.calibration)?;
        Some(if documents { calibration.of_documents() } else { &calibration.entries })
    }

    /// The entries of packs that may answer; `nearest` gets the cosines that belong to the background.
    fn entries<'k>(&self, knowledge: &'k Knowledge, options: &SearchOptions, nearest: &mut Vec<f32>) -> Entries<'k> {
        let stored = knowledge.canon().entries();
        let filters = Filters {
            provider: options.filter.provider.clone(),
            tags: options.filter.tags.clone(),
            ..Filters::default()
        };
        let may_answer = options.admits_canon();
        let admitted = |entry: usize| may_answer && filters.admit(&stored[entry]);
        let by_words = may_answer && options.legs.keyword;
        (self.stage)(if by_words { Stage::Words } else { Stage::Rest });
        let said = if by_words { knowledge.keywords().said(&self.words) } else { Said::default() };
        let mut also = said.best(usize::MAX);
        also.retain(|entry| admitted(*entry));
        also.truncate(options.candidates());
        let filter = (may_answer && !filters.is_empty()).then_some(&admitted as &dyn Fn(usize) -> bool);
        // The nearest are the background, whether they may answer or not.
        let (mut near, cosines) = match self.semantics.zip(self.vector.as_ref()) {
            Some((semantics, vector)) => {
                (self.stage)(Stage::Vectors);
                semantics.index.similarities(vector, self.neighbours(), &also, filter)
            }
            None => (also.iter().map(|&entry| Similarity { entry, ..Similarity::default() }).collect(), Vec::new()),
        };
        (self.stage)(Stage::Rest);
        nearest.extend(cosines);
        near.retain(|near| admitted(near.entry));
        let prior = self.semantics.zip(self.vector.as_ref()).map_or(0.0, |(semantics, vector)| semantics.prior(vector));
        let evidence = near.iter().map(|near| Evidence {
            hint: if stored[near.entry].layer == Layer::Builtin { prior } else { 0.0 },
            cosine: self.vector.is_some().then_some(near.cosine),
            words: options.legs.keyword.then(|| said.by_text.get(&near.entry).copied().unwrap_or(0.0)),
            ..Evidence::default()
        });
        let evidence = evidence.collect();
        Entries { uids: near.iter().map(|near| stored[near.entry].id()).collect(), near, evidence, reach: said.reach }
    }

    /// The indexed items that may answer; `nearest` gets the cosines that belong to the background.
    fn items(
        &self,
        documents: &Documents<'_>,
        options: &SearchOptions,
        nearest: &mut Vec<f32>,
    ) -> Result<Items, SearchError> {
        let database = documents.database;
        let most = options.candidates();
        let asked: Vec<(&str, f32)> = if options.legs.keyword { self.words.iter().collect() } else { Vec::new() };
        let by_words = if options.legs.keyword { Stage::Words } else { Stage::Rest };
        (self.stage)(by_words);
        let holders = database.holders(&asked.iter().map(|(word, _)| *word).collect::<Vec<_>>())?;
        let words: Vec<(&str, usize)> = asked.iter().map(|(word, _)| *word).zip(holders.iter().copied()).collect();
        let mut ids = database.keyword_candidates(&words, &options.filter, most)?;
        (self.stage)(Stage::Rest);
        let admitted = match options.filter.is_empty() {
            true => None,
            false => Some(database.admitted(&options.filter)?),
        };
        let is_admitted = |id: i64| admitted.as_ref().is_none_or(|ids| ids.binary_search(&id).is_ok());
        if let Some((vectors, vector)) = documents.vectors.zip(self.vector.as_ref()) {
            (self.stage)(Stage::Vectors);
            let rows = admitted.as_ref().map(|ids| vectors.rows_of_owners(ids.iter().map(|id| *id as u64)));
            let found = vectors.search(vector, most, rows.as_ref());
            let background = match rows {
                Some(_) => &vectors.search(vector, self.neighbours() + 1, None),
                None => &found,
            };
            nearest.extend(background.iter().take(self.neighbours() + 1).map(|neighbour| neighbour.similarity));
            for neighbour in &found {
                ids.extend(vectors.owners_of(neighbour.row).map(|(owner, _)| owner as i64));
            }
        }
        (self.stage)(Stage::Rest);
        ids.sort_unstable();
        ids.dedup();
        // A text that several items share may belong to one that is not admitted.
        ids.retain(|id| is_admitted(*id));
        let found = database.items(&ids)?;
        let texts: Vec<String> = found.iter().map(|(_, item)| item.text()).collect();
        (self.stage)(by_words);
        let corpus = database.corpus()?;
        let bm25 = Bm25 { texts: corpus.items, mean_length: corpus.words as f32 / corpus.items.max(1) as f32 };
        let reach = bm25.reach(asked.iter().map(|(_, weight)| *weight).zip(holders.iter().copied()));
        let weighed = options.legs.keyword.then(|| Weighed::new(&self.words, &holders, bm25));
        let shared = |text: &String| weighed.as_ref().map(|weighed| weighed.of(text));
        let shared: Vec<Option<Shared>> = texts.iter().map(shared).collect();
        let mut out = Items { reach, texts: corpus.items, weighed, ..Items::default() };
        let vectors = documents.vectors.zip(self.vector.as_ref());
        (self.stage)(if vectors.is_some() { Stage::Vectors } else { Stage::Rest });
        for ((_, item), shared) in found.into_iter().zip(shared) {
            // By the hash of the very text that would be shown: a vector file that belongs to other items finds nothing.
            let row = vectors.and_then(|(vectors, _)| vectors.row_of(&text_hash(&item.passage())));
            let cosine = vectors.zip(row).and_then(|((vectors, query), row)| vectors.similarity(query, row));
            let (words, covered) = (shared.map(|shared| shared.bm25), shared.map(|shared| shared.covered));
            out.evidence.push(Evidence { cosine, words, covered, ..Evidence::default() });
            out.all.push(FoundItem { item: Box::new(item), row });
        }
        Ok(out)
    }

    fn fuse(
        &self,
        entries: &Entries<'_>,
        items: &Items,
        documents: Option<&Documents<'_>>,
        options: &SearchOptions,
    ) -> Fused {
        let rows = documents.and_then(|documents| documents.vectors);
        let fitted = |documents| self.fit(documents).map_or(WORD_WEIGHT, |fit| fit.weight);
        let weight = |documents| options.word_weight.unwrap_or_else(|| fitted(documents));
        let mut collections = [
            Collection {
                evidence: entries.evidence.clone(),
                reach: entries.reach,
                texts: 0,
                weight: weight(false),
                cosine: &|at, query| self.semantics?.index.similarity(query, entries.near[at].entry),
                vector: &|at| self.semantics?.index.vector(&entries.near[at]),
            },
            Collection {
                evidence: items.evidence.clone(),
                reach: items.reach,
                texts: items.texts,
                weight: weight(true),
                cosine: &|at, query| rows?.similarity(query, items.all[at].row?),
                vector: &|at| rows?.vector(items.all[at].row?),
            },
        ];
        let grounds = fuse(&mut collections, self.vector.as_deref().filter(|_| options.feedback));
        Fused { grounds, evidence: collections.map(|collection| collection.evidence) }
    }
}
