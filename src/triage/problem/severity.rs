//! How bad a problem is, by the word that stands before its message.

use crate::text::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemSeverity {
    /// It stops the tool, or breaks a rule.
    Error,
    /// It stops nothing.
    Warning,
    /// It tells more, or proposes something.
    Note,
}

impl ProblemSeverity {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }

    /// What a word, a letter or a number says.
    pub(super) fn of(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        Some(match word.as_str() {
            "e" | "error" | "err" | "errors" | "fatal" | "f" | "critical" | "blocker" | "major" | "failure"
            | "high" | "✖" | "✘" | "✗" | "×" => Self::Error,
            "w" | "warning" | "warn" | "medium" | "minor" | "moderate" | "⚠" => Self::Warning,
            "i" | "info" | "information" | "note" | "notice" | "hint" | "help" | "suggestion" | "low" | "style"
            | "c" | "r" | "convention" | "refactor" | "recommendation" => Self::Note,
            _ if word.starts_with("fatal") => Self::Error,
            _ => return None,
        })
    }
}

/// The word of a severity at the beginning, as tools write it: `error:`, `error[E1]:`, `warning C4: `, `[W] `, `E: `,
/// `ERROR - `, `✖ `.
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)^\s*(?:
          \[\s*(?P<bracket>(?i:error|warning|warn|info|note|fatal|critical|[EWFICRN]))\s*\]:?\s*
        | (?P<sign>✖|✘|✗|×|⚠)\s+
        | (?P<word>(?i:fatal\ error|error|err|warning|warn|info|information|note|notice|hint|help|fatal|critical
            |suggestion|style))
          (?:\[[\w:-]+\]|\ [A-Z]{1,8}-?\d{1,6})?(?:\s*:\s*|\s+-\s+|\s{2,}|\t)
        | (?P<plain>error|warning|warn|info|note|ERROR|WARNING|WARN|INFO)\s+
        | (?P<letter>[EWFICR]):\s+
        )",
    )
});

/// The severity that a message begins with, and what follows it.
pub(super) fn split(message: &str) -> (Option<ProblemSeverity>, &str) {
    let Some(found) = WORD.captures(message) else { return (None, message.trim()) };
    let word = ["bracket", "sign", "word", "plain", "letter"].into_iter().find_map(|name| found.name(name));
    let severity = word.and_then(|word| ProblemSeverity::of(word.as_str()));
    (severity, message[found[0].len()..].trim())
}
