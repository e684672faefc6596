//! Reports in XML, as linters write them for build servers: a file's element with its problems, or a problem with its
//! location.

use super::severity::ProblemSeverity;
use super::{Document, MOST_PROBLEMS, Problem, one_line};
use crate::text::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// A tag's name and its attributes, up to a bound that no linter reaches.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"<(?P<name>[A-Za-z][\w:.-]*)(?P<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*/?>"#)
});
static ATTRIBUTE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?P<name>[\w:.-]+)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')"#));

/// The problems of a document.
pub(super) fn problems(text: &str) -> Document {
    let mut out = Vec::new();
    let (mut file, mut message, mut severity) = (None, String::new(), None);
    let (mut at, mut counted) = (0, 0);
    for tag in TAG.captures_iter(text) {
        let Some(whole) = tag.get(0) else { continue };
        at += text[counted..whole.start()].matches('\n').count();
        counted = whole.start();
        let mut one = Attributes::default();
        for attribute in ATTRIBUTE.captures_iter(&tag["attributes"]) {
            let value =
                attribute.name("double").or_else(|| attribute.name("single")).map_or("", |value| value.as_str());
            one.take(&attribute["name"], value);
        }
        if matches!(&tag["name"], "file" | "sourcefile") {
            file = one.name.clone().or(one.file.clone());
        }
        if let Some(said) = &one.message {
            message.clone_from(said);
            severity = one.severity;
        }
        if let (Some(line), Some(file)) = (one.line, one.file.clone().or_else(|| file.clone())) {
            let behind = &text[whole.end()..];
            let inside = behind[..behind.find('<').unwrap_or(0)].trim();
            let said = match (&one.message, inside) {
                (Some(own), _) => own.clone(),
                (None, "") => message.clone(),
                (None, inside) => unescaped(inside),
            };
            let (column, severity) = (one.column, one.severity.or(severity));
            out.push(Problem { file, line: Some(line), column, severity, message: one_line(&said), at });
            if out.len() >= MOST_PROBLEMS {
                break;
            }
        }
    }
    Document { problems: out, is_whole: text.trim_end().ends_with('>') }
}

/// What the attributes of a tag say.
#[derive(Debug, Default)]
struct Attributes {
    name: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    message: Option<String>,
    severity: Option<ProblemSeverity>,
}

impl Attributes {
    fn take(&mut self, name: &str, value: &str) {
        match name {
            "name" => self.name = Some(unescaped(value)),
            "file" | "path" | "filename" => self.file = Some(unescaped(value)),
            "line" | "beginline" | "lineNumber" | "startLine" => {
                self.line = value.parse().ok().filter(|line| *line > 0)
            }
            "column" | "begincolumn" | "col" => self.column = value.parse().ok(),
            "message" | "msg" => self.message = Some(unescaped(value)),
            "severity" | "level" => self.severity = ProblemSeverity::of(value),
            _ => {}
        }
    }
}

fn unescaped(value: &str) -> String {
    let named = value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    named.replace("&#39;", "'").replace("&#10;", " ").replace("&amp;", "&")
}
