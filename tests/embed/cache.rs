//! The hub's cache on disk: hf-hub reads what we write, and we read what other tools write.

use crate::support::stub_hub::{Repository, StubHub};
use crate::support::tiny::Tiny;
use crate::support::{settings, sha256};
use kenning::embed::{EmbedError, Manifest, ModelStore, Origin, Source, State};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const COMMIT: &str = "00112233445566778899aabbccddeeff00112233";

fn manifest(revision: &str) -> Manifest {
    Tiny::bert().manifest("tiny", vec![Source::Hub { repo: "org/tiny".into(), revision: revision.into() }])
}

fn store(dir: &Path, manifest: Manifest) -> ModelStore {
    let mut settings = settings(dir);
    settings.manifests = vec![manifest];
    ModelStore::new(settings)
}

/// The layout of huggingface_hub: blobs, links to them, a ref for the branch.
fn another_tool_writes(dir: &Path, commit: &str, tiny: &Tiny) {
    let repo = dir.join("hub/models--org--tiny");
    for folder in ["blobs", "refs", &format!("snapshots/{commit}")] {
        fs::create_dir_all(repo.join(folder)).unwrap();
    }
    for (path, bytes) in tiny.files() {
        let name = if path.ends_with("safetensors") { sha256(&bytes) } else { sha256(&bytes)[..40].to_owned() };
        fs::write(repo.join("blobs").join(&name), bytes).unwrap();
        let link = repo.join("snapshots").join(commit).join(path);
        #[cfg(unix)]
        std::os::unix::fs::symlink(format!("../../blobs/{name}"), link).unwrap();
        #[cfg(not(unix))]
        fs::copy(repo.join("blobs").join(&name), link).unwrap();
    }
    fs::write(repo.join("refs/main"), commit).unwrap();
}

#[test]
fn hf_hub_finds_what_we_pulled() {
    for revision in [COMMIT, "main", "some/branch"] {
        let dir = TempDir::new().unwrap();
        let files = Tiny::bert().files().into_iter().map(|(path, bytes)| (path.to_owned(), bytes)).collect();
        let repository = Repository { commit: COMMIT.into(), files };
        // A branch with a slash is part of the path in the stub's eyes; give it the file's name only.
        let hub = StubHub::start(move |request| {
            let name = request.path.rsplit('/').next().unwrap_or("");
            let path = format!("/org/tiny/resolve/x/{name}");
            repository.answer(&crate::support::stub_hub::Request { path, ..request.clone() })
        });
        let mut settings = settings(dir.path());
        settings.hub.endpoint = hub.url.clone();
        settings.manifests = vec![manifest(revision)];
        let store = ModelStore::new(settings);
        store.pull("tiny", &mut |_| {}).unwrap();

        let cache = hf_hub::Cache::new(dir.path().join("hub"));
        let repo = hf_hub::Repo::with_revision("org/tiny".into(), hf_hub::RepoType::Model, revision.into());
        for (path, bytes) in Tiny::bert().files() {
            let found = cache.repo(repo.clone()).get(path).unwrap_or_else(|| panic!("{revision} {path}"));
            assert_eq!(fs::read(&found).unwrap(), bytes);
            #[cfg(unix)]
            assert!(found.is_symlink(), "the bytes are in blobs, once");
        }
    }
}

#[test]
fn what_another_tool_pulled_is_used_and_checked_once() {
    let dir = TempDir::new().unwrap();
    another_tool_writes(dir.path(), COMMIT, &Tiny::bert());
    let store = store(dir.path(), manifest(COMMIT));
    let found = store.find("tiny").unwrap().unwrap();
    assert_eq!((&found.origin, &found.state), (&Origin::Cache, &State::Ready));
    assert_eq!(store.find("org/tiny").unwrap().unwrap(), found);
    assert!(store.installed().iter().any(|i| i.name() == "tiny"));
    store.load(&found).unwrap();
    let seen = fs::read_dir(dir.path().join("models/.seen")).unwrap().count();
    assert_eq!(seen, 1, "the hashes are on record now");
    // A pull has nothing to do, and the model is not ours to delete.
    store.pull("tiny", &mut |_| {}).unwrap();
    assert!(matches!(store.remove("tiny"), Err(EmbedError::NotOurs { .. })));
}

#[test]
fn another_commit_is_used_when_its_files_are_the_pinned_ones() {
    let dir = TempDir::new().unwrap();
    another_tool_writes(dir.path(), "ffffffffffffffffffffffffffffffffffffffff", &Tiny::bert());
    store(dir.path(), manifest(COMMIT)).find("tiny").unwrap().unwrap();

    let dir = TempDir::new().unwrap();
    another_tool_writes(dir.path(), "ffffffffffffffffffffffffffffffffffffffff", &Tiny { seed: 5, ..Tiny::bert() });
    assert!(store(dir.path(), manifest(COMMIT)).find("tiny").unwrap().is_none());
}

#[test]
fn a_wrong_file_in_the_cache_is_not_loaded() {
    let dir = TempDir::new().unwrap();
    another_tool_writes(dir.path(), COMMIT, &Tiny { seed: 5, ..Tiny::bert() });
    let store = store(dir.path(), manifest(COMMIT));
    let found = store.find("tiny").unwrap().unwrap();
    let error = store.load(&found).err().unwrap();
    assert!(matches!(error, EmbedError::Damaged { .. }), "{error}");
    assert!(store.verify("tiny").unwrap().iter().any(|c| c.problem.is_some()));
}

#[test]
fn a_snapshot_of_the_cache_is_also_just_a_directory() {
    let dir = TempDir::new().unwrap();
    another_tool_writes(dir.path(), COMMIT, &Tiny::bert());
    let snapshot = dir.path().join("hub/models--org--tiny/snapshots").join(COMMIT);
    fs::write(snapshot.join("modules.json"), r#"[{"path":"","type":"x.Transformer"},{"path":"p","type":"x.Pooling"}]"#)
        .unwrap();
    fs::create_dir(snapshot.join("p")).unwrap();
    fs::write(snapshot.join("p/config.json"), r#"{"pooling_mode_cls_token":true}"#).unwrap();
    let store = store(dir.path(), manifest(COMMIT));
    let found = store.find(snapshot.to_str().unwrap()).unwrap().unwrap();
    assert_eq!((found.name(), &found.origin), ("tiny", &Origin::Directory));
    store.load(&found).unwrap();
}
