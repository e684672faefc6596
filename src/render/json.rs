//! JSON for programs that may all the same land on a terminal: whatever moves or hides there is escaped, so that
//! nothing is lost and nothing is raw.

use crate::screen::{is_hidden, raw_hex};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};
use std::path::Path;

/// One JSON value on one line, ended by a line feed.
pub fn json_line(value: &impl Serialize) -> String {
    // Plain data with string keys cannot fail to serialise.
    let mut text = json(value).unwrap_or_else(|e| format!("{{\"error\":{{\"message\":\"{e}\"}}}}"));
    text.push('\n');
    text
}

/// One JSON value on one line. Hidden characters stand as `\uNNNN`, those beyond U+FFFF as two.
///
/// # Errors
/// [`serde_json::Error`] for a value that JSON does not have.
pub fn json(value: &impl Serialize) -> serde_json::Result<String> {
    written(value, Escaping { inner: CompactFormatter, yaml: false })
}

/// As [`json()`], on several lines.
///
/// # Errors
/// As [`json()`].
pub fn json_pretty(value: &impl Serialize) -> serde_json::Result<String> {
    written(value, Escaping { inner: PrettyFormatter::new(), yaml: false })
}

/// As [`json()`], and YAML too: a character beyond U+FFFF stands as `\UNNNNNNNN`, since YAML knows no pairs.
///
/// # Errors
/// As [`json()`].
pub fn yaml(value: &impl Serialize) -> serde_json::Result<String> {
    written(value, Escaping { inner: CompactFormatter, yaml: true })
}

/// Puts a path into an object: under `key` as text, and under `key` with `_bytes` in hex where it is not UTF-8.
pub fn with_path(mut object: Value, key: &str, path: &Path) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.insert(key.to_owned(), path.to_string_lossy().into());
        if let Some(hex) = raw_hex(path) {
            fields.insert(format!("{key}_bytes"), hex.into());
        }
    }
    object
}

fn written(value: &impl Serialize, formatter: Escaping<impl Formatter>) -> serde_json::Result<String> {
    let mut bytes = Vec::with_capacity(256);
    value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter))?;
    String::from_utf8(bytes).map_err(|error| serde_json::Error::io(io::Error::other(error)))
}

/// A formatter that escapes hidden characters of strings, and leaves the rest to another.
struct Escaping<F> {
    inner: F,
    yaml: bool,
}

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, to: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_hidden(*c)) {
            self.inner.write_string_fragment(to, &rest[..at])?;
            match u32::from(c) {
                code if self.yaml && code > 0xFFFF => write!(to, "\\U{code:08x}")?,
                _ => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(to, "\\u{unit:04x}"))?,
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.inner.write_string_fragment(to, rest)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.begin_array(to)
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_array(to)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.inner.begin_array_value(to, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_array_value(to)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.begin_object(to)
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_object(to)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.inner.begin_object_key(to, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.begin_object_value(to)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_object_value(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json as value;

    #[test]
    fn hidden_characters_are_escaped_and_the_rest_is_serde_s() {
        let text = "\x1b\n\u{7f}\u{9b}31m\u{202e}\u{feff}\u{e0041}ß\"\\";
        assert_eq!(
            json_line(&value!({ text: 1 })),
            "{\"\\u001b\\n\\u007f\\u009b31m\\u202e\\ufeff\\udb40\\udc41ß\\\"\\\\\":1}\n"
        );
        assert_eq!(yaml(&value!("\u{e0041}\u{9b}")).unwrap(), "\"\\U000e0041\\u009b\"");
        let plain = value!({"a": [1, {"b": null}], "c": "d", "e": [], "f": {}});
        assert_eq!(json(&plain).unwrap(), serde_json::to_string(&plain).unwrap());
        assert_eq!(json_pretty(&plain).unwrap(), serde_json::to_string_pretty(&plain).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_keeps_its_bytes() {
        let path = Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"a\xff"));
        assert_eq!(with_path(value!({}), "path", path), value!({"path": "a\u{fffd}", "path_bytes": "61ff"}));
        assert_eq!(with_path(value!({}), "path", Path::new("a\n")), value!({"path": "a\n"}));
    }

    proptest! {
        #[test]
        fn a_parser_reads_back_what_was_written(text in "(\\PC|[\\x00-\\x1f\\x7f-\\x9f]|[\u{200b}-\u{202e}]|\u{e0041}){0,30}") {
            let line = json_line(&text);
            prop_assert!(!line.trim_end_matches('\n').chars().any(is_hidden), "{line:?}");
            prop_assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text.clone());
            prop_assert_eq!(serde_saphyr::from_str::<String>(&yaml(&text).unwrap()).unwrap(), text);
        }
    }
}
