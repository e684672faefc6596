//! Which failures are of one kind, and which inputs: the text without the names that differ from one time to the next.
//!
//! A row's fingerprint keeps quoted names; this replaces them. So two unknown columns are one kind of failure, and what
//! helped with one can help with the other.

use crate::text::{headline, mask, pattern, sha256_hex, shape};
use regex::Regex;
use std::sync::LazyLock;

/// Longest kind, in characters: a message is told from others by how it begins.
const MAX_CHARS: usize = 160;

/// Quoted names. An apostrophe within a word opens nothing.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x) (?P<before>^|[^\w])
           (?: '[^'\n]*' | "[^"\n]*" | `[^`'\n]*[`'] | ‘[^’\n]*’ | “[^”\n]*” )"#,
    )
});

/// A whole path or file name. Masks alone would leave parts of it, which differ from one time to the next.
static PATHS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
          (?:\b[A-Za-z]:\\|~/|\.{1,2}/|/)?(?:[\w.@+*~-]+[/\\])+[\w.@+*~-]*
        | /[\w.@+*~-]+
        | \b[\w-]+\.[a-z][a-z0-9]{0,4}\b",
    )
});

/// What messages of one kind have in common: the telling line in lower case, with what varies replaced. Empty if
/// nothing was printed.
pub fn error_kind(error: &str) -> String {
    let lines: Vec<&str> = error.lines().collect();
    let line = headline(&lines);
    let quoted = QUOTED.replace_all(&line, "$before<q>");
    let paths = PATHS.replace_all(&quoted, "<path>");
    shape(&mask(&paths)).to_lowercase().chars().take(MAX_CHARS).collect()
}

/// The same with the names that the message quotes.
pub fn named_kind(error: &str) -> String {
    let lines: Vec<&str> = error.lines().collect();
    shape(&mask(&headline(&lines))).to_lowercase().chars().take(MAX_CHARS).collect()
}

/// A kind as it is compared and stored: 16 hex digits.
pub fn kind_fingerprint(kind: &str) -> String {
    sha256_hex(kind.as_bytes())[..16].to_owned()
}

/// What inputs of one form have in common: quoted texts, paths, numbers and addresses replaced.
pub fn masked_input(input: &str) -> String {
    let quoted = QUOTED.replace_all(input, "$before<q>");
    let paths = PATHS.replace_all(&quoted, "<path>");
    let masked = shape(&mask(&paths));
    masked.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::{error_kind, kind_fingerprint, masked_input, named_kind};

    #[test]
    fn names_are_no_part_of_a_kind() {
        for (a, b) in [
            ("Unknown column 'a' in 'field list'", "Unknown column 'b' in 'where clause'"),
            ("ls: cannot access '/a': No such file", "ls: cannot access '/b/c.txt': No such file"),
            ("cat: /a/b.txt: Permission denied", "cat: x/y.md: Permission denied"),
            ("Traceback (most recent call last):\n  x\nKeyError: 'a'", "KeyError: 'b'"),
        ] {
            assert_eq!(error_kind(a), error_kind(b));
            assert_eq!(kind_fingerprint(&error_kind(a)), kind_fingerprint(&error_kind(b)));
        }
        assert_ne!(error_kind("exit status 1"), error_kind("no such file"));
        assert_ne!(named_kind("no module named 'a'"), named_kind("no module named 'b'"));
        assert!(error_kind("Table 'a.b' doesn't exist").contains("doesn't exist"));
    }

    #[test]
    fn inputs_of_one_form_are_equal() {
        assert_eq!(masked_input("mkdir -p /a/b"), masked_input("mkdir  -p /c"));
        assert_ne!(masked_input("mkdir -p /a/b"), masked_input("mkdir /a/b"));
    }
}
