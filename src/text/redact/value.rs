//! What a value looks like: a stand-in for a secret, a word or name, or random characters.
//!
//! Random characters are told from names by their letters: in names, most neighbours are pairs that words are made of
//! ("er", "to"), in random characters few are. The measure needs no list of words and no training, and works on eight
//! characters as on eighty.

/// The letters that often follow `a`, `b`, ... `z` in words.
const FOLLOWERS: [&[u8]; 26] = [
    b"bcdgiklmnprstuvy",
    b"aeilorsuy",
    b"aehiklortu",
    b"aeiorsuy",
    b"acdeflmnrstvxy",
    b"aefiorltu",
    b"aehilnoru",
    b"aeiortu",
    b"acdefglmnoprstvz",
    b"aeou",
    b"eisny",
    b"adeilostuy",
    b"abeimopsuy",
    b"acdegiknostuy",
    b"abcdfgklmnoprstuvw",
    b"aehiloprstu",
    b"u",
    b"acdegikmnorstuy",
    b"acehikmopsstuwy",
    b"acehiorstuwy",
    b"bcdegilmnprst",
    b"aeio",
    b"aehinors",
    b"acept",
    b"aeops",
    b"aeio",
];

/// The share of neighbours that are pairs of words, from which a value reads like a name.
const WORDLIKE: f32 = 0.45;

/// Values that documents write where a secret belongs.
const STAND_INS: &[&str] = &[
    "<nil>",
    "abc123",
    "apikey",
    "bar",
    "baz",
    "bool",
    "boolean",
    "bytes",
    "changeit",
    "changeme",
    "confidential",
    "credential",
    "credentials",
    "dummy",
    "empty",
    "encrypted",
    "example",
    "fake",
    "false",
    "filtered",
    "float",
    "foo",
    "foobar",
    "hidden",
    "int",
    "integer",
    "invalid",
    "key",
    "masked",
    "missing",
    "mypass",
    "mypassword",
    "mysecret",
    "mytoken",
    "nil",
    "no",
    "none",
    "null",
    "number",
    "object",
    "omitted",
    "optional",
    "pass",
    "passphrase",
    "passw0rd",
    "passwd",
    "password",
    "placeholder",
    "private",
    "pw",
    "pwd",
    "redacted",
    "removed",
    "required",
    "sample",
    "secret",
    "secure",
    "self",
    "string",
    "tbd",
    "test",
    "this",
    "todo",
    "token",
    "true",
    "undefined",
    "unset",
    "value",
    "yes",
];

/// What a stand-in of several words begins with: `your-api-key`, `<insert token>`.
const STAND_IN_STARTS: &[&str] =
    &["your", "insert", "replace", "enter", "put-", "put_", "some-", "some_", "change-", "change_", "fill"];
const STAND_IN_ENDS: &[&str] = &["here", "placeholder", "goes-here", "_example", "-example"];

/// Calls and paths of programs that fetch a secret; the secret itself is elsewhere.
const LOOKUPS: &[&str] = &[
    "os.environ",
    "os.getenv",
    "process.env",
    "import.meta.env",
    "System.getenv",
    "secrets.",
    "vars.",
    "env.",
    "ENV[",
    "op://",
    "vault:",
    "ssm:",
    "arn:aws",
    "projects/",
    "!vault",
    "!Ref",
    "!Sub",
    "!reference",
    "file:",
    "env:",
    "keyring:",
];

/// Whether `value` stands for a secret that is elsewhere or unknown: a variable, a template, a mask, a word of a
/// document. Famous defaults such as `changeme` are among them: everybody knows them, and a message that names one
/// ("still uses changeme") loses its meaning without it.
pub(super) fn is_stand_in(value: &str) -> bool {
    let bare = value.trim_matches(|c: char| c.is_whitespace() || "\"'`,;".contains(c));
    is_template(bare)
        || is_mask(bare)
        || LOOKUPS.iter().any(|lookup| bare.starts_with(lookup))
        || is_document_word(bare)
}

