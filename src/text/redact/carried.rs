//! Secrets that a syntax carries at a fixed place: passwords in URLs, `Authorization` headers, cookies, arguments of
//! well-known commands.
//!
//! A row for each place. The group `s` is the secret; the rest of the pattern stays.

use super::{Span, value};
use crate::text::pattern;
use regex::Regex;
use std::sync::{LazyLock, OnceLock};

/// What must be true of what stands at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Anything but a stand-in: only a secret can stand there.
    Any,
    /// Not words, because prose may look alike.
    NoWords,
    /// Looks drawn by chance.
    Random,
}

struct Place {
    kind: &'static str,
    need: Need,
    /// One of these is on the line, in these letters or in others of their case.
    words: &'static [&'static str],
    pattern: &'static str,
    compiled: OnceLock<Regex>,
}

const fn place(kind: &'static str, need: Need, words: &'static [&'static str], pattern: &'static str) -> Place {
    Place { kind, need, words, pattern, compiled: OnceLock::new() }
}

/// Finds lines that are worth looking at.
static HINTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) ://[^\s@]+@ | (?i-u: authorization | bearer | \bbasic\  | \bssws\  | cookie | \bcurl\b | \bwget\b
        | \bhttps?\ (?:-|[a-z]{2,6}\ ) | \bxh\  | mysql | mariadb | sshpass
        | redis-cli | \bidentified\  | \blogin\  | sqlcmd | \bzip\b | unzip | \bldap[a-z]{3,8}\  | \b7z | storepass
        | keypass | htpasswd | rabbitmqctl | \bmc\ | \bsnmp[a-z]{3,8}\ )",
    )
});

