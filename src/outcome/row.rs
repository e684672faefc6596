//! Makes the row that is kept of a run: takes secrets out, cuts its texts, and adds fingerprints of input and error.
//!
//! Secrets are taken out before a text is cut, so that no half of one is kept. Of a very long text only the beginning
//! and the end are read. The text next to such a cut is not kept, as it may hold half a secret.

use super::answer::is_no;
use super::head;
use super::payload::canonical;
use crate::text::{clean, fingerprint, headline, mask, redact, sha256_hex, single_line};
use crate::types::limits::OUTCOME_TEXT_BYTES;
use crate::types::{Execution, Scope, ToolOutcome};
use serde_json::Value;

/// A longer text is looked at so many bytes from its beginning, and as many before its end.
const WINDOW_BYTES: usize = 64 << 10;
/// What lies so near to a place where a text was cut off is not kept: no secret that is known is longer.
const MARGIN_BYTES: usize = 8 << 10;
/// Longest name of a session or a tool, in characters.
const NAME_CHARS: usize = 200;
/// What stands for what was left out.
const LEFT_OUT: &str = "\n[...]\n";
/// Hex digits of a fingerprint of an input.
const FINGERPRINT_DIGITS: usize = 32;

/// When and where a run was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// When it ended, milliseconds since 1970.
    pub at: i64,
    /// The repository.
    pub scope: Scope,
    /// The session of a run that names none.
    pub session: String,
}

/// From so many characters on, the id of a call is unique everywhere. Shorter ids are counted anew in each session.
const OWN_ID_CHARS: usize = 20;

/// The row of a run. Its number is 0 until it is stored.
pub fn row(run: &Execution, moment: Moment) -> ToolOutcome {
    let Moment { at, scope, session } = moment;
    let tool = name(&run.tool);
    let input = Redacted::of(&run.input);
    let is_ok = run.is_ok || is_no(&tool, &run.input, run.exit_code, &run.error);
    let error = if is_ok { Redacted::default() } else { Redacted::of(&run.error) };
    let error_fingerprint = (!is_ok).then(|| error_fingerprint(&error, run.exit_code));
    let own = name(&run.session);
    let session = if own.is_empty() { session } else { own };
    ToolOutcome {
        call: call_of(run, &session),
        session,
        sequence: 0,
        at,
        head: name(&head(&tool, &input.whole())),
        input_fingerprint: sha256_hex(input.whole().as_bytes()).chars().take(FINGERPRINT_DIGITS).collect(),
        input: input.beginning(OUTCOME_TEXT_BYTES),
        tool,
        is_ok,
        exit_code: run.exit_code,
        error: error.ends(OUTCOME_TEXT_BYTES),
        error_fingerprint,
        duration_ms: run.duration_ms,
        scope,
    }
}

/// A fingerprint that all reports of one call share: of its id and tool, and of the session if the id is short.
fn call_of(run: &Execution, session: &str) -> Option<String> {
    let id = run.call.trim();
    let within = if id.chars().count() < OWN_ID_CHARS { session } else { "" };
    let of = || sha256_hex(format!("{id}\0{}\0{within}", run.tool).as_bytes());
    (!id.is_empty()).then(|| of().chars().take(FINGERPRINT_DIGITS).collect())
}

/// The name of a session or a tool as it is kept: one line, bounded, without a secret.
pub fn name(text: &str) -> String {
    let text = single_line(text, NAME_CHARS);
    redact(&text).text.into_owned()
}

/// The fingerprint of an error: of the line that says what went wrong, without what varies. An error without words is
/// told by its exit code.
fn error_fingerprint(error: &Redacted, exit_code: Option<i32>) -> String {
    let text = error.whole();
    let cleaned = clean(&text);
    let lines: Vec<&str> = (0..cleaned.lines.len()).map(|at| cleaned.line(at)).collect();
    let told = headline(&lines);
    if told.trim().is_empty() {
        return fingerprint(&format!("no words, exit code {}", exit_code.unwrap_or(-1)));
    }
    fingerprint(&mask(&told))
}

