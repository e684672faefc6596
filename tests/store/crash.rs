//! `kill -9` at random moments, and what must hold after each: the database opens, the doctor finds nothing, what was
//! committed is there, and every file is as it was before or as it is after.
//!
//! `KEN_KILLS` says how often each command is killed.

use crate::support::held::on_every_store;
use crate::support::ken::{User, run, section};
use crate::support::moments::Moments;
use crate::support::service::Service;
use crate::support::tiny::Tiny;
use kenning::store::{Database, MIGRATIONS, Migration, WriterLock};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const FILES: u32 = 12;
const PARAGRAPHS: u32 = 5;

fn kills() -> u32 {
    crate::support::long::amount("KEN_KILLS", 25, 5)
}

fn text(version: u32, file: u32) -> String {
    let paragraph = |n: u32| {
        section(n, &format!("Version {version} of paragraph {n} in file {file} is long enough to stand alone."))
    };
    (0..PARAGRAPHS).map(paragraph).collect()
}

fn write_all(user: &User, version: u32) {
    (0..FILES).for_each(|file| drop(user.document(&format!("{file}.md"), text(version, file))));
}

/// The version of each file, which must be one for all its paragraphs, all of them there.
fn versions(user: &User) -> BTreeMap<String, u32> {
    let mut seen: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for record in user.exported().into_iter().filter(|record| record["type"] == "item") {
        let body = record["item"]["body"].as_str().unwrap();
        let version = body.split(' ').nth(1).unwrap().parse().unwrap();
        seen.entry(record["item"]["path"].as_str().unwrap().to_owned()).or_default().push(version);
    }
    seen.into_iter()
        .map(|(path, versions)| {
            assert_eq!(versions.len(), PARAGRAPHS as usize, "{path} is half there");
            assert!(versions.windows(2).all(|pair| pair[0] == pair[1]), "{path} is of two versions");
            (path, versions[0])
        })
        .collect()
}

fn model() -> (tempfile::TempDir, tempfile::TempDir) {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    Tiny::indexer().write(a.path());
    Tiny { seed: 9, ..Tiny::indexer() }.write(b.path());
    (a, b)
}

on_every_store!(
    indexing,
    the_first_indexing,
    forgetting_and_cleaning,
    importing,
    putting_and_deleting_items,
    serving,
    changing_the_model,
);

fn indexing(new: fn() -> User) {
    let user = new();
    let (model, _) = model();
    let index = || user.command(&["index", ".", "--model", model.path().to_str().unwrap()]);
    write_all(&user, 1);
    let mut moments = Moments::new(index());
    let (mut running, mut least) = (0, 1);
    for version in 2..2 + kills() {
        write_all(&user, version);
        running += u32::from(moments.kill(index()));
        user.assert_sound();
        let found = versions(&user);
        assert_eq!(found.len(), FILES as usize);
        assert!(found.values().all(|v| (least..=version).contains(v)), "{least}..={version}: {found:?}");
        if version % 5 == 0 {
            // A run that ends is the least that every later state must hold.
            let ran = run(index(), b"");
            assert_eq!(ran.code, 0, "{ran:?}");
            assert!(versions(&user).values().all(|v| *v == version));
            least = version;
        }
    }
    assert!(running > kills() / 4, "only {running} were still running");
    let status = run(user.command(&["status", "--json"]), b"").json();
    assert_eq!(status["without_vector"], 0, "a file never appears without its vectors");
}

fn the_first_indexing(new: fn() -> User) {
    let (model, _) = model();
    let first = new();
    write_all(&first, 1);
    let index = |user: &User| user.command(&["index", ".", "--model", model.path().to_str().unwrap()]);
    let mut moments = Moments::new(index(&first));
    for _ in 0..kills() {
        let user = new();
        write_all(&user, 1);
        moments.kill(index(&user));
        assert_eq!(user.ken(&["doctor"]).code, 0);
        if user.ken(&["status", "--json"]).json()["files"].as_u64() > Some(0) {
            versions(&user);
        }
        assert_eq!(run(index(&user), b"").code, 0);
        assert_eq!(versions(&user).len(), FILES as usize);
    }
}

