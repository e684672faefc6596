//! Whether a value keeps what its name promises, given how it is written.

use super::names::{Named, Promise};
use super::value;

/// Bytes of a value by which it is judged.
const JUDGED: usize = 256;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// As a setting: after `=` in an environment, a query or a connection string, after an option, between tags.
    Setting,
    /// As a string in quotes.
    Quoted,
    /// As a bare word that ends its line or stands before a space.
    Bare,
    /// As a bare word among others, an argument of a call, or a word of a sentence.
    Loose,
}

/// Whether `text`, written so, keeps what its name promises.
pub(super) fn is_secret(named: Named, written: Written, text: &str) -> bool {
    // The beginning of a long value tells as much as the whole.
    let text = text.get(..text.floor_char_boundary(JUDGED)).unwrap_or(text);
    if value::is_stand_in(text) || text.len() < 3 {
        return false;
    }
    match named.promise {
        Promise::Chosen => is_password(named, written, text),
        Promise::Drawn => match written {
            Written::Setting | Written::Quoted => value::is_random(text, 8),
            Written::Bare => value::is_random(text, 8) && !is_expression(text),
            Written::Loose => value::is_random(text, 16) && !is_expression(text),
        },
        Promise::Perhaps => {
            value::is_random(text, 16)
                && !value::is_hex(text)
                && !value::is_uuid(text)
                && written != Written::Loose
                && !is_expression(text)
                && !text.starts_with('/')
        }
    }
}

fn is_password(named: Named, written: Written, text: &str) -> bool {
    let has = |test: fn(char) -> bool| text.chars().any(test);
    let digit = has(|c| c.is_ascii_digit());
    let symbol = has(|c| c.is_ascii_punctuation() && !"_-./:,;'()".contains(c));
    // Letters of both cases in no order of words.
    let jumbled = text.len() >= 8 && !value::is_wordlike(text) && value::changes(text) * 4 >= text.len();
    if text.contains(char::is_whitespace) {
        let words = text.split_whitespace().count();
        return named.kind == "passphrase"
            && written == Written::Quoted
            && words >= 4
            && text.bytes().all(|b| b.is_ascii_lowercase() || b == b' ')
            && !names_secret(text);
    }
    let stem = text.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
    let kind = [
        "int", "uint", "u", "i", "f", "float", "utf", "sha", "md", "base", "str", "v", "p", "arg", "param", "col",
        "line",
    ]
    .contains(&stem.as_str());
    match written {
        Written::Setting => !value::is_path(text) && (digit || symbol || !names_secret(text)),
        Written::Quoted => {
            text.len() >= 4
                && !value::is_path(text)
                && !text.contains("://")
                && (digit || symbol || is_plain(text) && !names_secret(text))
        }
        Written::Bare => {
            text.len() >= 5
                && !kind
                && (digit && has(char::is_alphabetic) || symbol || jumbled)
                && !is_expression(text)
                && !value::is_path(text)
                && (!text.contains(['.', '_', ':']) || !value::is_wordlike(text))
        }
        Written::Loose => {
            text.len() >= 6
                && (digit && (symbol || has(char::is_alphabetic)) || jumbled)
                && !value::is_wordlike(text)
                && !is_expression(text)
                && !kind
        }
    }
}

/// Whether a word is one that names secrets, as a label, a key of a table or a variable does.
fn names_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["pass", "pwd", "secret", "token", "key", "auth", "cred", "login", "user", "prompt", "string", "field", "wort"]
        .iter()
        .any(|word| lower.contains(word))
}

/// Whether a word is of small letters alone, perhaps in parts: prose and labels begin with a capital or have spaces.
fn is_plain(text: &str) -> bool {
    text.len() >= 6 && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
        || text.len() >= 8 && text.is_ascii() && !value::is_wordlike(text)
}

/// Whether a bare word is code: a call, an index, a path of names, a reference, an address.
pub(super) fn is_expression(text: &str) -> bool {
    text.contains("::")
        || text.contains("->")
        || text.contains("()")
        || text.starts_with(['(', '[', '{', '.', '|'])
        || text.strip_prefix(['&', '*', '@', '!']).is_some_and(|rest| value::wordlike(rest) > 0.25)
        || text.contains(['(', '[', '{'])
        || text.split('.').count() > 1
            && text.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
            && (text.contains('_') || value::wordlike(text) > 0.2)
}
