//! A text of nobody known: each paragraph is a turn. Blank lines in fenced code do not end a paragraph.

use super::{MAX_TURNS, Role, Turn, turn};

/// The paragraphs of a text whose first line has the number `first`.
pub(super) fn turns(text: &str, first: usize) -> Vec<Turn> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut out, mut start, mut in_code) = (Vec::new(), 0, false);
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        in_code ^= line.starts_with("```") || line.starts_with("~~~");
        if line.is_empty() && !in_code {
            out.extend(turn(Role::Unknown, &lines[start..at], first + start));
            start = at + 1;
        }
        if out.len() > MAX_TURNS {
            return out;
        }
    }
    out.extend(turn(Role::Unknown, &lines[start..], first + start));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_end_paragraphs_but_not_in_code() {
        let text = "\n one\ntwo\n \n```\na\n\nb\n```\nthree\n\n\n";
        let found: Vec<_> = turns(text, 1).into_iter().map(|t| (t.text, t.line_start, t.line_end)).collect();
        assert_eq!(found, [(" one\ntwo".to_owned(), 2, 3), ("```\na\n\nb\n```\nthree".to_owned(), 5, 10)]);
        assert!(turns(" \n\n", 1).is_empty() && turns("", 1).is_empty());
    }
}
