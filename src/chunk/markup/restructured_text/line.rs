//! What single lines mean in reStructuredText, given at most the line below.
//!
//! After the docutils specification ("reStructuredText Markup Specification"), without what only matters for output.
//! Where a construct ends is decided in the module above.

use crate::chunk::markup::line::Line;

/// What a line at the start of a block opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// `.. name:: ...`, also as the definition of a substitution.
    Directive,
    /// A comment, link target, footnote or citation.
    Remark,
    /// An item of a list; another bullet is another list.
    Bullet(char),
    Enumerated,
    Field,
    Option,
    /// A term: the line below is indented deeper.
    Term,
    /// `| ` keeps its line breaks.
    LineBlock,
    /// `>>> ` up to an empty line.
    Doctest,
    GridTable,
    SimpleTable,
    /// A row of one punctuation character.
    Adornment(char),
    Paragraph,
}

/// What this line opens, with the line below it.
pub(super) fn kind(line: &Line, below: Option<&Line>) -> Opening {
    let text = line.text.trim();
    let deeper = below.is_some_and(|below| !below.is_blank() && below.indent() > line.indent());
    if let Some(rest) = marked(text, "..") {
        return if is_directive(rest) { Opening::Directive } else { Opening::Remark };
    }
    if let Some(bullet) = text.chars().next().filter(|c| "-+*•‣⁃".contains(*c))
        && text[bullet.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
    {
        return Opening::Bullet(bullet);
    }
    match text {
        _ if is_enumerated(line, below) => Opening::Enumerated,

        _ if is_field(text) => Opening::Field,
        _ if is_option(text) => Opening::Option,
        _ if marked(text, ">>>").is_some() => Opening::Doctest,
        _ if marked(text, "|").is_some() => Opening::LineBlock,
        _ if is_grid_border(text) => Opening::GridTable,
        _ if is_simple_border(text) && text.contains(' ') => Opening::SimpleTable,
        _ => match adornment(text) {
            Some(mark) => Opening::Adornment(mark),
            None if deeper => Opening::Term,
            None => Opening::Paragraph,
        },
    }
}

/// What follows this mark, if white space or nothing is between.
fn marked<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.strip_prefix(mark).filter(|rest| rest.chars().next().is_none_or(char::is_whitespace))
}

/// The character of a row that may stand under or over a title; `::` and `..` mean something else.
pub(super) fn adornment(text: &str) -> Option<char> {
    let text = text.trim_end();
    let mark = text.chars().next().filter(char::is_ascii_punctuation)?;
    (text != "::" && text != ".." && text.chars().all(|c| c == mark)).then_some(mark)
}

/// Whether the row is long enough for its title. From four on docutils takes a row that is too short.
pub(super) fn is_row_for(row: &str, title: &str) -> bool {
    row.trim_end().len() >= title.trim().chars().take(4).count()
}

/// A border of a simple table: `=` and spaces.
pub(super) fn is_simple_border(text: &str) -> bool {
    text.starts_with('=') && text.bytes().all(|byte| byte == b'=' || byte == b' ')
}

/// The top of a grid table.
fn is_grid_border(text: &str) -> bool {
    text.len() >= 5
        && text.starts_with("+-")
        && text.ends_with("-+")
        && text.bytes().all(|byte| byte == b'-' || byte == b'+')
}

/// Whether what follows `..` is a directive: a name of single-separated words before `::`.
fn is_directive(rest: &str) -> bool {
    let rest = rest.trim();
    let rest = match rest.strip_prefix('|').and_then(|rest| rest.split_once('|')) {
        Some((_, directive)) => directive.trim_start(),
        None => rest,
    };
    let name = rest.split_once("::").map_or("", |(name, _)| name.trim_end());
    !name.is_empty() && !name.starts_with('_') && name.chars().all(|c| c.is_alphanumeric() || "-_+:.".contains(c))
}

/// Directives that describe a thing, without the domain before them (Sphinx, "Domains"; Django's own among them).
const DESCRIBES: [&str; 38] = [
    "attribute",
    "class",
    "classmethod",
    "cmdoption",
    "command",
    "confval",
    "data",
    "decorator",
    "describe",
    "directive",
    "django-admin",
    "django-admin-option",
    "enum",
    "enumerator",
    "envvar",
    "event",
    "exception",
    "fieldlookup",
    "function",
    "macro",
    "member",
    "method",
    "module-attribute",
    "namespace",
    "object",
    "option",
    "program-option",
    "property",
    "role",
    "setting",
    "signal",
    "staticmethod",
    "struct",
    "templatefilter",
    "templatetag",
    "type",
    "union",
    "var",
];

/// The name of what a line describes: `Retry.delay` of `.. py:attribute:: Retry.delay`.
pub(super) fn described(line: &str) -> Option<&str> {
    let (directive, name) = marked(line.trim(), "..")?.trim().split_once("::")?;
    let plain = directive.trim().rsplit(':').next().unwrap_or_default();
    let name = name.trim();
    (DESCRIBES.binary_search(&plain).is_ok() && !name.is_empty()).then_some(name)
}

