//! What JavaScript and TypeScript declare without a keyword: methods, functions as values, exported assignments.
//!
//! Decides by what stands after the name: a parameter list and a body, `=>` or `function`. Keywords are tried first, by
//! `words`; a call (`name(…);`) declares nothing.

use super::code::{Code, Stops};
use super::mask::{is_word, listed};
use super::outline::{Declaration, Place, Shape, label};
use super::words::{self, Words};

const STATEMENTS: &str = "if for while switch catch return function with await super new else do try";

pub(super) fn recognise(code: &Code, at: usize, scope: &str, place: Place, words: &Words) -> Option<Declaration> {
    let lead = words::modifiers(code, at, words);
    if code.starts_with(lead.at, "default") && code.text[at..].starts_with("export") {
        return Some(default_export(code, code.skip(lead.at + "default".len()), words));
    }
    if let Some(mut found) = words::recognise(code, at, words) {
        // A script's functions and classes are its interface, exported or not.
        found.public |= matches!(found.shape, Shape::Callable | Shape::Container) && !found.label.contains(" _");
        if found.shape == Shape::Value {
            let name = words::name_end(code, code.skip(code.word_end(lead.at)));
            if let Some(function) = function(code, after_type(code, name, b'=')) {
                let public = found.public || !found.label.contains(" _");
                return Some(Declaration { label: found.label, public, ..function });
            }
            // `const x = {…}` may hold methods, but is not shown whole.
            let start = code.skip(found.end);
            found.body = (code.byte(found.end - 1) == b'=' && code.byte(start) == b'{').then_some(start).or(found.body);
            found.shape = if found.body == Some(start) { Shape::Container } else { Shape::Value };
        }
        return Some(found);
    }
    member(code, lead.at, lead.public, scope, place)
}

fn default_export(code: &Code, at: usize, words: &Words) -> Declaration {
    if let Some(found) = words::recognise(code, at, words) {
        return Declaration { public: true, ..found };
    }
    let extent = code.extent(at, Stops { newline: true, ..Stops::default() });
    let shape = if code.byte(at) == b'{' { Shape::Container } else { Shape::Callable };
    Declaration { label: "default".to_owned(), shape, public: true, end: extent.end, body: extent.body }
}

/// `name(…) {`, `name: function (…) {`, `a.b.name = (…) =>`.
fn member(code: &Code, at: usize, exported: bool, scope: &str, place: Place) -> Option<Declaration> {
    let at = if code.byte(at) == b'*' { code.skip(at + 1) } else { at };
    let end = words::name_end(code, at);
    let name = code.text.get(at..end).filter(|name| !name.is_empty() && !listed(STATEMENTS, name))?;
    let next = code.skip(end);
    let hidden = name.starts_with(['_', '#']) || code.text[..at].trim_end().ends_with("private");
    let in_class = scope.starts_with("class ") || scope.starts_with("interface ");
    let public =
        exported || name.starts_with("exports.") || name.starts_with("module.exports") || (in_class && !hidden);
    let named = |found: Declaration| Some(Declaration { label: label(name), public, ..found });
    match code.byte(next) {
        b'(' | b'<' if !name.contains('.') => {
            let open = if code.byte(next) == b'<' { code.skip(code.closing(next)?) } else { next };
            let close = (code.byte(open) == b'(').then(|| code.closing(open))??;
            let after = code.byte(code.skip(close));
            let bodiless = in_class && !place.in_body && matches!(after, b':' | b';');
            if after != b'{' && after != b':' && !bodiless {
                return None;
            }
            let extent = code.extent(close, Stops { newline: true, ..Stops::default() });
            if extent.body.is_none() && !bodiless {
                return None;
            }
            named(Declaration {
                label: String::new(),
                shape: Shape::Callable,
                public,
                end: extent.end,
                body: extent.body,
            })
        }
        mark @ (b':' | b'=' | b'?' | b'!') if code.byte(next + 1) != b'=' && code.byte(next + 1) != b'>' => {
            if mark == b'='
                && let Some(found) = function(code, next + 1)
            {
                return named(found);
            }
            if mark == b':'
                && let Some(found) = function(code, next + 1)
            {
                return named(found);
            }
            // A field of a class, an assignment to the module.
            let assigned = mark == b'=' && (name.contains('.') || in_class);
            if !assigned && (!in_class || place.in_body) {
                return None;
            }
            // Without a type or a comment, a value says little.
            let public = exported || (public && mark != b'=' && in_class);
            let extent = code.extent(next, Stops { newline: true, equals: in_class, ..Stops::default() });
            let shape =
                if mark == b'=' && extent.body.is_some() && !place.in_body { Shape::Container } else { Shape::Value };
            Some(Declaration { label: label(name), shape, public, end: extent.end, body: extent.body })
        }
        _ => None,
    }
}

/// The position after `mark`, past a type annotation.
fn after_type(code: &Code, name: usize, mark: u8) -> usize {
    let next = code.skip(name);
    if code.byte(next) == mark {
        return next + 1;
    }
    code.extent(next, Stops { equals: true, ..Stops::default() }).end
}

/// A function as a value, at `at`: its label is left to the caller.
fn function(code: &Code, at: usize) -> Option<Declaration> {
    let mut at = code.skip(at);
    if code.word(at) == "async" {
        at = code.skip(at + "async".len());
    }
    let shape = match code.word(at) {
        "function" => Some(Shape::Callable),
        "class" => Some(Shape::Container),
        _ => None,
    };
    if let Some(shape) = shape {
        let extent = code.extent(at, Stops::default());
        return extent.body.map(|_| Declaration {
            label: String::new(),
            shape,
            public: false,
            end: extent.end,
            body: extent.body,
        });
    }
    let open = if code.byte(at) == b'<' { code.skip(code.closing(at)?) } else { at };
    let close = if code.byte(open) == b'(' { code.closing(open)? } else { code.word_end(open) };
    let mut arrow = code.skip(close);
    if code.byte(arrow) == b':' && is_word(code.byte(code.skip(arrow + 1))) {
        arrow = code.extent(arrow, Stops { equals: true, newline: true, ..Stops::default() }).end;
        arrow = (arrow..arrow + 2).find(|n| code.starts_with(*n, "=>")).unwrap_or(arrow);
        arrow =
            (close..code.reach(close)).find(|n| code.starts_with(*n, "=>") || code.byte(*n) == b'{').unwrap_or(arrow);
    }
    if close == open || !code.starts_with(arrow, "=>") {
        return None;
    }
    let body = code.skip(arrow + 2);
    let body = (code.byte(body) == b'{').then_some(body);
    Some(Declaration {
        label: String::new(),
        shape: Shape::Callable,
        public: false,
        end: body.map_or(arrow + 2, |n| n + 1),
        body,
    })
}
