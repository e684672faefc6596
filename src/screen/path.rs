//! How the name of a file is shown, and how it stands in JSON.
//!
//! A name may hold every byte but zero, so also a line break that makes a hit of the next line. A plain name is shown
//! as it is. Any other is written as the shells bash and zsh read it back: `$'a.md:5\n  99 % sure'`, with `\n` and the
//! like, `\xNN` for a byte, `\uNNNN` and `\UNNNNNNNN` for a character, `\\` and `\'`. That is unambiguous: a name that
//! holds a backslash and an `n` is plain, and one that begins with `$'` is no plain name.

use super::character::is_hidden;
use serde::{Serializer, ser::SerializeMap};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// A path for people: on one line, nothing in it hidden, never that of another file.
pub fn shown(path: &Path) -> Cow<'_, str> {
    match path.to_str() {
        Some(text) => shown_text(text),
        None => Cow::Owned(quoted(path.as_os_str().as_encoded_bytes(), false)),
    }
}

/// A path that is text already, as [`shown`].
pub fn shown_text(text: &str) -> Cow<'_, str> {
    if is_plain(text) { Cow::Borrowed(text) } else { Cow::Owned(quoted(text.as_bytes(), false)) }
}

/// A path between backticks: as [`shown`], and without backticks.
pub fn shown_in_code(text: &str) -> Cow<'_, str> {
    if is_plain(text) && !text.contains('`') { Cow::Borrowed(text) } else { Cow::Owned(quoted(text.as_bytes(), true)) }
}

fn is_plain(text: &str) -> bool {
    !text.chars().any(is_hidden)
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
        && !text.starts_with("$'")
}

fn quoted(bytes: &[u8], in_code: bool) -> String {
    let mut out = String::from("$'");
    for part in bytes.utf8_chunks() {
        for c in part.valid().chars() {
            // Writing to a string does not fail.
            let _ = match c {
                '\n' => out.write_str("\\n"),
                '\r' => out.write_str("\\r"),
                '\t' => out.write_str("\\t"),
                '\x1b' => out.write_str("\\e"),
                '\\' => out.write_str("\\\\"),
                '\'' => out.write_str("\\'"),
                '`' if in_code => out.write_str("\\x60"),
                c if is_hidden(c) && c.is_ascii() => write!(out, "\\x{:02x}", u32::from(c)),
                c if is_hidden(c) && u32::from(c) > 0xFFFF => write!(out, "\\U{:08x}", u32::from(c)),
                c if is_hidden(c) => write!(out, "\\u{:04x}", u32::from(c)),
                c => out.write_char(c),
            };
        }
        for byte in part.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('\'');
    out
}

/// The bytes of a path in lower-case hex; none where it is UTF-8, for then its text says all.
pub fn raw_hex(path: &Path) -> Option<String> {
    match path.to_str() {
        Some(_) => None,
        None => Some(path.as_os_str().as_encoded_bytes().iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}

/// Serialises a path as two fields of the object that it stands in: `path`, and `path_bytes` where it is not UTF-8.
///
/// # Errors
/// What the serialiser fails with.
pub fn path_fields<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    let mut fields = to.serialize_map(None)?;
    fields.serialize_entry("path", &path.to_string_lossy())?;
    if let Some(hex) = raw_hex(path) {
        fields.serialize_entry("path_bytes", &hex)?;
    }
    fields.end()
}

/// Serialises a path as text, whatever its bytes.
///
/// # Errors
/// What the serialiser fails with.
pub fn path_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn plain_names_stay_and_others_are_told_apart() {
        let cases = [
            ("docs/a.md", "docs/a.md"),
            ("it's a `name` – ü.md", "it's a `name` – ü.md"),
            (r"a\nb", r"a\nb"),
            ("a\nb", r"$'a\nb'"),
            ("a\\\nb", r"$'a\\\nb'"),
            (r"$'a\nb'", r"$'$\'a\\nb\''"),
            ("a.md:5\n  99 % sure", r"$'a.md:5\n  99 % sure'"),
            ("  99 % sure", "$'  99 % sure'"),
            ("a\x1b[31m\x07\u{9b}\u{202e}\u{e0041}", r"$'a\e[31m\x07\u009b\u202e\U000e0041'"),
        ];
        let mut seen = HashMap::new();
        for (name, expected) in cases {
            assert_eq!(shown_text(name), expected);
            assert_eq!(seen.insert(shown_text(name), name), None);
        }
        assert_eq!(shown_in_code("a`b"), r"$'a\x60b'");
        assert_eq!(shown_in_code("a b"), "a b");
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_shown_and_kept() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"\xffa\xe2\x80.md"));
        assert_eq!(shown(path), r"$'\xffa\xe2\x80.md'");
        assert_eq!(raw_hex(path).as_deref(), Some("ff61e2802e6d64"));
        assert_eq!(raw_hex(Path::new("ü")), None);
    }

    /// The referee is a real shell: what it reads back is the name.
    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_the_name() {
        use std::os::unix::ffi::OsStrExt;
        let names: [&[u8]; 4] = [
            b"a.md:5\n  99 % sure",
            b"\x1b[31m'\\\xff\xfe\x07\r\t`$(touch pwned)`",
            "\u{9b}\u{202e}\u{200b}\u{e0041}0".as_bytes(),
            b"$'x'",
        ];
        for name in names {
            let word = shown(Path::new(std::ffi::OsStr::from_bytes(name))).into_owned();
            let out = std::process::Command::new("bash")
                .env("LC_ALL", "C.UTF-8")
                .args(["-c", &format!("printf %s {word}")])
                .output();
            let out = out.unwrap_or_else(|error| panic!("bash: {error}"));
            assert_eq!(out.stdout, name, "{word}");
        }
    }
}
