//! Kenning's term index beside tantivy: the same texts, cut into the same tokens, and the same questions, in one
//! process.
//!
//! Usage: tantivy-peer FOLDER [--documents 100000] [--questions 500]
//! Documents are pieces of 1,500 bytes of the Rust sources and Markdown below FOLDER; questions are words of two of
//! them. Both name the 200 best for the 24 rarest terms of a question, and score 400 given documents with Kenning's
//! BM25. tantivy keeps no list of a document's terms, so it seeks in the postings of each term; exact lengths are a
//! fast field. Times of questions are processor time of the one thread that asks, so that other work on the machine
//! does not count; the rest is wall time.

use kenning::lexical::{QueryTerms, TermImage, TermImageBuilder, TermIndex, TermOrigin};
use kenning::map::{Aside, Room};
use kenning::text::tokens;
use rustix::time::{ClockId, clock_gettime};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tantivy::collector::TopDocs;
use tantivy::directory::MmapDirectory;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{DocSet, Index, IndexWriter, ReloadPolicy, Searcher, TERMINATED, TantivyDocument, Term};

/// Candidates, and documents that are scored beside them.
const CANDIDATES: usize = 200;
const MAX_TERMS: usize = 24;
const PIECE: usize = 1_500;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, default: usize| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let folder = arguments.get(1).ok_or("a folder with texts is needed")?;
    let texts = texts(Path::new(folder), number("--documents", 100_000));
    let questions: Vec<(QueryTerms, usize)> = [3, 16, 200]
        .into_iter()
        .flat_map(|words| (0..number("--questions", 500)).map(move |at| (at, words)))
        .map(|(at, words)| (QueryTerms::of(&question(&texts, at, words)), words))
        .collect();
    println!("{} documents, {} MB", texts.len(), texts.iter().map(String::len).sum::<usize>() / 1_000_000);
    let changed: Vec<u64> = (0..texts.len() as u64 / 100).map(|at| at * 97 % texts.len() as u64).collect();
    let room = tempfile::tempdir()?;
    let ours = kenning(&texts, &questions, &changed, room.path())?;
    let theirs = tantivy(&texts, &questions, &changed, room.path())?;
    compare(&ours, &theirs);
    Ok(())
}

/// What one of them found for a question.
struct Answer {
    candidates: Vec<u64>,
    scores: HashMap<u64, Option<f32>>,
}

fn compare(ours: &[Answer], theirs: &[Answer]) {
    let (mut shared, mut all, mut worst, mut scored) = (0, 0, 0.0f32, 0);
    for (ours, theirs) in ours.iter().zip(theirs) {
        let own: HashSet<u64> = ours.candidates.iter().copied().collect();
        shared += theirs.candidates.iter().filter(|id| own.contains(id)).count();
        all += ours.candidates.len().max(theirs.candidates.len());
        for (id, own) in &ours.scores {
            let Some(their) = theirs.scores.get(id) else { continue };
            scored += 1;
            worst = worst.max((own.unwrap_or(-1.0) - their.unwrap_or(-1.0)).abs());
        }
    }
    println!("candidates that both name: {shared} of {all}; {scored} scores, greatest difference {worst:e}");
}

fn kenning(
    texts: &[String],
    questions: &[(QueryTerms, usize)],
    changed: &[u64],
    room: &Path,
) -> Result<Vec<Answer>, Failure> {
    let (path, origin) = (room.join("terms"), TermOrigin::default());
    let started = Instant::now();
    let mut builder = TermImageBuilder::new(Room::Aside(Aside::new(&path)?))?;
    for (id, text) in (0u64..).zip(texts) {
        builder.add(id, text)?;
    }
    builder.finish(&origin)?.persist()?;
    println!("kenning: built in {:.0} ms, {:.1} MB", ms(started), std::fs::metadata(&path)?.len() as f64 / 1e6);
    let started = Instant::now();
    let index = TermIndex::new(TermImage::open(&path, &origin).ok_or("the file does not open")?);
    println!("kenning: opened in {:.3} ms", ms(started));
    let mut times = Times::default();
    let answer = |(terms, words): &(QueryTerms, usize), times: &mut Times| {
        let clock = Clock::now();
        let query = index.prepare(terms);
        let candidates = index.candidates(&query, CANDIDATES, None);
        times.candidates.push((*words, clock.ms()));
        let ids = to_score(&candidates, texts.len());
        let clock = Clock::now();
        let scores = index.score(&query, &ids);
        times.scores.push((*words, clock.ms()));
        let scores = scores.into_iter().map(|score| score.map(|score| score.bm25));
        Answer { candidates, scores: ids.into_iter().zip(scores).collect() }
    };
    // Once to bring the file into memory.
    questions.iter().for_each(|question| drop(answer(question, &mut Times::default())));
    let answers = questions.iter().map(|question| answer(question, &mut times)).collect();
    times.print("kenning");
    let started = Instant::now();
    let index = index.with_changes([], changed.iter().map(|id| (*id, &texts[texts.len() - 1 - *id as usize])))?;
    println!("kenning: 1 % of the documents replaced in {:.1} ms (in memory)", ms(started));
    let started = Instant::now();
    index.to_image(Room::Aside(Aside::new(&path)?), &origin)?.persist()?;
    println!("kenning: written as a file in {:.0} ms", ms(started));
    Ok(answers)
}

