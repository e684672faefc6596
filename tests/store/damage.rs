//! Files that are not what they should be: noticed, named, and mended as far as that is possible.

use crate::support::ken::{Ran, User, section};
use std::fs;
use std::path::{Path, PathBuf};

const FILES: u32 = 40;

fn text(file: u32) -> String {
    let paragraph = |n: u32| {
        let subject = file * 7 + n;
        let text =
            format!("Paragraph {n} in file {file} is about subject {subject} and is long enough to stand alone.");
        section(n, &text)
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

/// Bytes overwritten all over the file: never a panic, never a text that was not stored; the doctor sees it, mends it,
/// and the next indexing completes what was lost.
#[test]
fn damaged_pages_are_noticed_and_mended() {
    let (user, path) = indexed();
    let texts = user.texts();
    let whole = fs::read(&path).unwrap();
    let pages = whole.len() / 8192;
    let (mut noticed, mut struck) = (0, 0);
    for page in 1..pages {
        let mut bytes = whole.clone();
        // Cells grow from the end of a page; what is zero before them is free.
        let end = (page + 1) * 8192 - (page * 97) % 400;
        if bytes[end - 300..end].iter().all(|byte| *byte == 0) {
            continue;
        }
        struck += 1;
        bytes[end - 300..end].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(&path, &bytes).unwrap();
        let searched = user.ken(&["search", "--json", "--min-relevance", "0", "--kind", "chunk", "subject 93"]);
        // What a page holds is SQLite's affair: a search reads it (5), finds less (1), or never comes by (0).
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
        // Likewise: a page that SQLite cannot read (5), rows that do not fit together (8), or bytes that nobody reads
        // (0).
        assert!([0, 5, 8].contains(&doctor.code), "page {page}: {doctor:?}");
        if doctor.code == 0 {
            // Only where it changes nothing that anybody reads.
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
    assert!(struck >= 8 && noticed >= struck - 2, "{noticed} of {struck}");
}

/// A bit or two, where SQLite itself sees nothing wrong: in a text, in a schema, in the header.
#[test]
fn single_bits_are_noticed_and_mended() {
    let (user, path) = indexed();
    let texts = user.texts();
    let whole = fs::read(&path).unwrap();
    let places = |word: &[u8]| whole.windows(word.len()).position(|window| window == word).unwrap();
    let body = places(b"Paragraph 3 in file 9");
    for (what, at, bit) in [
        ("a text that is no longer UTF-8", body + 4, 0x80),
        ("a text that says something else", body + 4, 0x02),
        ("the schema", places(b"CREATE TRIGGER item_added") + 20, 0x01),
        // That of the first, whatever it is now; a newer one is refused as such.
        ("the number of the schema", 63, whole[63] ^ 1),
        ("the sign of the schema", 60, 0x80),
        ("the format in the header", 18, 0x40),
    ] {
        let mut bytes = whole.clone();
        bytes[at] ^= bit;
        fs::write(&path, &bytes).unwrap();
        for verb in [&["search", "--min-relevance", "0", "paragraph 3 in file 9"][..], &["export"], &["status"]] {
            let ran = user.ken(verb);
            // Which of them comes by what is damaged differs: it answers as ever (0, 1) or says so (5).
            assert!([0, 1, 5].contains(&ran.code), "{what}: {ran:?}");
            assert!(!ran.out.contains("Papa") && !ran.out.contains("Parcgraph"), "{what}: {ran:?}");
        }
        assert_eq!(user.ken(&["doctor"]).code, 5, "{what}");
        assert_eq!(user.ken(&["doctor", "--repair"]).code, 0, "{what}");
        user.assert_sound();
        user.ken(&["index", "."]);
        assert_eq!(user.texts(), texts, "{what}");
    }
}

/// A repair that was stopped leaves a copy; what is forgotten leaves that too.
#[test]
fn copies_go_when_something_is_forgotten() {
    let (user, path) = indexed();
    fs::create_dir(user.home().join(".salvage-x1")).unwrap();
    fs::copy(&path, user.home().join(".salvage-x1/kenning.db")).unwrap();
    fs::copy(&path, user.home().join("kenning.db.damaged-1")).unwrap();
    assert_eq!(user.ken(&["forget", "--path", "3.md"]).code, 0);
    let left: Vec<_> =
        fs::read_dir(user.home()).unwrap().flatten().map(|e| e.file_name().into_string().unwrap()).collect();
    assert!(left.iter().all(|name| !name.contains("salvage") && !name.contains("damaged")), "{left:?}");
}

/// Tables that no longer agree, as a fault of ours could leave them.
#[test]
fn tables_that_drifted_apart_are_mended() {
    let (user, path) = indexed();
    let texts = user.texts();
    for (sql, code) in [
        ("UPDATE corpus SET items = 7", 8),
        ("DELETE FROM embedding WHERE item_id % 2 = 0", 8),
        ("UPDATE item SET body = 'other text' WHERE id = 5", 5),
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

const MODEL: &str = "bge-small-en-v1.5-int8";

/// Changes a bit in each of many bytes of the last half of a file, where its vectors lie.
fn spoil(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let half = bytes.len() / 2;
    (half..bytes.len()).step_by(97).for_each(|at| bytes[at] ^= 0x10);
    fs::write(path, bytes).unwrap();
}

/// Whatever becomes of the file of vectors beside the database, the answer is that of the database.
#[test]
fn the_file_of_vectors_may_be_damaged_stale_or_gone() {
    let user = User::new().with_model(MODEL);
    (0..FILES).for_each(|file| drop(user.document(&format!("{file}.md"), text(file))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let path = user.home().join("kenning.db.vectors");
    let ask = || {
        let ran =
            user.ken(&["search", "--json", "--dry-run", "--min-relevance", "0", "-n", "9", "what is subject 77 about"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let mut hits = ran.json()["results"][0]["hits"].clone();
        // The score sinks with age from one call to the next; order and relevance don't.
        hits.as_array_mut().unwrap().iter_mut().for_each(|hit| drop(hit.as_object_mut().unwrap().remove("score")));
        (hits, ran.err)
    };
    let right = ask();
    assert_eq!((right.0.as_array().unwrap().len(), right.1.as_str()), (9, ""));

    spoil(&path);
    let damaged = ask();
    assert!(damaged.0 == right.0 && damaged.1.contains("ken doctor --repair"), "{damaged:?}");
    let doctor = user.ken(&["doctor"]);
    assert!(doctor.code == 8 && doctor.out.contains("vector file"), "{doctor:?}");
    assert_eq!(user.ken(&["doctor", "--repair"]).code, 0);
    user.assert_sound();
    assert_eq!(ask(), right);

    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 64]).unwrap();
    assert_eq!(ask(), right);
    fs::remove_file(&path).unwrap();
    assert_eq!((ask(), path.exists()), (right, false), "who only reads writes nothing");

    // An older state comes back, from a copy that somebody kept.
    user.document("new.md", "What subject 77 is about: the very thing that was asked for.");
    assert_eq!(user.ken(&["index", "."]).code, 0);
    assert_ne!(fs::read(&path).unwrap(), whole);
    fs::write(&path, &whole).unwrap();
    assert!(ask().0.to_string().contains("the very thing"));
    assert_eq!(user.ken(&["gc"]).code, 0);
    assert!(fs::read(&path).unwrap() != whole && ask().0.to_string().contains("the very thing"));
}

/// The same for the vectors of the packs.
#[test]
fn damaged_vectors_of_the_packs_are_left_out_and_made_again() {
    let user = User::new().with_model(MODEL);
    let question = ["lookup", "--json", "--dry-run", "somebody else holds the lock of our terraform state"];
    let right = user.ken(&question);
    assert_eq!(right.code, 0, "{right:?}");
    // A folder of their own, which may be damaged.
    let folder = user.home().join("vectors");
    let shared = fs::canonicalize(&folder).unwrap();
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    for entry in fs::read_dir(shared).unwrap().flatten() {
        fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    let all = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = all.filter(|path| path.to_string_lossy().contains(&format!("{MODEL}@"))).collect();
    let whole: Vec<Vec<u8>> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(!files.is_empty());
    // The nearest rows are as damaged as the others. Few of them: each is embedded again.
    for path in &files {
        let mut bytes = fs::read(path).unwrap();
        let half = bytes.len() / 2;
        (half..bytes.len()).step_by(1536 * 24).for_each(|at| bytes[at] ^= 0x10);
        fs::write(path, bytes).unwrap();
    }
    let damaged = user.ken(&question);
    let hits = damaged.json()["results"][0]["hits"].as_array().unwrap().len();
    assert!(damaged.code == i32::from(hits == 0) && damaged.err.contains("made again"), "{damaged:?}");
    let again = user.ken(&question);
    assert_eq!((again.json()["results"].clone(), again.err.as_str()), (right.json()["results"].clone(), ""));
    assert!(files.iter().zip(&whole).any(|(path, whole)| fs::read(path).unwrap() == *whole));
}

/// The first page says what a file is and where everything in it lies. Without it there is less to be had, never
/// nothing to be done.
#[test]
fn a_damaged_first_page_is_no_dead_end() {
    let (user, path) = indexed();
    let texts = user.texts();
    let whole = fs::read(&path).unwrap();
    for (what, bytes, carried) in
        [("the first letters", 0..16, true), ("the header", 0..100, true), ("the whole page", 0..8192, false)]
    {
        let mut damaged = whole.clone();
        damaged[bytes].fill(0x5a);
        fs::write(&path, &damaged).unwrap();
        told(&user.ken(&["search", "--min-relevance", "0", "subject"]), 5);
        let doctor = user.ken(&["doctor"]);
        assert!(doctor.code == 5 && doctor.out.contains("--repair"), "{what}: {doctor:?}");
        let repaired = user.ken(&["doctor", "--repair"]);
        assert!(repaired.code == 0 && repaired.out.contains("kept as"), "{what}: {repaired:?}");
        assert_eq!(user.texts() == texts, carried, "{what}: {repaired:?}");
        assert!(carried || repaired.out.contains("ken index PATH"), "{what}: {repaired:?}");
        user.assert_sound();
        assert_eq!(user.ken(&["index", "."]).code, 0, "{what}");
        assert_eq!(user.texts(), texts, "{what}");
        assert_eq!(user.ken(&["gc"]).code, 0);
    }
}

/// A database that vanished or was emptied beside a full file of vectors: nothing is damaged, and everything is lost.
#[test]
fn total_loss_is_told() {
    let user = User::new().with_model(MODEL);
    (0..FILES).for_each(|file| drop(user.document(&format!("{file}.md"), text(file))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    user.assert_sound();
    let path = user.home().join("kenning.db");
    let texts = user.texts().len();
    for how in ["gone", "emptied", "new"] {
        for end in ["", "-wal", "-shm"] {
            drop(fs::remove_file(user.home().join(format!("kenning.db{end}"))));
        }
        match how {
            "emptied" => {
                let made = fs::File::create(user.write("kenning.db", "")).unwrap();
                made.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
            }
            "new" => {
                let lock = kenning::store::WriterLock::take(&user.home(), "test", std::time::Duration::ZERO).unwrap();
                drop(kenning::store::Database::open_to_write(&lock).unwrap());
            }
            _ => {}
        }
        for verb in [&["doctor"][..], &["doctor", "--repair"], &["doctor"]] {
            let ran = user.ken(verb);
            let told = ran.out.contains("lost") && ran.out.contains("ken index PATH");
            assert!(ran.code == 5 && told && ran.out.contains(&texts.to_string()), "{how}: {ran:?}");
            assert!(!ran.out.contains("--repair mends"), "{how}: {ran:?}");
        }
        assert_eq!(user.ken(&["index", "."]).code, 0, "{how}");
        user.assert_sound();
        assert!(path.exists() && user.texts().len() == texts);
    }
    // Nothing is lost where everything was forgotten.
    assert_eq!(user.ken(&["forget", "--path", "."]).code, 0);
    user.assert_sound();
}

/// A model of which a file is damaged: its record, its configuration, its weights.
#[test]
fn damaged_models_are_found_and_can_be_got_again() {
    let user = User::new();
    let source = user.work().join("tiny");
    crate::support::tiny::Tiny::quick().write(&source);
    let import = ["model", "import", "tiny", "--name", "mine"];
    let here = user.home().join("models/mine");
    for (name, bytes) in [
        ("installed.json", Some(&b"{\"format\": "[..])),
        ("installed.json", None),
        ("config.json", Some(b"{}")),
        ("tokenizer.json", None),
        ("model.safetensors", Some(b"another one")),
    ] {
        user.ken(&import);
        user.assert_sound();
        match bytes {
            Some(bytes) => fs::write(here.join(name), bytes).unwrap(),
            None => fs::remove_file(here.join(name)).unwrap(),
        }
        for verb in [&["doctor"][..], &["doctor", "--repair"]] {
            let ran = user.ken(verb);
            let told = ran.out.contains(name) && ran.out.contains("ken model import PATH --name mine");
            assert!(ran.code == 5 && told, "{name}: {ran:?}");
        }
    }
    user.write("models/mine/installed.json", "no record");
    assert_eq!(user.ken(&["model", "rm", "mine"]).code, 0);
    user.assert_sound();
}
