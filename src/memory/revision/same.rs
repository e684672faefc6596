//! Whether two statements differ in nothing but how they are written.
//!
//! Compared are the telling tokens in order: small letters, without list marks, quotation marks, punctuation at their
//! ends and the few words that say nothing. Operators and flags count. The case of letters counts in code, in flags
//! (`-D` is not `-d`), in words that are all capitals, and in what is more than a word, such as `DEBUG=1`. Strict on
//! purpose: what is not the same is at worst shown as an update.

/// Words that can be left out of a rule without changing it. Words of strength ("should", "must", "never") can not.
const EMPTY: &[&str] = &["a", "an", "the", "is", "are", "be", "please", "that", "our", "your"];

/// What may stand around a word without changing it.
fn is_plain(c: char) -> bool {
    matches!(
        c,
        '*' | '"'
            | '\''
            | '“'
            | '”'
            | '„'
            | '‘'
            | '’'
            | '«'
            | '»'
            | ','
            | ';'
            | ':'
            | '.'
            | '!'
            | '?'
            | '('
            | ')'
            | '['
            | ']'
            | '…'
            | '–'
            | '—'
            | '。'
            | '，'
            | '、'
            | '；'
            | '：'
            | '！'
            | '？'
            | '（'
            | '）'
            | '「'
            | '」'
    )
}

/// Whether two statements are the same but for case, punctuation, spacing, list marks and words that say nothing. Two
/// texts without words are not.
pub fn same_statement(a: &str, b: &str) -> bool {
    let telling = telling(a);
    !telling.is_empty() && telling == self::telling(b)
}

/// The telling tokens of a statement in order.
pub fn telling(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.lines() {
        let parts: Vec<&str> = without_marks(line).split('`').collect();
        for (at, part) in parts.iter().enumerate() {
            // The last part follows a mark without its partner if there are even parts.
            let is_code = at % 2 == 1 && at + 1 < parts.len();
            out.extend(part.split_whitespace().filter_map(|token| telling_token(token, is_code)));
        }
    }
    out
}

fn telling_token(token: &str, is_code: bool) -> Option<String> {
    if is_code {
        return Some(token.to_owned());
    }
    let whole = &token[..end_of(token)];
    let front = whole.trim_start_matches(|c| is_plain(c) && c != '.');
    // The stars of `*.py` and `**/a` are its own, those of `**a**` are not.
    let starred = whole.trim_start_matches(|c| is_plain(c) && c != '.' && c != '*');
    let is_glob = starred.trim_start_matches('*').starts_with(['.', '/']);
    let front = if is_glob { starred } else { front };
    let dots = front.trim_start_matches('.');
    // `.env` and `../a` are names, `...and` is none.
    let is_name = front.len() == dots.len() + 1 && dots.starts_with(char::is_alphanumeric) || dots.starts_with('/');
    let bare = if is_name { front } else { dots };
    if bare.is_empty() || bare == "-" {
        return None;
    }
    if bare.starts_with(['-', '$']) {
        return Some(bare.to_owned());
    }
    let straight = bare.chars().map(|c| if c == '’' { '\'' } else { c });
    if has_case(bare) {
        return Some(straight.collect());
    }
    let small: String = straight.flat_map(char::to_lowercase).collect();
    (!EMPTY.contains(&small.as_str())).then_some(small)
}

/// Where a token ends without what is plain; the stars of `a/*` and the parentheses of `a()` are its own.
fn end_of(token: &str) -> usize {
    let bare = token.trim_end_matches(is_plain);
    let rest = &token[bare.len()..];
    let own = if rest.starts_with("()") {
        2
    } else if bare.ends_with('/') {
        rest.len() - rest.trim_start_matches('*').len()
    } else {
        0
    };
    bare.len() + own
}

/// Whether the case of a token may matter: it is no plain word, or is written in capitals throughout.
fn has_case(token: &str) -> bool {
    let is_word = token.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'));
    let letters = || token.chars().filter(|c| c.is_alphabetic());
    !is_word || letters().count() > 1 && letters().all(char::is_uppercase)
}

/// A line without the marks of lists, headings and quotations before it.
fn without_marks(line: &str) -> &str {
    let mut rest = line.trim();
    loop {
        let Some((mark, after)) = rest.split_once(char::is_whitespace) else { return rest };
        let number = mark.strip_suffix(['.', ')']).is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
        let is_mark = matches!(mark, "-" | "*" | "+" | "•" | "[ ]" | "[x]") || number && mark.len() > 1;
        let is_heading = !mark.is_empty() && mark.chars().all(|c| matches!(c, '#' | '>'));
        if !is_mark && !is_heading {
            return rest;
        }
        rest = after.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_does_not_matter() {
        for (a, b) in [
            ("Use ruff.", "use `ruff`"),
            ("- **Always** run the tests", "Always run tests!"),
            ("1. Run  the\n   tests", "run the tests"),
            ("Don’t push", "don't push."),
            ("Add \"x\" to (the) list", "add x to list"),
            ("> Keep `.env` private", "Keep .env private"),
            ("提交前运行测试。", "提交前运行测试"),
            ("Use GitHub (always).", "use github always"),
            ("**Docs** go to `docs/`.", "docs go to docs/"),
            ("Call foo(), then stop.", "Call `foo()` then stop"),
        ] {
            assert!(same_statement(a, b), "{a} | {b}");
        }
    }

    #[test]
    fn what_is_said_matters() {
        for (a, b) in [
            ("Use ruff", "Use black"),
            ("Never push to main", "Push to main"),
            ("You should test", "You must test"),
            ("Run `ruff check --fix`", "Run `ruff check --fix .`"),
            ("Pass `-D`", "Pass `-d`"),
            ("Pass -D", "Pass -d"),
            ("x > 5", "x < 5"),
            ("At most 88", "At most 100"),
            ("Edit .env", "Edit env"),
            ("Lint, then test", "Test, then lint"),
            ("Run before tests", "Run after tests"),
            ("Import from './api'", "Import from '../api'"),
            ("Format *.py", "Format .py"),
            ("Format **/a.py", "Format */a.py"),
            ("Ignore src/**", "Ignore src/*"),
            ("Set DEBUG=1", "Set debug=1"),
            ("Log at INFO", "Log at info"),
            ("Ask https://a.example/V1", "Ask https://a.example/v1"),
            ("Call foo()", "Call foo"),
            ("It is written in C", "It is written in C++"),
            ("Pass -v", "Pass -V"),
            ("It holds +5", "It holds -5"),
            ("It is 80 %", "It is 80 $"),
            ("Keep build/", "Keep build"),
            ("", ""),
            ("...", "—"),
        ] {
            assert!(!same_statement(a, b), "{a} | {b}");
        }
    }
}
