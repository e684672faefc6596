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
    assert!(ran.code == 0 || ran.code == 1, "{ran:?}");
    let verified = user.ken(&["model", "verify", "bge-small-en-v1.5-int8"]);
    assert!(verified.code == 4 || verified.code == 5, "{verified:?}");
}
