//! Lines of a text as they stand, with the words of the question set off. Code and tables keep their form; prose that is
//! wider than the screen goes on below.

use super::style::Style;
use crate::screen::clean;
use crate::types::{Excerpt, ExcerptLine};
use std::ops::Range;

/// Marks of items, below whose text the text goes on.
const ITEMS: &[&str] = &["- ", "* ", "+ ", "> "];

/// A line of so many characters was broken where it was full, and not to begin something new.
const FULL: usize = 60;

/// What stands for the rest of a sentence.
const CUT: &str = "…";

/// The lines, each behind `indent`, so that none of them begins where a line of ours does.
pub(super) fn push_excerpt(out: &mut String, excerpt: &Excerpt, indent: &str, style: Style, width: usize) {
    let mut lines = excerpt.lines.clone();
    if let Some(first) = lines.first_mut().filter(|_| excerpt.cut_before) {
        let lead = first.text.len() - first.text.trim_start().len();
        let mark = format!("{CUT} ");
        first.text.insert_str(lead, &mark);
        first.marks.iter_mut().for_each(|marked| *marked = marked.start + mark.len()..marked.end + mark.len());
    }
    if let Some(last) = lines.last_mut().filter(|_| excerpt.cut_behind) {
        last.text.truncate(last.text.trim_end().len());
        last.text.push_str(&format!(" {CUT}"));
    }
    for line in &flowing(lines, width.saturating_sub(indent.len())) {
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

/// Lines of a paragraph that was broken for a wider screen as one line, so that no word stands alone on the next one.
fn flowing(lines: Vec<ExcerptLine>, width: usize) -> Vec<ExcerptLine> {
    let chars = |line: &ExcerptLine| line.text.trim_end().chars().count();
    let mut out: Vec<ExcerptLine> = Vec::new();
    let mut rest = lines.into_iter().peekable();
    while let Some(line) = rest.next() {
        let mut paragraph = vec![line];
        while let Some(next) = rest.next_if(|next| paragraph.last().is_some_and(|last| goes_on(last, next))) {
            paragraph.push(next);
        }
        if paragraph.iter().any(|line| chars(line) > width) {
            out.extend(paragraph.into_iter().reduce(joined));
        } else {
            out.append(&mut paragraph);
        }
    }
    out
}

/// Whether a line was broken because it was full.
fn goes_on(line: &ExcerptLine, next: &ExcerptLine) -> bool {
    let is_full = line.text.trim_end().chars().count() >= FULL;
    let (said, next_said) = (line.text.as_str(), next.text.trim_start());
    let breaks = said.ends_with("  ") || said.ends_with('\\') || said.trim_start().starts_with('#');
    let number = next_said.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.starts_with(". ") || number.starts_with(") ");
    let begins =
        numbered || next_said.starts_with(['#', '|', '<']) || ITEMS.iter().any(|mark| next_said.starts_with(mark));
    is_full && !breaks && !begins && !next_said.is_empty() && !line.keeps_form && !next.keeps_form
}

fn joined(mut line: ExcerptLine, next: ExcerptLine) -> ExcerptLine {
    line.text.truncate(line.text.trim_end().len());
    line.text.push(' ');
    let lead = next.text.len() - next.text.trim_start().len();
    let at = line.text.len();
    line.text.push_str(&next.text[lead..]);
    line.marks.extend(next.marks.into_iter().map(|mark| mark.start - lead + at..mark.end - lead + at));
    line
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
        let excerpt = Excerpt { lines: vec![line], ..Excerpt::default() };
        push_excerpt(&mut out, &excerpt, "  ", Style { colour, ..Style::default() }, 24);
        out
    }

    #[test]
    fn a_sentence_that_is_cut_has_a_mark_at_that_end() {
        let line = |text: &str| ExcerptLine {
            text: text.to_owned(),
            marks: std::iter::once(1..3).collect(),
            keeps_form: false,
        };
        let mut excerpt = Excerpt { lines: vec![line(" of it")], cut_before: true, ..Excerpt::default() };
        let shown = |excerpt: &Excerpt| {
            let mut out = String::new();
            push_excerpt(&mut out, excerpt, "", Style { colour: true, ..Style::default() }, 24);
            out
        };
        assert_eq!(shown(&excerpt), " … \x1b[1mof\x1b[0m it\n");
        excerpt.cut_behind = true;
        assert_eq!(shown(&excerpt), " … \x1b[1mof\x1b[0m it …\n");
        excerpt = Excerpt { lines: vec![line(" of it  "), line(" so on ")], cut_before: false, ..excerpt };
        assert_eq!(shown(&excerpt), " \x1b[1mof\x1b[0m it\n \x1b[1mso\x1b[0m on …\n");
    }

    #[test]
    fn a_paragraph_that_was_broken_for_a_wider_screen_is_broken_anew() {
        let wide = "When it is full, whoever asks for one more connection waits for one";
        let lines = |texts: &[&str], keeps_form: bool| -> Vec<ExcerptLine> {
            let marks = |text: &str| text.match_indices("pool").map(|(at, word)| at..at + word.len()).collect();
            let line = |text: &&str| ExcerptLine { marks: marks(text), text: (*text).to_owned(), keeps_form };
            texts.iter().map(line).collect()
        };
        let shown = |texts: &[&str], keeps_form: bool, width: usize| {
            let excerpt = Excerpt { lines: lines(texts, keeps_form), ..Excerpt::default() };
            let mut out = String::new();
            push_excerpt(&mut out, &excerpt, "  ", Style::default(), width);
            out
        };
        let text = [wide, "  of the pool."];
        let anew = "  When it is full, whoever asks for one more connection waits\n  for one of the pool.\n";
        assert_eq!(shown(&text, false, 62), anew);
        assert_eq!(shown(&text, false, 80), format!("  {wide}\n    of the pool.\n"), "it fits as it is");
        assert_eq!(shown(&text, true, 62), format!("  {wide}\n    of the pool.\n"), "it keeps its form");
        let item = shown(&[wide, "- of the pool"], false, 62);
        assert!(item.ends_with("\n  for one\n  - of the pool\n"), "what begins anew stays: {item}");
        // Words of the question stay what they are.
        let all = flowing(lines(&text, false), 40);
        assert_eq!((all.len(), &all[0].text[all[0].marks[0].clone()]), (1, "pool"));
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