/// Whether a variable or a hole is filled in later: `$PASSWORD`, `${{ secrets.X }}`, `<password>`, `%s`, `{token}`.
fn is_template(value: &str) -> bool {
    let name = |text: &str| {
        !text.is_empty()
            && !text.starts_with(|c: char| c.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:-[]'\"!? ".contains(&b))
    };
    let enclosed = |open: &str, close: &str| {
        value.split(open).skip(1).any(|rest| rest.split_once(close).is_some_and(|(inner, _)| name(inner.trim())))
    };
    value.strip_prefix('$').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        || value.starts_with("$(")
        || value.starts_with('`')
        || value.contains("${")
        || value.contains("{{")
        || value.contains("#{")
        || value.contains("<%")
        || value.starts_with("%(")
        || value.contains("%s")
        || matches!(value, "%v" | "%d" | "%q" | "{}" | "?" | ":?" | "%@")
        || value.starts_with('%') && value.ends_with('%')
        || value.starts_with('<') && value.ends_with('>')
        || value.starts_with("&lt;")
        || value.starts_with('[') && value.ends_with(']')
        || value.starts_with('(') && value.ends_with(')')
        || value.starts_with("__") && value.ends_with("__")
        || enclosed("{", "}")
        || value.strip_prefix(':').is_some_and(name)
}

/// Whether nothing but a filler is shown: `****`, `xxxx-xxxx`, `...`, `1234567890`.
fn is_mask(value: &str) -> bool {
    let filler = |c: char| "*xX.-_#?•…●0".contains(c);
    if value.chars().all(filler) || value.contains("****") || value.contains("...") || value.contains('…') {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    lower.contains("xxxx") || value.len() >= 6 && (distinct(value) <= 2 || is_sequence(value))
}

/// Whether most characters are the ones after their neighbours, as in `123456` and `abcdefgh`.
fn is_sequence(value: &str) -> bool {
    let steps = value.bytes().zip(value.bytes().skip(1));
    let (up, all) = steps.fold((0, 0), |(up, all), (a, b)| (up + usize::from(a.wrapping_add(1) == b), all + 1));
    up * 10 >= all * 7
}

fn is_document_word(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    STAND_INS.binary_search(&lower.as_str()).is_ok()
        || stem.len() < lower.len() && STAND_INS.binary_search(&stem).is_ok()
        || STAND_IN_STARTS.iter().any(|start| lower.starts_with(start)) && is_wordlike(&lower)
        || STAND_IN_ENDS.iter().any(|end| lower.ends_with(end)) && is_wordlike(&lower)
        || ["redacted", "example", "placeholder", "dummy", "changeme"].iter().any(|word| lower.contains(word))
            && lower.len() < 40
            && is_wordlike(&lower)
}

/// Whether `value` reads like a word or like a name made of words.
pub(super) fn is_wordlike(value: &str) -> bool {
    wordlike(value) >= WORDLIKE
}

/// The share of neighbouring characters that are a pair of words, in 0..=1.
pub(super) fn wordlike(value: &str) -> f32 {
    let pairs = value.len().saturating_sub(1).max(1);
    let common = value.bytes().zip(value.bytes().skip(1)).filter(|&(a, b)| is_common(a, b)).count();
    common as f32 / pairs as f32
}

/// The same without the neighbours that a dash, dot or underscore is one of.
pub(super) fn wordlike_parts(value: &str) -> f32 {
    let joins = |b: u8| b"-_.".contains(&b);
    let apart = value.bytes().zip(value.bytes().skip(1)).filter(|&(a, b)| joins(a) || joins(b)).count();
    let pairs = value.len().saturating_sub(1);
    wordlike(value) * pairs as f32 / pairs.saturating_sub(apart).max(1) as f32
}

/// A capital after a small letter begins a word and pairs with nothing.
fn is_common(a: u8, b: u8) -> bool {
    let same_word =
        a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && !(a.is_ascii_lowercase() && b.is_ascii_uppercase());
    let followers = FOLLOWERS.get(usize::from(a.to_ascii_lowercase().wrapping_sub(b'a')));
    same_word && followers.is_some_and(|followers| followers.contains(&b.to_ascii_lowercase()))
}

/// Whether `value` is made of at least `least` characters that look drawn by chance: letters with digits, or letters
/// of both cases in no order of words.
pub(super) fn is_random(value: &str, least: usize) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|b| test(&b));
    let letters = has(u8::is_ascii_alphabetic);
    let mixed = letters && has(u8::is_ascii_digit)
        || value.len() >= 20 && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
        || letters && value.bytes().filter(|b| b"!@#$%^&*+=~?".contains(b)).count() >= 2;
    if is_uuid(value) {
        return distinct(value) > 5;
    }
    value.len() >= least
        && mixed
        && value.bytes().all(|b| b.is_ascii_graphic())
        && !["://", "\\w", "\\d", "\\s", "[^", "%s", "..."].iter().any(|syntax| value.contains(syntax))
        && (value.len() < 16 || changes(value) * 8 >= value.len())
        && !value.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()))
        && (!is_wordlike(value) || is_hex(value))
        && !is_path(value)
        && !is_date(value)
        && entropy(value) >= if value.len() >= 16 { 2.9 } else { 2.2 }
        && !is_sequence(value)
}

