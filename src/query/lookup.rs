//! The pipeline of a lookup, tier by tier: patterns, then fingerprints, then keywords and embeddings behind the gate.
//! A later tier is asked only where the earlier ones know nothing.

use super::analyse::{Problem, analyse};
use super::gate::{Gates, beside};
use super::question::{Question, ROLES, vectors};
use super::relevance::{
    Background, Evidence, Ground, Judged, KeywordIndex, SemanticIndex, Similarity, WORD_WEIGHT, Words,
};
use super::score::{FREQUENCY_WEIGHT, RECENCY_WEIGHT, score};
use crate::canon::{Canon, Layer, PatternHit, Stored, fill};
use crate::embed::{EmbedError, Encoder};
use crate::screen::line;
use crate::text::{DecodeError, Log, blocks, clean, mask, single_line};
use crate::types::{
    Advice, Answer, Asked, Calibration, Content, Explanation, Finding, Hit, Kind, Semantic, Signals, Tier, WhyNot,
};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::OnceLock;

/// What a generic pattern adds to the log-odds of its entry; measured on the built-in set.
const GENERIC_LOG_ODDS: f32 = 2.0;
/// The `canon` signal of a generic pattern.
const GENERIC_SIGNAL: f32 = 0.5;

/// Entries that share words with a question and are scored for it.
const KEYWORD_CANDIDATES: usize = 200;

/// Entries whose masked texts are compared with the question's.
const FINGERPRINT_CANDIDATES: usize = 20;

/// Which entries may answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// The object kind, such as `aws_s3_bucket`.
    pub resource: Option<String>,
    /// Whose software.
    pub provider: Option<String>,
    /// One of these packs; all if there are none.
    pub packs: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
}

impl Filters {
    /// Whether every entry may answer.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn admit(&self, stored: &Stored) -> bool {
        // An entry is read only for a filter that asks about it.
        let is = |wanted: &Option<String>, have: &dyn Fn() -> Option<String>| {
            wanted.as_deref().is_none_or(|w| have().is_some_and(|h| h.eq_ignore_ascii_case(w)))
        };
        is(&self.resource, &|| stored.entry().resource.clone())
            && is(&self.provider, &|| stored.entry().provider.clone())
            && (self.packs.is_empty() || self.packs.iter().any(|pack| pack.eq_ignore_ascii_case(&stored.pack)))
            && self.tags.iter().all(|tag| stored.entry().tags.iter().any(|t| t.eq_ignore_ascii_case(tag)))
    }
}

/// How a lookup is done.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupOptions {
    /// Hits per error.
    pub limit: usize,
    /// Errors per input.
    pub max_errors: usize,
    /// Relevance to ask for in place of the calibrated gate, in \[0, 1\].
    pub min_relevance: Option<f32>,
    /// Which entries may answer.
    pub filters: Filters,
    /// Whether hits explain themselves.
    pub explain: bool,
    /// An item whose absence is to be explained.
    pub why_not: Option<String>,
}

impl Default for LookupOptions {
    fn default() -> Self {
        Self {
            limit: 3,
            max_errors: 5,
            min_relevance: None,
            filters: Filters::default(),
            explain: false,
            why_not: None,
        }
    }
}

/// What a model adds to the knowledge.
pub struct Semantics {
    /// Turns questions into vectors.
    pub encoder: Rc<dyn Encoder>,
    /// Vectors of the entries, by the same model.
    pub index: SemanticIndex,
    /// The model's calibration.
    pub calibration: Calibration,
}

/// All that is known, ready to be asked.
pub struct Knowledge {
    canon: Canon,
    keywords: OnceLock<KeywordIndex>,
    /// Where the keyword statistics are kept.
    kept: Option<PathBuf>,
}

impl Semantics {
    /// Log-odds that entries of the built-in packs gain by the kind of question this is.
    pub(super) fn prior(&self, question: &[f32]) -> f32 {
        self.calibration.prior.as_ref().map_or(0.0, |prior| prior.at(question))
    }
}

impl Knowledge {
    /// Canon as knowledge. Keyword statistics are made when first needed, and kept in the file `kept`.
    pub fn new(canon: Canon, kept: Option<PathBuf>) -> Self {
        Self { canon, keywords: OnceLock::new(), kept }
    }

    /// The packs.
    pub fn canon(&self) -> &Canon {
        &self.canon
    }

