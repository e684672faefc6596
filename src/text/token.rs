//! Words for keyword search over error text: an identifier counts whole and in its parts, a code counts as it is.
//!
//! `aws_s3_bucket` gives itself and `aws`, `s3`, `bucket`; `BucketAlreadyExists` gives itself and its humps; `E0382`
//! and `0.14` stay whole. Plain English words lose their inflection (a light suffix stripper: plural, -ing, -ed), so
//! that "locking" finds "lock". Stop words are left out.

/// Most frequent English function words: they tell nothing about an error. "not" and "no" stay.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did", "do", "does", "for", "from", "had",
    "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "so",
    "some", "than", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you", "your", "am", "im",
    "after", "all", "also", "any", "because", "just", "like", "get", "got", "gets", "getting", "s", "t", "says", "say",
    "tells", "tell", "keeps", "keep", "even", "though", "about", "only", "still",
];

/// Tokens of a text in order, lower case, repeats included.
pub fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))) {
        let word = word.trim_matches(['.', '-', '_']);
        if !word.is_empty() {
            push_word(&mut out, word);
        }
    }
    out
}

fn push_word(out: &mut Vec<String>, word: &str) {
    if word.len() > 64 {
        return;
    }
    let parts = parts(word);
    if parts.len() > 1 {
        out.push(word.to_lowercase());
    }
    for part in parts {
        let lower = part.to_lowercase();
        if !STOP.contains(&lower.as_str()) && (lower.chars().count() > 1 || lower.chars().all(char::is_numeric)) {
            out.push(stem(lower));
        }
    }
}

/// Splits at `_`, `-`, `.` (not inside a number) and at humps; a run of capitals is one part (`HTTPServer`: HTTP, Server).
fn parts(word: &str) -> Vec<&str> {
    if word.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return vec![word];
    }
    let mut out = Vec::new();
    for piece in word.split(['_', '-', '.']).filter(|p| !p.is_empty()) {
        let chars: Vec<(usize, char)> = piece.char_indices().collect();
        let mut start = 0;
        for i in 1..chars.len() {
            let (before, here) = (chars[i - 1].1, chars[i].1);
            let next_lower = chars.get(i + 1).is_some_and(|c| c.1.is_lowercase());
            let hump = (before.is_lowercase() && here.is_uppercase())
                || (before.is_uppercase() && here.is_uppercase() && next_lower);
            if hump {
                out.push(&piece[start..chars[i].0]);
                start = chars[i].0;
            }
        }
        out.push(&piece[start..]);
    }
    out
}

/// Takes off plural, -ing and -ed where a stem of four letters or more remains.
fn stem(mut word: String) -> String {
    if !word.is_ascii() || word.bytes().any(|b| b.is_ascii_digit()) {
        return word;
    }
    let keep = |word: &str, suffix: &str| word.ends_with(suffix) && word.len() >= suffix.len() + 3;
    if keep(&word, "ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.ends_with("sses") {
        word.truncate(word.len() - 2);
    } else if keep(&word, "s") && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
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
    word
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
