//! Credentials that are planted in reports are in no byte of the data directory. Their values are drawn here, so that
//! this file holds none.

use super::{hook, runs};
use crate::support::ken::User;
use crate::support::long;
use kenning::engine::Engine;
use kenning::outcome::read;
use kenning::store::Place;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// Forms of credentials: what stands before the random part, letters of which it is drawn, how many.
const FORMS: [(&str, &str, usize); 20] = [
    ("AKIA", "U", 16),
    ("AIza", "A", 35),
    ("ghp_", "A", 36),
    ("gho_", "A", 36),
    ("glpat-", "A", 20),
    ("npm_", "A", 36),
    ("dop_v1_", "h", 64),
    ("hvs.", "A", 95),
    ("sk-ant-api03-", "A", 95),
    ("sk-proj-", "A", 120),
    ("hf_", "L", 34),
    ("gsk_", "A", 52),
    ("xoxb-123456789012-1234567890123-", "A", 24),
    ("sk_live_", "A", 24),
    ("shpat_", "h", 32),
    ("glsa_", "A", 32),
    ("DB_PASSWORD=", "A", 20),
    ("Authorization: Bearer ", "A", 40),
    ("postgres://app:", "A", 18),
    ("curl -u admin:", "A", 18),
];

/// Numbers that are the same each time.
struct Drawn(u64);

impl Drawn {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn text(&mut self, letters: &str, count: usize) -> String {
        let all = match letters {
            "U" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "h" => "0123456789abcdef",
            "L" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            _ => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        };
        (0..count).map(|_| char::from(all.as_bytes()[self.next(all.len())])).collect()
    }
}

/// Events of which one goes the whole way, through a process; the others call what it calls.
const PROCESS_EACH: usize = 8;
/// Bytes that the first half of every planted value has at least.
const LEAST: usize = 12;

/// The halves of planted values that are in a file below a folder, each file read once.
fn found_in<'a>(folder: &Path, halves: &HashMap<&'a [u8], &'a [u8]>, out: &mut Vec<String>) {
    for path in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found_in(&path, halves, out);
            continue;
        }
        // A file may go after it was listed, as SQLite's log does. A file that is gone holds nothing.
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            read => read.unwrap(),
        };
        for at in 0..bytes.len().saturating_sub(LEAST - 1) {
            let half = halves.get(&bytes[at..at + LEAST]);
            out.extend(
                half.filter(|half| bytes[at..].starts_with(half))
                    .map(|half| format!("{} in {}", String::from_utf8_lossy(half), path.display())),
            );
        }
    }
}

#[test]
fn planted_credentials_are_in_no_byte() {
    let events = long::amount("KEN_SECRET_EVENTS", 1_000, 200) as usize;
    let user = User::new();
    let mut drawn = Drawn(7);
    let mut planted = Vec::new();
    let mut open = None;
    for number in 0..events {
        let (before, letters, count) = FORMS[number % FORMS.len()];
        let secret = drawn.text(letters, count);
        let behind = match before {
            "postgres://app:" => "@db.example.com/app",
            "glsa_" => "_1a2b3c4d",
            _ => "",
        };
        let said = format!("{before}{secret}{behind}");
        // Around the places where a text is cut, too.
        let padding = "the build goes on \n".repeat(drawn.next(120));
        let (session, cwd) = (format!("s{}", number % 9), user.work());
        let report: Value = match number % 4 {
            0 => json!({"session": session, "tool": "bash", "input": format!("{padding}{said}"), "exit_code": 1}),
            1 => {
                let error = format!("{padding}{said}\n{padding}");
                json!({"session": session, "tool": "bash", "input": "deploy", "error": error})
            }
            2 => json!({"session_id": session, "cwd": cwd, "hook_event_name": "PostToolUse", "tool_name": "Write",
                "tool_input": {"file_path": "/a", "content": format!("{padding}\n{said}\n")}, "tool_response": said}),
            _ => {
                json!({"session_id": session, "cwd": cwd, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
                "tool_input": {"command": format!("deploy {said}")}, "error": format!("Exit code 1\n{padding}{said}")})
            }
        };
        let report = report.to_string();
        // While somebody has it open, nobody copies its log over when they close it, which waits for the disk.
        if number == 1 {
            let connection = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
            let count: i64 = connection.query_row("SELECT count(*) FROM tool_outcome", [], |row| row.get(0)).unwrap();
            assert_eq!(count, 1);
            open = Some(connection);
        }
        if number % PROCESS_EACH == 0 {
            hook(&user, report.as_bytes());
        } else {
            let run = read(report.as_bytes()).unwrap().unwrap();
            Engine::keep_outcome(&Place::folder(user.home()), &run, &user.work(), 1_800_000_000_000 + number as i64)
                .unwrap();
        }
        planted.push(secret);
    }
    assert_eq!(runs(&user).len(), events.min(1_000));
    drop(open);
    // Neither a whole one nor the first half of one.
    let halves: HashMap<&[u8], &[u8]> = planted
        .iter()
        .map(|secret| &secret.as_bytes()[..secret.len().div_ceil(2).max(LEAST)])
        .map(|half| (&half[..LEAST], half))
        .collect();
    let mut found = Vec::new();
    found_in(&user.home(), &halves, &mut found);
    assert!(found.is_empty(), "{found:#?}");
    // What is looked for would be found.
    user.write("planted", planted[events / 2].as_bytes());
    found_in(&user.home(), &halves, &mut found);
    assert_eq!(found.len(), 1);
}
