//! Input that means harm or is broken: a right answer or a clear error with the exit code of the table, never a panic.

use crate::support::ken::{Ran, User, run, write};

/// A pack with a pattern that captures anything, and a fix that uses it as a shell word.
fn with_capturing_pack() -> User {
    let user = User::new();
    let pack = serde_json::json!({"schema_version": 1, "pack": "cap", "title": "C", "entries": [{
        "id": "cap/x", "title": "Disk is full", "error_patterns": ["disk <(?P<disk>[^>]*)> overflowed"],
        "symptoms": ["a", "b"], "cause": "It is full.", "fix": ["Run: `printf %s {disk}`."], "tags": ["t"],
        "references": [], "examples": ["disk <a> overflowed", "disk <b> overflowed"], "counterexamples": []
    }]});
    user.write("canon/cap.json", pack.to_string());
    user
}

fn no_panic(ran: &Ran) {
    assert!(!ran.err.contains("panicked") && ran.code != 101 && ran.code >= 0, "{ran:?}");
}

#[test]
fn a_captured_value_is_one_shell_word_or_no_value() {
    let user = with_capturing_pack();
    for evil in [
        "$(touch pwned)",
        "`touch pwned`",
        "'; touch pwned; '",
        "\"; touch pwned; \"",
        "a b",
        "x\\",
        "!!",
        "--help",
        "-rf",
        "a\u{1b}[2Jb",
        "a\u{202e}b",
        "~root",
        "*",
    ] {
        let ran = user.ken(&["lookup", "--json", &format!("disk <{evil}> overflowed")]);
        let fix = ran.json()["results"][0]["hits"][0]["fix"][0].as_str().unwrap().to_owned();
        let command = fix.split_once('`').unwrap().1.trim_end_matches('.').strip_suffix('`').unwrap().to_owned();
        assert!(!command.chars().any(char::is_control), "{evil:?}: {command:?}");
        if command.ends_with("<disk>") {
            continue;
        }
        let mut shell = std::process::Command::new("sh");
        shell.arg("-c").arg(&command).current_dir(user.work());
        let printed = run(shell, b"").out;
        assert!(
            printed == *evil || evil.contains('\u{1b}') || evil.contains('\u{202e}'),
            "{evil:?} came out as {printed:?} of {command}"
        );
        assert!(!user.work().join("pwned").exists(), "{command}");
    }
    let dashed = user.ken(&["lookup", "disk <-rf> overflowed"]);
    assert!(dashed.out.contains("<disk>"), "{dashed:?}");
}

#[test]
fn a_captured_line_break_is_not_pasted() {
    let user = with_capturing_pack();
    let ran = user.ken(&["lookup", "--json", "disk <a\ntouch pwned> overflowed"]);
    let hits = ran.json()["results"][0]["hits"].clone();
    assert!(hits[0]["fix"][0].as_str().is_none_or(|fix| fix.contains("<disk>")), "{hits}");
}

#[test]
fn the_terminal_gets_no_control_character_of_the_input() {
    let user = User::new();
    let log = "x\ny\nz\n\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31merror[E0382]: borrow of moved value: `s\u{202e}\u{200b}`\n\u{8}\u{8}more\n";
    for arguments in
        [&["lookup", "-"][..], &["lookup", "--json", "-"], &["lookup", "--explain", "--why-not", "a\u{1b}[2J/b", "-"]]
    {
        let ran = user.ken_with(arguments, log.as_bytes());
        assert!(!format!("{}{}", ran.out, ran.err).chars().any(|c| c.is_control() && c != '\n'), "{ran:?}");
        assert!(!ran.out.contains("\\u001b") && ran.code == 0, "{ran:?}");
    }
    let failed = user.ken(&["canon", "show", "a\u{1b}[2J"]);
    assert!(!failed.err.contains('\u{1b}'), "{failed:?}");
}

#[test]
fn a_regex_bomb_in_a_user_pack_is_left_out_and_named() {
    let user = User::new();
    let bomb = "bombastic(?:(?:a{1000}){1000}){1000}";
    let pack = serde_json::json!({"schema_version": 1, "pack": "bomb", "title": "B", "entries": [
        {"id": "bomb/x", "title": "X", "error_patterns": [bomb], "cause": "c", "fix": ["f"]}]});
    let path = user.write("canon/bomb.json", pack.to_string());
    let text = format!("bombastic{}", "a".repeat(5000));
    let ran = user.ken(&["lookup", &text]);
    no_panic(&ran);
    assert_eq!(ran.code, 1, "{ran:?}");
    let checked = user.ken(&["canon", "check", path.to_str().unwrap()]);
    assert!(checked.code == 8 && checked.out.contains("KiB"), "{checked:?}");
}

