//! What the name of a setting, field or variable says about its value: `DB_PASSWORD` holds a password, `token_count`
//! does not hold a token.
//!
//! The last words of a name decide. Words that say where or when (`_PROD`, `_1`) are passed over.

/// What a name promises of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Promise {
    /// Something near a secret, as `key` or `session`; the value must look drawn by chance, and like no digest or id.
    Perhaps,
    /// A key, token or secret: drawn by chance.
    Drawn,
    /// A password, which may be chosen by a person.
    Chosen,
}

/// What a name promises, and what is said in place of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) promise: Promise,
    pub(super) kind: &'static str,
}

/// What finds names in a text: every name that promises something has one of these words in it, whatever the case.
pub(super) const HINTS: &str = "passw|passphrase|pass|pwd|kennwort|senha|contrase|secret|token|cred|key|auth|bearer|\
    session|cookie|sid|mnemonic|seed|license|webhook|signature|sas|_pat";

/// Companies whose keys have no form of their own, by a word in the names that people give to them.
const PROVIDERS: &[(&str, &str)] = &[
    ("algolia", "Algolia key"),
    ("azure", "Azure secret"),
    ("bitbucket", "Bitbucket secret"),
    ("cf", "Cloudflare key"),
    ("cloudflare", "Cloudflare key"),
    ("codecov", "Codecov token"),
    ("cohere", "Cohere key"),
    ("confluent", "Confluent secret"),
    ("datadog", "Datadog key"),
    ("dd", "Datadog key"),
    ("discord", "Discord secret"),
    ("dropbox", "Dropbox secret"),
    ("facebook", "Facebook secret"),
    ("fastly", "Fastly token"),
    ("heroku", "Heroku key"),
    ("jfrog", "JFrog key"),
    ("linkedin", "LinkedIn secret"),
    ("mistral", "Mistral key"),
    ("newrelic", "New Relic key"),
    ("okta", "Okta token"),
    ("pagerduty", "PagerDuty key"),
    ("snyk", "Snyk token"),
    ("spotify", "Spotify secret"),
    ("trello", "Trello key"),
    ("twilio", "Twilio token"),
    ("twitch", "Twitch secret"),
    ("twitter", "Twitter secret"),
    ("wandb", "Weights & Biases key"),
    ("zendesk", "Zendesk secret"),
];

/// Last words that are passed over.
const QUALIFIERS: &[&str] = &[
    "base64",
    "b64",
    "current",
    "data",
    "decoded",
    "default",
    "dev",
    "encoded",
    "local",
    "new",
    "old",
    "parameter",
    "plain",
    "plaintext",
    "previous",
    "primary",
    "prod",
    "production",
    "raw",
    "sandbox",
    "secondary",
    "staging",
    "stg",
    "string",
    "text",
    "uat",
    "val",
    "value",
];

/// Words that make a name one about a secret instead of one of a secret.
const ABOUT: &[&str] = &[
    "address",
    "alg",
    "algorithm",
    "alias",
    "arn",
    "at",
    "attempts",
    "audience",
    "board",
    "body",
    "branch",
    "build",
    "bytes",
    "cache",
    "callback",
    "cancellation",
    "chain",
    "changed",
    "char",
    "check",
    "checksum",
    "class",
    "code",
    "column",
    "commit",
    "continuation",
    "cookies",
    "count",
    "counts",
    "created",
    "cursor",
    "date",
    "delimiter",
    "digest",
    "dir",
    "directory",
    "disabled",
    "email",
    "enabled",
    "encoding",
    "end",
    "endpoint",
    "error",
    "errors",
    "event",
    "exists",
    "expired",
    "expires",
    "expiration",
    "expiry",
    "field",
    "file",
    "filename",
    "fingerprint",
    "form",
    "format",
    "frame",
    "groups",
    "hash",
    "header",
    "hint",
    "host",
    "id",
    "ids",
    "index",
    "info",
    "input",
    "iter",
    "issuer",
    "jdk",
    "job",
    "keychain",
    "keyring",
    "keystore",
    "kind",
    "label",
    "len",
    "length",
    "level",
    "limit",
    "line",
    "list",
    "location",
    "manager",
    "map",
    "max",
    "md5",
    "message",
    "meta",
    "metadata",
    "method",
    "min",
    "missing",
    "mode",
    "msg",
    "name",
    "names",
    "needed",
    "next",
    "num",
    "number",
    "offset",
    "options",
    "page",
    "path",
    "pattern",
    "policy",
    "pos",
    "position",
    "prefix",
    "press",
    "prompt",
    "provider",
    "pub",
    "public",
    "publishable",
    "ref",
    "regex",
    "required",
    "reset",
    "ring",
    "role",
    "scope",
    "scopes",
    "selector",
    "sep",
    "separator",
    "server",
    "service",
    "set",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "size",
    "source",
    "span",
    "start",
    "state",
    "status",
    "store",
    "stream",
    "strength",
    "suffix",
    "sum",
    "table",
    "tag",
    "thumbprint",
    "time",
    "timeout",
    "title",
    "tree",
    "ttl",
    "type",
    "types",
    "updated",
    "uri",
    "url",
    "usage",
    "user",
    "username",
    "uuid",
    "valid",
    "validator",
    "version",
    "wrap",
];

