//! What is said where nothing is known: the likely reason in a log, what was left out, what came near.

use super::lookup::place;
use super::nearest::nearest_text;
use super::style::Style;
use super::wrap::wrap;
use crate::screen::{cut, line};
use crate::types::Answer;

/// The indent of what goes on below a label.
const INDENT: &str = "       ";

/// What is shown of the line that most likely says the reason, in characters: it is all that a reader gets.
const REASON_CHARS: usize = 240;

/// For an answer without a hit, in lines; empty for one with a hit. `filtered` says whether filters left entries or
/// items out. Paths below `here` are shown relative to it.
pub fn silence_text(answer: &Answer, filtered: bool, here: &str, style: Style, width: usize) -> String {
    if answer.found() {
        return String::new();
    }
    let width = width.clamp(40, 100);
    let near = match nearest_text(answer, here, style, width) {
        near if !near.is_empty() => near,
        _ if filtered => "Nothing known about this within these filters.\n".to_owned(),
        _ => "Nothing known about this.\n".to_owned(),
    };
    format!("{}{}{near}", reason_text(answer, width), rejected_text(answer, style, width))
}

/// Where a log most likely says why it failed. Empty for a single message.
fn reason_text(answer: &Answer, width: usize) -> String {
    let [first, ..] = answer.results.as_slice() else { return String::new() };
    if answer.errors_found < 2 && first.error.line_start < 2 {
        return String::new();
    }
    let head = format!("Most likely the reason, {}: ", place(first));
    wrap(&cut(&line(&first.error.headline), REASON_CHARS), &head, INDENT, width)
}

/// Which entries are left out because somebody said that they are wrong. Empty if there are none.
fn rejected_text(answer: &Answer, style: Style, width: usize) -> String {
    let mut ids: Vec<&str> = answer.results.iter().flat_map(|finding| &finding.rejected).map(String::as_str).collect();
    ids.dedup();
    if ids.is_empty() {
        return String::new();
    }
    let back = if style.is_for_agents() { "" } else { "; `ken lookup --worked ID` takes it back" };
    let text = format!("{}{back}", line(&ids.join(", ")));
    wrap(&text, "Left out, because you said that it is wrong here: ", INDENT, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Asked, CausalRole, Content, Finding, Hit, Kind, Nearest, Passage, Semantic, Tier, Verdict};

    fn finding(headline: &str, line_start: usize) -> Finding {
        Finding {
            error: Asked { headline: headline.to_owned(), line_start, line_end: line_start, ..Asked::default() },
            verdict: Verdict::None,
            semantic: Semantic::On,
            reranked: false,
            hits: Vec::new(),
            failed: Vec::new(),
            also_seen: Vec::new(),
            rejected: Vec::new(),
            candidates: Vec::new(),
            why_not: None,
        }
    }

    fn answer(findings: Vec<Finding>) -> Answer {
        Answer { errors_found: findings.len(), errors_shown: findings.len(), results: findings }
    }

    fn said(answer: &Answer, filtered: bool) -> String {
        silence_text(answer, filtered, "", Style::default(), 60)
    }

    #[test]
    fn a_message_is_not_known_or_no_filter_leaves_what_is() {
        let message = answer(vec![finding("no", 1)]);
        assert_eq!(said(&message, false), "Nothing known about this.\n");
        assert_eq!(said(&message, true), "Nothing known about this within these filters.\n");
        let mut rejected = message;
        rejected.results[0].rejected = vec!["a/b".to_owned()];
        let left_out = "Left out, because you said that it is wrong here: a/b;\n       `ken lookup --worked ID` takes it \
                        back\nNothing known about this.\n";
        assert_eq!(said(&rejected, false), left_out);
    }

    #[test]
    fn a_log_has_a_reason_that_is_read_in_full() {
        let mut log = answer(vec![finding("the linker was not found on this machine", 12), finding("b", 20)]);
        let reason = "Most likely the reason, line 12: the linker was not found on\n       this machine\n";
        assert_eq!(said(&log, false), format!("{reason}Nothing known about this.\n"));
        log.results[0].error.headline = "x ".repeat(200);
        assert!(said(&log, false).contains("x…\nNothing"), "{}", said(&log, false));
    }

    #[test]
    fn what_came_near_stands_in_place_of_nothing() {
        let mut near = answer(vec![finding("no", 1)]);
        near.results[0].candidates.push(Nearest {
            id: "p/a".to_owned(),
            title: "Not this".to_owned(),
            path: None,
            line_start: None,
            item: None,
            relevance: 0.2,
            explain: None,
        });
        assert_eq!(said(&near, true), "Nothing sure. Closest: Not this (20 %, `ken canon show p/a`)\n");
    }

    #[test]
    fn where_something_is_known_nothing_is_said() {
        let mut known = answer(vec![finding("no", 1)]);
        known.results[0].hits.push(Hit {
            id: "p/a".to_owned(),
            kind: Kind::Canon,
            title: String::new(),
            content: Content::Passage(Passage::default()),
            score: 1.0,
            relevance: 1.0,
            tier: Tier::Exact,
            role: CausalRole::Cause,
            source: String::new(),
            overrides_canon: false,
            override_reason: None,
            tried: None,
            memory: None,
            explain: None,
        });
        assert_eq!(said(&known, true), "");
    }
}
