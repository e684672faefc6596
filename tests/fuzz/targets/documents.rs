//! Documents and programs: cut into chunks, their front matter, and a whole folder with ignore rules.

use crate::fuzz::{Reader, Target, about, emptied, files, outcome};
use crate::support::request::session;
use kenning::chunk::{Chunk, Format, Language, Limits, Reading, chunks, front_matter, parts, yaml};
use kenning::engine::Engine;
use kenning::query::SearchOptions;
use kenning::store::{item_from_markdown, item_to_markdown, read_front_matter};
use kenning::text::{Characters, CountTokens};
use std::path::{Component, Path};

const MARKUP: &[&str] = &[
    "# ",
    "## ",
    "###### ",
    "> ",
    "* ",
    "- ",
    "1. ",
    "```",
    "~~~",
    "```rust\n",
    "---\n",
    "===\n",
    "| a | b |\n|---|---|\n",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "[a](b)",
    "![",
    "](",
    "[a]: b\n",
    "**",
    "__",
    "`",
    "\\",
    "&amp;",
    "    ",
    "\t",
    "<details>",
    "+++\n",
    "title: x\n",
    ":::\n",
    "{#id}",
    "$$",
    "\n\n",
    "\r\n",
    "*a",
    "_",
    "[^1]: ",
    "<a",
    "<?",
    "]]>",
];

const RST: &[&str] = &[
    "=====\n",
    "-----\n",
    "~~~~~\n",
    "Title\n=====\n",
    ".. note::\n",
    ".. code-block:: rust\n\n   ",
    "::\n\n    ",
    ".. _a:\n",
    "`a <b>`_",
    ":ref:`a`",
    "|a|",
    "+---+---+\n",
    "| a | b |\n",
    "=== ===\n",
    ":field: value\n",
    "- ",
    "#. ",
    "   ",
    ".. ",
    "``",
    "**",
    "\n\n",
    ".. image:: a\n",
    ".. |x| replace:: y\n",
    ".. raw:: html\n\n",
    "\t",
    "__ ",
];

const NOTEBOOK_WORDS: &[&str] = &[
    "{\"cells\": [",
    "\"worksheets\": [{\"cells\": [",
    "{\"cell_type\": \"markdown\", \"source\": [",
    "{\"cell_type\": \"code\", \"source\": \"",
    "\"metadata\": {\"language_info\": {\"name\": \"",
    "\"# A\\n\",",
    "\\n```\\n",
    "\\r\\n",
    "\\ud83d\\ude00",
    "\\ud800",
    "![](data:image/png;base64,",
    ")",
    "]}",
    "null",
    "}",
    "\n",
];
const HTML_WORDS: &[&str] = &[
    "<h1>",
    "</h1>",
    "<h2 id=\"a\">",
    "<p>",
    "</p>",
    "<div class='toc'>",
    "</div>",
    "<ul><li>",
    "</ul>",
    "<ol>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "<pre>",
    "</pre>",
    "<code>",
    "</code>",
    "<dl>",
    "<dt id=b>",
    "<dd>",
    "</dl>",
    "<main>",
    "</main>",
    "<nav>",
    "</nav>",
    "<script>",
    "</script>",
    "<title>",
    "</title>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#10;",
    "&hellip;",
    "<br>",
    "<a href=\"",
    "\">",
    "a b\n",
    "\n\n",
    "```",
    "<",
    ">",
];
const ASCIIDOC_WORDS: &[&str] = &[
    "= ",
    "== ",
    "=== ",
    "====== ",
    "----\n",
    "....\n",
    "====\n",
    "****\n",
    "____\n",
    "|===\n",
    "| a | b\n",
    "a::\n",
    "* ",
    ". ",
    "[source,rust]\n",
    "[[id]]\n",
    ":attr: value\n",
    "include::x[]\n",
    "ifdef::x[]\n",
    "endif::[]\n",
    "NOTE: ",
    "+\n",
    "--\n",
    "////\n",
    "++++\n",
    "```\n",
    "'''\n",
    "<<<\n",
    "{attr}",
    "image::x[]\n",
    "\n\n",
    "[%header]\n",
    "<<id>>",
    "[.role]#x#",
];

