//! Files that are not what they should be: noticed, named, and mended as far as that is possible.

use crate::support::ken::{Ran, User};
use std::fs;
use std::path::PathBuf;

const FILES: u32 = 40;

fn text(file: u32) -> String {
    let paragraph = |n: u32| {
        format!("Paragraph {n} in file {file} is about subject {} and is long enough to stand alone.\n\n", file * 7 + n)
    };
    (0..6).map(paragraph).collect()
}

fn indexed() -> (User, PathBuf) {
    let user = User::new();
    (0..FILES).for_each(|file| drop(user.document(&format!("{file}.md"), text(file))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let path = user.home().join("kenning.db");
    (user, path)
}

fn told(ran: &Ran, code: i32) {
    assert!(ran.code == code && ran.err.contains("error:") && !ran.err.contains("panicked"), "{ran:?}");
}

#[test]
fn what_is_no_database_of_ours_is_left_alone() {
    let (user, path) = indexed();
    let whole = fs::read(&path).unwrap();
    let question = ["search", "--min-relevance", "0", "subject"];
    for (bytes, code) in [
        (b"a letter to my aunt".to_vec(), 5),
        (whole[..whole.len() / 2].to_vec(), 5),
        (whole[..50].to_vec(), 5),
        (b"SQLite format 3\0".to_vec(), 5),
    ] {
        fs::write(&path, &bytes).unwrap();
        for verb in [&question[..], &["index", "."], &["status"], &["gc"]] {
            told(&user.ken(verb), code);
        }
        assert_eq!(user.ken(&["doctor"]).code, 5);
        assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was written over it");
    }
    // A schema of a later program.
    fs::write(&path, &whole).unwrap();
    let set = |sql: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    set("PRAGMA user_version = 99");
    let ran = user.ken(&question);
    told(&ran, 6);
    assert!(ran.err.contains("schema 99"), "{ran:?}");
    told(&user.ken(&["index", "."]), 6);
    // A database of another program.
    set("PRAGMA user_version = 1; PRAGMA application_id = 7");
    told(&user.ken(&question), 5);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    told(&user.ken(&question), 5);
    fs::remove_dir(&path).unwrap();
    fs::write(&path, b"").unwrap();
    assert_eq!(user.ken(&["index", "."]).code, 0);
    user.assert_sound();
}

/// Bytes overwritten all over the file: never a panic, never a text that was not stored; the doctor sees it, mends it, and
/// the next indexing completes what was lost.
#[test]
fn damaged_pages_are_noticed_and_mended() {
    let (user, path) = indexed();
    let texts = user.texts();
    let whole = fs::read(&path).unwrap();
    let pages = whole.len() / 8192;
    let mut noticed = 0;
    for page in 1..pages {
        let mut bytes = whole.clone();
        let at = page * 8192 + (page * 977) % 6000;
        bytes[at..at + 500].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(&path, &bytes).unwrap();
        let searched = user.ken(&["search", "--json", "--min-relevance", "0", "--kind", "chunk", "subject 93"]);
        assert!([0, 1, 5].contains(&searched.code), "page {page}: {searched:?}");
        if searched.code == 0 {
            let hits = searched.json()["results"][0]["hits"].clone();
            let known = |hit: &serde_json::Value| {
                let snippet = hit["snippet"].as_str().unwrap().trim_end_matches('…');
                texts.iter().any(|text| text.starts_with(snippet))
            };
            assert!(hits.as_array().unwrap().iter().all(known), "page {page}: {hits}");
        }
        let doctor = user.ken(&["doctor"]);
        assert!([0, 5, 8].contains(&doctor.code), "page {page}: {doctor:?}");
        if doctor.code == 0 {
            // A free page, or space that nothing uses.
            assert_eq!(user.texts(), texts, "page {page}");
            continue;
        }
        noticed += 1;
        let repaired = user.ken(&["doctor", "--repair"]);
        assert_eq!(repaired.code, 0, "page {page}: {repaired:?}");
        user.assert_sound();
        assert_eq!(user.ken(&["index", "."]).code, 0);
        assert_eq!(user.texts(), texts, "page {page}");
        for entry in fs::read_dir(user.home()).unwrap().flatten() {
            if entry.file_name().to_string_lossy().contains(".damaged-") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }
    assert!(noticed > pages / 3, "{noticed} of {pages}");
}

/// Tables that no longer agree, as a fault of ours could leave them.
#[test]
fn tables_that_drifted_apart_are_mended() {
    let (user, path) = indexed();
    let texts = user.texts();
    for (sql, code) in [
        ("DELETE FROM item_fts WHERE rowid % 3 = 0", 8),
        ("UPDATE corpus SET items = 7", 8),
        ("DELETE FROM embedding WHERE item_id % 2 = 0", 8),
        ("UPDATE item SET body = 'other text' WHERE id = 5", 5),
        ("INSERT INTO item_fts (rowid, words) VALUES (99999, 'ghost')", 8),
        ("INSERT INTO meta VALUES ('active_model', 'nobody@00')", 8),
        ("INSERT INTO model VALUES (1, 'm@00', 2); INSERT INTO vector VALUES (1, 1, zeroblob(16), zeroblob(8))", 5),
    ] {
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let found = user.ken(&["doctor"]);
        assert_eq!(found.code, code, "{sql}: {found:?}");
        assert_eq!(user.ken(&["doctor", "--repair"]).code, 0, "{sql}");
        user.assert_sound();
        user.ken(&["index", "."]);
        assert_eq!(user.texts(), texts, "{sql}");
    }
}

/// Nobody else may look into what is kept.
#[cfg(unix)]
#[test]
fn permissions_are_checked_and_mended() {
    use std::os::unix::fs::PermissionsExt;
    let (user, path) = indexed();
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&user.home()), mode(&path)), (0o700, 0o600));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(user.ken(&["doctor"]).code, 8);
    assert_eq!(user.ken(&["doctor", "--repair"]).code, 0);
    assert_eq!(mode(&path), 0o600);
}
