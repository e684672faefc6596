//! How much of the evidence a frame holds, against what people do without one: the documents of a ranking, one after
//! another, until the budget is full; and whole files.
//!
//! The set's documents are written as files, in the order of the set, and indexed like anybody's: `ken pack` sees files
//! and finds chunks, everybody else is given the documents themselves and pays for their text alone. A document counts
//! as held when all its words stand in one piece.

mod files;

use super::retrieval::{BenchError, Interval, Judgements, Query, Set, bootstrap, prepare, scope_of_group, set_field};
use crate::engine::{Engine, EngineSettings, PackOptions, Progress, Session};
use crate::pack::Tokenizer;
use crate::query::{Legs, SearchOptions};
use crate::store::{ItemFilter, PathFilter};
use crate::text::CountTokens;
use crate::types::{Frame, Kind, Role};
use files::Files;
use serde::Serialize;
use std::collections::HashMap;
use std::path::PathBuf;

/// Documents of a ranking that may be used.
const DEPTH: usize = 600;

/// How packing is measured.
#[derive(Debug, Clone)]
pub struct PackPlan {
    /// Budgets in tokens.
    pub budgets: Vec<usize>,
    /// Whose tokens.
    pub tokenizer: Tokenizer,
    /// The field of the metadata whose value question and documents must share.
    pub group_by: Option<String>,
    /// The field of the metadata that says which documents of a group stand in one file; none is one file a document.
    pub file_by: Option<String>,
}

/// Who fills a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Packer {
    /// `ken pack`.
    Pack,
    /// The documents that `ken search` ranks, as they come.
    Hybrid,
    /// Those that BM25 ranks.
    Bm25,
    /// Those that the embeddings rank.
    Dense,
    /// Whole files, that with the best document first.
    Files,
}

impl Packer {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Pack, Self::Hybrid, Self::Bm25, Self::Dense, Self::Files];
    /// Those that a frame has to be better than.
    pub const PEERS: [Self; 3] = [Self::Bm25, Self::Dense, Self::Files];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Hybrid => "hybrid",
            Self::Bm25 => "bm25",
            Self::Dense => "dense",
            Self::Files => "files",
        }
    }
}

/// What one of them came to within one budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Packed {
    /// The set.
    pub set: String,
    /// Who.
    pub packer: Packer,
    /// Within which budget.
    pub budget: usize,
    /// Questions.
    pub queries: usize,
    /// Mean share of a question's evidence that was held.
    pub recall: f64,
    /// Share of questions of which all evidence was held.
    pub all: f64,
    /// Mean tokens.
    pub tokens: f64,
    /// Share of questions for which nothing was given.
    pub silent: f64,
    /// Recall of `ken pack` less this one's, question by question: mean and 95 % interval.
    pub ahead: Option<(f64, Interval)>,
}

/// Measures all packers over a set.
///
/// # Errors
/// [`BenchError`] when the set cannot be indexed or a search fails.
pub fn measure_packing(
    set: &Set,
    settings: &EngineSettings,
    plan: &PackPlan,
    session: &Session<'_>,
) -> Result<Vec<Packed>, BenchError> {
    let counter = plan.tokenizer.counter().ok_or(BenchError::NoModel {
        model: settings.model.clone(),
        why: "budgets of a comparison are counted by an encoding, not by one side's model".to_owned(),
    })?;
    let documents = prepare(set, plan.group_by.as_deref(), settings, true, session)?;
    let files = Files::prepare(set, plan, settings, session)?;
    let bench = Bench {
        set,
        plan,
        documents: documents.engine(),
        whole: files.engine(),
        files,
        counter: counter.as_ref(),
        texts: set.documents.iter().map(|d| (d.id.as_str(), crate::types::titled(&d.title, &d.text))).collect(),
    };
    let mut values: HashMap<(Packer, usize), Vec<Held>> = HashMap::new();
    let what = format!("{} pack", set.name);
    for (done, query) in set.queries.iter().enumerate() {
        session.tell(Progress::Asking { what: &what, done, total: set.queries.len() });
        for (packer, budget, held) in bench.ask(query, session)? {
            values.entry((packer, budget)).or_default().push(held);
        }
    }
    session.tell(Progress::Asking { what: &what, done: set.queries.len(), total: set.queries.len() });
    let mean = |held: &[Held], of: fn(&Held) -> f64| held.iter().map(of).sum::<f64>() / held.len().max(1) as f64;
    let mut out = Vec::new();
    for &budget in &plan.budgets {
        let ours = &values[&(Packer::Pack, budget)];
        for packer in Packer::ALL {
            let held = &values[&(packer, budget)];
            let ahead: Vec<f64> = ours.iter().zip(held).map(|(ours, theirs)| ours.recall - theirs.recall).collect();
            let difference = ahead.iter().sum::<f64>() / ahead.len().max(1) as f64;
            out.push(Packed {
                set: set.name.clone(),
                packer,
                budget,
                queries: held.len(),
                recall: mean(held, |one| one.recall),
                all: mean(held, |one| f64::from(u8::from(one.recall >= 1.0))),
                tokens: mean(held, |one| one.tokens as f64),
                silent: mean(held, |one| f64::from(u8::from(one.silent))),
                ahead: (packer != Packer::Pack).then(|| (difference, bootstrap(&ahead))),
            });
        }
    }
    Ok(out)
}

