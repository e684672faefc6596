//! Whether two statements differ in nothing but how they are written.
//!
//! Compared are the telling tokens in order: small letters, without list marks, quotation marks, punctuation at their
//! ends and the few words that say nothing. Operators, flags and the case of code count, as `-D` is not `-d`. Strict on
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
pub(super) fn telling(text: &str) -> Vec<String> {
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
    let front = token.trim_end_matches(is_plain).trim_start_matches(|c| is_plain(c) && c != '.');
    let dots = front.trim_start_matches('.');
    // `.env` is a name, `...and` is not.
    let bare = if front.len() == dots.len() + 1 && dots.starts_with(char::is_alphanumeric) { front } else { dots };
    if bare.is_empty() || bare == "-" {
        return None;
    }
    if bare.starts_with(['-', '$']) {
        return Some(bare.to_owned());
    }
    let small: String = bare.chars().map(|c| if c == '’' { '\'' } else { c }).flat_map(char::to_lowercase).collect();
    (!EMPTY.contains(&small.as_str())).then_some(small)
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
            ("", ""),
            ("...", "—"),
        ] {
            assert!(!same_statement(a, b), "{a} | {b}");
        }
    }
}
