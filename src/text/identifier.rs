//! Words that name something in a program.

/// Whether a word looks like a name that somebody declared: `close_redir`, `Session.get`, `MAX_SIZE`, `useState`,
/// `std::mem`, `--dry-run`, `retain()`. A plain word never does, although it may be a name. Nor does a path.
pub fn is_identifier(word: &str) -> bool {
    if word.contains(['/', '\\']) {
        return false;
    }
    let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || "_-()".contains(c)));
    let (name, is_called) = word.strip_suffix("()").map_or((word, false), |name| (name, true));
    let option = name.strip_prefix("--").or_else(|| name.strip_prefix('-'));
    let bytes = name.as_bytes();
    let inside = |at: &usize| *at > 0 && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
    let joined = (0..bytes.len()).filter(inside).any(|at| {
        let (before, here, after) = (bytes[at - 1], bytes[at], bytes[at + 1]);
        match here {
            b'_' => true,
            b':' => before == b':',
            // Not the end of a sentence, a number or an abbreviation such as "e.g".
            b'.' => at > 1 && before.is_ascii_lowercase() && after.is_ascii_alphabetic() && at + 2 < bytes.len(),
            _ => here.is_ascii_uppercase() && before.is_ascii_lowercase(),
        }
    });
    let letters = name.bytes().filter(u8::is_ascii_alphabetic).count();
    letters > 1 && (is_called || joined || option.is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        for name in ["close_redir", "close_redir,", "Session.get", "MAX_SIZE", "useState", "std::mem", "--dry-run"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["`retain()`", "(node_type)", "fs.readFile", "ERR_NO_ICU:", "-Wall"] {
            assert!(is_identifier(name), "{name}");
        }
        for word in [
            "",
            "(",
            "-",
            "word",
            "end.",
            "e.g.",
            "1.2.3",
            "v0.14",
            "re-open",
            "it's",
            "A.B",
            "USA",
            "I",
            "10:30",
            "key:value",
            "_",
            "/home/ann/x.conf",
            "a_b\\c",
        ] {
            assert!(!is_identifier(word), "{word}");
        }
    }
}
