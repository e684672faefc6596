//! A disk that is full, read-only or without locks, played by `tests/support/shim.c`: at every write in turn, which no
//! real disk would offer.

use crate::support::ken::{User, section};

fn text(version: u32, file: u32) -> String {
    let paragraph = |n: u32| {
        section(n, &format!("Version {version} of paragraph {n} in file {file} is long enough to stand alone."))
    };
    (0..8).map(paragraph).collect()
}

fn indexed() -> User {
    let user = User::new();
    (0..6).for_each(|file| drop(user.document(&format!("{file}.md"), text(1, file))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    user
}

/// Runs a command with the disk full from its nth write on, for more and more writes, until it succeeds.
fn fill_up(user: &User, arguments: &[&str], mut after_each: impl FnMut(&User)) -> usize {
    for writes in 0..400 {
        let ran = user.on_bad_disk(arguments, "KEN_SHIM_FULL_AFTER", &writes.to_string());
        if ran.code == 0 {
            return writes;
        }
        assert_eq!(ran.code, 9, "full after {writes} writes: {ran:?}");
        assert!(ran.err.contains("error:") && !ran.err.contains("panicked"), "{ran:?}");
        after_each(user);
    }
    panic!("{arguments:?} never succeeds");
}

#[test]
fn a_full_disk_costs_nothing_that_was_stored() {
    let user = indexed();
    let before = user.texts();
    (0..6).for_each(|file| drop(user.document(&format!("{file}.md"), text(2, file))));
    let writes = fill_up(&user, &["index", "."], |user| {
        user.assert_sound();
        let texts = user.texts();
        assert!(texts.len() == before.len() && (texts == before || texts.iter().all(|t| t.starts_with("Version 2"))));
    });
    assert!(writes > 3, "the disk was full in the middle of it");
    assert!(user.texts().iter().all(|text| text.starts_with("Version 2")));
    fill_up(&user, &["forget", "--path", "3.md"], |user| {
        user.assert_sound();
        // Forgotten or not, all of it; and whoever writes next takes the last traces away.
        assert!([40, 48].contains(&user.texts().len()));
        assert_eq!(user.ken(&["index", "."]).code, 0);
    });
    assert_eq!(user.texts().len(), 40);
    fill_up(&user, &["gc"], |user| assert_eq!(user.texts().len(), 40));
    user.assert_sound();
}

#[test]
fn a_full_disk_at_the_first_indexing_leaves_a_database_that_opens() {
    let user = User::new();
    user.document("a.md", text(1, 1));
    fill_up(&user, &["index", "."], |user| {
        assert_eq!(user.ken(&["doctor"]).code, 0);
        assert_eq!(user.ken(&["status"]).code, 0);
    });
    assert_eq!(user.texts().len(), 8);
}

#[test]
fn an_export_to_a_full_disk_leaves_what_was_there() {
    let user = indexed();
    assert_eq!(user.ken(&["export", "all.jsonl"]).code, 0);
    let before = std::fs::read(user.work().join("all.jsonl")).unwrap();
    let ran = user.on_bad_disk(&["export", "all.jsonl"], "KEN_SHIM_FULL_AFTER", "0");
    assert!(ran.code == 9 && ran.err.contains("No space left"), "{ran:?}");
    assert_eq!(std::fs::read(user.work().join("all.jsonl")).unwrap(), before);
}

#[test]
fn a_read_only_disk_can_be_searched_and_not_written() {
    let user = indexed();
    let home = user.home().display().to_string();
    let read_only = |arguments: &[&str]| user.on_bad_disk(arguments, "KEN_SHIM_READ_ONLY", &home);
    let found = read_only(&["search", "--json", "--min-relevance", "0", "--kind", "chunk", "paragraph 5 in file 2"]);
    assert!(found.code == 0 && found.out.contains("paragraph 5 in file 2"), "{found:?}");
    assert_eq!(read_only(&["status"]).code, 0);
    assert_eq!(read_only(&["doctor"]).code, 0);
    assert_eq!(read_only(&["export"]).code, 0);
    for arguments in [&["index", "."][..], &["forget", "--path", "1.md"], &["gc"], &["doctor", "--repair"]] {
        let ran = read_only(arguments);
        let fine = arguments[0] == "doctor" && ran.code == 0;
        assert!(fine || ran.code == 9 && ran.err.contains("Read-only"), "{ran:?}");
    }
    user.assert_sound();
    assert_eq!(user.texts().len(), 48);
}

#[test]
fn a_disk_without_locks_is_refused_for_writing() {
    let user = indexed();
    let ran = user.on_bad_disk(&["index", "."], "KEN_SHIM_NO_LOCKS", "1");
    assert!(ran.code == 9 && ran.err.contains("without locks") && ran.err.contains("KEN_HOME"), "{ran:?}");
    assert_eq!(user.texts().len(), 48);
}

/// A disk that gives no answer says nothing of what lies on it.
#[test]
fn an_input_output_error_is_not_called_damage() {
    let user = indexed();
    let mut failed = 0;
    for reads in 0..60 {
        for verb in
            [&["search", "--min-relevance", "0", "paragraph"][..], &["doctor"], &["doctor", "--repair"], &["export"]]
        {
            let ran = user.on_bad_disk(verb, "KEN_SHIM_EIO_AFTER", &reads.to_string());
            // Whether a verb reads that often depends on SQLite's cache.
            assert!([0, 9].contains(&ran.code), "{verb:?} after {reads} reads: {ran:?}");
            assert!(!(ran.out + &ran.err).contains("damage"), "{verb:?} after {reads} reads");
            failed += usize::from(ran.code == 9);
        }
    }
    assert!(failed > 20, "{failed}");
    user.assert_sound();
    assert_eq!(user.texts().len(), 48);
}

/// What is written to last is synced, and so is the folder that it appears in.
#[test]
fn folders_are_synced_after_exports_and_packs() {
    let user = indexed();
    let add = ["canon", "add", "--title", "t", "--cause", "c", "--fix", "f", "--symptom", "s"];
    for (verb, folder) in [
        (&["export", "all.jsonl"][..], user.work()),
        (&["export", "--markdown", "all"], user.work().join("all")),
        (&add, user.home().join("canon")),
    ] {
        let log = user.home().join("synced");
        let ran = user.on_bad_disk(verb, "KEN_SHIM_SYNCED", &log.display().to_string());
        assert_eq!(ran.code, 0, "{ran:?}");
        let synced = std::fs::read_to_string(&log).unwrap();
        let folder = folder.canonicalize().unwrap().display().to_string();
        assert!(synced.lines().any(|line| line == folder), "{verb:?}: {folder} is not among {synced}");
        std::fs::remove_file(&log).unwrap();
    }
}