    pub(super) fn keywords(&self) -> &KeywordIndex {
        self.keywords.get_or_init(|| {
            let texts = self.canon.entries().iter().map(|stored| stored.entry().keyword_text());
            match &self.kept {
                Some(path) => KeywordIndex::kept(path, self.canon.digest(), texts),
                None => KeywordIndex::new(texts),
            }
        })
    }

    /// The entry with a masked example or symptom equal to the problem's. Equal texts share their words, so only the
    /// entries that share most with it are compared.
    fn same_fingerprint(&self, problem: &Problem, admitted: &dyn Fn(usize) -> bool) -> Option<usize> {
        let wanted = &problem.block.fingerprint;
        let likely = self.keywords().said(&Words::of(&problem.block.salient)).best(usize::MAX);
        // An example of several blocks is told by one of them, and which is not known here. One in which no pattern of the
        // entry matches by itself ("exit code 1") tells nothing.
        let told_by = |entry: usize, example: &String| {
            let cleaned = clean(example);
            let blocks = blocks(&cleaned, &[]);
            let [block] = blocks.as_slice() else { return false };
            let lines: Vec<&str> = (block.first..=block.last).map(|line| cleaned.line(line)).collect();
            block.fingerprint == *wanted && self.canon.find(&lines.join("\n")).iter().any(|hit| hit.entry == entry)
        };
        let candidates = likely.into_iter().filter(|&entry| admitted(entry));
        candidates.take(FINGERPRINT_CANDIDATES).find(|&entry| {
            let known = self.canon.entries()[entry].entry();
            // In people's own words a number matters ("nginx answers 504"), which a fingerprint leaves out.
            let said = known.symptoms.iter().any(|symptom| same_words(&mask(symptom), &problem.block.salient));
            said || known.examples.iter().any(|example| told_by(entry, example))
        })
    }
}

/// Whether two texts are equal, case and white space aside.
fn same_words(one: &str, other: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    words(one) == words(other)
}

/// An entry with what speaks for it, before the gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Index of the entry.
    pub entry: usize,
    /// What speaks for it.
    pub evidence: Evidence,
    /// What that comes to.
    pub judged: Judged,
    /// Place of its nearest text among the entry's texts.
    pub part: Option<usize>,
    /// A generic pattern that matches.
    pub generic: Option<PatternHit>,
}

impl Scored {
    fn signals(&self) -> Signals {
        let canon = self.generic.as_ref().map(|_| GENERIC_SIGNAL);
        Signals { canon, semantic: self.judged.semantic, keyword: self.judged.keyword, ..Signals::default() }
    }
}

/// The candidates of one question.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// What holds for all of them.
    pub ground: Ground,
    /// How near the question is to everything.
    pub background: Background,
    /// The question's; empty without a model.
    pub vector: Vec<f32>,
    /// Best first.
    pub scored: Vec<Scored>,
}

/// Reads an input and cuts it into its problems, each with what the admitted entries' patterns say of it.
///
/// # Errors
/// [`DecodeError`] when the input is no text or cannot be read.
pub fn problems(
    knowledge: &Knowledge,
    log: &mut Log<'_>,
    options: &LookupOptions,
) -> Result<Vec<Problem>, DecodeError> {
    let admitted = |entry: usize| options.filters.admit(&knowledge.canon.entries()[entry]);
    analyse(log, &knowledge.canon, &admitted)
}

/// The candidates of every question that neither a pattern nor a fingerprint settles: what a lookup would put before the
/// gate.
///
/// # Errors
/// [`EmbedError`] when the model fails.
pub fn probe(
    knowledge: &Knowledge,
    problems: Vec<Problem>,
    semantics: &Semantics,
) -> Result<Vec<Candidates>, EmbedError> {
    let options = LookupOptions::default();
    let asked = Asking::new(knowledge, problems, &options);
    let vectors = asked.encode(semantics)?;
    let questions = asked.questions().zip(vectors);
    Ok(questions.map(|(at, vector)| asked.candidates(knowledge, at, Some((semantics, &vector)), &options)).collect())
}

