//! A search over everything: entries of the packs and indexed items in one ranking, behind one gate.
//!
//! Candidates come from vectors and from keywords; both signals are then computed for each of them, so that it does not
//! matter which one found it. A question's background is taken over everything that is known, not over what a filter
//! leaves: whether an item is near enough must not depend on how few others were asked.

use super::gate::{Gates, KEYWORD_ONLY};
use super::lookup::{Filters, Knowledge, Semantics, explanation};
use super::relevance::{Background, Bm25, KeywordIndex, Similarity, question_words, similar};
use super::score::{frequency, recency, score};
use super::snippet::snippet;
use crate::ann::Index;
use crate::embed::EmbedError;
use crate::store::{Database, ItemFilter, StoreError, Usage};
use crate::text::{fingerprint, for_each_token, mask, single_line, strip_controls, text_hash};
use crate::types::{
    Answer, Asked, Content, Finding, Hit, Item, Kind, Passage, Role, Semantic, Signals, Tier, Verdict, WhyNot, embedded,
};
use std::collections::{BTreeMap, HashMap, HashSet};

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
    /// As which side of a search the question is embedded.
    pub role: Role,
    /// Whether a text that several items hold is shown for each of them, and not once.
    pub repeats: bool,
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
            role: Role::Query,
            repeats: false,
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
    similar: f32,
    relevance: f32,
    score: f32,
    what: What,
}

enum What {
    Entry(usize),
    Item(Box<Item>),
}

/// Searches everything for `question` at `now_ms`. `semantics` is `None` when there is no usable model.
///
/// # Errors
/// [`SearchError`] when the model or the database fails.
pub fn search(
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    question: &str,
    options: &SearchOptions,
    semantics: Option<&Semantics>,
    now_ms: i64,
) -> Result<Answer, SearchError> {
    let semantics = semantics.filter(|_| options.legs.semantic);
    let vector = match semantics {
        Some(semantics) => {
            let encoded = semantics.encoder.encode(&[question], options.role, &mut |_| {})?;
            encoded.into_iter().next().map(|e| e.vector)
        }
        None => None,
    };
    let asked = Question { text: question, words: question_words(question), semantics, vector };
    let mut found = asked.entries(knowledge, options);
    let mut nearest: Vec<f32> = std::mem::take(&mut found.entry_cosines);
    let mut items = Vec::new();
    if let Some(documents) = documents {
        items = asked.items(documents, options, &mut nearest)?;
    }
    let background = Background::new(nearest, asked.neighbours());
    let uids: Vec<&str> =
        found.entries.iter().map(|e| e.uid.as_str()).chain(items.iter().map(|i| i.item.uid.as_str())).collect();
    let usage = match documents {
        Some(documents) => documents.database.usage(&uids)?,
        None => HashMap::new(),
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    for entry in found.entries.drain(..) {
        let priors = (None, Some(used(&usage, &entry.uid)));
        candidates.push(asked.weigh(
            entry.uid,
            entry.cosine,
            entry.keyword,
            &background,
            priors,
            What::Entry(entry.index),
        ));
    }
    for found in items {
        let priors = (Some(recency(found.item.updated_at, now_ms)), Some(used(&usage, &found.item.uid)));
        let uid = found.item.uid.clone();
        candidates.push(asked.weigh(uid, found.cosine, found.keyword, &background, priors, What::Item(found.item)));
    }
    // Scores near 1 run out of digits before the mix that they are made from does.
    let order = |a: &Candidate, b: &Candidate| {
        b.score.total_cmp(&a.score).then_with(|| b.similar.total_cmp(&a.similar)).then_with(|| a.uid.cmp(&b.uid))
    };
    candidates.sort_by(order);
    let gate = Gates::new(semantics.map(|s| &s.calibration), options.min_relevance).among(1);
    let passed = || candidates.iter().filter(|candidate| candidate.relevance >= gate);
    let hits = select(knowledge, documents, &asked, passed(), gate, options);
    let why_not = options.why_not.as_deref().map(|id| why_not(id, knowledge, documents, &candidates, &hits, gate));
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
        hits,
        why_not: why_not.transpose()?,
    };
    Ok(Answer { schema_version: 1, errors_found: 1, errors_shown: 1, took_ms: 0.0, results: vec![finding] })
}

