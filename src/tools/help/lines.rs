//! The lines of a help text, in sections by its headings.

use crate::screen;

/// Longest line that is read, in characters, and most lines.
const LINE: usize = 2_000;
const LINES: usize = 20_000;
/// Most words of a heading.
const HEADING: usize = 12;
/// Longest name of a command, in bytes.
const NAME: usize = 60;

/// What a section is about, by its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text before the first heading, or between usage and lists.
    Lead,
    /// A description under its own heading.
    About,
    /// How the program is called.
    Usage,
    /// Subcommands.
    Commands,
    /// Examples, whose lines are no entries.
    Examples,
    /// Options, and all else: a line that begins with a dash is an option anywhere.
    Other,
}

/// A line: its indent, in columns, and its text without white space around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    pub indent: usize,
    pub text: &'t str,
}

/// Lines under one heading.
#[derive(Debug)]
pub(super) struct Section<'t> {
    pub kind: Kind,
    pub lines: Vec<Line<'t>>,
}

impl Section<'_> {
    /// The forms of a call, without the names of the program and of its subcommand.
    pub(super) fn forms(&self, words: &[&str]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        if self.kind != Kind::Usage {
            return out;
        }
        for line in &self.lines {
            let is_other = line.text.starts_with("or:");
            let text = line.text.trim_start_matches("or:").trim();
            let is_form = is_other || out.is_empty() || is_led(text, words);
            if text.is_empty() {
            } else if is_form {
                // The program may be called by its path.
                let mut rest = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
                for word in words.iter().skip(1) {
                    rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
                }
                out.push(rest.to_owned());
            } else if let Some(last) = out.last_mut() {
                last.push(' ');
                last.push_str(text);
            }
        }
        out
    }
}

/// Whether a text begins with the program.
fn is_led(text: &str, words: &[&str]) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    words.first().is_some_and(|program| first == *program || first.rsplit('/').next() == Some(program))
}

/// The text as a terminal shows it: without colours and overprinted letters, and with spaces for tabs.
pub(super) fn plain(text: &str) -> String {
    // Manual pages print a letter over itself to make it bold.
    let mut printed = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter != '\u{8}' {
            printed.push(letter);
        } else if printed.ends_with(|before| before != '\n') {
            printed.pop();
        }
    }
    let mut out = String::with_capacity(printed.len());
    for line in anstream::adapter::strip_str(&printed).to_string().lines().take(LINES) {
        let (mut shown, mut count) = (String::new(), 0);
        for letter in line.chars().take(LINE) {
            let width = if letter == '\t' { 8 - count % 8 } else { 1 };
            match letter {
                '\t' => shown.extend(std::iter::repeat_n(' ', width)),
                _ => shown.push(letter),
            }
            count += width;
        }
        out.push_str(screen::clean(&shown).trim_end());
        out.push('\n');
    }
    out
}

/// Cuts a text at its headings.
pub(super) fn sections<'t>(text: &'t str, words: &[&str]) -> Vec<Section<'t>> {
    let lines: Vec<Line<'t>> = text
        .lines()
        .map(|line| {
            let text = line.trim_start();
            Line { indent: line.chars().count() - text.chars().count(), text: text.trim_end() }
        })
        .collect();
    let mut out = vec![Section { kind: Kind::Lead, lines: Vec::new() }];
    for (at, line) in lines.iter().enumerate() {
        let kind = out.last().map_or(Kind::Lead, |section| section.kind);
        let has_lines = out.last().is_some_and(|section| section.lines.iter().any(|line| !line.text.is_empty()));
        let next = lines.get(at + 1).filter(|next| !next.text.is_empty());
        let is_inside = kind == Kind::About && line.indent > 0;
        if let Some((kind, rest)) = heading(line, next).filter(|_| !is_inside) {
            let first = (!rest.is_empty()).then_some(Line { indent: line.indent, text: rest });
            out.push(Section { kind, lines: first.into_iter().collect() });
            continue;
        }
        let opens_form = kind == Kind::Lead && is_led(line.text, words) && {
            let rest = line.text.split_once(' ').map_or("", |(_, rest)| rest);
            rest.starts_with(['[', '<']) && gap(rest).is_none()
        };
        let kind = match kind {
            Kind::Usage if has_lines && line.text.is_empty() => Some(Kind::Lead),
            Kind::Usage if has_lines && !continues(line, words) => Some(Kind::Lead),
            Kind::Lead if opens_form => Some(Kind::Usage),
            // Among commands a line without indent begins a group of them, or ends the list.
            Kind::Commands
                if line.indent == 0
                    && has_lines_indented(&out)
                    && !line.text.is_empty()
                    && next.is_none_or(|next| next.indent == 0) =>
            {
                Some(Kind::Other)
            }
            _ => None,
        };
        if let Some(kind) = kind {
            out.push(Section { kind, lines: Vec::new() });
        }
        if let Some(section) = out.last_mut() {
            section.lines.push(*line);
        }
    }
    out
}

