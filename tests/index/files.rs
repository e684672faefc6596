use crate::support::ken::{Ran, User, run};
use std::fs;
use std::process::Command;

/// The counts of an indexing: added, changed, moved, removed, unchanged.
fn files(ran: &Ran) -> [u64; 5] {
    assert_eq!(ran.code, 0, "{ran:?}");
    let json = ran.json();
    ["added", "changed", "moved", "removed", "unchanged"].map(|what| json[format!("files_{what}")].as_u64().unwrap())
}

fn chunks(ran: &Ran) -> [u64; 3] {
    ["added", "removed", "kept"].map(|what| ran.json()[format!("chunks_{what}")].as_u64().unwrap())
}

/// Ids by text.
fn ids(user: &User) -> Vec<(String, String)> {
    let items = user.exported().into_iter().filter(|record| record["type"] == "item");
    let mut all: Vec<(String, String)> = items
        .map(|r| (r["item"]["body"].as_str().unwrap().to_owned(), r["item"]["uid"].as_str().unwrap().to_owned()))
        .collect();
    all.sort();
    all
}

const ONE: &str = "The first paragraph is about the harvest of the early apples in autumn. Those who come late to it find the trees bare, the baskets gone, the ladders locked in the shed, and have to wait for the late apples, which are harder and keep until the spring when they lie in straw, apart from each other, where no frost gets at them.";
const TWO: &str = "The second paragraph is about the repair of the old mill by the river. Its wheel has not turned since the flood took the weir, the stones want dressing, and the carpenter says that the main shaft will have to be made anew, from an oak that stands on the other bank and that nobody has asked the owner for until today.";
const THREE: &str = "The third paragraph is about the keeping of bees behind the orchard wall. Four hives are enough for as many trees as we have, as long as somebody looks after them in May, when they swarm, and leaves them what they need for the winter, which is more than one would think who has only ever seen them in the summer.";

#[test]
fn only_what_changed_is_touched_and_what_stays_keeps_its_id() {
    let user = User::new();
    user.document("a.md", format!("# Farm\n\n## One\n\n{ONE}\n\n## Two\n\n{TWO}\n"));
    user.document("sub/b.txt", THREE);
    let index = || user.ken(&["index", ".", "--json"]);
    assert_eq!(files(&index()), [2, 0, 0, 0, 0]);
    let before = ids(&user);
    assert_eq!(files(&index()), [0, 0, 0, 0, 2]);

    // A new paragraph before the others: theirs move, and keep their ids.
    user.document("a.md", format!("# Farm\n\n## Three\n\n{THREE}\n\n## One\n\n{ONE}\n\n## Two\n\n{TWO}\n"));
    let ran = index();
    assert_eq!((files(&ran), chunks(&ran)), ([0, 1, 0, 0, 1], [1, 0, 2]));
    let after = ids(&user);
    assert!(before.iter().all(|known| after.contains(known)), "{before:?} {after:?}");
    let found = user.ken(&["search", "--json", "--min-relevance", "0", "repair of the old mill"]).json();
    assert_eq!(found["results"][0]["hits"][0]["line_start"], 13);

    // A rename keeps everything; a move with an edit is one file gone and one new.
    fs::rename(user.work().join("sub/b.txt"), user.work().join("sub/c.txt")).unwrap();
    assert_eq!(files(&index()), [0, 0, 1, 0, 1]);
    assert_eq!(ids(&user), after);
    fs::remove_file(user.work().join("sub/c.txt")).unwrap();
    user.document("d.txt", format!("{THREE} And honey."));
    assert_eq!(files(&index()), [1, 0, 0, 1, 1]);

    // Two files that change places have both changed, for each stands where the other stood.
    user.document("e.txt", ONE);
    index();
    fs::rename(user.work().join("d.txt"), user.work().join("x")).unwrap();
    fs::rename(user.work().join("e.txt"), user.work().join("d.txt")).unwrap();
    fs::rename(user.work().join("x"), user.work().join("e.txt")).unwrap();
    assert_eq!(files(&index()), [0, 2, 0, 0, 1]);

    // What is emptied has no paragraphs, what is gone is gone.
    user.document("d.txt", "");
    fs::remove_file(user.work().join("a.md")).unwrap();
    let ran = index();
    assert_eq!((files(&ran), chunks(&ran)), ([0, 1, 0, 1, 1], [0, 4, 0]));
    assert_eq!(user.texts().len(), 1);
    user.assert_sound();
}

#[test]
fn a_change_within_the_same_instant_is_seen() {
    let user = User::new();
    // Not settled: the time is that of the indexing.
    let path = user.work().join("a.md");
    fs::write(&path, ONE).unwrap();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    user.ken(&["index", "."]);
    fs::write(&path, ONE.replace("first", "FIRST")).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert_eq!(files(&user.ken(&["index", ".", "--json"])), [0, 1, 0, 0, 0]);
}

