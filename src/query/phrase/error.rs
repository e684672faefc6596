//! Whether a text reads like an error or a log: by what compilers, runtimes, shells and services print.
//!
//! A word such as "error" or "failed" in a sentence is not enough; it needs the form that machines give it. Only the
//! first 64 KiB are looked at: a log says what it is early on.

use std::sync::LazyLock;

use regex::Regex;

const LOOKED_AT_BYTES: usize = 64 << 10;

/// What only a machine writes.
const MESSAGES: &[&str] = &[
    r"(?mi)(?:^|[\s\]>])(?:error|fatal|panic|exception|fehler|err!?)(?:\[\w+\]|\s+[A-Z]{1,4}\d+)?:\s",
    r"(?mi)^\s*(?:warning|failed|failure|critical)(?:\[\w+\])?:\s",
    r"Traceback \(most|(?m)^Traceback\b|(?m)^\s*Caused by:",
    r"(?i)\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]+(?:code |status )?-?[1-9]\d{0,9}\b",
    r"(?i)\bpanicked at\b|\bsegmentation fault\b|\bcore dumped\b|\bstack overflow\b.*\babort",
    r"(?i)\b(?:no such file or directory|permission denied|command not found|connection (?:refused|reset by)|undefined reference to|out of memory:|cannot find module|no module named)",
    r"\b(?:SIG(?:SEGV|ABRT|KILL|BUS|ILL)|OOMKilled|CrashLoopBackOff|ImagePullBackOff)\b|npm ERR!",
    r"\bE(?:CONN[A-Z]+|NOENT|ACCES|PERM|ADDRINUSE|TIMEDOUT|PIPE|EXIST|INVAL|NOSPC|AGAIN|MFILE)\b",
    r"\b[A-Z]\w*(?:Error|Exception)(?:: |\()",
    r#"(?m)^\s*File ".+", line \d+|^\s+at .+[(:]\S*:\d+"#,
    r"(?m)^\S*\d{1,2}:\d{2}:\d{2}\S*\s.*\b(?:ERROR|FATAL|WARN|CRITICAL|error|fatal)\b|^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*\b(?:ERROR|FATAL|WARN)",
    r"(?m)^\[?(?:ERROR|FATAL|CRITICAL)\]?\s",
    r"(?i)\b5\d\d (?:internal server error|bad gateway|service unavailable|gateway time-?out)\b",
];

/// The name of an exception or code, which may as well stand in a question about it.
const NAMES: &[&str] = &[r"\b[A-Z]\w*(?:Error|Exception|Panic)\b", r"\b(?:E\d{4}|TS\d{4}|ORA-\d{5}|0x8\d{7})\b"];

static MESSAGE: LazyLock<Vec<Regex>> = LazyLock::new(|| compiled(MESSAGES));
static NAME: LazyLock<Vec<Regex>> = LazyLock::new(|| compiled(NAMES));

/// The patterns of a table; a test holds that none is missing.
fn compiled(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// Whether the text holds what only a machine writes.
pub(super) fn is_message(text: &str) -> bool {
    MESSAGE.iter().any(|pattern| pattern.is_match(head(text)))
}

/// Whether the text names an exception or an error code.
pub(super) fn is_name(text: &str) -> bool {
    NAME.iter().any(|pattern| pattern.is_match(head(text)))
}

fn head(text: &str) -> &str {
    let end = (0..=text.len().min(LOOKED_AT_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid() {
        assert_eq!((MESSAGE.len(), NAME.len()), (MESSAGES.len(), NAMES.len()));
    }

    #[test]
    fn only_what_machines_write_is_a_message() {
        for text in [
            "error[E0308]: mismatched types",
            "bash: foo: command not found",
            "process exited with code 137",
            "ValueError: bad",
            "2026-01-02T03:04:05Z ERROR lost",
            "   at Foo.bar(Foo.java:3)",
            "connect ECONNREFUSED ::1",
        ] {
            assert!(is_message(text), "{text:?}");
        }
        for text in [
            "the error handling docs",
            "exit code handling",
            "failed tests are slow",
            "exit codes",
            "what is an error",
            "we had 500 errors",
            "at noon (see b)",
            "fatal flaws",
        ] {
            assert!(!is_message(text), "{text:?}");
        }
        assert!(is_name("a KeyError there") && !is_name("an error"));
        assert_eq!(head(&"語".repeat(LOOKED_AT_BYTES)).len(), LOOKED_AT_BYTES / 3 * 3);
    }
}
