//! What changes from one occurrence of an error to the next, replaced by names: paths to their base name, addresses,
//! ids, times, counts. What tells errors apart stays: codes (E0382, HTTP 502, errno names), well-known ports, versions.
//!
//! The fingerprint is a hash of masked text, equal for two occurrences of one error. Its version rises with every change
//! to the masks, since hashes of different masks must not be compared.

use super::digest::sha256_hex;
use super::pattern::pattern;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Version of the masks, the prefix of every fingerprint.
pub const FINGERPRINT_VERSION: &str = "v2";

/// Ports whose number says which service was meant.
const KNOWN_PORTS: &[&str] = &[
    "22", "53", "80", "443", "2375", "2376", "2379", "3306", "5000", "5432", "6379", "6443", "8080", "8443", "10250",
    "27017",
];

/// One alternation, read from left to right at every position: the more telling form stands first.
static MASKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)
          (?P<url>\bhttps?://[^\s"'<>)\]]+)
        | (?P<email>\b[\w.+-]+@[\w-]+\.[\w.-]+\b)
        | (?P<uuid>\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b)
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

static TEMPORARY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:tmp[\w.-]{4,}|pip-[\w-]+-[\w]{6,}|build[\w-]*-[a-z0-9]{8,}|rustc\w{5,})$"));

/// Replaces what varies. Idempotent up to further occurrences inside what was kept.
pub fn mask(text: &str) -> String {
    MASKS.replace_all(text, |found: &Captures<'_>| replacement(found)).into_owned()
}

fn replacement(found: &Captures<'_>) -> String {
    let whole = &found[0];
    let named = |name: &str| found.name(name);
    if named("url").is_some() {
        return "<url>".to_owned();
    }
    for name in ["email", "uuid", "time", "addr", "digest", "account", "hex", "ip", "line", "duration", "number"] {
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
        return if KNOWN_PORTS.contains(&port.as_str()) { whole.to_owned() } else { ":<port>".to_owned() };
    }
    if let Some(file) = named("file").or_else(|| named("relbase")) {
        return file.as_str().to_owned();
    }
    match named("base") {
        Some(base) if TEMPORARY.is_match(base.as_str()) => "<tmp>".to_owned(),
        Some(base) => base.as_str().to_owned(),
        None => whole.to_owned(),
    }
}

/// Hash of masked text, case and white space aside: `v2:` and 16 hex digits.
pub fn fingerprint(masked: &str) -> String {
    let folded = masked.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    format!("{FINGERPRINT_VERSION}:{}", &sha256_hex(folded.as_bytes())[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ];
        for (raw, masked) in cases {
            assert_eq!(mask(raw), masked, "{raw}");
        }
    }

    #[test]
    fn equal_errors_have_equal_fingerprints() {
        let at = |path: &str, id: &str| fingerprint(&mask(&format!("Error: {path}: lock {id} is held")));
        assert_eq!(
            at("/a/b/state.tf", "f9763602-b03f-e35c-da30-4083cdbb99ae"),
            at("/x/state.tf", "00000000-b03f-e35c-da30-4083cdbb99ae")
        );
        assert_ne!(at("/a/b/state.tf", "1"), at("/a/b/other.tf", "1"));
    }
}
