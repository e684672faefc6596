//! The file of vectors is made again by a process of its own while others write, forget and are killed: what it says
//! with what has changed since is what the database says, and what was forgotten does not come back in it.

use super::twin::{owners, twins};
use crate::support::ken::{User, section};
use rusqlite::Connection;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const SECTIONS: u32 = 9_000;
const DIMS: usize = 8;

fn database(user: &User) -> Connection {
    let database = Connection::open(user.home().join("kenning.db")).unwrap();
    database.busy_timeout(Duration::from_secs(20)).unwrap();
    database
}

/// A vector of length 1 that differs for each text.
fn vector(hash: &[u8]) -> Vec<f32> {
    let raw: Vec<f32> = hash[..DIMS].iter().map(|byte| f32::from(*byte) - 127.3).collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.into_iter().map(|x| x / length).collect()
}

/// Vectors for all texts that have none, without a model: what they are is all the same here.
fn fill(user: &User) {
    let mut database = database(user);
    let texts: Vec<Vec<u8>> = {
        let sql = "SELECT DISTINCT text_hash FROM embedding WHERE text_hash NOT IN (SELECT text_hash FROM vector)";
        let mut statement = database.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let batch = database.transaction().unwrap();
    batch
        .execute("INSERT OR IGNORE INTO model (id, fingerprint, dims) VALUES (1, 'none@0', ?1)", [DIMS as i64])
        .unwrap();
    batch.execute("INSERT OR REPLACE INTO meta VALUES ('active_model', 'none@0')", []).unwrap();
    for text in texts {
        let data: Vec<u8> = vector(&text).into_iter().flat_map(f32::to_le_bytes).collect();
        batch.execute("INSERT INTO vector (model_id, text_hash, data) VALUES (1, ?1, ?2)", (text, data)).unwrap();
    }
    batch.commit().unwrap();
}

/// Lets the file be due: half of the items count as changed.
fn age(user: &User) {
    let sql =
        "UPDATE embedding SET text_hash = text_hash WHERE item_id IN (SELECT id FROM item ORDER BY id LIMIT 4400)";
    database(user).execute(sql, []).unwrap();
}

/// Somebody with many texts, and a few small files.
fn user(small: u32) -> User {
    let user = User::new();
    let sections =
        |from: u32, to: u32| (from..to).map(|n| section(n, &format!("It is about {n}."))).collect::<String>();
    user.document("long.md", sections(0, SECTIONS));
    (0..small).for_each(|n| drop(user.document(&format!("{n}.md"), sections(10_000 + 50 * n, 10_020 + 50 * n))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    fill(&user);
    assert_eq!(user.ken(&["gc"]).code, 0);
    user
}

fn generation(user: &User) -> u64 {
    twins(&user.home()).0.unwrap().image().generation().number
}

fn assert_as_the_database_says(user: &User, when: &str) {
    let (by_file, alone) = twins(&user.home());
    let Some(by_file) = by_file else { return };
    assert_eq!(by_file.link_count(), alone.link_count(), "{when}");
    for seed in 0..40u8 {
        let query = vector(&std::array::from_fn::<u8, 16, _>(|at| seed.wrapping_mul(37).wrapping_add(at as u8 * 91)));
        let [here, right] = [&by_file, &alone].map(|index| owners(index, &index.search_exactly(&query, 10, None)));
        assert_eq!(here, right, "{when}");
    }
}

fn spawn(user: &User, arguments: &[&str]) -> Child {
    let mut command = user.command(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_file_that_is_due_is_made_again_meanwhile() {
    let user = user(0);
    let first = generation(&user);
    let auto = |what: &str| {
        let ran = user.ken(&["gc", "--auto", "--json"]);
        assert_eq!((ran.code, ran.json()["vectors"].as_str()), (0, Some(what)), "{ran:?}");
    };
    auto("not_due");
    age(&user);
    let mut here = user.command(&["index", "."]);
    assert!(here.env("KEN_BACKGROUND", "false").status().unwrap().success());
    let second = generation(&user);
    assert!(second > first, "who writes makes it, if nobody else may");
    age(&user);
    // It takes long to take traces away, and nobody has asked for it: others can write meanwhile.
    database(&user).execute("INSERT INTO meta VALUES ('traces', '1')", []).unwrap();
    auto("done");
    let third = generation(&user);
    assert!(third > second);
    let left = database(&user).execute("DELETE FROM meta WHERE key = 'traces'", []).unwrap();
    assert_eq!(left, 1);
    age(&user);
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let started = Instant::now();
    let log =
        || database(&user).query_row("SELECT count(*) FROM vector_change", [], |row| row.get::<_, i64>(0)).unwrap();
    // Changes that are in the file are not kept.
    while generation(&user) == third || log() > 4_000 {
        assert!(started.elapsed() < Duration::from_secs(300), "nobody makes it again");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_as_the_database_says(&user, "made in the background");
    // One that half of everything has changed since is worth nothing: it is made at once.
    let fourth = generation(&user);
    database(&user).execute("UPDATE embedding SET text_hash = text_hash", []).unwrap();
    assert_eq!(user.ken(&["index", "."]).code, 0);
    assert!(generation(&user) > fourth);
}

#[test]
fn others_may_write_forget_and_be_killed_meanwhile() {
    const ROUNDS: u32 = 12;
    let user = user(ROUNDS);
    let hashes = |path: &str| -> Vec<Vec<u8>> {
        let sql = "SELECT embedding.text_hash FROM embedding JOIN item ON item.id = item_id JOIN source ON source.id = source_id
            WHERE source.path LIKE '%/' || ?1";
        let database = database(&user);
        let mut statement = database.prepare(sql).unwrap();
        statement.query_map([path], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let started = Instant::now();
    age(&user);
    assert_eq!(user.ken(&["gc", "--auto"]).code, 0);
    let whole = started.elapsed();
    let mut caught = 0;
    for round in 0..ROUNDS {
        let when = format!("round {round}");
        age(&user);
        let mut auto = spawn(&user, &["gc", "--auto"]);
        if round % 4 > 0 {
            std::thread::sleep(whole * ((round * 37 + 11) % 101) / 100);
        }
        let path = format!("{round}.md");
        match round % 4 {
            0 => {
                let gone = hashes(&path);
                assert!(gone.len() >= 20);
                // It sleeps while its file is half there, has what is forgotten then, and wakes up.
                let half = || {
                    fs::read_dir(user.home()).unwrap().flatten().any(|entry| {
                        let own = entry.file_name().to_string_lossy().starts_with('.');
                        own && entry.metadata().is_ok_and(|meta| meta.len() > 0)
                    })
                };
                while !half() && auto.try_wait().unwrap().is_none() {}
                let process = rustix::process::Pid::from_child(&auto);
                // It may have ended by itself.
                let signal = |which| rustix::process::kill_process(process, which).ok();
                signal(rustix::process::Signal::STOP);
                caught += u32::from(half());
                // What sleeps may hold the log, and then traces are left for a moment. It may hold the right to write
                // too, when it was put to sleep late: then nothing is forgotten yet.
                let forget = || user.ken(&["--json", "forget", "--path", &path]);
                let ran = forget();
                assert!([0, 7].contains(&ran.code), "{ran:?}");
                signal(rustix::process::Signal::CONT);
                auto.wait().unwrap();
                if format!("{}{}", ran.out, ran.err).contains("\"error\"") {
                    assert_eq!(forget().code, 0);
                }
                for entry in fs::read_dir(user.home()).unwrap().flatten() {
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if !name.contains(".vectors") {
                        continue;
                    }
                    let bytes = fs::read(entry.path()).unwrap();
                    let is_there = |hash: &Vec<u8>| bytes.windows(16).any(|window| window == hash.as_slice());
                    assert!(!gone.iter().any(is_there), "{when}: {name} still has what was forgotten");
                }
            }
            1 => {
                user.document(&path, section(20_000 + round, "It is quite another text now."));
                assert_eq!(user.ken(&["index", "."]).code, 0);
                fill(&user);
            }
            2 => assert_eq!(user.ken(&["gc"]).code, 0),
            _ => auto.kill().unwrap(),
        }
        auto.wait().unwrap();
        assert_as_the_database_says(&user, &when);
    }
    assert!(caught > 0);
    assert_eq!(user.ken(&["gc"]).code, 0);
    assert!(twins(&user.home()).0.is_some());
    assert_as_the_database_says(&user, "at the end");
    let names = fs::read_dir(user.home()).unwrap().flatten().map(|entry| entry.file_name());
    let half: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert!(half.is_empty(), "{half:?}");
}
