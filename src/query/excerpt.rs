//! The lines of a text that somebody reads: those that say most about a question, as they stand, with the places of its
//! words.
//!
//! Decides which lines, and which of them keep their form: those of source files, listings and tables. How wide they are
//! is for whoever shows them.

use crate::chunk::Format;
use crate::text::for_each_token;
use crate::types::ExcerptLine;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// Most lines and characters that are shown of a text; the first line is shown whatever it has.
const LINES: usize = 6;
const CHARS: usize = 360;
/// After so many lines an empty one is the end.
const ENOUGH: usize = 3;
/// Lines that are looked at together.
const WINDOW: usize = 3;
/// Longest line that is shown whole, and what of a longer one stands before its first word of the question, in
/// characters.
const LONG_LINE: usize = 400;
const BEFORE: usize = 80;

/// What may stand behind the end of a sentence.
const CLOSING: &[char] = &['"', '\'', ')', ']', '*', '_', '`', '”', '’', '»', ' '];
/// What begins something new in prose: headings, items, quotes, fences, tags; what was cut already says so itself.
const BEGINNINGS: &[&str] = &["#", "- ", "* ", "+ ", "> ", "```", "~~~", "<", "…"];

/// What comments begin with, so many words are a sentence, and what no sentence holds.
const COMMENTS: &[&str] = &["/// ", "//! ", "// ", "# ", "-- ", ";; ", "* "];
const WORDS: usize = 5;
const CODE: &[char] = &['{', '}', '[', ']', '=', ';', '<', '>', '|', '$', '"'];

/// A line of a text and where it is.
#[derive(Debug, Clone)]
struct Line<'t> {
    text: &'t str,
    range: Range<usize>,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let line = |part: &'_ str| {
        let start = at;
        at += part.len();
        let length = part.trim_end_matches(['\n', '\r']).len();
        start..start + length
    };
    let ranges: Vec<Range<usize>> = text.split_inclusive('\n').map(line).collect();
    ranges.into_iter().map(|range| Line { text: &text[range.clone()], range }).collect()
}

/// The words of a question, each with how much it tells: a word that many texts hold tells little.
pub(super) type AskedWords<'w> = HashMap<&'w str, f32>;

/// Where the three lines begin whose different words tell most about a question. If several are level, the one whose
/// first line tells most. `None` if no line has a letter or digit.
pub(super) fn most_telling(lines: &[&str], words: &AskedWords<'_>) -> Option<usize> {
    let held: Vec<Vec<&str>> = lines.iter().map(|line| words_of(line, words)).collect();
    let tells = |lines: &[Vec<&str>]| -> f32 {
        let mut all: Vec<&str> = lines.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all.iter().filter_map(|word| words.get(word)).sum()
    };
    let worth = |at: usize| (tells(&held[at..(at + WINDOW).min(held.len())]), tells(&held[at..=at]));
    let says = (0..lines.len()).filter(|&at| lines[at].contains(char::is_alphanumeric));
    let all = says.map(|at| (worth(at), at));
    // The first of equals: a text says at its beginning what it is about.
    let better = |a: &((f32, f32), usize), b: &((f32, f32), usize)| {
        let ((a, of_a), (b, of_b)) = (a.0, b.0);
        a.total_cmp(&b).then(of_a.total_cmp(&of_b))
    };
    all.reduce(|best, next| if better(&next, &best).is_gt() { next } else { best }).map(|(_, at)| at)
}

/// Where the lines stand that say most about a question with these words, in bytes: whole lines.
pub(super) fn telling(text: &str, words: &AskedWords<'_>) -> Range<usize> {
    let lines = lines(text);
    let says = |line: &Line<'_>| line.text.contains(char::is_alphanumeric);
    let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
    let Some(mut first) = most_telling(&texts, words) else { return 0..text.len() };
    // One more line up is read if the paragraph begins there.
    if first > 0 && says(&lines[first - 1]) && (first == 1 || !says(&lines[first - 2])) {
        first -= 1;
    }
    let (mut last, mut chars) = (first, 0);
    for (at, line) in lines.iter().enumerate().skip(first) {
        chars += line.text.chars().count();
        let ends = at - first >= LINES || chars > CHARS || (at - first >= ENOUGH && line.text.trim().is_empty());
        if ends && at > first {
            break;
        }
        if says(line) {
            last = at;
        }
    }
    lines[first].range.start..lines[last].range.end
}

/// The words of the question that a line holds.
fn words_of<'w>(line: &str, words: &AskedWords<'w>) -> Vec<&'w str> {
    let mut found = Vec::new();
    for_each_token(line, |token| found.extend(words.get_key_value(token).map(|(word, _)| *word)));
    found
}