/// Whether all characters are hexadecimal digits, as in digests, commits and many keys.
pub(super) fn is_hex(value: &str) -> bool {
    value.len() >= 16 && value.bytes().all(|b| b.is_ascii_hexdigit()) && value.bytes().any(|b| b.is_ascii_digit())
}

/// Whether `value` is a UUID.
pub(super) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// Whether `value` is written like the path of a file; a key in base64 may begin with a slash too.
pub(super) fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/", "\\\\"].iter().any(|root| value.starts_with(root))
        || value.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/");
    let parted = value.matches(['/', '\\']).count() >= 1;
    let folder = value
        .strip_prefix('/')
        .and_then(|rest| rest.split_once('/'))
        .is_some_and(|(folder, _)| folder.len() >= 3 && folder.bytes().all(|b| b.is_ascii_lowercase()));
    folder || rooted && wordlike(value) >= 0.25 || parted && wordlike(value) >= 0.35
}

fn is_date(value: &str) -> bool {
    let digits =
        |range: std::ops::Range<usize>| value.get(range).is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()));
    digits(0..4) && digits(5..7) && digits(8..10) && value.get(4..5) == Some("-") && value.get(7..8) == Some("-")
}

/// How often letters of one case, letters of the other and digits follow each other. Names change at their parts,
/// characters drawn by chance about at every second one.
pub(super) fn changes(value: &str) -> usize {
    let class = |b: u8| match b {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let pairs = value.bytes().zip(value.bytes().skip(1));
    pairs.filter(|&(a, b)| class(a) != class(b) && class(a) < 3 && class(b) < 3).count()
}

/// Number of different bytes.
pub(super) fn distinct(value: &str) -> u32 {
    let set = value.bytes().fold([0u128; 2], |mut set, b| {
        if let Some(half) = set.get_mut(usize::from(b >> 7)) {
            *half |= 1 << (b & 127);
        }
        set
    });
    set.iter().map(|half| half.count_ones()).sum()
}

/// Shannon's entropy, bits for each byte, in 0..=8.
pub(super) fn entropy(value: &str) -> f32 {
    let mut counts = [0u32; 256];
    for b in value.bytes() {
        if let Some(count) = counts.get_mut(usize::from(b)) {
            *count += 1;
        }
    }
    let all = value.len().max(1) as f32;
    counts.iter().filter(|&&count| count > 0).map(|&count| count as f32 / all).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_sorted() {
        assert!(STAND_INS.is_sorted());
    }

    #[test]
    fn names_are_no_random_characters() {
        let names = [
            "get_access_token",
            "my-service-account-1",
            "KEY_BACKSPACE2",
            "application/x-www-form-urlencoded",
            "Authorization2Header",
            "2024-05-01T10:00:00Z",
            "/etc/ssl/private/server2.key",
            "https://example.com/a1b2c3",
            "0x14ed93111f20057",
            "kubernetes.io/service-account-token",
        ];
        for name in names {
            assert!(!is_random(name, 8), "{name} {}", wordlike(name));
        }
        for random in [
            "q8Zt3LmW0xKd5RfV",
            "9f86d081884c7d659a2feaa0c55ad015",
            "s3cr3t-t0ken",
            "k3y!P@ss9",
            "/bX9/Kq3LmT0vWzR8yQ1",
        ] {
            assert!(is_random(random, 8), "{random} {}", wordlike(random));
        }
    }

    #[test]
    fn stand_ins_are_told_from_secrets() {
        let stand_ins = [
            "$PASSWORD",
            "${DB_PASS:-x}",
            "${{ secrets.TOKEN }}",
            "{{ .Values.token }}",
            "<password>",
            "****",
            "xxxxxxxx",
            "changeme",
            "your-api-key",
            "YOUR_TOKEN_HERE",
            "%s",
            "{token}",
            "[redacted: password]",
            "[secure]",
            "None",
            "os.environ[\"X\"]",
            "process.env.TOKEN",
            "123456",
            "$(cat file)",
            "password123",
            "...",
            "%PASS%",
            "__TOKEN__",
        ];
        for value in stand_ins {
            assert!(is_stand_in(value), "{value}");
        }
        for value in ["hunter2", "pa$$w0rd!7", "S3cr3t", "correct-horse", "$2b$weird", "Tr0ub4dor&3", "{9x,]k:2@w"] {
            assert!(!is_stand_in(value), "{value}");
        }
    }
}
