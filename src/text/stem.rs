//! The stem of an English word by the Porter2 algorithm (Porter and Boulton, Snowball, "The English (Porter2) stemming
//! algorithm", 2001, as revised with Snowball 3.0): "locking", "locked" and "locks" become "lock".
//!
//! Works in place on ASCII letters in lower case; anything else stays as it is, since it is a name, a number or another
//! language.

/// Words whose stem no rule gives.
const IRREGULAR: &[(&str, &str)] = &[
    ("skis", "ski"),
    ("skies", "sky"),
    ("idly", "idl"),
    ("gently", "gentl"),
    ("singly", "singl"),
    ("ugly", "ugli"),
    ("early", "earli"),
    ("only", "onli"),
];

/// Words that only look as if they had an ending.
const WHOLE: &[&str] = &["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"];

/// What is left of `-ing` words in which it is no ending, and of `-eed` words likewise.
const NO_ENDING_ING: &[&str] = &["inn", "out", "cann", "herr", "earr", "even"];
const NO_ENDING_EED: &[&str] = &["proc", "exc", "succ"];

/// Beginnings after which the first region starts, whatever their letters.
const PREFIXES: &[&str] = &["gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter"];

/// Endings of the second step, longest first, each with what takes its place in the first region.
const STEP_2: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("fulness", "ful"),
    ("iveness", "ive"),
    ("ization", "ize"),
    ("ousness", "ous"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("tional", "tion"),
    ("aliti", "al"),
    ("ation", "ate"),
    ("alism", "al"),
    ("entli", "ent"),
    ("fulli", "ful"),
    ("iviti", "ive"),
    ("ousli", "ous"),
    ("ogist", "og"),
    ("abli", "able"),
    ("alli", "al"),
    ("anci", "ance"),
    ("ator", "ate"),
    ("enci", "ence"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
];

/// Endings of the third step, likewise; `ative` goes in the second region only.
const STEP_3: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("ative", ""),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
];

/// Endings of the fourth step, which go in the second region.
const STEP_4: &[&str] = &[
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti", "ive", "ize", "ous",
    "al", "er", "ic",
];

/// Cuts a word down to its stem.
pub(super) fn stem(word: &mut String) {
    if word.len() <= 2 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    if let Some((_, stem)) = IRREGULAR.iter().find(|(whole, _)| whole == word) {
        word.clear();
        word.push_str(stem);
        return;
    }
    if WHOLE.contains(&word.as_str()) {
        return;
    }
    // A y that is a consonant is written Y until the end.
    let mut bytes = std::mem::take(word).into_bytes();
    for at in 0..bytes.len() {
        if bytes[at] == b'y' && (at == 0 || is_vowel(bytes[at - 1])) {
            bytes[at] = b'Y';
        }
    }
    let mut letters = Letters { bytes, first: 0, second: 0 };
    letters.mark_regions();
    letters.plural();
    letters.past_and_gerund();
    letters.final_y();
    letters.second_step();
    letters.third_step();
    letters.fourth_step();
    letters.fifth_step();
    word.extend(letters.bytes.iter().map(|byte| char::from(byte.to_ascii_lowercase())));
}

/// A word, and where its regions begin: the first after the first consonant that follows a vowel, the second likewise
/// within the first.
struct Letters {
    bytes: Vec<u8>,
    first: usize,
    second: usize,
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Where the region begins that follows the first consonant after a vowel, from `start`.
fn region(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..];
    let end = rest.windows(2).position(|pair| is_vowel(pair[0]) && !is_vowel(pair[1]));
    end.map_or(bytes.len(), |at| start + at + 2)
}

impl Letters {
    fn mark_regions(&mut self) {
        let prefix = PREFIXES.iter().find(|prefix| self.bytes.starts_with(prefix.as_bytes()));
        self.first = prefix.map_or_else(|| region(&self.bytes, 0), |prefix| prefix.len());
        self.second = region(&self.bytes, self.first);
    }

    fn ends(&self, ending: &str) -> bool {
        self.bytes.ends_with(ending.as_bytes())
    }

    /// Where an ending of so many letters begins.
    fn before(&self, ending: &str) -> usize {
        self.bytes.len() - ending.len()
    }

    fn replace(&mut self, ending: &str, with: &str) {
        self.bytes.truncate(self.before(ending));
        self.bytes.extend_from_slice(with.as_bytes());
    }

    fn has_vowel(&self, end: usize) -> bool {
        self.bytes[..end].iter().any(|byte| is_vowel(*byte))
    }

    /// Whether the letters up to `end` close a short syllable.
    fn is_short_syllable(&self, end: usize) -> bool {
        match self.bytes[..end] {
            [vowel, last] if end == 2 => is_vowel(vowel) && !is_vowel(last),
            [.., before, vowel, last] => {
                let open = !is_vowel(before) && is_vowel(vowel) && !is_vowel(last);
                open && !matches!(last, b'w' | b'x' | b'Y') || self.bytes[..end] == *b"past"
            }
            _ => false,
        }
    }

