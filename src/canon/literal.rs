//! Words that every match of a pattern must contain, read off the pattern without compiling it.
//!
//! Two ways: a scan over the top level of the pattern, which costs under a microsecond and serves nearly all of them;
//! and the syntax tree for patterns with alternation at the top. Both only ever promise what is certain: a word that is
//! named here stands in every match, ASCII case aside. Words, not phrases, because a space in a pattern matches any
//! white space.

use regex_syntax::hir::{Class, Hir, HirKind};
use std::borrow::Cow;

/// Shortest word that counts: shorter ones stand everywhere.
const MIN_ANCHOR: usize = 4;
/// Words asked for together.
const MAX_WORDS: usize = 3;

/// What a match needs, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    /// At least one of these stands in every match.
    pub any_of: Vec<Cow<'static, str>>,
    /// All of these stand in every match.
    pub all_of: Vec<Cow<'static, str>>,
}

/// The required words of a pattern (before or after spaces were relaxed), or `None` if no word is certain.
pub fn required(pattern: &str) -> Option<Required> {
    if let Some(mut words) = scan(pattern) {
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.truncate(MAX_WORDS);
        if words.first().is_some_and(|word| word.len() >= MIN_ANCHOR) {
            let mut words = words.into_iter().map(Cow::Owned);
            return Some(Required { any_of: words.by_ref().take(1).collect(), all_of: words.collect() });
        }
    }
    let plain = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    let tree = regex_syntax::ParserBuilder::new().multi_line(true).nest_limit(64).build().parse(plain).ok()?;
    let any_of = certain(&tree)?;
    (any_of.iter().all(|word| word.len() >= MIN_ANCHOR))
        .then(|| Required { any_of: any_of.into_iter().map(Cow::Owned).collect(), all_of: Vec::new() })
}

fn is_word(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_whitespace() && !c.is_ascii_control()
}

/// Literal runs at the top level; `None` when the pattern needs the tree (alternation, extended mode, odd escapes).
fn scan(pattern: &str) -> Option<Vec<String>> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut runs = vec![String::new()];
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        match c {
            '\\' => {
                let escaped = *chars.get(at + 1)?;
                if escaped.is_ascii_punctuation() || escaped == ' ' {
                    push(&mut runs, escaped);
                } else if "dDwWsSbBnrtAz".contains(escaped) {
                    runs.push(String::new());
                } else {
                    return None;
                }
                at += 2;
                continue;
            }
            '|' => return None,
            '(' => {
                if chars[at..].starts_with(&['(', '?', 'x']) || chars[at..].starts_with(&['(', '?', '-']) {
                    return None;
                }
                at = group_end(&chars, at)?;
                runs.push(String::new());
            }
            '[' => {
                at = class_end(&chars, at)?;
                runs.push(String::new());
            }
            '?' | '*' | '{' => {
                if let Some(run) = runs.last_mut() {
                    run.pop();
                }
                runs.push(String::new());
                if c == '{' {
                    at += chars[at..].iter().position(|&c| c == '}')?;
                }
            }
            '+' | '.' | '^' | '$' => runs.push(String::new()),
            _ => push(&mut runs, c),
        }
        at += 1;
    }
    Some(runs.into_iter().filter(|run| run.len() >= MIN_ANCHOR).collect())
}

fn push(runs: &mut Vec<String>, c: char) {
    if is_word(c) {
        if let Some(run) = runs.last_mut() {
            run.push(c.to_ascii_lowercase());
        }
    } else {
        runs.push(String::new());
        // A quantifier may follow; it must find the run of this character, not the one before.
        runs.push(String::new());
    }
}

/// Index of the parenthesis that closes the group opened at `at`.
fn group_end(chars: &[char], at: usize) -> Option<usize> {
    let (mut depth, mut i) = (0usize, at);
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 1,
            '[' => i = class_end(chars, i)?,
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
        i += 1;
    }
    None
}

/// Index of the bracket that closes the class opened at `at`.
fn class_end(chars: &[char], at: usize) -> Option<usize> {
    let mut i = at + 1;
    if chars.get(i) == Some(&'^') {
        i += 1;
    }
    // A bracket that stands first is literal.
    if chars.get(i) == Some(&']') {
        i += 1;
    }
    let mut depth = 1usize;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 1,
            '[' => depth += 1,
            ']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
        i += 1;
    }
    None
}

