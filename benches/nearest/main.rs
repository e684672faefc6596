//! Nearest vectors among a million items: our schema in PostgreSQL, plain pgvector as its documentation has it, and the
//! store of one machine.
//!
//! Measures loading, building the index, size and search, at 1 and 32 connections and with filters. Each row names the
//! recall, and asks the systems one after the other. The vectors have 384 components, lie as embeddings do, and are
//! drawn from fixed seeds (those of `ken bench ann --synthetic`). The texts have 60 words.
//!
//! Run: `cargo bench --bench nearest -- ADDRESS FOLDER [ITEMS] [NEAREST]`, for example
//! `postgres://postgres@127.0.0.1/near /tmp/near 20000 10`. Use an empty database and an empty folder, or those of an
//! earlier run with as many items: then nothing is loaded again.

#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

mod data;
mod file;
mod load;
mod ours;
mod plain;

use data::{DIMS, SHARES};
use std::path::Path;
use std::time::{Duration, Instant};

/// The recall that each system is set to.
const TARGET: f64 = 0.98;
/// Questions whose recall is measured.
const QUESTIONS: usize = 100;
/// How long each setting is asked, after a second that does not count.
const SECONDS: u64 = 5;

/// Answers a question: the items that are nearest to a vector, among those of a scope if one is named.
type Client<'a> = Box<dyn FnMut(&[f32], usize, Option<&str>) -> Vec<u64> + 'a>;

/// What is measured.
trait System: Sync {
    fn name(&self) -> &'static str;

    /// A new connection.
    fn client(&self) -> Client<'_>;
}

fn timed<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = run();
    println!("{name:44} {:9.1} s", start.elapsed().as_secs_f64());
    out
}

/// The times of some threads' answers, and how many a second there were.
fn ask(system: &dyn System, clients: usize, questions: &[&[f32]], most: usize, scope: Option<&str>) -> String {
    let start = Instant::now();
    let client = |number: usize| {
        let mut answer = system.client();
        let (mut times, mut at) = (Vec::new(), number * 31);
        let warm = Instant::now() + Duration::from_secs(1);
        let end = warm + Duration::from_secs(SECONDS);
        while Instant::now() < end {
            let begun = Instant::now();
            answer(questions[at % questions.len()], most, scope);
            if begun > warm {
                times.push(begun.elapsed().as_secs_f64() * 1e3);
            }
            at += 1;
        }
        times
    };
    let client = &client;
    let mut times: Vec<f64> = std::thread::scope(|threads| {
        let running: Vec<_> = (0..clients).map(|number| threads.spawn(move || client(number))).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let seconds = (start.elapsed().as_secs_f64() - 1.0).max(0.1);
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    format!("p50 {:8.2} ms  p95 {:8.2} ms  {:7.0} a second", at(0.5), at(0.95), times.len() as f64 / seconds)
}

/// What is answered to all questions.
fn answers(client: &mut Client<'_>, questions: &[&[f32]], most: usize, scope: Option<&str>) -> Vec<Vec<u64>> {
    questions.iter().map(|question| client(question, most, scope)).collect()
}

/// The share of `wanted` that was found.
fn recall(wanted: &[Vec<u64>], found: &[Vec<u64>]) -> f64 {
    let pairs = wanted.iter().zip(found);
    let hits: usize = pairs.map(|(wanted, found)| wanted.iter().filter(|id| found.contains(id)).count()).sum();
    hits as f64 / wanted.iter().map(Vec::len).sum::<usize>().max(1) as f64
}

fn main() {
    let mut given = std::env::args().skip(1).filter(|one| one != "--bench");
    let (address, folder) = (given.next().unwrap(), given.next().unwrap());
    let items: usize = given.next().map_or(20_000, |items| items.parse().unwrap());
    let most: usize = given.next().map_or(10, |most| most.parse().unwrap());
    println!("{items} items, the nearest {most}");

    let vectors = kenning::eval::Vectors::synthetic(items, QUESTIONS, DIMS);
    let questions: Vec<&[f32]> = vectors.queries().chunks_exact(DIMS).collect();
    let file = file::File::prepare(Path::new(&folder), &vectors);
    let ours = ours::Ours::prepare(&address, &vectors);
    let mut plain = plain::Plain::prepare(&address, &vectors);

    let nearest = |scope: Option<&str>| answers(&mut file.exact(), &questions, most, scope);
    let exact = nearest(None);
    plain.look_at_enough(|client| recall(&exact, &answers(client, &questions, most, None)) >= TARGET);

    let systems: [&dyn System; 3] = [&ours, &plain, &file];
    for (name, scope) in std::iter::once(("all", None)).chain(SHARES.map(|(name, _)| (name, Some(name)))) {
        let exact = nearest(scope);
        let recalls = systems.map(|system| recall(&exact, &answers(&mut system.client(), &questions, most, scope)));
        for clients in [1, 32] {
            for (system, recall) in systems.iter().zip(recalls) {
                let run = ask(*system, clients, &questions, most, scope);
                println!("{:12} {name:7} {clients:3} connections  recall {recall:.4}  {run}", system.name());
            }
        }
    }
}