fn forgetting_and_cleaning(new: fn() -> User) {
    let user = new();
    write_all(&user, 1);
    user.ken(&["index", "."]);
    let mut moments = Moments::new(user.command(&["forget", "--path", "0.md"]));
    for round in 0..kills() {
        user.ken(&["index", "."]);
        let before: BTreeSet<String> = versions(&user).into_keys().collect();
        assert_eq!(before.len(), FILES as usize);
        let file = format!("{}.md", round % FILES);
        moments.kill(user.command(&["forget", "--path", &file]));
        user.assert_sound();
        let after: BTreeSet<String> = versions(&user).into_keys().collect();
        let gone: Vec<&String> = before.difference(&after).collect();
        assert!(gone.is_empty() || gone.len() == 1 && gone[0].ends_with(&format!("/{file}")), "{gone:?}");
        moments.kill(user.command(&["gc"]));
        user.assert_sound();
        assert_eq!(versions(&user).into_keys().collect::<BTreeSet<_>>(), after);
    }
}

fn importing(new: fn() -> User) {
    let source = new();
    write_all(&source, 1);
    source.ken(&["index", "."]);
    source.ken(&["export", "all.jsonl"]);
    let file = source.work().join("all.jsonl").display().to_string();
    let mut moments = Moments::new(new().command(&["import", &file]));
    for _ in 0..kills() {
        let user = new();
        moments.kill(user.command(&["import", &file]));
        assert_eq!(user.ken(&["doctor"]).code, 0);
        let files = user.ken(&["status", "--json"]).json()["files"].as_u64().unwrap();
        assert!(files == 0 || files == u64::from(FILES), "{files} of {FILES} files were imported");
        assert_eq!(user.ken(&["import", &file]).code, 0);
        assert_eq!(versions(&user).len(), FILES as usize);
    }
}

/// A batch of a program is there as a whole or not at all, and for good once the command has ended; what was deleted
/// does not return.
fn putting_and_deleting_items(new: fn() -> User) {
    const ITEMS: u32 = 60;
    let user = new();
    let (model, _) = model();
    let command =
        |arguments: &[&str]| user.command(&[arguments, &["--model", model.path().to_str().unwrap()]].concat());
    let put = |version: u32| {
        let line = |at: u32| {
            let text = format!("Version {version} of item {at}.");
            json!({"id": at.to_string(), "text": text, "attributes": {"at": at}})
        };
        let lines: String = (0..ITEMS).map(|at| format!("{}\n", line(at))).collect();
        user.document("items.jsonl", lines);
        command(&["items", "put", "items.jsonl"])
    };
    let delete = || command(&["items", "delete", "--where", "at >= 30"]);
    // The version of each item, by its id.
    let versions = || -> BTreeMap<String, u32> {
        let items = user.exported().into_iter().filter(|record| record["type"] == "item");
        let version =
            |record: &Value| record["item"]["body"].as_str().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        items
            .map(|one| (one["item"]["attributes"]["external_id"].as_str().unwrap().to_owned(), version(&one)))
            .collect()
    };
    assert_eq!(run(put(0), b"").code, 0);
    let mut puts = Moments::new(put(1));
    let mut deletes = Moments::new(delete());
    assert_eq!(run(put(1), b"").code, 0);
    let (mut running, mut least) = (0, 1);
    for version in 2..2 + kills() {
        let killed = puts.kill(put(version));
        running += u32::from(killed);
        user.assert_sound();
        let found = versions();
        let seen: BTreeSet<u32> = found.values().copied().collect();
        assert_eq!((found.len(), seen.len()), (ITEMS as usize, 1), "a batch is half there: {found:?}");
        let seen = seen.into_iter().next().unwrap();
        assert!(seen == version || killed && seen == least, "{least}..={version}: {seen}");
        least = seen;

        let killed = deletes.kill(delete());
        running += u32::from(killed);
        user.assert_sound();
        match versions().len() {
            30 => {}
            60 => assert!(killed, "an acknowledged deletion is not there"),
            some => panic!("{some} items are left"),
        }
        let status = run(command(&["status", "--json"]), b"").json();
        assert_eq!(status["without_vector"], 0, "an item never appears without its vectors");
        assert_eq!(run(put(version), b"").code, 0);
        least = least.max(version);
    }
    assert!(running > kills() / 4, "only {running} were still running");
}

