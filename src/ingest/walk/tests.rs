use super::*;

fn names(paths: &[PathBuf], base: &Path) -> Vec<String> {
    let walked = walk(paths, None, &|| false, &mut |_| {}).unwrap();
    let base = base.canonicalize().unwrap();
    walked.files.iter().map(|f| f.path[base.to_str().unwrap().len() + 1..].to_owned()).collect()
}

#[test]
fn only_absence_is_absence() {
    let kinds = [
        (ErrorKind::NotFound, true),
        (ErrorKind::NotADirectory, true),
        (ErrorKind::PermissionDenied, false),
        (ErrorKind::TimedOut, false),
        (ErrorKind::StaleNetworkFileHandle, false),
        (ErrorKind::Other, false),
    ];
    for (kind, gone) in kinds {
        assert_eq!(means_gone(&kind.into()), gone, "{kind}");
    }
}

#[test]
fn takes_text_that_git_would_keep() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path();
    for name in ["a.md", "b.TXT", "README", "c.rs", "d.log", "target/e.md", ".hidden/f.md", "sub/g.rst", "sub/h.md"] {
        let path = base.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "text").unwrap();
    }
    fs::write(base.join(".gitignore"), "target/\n").unwrap();
    fs::write(base.join("sub/.kenignore"), "h.md\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(base, base.join("sub/loop")).unwrap();
    assert_eq!(names(&[base.to_owned()], base), ["README", "a.md", "b.TXT", "c.rs", "sub/g.rst"]);
    // Named twice, found once; a file that is named is taken as it is.
    assert_eq!(names(&[base.join("sub"), base.join("sub"), base.join("c.rs")], base), ["c.rs", "sub/g.rst"]);
    assert!(matches!(walk(&[base.join("none")], None, &|| false, &mut |_| {}), Err(IngestError::Missing { .. })));
}

fn walked(base: &Path) -> Walked {
    walk(&[base.to_owned()], None, &|| false, &mut |_| {}).unwrap()
}

fn file(base: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = base.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

mod twin {
    //! The same trees, walked by the crate whose rules ours are.

    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const FOLDERS: [&str; 7] = ["", "d", "d/e", "d/e/d", ".f", ".f/e", "e"];
    const FILES: [&str; 6] = ["a.md", "b.txt", "c.rs", ".h.md", "README", "x.bin"];
    const IGNORE: [&str; 4] = [".kenignore", ".ignore", ".gitignore", ".git/info/exclude"];
    const LINES: [&str; 36] = [
        "a.md",
        "*.txt",
        "/d",
        "d/",
        "!a.md",
        "!*.txt",
        "e/**",
        "**/b.txt",
        "d/e",
        "!.h.md",
        "[ab].md",
        "*",
        "!/d/",
        ".f/",
        "!.f",
        "!.f/",
        "\\!x",
        "{a,b}.md",
        "[",
        "b?txt",
        "",
        "# a.md",
        "  ",
        "/a.md",
        "!d",
        "e",
        "!e/a.md",
        "**/e/*.md",
        "d/**/a.md",
        "*.md ",
        "*.rs\\ ",
        "/*",
        "!/e",
        "[z-a]",
        "c.rs\r",
        "!README",
    ];

    fn by_the_crate(root: &Path) -> BTreeSet<PathBuf> {
        let mut builder = ignore::WalkBuilder::new(root);
        builder.require_git(false).follow_links(false).git_global(false).add_custom_ignore_filename(".kenignore");
        let files = builder.build().filter_map(Result::ok).filter(|entry| entry.file_type().unwrap().is_file());
        files.map(ignore::DirEntry::into_path).filter(|path| Format::of_path(path).is_some()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn finds_what_the_crate_finds(
            rules in prop::collection::vec((0..FOLDERS.len(), 0..IGNORE.len(), prop::collection::vec(0..LINES.len(), 1..5)), 0..5),
            root in 0..FOLDERS.len(),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let base = dir.path().canonicalize().unwrap();
            for folder in FOLDERS {
                for name in FILES {
                    file(&base.join(folder), name, "text");
                }
            }
            for (folder, kind, lines) in &rules {
                let lines: Vec<&str> = lines.iter().map(|line| LINES[*line]).collect();
                file(&base.join(FOLDERS[*folder]), IGNORE[*kind], lines.join("\n"));
            }
            let root = base.join(FOLDERS[root]);
            let found: BTreeSet<PathBuf> = walked(&root).files.into_iter().map(|file| file.path.into()).collect();
            prop_assert_eq!(found, by_the_crate(&root));
        }
    }
}

#[test]
fn the_users_own_rules_count_last() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("work");
    for name in ["a.md", "b.md", "sub/c.md", "sub/d.md"] {
        file(&base, name, "text");
    }
    let own = file(dir.path(), "ignore", "*.md\n!/sub/d.md\n");
    file(&base, ".gitignore", "!a.md\n");
    let walked = walk(std::slice::from_ref(&base), Some(&own), &|| false, &mut |_| {}).unwrap();
    let found: Vec<_> = walked.files.iter().map(|f| Path::new(&f.path).file_name().unwrap().to_owned()).collect();
    assert_eq!(found, ["a.md", "d.md"]);
    assert!(walk(&[base], Some(Path::new("/nowhere")), &|| false, &mut |_| {}).unwrap().rules.is_empty());
}

#[test]
fn a_line_that_is_no_pattern_is_told_and_the_others_count() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path();
    for name in ["a.md", "b.md", "c.md"] {
        file(base, name, "text");
    }
    file(base, ".gitignore", "# one\n[z-a]\nb.md\n");
    fs::write(base.join(".kenignore"), b"\xef\xbb\xbfc.md\n\xff\n{a\n").unwrap();
    fs::write(base.join(".ignore"), format!("{}\n", "x".repeat(limits::RULE_BYTES + 1))).unwrap();
    let walked = walked(base);
    assert_eq!(walked.files.len(), 1);
    let told: Vec<&str> = walked.rules.iter().map(|told| told.why.as_str()).collect();
    assert!(
        told[0].starts_with("line 2 is no valid pattern:") && told[0].ends_with("the other lines count"),
        "{told:?}"
    );
    assert!(told[1].contains("longer than 4096 bytes"), "{told:?}");
    assert!(told[2].starts_with("line 2 is no valid pattern: it is not UTF-8, and 1 more lines"), "{told:?}");
}

