//! Values of names that promise a secret: `DB_PASSWORD=...`, `"apiKey": "..."`, `--token ...`, `<password>...`,
//! `define('SECRET', '...')`, `name: TOKEN` with a `value:` beside or below it, and "API key ..." in a sentence.
//!
//! How the value is written says how much it must look like a secret. In a setting or a quoted string it can be nothing
//! but a value; a bare word in code may be a variable or a type (`password: String`); a word in a sentence may be just
//! that. Each name is looked at once, and a bounded way ahead.

use super::judge::{Written, is_expression, is_secret};
use super::names::{self, Named, Promise};
use super::{Span, value};
use crate::text::pattern;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes of the longest name, of the longest gap before a value, and of the longest value.
const LONGEST_NAME: usize = 96;
const LONGEST_GAP: usize = 40;
const LONGEST_VALUE: usize = 4096;

/// Bytes of a sentence after a word such as "token" in which its value is looked for.
const SENTENCE: usize = 100;

static HINTS: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("(?i-u:{}|{})", names::HINTS, names::provider_hints())));

/// A field that holds the name of another, before that name.
static NAME_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i-u:\b(?:name|key|variable|var|property|option|field|parameter))\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?$"#)
});

/// The field that holds its value, beside or below.
static VALUE_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^\\?["']?[,;]?\s{0,60}\\?["']?(?i-u:value|val|content|default|parametervalue)\\?["']?\s{0,3}[:=]\s{0,3}"#,
    )
});

