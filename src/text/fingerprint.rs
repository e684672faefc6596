//! The fingerprint of an error: a hash that two occurrences of it share.
//!
//! Goes further than [`super::mask()`], on whose text it builds: that text is embedded and read, and small numbers,
//! hosts and names of nodes carry meaning there; a hash is of no use when one of them differs. Here every number goes,
//! unless it is a code, a well-known port, a version or part of a short name (`eth0`, `sha256`): what tells errors
//! apart stays. Words stay, apart from who it was (`user=`) and where (a host's name).
//!
//! The version rises with every change here, in the masks and in the salient lines, since hashes of different texts
//! must not be compared. Measured by `ken bench fingerprint`, see docs/benchmarks.md.

use super::digest::sha256_hex;
use super::mask::{is_address, is_code, is_host_ending};
use super::pattern::{pattern, pieces};
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Version of the masks, the prefix of every fingerprint.
pub const FINGERPRINT_VERSION: &str = "v2";

/// What stands for anything that varies.
const ANY: &str = "<*>";

/// What masks leave in angle brackets. Anything else there is somebody's text: `Vec<String>`.
const MARKS: &[&str] = &[
    "*", "ip", "number", "time", "hex", "addr", "port", "line", "duration", "url", "uuid", "id", "pod", "tmp", "email",
    "mac", "digest", "account",
];
/// Length of the longest of them.
const MAX_MARK: usize = 10;

/// Ends of the names of hosts that only a cluster or a network of one's own knows.
const PRIVATE_ENDINGS: &[&str] = &[".local", ".internal", ".svc"];

/// Digit runs from which on a word is an id.
const ID_RUNS: usize = 3;

/// What varies and takes more than a word.
static PHRASES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)
          (?P<date>\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\ +)?
             (?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\ +\d{1,2}|\d{1,2}[\ -](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*)
             (?:[\ ,-]+\d{4})?(?:\ +<time>)?(?:\ (?:UTC|GMT|[A-Z]{2,3}T|[+-]\d{4}))?(?:\ \d{4})?\b)
        | \b(?P<method>GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\ \S+(?P<http>\ HTTP/\d(?:\.\d)?)
        | (?P<who>\b\w*(?:user|username|logname|host|hostname)=["']?|\b(?:for|invalid|unknown|illegal)\ user\ ["']?)[\w.@<>*-]+
        | (?P<colons>\b(?:[0-9a-fA-F]{1,4}:{1,2}){3,}[0-9a-fA-F]{1,4}\b)
        | (?P<size>\b\d+(?:[.,]\d+)*(?:\ ?%|\ (?:[KMGTPkmgtp]?i?B|[kmgt]b|bytes)\b))
        "#,
    )
});

/// Of what a text that [`PHRASES`] matches holds one at least, dates and names.
const PHRASE_WORDS: [&str; 17] = [
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
    "HTTP/",
    "user",
    "host=",
    "hostname=",
    "logname=",
];

/// Whether [`PHRASES`] may match. Most texts are told without the pattern, which takes half a millisecond to be made.
fn may_hold_phrase(text: &str) -> bool {
    let is_unit = |byte: u8| b"%KMGTPkmgtpiBb".contains(&byte);
    let is_size =
        |three: &[u8]| three[0].is_ascii_digit() && (three[1] == b'%' || three[1] == b' ' && is_unit(three[2]));
    text.bytes().filter(|byte| *byte == b':').count() >= 3
        || text.ends_with('%')
        || text.as_bytes().windows(3).any(is_size)
        || PHRASE_WORDS.iter().any(|word| text.contains(word))
}

/// Several that are joined are as good as one: dates, coordinates.
static RUNS: LazyLock<Regex> = LazyLock::new(|| pattern(r"<\*>(?:[.,:/_@-]?<\*>)+\B"));

/// What two occurrences of an error have in common, of masked text.
pub fn shape(masked: &str) -> String {
    let one = |found: &Captures<'_>| {
        let named = |name: &str| found.name(name).map(|m| m.as_str());
        match (named("method"), named("http"), named("who")) {
            (Some(method), Some(http), _) => format!("{method} {ANY}{http}"),
            (_, _, Some(who)) => format!("{who}{ANY}"),
            _ => ANY.to_owned(),
        }
    };
    let phrases = |piece| if may_hold_phrase(piece) { PHRASES.replace_all(piece, one) } else { Cow::Borrowed(piece) };
    let words = words(&pieces(masked).into_iter().map(phrases).collect::<String>());
    // Two that might be joined.
    let has_runs = words.matches(ANY).nth(1).is_some();
    join_lists(&if has_runs { RUNS.replace_all(&words, ANY) } else { Cow::Borrowed(words.as_str()) })
}

