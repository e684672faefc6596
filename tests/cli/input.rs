use crate::support::ken::User;
use std::io::Write;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const MOVED: &str = "error[E0382]: borrow of moved value: `s`\n --> src/main.rs:4:20\n";

/// A zip file with these members, packed in turns.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (at, (name, text)) in members.iter().enumerate() {
        let method = if at % 2 == 0 { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(text).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(text).unwrap();
    out.finish().unwrap()
}

/// Each line as GitHub Actions writes it.
fn stamped(text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("2024-05-01T12:34:56.1234567Z {line}\r\n")).collect();
    format!("\u{feff}{lines}")
}

#[test]
fn one_word_that_names_a_file_is_that_file_and_standard_error_says_so() {
    let user = User::new();
    std::fs::write(user.work().join("build.log"), MOVED).unwrap();
    let ran = user.ken(&["lookup", "--json", "build.log"]);
    assert_eq!(ran.json()["results"][0]["hits"][0]["id"], "rust/use-after-move", "{ran:?}");
    assert!(ran.err.contains("reading the file build.log"), "{ran:?}");
    // The way out leads where it says.
    let piped = user.ken_with(&["lookup", "--json", "-"], b"build.log\n");
    assert_eq!((piped.code, piped.err.contains("reading")), (1, false), "{piped:?}");
    // No file, a folder, and several words are words.
    std::fs::create_dir(user.work().join("folder")).unwrap();
    for words in [&["lookup", "other.log"][..], &["lookup", "folder"], &["lookup", "build.log", "broke"]] {
        let ran = user.ken(words);
        assert_eq!((ran.code, ran.err.contains("reading")), (1, false), "{ran:?}");
    }
}

