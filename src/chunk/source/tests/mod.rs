//! What is found in each language (`cases`), what must hold for any text, and that time stays linear.

mod cases;

use super::{Language, declarations};
use crate::chunk::block::{Block, BlockRole};

/// A block as `path > path | first line | last line`.
fn line(text: &str, block: &Block) -> String {
    let BlockRole::Declaration { path } = &block.role else { panic!("{block:?}") };
    let shown = &text[block.range.clone()];
    let (first, last) = (shown.lines().next().unwrap_or(""), shown.lines().last().unwrap_or(""));
    format!("{} | {} | {}", path.join(" > "), first.trim(), last.trim())
}

#[test]
fn table_of_cases() {
    let mut wrong = Vec::new();
    for (ext, text, expected) in cases::CASES {
        let language = Language::of_extension(ext).unwrap();
        let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        for text in [(*text).to_owned(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            let found: Vec<String> = declarations(&text, language).iter().map(|b| line(&text, b)).collect();
            let found: Vec<String> = found.iter().map(|l| l.replace('\u{feff}', "").trim().to_owned()).collect();
            if found != expected {
                wrong.push(format!("{ext}: expected\n  {}\nfound\n  {}", expected.join("\n  "), found.join("\n  ")));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_language_has_cases_and_extensions() {
    for language in Language::ALL {
        let cases = cases::CASES.iter().filter(|(ext, ..)| Language::of_extension(ext) == Some(language));
        assert!(cases.count() > 0, "{language:?}");
    }
    assert_eq!(Language::of_extension("RS"), Some(Language::Rust));
    assert_eq!(Language::of_extension("md"), None);
    assert_eq!(Language::of_extension(""), None);
}

#[test]
fn long_signatures_and_bodies_are_cut() {
    let fields = |n: usize| (0..n).map(|i| format!("    pub f{i}: u8,\n")).collect::<String>();
    for (n, lines) in [(38, 40), (39, 1), (4000, 1)] {
        let text = format!("pub struct S {{\n{}}}\n", fields(n));
        let found = declarations(&text, Language::Rust);
        assert_eq!(found.len(), 1, "{n}");
        assert_eq!(text[found[0].range.clone()].lines().count(), lines, "{n}");
    }
    let text = format!("pub fn f(\n{}) {{}}\n", (0..200).map(|i| format!("    a{i}: u8,\n")).collect::<String>());
    let found = declarations(&text, Language::Rust);
    assert_eq!(text[found[0].range.clone()].lines().count(), 40);
}

/// The lookahead is counted in bytes, so its end is moved to a character border.
#[test]
fn looking_ahead_ends_with_a_character() {
    for language in Language::ALL {
        for before in 0..3 {
            let pad = " ".repeat(before);
            for head in ["public class A : B(", "struct a *f(", "/* ", "def a(", "CREATE TABLE a ("] {
                check(&format!("{pad}{head}{}", "\u{20ac}".repeat(9000)), language);
            }
        }
    }
}

/// What must hold for any text in any language.
fn check(text: &str, language: Language) {
    let blocks = declarations(text, language);
    let mut free = 0;
    for block in &blocks {
        let range = block.range.clone();
        assert!(range.start >= free && range.start < range.end, "{language:?} {range:?} in {text:?}");
        assert!(range.start == 0 || text.as_bytes()[range.start - 1] == b'\n', "{language:?} {range:?} in {text:?}");
        let rest = &text[range.end..];
        assert!(rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n"), "{language:?} {text:?}");
        assert!(!text[range.clone()].ends_with('\n'), "{language:?} {text:?}");
        assert!(matches!(block.role, BlockRole::Declaration { .. }));
        free = range.end + 1;
    }
}

struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

#[test]
fn blocks_are_whole_lines_in_order() {
    const PIECES: &[&str] = &[
        "\n",
        "\n",
        "\n    ",
        "\r\n",
        "\t",
        " ",
        "fn",
        "pub fn f(",
        "def f(a):",
        "class A",
        "struct",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        ";",
        ":",
        "=",
        "=>",
        ",",
        "/**",
        "*/",
        "///",
        "/*!",
        "//!",
        "//",
        "#",
        "--",
        "'",
        "\"",
        "\"\"\"",
        "'''",
        "`",
        "${",
        "#{",
        "\\",
        "r#\"",
        "R\"x(",
        "$$",
        "<<EOF",
        "<<<A",
        "[[",
        "@",
        "#[",
        "#if",
        "#endif",
        "#define",
        "é",
        "漢字",
        "😀",
        "impl",
        "enum",
        "type",
        "const",
        "x",
        "0",
        "*",
        "&",
        "CREATE TABLE t",
        "function",
        "@doc",
        "--[[",
        "{-",
        "~s(",
        "%w[",
        "export",
        "return",
        "/",
        "<?php",
        "?>",
        "extern \"C\"",
        "template",
        "operator",
        "::",
        "resource \"a\"",
        "\u{feff}",
        "\u{c}",
        "data X",
        "=begin",
        "typedef",
        "$",
        "interface",
        "package",
        "var (",
        "copyright",
        "one two three",
    ];
    let mut seeded = Seeded(7);
    for _ in 0..1500 {
        let text: String = (0..seeded.below(60)).map(|_| PIECES[seeded.below(PIECES.len())].to_owned() + " ").collect();
        let text = if seeded.below(2) == 0 { text.replace(' ', "") } else { text };
        for language in Language::ALL {
            check(&text, language);
        }
    }
}

#[test]
fn cut_and_spliced_cases_hold_too() {
    let mut seeded = Seeded(11);
    for _ in 0..3000 {
        let (_, one, _) = cases::CASES[seeded.below(cases::CASES.len())];
        let (_, two, _) = cases::CASES[seeded.below(cases::CASES.len())];
        let cut = |text: &str, at: usize| (0..=at).rev().find(|n| text.is_char_boundary(*n)).unwrap_or(0);
        let (a, b) = (cut(one, seeded.below(one.len() + 1)), cut(two, seeded.below(two.len() + 1)));
        let text = format!("{}{}", &one[..a], &two[b..]);
        check(&text, Language::ALL[seeded.below(Language::ALL.len())]);
    }
}

/// What opens and never closes, thousands of times.
#[test]
fn hostile_repetitions_give_sound_blocks() {
    const UNITS: &[&str] = &[
        "\n",
        "(",
        "{",
        "[",
        "}",
        ")",
        "{\n",
        "(\n",
        "\"",
        "'",
        "`${",
        "/*",
        "<",
        "<\n",
        "r#\"",
        "<<EOF\n",
        "<<<A\n",
        "@a\n",
        "#[a]\n",
        "@a(\n",
        "///\n",
        "//\n",
        "# x\n",
        "fn f<",
        "pub fn f(\n",
        "def f(\n",
        "class A\n",
        "int a\n",
        "int a(\n",
        "a b ",
        "create ",
        "CREATE TABLE t (\n",
        "mod a {\n",
        "pub mod a { ",
        "=/[",
        "%w[",
        "~s(",
        "--[[",
        "$a",
        "#if x\n",
        "}\n#else\n",
        "@doc \"\"\"\n",
        "x = 1 # ",
        "é",
        "\\\n",
        "struct S {\n",
        "type A = B |\n",
        "<?php ",
        "?>",
        "[[",
        "{-",
        "operator ",
        "::",
        "if true; then\n",
        "const x = (\n",
        "a::",
        "enum {",
        "data A\n  ",
        "f ::\n",
        "int X((",
        "a: ",
        "\"${",
        "$(",
        "impl ",
        "template <",
    ];
    for unit in UNITS {
        for language in Language::ALL {
            let text = unit.repeat(48_000 / unit.len());
            check(&text, language);
        }
    }
}