/// The lines of a stretch of a text, which stands in a file of this name. `whole` lines are not cut, however long.
pub(super) fn excerpt(
    text: &str,
    stretch: &Range<usize>,
    path: Option<&str>,
    words: &AskedWords<'_>,
    whole: bool,
) -> Vec<ExcerptLine> {
    let is_program = path.is_some_and(|path| matches!(Format::of_path(Path::new(path)), Some(Format::Source(_))));
    let mut fence: Option<&str> = None;
    let mut out = Vec::new();
    for line in lines(text) {
        let inside = fence.is_some();
        fence = after(line.text, fence);
        if line.range.end < stretch.start || line.range.start >= stretch.end {
            continue;
        }
        let keeps_form = is_program || inside || fence.is_some() || is_formed(line.text);
        let text = if whole { line.text.to_owned() } else { shortened(line.text, words) };
        out.push(ExcerptLine { marks: marks(&text, words), text, keeps_form });
    }
    out
}

/// The fence that is open after a line.
fn after<'t>(line: &'t str, open: Option<&'t str>) -> Option<&'t str> {
    let line = line.trim_start();
    let mark = ['`', '~'].into_iter().find(|mark| line.starts_with([*mark]));
    let run = mark.map_or("", |mark| &line[..line.len() - line.trim_start_matches(mark).len()]);
    match open {
        Some(fence) if run.starts_with(fence) && line.trim_end() == run => None,
        Some(fence) => Some(fence),
        None if run.len() >= 3 => Some(run),
        None => None,
    }
}

/// Whether the form of a line means something by itself: a row of a table, columns, code that is set in.
fn is_formed(line: &str) -> bool {
    let text = line.trim();
    let set_in = line.starts_with("    ") || line.starts_with('\t');
    let listed = text.starts_with(['-', '*', '+']) || text.starts_with(|c: char| c.is_ascii_digit());
    text.starts_with(['|', '+', '$']) || set_in && !listed || text.contains("   ")
}

/// A line as prose; of what keeps its form only comments and lines of words alone are.
pub(super) fn prose(line: &str, keeps_form: bool) -> Option<&str> {
    let text = line.trim_start();
    if !keeps_form {
        return Some(text);
    }
    let comment = COMMENTS.iter().find_map(|mark| text.strip_prefix(mark));
    let words = || text.split_whitespace().count() >= WORDS && !text.contains(CODE);
    comment.or_else(|| words().then_some(text))
}

/// Whether a sentence of prose that is not over at the end of a line goes on in the next one.
pub(super) fn goes_on(line: &str, next: &str) -> bool {
    let says = |text: &str| text.contains(char::is_alphanumeric);
    let (line, next) = (line.trim(), next.trim_start());
    let is_over = line.trim_end_matches(CLOSING).ends_with(['.', '!', '?', ':', ';', '…']) || line.starts_with('#');
    let number = next.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < next.len() && (number.starts_with(". ") || number.starts_with(") "));
    let begins = numbered || is_formed(next) || BEGINNINGS.iter().any(|mark| next.starts_with(mark));
    says(line) && !is_over && says(next) && !begins
}

/// A very long line, from a little before its first word of the question on.
fn shortened(line: &str, words: &AskedWords<'_>) -> String {
    if line.chars().count() <= LONG_LINE {
        return line.to_owned();
    }
    let hit = marks(line, words).first().map_or(0, |mark| mark.start);
    let from = line[..hit].char_indices().rev().nth(BEFORE).map_or(0, |(at, _)| at);
    // At a word.
    let from = if from == 0 { 0 } else { from + line[from..hit].find(char::is_whitespace).map_or(0, |at| at + 1) };
    let rest = &line[from..];
    let end = rest.char_indices().nth(LONG_LINE).map_or(rest.len(), |(at, _)| at);
    let end = if end == rest.len() { end } else { rest[..end].rfind(char::is_whitespace).unwrap_or(end) };
    let (before, behind) = (if from > 0 { "… " } else { "" }, if end < rest.len() { " …" } else { "" });
    format!("{before}{}{behind}", &rest[..end])
}

