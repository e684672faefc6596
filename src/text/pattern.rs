//! How the constant patterns of this module are compiled.

use regex::Regex;

/// Compiles a constant pattern with ASCII classes: what they look for is ASCII, and Unicode tables cost a cold process
/// milliseconds.
pub(super) fn pattern(source: &str) -> Regex {
    Regex::new(&ascii_classes(source)).expect("a constant pattern compiles")
}

fn ascii_classes(source: &str) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    let mut in_class = false;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '[' if !in_class => in_class = true,
            ']' => in_class = false,
            '\\' => {
                let escaped = chars.next().unwrap_or('\\');
                match (escaped, in_class) {
                    ('w', true) => out.push_str("0-9A-Za-z_"),
                    ('w', false) => out.push_str("[0-9A-Za-z_]"),
                    ('d', true) => out.push_str("0-9"),
                    ('d', false) => out.push_str("[0-9]"),
                    ('s', true) => out.push_str(r"\t\n\r\ "),
                    ('s', false) => out.push_str(r"[\t\n\r\ ]"),
                    ('S', false) => out.push_str(r"[^\t\n\r\ ]"),
                    ('W', false) => out.push_str("[^0-9A-Za-z_]"),
                    ('D', false) => out.push_str("[^0-9]"),
                    ('b', false) => out.push_str(r"(?-u:\b)"),
                    ('B', false) => out.push_str(r"(?-u:\B)"),
                    (other, _) => out.extend(['\\', other]),
                }
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}
