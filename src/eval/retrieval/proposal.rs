//! What could be asked of a text, in its own words: its heading, its first sentence, or how it begins.

use crate::types::{Item, heading};
use std::collections::HashMap;

/// Words of a question, at least and at most.
const HEADING: (usize, usize) = (2, 12);
const SENTENCE: (usize, usize) = (5, 30);
/// Words of a text that has neither heading nor sentence.
const BEGINNING: usize = 12;
/// Least share of letters in prose.
const LETTERS: f64 = 0.7;

/// Where the words of a question come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Origin {
    Heading,
    Sentence,
    Beginning,
}

impl Origin {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Heading => "heading",
            Self::Sentence => "sentence",
            Self::Beginning => "beginning",
        }
    }
}

/// The section of an item: its file and heading path.
pub(super) fn place(item: &Item) -> (&str, &str) {
    (item.path.as_deref().unwrap_or_default(), item.title.as_str())
}

/// Headings that stand over one section alone, which has one file and one heading path.
pub(super) fn sections(items: &[Item]) -> HashMap<String, Option<(&str, &str)>> {
    let mut out: HashMap<String, Option<(&str, &str)>> = HashMap::new();
    for item in items {
        let own = place(item);
        let known = out.entry(heading(&item.title).trim().to_lowercase()).or_insert(Some(own));
        if *known != Some(own) {
            *known = None;
        }
    }
    out
}

/// A question about an item. `heading_first` says which of heading and sentence is tried first; `is_own` whether its
/// heading is that of one section alone.
pub(super) fn proposal(item: &Item, heading_first: bool, is_own: bool) -> Option<(String, Origin)> {
    let of_heading = || {
        let text = bare(heading(&item.title).trim());
        (is_own && within(&text, HEADING)).then_some((text, Origin::Heading))
    };
    let of_sentence = || first_sentence(&item.body).map(|text| (text, Origin::Sentence));
    let first = if heading_first { of_heading().or_else(of_sentence) } else { of_sentence().or_else(of_heading) };
    first.or_else(|| {
        let words: Vec<&str> = item.body.split_whitespace().take(BEGINNING).collect();
        (!words.is_empty()).then(|| (words.join(" "), Origin::Beginning))
    })
}

/// The first line of prose up to the end of its first sentence.
fn first_sentence(body: &str) -> Option<String> {
    let paragraphs =
        body.split("\n\n").map(|paragraph| bare(&paragraph.split_whitespace().collect::<Vec<_>>().join(" ")));
    let sentence = |text: String| {
        let mut ends = text.match_indices(['.', '?', '!', ':']).map(|(at, mark)| at + mark.len());
        let end = ends.find(|end| text[*end..].chars().next().is_none_or(char::is_whitespace));
        text[..end.unwrap_or(text.len())].trim_end_matches(['.', ':', '!']).to_owned()
    };
    paragraphs.map(sentence).find(|text| within(text, SENTENCE) && is_prose(text))
}

fn within(text: &str, (least, most): (usize, usize)) -> bool {
    (least..=most).contains(&text.split_whitespace().count())
}

fn is_prose(text: &str) -> bool {
    let all = text.chars().filter(|c| !c.is_whitespace()).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters as f64 >= LETTERS * all.max(1) as f64
}

/// A text without the marks of Markdown around its words.
fn bare(text: &str) -> String {
    let text: String = text.chars().filter(|c| !matches!(c, '`' | '*' | '#' | '|')).collect();
    text.trim_start_matches(['-', '>', ' ']).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Authority, Kind, Scope, State};

    fn item(title: &str, body: &str) -> Item {
        Item {
            uid: String::new(),
            kind: Kind::Chunk,
            scope: Scope::global(),
            authority: Authority::Personal,
            state: State::Active,
            title: title.to_owned(),
            body: body.to_owned(),
            attributes: serde_json::json!({}),
            path: None,
            span: None,
            created_at: 0,
            updated_at: 0,
        }
    }

    #[test]
    fn a_text_proposes_its_heading_or_its_first_sentence() {
        let said = |title: &str, body: &str, first: bool| proposal(&item(title, body), first, true);
        let text = "Keys are `rotated` every ninety days. Whoever is\non call waits.";
        assert_eq!(said("Guide > Signing *keys*", text, true), Some(("Signing keys".to_owned(), Origin::Heading)));
        let sentence = "Keys are rotated every ninety days".to_owned();
        assert_eq!(said("Guide > Signing keys", text, false), Some((sentence.clone(), Origin::Sentence)));
        assert_eq!(said("Keys", text, true), Some((sentence, Origin::Sentence)), "one word is no question");
        assert_eq!(said("", "fn main() {}\n", true), Some(("fn main() {}".to_owned(), Origin::Beginning)));
        assert_eq!(said("", " \n", true), None);
        // A point within a word ends no sentence, nor is a table one.
        let dotted = "| a | 1.2 | 3 | 4 | 5 |\n\nVersion 1.2 reads the old files too: all of them.";
        assert_eq!(said("", dotted, false).unwrap().0, "Version 1.2 reads the old files too");
        assert_eq!(said("", "Überall gilt für Größen hier: ß.", false).unwrap().0, "Überall gilt für Größen hier");
    }

    #[test]
    fn a_heading_that_stands_twice_tells_nothing() {
        let at = |path: &str, title: &str| Item { path: Some(path.to_owned()), ..item(title, "text") };
        let items =
            [at("a", "A > Set up"), at("a", "A > Set up"), at("b", "B > Usage notes"), at("c", "C > usage notes")];
        let found = sections(&items);
        assert_eq!((found["set up"], found["usage notes"]), (Some(("a", "A > Set up")), None));
    }
}