/// Scores every candidate for one question: the nearest entries, those that share most words with it, those of which a
/// generic pattern matches, and the one whose absence is to be explained. The vector is the question's.
fn score_all(
    knowledge: &Knowledge,
    problem: &Problem,
    words: &Words,
    semantics: Option<(&Semantics, &[f32])>,
    options: &LookupOptions,
) -> Candidates {
    let entries = knowledge.canon.entries();
    let admitted = |entry: usize| options.filters.admit(&entries[entry]);
    let said = knowledge.keywords().said(words);
    let generic: HashMap<usize, &PatternHit> =
        problem.hits.iter().rev().filter(|hit| hit.generic).map(|hit| (hit.entry, hit)).collect();
    let asked = options.why_not.as_deref().and_then(|id| knowledge.canon.index_of(id));
    let mut also = said.best(usize::MAX);
    also.retain(|entry| admitted(*entry));
    also.truncate(KEYWORD_CANDIDATES);
    also.extend(generic.keys().copied().filter(|entry| admitted(*entry)).chain(asked));
    also.sort_unstable();
    also.dedup();
    let (near, cosines) = match semantics {
        Some((semantics, vector)) => {
            let filter = (!options.filters.is_empty()).then_some(&admitted as &dyn Fn(usize) -> bool);
            semantics.index.similarities(vector, semantics.calibration.neighbours, &also, filter)
        }
        None => (also.iter().map(|&entry| Similarity { entry, ..Similarity::default() }).collect(), Vec::new()),
    };
    let background = Background::new(cosines, semantics.map_or(0, |(semantics, _)| semantics.calibration.neighbours));
    let prior = semantics.map_or(0.0, |(semantics, vector)| semantics.prior(vector));
    let hint = |entry: usize| {
        let generic = if generic.contains_key(&entry) { GENERIC_LOG_ODDS } else { 0.0 };
        generic + if entries[entry].layer == Layer::Builtin { prior } else { 0.0 }
    };
    let evidence = near.iter().map(|near| Evidence {
        cosine: semantics.map(|_| near.cosine),
        words: Some(said.by_text.get(&near.entry).copied().unwrap_or(0.0)),
        hint: hint(near.entry),
        ..Evidence::default()
    });
    // Moving the question towards what it finds first was measured too, and gains nothing here.
    let evidence: Vec<Evidence> = evidence.collect();
    let fit = semantics.map(|(semantics, _)| &semantics.calibration.entries);
    let ground = Ground {
        weight: fit.map_or(WORD_WEIGHT, |fit| fit.weight),
        nearest: evidence.iter().filter_map(|one| one.cosine).reduce(f32::max).unwrap_or(0.0),
        reach: said.reach,
        texts: entries.len(),
    };
    let judged = ground.judge(&evidence, &background, fit);
    let one = |((near, evidence), judged): ((&Similarity, Evidence), Judged)| Scored {
        entry: near.entry,
        evidence,
        judged,
        part: semantics.map(|_| near.part),
        generic: generic.get(&near.entry).map(|hit| (*hit).clone()),
    };
    let mut scored: Vec<Scored> = near.iter().zip(evidence).zip(judged).map(one).collect();
    scored.sort_by(|a, b| {
        let closer = || b.judged.closeness.total_cmp(&a.judged.closeness);
        b.judged.relevance.total_cmp(&a.judged.relevance).then_with(closer).then(a.entry.cmp(&b.entry))
    });
    Candidates { ground, background, vector: semantics.map_or_else(Vec::new, |(_, vector)| vector.to_vec()), scored }
}

/// An input analysed: its problems, what is sure about them, and which of them are still to be asked.
struct Asking {
    problems: Vec<Problem>,
    sure: Vec<Vec<Hit>>,
    ask: Vec<bool>,
    /// Problems that are answered, in the order of the input.
    chosen: Vec<usize>,
}

impl Asking {
    fn new(knowledge: &Knowledge, problems: Vec<Problem>, options: &LookupOptions) -> Self {
        let admitted = |entry: usize| options.filters.admit(&knowledge.canon.entries()[entry]);
        // One error that is known for sure is what the log is about; guesses about the rest would only bury it.
        let any_exact = problems.iter().any(Problem::is_exact);
        let sure: Vec<Vec<Hit>> = problems
            .iter()
            .map(|problem| match exact_hits(knowledge, problem, options) {
                hits if hits.is_empty() && !any_exact => fingerprint_hit(knowledge, problem, options, &admitted),
                hits => hits,
            })
            .collect();
        let ask: Vec<bool> = sure.iter().map(|hits| hits.is_empty() && !any_exact).collect();
        let chosen = choose(knowledge, &problems, &sure, &ask, options.max_errors);
        Self { problems, sure, ask, chosen }
    }

    /// Which problems are asked.
    fn questions(&self) -> impl Iterator<Item = usize> {
        self.chosen.iter().copied().filter(|&at| self.ask[at])
    }

