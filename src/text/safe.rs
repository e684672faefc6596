//! Text from a hostile log made safe to show and to paste.
//!
//! A captured value ends up in a command that somebody pastes under stress. It is quoted for a shell, and a value
//! that could still change what the command does (a line break, a control or direction-changing character, a leading
//! dash that reads as an option) is not used at all.

use super::quote::one_word;
use crate::screen::{clean, cut, is_hidden};
use std::borrow::Cow;

/// One line for a terminal: white space runs folded, controls removed, cut to `max_chars` with an ellipsis.
pub fn single_line(text: &str, max_chars: usize) -> String {
    let folded: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&clean(&folded), max_chars).into_owned()
}

/// The value as one word of a shell, or `None` if it is not safe in any quoting: empty, over 512 bytes, with control or
/// hidden characters, or one for which the shells have no form in common (`text::quote`).
pub fn shell_quote(value: &str) -> Option<Cow<'_, str>> {
    if value.is_empty() || value.len() > 512 || value.starts_with('-') || value.chars().any(is_hidden) {
        return None;
    }
    one_word(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_only_what_needs_it() {
        assert_eq!(shell_quote("logs-prod").as_deref(), Some("logs-prod"));
        assert_eq!(shell_quote("$(rm -rf /)").as_deref(), Some("'$(rm -rf /)'"));
        assert_eq!(shell_quote("it's").as_deref(), Some("\"it's\""));
        for refused in ["", "--force", "a\nb", "a\u{1b}[2Jb", "a\u{202e}b", &"x".repeat(513)] {
            assert_eq!(shell_quote(refused), None, "{refused:?}");
        }
    }

    #[test]
    fn one_line_is_cut_and_clean() {
        assert_eq!(single_line("a\u{1b}[31m\n\tb", 20), "a[31m b");
        assert_eq!(single_line("abcdef", 4), "abc…");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// The referee is a real shell: what it reads back is the value, and nothing runs.
        #[test]
        fn a_shell_reads_back_the_value(value in "[ -~äß]{1,40}") {
            if let Some(quoted) = shell_quote(&value) {
                let printed = format!("printf %s {quoted}");
                let out = std::process::Command::new("sh").arg("-c").arg(printed).output().unwrap();
                prop_assert_eq!(String::from_utf8_lossy(&out.stdout), value.as_str());
            }
        }
    }
}
