//! Words for keyword search over error text: an identifier counts whole and in its parts, a code counts as it is.
//!
//! `aws_s3_bucket` gives itself and `aws`, `s3`, `bucket`; `BucketAlreadyExists` gives itself and its humps; `E0382`
//! and `0.14` stay whole. Plain English words lose their inflection (a light suffix stripper: plural, -ing, -ed), so
//! that "locking" finds "lock". Stop words are left out.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Longer words are data, not language.
const MAX_WORD_BYTES: usize = 64;

/// Most frequent English function words: they tell nothing about an error. "not" and "no" stay.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did", "do", "does", "for", "from", "had",
    "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "so",
    "some", "than", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you", "your", "am", "im",
    "after", "all", "also", "any", "because", "just", "like", "get", "got", "gets", "getting", "s", "t", "says", "say",
    "tells", "tell", "keeps", "keep", "even", "though", "about", "only", "still",
];

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP.iter().copied().collect());

/// Hears every token of a text in order, lower case, repeats included. Nothing is allocated per token: all of canon is
/// read through here before a question can be answered by keywords.
pub fn for_each_token(text: &str, mut hear: impl FnMut(&str)) {
    let mut buffer = String::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))) {
        let word = word.trim_matches(['.', '-', '_']);
        if word.is_empty() || word.len() > MAX_WORD_BYTES {
            continue;
        }
        let mut parts = 0;
        for_each_part(word, |_| parts += 1);
        if parts > 1 {
            lower_into(&mut buffer, word);
            hear(&buffer);
        }
        for_each_part(word, |part| {
            lower_into(&mut buffer, part);
            let telling = buffer.len() > 1 || buffer.bytes().all(|b| b.is_ascii_digit());
            if telling && !STOP_WORDS.contains(buffer.as_str()) {
                stem(&mut buffer);
                hear(&buffer);
            }
        });
    }
}

/// Tokens of a text in order, lower case, repeats included.
pub fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for_each_token(text, |token| out.push(token.to_owned()));
    out
}

fn lower_into(buffer: &mut String, word: &str) {
    buffer.clear();
    if word.is_ascii() {
        buffer.push_str(word);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Splits at `_`, `-`, `.` (not inside a number) and at humps; a run of capitals is one part (`HTTPServer`: HTTP, Server).
fn for_each_part<'a>(word: &'a str, mut hear: impl FnMut(&'a str)) {
    if word.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return hear(word);
    }
    for piece in word.split(['_', '-', '.']).filter(|piece| !piece.is_empty()) {
        let mut start = 0;
        let mut before: Option<char> = None;
        let mut chars = piece.char_indices().peekable();
        while let Some((at, here)) = chars.next() {
            let next_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            let hump =
                before.is_some_and(|b| here.is_uppercase() && (b.is_lowercase() || (b.is_uppercase() && next_lower)));
            if hump {
                hear(&piece[start..at]);
                start = at;
            }
            before = Some(here);
        }
        hear(&piece[start..]);
    }
}

/// Takes off plural, -ing and -ed where a stem of four letters or more remains.
fn stem(word: &mut String) {
    if !word.is_ascii() || word.bytes().any(|b| b.is_ascii_digit()) {
        return;
    }
    let keep = |word: &str, suffix: &str| word.ends_with(suffix) && word.len() >= suffix.len() + 3;
    if keep(word, "ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.ends_with("sses") {
        word.truncate(word.len() - 2);
    } else if keep(word, "s") && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        word.truncate(word.len() - 1);
    }
    for suffix in ["ing", "ed"] {
        if word.ends_with(suffix) && word.len() >= suffix.len() + 4 {
            word.truncate(word.len() - suffix.len());
            let bytes = word.as_bytes();
            let n = bytes.len();
            if bytes[n - 1] == bytes[n - 2] && !matches!(bytes[n - 1], b'l' | b's') {
                word.truncate(n - 1);
            }
            break;
        }
    }
    if word.len() > 4 && word.ends_with('e') {
        word.truncate(word.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_count_whole_and_in_parts() {
        assert_eq!(tokens("aws_s3_bucket"), ["aws_s3_bucket", "aws", "s3", "bucket"]);
        assert_eq!(tokens("BucketAlreadyExists"), ["bucketalreadyexists", "bucket", "already", "exist"]);
        assert_eq!(tokens("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(tokens("error[E0382]: v0.14"), ["error", "e0382", "v0.14", "v0", "14"]);
    }

    #[test]
    fn words_lose_their_inflection() {
        assert_eq!(tokens("locking locked locks lock"), ["lock"; 4]);
        assert_eq!(tokens("failing policies class"), ["fail", "policy", "class"]);
    }

    #[test]
    fn stop_words_are_left_out() {
        assert_eq!(tokens("the state is not locked by me"), ["stat", "not", "lock"]);
    }
}
