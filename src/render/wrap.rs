//! Words into lines.

use crate::screen::clean;

/// Breaks `text` at white space into lines of at most `width` characters, the first after `first`, the others after
/// `rest`; both prefixes count. A word that is too long stands alone; text between backticks is never broken, so that
/// a command can be copied, and where it has line breaks of its own its lines begin with `rest`. Hidden characters are
/// left out.
pub fn wrap(text: &str, first: &str, rest: &str, width: usize) -> String {
    let mut out = String::from(first);
    let mut column = first.chars().count();
    let mut fresh = true;
    let text = clean(text);
    for word in words(&text) {
        let length = word.chars().count();
        if !fresh && column + 1 + length > width {
            out.push('\n');
            out.push_str(rest);
            column = rest.chars().count();
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            column += 1;
        }
        match word.rsplit_once('\n') {
            // A command of several lines: none of them begins where a line of ours does.
            Some((_, last)) => {
                out.push_str(&word.replace('\n', &format!("\n{rest}")));
                column = rest.chars().count() + last.chars().count();
            }
            None => {
                out.push_str(word);
                column += length;
            }
        }
        fresh = false;
    }
    out.push('\n');
    out
}

/// Words at white space, a span in backticks being one.
fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut quoted) = (None, false);
    for (at, c) in text.char_indices() {
        quoted ^= c == '`';
        if c.is_whitespace() && !quoted {
            out.extend(start.take().map(|from: usize| &text[from..at]));
        } else {
            start.get_or_insert(at);
        }
    }
    // A lone backtick quotes nothing.
    match start {
        Some(from) if quoted => out.extend(text[from..].split_whitespace()),
        Some(from) => out.push(&text[from..]),
        None => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_within_the_width_and_commands_whole() {
        assert_eq!(wrap("aa bb cc", "1. ", "   ", 8), "1. aa bb\n   cc\n");
        assert_eq!(wrap("run `a b c` now", "", "", 6), "run\n`a b c`\nnow\n");
        assert_eq!(wrap("it`s a b", "", "", 4), "it`s\na b\n");
    }

    #[test]
    fn a_command_of_several_lines_is_set_in() {
        assert_eq!(wrap("run `a\n99 % sure` b", "1. ", "   ", 40), "1. run `a\n   99 % sure` b\n");
        assert_eq!(wrap("a\n\x1b[31mb\u{202e}", "", "  ", 40), "a [31mb\n");
    }
}
