//! Cause and fix of an error.

use super::style::Style;
use super::wrap::wrap;
use crate::screen::line;
use crate::types::Advice;

/// The indent of everything below a heading.
const INDENT: &str = "       ";

/// Cause, fix and where to read more; of what is `general` the first step alone.
pub(super) fn push_advice(out: &mut String, advice: &Advice, general: bool, style: Style, width: usize) {
    out.push_str(&wrap(&advice.cause, "Cause  ", INDENT, width));
    out.push('\n');
    let steps = if general { advice.fix.len().min(1) } else { advice.fix.len() };
    let numbered = steps > 1;
    for (index, step) in advice.fix.iter().take(steps).enumerate() {
        let label = if index == 0 { "Fix    " } else { INDENT };
        let number = if numbered { format!("{}. ", index + 1) } else { String::new() };
        let rest = format!("{INDENT}{}", " ".repeat(number.len()));
        match split_command(step) {
            // The command first: it is what a reader in a hurry looks for.
            (text, Some(command)) => {
                out.push_str(&format!("{label}{number}{}\n", style.command(&line(command))));
                out.push_str(&paint_commands(&wrap(text.trim_end_matches(':'), &rest, &rest, width), style));
            }
            (text, None) => {
                out.push_str(&paint_commands(&wrap(text, &format!("{label}{number}"), &rest, width), style));
            }
        }
    }
    if let Some(url) = advice.references.first() {
        out.push_str(&format!("\n{}\n", style.faint(&line(&format!("More   {url}")))));
    }
}

/// The first command of a fix; where it has none, its first step.
pub(super) fn first_command(advice: &Advice) -> Option<&str> {
    let quoted = advice.fix.iter().flat_map(|step| step.split('`').skip(1).step_by(2));
    // What a person is to choose in a menu is quoted too, and begins with a capital.
    let is_command = |quoted: &&str| quoted.contains(' ') && !quoted.starts_with(|c: char| c.is_uppercase());
    quoted.into_iter().find(is_command).or_else(|| advice.fix.first().map(String::as_str))
}

/// Takes a long command at the end of a step apart from its text, so that it stands on a line of its own.
fn split_command(step: &str) -> (&str, Option<&str>) {
    let trimmed = step.trim_end().trim_end_matches('.');
    let Some(open) = trimmed.strip_suffix('`').and_then(|inner| inner.rfind('`')) else { return (step, None) };
    let text = trimmed[..open].trim_end();
    let command = &trimmed[open + 1..trimmed.len() - 1];
    if text.ends_with(':') && !command.contains('\n') { (text, Some(command)) } else { (step, None) }
}

fn paint_commands(block: &str, style: Style) -> String {
    if !style.colour {
        return block.to_owned();
    }
    let mut out = String::new();
    for (index, part) in block.split('`').enumerate() {
        out.push_str(&if index % 2 == 1 { style.command(part) } else { part.to_owned() });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_is_more_than_a_word() {
        let advice =
            |fix: &[&str]| Advice { fix: fix.iter().map(|step| (*step).to_owned()).collect(), ..Advice::default() };
        assert_eq!(first_command(&advice(&["`Change Mode` of `mode`.", "Run `chmod 600 a`."])), Some("chmod 600 a"));
        assert_eq!(first_command(&advice(&["Wait."])), Some("Wait."));
    }

    #[test]
    fn a_closing_command_stands_alone() {
        assert_eq!(split_command("Import it: `terraform import a b`."), ("Import it:", Some("terraform import a b")));
        assert_eq!(split_command("Run `ls` first."), ("Run `ls` first.", None));
        assert_eq!(split_command("Plain."), ("Plain.", None));
    }
}