const CODE: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "//",
    "/*",
    "*/",
    "/**",
    "///",
    "//!",
    "#",
    "--",
    "--[[",
    "]]",
    "=begin\n",
    "=end\n",
    "<<EOF\n",
    "EOF\n",
    "<<~X\n",
    "<?php\n",
    "?>",
    "r#\"",
    "\"#",
    "R\"(",
    ")\"",
    "@\"",
    "$\"{",
    "\\",
    "\n    ",
    "\t",
    "fn a() {",
    "def a():\n",
    "class A",
    "struct A;",
    "impl A for B {",
    "function a() {",
    "=>",
    "->",
    "end\n",
    "do\n",
    "module A\n",
    "namespace a {",
    "#define A \\\n",
    "#if 0\n",
    "#endif\n",
    "template <",
    "where",
    "resource \"a\" \"b\" {",
    "message A {",
    "CREATE TABLE a (",
    "$$",
    "begin\n",
    "case x in\n",
    "esac\n",
    "fi\n",
    "if ",
    "%q(",
    "~S|",
    "s\"",
    "f\"{",
    "${",
    "#{",
    "${x:-\"",
    "$(",
    "/re/",
    "x = /[/]/",
    "'a",
    "'\\''",
    "b'",
    "@decorator\n",
    "pub ",
    "export default ",
    "async ",
    "type A = ",
    "{-",
    "-}",
    "{- | ",
    "where\n",
    "::",
    ";",
    ",",
    "\r\n",
    "<a>",
    "</a>",
    "{`${",
    "@doc \"\"\"\n",
    "|>",
    "\n\n",
];

