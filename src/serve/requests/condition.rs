//! Reads a condition on attributes: `lang = "rust" and (stars >= 100 or not archived exists)`.
//!
//! ```text
//! any        = all ("or" all)*
//! all        = one ("and" one)*
//! one        = "not" one | "(" any ")" | comparison
//! comparison = key sign value | key "in" "(" value ("," value)* ")" | key "exists"
//! sign       = "=" | "!=" | "<" | "<=" | ">" | ">="
//! value      = "text" | 'text' | number | true | false
//! ```
//!
//! Words may be written in any case. In a text `\` takes the meaning from `\` and quotes. A key that is one of the
//! words stands between backticks. By recursive descent, bounded in length and depth; what is wrong is told with its
//! place.

use super::RequestError;
use crate::types::limits::{WHERE_BYTES, WHERE_DEPTH};
use crate::types::{Comparison, Condition, Literal, is_key};

const EXAMPLE: &str = "write it as: lang = \"rust\" and stars >= 100";

/// Words that mean something, so that no key is written so without backticks.
const WORDS: [&str; 7] = ["and", "or", "not", "in", "exists", "true", "false"];

/// Signs, longer ones first.
const SIGNS: [(&str, Comparison); 6] = [
    ("!=", Comparison::Unequal),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// Reads a condition.
///
/// # Errors
/// [`RequestError`] with what is wrong and the character at which it is, counted from 1.
pub(super) fn parse(text: &str) -> Result<Condition, RequestError> {
    if text.len() > WHERE_BYTES {
        let what = format!("a condition has {WHERE_BYTES} bytes at most, this one has {}", text.len());
        return Err(RequestError::usage(what, "filter by scope, kind and tag too, or ask several times"));
    }
    let mut reader = Reader { text, at: 0, depth: 0 };
    let read = reader.any().and_then(|condition| match reader.rest() {
        "" => Ok(condition),
        _ => Err(reader.expected("`and`, `or` or the end")),
    });
    read.map_err(|Fault { at, what }| {
        let (before, behind) = text.split_at(at);
        let number = before.chars().count() + 1;
        let near: String = behind.chars().take(20).collect();
        let place =
            if near.is_empty() { "at its end".to_owned() } else { format!("at character {number}, before {near:?}") };
        RequestError::usage(format!("the condition cannot be read: {what} {place}"), EXAMPLE)
    })
}

/// What is wrong, and at which byte.
struct Fault {
    at: usize,
    what: String,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// What is not read yet, without the space before it.
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn fault<T>(&self, at: usize, what: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { at, what: what.into() })
    }

    fn expected(&mut self, what: &str) -> Fault {
        self.rest();
        Fault { at: self.at, what: format!("there should be {what}") }
    }

    /// The word that comes next, if there is one.
    fn peek_word(&mut self) -> &'a str {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Takes a word, whatever its case.
    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek_word().eq_ignore_ascii_case(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn any(&mut self) -> Result<Condition, Fault> {
        let mut all = vec![self.all()?];
        while self.take_word("or") {
            all.push(self.all()?);
        }
        Ok(only(all, Condition::Any))
    }

    fn all(&mut self) -> Result<Condition, Fault> {
        let mut all = vec![self.one()?];
        while self.take_word("and") {
            all.push(self.one()?);
        }
        Ok(only(all, Condition::All))
    }

    fn one(&mut self) -> Result<Condition, Fault> {
        self.rest();
        let begin = self.at;
        let negated = self.take_word("not");
        if !negated && !self.take_sign("(") {
            return self.comparison();
        }
        self.depth += 1;
        if self.depth > WHERE_DEPTH {
            return self.fault(begin, format!("more than {WHERE_DEPTH} levels begin"));
        }
        let condition = if negated {
            Condition::Not(Box::new(self.one()?))
        } else {
            let inside = self.any()?;
            if !self.take_sign(")") {
                return Err(self.expected("`and`, `or` or `)`"));
            }
            inside
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition, Fault> {
        let key = self.key()?;
        if self.take_word("exists") {
            return Ok(Condition::Exists(key));
        }
        if self.take_word("in") {
            return Ok(Condition::Within(key, self.list()?));
        }
        self.rest();
        let place = self.at;
        let Some((sign, comparison)) = SIGNS.into_iter().find(|(sign, _)| self.take_sign(sign)) else {
            return Err(self.expected("=, !=, <, <=, >, >=, `in` or `exists`"));
        };
        if sign == "=" && self.text[self.at..].starts_with('=') {
            return self.fault(place, "equality is written =, so == is too much");
        }
        let value = self.value()?;
        let is_equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if matches!(value, Literal::Boolean(_)) && !is_equality {
            return self.fault(place, "true and false have no order, so this stands");
        }
        Ok(Condition::Compare(key, comparison, value))
    }

    fn key(&mut self) -> Result<String, Fault> {
        self.rest();
        let place = self.at;
        if self.take_sign("`") {
            let Some(length) = self.text[self.at..].find('`') else {
                return self.fault(place, "a backtick is not closed that stands");
            };
            let key = &self.text[self.at..self.at + length];
            self.at += length + 1;
            return if is_key(key) { Ok(key.to_owned()) } else { self.fault(place, "there is no key of an attribute") };
        }
        let word = self.peek_word();
        if WORDS.iter().any(|other| other.eq_ignore_ascii_case(word)) || !is_key(word) {
            return Err(self.expected("the key of an attribute"));
        }
        self.at += word.len();
        Ok(word.to_owned())
    }

    fn list(&mut self) -> Result<Vec<Literal>, Fault> {
        if !self.take_sign("(") {
            return Err(self.expected("`(`"));
        }
        let mut values = vec![self.value()?];
        while self.take_sign(",") {
            values.push(self.value()?);
        }
        if self.take_sign(")") { Ok(values) } else { Err(self.expected("`,` or `)`")) }
    }

    fn value(&mut self) -> Result<Literal, Fault> {
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            return self.quoted(quote).map(Literal::Text);
        }
        if self.take_word("true") {
            return Ok(Literal::Boolean(true));
        }
        if self.take_word("false") {
            return Ok(Literal::Boolean(false));
        }
        let place = self.at;
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let digits = rest[..end].strip_prefix('-').unwrap_or(&rest[..end]);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return self.fault(place, "there should be a number, true, false or a text in quotes");
        }
        match rest[..end].parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.at += end;
                // There is one zero.
                Ok(Literal::Number(number + 0.0))
            }
            Ok(_) => self.fault(place, "a number is out of range"),
            Err(_) => self.fault(place, "there is no number"),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<String, Fault> {
        let begin = self.at;
        let mut out = String::new();
        let mut characters = self.text[begin + 1..].char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '\\' => match characters.next() {
                    Some((_, c @ ('\\' | '"' | '\''))) => out.push(c),
                    _ => return self.fault(begin + 1 + at, "\\ takes the meaning from \\ and quotes alone"),
                },
                _ if c == quote => {
                    self.at = begin + 1 + at + c.len_utf8();
                    return Ok(out);
                }
                _ => out.push(c),
            }
        }
        self.fault(begin, "a quote is not closed that stands")
    }
}

