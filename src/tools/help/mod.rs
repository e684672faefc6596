//! Makes tools of a program's help text. Each subcommand becomes a tool. A program without subcommands is one tool,
//! with its options and arguments as parameters.
//!
//! Help texts have no grammar, so this reads the habits that most of them share: lines of usage, headings that end with
//! a colon, and lists whose descriptions stand after a gap. What is not understood is left out. Nothing is run.

mod lines;
mod options;
mod usage;

use super::read::NoTools;
use crate::text::sha256_hex;
use crate::types::{Tool, ToolField};
use lines::{Kind, Line, Section, column, gap, is_name, plain, sections, split};
use options::options;
use std::collections::HashMap;
use usage::positionals;

/// Longest description of a tool and of a parameter, in characters.
const DESCRIPTION: usize = 1_000;
const OF_FIELD: usize = 300;
/// Most subcommands, and most parameters of one.
const COMMANDS: usize = 2_000;
const FIELDS: usize = 200;
/// Most lines of one description, and most forms of usage.
const LINES: usize = 40;
const FORMS: usize = 50;
/// How many options are described in place of a missing description.
const NAMED_OPTIONS: usize = 8;

/// A subcommand, as its line in the list names it.
struct Command {
    name: String,
    takes: String,
    says: String,
}

/// Reads tools from a help text. `program` is the command that prints it, without `--help`.
///
/// # Errors
/// [`NoTools::Help`] for a text that is none.
pub fn read_help(text: &str, program: &str, server: &str) -> Result<Vec<Tool>, NoTools> {
    let words: Vec<&str> = program.split_whitespace().collect();
    let text = plain(text);
    let sections = sections(&text, &words);
    let Some(first) = words.first() else { return Err(NoTools::Help) };
    let tool = |name: String, description: &str, parameters: Vec<ToolField>, form: &str| Tool {
        name,
        server: server.to_owned(),
        description: description.chars().take(DESCRIPTION).collect(),
        parameters,
        results: Vec::new(),
        tags: vec![(*first).to_owned()],
        form: sha256_hex(form.as_bytes()),
    };
    let commands = commands(&sections, &words);
    if !commands.is_empty() {
        let of = |one: &Command| {
            let name = format!("{} {}", words.join(" "), one.name);
            let form = format!("{}\n{}\n{}", one.name, one.takes, one.says);
            tool(name, &one.says, positionals(std::slice::from_ref(&one.takes)), &form)
        };
        return Ok(commands.iter().map(of).collect());
    }
    let forms: Vec<String> = sections.iter().flat_map(|section| section.forms(&words)).take(FORMS).collect();
    let mut parameters = positionals(&forms);
    let mut listed = options(&sections);
    if listed.is_empty() {
        listed = usage::options(&forms);
    }
    if listed.is_empty() && forms.is_empty() {
        return Err(NoTools::Help);
    }
    for option in listed {
        if parameters.len() < FIELDS && parameters.iter().all(|known| known.name != option.name) {
            parameters.push(option);
        }
    }
    let description = about(&sections).unwrap_or_else(|| {
        let said = parameters.iter().filter(|one| !one.description.is_empty()).take(NAMED_OPTIONS);
        let said: Vec<&str> = said.map(|one| one.description.as_str()).collect();
        if said.is_empty() { forms.first().cloned().unwrap_or_default() } else { said.join("; ") }
    });
    Ok(vec![tool(words.join(" "), &description, parameters, &text)])
}

/// What the program does: the first sentence before its lists.
fn about(sections: &[Section<'_>]) -> Option<String> {
    let lead = sections.iter().take_while(|section| matches!(section.kind, Kind::Lead | Kind::Usage | Kind::About));
    let lines = lead.filter(|section| section.kind != Kind::Usage).flat_map(|section| {
        // Sections end paragraphs too.
        section.lines.iter().copied().chain([Line { indent: 0, text: "" }])
    });
    let is_option = |line: &Line<'_>| line.text.starts_with('-') && !line.text.starts_with("- ");
    let lines: Vec<Line<'_>> = lines.take_while(|line| !is_option(line)).collect();
    let paragraphs = lines.split(|line| line.text.is_empty()).map(|lines| {
        let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
        texts.join(" ")
    });
    let is_sentence = |text: &String| {
        let plain = text.chars().filter(|letter| letter.is_alphabetic() || *letter == ' ').count();
        let first = text.split(' ').next().unwrap_or_default();
        let has_version = text.split(' ').take(3).any(|word| {
            word.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_digit()) && word.contains('.')
        });
        text.split(' ').count() >= 3
            && plain * 5 >= text.chars().count() * 4
            && first.starts_with(|letter: char| letter.is_alphabetic())
            && !text.contains(":=")
            && !text.contains("Copyright")
            && (!has_version || text.split(' ').count() > 6)
    };
    paragraphs.into_iter().find(is_sentence)
}