const fn markup(name: &'static str, words: &'static [&'static str], reader: fn(&Path) -> Reader) -> Target {
    Target { name, seeds: Vec::new, words, longest: 128 << 10, reader }
}

pub const MARKDOWN: Target = markup("markdown", MARKUP, |_| cutter(Format::Markdown));
pub const RESTRUCTURED_TEXT: Target = markup("rst", RST, |_| cutter(Format::RestructuredText));
pub const ASCIIDOC: Target = markup("asciidoc", ASCIIDOC_WORDS, |_| cutter(Format::AsciiDoc));
pub const HTML: Target = markup("html", HTML_WORDS, |_| cutter(Format::Html));
pub const NOTEBOOK: Target = markup("notebook", NOTEBOOK_WORDS, |_| cutter(Format::Notebook));
pub const PLAIN: Target = markup("plain", MARKUP, |_| cutter(Format::Plain));
/// The first byte says which language.
pub const SOURCE: Target = markup("source", CODE, |_| {
    Box::new(|input| {
        let (first, text) = input.split_first().unwrap_or((&0, &[]));
        let language = Language::ALL[usize::from(*first) % Language::ALL.len()];
        outcome((*first, cut(&String::from_utf8_lossy(text), Format::Source(language))))
    })
});
pub const FRONT_MATTER: Target = Target {
    name: "front-matter",
    seeds: Vec::new,
    words: &[
        "---\n",
        "+++\n",
        "title: ",
        "id: a\n",
        "- ",
        "? ",
        ": ",
        "|\n  ",
        ">\n  ",
        "&a ",
        "*a",
        "<<: *a\n",
        "!!binary ",
        "\"",
        "'",
        "[",
        "]",
        "{",
        "}",
        "#",
        "%YAML 1.2\n",
        "...\n",
        "{{",
        "[[",
        "\n---\n",
        "title = \"",
        "'''",
        "\"\"\"",
        "0x",
        "0o",
        "2020-01-01",
    ],
    longest: 64 << 10,
    reader: |_| Box::new(|input| front(&String::from_utf8_lossy(input))),
};
pub const INDEX: Target = Target {
    name: "index",
    seeds: Vec::new,
    words: &[
        "=== a.md\n",
        "=== .kenignore\n",
        "=== .gitignore\n",
        "=== sub/.gitignore\n",
        "!",
        "**/",
        "/",
        "*",
        "[a-",
        "]",
        "{a,b}",
        "\\",
        "# a\n\n",
    ],
    longest: 64 << 10,
    reader: index,
};

fn cutter(format: Format) -> Reader {
    Box::new(move |input| cut(&String::from_utf8_lossy(input), format))
}

/// Cuts a text twice, into usual chunks or into small ones, and holds the chunks to what they promise.
fn cut(text: &str, format: Format) -> u64 {
    let small = Limits { most: 24, least: 4, overlap: 4, window: 64 };
    let limits = if text.len().is_multiple_of(2) { Limits::default() } else { small };
    let reading = Reading::new(text, format);
    let found = chunks(&reading, None, &Characters, &limits);
    assert!(found == chunks(&Reading::new(text, format), None, &Characters, &limits), "cutting is deterministic");
    let of_file = 1 + text.matches('\n').count();
    let text = reading.text.as_ref();
    let lines = (1..=1 + text.matches('\n').count()).map(|line| reading.lines.of(line));
    assert!(
        lines.clone().is_sorted() && lines.clone().all(|line| (1..=of_file).contains(&line)),
        "lines follow the file"
    );
    let (mut end, mut line, mut seen) = (0, 1, 0);
    for chunk in &found {
        let Chunk { core, span, context, .. } = chunk;
        assert_eq!(core.start, end, "cores tile");
        end = core.end;
        assert!(core.start <= span.byte_start && span.byte_start < span.byte_end && span.byte_end <= end, "{chunk:?}");
        assert!(text.is_char_boundary(core.start) && text.is_char_boundary(end), "{chunk:?}");
        let body = text.get(span.byte_start..span.byte_end).expect("a span falls on characters");
        assert!(text.get(context.clone()).is_some() && context.end <= text.len(), "{chunk:?}");
        assert!(Characters.count(body) <= limits.most, "{} tokens: {chunk:?}", Characters.count(body));
        line += text[seen..span.byte_start].matches('\n').count();
        seen = span.byte_start;
        assert_eq!((span.line_start, span.line_end), (line, line + body.matches('\n').count()), "{chunk:?}");
    }
    assert!(found.is_empty() || end == text.len(), "cores tile to the end");
    let pieces = parts(text, format);
    assert!(pieces.iter().all(|range| text.get(range.clone()).is_some()), "parts fall on characters");
    assert!(pieces.windows(2).all(|pair| pair[0].end <= pair[1].start), "parts are in order");
    let deepest = found.iter().map(|chunk| chunk.headings.len()).max();
    outcome((
        about(found.len()),
        about(pieces.len()),
        deepest,
        found.iter().filter(|chunk| !chunk.context.is_empty()).count().min(3),
    ))
}

fn front(text: &str) -> u64 {
    let found = front_matter(text);
    assert!(found == front_matter(text));
    let value = read_front_matter(text).map(|(value, body)| (value.is_object(), body.len()));
    let item = item_from_markdown(text);
    if let Ok(item) = &item {
        let written = item_to_markdown(item);
        assert_eq!(item_from_markdown(&written).as_ref(), Ok(item), "an item comes back as it was written");
    }
    let said = value.as_ref().map_or_else(crate::fuzz::sort_of, |(object, _)| u64::from(*object));
    outcome((found.title.is_some(), yaml(text).is_some(), said, item.as_ref().map_or_else(crate::fuzz::sort_of, |_| 1)))
}

/// Files with names of their own in a folder that is indexed and searched.
fn index(room: &Path) -> Reader {
    let (data, folder) = (room.join("data"), room.join("folder"));
    Box::new(move |input| {
        emptied(&data);
        emptied(&folder);
        for (name, bytes) in files(input).into_iter().take(8) {
            let path = Path::new(&name);
            let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
            if !plain || name.contains('\0') || name.len() > 60 {
                continue;
            }
            let path = folder.join(path);
            // A file may stand where a folder is wanted.
            if std::fs::create_dir_all(path.parent().unwrap_or(&folder)).is_ok() {
                drop(std::fs::write(path, bytes));
            }
        }
        let engine = Engine::new(super::store::settings(Some(&data)));
        let report =
            engine.index(std::slice::from_ref(&folder), &kenning::ingest::IndexOptions::default(), &session()).unwrap();
        let answer = engine.search(b"error in the configuration", &SearchOptions::default(), &session());
        let shown = kenning::render::json_line(&answer.unwrap());
        assert!(!shown.trim_end().chars().any(|c| c.is_ascii_control()), "{shown}");
        let hits = shown.matches("\"snippet\"").count();
        let sorts: Vec<u32> = format!("{report:?}")
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse().ok())
            .map(about)
            .take(12)
            .collect();
        outcome((hits, sorts))
    })
}