fn used(usage: &HashMap<String, Usage>, uid: &str) -> f32 {
    usage.get(uid).map_or(0.0, |usage| frequency(usage.days))
}

/// A question with everything that is known of it.
struct Question<'a> {
    text: &'a str,
    words: Vec<String>,
    semantics: Option<&'a Semantics>,
    vector: Option<Vec<f32>>,
}

struct FoundEntry {
    index: usize,
    uid: String,
    cosine: Option<f32>,
    keyword: Option<f32>,
}

struct FoundItem {
    item: Box<Item>,
    cosine: Option<f32>,
    keyword: Option<f32>,
}

struct Entries {
    entries: Vec<FoundEntry>,
    /// Of all entries, admitted or not: they belong to the background.
    entry_cosines: Vec<f32>,
}

impl Question<'_> {
    fn neighbours(&self) -> usize {
        self.semantics.map_or(0, |semantics| semantics.calibration.neighbours)
    }

    /// The entries of packs that may answer.
    fn entries(&self, knowledge: &Knowledge, options: &SearchOptions) -> Entries {
        let stored = knowledge.canon().entries();
        let filters = Filters {
            provider: options.filter.provider.clone(),
            tags: options.filter.tags.clone(),
            ..Filters::default()
        };
        let may_answer = options.admits_canon();
        let admitted = |entry: usize| may_answer && filters.admit(&stored[entry]);
        let by_words = may_answer && options.legs.keyword;
        let keyword = if by_words { knowledge.keywords().signals(self.text) } else { BTreeMap::new() };
        let mut also = KeywordIndex::best(&keyword, usize::MAX);
        also.retain(|entry| admitted(*entry));
        also.truncate(options.candidates());
        let filter = (may_answer && !filters.is_empty()).then_some(&admitted as &dyn Fn(usize) -> bool);
        // The nearest are the background, whether they may answer or not.
        let (near, entry_cosines) = match self.semantics.zip(self.vector.as_ref()) {
            Some((semantics, vector)) => semantics.index.similarities(vector, self.neighbours(), &also, filter),
            None => (also.iter().map(|&entry| Similarity { entry, ..Similarity::default() }).collect(), Vec::new()),
        };
        let found = |near: Similarity| FoundEntry {
            index: near.entry,
            uid: stored[near.entry].id().to_owned(),
            cosine: self.vector.is_some().then_some(near.cosine),
            keyword: options.legs.keyword.then(|| keyword.get(&near.entry).copied().unwrap_or(0.0)),
        };
        let entries = near.into_iter().filter(|near| admitted(near.entry)).map(found).collect();
        Entries { entries, entry_cosines }
    }

    /// The indexed items that may answer; `nearest` gets the similarities that belong to the background.
    fn items(
        &self,
        documents: &Documents<'_>,
        options: &SearchOptions,
        nearest: &mut Vec<f32>,
    ) -> Result<Vec<FoundItem>, SearchError> {
        let database = documents.database;
        let most = options.candidates();
        let asked: &[String] = if options.legs.keyword { &self.words } else { &[] };
        let holders = database.holders(asked)?;
        let words: Vec<(String, usize)> = asked.iter().cloned().zip(holders).collect();
        let mut ids = database.keyword_candidates(&words, &options.filter, most)?;
        let admitted = match options.filter.is_empty() {
            true => None,
            false => Some(database.admitted(&options.filter)?),
        };
        let is_admitted = |id: i64| admitted.as_ref().is_none_or(|ids| ids.binary_search(&id).is_ok());
        if let Some((vectors, vector)) = documents.vectors.zip(self.vector.as_ref()) {
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
        ids.sort_unstable();
        ids.dedup();
        // A text that several items share may belong to one that is not admitted.
        ids.retain(|id| is_admitted(*id));
        let corpus = database.corpus()?;
        let bm25 = Bm25 { texts: corpus.items, mean_length: corpus.words as f32 / corpus.items.max(1) as f32 };
        let reachable = bm25.reachable(words.iter().map(|(_, holders)| *holders));
        let places: HashMap<&str, usize> = words.iter().map(|(word, holders)| (word.as_str(), *holders)).collect();
        // By the hash of the very text that would be shown: a vector file that belongs to other items finds nothing.
        let cosine = |item: &Item| {
            let (vectors, query) = documents.vectors.zip(self.vector.as_ref())?;
            vectors.similarity(query, vectors.image().row_of(&text_hash(&embedded(&item.title, &item.body)))?)
        };
        let found = database.items(&ids)?.into_iter().map(|(_, item)| FoundItem {
            cosine: cosine(&item),
            keyword: options.legs.keyword.then(|| keyword_signal(&item, &places, &bm25, reachable)),
            item: Box::new(item),
        });
        Ok(found.collect())
    }

    /// From signals to relevance and score.
    fn weigh(
        &self,
        uid: String,
        cosine: Option<f32>,
        keyword: Option<f32>,
        nearest: &Background,
        (recency, frequency): (Option<f32>, Option<f32>),
        what: What,
    ) -> Candidate {
        let fit = self.semantics.map(|semantics| match what {
            What::Entry(_) => semantics.calibration.of_entries(),
            What::Item(_) => semantics.calibration.of_documents(),
        });
        let semantic = cosine.zip(fit).map(|(cosine, fit)| {
            let near = Similarity { entry: 0, cosine, background: nearest.without(cosine), part: 0 };
            near.signal(&fit)
        });
        let similar = similar(semantic, keyword).unwrap_or(0.0);
        // The calibration belongs to the signals that are there: words alone have their own.
        let logistic = match (semantic, fit) {
            (Some(_), Some(fit)) => fit.relevance,
            _ => KEYWORD_ONLY.0,
        };
        let relevance = logistic.at(similar);
        let signals = Signals { canon: None, semantic, keyword, recency, frequency };
        Candidate { uid, signals, similar, relevance, score: score(relevance, recency, frequency), what }
    }
}

