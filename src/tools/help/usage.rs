//! Lines of usage: what must be given, what may be, and, where nothing else lists them, the options.

use super::FIELDS;
use super::options::named;
use crate::types::ToolField;

/// Most parts of one form.
const PARTS: usize = 300;

/// Words in a form that stand for a list elsewhere in the text.
const STAND_INS: [&str; 12] = [
    "option",
    "options",
    "opts",
    "flags",
    "global options",
    "global-options",
    "command",
    "subcommand",
    "args",
    "arguments",
    "package-index-options",
    "object",
];

/// A part of a form: a word, or what stands in one pair of brackets.
struct Part<'f> {
    text: &'f str,
    is_optional: bool,
}

/// The parts of a form, outermost brackets first.
fn parts(form: &str) -> Vec<Part<'_>> {
    let mut out = Vec::new();
    let (mut depth, mut begin) = (0usize, None);
    // Brackets that are still open. A closing bracket that nothing opened is skipped.
    for (at, letter) in form.char_indices() {
        match letter {
            '[' | '<' | '{' | '(' => {
                if depth == 0 && begin.is_none() {
                    begin = Some(at);
                }
                depth += 1;
            }
            ']' | '>' | '}' | ')' => depth = depth.saturating_sub(1),
            _ if letter.is_whitespace() && depth == 0 => {
                if let Some(from) = begin.take() {
                    out.push(&form[from..at]);
                }
            }
            _ if begin.is_none() => begin = Some(at),
            _ => {}
        }
    }
    out.extend(begin.map(|from| &form[from..]));
    out.truncate(PARTS);
    out.into_iter().map(|text| Part { text, is_optional: text.starts_with('[') }).collect()
}

/// The name of the argument that a part of a form asks for. Options and words such as `OPTIONS` name none.
fn name_of(text: &str) -> Option<String> {
    let bare = text.trim_matches(|letter: char| "[]<>{}().…,'\"".contains(letter));
    // Of nested and repeated arguments the first has the name.
    let first = bare.split(['[', ']', '|', '=']).next().unwrap_or_default().trim();
    let first = first.trim_matches(|letter: char| "<>.,'\" ".contains(letter));
    let is_word = first.starts_with(char::is_alphanumeric)
        && first.len() <= 60
        && first.chars().all(|letter| letter.is_alphanumeric() || "-_. /".contains(letter));
    let lower = first.to_lowercase();
    (is_word && !STAND_INS.contains(&lower.as_str())).then_some(lower)
}

/// The arguments of all forms. One is required if every form requires it.
pub(super) fn positionals(forms: &[String]) -> Vec<ToolField> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for form in forms {
        let mut here: Vec<(String, bool)> = Vec::new();
        let mut after_option = false;
        let parts = parts(form);
        for (at, part) in parts.iter().enumerate() {
            let is_choice = part.text == "|"
                || at > 0 && parts[at - 1].text == "|"
                || parts.get(at + 1).is_some_and(|next| next.text == "|");
            let inner = part.text.trim_start_matches('[');
            let is_option = inner.starts_with('-') && inner.len() > 1;
            // The value of an option is no argument of its own.
            let is_value = std::mem::replace(&mut after_option, is_option && !part.is_optional);
            if is_option || is_value {
                continue;
            }
            if let Some(name) = name_of(part.text)
                && here.iter().all(|(known, _)| *known != name)
            {
                here.push((name, !part.is_optional && !is_choice));
            }
        }
        for (name, is_needed) in here {
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += usize::from(is_needed),
                None => found.push((name, usize::from(is_needed))),
            }
        }
    }
    let of = |(name, count): (String, usize)| ToolField {
        name,
        kind: "string".to_owned(),
        required: count == forms.len(),
        ..ToolField::default()
    };
    found.into_iter().take(FIELDS).map(of).collect()
}

/// The options that stand in the forms themselves.
pub(super) fn options(forms: &[String]) -> Vec<ToolField> {
    let in_brackets = |part: &Part<'_>| {
        let inner = part.text.strip_prefix('[')?.trim_end_matches('.').strip_suffix(']')?;
        // Letters in a row are several options of one letter each.
        let first = inner.split_whitespace().next()?;
        let is_row = !first.starts_with("--") && first.len() > 2 && first.chars().any(char::is_uppercase);
        (inner.starts_with('-') && !is_row).then(|| named(inner.split(" [").next().unwrap_or_default(), ""))
    };
    forms.iter().flat_map(|form| parts(form)).filter_map(|part| in_brackets(&part)).flatten().collect()
}