/// A type between a name and what is assigned to it: `: &'static str =`, ` string =`.
static TYPE_BETWEEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^\??(?::\s{0,2}|\s)[\w&'<>:.,*|\[\]? ]{1,48}?\s{0,3}=\s{0,3}[a-zA-Z]{0,2}["'`]"#));

/// A block of YAML, whose text is on the next line.
static BLOCK: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[|>][+-]?\d?[ \t]*\r?\n[ \t]{1,40}"));

/// What stands between a word of a sentence and its value.
const FILLERS: &[&str] =
    &["is", "was", "are", "set", "to", "of", "for", "with", "value", "using", "=", ":", "->", "=>"];

/// Words of a sentence about an option: "use --password and ...".
const OPTIONS: &[&str] =
    &["and", "argument", "arguments", "flag", "flags", "option", "options", "or", "parameter", "switch"];

/// Words after which random characters are no secret, whatever is said before.
const HARMLESS: &[&str] = &[
    "algorithm",
    "build",
    "cache",
    "checksum",
    "commit",
    "digest",
    "etag",
    "fingerprint",
    "fingerprints",
    "hash",
    "hashes",
    "id",
    "ids",
    "image",
    "integrity",
    "md5",
    "object",
    "path",
    "public",
    "request",
    "revision",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "signature",
    "session",
    "url",
    "uuid",
    "version",
];

struct Value {
    range: Range<usize>,
    written: Written,
}

/// Finds the values of `text` whose names promise secrets.
pub(super) fn find(text: &str, is_short: bool, spans: &mut Vec<Span>) {
    if is_short && !names::has_hint(text) {
        return;
    }
    let mut from = 0;
    while let Some(hit) = HINTS.find_at(text, from) {
        let name = name_around(text, hit.range());
        from = name.end.max(hit.end());
        let own = text.get(name.clone()).unwrap_or_default();
        // `PASS: name` is the line of a test that passed.
        let passed = own == "PASS" && text.get(name.end..).is_some_and(|rest| rest.starts_with(':'));
        let promised = named(text, &name).filter(|_| !passed);
        let Some(named) = promised.or_else(|| names::of_provider(own)) else { continue };
        let value = value_after(text, &name).filter(|value| {
            let written = text.get(value.range.clone()).unwrap_or_default();
            let fits = promised.is_some() || written.len() >= 20 && !written.contains(['.', '/', '@']);
            fits && is_secret(named, value.written, written)
        });
        let found = value.or_else(|| promised.and_then(|named| in_sentence(text, &name, named)));
        if let Some(value) = found {
            // Names within a value are part of it.
            from = from.max(value.range.end);
            spans.push(Span { range: value.range, kind: named.kind });
        }
    }
}

/// The name around a hit: letters, digits and what joins them.
fn name_around(text: &str, hit: Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let joins = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let before = bytes.get(..hit.start).unwrap_or_default().iter().rev().take(LONGEST_NAME).take_while(joins).count();
    let after = bytes.get(hit.end..).unwrap_or_default().iter().take(LONGEST_NAME).take_while(joins).count();
    let (mut start, mut end) = (hit.start - before, hit.end + after);
    // The `n` of a line end that is written out is no part of the name.
    if start > 0
        && bytes.get(start - 1) == Some(&b'\\')
        && matches!(bytes.get(start), Some(b'n' | b't' | b'r'))
        && start < hit.start
    {
        start += 1;
    }
    while end > hit.end && bytes.get(end - 1).is_some_and(|b| b"-.".contains(b)) {
        end -= 1;
    }
    start..end
}

/// What the name promises, with up to two words before it: `API key`, `Secret access key`.
fn named(text: &str, name: &Range<usize>) -> Option<Named> {
    let own = text.get(name.clone())?;
    let alone = names::promise(own);
    if own.bytes().any(|b| !b.is_ascii_alphabetic()) {
        return alone;
    }
    let before = ahead_of(text, name.start, 32);
    let words: Vec<&str> = before.rsplit(' ').skip(1).take(2).take_while(|word| is_word(word)).collect();
    let phrase = match (before.ends_with(' '), words.as_slice()) {
        (true, [second, first]) => format!("{first}_{second}_{own}"),
        (true, [second]) => format!("{second}_{own}"),
        _ => return alone,
    };
    let whole = names::promise(&phrase);
    let open = words.iter().any(|word| names::OPEN.contains(&word.to_ascii_lowercase().as_str()));
    if whole.is_none() && open {
        return None;
    }
    let better = whole.filter(|whole| alone.is_none_or(|alone| whole.promise >= alone.promise));
    better.or(alone)
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Where the value of a name stands and how it is written, if the name is given one.
fn value_after(text: &str, name: &Range<usize>) -> Option<Value> {
    let bytes = text.as_bytes();
    if let Some(value) = value_beside(text, name) {
        return Some(value);
    }
    let tag = name.start.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'<');
    let (closed, quoted) = after_closers(text, name.end);
    let mut at = after_spaces(text, closed);
    let rest = text.get(at..)?;
    let spaced = at > closed;
    let separator = separator(rest, quoted, tag).filter(|_| !spaced || !rest.starts_with('('));
    let Some((length, written)) = separator else {
        return if spaced { after_space(text, at, name) } else { None }.or_else(|| typed(text, name.end));
    };
    at += length;
    let after = after_spaces(text, at);
    // `TOKEN= next` sets nothing, except where white space is usual.
    let written = match written {
        Some(written) => written,
        None if after == at && !spaced && rest.starts_with('=') && is_setting(text, name) => Written::Setting,
        None => Written::Bare,
    };
    let value = read(text, after, written, name)
        .filter(|value| !tag || text.get(value.range.end..).is_some_and(|rest| rest.trim_start().starts_with("</")));
    let typed_value = if rest.starts_with(':') { typed(text, name.end) } else { None };
    typed_value.or(value)
}

/// The value that stands after a space alone: `--password X`, `ENV NAME X`, `PASSWORD 'X'`, `NAME --body "X"`.
fn after_space(text: &str, at: usize, name: &Range<usize>) -> Option<Value> {
    let (own, rest) = (text.get(name.clone())?, text.get(at..)?);
    let before = ahead_of(text, name.start, 8);
    let set = ["ENV ", "SET ", "setx ", "setenv "].iter().any(|command| before.ends_with(command));
    if (own.starts_with('-') || set) && !rest.starts_with('-') {
        let value = read(text, at, Written::Setting, name)?;
        let (word, after) = (text.get(value.range.clone())?, text.get(value.range.end..)?);
        let prose = FILLERS.contains(&word)
            || OPTIONS.contains(&word)
            || is_word(word)
                && after.starts_with(' ')
                && !after.trim_start().starts_with(['-', '$', '/', '|', '&', '>', '"', '\'']);
        return (!prose || value.written == Written::Quoted).then_some(value);
    }
    if own.bytes().any(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let option = rest.bytes().take(24).take_while(|b| b.is_ascii_lowercase() || *b == b'-').count();
    let option = if option > 0 { option + 1 } else { 0 };
    quote(rest.get(option..)?).and_then(|_| read(text, at + option, Written::Quoted, name))
}

/// `name: TOKEN`, `value: ...`.
fn value_beside(text: &str, name: &Range<usize>) -> Option<Value> {
    if !NAME_BEFORE.is_match(ahead_of(text, name.start, 28)) {
        return None;
    }
    let rest = text.get(name.end..)?;
    let found = VALUE_AFTER.find(part(rest, 0, 160))?;
    let value = read(text, name.end + found.end(), Written::Setting, name)?;
    Some(Value { written: if value.written == Written::Quoted { Written::Quoted } else { Written::Bare }, ..value })
}

/// The value of a name with a type: `const KEY: &str = "..."`, `password string = "..."`.
fn typed(text: &str, end: usize) -> Option<Value> {
    let found = TYPE_BETWEEN.find(part(text.get(end..)?, 0, 80))?;
    read(text, end + found.end() - 1, Written::Quoted, &(0..0))
}

/// Passes over quotes and brackets that close a name. Whether there was a quote.
fn after_closers(text: &str, from: usize) -> (usize, bool) {
    let rest = text.get(from..).unwrap_or_default();
    let closers = rest.bytes().take(6).take_while(|b| b"\\\"'`]".contains(b)).count();
    let quoted = rest.bytes().take(closers).any(|b| b"\"'`".contains(&b));
    match rest.strip_prefix("&quot;") {
        Some(_) => (from + 6, true),
        None => (from + closers, quoted),
    }
}

