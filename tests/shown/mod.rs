//! Everything that README, docs and `--help` show is typed into a shell, in a home of its own, and does what stands
//! there.
//!
//! A document is a session: its commands run in their order, and what is printed is compared with what stands below
//! them. Examples of help and code spans must work. A command that is not run stands in `known` with its reason.

mod blocks; // commands and code spans of Markdown
mod fixture; // the files that the documents speak of
mod help; // the verbs, their help and its examples
mod known; // placeholders, and commands that are not run as they stand
mod mask; // comparing what is printed with what is shown
mod programs; // programs of others that shown commands start
mod report; // all faults at once
mod sessions; // a command and what it should do
mod shell; // a user at a shell
mod spans; // inline code against the parser

use blocks::Shown;
use report::Fault;
use shell::Shell;
use std::path::{Path, PathBuf};

/// Name and text of every document that shows commands.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = pages.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    paths.sort();
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "index/FORMAT.md"];
    paths.extend(others.iter().map(|name| root.join(name)));
    let name = |path: &PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The examples of all help pages, each with what is said behind it.
fn examples(pages: &[help::Page]) -> Vec<(Shown, String)> {
    pages.iter().flat_map(help::Page::examples).collect()
}

/// Code spans of all documents that hold a call of `ken`, each with its place.
fn calls() -> Vec<(String, String)> {
    let spans = |(name, text): (String, String)| {
        let held = blocks::spans(&text).into_iter().filter(|(_, span)| spans::call(span).is_some());
        held.map(|(line, span)| (format!("{name}:{line}"), span)).collect::<Vec<_>>()
    };
    documents().into_iter().flat_map(spans).collect()
}

#[test]
fn sessions_in_documents_print_what_stands_there() {
    let mut faults = Vec::new();
    for (name, text) in documents() {
        let commands = blocks::commands(&name, &text);
        if !commands.is_empty() {
            // Who does not index in it has done so before.
            let indexes = commands.iter().any(|shown| shown.command.starts_with("ken index"));
            let shell = if indexes { Shell::new() } else { Shell::indexed() };
            faults.extend(commands.iter().filter_map(|shown| sessions::fault(&shell, shown)));
        }
    }
    report::none(&faults);
}

#[test]
fn examples_in_help_work() {
    let shell = Shell::with_items();
    let pages = help::pages(shell.user());
    let mut faults = Vec::new();
    for page in &pages {
        let broken = page.broken().into_iter();
        let expected = "an example on one line";
        faults.extend(broken.map(|got| {
            let command = "is wider than the help".to_owned();
            Fault { place: page.name(), command, expected: expected.to_owned(), got }
        }));
    }
    let examples = examples(&pages);
    faults.extend(examples.iter().filter_map(|(shown, _)| sessions::fault(&shell, shown)));
    faults.extend(examples.iter().filter_map(|(shown, said)| unlike(&shell, &shown.place, &shown.command, said)));
    report::none(&faults);
}

#[test]
fn code_spans_are_calls_that_exist() {
    let shell = Shell::indexed();
    let verbs: Vec<Vec<String>> = help::pages(shell.user()).into_iter().map(|page| page.verbs).collect();
    let (mut seen, mut faults) = (std::collections::BTreeSet::new(), Vec::new());
    for (place, span) in calls() {
        if seen.insert(span.clone()) {
            faults.extend(spans::fault(&shell, &verbs, &place, &span));
        }
    }
    // A row that holds a phrase and the call that it becomes.
    for pair in calls().windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        faults.extend(unlike(&shell, &pair[0].0, &pair[0].1, &pair[1].1));
    }
    report::none(&faults);
}

/// What is wrong with a phrase for `ken ask` and the call that is said to come of it.
fn unlike(shell: &Shell, place: &str, command: &str, said: &str) -> Option<Fault> {
    if !command.starts_with("ken ask ") {
        return None;
    }
    let shown = shell.types(command).shown;
    let made = shown.lines().next().unwrap_or_default();
    let (place, command) = (place.to_owned(), command.to_owned());
    (made != said).then(|| Fault { place, command, expected: said.to_owned(), got: made.to_owned() })
}

#[test]
fn what_is_not_run_is_still_shown() {
    let pages = help::pages(&crate::support::ken::User::new());
    let examples = examples(&pages).into_iter().map(|(shown, _)| shown.command);
    let typed = documents().into_iter().flat_map(|(name, text)| blocks::commands(&name, &text));
    let spans = calls().into_iter().map(|(_, span)| span);
    let all: Vec<String> = examples.chain(typed.map(|shown| shown.command)).chain(spans).collect();
    assert!(all.len() > 250, "the commands were not found: {}", all.len());
    assert_eq!(known::unused(&all), Vec::<&str>::new(), "tests/shown/known.rs: nothing shows these");
}