#[test]
fn a_pack_that_is_no_json_is_named_and_the_rest_answers() {
    let user = User::new();
    user.write("canon/torn.json", "{\"schema_version\": 1, \"pack\"");
    user.write("canon/binary.json", [0u8, 159, 146, 150]);
    let ran = user.ken(&["lookup", "error[E0382]: borrow of moved value: `s`"]);
    assert!(ran.code == 0 && ran.err.contains("torn.json") && ran.err.contains("binary.json"), "{ran:?}");
    assert_eq!(user.ken(&["canon", "check", user.home().join("canon").to_str().unwrap()]).code, 9);
    assert_eq!(user.ken(&["canon", "check", user.home().join("canon/torn.json").to_str().unwrap()]).code, 8);
}

#[test]
fn one_line_of_a_megabyte_is_answered() {
    let user = User::new();
    let line = format!("{} error[E0382]: borrow of moved value: `s` {}", "x ".repeat(250_000), "y".repeat(500_000));
    let ran = user.ken_with(&["lookup", "--json", "-"], line.as_bytes());
    assert_eq!((ran.code, ran.json()["results"][0]["hits"][0]["id"].as_str()), (0, Some("rust/use-after-move")));
    assert!(ran.out.len() < 20_000);
}

#[test]
fn a_hundred_megabytes_of_log_are_answered() {
    let mut log = String::with_capacity(101 << 20);
    let mut number = 0u32;
    while log.len() < 100 << 20 {
        number += 1;
        log.push_str(&format!(
            "2024-05-01 10:00:{:02} INFO request {number} took {} ms, error_count=0\n",
            number % 60,
            number % 977
        ));
        if number.is_multiple_of(1000) {
            log.push_str(&format!(
                "2024-05-01 10:00:00 ERROR worker {number} failed to reach peer 10.0.{}.{}:9000\n",
                number % 250,
                number % 199
            ));
        }
    }
    log.push_str("error[E0382]: borrow of moved value: `s`\n --> src/main.rs:4:20\n");
    let ran = User::new().ken_with(&["lookup", "--json", "-"], log.as_bytes());
    let answer = ran.json();
    let ids: Vec<_> =
        answer["results"].as_array().unwrap().iter().filter_map(|r| r["hits"][0]["id"].as_str()).collect();
    assert!(ran.code == 0 && ids == ["rust/use-after-move"], "{ids:?} {}", ran.err);
}

