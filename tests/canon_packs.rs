//! The packs that ship.

use kenning::canon::{Canon, Severity, builtin, check};
use kenning::text::clean;

#[test]
fn the_built_in_packs_pass_their_own_check() {
    let errors: Vec<String> = check(&builtin())
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|f| format!("{}:{}: {}", f.file, f.line, f.message))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn there_is_what_the_first_release_promises() {
    let (canon, problems) = Canon::load(&[]);
    assert!(problems.is_empty(), "{problems:?}");
    for pack in ["terraform-aws", "kubernetes", "docker", "rust", "python"] {
        let count = canon.entries().iter().filter(|stored| stored.pack == pack).count();
        assert!(count >= 30, "{pack} has {count} entries");
    }
}

/// Through the prefilter, in a log, an example leads to its own entry.
#[test]
fn every_example_leads_to_its_entry() {
    let (canon, _) = Canon::load(&[]);
    let mut lost = Vec::new();
    for (at, stored) in canon.entries().iter().enumerate() {
        for (number, example) in stored.entry().examples.iter().enumerate() {
            let log = format!("starting up\nall is well so far\n\n{}\n\nbye\n", example.text);
            if !canon.find(&clean(&log).text).iter().any(|hit| hit.entry == at) {
                lost.push(format!("{} example {}", stored.id(), number + 1));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// A specific pattern is proof, so a near miss must not match it.
#[test]
fn no_counterexample_is_taken_for_its_entry() {
    let (canon, _) = Canon::load(&[]);
    for (at, stored) in canon.entries().iter().enumerate() {
        for counter in &stored.entry().counterexamples {
            let hits = canon.find(&clean(counter).text);
            assert!(!hits.iter().any(|hit| hit.entry == at && !hit.generic), "{}: {counter}", stored.id());
        }
    }
}

/// In each text of the table an entry that may be the cause matches, and one that says what came of it.
#[test]
fn causes_and_consequences_of_the_table_match() {
    let (canon, _) = Canon::load(&[]);
    let entry = |id: &str| canon.entries()[canon.index_of(id).unwrap_or_else(|| panic!("no entry {id}"))].entry();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/causes/chains.jsonl");
    let table = std::fs::read_to_string(path).unwrap();
    let mut packs = std::collections::BTreeSet::new();
    for line in table.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let ids = |field: &str| -> Vec<String> { serde_json::from_value(row[field].clone()).unwrap() };
        let text = row["text"].as_str().unwrap();
        let hits = canon.find(&clean(text).text);
        let matched = |id: &String| hits.iter().any(|hit| canon.entries()[hit.entry].id() == id);
        let (causes, consequences) = (ids("cause"), ids("consequence"));
        assert!(causes.iter().any(matched), "none of {causes:?} matches:\n{text}");
        assert!(consequences.iter().any(matched), "none of {consequences:?} matches:\n{text}");
        assert!(causes.iter().all(|id| format!("{:?}", entry(id).role) != "Warning"), "a warning in {causes:?}");
        let all_are = consequences.iter().all(|id| format!("{:?}", entry(id).role) == "Consequence");
        assert!(all_are, "not all are consequences: {consequences:?}");
        packs.extend(consequences.iter().filter_map(|id| id.split('/').next().map(str::to_owned)));
    }
    assert!(table.lines().count() >= 300 && packs.len() == 10, "{} rows of {packs:?}", table.lines().count());
}

/// Text that nobody needs help with: what this project and the crates it is built from tell of themselves.
fn ordinary_texts() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<std::path::PathBuf> = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "index/FORMAT.md"]
        .iter()
        .map(|name| root.join(name))
        .chain(std::fs::read_dir(root.join("src/vector")).unwrap().flatten().map(|entry| entry.path()))
        .collect();
    let cargo = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
    let cargo = cargo.or_else(|| std::env::var_os("HOME").map(|home| std::path::Path::new(&home).join(".cargo")));
    // Wherever the tests were built, these are there, unless the dependencies are vendored.
    let registries = cargo.iter().filter_map(|cargo| std::fs::read_dir(cargo.join("registry/src")).ok()).flatten();
    for registry in registries.flatten() {
        for krate in std::fs::read_dir(registry.path()).into_iter().flatten().flatten() {
            files.extend(["README.md", "LICENSE-MIT", "LICENSE-APACHE"].iter().map(|name| krate.path().join(name)));
        }
    }
    let read = |path: std::path::PathBuf| Some((path.display().to_string(), std::fs::read_to_string(&path).ok()?));
    files.into_iter().filter_map(read).collect()
}

/// A healthy log: every level, times, addresses, numbers, and words that failures are told with.
fn healthy_log(lines: usize) -> String {
    let says = [
        "INFO  server listening on 0.0.0.0:8080",
        "DEBUG cache hit ratio 0.97, 0 errors, 3 retries",
        "INFO  connection from 10.0.3.7 closed, 1204 bytes sent",
        "WARN  slow request GET /api/v1/items took 812ms",
        "INFO  health check ok, error rate 0.00%",
        "INFO  job nightly-report finished without failures in 14.2s",
        "INFO  retry policy: 5 attempts, timeout 30s, on failure alert ops",
        "DEBUG loaded 18 rules from /etc/app/rules.d, 0 denied",
        "INFO  session for user alice expired, permission cache cleared",
        "INFO  failed=0 ok=12 changed=3 unreachable=0 skipped=1",
        "INFO  backup complete: 0 missing, 0 corrupt, 214 files",
        "INFO  Reloaded configuration; no such override, using defaults",
    ];
    (0..lines)
        .map(|n| format!("2024-05-{:02} 10:{:02}:{:02} {}\n", n % 28 + 1, n % 60, n * 7 % 60, says[n * 31 % 12]))
        .collect()
}

/// No pattern of any pack fires on ordinary text. A crate that shows an error in its README is counted, and there are
/// few.
#[test]
fn ordinary_text_is_met_with_silence() {
    let (canon, _) = Canon::load(&[]);
    let specific = |text: &str| -> Vec<String> {
        let hits = canon.find(&clean(text).text).into_iter().filter(|hit| !hit.generic);
        hits.map(|hit| canon.entries()[hit.entry].id().to_owned()).collect()
    };
    assert_eq!(specific(&healthy_log(10_000)), Vec::<String>::new());
    let texts = ordinary_texts();
    let fired: Vec<String> = texts
        .iter()
        .filter_map(|(path, text)| Some((path, specific(text))).filter(|(_, ids)| !ids.is_empty()))
        .map(|(path, ids)| format!("{path}: {}", ids.join(", ")))
        .collect();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let found = format!("{} of {} texts, {} KB:\n{}", fired.len(), texts.len(), bytes / 1000, fired.join("\n"));
    assert!(fired.len() * 50 <= texts.len(), "{found}");
}