fn keyword_signal(item: &Item, words: &HashMap<&str, usize>, bm25: &Bm25, reachable: f32) -> f32 {
    let mut counts: HashMap<&str, f32> = HashMap::new();
    let mut length = 0.0;
    for_each_token(&embedded(&item.title, &item.body), |token| {
        length += 1.0;
        if let Some((word, _)) = words.get_key_value(token) {
            *counts.entry(word).or_default() += 1.0;
        }
    });
    let norm = bm25.norm(length);
    // In a fixed order: sums of floats depend on it.
    let mut counts: Vec<(&str, f32)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(word, _)| *word);
    let sum: f32 = counts.iter().map(|(word, count)| bm25.part(words[word], *count, norm)).sum();
    (sum / reachable).clamp(0.0, 1.0)
}

/// What is shown: each text once, nothing from files that are gone.
fn select<'c>(
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    asked: &Question<'_>,
    passed: impl Iterator<Item = &'c Candidate>,
    gate: f32,
    options: &SearchOptions,
) -> Vec<Hit> {
    let words: HashSet<&str> = asked.words.iter().map(String::as_str).collect();
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
            hits.push(hit(knowledge, candidate, &words, gate, options.explain));
        }
    }
    hits
}

fn hit(knowledge: &Knowledge, candidate: &Candidate, words: &HashSet<&str>, gate: f32, explain: bool) -> Hit {
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
        relevance: candidate.relevance,
        tier: Tier::Close,
        source,
        overrides_canon: false,
        override_reason: None,
        explain: explain
            .then(|| explanation(candidate.signals.clone(), Some(candidate.similar), candidate.relevance, gate, None)),
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
        if candidate.relevance < gate {
            ("gate", format!("its relevance is {:.3} short of the gate", gate - candidate.relevance))
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
        relevance: scored.map(|s| s.relevance),
        gate,
        margin: scored.map(|s| s.relevance - gate),
        signals: scored.map(|s| s.signals.clone()),
    })
}