/// A text without its secrets: whole, or its beginning and its end.
#[derive(Default)]
struct Redacted {
    beginning: String,
    end: Option<String>,
    /// Bytes of all of it before.
    bytes: usize,
}

impl Redacted {
    fn of(text: &str) -> Self {
        // In JSON a line feed is two letters that would hide how a line begins: its texts are gone through first.
        let is_json = text.trim_start().starts_with(['{', '[']);
        match is_json.then(|| serde_json::from_str(text)) {
            Some(Ok(value @ (Value::Object(_) | Value::Array(_)))) => {
                Self::of_text(&canonical(&without_secrets(value)))
            }
            _ => Self::of_text(text),
        }
    }

    fn of_text(text: &str) -> Self {
        let bytes = text.len();
        if bytes <= 2 * WINDOW_BYTES {
            return Self { beginning: redact(text).text.into_owned(), end: None, bytes };
        }
        let first = redact(&text[..floor(text, WINDOW_BYTES)]).text.into_owned();
        let last = redact(&text[floor(text, bytes - WINDOW_BYTES)..]).text.into_owned();
        let kept = floor(&first, first.len().saturating_sub(MARGIN_BYTES));
        let from = floor(&last, MARGIN_BYTES.min(last.len()));
        Self { beginning: first[..kept].to_owned(), end: Some(last[from..].to_owned()), bytes }
    }

    /// All that is known of it.
    fn whole(&self) -> String {
        match &self.end {
            None => self.beginning.clone(),
            Some(end) => format!("{}\n[{} bytes]\n{end}", self.beginning, self.bytes),
        }
    }

    /// The beginning of it.
    fn beginning(&self, most: usize) -> String {
        if self.end.is_none() && self.beginning.len() <= most {
            return self.beginning.clone();
        }
        let room = most.saturating_sub(LEFT_OUT.len());
        format!("{}{LEFT_OUT}", &self.beginning[..floor(&self.beginning, room)])
    }

    /// The beginning and the end of it: an error says what went wrong first or last.
    fn ends(&self, most: usize) -> String {
        if self.end.is_none() && self.beginning.len() <= most {
            return self.beginning.clone();
        }
        let half = most.saturating_sub(LEFT_OUT.len()) / 2;
        let end = self.end.as_ref().unwrap_or(&self.beginning);
        let from = end.len().saturating_sub(half);
        let (first, last) = (floor(&self.beginning, half), end.ceil_char_boundary(from));
        format!("{}{LEFT_OUT}{}", &self.beginning[..first], &end[last..])
    }
}

/// JSON whose texts and names hold no secrets.
fn without_secrets(value: Value) -> Value {
    match value {
        Value::String(text) => Redacted::of_text(&text).whole().into(),
        Value::Array(list) => list.into_iter().map(without_secrets).collect(),
        Value::Object(fields) => {
            let one = |(name, value): (String, Value)| (redact(&name).text.into_owned(), without_secrets(value));
            Value::Object(fields.into_iter().map(one).collect())
        }
        other => other,
    }
}