    fn is_short(&self) -> bool {
        self.first >= self.bytes.len() && self.is_short_syllable(self.bytes.len())
    }

    fn plural(&mut self) {
        if self.ends("sses") {
            self.replace("sses", "ss");
        } else if self.ends("ied") || self.ends("ies") {
            let with = if self.bytes.len() > 4 { "i" } else { "ie" };
            self.replace("ies", with);
        } else if self.ends("s") && !self.ends("us") && !self.ends("ss") {
            // Not the vowel right before the s: "gas" keeps it, "gaps" does not.
            if self.has_vowel(self.bytes.len().saturating_sub(2)) {
                self.bytes.pop();
            }
        }
    }

    fn past_and_gerund(&mut self) {
        for ending in ["eedly", "eed"] {
            if self.ends(ending) {
                let start = self.before(ending);
                let whole = ending == "eed" && NO_ENDING_EED.iter().any(|word| self.bytes[..start] == *word.as_bytes());
                if start >= self.first && !whole {
                    self.replace(ending, "ee");
                }
                return;
            }
        }
        let Some(ending) = ["ingly", "edly", "ing", "ed"].into_iter().find(|ending| self.ends(ending)) else { return };
        let start = self.before(ending);
        if ending == "ing" {
            // "dying" is to "die" what "trying" is not to "trie".
            if let [before, b'y' | b'Y'] = self.bytes[..start]
                && !is_vowel(before)
            {
                return self.replace("ying", "ie");
            }
            if NO_ENDING_ING.iter().any(|word| self.bytes[..start] == *word.as_bytes()) {
                return;
            }
        }
        if !self.has_vowel(start) {
            return;
        }
        self.bytes.truncate(start);
        if self.ends("at") || self.ends("bl") || self.ends("iz") {
            self.bytes.push(b'e');
            return;
        }
        let double = ["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"].iter().any(|pair| self.ends(pair));
        if double {
            // "add", "egg" and "off" are whole.
            if !(self.bytes.len() == 3 && matches!(self.bytes[0], b'a' | b'e' | b'o')) {
                self.bytes.pop();
            }
        } else if self.is_short() {
            self.bytes.push(b'e');
        }
    }

    fn final_y(&mut self) {
        let [rest @ .., before, last @ (b'y' | b'Y')] = self.bytes.as_mut_slice() else { return };
        if !is_vowel(*before) && !rest.is_empty() {
            *last = b'i';
        }
    }

    fn second_step(&mut self) {
        let Some((ending, with)) = STEP_2.iter().find(|(ending, _)| self.ends(ending)) else { return };
        let start = self.before(ending);
        if start < self.first {
            return;
        }
        let before = start.checked_sub(1).map(|at| self.bytes[at]);
        let fits = match *ending {
            "ogi" => before == Some(b'l'),
            "li" => before.is_some_and(|byte| b"cdeghkmnrt".contains(&byte)),
            _ => true,
        };
        if fits {
            self.replace(ending, with);
        }
    }

    fn third_step(&mut self) {
        let Some((ending, with)) = STEP_3.iter().find(|(ending, _)| self.ends(ending)) else { return };
        let start = self.before(ending);
        let region = if *ending == "ative" { self.second } else { self.first };
        if start >= region {
            self.replace(ending, with);
        }
    }

    fn fourth_step(&mut self) {
        let Some(ending) = STEP_4.iter().find(|ending| self.ends(ending)) else { return };
        let start = self.before(ending);
        let fits = *ending != "ion" || start.checked_sub(1).is_some_and(|at| matches!(self.bytes[at], b's' | b't'));
        if start >= self.second && fits {
            self.bytes.truncate(start);
        }
    }

    fn fifth_step(&mut self) {
        let Some((last, rest)) = self.bytes.split_last() else { return };
        let at = rest.len();
        let goes = match last {
            b'e' => at >= self.second || (at >= self.first && !self.is_short_syllable(at)),
            b'l' => at >= self.second && rest.last() == Some(&b'l'),
            _ => false,
        };
        if goes {
            self.bytes.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_kind_have_one_stem() {
        let cases = [
            ("lock", "lock locks locked locking"),
            ("polici", "policy policies"),
            ("connect", "connect connects connected connecting connection connections connective"),
            ("general", "generalization generalizations generalized"),
            ("die", "dies dying"),
            ("add", "add adds added adding"),
        ];
        for (expected, words) in cases {
            for word in words.split(' ') {
                let mut stemmed = word.to_owned();
                stem(&mut stemmed);
                assert_eq!(stemmed, expected, "{word}");
            }
        }
    }
}
