//! What is found in each language (`cases`), that every declared name is found, what must hold for any text, and what
//! happens to texts that no grammar reads.

mod cases;
mod hostile;

use super::{Language, declarations, grammars};
use crate::chunk::block::{Block, BlockRole};

/// A block as `path > path | first line | last line`.
fn line(text: &str, block: &Block) -> String {
    let BlockRole::Declaration { path, .. } = &block.role else { return "plain".to_owned() };
    let shown = &text[block.range.clone()];
    let (first, last) = (shown.lines().next().unwrap_or(""), shown.lines().last().unwrap_or(""));
    format!("{} | {} | {}", path.join(" > "), first.trim(), last.trim())
}

fn built_in(language: Language) -> bool {
    !grammars::of(language).is_empty()
}

#[test]
fn table_of_cases() {
    let mut wrong = Vec::new();
    for (ext, text, expected) in cases::CASES {
        let language = Language::of_extension(ext).unwrap();
        if !built_in(language) {
            continue;
        }
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

/// Kinds in a table that its grammar does not have are mistakes in the table, or a grammar that has changed.
#[test]
fn tables_name_kinds_that_their_grammars_have() {
    let mut wrong = Vec::new();
    for language in Language::ALL {
        for grammar in grammars::of(language) {
            let known = tree_sitter::Language::new(grammar.language);
            let lists = [grammar.comments, grammar.attributes, grammar.noise, grammar.bodies];
            let kinds = grammar.rules.iter().map(|rule| rule.kind).chain(lists.into_iter().flatten().copied());
            wrong.extend(kinds.filter(|kind| known.id_for_node_kind(kind, true) == 0).map(|kind| (language, kind)));
        }
    }
    // JavaScript and TypeScript share a table.
    let scripts = [Language::JavaScript, Language::TypeScript, Language::Tsx];
    let shared = |kind: &str| {
        let grammars = scripts.iter().flat_map(|language| grammars::of(*language));
        grammars
            .map(|grammar| tree_sitter::Language::new(grammar.language))
            .any(|known| known.id_for_node_kind(kind, true) != 0)
    };
    wrong.retain(|(language, kind)| !scripts.contains(language) || !shared(kind));
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Documented or not, public or not: every name that a case declares stands in a path or a text.
#[test]
fn every_declared_name_is_found() {
    for language in Language::ALL {
        let names = cases::NAMES.iter().find(|(ext, _)| Language::of_extension(ext) == Some(language));
        let Some((ext, names)) = names else { panic!("{language:?}") };
        let texts = cases::CASES.iter().filter(|(known, ..)| known == ext).map(|(_, text, _)| *text);
        let text = texts.max_by_key(|text| text.len()).unwrap();
        let mut said = String::new();
        for block in declarations(text, language) {
            if let BlockRole::Declaration { path, .. } = &block.role {
                said.push_str(&path.join(" "));
            }
            said.push_str(&text[block.range]);
            said.push('\n');
        }
        let missing: Vec<&str> = names.split_whitespace().filter(|name| !said.contains(name)).collect();
        assert!(missing.is_empty(), "{ext}: {missing:?}");
    }
}

#[test]
fn functions_in_a_long_function_are_found_by_themselves() {
    let filler = "    console.log('one more statement of the module')\n".repeat(70);
    let text = format!(
        "function module() {{\n    var hidden = 1\n{filler}    // Adds two.\n    function add(a, b) {{\n        var c = 0\n        return a + b\n    }}\n{filler}}}\n"
    );
    let found = declarations(&text, Language::JavaScript);
    let paths: Vec<String> = found.iter().map(|block| line(&text, block)).collect();
    assert_eq!(paths.len(), 3, "{paths:#?}");
    assert!(paths[1].starts_with("function module > function add | // Adds two. | }"), "{paths:#?}");
    // The same function, short, is one block.
    let text = text.replace(&filler, "");
    assert_eq!(declarations(&text, Language::JavaScript).len(), 1);
}

#[test]
fn long_functions_are_cut_between_their_statements() {
    let body: String =
        (0..40).map(|n| format!("    if a{n} {{\n        call(a{n},\n            b);\n    }}\n")).collect();
    let text = format!("/// Does much.\nfn long() {{\n{body}}}\n");
    let found = declarations(&text, Language::Rust);
    let [Block { role: BlockRole::Declaration { borders, .. }, .. }] = &found[..] else { panic!("{found:?}") };
    let least = borders.iter().map(|(_, depth)| *depth).min();
    let outermost = borders.iter().filter(|(_, depth)| Some(*depth) == least).map(|(at, _)| &text[*at..*at + 6]);
    let outermost: Vec<&str> = outermost.collect();
    // What the comment stands above is not cut from it.
    assert_eq!(outermost, ["    if"; 40]);
}