/// The length of what separates a name and its value, and how the value is written if the separator says so.
fn separator(rest: &str, quoted: bool, tag: bool) -> Option<(usize, Option<Written>)> {
    let loose = |length| Some((length, Some(Written::Loose)));
    for compared in ["===", "!==", "==", "!=", "=~"] {
        if rest.starts_with(compared) {
            return loose(compared.len());
        }
    }
    for assigned in ["=>", ":=", "?=", "||=", "??=", "+=", "?:", "!:", "=", ":"] {
        if rest.starts_with(assigned) && !rest.starts_with("::") && !rest.starts_with("://") {
            return Some((assigned.len(), None));
        }
    }
    for encoded in ["%3D", "%3d", "%3A", "%3a"] {
        if rest.starts_with(encoded) {
            return Some((encoded.len(), Some(Written::Setting)));
        }
    }
    match rest.as_bytes().first()? {
        b'>' if tag => Some((1, Some(Written::Setting))),
        b',' if quoted => loose(1),
        b'(' if !quoted => loose(1),
        _ => None,
    }
}

/// Whether `NAME=value` without spaces is a setting: in capitals, as an option or definition, in a query or connection
/// string, or alone on its line.
fn is_setting(text: &str, name: &Range<usize>) -> bool {
    let own = text.get(name.clone()).unwrap_or_default();
    let before = ahead_of(text, name.start, 40);
    let capitals = own.bytes().any(|b| b.is_ascii_uppercase()) && !own.bytes().any(|b| b.is_ascii_lowercase());
    let begins_line = before.rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
    let whole_line = || {
        let rest = text.get(name.end..).unwrap_or_default();
        let line = part(rest, 0, LONGEST_VALUE).lines().next().unwrap_or_default();
        !line.trim_end().contains([' ', '(', '[', '{']) && !line.trim_end().ends_with([';', ',', ')'])
    };
    capitals
        || own.starts_with('-')
        || before.ends_with(['?', '&', ';'])
        || before.trim_end().ends_with(';') && text.get(name.end..).is_some_and(|rest| part(rest, 0, 80).contains(';'))
        || begins_line && whole_line()
}