#[test]
fn an_indexing_of_one_folder_leaves_the_others_alone() {
    let user = User::new();
    user.document("docs/a.md", ONE);
    user.document("docs-old/b.md", TWO);
    user.document("c.md", THREE);
    assert_eq!(files(&user.ken(&["index", "--json", "docs", "docs-old", "c.md"])), [3, 0, 0, 0, 0]);
    fs::remove_file(user.work().join("docs/a.md")).unwrap();
    fs::remove_file(user.work().join("docs-old/b.md")).unwrap();
    assert_eq!(files(&user.ken(&["index", "--json", "docs"])), [0, 0, 0, 1, 0]);
    assert_eq!(user.texts(), [TWO, THREE]);
    // Everything again, without naming it; a root that is gone is a note, not a loss.
    fs::remove_dir_all(user.work().join("docs-old")).unwrap();
    let ran = user.ken(&["index", "--json"]);
    assert_eq!(files(&ran), [0, 0, 0, 0, 1]);
    assert!(ran.err.contains("docs-old is not there"), "{ran:?}");
    assert_eq!(user.texts().len(), 2);
}

#[test]
fn what_cannot_be_read_is_said_and_what_is_known_of_it_stays() {
    let user = User::new();
    user.document("good.md", ONE);
    user.document("binary.md", [0x7f, b'E', b'L', b'F', 0, 0, 1, 2, 0, 0]);
    user.document("latin.md", b"Gr\xfc\xdfe aus der M\xfchle am Fluss, es ist ein langer Absatz geworden.".as_slice());
    user.document(
        "wide.txt",
        [0xff, 0xfe].iter().copied().chain(TWO.encode_utf16().flat_map(u16::to_le_bytes)).collect::<Vec<u8>>(),
    );
    user.document("line.txt", "word ".repeat(200_000));
    user.document("headings.md", "# h\n\n".repeat(5_000));
    let ran = user.ken(&["index", ".", "--json"]);
    assert_eq!(files(&ran)[0], 5);
    let skipped = ran.json()["skipped"].clone();
    assert_eq!(skipped.as_array().unwrap().len(), 1, "{skipped}");
    assert!(skipped[0]["path"].as_str().unwrap().ends_with("binary.md"));
    let texts = user.texts();
    assert!(
        texts.iter().any(|t| t == ONE)
            && texts.iter().any(|t| t == TWO)
            && texts.iter().any(|t| t.contains("aus der M"))
    );
    assert!(texts.iter().all(|t| t.len() <= 1800), "a long line is cut");
    assert!(user.ken(&["index", "nowhere"]).code == 9);
    #[cfg(unix)]
    assert!(user.ken(&["index", "/dev/zero"]).err.contains("no regular file"));
    user.assert_sound();
}

/// A link to itself as a folder fails for everybody, as a locked folder or a share that is away does for some.
#[cfg(unix)]
#[test]
fn what_cannot_be_looked_at_is_not_gone() {
    let user = User::new();
    user.document("sub/a.md", ONE);
    user.document("sub/b.md", TWO);
    user.document("c.md", THREE);
    assert_eq!(files(&user.ken(&["index", "--json", ".", "sub/b.md"])), [3, 0, 0, 0, 0]);
    let sub = user.work().join("sub");
    fs::rename(&sub, user.work().join(".away")).unwrap();
    std::os::unix::fs::symlink(&sub, &sub).unwrap();
    for arguments in [&["index", "--refresh", "--json"][..], &["index", ".", "--json"]] {
        let ran = user.ken(arguments);
        assert_eq!(files(&ran)[..4], [0; 4], "{ran:?}");
        let json = ran.json();
        assert_eq!((&json["files_unreadable"], json["skipped"].as_array().unwrap().len()), (&2.into(), 2), "{ran:?}");
        assert!(json["skipped"][0]["path"].as_str().unwrap().ends_with("sub/a.md"), "{ran:?}");
        assert_eq!(user.texts().len(), 3);
    }
    let ran = user.ken(&["index", "--refresh"]);
    assert!(ran.out.contains("2 unreadable") && ran.err.contains("ken forget --path"), "{ran:?}");
    let status = user.ken(&["status", "--json"]);
    let listed = |what: &str| status.json()[what].as_array().unwrap().len();
    assert_eq!((listed("gone"), listed("unreadable")), (0, 2), "{status:?}");
    assert!(status.err.contains("cannot be read"), "{status:?}");

    // It comes back as it was, or does not.
    fs::remove_file(&sub).unwrap();
    fs::rename(user.work().join(".away"), &sub).unwrap();
    assert_eq!(files(&user.ken(&["index", ".", "--json"])), [0, 0, 0, 0, 3]);
    fs::remove_dir_all(&sub).unwrap();
    assert_eq!(files(&user.ken(&["index", "--refresh", "--json"])), [0, 0, 0, 2, 0]);
}

