//! A search over everything: entries of the packs and indexed items in one ranking, behind one gate.
//!
//! Candidates come from vectors and from keywords; both signals are then computed for each of them, so that it does not
//! matter which one found it. A question's background is taken over everything that is known, not over what a filter
//! leaves: whether an item is near enough must not depend on how few others were asked.

use super::fuse::{Collection, fuse};
use super::gate::Gates;
use super::lookup::{Filters, Knowledge, Semantics, explanation};
use super::question::{Question, ROLES, vectors};
use super::relevance::{Background, Bm25, Evidence, Ground, Judged, Reach, Said, Similarity, WORD_WEIGHT, Words};
use super::rerank::{READ, order};
use super::score::{frequency, recency, score};
use super::snippet::snippet;
use super::stage::{OnStage, Stage};
use crate::ann::Index;
use crate::canon::Layer;
use crate::embed::{EmbedError, Reranker};
use crate::store::{Database, ItemFilter, StoreError, Usage};
use crate::text::{fingerprint, for_each_token, mask, single_line, strip_controls, text_hash};
use crate::types::{
    Answer, Asked, Content, Explanation, Finding, Hit, Item, Kind, Passage, Role, Semantic, Signals, Tier, Verdict,
    WhyNot, embedded,
};
use std::collections::{HashMap, HashSet};

/// Candidates that each of vectors and keywords may name; as many as are to be shown, if that is more.
const CANDIDATES: usize = 200;

/// Longest snippet in characters.
const SNIPPET_CHARS: usize = 240;

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
        }
    }
}

