//! The store's records: files that change, that are damaged, that are verified and removed.

use crate::support::store;
use crate::support::tiny::Tiny;
use kenning::embed::{EmbedError, ModelStore, State};
use kenning::error::{Diagnose, ErrorKind};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn imported() -> (TempDir, PathBuf, ModelStore) {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("source");
    Tiny::bert().write(&model);
    let store = store(dir.path());
    let root = store.import(&model, Some("mine")).unwrap().root;
    (dir, root, store)
}

/// Another weight of the same length.
fn change(root: &std::path::Path) {
    let path = root.join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
}

fn load(store: &ModelStore, name: &str) -> Result<(), EmbedError> {
    store.load(&store.find(name)?.ok_or(EmbedError::NotInstalled { name: name.into() })?).map(drop)
}

#[test]
fn a_file_that_changes_after_it_was_recorded_is_refused() {
    let (_dir, root, store) = imported();
    load(&store, "mine").unwrap();
    change(&root);
    let error = load(&store, "mine").unwrap_err();
    assert!(matches!(error, EmbedError::UnpinnedChanged { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Damaged);
    let checks = store.verify("mine").unwrap();
    let bad: Vec<_> = checks.iter().filter(|c| c.problem.is_some()).map(|c| c.path.as_str()).collect();
    assert_eq!(bad, ["model.safetensors"]);
}

#[test]
fn a_touched_file_is_hashed_again_and_accepted() {
    let (_dir, root, store) = imported();
    let path = root.join("model.safetensors");
    let record = || fs::read_to_string(root.join("installed.json")).unwrap();
    let before = record();
    let later = fs::metadata(&path).unwrap().modified().unwrap() + std::time::Duration::from_secs(5);
    fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    load(&store, "mine").unwrap();
    assert_ne!(before, record(), "the new time is on record");
}

/// The hash is trusted while size and time stay: that is what keeps a load short. It also means that this test can
/// tell a load that hashes from one that does not.
#[test]
fn an_unchanged_file_is_not_hashed_again() {
    let (_dir, root, store) = imported();
    let path = root.join("model.safetensors");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    change(&root);
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    load(&store, "mine").unwrap();
    assert!(store.verify("mine").unwrap().iter().any(|c| c.problem.is_some()), "verify always hashes");
}

#[test]
fn missing_and_cut_files_show_before_loading() {
    let (_dir, root, store) = imported();
    let path = root.join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let found = store.find("mine").unwrap().unwrap();
    assert!(matches!(&found.state, State::Damaged { why } if why.contains("bytes instead of")), "{:?}", found.state);
    fs::remove_file(&path).unwrap();
    let found = store.find("mine").unwrap().unwrap();
    assert!(matches!(&found.state, State::Damaged { why } if why.contains("missing")), "{:?}", found.state);
    assert_eq!(load(&store, "mine").unwrap_err().kind(), ErrorKind::Damaged);
    assert!(store.verify("mine").unwrap().iter().any(|c| c.problem.is_some()));
}

#[test]
fn a_broken_record_is_said_to_be_one() {
    let (_dir, root, store) = imported();
    fs::write(root.join("installed.json"), "{\"format\": 99}").unwrap();
    let error = store.find("mine").unwrap_err();
    assert!(matches!(&error, EmbedError::Damaged { path, .. } if path.ends_with("installed.json")), "{error}");
}

#[test]
fn an_explicit_directory_may_change_and_gets_another_fingerprint() {
    let dir = TempDir::new().unwrap();
    let model = dir.path().join("source");
    Tiny::bert().write(&model);
    let store = store(dir.path());
    let fingerprint = || {
        let found = store.find(model.to_str().unwrap()).unwrap().unwrap();
        store.load(&found).unwrap().fingerprint().clone()
    };
    let first = fingerprint();
    assert_eq!(first, fingerprint());
    change(&model);
    assert_ne!(first, fingerprint());
}

#[test]
fn removing_frees_and_forgets() {
    let (dir, _root, store) = imported();
    let freed = store.remove("mine").unwrap();
    assert!(freed > 10_000, "{freed}");
    assert!(!dir.path().join("models/mine").exists());
    assert!(matches!(store.find("mine"), Err(EmbedError::UnknownModel { .. })));
    let source = dir.path().join("source");
    let error = store.remove(source.to_str().unwrap()).unwrap_err();
    assert!(matches!(error, EmbedError::NotOurs { .. }), "{error}");
    assert!(source.is_dir());
}

#[test]
fn what_is_not_there_is_said_precisely() {
    let dir = TempDir::new().unwrap();
    let store = store(dir.path());
    assert!(store.find("bge-small-en-v1.5").unwrap().is_none());
    assert!(store.find("BAAI/bge-small-en-v1.5").unwrap().is_none());
    let error = store.verify("bge-small-en-v1.5").unwrap_err();
    assert_eq!((error.kind(), error.hint().unwrap().contains("ken model pull")), (ErrorKind::NoModel, true));
    match store.find("bge-smal-en-v1.5").unwrap_err() {
        EmbedError::UnknownModel { near, .. } => assert_eq!(near[0], "bge-small-en-v1.5"),
        other => panic!("{other}"),
    }
    assert!(store.installed().is_empty());
    assert!(!dir.path().join("models").exists(), "looking makes no folders");
}
