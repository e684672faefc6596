//! Rules that the compiler does not know, read off the sources: who may write to a screen, make JSON, show a path,
//! speak SQL, ask for the operating system.

use std::path::{Path, PathBuf};

/// A rule: what code must not say, where it may all the same, and what is there in its place.
struct Rule {
    words: &'static [&'static str],
    /// Files below `src`, or folders with a slash at the end.
    but: &'static [&'static str],
    instead: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        words: &[
            "stdout()",
            "stderr()",
            "print!(",
            "println!(",
            "eprint!(",
            "eprintln!(",
            "dbg!(",
            "StdoutLock",
            "/dev/tty",
            "/dev/stdout",
            "/dev/stderr",
            "error.print()",
            "from_raw_fd",
        ],
        // `ken run` hands on what the command writes, byte for byte; that is its contract. `main` asks whether standard
        // output is closed, and writes nothing.
        but: &["cli/output.rs", "cli/run.rs", "main.rs"],
        instead: "cli::output::Output, which cleans what goes to a screen",
    },
    Rule {
        words: &["serde_json::to_string", "serde_json::to_vec", "serde_json::to_writer", "serde_json::ser"],
        but: &["render/json.rs"],
        instead: "render::{json, json_line, json_pretty, yaml}, which escape what moves or hides",
    },
    Rule {
        words: &["rusqlite", "\"SELECT ", "\"INSERT ", "\"UPDATE ", "\"DELETE ", "\"PRAGMA "],
        but: &["store/sql/", "store/sqlite/", "store/postgres/", "store/mirror/", "store/error.rs"],
        instead: "the traits of store, so that another store can take SQLite's place",
    },
    Rule {
        words: &["Database"],
        but: &["store/", "engine/"],
        instead: "the traits of store: only the engine picks the store that is used",
    },
    Rule {
        words: &[".display()"],
        but: &[],
        instead: "screen::shown, which tells every two names apart and keeps them on one line; data takes to_string_lossy",
    },
    Rule {
        words: &[
            "(unix)",
            "(unix,",
            "(windows)",
            "(windows,",
            "target_os",
            "target_family",
            "std::os::",
            "rustix",
            "signal_hook",
        ],
        // In `serve` because it needs tokio, which nothing below may; `main` looks at standard output before the
        // standard library does, which is for the file that is linked and not for a library.
        but: &["platform/", "serve/platform.rs", "main.rs"],
        instead: "platform, which has a named function for each matter in which systems differ",
    },
    Rule {
        words: &["canonicalize("],
        but: &["platform/"],
        instead: "platform::canonical, which writes paths as users do",
    },
];

/// How often the two streams are named in `cli/run.rs`: once each, to hand them on.
const HANDED_ON: [&str; 2] = ["copy(out.recv().ok(), io::stdout(), both)", "copy(err.recv().ok(), io::stderr(), both)"];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The code of a file without comments, up to its tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let tests =
        ["\n#[cfg(test)]\nmod ", "\n#[cfg(test)]\n#[cfg(unix)]\nmod "].iter().filter_map(|mark| text.find(mark)).min();
    let lines = text[..tests.unwrap_or(text.len())].lines().enumerate();
    lines.map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// What is wrong with a file.
fn faults(name: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for rule in RULES {
        if rule.but.iter().any(|but| name == *but || (but.ends_with('/') && name.starts_with(but))) {
            continue;
        }
        for (number, line) in code(text) {
            if let Some(word) = rule.words.iter().find(|word| line.contains(**word)) {
                out.push(format!("src/{name}:{number}: {word} is not for here; there is {}", rule.instead));
            }
        }
    }
    for (number, line) in code(text).filter(|(_, line)| line.contains("#[error(")) {
        if line.contains("{path}") || line.contains("{folder}") {
            out.push(format!("src/{name}:{number}: a path in a message is shown by screen::shown"));
        }
    }
    out
}

#[test]
fn one_way_out_for_text_for_json_and_for_paths() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 50, "the sources were not found");
    let mut all = Vec::new();
    for path in files {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        // Tests of a module that lie in files of their own.
        if name.ends_with("/tests.rs") || name.contains("/tests/") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        all.extend(faults(&name, &text));
        if name == "cli/run.rs" {
            let named = |line: &&str| line.contains("stdout()") || line.contains("stderr()");
            let lines: Vec<&str> = code(&text).map(|(_, line)| line).filter(named).collect();
            assert!(
                lines.len() == 2 && HANDED_ON.iter().all(|wanted| lines.iter().any(|l| l.contains(wanted))),
                "{lines:?}"
            );
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn what_is_forbidden_is_seen() {
    assert_eq!(faults("cli/x.rs", "fn f() { writeln!(io::stderr(), \"x\"); }\n").len(), 1);
    assert_eq!(faults("cli/output.rs", "fn f() { writeln!(io::stderr(), \"x\"); }\n"), Vec::<String>::new());
    assert_eq!(faults("engine/x.rs", "let t = serde_json::to_string(&x);\nlet p = path.display();\n").len(), 2);
    assert_eq!(
        faults("engine/x.rs", "// path.display()\n\n#[cfg(test)]\nmod tests { println!(); }\n"),
        Vec::<String>::new()
    );
    assert_eq!(
        faults("query/x.rs", "fn f(c: &rusqlite::Connection) { c.execute(\"DELETE FROM item\", []); }\n").len(),
        1
    );
    assert_eq!(faults("store/sqlite/x.rs", "use rusqlite::Row;\n"), Vec::<String>::new());
    for system in ["    #[cfg(unix)]\n", "#[cfg(not(windows))]\n", "let a = cfg!(target_os = \"macos\");\n"] {
        assert_eq!(faults("store/x.rs", system).len(), 1, "{system}");
        assert_eq!(faults("platform/x.rs", system), Vec::<String>::new());
    }
    assert_eq!(faults("cli/x.rs", "let real = path.canonicalize()?;\n").len(), 1);
    assert_eq!(faults("store/x.rs", "    #[error(\"{path}: {source}\")]\n").len(), 1);
}
