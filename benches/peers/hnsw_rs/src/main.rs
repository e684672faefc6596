//! Our graph beside hnsw_rs, on the same vectors, in one process, in turns: seconds of the build, recall of the ten
//! nearest, queries a second, bytes a row.
//!
//! Run: `cargo run --release -- [SET_DIR...] [--rows N] [--queries N] [--rounds N]`, or with files of little-endian
//! f32 rows of length 1: `--base FILE --asked FILE [--dim D]`. SET_DIR is a set in BEIR's layout. Its rows are the
//! distinct sentences of the documents, its queries the questions, embedded once by bge-small-en-v1.5-int8 from the
//! tests' home (`KEN_TEST_HOME`, else `target/ken-test-home`) and kept in `target/ann-vectors`. Without sets and files
//! the vectors are synthetic: clusters on a curved surface of 32 dimensions, which every line of the output says.
//!
//! Each round builds both graphs from the vectors in memory (M 16, ef_construction 200, all threads), then asks every
//! query at every width, first one graph and then the other, one search at a time on one thread. Ours compares bytes
//! and reads vectors from a mapped file, checks each row's checksum and compares the best again in f32; hnsw_rs
//! compares f32 with AVX2 (`simdeez_f`). Its bytes are what the process grew by in the first round, ours are the
//! file's: vectors, bytes, owners, links. Prints a JSON object a measurement, then one with the medians over the
//! rounds: queries a second at equal recall are read off the line between the two widths around it, in log scale, and
//! ratios are taken within a round.
#![allow(clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use hnsw_rs::prelude::{DistDot, Hnsw};
use kenning::ann::{BuildOptions, Draft, GraphOptions, Grown, Image, Index, Origin, grow};
use kenning::embed::{ModelStore, StoreSettings};
use kenning::eval::Vectors;
use kenning::eval::retrieval::read_set;
use kenning::map::{Aside, Room};
use kenning::text::sha256_hex;
use kenning::types::Role;
use kenning::vector::{dot, dot_rows};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

const MODEL: &str = "bge-small-en-v1.5-int8";
const K: usize = 10;
const M: usize = 16;
const EF_CONSTRUCTION: usize = 200;
const WIDTHS: [usize; 10] = [16, 24, 32, 48, 64, 96, 128, 192, 256, 512];
/// Recalls at which queries a second are compared.
const RECALLS: [f64; 3] = [0.95, 0.98, 0.99];
/// What the product asks of a graph is not measured here: only a graph that finds less than this is thrown away.
const LEAST_RECALL: f64 = 0.5;
/// Least seconds of a measurement: the whole list of queries is asked again until they are over.
const RUNG_SECONDS: f64 = 0.3;
/// Shorter pieces of text are headings and crumbs.
const SENTENCE_CHARS: usize = 24;
/// Makes every dot product of hnsw_rs's vectors at most 1, which it panics beyond; the order stays.
const A_HAIR: f32 = 1.0 - 1e-6;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let number = |name: &str, default: usize| value(name).map_or(default, |n| n.parse().unwrap());
    let (rows, queries, rounds) = (number("--rows", 50_000), number("--queries", 1_000), number("--rounds", 3));
    let sets: Vec<&Path> = args.iter().map(Path::new).filter(|path| path.is_dir()).collect();
    let (source, vectors) = match (value("--base"), value("--asked")) {
        (Some(base), Some(asked)) => {
            let open = Vectors::open(Path::new(base), Path::new(asked), number("--dim", 384));
            (base.clone(), open.unwrap())
        }
        _ if sets.is_empty() => ("synthetic clusters".to_owned(), Vectors::synthetic(rows, queries, 384)),
        _ => (format!("sentences of {} sets, {MODEL}", sets.len()), embedded(&sets, rows, queries)),
    };
    let data = Data::new(source, &vectors);
    drop(vectors);
    let mut ratios = Ratios::default();
    for round in 0..rounds {
        // hnsw_rs is first where its memory is measured: nothing that was freed before is used again.
        let graphs = if round % 2 == 0 {
            let theirs = build_hnsw_rs(&data);
            [build_ours(&data), theirs]
        } else {
            [build_ours(&data), build_hnsw_rs(&data)]
        };
        ratios.builds.push(graphs[1].build_s / graphs[0].build_s);
        for graph in &graphs {
            let bytes = (round == 0 || graph.name == OURS).then_some(graph.bytes_per_row.round());
            data.print(json!({"round": round, "graph": graph.name, "build_s": three(graph.build_s),
                "bytes_per_row": bytes}));
        }
        ratios.add(round, &data, &graphs);
    }
    data.print(ratios.summary());
}

