//! What was learnt in one repository is found in no other, whoever reads and however.
//!
//! Every use case that reads is asked. One that is added to the engine without a row here is missed by
//! [`every_use_case_that_reads_is_asked`].

use super::{id, ken_in, remember, repository};
use crate::support::ken::{Ran, User};
use std::path::Path;

/// A word that stands in one repository's memories alone.
const SECRET: &str = "quokkaberg";

/// Each use case that reads, as it is asked for what another repository learnt. `ID` stands for its id.
const READS: &[(&str, &[&str])] = &[
    ("lookup", &["lookup", "--json", "fail.log"]),
    ("lookup", &["lookup", "--json", "--why-not", "ID", "fail.log"]),
    ("search", &["search", "--json", "--min-relevance", "0", "--full", "quokkaberg"]),
    ("search", &["search", "--json", "--min-relevance", "0", "--kind", "fact", "quokkaberg"]),
    ("search", &["search", "--json", "--min-relevance", "0", "--kind", "tactic", "quokkaberg"]),
    ("search", &["search", "--json", "--min-relevance", "0", "--where", "service = \"quokkaberg\"", "quokkaberg"]),
    ("search", &["search", "--json", "--why-not", "ID", "quokkaberg"]),
    ("search_alike", &["search", "--json", "--like", "ID"]),
    ("ask", &["ask", "--json", "ken: quokkaberg"]),
    ("pack", &["pack", "--json", "--explain", "--task", "quokkaberg"]),
    ("list_memories", &["memory", "list", "--json"]),
    ("list_memories", &["memory", "list", "--held", "--json"]),
    ("history", &["memory", "history", "--json", "ID"]),
    ("decide", &["dispute", "--because", "x", "ID"]),
    ("decide", &["memory", "contradict", "ID"]),
    ("remember", &["remember", "--update", "ID", "x"]),
    ("remember", &["remember", "--from", "ID", "y"]),
    ("forget", &["forget", "ID"]),
    ("export_memories", &["memory", "export"]),
    ("failures", &["outcomes", "--json"]),
    ("failures", &["outcomes", "--json", "--since", "7d"]),
    ("list_outcomes", &["outcomes", "--all", "--json"]),
    ("outcome_patterns", &["patterns", "list", "--json"]),
    ("outcome_patterns", &["patterns", "list", "--json", "--state", "found"]),
    ("list_tools", &["tools", "list", "--json"]),
    ("plan_tools", &["tools", "plan", "--json", "quokkaberg service"]),
    ("find_tools", &["tools", "find", "--session", "x", "--json", "quokkaberg service"]),
    ("tools_learnt", &["tools", "capabilities", "--json"]),
    ("tool_traces", &["tools", "trace", "--json"]),
    ("approve_tools", &["tools", "approve", "quokka_caller"]),
    ("remove_tools", &["tools", "remove", "quokka_caller"]),
    ("draft_entries", &["patterns", "propose-canon", "--least", "1", "--json"]),
    ("promote", &["memory", "promote", "--author", "person", "ID"]),
    ("status", &["status", "--json"]),
    ("list_items", &["items", "list", "--json"]),
    ("export_markdown", &["export", "--markdown", "out"]),
];

fn asked(user: &User, folder: &Path, arguments: &[&str], id: &str) -> Ran {
    let arguments: Vec<&str> = arguments.iter().map(|one| if *one == "ID" { id } else { *one }).collect();
    ken_in(user, folder, &arguments)
}

/// Everything that a use case gives: what it prints, and files that it makes.
fn given(folder: &Path, ran: &Ran) -> String {
    let mut all = format!("{}{}", ran.out, ran.err);
    let mut folders = vec![folder.join("out")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => all.push_str(&std::fs::read_to_string(entry.path()).unwrap_or_default()),
            }
        }
    }
    all
}

