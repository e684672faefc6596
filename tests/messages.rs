//! Every message in the code in one table: `docs/messages.md` is made of the sources, and this test compares them.
//!
//! `KEN_WRITE_MESSAGES=1 cargo test --release messages` writes the table. A command in a message stands between
//! backticks, or is the whole hint. `tests/shown` types the commands of the table, as it does those of all documents.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const TABLE: &str = "docs/messages.md";

/// A string literal. Group 1 is what stands between the quotes.
const LITERAL: &str = r#""((?:[^"\\]|\\(?s:.))*)""#;

/// What begins a message that is no error, and where in the table it stands.
const SAID: [&str; 4] = [".note(", ".say(", "say_on_end(", "note_once("];

/// A message with what to do about it; nothing where that depends on the case.
type Message = (String, String);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true => sources(&entry, out),
            false if entry.extension().is_some_and(|ending| ending == "rs") => out.push(entry),
            false => {}
        }
    }
}

/// What the program is made of: without its tests and comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}

/// A literal as it is printed. What is filled in stands in capitals if it has a name, else as three points.
fn printed(literal: &str) -> String {
    static BROKEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\\n\s*").unwrap());
    static FILLED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{([a-z_]*)[^{}]*\}").unwrap());
    let whole = BROKEN.replace_all(literal, "").replace("\\\"", "\"").replace("\\n", " ");
    let whole = FILLED.replace_all(&whole, |found: &regex::Captures<'_>| match &found[1] {
        "" => "...".to_owned(),
        name => name.to_uppercase(),
    });
    whole.trim().to_owned()
}

/// Messages of an error type by variant, from `#[error("...")]`, with the hints of its `fn hint`.
fn of_errors(code: &str) -> Vec<Message> {
    static ERROR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!(r#"#\[error\(\s*{LITERAL}[^\]]*?\)\]\s*([A-Z]\w*)"#)).unwrap());
    static PART: LazyLock<Regex> = LazyLock::new(|| Regex::new(&format!(r#"Self::(\w+)|(=>)|{LITERAL}"#)).unwrap());
    let mut hints: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for body in code.split("fn hint(").skip(1).map(|rest| rest.split("\n    }\n").next().unwrap_or_default()) {
        let (mut variants, mut is_open): (Vec<String>, bool) = (Vec::new(), true);
        for found in PART.captures_iter(body) {
            if let Some(variant) = found.get(1) {
                if !is_open {
                    variants.clear();
                }
                is_open = true;
                variants.push(variant.as_str().to_owned());
            } else if found.get(2).is_some() {
                is_open = false;
            } else if let Some(literal) = found.get(3).filter(|literal| literal.as_str().contains(' ')) {
                for variant in &variants {
                    hints.entry(variant.clone()).or_default().push(printed(literal.as_str()));
                }
            }
        }
    }
    let message = |found: regex::Captures<'_>| {
        (printed(&found[1]), hints.get(&found[2]).map(|hints| hints.join("; or: ")).unwrap_or_default())
    };
    ERROR.captures_iter(code).map(message).collect()
}

/// The arguments of each call that begins so.
fn calls<'a>(code: &'a str, begins: &str) -> Vec<(usize, &'a str)> {
    let end = |rest: &str| {
        let (mut depth, mut in_text, mut escaped) = (1, false, false);
        rest.char_indices().find_map(|(at, c)| {
            match c {
                _ if escaped => escaped = false,
                '\\' if in_text => escaped = true,
                '"' => in_text = !in_text,
                '(' if !in_text => depth += 1,
                ')' if !in_text => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        })
    };
    let begun = code.match_indices(begins).map(|(at, _)| (at, &code[at + begins.len()..]));
    begun.filter_map(|(at, rest)| Some((at, &rest[..end(rest)?]))).collect()
}

/// The literals in a stretch of code that are sentences.
fn sentences(code: &str) -> Vec<String> {
    static TEXT: LazyLock<Regex> = LazyLock::new(|| Regex::new(LITERAL).unwrap());
    let all = TEXT.captures_iter(code).map(|found| printed(&found[1]));
    all.filter(|text| text.contains(' ') && text.chars().any(char::is_alphabetic)).collect()
}

/// What `Failure::new` and `RequestError::usage` are called with: a literal, or a variable that a literal was put in
/// shortly before.
fn of_failures(code: &str) -> Vec<Message> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"let (text|message|hint|example) =").unwrap());
    let failures = calls(code, "Failure::new(").into_iter().filter(|(_, inside)| inside.contains("ErrorKind::"));
    let told = failures.chain(calls(code, "RequestError::usage(")).map(|(at, inside)| {
        let before = &code[code[..at].rfind("fn ").unwrap_or(0)..at];
        let put = |name: &str| {
            let last = NAMED.captures_iter(before).filter(|found| &found[1] == name).last()?;
            let behind = &before[last.get(0)?.end()..];
            Some(sentences(behind.split(";\n").next().unwrap_or_default()).join("; or: "))
        };
        let mut said = sentences(inside).into_iter();
        let is_named = |name: &str| inside.split(',').any(|part| part.trim() == name);
        let message = ["text", "message"].into_iter().find(|name| is_named(name)).and_then(put);
        let message = message.or_else(|| said.next()).unwrap_or_default();
        let hint = ["hint", "example"].into_iter().find(|name| is_named(name)).and_then(put);
        (message, hint.or_else(|| said.next()).unwrap_or_default())
    });
    told.filter(|(message, _)| !message.is_empty()).collect()
}

