//! Walks the help of `ken` and of all its verbs, and reads the examples that it shows.

use super::blocks::{Shown, outside_quotes};
use crate::support::ken::User;

/// Columns of the help when it goes to no terminal.
const WIDTH: usize = 100;

/// The help of a verb.
#[derive(Debug)]
pub struct Page {
    /// The verbs that lead to it: none for `ken --help`.
    pub verbs: Vec<String>,
    text: String,
}

/// The help of `ken` and of everything below it.
pub fn pages(user: &User) -> Vec<Page> {
    let (mut out, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(verbs) = open.pop() {
        let arguments: Vec<&str> = verbs.iter().map(String::as_str).chain(["--help"]).collect();
        let ran = user.ken(&arguments);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
        let inner = verbs_of(&ran.out);
        open.extend(inner.into_iter().rev().map(|name| [verbs.clone(), vec![name]].concat()));
        out.push(Page { verbs, text: ran.out });
    }
    out
}

/// The verbs that a help lists under "Commands:".
fn verbs_of(help: &str) -> Vec<String> {
    section(help, &["Commands:"])
        .into_iter()
        .filter(|line| !line[2..].starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The indented lines below one of these headings.
fn section<'a>(help: &'a str, headings: &[&str]) -> Vec<&'a str> {
    let mut lines = help.lines().skip_while(|line| !headings.contains(line));
    lines.next();
    lines.take_while(|line| line.starts_with("  ")).collect()
}

impl Page {
    /// How the help is asked for.
    pub fn name(&self) -> String {
        let words = ["ken"].into_iter().chain(self.verbs.iter().map(String::as_str)).chain(["--help"]);
        words.collect::<Vec<_>>().join(" ")
    }

    /// The examples, each with what is said behind it.
    pub fn examples(&self) -> Vec<(Shown, String)> {
        let mut out: Vec<(Shown, String)> = Vec::new();
        let mut whole = true;
        for line in section(&self.text, &["Examples:", "Example:"]) {
            let (command, said) = parted(line.trim());
            if whole {
                let place = self.name();
                out.push((Shown { place, command: command.to_owned(), output: Vec::new() }, said.to_owned()));
            } else {
                let last = &mut out.last_mut().unwrap().0.command;
                *last = format!("{last}\n{command}");
            }
            whole = !command.ends_with('\\');
        }
        out
    }

    /// Examples that are broken by the width of the help, and so cannot be copied.
    pub fn broken(&self) -> Vec<String> {
        let lines = section(&self.text, &["Examples:", "Example:"]);
        let broken = |pair: &&[&str]| {
            let word = pair[1].split_whitespace().next().unwrap_or_default();
            pair[0].chars().count() + 1 + word.chars().count() > WIDTH && !pair[1].contains("ken ")
        };
        lines.windows(2).filter(broken).map(|pair| pair.join("\n")).collect()
    }
}

/// A line of examples in two: the command, and what is said behind two spaces or more.
fn parted(line: &str) -> (&str, &str) {
    let gap = outside_quotes(line).find(|&(at, _)| line[at..].starts_with("  "));
    gap.map_or((line, ""), |(at, _)| (&line[..at], line[at..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_and_examples_are_read_whatever_stands_around_them() {
        let help = "\
About it

Usage: ken x

Commands:
  one   Does one
        thing
  help  Print this

Output:
  --json  JSON

Examples:
  ken one \"a  b\"   what it does
  ken two \\
    --three
Exit codes:
  0  found
";
        assert_eq!(verbs_of(help), ["one"]);
        let page = Page { verbs: vec!["x".to_owned()], text: help.to_owned() };
        let examples = page.examples();
        assert_eq!((examples[0].0.command.as_str(), examples[0].1.as_str()), ("ken one \"a  b\"", "what it does"));
        assert_eq!((examples.len(), examples[1].0.command.as_str()), (2, "ken two \\\n--three"));
        assert_eq!((page.name().as_str(), page.broken()), ("ken x --help", Vec::new()));
    }

    #[test]
    fn an_example_that_the_width_breaks_is_seen() {
        let broken = |tail: &str| {
            let text = format!("Examples:\n  ken {}\n  {tail}\n", "a".repeat(92));
            Page { verbs: Vec::new(), text }.broken().len()
        };
        assert_eq!((broken("tail"), broken("ken tail"), broken("a")), (1, 0, 0));
    }
}