/// The last border of a character at or before this byte.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moment() -> Moment {
        Moment { at: 7, scope: Scope::global(), session: "day 1".to_owned() }
    }

    fn failed(error: &str) -> Execution {
        Execution {
            tool: "Bash".to_owned(),
            input: "make all".to_owned(),
            error: error.to_owned(),
            ..Execution::default()
        }
    }

    /// A credential that is made here, so that this file holds none.
    fn credential() -> String {
        format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    }

    #[test]
    fn a_row_says_what_was_done_and_how_it_ended() {
        let row = row(&failed("make: *** No rule to make target 'all'.  Stop."), moment());
        assert_eq!((row.session.as_str(), row.head.as_str(), row.at, row.is_ok), ("day 1", "make", 7, false));
        assert!(row.error_fingerprint.is_some() && row.input_fingerprint.len() == FINGERPRINT_DIGITS);
        let ok = super::row(&Execution { is_ok: true, ..failed("noise") }, moment());
        assert_eq!((ok.error.as_str(), ok.error_fingerprint), ("", None));
        assert_eq!(ok.input_fingerprint, row.input_fingerprint);
        let no = Execution { input: "grep x y".to_owned(), exit_code: Some(1), ..failed("Exit code 1") };
        let no = super::row(&no, moment());
        assert_eq!((no.is_ok, no.exit_code, no.error_fingerprint), (true, Some(1), None), "an answer is no failure");
    }

    #[test]
    fn reports_of_one_call_are_known_by_its_id() {
        let of = |session: &str, tool: &str, call: &str| {
            let (session, tool, call) = (session.to_owned(), tool.to_owned(), call.to_owned());
            row(&Execution { session, tool, call, ..failed("x") }, moment()).call
        };
        let long = "toolu_01A2b3C4d5E6f7G8h9";
        assert_eq!(of("main", "Bash", long), of("sub", "Bash", long));
        assert_ne!(of("main", "Bash", long), of("main", "Read", long));
        assert_eq!(of("main", "Bash", "call_1"), of("main", "Bash", "call_1"));
        assert_ne!(of("main", "Bash", "call_1"), of("sub", "Bash", "call_1"));
        assert_eq!(of("main", "Bash", " "), None);
    }

    #[test]
    fn errors_of_one_kind_have_one_fingerprint() {
        let of = |error: &str| row(&failed(error), moment()).error_fingerprint.unwrap();
        assert_eq!(
            of("cat: /tmp/a1/x.txt: No such file or directory"),
            of("cat: /tmp/b2/x.txt: No such file or directory")
        );
        assert_ne!(of("cat: x: No such file or directory"), of("cat: x: Permission denied"));
        let silent = |code| row(&Execution { exit_code: Some(code), ..failed("") }, moment()).error_fingerprint;
        assert_ne!(silent(1), silent(2));
        assert_eq!(silent(1), silent(1));
    }

    #[test]
    fn line_ends_in_json_hide_no_secret() {
        let secret = "a1B2c3D4e5F6g7H8i9";
        let content = format!("the build goes on\ncurl -u admin:{secret} https://example.com\n");
        let input = serde_json::json!({"file_path": "/a", "content": content, "list": [content]}).to_string();
        let row = row(&Execution { input: input.clone(), ..failed(&input) }, moment());
        assert!(!row.input.contains(secret) && !row.error.contains(secret), "{row:?}");
    }

    #[test]
    fn no_half_of_a_secret_is_kept() {
        let secret = credential();
        // At each place around every border at which something is cut.
        let short = [OUTCOME_TEXT_BYTES, OUTCOME_TEXT_BYTES / 2].map(|cut| (cut, 10));
        let long = [WINDOW_BYTES, WINDOW_BYTES - MARGIN_BYTES].map(|cut| (cut, 2 * WINDOW_BYTES));
        let half = &secret[..12];
        for (cut, after) in short.into_iter().chain(long) {
            for shift in (0..40).step_by(8) {
                let front = format!("{} {secret} {}", "x ".repeat((cut - shift) / 2), "y ".repeat(after / 2));
                let back = format!("{} {secret} {}", "x ".repeat(after / 2), "y ".repeat((cut - shift) / 2));
                for text in [front, back] {
                    let row = row(&Execution { input: text.clone(), ..failed(&text) }, moment());
                    let kept = format!("{}{}", row.input, row.error);
                    assert!(!kept.contains(half) && !kept.contains(&secret[24..]), "{cut} {shift}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rows_are_bounded(text in "(?s).{0,3000}", times in 1usize..120) {
            let text = text.repeat(times);
            let session = text.clone();
            let run = Execution { input: text.clone(), tool: text.clone(), session, ..failed(&text) };
            let row = row(&run, moment());
            prop_assert!(row.input.len() <= OUTCOME_TEXT_BYTES && row.error.len() <= OUTCOME_TEXT_BYTES);
            prop_assert!(!row.session.is_empty() && row.tool.chars().count() <= NAME_CHARS + 1);
        }
    }
}