impl SearchOptions {
    /// Whether entries of packs may answer: they lie in no file and count everywhere.
    fn admits_canon(&self) -> bool {
        let filter = &self.filter;
        let kind = filter.kinds.is_empty() || filter.kinds.contains(&Kind::Canon);
        let scope = filter.scopes.is_empty() || filter.scopes.iter().any(|scope| scope.as_str() == "global");
        kind && scope && filter.path.is_none()
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
struct Candidate {
    uid: String,
    signals: Signals,
    judged: Judged,
    score: f32,
    /// Relevance that its sort must reach.
    gate: f32,
    /// What the cross-encoder said, if it was asked.
    logit: Option<f32>,
    what: What,
}

impl Candidate {
    fn passes(&self) -> bool {
        self.judged.relevance >= self.gate
    }

    /// What a cross-encoder reads of it.
    fn text(&self, knowledge: &Knowledge) -> String {
        match &self.what {
            What::Entry(index) => {
                let entry = knowledge.canon().entries()[*index].entry();
                format!("{}. {}", entry.title, entry.cause)
            }
            What::Item(item) => embedded(&item.title, &item.body),
        }
    }
}

enum What {
    Entry(usize),
    Item(Box<Item>),
}

/// Searches everything for `question` at `now_ms`. The first of `models` is `None` when there is none that is usable, the
/// second when no cross-encoder is to be asked. `stage` hears what is being
/// done.
///
/// # Errors
/// [`SearchError`] when a model or the database fails.
pub fn search(
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    question: &str,
    options: &SearchOptions,
    (semantics, reranker): (Option<&Semantics>, Option<&dyn Reranker>),
    now_ms: i64,
    stage: OnStage<'_>,
) -> Result<Answer, SearchError> {
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
    let fused = asked.fuse(&entries, &items, documents);
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
    let mut candidates: Vec<Candidate> = Vec::new();
    for ((near, uid), judged) in entries.near.iter().zip(&entries.uids).zip(&judged[0]) {
        let priors = (None, Some(used(&usage, uid)));
        candidates.push(weigh((*uid).to_owned(), *judged, priors, entry_gate, What::Entry(near.entry)));
    }
    for (found, judged) in items.all.into_iter().zip(&judged[1]) {
        let priors = (Some(recency(found.item.updated_at, now_ms)), Some(used(&usage, &found.item.uid)));
        candidates.push(weigh(found.item.uid.clone(), *judged, priors, item_gate, What::Item(found.item)));
    }
    // Scores near 0 or 1 run out of digits before the closeness that they are made from does.
    candidates.sort_by(|a, b| {
        let closer = || b.judged.closeness.total_cmp(&a.judged.closeness);
        b.score.total_cmp(&a.score).then_with(closer).then_with(|| a.uid.cmp(&b.uid))
    });
    let reranked = match reranker {
        Some(reranker) => rerank(&mut candidates, reranker, question, knowledge, options.explain)?,
        None => false,
    };
    stage(Stage::Rest);
    let passed = || candidates.iter().filter(|candidate| candidate.passes());
    let keyword_weights = fused.grounds.map(|ground| ground.keyword_weight());
    let hits = select(knowledge, documents, &asked, passed(), keyword_weights, options);
    let why_not = options.why_not.as_deref().map(|id| why_not(id, knowledge, documents, &candidates, &hits, item_gate));
    let semantic = if asked.vector.is_some() { Semantic::On } else { Semantic::Off };
    let fingerprint = fingerprint(&mask(question));
    let finding = Finding {
        error: Asked {
            headline: single_line(question, 300),
            line_start: 1,
            line_end: question.lines().count().max(1),
            repeated: 1,
            fingerprint,
        },
        verdict: Verdict::from(hits.first().map(|hit| hit.tier)),
        semantic,
        reranked,
        hits,
        why_not: why_not.transpose()?,
    };
    Ok(Answer { schema_version: 1, errors_found: 1, errors_shown: 1, took_ms: 0.0, results: vec![finding] })
}

/// Lets a cross-encoder read the first candidates that pass and orders them by what it says and their closeness. Their
/// scores are dealt out anew in that order; everything else stays as it was. It is not asked where at most one passes,
/// unless that one is to be explained.
fn rerank(
    candidates: &mut [Candidate],
    reranker: &dyn Reranker,
    question: &str,
    knowledge: &Knowledge,
    explain: bool,
) -> Result<bool, EmbedError> {
    let passing = candidates.iter().enumerate().filter(|(_, candidate)| candidate.passes());
    let places: Vec<usize> = passing.map(|(place, _)| place).take(READ).collect();
    if places.len() < if explain { 1 } else { 2 } {
        return Ok(false);
    }
    let texts: Vec<String> = places.iter().map(|&place| candidates[place].text(knowledge)).collect();
    let logits = reranker.score(question, &texts.iter().map(String::as_str).collect::<Vec<_>>())?;
    let closeness: Vec<f32> = places.iter().map(|&place| candidates[place].judged.closeness).collect();
    let scores: Vec<f32> = places.iter().map(|&place| candidates[place].score).collect();
    for (&place, logit) in places.iter().zip(&logits) {
        candidates[place].logit = Some(*logit);
    }
    // Whose turn it is goes into the place; who was there waits where the other came from.
    let mut now: Vec<usize> = (0..places.len()).collect();
    for (at, old) in order(&closeness, &logits).into_iter().enumerate() {
        let from = now.iter().position(|who| *who == old).unwrap_or(at);
        candidates.swap(places[at], places[from]);
        now.swap(at, from);
    }
    for (&place, score) in places.iter().zip(scores) {
        candidates[place].score = score;
    }
    Ok(true)
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
    Candidate { uid, signals, judged, score: score(judged.relevance, recency, frequency), gate, logit: None, what }
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
/// As [`search`].
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
    let fused = asked.fuse(&entries, &items, Some(documents));
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
struct Asking<'a> {
    words: Words,
    semantics: Option<&'a Semantics>,
    vector: Option<Vec<f32>>,
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
            let rows = admitted.as_ref().map(|_| vectors.rows_where(|owner| is_admitted(owner as i64)));
            let found = vectors.search(vector, most, rows.as_ref());
            let background = match rows {
                Some(_) => &vectors.search(vector, self.neighbours() + 1, None),
                None => &found,
            };
            nearest.extend(background.iter().take(self.neighbours() + 1).map(|neighbour| neighbour.similarity));
            for neighbour in &found {
                ids.extend(vectors.image().owners_of(neighbour.row).map(|(owner, _)| owner as i64));
            }
        }
        (self.stage)(Stage::Rest);
        ids.sort_unstable();
        ids.dedup();
        // A text that several items share may belong to one that is not admitted.
        ids.retain(|id| is_admitted(*id));
        let found = database.items(&ids)?;
        let texts: Vec<String> = found.iter().map(|(_, item)| embedded(&item.title, &item.body)).collect();
        (self.stage)(by_words);
        let corpus = database.corpus()?;
        let bm25 = Bm25 { texts: corpus.items, mean_length: corpus.words as f32 / corpus.items.max(1) as f32 };
        let reach = bm25.reach(asked.iter().map(|(_, weight)| *weight).zip(holders.iter().copied()));
        let known: HashMap<&str, (f32, usize)> =
            asked.iter().zip(&holders).map(|((word, weight), holders)| (*word, (*weight, *holders))).collect();
        let words = |text: &String| options.legs.keyword.then(|| text_words(text, &known, &bm25));
        let words: Vec<Option<f32>> = texts.iter().map(words).collect();
        let mut out = Items { reach, texts: corpus.items, ..Items::default() };
        let vectors = documents.vectors.zip(self.vector.as_ref());
        (self.stage)(if vectors.is_some() { Stage::Vectors } else { Stage::Rest });
        for (((_, item), text), words) in found.into_iter().zip(&texts).zip(words) {
            // By the hash of the very text that would be shown: a vector file that belongs to other items finds nothing.
            let row = vectors.and_then(|(vectors, _)| vectors.image().row_of(&text_hash(text)));
            let cosine = vectors.zip(row).and_then(|((vectors, query), row)| vectors.similarity(query, row));
            out.evidence.push(Evidence { cosine, words, ..Evidence::default() });
            out.all.push(FoundItem { item: Box::new(item), row });
        }
        Ok(out)
    }