/// One condition as itself, several as one.
fn only(mut all: Vec<Condition>, several: fn(Vec<Condition>) -> Condition) -> Condition {
    match (all.pop(), all.is_empty()) {
        (Some(one), true) => one,
        (last, _) => {
            all.extend(last);
            several(all)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::face::failure::{Diagnose, ErrorKind};
    use proptest::prelude::*;

    fn compare(key: &str, comparison: Comparison, value: Literal) -> Condition {
        Condition::Compare(key.to_owned(), comparison, value)
    }

    fn text(text: &str) -> Literal {
        Literal::Text(text.to_owned())
    }

    #[test]
    fn conditions_are_read() {
        use Comparison::{AtLeast, AtMost, Equal, Greater, Less, Unequal};
        let lang = || compare("lang", Equal, text("rust"));
        let stars = || compare("stars", AtLeast, Literal::Number(100.0));
        let archived = || Condition::Exists("archived".to_owned());
        for (written, read) in [
            ("lang = \"rust\"", lang()),
            ("  lang='rust'  ", lang()),
            ("(((lang = \"rust\")))", lang()),
            ("lang = \"rust\" and stars >= 100", Condition::All(vec![lang(), stars()])),
            ("lang = 'rust' OR archived EXISTS", Condition::Any(vec![lang(), archived()])),
            (
                "lang = 'rust' or stars >= 100 and archived exists",
                Condition::Any(vec![lang(), Condition::All(vec![stars(), archived()])]),
            ),
            (
                "(lang = 'rust' or stars >= 1e2) and not archived exists",
                Condition::All(vec![Condition::Any(vec![lang(), stars()]), Condition::Not(Box::new(archived()))]),
            ),
            ("not not archived exists", Condition::Not(Box::new(Condition::Not(Box::new(archived()))))),
            ("a != false", compare("a", Unequal, Literal::Boolean(false))),
            ("a<-2.5", compare("a", Less, Literal::Number(-2.5))),
            ("a <= 'b'", compare("a", AtMost, text("b"))),
            ("a > 0", compare("a", Greater, Literal::Number(0.0))),
            ("a.b-c_d = TRUE", compare("a.b-c_d", Equal, Literal::Boolean(true))),
            ("`in` = 1", compare("in", Equal, Literal::Number(1.0))),
            ("a = \"say \\\"\\\\\\'ü\"", compare("a", Equal, text("say \"\\'ü"))),
            ("a = 'x\" or b = \"y'", compare("a", Equal, text("x\" or b = \"y"))),
            (
                "lang in ('rust', 3,true)",
                Condition::Within("lang".to_owned(), vec![text("rust"), Literal::Number(3.0), Literal::Boolean(true)]),
            ),
        ] {
            assert_eq!(parse(written).ok(), Some(read), "{written}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let deep = format!("{}a = 1", "(".repeat(WHERE_DEPTH + 1));
        let negated = format!("{}a = 1", "not ".repeat(WHERE_DEPTH + 1));
        for (written, told) in [
            ("", "there should be the key of an attribute at its end"),
            ("lang", "there should be =, !=, <, <=, >, >=, `in` or `exists` at its end"),
            ("lang = ", "there should be a number, true, false or a text in quotes at its end"),
            (
                "lang = rust",
                "there should be a number, true, false or a text in quotes at character 8, before \"rust\"",
            ),
            ("lang == 'x'", "equality is written =, so == is too much at character 6, before \"== 'x'\""),
            ("lang = 'x' and", "there should be the key of an attribute at its end"),
            ("lang = 'x' stars > 3", "there should be `and`, `or` or the end at character 12, before \"stars > 3\""),
            ("lang = 'x", "a quote is not closed that stands at character 8"),
            ("ü = 1", "the key of an attribute at character 1"),
            ("`ü` = 1", "there is no key of an attribute at character 1"),
            ("`a = 1", "a backtick is not closed that stands at character 1"),
            ("a = 'ü' & b = 1", "`and`, `or` or the end at character 9, before \"& b = 1\""),
            ("a = '\\n'", "\\ takes the meaning from \\ and quotes alone at character 6"),
            ("(a = 1", "there should be `and`, `or` or `)` at its end"),
            ("a = 1)", "`and`, `or` or the end at character 6"),
            ("a in 'x'", "there should be `(` at character 6"),
            ("a in ()", "there should be a number, true, false or a text in quotes at character 7"),
            ("a in (1", "there should be `,` or `)` at its end"),
            ("a in (1,)", "a text in quotes at character 9"),
            ("a < true", "true and false have no order, so this stands at character 3"),
            ("a = 1e999", "a number is out of range at character 5"),
            ("a = 1x", "there is no number at character 5"),
            ("a = inf", "there should be a number"),
            ("a = .5", "there should be a number"),
            ("and = 1", "the key of an attribute at character 1"),
            ("not", "the key of an attribute at its end"),
            (&deep, "more than 32 levels begin at character 33"),
            (&negated, "more than 32 levels begin at character 129"),
            (&format!("a = '{}'", "x".repeat(WHERE_BYTES)), "a condition has 4096 bytes at most"),
        ] {
            let error = parse(written).unwrap_err();
            assert!(error.to_string().contains(told), "{written}: {error}");
            assert_eq!((error.kind(), error.hint().is_some()), (ErrorKind::Usage, true));
        }
        let many = vec!["(a = 1)"; 300].join(" and ");
        assert!(parse(&many).is_ok(), "levels are counted within each other");
    }

    proptest! {
        /// Whatever is written, it is read or refused; nothing else happens.
        #[test]
        fn nothing_makes_it_fall(
            text in "((and|or|not|in|exists|true|a|`|\"|'|\\\\|\\(|\\)|=|!=|<|1|-|\\.|,|ü|\u{a0}) ?){0,40}",
        ) {
            drop(parse(&text));
        }
    }
}