#[test]
fn binary_invalid_and_empty_input() {
    let user = User::new();
    let elf = [b"\x7fELF\x02\x01\x01\0\0\0".as_slice(), &[0u8; 500]].concat();
    let binary = user.ken_with(&["lookup", "-"], &elf);
    assert!(binary.code == 2 && binary.err.contains("binary") && binary.err.contains("hint:"), "{binary:?}");
    let invalid = user
        .ken_with(&["lookup", "-"], b"caf\xe9: error[E0382]: borrow of moved value: `s` \xff\xfe and more text here");
    assert!(invalid.code == 0, "{invalid:?}");
    for empty in [&b""[..], b"\n\n", b"\xef\xbb\xbf"] {
        assert_eq!(user.ken_with(&["lookup", "-"], empty).code, 2);
    }
    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("error[E0382]: borrow of moved value: `s`".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    assert_eq!(user.ken_with(&["lookup", "-"], &wide).code, 0);
}

#[test]
fn without_a_home_patterns_still_answer() {
    let user = User::new();
    let mut command = user.command(&["lookup", "error[E0382]: borrow of moved value: `s`"]);
    command.env_remove("KEN_HOME").env_remove("HF_HOME");
    assert_eq!(run(command, b"").code, 0);
    let mut pull = user.command(&["model", "pull"]);
    pull.env_remove("KEN_HOME").env_remove("HF_HOME");
    let ran = run(pull, b"");
    assert!(ran.code == 2 && ran.err.contains("KEN_HOME"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_is_said_and_lookups_go_on() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    std::fs::create_dir_all(user.home()).unwrap();
    // A file where a folder is needed stops the superuser too, whom permissions do not.
    write(&user.home().join("models"), "in the way");
    write(&user.home().join("canon"), "in the way");
    std::fs::set_permissions(user.home(), std::fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(user.ken(&["lookup", "error[E0382]: borrow of moved value: `s`"]).code, 0);
    let added = user.ken(&["canon", "add", "--title", "t", "--cause", "c", "--fix", "f", "--symptom", "s"]);
    assert!(added.code == 9 && added.err.contains("canon"), "{added:?}");
    std::fs::set_permissions(user.home(), std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn damaged_weights_and_vectors_are_not_used() {
    let user = User::new();
    // Weights with a wrong hash under the name of a pinned model.
    for (file, content) in [("model.safetensors", "not weights"), ("tokenizer.json", "{}"), ("config.json", "{}")] {
        user.write(&format!("models/bge-small-en-v1.5-int8/{file}"), content);
    }
    let ran = user.ken(&["lookup", "terraform says somebody else is holding the lock on the state"]);
    no_panic(&ran);
    assert_eq!(ran.code, 1, "{ran:?}");
    let verified = user.ken(&["model", "verify", "bge-small-en-v1.5-int8"]);
    assert_eq!(verified.code, 4, "{verified:?}");
}

/// A folder that nobody named must not be taken for the one that somebody did.
#[cfg(unix)]
#[test]
fn folders_from_the_environment_are_absolute_and_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let user = User::new();
    for name in ["KEN_HOME", "HF_HOME", "HF_HUB_CACHE"] {
        for arguments in [&["lookup", "disk is full"][..], &["config", "show"], &["trust"], &["status"]] {
            let mut command = user.command(arguments);
            command.env(name, "some/where");
            let ran = run(command, b"");
            assert!(ran.code == 2, "{name}: {ran:?}");
            assert!(ran.err.contains(&format!("{name} is the relative path some/where")), "{ran:?}");
            assert!(ran.err.contains(&format!("hint: set {name} to an absolute path")), "{ran:?}");
        }
    }
    assert!(!user.work().join("some").exists());
    let mut command = user.command(&["config", "show"]);
    command.env_remove("KEN_HOME").env("HOME", user.work()).env("XDG_DATA_HOME", "data");
    assert_eq!(run(command, b"").code, 2);

    let odd = user.work().join(std::ffi::OsStr::from_bytes(b"home-\xff"));
    user.document("a.md", "# Title\n\nSome words about the harbour.\n");
    for (arguments, code) in [
        (&["index", "a.md"][..], 0),
        (&["search", "harbour"], 1),
        (&["status"], 0),
        (&["lookup", "error[E0382]: borrow of moved value: `s`"], 0),
        (&["config", "show"], 0),
        (&["gc"], 0),
    ] {
        let mut command = user.command(arguments);
        command.env("KEN_HOME", &odd);
        let ran = run(command, b"");
        no_panic(&ran);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
    }
    assert!(odd.join("index.db").exists() || std::fs::read_dir(&odd).unwrap().count() > 0);
    let others: Vec<_> = std::fs::read_dir(user.work()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(others.len(), 2, "{others:?}");
    let mut command = user.command(&["lookup", "disk is full"]);
    command.env("HF_ENDPOINT", std::ffi::OsStr::from_bytes(b"http://\xff"));
    let ran = run(command, b"");
    assert!(ran.code == 2 && ran.err.contains("HF_ENDPOINT") && ran.err.contains("UTF-8"), "{ran:?}");
}

/// Levels of everything that nests, in everything that is read.
#[test]
fn deep_nesting_is_read_or_refused() {
    const DEEP: usize = 100_000;
    let user = User::new();
    let files = [
        ("quotes.md", "> ".repeat(DEEP)),
        ("quotes-tight.md", ">".repeat(DEEP)),
        ("lists.md", "* ".repeat(DEEP)),
        ("numbers.md", "1. ".repeat(DEEP)),
        ("stars.md", "*".repeat(DEEP) + "x" + &"*".repeat(DEEP)),
        ("open-stars.md", "*a ".repeat(DEEP)),
        ("brackets.md", "[".repeat(DEEP) + "x" + &"]".repeat(DEEP)),
        ("links.md", "[x](".repeat(DEEP)),
        ("images.md", "![".repeat(DEEP)),
        ("html.md", "<div>".repeat(DEEP)),
        ("attributes.md", "<a b=".repeat(DEEP)),
        ("flow.md", format!("---\ntags: {}{}\n---\ntext\n", "[".repeat(30_000), "]".repeat(30_000))),
        ("maps.md", format!("---\ntags: {}\n---\ntext\n", "{a: ".repeat(15_000))),
        ("dashes.md", format!("---\ntags: {}a\n---\ntext\n", "- ".repeat(30_000))),
        ("lists.rst", "* ".repeat(DEEP)),
        ("back.rst", "`".repeat(DEEP) + "\n====\n"),
        ("brackets.adoc", "[".repeat(DEEP) + "\n" + &"=".repeat(DEEP) + " x\n"),
    ];
    for (name, text) in files {
        user.document(&format!("deep/{name}"), text);
    }
    for ending in ["rs", "py", "js", "ts", "go", "c", "java", "rb", "sh", "json", "yaml", "toml", "tf", "cs", "swift"] {
        for (kind, open) in
            [("round", "("), ("curly", "{"), ("square", "["), ("angle", "<"), ("template", "`${"), ("comment", "/*")]
        {
            user.document(&format!("deep/{kind}.{ending}"), open.repeat(DEEP));
        }
        user.document(
            &format!("deep/indent.{ending}"),
            (0..2_000).map(|i| " ".repeat(i) + "def f():\n").collect::<String>(),
        );
        user.document(&format!("deep/class.{ending}"), "class A {\n".repeat(20_000));
    }
    let ran = user.ken(&["index", "deep"]);
    no_panic(&ran);
    assert_eq!(ran.code, 0, "{ran:?}");

    for open in ["[", "{\"a\":", "{\"entries\":["] {
        let json = open.repeat(DEEP);
        user.write("canon/deep.json", &json);
        let ran = user.ken(&["lookup", "no space left on device"]);
        no_panic(&ran);
        assert!(ran.err.contains("deep.json"), "{ran:?}");
        let pack = user.document("deep.json", &json);
        for (arguments, code) in
            [(&["canon", "check", pack.to_str().unwrap()][..], 8), (&["import", pack.to_str().unwrap()], 2)]
        {
            let ran = user.ken(arguments);
            no_panic(&ran);
            assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        }
        std::fs::remove_file(user.home().join("canon/deep.json")).unwrap();
    }
    for toml in
        ["a = ".to_owned() + &"[".repeat(DEEP), "a = ".to_owned() + &"{a = ".repeat(DEEP), "a.".repeat(DEEP) + "a = 1"]
    {
        user.write("config.toml", &toml);
        let ran = user.ken(&["lookup", "no space left on device"]);
        no_panic(&ran);
        assert_eq!(ran.code, 2, "{ran:?}");
    }
    std::fs::remove_file(user.home().join("config.toml")).unwrap();
    for pattern in
        ["(".repeat(900) + "disk" + &")".repeat(900), "(?:disk".repeat(200) + &")".repeat(200), "[".repeat(2_000)]
    {
        let pack = serde_json::json!({"schema_version": 1, "pack": "p", "title": "P", "entries": [
            {"id": "p/a", "title": "A", "error_patterns": [pattern], "cause": "c", "fix": ["f"]}]});
        user.write("canon/p.json", pack.to_string());
        let ran = user.ken(&["lookup", "the disk is odd"]);
        no_panic(&ran);
        assert_eq!(ran.code, 1, "{ran:?}");
    }
    for question in ["(".repeat(DEEP), "\"".repeat(DEEP), "a OR ".repeat(DEEP), "NEAR(".repeat(DEEP)] {
        let ran = user.ken_with(&["search", "--json", "-"], question.as_bytes());
        no_panic(&ran);
        let hits = ran.json()["results"][0]["hits"].as_array().unwrap().len();
        assert_eq!(ran.code, i32::from(hits == 0), "{ran:?}");
    }
}

/// A pack with so many entries, with so many patterns each.
fn large_pack(entries: usize, patterns: usize) -> String {
    let word = |mut n: usize| {
        let mut word = String::new();
        for _ in 0..6 {
            word.push(char::from(b'a' + (n % 26) as u8));
            n /= 26;
        }
        word
    };
    let entries: Vec<_> = (0..entries)
        .map(|n| {
            let of = |m: usize| format!("volume {} is {} today", word(n * 7919 + m), word(n * 104_729 + m));
            let patterns: Vec<String> = (0..patterns).map(of).collect();
            serde_json::json!({"id": format!("big/{n:06}"), "title": format!("t{n}"), "error_patterns": patterns, "cause": "c", "fix": ["f"]})
        })
        .collect();
    serde_json::json!({"schema_version": 1, "pack": "big", "title": "B", "entries": entries}).to_string()
}

#[test]
fn own_packs_have_limits_that_are_told_and_kept() {
    use kenning::types::limits::{ENTRY_PATTERNS, OWN_ENTRIES};
    let user = User::new();
    let cases = [
        (OWN_ENTRIES, 1, None),
        (
            OWN_ENTRIES + 1,
            1,
            Some(format!("own packs may have {OWN_ENTRIES} entries in all; big/{OWN_ENTRIES:06} and")),
        ),
        (1, ENTRY_PATTERNS, None),
        (1, ENTRY_PATTERNS + 1, Some(format!("has {} patterns, {ENTRY_PATTERNS} are allowed", ENTRY_PATTERNS + 1))),
    ];
    for (entries, patterns, said) in cases {
        let pack = large_pack(entries, patterns);
        user.write("canon/big.json", &pack);
        let started = std::time::Instant::now();
        let ran = user.ken(&["lookup", "the volume aaaaaa is aaaaaa today"]);
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
        match &said {
            Some(said) => assert!(ran.err.contains(said) && ran.err.contains("big.json"), "{ran:?}"),
            None => assert!(!ran.err.contains("note:"), "{ran:?}"),
        }
        if patterns <= ENTRY_PATTERNS {
            assert!(ran.code == 0 && ran.out.contains("big/000000"), "{ran:?}");
        }
    }
    user.write("canon/big.json", large_pack(1, ENTRY_PATTERNS + 1));
    let checked = user.ken(&["canon", "check"]);
    assert!(checked.code == 8 && format!("{}{}", checked.out, checked.err).contains("200 are allowed"), "{checked:?}");
}

#[test]
fn a_line_that_nobody_can_read_is_answered_by_its_ends_and_that_is_told() {
    let user = User::new();
    let log = format!("start\nerror[E0382]: borrow of moved value: `s` {}\nend\nlast\n", "x".repeat(40 << 20));
    let ran = user.ken_with(&["lookup", "-"], log.as_bytes());
    no_panic(&ran);
    assert!(ran.code == 0 && ran.err.contains("note: a line is longer than 2 MiB; only the beginning"), "{ran:?}");
    let ran = user.ken_with(&["lookup", "-"], "x".repeat(40 << 20).as_bytes());
    assert_eq!(ran.code, 1, "{ran:?}");
    let progress = "\rReceiving objects: 10%".repeat(1 << 20) + "\rerror[E0382]: borrow of moved value: `s`\r";
    let ran = user.ken_with(&["lookup", "-"], progress.as_bytes());
    // What is said once is found among a million lines that say the same.
    assert!(ran.code == 0 && ran.err.contains("lines were passed over: more than 1000 differ"), "{ran:?}");
}

#[test]
fn what_a_command_prints_is_kept_by_its_ends_and_that_is_told() {
    let user = User::new();
    let script = "echo 'error[E0382]: borrow of moved value: x'; head -c 50000000 /dev/zero | tr '\\0' x; exit 3";
    let ran = user.ken(&["run", "--", "sh", "-c", script]);
    assert!(ran.code == 3 && ran.out.len() > 50_000_000, "{}", ran.code);
    assert!(ran.err.contains("note: only the first and the last 4 MiB of the output were looked at"), "{}", ran.err);
}

#[test]
fn a_document_of_old_line_ends_has_lines() {
    let user = User::new();
    user.document("old.txt", "The harbour is closed.\rThe lighthouse is open.\r\rNobody knows why the ferry waits.\r");
    assert_eq!(user.ken(&["index", "old.txt"]).code, 0);
    let all = user.exported();
    let texts: Vec<String> = all.iter().map(|line| line.to_string()).collect();
    assert!(texts.iter().any(|text| text.contains("closed.\\nThe lighthouse")), "{texts:?}");
    let ran =
        user.ken_with(&["lookup", "-"], b"starting\rworking\rmore\rerror[E0382]: borrow of moved value: `s`\rbye\r");
    assert!(ran.code == 0, "{ran:?}");
}

#[test]
fn a_question_that_nobody_can_read_is_searched_with_by_its_ends_and_that_is_told() {
    let user = User::new();
    user.document("a.md", "# Harbour\n\nThe ferry waits for the harbour master.\n");
    assert_eq!(user.ken(&["index", "a.md"]).code, 0);
    let question = "why does the ferry wait ".repeat(2 << 20);
    for arguments in [&["search", "-"][..], &["ask", "-"]] {
        let ran = user.ken_with(arguments, question.as_bytes());
        no_panic(&ran);
        assert!(
            ran.err.contains(" is longer than 256 KiB; only the beginning and the end"),
            "{}: {}",
            ran.code,
            ran.err
        );
    }
}