    fn fuse(&self, entries: &Entries<'_>, items: &Items, documents: Option<&Documents<'_>>) -> Fused {
        let rows = documents.and_then(|documents| documents.vectors);
        let weight = |documents| self.fit(documents).map_or(WORD_WEIGHT, |fit| fit.weight);
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
                vector: &|at| rows?.image().checked(items.all[at].row?),
            },
        ];
        let grounds = fuse(&mut collections, self.vector.as_deref());
        Fused { grounds, evidence: collections.map(|collection| collection.evidence) }
    }
}

/// BM25 of a text for words of such weights and with so many holders.
fn text_words(text: &str, words: &HashMap<&str, (f32, usize)>, bm25: &Bm25) -> f32 {
    let mut counts: HashMap<&str, f32> = HashMap::new();
    let mut length = 0.0;
    for_each_token(text, |token| {
        length += 1.0;
        if let Some((word, _)) = words.get_key_value(token) {
            *counts.entry(word).or_default() += 1.0;
        }
    });
    let norm = bm25.norm(length);
    // In a fixed order: sums of floats depend on it.
    let mut counts: Vec<(&str, f32)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(word, _)| *word);
    let part = |(word, count): (&str, f32)| {
        let (weight, holders) = words[word];
        weight * bm25.part(holders, count, norm)
    };
    counts.into_iter().map(part).sum()
}