/// Reads the value at `at`: a string in quotes, the string within a call such as `String::from("...")`, or a bare word.
fn read(text: &str, at: usize, written: Written, name: &Range<usize>) -> Option<Value> {
    let rest = text.get(at..)?;
    if let Some(block) = BLOCK.find(part(rest, 0, 64)) {
        let start = at + block.end();
        let line = part(text.get(start..)?, 0, LONGEST_VALUE).lines().next()?.trim_end();
        return Some(Value { range: start..start + line.len(), written: Written::Quoted });
    }
    let prefix = rest.bytes().take(2).take_while(u8::is_ascii_alphabetic).count();
    let opened = [prefix, 0].into_iter().find_map(|prefix| quote(rest.get(prefix..)?).map(|quote| (prefix, quote)));
    if let Some((prefix, quote)) = opened {
        let start = at + prefix + quote.len();
        let inner = part(text.get(start..)?, 0, LONGEST_VALUE);
        let end = closing(inner, quote);
        let written = if written == Written::Loose { Written::Loose } else { Written::Quoted };
        return (end > 0).then_some(Value { range: start..start + end, written });
    }
    let word = bare(rest, own_quote(text, name));
    if word.is_empty() {
        return None;
    }
    if written != Written::Setting && word.contains(['(', '[']) {
        return within_call(text, at);
    }
    let written = match written {
        Written::Bare if !goes_on(rest, word.len()) => Written::Bare,
        Written::Bare => Written::Loose,
        other => other,
    };
    Some(Value { range: at..at + word.len(), written })
}

/// The string within the first brackets of a call on this line.
fn within_call(text: &str, at: usize) -> Option<Value> {
    let line = part(text.get(at..)?, 0, 80).lines().next()?;
    let open = line.find(['(', '['])? + 1;
    let callee = line.get(..open)?.to_ascii_lowercase();
    if ["env", "get", "var", "read", "config", "load", "prompt", "require", "find", "fetch"]
        .iter()
        .any(|word| callee.contains(word))
    {
        return None;
    }
    let quote = quote(line.get(open..)?)?;
    let start = at + open + quote.len();
    let end = closing(part(text.get(start..)?, 0, LONGEST_VALUE), quote);
    (end > 0).then_some(Value { range: start..start + end, written: Written::Loose })
}

/// The quote that begins `rest`, which may be escaped as in JSON within JSON.
fn quote(rest: &str) -> Option<&str> {
    let slashes = rest.bytes().take(4).take_while(|&b| b == b'\\').count();
    match rest.as_bytes().get(slashes) {
        Some(b'"' | b'\'' | b'`') => rest.get(..=slashes),
        _ => rest.get(..6).filter(|entity| *entity == "&quot;"),
    }
}

/// The quote in which the name stands, if its value stands in the same: `"TOKEN=..."`.
fn own_quote(text: &str, name: &Range<usize>) -> Option<char> {
    ahead_of(text, name.start, 4).chars().next_back().filter(|c| "\"'`".contains(*c))
}

/// Where the string ends that `quote` opened; at the end of the line if it is cut off.
fn closing(inner: &str, quote: &str) -> usize {
    let end = inner.find('\n').unwrap_or(inner.len());
    let line = inner.get(..end).unwrap_or_default();
    if quote.len() > 1 {
        return line.find(quote).unwrap_or(line.trim_end().len());
    }
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if quote.starts_with(c) => return at,
            _ => {}
        }
    }
    line.trim_end().len()
}

