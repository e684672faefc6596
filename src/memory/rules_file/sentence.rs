//! The sentences of a paragraph.

/// What ends in a dot and no sentence.
const SHORTENED: &[&str] = &["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "incl.", "resp.", "no.", "fig.", "al."];

/// The sentences of a text on one line, in order, without white space around them. Code and what stands in round
/// brackets is not cut.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut is_code, mut depth) = (0, false, 0usize);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        match c {
            '`' => is_code = !is_code,
            _ if is_code => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '。' | '！' | '？' if depth == 0 => {
                out.push(text[start..end].trim());
                start = end;
            }
            ' ' if depth == 0 && ends(&text[start..at]) && chars.peek().is_some_and(|(_, next)| begins(*next)) => {
                out.push(text[start..at].trim());
                start = end;
            }
            _ => {}
        }
    }
    out.push(text[start..].trim());
    out.retain(|sentence| !sentence.is_empty());
    out
}

/// Whether a text could be a whole sentence.
fn ends(text: &str) -> bool {
    let bare = text.trim_end_matches(['"', '”', '\'', ')']);
    let last = bare.rsplit(' ').next().unwrap_or_default().trim_start_matches(['(', '"', '“']).to_ascii_lowercase();
    bare.ends_with(['.', '!', '?']) && !SHORTENED.contains(&last.as_str())
}

fn begins(c: char) -> bool {
    c.is_uppercase() || matches!(c, '`' | '"' | '“' | '(' | '[') || !c.is_ascii() && c.is_alphabetic()
}

/// Whether each line of a paragraph is a statement of its own, and not the rest of the one before: at least two lines,
/// each beginning like a sentence, and each but the last ending like one; or at least three that begin like one.
pub(super) fn is_one_a_line(lines: &[String]) -> bool {
    let begin = lines.iter().all(|line| line.chars().next().is_some_and(|c| begins(c) || c.is_numeric()));
    let (_, before) = lines.split_last().map_or((None, lines), |(last, before)| (Some(last), before));
    begin && (lines.len() >= 3 || lines.len() == 2 && before.iter().all(|line| ends(line) || line.ends_with(':')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sentences_end_where_the_next_begins() {
        assert_eq!(
            sentences("Use tabs. Never use spaces! Why? `x. Y` is code."),
            ["Use tabs.", "Never use spaces!", "Why?", "`x. Y` is code."]
        );
        for one in
            ["Use a linter, e.g. Ruff, for v1. 2 is late.", "See x.py for more", "Do it (Not. Ever.) now", "a. b"]
        {
            assert_eq!(sentences(one), [one]);
        }
        assert_eq!(sentences("先运行测试。再提交。"), ["先运行测试。", "再提交。"]);
        assert!(sentences(" ").is_empty());
    }

    #[test]
    fn wrapped_lines_are_no_sentences() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert!(is_one_a_line(&lines("Use tabs\nWrite tests\nAvoid globals")));
        assert!(is_one_a_line(&lines("Use tabs.\nWrite tests")));
        assert!(!is_one_a_line(&lines("Use tabs in\nPython and in\nrust")));
        assert!(!is_one_a_line(&lines("Use tabs in\nPython")));
        assert!(!is_one_a_line(&lines("Use tabs.")) && !is_one_a_line(&[]));
    }

    proptest! {
        #[test]
        fn no_word_is_lost(text in "([A-Za-z`().!?。]{0,5} ){0,12}") {
            let words = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(words(&sentences(&text).concat()), words(&text));
        }
    }
}