#[test]
fn rules_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path();
    for name in ["a.md", "b.md"] {
        file(base, name, "text");
    }
    let many = "x\n".repeat(limits::RULES_PER_FILE - 1);
    file(base, ".gitignore", format!("{many}a.md\n"));
    let found = walked(base);
    assert_eq!((found.files.len(), found.rules.len()), (1, 0));
    file(base, ".gitignore", format!("{many}a.md\nb.md\n"));
    let found = walked(base);
    assert_eq!((found.files.len(), found.rules.len()), (1, 1));
    assert!(found.rules[0].why.contains("in one file") && found.rules[0].why.contains("line 10001"), "{found:?}");
    // And over all folders.
    let folders = limits::RULES_PER_WALK / limits::RULES_PER_FILE;
    for number in 0..folders {
        file(base, &format!("f{number:02}/.gitignore"), format!("{many}c.md\n"));
        file(base, &format!("f{number:02}/c.md"), "text");
    }
    let found = walked(base);
    assert_eq!(found.rules.iter().filter(|told| told.why.contains("in all")).count(), 1, "{:?}", found.rules);
    assert_eq!(found.files.iter().filter(|file| file.path.ends_with("c.md")).count(), 1);
}

#[test]
fn rules_that_cost_more_are_counted_by_their_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path();
    for name in ["a.md", "b.md"] {
        file(base, name, "text");
    }
    let fits = limits::WILD_BYTES_PER_FILE / 40 - 1;
    let most: String = (0..fits).map(|number| format!("*x*{number:05}\n")).collect();
    file(base, ".gitignore", format!("{most}?.md\n"));
    let found = walked(base);
    assert_eq!((found.files.len(), found.rules.len()), (0, 0), "{:?}", found.rules);
    file(base, ".gitignore", format!("{most}{most}?.md\n"));
    let found = walked(base);
    assert_eq!((found.files.len(), found.rules.len()), (2, 1));
    assert!(found.rules[0].why.contains("bytes with wildcards in one file"), "{:?}", found.rules);
    file(base, ".gitignore", "");
    for number in 0..=limits::WILD_BYTES_PER_WALK / limits::WILD_BYTES_PER_FILE {
        file(base, &format!("f{number}/.gitignore"), format!("{most}?.md\n"));
        file(base, &format!("f{number}/c.md"), "text");
    }
    let found = walked(base);
    assert_eq!(found.files.len(), 3, "{:?}", found.rules);
    assert!(found.rules.len() == 1 && found.rules[0].why.contains("in all"), "{:?}", found.rules);
}

#[test]
fn depth_and_width_have_bounds_and_what_lies_beyond_is_unseen() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    file(&base, "a/b/c/d.md", "text");
    file(&base, "a/e.md", "text");
    let walked = |bounds: folder::Bounds| {
        let mut out = Walked::default();
        folder::walk(&base, "", None, &bounds, &mut out, &mut |_| true);
        (out.files.len(), out.unseen)
    };
    let most = folder::Bounds { depth: 3, folder_entries: 2, entries: 5 };
    assert_eq!(walked(most.clone()), (2, vec![]));
    assert_eq!(walked(folder::Bounds { depth: 2, ..most.clone() }), (1, vec![base.join("a/b/c")]));
    assert_eq!(walked(folder::Bounds { folder_entries: 1, ..most.clone() }), (0, vec![base.join("a")]));
    assert_eq!(walked(folder::Bounds { entries: 4, ..most }), (1, vec![base.join("a/b/c")]));
}

