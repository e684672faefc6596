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
            let log = format!("starting up\nall is well so far\n\n{example}\n\nbye\n");
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
