//! Declarations that no keyword opens: `static int name(…)`, `List<String> name;`, in C, C++, Java and C#.
//!
//! Decides by the shape alone: names, then one directly before `(`, `;`, `=` or `{`. Statements are told by their first
//! word and by standing in a body, where nothing of this kind is declared. Keywords are tried first, by `words`.

use super::code::{Code, Stops};
use super::mask::{DIRECTIVE, STRING, is_word, listed};
use super::outline::{Declaration, Place, Shape, label};
use super::words::{self, Public, Words};

/// The most names and marks before a declared name.
const MAX_TOKENS: usize = 32;
const STATEMENTS: &str = "return new throw else if for while do switch case default goto delete sizeof using import \
    package try catch break continue assert await yield friend public private protected static_assert \
    _Static_assert co_return lock foreach fixed get set";
/// Marks with arguments that stand between a type and a name.
const MARKS: &str = "__attribute__ __declspec alignas _Alignas decltype __aligned noexcept explicit requires throw \
    typeof __typeof__ __extension__ throws";

/// Finds what a keyword or a type before a name declares at `at`.
pub(super) fn recognise(code: &Code, at: usize, scope: &str, place: Place, words: &Words) -> Option<Declaration> {
    if code.word(at) == "typedef" {
        return typedef(code, at);
    }
    if let Some(mut found) = words::recognise(code, at, words) {
        let record = matches!(found.shape, Shape::Record | Shape::Container);
        // `struct x *f(…)` and `struct x y;` only use the type.
        let used =
            found.body.is_none() && !matches!(scope_word(&found.label), "record" | "delegate" | "module" | "using");
        let called = record
            && code.text[at..found.body.unwrap_or(found.end)].contains('(')
            && scope_word(&found.label) == "struct";
        if !(record && (used || called)) {
            found.public |= scope.starts_with("interface ") && !place.in_body;
            return Some(found);
        }
    }
    if place.in_body {
        return None;
    }
    let mut found = typed(code, at, scope, words)?;
    found.public |= scope.starts_with("interface ") || scope.starts_with("@interface ");
    Some(found)
}

fn scope_word(label: &str) -> &str {
    label.split(' ').next().unwrap_or_default()
}

fn typed(code: &Code, start: usize, scope: &str, words: &Words) -> Option<Declaration> {
    let lead = words::modifiers(code, start, words);
    let mut at = if code.byte(lead.at) == b'<' { code.skip(code.closing(lead.at)?) } else { lead.at };
    let (mut names, mut name) = (0, 0..0);
    // In C, a variable is kept only if it is documented.
    let marked = matches!(words.public, Public::Marked(_));
    for _ in 0..MAX_TOKENS {
        let word = code.word(at);
        if !word.is_empty() {
            if (listed(STATEMENTS, word) && (names == 0 || code.byte(code.skip(at + word.len())) != b'('))
                || word.starts_with(|c: char| c.is_ascii_digit())
            {
                return None;
            }
            let end = at + word.len();
            let next = code.skip(end);
            if listed(MARKS, word) && code.byte(next) == b'(' {
                at = code.skip(code.closing(next)?);
                continue;
            }
            if word == "operator" {
                let open = (end..code.reach(end)).find(|n| code.byte(*n) == b'(' && *n > end)?;
                return callable(code, start, end - word.len()..open, open, lead.public);
            }
            // `A::b`, `a.b.C` and `~b` are one name.
            let joined = names > 0 && matches!(code.byte(at - 1), b':' | b'.' | b'~');
            let tilde = usize::from(at > 0 && code.byte(at - 1) == b'~');
            name = if joined { name.start..end } else { at - tilde..end };
            names += usize::from(!joined);
            at = next;
            continue;
        }
        match code.byte(at) {
            b'(' if names > 0 => {
                let inner = code.skip(at + 1);
                let constructor = names == 1 && name_of(code, &name).split("::").last() == scope.split(' ').next_back();
                let qualified = names == 1 && name_of(code, &name).contains("::");
                let macro_name = name_of(code, &name).bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
                // `EXPORT(int) f(void)`: a macro round the type.
                let after = code.skip(code.closing(at)?);
                if names == 1
                    && macro_name
                    && !constructor
                    && is_word(code.byte(after))
                    && code.line_of(after) == code.line_of(at)
                {
                    at = after;
                    continue;
                }
                if names < 2 && !constructor && !qualified && code.byte(inner) != b'*' {
                    return None;
                }
                if code.byte(inner) == b'*' {
                    let pointer = code.skip(inner + 1);
                    name = pointer..code.word_end(pointer);
                }
                // `int f OF((int a))`: a macro round the parameters.
                if code.byte(inner) == b'(' && macro_name {
                    name = name_before(code, name.start)?;
                }
                return callable(code, start, name, at, lead.public);
            }
            b'<' => at = code.skip(code.closing(at)?),
            b'[' if names < 2 || code.lexis.attributes.contains(&"[") => at = code.skip(code.closing(at)?),
            b':' if code.byte(at + 1) == b':' => at = code.skip(at + 2),
            b'*' | b'&' | b'.' | b'?' | b'~' | DIRECTIVE => at = code.skip(at + 1),
            STRING => at = code.skip(words::string_end(code, at)),
            b';' | b'=' | b'[' | b',' | b'{' if names > 1 => return value(code, at, name, lead.public && marked),
            _ => return None,
        }
    }
    None
}

