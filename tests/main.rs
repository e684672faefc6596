//! All integration tests, in one binary so that the library links once.
//!
//! Real processes, real files, real models. A test that needs a model gets it through `support::home`, once.

// A test that cannot go on should stop where it stands.
#![allow(clippy::unwrap_used)]

mod canon_fill; // fixes filled with hostile values, run by real shells
mod canon_packs; // the packs that ship: checked, and each example found
mod circles; // files that import each other in a circle
mod cli; // the command as a process: output, exit codes, every verb
mod embed; // models: stores, hub, packages, encoders
mod fuzz; // hostile bytes for every reader of what is not ours: mutated seeds, kept crashers
mod gateway; // a gateway before real servers: what is shown, what is called, who may die
mod hostile; // input that means harm or is broken
mod index; // files in, answers out: what is found, forgotten, carried elsewhere
mod layers; // a module imports lower layers only
mod lookup_quality; // the built-in cases against their floor
mod memory; // what is learnt: kept, told, disputed, forgotten
mod messages; // every message in one table, and the commands in messages exist
mod outcomes; // what tools did: the hook, what is kept of it, what is forgotten
mod pack; // frames, phrases, Markdown out and in, watching
mod programs; // which programs are started, and which never
mod rules; // who may write to a screen, make JSON, show a path
mod serve; // the service: agents, programs, browsers; who is heard; how it ends
mod shown; // what documents and help show: typed into a shell, compared with what stands there
mod store; // what is kept: crashes, several processes, damage, bad disks, older versions
mod support; // what tests share
mod tools; // tools of agents: added, found, planned, approved, removed

/// A test file that no `mod` line names would never run.
#[test]
fn no_test_file_is_forgotten() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    let main = std::fs::read_to_string(format!("{root}/main.rs")).unwrap();
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_code = path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").exists();
        if is_code && name != "main" {
            assert!(main.contains(&format!("mod {name};")), "{name} is not in tests/main.rs");
        }
        if path.join("mod.rs").exists() {
            let list = std::fs::read_to_string(path.join("mod.rs")).unwrap();
            for inner in std::fs::read_dir(&path).unwrap() {
                let inner = inner.unwrap().path();
                let stem = inner.file_stem().unwrap().to_str().unwrap().to_owned();
                if inner.extension().is_some_and(|e| e == "rs") && stem != "mod" {
                    assert!(list.contains(&format!("mod {stem};")), "{name}/{stem} is not in tests/{name}/mod.rs");
                }
            }
        }
    }
}