/// The table: errors by module, then what is said besides.
fn table() -> String {
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    files.sort();
    let (mut errors, mut said): (BTreeMap<String, BTreeSet<Message>>, BTreeMap<String, BTreeSet<String>>) =
        Default::default();
    for file in files {
        let code = code(&std::fs::read_to_string(&file).unwrap());
        let relative = file.strip_prefix(root().join("src")).unwrap();
        let module = relative.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        let found = of_errors(&code).into_iter().chain(of_failures(&code));
        errors.entry(module.clone()).or_default().extend(found.filter(|(message, _)| message.contains(' ')));
        for begins in SAID {
            for (_, inside) in calls(&code, begins) {
                said.entry(module.clone()).or_default().extend(sentences(inside));
            }
        }
    }
    let mut out = String::from(
        "# Messages\n\nAll messages of `ken`, made of its sources by `tests/messages.rs`. \
         A value stands in capitals or as three points.\n\n## Errors\n\n\
         | module | says | what to do |\n|---|---|---|\n",
    );
    let cell = |text: &str| {
        let text = text.replace('|', "\\|");
        // A hint that is a command and nothing else is printed as it stands.
        if text.starts_with("ken ") { format!("`{text}`") } else { text }
    };
    for (module, all) in &errors {
        for (message, hint) in all {
            out.push_str(&format!("| `{module}` | {} | {} |\n", cell(message), cell(hint)));
        }
    }
    out.push_str("\n## Notes and progress\n\n| module | says |\n|---|---|\n");
    for (module, all) in &said {
        all.iter().for_each(|text| out.push_str(&format!("| `{module}` | {} |\n", cell(text))));
    }
    out
}

#[test]
fn the_table_has_every_message() {
    let made = table();
    assert!(made.lines().count() > 150, "{made}");
    let path = root().join(TABLE);
    if std::env::var_os("KEN_WRITE_MESSAGES").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    let (made, stands): (BTreeSet<&str>, BTreeSet<&str>) = (made.lines().collect(), stands.lines().collect());
    let (new, old): (Vec<_>, Vec<_>) = (made.difference(&stands).collect(), stands.difference(&made).collect());
    assert!(new.is_empty() && old.is_empty(), "{TABLE} lacks {new:#?} and has too much: {old:#?}");
}

/// So that it can be seen and copied.
#[test]
fn a_command_in_a_message_stands_between_backticks() {
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        let verbs = "lookup|run|search|pack|check|ask|index|status|forget|export|import|doctor|gc|canon|model|bench";
        Regex::new(&format!(r"\bken (?:{verbs}|config|trust|man|purge)\b")).unwrap()
    });
    let is_bare = |line: &&str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        cells.iter().skip(1).any(|cell| {
            let cell = cell.trim_matches([' ', '|']);
            let outside: String = cell.split('`').step_by(2).collect();
            BARE.is_match(&outside)
        })
    };
    let table = table();
    let bare: Vec<&str> = table.lines().filter(is_bare).collect();
    assert!(bare.is_empty(), "{bare:#?}");
}

#[test]
fn messages_are_found_with_their_hints() {
    let code = r#"
enum E {
    #[error("{} is empty", shown(path))]
    Empty { path: PathBuf },
    #[error(transparent)]
    Other(#[from] Other),
    #[error("no {name}")]
    None_ { name: String },
}
impl Diagnose for E {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty { .. } | Self::Other(_) => Some("fill \
                it".to_owned()),
            Self::None_ { .. } if x => None,
            Self::None_ { name } => Some(format!("see `ken canon show {name}`")),
        }
    }
}
fn f() {
    let text = format!("there is no {x}");
    Failure::new(ErrorKind::Usage, text, "give (one)");
}
"#;
    assert_eq!(
        of_errors(code),
        [
            ("... is empty".to_owned(), "fill it".to_owned()),
            ("no NAME".to_owned(), "see `ken canon show NAME`".to_owned()),
        ]
    );
    assert_eq!(of_failures(code), [("there is no X".to_owned(), "give (one)".to_owned())]);
}