/// What a budget held of a question's evidence.
struct Held {
    recall: f64,
    tokens: usize,
    silent: bool,
}

struct Bench<'a> {
    set: &'a Set,
    plan: &'a PackPlan,
    documents: Engine,
    whole: Engine,
    files: Files,
    counter: &'a dyn CountTokens,
    texts: HashMap<&'a str, String>,
}

impl Bench<'_> {
    fn ask(&self, query: &Query, session: &Session<'_>) -> Result<Vec<(Packer, usize, Held)>, BenchError> {
        let evidence = self.set.judgements.get(&query.id).into_iter().flat_map(relevant).collect::<Vec<_>>();
        let group = self.plan.group_by.as_deref().and_then(|name| set_field(&query.metadata, name));
        let rank = |legs: Legs, roles: Option<&'static [Role]>| -> Result<Vec<String>, BenchError> {
            let usual = SearchOptions::default();
            let options = SearchOptions {
                limit: DEPTH,
                min_relevance: Some(0.0),
                filter: ItemFilter {
                    kinds: vec![Kind::Chunk],
                    scopes: self.plan.group_by.iter().map(|_| scope_of_group(group.as_deref())).collect(),
                    ..ItemFilter::default()
                },
                legs,
                roles: roles.unwrap_or(usual.roles),
                whole: roles.is_some(),
                repeats: true,
                ..usual
            };
            let answer = self.documents.search(query.text.as_bytes(), &options, session)?;
            Ok(answer.results.into_iter().flat_map(|finding| finding.hits).map(|hit| hit.id).collect())
        };
        let hybrid = rank(Legs::default(), None)?;
        let bm25 = rank(Legs { semantic: false, keyword: true }, None)?;
        let dense = rank(Legs { semantic: true, keyword: false }, Some(&[Role::Query]))?;
        let whole = self.files.whole(&hybrid);
        let mut out = Vec::new();
        for &budget in &self.plan.budgets {
            for (packer, ranking) in
                [(Packer::Hybrid, &hybrid), (Packer::Bm25, &bm25), (Packer::Dense, &dense), (Packer::Files, &whole)]
            {
                out.push((packer, budget, self.fill(ranking, &evidence, budget)));
            }
            let options = PackOptions {
                budget,
                tokenizer: self.plan.tokenizer,
                state: String::new(),
                instructions: String::new(),
                filter: ItemFilter {
                    kinds: vec![Kind::Chunk],
                    paths: group.iter().map(|group| PathFilter::Under(self.files.folder(Some(group)))).collect(),
                    ..ItemFilter::default()
                },
                prefer: None,
                as_of: Some(0),
                here: self.files.folder(group.as_deref()),
                explain: false,
            };
            let held = match self.whole.pack(query.text.as_bytes(), &options, session) {
                Ok(frame) => self.held(&frame, &evidence),
                Err(crate::engine::EngineError::Pack(_)) => Held { recall: 0.0, tokens: 0, silent: true },
                Err(error) => return Err(error.into()),
            };
            out.push((Packer::Pack, budget, held));
        }
        Ok(out)
    }

    /// The documents of a ranking, until one does not fit.
    fn fill(&self, ranking: &[String], evidence: &[&str], budget: usize) -> Held {
        let (mut tokens, mut held, mut given) = (0, 0, 0);
        for id in ranking {
            let Some(text) = self.texts.get(id.as_str()) else { continue };
            let cost = self.counter.count(&format!("{text}\n\n"));
            if tokens + cost > budget {
                break;
            }
            tokens += cost;
            given += 1;
            held += usize::from(evidence.contains(&id.as_str()));
        }
        Held { recall: share(held, evidence.len()), tokens, silent: given == 0 }
    }

    /// What a frame holds.
    fn held(&self, frame: &Frame, evidence: &[&str]) -> Held {
        let pieces: Vec<String> =
            frame.pieces().map(|piece| plain(&format!("{}\n{}", piece.title, piece.text))).collect();
        let holds = |id: &&&str| {
            self.set.documents.iter().find(|d| d.id == **id).is_some_and(|document| {
                let text = plain(&document.text);
                pieces.iter().any(|piece| piece.contains(&text))
            })
        };
        let held = evidence.iter().filter(holds).count();
        Held { recall: share(held, evidence.len()), tokens: frame.tokens, silent: pieces.is_empty() }
    }
}

fn relevant(judged: &Judgements) -> impl Iterator<Item = &str> {
    judged.iter().filter(|(_, grade)| **grade > 0).map(|(id, _)| id.as_str())
}

fn share(held: usize, all: usize) -> f64 {
    held as f64 / all.max(1) as f64
}

/// A text without what line breaks and marks of lists do to it.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Where the files of measured sets lie, for tests and scripts that want to look at them.
pub fn files_folder(cache: &std::path::Path) -> PathBuf {
    cache.join("bench-files")
}