#[test]
fn folders_within_each_other_cost_no_stack() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let mut deepest = base.clone();
    for _ in 0..limits::WALK_DEPTH + 1 {
        deepest.push("d");
        fs::create_dir(&deepest).unwrap();
    }
    fs::write(deepest.join("a.md"), "text").unwrap();
    fs::write(deepest.parent().unwrap().join("b.md"), "text").unwrap();
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let walked = small.spawn(move || walked(&base)).unwrap().join().unwrap();
    assert!(walked.files.len() == 1 && walked.files[0].path.ends_with("b.md"), "{:?}", walked.files);
    assert_eq!(walked.unseen, [deepest]);
}

#[cfg(unix)]
mod traps {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    type Trap = (&'static str, fn(&Path));

    /// What may stand where a file is expected.
    const TRAPS: [Trap; 6] = [
        ("device", |path| symlink("/dev/zero", path).unwrap()),
        ("fifo", |path| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap()),
        ("socket", |path| drop(UnixListener::bind(path).unwrap())),
        ("out", |path| symlink("/etc/passwd", path).unwrap()),
        ("huge", |path| fs::File::create(path).unwrap().set_len(8 << 30).unwrap()),
        ("loop", |path| symlink(path, path).unwrap()),
    ];

    #[test]
    fn rules_that_cannot_be_read_are_told_and_the_walk_goes_on() {
        for (trap, lay) in TRAPS {
            for name in [".gitignore", ".ignore", ".kenignore", ".git/info/exclude"] {
                let dir = tempfile::tempdir().unwrap();
                let base = dir.path().canonicalize().unwrap();
                file(&base, "sub/a.md", "text");
                fs::create_dir_all(base.join(".git/info")).unwrap();
                lay(&base.join(name));
                for walked in [walked(&base), walked(&base.join("sub"))] {
                    assert_eq!(walked.files.len(), 1, "{trap} {name}");
                    let told = &walked.rules;
                    assert!(
                        told.len() == 1 && told[0].path.ends_with(name) && told[0].rules,
                        "{trap} {name}: {told:?}"
                    );
                    assert!(told[0].why.ends_with("its rules do not count"), "{told:?}");
                }
            }
        }
    }

    /// Where `.git` is one, there are no rules, and nothing waits.
    #[test]
    fn a_git_folder_that_is_none_is_passed() {
        for (trap, lay) in TRAPS {
            let dir = tempfile::tempdir().unwrap();
            file(dir.path(), "a.md", "text");
            lay(&dir.path().join(".git"));
            assert_eq!(walked(dir.path()).files.len(), 1, "{trap}");
        }
    }

    #[test]
    fn documents_that_are_none_are_named() {
        for (trap, lay) in TRAPS {
            let dir = tempfile::tempdir().unwrap();
            let base = dir.path().canonicalize().unwrap();
            lay(&base.join("a.md"));
            let walked = walked(&base);
            assert!(walked.files.is_empty(), "{trap}");
            assert!(walked.skipped.len() == 1 && walked.skipped[0].path.ends_with("a.md"), "{trap}: {walked:?}");
        }
    }

    /// Between finding and reading.
    #[test]
    fn a_document_that_becomes_one_is_not_read() {
        for (trap, lay) in TRAPS {
            let dir = tempfile::tempdir().unwrap();
            let base = dir.path().canonicalize().unwrap();
            lay(&base.join("a.md"));
            fs::create_dir(base.join("sub")).unwrap();
            symlink("/etc", base.join("sub/etc")).unwrap();
            assert!(read(base.join("a.md").to_str().unwrap()).is_err(), "{trap}");
            assert!(read(base.join("sub/etc/passwd").to_str().unwrap()).is_err());
        }
    }

    #[test]
    fn links_inside_are_passed_without_a_word() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        file(&base, "a.md", "text");
        fs::create_dir(base.join("sub")).unwrap();
        symlink("a.md", base.join("b.md")).unwrap();
        symlink("sub", base.join("c.md")).unwrap();
        let walked = walked(&base);
        assert_eq!((walked.files.len(), walked.skipped.len()), (1, 0), "{walked:?}");
    }

    /// A worktree's excludes lie in the repository that it belongs to, if that repository says so too.
    #[test]
    fn excludes_of_a_worktree() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (tree, own) = (base.join("tree"), base.join("main/.git/worktrees/tree"));
        file(&tree, "a.md", "text");
        file(&base, "main/.git/info/exclude", "a.md\n");
        file(&own, "commondir", "../..\n");
        file(&tree, ".git", format!("gitdir: {}\n", own.display()));
        assert_eq!(walked(&tree).files.len(), 1, "the repository does not know the tree");
        file(&own, "gitdir", format!("{}\n", tree.join(".git").display()));
        assert_eq!(walked(&tree).files.len(), 0);
    }
}