/// Whether the line has an enumerator: `1.`, `(a)`, `iv)`, `#.`.
fn enumerator(text: &str) -> bool {
    let (open, inside) = text.strip_prefix('(').map_or((false, text), |inside| (true, inside));
    let Some(end) = inside.bytes().take(12).position(|byte| byte == b'.' || byte == b')') else { return false };
    let name = &inside.as_bytes()[..end];
    let after = &inside.as_bytes()[end..];
    let is_name = match name {
        [] => false,
        [only] => only.is_ascii_alphanumeric() || *only == b'#',
        _ => {
            name.iter().all(u8::is_ascii_digit)
                // Longer Roman numbers look like words ("mix.").
                || name.iter().all(|byte| b"ivx".contains(byte))
                || name.iter().all(|byte| b"IVX".contains(byte))
        }
    };
    is_name && !(open && after[0] != b')') && after.get(1).is_none_or(u8::is_ascii_whitespace)
}

/// Whether the line opens an item of an enumerated list: what follows must be an item as well, indented or empty, or
/// it is a paragraph, or a title such as "1. Setup".
fn is_enumerated(line: &Line, below: Option<&Line>) -> bool {
    let fits = |below: &Line| below.is_blank() || below.indent() > line.indent() || enumerator(below.text.trim_start());
    enumerator(line.text.trim_start()) && below.is_none_or(fits)
}

/// Whether the line is a field: `:name: body`. A role (``:mod:`x` ``) is none.
fn is_field(text: &str) -> bool {
    let Some(name) = text.strip_prefix(':').filter(|name| !name.starts_with([':', ' '])) else { return false };
    let bytes = name.as_bytes();
    let colon =
        |(at, byte): (usize, &u8)| *byte == b':' && matches!(bytes.get(at + 1), None | Some(b' ' | b'\t' | b'`'));
    let close = bytes.iter().enumerate().position(colon);
    close.is_some_and(|at| at > 0 && bytes[at - 1] != b' ' && bytes.get(at + 1) != Some(&b'`'))
}

/// Whether the line is an item of an option list: options alone or two spaces before their description.
fn is_option(text: &str) -> bool {
    let head = text.split_once("  ").map_or(text, |(head, _)| head);
    head.starts_with('-')
        && head.len() <= 200
        && head.split(", ").all(|option| {
            let name = option.strip_prefix("--").or_else(|| option.strip_prefix('-')).unwrap_or_default();
            name.starts_with(|c: char| c.is_ascii_alphanumeric()) && option.split(' ').count() <= 2
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_open_what_they_open() {
        let cases = [
            (".. note::", Opening::Directive),
            (".. code-block:: rust", Opening::Directive),
            (".. py:method:: a.b(c)", Opening::Directive),
            (".. |v| replace:: 1", Opening::Directive),
            ("..", Opening::Remark),
            (".. a comment", Opening::Remark),
            (".. so:: it goes", Opening::Directive),
            (".. see also:: this", Opening::Remark),
            (".. _target:", Opening::Remark),
            (".. _std::vec: https://x.y", Opening::Remark),
            (".. [1] A note.", Opening::Remark),
            ("- item", Opening::Bullet('-')),
            ("*", Opening::Bullet('*')),
            ("• item", Opening::Bullet('•')),
            ("*emphasis* first", Opening::Paragraph),
            ("1. one", Opening::Enumerated),
            ("(a) one", Opening::Enumerated),
            ("iv) four", Opening::Enumerated),
            ("#. next", Opening::Enumerated),
            ("(1. no", Opening::Paragraph),
            ("mix. no", Opening::Paragraph),
            ("1.5 no", Opening::Paragraph),
            (":param x: the x", Opening::Field),
            (":orphan:", Opening::Field),
            (":mod:`email` package", Opening::Paragraph),
            (":: no", Opening::Paragraph),
            ("-v", Opening::Option),
            ("-o FILE, --out FILE  the file", Opening::Option),
            ("-1 is less than 0", Opening::Paragraph),
            (">>> 1 + 1", Opening::Doctest),
            ("| a line", Opening::LineBlock),
            ("|sub| text", Opening::Paragraph),
            ("+---+---+", Opening::GridTable),
            ("=== ===", Opening::SimpleTable),
            ("=======", Opening::Adornment('=')),
            ("...", Opening::Adornment('.')),
            ("::", Opening::Paragraph),
            ("Text.", Opening::Paragraph),
        ];
        for (text, wanted) in cases {
            let line = Line { start: 0, end: text.len(), next: text.len(), text };
            assert_eq!(kind(&line, None), wanted, "{text:?}");
        }
    }

    #[test]
    fn the_line_below_decides() {
        let at = |text| Line { start: 0, end: 0, next: 0, text };
        assert_eq!(kind(&at("term"), Some(&at("  what it is"))), Opening::Term);
        assert_eq!(kind(&at("1. Setup"), Some(&at("--------"))), Opening::Paragraph);
        assert_eq!(kind(&at("1. Setup"), Some(&at("2. Run"))), Opening::Enumerated);
        assert_eq!(kind(&at("A. Person wrote"), Some(&at("this."))), Opening::Paragraph);
        assert!(is_row_for("==", "ab") && !is_row_for("==", "abc") && is_row_for("====", "longer"));
    }
}