#[test]
fn a_log_that_is_not_there_or_empty_is_named() {
    let user = User::new();
    std::fs::write(user.work().join("empty.log"), "").unwrap();
    let ran = user.ken(&["lookup", "logs/other.log"]);
    assert!(ran.code == 1 && ran.err.contains("note: there is no file logs/other.log, so"), "{ran:?}");
    let ran = user.ken(&["lookup", "empty.log"]);
    assert!(ran.code == 2 && ran.err.contains("error: empty.log is empty"), "{ran:?}");
    // An error in one word names no file.
    let ran = user.ken(&["lookup", "CrashLoopBackOff"]);
    assert!(ran.code == 0 && ran.err.is_empty(), "{ran:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_told_with_exit_code_9() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    let path = user.work().join("secret.log");
    std::fs::write(&path, MOVED).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_err() {
        let ran = user.ken(&["lookup", "--json", "secret.log"]);
        assert_eq!((ran.code, ran.json()["error"]["hint"].is_string()), (9, true), "{ran:?}");
    }
    std::fs::write(user.work().join("picture"), b"\x89PNG\r\n\x1a\n\0\0\0\0").unwrap();
    assert_eq!(user.ken(&["lookup", "picture"]).code, 2);
    std::fs::write(user.work().join("empty"), b"").unwrap();
    assert_eq!(user.ken(&["lookup", "empty"]).code, 2);
}

#[test]
fn what_gzip_packed_is_unpacked_and_what_is_cut_short_is_told() {
    let user = User::new();
    let packed = gzipped(format!("{}{MOVED}", "line\n".repeat(10_000)).as_bytes());
    std::fs::write(user.work().join("build.log.gz"), &packed).unwrap();
    for ran in [user.ken(&["lookup", "--json", "build.log.gz"]), user.ken_with(&["lookup", "--json", "-"], &packed)] {
        assert_eq!(ran.json()["results"][0]["hits"][0]["id"], "rust/use-after-move", "{ran:?}");
        assert_eq!(ran.json()["results"][0]["error"]["line_start"], 10_001);
    }
    let cut = user.ken_with(&["lookup", "--json", "-"], &packed[..packed.len() / 2]);
    assert_eq!(cut.code, 9, "{cut:?}");
    assert!(cut.json()["error"]["hint"].as_str().unwrap().contains("unpack"), "{cut:?}");
}

#[test]
fn logs_of_jobs_are_read_rather_than_those_of_their_steps() {
    let user = User::new();
    let (quiet, job) = (stamped("checking\nfine\n"), stamped(&format!("##[group]Run cargo test\n{MOVED}")));
    let bytes = archive(&[
        ("10_test.txt", job.as_bytes()),
        ("9_lint.txt", quiet.trim_end().as_bytes()),
        ("test/1_Set up job.txt", quiet.as_bytes()),
        ("test/2_Run tests.txt", job.as_bytes()),
        ("test/system.txt", b"error: could not compile"),
    ]);
    std::fs::write(user.work().join("logs_7.zip"), &bytes).unwrap();
    for ran in [user.ken(&["lookup", "--json", "logs_7.zip"]), user.ken_with(&["lookup", "--json", "-"], &bytes)] {
        let result = &ran.json()["results"][0];
        assert_eq!(result["hits"][0]["id"], "rust/use-after-move", "{ran:?}");
        assert_eq!((&result["error"]["repeated"], &result["error"]["line_start"]), (&1.into(), &4.into()));
        assert!(ran.err.contains("2 logs (9_lint.txt, 10_test.txt)"), "{ran:?}");
        assert!(ran.err.contains("lines 4-5 are lines 2-3 of 10_test.txt"), "{ran:?}");
    }
}

#[test]
fn steps_are_read_in_the_order_of_their_numbers_where_there_is_nothing_else() {
    let user = User::new();
    let bytes = archive(&[
        ("build/10_Build.txt", b"last\n"),
        ("build/2_Fetch.txt", MOVED.as_bytes()),
        ("build/1_Set up.txt", b"first\n"),
        ("build/system.txt", b"of the runner\n"),
        ("screen.png", b"\x89PNG\0"),
    ]);
    let ran = user.ken_with(&["lookup", "-"], &bytes);
    assert!(ran.out.contains("rust/use-after-move"), "{ran:?}");
    assert!(ran.err.contains("3 logs (build/1_Set up.txt, build/2_Fetch.txt, build/10_Build.txt)"), "{ran:?}");
    let other = user.ken_with(&["lookup", "-"], &archive(&[("out/make.log", MOVED.as_bytes())]));
    assert!(other.out.contains("rust/use-after-move") && !other.err.contains("are lines"), "{other:?}");
}

#[test]
fn archives_that_cannot_be_read_are_told_why() {
    let user = User::new();
    let told = |bytes: &[u8], code: i32, words: &str| {
        let ran = user.ken_with(&["lookup", "--json", "-"], bytes);
        let error = &ran.json()["error"];
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(error["message"].as_str().unwrap().contains(words) && error["hint"].is_string(), "{ran:?}");
    };
    told(&archive(&[]), 2, "no log");
    told(&archive(&[("a.png", b"\x89PNG")]), 2, "no log");
    told(&archive(&[("a.txt", b" \n")]), 2, "empty");
    told(&archive(&[("a.txt", b"\0\0\0\0")]), 2, "binary");
    let whole = archive(&[("a.txt", MOVED.repeat(100).as_bytes()), ("b.txt", MOVED.as_bytes())]);
    told(&whole[..whole.len() - 30], 9, "damaged");
    told(&whole[..20], 9, "damaged");
    // A byte of each member's data.
    let mut packed = whole.clone();
    packed[60] ^= 0xff;
    told(&packed, 9, "a.txt is damaged");
    let mut stored = whole.clone();
    let at = whole.windows(5).position(|five| five == b"error").unwrap();
    stored[at] ^= 1;
    told(&stored, 9, "b.txt is damaged");
    // The flag of encryption, in both headers of the first member.
    let mut locked = whole.clone();
    let listed = whole.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    (locked[6], locked[listed + 8]) = (locked[6] | 1, locked[listed + 8] | 1);
    told(&locked, 2, "encrypted");
    let names: Vec<String> = (0..10_001).map(|number| format!("{number}_x.txt")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x\n"[..])).collect();
    told(&archive(&many), 2, "10000 files");
}

#[test]
fn an_archive_that_unpacks_to_more_than_a_log_may_have_is_refused() {
    let user = User::new();
    let zeros = "line of a log\n".repeat(1 << 20);
    let members: Vec<(String, &[u8])> = (0..20).map(|number| (format!("{number}_x.txt"), zeros.as_bytes())).collect();
    let members: Vec<(&str, &[u8])> = members.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let bytes = archive(&[members[0]]);
    assert!(bytes.len() < 1 << 20);
    // Deflated only, so that the archive is small and what is in it is not.
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text).unwrap();
    }
    let ran = user.ken_with(&["lookup", "--json", "-"], &zip.finish().unwrap().into_inner());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("larger than 256 MiB"), "{ran:?}");
}

/// Each of these says what is missing, and a command that goes on from there.
#[test]
fn what_is_missing_is_named_with_the_next_command() {
    let user = User::new();
    for (arguments, message, hint) in [
        (&["search"][..], "there is no question", "ken search \"the question\""),
        (&["ask", " "], "there is no question", "ken ask \""),
        (&["index", "no-such-folder"], "there is no file or folder no-such-folder", "ken forget --path no-such-folder"),
        (&["canon", "show", "terraform-aws/state-lok"], "no entry is called", "did you mean terraform-aws/state-lock?"),
    ] {
        let ran = user.ken(arguments);
        assert!(ran.code != 0 && ran.err.contains(message) && ran.err.contains(hint), "{ran:?}");
    }
}