/// Judges every word: letters, digits, marks of masks, and what may stand within, after a sign.
fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < text.len() {
        let (start, first) = (at, at + usize::from(matches!(text.as_bytes()[at], b'+' | b'-')));
        let mut end = first + piece(text, first, b"_");
        if end == first {
            at += 1;
            continue;
        }
        loop {
            let more = piece(text, end, b"_.~+-");
            end += more;
            if more == 0 {
                break;
            }
        }
        out.push_str(&text[copied..start]);
        word(&text[..start], &text[start..end], &text[end..], &mut out);
        (at, copied) = (end, end);
    }
    out.push_str(&text[copied..]);
    out
}

/// How many bytes at `at` are part of a word: a letter, a digit, one of `others`, or the mark of a mask.
fn piece(text: &str, at: usize, others: &[u8]) -> usize {
    match text.as_bytes().get(at) {
        Some(b) if b.is_ascii_alphanumeric() || others.contains(b) => 1,
        Some(b'<') => mark(&text[at..]).map_or(0, str::len),
        _ => 0,
    }
}

/// The mark that `text` begins with, such as `<ip>`.
fn mark(text: &str) -> Option<&str> {
    let end = text.bytes().take(MAX_MARK).position(|b| b == b'>')? + 1;
    MARKS.contains(&&text[1..end - 1]).then_some(&text[..end])
}

/// Makes lists of any length one item, and white space one space.
fn join_lists(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = 0;
    for word in text.split_whitespace() {
        let before = out[last..].trim_end_matches(',');
        let again = word.contains(ANY) && before == word.trim_end_matches(',');
        let follows = match (before.strip_suffix(ANY), word.strip_prefix(ANY)) {
            (Some(head), Some(rest)) => {
                !head.ends_with(|c: char| c.is_ascii_alphanumeric())
                    && !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "._-<".contains(c))
            }
            _ => false,
        };
        if again {
            out.truncate(last);
        } else if follows {
            let end = last + before.len() - ANY.len();
            out.truncate(end);
        } else {
            if !out.is_empty() {
                out.push(' ');
            }
            last = out.len();
        }
        out.push_str(word);
    }
    out
}

/// Hash of masked text, case and white space aside: `v2:` and 16 hex digits.
pub fn fingerprint(masked: &str) -> String {
    format!("{FINGERPRINT_VERSION}:{}", &sha256_hex(shape(masked).to_lowercase().as_bytes())[..16])
}

/// Writes what of a word stays, given what stands around it.
fn word(before: &str, word: &str, after: &str, out: &mut String) {
    let bare = word.trim_start_matches(['+', '-']);
    let (sign, core) = (&word[..word.len() - bare.len()], bare.trim_end_matches(['.', '-', '~', '+', '_']));
    let tail = &bare[core.len()..];
    let varies = core.bytes().any(|b| b == b'<' || b.is_ascii_digit()) || is_hex(core);
    if is_host(core, after) {
        // They fail for other reasons than names of the internet.
        let private = PRIVATE_ENDINGS.iter().find(|ending| core.ends_with(*ending)).unwrap_or(&"");
        [ANY, private, tail].iter().for_each(|part| out.push_str(part));
    } else if !varies || stays(before, core, after) {
        out.push_str(word);
    } else {
        let shape = if is_size(core) { ANY.to_owned() } else { chunks(core) };
        let sign = if shape.starts_with(ANY) { "" } else { sign };
        [sign, &shape, tail].iter().for_each(|part| out.push_str(part));
    }
}

/// Whether a word with numbers tells errors apart.
fn stays(before: &str, word: &str, after: &str) -> bool {
    let joined = before.ends_with(['=', ':', ',', '.']) || after.starts_with([',', '.', ':', '/', '-']);
    is_code(before, word, after)
        || is_status(word) && !joined
        || is_family_code(word)
        || is_name(word) && !is_hex(word)
        || is_version(word) && !is_measure(word, after)
        || before.ends_with("version ")
        || is_number_with_dot(word) && before.ends_with('/')
}

/// Whether a number is a status of HTTP that reports a failure; they are told apart wherever they stand by themselves.
fn is_status(number: &str) -> bool {
    let code = number.parse().unwrap_or(0_u16);
    matches!(code, 400 | 401 | 403..=405 | 407..=410 | 413 | 415 | 422 | 429 | 431 | 451 | 500..=504)
}