    fn question(&self, at: usize) -> Question {
        Question::of_error(&self.problems[at].block.salient)
    }

    /// The questions' vectors, in order.
    fn encode(&self, semantics: &Semantics) -> Result<Vec<Vec<f32>>, EmbedError> {
        let questions: Vec<Question> = self.questions().map(|at| self.question(at)).collect();
        vectors(&questions.iter().collect::<Vec<_>>(), ROLES, semantics)
    }

    fn candidates(
        &self,
        knowledge: &Knowledge,
        at: usize,
        semantics: Option<(&Semantics, &[f32])>,
        options: &LookupOptions,
    ) -> Candidates {
        score_all(knowledge, &self.problems[at], &self.question(at).words, semantics, options)
    }
}

/// How often an entry was of use, by id: the frequency signal.
pub type Used<'a> = &'a dyn Fn(&str) -> Option<f32>;

/// Answers the [`problems`] of an input. `used` is asked about close hits alone: what is sure needs no counter. `semantics` is called when a question needs the model, and not before; it gives `None` when there is
/// no usable model, and the answer says so.
///
/// # Errors
/// [`EmbedError`] when the model fails on a question.
pub fn lookup<'a>(
    knowledge: &Knowledge,
    problems: Vec<Problem>,
    options: &LookupOptions,
    semantics: &dyn Fn() -> Option<&'a Semantics>,
    used: Used<'_>,
) -> Result<Answer, EmbedError> {
    let asking = Asking::new(knowledge, problems, options);
    let questions = asking.questions().count();
    let semantics = if questions > 0 { semantics() } else { None };
    let gate = Gates::new(semantics.map(|s| &s.calibration.entries), options.min_relevance).among(questions);
    let mut vectors = semantics.map(|s| asking.encode(s)).transpose()?.unwrap_or_default().into_iter();
    let results: Vec<Finding> = asking
        .chosen
        .iter()
        .map(|&at| {
            let asked = asking.ask[at].then(|| semantics.zip(vectors.next()));
            finding(knowledge, &asking, at, asked, gate, options, used)
        })
        .collect();
    Ok(Answer {
        schema_version: 1,
        errors_found: asking.problems.len(),
        errors_shown: results.len(),
        took_ms: 0.0,
        results,
    })
}

/// What is known about one problem: what is sure, or what passes the gate. `asked` is `None` if it was not asked, and
/// holds `None` if it was and there is no model.
fn finding(
    knowledge: &Knowledge,
    asking: &Asking,
    at: usize,
    asked: Option<Option<(&Semantics, Vec<f32>)>>,
    mut gate: f32,
    options: &LookupOptions,
    used: Used<'_>,
) -> Finding {
    let (problem, mut hits) = (&asking.problems[at], asking.sure[at].clone());
    let mut scored = Vec::new();
    let mut semantic = Semantic::NotNeeded;
    if let Some(asked) = asked {
        semantic = if asked.is_some() { Semantic::On } else { Semantic::Off };
        let semantics = asked.as_ref().map(|(semantics, vector)| (*semantics, vector.as_slice()));
        let candidates = asking.candidates(knowledge, at, semantics, options);
        let keyword_weight = candidates.ground.keyword_weight();
        scored = candidates.scored;
        let entries = knowledge.canon.entries();
        let mut admitted = scored.iter().filter(|one| options.filters.admit(&entries[one.entry])).peekable();
        let best = admitted.peek().map_or(0.0, |best| best.judged.relevance);
        let passing = |gate| move |one: &&Scored| one.judged.relevance >= gate;
        hits.extend(
            admitted
                .next()
                .filter(passing(gate))
                .map(|one| close_hit(knowledge, one, keyword_weight, gate, options, used)),
        );
        // Whoever asks for a relevance gets that relevance.
        if options.min_relevance.is_none() {
            gate = beside(gate, best);
        }
        hits.extend(
            admitted.filter(passing(gate)).map(|one| close_hit(knowledge, one, keyword_weight, gate, options, used)),
        );
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    }
    let why_not = options.why_not.as_deref().map(|id| match why_not(knowledge, id, &hits, &scored, gate, options) {
        WhyNot { stage: "candidates", id, .. }
            if semantic == Semantic::NotNeeded && knowledge.canon.index_of(&id).is_some() =>
        {
            let reason = "another error of the input is known for sure, so this one was not guessed at".to_owned();
            WhyNot { id, stage: "tier", reason, relevance: None, gate, margin: None, signals: None }
        }
        other => other,
    });
    hits.truncate(options.limit);
    let error = Asked {
        headline: single_line(&problem.block.headline, 300),
        line_start: problem.lines.0,
        line_end: problem.lines.1,
        repeated: problem.block.repeated,
        fingerprint: problem.block.fingerprint.clone(),
    };
    Finding { error, verdict: hits.first().map(|hit| hit.tier).into(), semantic, reranked: false, hits, why_not }
}