/// Words in front of `key` or `token` that make it none of a secret.
pub(super) const OPEN: &[&str] = &[
    "cache",
    "continuation",
    "foreign",
    "gpg",
    "host",
    "idempotency",
    "next",
    "object",
    "page",
    "partition",
    "pgp",
    "pub",
    "public",
    "publishable",
    "restore",
    "routing",
    "site",
    "socket",
    "sort",
    "websocket",
];

/// Words in front of `key` that make it an API key or a secret one.
const KEY_KINDS: &[&str] = &[
    "access",
    "account",
    "admin",
    "api",
    "apikey",
    "app",
    "application",
    "auth",
    "authorization",
    "aws",
    "bot",
    "cipher",
    "client",
    "consumer",
    "cookie",
    "crypto",
    "decryption",
    "deploy",
    "ecdsa",
    "ed25519",
    "encryption",
    "encrypt",
    "hmac",
    "ingest",
    "integration",
    "jwt",
    "license",
    "master",
    "openai",
    "private",
    "root",
    "rsa",
    "secret",
    "security",
    "server",
    "service",
    "session",
    "shared",
    "sign",
    "signing",
    "storage",
    "stripe",
    "subscription",
    "symmetric",
    "webhook",
    "write",
];

/// What a name that is one word may end in.
const ENDINGS: &[(&str, Promise, &str)] = &[
    ("password", Promise::Chosen, "password"),
    ("passwords", Promise::Chosen, "password"),
    ("passwd", Promise::Chosen, "password"),
    ("passwort", Promise::Chosen, "password"),
    ("passphrase", Promise::Chosen, "passphrase"),
    ("passcode", Promise::Chosen, "password"),
    ("kennwort", Promise::Chosen, "password"),
    ("contrasena", Promise::Chosen, "password"),
    ("senha", Promise::Chosen, "password"),
    ("pwd", Promise::Chosen, "password"),
    ("secret", Promise::Drawn, "secret"),
    ("secrets", Promise::Drawn, "secret"),
    ("token", Promise::Drawn, "token"),
    ("pat", Promise::Drawn, "token"),
    ("apikey", Promise::Drawn, "API key"),
    ("secretkey", Promise::Drawn, "secret key"),
    ("accesskey", Promise::Drawn, "access key"),
    ("privatekey", Promise::Drawn, "private key"),
    ("authkey", Promise::Drawn, "key"),
    ("accountkey", Promise::Drawn, "account key"),
    ("encryptionkey", Promise::Drawn, "key"),
    ("signingkey", Promise::Drawn, "key"),
    ("masterkey", Promise::Drawn, "key"),
    ("sharedkey", Promise::Drawn, "key"),
    ("credential", Promise::Drawn, "credential"),
    ("credentials", Promise::Drawn, "credential"),
    ("creds", Promise::Drawn, "credential"),
    ("authorization", Promise::Drawn, "authorization"),
];

/// Whole words that promise something.
const WORDS: &[(&str, Promise, &str)] = &[
    ("pass", Promise::Chosen, "password"),
    ("dbpass", Promise::Chosen, "password"),
    ("userpass", Promise::Chosen, "password"),
    ("rootpass", Promise::Chosen, "password"),
    ("sshpass", Promise::Chosen, "password"),
    ("bearer", Promise::Drawn, "token"),
    ("psk", Promise::Drawn, "key"),
    ("auth", Promise::Perhaps, "credential"),
    ("key", Promise::Perhaps, "key"),
    ("session", Promise::Perhaps, "session"),
    ("sessionid", Promise::Perhaps, "session"),
    ("jsessionid", Promise::Perhaps, "session"),
    ("phpsessid", Promise::Perhaps, "session"),
    ("sid", Promise::Perhaps, "session"),
    ("cookie", Promise::Perhaps, "session"),
    ("seed", Promise::Perhaps, "secret"),
    ("sas", Promise::Perhaps, "secret"),
];

/// What `name` promises of its value; none if it names no secret.
pub(super) fn promise(name: &str) -> Option<Named> {
    let spread = spread(name);
    let all: Vec<&str> = spread.split('_').filter(|word| !word.is_empty()).collect();
    let mut words = all.as_slice();
    while let [before @ .., last] = words
        && !before.is_empty()
        && (QUALIFIERS.contains(last) || last.bytes().all(|b| b.is_ascii_digit()))
    {
        words = before;
    }
    let [before @ .., last] = words else { return None };
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    if ABOUT.contains(&last) && !(last == "id" && before.last() == Some(&"session")) {
        return None;
    }
    if last != "password" && before.iter().any(|word| OPEN.contains(word)) {
        return None;
    }
    let named = by_last_words(before, last).or_else(|| {
        let hinted = words.iter().any(|word| ending(word).is_some());
        hinted.then_some(Named { promise: Promise::Perhaps, kind: "secret" })
    });
    match (named, provider(words)) {
        (Some(named), Some(kind)) if named.promise != Promise::Chosen => {
            Some(Named { promise: named.promise.max(Promise::Drawn), kind })
        }
        (Some(named), None)
            if named.promise == Promise::Drawn && words.contains(&"aws") && words.contains(&"secret") =>
        {
            Some(Named { kind: "AWS secret key", ..named })
        }
        (named, _) => named,
    }
}