/// What no walk would take stays once it was named, and only then.
#[test]
fn what_was_named_by_hand_stays() {
    let user = User::new();
    let log = user.document("notes.log", ONE);
    user.document("a.md", TWO);
    assert_eq!(files(&user.ken(&["index", "--json", "notes.log"])), [1, 0, 0, 0, 0]);
    assert_eq!(files(&user.ken(&["index", "--json", "."])), [1, 0, 0, 0, 1]);
    assert_eq!(user.texts(), [ONE, TWO]);
    // It is brought up to date with its folder.
    user.document("notes.log", THREE);
    assert_eq!(files(&user.ken(&["index", "--json", "."])), [0, 1, 0, 0, 1]);
    // Named after its folder was walked, it is no less named, and stays so when it changes.
    assert_eq!(files(&user.ken(&["index", "--json", "a.md"])), [0, 0, 0, 0, 1]);
    user.document("a.md", ONE);
    assert_eq!(files(&user.ken(&["index", "--json", "."])), [0, 1, 0, 0, 1]);
    user.document(".kenignore", "a.md\n");
    assert_eq!(files(&user.ken(&["index", "--json", "."])), [0, 0, 0, 0, 2]);
    assert_eq!(user.ken(&["forget", "--path", "a.md"]).code, 0);
    fs::remove_file(log).unwrap();
    assert_eq!(files(&user.ken(&["index", "--json", "."])), [0, 0, 0, 1, 0]);
    assert!(user.texts().is_empty());
}

/// As long as it is there it is told, and it never counts as indexed.
#[test]
fn what_is_left_out_is_told_each_time() {
    let user = User::new();
    user.document("good.md", ONE);
    user.document("empty.md", "");
    for number in 0..4 {
        user.document(&format!("api{number}.pb.go"), "package api\n\n// Get gets.\nfunc Get() {}\n");
    }
    user.document("binary.md", [0u8, 159, 146, 150].repeat(50));
    let index = |paths: &[&str]| user.ken(&[&["index", "--json"], paths].concat());
    let left_out =
        |ran: &Ran| (ran.json()["files_left_out"].as_u64().unwrap(), ran.json()["skipped"].as_array().unwrap().len());
    let first = index(&["."]);
    assert_eq!((files(&first), left_out(&first)), ([2, 0, 0, 0, 0], (5, 5)));
    for paths in [&["."][..], &[]] {
        let again = index(paths);
        assert_eq!((files(&again), left_out(&again)), ([0, 0, 0, 0, 2], (5, 5)));
    }
    // Few are named where a person reads.
    let told = user.ken(&["index", "."]);
    assert!(told.out.contains("2 unchanged, 5 left out"), "{told:?}");
    assert!(told.err.matches("is left out").count() == 3 && told.err.contains("and 2 more; --json"), "{told:?}");
    // Another one that is no better is no change; a text that turns into one is.
    user.document("api0.pb.go", "package api\n");
    user.document("good.md", [0u8, 159, 146, 150].repeat(50));
    let worse = index(&["."]);
    assert_eq!((files(&worse), left_out(&worse)), ([0, 1, 0, 0, 1], (6, 6)));
    user.document("good.md", ONE);
    let better = index(&["."]);
    assert_eq!((files(&better), left_out(&better)), ([0, 1, 0, 0, 1], (5, 5)));
}

#[test]
fn odd_names_and_loops_are_no_trouble() {
    let user = User::new();
    for name in ["with space.md", "q'u\"o`te.md", "new\nline.md", "[glob]*.md", "größe.md", "-dash.md"] {
        user.document(name, format!("{ONE} {}", name.len()));
    }
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let bad = std::ffi::OsStr::from_bytes(b"bad\xff.md");
        fs::write(user.work().join(bad), TWO).unwrap();
        std::os::unix::fs::symlink(user.work(), user.work().join("loop")).unwrap();
    }
    let ran = user.ken(&["index", ".", "--json"]);
    assert_eq!(files(&ran)[0], 6);
    assert!(ran.json()["skipped"].to_string().contains("not UTF-8"), "{ran:?}");
    let ran = user.ken(&["search", "--min-relevance", "0", "-n", "9", "harvest of apples"]);
    assert!(ran.code == 0 && !ran.out.contains("new\nline"), "{ran:?}");
    assert_eq!(files(&user.ken(&["index", ".", "--json"])), [0, 0, 0, 0, 6]);
}

