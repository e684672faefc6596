use crate::index::usage::engine;
use crate::support::ken::User;
use crate::support::request::session_at;
use kenning::ingest::IndexOptions;
use std::fs;
use std::path::Path;

const ONE: &str =
    "The first paragraph is about the harvest of the early apples in autumn, and about those who come late.";

/// Rewrites a file with as many other bytes and gives it its old time back.
fn rewrite_in_secret(path: &Path, text: &str) {
    let meta = fs::metadata(path).unwrap();
    assert_eq!(meta.len(), text.len() as u64);
    fs::write(path, text).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(meta.modified().unwrap()).unwrap();
}

/// What was indexed is what the file holds, whatever its time says.
#[cfg(unix)]
#[test]
fn other_content_of_the_same_size_and_time_is_seen() {
    for how in [&["index", ".", "--json"][..], &["index", "--json"], &["index", "--refresh", "--json"]] {
        let user = User::new();
        let path = user.document("a.md", ONE);
        user.document("b.md", ONE.to_lowercase());
        assert_eq!(user.ken(&["index", "."]).code, 0);
        let status = user.ken(&["status", "--json"]).json();
        assert!(status["changed"].as_array().unwrap().is_empty(), "{status}");
        rewrite_in_secret(&path, &ONE.replace("apples", "quince"));
        let status = user.ken(&["status", "--json"]).json();
        assert_eq!(status["changed"].as_array().unwrap().len(), 1, "{status}");
        let ran = user.ken(how);
        assert_eq!(ran.json()["files_changed"], 1, "{ran:?}");
        assert!(user.texts().iter().any(|text| text.contains("quince")));
        assert!(user.ken(&["status", "--json"]).json()["changed"].as_array().unwrap().is_empty());
    }
}

/// A clock that is wrong by a day leaves no doubt where there should be one.
#[test]
fn thorough_reads_what_looks_as_it_did() {
    let tomorrow = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap() + 86_400_000
    };
    let user = User::new();
    let path = user.document("a.md", ONE);
    let (engine, session) = (engine(&user), || session_at(tomorrow));
    let index = |thorough: bool| {
        let options = IndexOptions { thorough, ..IndexOptions::default() };
        let report = engine.index(&[user.work()], &options, &session()).unwrap();
        (report.files_changed, report.files_unchanged)
    };
    index(false);
    rewrite_in_secret(&path, &ONE.replace("apples", "quince"));
    assert_eq!(index(false), (0, 1));
    assert_eq!(index(true), (1, 0));
    assert_eq!(index(true), (0, 1));
    rewrite_in_secret(&path, ONE);
    let options = IndexOptions { thorough: true, ..IndexOptions::default() };
    assert_eq!(engine.refresh(&options, &session()).unwrap().files_changed, 1);
    let ran = user.ken(&["index", "--thorough", "--json", "."]);
    assert_eq!((ran.code, ran.json()["files_unchanged"].as_u64()), (0, Some(1)), "{ran:?}");
}

/// What was named once is read again without being named, so it must be what it was.
#[cfg(unix)]
#[test]
fn what_became_a_link_is_not_followed() {
    let user = User::new();
    let secret = crate::support::ken::write(&user.home().join("outside/secret.md"), ONE.replace("apples", "secrets"));
    let file = user.document("a.md", ONE);
    let folder = user.document("docs/b.md", ONE.to_lowercase());
    assert_eq!(user.ken(&["index", "a.md", "docs"]).code, 0);
    fs::remove_file(&file).unwrap();
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&secret, &file).unwrap();
    std::os::unix::fs::symlink(secret.parent().unwrap(), folder.parent().unwrap()).unwrap();
    // A refresh takes out what is no file any more, and then there is nothing left to bring up to date.
    for (arguments, code) in
        [(&["index"][..], 0), (&["index", "--refresh"], 0), (&["index", "--thorough"], 3), (&["index", "."], 0)]
    {
        let ran = user.ken(arguments);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(arguments.len() > 1 || ran.err.contains("a.md is behind a symbolic link now"), "{ran:?}");
        assert!(!user.exported().iter().any(|record| record.to_string().contains("secrets")), "{arguments:?}");
    }
}

#[test]
fn ignore_files_that_do_not_count_are_told() {
    let user = User::new();
    user.document("a.md", ONE);
    user.document(".gitignore", "[z-a]\n");
    let ran = user.ken(&["index", ".", "--json"]);
    let skipped = ran.json()["skipped"].clone();
    assert!(skipped[0]["path"].as_str().unwrap().ends_with(".gitignore") && skipped[0]["rules"] == true, "{ran:?}");
    assert_eq!((ran.json()["files_left_out"].as_u64(), ran.json()["files_added"].as_u64()), (Some(0), Some(1)));
    let told = user.ken(&["index", "."]);
    assert!(told.err.contains(".gitignore: line 1 is no valid pattern"), "{told:?}");
}

#[cfg(unix)]
#[test]
fn the_users_own_excludes_of_git_count() {
    let user = User::new();
    user.document("a.md", ONE);
    user.document("b.md", ONE.to_lowercase());
    let home = user.home().join("person");
    crate::support::ken::write(&home.join(".config/git/ignore"), "b.md\n");
    let mut command = user.command(&["index", ".", "--json"]);
    command.env("HOME", &home);
    let ran = crate::support::ken::run(command, b"");
    assert_eq!(ran.json()["files_added"], 1, "{ran:?}");
}

#[test]
fn a_pattern_that_can_match_nothing_is_an_error() {
    let user = User::new();
    user.document("a.md", ONE);
    user.ken(&["index", "."]);
    for pattern in ["docs/[", "[z-a]*.md", "*.{md,rst}", "{a,b}.md"] {
        for arguments in [
            &["search", "--path", pattern, "harvest"][..],
            &["pack", "--task", "harvest", "--include", pattern],
            &["pack", "--json", "--task", "harvest", "--include", "a.md", "--include", pattern],
        ] {
            let ran = user.ken(arguments);
            assert!(ran.code == 2 && format!("{}{}", ran.out, ran.err).contains("no valid pattern"), "{ran:?}");
            assert!(ran.err.contains("hint:") || ran.json()["error"]["hint"].is_string(), "{ran:?}");
        }
    }
    // A file that is called so is that file.
    user.document("{a,b}.md", ONE.to_uppercase());
    user.ken(&["index", "."]);
    let ran = user.ken(&["search", "--min-relevance", "0", "--path", "{a,b}.md", "harvest"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