fn by_last_words(before: &[&str], last: &str) -> Option<Named> {
    let kind_of_key = before.last().is_some_and(|word| {
        KEY_KINDS.contains(word) || ["api", "access", "secret", "auth"].iter().any(|end| word.ends_with(end))
    });
    if matches!(last, "key" | "keys") && kind_of_key {
        let kind = match before.last() {
            Some(&"api") => "API key",
            Some(&"access") => "access key",
            Some(&"private") => "private key",
            Some(&"secret") => "secret key",
            _ => "key",
        };
        return Some(Named { promise: Promise::Drawn, kind });
    }
    if last == "base" && before.ends_with(&["secret", "key"]) {
        return Some(Named { promise: Promise::Drawn, kind: "secret key" });
    }
    let last = if last == "id" && before.last() == Some(&"session") { "session" } else { last };
    let whole = WORDS.iter().find(|(word, ..)| *word == last);
    whole.or_else(|| ending(last)).map(|&(_, promise, kind)| Named { promise, kind })
}

fn ending(word: &str) -> Option<&'static (&'static str, Promise, &'static str)> {
    ENDINGS.iter().find(|(ending, ..)| word.ends_with(ending))
}

fn provider(words: &[&str]) -> Option<&'static str> {
    PROVIDERS.iter().find(|(word, _)| words.contains(word)).map(|&(_, kind)| kind)
}

/// The company that `name` is about, unless it is about an id or the like: `heroku = ...`.
pub(super) fn of_provider(name: &str) -> Option<Named> {
    let spread = spread(name);
    let words: Vec<&str> = spread.split('_').filter(|word| !word.is_empty()).collect();
    let about = words.last().is_some_and(|last| ABOUT.contains(last));
    let named = provider(&words).filter(|_| !about && !words.contains(&"cf") && !words.contains(&"dd"));
    named.map(|kind| Named { promise: Promise::Drawn, kind })
}

/// Whether a text has the word of a hint, in letters of any case: what the pattern of the hints would find.
pub(super) fn has_hint(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    let providers = PROVIDERS.iter().map(|(word, _)| *word).filter(|word| word.len() > 2);
    HINTS.split('|').chain(providers).any(|word| small.contains(word))
}

/// The words that find names of companies.
pub(super) fn provider_hints() -> String {
    let words = PROVIDERS.iter().map(|(word, _)| *word).filter(|word| word.len() > 2);
    words.collect::<Vec<_>>().join("|")
}

/// Words in small letters with `_` between them, whatever style the name is in.
fn spread(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 8);
    let bytes = name.as_bytes();
    for (at, &b) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + 1);
        let begins = b.is_ascii_uppercase()
            && (before.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
                || before.is_some_and(u8::is_ascii_uppercase) && after.is_some_and(u8::is_ascii_lowercase));
        if begins {
            out.push('_');
        }
        out.push(if b.is_ascii_alphanumeric() { char::from(b.to_ascii_lowercase()) } else { '_' });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_decide() {
        for name in [
            "password",
            "DB_PASSWORD",
            "dbPassword",
            "spring.datasource.password",
            "PGPASSWORD",
            "PASSWORD_PROD",
            "pass",
            "userPwd2",
        ] {
            assert_eq!(promise(name).map(|named| named.promise), Some(Promise::Chosen), "{name}");
        }
        for name in [
            "apiKey",
            "X-Api-Key",
            "API_KEY_1",
            "clientSecret",
            "AWS_SECRET_ACCESS_KEY",
            "authToken",
            "_authToken",
            "SECRET_KEY_BASE",
            "DD_API_KEY",
            "client-key-data",
            "AccountKey",
            "TWILIO_AUTH_TOKEN",
        ] {
            assert_eq!(promise(name).map(|named| named.promise), Some(Promise::Drawn), "{name}");
        }
        for name in ["key", "_auth", "TOKEN_GITHUB", "session_id", "ssh_key"] {
            assert_eq!(promise(name).map(|named| named.promise), Some(Promise::Perhaps), "{name}");
        }
        for name in [
            "token_count",
            "passwordFile",
            "public_key",
            "secret_name",
            "author",
            "monkey",
            "keyboard",
            "TokenKind",
            "nextToken",
            "compass",
            "api_key_id",
            "bypass",
        ] {
            assert_eq!(promise(name), None, "{name}");
        }
    }
}