/// Which problems are answered, in the order of the input: those with a sure hit first, then the likeliest.
fn choose(knowledge: &Knowledge, problems: &[Problem], sure: &[Vec<Hit>], ask: &[bool], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problems.len()).collect();
    if order.len() > most {
        let likelihood: Vec<f32> = (0..problems.len())
            .map(|at| {
                if !sure[at].is_empty() {
                    return 2.0;
                }
                if !ask[at] {
                    return 0.0;
                }
                let said = knowledge.keywords().said(&Words::of(&problems[at].block.salient));
                let most = said.by_text.values().copied().fold(0.0, f32::max);
                Ground { reach: said.reach, ..Ground::default() }.share(most)
            })
            .collect();
        order.sort_by(|&a, &b| likelihood[b].total_cmp(&likelihood[a]).then(a.cmp(&b)));
        order.truncate(most);
        order.sort_unstable();
    }
    order
}

/// Entries of which a specific pattern matches: those that name a cause before those that name a surface, then the
/// pattern that says most first.
fn exact_hits(knowledge: &Knowledge, problem: &Problem, options: &LookupOptions) -> Vec<Hit> {
    let mut by_entry: BTreeMap<usize, Vec<&PatternHit>> = BTreeMap::new();
    for hit in problem.hits.iter().filter(|hit| !hit.generic) {
        by_entry.entry(hit.entry).or_default().push(hit);
    }
    let mut found: Vec<(Reverse<bool>, usize, Hit)> = by_entry
        .into_iter()
        .map(|(entry, hits)| {
            let mut captures = BTreeMap::new();
            for hit in &hits {
                for (name, value) in &hit.captures {
                    captures.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
            let weight = hits.iter().map(|hit| literal_weight(&hit.pattern)).max().unwrap_or(0);
            let matched = hits.first().map(|hit| hit.pattern.clone());
            let general = knowledge.canon.entries()[entry].entry().general;
            (Reverse(general), weight, sure_hit(knowledge, entry, Tier::Exact, captures, matched, options))
        })
        .collect();
    found.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then_with(|| a.2.id.cmp(&b.2.id)));
    found.into_iter().map(|(_, _, hit)| hit).collect()
}

/// The entry that has the problem's masked text as an example or symptom, if there is one.
fn fingerprint_hit(
    knowledge: &Knowledge,
    problem: &Problem,
    options: &LookupOptions,
    admitted: &dyn Fn(usize) -> bool,
) -> Vec<Hit> {
    let entry = knowledge.same_fingerprint(problem, admitted);
    let hit = |entry| sure_hit(knowledge, entry, Tier::Fingerprint, BTreeMap::new(), None, options);
    entry.map(hit).into_iter().collect()
}

/// How much of a pattern is plain text, classes and group names aside: of two that match, the one that says more is the
/// surer.
fn literal_weight(pattern: &str) -> usize {
    let (mut weight, mut in_class, mut in_name) = (0, false, false);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '<' => in_name = true,
            '>' => in_name = false,
            c => weight += usize::from(c.is_alphanumeric() && !in_class && !in_name),
        }
    }
    weight
}

fn sure_hit(
    knowledge: &Knowledge,
    entry: usize,
    tier: Tier,
    captures: BTreeMap<String, String>,
    matched: Option<String>,
    options: &LookupOptions,
) -> Hit {
    let signals = Signals { canon: Some(1.0), ..Signals::default() };
    let mut hit = bare_hit(knowledge, entry, tier, 1.0, captures);
    hit.explain = options.explain.then(|| explanation(signals, None, 0.0, matched));
    hit
}