#[rustfmt::skip]
static PLACES: [Place; 24] = [
    // RFC 3986, user information. The last `@` before a slash or space ends it: passwords hold `@` too.
    place("password in URL", Need::Any, &["://"], r#"[A-Za-z0-9]://[^\s/:@'"<>]*:(?P<s>[^\s/'"<>]+)@[\w\[%$({.-]"#),
    // A password with a slash, which should have been percent-encoded; its host has a dot or port.
    place("password in URL", Need::Random, &["://"],
        r#"[A-Za-z0-9]://[^\s/:@'"<>]+:(?P<s>[^\s@'"<>]{6,})@[\w.-]+[.:][\w]"#),
    place("token in URL", Need::Random, &["://"],
        r#"[A-Za-z0-9]://(?P<s>[^\s/:@'"<>%]{16,})(?::x-oauth-basic|:)?@[\w\[]"#),
    // RFC 7235 and what services made of it.
    place("authorization", Need::Any, &["authorization"],
        concat!(
            r#"(?i-u:authorization)\\?["']?\s{0,3}(?::|=>?|,|\]\s?=)\s{0,3}(?:[a-z]{0,2}\\?"#,
            r#"["'`])?(?i-u:basic|bearer|token|apikey|api-key|ssws|key|genie-?key|bot|negotiate|digest"#,
            r#"|splunk)(?:[ +]|%20){1,2}(?P<s>[^\s"'`\\<>,;]{6,})"#,
        )),
    place("authorization", Need::NoWords, &["authorization"],
        r#"(?i-u:authorization)\\?["']?\s{0,3}(?::|=>?)\s{0,3}\\?["'`]?(?P<s>[A-Za-z0-9._~+/=:-]{16,})"#),
    place("bearer token", Need::NoWords, &["bearer"],
        r"\b(?i-u:bearer)(?:[ +]|%20|: ?)\s{0,2}(?P<s>[A-Za-z0-9._~+/=-]{12,})"),
    place("authorization", Need::Random, &["basic ", "ssws "],
        r"\b(?:Basic|basic|SSWS) (?P<s>[A-Za-z0-9._~+/=-]{12,})"),
    // curl and its like.
    place("password", Need::Any, &["curl", "http", "xh"],
        concat!(
            r#"\b(?:curl|http|https|xh)\b[^\n]*?\s(?:-[a-zA-Z]{0,6}u|--user|--proxy-user|-a|--auth)"#,
            r#"[ =]?\s?["']?[^\s:"'$/-][^\s:"'$/]*:(?P<s>[^\s"'@]+)"#,
        )),
    place("password", Need::Any, &["wget"],
        r#"\bwget\b[^\n]*?\s--(?:http-|ftp-|proxy-)?password[ =]["']?(?P<s>[^\s"']+)"#),
    // Commands with a short option for the password.
    place("password", Need::Any, &["mysql", "mariadb"],
        r#"\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|]*?\s-p["']?(?P<s>[^\s"'|;]{3,})"#),
    place("password", Need::Any, &["sshpass"], r#"\bsshpass\s+-p\s?["']?(?P<s>[^\s"']+)"#),
    place("password", Need::Any, &["redis-cli"], r#"\bredis-cli\b[^\n|]*?\s(?:-a|--pass)\s["']?(?P<s>[^\s"']+)"#),
    place("password", Need::Any, &["login "],
        concat!(
            r#"\b(?:docker|podman|helm|buildah|skopeo|nerdctl|az|oc)\s[^\n|]*?\blogin\b[^\n|]*?\s-p[ =]?"#,
            r#"["']?(?P<s>[^\s"']+)"#,
        )),
    place("password", Need::Any, &["sqlcmd"], r#"\bsqlcmd\b[^\n|]*?\s-P\s?["']?(?P<s>[^\s"']+)"#),
    place("password", Need::Any, &["zip"], r#"\b(?:un)?zip\b[^\n|]*?\s(?:-P\s?|--password[ =])["']?(?P<s>[^\s"']+)"#),
    place("password", Need::Any, &["ldap"], r#"\bldap[a-z]{3,8}\s[^\n|]*?\s-w\s?["']?(?P<s>[^\s"']+)"#),
    place("password", Need::Any, &["7z"], r#"\b7z[azr]?\s[^\n|]*?\s-p["']?(?P<s>[^\s"']{3,})"#),
    place("password", Need::Any, &["storepass", "keypass"],
        r#"\s-(?:src|dest)?(?:store|key)pass\s+["']?(?P<s>[^\s"']+)"#),
    place("password", Need::Any, &["htpasswd"],
        concat!(r"\bhtpasswd\s(?:[^\n|]*?\s)?-[a-zA-Z]{0,5}b[a-zA-Z]{0,5}\s+",
            r#"[^\n|]*?["']?(?P<s>[^\s"'|]+)["']?\s*(?:$|[|;&])"#)),
    place("password", Need::Any, &["rabbitmqctl"],
        r#"\brabbitmqctl\s[^\n|]*?\b(?:add_user|change_password|authenticate_user)\s+\S+\s+["']?(?P<s>[^\s"']+)"#),
    place("secret key", Need::Any, &["mc "],
        r#"\bmc\s+(?:alias\s+set|config\s+host\s+add)\s+\S+\s+\S+\s+\S+\s+["']?(?P<s>[^\s"']+)"#),
    place("password", Need::Any, &["snmp"], r#"\bsnmp[a-z]{3,8}\s[^\n|]*?\s-[AX]\s?["']?(?P<s>[^\s"']+)"#),
    // SQL.
    place("password", Need::Any, &["identified "],
        concat!(r"\b(?i-u:user|role|grant)\b[^\n]*?\b(?i-u:identified\s+(?:with\s+\w+\s+)?by)\s+(?:password\s+)?",
            r#"["'](?P<s>[^"'\s]+)"#)),
    // .netrc, on one line or on three.
    place("password", Need::Any, &["login "],
        concat!(r"(?m)(?:^[ \t]*|\bmachine\s+\S+\s+)login\s+[\w.@+-]{1,100}\s+password[ \t]+(?P<s>\S+)",
            r"[ \t]*(?:$|\r|account|macdef|machine)")),
];

/// A header of cookies, up to what can end it.
static COOKIES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i-u:\b(?:set-)?cookie)\\?["']?\s{0,2}[:=]\s{0,2}(?:\\?["'])?(?P<s>[\w.-]{1,100}=[^\n"']{4,})"#)
});

static COOKIE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<name>[\w.-]{1,100})=(?P<s>[^\s;,=\\]{8,})"));

/// Parts of a cookie that are none of its secrets.
const ATTRIBUTES: &[&str] = &["path", "domain", "expires", "max-age", "samesite", "version", "comment", "priority"];

/// Finds the secrets at known places of `text`.
pub(super) fn find(text: &str, is_short: bool, spans: &mut Vec<Span>) {
    if is_short {
        let small = text.to_ascii_lowercase();
        let mut words = PLACES.iter().flat_map(|place| place.words).chain(&["cookie"]);
        if !words.any(|word| small.contains(word)) {
            return;
        }
    }
    let mut from = 0;
    while let Some(hit) = HINTS.find_at(text, from) {
        let start = text.get(..hit.start()).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let end = text.get(hit.end()..).and_then(|after| after.find('\n')).map_or(text.len(), |at| hit.end() + at);
        // An entry of .netrc may have its password on the next line.
        let below = text.get(end + 1..).and_then(|after| after.find('\n')).map_or(text.len(), |at| end + 1 + at);
        let reach = if text.get(hit.range()).is_some_and(|word| word.starts_with("login")) { below } else { end };
        find_on(text.get(start..reach).unwrap_or_default(), start, spans);
        from = end;
    }
}

fn find_on(line: &str, at: usize, spans: &mut Vec<Span>) {
    let small = line.to_ascii_lowercase();
    for place in PLACES.iter().filter(|place| place.words.iter().any(|word| small.contains(word))) {
        let regex = place.compiled.get_or_init(|| pattern(place.pattern));
        for secret in regex.captures_iter(line).filter_map(|found| found.name("s")) {
            let drawn = secret.as_str();
            let fits = match place.need {
                Need::Any => true,
                Need::NoWords => !value::is_wordlike(drawn) && value::entropy(drawn) > 2.5,
                Need::Random => value::is_random(drawn, 8),
            };
            if fits && !value::is_stand_in(drawn) {
                spans.push(Span { range: at + secret.start()..at + secret.end(), kind: place.kind });
            }
        }
    }
    if !small.contains("cookie") {
        return;
    }
    for cookies in COOKIES.captures_iter(line).filter_map(|found| found.name("s")) {
        for found in COOKIE.captures_iter(cookies.as_str()) {
            let name = found.name("name").map_or("", |name| name.as_str());
            let Some(secret) = found.name("s") else { continue };
            let attribute = ATTRIBUTES.iter().any(|attribute| attribute.eq_ignore_ascii_case(name));
            if !attribute && !value::is_stand_in(secret.as_str()) && !value::is_wordlike(secret.as_str()) {
                let start = at + cookies.start();
                spans.push(Span { range: start + secret.start()..start + secret.end(), kind: "cookie" });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They are compiled when they are first needed, which may be late.
    #[test]
    fn every_place_compiles() {
        for place in &PLACES {
            let regex = pattern(place.pattern);
            assert!(regex.capture_names().flatten().any(|name| name == "s"), "{}", place.pattern);
            assert!(!regex.is_match(""), "{}", place.pattern);
        }
        assert!(!HINTS.is_match("") && !COOKIES.is_match("") && !COOKIE.is_match(""));
    }
}
