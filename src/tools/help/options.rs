//! The options of a help text: lines that begin with a dash, wherever they stand but among examples.

use super::lines::{Kind, Line, Section, column, gap, split};
use super::{OF_FIELD, following, joined};
use crate::types::ToolField;

/// Placeholders of numbers.
const NUMBERS: [&str; 12] =
    ["n", "num", "number", "count", "int", "integer", "secs", "seconds", "bytes", "port", "depth", "width"];
/// Options that say how to use the program, and do nothing.
const ABOUT_ITSELF: [&str; 2] = ["help", "version"];

/// The options of all sections, in order.
pub(super) fn options(sections: &[Section<'_>]) -> Vec<ToolField> {
    let mut out: Vec<ToolField> = Vec::new();
    for section in sections.iter().filter(|section| !matches!(section.kind, Kind::Examples | Kind::Usage)) {
        let column = column(&section.lines, |line| line.text.starts_with('-'));
        for (at, line) in section.lines.iter().enumerate() {
            // In the column of descriptions a dash belongs to a description.
            let is_option =
                |line: &Line<'_>| line.text.starts_with('-') && column.is_none_or(|column| line.indent < column);
            if !is_option(line) {
                continue;
            }
            let more = &section.lines[at + 1..];
            let own = more.iter().take_while(|line| !is_option(line)).count();
            let more = following(&more[..own], line.indent);
            let mut rest = Some(*line);
            while let Some(line) = rest {
                let (head, mut says) = parted(&line, column);
                // Some texts have two columns of options.
                rest = gap(says).filter(|(_, other)| other.starts_with('-')).map(|(own, other)| {
                    says = own;
                    Line { indent: 0, text: other }
                });
                let is_value = says.starts_with(['<', '[']) && !says.contains(": ");
                let (value, says) = match is_value {
                    true => gap(says).unwrap_or((says, "")),
                    false => ("", says),
                };
                let more = if rest.is_none() { more.as_str() } else { "" };
                out.extend(named(&format!("{head} {value}"), &joined(says, more)));
            }
        }
    }
    out
}

/// The head of an option and its description.
fn parted<'t>(line: &Line<'t>, column: Option<usize>) -> (&'t str, &'t str) {
    let (head, says) =
        split(line, column).or_else(|| line.text.split_once(" : ")).unwrap_or((line.text.trim_end_matches(':'), ""));
    (head, says.trim_start_matches([':', ' ']))
}

/// The options that a head names: most often one, by several names.
pub(super) fn named(head: &str, says: &str) -> Vec<ToolField> {
    struct Named<'h> {
        names: Vec<&'h str>,
        value: String,
    }
    let mut all: Vec<Named<'_>> = Vec::new();
    // Whether a comma or a bar stood before.
    let mut is_other_name = false;
    for word in head.split_whitespace() {
        let is_list = word.ends_with([',', '|']);
        let word = word.trim_end_matches([',', '|']);
        if word == "or" {
            is_other_name = true;
            continue;
        }
        if !word.starts_with('-') || word.len() < 2 {
            if let Some(last) = all.last_mut() {
                last.value.push_str(word);
            }
            is_other_name = is_list;
            continue;
        }
        for (place, part) in word.split("|-").enumerate() {
            let bare = part.trim_start_matches('-');
            // `--[no-]colour` and `-[no]header` are told by their names without it.
            let bare = bare.strip_prefix("[no-]").or_else(|| bare.strip_prefix("[no]")).unwrap_or(bare);
            let end = bare.find(['=', '[', '<', '{', '(', ':']).unwrap_or(bare.len());
            let (name, value) = (bare[..end].trim_end_matches('.'), &bare[end..]);
            let is_long = |name: &str| name.chars().count() > 1;
            let follows = all.last().is_some_and(|last| {
                place > 0
                    || is_other_name
                    || last.value.is_empty() && last.names.iter().all(|known| is_long(known) != is_long(name))
            });
            match all.last_mut().filter(|_| follows) {
                Some(last) => {
                    last.names.push(name);
                    last.value.push_str(value);
                }
                None => all.push(Named { names: vec![name], value: value.to_owned() }),
            }
            is_other_name = false;
        }
        is_other_name |= is_list;
    }
    let may_stand = |letter: char| letter.is_alphanumeric() || "-_.?#@".contains(letter);
    let of = |one: Named<'_>| {
        let name = one.names.iter().find(|name| name.chars().count() > 1).or(one.names.first())?;
        if name.is_empty() || name.len() > 60 || !name.chars().all(may_stand) || ABOUT_ITSELF.contains(name) {
            return None;
        }
        let value = one.value.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        let kind = match () {
            () if value.is_empty() => "boolean",
            () if NUMBERS.contains(&value.as_str()) => "integer",
            () => "string",
        };
        Some(ToolField {
            name: (*name).to_owned(),
            kind: kind.to_owned(),
            required: false,
            description: says.chars().take(OF_FIELD).collect(),
        })
    };
    all.into_iter().filter_map(of).collect()
}