/// What is shown: each text once, nothing from files that are gone.
fn select<'c>(
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    asked: &Asking<'_>,
    passed: impl Iterator<Item = &'c Candidate>,
    keyword_weights: [f32; 2],
    options: &SearchOptions,
) -> Vec<Hit> {
    let words: HashSet<&str> = asked.words.iter().map(|(word, _)| word).collect();
    let mut shown: HashMap<(&str, &str), usize> = HashMap::new();
    let mut hits: Vec<Hit> = Vec::new();
    for candidate in passed {
        if let What::Item(item) = &candidate.what {
            if let (Some(path), Some(documents)) = (&item.path, documents)
                && !(documents.present)(path)
            {
                continue;
            }
            let twin = shown.get(&(item.title.as_str(), item.body.as_str())).filter(|_| !options.repeats);
            if let Some(&at) = twin {
                if let Some(Content::Passage(passage)) = hits.get_mut(at).map(|hit| &mut hit.content) {
                    passage.also_in += 1;
                }
                continue;
            }
            shown.insert((&item.title, &item.body), hits.len());
        }
        // Beyond the limit only other places of what is shown are counted.
        if hits.len() < options.limit {
            hits.push(hit(knowledge, candidate, &words, keyword_weights, options.explain));
        }
    }
    hits
}

fn hit(
    knowledge: &Knowledge,
    candidate: &Candidate,
    words: &HashSet<&str>,
    keyword_weights: [f32; 2],
    explain: bool,
) -> Hit {
    let (kind, title, source, passage) = match &candidate.what {
        What::Entry(index) => {
            let stored = &knowledge.canon().entries()[*index];
            let snippet = single_line(&stored.entry().cause, SNIPPET_CHARS);
            let passage = Passage { snippet, ..Passage::default() };
            (Kind::Canon, stored.entry().title.clone(), stored.source(), passage)
        }
        What::Item(item) => {
            let passage = Passage {
                snippet: snippet(&item.body, words, SNIPPET_CHARS),
                path: item.path.as_deref().map(|path| strip_controls(path).into_owned()),
                line_start: item.span.map(|span| span.line_start),
                line_end: item.span.map(|span| span.line_end),
                also_in: 0,
            };
            (item.kind, single_line(&item.title, SNIPPET_CHARS), "index".to_owned(), passage)
        }
    };
    Hit {
        id: candidate.uid.clone(),
        kind,
        title,
        content: Content::Passage(passage),
        score: candidate.score,
        relevance: candidate.judged.relevance,
        tier: Tier::Close,
        source,
        overrides_canon: false,
        override_reason: None,
        explain: explain.then(|| {
            let weight = keyword_weights[usize::from(kind != Kind::Canon)];
            let known = (&candidate.judged, weight);
            let explanation = explanation(candidate.signals.clone(), Some(known), candidate.gate, None);
            Explanation { rerank: candidate.logit, ..explanation }
        }),
    }
}

fn why_not(
    id: &str,
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    candidates: &[Candidate],
    hits: &[Hit],
    gate: f32,
) -> Result<WhyNot, StoreError> {
    let id = strip_controls(id).into_owned();
    let scored = candidates.iter().find(|candidate| candidate.uid == id);
    let (stage, reason) = if let Some(place) = hits.iter().position(|hit| hit.id == id) {
        ("shown", format!("it is hit {}", place + 1))
    } else if let Some(candidate) = scored {
        let path = match &candidate.what {
            What::Item(item) => item.path.as_deref(),
            What::Entry(_) => None,
        };
        let gone = path.zip(documents).is_some_and(|(path, documents)| !(documents.present)(path));
        let short = candidate.gate - candidate.judged.relevance;
        if short > 0.0 {
            ("gate", format!("its relevance is {short:.3} short of the gate"))
        } else if gone {
            ("filters", "its file is gone".to_owned())
        } else {
            ("limit", "others come before it, or hold the same text".to_owned())
        }
    } else {
        let known = match documents {
            Some(documents) => documents.database.item_id(&id)?.is_some(),
            None => false,
        } || knowledge.canon().index_of(&id).is_some();
        match known {
            true => (
                "candidates",
                "a filter excludes it, or it is neither near the question nor shares its words".to_owned(),
            ),
            false => ("candidates", "nothing has this id".to_owned()),
        }
    };
    Ok(WhyNot {
        id,
        stage,
        reason,
        relevance: scored.map(|s| s.judged.relevance),
        gate: scored.map_or(gate, |s| s.gate),
        margin: scored.map(|s| s.judged.relevance - s.gate),
        signals: scored.map(|s| s.signals.clone()),
    })
}