/// The schema's fields.
#[derive(Clone, Copy)]
struct Fields {
    id: Field,
    length: Field,
    words: Field,
}

fn tantivy(
    texts: &[String],
    questions: &[(QueryTerms, usize)],
    changed: &[u64],
    room: &Path,
) -> Result<Vec<Answer>, Failure> {
    let folder = room.join("tantivy");
    std::fs::create_dir(&folder)?;
    let mut schema = Schema::builder();
    let indexing =
        TextFieldIndexing::default().set_tokenizer("whitespace").set_index_option(IndexRecordOption::WithFreqs);
    let fields = Fields {
        id: schema.add_u64_field("id", FAST | INDEXED),
        length: schema.add_u64_field("length", FAST),
        words: schema.add_text_field("words", TextOptions::default().set_indexing_options(indexing)),
    };
    let document = |id: u64, text: &str| {
        let words = tokens(text);
        let mut document = TantivyDocument::new();
        document.add_u64(fields.id, id);
        document.add_u64(fields.length, words.len() as u64);
        document.add_text(fields.words, words.join(" "));
        document
    };
    let started = Instant::now();
    let index = Index::create(MmapDirectory::open(&folder)?, schema.build(), Default::default())?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 200_000_000)?;
    for (id, text) in (0u64..).zip(texts) {
        writer.add_document(document(id, text))?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    println!("tantivy: built as one segment in {:.0} ms, {:.1} MB", ms(started), folder_bytes(&folder)? as f64 / 1e6);
    drop(index);
    let started = Instant::now();
    let index = Index::open_in_dir(&folder)?;
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    let searcher = reader.searcher();
    println!("tantivy: opened in {:.3} ms", ms(started));
    let mut times = Times::default();
    let answer = |(terms, words): &(QueryTerms, usize), times: &mut Times| -> Result<Answer, Failure> {
        let clock = Clock::now();
        let known = frequencies(&searcher, fields, terms)?;
        let candidates = candidates(&searcher, &known)?;
        times.candidates.push((*words, clock.ms()));
        let ids = to_score(&candidates, texts.len());
        let clock = Clock::now();
        let scores = score(&searcher, fields, &known, &ids)?;
        times.scores.push((*words, clock.ms()));
        Ok(Answer { candidates, scores: ids.into_iter().zip(scores).collect() })
    };
    for question in questions {
        answer(question, &mut Times::default())?;
    }
    let answers = questions.iter().map(|question| answer(question, &mut times)).collect::<Result<_, _>>()?;
    times.print("tantivy");
    let started = Instant::now();
    for id in changed {
        writer.delete_term(Term::from_field_u64(fields.id, *id));
        writer.add_document(document(*id, &texts[texts.len() - 1 - *id as usize]))?;
    }
    writer.commit()?;
    reader.reload()?;
    println!("tantivy: 1 % of the documents replaced in {:.1} ms (on the disk)", ms(started));
    let started = Instant::now();
    writer.merge(&index.searchable_segment_ids()?).wait()?;
    println!("tantivy: merged in {:.0} ms", ms(started));
    Ok(answers)
}

/// A term of a question with its weight there and its document frequency.
struct Known {
    term: Term,
    weight: f32,
    frequency: usize,
}

fn frequencies(searcher: &Searcher, fields: Fields, terms: &QueryTerms) -> Result<Vec<Known>, Failure> {
    let known = terms.iter().map(|(word, weight)| {
        let term = Term::from_field_text(fields.words, word);
        let frequency = searcher.doc_freq(&term)? as usize;
        Ok(Known { term, weight, frequency })
    });
    known.collect()
}

/// The best by tantivy's own BM25 for the rarest terms.
fn candidates(searcher: &Searcher, known: &[Known]) -> Result<Vec<u64>, Failure> {
    let mut rarest: Vec<&Known> = known.iter().filter(|known| known.frequency > 0).collect();
    rarest.sort_by_key(|known| known.frequency);
    let mut postings = 0;
    let affordable = rarest.iter().enumerate().take_while(|(at, known)| {
        postings += known.frequency;
        *at < 4 || postings <= 100_000
    });
    let affordable = affordable.count().min(MAX_TERMS);
    rarest.truncate(affordable);
    let clause = |known: &&Known| -> (Occur, Box<dyn Query>) {
        (Occur::Should, Box::new(TermQuery::new(known.term.clone(), IndexRecordOption::WithFreqs)))
    };
    let query = BooleanQuery::new(rarest.iter().map(clause).collect());
    let found = searcher.search(&query, &TopDocs::with_limit(CANDIDATES).order_by_score())?;
    let ids = searcher.segment_readers().iter().map(|segment| segment.fast_fields().u64("id"));
    let ids = ids.collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().filter_map(|(_, at)| ids[at.segment_ord as usize].first(at.doc_id)).collect())
}

