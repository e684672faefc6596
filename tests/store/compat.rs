//! Data directories of released versions, in `tests/compat/`: each opens for ever, with everything in it.

use crate::support::ken::{User, run, write};
use crate::support::tiny::Tiny;
use kenning::store::{Database, MIGRATIONS, WriteItems, WriterLock, make_private};
use kenning::types::{Authority, Item, Kind, Scope, State};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A data directory as a version left it, copied so that opening it changes nothing here.
fn of_version(name: &str) -> User {
    let user = User::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat").join(name);
    for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())).flatten() {
        write(&user.home().join(entry.file_name()), fs::read(entry.path()).unwrap());
    }
    #[cfg(unix)]
    for path in [user.home(), user.home().join("kenning.db")] {
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    }
    user
}

#[test]
fn version_0_1() {
    let user = of_version("v0.1");
    user.assert_sound();
    assert_eq!(
        user.texts(),
        [
            "Bees are kept behind the orchard wall, where the morning sun reaches the hives before anything else.",
            "Signing keys are rotated every ninety days; the on-call engineer runs the rotation script.",
        ]
    );
    let status = user.ken(&["status", "--json"]).json();
    assert_eq!(status["vectors"], 2);
    assert!(status["index_model"].as_str().unwrap().starts_with("tiny@"), "{status}");
    let usage: Vec<_> = user.exported().into_iter().filter(|record| record["type"] == "usage").collect();
    assert_eq!((usage.len(), usage[0]["served"].as_u64()), (1, Some(1)));
    // And it can be worked with: its files are not here, so it forgets them when told to.
    let ids: Vec<String> =
        user.exported().iter().filter_map(|r| r["item"]["uid"].as_str().map(str::to_owned)).collect();
    assert_eq!(user.ken(&["forget", &ids[0]]).code, 0);
    user.assert_sound();
    assert_eq!(user.texts().len(), 1);
}

/// A database of schema 4, which had a keyword index of its own.
fn with_keyword_index(user: &User) {
    let folder = user.home();
    make_private(&folder).unwrap();
    let lock = WriterLock::take(&folder, "test", Duration::from_secs(9)).unwrap();
    let mut database = Database::open_with(&lock, &MIGRATIONS[..4]).unwrap();
    let batch = database.begin(&lock).unwrap();
    let item = |uid: &str, body: &str| Item {
        uid: uid.to_owned(),
        kind: Kind::Fact,
        scope: Scope::global(),
        authority: Authority::Personal,
        state: State::Active,
        title: String::new(),
        body: body.to_owned(),
        attributes: serde_json::json!({}),
        path: None,
        span: None,
        created_at: 0,
        updated_at: 0,
    };
    batch.put_item(&item("fact/keys", "Signing keys are rotated every ninety days."), None).unwrap();
    batch.put_item(&item("fact/bees", "Bees are kept behind the orchard wall."), None).unwrap();
    batch.commit().unwrap();
    drop((database, lock));
    let connection = rusqlite::Connection::open(folder.join("kenning.db")).unwrap();
    let fill = "INSERT INTO item_fts (rowid, words) VALUES (1, 'sign kei rotat'), (2, 'bee kept orchard wall');";
    connection.execute_batch(fill).unwrap();
}

#[test]
fn a_database_with_a_keyword_index_of_its_own() {
    let user = User::new();
    with_keyword_index(&user);
    let found = user.ken(&["search", "--json", "--min-relevance", "0", "--kind", "fact", "signing keys"]);
    assert_eq!(found.code, 0, "{found:?}");
    assert_eq!(found.json()["results"][0]["hits"][0]["id"], "fact/keys", "{found:?}");
    assert!(user.home().join("kenning.db.schema4.backup").exists());
    user.assert_sound();
    assert_eq!(user.texts().len(), 2);
    assert_eq!(user.ken(&["forget", "fact/keys"]).code, 0);
    user.assert_sound();
    assert!(!user.home().join("kenning.db.schema4.backup").exists(), "what is forgotten is in no copy");
    let held = fs::read(user.home().join("kenning.db")).unwrap();
    assert!(!held.windows(5).any(|five| five == b"rotat"));
}

/// Leaves the data directory of this version in `$KEN_TEST_COMPAT`: to be run once when a version is released.
#[test]
fn leave_a_data_directory() {
    let Some(target) = std::env::var_os("KEN_TEST_COMPAT") else { return };
    // A place that says nothing of the machine it was made on.
    let notes = Path::new("/tmp/kenning-example/notes");
    write(
        &notes.join("farm.txt"),
        "Bees are kept behind the orchard wall, where the morning sun reaches the hives before anything else.",
    );
    write(
        &notes.join("keys.md"),
        "# Operations\n\n## Keys\n\nSigning keys are rotated every ninety days; the on-call engineer runs the rotation script.\n",
    );
    let user = User::new();
    let model = tempfile::tempdir().unwrap();
    Tiny::indexer().write(model.path());
    let imported = user.ken(&["model", "import", "--name", "tiny", model.path().to_str().unwrap()]);
    assert_eq!(imported.code, 0, "{imported:?}");
    assert_eq!(user.ken(&["model", "use", "tiny"]).code, 0);
    let mut index = user.command(&["index", "."]);
    index.current_dir(notes);
    assert_eq!(run(index, b"").code, 0);
    assert_eq!(user.ken(&["search", "--min-relevance", "0", "--kind", "chunk", "-n", "1", "morning sun"]).code, 0);
    fs::create_dir_all(&target).unwrap();
    fs::copy(user.home().join("kenning.db"), Path::new(&target).join("kenning.db")).unwrap();
}