/// Vectors, what is asked of them, and the right answers.
struct Data {
    source: String,
    dims: usize,
    base: Vec<f32>,
    queries: Vec<f32>,
    /// Similarity of each query's tenth neighbour.
    tenths: Vec<f32>,
}

impl Data {
    fn new(source: String, vectors: &Vectors) -> Self {
        let (dims, queries) = (vectors.dims, vectors.queries().to_vec());
        let mut base = Vec::with_capacity(vectors.rows() * dims);
        let Ok(()) = vectors.blocks(|_, block| -> Result<(), Infallible> {
            base.extend_from_slice(block);
            Ok(())
        });
        kenning::threads::ready();
        let tenth = |query: &[f32]| {
            let mut near = vec![0.0; base.len() / dims];
            dot_rows(query, &base, &mut near);
            *near.select_nth_unstable_by(K - 1, |a, b| b.total_cmp(a)).1
        };
        let tenths = queries.par_chunks_exact(dims).map(tenth).collect();
        Self { source, dims, base, queries, tenths }
    }

    fn rows(&self) -> usize {
        self.base.len() / self.dims
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.base[row * self.dims..][..self.dims]
    }

    /// How many of these are as near as the tenth, of ten; rows that are equally near are equally right.
    fn right(&self, query: usize, found: &[u32]) -> usize {
        let asked = &self.queries[query * self.dims..][..self.dims];
        found.iter().filter(|row| dot(asked, self.row(**row as usize)) >= self.tenths[query] - 1e-6).count()
    }

    /// Prints a line that says what it was measured on.
    fn print(&self, mut line: Value) {
        let what = json!({"bench": "ann", "vectors": self.source, "rows": self.rows(), "dims": self.dims,
            "queries": self.tenths.len(), "threads": rayon::current_num_threads()});
        let all = what.as_object().unwrap().clone().into_iter().chain(std::mem::take(line.as_object_mut().unwrap()));
        println!("{}", Value::Object(all.collect()));
    }
}

const OURS: &str = "kenning";
const THEIRS: &str = "hnsw_rs";

/// The ten nearest rows of a vector, by a walk of a width.
type Search<'a> = dyn Fn(&[f32], usize) -> Vec<u32> + 'a;

/// A graph that is ready to be asked.
struct Graph<'a> {
    name: &'static str,
    build_s: f64,
    bytes_per_row: f64,
    search: Box<Search<'a>>,
}

