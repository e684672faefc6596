//! Tells the notes of releases from other texts: a list of versions, each with what was done in it. They say what
//! changed once, and nothing that somebody asked to be kept.
//!
//! The sign is a line that holds a version, at most with a date: a list of releases has one for each. One such line is
//! enough beside a title such as "Changelog" or a section such as "Bug fixes". Otherwise it takes two.

use super::rules::phrase;
use regex::Regex;
use std::sync::LazyLock;

/// Lines with text at the beginning in which the title of a document stands.
const TITLE_LINES: usize = 5;

/// A version, with the name of its program and its date at most, and nothing else in its line.
static RELEASE: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"^(?:#{1,6}[ \t]*)?[*_]{0,2}(?:(?:changes|new|what's new) (?:in|since) |\w[\w-]{0,30} )?",
        r"(?:\[unreleased\]|unreleased|\[v?\d+\.\d+(?:\.\d+)*[-+.\w]*\]|",
        r"(?:version|release|v) ?\d+(?:\.\d+)+[-+.\w]*|\d+\.\d+\.\d+[-+.\w]*|",
        // Of two numbers alone a date must follow: sections are numbered so too.
        r"\d+\.\d+ *[-–—(/:, ] *\(?(?:\d{4}[-/.]\d|released|unreleased))",
        r"(?:\([^)\s]*\))?[*_]{0,2}:?",
        r"(?: *[-–—(/:,@]? *[(\[]?(?:released (?:on )?|unreleased|tbd|yanked|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|",
        r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|[-/.\d]+|\d{1,2}(?:st|nd|rd|th)? \w+,? \d{4}|",
        r"\w+ \d{1,2}(?:st|nd|rd|th)?,? \d{4})[^\n]{0,40})?\s*$",
    ))
});

/// What a document with the notes of releases is called.
static TITLE: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"^(?:#{1,6} *)?(?:\w[\w.-]* )?(?:change ?log|release notes|release history|changes|history|what's new|news)",
        r"(?: (?:for|of|in) .{1,40})?:? *$",
    ))
});

/// How the entries of one release are grouped.
static SECTION: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"^(?:#{1,6} *|[*_]{2})?(?:added|changed|fixed|removed|deprecated|security|",
        r"(?:breaking|notable|other|api|minor|major) changes|bug ?fixes|fixes|(?:new )?features|enhancements|",
        r"improvements|what's changed|highlights)[*_]{0,2}:?[*_]{0,2} *$",
    ))
});

/// The line from which on a text tells of releases, from 0; none if it does not. A text with a title that says so
/// tells of nothing else.
pub(super) fn releases_from(lines: &[&str]) -> Option<usize> {
    let is_release = |line: &&str| RELEASE.is_match(line);
    let first = lines.iter().position(is_release)?;
    let mut beginning = lines.iter().filter(|line| !line.trim().is_empty()).take(TITLE_LINES);
    let is_called = beginning.any(|line| TITLE.is_match(line));
    let rest = lines.get(first + 1..).unwrap_or_default();
    let is_list = || rest.iter().any(|line| is_release(line) || SECTION.is_match(line));
    match () {
        () if is_called => Some(0),
        () => is_list().then_some(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(text: &str) -> Option<usize> {
        releases_from(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn notes_of_releases_are_known_by_their_versions() {
        for (text, line) in [
            ("# Changelog\n\n## [Unreleased]\n\n- We decided to drop Python 3.8", 0),
            ("# 2.1.0 (2024-05-06)\n\n### Bug Fixes\n\n- never retry a POST", 0),
            ("serde 1.0.3 - 2024-01-02\n- a\n\nserde 1.0.2 - 2023-12-01\n- b", 0),
            ("Intro\n\nv1.2\n - a\n\nv1.1\n - b", 2),
            ("1.4 (2020-01-02)\n=====\n* a\n\n1.3 (2019-01-02)\n=====\n* b", 0),
            ("# Release notes for Zoo 4\n\n## Version 4.0\n\nAlways use the new gate.", 0),
        ] {
            assert_eq!(from(text), Some(line), "{text}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "",
            "Remember: we pin serde to 1.0.2",
            "## 1.2 Installation\n\n## 1.3 Usage\n\nAlways use the installer.",
            "# Notes\n\n## 2024-05-06\n\nRemember: we use tabs\n\n## 2024-05-07\n\nWe decided to keep Postgres.",
            "# History\n\nAlways rebase, so that the history stays readable.",
            "We are on 1.2.3 now.\nNever go back to 1.2.2.",
            "1.2.3\n\nis the version that we must deploy.",
        ] {
            assert_eq!(from(text), None, "{text}");
        }
    }
}