/// A service is killed while programs put and delete. Acknowledged requests are in the store. A request without an
/// answer is in it as a whole or not at all.
fn serving(new: fn() -> User) {
    const PROGRAMS: usize = 3;
    let user = new();
    // What each program knows of its items: the version, or none if the item is gone. Items whose last request had no
    // answer are left out.
    let mut known: Vec<BTreeMap<u32, Option<u32>>> = vec![BTreeMap::new(); PROGRAMS];
    let acknowledged = AtomicU32::new(0);
    assert_eq!(user.ken_with(&["items", "put", "-"], br#"{"id": "first", "text": "Version 0 of an item."}"#).code, 0);
    for round in 0..kills() {
        let service = Service::start(&user, &[]);
        let acts = |program: usize, known: &mut BTreeMap<u32, Option<u32>>| {
            for version in round * 1000.. {
                let id = version * 7 % 10;
                known.remove(&id);
                let (answer, now) = if version % 3 == 2 {
                    (service.try_ask("DELETE", &format!("/v1/items/{program}-{id}"), ""), None)
                } else {
                    let item =
                        json!({"id": format!("{program}-{id}"), "text": format!("Version {version} of an item.")});
                    (service.try_ask("PUT", "/v1/items", &json!({"items": [item]}).to_string()), Some(version))
                };
                let Some(answer) = answer else { break };
                assert!([200, 404].contains(&answer.status), "{answer:?}");
                known.insert(id, now);
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
        };
        let enough = acknowledged.load(Ordering::SeqCst) + 1 + round * 7 % 30;
        std::thread::scope(|scope| {
            for (program, known) in known.iter_mut().enumerate() {
                scope.spawn(move || acts(program, known));
            }
            let patience = Instant::now() + Duration::from_secs(60);
            while acknowledged.load(Ordering::SeqCst) < enough && Instant::now() < patience {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(u64::from(round * 37 % 20)));
            service.crash();
        });
        assert!(acknowledged.load(Ordering::SeqCst) >= enough, "nothing is acknowledged");
        user.assert_sound();
        let mut there: BTreeMap<String, u32> = BTreeMap::new();
        for record in user.exported().into_iter().filter(|record| record["type"] == "item") {
            let version = record["item"]["body"].as_str().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
            let id = record["item"]["attributes"]["external_id"].as_str().unwrap().to_owned();
            assert_eq!(there.insert(id.clone(), version), None, "{id} twice");
        }
        for (program, known) in known.iter().enumerate() {
            for (id, version) in known {
                assert_eq!(there.get(&format!("{program}-{id}")), version.as_ref(), "{program}-{id}, round {round}");
            }
        }
    }
}

/// From one model to another and back: the index answers with the old one or the new one, never with both.
fn changing_the_model(new: fn() -> User) {
    let user = new();
    // An import embeds the packs, so these run in the fast pass.
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    Tiny::quick().write(a.path());
    Tiny { seed: 9, ..Tiny::quick() }.write(b.path());
    for (dir, name) in [(&a, "alpha"), (&b, "beta")] {
        let ran = user.ken(&["model", "import", dir.path().to_str().unwrap(), "--name", name]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    write_all(&user, 1);
    assert_eq!(user.ken(&["model", "use", "alpha"]).code, 0);
    user.ken(&["index", "."]);
    let mut moments = Moments::new(user.command(&["model", "use", "beta"]));
    let mut last = "beta";
    for _ in 0..kills() {
        let next = if last == "alpha" { "beta" } else { "alpha" };
        moments.kill(user.command(&["model", "use", next]));
        user.assert_sound();
        let status = user.ken(&["status", "--json"]).json();
        let index = status["index_model"].as_str().unwrap().split('@').next().unwrap().to_owned();
        assert!(index == last || index == next, "{status}");
        assert_eq!(
            (status["models_agree"].as_bool(), status["without_vector"].as_u64()),
            (Some(true), Some(0)),
            "{status}"
        );
        // Whatever state it was left in, it can be indexed, and the change can be completed.
        assert_eq!(user.ken(&["index", "."]).code, 0);
        assert_eq!(user.ken(&["model", "use", next]).code, 0);
        let status = user.ken(&["status", "--json"]).json();
        assert!(status["index_model"].as_str().unwrap().starts_with(&format!("{next}@")), "{status}");
        user.ken(&["gc"]);
        last = next;
    }
}

const ROWS: i64 = 60_000;

/// A schema after the present one, whose migration takes a while.
fn later() -> Vec<Migration> {
    let sql = "CREATE TABLE later AS
            WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 60000) SELECT x FROM n;
        UPDATE item SET title = 'migrated';";
    MIGRATIONS.iter().copied().chain([Migration { number: MIGRATIONS.len() as i64 + 1, sql }]).collect()
}

/// Run as a process of its own by [`migrating`].
#[test]
fn migrate_as_a_child() {
    if let Some(home) = std::env::var_os("KEN_TEST_MIGRATE") {
        let lock = WriterLock::take(home.as_ref(), "test", Duration::from_secs(5)).unwrap();
        Database::open_with(&lock, &later()).unwrap();
    }
}

#[test]
fn migrating() {
    let source = User::new();
    write_all(&source, 1);
    source.ken(&["index", "."]);
    let old = std::fs::read(source.home().join("kenning.db")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let fresh = || {
        drop(std::fs::remove_dir_all(&home));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("kenning.db"), &old).unwrap();
    };
    let migrate = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "store::crash::migrate_as_a_child"]).env("KEN_TEST_MIGRATE", &home);
        command
    };
    fresh();
    let mut moments = Moments::new(migrate());
    let mut outcomes = BTreeSet::new();
    // On a busy machine the first moments may all be early; those after them are not.
    for n in 0..kills() * 8 {
        if n >= kills() && outcomes.len() == 2 {
            break;
        }
        fresh();
        moments.kill(migrate());
        let ask = |sql: &str| {
            let connection = rusqlite::Connection::open(home.join("kenning.db")).unwrap();
            connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
        };
        let schema = ask("PRAGMA user_version");
        outcomes.insert(schema);
        let items = i64::from(FILES * PARAGRAPHS);
        assert_eq!(ask("SELECT count(*) FROM item"), items);
        assert_eq!(ask("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
        if schema == MIGRATIONS.len() as i64 {
            assert_eq!(ask("SELECT count(*) FROM sqlite_master WHERE name = 'later'"), 0);
            assert_eq!(ask("SELECT count(*) FROM item WHERE title = 'migrated'"), 0);
        } else {
            assert_eq!(
                (ask("SELECT count(*) FROM later"), ask("SELECT count(*) FROM item WHERE title = 'migrated'")),
                (ROWS, items)
            );
            // What was there before is whole in the backup.
            let backup = home.join(format!("kenning.db.schema{}.backup", MIGRATIONS.len()));
            let kept = rusqlite::Connection::open(backup).unwrap();
            assert_eq!(kept.query_row("SELECT count(*) FROM item", [], |row| row.get::<_, i64>(0)).unwrap(), items);
        }
        let lock = WriterLock::take(&home, "test", Duration::from_secs(5)).unwrap();
        Database::open_with(&lock, &later()).unwrap();
    }
    assert_eq!(outcomes.len(), 2, "killed before and after: {outcomes:?}");
}
