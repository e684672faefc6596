//! Lines of a text as they stand, with the words of the question set off. Code and tables keep their form; prose that is
//! wider than the screen goes on below.

use super::style::Style;
use crate::screen::clean;
use crate::types::ExcerptLine;
use std::ops::Range;

/// Marks of items, below whose text the text goes on.
const ITEMS: &[&str] = &["- ", "* ", "+ ", "> "];

/// The lines, each behind `indent`, so that none of them begins where a line of ours does.
pub(super) fn push_lines(out: &mut String, lines: &[ExcerptLine], indent: &str, style: Style, width: usize) {
    for line in lines {
        let body = line.text.trim_end();
        if body.trim().is_empty() {
            out.push('\n');
        } else if line.keeps_form || indent.len() + body.chars().count() <= width {
            out.push_str(indent);
            out.push_str(&styled(&line.text, 0..body.len(), &line.marks, style));
            out.push('\n');
        } else {
            push_wrapped(out, line, indent, style, width);
        }
    }
}

fn push_wrapped(out: &mut String, line: &ExcerptLine, indent: &str, style: Style, width: usize) {
    let text = &line.text;
    let lead = text.len() - text.trim_start().len();
    let item = ITEMS.iter().find(|mark| text[lead..].starts_with(**mark)).map_or(0, |mark| mark.len());
    let set_in = format!("{indent}{}", " ".repeat(text[..lead].chars().count() + item));
    out.push_str(indent);
    out.push_str(&clean(&text[..lead]));
    let mut column = indent.len() + text[..lead].chars().count();
    let mut fresh = true;
    let mut at = lead;
    while let Some(found) = text[at..].find(|c: char| !c.is_whitespace()) {
        let start = at + found;
        let end = text[start..].find(char::is_whitespace).map_or(text.len(), |length| start + length);
        let length = text[start..end].chars().count();
        if !fresh && column + 1 + length > width {
            out.push('\n');
            out.push_str(&set_in);
            column = set_in.chars().count();
        } else if !fresh {
            out.push(' ');
            column += 1;
        }
        out.push_str(&styled(text, start..end, &line.marks, style));
        column += length;
        fresh = false;
        at = end;
    }
    out.push('\n');
}

/// A part of a line with its marks.
fn styled(text: &str, part: Range<usize>, marks: &[Range<usize>], style: Style) -> String {
    let mut out = String::new();
    let mut at = part.start;
    for mark in marks.iter().filter(|mark| mark.start >= part.start && mark.end <= part.end) {
        out.push_str(&clean(&text[at..mark.start]));
        out.push_str(&style.strong(&text[mark.clone()]));
        at = mark.end;
    }
    out.push_str(&clean(&text[at..part.end]));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, marked: &str, keeps_form: bool, colour: bool) -> String {
        let marks = text.match_indices(marked).map(|(at, found)| at..at + found.len()).collect();
        let line = ExcerptLine { text: text.to_owned(), marks, keeps_form };
        let mut out = String::new();
        push_lines(&mut out, &[line], "  ", Style { colour }, 24);
        out
    }

    #[test]
    fn form_is_kept_and_prose_goes_on_below() {
        let code = "    let retry = wait(now, then);";
        assert_eq!(shown(code, "retry", true, false), format!("  {code}\n"));
        assert_eq!(shown(code, "retry", true, true), "      let \x1b[1mretry\x1b[0m = wait(now, then);\n");
        let prose = "  - every retry waits for twice as long";
        assert_eq!(shown(prose, "retry", false, false), "    - every retry waits\n      for twice as long\n");
        assert_eq!(shown("a  \x1b[2Jb\u{202e}", "b", false, true), "  a  [2J\x1b[1mb\x1b[0m\n");
        assert_eq!(shown(" \t", "x", false, true), "\n");
    }
}
