//! Canon: logs against the packs that ship, packs of others, and captured values in fixes.

use crate::fuzz::{Reader, Target, about, outcome, sort_of};
use crate::support::request::session;
use kenning::canon::{Canon, Entry, PackFile, PackLayer, PackSource, add_entry, check, fill};
use kenning::engine::Engine;
use kenning::query::LookupOptions;
use kenning::render::{Length, Style, json_line, lookup_text};
use std::path::Path;

/// Messages that the packs know, and no more of them than the others have.
fn messages() -> Vec<Vec<u8>> {
    let text = include_str!("../../lookup/messages.jsonl");
    let case = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().as_bytes().to_vec()
    };
    text.lines().filter(|line| !line.is_empty()).step_by(9).map(case).collect()
}

pub const LOOKUP: Target =
    Target { name: "lookup", seeds: messages, words: super::log::LOG.words, longest: 64 << 10, reader: lookup };

pub const PACK: Target = Target {
    name: "pack",
    seeds: Vec::new,
    words: &[
        "(?P<a>",
        ")",
        "(?i)",
        "[^\\n]*",
        "\\b",
        "\\p{L}",
        "{2,1000}",
        "(?:a|b)",
        "+",
        "*?",
        "$",
        "^",
        "\\d+",
        "\"\"",
        "\"error_patterns\":[",
        "\"generic_patterns\":[",
        "\"symptoms\":[",
        "\"examples\":[",
        "\"aliases\":[",
        "{a}",
        "\"general\":true",
        "(?x)",
        "\\x{10FFFF}",
        " ",
    ],
    longest: 32 << 10,
    reader: |_| Box::new(pack),
};

/// A step, then a value, on lines of their own.
pub const FILL: Target = Target {
    name: "fill",
    seeds: Vec::new,
    words: &["{a}", "{b}", "{", "}", "'", "\"", "$(", "`", "\\", "<a>", "\n", "-", "~", "!!", "${", "<<E\n"],
    longest: 8 << 10,
    reader: |_| Box::new(filled),
};

fn lookup(_: &Path) -> Reader {
    let engine = Engine::new(super::store::settings(None));
    let (plain, explained) = (
        LookupOptions::default(),
        LookupOptions { explain: true, limit: 9, max_errors: 50, ..LookupOptions::default() },
    );
    Box::new(move |input| {
        let options = if input.len() % 2 == 0 { &plain } else { &explained };
        let answer = match engine.lookup(input, options, &session()) {
            Ok(answer) => answer,
            Err(error) => return sort_of(&error),
        };
        let text = lookup_text(&answer, Length::Full, Style::default(), 80);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        let line = json_line(&answer);
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok());
        let ids: Vec<&str> =
            answer.results.iter().flat_map(|finding| &finding.hits).map(|hit| hit.id.as_str()).take(3).collect();
        outcome((about(answer.results.len()), ids))
    })
}

fn pack(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input).into_owned();
    let source = PackSource { layer: PackLayer::User, origin: "own.json".to_owned(), text: text.clone().into() };
    let findings = check(std::slice::from_ref(&source));
    let (canon, problems) = Canon::only(std::slice::from_ref(&source));
    for stored in canon.entries() {
        let entry = stored.entry();
        let (captures, _) = (stored.captures(), stored.source());
        for example in entry.examples.iter().map(|example| &example.text).chain(&entry.counterexamples).take(4) {
            for hit in canon.find(example) {
                assert!(example.get(hit.span.clone()).is_some(), "{hit:?}");
                entry.fix.iter().for_each(|step| drop(fill(&step.text, &captures, &hit.captures)));
            }
        }
        let _ = (entry.texts().len(), entry.generated_texts().len(), entry.keyword_text());
    }
    let read = serde_json::from_str::<PackFile>(&text);
    if let Ok(pack) = &read {
        let again: PackFile = serde_json::from_str(&serde_json::to_string(pack).unwrap()).unwrap();
        assert!(again == *pack, "a pack comes back as it was written");
    }
    let entry = Entry {
        id: "own/x".into(),
        title: "t".into(),
        cause: vec!["c".into()],
        symptoms: vec!["s".into()],
        ..Entry::default()
    };
    let added = add_entry(Some(&text), "own", entry);
    let said = findings.first().map_or(0, |finding| sort_of(&finding.message));
    outcome((
        about(canon.entries().len()),
        about(findings.len()),
        said,
        problems.len().min(3),
        added.is_ok(),
        read.is_ok(),
    ))
}

fn filled(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let (step, value) = text.split_once('\n').unwrap_or((&text, ""));
    let declared = [String::from("a"), String::from("b")].into();
    let captures = [(String::from("a"), value.to_owned())].into();
    let out = fill(step, &declared, &captures);
    let control = |text: &str| text.chars().filter(|c| c.is_control()).count();
    assert_eq!(control(&out), control(step), "{out:?}: no value brings control characters");
    outcome((out.contains("<a>"), out.contains("<b>"), out == step))
}
