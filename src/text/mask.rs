//! What changes from one occurrence of an error to the next, replaced by names: paths to their base name, addresses,
//! ids, times, long numbers. What tells errors apart stays: codes (E0382, HTTP 502, errno names), well-known ports,
//! versions.
//!
//! Masked text is embedded, searched for words and read, so it keeps every word that carries meaning, and the small
//! numbers of a message. What is hashed goes further, see [`super::fingerprint()`]; the version there rises with the
//! masks here.

use super::pattern::{pattern, pieces};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Ports whose number says which service was meant.
const KNOWN_PORTS: &[&str] = &[
    "22", "53", "80", "443", "2375", "2376", "2379", "3306", "5000", "5432", "6379", "6443", "8080", "8443", "10250",
    "27017",
];

/// Last labels of host names that are no endings of source files: `db.example.com:5432` is no line 5432.
const HOST_ENDINGS: &[&str] = &[
    "ai", "app", "arpa", "au", "biz", "br", "ca", "ch", "cloud", "cn", "co", "com", "de", "dev", "edu", "es", "eu",
    "fr", "gov", "hk", "info", "internal", "io", "it", "jp", "kr", "lan", "local", "mil", "mx", "net", "nl", "org",
    "ru", "se", "svc", "tw", "uk", "us",
];

/// A number after one of these words, or a word that ends in one of the first few, is a code.
const CODE_ENDINGS: &[&str] = &["error", "errno", "code", "status", "signal", "sqlstate", "hresult", "response"];
const CODE_WORDS: &[&str] = &["err", "exit", "exited", "http", "https", "returned", "ret", "rc"];
/// What may stand between such a word and its number.
const CODE_FILLERS: &[&str] = &["a", "by", "is", "non-zero", "of", "value", "was", "with"];

/// One alternation, read from left to right at every position: the more telling form stands first.
static MASKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)
          (?P<url>\bhttps?://[^\s"'<>)\]]+)
        | (?P<email>\b[\w.+-]+@[\w-]+\.[\w.-]+\b)
        | (?P<uuid>\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b)
        | (?P<mac>\b[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}\b)
        | (?P<request>(?i:request[\ -]?id|host[\ -]?id|trace[\ -]?id)\s*[:=]\s*[\w/+=-]+)
        | (?P<time>\b\d{4}-\d\d-\d\d(?:[T\ ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|\ ?[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b)
        | (?P<addr>\b0x[0-9a-fA-F]{4,}\b)
        | (?P<digest>\bsha256:[0-9a-fA-F]{8,}\b)
        | (?P<resource>\b(?:sg|subnet|vpc|eni|igw|nat|rtb|ami|i|vol|snap|eipalloc|acl|vpce|pcx|lt|tgw)-[0-9a-f]{8,17}\b)
        | (?P<account>\b\d{12}\b)
        | (?P<pod>-[a-f0-9]{8,10}-[a-z0-9]{5}\b)
        | (?P<hex>\b(?:[0-9a-f]{12,64}|[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]{5,}|[0-9a-f]*[a-f][0-9a-f]*[0-9][0-9a-f]{6,})\b)
        | (?P<ip>\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b)
        | (?P<path>(?:\b[A-Za-z]:\\|~/|\.{1,2}/|\B/)(?:[\w.@+~-]+[\\/])*(?P<base>[\w.@+~-]+)?(?P<pos>(?::\d+){1,2}\b)?)
        | (?P<relative>\b(?:[\w.@+-]+/)+(?P<relbase>[\w@+-]+\.[A-Za-z]{1,5})\b(?::\d+){0,2})
        | (?P<place>\b(?P<file>[\w-]+\.[a-z]{1,4})(?::\d+){1,2}\b)
        | (?P<line>\bline\ \d+(?:,\ column\ \d+)?)
        | (?P<port>:(?P<portnum>\d{2,5})\b)
        | (?P<duration>\b\d+(?:\.\d+)?(?:ms|us|µs|ns|s|m\d+s|min|h)\b)
        | (?P<number>\b\d{5,}\b)
        "#,
    )
});

/// How a name begins that [`TEMPORARY`] may match.
const MAYBE_TEMPORARY: [&str; 4] = ["tmp", "pip-", "build", "rustc"];

static TEMPORARY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:tmp[\w.-]{4,}|pip-[\w-]+-[\w]{6,}|build[\w-]*-[a-z0-9]{8,}|rustc\w{5,})$"));

