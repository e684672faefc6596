//! A module imports lower layers only, never a sibling: read off the imports of every source file.

use std::path::{Path, PathBuf};

/// The layers of `ARCHITECTURE.md`, from the ground up.
const LAYERS: &[&[&str]] = &[
    &["error"],
    &["types", "screen", "platform"],
    &["text", "vector", "map", "lock", "process", "recent", "render", "threads"],
    &["triage"],
    &["chunk", "canon", "embed", "store", "ann", "lexical", "git"],
    &["ingest", "memory", "outcome", "query", "setup", "terraform", "tools"],
    &["pack"],
    &["engine"],
    &["config", "eval"],
    &["serve"],
    &["cli"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

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

/// Top-level modules that a text names as `crate::module`, with their lines.
fn imports(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for (at, _) in code.match_indices("crate::") {
            let name: String = code[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            out.push((number + 1, name));
        }
    }
    out
}

/// What is wrong with the imports of one file of a module.
fn faults(module: &str, text: &str) -> Vec<String> {
    let own = layer(module).unwrap_or_else(|| panic!("{module} is in no layer"));
    let wrong = |(line, name): &(usize, String)| match layer(name) {
        _ if name == module => None,
        Some(other) if other < own => None,
        _ => Some(format!("{module} (layer {own}) imports {name}, line {line}")),
    };
    imports(text).iter().filter_map(wrong).collect()
}

#[test]
fn modules_import_lower_layers_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 50, "the sources were not found");
    let mut all = Vec::new();
    for path in files {
        let relative = path.strip_prefix(&root).unwrap();
        let module =
            relative.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        all.extend(faults(&module, &text).into_iter().map(|fault| format!("{}: {fault}", relative.display())));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// What faces may import: what they need of the layers below stands in `engine::face`.
const OF_FACES: &[&str] = &["engine", "types", "render", "config", "eval"];

/// The faces. The command line stands above the services too, which it starts.
const FACES: &[(&str, &[&str])] = &[("cli", &["serve"]), ("serve", &[])];

/// Modules that a file of a face imports and may not.
fn beyond_face((face, more): (&str, &[&str]), text: &str) -> Vec<String> {
    let may = |name: &str| name == face || OF_FACES.contains(&name) || more.contains(&name);
    let wrong = imports(text).into_iter().filter(|(_, name)| !may(name));
    wrong.map(|(line, name)| format!("{name}, line {line}")).collect()
}

#[test]
fn faces_import_the_engine_and_what_goes_through_it() {
    let mut wrong = Vec::new();
    for face in FACES {
        let mut files = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(face.0), &mut files);
        assert!(files.len() > 5, "the sources were not found");
        for path in files {
            let found = beyond_face(*face, &std::fs::read_to_string(&path).unwrap());
            wrong.extend(found.into_iter().map(|fault| format!("{}: {fault}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(beyond_face(FACES[0], "use crate::store::Database;\n").len(), 1);
    assert_eq!(beyond_face(FACES[1], "use crate::cli::Output;\n").len(), 1);
}

/// Rows of the table of layers in a text of Markdown that begin with a number and a module in backticks.
fn table_rows(text: &str) -> Vec<(usize, String)> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let layer = cells.next()?.parse().ok()?;
        Some((layer, cells.next()?.strip_prefix('`')?.strip_suffix('`')?.to_owned()))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn the_map_has_every_module_in_its_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_there = |module: &str| {
        root.join("src").join(module).is_dir() || root.join("src").join(format!("{module}.rs")).is_file()
    };
    let numbered = LAYERS.iter().enumerate().flat_map(|(layer, names)| names.iter().map(move |name| (layer, *name)));
    let mut expected: Vec<(usize, String)> =
        numbered.filter(|(_, name)| is_there(name)).map(|(layer, name)| (layer, name.to_owned())).collect();
    let mut documented = table_rows(&std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap());
    expected.sort();
    documented.sort();
    assert_eq!(documented, expected);
    assert_eq!(table_rows("| layer | module |\n|---|---|\n| 2 | `text` | cut |\n"), [(2, "text".to_owned())]);
}

#[test]
fn an_upward_or_sideways_import_is_seen() {
    assert_eq!(faults("text", "use crate::types::Hit;\n"), Vec::<String>::new());
    assert_eq!(faults("text", "use crate::canon::Canon;\n").len(), 1);
    assert_eq!(faults("canon", "fn f() { crate::embed::load() }\n").len(), 1);
}

/// What only a few files may do, because it reads without a bound, waits for a FIFO, follows a link anywhere or asks
/// the clock: the call, and the files that may (a path or the beginning of one below `src`).
const RESTRICTED: &[(&str, &[&str])] = &[
    // The one way to open what somebody else may have written.
    ("fs::read(", &[]),
    ("fs::read_to_string(", &[]),
    ("io::read_to_string(", &[]),
    // A folder, which is synced.
    ("File::open(", &["platform/unix.rs"]),
    // To write: our own lock, database and parts of downloads, and what the user names.
    (
        "File::options()",
        &[
            "lock.rs",
            "store/sqlite/database.rs",
            "store/sqlite/header.rs",
            "embed/hub/download.rs",
            "cli/export.rs",
            "cli/bench_run.rs",
        ],
    ),
    ("OpenOptions::new()", &["map/open.rs"]),
    // What is decided hangs on no clock: time is taken to be told, and to wait for folders that change.
    ("Instant::now(", &["cli", "eval", "ingest/run.rs", "ingest/watch.rs", "serve/gateway", "serve/http"]),
    ("SystemTime::now(", &["cli/clock.rs", "cli/status.rs"]),
];

/// The code of a file that is no test: what stands before its test module, without comments.
fn program(relative: &Path, text: &str) -> String {
    let is_test = relative.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
    let code = if is_test { "" } else { text.split("#[cfg(test)]\nmod tests").next().unwrap_or("") };
    code.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The restricted calls in one file that it may not make.
fn forbidden_calls(relative: &Path, text: &str) -> Vec<String> {
    let code = program(relative, text);
    let may = |allowed: &[&str]| allowed.iter().any(|file| relative.starts_with(file));
    let broken = RESTRICTED.iter().filter(|(call, allowed)| code.contains(call) && !may(allowed));
    broken.map(|(call, _)| format!("{}: {call}", relative.display())).collect()
}

#[test]
fn files_are_opened_and_clocks_asked_where_they_may_be() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let found = files
        .iter()
        .flat_map(|path| forbidden_calls(path.strip_prefix(&root).unwrap(), &std::fs::read_to_string(path).unwrap()));
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "use map::open, and no clock:\n{}", found.join("\n"));
}

#[test]
fn a_file_opened_elsewhere_is_seen() {
    let text = "fn f() { std::fs::read(path) }\n#[cfg(test)]\nmod tests { fn g() { std::fs::read(path) } }\n";
    assert_eq!(forbidden_calls(Path::new("canon/pack.rs"), text), ["canon/pack.rs: fs::read("]);
    assert!(forbidden_calls(Path::new("canon/tests.rs"), text).is_empty());
    assert!(forbidden_calls(Path::new("platform/unix.rs"), "File::open(folder)").is_empty());
    assert_eq!(forbidden_calls(Path::new("map/mod.rs"), "File::open(folder)").len(), 1);
    assert_eq!(forbidden_calls(Path::new("ann/grow.rs"), "let start = Instant::now();").len(), 1);
}

/// rayon panics where its common pool cannot be started; who uses it makes it ready, with as many threads as can be
/// had.
#[test]
fn rayons_common_pool_is_made_ready_before_it_is_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    // What these do is done within an encoder's own pool, or one that it has made ready.
    let inside = ["src/embed/fused/forward.rs", "src/embed/fused/runner.rs", "src/threads.rs"];
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
        let code: Vec<&str> = text.lines().take_while(|line| !line.contains("#[cfg(test)]")).collect();
        let uses = |what: &str| code.iter().any(|line| line.contains(what));
        let test = name.ends_with("/tests.rs") || name.contains("/tests/");
        if uses("rayon::prelude") && !uses("threads::ready()") && !test && !inside.iter().any(|i| name.starts_with(i)) {
            wrong.push(name.clone());
        }
        if (uses("thread::spawn(") || uses("scope.spawn(||")) && !test {
            wrong.push(format!("{name} panics where no thread can be started"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
