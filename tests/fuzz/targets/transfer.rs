//! Exports: taken in, written out, taken in again.

use crate::fuzz::{Reader, Target, emptied, files, outcome, sort_of};
use crate::support::request::session;
use kenning::engine::Engine;
use std::path::Path;

const WORDS: &[&str] = &[
    "{\"type\":\"kenning\",\"format\":1,\"exported_at\":0}\n",
    "{\"type\":\"end\",\"records\":1}\n",
    "\"type\":\"item\"",
    "\"type\":\"source\"",
    "\"type\":\"usage\"",
    "\"type\":\"link\"",
    "\"type\":\"event\"",
    "\"span\":null",
    "\"path\":null",
    "\"state\":\"retired\"",
    "\"attributes\":{}",
    "\"kind\":\"learning\"",
    "\\u0000",
    "\\ud800",
    "\u{2028}",
    "id: ",
    "---\n",
    "=== records.jsonl\n",
    "=== a.md\n",
    "=== canon/a.md\n",
];

pub const RECORDS: Target =
    Target { name: "records", seeds: Vec::new, words: WORDS, longest: 32 << 10, reader: records };
pub const MARKDOWN_EXPORT: Target =
    Target { name: "markdown-export", seeds: Vec::new, words: WORDS, longest: 32 << 10, reader: markdown };

/// What is stored, as an export tells it: without when it was written, and without what happened meanwhile.
fn stored(engine: &Engine) -> Vec<String> {
    let mut out = Vec::new();
    if engine.export(&mut out, &session()).is_err() {
        return Vec::new();
    }
    let text = String::from_utf8(out).expect("an export is UTF-8");
    let apart = ["{\"type\":\"kenning\"", "{\"type\":\"event\"", "{\"type\":\"end\""];
    text.lines().filter(|line| !apart.iter().any(|start| line.starts_with(start))).map(str::to_owned).collect()
}

fn engine(data: &Path) -> Engine {
    emptied(data);
    Engine::new(super::store::settings(Some(data)))
}

fn records(room: &Path) -> Reader {
    let (one, two) = (room.join("one"), room.join("two"));
    Box::new(move |input| {
        let first = engine(&one);
        if let Err(error) = first.import_records(input, &session()) {
            return sort_of(&error);
        }
        let mut written = Vec::new();
        first.export(&mut written, &session()).expect("what was taken in is written out");
        let second = engine(&two);
        second.import_records(written.as_slice(), &session()).expect("what was written out is taken in");
        let (before, after) = (stored(&first), stored(&second));
        assert_eq!(before, after, "what was taken in is what was written out");
        outcome((
            before.len().min(9),
            before.iter().map(|line| &line[..line.len().min(16)]).take(4).collect::<Vec<_>>(),
        ))
    })
}

fn markdown(room: &Path) -> Reader {
    let (folder, written) = (room.join("in"), room.join("out"));
    let (one, two) = (room.join("one"), room.join("two"));
    Box::new(move |input| {
        emptied(&folder);
        emptied(&written);
        std::fs::create_dir(folder.join("canon")).unwrap();
        for (name, bytes) in files(input).into_iter().take(6) {
            if ["records.jsonl", "a.md", "b.md", "canon/a.md"].contains(&name.as_str()) {
                std::fs::write(folder.join(name), bytes).unwrap();
            }
        }
        let first = engine(&one);
        let imported = match first.import_markdown(&folder, &session()) {
            Ok((imported, entries)) => (imported, entries),
            Err(error) => return sort_of(&error),
        };
        // The packs are read when an engine is made.
        let first = Engine::new(super::store::settings(Some(&one)));
        first.export_markdown(&written, &session()).expect("what was taken in is written out");
        let second = engine(&two);
        let again = second.import_markdown(&written, &session()).expect("what was written out is taken in");
        assert_eq!(imported.1, again.1, "entries come back");
        assert_eq!(stored(&first), stored(&second), "items come back");
        outcome((imported.0.items.min(3), imported.0.files.min(3), imported.1.min(3)))
    })
}