/// Replaces what varies.
pub fn mask(text: &str) -> String {
    let one = |piece| MASKS.replace_all(piece, |found: &Captures<'_>| replacement(piece, found));
    pieces(text).into_iter().map(one).collect()
}

/// Whether `port` says which service was meant.
pub(super) fn is_known_port(port: &str) -> bool {
    KNOWN_PORTS.contains(&port)
}

/// Whether a name with this last label is that of a host.
pub(super) fn is_host_ending(label: &str) -> bool {
    HOST_ENDINGS.binary_search(&label).is_ok()
}

/// Whether `word`, which stands between `before` and `after`, is a code that tells errors apart: `exit code 137`,
/// `SQLSTATE 23505`, `HRESULT: 0x80070005`, `ORA-00942`, `port 5432`, `curl: (6)`, `failed (111: Connection refused)`.
pub(super) fn is_code(before: &str, word: &str, after: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let short = digits.len() <= if digits.len() < word.len() { 8 } else { 5 };
    if !short || !digits.bytes().all(|b| b.is_ascii_alphanumeric()) || before.is_empty() {
        return false;
    }
    let bracketed =
        before.ends_with('(') && after.starts_with([')', ':']) && digits.bytes().all(|b| b.is_ascii_digit());
    bracketed || is_family(before) || names_port(before) && is_known_port(word) || names_code(before)
}

/// Whether a text ends in the family of a code, as in `ORA-` or `CVE-2021-`.
fn is_family(before: &str) -> bool {
    let Some(name) = before.strip_suffix('-') else { return false };
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = name.strip_suffix('-').unwrap_or(name);
    let letters = name.bytes().rev().take_while(u8::is_ascii_uppercase).count();
    let whole = !name[..name.len() - letters].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    whole && (2..=8).contains(&letters)
}

fn names_port(before: &str) -> bool {
    let name = before.trim_end_matches([' ', ':', '=', '"', '\'']);
    before.ends_with(':') || name.len() < before.len() && ends_in_word(name, &["port"])
}

fn names_code(before: &str) -> bool {
    let mut rest = before;
    for _ in 0..4 {
        let name = rest.trim_end_matches(['"', '\'', ')', ':', '=', ' ', '[', '(', '#', '-', ',']);
        if name.len() == rest.len() || rest.len() - name.len() > 4 {
            return false;
        }
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let name = bare.strip_suffix('/').unwrap_or(name);
        if CODE_ENDINGS.iter().any(|ending| ends_in(name, ending)) || ends_in_word(name, CODE_WORDS) {
            return true;
        }
        match CODE_FILLERS.iter().find(|filler| ends_in_word(name, &[filler])) {
            Some(filler) => rest = &name[..name.len() - filler.len()],
            None => return false,
        }
    }
    false
}

fn ends_in(text: &str, ending: &str) -> bool {
    text.len().checked_sub(ending.len()).is_some_and(|at| text.as_bytes()[at..].eq_ignore_ascii_case(ending.as_bytes()))
}

fn ends_in_word(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let before = text.len().checked_sub(word.len() + 1).map(|at| text.as_bytes()[at]);
        ends_in(text, word) && !before.is_some_and(|b| b.is_ascii_alphanumeric())
    })
}

