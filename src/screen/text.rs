//! Text for a screen: cleaned as it is, folded to a line, or passed through the last gate.

use super::character::is_hidden;
use std::borrow::Cow;

/// The colours and the like that ever reach a terminal, as `render::Style` and the help of the argument parser write
/// them: the parameter of one escape sequence each.
pub const CODES: &[&str] = &["0", "1", "2", "4", "31", "32", "33", "36"];

/// Without hidden characters but tab and line feed. Carriage returns of line ends go with them.
pub fn clean(text: &str) -> Cow<'_, str> {
    let stays = |c: char| !is_hidden(c) || c == '\n' || c == '\t';
    if text.chars().all(stays) { Cow::Borrowed(text) } else { Cow::Owned(text.chars().filter(|c| stays(*c)).collect()) }
}

/// On one line: white space that ends a line or moves is a space, other hidden characters are gone. Nothing is cut.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !is_hidden(c) {
            out.push(c);
        } else if c.is_whitespace() && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    Cow::Owned(out)
}

/// At most `most` characters of a text; `…` stands for what is left out at its end, and counts.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(most.saturating_sub(1)).chain(['…']).collect()),
    }
}

/// What may go to a terminal of a text that is made of our own and of foreign words: everything that [`clean`] leaves,
/// and with `colour` the escape sequences of [`CODES`].
///
/// This is the last gate, for what was forgotten before it; foreign text that is put into a line goes through
/// [`line()`] or [`super::shown`] where that happens, since only there a line break can be told from one of ours.
pub fn terminal(text: &str, colour: bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && c != '\n' && c != '\t') {
        return Cow::Borrowed(text);
    }
    if !colour {
        return clean(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        out.push_str(&clean(&rest[..at]));
        let code = known(&rest[at..]);
        out.push_str(code);
        rest = &rest[at + code.len().max(1)..];
    }
    out.push_str(&clean(rest));
    Cow::Owned(out)
}

/// The known escape sequence that a text begins with; empty if there is none.
fn known(text: &str) -> &str {
    let rest = text.strip_prefix("\x1b[").unwrap_or_default();
    let is_next = |code: &&&str| rest.strip_prefix(**code).is_some_and(|rest| rest.starts_with('m'));
    CODES.iter().find(is_next).map_or("", |code| &text[..code.len() + 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn colours_of_ours_pass_and_nothing_else() {
        let text = "\x1b[1mtitle\x1b[0m\tx\n\x1b[35mpink\x1b[2J\x1b]0;t\x07\u{9b}1m\u{202e}\u{200b}\r\n\x1b[m\x1b";
        assert_eq!(terminal(text, true), "\x1b[1mtitle\x1b[0m\tx\n[35mpink[2J]0;t1m\n[m");
        assert_eq!(terminal(text, false), "[1mtitle[0m\tx\n[35mpink[2J]0;t1m\n[m");
        assert!(matches!(terminal("plain ß\n", false), Cow::Borrowed(_)));
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line("a.md:5\r\n  99 % sure\t!\u{2028}x\u{85}"), "a.md:5   99 % sure ! x");
        assert_eq!(line("\n\x1b[31ma\x1b[0m\n"), "[31ma[0m");
        assert_eq!(line("as it is  "), "as it is  ");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert!(matches!(cut("äbc", 3), Cow::Borrowed("äbc")));
        assert_eq!([cut("äbcd", 3), cut("ä bcd", 3), cut("ab", 0)], ["äb…", "ä …", "…"]);
    }

    proptest! {
        #[test]
        fn nothing_hidden_comes_through(text in "(\\PC|[\\x00-\\x1f\\x7f-\\x9f]|[\u{200b}-\u{202e}]|\x1b\\[(0|31|35)m){0,40}") {
            let is_bad = |c: char| is_hidden(c) && c != '\n' && c != '\t';
            prop_assert!(!clean(&text).chars().any(is_bad) && !terminal(&text, false).chars().any(is_bad));
            prop_assert!(!line(&text).chars().any(is_hidden));
            let mut rest = terminal(&text, true).into_owned();
            CODES.iter().for_each(|code| rest = rest.replace(&format!("\x1b[{code}m"), ""));
            prop_assert!(!rest.contains('\x1b'));
        }
    }
}
