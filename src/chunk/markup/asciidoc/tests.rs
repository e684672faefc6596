//! Cases by construct, then the properties of `crate::chunk::markup::property`.

use super::*;
use crate::chunk::markup::property;

/// One line per block: its role and its text, line ends as `/`.
fn shown(text: &str) -> Vec<String> {
    let blocks = asciidoc(text);
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
fn blocks_are_what_asciidoctor_takes_them_for() {
    let cases: &[(&str, &[&str])] = &[
        // Titles.
        ("= A\nAuthor <a@b.c>\n:toc:\n\n== B ==\nc\n", &["1 A", "text Author <a@b.c>/:toc:", "2 B", "text c"]),
        ("====== Six\n======= seven\n", &["6 Six", "text ======= seven"]),
        ("\u{feff}= A\r\n\r\nb\r\n", &["1 A", "text b"]),
        ("git-add(1)\n==========\n\nNAME\n----\na\n", &["1 git-add(1)", "2 NAME", "text a"]),
        ("a\n== no\n", &["text a/== no"]),
        ("[[id]]\n[discrete]\n== A\n", &["2 A"]),
        (":a: b \\\n  c\n:d:\n== E\n", &["text :a: b \\/  c/:d:", "2 E"]),
        // Delimited blocks.
        ("----\n== no\n\na\n----\nb", &["whole ----/== no//a/----", "text b"]),
        ("....\na\n....\n====\nb\n====\n", &["whole ..../a/....", "whole ====/b/===="]),
        ("****\na\n\n----\nb\n----\n****\n", &["whole ****/a//----/b/----/****"]),
        ("____\na\n____\n\n++++\nb\n++++\n--\nc\n--", &["whole ____/a/____", "whole ++++/b/++++", "whole --/c/--"]),
        ("|===\n|a |b\n\n|c |d\n|===\ne", &["whole |===/|a |b//|c |d/|===", "text e"]),
        ("```rust\nfn a() {}\n```\n", &["whole ```rust/fn a() {}/```"]),
        ("////\na\n////\nb", &["text /////a/////", "text b"]),
        ("----\na\n\n== B\n", &["text ----/a", "2 B"]),
        ("-----\na\n----\nb\n-----\n", &["whole -----/a/----/b/-----"]),
        ("long text\n----\na\n----\n", &["text long text", "whole ----/a/----"]),
        // What belongs to the block that follows.
        (".T\n[source,rust]\n----\na\n----\n", &["whole .T/[source,rust]/----/a/----"]),
        ("[source,sh]\na\nb\n\nc", &["whole [source,sh]/a/b", "text c"]),
        ("[NOTE]\n\na\n", &["text [NOTE]//a"]),
        (".T\n// x\n* a\n", &["whole .T/// x/* a"]),
        ("a\n[quote]\nb\n", &["text a", "text [quote]/b"]),
        ("a\n\n.T\n[b]\n\n", &["text a", "text .T/[b]"]),
        // Lists.
        ("* a\n** b\n\n* c\nd\n\ne", &["whole * a/** b//* c/d", "text e"]),
        (". a\n+\n----\nb\n\nc\n----\n. d\n\ne", &["whole . a/+/----/b//c/----/. d", "text e"]),
        (". a\n+\n.T\n[source]\n----\nb\n----\n+\nc\n\nd", &["whole . a/+/.T/[source]/----/b/----/+/c", "text d"]),
        ("* a\n----\nb\n----\n", &["whole * a", "whole ----/b/----"]),
        ("* a\n\n  b\n\n== C\n", &["whole * a//  b", "2 C"]),
        ("a:: b\nc::\n\nd\n\ne", &["whole a:: b/c:://d", "text e"]),
        (
            "-a::\n--all::\n\tAll of\n\tthem.\n+\n----\nx::\n----\n\n`-b`::\nb;;\n\tc\n\nText.\n",
            &["entry -a, --all: \tAll of/\tthem./+/----/x::/----", "entry -b: b;;/\tc", "text Text."],
        ),
        ("a::\n", &["whole a::"]),
        ("<1> a\n<2> b\n\n[square]\n* c\n", &["whole <1> a/<2> b", "whole [square]/* c"]),
        ("* a\n\nNAME\n----\nb\n", &["whole * a", "2 NAME", "text b"]),
        // Others.
        ("// a\n// b\nc", &["text // a/// b", "text c"]),
        ("  a\n  b\n\n'''\n\nc\n\n<<<\n", &["whole   a/  b", "text c"]),
        ("* * *\n\na\n", &["text a"]),
        ("NOTE: a\nb", &["text NOTE: a/b"]),
        ("", &[]),
    ];
    for (text, wanted) in cases {
        assert_eq!(shown(text), *wanted, "{text:?}");
    }
}

#[test]
fn every_line_lies_in_one_block() {
    property::holds(
        asciidoc,
        &[
            "a",
            "= b",
            "=== c ===",
            "====",
            "----",
            "-----",
            "--",
            "....",
            "****",
            "|===",
            "```",
            "```d",
            "////",
            "// e",
            "[source,f]",
            "[[g]]",
            ".H",
            "* i",
            ".. j",
            "k:: l",
            "m::",
            "+",
            "<1> n",
            ":o: p",
            ":q: \\",
            "'''",
            "NAME",
            "link:r[s]",
            "<<t",
            "a;",
            "a:",
            "[",
        ],
    );
}
