//! Holds inline code that begins with `ken` against the parser: its verbs and options must exist. What stands for
//! itself, without a placeholder, is run too.

use super::blocks::Shown;
use super::known::{self, How};
use super::report::Fault;
use super::sessions;
use super::shell::Shell;

/// The call of `ken` in a code span: all of it, or what stands behind a pipe.
pub fn call(span: &str) -> Option<&str> {
    let part = span.split(" | ").map(str::trim).find(|part| part.starts_with("ken "))?;
    (part.len() == span.len() || span.contains(" | ")).then_some(part)
}

/// What is wrong with a code span that holds a call.
pub fn fault(shell: &Shell, verbs: &[Vec<String>], place: &str, span: &str) -> Option<Fault> {
    if matches!(known::how(span), Some(How::Text)) {
        return None;
    }
    let call = known::filled(call(span)?);
    if let Some(got) = unreadable(shell, &call) {
        let (place, command) = (place.to_owned(), span.to_owned());
        return Some(Fault { place, command, expected: "a call that exists".to_owned(), got });
    }
    if known::has_placeholder(span) || is_name(verbs, &call) {
        return None;
    }
    let shown = Shown { place: place.to_owned(), command: span.to_owned(), output: Vec::new() };
    // A span may name an option and leave the rest of the call to the reader.
    sessions::fault(shell, &shown).filter(|fault| !names_less_than_a_call(&fault.got))
}

/// What the parser says against a call, if anything: the call with `--help` behind it does nothing else.
pub fn unreadable(shell: &Shell, call: &str) -> Option<String> {
    let asked = match call.split_once(" -- ") {
        Some((ours, theirs)) => format!("{ours} --help -- {theirs}"),
        None => format!("{call} --help"),
    };
    let ended = shell.types(&asked);
    let fine = ended.code == 0 && ended.shown.contains("Usage: ken");
    (!fine && !names_less_than_a_call(&ended.shown)).then_some(ended.shown)
}

/// Whether a span holds nothing but a verb, as its name.
fn is_name(verbs: &[Vec<String>], call: &str) -> bool {
    let words: Vec<&str> = call.split_whitespace().skip(1).collect();
    verbs.iter().any(|verb| *verb == words)
}

/// Whether the parser only misses something.
fn names_less_than_a_call(printed: &str) -> bool {
    printed.contains("required arguments were not provided") || printed.contains("a value is required for")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_alone_and_behind_a_pipe() {
        assert_eq!(call("ken lookup build.log"), Some("ken lookup build.log"));
        assert_eq!(call("echo x | ken lookup - | less"), Some("ken lookup -"));
        assert_eq!((call("kenning"), call("ken"), call("see ken lookup")), (None, None, None));
    }

    #[test]
    fn a_verb_alone_is_its_name() {
        let verbs = [vec!["pack".to_owned()], vec!["pack".to_owned(), "diff".to_owned()]];
        assert!(is_name(&verbs, "ken pack") && is_name(&verbs, "ken pack diff"));
        assert!(!is_name(&verbs, "ken pack --json") && !is_name(&verbs, "ken packs"));
    }
}
