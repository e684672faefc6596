//! An indexing that nobody wants any more ends between two steps, and lets short writes in between its batches.

use super::snapshots::settings;
use crate::support::ken::{User, section};
use crate::support::request::session;
use kenning::engine::{Engine, EngineError, Progress};
use kenning::ingest::{self, IndexOptions, IndexReport};
use kenning::store::{Record, current_writer};
use kenning::types::{Access, Attributes, ExternalItem, Kind, Scope};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

const FILES: usize = 40;
const SECTIONS: u32 = 20;

/// Enough for some batches.
fn written(user: &User) -> PathBuf {
    for file in 0..FILES {
        let text: String = (0..SECTIONS).map(|at| section(at, &format!("Shelf {file} has {at} books."))).collect();
        user.document(&format!("f{}/{file}.md", file % 7), text);
    }
    user.work()
}

/// Indexes until it has been asked so often whether to go on; gives how often it was.
fn index(engine: &Engine, folder: &PathBuf, asked_most: usize) -> (Result<IndexReport, EngineError>, usize) {
    let asked = Cell::new(0);
    let stopped = || {
        asked.set(asked.get() + 1);
        asked.get() > asked_most
    };
    let session = session().heard_by(|_| {}).stopped_by(&stopped);
    (engine.index(std::slice::from_ref(folder), &IndexOptions::default(), &session), asked.get())
}

/// The texts of all items, sorted.
fn texts(engine: &Engine) -> Vec<String> {
    let mut out = Vec::new();
    match engine.export(&mut out, &session()) {
        Err(EngineError::NothingIndexed) => return Vec::new(),
        exported => exported.unwrap(),
    };
    let records = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut texts: Vec<String> = records
        .filter_map(|line| match serde_json::from_slice(line).unwrap() {
            Record::Item { item } => Some(item.body),
            _ => None,
        })
        .collect();
    texts.sort();
    texts
}

#[test]
fn one_that_is_stopped_anywhere_leaves_whole_files_and_the_next_one_goes_on() {
    let user = User::new();
    let folder = written(&user);
    let engine = Engine::new(settings(&user));
    let (report, asked) = index(&engine, &folder, usize::MAX);
    assert_eq!(report.unwrap().files_added, FILES);
    let all = texts(&engine);
    // Each file is asked for when it is found, when it is compared and when it is read.
    assert!(asked > 2 * FILES && all.len() == FILES * SECTIONS as usize, "{asked} {}", all.len());
    let other = User::new();
    let engine = Engine::new(settings(&other));
    let (mut before, mut runs) = (0, 0);
    for most in [0, 3, 8, FILES, FILES + 15, FILES + 30, FILES + 37, FILES + 39] {
        let (report, _) = index(&engine, &folder, most);
        assert!(matches!(report, Err(EngineError::Cancelled)), "{most}: {report:?}");
        let committed = texts(&engine);
        assert!(
            committed.len() >= before && committed.len().is_multiple_of(SECTIONS as usize),
            "{most}: {}",
            committed.len()
        );
        assert!(committed.iter().all(|text| all.binary_search(text).is_ok()));
        assert_eq!(current_writer(&other.home()), None, "others can write");
        runs += usize::from(committed.len() > before);
        before = committed.len();
    }
    assert!(runs > 0, "none of them committed anything");
    index(&engine, &folder, usize::MAX).0.unwrap();
    assert_eq!(texts(&engine), all);
}

#[test]
fn items_get_in_between_two_batches_and_other_processes_do_not() {
    let user = User::new();
    let folder = written(&user);
    let engine = Engine::new(settings(&user));
    // Whoever waits for the right to write is asked again and again whether it still wants it.
    const WAITS: usize = 8;
    let asked = AtomicUsize::new(0);
    let put = |id: &str| {
        let item = ExternalItem {
            id: id.to_owned(),
            scope: Scope::repository("notes"),
            kind: Kind::Chunk,
            title: String::new(),
            text: format!("Note {id}."),
            tags: Vec::new(),
            provider: None,
            attributes: Attributes::default(),
        };
        let stopped = || {
            asked.fetch_add(1, SeqCst);
            false
        };
        let session = session().heard_by(|_| {}).patient(Duration::from_secs(120)).stopped_by(&stopped);
        let put = engine.put_items(vec![item], &Access::all(), &session);
        asked.store(WAITS, SeqCst);
        put
    };
    let (begun, begins) = std::sync::mpsc::channel();
    std::thread::scope(|threads| {
        let indexing = threads.spawn(|| {
            let (session, begun) = (session(), begun);
            let (mut batches, mut writers) = (0, Vec::new());
            let session = session.heard_by(|progress| {
                let Progress::Index(ingest::Progress::Indexing { .. }) = progress else { return };
                batches += 1;
                writers.push(current_writer(&user.home()));
                if batches == 1 {
                    // The first batch is committed. Others are let in only when somebody waits.
                    begun.send(()).unwrap();
                    while asked.load(SeqCst) < WAITS {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    writers.push(current_writer(&user.home()));
                }
            });
            let report = engine.index(std::slice::from_ref(&folder), &IndexOptions::default(), &session);
            drop(session);
            (report, batches, writers)
        });
        begins.recv().unwrap();
        let put = put("a");
        let (report, batches, writers) = indexing.join().unwrap();
        assert_eq!((put.unwrap().added, report.unwrap().files_added), (1, FILES));
        assert!(batches > 2, "{batches}");
        let stays_out = |who: &Option<String>| who.as_ref().is_some_and(|who| who.contains("ken index"));
        assert!(writers.iter().all(stays_out), "others stay out: {writers:?}");
    });
    let sides = "SELECT (SELECT count(*) > 0 FROM item WHERE id < note.id), (SELECT count(*) > 0 FROM item
                 WHERE id > note.id) FROM item AS note WHERE body = 'Note a.'";
    assert_eq!(user.rows(sides), [["1", "1"]], "it was let in between two batches");
    let all = texts(&engine);
    assert_eq!(all.len(), FILES * SECTIONS as usize + 1);
    assert!(all.contains(&"Note a.".to_owned()));
    assert_eq!(put("b").unwrap().added, 1);
}
