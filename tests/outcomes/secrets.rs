//! Credentials that are planted in reports are in no byte of the data directory. Their values are drawn here, so that
//! this file holds none.

use super::{hook, runs};
use crate::support::file_with;
use crate::support::ken::User;
use serde_json::{Value, json};

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

#[test]
fn planted_credentials_are_in_no_byte() {
    let user = User::new();
    let mut drawn = Drawn(7);
    let mut planted = Vec::new();
    for number in 0..200 {
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
        hook(&user, report.to_string().as_bytes());
        planted.push(secret);
    }
    assert_eq!(runs(&user).len(), 200);
    for secret in &planted {
        assert_eq!(file_with(&user.home(), secret.as_bytes()), None, "{secret}");
        // Nor is the first half of one.
        let half = &secret.as_bytes()[..secret.len().div_ceil(2).max(12).min(secret.len())];
        assert_eq!(file_with(&user.home(), half), None, "half of {secret}");
    }
}