/// From vectors in memory to a file that is open. What certifies the graph is not part of its build.
fn build_ours(data: &Data) -> Graph<'_> {
    let folder = tempfile::tempdir().unwrap();
    let (path, origin) = (folder.path().join("bench.ann"), Origin::default());
    let start = Instant::now();
    // Hashes order the rows: here they are the rows' numbers, so that rows stay where they are.
    let hash = |row: usize| (row as u128).to_be_bytes();
    let links = (0..data.rows()).map(|row| (row as u64, 0, hash(row))).collect();
    let room = Room::Aside(Aside::new(&path).unwrap());
    let mut draft = Draft::new(room, data.dims, (0..data.rows()).map(hash).collect(), links).unwrap();
    (0..data.rows()).for_each(|row| draft.put(&hash(row), data.row(row)).unwrap());
    let image = draft.finish(&origin).unwrap();
    let made_s = start.elapsed().as_secs_f64();
    let grown_since = Instant::now();
    let build = BuildOptions { m: M, ef_construction: EF_CONSTRUCTION, seed: 0 };
    let options = GraphOptions { target: LEAST_RECALL, build, always: true };
    let (image, grown) = grow(image, &origin, options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(matches!(grown, Grown::Graph(_)), "no graph finds half: {grown:?}");
    let build_s = made_s + grown_since.elapsed().as_secs_f64();
    image.persist().unwrap();
    let image = Image::open(&path, &origin).unwrap();
    let bytes_per_row = image.bytes() as f64 / data.rows() as f64;
    let index = Index::new(image);
    let search = move |query: &[f32], ef: usize| {
        // The file lives as long as the graph.
        let _folder = &folder;
        index.search_as_wide(query, K, ef).into_iter().map(|near| near.row).collect()
    };
    Graph { name: OURS, build_s, bytes_per_row, search: Box::new(search) }
}

fn build_hnsw_rs(data: &Data) -> Graph<'_> {
    let vectors: Vec<f32> = data.base.iter().map(|x| x * A_HAIR).collect();
    let before = resident_bytes();
    let start = Instant::now();
    let graph = Hnsw::<f32, DistDot>::new(M, data.rows(), 16, EF_CONSTRUCTION, DistDot {});
    graph.parallel_insert_slice(&vectors.chunks_exact(data.dims).zip(0..).collect());
    let build_s = start.elapsed().as_secs_f64();
    let bytes_per_row = resident_bytes().saturating_sub(before) as f64 / data.rows() as f64;
    let search =
        move |query: &[f32], ef: usize| graph.search(query, K, ef).into_iter().map(|near| near.d_id as u32).collect();
    Graph { name: THEIRS, build_s, bytes_per_row, search: Box::new(search) }
}

/// Memory that this process holds now; 0 where the system does not tell.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or(0) * 1024
}

/// Recall and queries a second of a width.
type Rung = (f64, f64);

/// Every query at this width, as often as it takes to be timed.
fn rung(data: &Data, graph: &Graph<'_>, ef: usize) -> Rung {
    // hnsw_rs wants its queries short by a hair too; that no similarity is measured with.
    let queries: Vec<f32> = data.queries.iter().map(|x| x * A_HAIR).collect();
    let (start, mut laps) = (Instant::now(), 0);
    let (found, seconds) = loop {
        let found: Vec<Vec<u32>> = queries.chunks_exact(data.dims).map(|query| (graph.search)(query, ef)).collect();
        laps += 1;
        let seconds = start.elapsed().as_secs_f64();
        if seconds > RUNG_SECONDS {
            break (found, seconds);
        }
    };
    let right: usize = found.iter().enumerate().map(|(query, found)| data.right(query, found)).sum();
    (right as f64 / (found.len() * K) as f64, (laps * found.len()) as f64 / seconds)
}

/// What each round says of both.
#[derive(Default)]
struct Ratios {
    builds: Vec<f64>,
    /// By recall, in thousandths: ours, theirs, their ratio.
    at: BTreeMap<usize, [Vec<f64>; 3]>,
}