/// The bare word that begins `rest`, without what ends a list, a query or a sentence.
fn bare(rest: &str, own_quote: Option<char>) -> &str {
    let rest = part(rest, 0, LONGEST_VALUE);
    let own_quote = own_quote.and_then(|quote| u8::try_from(quote).ok());
    let ends = |(at, b): (usize, u8)| {
        let escape = || rest.get(at + 1..).is_some_and(|rest| rest.starts_with(['"', '\'', 'n', 'r', 't']));
        matches!(b, b' ' | b'\t'..=b'\r' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|')
            || own_quote == Some(b)
            || b == b'\\' && escape()
    };
    let template = rest.starts_with('<') || rest.starts_with("${{") || rest.starts_with("{{");
    let length = if template {
        rest.find(['\n', '>']).map_or(rest.len(), |end| end + usize::from(rest.starts_with('<')))
    } else {
        rest.bytes().enumerate().position(ends).unwrap_or(rest.len())
    };
    let mut word = rest.get(..length).unwrap_or_default();
    // `password=a&user=b`, `Password=a;Database=b` and `password=a,user=b` go on with another name.
    let next = word.bytes().enumerate().filter(|(_, b)| matches!(b, b';' | b'&' | b',')).find(|(at, _)| {
        let after = rest.get(at + 1..).unwrap_or_default();
        let name = after.bytes().take(40).take_while(|b| b.is_ascii_alphanumeric() || b"_-. ".contains(b)).count();
        name > 0 && after.get(name..).is_some_and(|after| after.starts_with(['=', ':']))
    });
    if let Some((at, _)) = next {
        word = word.get(..at).unwrap_or_default();
    }
    let closes = |c: char| ",;".contains(c) || ")]}".contains(c) && !word.contains(['(', '[', '{']);
    word.trim_end_matches(closes)
}

/// Whether more than a space or the end of the line follows a word of `rest`.
fn goes_on(rest: &str, length: usize) -> bool {
    rest.get(length..)
        .and_then(|after| after.chars().next())
        .is_some_and(|c| !c.is_whitespace() && !"\"'`\\<|".contains(c))
}

/// A value in the sentence after a name: "the token 5f0c... was refused".
fn in_sentence(text: &str, name: &Range<usize>, named: Named) -> Option<Value> {
    if named.promise == Promise::Perhaps {
        return None;
    }
    let rest = text.get(name.end..)?;
    let line = part(rest, 0, SENTENCE + 200).lines().next()?;
    let mut at = 0;
    for (number, piece) in line.split_inclusive(char::is_whitespace).enumerate().take(9) {
        let start = at;
        at += piece.len();
        if start > SENTENCE {
            return None;
        }
        let word = piece.trim_matches(|c: char| c.is_whitespace() || "\"'`,;:.()[]{}<>!?\\".contains(c));
        let lower = word.to_ascii_lowercase();
        let (label, tail) = word.split_once(['=', ':']).unwrap_or(("", word));
        if HARMLESS.contains(&lower.as_str()) || !label.is_empty() && !tail.is_empty() {
            return None;
        }
        if named.kind == "key" && value::is_hex(word) {
            // A fingerprint.
            return None;
        }
        let least = if value::is_hex(word) { 32 } else { 16 };
        if number > 0
            && value::is_random(word, least)
            && is_token(word)
            && !value::is_stand_in(word)
            && !value::is_uuid(word)
        {
            let offset = start + piece.find(word)?;
            let begin = name.end + offset;
            return Some(Value { range: begin..begin + word.len(), written: Written::Loose });
        }
        let said = value::is_random(word, 6) && named.promise == Promise::Chosen && number <= 3;
        if said
            && line.get(..start).is_some_and(says)
            && !is_expression(word)
            && !value::is_stand_in(word)
            && !word.contains('.')
        {
            let begin = name.end + start + piece.find(word)?;
            return Some(Value { range: begin..begin + word.len(), written: Written::Loose });
        }
    }
    None
}

/// Whether the words between a name and a value say that one is the other: "is", "was set to".
fn says(between: &str) -> bool {
    let mut words = between.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| FILLERS.contains(&word))
}

/// Whether a word has the characters of tokens, and no more of code than a dot or dash.
fn is_token(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=_.~-".contains(&b))
        && value::wordlike(word) < 0.4
        && value::changes(word) * 5 >= word.len()
        && !is_expression(word)
}

fn after_spaces(text: &str, from: usize) -> usize {
    let spaces =
        text.get(from..).unwrap_or_default().bytes().take(LONGEST_GAP).take_while(|b| b" \t".contains(b)).count();
    from + spaces
}

/// Up to `length` bytes of `text` before `end`.
fn ahead_of(text: &str, end: usize, length: usize) -> &str {
    let start = text.floor_char_boundary(end.saturating_sub(length));
    text.get(start..end).unwrap_or_default()
}

/// Up to `length` bytes of `text` from `from`.
fn part(text: &str, from: usize, length: usize) -> &str {
    text.get(from..text.floor_char_boundary(from.saturating_add(length).min(text.len()))).unwrap_or_default()
}