/// Kenning's BM25 of given documents, by seeking in the postings of every term.
fn score(searcher: &Searcher, fields: Fields, known: &[Known], ids: &[u64]) -> Result<Vec<Option<f32>>, Failure> {
    let (k1, b) = (0.9f32, 0.5f32);
    let documents = searcher.num_docs() as f32;
    let mut total = 0;
    for segment in searcher.segment_readers() {
        total += segment.inverted_index(fields.words)?.total_num_tokens();
    }
    let mean = (total as f32 / documents.max(1.0)).max(1.0);
    let mut found: HashMap<u64, f32> = HashMap::new();
    for segment in searcher.segment_readers() {
        let (by_id, by_word) = (segment.inverted_index(fields.id)?, segment.inverted_index(fields.words)?);
        let mut places: Vec<(u32, u64)> = Vec::new();
        for id in ids {
            let term = Term::from_field_u64(fields.id, *id);
            let Some(postings) = by_id.read_postings(&term, IndexRecordOption::Basic)? else { continue };
            if postings.doc() != TERMINATED && segment.alive_bitset().is_none_or(|alive| alive.is_alive(postings.doc()))
            {
                places.push((postings.doc(), *id));
            }
        }
        places.sort_unstable();
        let lengths = segment.fast_fields().u64("length")?;
        let norm = |place: u32| {
            let length = lengths.first(place).unwrap_or(0) as f32;
            k1 * (1.0 - b + b * length / mean)
        };
        let mut sums: Vec<(f32, f32)> = places.iter().map(|(place, _)| (0.0, norm(*place))).collect();
        for known in known {
            let Some(mut postings) = by_word.read_postings(&known.term, IndexRecordOption::WithFreqs)? else {
                continue;
            };
            let holders = known.frequency as f32;
            let idf = (1.0 + (documents - holders + 0.5) / (holders + 0.5)).ln();
            for ((place, _), (sum, norm)) in places.iter().zip(&mut sums) {
                if postings.doc() < *place {
                    postings.seek(*place);
                }
                if postings.doc() == *place {
                    let count = tantivy::postings::Postings::term_freq(&postings) as f32;
                    *sum += known.weight * (idf * count * (k1 + 1.0) / (count + *norm));
                }
            }
        }
        found.extend(places.iter().zip(sums).map(|((_, id), (sum, _))| (*id, sum)));
    }
    Ok(ids.iter().map(|id| found.get(id).copied()).collect())
}

/// The candidates and as many others, as vectors would name them.
fn to_score(candidates: &[u64], documents: usize) -> Vec<u64> {
    let first = candidates.first().copied().unwrap_or(0);
    let mut ids: Vec<u64> = (0..CANDIDATES as u64).map(|at| (first + at * 409) % documents as u64).collect();
    ids.extend(candidates);
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Times in milliseconds, with the words of the question.
#[derive(Default)]
struct Times {
    candidates: Vec<(usize, f64)>,
    scores: Vec<(usize, f64)>,
}

impl Times {
    fn print(&self, who: &str) {
        for (what, times) in [("200 best", &self.candidates), ("scores of given documents", &self.scores)] {
            for words in [3, 16, 200] {
                let mut own: Vec<f64> = times.iter().filter(|time| time.0 == words).map(|time| time.1).collect();
                own.sort_by(f64::total_cmp);
                let at = |share: usize| own.get(own.len() * share / 100).copied().unwrap_or(f64::NAN);
                println!("{who}: {what}, {words} words: p50 {:.3} ms, p95 {:.3} ms", at(50), at(95));
            }
        }
    }
}

/// Processor time of this thread.
struct Clock(f64);

impl Clock {
    fn read() -> f64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    }

    fn now() -> Self {
        Self(Self::read())
    }

    fn ms(&self) -> f64 {
        Self::read() - self.0
    }
}

fn ms(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

fn folder_bytes(folder: &Path) -> std::io::Result<u64> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}

/// Words of two pieces, from a place that varies.
fn question(texts: &[String], at: usize, words: usize) -> String {
    let (first, second) = (&texts[at * 7_919 % texts.len()], &texts[(at * 104_729 + 5) % texts.len()]);
    let all = first.split_whitespace().chain(second.split_whitespace());
    all.skip(at % 10).take(words).collect::<Vec<_>>().join(" ")
}

/// Pieces of the sources and pages below a folder.
fn texts(folder: &Path, most: usize) -> Vec<String> {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let mut out = Vec::new();
    for path in paths {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let mut rest = text.as_str();
        while !rest.is_empty() && out.len() < most {
            let end =
                (PIECE.min(rest.len())..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            rest = after;
            if piece.len() > PIECE / 8 {
                out.push(piece.to_owned());
            }
        }
    }
    out
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "md") {
            out.push(path);
        }
    }
}
