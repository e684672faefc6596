//! One word for any shell.
//!
//! Nobody knows where a command is pasted: sh, bash, zsh, fish, PowerShell, or the prompt of Windows. Their quotes
//! agree on little: `'it'\''s'` is one word in sh and ends a string in PowerShell, a backslash before a quote is text
//! in sh and an escape in fish, `'` means nothing to cmd.exe. What is written here is read as the same word by all of
//! the first five (but that fish halves a doubled backslash), and runs nothing in cmd.exe (which may take a word in
//! single quotes for several). A value for which there is no such form is not written. Escapes are not used at all,
//! so a value never ends its own quotes.

use std::borrow::Cow;

/// Characters that PowerShell takes for a single quote.
const SINGLE: &[char] = &['\'', '\u{2018}', '\u{2019}', '\u{201A}', '\u{201B}'];
/// Characters that PowerShell takes for a double quote.
const DOUBLE: &[char] = &['"', '\u{201C}', '\u{201D}', '\u{201E}'];

/// The value as one word: bare, in single quotes or in double quotes. `None` if no form holds it, or if a program would
/// take it for an option, a file of options or a command of its own (`-x`, `@file`, `+cmd`).
pub(super) fn one_word(value: &str) -> Option<Cow<'_, str>> {
    // Steps of a fix mark commands with backticks: one in a value would end the command there.
    if leads_astray(value) || value.contains('`') || names_a_variable(value) {
        return None;
    }
    if value.chars().all(|c| c.is_ascii_alphanumeric() || "_./:@%+-".contains(c)) && !value.starts_with(['@', '%']) {
        return Some(Cow::Borrowed(value));
    }
    // cmd.exe knows double quotes only, and acts on these outside of them.
    let for_windows = value.contains(['&', '|', '<', '>', '^']);
    if !for_windows && !value.contains(SINGLE) && !value.ends_with('\\') {
        return Some(Cow::Owned(format!("'{value}'")));
    }
    if !value.contains(DOUBLE) && !value.contains(['$', '\\', '!', '%']) {
        return Some(Cow::Owned(format!("\"{value}\"")));
    }
    None
}

/// Whether its beginning means something to programs: dashes (PowerShell knows several), `+` (vim, less and dig obey
/// it), and `@` but for a package with a scope (curl and compilers read a file of that name).
fn leads_astray(value: &str) -> bool {
    match value.chars().next() {
        Some('-' | '+' | '\u{2010}'..='\u{2015}' | '\u{2212}') => true,
        Some('@') => !value[1..].split_once('/').is_some_and(|(scope, name)| {
            let named = |c: char| c.is_ascii_alphanumeric() || "._~-".contains(c);
            !scope.is_empty() && !name.is_empty() && scope.chars().all(named)
        }),
        _ => false,
    }
}

/// Whether cmd.exe might see `%NAME%`. It replaces that within quotes too. What is escaped for an address (`%20`) is
/// fine.
fn names_a_variable(value: &str) -> bool {
    let escape = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    value.matches('%').count() > 1 && !value.split('%').skip(1).all(escape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_one_that_all_shells_read_alike() {
        for (value, word) in [
            ("a/b:1.2_x@y+z-1", "a/b:1.2_x@y+z-1"),
            ("a%20b%2Fc", "a%20b%2Fc"),
            ("a b", "'a b'"),
            ("a,b", "'a,b'"),
            ("=ls", "'=ls'"),
            ("~root", "'~root'"),
            ("%1", "'%1'"),
            ("Foo$Bar", "'Foo$Bar'"),
            ("C:\\x y", "'C:\\x y'"),
            ("say \"hi\"!", "'say \"hi\"!'"),
            ("it's", "\"it's\""),
            ("a && b", "\"a && b\""),
            ("Vec<T>", "\"Vec<T>\""),
            ("@types/node", "'@types/node'"),
        ] {
            assert_eq!(one_word(value).as_deref(), Some(word));
        }
    }

    #[test]
    fn what_some_shell_or_program_would_obey_is_not_written() {
        let refused = [
            "-rf",
            "+!touch x",
            "@/etc/passwd",
            "@",
            "@x",
            "–x",
            "a`b",
            "it's $HOME",
            "a' & \"b\"",
            "$(x) & y",
            "a\\",
            "%A%",
            "x' \\",
            "‘x’ $y",
            "it's 5%",
            "it's!",
        ];
        for value in refused {
            assert_eq!(one_word(value), None, "{value:?}");
        }
    }
}
