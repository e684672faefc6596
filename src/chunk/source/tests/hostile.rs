//! What must hold for any text in any language, and what bounds the work.

use super::super::Language;
use super::super::{declarations, parse};
use super::{built_in, cases};
use crate::chunk::block::BlockRole;
use crate::chunk::markup;
use proptest::prelude::*;

/// Blocks are whole lines, in order, apart from each other; borders lie in them, in order, at beginnings of lines.
fn check(text: &str, language: Language) {
    let blocks = declarations(text, language);
    let mut free = 0;
    for block in &blocks {
        let range = block.range.clone();
        assert!(range.start >= free && range.start < range.end, "{language:?} {range:?} in {text:?}");
        assert!(range.start == 0 || text.as_bytes()[range.start - 1] == b'\n', "{language:?} {range:?} in {text:?}");
        let rest = &text[range.end..];
        assert!(rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n"), "{language:?} {text:?}");
        if let BlockRole::Declaration { borders, .. } = &block.role {
            let mut last = range.start;
            for (at, _) in borders {
                assert!(last < *at && *at < range.end && text.as_bytes()[at - 1] == b'\n', "{language:?} {text:?}");
                last = *at;
            }
        }
        free = range.end;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn blocks_of_any_text_are_whole_lines_in_order(
        text in "(fn |pub |def f\\(a\\):|class A|struct|\\{|\\}|\\(|\\)|;|:|=|=>|/\\*\\*|\\*/|//|#|--|'|\"|`|\\$\\{|<<EOF|@a|#\\[|#if|#endif|é|漢|impl |enum |x|1|end|do|\n|\n    |\r\n|\t| |\u{feff}|<\\?php|\\?>|template <|::|=begin\n|interface |resource \"a\"|CREATE TABLE t|function |\\PC{0,6}){0,60}",
        language in prop::sample::select(Language::ALL.to_vec()),
    ) {
        check(&text, language);
    }

    #[test]
    fn cut_and_spliced_cases_hold_too(
        one in prop::sample::select(cases::CASES.to_vec()),
        two in prop::sample::select(cases::CASES.to_vec()),
        (first, second) in (0usize..900, 0usize..900),
        other in prop::sample::select(Language::ALL.to_vec()),
    ) {
        let (a, b) = (one.1.floor_char_boundary(first), two.1.floor_char_boundary(second));
        let text = format!("{}{}", &one.1[..a], &two.1[b..]);
        check(&text, Language::of_extension(one.0).unwrap());
        check(&text, other);
    }
}

/// Prose, and code of another language, are cut as plain text.
#[test]
fn what_breaks_a_grammar_is_plain_text() {
    let prose = "It was a dark night, and the wind \"howled\" {through the streets; nobody (but the cat's\nfriend) was out.\n\n\
        Then the door opened: a stranger came in @ midnight, 100 % wet # and asked for the way to $nowhere.\n\n";
    let text = prose.repeat(20);
    for language in [Language::Rust, Language::Go, Language::Java, Language::Python, Language::CSharp] {
        assert!(parse::parse(&text, language).is_none(), "{language:?}");
        assert_eq!(declarations(&text, language), markup::plain(&text));
    }
    // A mistake in a program is none.
    let more: String = (0..20).map(|n| format!("fn two{n}() {{\n    let a = 1;\n    call(a);\n}}\n\n")).collect();
    let program = format!("fn one() {{ let = ; }}\n\n{more}");
    assert!(parse::parse(&program, Language::Rust).is_some());
    assert!(declarations(&program, Language::Rust).len() > 15);
}

/// The grammar that reads a header better is used.
#[test]
fn headers_are_c_or_cpp() {
    let c = "struct ring { int head; int class; };\nint put(struct ring *new);\n";
    let cpp = "namespace a {\nclass Ring : public Base {\n public:\n  int put(const Ring& r);\n};\n}\n";
    for (text, name) in [(c, "struct ring"), (cpp, "class Ring")] {
        let blocks = declarations(text, Language::Header);
        let named = blocks.iter().any(|block| match &block.role {
            BlockRole::Declaration { path, .. } => path.iter().any(|label| label == name),
            _ => false,
        });
        assert!(named, "{blocks:?}");
    }
}

#[test]
fn what_is_too_long_is_plain_text() {
    let text = "fn f() {}\n".repeat(crate::types::limits::SOURCE_BYTES / 10 + 1);
    assert!(parse::parse(&text, Language::Rust).is_none());
    assert!(parse::parse(&text[..1000], Language::Rust).is_some());
}

/// Neither the parser nor what walks its trees recurses: this would overflow the stack of a test's thread otherwise.
#[test]
fn nesting_overflows_nothing() {
    let depth = 30_000;
    for (open, close, language) in [
        ("(", ")", Language::Python),
        ("{", "}", Language::JavaScript),
        ("[", "]", Language::Rust),
        ("mod a {", "}", Language::Rust),
        ("namespace a {", "}", Language::Cpp),
        ("class A {", "}", Language::Java),
        ("if x\n", "end\n", Language::Ruby),
        ("f(", ")", Language::Go),
        ("$(", ")", Language::Shell),
        ("<div>", "</div>", Language::Tsx),
        ("class A {\n", "}\n", Language::CSharp),
    ] {
        check(&format!("{}{}", open.repeat(depth), close.repeat(depth)), language);
        check(&open.repeat(depth), language);
    }
}

/// What opens and never closes, thousands of times, in all languages.
#[test]
fn hostile_repetitions_give_sound_blocks() {
    const UNITS: &[&str] = &[
        "\n",
        "(",
        "{\n",
        "[",
        "}",
        "\"",
        "'",
        "`${",
        "/*",
        "<",
        "r#\"",
        "<<EOF\n",
        "<<<A\n",
        "@a\n",
        "#[a]\n",
        "///\n",
        "# x\n",
        "fn f<",
        "def f(\n",
        "class A\n",
        "int a(\n",
        "a b ",
        "CREATE TABLE t (\n",
        "mod a {\n",
        "=/[",
        "%w[",
        "~s(",
        "--[[",
        "$a",
        "#if x\n",
        "}\n#else\n",
        "é",
        "\\\n",
        "struct S {\n",
        "<?php ",
        "?>",
        "[[",
        "{-",
        "::",
        "if true; then\n",
        "data A\n  ",
        "int X((",
        "\"${",
        "$(",
        "template <",
        "case a in\n",
        "\t\n ",
        "x = <<~A\n",
    ];
    for unit in UNITS {
        for language in Language::ALL.into_iter().filter(|language| built_in(*language)) {
            check(&unit.repeat(6_000 / unit.len()), language);
        }
    }
}