/// Words of which every match of the tree contains one: the best such set.
fn certain(tree: &Hir) -> Option<Vec<String>> {
    match tree.kind() {
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            let word = text.split(|c| !is_word(c)).max_by_key(|word| word.len())?;
            (word.len() >= MIN_ANCHOR).then(|| vec![word.to_ascii_lowercase()])
        }
        HirKind::Capture(group) => certain(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => certain(&repeated.sub),
        HirKind::Concat(parts) => {
            let spelled = spelled(parts).into_iter().filter(|word| word.len() >= MIN_ANCHOR).map(|word| vec![word]);
            let sets = spelled.chain(parts.iter().filter_map(certain));
            sets.max_by_key(|words| words.iter().map(String::len).min().unwrap_or(0))
        }
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(certain(branch)?);
            }
            Some(all)
        }
        _ => None,
    }
}

/// Words spelled by neighbouring literals and letters of either case (`[Ee]xit`).
fn spelled(parts: &[Hir]) -> Vec<String> {
    let mut runs = vec![String::new()];
    for part in parts {
        match part.kind() {
            HirKind::Literal(literal) => {
                for c in String::from_utf8_lossy(&literal.0).chars() {
                    push(&mut runs, c);
                }
            }
            HirKind::Class(class) => match either_case(class) {
                Some(letter) => push(&mut runs, letter),
                None => runs.push(String::new()),
            },
            _ => runs.push(String::new()),
        }
    }
    runs
}

/// The letter of a class that holds its two cases and nothing else.
fn either_case(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let letters: Vec<char> = class.ranges().iter().filter(|r| r.start() == r.end()).map(|r| r.start()).collect();
    match letters[..] {
        [upper, lower] if class.ranges().len() == 2 && upper.to_ascii_lowercase() == lower => Some(lower),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(pattern: &str) -> Vec<String> {
        let Some(required) = required(pattern) else { return Vec::new() };
        required.any_of.into_iter().chain(required.all_of).map(Cow::into_owned).collect()
    }

    #[test]
    fn reads_the_longest_words() {
        assert_eq!(words("Error acquiring the state lock"), ["acquiring", "error", "state"]);
        assert_eq!(words(r"error\[E0382\]: borrow of moved"), ["error[e0382]:", "borrow", "moved"]);
        assert_eq!(words(r"(?i)toomanyrequests: .*rate"), ["toomanyrequests:", "rate"]);
        assert_eq!(words(r"bucket[s]? \(?P<x>"), ["bucket", "p<x>"]);
        assert_eq!(words("colou?r missing"), ["missing", "colo"]);
        assert_eq!(words("cannot find -l(?P<lib>[a-z]+)"), ["cannot", "find"]);
        assert_eq!(words("no space left|disk is full"), ["space", "full"]);
        assert_eq!(words("(?:no space left|disk is full)"), ["space", "full"]);
        assert_eq!(words(r"\b[Ee]xit(?:ed)? ?[Cc]ode:? 137"), ["code"]);
        assert_eq!(words(r"\d+ (?:ab|cd)?"), Vec::<String>::new());
    }

    proptest! {
        /// The referee is the regex crate: whatever a pattern matches holds one of `any_of` and all of `all_of`.
        #[test]
        fn required_words_stand_in_every_match(
            pattern in r"(failed |lock(ed)?|state |[ab]+|\\d+|(?:mount|volume)|x\*|Name\?|\.|e{0,2}|disk|\||\^){1,6}",
            text in r"(failed |lock|locked|state |ab|12|mount|volume|xx|Nam|Name|ee|disk| ){1,8}",
        ) {
            if let (Some(required), Ok(regex)) = (required(&pattern), regex::Regex::new(&pattern))
                && let Some(found) = regex.find(&text) {
                let found = found.as_str().to_ascii_lowercase();
                prop_assert!(required.any_of.iter().any(|w| found.contains(w.as_ref())), "{pattern} {found} {required:?}");
                prop_assert!(required.all_of.iter().all(|w| found.contains(w.as_ref())), "{pattern} {found} {required:?}");
            }
        }
    }
}