impl Ratios {
    /// Asks both at every width.
    fn add(&mut self, round: usize, data: &Data, graphs: &[Graph<'_>; 2]) {
        let mut rungs: [Vec<Rung>; 2] = Default::default();
        // What is asked first would pay for opening pages.
        graphs.iter().for_each(|graph| _ = rung(data, graph, WIDTHS[0]));
        for ef in WIDTHS {
            for (graph, rungs) in graphs.iter().zip(&mut rungs) {
                let (recall, qps) = rung(data, graph, ef);
                rungs.push((recall, qps));
                data.print(json!({"round": round, "graph": graph.name, "ef": ef, "recall_at_10": four(recall),
                    "qps": qps.round()}));
            }
        }
        for recall in RECALLS {
            let [Some(ours), Some(theirs)] = rungs.each_ref().map(|rungs| at_recall(rungs, recall)) else { continue };
            let lists = self.at.entry((recall * 1e3) as usize).or_default();
            lists.iter_mut().zip([ours, theirs, ours / theirs]).for_each(|(list, one)| list.push(one));
        }
    }

    fn summary(mut self) -> Value {
        let at = self.at.iter_mut().map(|(recall, lists)| {
            let [ours, theirs, ratio] = lists.each_mut().map(|list| median(list));
            json!({"recall_at_10": *recall as f64 / 1e3, "kenning_qps": ours.round(), "hnsw_rs_qps": theirs.round(),
                "kenning_faster_by": three(ratio)})
        });
        let at: Vec<Value> = at.collect();
        json!({"medians_of": self.builds.len(), "kenning_builds_faster_by": three(median(&mut self.builds)), "at": at})
    }
}

/// Queries a second at this recall, between the two widths around it; none if no width reaches it.
fn at_recall(rungs: &[Rung], recall: f64) -> Option<f64> {
    let high = rungs.iter().filter(|rung| rung.0 >= recall).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let Some(low) = rungs.iter().filter(|rung| rung.0 < recall).max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Some(high.1);
    };
    let share = (recall - low.0) / (high.0 - low.0);
    Some((low.1.ln() + share * (high.1.ln() - low.1.ln())).exp())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn three(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

fn four(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The sentences of the sets' documents, and their questions, as vectors: embedded once, then read from
/// `target/ann-vectors`.
fn embedded(sets: &[&Path], rows: usize, queries: usize) -> Vectors {
    let (mut sentences, mut questions, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for set in sets {
        let set = read_set(set).unwrap();
        questions.extend(set.queries.into_iter().map(|query| query.text));
        for document in set.documents {
            let text = format!("{}\n{}", document.title, document.text);
            let pieces = text.lines().flat_map(|line| line.split_inclusive(". ")).map(str::trim);
            let pieces = pieces.filter(|piece| piece.chars().count() >= SENTENCE_CHARS);
            sentences.extend(pieces.filter(|piece| seen.insert((*piece).to_owned())).map(str::to_owned));
        }
    }
    let (sentences, questions) = (spread(sentences, rows), spread(questions, queries));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target");
    let home = std::env::var_os("KEN_TEST_HOME").map_or_else(|| root.join("ken-test-home"), PathBuf::from);
    let store = ModelStore::new(StoreSettings::new(home.join("models"), home.join("hub")));
    let installed = store.find(MODEL).unwrap().expect("run the tests first: they pull the model");
    let encoder = store.load(&installed).unwrap();
    let all = [encoder.fingerprint().as_str(), &sentences.join("\n"), &questions.join("\n")].join("\0");
    let folder = root.join("ann-vectors");
    std::fs::create_dir_all(&folder).unwrap();
    let path = |what: &str| folder.join(format!("{}.{what}.f32", &sha256_hex(all.as_bytes())[..16]));
    for (what, texts, role) in [("asked", &questions, Role::Query), ("base", &sentences, Role::Passage)] {
        if !path(what).exists() {
            eprintln!("embedding {} texts, which is done once", texts.len());
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let encoded = encoder.encode(&texts, role, &mut |_| {}).unwrap();
            let bytes = encoded.iter().flat_map(|one| one.vector.iter()).flat_map(|x| x.to_le_bytes());
            std::fs::write(path(what), bytes.collect::<Vec<u8>>()).unwrap();
        }
    }
    Vectors::open(&path("base"), &path("asked"), encoder.dims()).unwrap()
}

/// At most so many of a list, spread evenly over it.
fn spread(list: Vec<String>, count: usize) -> Vec<String> {
    let (len, count) = (list.len(), count.min(list.len()));
    let is_taken = |at: usize| (at * count) / len != ((at + 1) * count) / len;
    list.into_iter().enumerate().filter(|(at, _)| is_taken(*at)).map(|(_, text)| text).collect()
}