fn close_hit(
    knowledge: &Knowledge,
    scored: &Scored,
    keyword_weight: f32,
    gate: f32,
    options: &LookupOptions,
    used: Used<'_>,
) -> Hit {
    let captures = scored.generic.as_ref().map(|hit| hit.captures.clone()).unwrap_or_default();
    let mut hit = bare_hit(knowledge, scored.entry, Tier::Close, scored.judged.relevance, captures);
    let frequency = used(&hit.id);
    hit.score = score(scored.judged.relevance, None, frequency);
    if options.explain {
        let entry = knowledge.canon.entries()[scored.entry].entry();
        let matched = scored.part.and_then(|part| entry.text_of(part)).map(|text| text.embedded());
        let signals = Signals { frequency, ..scored.signals() };
        hit.explain = Some(explanation(signals, Some((&scored.judged, keyword_weight)), gate, matched));
    }
    hit
}

fn bare_hit(
    knowledge: &Knowledge,
    entry: usize,
    tier: Tier,
    relevance: f32,
    captures: BTreeMap<String, String>,
) -> Hit {
    let stored = &knowledge.canon.entries()[entry];
    let declared = stored.captures();
    Hit {
        id: stored.id().to_owned(),
        kind: Kind::Canon,
        title: stored.entry().title.clone(),
        content: Content::Advice(Advice {
            cause: stored.entry().cause.clone(),
            fix: stored.entry().fix.iter().map(|step| fill(step, &declared, &captures)).collect(),
            references: stored.entry().references.clone(),
            captures,
        }),
        score: score(relevance, None, None),
        relevance,
        tier,
        source: stored.source(),
        overrides_canon: stored.replaces.is_some(),
        override_reason: stored.replaces.map(|layer| {
            format!("the {} pack {} replaces the entry of {}", stored.layer.label(), stored.pack, layer.label())
        }),
        explain: None,
    }
}

/// Why a hit stands where it stands. `judged` comes with the weight of the keyword signal; a hit that is sure was not judged.
pub(super) fn explanation(
    signals: Signals,
    judged: Option<(&Judged, f32)>,
    gate: f32,
    matched: Option<String>,
) -> Explanation {
    let mut weights = BTreeMap::from([("recency", RECENCY_WEIGHT), ("frequency", FREQUENCY_WEIGHT)]);
    if let Some((judged, keyword_weight)) = judged.filter(|_| signals.keyword.is_some()) {
        weights.insert("keyword", judged.lift * keyword_weight);
    }
    let similar = judged.map(|(judged, _)| judged.similar());
    let margin = judged.map_or(1.0, |(judged, _)| judged.relevance) - gate;
    let (cosine, closeness) = judged.map_or((None, None), |(judged, _)| (judged.cosine, Some(judged.closeness)));
    Explanation { signals, cosine, closeness, similar, weights, gate, margin, matched, rerank: None }
}

fn why_not(
    knowledge: &Knowledge,
    id: &str,
    hits: &[Hit],
    scored: &[Scored],
    gate: f32,
    options: &LookupOptions,
) -> WhyNot {
    let id = line(id);
    let id = id.as_ref();
    let none = |stage, reason: String| WhyNot {
        id: id.to_owned(),
        stage,
        reason,
        relevance: None,
        gate,
        margin: None,
        signals: None,
    };
    let Some(entry) = knowledge.canon.index_of(id) else {
        return none("candidates", "no pack has an entry with this id".to_owned());
    };
    let stored = &knowledge.canon.entries()[entry];
    if !options.filters.admit(stored) {
        return none("filters", "a filter of this lookup excludes it".to_owned());
    }
    let known_as = stored.id();
    let place = hits.iter().position(|hit| hit.id == known_as);
    let scored = scored.iter().find(|s| s.entry == entry);
    let mut out = match (place, scored) {
        (Some(place), _) if place < options.limit => none("shown", format!("it is hit {}", place + 1)),
        (Some(place), _) => none("limit", format!("it is hit {}, {} are shown", place + 1, options.limit)),
        (None, Some(scored)) => {
            let short = gate - scored.judged.relevance;
            none("gate", format!("its relevance is {short:.3} short of the gate"))
        }
        (None, None) if hits.first().is_some_and(|hit| hit.tier.cmp(&Tier::Close) == Ordering::Less) => {
            none("tier", "another entry is known for sure, so similar ones were not looked for".to_owned())
        }
        (None, None) => none(
            "candidates",
            "it shares no word with the question, and there is no model to compare meaning".to_owned(),
        ),
    };
    if let Some(scored) = scored {
        out.relevance = Some(scored.judged.relevance);
        out.margin = Some(scored.judged.relevance - gate);
        out.signals = Some(scored.signals());
    } else if place.is_some() {
        (out.relevance, out.margin) = (Some(1.0), Some(1.0 - gate));
    }
    out
}