/// Where words of the question stand in a line.
fn marks(line: &str, words: &AskedWords<'_>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = line[at..].find(is_word) {
        let start = at + found;
        let end = line[start..].find(|c| !is_word(c)).map_or(line.len(), |length| start + length);
        let mut told = false;
        for_each_token(&line[start..end], |token| told |= words.contains_key(token));
        if told {
            out.push(start..end);
        }
        at = end;
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> AskedWords<'static> {
        ["retri", "timeout", "max_attempts", "attempt", "max"].map(|word| (word, 1.0)).into()
    }

    fn shown(text: &str, path: &str) -> Vec<(String, bool)> {
        let stretch = telling(text, &words());
        let found = excerpt(text, &stretch, Some(path), &words(), false);
        found.into_iter().map(|line| (line.text, line.keeps_form)).collect()
    }

    fn owned(expected: &[(&str, bool)]) -> Vec<(String, bool)> {
        expected.iter().map(|(text, form)| ((*text).to_owned(), *form)).collect()
    }

    #[test]
    fn lines_stand_as_they_are_where_the_words_are() {
        let code =
            "//! Of no use.\n\nfn retries() {\n    let max_attempts = 3;\n    go(timeout)\n}\n\n\nfn other() {}\n";
        let expected = [("fn retries() {", true), ("    let max_attempts = 3;", true), ("    go(timeout)", true)];
        assert_eq!(shown(code, "a.rs"), owned(&expected));
        let text = "Intro.\n\nAll of it\nretries after a timeout.\n\n| a | b |\n\n```\n  x\n```\n";
        let expected = [("All of it", false), ("retries after a timeout.", false), ("", false), ("| a | b |", true)];
        assert_eq!(shown(text, "a.md"), owned(&expected));
        assert_eq!(shown("", "a.md"), []);
        // A fence that was opened before counts.
        let fenced = format!("```\n{}timeout\n```\n", "x\n".repeat(9));
        assert_eq!(shown(&fenced, "a.md").last(), Some(&("timeout".to_owned(), true)));
    }

    #[test]
    fn a_rare_word_tells_more_than_a_common_one_said_often() {
        let words: AskedWords<'_> = [("flask", 0.5), ("app", 0.5), ("lock", 4.0)].into();
        let text = "flask app\nflask app\nflask app\n\n\nthe lock\nis off\n";
        assert_eq!(&text[telling(text, &words)], "the lock\nis off");
        assert_eq!(most_telling(&["flask", "app flask", "none"], &words), Some(1), "the window is level");
        assert_eq!((most_telling(&["--", "x", "y"], &words), most_telling(&["--"], &words)), (Some(1), None));
    }

    #[test]
    fn words_of_the_question_are_marked_whole() {
        let marked = |line: &str| -> Vec<String> {
            marks(line, &words()).into_iter().map(|mark| line[mark].to_owned()).collect()
        };
        assert_eq!(marked("ä Retries: max_attempts=3 (timeouts?), maximum"), ["Retries", "max_attempts", "timeouts"]);
        assert_eq!(marked(""), [""; 0]);
    }

    #[test]
    fn a_sentence_goes_on_where_the_next_line_begins_nothing() {
        for (line, next) in [
            ("of the", "retries"),
            ("- an item that", "  goes on"),
            ("see (1)", "and `b`"),
            ("a,", "b"),
            ("needs", "1.60.0 or newer"),
        ] {
            assert!(goes_on(line, next), "{line} / {next}");
        }
        for (line, next) in [
            ("It ends.", "Another"),
            ("(It ends.)", "Another"),
            ("These:", "another"),
            ("no end", ""),
            ("# Heading", "text"),
            ("a", "# Heading"),
            ("a", "- item"),
            ("a", "2. item"),
            ("a", "| cell |"),
            ("Title", "====="),
            ("=====", "text"),
            ("", "text"),
            ("long …", "next"),
            ("before", "… long"),
        ] {
            assert!(!goes_on(line, next), "{line} / {next}");
        }
    }

    #[test]
    fn comments_and_lines_of_words_are_prose_in_code_too() {
        for line in ["    // which is why it", "# of the task", " * goes on", "it cancels the task and then"] {
            assert!(prose(line, true).is_some(), "{line}");
        }
        for line in ["    return a", "if a == b and c is d", "#[derive(Debug)]", "x = call(a, b, c, d)", "| a | b |"] {
            assert_eq!(prose(line, true), None, "{line}");
        }
        assert_eq!(prose("  return a", false), Some("return a"));
    }

    #[test]
    fn a_very_long_line_is_shown_around_the_words() {
        let line = format!("{}the timeout doubles {}", "väx ".repeat(300), "and on ".repeat(300));
        let found = shown(&line, "a.md");
        let text = &found[0].0;
        assert!(text.starts_with("… ") && text.ends_with(" …") && text.contains("the timeout doubles"), "{text}");
        assert!(text.chars().count() <= LONG_LINE + 4, "{}", text.chars().count());
        let whole = excerpt(&line, &(0..line.len()), None, &words(), true);
        assert_eq!(whole[0].text, line);
    }
}
