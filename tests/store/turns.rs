//! What is put into a shared store is embedded while other machines write to it.

use crate::index::snapshots::settings;
use crate::support::ken::{User, section};
use crate::support::request::session;
use crate::support::tiny::Tiny;
use crate::support::{self, postgres};
use kenning::engine::{Engine, EngineSettings, Progress};
use kenning::ingest::{self, IndexOptions};
use kenning::store::SharedStore;
use kenning::types::{Access, Attributes, ExternalItem, Kind, Scope};
use std::cell::Cell;

/// A machine with its engine.
pub(super) struct Machine {
    user: User,
    pub engine: Engine,
}

impl Machine {
    /// One that uses the store at this address.
    pub fn at(address: &str, with_model: bool, later: Option<fn() -> bool>) -> Self {
        let user = User::new();
        let model = user.home().join("tiny");
        Tiny::quick().write(&model);
        let plain = EngineSettings { shared: Some(SharedStore::at(address)), later, ..settings(&user) };
        let settings = match with_model {
            true => EngineSettings {
                model: model.display().to_string(),
                models: Some(support::settings(&user.home())),
                ..plain
            },
            false => plain,
        };
        Self { user, engine: Engine::new(settings) }
    }

    pub fn put(&self, items: Vec<ExternalItem>) {
        self.engine.put_items(items, &Access::all(), &session()).unwrap();
    }
}

pub(super) fn item(id: &str, text: &str) -> ExternalItem {
    ExternalItem {
        id: id.to_owned(),
        scope: Scope::repository("notes"),
        kind: Kind::Chunk,
        title: String::new(),
        text: text.to_owned(),
        tags: Vec::new(),
        provider: None,
        attributes: Attributes::default(),
    }
}

/// The store of a test: the folder that it goes with, and two machines of which the first has a model.
fn machines() -> (tempfile::TempDir, String, Machine, Machine) {
    let dir = tempfile::tempdir().unwrap();
    let address = postgres::database_for(dir.path());
    let (one, two) = (Machine::at(&address, true, None), Machine::at(&address, false, None));
    (dir, address, one, two)
}

fn count(address: &str, what: &str) -> i64 {
    let mut client = ::postgres::Client::connect(address, ::postgres::NoTls).unwrap();
    client.query_one(&format!("SELECT count(*) FROM kenning.{what}"), &[]).unwrap().get(0)
}

const LACKING: &str = "embedding WHERE text_hash NOT IN (SELECT text_hash FROM kenning.vector)";

#[test]
fn items_are_embedded_while_another_machine_writes() {
    let (_dir, address, one, two) = machines();
    two.put(vec![item("gone", "Nobody needs this.")]);
    let scope = Scope::repository("notes");
    let came_between = Cell::new(0);
    let session_of_one = session().heard_by(|progress| match progress {
        // Texts go through the model just now: the second slice of them, whose first one has its vectors already.
        Progress::Embedding { done, .. } if done > 256 && came_between.get() == 0 => {
            came_between.set(count(&address, "vector"));
            two.put(vec![item("n7", "Another text."), item("n8", "Note 8.")]);
            // This removes all vectors that nothing uses.
            two.engine.delete_item(&scope, "gone", &Access::all(), &session()).unwrap();
        }
        _ => {}
    });
    let items = (0..300).map(|at| item(&format!("n{at}"), &format!("Note {at}."))).collect();
    let report = one.engine.put_items(items, &Access::all(), &session_of_one).unwrap();
    assert_eq!(came_between.get(), 256);
    // What came between is known by now.
    assert_eq!((report.added, report.updated, report.unchanged, report.embedded), (298, 1, 1, 300));
    assert_eq!(count(&address, "item WHERE state = 'active'"), 300);
    assert_eq!(count(&address, LACKING), 0);
}

#[test]
fn files_are_embedded_while_another_machine_writes() {
    let (_dir, address, one, two) = machines();
    two.put(vec![item("gone", "Nobody needs this.")]);
    let sections: String = (0..400).map(|at| section(at, &format!("Shelf {at} has books."))).collect();
    one.user.document("long.md", sections);
    let has_come = Cell::new(false);
    let session_of_one = session().heard_by(|progress| match progress {
        Progress::Index(ingest::Progress::Indexing { chunks, .. }) if chunks > 256 && !has_come.get() => {
            has_come.set(true);
            two.put(vec![item("n", "A note.")]);
            two.engine.delete_item(&Scope::repository("notes"), "gone", &Access::all(), &session()).unwrap();
        }
        _ => {}
    });
    one.engine.index(&[one.user.work()], &IndexOptions::default(), &session_of_one).unwrap();
    assert!(has_come.get());
    assert_eq!(count(&address, LACKING), 0, "an indexing completes what lacks a vector");
    assert!(count(&address, "item WHERE state = 'active'") > 300);
}