fn has_lines_indented(sections: &[Section<'_>]) -> bool {
    sections.last().is_some_and(|section| section.lines.iter().any(|line| line.indent > 0))
}

/// Whether a line goes on with a form of usage, or is another one.
fn continues(line: &Line<'_>, words: &[&str]) -> bool {
    line.text.starts_with("or:")
        || is_led(line.text, words)
        || line.indent > 0 && (line.text.starts_with(['[', '<', '(', '{', '|']) || !line.text.contains(' '))
}

/// What kind of section a heading begins, and the rest of its line.
fn heading<'t>(line: &Line<'t>, next: Option<&Line<'_>>) -> Option<(Kind, &'t str)> {
    let text = line.text;
    let lower = text.to_lowercase();
    for usage in ["usage:", "syntax:"] {
        if lower.starts_with(usage) {
            return Some((Kind::Usage, text[usage.len()..].trim()));
        }
        if lower.ends_with(usage) {
            return Some((Kind::Usage, ""));
        }
    }
    if text.is_empty() || text.starts_with('-') || text.starts_with('[') || gap(text).is_some() {
        return None;
    }
    let without = lower.split(" (").next().unwrap_or_default();
    let words = without.split_whitespace().count();
    let has_colon = text.ends_with(':');
    let is_upper = line.indent == 0 && words <= 4 && text.len() > 2 && !text.chars().any(char::is_lowercase);
    let names_commands = line.indent == 0 && words <= 4 && without.ends_with("commands") && next.is_some();
    if !(has_colon || is_upper || names_commands) || words > HEADING {
        return None;
    }
    let has = |wanted: &[&str]| {
        let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
        words.any(|word| wanted.contains(&word.trim_end_matches('s')))
    };
    let kind = if has(&["example"]) {
        Kind::Examples
    } else if has(&["usage", "synopsi"]) {
        Kind::Usage
    } else if has(&["option", "flag"]) {
        Kind::Other
    } else if has(&["command", "subcommand"]) {
        Kind::Commands
    } else if has(&["description", "name"]) && words == 1 {
        Kind::About
    } else {
        Kind::Other
    };
    Some((kind, ""))
}

/// Whether a word could be the name of a command.
pub(super) fn is_name(word: &str) -> bool {
    let may_stand = |letter: char| letter.is_ascii_alphanumeric() || "-_.:+".contains(letter);
    word.len() <= NAME
        && word.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && word.ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '+')
        && word.chars().all(may_stand)
}

/// Splits a text at its first gap of two spaces or more. A gap after a comma does not count.
pub(super) fn gap(text: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find("  ").map(|at| at + from) {
        let (head, rest) = (&text[..at], text[at..].trim_start());
        if !head.ends_with(',') {
            return (!rest.is_empty() && !head.is_empty()).then_some((head, rest));
        }
        from = text.len() - rest.len();
    }
    None
}

/// The column in which most descriptions of a list begin.
pub(super) fn column(lines: &[Line<'_>], is_entry: impl Fn(&Line<'_>) -> bool) -> Option<usize> {
    let mut counts: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
    for line in lines.iter().filter(|line| is_entry(line)) {
        if let Some((_, says)) = gap(line.text) {
            let before = line.text.chars().count() - says.chars().count();
            *counts.entry(line.indent + before).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(column, _)| column)
}

/// The head and the description of an entry. They are parted by a gap, or else by the column of the list's
/// descriptions, which a long head may reach.
pub(super) fn split<'t>(line: &Line<'t>, column: Option<usize>) -> Option<(&'t str, &'t str)> {
    gap(line.text).or_else(|| {
        let at = column?.checked_sub(line.indent)?;
        let (byte, _) = line.text.char_indices().nth(at)?;
        let (head, says) = line.text.split_at(byte);
        (head.ends_with(' ') && !says.starts_with(' ')).then(|| (head.trim_end(), says))
    })
}