/// The subcommands of all lists, each once, in order.
fn commands(sections: &[Section<'_>], words: &[&str]) -> Vec<Command> {
    let mut out: Vec<Command> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut add = |found: Command| {
        if found.name == "help" || found.name == words.last().copied().unwrap_or_default() {
            return;
        }
        match places.get(&found.name) {
            Some(&place) if out[place].says.is_empty() => out[place] = found,
            None if out.len() < COMMANDS => {
                places.insert(found.name.clone(), out.len());
                out.push(found);
            }
            _ => {}
        }
    };
    for section in sections {
        if section.kind != Kind::Examples {
            led_by_program(section, words).into_iter().for_each(&mut add);
        }
        if section.kind == Kind::Commands {
            listed(section).into_iter().for_each(&mut add);
        }
    }
    out
}

/// Lines such as `npm test  run the tests`, which begin with the program itself.
fn led_by_program(section: &Section<'_>, words: &[&str]) -> Vec<Command> {
    let mut out = Vec::new();
    for (at, line) in section.lines.iter().enumerate() {
        let Some(rest) = after_words(line.text, words) else { continue };
        let (head, says) = match gap(rest) {
            Some((head, says)) => {
                let own = section.lines[at + 1..].iter().take_while(|line| after_words(line.text, words).is_none());
                (head, joined(says, &following(&section.lines[at + 1..][..own.count()], line.indent)))
            }
            // A description in lines of its own, which those of usage do not have.
            None if section.kind != Kind::Usage => (rest, following(&section.lines[at + 1..], line.indent)),
            None => continue,
        };
        let (name, takes) = head.split_once(' ').unwrap_or((head, ""));
        let is_plain = is_name(name) && !name.contains(char::is_uppercase);
        if is_plain && !says.is_empty() && !says.starts_with(['[', '<', '-']) {
            out.push(Command { name: name.to_owned(), takes: takes.to_owned(), says });
        }
    }
    out
}

/// The text behind these words.
fn after_words<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().try_fold(text, |text, word| text.strip_prefix(word)?.strip_prefix(' '))
}

/// The entries of a list of commands.
fn listed(section: &Section<'_>) -> Vec<Command> {
    let names = |text: &str| -> Vec<Command> {
        let parts: Vec<&str> = match text.contains(", ") {
            true => text.trim_end_matches(',').split(", ").map(str::trim).collect(),
            false => text.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect(),
        };
        let are_names = parts.len() > 2 && parts.iter().all(|part| is_name(part));
        let of = |name: &&str| Command { name: (*name).to_owned(), takes: String::new(), says: String::new() };
        if are_names { parts.iter().map(of).collect() } else { Vec::new() }
    };
    let column = column(&section.lines, |line| is_name(line.text.split([' ', ',', ':']).next().unwrap_or_default()));
    let mut out = Vec::new();
    let mut indent = None;
    // Whether the line above belongs to a row of names.
    let mut in_row = false;
    for (at, line) in section.lines.iter().enumerate() {
        let row = names(line.text);
        if !row.is_empty() || in_row && line.text.split(", ").all(is_name) && !line.text.is_empty() {
            in_row = true;
            let last = line.text.split(", ").filter(|_| row.is_empty()).map(|name| Command {
                name: name.to_owned(),
                takes: String::new(),
                says: String::new(),
            });
            out.extend(last);
            out.extend(row);
            continue;
        }
        in_row = false;
        if line.text.is_empty() || line.indent == 0 || line.text.starts_with('-') {
            // A heading among the commands may be followed by another indent.
            indent = indent.filter(|_| line.text.is_empty());
            continue;
        }
        if *indent.get_or_insert(line.indent) < line.indent {
            continue;
        }
        let rest = &section.lines[at + 1..];
        let (head, says) = split(line, column).or_else(|| line.text.split_once(" - ")).unwrap_or((line.text, ""));
        let says = joined(says, &following(rest, line.indent));
        if let Some((name, takes)) = head_of(head).filter(|(_, takes)| !says.is_empty() || takes.is_empty()) {
            out.push(Command { name: name.to_owned(), takes, says });
        }
    }
    out
}

/// A name with what it takes; other names behind commas are left out.
fn head_of(head: &str) -> Option<(&str, String)> {
    let mut words = head.split_whitespace();
    let first = words.next()?;
    let name = first.trim_end_matches([',', ':']);
    let mut words: Vec<&str> = words.collect();
    if first.ends_with(',') {
        let others = words.iter().take_while(|word| word.ends_with(',')).count() + 1;
        words.drain(..others.min(words.len()));
    }
    is_name(name).then(|| (name, words.join(" ")))
}

/// A description and what continues it, as one line.
fn joined(says: &str, more: &str) -> String {
    let words: Vec<&str> = says.split_whitespace().chain(more.split_whitespace()).collect();
    words.join(" ")
}

/// The lines that continue an entry: those with a deeper indent, up to an empty line.
fn following(rest: &[Line<'_>], indent: usize) -> String {
    let deeper = rest.iter().take_while(|line| !line.text.is_empty() && line.indent > indent).take(LINES);
    let texts: Vec<&str> = deeper.map(|line| line.text).collect();
    texts.join(" ")
}

#[cfg(test)]
mod tests;
