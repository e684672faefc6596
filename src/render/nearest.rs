//! What came near to the gate, for an answer without a hit.

use super::explanation::push_near;
use super::search::below;
use super::style::Style;
use crate::screen::line;
use crate::types::{Answer, MEMORY_PREFIX, Nearest};

/// How many are named over all findings.
const NAMED: usize = 3;
/// What stands before the first.
const LABEL: &str = "Nothing sure. Closest:";

/// Those that are named, nearest first.
pub fn nearest_first(answer: &Answer) -> impl Iterator<Item = &Nearest> {
    let mut nearest: Vec<&Nearest> = answer.results.iter().flat_map(|finding| &finding.candidates).collect();
    nearest.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    nearest.into_iter().take(NAMED)
}

/// A line for each, nearest first, or two where one is wider than `width`; paths below `here` are shown relative to it.
/// Empty where nothing came near.
pub(super) fn nearest_text(answer: &Answer, here: &str, style: Style, width: usize) -> String {
    let mut out = String::new();
    for (index, near) in nearest_first(answer).enumerate() {
        // Behind an explanation nothing is aligned.
        let indent = if near.explain.is_some() { 0 } else { LABEL.len() };
        let label = if index == 0 { LABEL.to_owned() } else { " ".repeat(indent) };
        let percent = near.relevance * 100.0;
        let (what, how) = match (&near.path, &near.item) {
            (Some(path), _) => {
                let line_start = near.line_start.map_or_else(String::new, |line| format!(":{line}"));
                let place = format!("{}{line_start}", below(path, here));
                let how = if near.title.is_empty() { String::new() } else { format!("{} ", line(&near.title)) };
                (place, format!("{how}({percent:.0} %)"))
            }
            (None, Some(item)) => {
                let what = if near.title.is_empty() { &item.id } else { &near.title };
                (line(what).into_owned(), line(&format!("({percent:.0} %, {})", item.id)).into_owned())
            }
            (None, None) if near.id.starts_with(MEMORY_PREFIX) => {
                (line(&near.title).into_owned(), line(&format!("({percent:.0} %, {})", near.id)).into_owned())
            }
            (None, None) => {
                let how = line(&format!("({percent:.0} %, {})", style.whole_entry(&near.id))).into_owned();
                (line(&near.title).into_owned(), how)
            }
        };
        let what = if label.is_empty() { what } else { format!("{label} {what}") };
        let one_line = what.chars().count() + 1 + how.chars().count() <= width;
        let between = if one_line { " ".to_owned() } else { format!("\n{}", " ".repeat(LABEL.len() + 1)) };
        out.push_str(&format!("{what}{between}{}\n", style.faint(&how)));
        push_near(&mut out, near, style, width);
        if near.explain.is_some() {
            out.push('\n');
        }
    }
    // What follows is a line of its own kind.
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Asked, Attributes, External, Finding, Scope, Semantic, Verdict};

    #[test]
    fn passages_are_named_by_place_and_entries_by_command() {
        let near = |id: &str, path: Option<&str>, relevance| Nearest {
            id: id.to_owned(),
            title: "Backup > Retention".to_owned(),
            path: path.map(str::to_owned),
            line_start: path.map(|_| 12),
            item: None,
            relevance,
            explain: None,
        };
        let finding = Finding {
            error: Asked::default(),
            verdict: Verdict::None,
            semantic: Semantic::On,
            reranked: false,
            hits: Vec::new(),
            failed: Vec::new(),
            also_seen: Vec::new(),
            rejected: Vec::new(),
            candidates: vec![near("linux/x", None, 0.1), near("abc", Some("/home/me/docs/a.md"), 0.2)],
            why_not: None,
        };
        let mut answer = Answer { errors_found: 1, errors_shown: 1, results: vec![finding] };
        let text = nearest_text(&answer, "/home/me", Style::default(), 80);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Nothing sure. Closest: docs/a.md:12 Backup > Retention (20 %)");
        assert_eq!(lines[1], "                       Backup > Retention (10 %, `ken canon show linux/x`)");
        let narrow = nearest_text(&answer, "/home/me", Style::default(), 60);
        let below = "                       ";
        assert!(
            narrow.ends_with(&format!("{below}Backup > Retention\n{below}(10 %, `ken canon show linux/x`)\n")),
            "{narrow}"
        );
        // An item of a program is named as the program knows it.
        let (id, scope) = ("TICKET-7".to_owned(), Scope::global());
        let mut of_program = near("item/0123", None, 0.3);
        of_program.item = Some(External { id, scope, attributes: Attributes::default() });
        answer.results[0].candidates = vec![of_program];
        let text = nearest_text(&answer, "/home/me", Style::default(), 80);
        assert_eq!(text, "Nothing sure. Closest: Backup > Retention (30 %, TICKET-7)\n");
    }
}
