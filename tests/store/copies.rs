//! What is removed beside the database, and what is not ours to remove.

use crate::support::ken::User;
use std::fs;
use std::os::unix::fs::symlink;

fn indexed() -> User {
    let user = User::new();
    user.document("a.md", "# A\n\nA paragraph that is long enough to stand alone in an index of its own.");
    user.document("b.md", "# B\n\nAnother paragraph that is long enough to stand alone in an index of its own.");
    assert_eq!(user.ken(&["index", "."]).code, 0);
    user
}

/// Files and folders of somebody who keeps theirs where our data lies, named as ours might be.
fn foreign(user: &User) -> Vec<std::path::PathBuf> {
    let at = |name: &str| user.home().join(name);
    let outside = user.work().join("outside");
    for folder in [".backup-photos", ".salvage-2024", ".kenning.db-photos", "models/.staging-my-photos"] {
        user.write(&format!("{folder}/holiday.jpg"), "a picture");
    }
    user.write(".salvage-letters/kenning.db", "a letter, not a database");
    // A copy of ours that somebody keeps among their own things.
    fs::create_dir_all(at(".salvage-mixed")).unwrap();
    fs::copy(at("kenning.db"), at(".salvage-mixed/kenning.db")).unwrap();
    user.write(".salvage-mixed/holiday.jpg", "a picture");
    for file in [
        "kenning.db.schema-notes.txt",
        "kenning.db.schema9.backup",
        "kenning.db.damaged-notes",
        ".kenning.db.swp",
        ".kenning.db.vectors-abc123",
        ".backup-abc123",
        ".probe-abc123",
        "kenning.db.damaged-8",
        "models/notes.txt",
        "canon/notes.txt",
        "vectors/notes.txt",
        "cache/notes.txt",
        "models/mine/notes.txt",
    ] {
        user.write(file, "notes of somebody's own");
    }
    crate::support::ken::write(&outside.join("kenning.db"), fs::read(at("kenning.db")).unwrap());
    symlink(&outside, at(".salvage-link")).unwrap();
    symlink(outside.join("kenning.db"), at("kenning.db.damaged-9")).unwrap();
    let mut all: Vec<_> = [
        ".backup-photos/holiday.jpg",
        ".salvage-2024/holiday.jpg",
        ".kenning.db-photos/holiday.jpg",
        "models/.staging-my-photos/holiday.jpg",
        ".salvage-letters/kenning.db",
        ".salvage-mixed/holiday.jpg",
        ".salvage-mixed/kenning.db",
        "kenning.db.schema-notes.txt",
        "kenning.db.schema9.backup",
        "kenning.db.damaged-notes",
        ".kenning.db.swp",
        ".kenning.db.vectors-abc123",
        ".backup-abc123",
        ".probe-abc123",
        "kenning.db.damaged-8",
        "models/notes.txt",
        "canon/notes.txt",
        "vectors/notes.txt",
        "cache/notes.txt",
        "models/mine/notes.txt",
        ".salvage-link",
        "kenning.db.damaged-9",
    ]
    .map(at)
    .to_vec();
    all.push(outside.join("kenning.db"));
    all
}

#[test]
fn what_is_not_ours_survives_whatever_it_is_called() {
    let user = indexed();
    let all = foreign(&user);
    for verb in [&["gc"][..], &["forget", "--path", "a.md"], &["gc"], &["purge", "--yes"]] {
        let ran = user.ken(verb);
        assert_eq!(ran.code, 0, "{ran:?}");
        let gone: Vec<_> = all.iter().filter(|path| fs::symlink_metadata(path).is_err()).collect();
        assert!(gone.is_empty(), "{verb:?} removed {gone:?}");
    }
    assert!(!user.home().join("kenning.db").exists());
}

/// Copies of versions that wrote no list hold text too.
#[test]
fn copies_of_earlier_versions_are_told_by_their_content() {
    let user = indexed();
    let at = |name: &str| user.home().join(name);
    fs::create_dir(at(".salvage-Xy12ab")).unwrap();
    user.write(".salvage-Xy12ab/writer.lock", "");
    let copies = ["kenning.db.schema2.backup", "kenning.db.damaged-1", ".backup-Xy12ab", ".salvage-Xy12ab/kenning.db"];
    for name in copies {
        fs::copy(at("kenning.db"), at(name)).unwrap();
    }
    user.write("kenning.db.damaged-1-wal", "what was in the log");
    // A bit of the header is what may be damaged in a damaged one.
    let mut bytes = fs::read(at("kenning.db")).unwrap();
    bytes[3] ^= 1;
    fs::write(at("kenning.db.damaged-2"), bytes).unwrap();
    assert_eq!(user.ken(&["forget", "--path", "a.md"]).code, 0);
    let left: Vec<String> =
        fs::read_dir(user.home()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    let ours = |name: &&String| name.contains("salvage") || name.contains("backup") || name.contains("damaged");
    assert_eq!(left.iter().filter(ours).count(), 0, "{left:?}");
}

/// What a repair puts aside is listed, so that it is found though nothing in it says whose it is.
#[test]
fn what_a_repair_puts_aside_goes_when_something_is_forgotten() {
    let user = indexed();
    let path = user.home().join("kenning.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[..8192].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    assert_eq!(user.ken(&["doctor", "--repair"]).code, 0);
    let kept = user.home().join("kenning.db.damaged-1");
    assert!(kept.exists());
    assert_eq!(user.ken(&["index", "."]).code, 0);
    assert_eq!(user.ken(&["forget", "--path", "a.md"]).code, 0);
    assert!(!kept.exists() && !user.home().join("kenning.db.copies").exists());
}