fn replacement(text: &str, found: &Captures<'_>) -> String {
    let whole = &found[0];
    let named = |name: &str| found.name(name);
    if named("url").is_some() {
        return "<url>".to_owned();
    }
    for name in ["addr", "number"] {
        if let Some(number) = named(name)
            && is_code(&text[..number.start()], whole, &text[number.end()..])
        {
            return whole.to_owned();
        }
    }
    for name in ["email", "uuid", "mac", "time", "addr", "digest", "account", "hex", "ip", "line", "duration", "number"]
    {
        if named(name).is_some() {
            return format!("<{name}>");
        }
    }
    if named("request").is_some() {
        let key = whole.find([':', '=']).map_or(whole, |at| &whole[..at]);
        return format!("{} <id>", key.trim_end());
    }
    if named("resource").is_some() {
        return format!("{}-<id>", whole.split('-').next().unwrap_or(whole));
    }
    if named("pod").is_some() {
        return "-<pod>".to_owned();
    }
    if let Some(port) = named("portnum") {
        return if is_known_port(port.as_str()) { whole.to_owned() } else { ":<port>".to_owned() };
    }
    if let Some(file) = named("file") {
        let (file, line) = (file.as_str(), &whole[file.len() + 1..]);
        let host = file.rsplit('.').next().is_some_and(is_host_ending) && !line.contains(':');
        return match host {
            true if is_known_port(line) => whole.to_owned(),
            true => format!("{file}:<port>"),
            false => file.to_owned(),
        };
    }
    if let Some(file) = named("relbase") {
        return mask(file.as_str());
    }
    match named("base") {
        Some(base) if is_temporary(base.as_str()) => "<tmp>".to_owned(),
        // As Java prints an address: `/10.0.0.7:5432`.
        Some(base) if is_address(base.as_str()) => mask(&whole[base.start() - found.get(0).map_or(0, |m| m.start())..]),
        Some(base) => mask(base.as_str()),
        None => whole.to_owned(),
    }
}

/// Whether a file's name is one that is made up for a while.
fn is_temporary(name: &str) -> bool {
    MAYBE_TEMPORARY.iter().any(|begin| name.starts_with(begin)) && TEMPORARY.is_match(name)
}

/// Whether `text` is four numbers of up to three digits.
pub(super) fn is_address(text: &str) -> bool {
    let parts =
        text.split('.').filter(|part| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()));
    parts.count() == 4 && text.split('.').count() == 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time grew with the square of a word's length: the fuzzer measures it, this holds the text together.
    #[test]
    fn a_word_without_end_is_masked_in_pieces() {
        for word in ["1.2.31.2.3", "a.", "12ms-", "a@", "/1", "-12345678"] {
            let masked = mask(&word.repeat(5_000));
            assert!(!super::super::fingerprint(&masked).is_empty());
        }
    }

    #[test]
    fn masks_what_varies_and_keeps_what_tells() {
        let cases = [
            ("open /home/ann/app/config.yaml: no such file", "open config.yaml: no such file"),
            ("error[E0382] at src/main.rs:4:20", "error[E0382] at main.rs"),
            ("dial tcp 10.0.0.7:5432: connect: ECONNREFUSED", "dial tcp <ip>:5432: connect: ECONNREFUSED"),
            ("listening on :49152 after 1.25s", "listening on :<port> after <duration>"),
            ("RequestID: 4GXYZ9, HTTP 502", "RequestID <id>, HTTP 502"),
            ("sg-0123456789abcdef0 in vpc-0a1b2c3d", "sg-<id> in vpc-<id>"),
            ("pod web-7d4b9c6f5d-x2x9q on 2024-05-01T10:00:00Z", "pod web-<pod> on <time>"),
            ("account 123456789012 was refused", "account <account> was refused"),
            ("python 3.12.1 needs numpy 1.26", "python 3.12.1 needs numpy 1.26"),
            ("SQLSTATE 23505, row 23505123", "SQLSTATE 23505, row <number>"),
            ("ORA-00942 and CVE-2021-44228, job-00942", "ORA-00942 and CVE-2021-44228, job-<number>"),
            ("[WinError 10061] on port 27017, from port 51234", "[WinError 10061] on port 27017, from port <number>"),
            ("HRESULT: 0x80070005 at 0x7ffe0013", "HRESULT: 0x80070005 at <addr>"),
            ("db.example.com:5432 from ws.example.com:51234", "db.example.com:5432 from ws.example.com:<port>"),
            ("src: /10.0.0.7:50010 in /var/run/123456.pid", "src: <ip>:<port> in <number>.pid"),
        ];
        for (raw, masked) in cases {
            assert_eq!(mask(raw), masked, "{raw}");
        }
    }
}