/// A repository is its first commit, in every clone; what lies outside counts everywhere.
#[test]
fn files_belong_to_their_repository() {
    let user = User::new();
    user.document("one/a.md", ONE);
    user.document("loose.md", TWO);
    let git = |folder: &str, arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(user.work().join(folder)).args(["-c", "user.name=A", "-c", "user.email=a@example.com"]);
        command.args(arguments);
        assert_eq!(run(command, b"").code, 0, "{arguments:?}");
    };
    git("one", &["init", "-q"]);
    git("one", &["add", "a.md"]);
    git("one", &["commit", "-q", "-m", "first"]);
    git(".", &["clone", "-q", "one", "two"]);
    assert_eq!(files(&user.ken(&["index", ".", "--json"])), [3, 0, 0, 0, 0]);
    let status = user.ken(&["status", "--json"]).json();
    let scopes: Vec<_> = status["scopes"].as_array().unwrap().iter().map(|s| s["files"].as_u64().unwrap()).collect();
    assert_eq!(scopes.iter().sum::<u64>(), 3);
    assert_eq!(scopes.len(), 2, "{status}");
    let search = |folder: &str, scope: &str| {
        let mut command = user.command(&[
            "search",
            "--json",
            "--min-relevance",
            "0",
            "--kind",
            "chunk",
            "--scope",
            scope,
            "paragraph about",
        ]);
        command.current_dir(user.work().join(folder));
        let ran = run(command, b"");
        let found = ran.json();
        found["results"][0]["hits"].as_array().unwrap_or_else(|| panic!("{ran:?}")).len()
    };
    // A repository that comes to be around a file takes it in, although the file stays as it is.
    git(".", &["init", "-q"]);
    assert_eq!(files(&user.ken(&["index", ".", "--json"])), [0, 0, 0, 0, 3]);
    assert_eq!((search(".", "here"), search(".", "global")), (1, 0));
    std::fs::remove_dir_all(user.work().join(".git")).unwrap();
    user.ken(&["index", "."]);
    // Another repository where one was.
    std::fs::remove_dir_all(user.work().join("two/.git")).unwrap();
    git("two", &["init", "-q"]);
    git("two", &["commit", "-q", "--allow-empty", "-m", "another"]);
    user.ken(&["index", "."]);
    assert_eq!((search("one", "here"), search("two", "here")), (1, 1));
    assert_ne!(
        kenning::ingest::scope_of(&user.work().join("one")),
        kenning::ingest::scope_of(&user.work().join("two"))
    );
    // The clones hold the same text, which is shown once.
    assert_eq!((search("two", "here"), search(".", "global")), (1, 1));
    // Which repository it is was found out once: its history is not walked again.
    git("two", &["commit", "-q", "--allow-empty", "-m", "later"]);
    let head = std::fs::read_to_string(user.work().join("two/.git/HEAD")).unwrap();
    let branch = user.work().join("two/.git").join(head.trim().trim_start_matches("ref: "));
    let last = std::fs::read_to_string(branch).unwrap();
    std::fs::remove_file(user.work().join("two/.git/objects").join(&last[..2]).join(last[2..].trim())).unwrap();
    assert!(kenning::ingest::scope_of(&user.work().join("two")).as_str().starts_with("path:"));
    assert_eq!(search("two", "here"), 1);
    let unknown = user.ken(&["search", "--scope", "nonsense", "paragraph about"]);
    assert!(unknown.code == 2 && unknown.err.contains("nothing is indexed in the scope nonsense"), "{unknown:?}");
}

#[test]
fn what_nobody_reads_is_left_out_and_named() {
    let user = User::new();
    let huge = user.document("huge.md", "# Huge\n");
    // Holes cost no disk.
    fs::File::options().write(true).open(&huge).unwrap().set_len(500 << 20).unwrap();
    user.document("binary.md", [0u8, 159, 146, 150].repeat(50));
    user.document("api.pb.go", "package api\n\n// Get gets.\nfunc Get() {}\n");
    user.document("app.min.js", "var a=1;");
    user.document("broken.md", b"# Broken\n\nA line with \xff\xfe in it that is long enough to be read by somebody.\n");
    user.document(
        "lib.rs",
        "/// Waits a little longer after each failure.\npub fn back_off(attempt: u32) -> u64 {\n    1 << attempt\n}\n",
    );
    let ran = user.ken(&["index", ".", "--json"]);
    let skipped = ran.json()["skipped"].to_string();
    for (name, why) in [
        ("huge.md", "larger than 64 MiB"),
        ("binary.md", "binary"),
        ("api.pb.go", "generated"),
        ("app.min.js", "generated"),
    ] {
        assert!(skipped.contains(name) && skipped.contains(why), "{name}: {skipped}");
    }
    assert!(!skipped.contains("broken.md"), "{skipped}");
    let texts = user.texts();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts.iter().any(|text| text.ends_with("1 << attempt\n}")), "{texts:?}");
}
