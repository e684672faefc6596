//! What changed from one frame to another, read from the frames themselves: their Markdown is all there is of them.

use super::frame::{NO_LINES, TRAILER};
use serde::Serialize;
use std::collections::BTreeMap;

/// What became of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Only the second frame has it.
    Added,
    /// Only the first frame has it.
    Removed,
    /// Both have the place, with other text.
    Changed,
    /// Both have the text, at another place.
    Moved,
}

/// The difference of two frames.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FrameDiff {
    /// Places of pieces with what became of them, in order of places.
    pub pieces: Vec<(String, Change)>,
    /// Other parts that are not the same: front matter by key, sections by name.
    pub parts: Vec<String>,
    /// Pieces that are the same.
    pub same: usize,
}

impl FrameDiff {
    /// Whether the frames say the same.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.parts.is_empty()
    }
}

/// A frame, taken apart.
#[derive(Default)]
struct Parts<'t> {
    /// Text of each piece by its place.
    pieces: BTreeMap<String, &'t str>,
    /// Everything else by name.
    rest: BTreeMap<String, &'t str>,
}

/// Compares two frames as `ken pack` prints them; `None` if one of them is no frame.
pub fn diff(a: &str, b: &str) -> Option<FrameDiff> {
    let (a, b) = (read(a)?, read(b)?);
    let mut out = FrameDiff::default();
    for (place, text) in &a.pieces {
        match b.pieces.get(place) {
            Some(other) if other == text => out.same += 1,
            Some(_) => out.pieces.push((place.clone(), Change::Changed)),
            None if b.pieces.iter().any(|(at, other)| other == text && !a.pieces.contains_key(at)) => {
                out.pieces.push((place.clone(), Change::Moved));
            }
            None => out.pieces.push((place.clone(), Change::Removed)),
        }
    }
    for (place, text) in &b.pieces {
        let came = |(at, other): (&String, &&str)| *other == *text && !b.pieces.contains_key(at);
        if !a.pieces.contains_key(place) && !a.pieces.iter().any(came) {
            out.pieces.push((place.clone(), Change::Added));
        }
    }
    out.pieces.sort_by(|a, b| a.0.cmp(&b.0));
    let names: std::collections::BTreeSet<&String> = a.rest.keys().chain(b.rest.keys()).collect();
    out.parts = names.into_iter().filter(|name| a.rest.get(*name) != b.rest.get(*name)).cloned().collect();
    Some(out)
}

fn read(text: &str) -> Option<Parts<'_>> {
    let mut out = Parts::default();
    let (text, trailer) = text.rsplit_once(TRAILER).map_or((text, ""), |(text, last)| (text, last.trim_end()));
    // The first key is a part of the mark.
    let values = trailer.trim_end_matches("-->").trim_end().split(", ");
    // When a frame was made says nothing about what it says.
    for (key, value) in ["as_of", "tokens", "pieces"].into_iter().zip(values).skip(1) {
        let value = value.strip_prefix(key).map_or(value, |value| value.trim_start_matches(": "));
        out.rest.insert(key.to_owned(), value);
    }
    let matter = crate::chunk::yaml(text).filter(|yaml| yaml.starts_with("kenning: "))?;
    for line in matter.lines() {
        if let Some((key, value)) = line.split_once(": ") {
            out.rest.insert(key.to_owned(), value);
        }
    }
    let body = text.find(matter)? + matter.len();
    let mut at = body + text[body..].find('\n')? + 1;
    let (mut section, mut start) = (None::<String>, at);
    let mut source = String::new();
    let mut fence: Option<(&str, String, usize)> = None;
    for line in text[at..].split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        let mark = &bare[..bare.len() - bare.trim_start_matches('`').len()];
        if let Some((open, place, from)) = &fence {
            if bare == *open {
                out.pieces.insert(place.clone(), &text[*from..at]);
                fence = None;
            }
        } else if section.as_deref() == Some("Knowledge") && mark.len() >= 3 {
            // Lines come first, where there are any.
            let lines = bare[mark.len()..].split(' ').next().filter(|lines| *lines != NO_LINES);
            let place = lines.map_or_else(|| source.clone(), |lines| format!("{source}:{lines}"));
            fence = Some((mark, place, at + line.len()));
        } else if section.as_deref() == Some("Knowledge")
            && let Some(heading) = bare.strip_prefix("## `").and_then(|rest| rest.strip_suffix('`'))
        {
            heading.clone_into(&mut source);
        } else if let Some(name) = bare.strip_prefix("# ").filter(|name| NAMES.contains(name)) {
            if let Some(before) = section.replace(name.to_owned()).filter(|before| before != "Knowledge") {
                out.rest.insert(before, text[start..at].trim());
            }
            start = at + line.len();
        }
        at += line.len();
    }
    if let Some(last) = section.filter(|last| last != "Knowledge") {
        out.rest.insert(last, text[start..].trim());
    }
    Some(out)
}

/// The parts of a frame besides its front matter.
const NAMES: &[&str] = &["Task", "Knowledge", "Learnings", "State", "Instructions"];

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(pieces: &str, task: &str) -> String {
        format!(
            "---\nkenning: 1\nbudget: 100\n---\n\n# Task\n\n{task}\n\n# Knowledge\n\nRecalled.\n{pieces}\n\
             # Learnings\n\nNone.\n\n<!-- as_of: 2026-11-22T00:00:00Z, tokens: {}, pieces: 3 -->\n",
            task.len()
        )
    }

    #[test]
    fn pieces_are_told_apart_by_place_and_text() {
        let a = frame(
            "\n## `a.md`\n```1-2 T\none\n```\n```9 T\ntwo\n```\n\n## `rust/x`\n````- T\n\
             ```\n# Task\n```\n````\n",
            "x",
        );
        let b = frame("\n## `a.md`\n```1-2 T\none!\n```\n```12 T\ntwo\n```\n\n## `b.md`\n```3\nnew\n```\n", "y");
        assert_eq!(diff(&a, &a), Some(FrameDiff { same: 3, ..FrameDiff::default() }));
        let expected = FrameDiff {
            pieces: [
                ("a.md:1-2", Change::Changed),
                ("a.md:9", Change::Moved),
                ("b.md:3", Change::Added),
                ("rust/x", Change::Removed),
            ]
            .map(|(place, change)| (place.to_owned(), change))
            .into(),
            parts: vec!["Task".to_owned()],
            same: 0,
        };
        assert_eq!(diff(&a, &b), Some(expected));
        assert_eq!(diff(&a, &a.replace("tokens: 1", "tokens: 2")).unwrap().parts, ["tokens"]);
        assert!(diff(&a, &a.replace("2026-11-22", "2026-11-23")).unwrap().is_empty());
        assert_eq!(diff(&a, "# no frame"), None);
    }
}
