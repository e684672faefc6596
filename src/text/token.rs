//! Words for keyword search over error text: an identifier counts whole and in its parts, a code counts as it is.
//!
//! `aws_s3_bucket` gives itself and `aws`, `s3`, `bucket`; `BucketAlreadyExists` gives itself and its humps; `E0382`
//! and `0.14` stay whole. English words are cut to their stem, so that "locking" finds "lock". Stop words are left out.

use super::stem::stem;
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

/// The stop words as numbers (see [`packed`]), sorted: looked up for every word of a text, so it must cost next to
/// nothing.
static STOP_WORDS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut all: Vec<u64> = STOP.iter().filter_map(|word| packed(word)).collect();
    all.sort_unstable();
    all
});

/// A word of up to eight bytes as a number.
fn packed(word: &str) -> Option<u64> {
    let bytes = word.as_bytes();
    let mut out = [0; 8];
    out.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(out))
}

fn is_stop(word: &str) -> bool {
    packed(word).is_some_and(|number| STOP_WORDS.binary_search(&number).is_ok())
}

/// Hears every token of a text in order, lower case, repeats included. Nothing is allocated per token: all of canon is
/// read through here before a question can be answered by keywords.
pub fn for_each_token(text: &str, mut hear: impl FnMut(&str)) {
    let mut buffer = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = word_end(rest);
        let (word, after) = rest.split_at(end);
        // Past the one character that ended the word.
        rest = after.chars().next().map_or("", |c| &after[c.len_utf8()..]);
        let word = word.trim_matches(['.', '-', '_']);
        if word.is_empty() || word.len() > MAX_WORD_BYTES {
            continue;
        }
        if is_plain(word) {
            hear_part(word, &mut buffer, &mut hear);
            continue;
        }
        let mut parts = 0;
        for_each_part(word, |_| parts += 1);
        if parts > 1 {
            lower_into(&mut buffer, word);
            hear(&buffer);
        }
        for_each_part(word, |part| hear_part(part, &mut buffer, &mut hear));
    }
}

/// Where the first word of a text ends, in bytes.
fn word_end(text: &str) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let bytes = text.as_bytes();
    let plain = bytes.iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len());
    if bytes.get(plain).is_none_or(u8::is_ascii) {
        return plain;
    }
    let is_other = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
    plain + text[plain..].find(is_other).unwrap_or(text.len() - plain)
}

/// Whether a word is one part for sure: small ASCII letters, the first may be a capital.
fn is_plain(word: &str) -> bool {
    word.as_bytes()
        .split_first()
        .is_some_and(|(first, rest)| first.is_ascii_alphabetic() && rest.iter().all(u8::is_ascii_lowercase))
}

fn hear_part(part: &str, buffer: &mut String, hear: &mut impl FnMut(&str)) {
    lower_into(buffer, part);
    let telling = buffer.len() > 1 || buffer.bytes().all(|b| b.is_ascii_digit());
    if telling && !is_stop(buffer) {
        stem(buffer);
        hear(buffer);
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

/// Splits at `_`, `-`, `.` (not inside a number) and at humps; a run of capitals is one part (`HTTPServer`: HTTP,
/// Server).
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn identifiers_count_whole_and_in_parts() {
        assert_eq!(tokens("aws_s3_bucket"), ["aws_s3_bucket", "aw", "s3", "bucket"]);
        assert_eq!(tokens("BucketAlreadyExists"), ["bucketalreadyexists", "bucket", "alreadi", "exist"]);
        assert_eq!(tokens("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(tokens("error[E0382]: v0.14"), ["error", "e0382", "v0.14", "v0", "14"]);
    }

    #[test]
    fn words_lose_their_inflection() {
        assert_eq!(tokens("locking locked locks lock"), ["lock"; 4]);
        assert_eq!(tokens("failing policies class"), ["fail", "polici", "class"]);
    }

    /// The definition, character by character.
    fn naive(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))) {
            let word = word.trim_matches(['.', '-', '_']);
            if word.is_empty() || word.len() > MAX_WORD_BYTES {
                continue;
            }
            let mut parts = Vec::new();
            for_each_part(word, |part| parts.push(part.to_lowercase()));
            if parts.len() > 1 {
                out.push(word.to_lowercase());
            }
            for mut part in parts {
                let telling = part.len() > 1 || part.bytes().all(|b| b.is_ascii_digit());
                if telling && !STOP.contains(&part.as_str()) {
                    stem(&mut part);
                    out.push(part);
                }
            }
        }
        out
    }

    proptest! {
        #[test]
        fn equals_its_definition(text in "([a-zA-Z0-9äÖß_.,: -]{0,12}|the |HTTPServer|v0\\.14|日本|İx ){0,12}") {
            prop_assert_eq!(tokens(&text), naive(&text));
        }
    }

    #[test]
    fn stop_words_are_left_out() {
        assert_eq!(tokens("the state is not locked by me"), ["state", "not", "lock"]);
    }
}
