//! Compares what is printed with what a document shows. Left out of the comparison is what differs from run to run:
//! times, rates, sizes, hashes, dates, and the folder of the user. `[...]` stands for lines, or the end of one.

use regex::Regex;
use std::sync::LazyLock;

/// What stands for lines, or for the rest of a line, that a document leaves out.
const CUT: &str = "[...]";

/// What varies, and what stands in its place.
static MASKS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?", "DATE"),
        (r"\b\d[\d,.]* (tokens|texts|files|vectors|MB|lines)/s\b", "RATE"),
        (r"\b\d[\d,.]* (ns|us|µs|ms|s|seconds|minutes)\b", "TIME"),
        (r"\b\d[\d,.]* (B|bytes|kB|KB|MB|GB|KiB|MiB|GiB)\b", "SIZE"),
        (r"\bmemory/[0-9a-f]{12}\b", "memory/HASH"),
        (r"\b[0-9a-f]*([0-9][a-f]|[a-f][0-9])[0-9a-f]{6,}\b", "HASH"),
    ]
    .map(|(pattern, name)| (Regex::new(pattern).unwrap(), name))
    .into()
});

/// A line without what varies, and without space at its end.
pub fn masked(line: &str) -> String {
    MASKS
        .iter()
        .fold(line.trim_end().to_owned(), |line, (pattern, name)| pattern.replace_all(&line, *name).into_owned())
}

/// Whether the printed lines are those of the document.
pub fn agree(shown: &[String], printed: &str) -> bool {
    let shown = trimmed(shown.iter().map(|line| masked(line)).collect());
    let printed = trimmed(printed.lines().map(masked).collect());
    lines_agree(&shown, &printed)
}

/// Without the empty lines at the end.
fn trimmed(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn lines_agree(shown: &[String], printed: &[String]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, first) => first.is_none(),
        (Some((line, rest)), _) if line == CUT => (0..=printed.len()).any(|at| lines_agree(rest, &printed[at..])),
        (Some(_), None) => false,
        (Some((line, rest)), Some((first, others))) => line_agrees(line, first) && lines_agree(rest, others),
    }
}

fn line_agrees(shown: &str, printed: &str) -> bool {
    match shown.strip_suffix(CUT) {
        Some(start) => printed.starts_with(start),
        None => shown == printed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(shown: &str, printed: &str) -> bool {
        agree(&shown.lines().map(str::to_owned).collect::<Vec<_>>(), printed)
    }

    #[test]
    fn what_varies_is_masked_and_nothing_else() {
        for (line, expected) in [
            ("files: 2 new, embedded at 4438 tokens/s (0.0 s)", "files: 2 new, embedded at RATE (TIME)"),
            ("as_of: 2026-11-26T09:42:30Z, tokens: 549", "as_of: DATE, tokens: 549"),
            ("    2.0 MB  cache  ", "    SIZE  cache"),
            ("chunk/1f3a9c0b22d4aa10", "chunk/HASH"),
            ("memory/013832fa5f8c, tactic", "memory/HASH, tactic"),
            ("58 % sure, exit code 125, E0382, facade, 12345678", "58 % sure, exit code 125, E0382, facade, 12345678"),
        ] {
            assert_eq!(masked(line), expected);
        }
    }

    #[test]
    fn a_cut_stands_for_lines_or_for_the_end_of_one() {
        assert!(agrees("a\nb", "a  \nb\n\n"));
        assert!(agrees("a\n[...]", "a\nb\nc\n") && agrees("a\n[...]\nc", "a\nb\nb\nc"));
        assert!(agrees("[...]\nb [...]\n[...]\n", "a\nb c\n") && agrees("a\n[...]", "a"));
        assert!(!agrees("a\n[...]\nc", "a\nb\nc\nd") && !agrees("a", "a\nb") && !agrees("a\nb", "a"));
        assert!(!agrees("b [...]", "c d") && !agrees("", "a"));
    }
}
