//! Cases by construct, then the properties of `crate::chunk::markup::property`.

use super::*;
use crate::chunk::markup::property;

/// One line per block: its role and its text, line ends as `/`.
fn shown(text: &str) -> Vec<String> {
    let blocks = restructured_text(text);
    property::check(text, &blocks);
    let show = |block: &Block| {
        let content = text[block.range.clone()].replace('\n', "/");
        match &block.role {
            BlockRole::Heading { level, title } => format!("{level} {title}"),
            BlockRole::Text => format!("text {content}"),
            BlockRole::Whole => format!("whole {content}"),
            BlockRole::Entry { term, lead } => {
                format!("entry {term}: {}", text[*lead..block.range.end].replace('\n', "/"))
            }
            BlockRole::Declaration { .. } => format!("declaration {content}"),
        }
    };
    blocks.iter().map(show).collect()
}

#[test]
fn blocks_are_what_docutils_takes_them_for() {
    let cases: &[(&str, &[&str])] = &[
        // Titles.
        ("A\n=\n\nB\n-\n\nC\n=\n", &["1 A", "2 B", "1 C"]),
        ("===\nT \n===\n\nA\n===\n\nB\n---\n", &["1 T", "2 A", "3 B"]),
        ("=====\n  T\n=====\ntext", &["1 T", "text text"]),
        ("Title::\n=======\nx", &["1 Title::", "text x"]),
        ("1. Setup\n--------\n", &["1 1. Setup"]),
        (":mod:`a` b\n==========\n", &["1 a b"]),
        ("Too short\n===\n", &["text Too short/==="]),
        ("Too short\n====\n", &["1 Too short"]),
        ("日本語\n======\n", &["1 日本語"]),
        ("\u{feff}A\r\n=\r\n\r\nb\r\n", &["1 A", "text b"]),
        ("a\nb\n====\n", &["text a/b/===="]),
        ("a\n\n----\n\nb", &["text a", "text b"]),
        ("----\na\n====\nb", &["1 a", "text b"]),
        ("- a\nT\n=\n", &["whole - a", "1 T"]),
        ("  A\n  ====\n", &["text   A/  ===="]),
        // Literal blocks.
        ("So::\n\n  a\n\n  T\n  ====\n\nb", &["text So::", "whole   a//  T/  ====", "text b"]),
        ("::\n\n  a\n", &["whole   a"]),
        ("So::\n\n> a\n> b\nc\n", &["text So::", "whole > a/> b", "text c"]),
        ("So::\n\nB\n=\n\n  q\n", &["text So::", "1 B", "text   q"]),
        ("  So::\n\n    a\n\n  b\n", &["text   So::", "whole     a", "text   b"]),
        // Directives and comments.
        (".. note:: x\n\n   a\n\n   - b\n\nc", &["whole .. note:: x//   a//   - b", "text c"]),
        (".. list-table::\n   :x: y\n\n   * - a\n     - b\n", &["whole .. list-table::/   :x: y//   * - a/     - b"]),
        (".. module:: a\n\nb", &["whole .. module:: a", "text b"]),
        (".. A\n   =\n\n   B\n   ====\n\nC\n=\n", &["text .. A/   =//   B/   ====", "1 C"]),
        ("..\n   A\n   ====\nb", &["text ../   A/   ====", "text b"]),
        ("..\n\n  quote\n", &["text   quote"]),
        (".. _a: b\n.. _c: d\n\n.. [1] e\n   f\n", &["text .. _a: b/.. _c: d", "text .. [1] e/   f"]),
        (".. _a:\n\nT\n=\n", &["text .. _a:", "1 T"]),
        // Tables.
        ("+--+--+\n| a| b|\n+--+--+\nc", &["whole +--+--+/| a| b|/+--+--+", "text c"]),
        ("== ==\na  b\n== ==\n1  2\n\n3  4\n== ==\n\nc", &["whole == ==/a  b/== ==/1  2//3  4/== ==", "text c"]),
        ("== ==\na  b\n== ==\n\n== ==\nc  d\n== ==\n", &["whole == ==/a  b/== ==", "whole == ==/c  d/== =="]),
        ("== ==\na  b\n\nT\n=\n\nc", &["whole == ==/a  b", "1 T", "text c"]),
        // Lists.
        ("- a\n\n  b\n\n- c\n\n  1. d\n\nf", &["whole - a//  b//- c//  1. d", "text f"]),
        ("- a\n* b\n", &["whole - a", "whole * b"]),
        ("1. a\n2. b\n\n   c::\n\n     d\n\n3. e\n\nf", &["whole 1. a/2. b//   c:://     d//3. e", "text f"]),
        (":a: b\n:c: d\n   e\n\nf", &["whole :a: b/:c: d/   e", "text f"]),
        ("a\n  b\n\nc : d\n  e\n\nf\n", &["entry a:   b", "entry c : d:   e", "text f"]),
        (
            ".. py:class:: A(x)\n\n   Text.\n\n   .. attribute:: A.b\n\n      More.\n\nc\n",
            &["entry A(x): /   Text.", "entry A.b: /      More.", "text c"],
        ),
        (".. setting:: X\n\n``X``\n=====\n", &["whole .. setting:: X", "1 X"]),
        ("-v  a\n\n--long X\n    b\n", &["whole -v  a//--long X/    b"]),
        ("| a\n| b\n   c\n", &["text | a/| b/   c"]),
        (">>> 1\n1\n\nb", &["whole >>> 1/1", "text b"]),
        ("  quote\n\n  - a\n  - b\n\nc", &["text   quote", "whole   - a/  - b", "text c"]),
        ("", &[]),
    ];
    for (text, wanted) in cases {
        assert_eq!(shown(text), *wanted, "{text:?}");
    }
}

#[test]
fn every_line_lies_in_one_block() {
    property::holds(
        restructured_text,
        &[
            "a",
            "b c::",
            "Title",
            "=====",
            "-----",
            "==",
            "== ==",
            "==== ====",
            "+--+--+",
            "| a | b |",
            "- a",
            "1. b",
            "(ii) c",
            ":d: e",
            ".. f::",
            ".. g",
            "..",
            "::",
            ".. _h: i",
            ">>> j",
            "> k",
            "-v  l",
            "| m",
            ".. [1] n",
            ":o:`p`",
            ".. option:: --q",
            "*",
            "`q`_",
            "``r``",
            "\\s",
            "........",
        ],
    );
}