/// `E0382`, `TS2304`, `AADSTS50011`, `ORA-00942`, `CVE-2021-44228`, `ERR_NGROK_108`.
fn is_family_code(word: &str) -> bool {
    let letters = word.bytes().take_while(|b| b.is_ascii_uppercase() || *b == b'_').count();
    let rest = &word[letters..];
    if word[..letters].contains('_') {
        return word[..letters].ends_with('_') && is_number(rest) && (3..=5).contains(&rest.len());
    }
    match rest.strip_prefix('-') {
        Some(rest) => {
            (2..=8).contains(&letters)
                && rest.split('-').count() <= 2
                && rest.split('-').all(|part| is_number(part) && (3..=6).contains(&part.len()))
        }
        None => {
            (1..=8).contains(&letters) && is_number(rest) && (3..=if letters > 1 { 7 } else { 5 }).contains(&rest.len())
        }
    }
}

/// Letters with a short number among them, or several such with dots between: `eth0`, `sha256`, `k8s`, `v1beta1`,
/// `t3.micro`.
fn is_name(word: &str) -> bool {
    let letters = |text: &str| text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    word.split('.').all(|label| {
        let first = letters(label);
        let number = digits(&label[first..]);
        let second = letters(&label[first + number..]);
        let rest = &label[first + number + second..];
        first > 0 && number <= 3 && (rest.is_empty() || second >= 4 && rest.len() <= 2 && is_number(rest))
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_number_with_dot(text: &str) -> bool {
    text.split_once('.').is_some_and(|(a, b)| is_number(a) && is_number(b))
}

/// `3.12`, `v1.2.3`, `python3.12`, `1.2.3-rc.1`, but no address, no `24.0` and no `0.6667`.
fn is_version(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let core = word.split(['-', '+']).next().unwrap_or(word);
    let parts: Vec<&str> = core.split('.').collect();
    if parts.len() < 2 || !parts.iter().all(|part| is_number(part)) || is_address(core) {
        return false;
    }
    match parts.as_slice() {
        [major, minor] => {
            major.len() <= 2
                && minor.len() <= if *major == "0" { 2 } else { 3 }
                && !minor.bytes().all(|b| b == b'0')
                && core.len() == word.len()
        }
        parts => parts[0].len() <= 4 && parts.iter().all(|part| *part == "0" || !part.starts_with('0')),
    }
}

/// A number by itself or with the unit of a size: `24.0`, `1.5GB`.
fn is_size(word: &str) -> bool {
    let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = word[number.len()..].to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit).trim_end_matches('i');
    matches!(unit, "" | "k" | "m" | "g" | "t" | "p") && (is_number(number) || is_number_with_dot(number))
}

/// A decimal before a unit: `1.25 seconds`.
fn is_measure(word: &str, after: &str) -> bool {
    const UNITS: &[&str] =
        &["s", "sec", "secs", "seconds", "ms", "us", "ns", "min", "mins", "minutes", "h", "hours", "milliseconds"];
    let unit = after.strip_prefix(' ').unwrap_or(after);
    let end = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
    is_number_with_dot(word) && UNITS.contains(&&unit[..end])
}

/// `node-12.example.com`, `example.com:8443`; no package (`com.example.app`) and no group of an API
/// (`networking.k8s.io/v1`).
fn is_host(word: &str, after: &str) -> bool {
    let mut labels = word.split('.');
    let first = labels.next().unwrap_or("");
    let last = labels.next_back().unwrap_or("");
    let many = labels.next().is_some();
    let port =
        after.starts_with(":<port>") || after.starts_with(':') && after[1..].starts_with(|c: char| c.is_ascii_digit());
    (many || port) && is_host_ending(last) && !is_host_ending(first) && !after.starts_with("/v")
}

/// What of a word stays that is neither code nor name: versions and letters. A word of many numbers is an id.
fn chunks(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut runs = 0;
    let compound = word.contains(['-', '_', '~', '+']);
    let mut rest = word;
    while !rest.is_empty() {
        let end = rest.find(['-', '_', '~', '+']).unwrap_or(rest.len());
        let chunk = &rest[..end];
        if is_hex(chunk) || compound && is_tag(chunk) {
            push_any(&mut out);
            runs += 1;
        } else if is_version(chunk) {
            out.push_str(chunk);
        } else {
            runs += digits(chunk, &mut out);
        }
        let next = (end + 1).min(rest.len());
        out.push_str(&rest[end..next]);
        rest = &rest[next..];
    }
    if runs >= ID_RUNS {
        return ANY.to_owned();
    }
    out
}

/// Writes a piece of a word with its numbers and masks replaced; returns how many there were.
fn digits(chunk: &str, out: &mut String) -> usize {
    let mut runs = 0;
    let mut rest = chunk;
    while let Some(at) = rest.find(|c: char| c == '<' || c.is_ascii_digit()) {
        out.push_str(&rest[..at]);
        push_any(out);
        runs += 1;
        rest = &rest[at..];
        let end = match rest.starts_with('<') {
            true => rest.find('>').map_or(rest.len(), |end| end + 1),
            false => rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()),
        };
        rest = &rest[end..];
    }
    out.push_str(rest);
    runs
}

/// Puts what stands for a number; the sign of `blk_-123` and the joint of `part-0` go with it.
fn push_any(out: &mut String) {
    let bare = out.strip_suffix('-').unwrap_or(out);
    let bare = bare.strip_suffix(['_', '-', '.']).unwrap_or(bare);
    out.truncate(bare.len());
    if !out.ends_with(ANY) {
        out.push_str(ANY);
    }
}

/// Six hex digits or more of one case with a number among them, `0x1f`, or one digit over and over.
fn is_hex(text: &str) -> bool {
    if let Some(digits) = text.strip_prefix("0x") {
        return digits.bytes().all(|b| b.is_ascii_hexdigit());
    }
    let all = |range: std::ops::RangeInclusive<u8>| text.bytes().all(|b| b.is_ascii_digit() || range.contains(&b));
    let telling = text.bytes().any(|b| b.is_ascii_digit()) || text.bytes().all(|b| Some(&b) == text.as_bytes().first());
    text.len() >= 6 && telling && (all(b'a'..=b'f') || all(b'A'..=b'F'))
}

/// A letter or two with a number, which count within a compound: `rack_a12`, `us-east-1a`.
fn is_tag(chunk: &str) -> bool {
    let letters = chunk.bytes().filter(u8::is_ascii_alphabetic).count();
    letters <= 2 && chunk.bytes().any(|b| b.is_ascii_digit()) && chunk.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::super::mask::mask;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_holds_a_phrase_may_hold_one(
            parts in prop::collection::vec(prop::sample::select(vec![
                "Mon, ", "Jan", "uary", " 12", " ", "2024", "<time>", "GET", " /a", " HTTP/1.1", "user=", "host=", "a",
                "logname", "hostname", "=", "for ", "user ", "b", "fe80:", ":", "1", "0a", "5", ".5", "%", " %", " KiB",
                " kb", " bytes", " B", "B",
            ]), 0..8),
        ) {
            let text = parts.concat();
            prop_assert!(may_hold_phrase(&text) || !PHRASES.is_match(&text), "{text:?}");
        }
    }

    fn of(raw: &str) -> String {
        shape(&mask(raw))
    }

    #[test]
    fn what_tells_errors_apart_stays() {
        let cases = [
            "error[E0382]: borrow of moved value",
            "src.ts: error TS2304: Cannot find name",
            "ORA-00942: table or view does not exist",
            "fixed for CVE-2021-44228",
            "AADSTS50011: the reply URL does not match",
            "ERR_NGROK_108",
            "upstream answered HTTP 502",
            "502 Bad Gateway",
            "got 429 from the registry",
            "status code: 404",
            "statusCode=403",
            "GET <*> HTTP/1.1 500",
            "exited with exit code 137",
            "returned a non-zero code: 1",
            "killed by signal 9",
            "status=203/EXEC",
            "connect ECONNREFUSED",
            "[Errno 13] Permission denied",
            "(os error 2)",
            "curl: (6) no such host",
            "connect() failed (111: Connection refused)",
            "ERROR 1045 (28000): Access denied",
            "SQLSTATE 23505",
            "SQLSTATE[42S02]",
            "[WinError 10061]",
            "HRESULT: 0x80070005",
            "dial tcp <*>:5432",
            "listening on :443",
            "port 27017 is in use",
            "requires python 3.12.1, numpy 1.26 and node v20.11.0",
            "numpy-1.26.4 against libssl1.1",
            "Python2 and python3, sha1 and sha256, k8s, s3, eth0, ipv6",
            "no matches for kind in version networking.k8s.io/v1beta1",
            "at com.example.app.Main",
            "expected Vec<String>, found Vec<u8>",
        ];
        for case in cases {
            assert_eq!(of(case), case);
        }
    }

    #[test]
    fn what_varies_is_equal() {
        let cases = [
            ("3 of 12 pods are ready", "<*> of <*> pods are ready"),
            ("uid=0 euid=1000 user=root", "uid=<*> euid=<*> user=<*>"),
            ("invalid user bob from 10.0.0.7 port 51234", "invalid user <*> from <*> port <*>"),
            ("took 1.25 seconds, 93.5 KB of 2GB, 97% full", "took <*> seconds, <*> of <*> full"),
            ("progress 0.6667 in stage 24.0 after -3.5 h", "progress <*> in stage <*> after <*> h"),
            ("worker-3 lost part-00012 of blk_-160899968", "worker<*> lost part<*> of blk<*>"),
            ("core.1234 at 0x1f, mask ffffffff", "core<*> at <*>, mask <*>"),
            ("blocks [12, 13, 14] of sizes 1,234,567", "blocks [<*>] of sizes <*>"),
            ("blk_1 blk_2 blk_3 are lost", "blk<*> are lost"),
            ("at Sat Jun 18 02:08:12 2005 and 17/Jun/2005", "at <*> and <*>/Jun/<*>"),
            ("Jun  3 10:00:00 it stopped", "<*> it stopped"),
            ("\"GET /v2/a/b HTTP/1.1\" status: 200 len: 1893", "\"GET <*> HTTP/1.1\" status: 200 len: <*>"),
            ("no route to node-12.eu.example.com", "no route to <*>"),
            ("proxy.example.com:8443 and ws.example.com:51234", "<*>:8443 and <*>"),
            ("no such host: a.b.svc.cluster.local", "no such host: <*>.local"),
            ("fe80::c6b3:1ff:fecd:467f is a neighbour of 52:54:00:aa:bb:cc", "<*> is a neighbour of <*>"),
            ("attempt_1445144423722_0020_m_000001_0 failed", "<*> failed"),
            ("in us-east-1a: rack_a12", "in us-east<*>: rack<*>"),
        ];
        for (raw, expected) in cases {
            assert_eq!(of(raw), expected, "{raw}");
        }
    }

    #[test]
    fn equal_errors_have_equal_fingerprints() {
        let at = |path: &str, id: &str| fingerprint(&mask(&format!("Error: {path}: lock {id} is held")));
        assert_eq!(
            at("/a/b/state.tf", "f9763602-b03f-e35c-da30-4083cdbb99ae"),
            at("/x/state.tf", "00000000-b03f-e35c-da30-4083cdbb99ae")
        );
        assert_eq!(at("/a/b/state.tf", "1"), at("/a/b/state.tf", "20"));
        assert_ne!(at("/a/b/state.tf", "1"), at("/a/b/other.tf", "1"));
        assert_eq!(fingerprint("Lock  IS\theld"), fingerprint("lock is held"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_text_has_a_shape(text in r"\PC{0,80}|[0-9a-fx<>*:=/.,_ -]{0,60}|[A-Za-z0-9 .:/=<*>()-]{0,80}") {
            fingerprint(&mask(&text));
        }

        /// Words as logs have them; in arbitrary text what is left by one mask may look like something else to the
        /// next.
        #[test]
        fn masks_find_nothing_twice(words in prop::collection::vec(prop_oneof![
            "[a-zA-Z]{1,9}", "[0-9]{1,9}", "-?[0-9]{1,3}\\.[0-9]{1,4}", "[a-z]{1,5}[0-9]{1,6}", "[a-z]{1,5}[-_][a-z]?[0-9]{1,6}",
            "(error|code|status|exit|port|HTTP|version|size|user)[ =:]{1,2}[0-9]{1,6}", "[A-Z]{1,5}-?[0-9]{1,7}", "[0-9a-f]{4,16}",
            "0x[0-9a-f]{1,12}", "[0-9]{1,3}(\\.[0-9]{1,3}){3}(:[0-9]{1,5})?", "(/[a-z0-9]{1,5}){1,3}", "[a-z0-9]{1,5}(\\.[a-z0-9]{1,5}){1,3}",
            "[0-9]{1,4} ?(KB|ms|MB|%)", "[0-9]{1,2}:[0-9]{2}:[0-9]{2}", "Jun [0-9]{1,2} at", "[a-z]{2,4}=[a-z0-9]{1,4}"
        ], 0..9)) {
            let masked = mask(&words.join("; "));
            prop_assert_eq!(&mask(&masked), &masked);
            let once = shape(&masked);
            prop_assert_eq!(shape(&once), once);
        }
    }
}