fn name_of<'a>(code: &Code<'a>, name: &std::ops::Range<usize>) -> &'a str {
    code.text.get(name.clone()).unwrap_or_default()
}

fn name_before(code: &Code, at: usize) -> Option<std::ops::Range<usize>> {
    let end = at - code.mask[..at].iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
    let length = code.mask[..end].iter().rev().take_while(|b| is_word(**b)).count();
    (length > 0).then_some(end - length..end)
}

fn callable(code: &Code, start: usize, name: std::ops::Range<usize>, open: usize, public: bool) -> Option<Declaration> {
    let close = code.closing(open)?;
    if matches!(code.byte(code.skip(close)), b'.' | b'+' | b'/' | b')' | b'?' | b'<') {
        return None;
    }
    let extent = code.extent(close, Stops::default());
    // A prototype that only serves its own file says nothing that the definition does not.
    let public = public && !(extent.body.is_none() && code.text[start..name.start].starts_with("static"));
    let name = label(name_of(code, &name));
    (!name.is_empty()).then_some(Declaration {
        label: name,
        shape: Shape::Callable,
        public,
        end: extent.end,
        body: extent.body,
    })
}

fn value(code: &Code, at: usize, name: std::ops::Range<usize>, public: bool) -> Option<Declaration> {
    let extent = code.extent(at, Stops { equals: true, ..Stops::default() });
    let name = label(name_of(code, &name));
    (!name.is_empty()).then_some(Declaration {
        label: name,
        shape: Shape::Value,
        public,
        end: extent.end,
        body: extent.body,
    })
}

/// `typedef struct {…} name;` is a record if it is short, else its head and its documented fields.
fn typedef(code: &Code, at: usize) -> Option<Declaration> {
    let extent = code.extent(at, Stops::default());
    let whole = extent.body.map(|body| code.whole(at, body));
    let end = match whole {
        Some(Some(close)) => code.extent(close, Stops::default()).end,
        _ => extent.end,
    };
    // The name comes last, or in `(*name)` before the parameters.
    let text = &code.mask[at..end];
    let pointer = text.windows(2).position(|w| w == b"(*").filter(|_| whole.is_none());
    let name = match pointer {
        Some(n) => code.word(code.skip(at + n + 2)),
        None if matches!(whole, Some(None)) => code.text[at..end].split_whitespace().nth(2).unwrap_or("typedef"),
        None => {
            let cut = text.iter().position(|b| *b == b'(').filter(|_| whole.is_none()).unwrap_or(text.len());
            let cut = text[..cut].iter().rposition(|b| is_word(*b))?;
            let from = text[..=cut].iter().rposition(|b| !is_word(*b)).map_or(0, |n| n + 1);
            code.text.get(at + from..=at + cut)?
        }
    };
    let body = extent.body;
    // `typedef struct x x;` says nothing.
    let alias = ["struct", "union", "enum"].contains(&code.word(code.skip(at + "typedef".len())));
    let public = body.is_some() || !alias;
    Some(Declaration { label: label(&format!("typedef {name}")), shape: Shape::Record, public, end, body })
}