#[test]
fn what_another_repository_learnt_is_found_by_nobody() {
    let user = User::new();
    let (here, there) = (repository(&user, "here"), repository(&user, "there"));
    let log = "error: quokka cannot open cache: lock file exists\n";
    for folder in [&here, &there] {
        std::fs::write(folder.join("fail.log"), log).unwrap();
    }
    let fact = remember(&user, &there, &["The quokkaberg service is slow", "--service", SECRET]);
    let tactic = remember(&user, &there, &["Call quokkaberg again", "--error", "fail.log", "--worked"]);
    let run = r#"{"tool": "bash", "input": "Call quokkaberg", "error": "the quokkaberg service is away"}"#;
    let mut hook = user.command(&["hook", "post-tool"]);
    hook.current_dir(&there);
    assert_eq!(crate::support::ken::run(hook, run.as_bytes()).code, 0);
    let tools = r#"[{"name": "quokka_caller", "description": "Call quokkaberg: asks the quokkaberg service"}]"#;
    std::fs::write(there.join("tools.json"), tools).unwrap();
    assert_eq!(asked(&user, &there, &["tools", "add", "tools.json"], "").code, 0);
    for id in [id(&fact), id(&tactic)] {
        for (case, arguments) in READS {
            let ran = asked(&user, &here, arguments, &id);
            let said = given(&here, &ran).replace(&id, "");
            // The question itself may stand in the answer.
            let said = said.replace("\"headline\": \"quokkaberg\"", "").replace("\"headline\":\"quokkaberg\"", "");
            let told = said.replace("task: \"quokkaberg\"", "").replace("quokkaberg\\n", "");
            let leaks = told.contains("quokkaberg service") || told.contains("Call quokkaberg");
            assert!(!leaks, "{case} {arguments:?}: {ran:?}");
            let _ = std::fs::remove_dir_all(here.join("out"));
        }
    }
    // Nothing of it was changed, and those who are there find it.
    let ran = asked(&user, &there, &["search", "--json", "--min-relevance", "0", "quokkaberg"], "");
    assert!(ran.out.contains("quokkaberg service") && ran.out.contains("Call quokkaberg"), "{ran:?}");
    for arguments in
        [&["outcomes", "--json"][..], &["outcomes", "--json", "--since", "7d"], &["outcomes", "--all", "--json"]]
    {
        let ran = asked(&user, &there, arguments, "");
        assert!(ran.out.contains("quokkaberg service"), "{ran:?}");
    }
    let ran = asked(&user, &there, &["tools", "find", "--json", "ask the quokkaberg service"], "");
    assert!(ran.out.contains("quokka_caller"), "{ran:?}");
    let ran = asked(&user, &there, &["lookup", "--json", "fail.log"], "");
    assert!(ran.out.contains("Call quokkaberg"), "{ran:?}");
    // A preference that is global is found everywhere.
    remember(&user, &there, &["Never wake the wombat", "--scope", "global", "--category", "zoo"]);
    let ran = asked(&user, &here, &["search", "--json", "--min-relevance", "0", "wombat"], "");
    assert!(ran.out.contains("Never wake the wombat"), "{ran:?}");
}

/// Public functions of the engine that take whoever asks (`Access`, a filter or options that hold it) are the reads;
/// each is named in [`READS`], or is one that only its owner calls.
#[test]
fn every_use_case_that_reads_is_asked() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/src/engine");
    let mut files = vec![std::path::PathBuf::from(root)];
    let mut reads = Vec::new();
    while let Some(next) = files.pop() {
        if next.is_dir() {
            files.extend(std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(&next).unwrap();
        for (at, _) in text.match_indices("    pub fn ") {
            let signature = &text[at..at + text[at..].find('{').unwrap_or(0)];
            let name = signature["    pub fn ".len()..].split(['(', '<']).next().unwrap_or_default();
            let takes = ["Access", "ItemFilter", "SearchOptions", "LookupOptions", "PackOptions", "MemoryFilter"];
            if signature.contains("&self") && takes.iter().any(|one| signature.contains(one)) {
                reads.push(name.to_owned());
            }
        }
    }
    reads.sort();
    reads.dedup();
    let asked = |name: &str| READS.iter().any(|(case, _)| *case == name) || OWNERS.contains(&name);
    let missing: Vec<&String> = reads.iter().filter(|name| !asked(name)).collect();
    assert!(missing.is_empty(), "not asked in this test: {missing:?}");
    assert!(reads.len() > 8, "{reads:?}");
}

/// Use cases that take a filter and give no text of a memory, or that are the same as one in [`READS`].
const OWNERS: &[&str] = &[
    "admits",             // of a filter
    "outcomes_kept",      // counts of what may be seen
    "overcome_last",      // runs of one session, of the same scopes as `list_outcomes`
    "outcome_pattern",    // one of `outcome_patterns`, by its id (`tests/outcomes/patterns.rs`)
    "promote_pattern",    // the same, decided
    "reject_pattern",     // the same, decided
    "count_memories",     // counts of what may be seen
    "delete_item",        // items of programs alone
    "delete_items",       // the same
    "external_item",      // the same
    "tool_states",        // names of tools, of the same scopes as `list_tools`
    "within",             // limits what a use case opens (`tests/store/scopes.rs`)
    "empty_scope",        // whether anything is indexed in a scope that may be seen
    "learn",              // writes
    "lookup_from",        // `lookup`
    "import_memory_file", // writes
    "import_memory_text", // writes
    "refresh_team",       // writes what a trusted repository says
    "distrust_team",      // the same
    "put_items",          // writes
    "page_of",            // tests/serve
    "seen_by",            // of a status
    "copy_store",         // whole stores, which no caller with scopes can name
    "compare_stores",     // the same
    "copy_fault",         // the same
];
